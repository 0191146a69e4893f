"""Violations and Unjudged in a browser: filters in the address, the drawer, order, taking rows away."""

import json

from playwright.sync_api import expect

from tests.dashboards.lake import sha


def test_a_filter_is_in_the_address_and_the_back_button_undoes_it(site):
    page = site.open("/violations")
    expect(page.locator("#violations-count")).to_have_text("1 to 5 of 5")
    page.get_by_role("textbox", name="KIP").click()
    page.get_by_role("option", name="KIP-91").click()
    expect(page.locator("#violations-count")).to_have_text("1 to 1 of 1")
    expect(page).to_have_url(f"{site.address}/violations?kip=KIP-91")
    page.get_by_role("textbox", name="Client").fill("nobody")
    expect(page.locator("#state-empty")).to_contain_text("No row fits these filters.")
    page.go_back()
    expect(page.locator("#violations-count")).to_have_text("1 to 1 of 1")
    page.go_back()
    expect(page.locator("#violations-count")).to_have_text("1 to 5 of 5")
    expect(page.get_by_role("textbox", name="KIP")).to_have_value("")


def test_a_deep_link_shows_its_filter_its_order_and_its_row(site):
    page = site.open(f"/violations?client=ORDERS&sort=latest&open={sha('late-batch')}")
    expect(page.get_by_role("textbox", name="Client")).to_have_value("ORDERS")
    expect(page.locator(".ag-row")).to_have_count(1)
    drawer = page.get_by_role("dialog")
    expect(drawer).to_contain_text("A batch is delivered or failed by delivery.timeout.ms")
    expect(drawer.locator("mark").first).to_contain_text(
        "Expiring 3 record(s) for orders-0:13950 ms has passed"
    )
    page.locator("#violations-story").click()
    expect(page.locator("#finding-title")).to_contain_text("expired 13950 ms after its creation")


def test_a_row_opens_its_evidence_by_mouse_and_by_keyboard(site):
    page = site.open("/violations")
    row = page.locator(".ag-row", has_text="kip62.left_late").first
    assert row.locator("[col-id='rule_id'] a").inner_html() == "kip62.<wbr>left_<wbr>late"
    row.locator("[col-id='explanation']").click()
    drawer = page.get_by_role("dialog")
    expect(drawer).to_contain_text("12004 ms, 4 s over the limit of 8000 ms (from the client's own log)")
    expect(page).to_have_url(f"{site.address}/violations?open={sha('late-leave')}")
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(page).to_have_url(f"{site.address}/violations")
    page.locator(".ag-row[row-index='1'] [col-id='explanation']").focus()
    page.keyboard.press("Space")
    expect(drawer).to_be_visible()


def test_rows_are_taken_away_as_files_and_as_sql(site):
    page = site.open("/violations?kip=KIP-91")
    with page.expect_download() as waiting:
        page.locator("#violations-to-json").click()
    rows = json.loads(waiting.value.path().read_text(encoding="utf-8"))
    assert [row["violation_id"] for row in rows] == [sha("late-batch")]
    page.get_by_text("SQL", exact=True).click()
    expect(page.locator("#violations-sql")).to_contain_text("FROM gold.violations WHERE kip = 'KIP-91'")


def test_what_could_not_be_judged_is_filtered_and_opened(site):
    page = site.open("/unjudged?client=nobody")
    expect(page.locator("#state-empty")).to_be_visible()
    page.get_by_role("textbox", name="Client").fill("consumer")
    expect(page.locator("#unjudged-count")).to_have_text("1 to 1 of 1")
    page.locator(".ag-row [col-id='reason']").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("the consumer's config dump")
