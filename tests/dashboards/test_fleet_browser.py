"""Settings, Quality and Rules in a browser."""

from playwright.sync_api import expect


def test_settings_of_a_service_and_one_of_its_clients(site):
    page = site.open("/settings")
    expect(page.locator("#settings-contradictions")).to_contain_text("kip580.base_above_max")
    page.get_by_role("textbox", name="Service").click()
    page.get_by_role("option", name="orders").click()
    expect(page.locator("#settings-differing")).to_contain_text("max.poll.interval.ms")
    page.get_by_role("textbox", name="Client").click()
    page.get_by_role("option", name="consumer-a").click()
    expect(page).to_have_url(f"{site.address}/settings?service=orders&client=consumer-a")
    row = page.locator("#settings-grid .ag-row", has_text="max.poll.interval.ms")
    expect(row).to_contain_text("8000")
    expect(row).to_contain_text("logged")
    page.go_back()
    expect(page.locator("#settings-effective")).to_have_count(0)


def test_a_setting_that_is_markup_does_nothing(site):
    page = site.open("/settings?service=orders&client=consumer-a")
    expect(page.locator("#settings-grid")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("main img").count() == 0


def test_quality_says_what_was_read_and_whether_it_held(site):
    page = site.open("/quality")
    expect(page.locator("#quality-checks-said")).to_have_text("1 of 1 checks held when they ran last.")
    expect(page.locator("#quality-sources")).to_contain_text("balanced")
    expect(page.locator("#quality-last-runs")).to_contain_text("done")


def test_a_rule_by_its_address_with_its_runbook_and_what_it_found(site):
    page = site.open("/rules?rule=kip62.left_late")
    expect(page.locator("#rules-chosen")).to_contain_text("Runbook")
    page.get_by_role("link", name="All rules").click()
    expect(page.locator("#rules-kip-91")).to_be_visible()
    rule = page.locator(".rule", has_text="kip91.expired_late")
    expect(rule).to_contain_text("1 violation (4 times)")
    rule.click()
    page.locator("#rules-chosen").get_by_role("link", name="Violations").click()
    expect(page.locator("#violations-count")).to_have_text("1 to 1 of 1")
    expect(site.open("/rules?rule=nonsense").locator("#state-no-rule")).to_be_visible()
