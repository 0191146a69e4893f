"""The pages in a real browser: what a person sees, and that no log text ever acts."""

import re

import pytest
from playwright.sync_api import expect

from tests.dashboards.lake import HOSTILE, sha, write
from tests.dashboards.site import Site


def test_what_is_broken_comes_first_with_its_limit(site):
    page = site.open("/violations")
    first = page.locator(".ag-row[row-index='0']")
    for text in ("broken promise", "kip62.left_late", "consumer-a", "12 s", "8 s", "logged"):
        expect(first).to_contain_text(text)
    expect(page.locator("#violations-counts")).to_contain_text("Could not be judged")
    expect(page.locator("#freshness-strip")).to_contain_text("Last run done")


def test_from_the_grid_to_the_proof(site):
    page = site.open("/violations")
    page.get_by_role("link", name="kip91.expired_late").click()
    expect(page.locator("#finding-title")).to_contain_text("expired 13950 ms after its creation")
    expect(page.locator("#finding-numbers")).to_contain_text("+3950 ms")
    expect(page.locator("#finding-numbers")).to_contain_text("from the client's own log")
    timeline = page.locator("#finding-timeline")
    expect(timeline.locator(".annotation-text", has_text="limit: delivery.timeout.ms = 10 s")).to_be_visible()
    page.get_by_text("The timeline in words").click()
    expect(page.locator("#story-words .marks")).to_contain_text("+10000 ms")
    first_line = page.locator(".log-line").first
    expect(first_line).to_contain_text("decisive")
    expect(first_line).to_contain_text("Expiring 3 record(s) for orders-0:13950 ms")
    expect(page.locator("#freshness-strip")).to_be_visible()
    page.locator("#finding-back").click()
    expect(page.locator("#violations-grid")).to_be_visible()


def test_hostile_text_is_shown_and_does_nothing(site):
    page = site.open(f"/finding/{sha('hostile')}")
    title = page.locator("#finding-title")
    expect(title).to_contain_text(r"<img src=x onerror=alert(1)> \x1b[31mred\x1b[0m \u202egnp.exe {{7*7}}")
    assert page.locator("main img").count() == 0
    grid = site.open("/violations")
    expect(grid.locator(".ag-row", has_text="<img src=x").first).to_be_visible()
    assert grid.locator("main img").count() == 0
    assert "\x1b" in HOSTILE
    assert "\x1b" not in grid.content() + page.content()


def test_proof_that_is_gone_is_said_to_be(site):
    expect(site.open(f"/finding/{sha('base')}").locator("#finding-no-lines")).to_be_visible()


def test_what_could_not_be_judged_says_what_would_settle_it(site):
    expect(site.open("/unjudged").locator("#unjudged-grid")).to_contain_text("the consumer's config dump")


def test_incidents_tell_trouble_from_noise(site):
    page = site.open("/incidents")
    expect(page.locator("#incidents-list")).to_contain_text("Something expired")
    expect(page.locator("#incidents-normal")).to_be_hidden()
    page.get_by_text("1 that may look like trouble, and are normal").click()
    expect(page.locator("#incidents-normal")).to_contain_text("Something left")
    expect(page.locator("#incidents-list")).to_contain_text("Do: Raise delivery.timeout.ms.")
    page.locator("#incidents-list").get_by_role("link", name="to act: broker").click()
    expect(page).to_have_url(re.compile(r"incidents\?actor=broker$"))
    expect(page.locator("#incidents-actor")).to_have_value("broker")
    expect(page.locator("#incidents-normal")).to_have_count(0)
    page.get_by_role("link", name="Something expired").click()
    expect(page.locator("#finding-title")).to_contain_text("Something expired")
    expect(page.locator("#finding-advice")).to_contain_text("Raise delivery.timeout.ms.")
    expect(page.locator("#finding-timeline")).to_contain_text("orders-producer orders-0")


@pytest.mark.parametrize(
    ("path", "state"),
    [
        ("/finding/nonsense", "#state-empty"),
        ("/incident/nonsense", "#state-empty"),
        ("/nowhere", "#state-not-found"),
        ("/finding/a/b", "#state-not-found"),
    ],
)
def test_addresses_that_lead_nowhere(site, path, state):
    expect(site.open(path).locator(state)).to_be_visible()


def test_dark_and_light(site):
    page = site.open("/")
    html = page.locator("html")
    expect(html).to_have_attribute("data-ag-theme-mode", "light")
    page.locator("#app-scheme").click()
    expect(html).to_have_attribute("data-mantine-color-scheme", "dark")
    expect(html).to_have_attribute("data-ag-theme-mode", "dark")
    page.locator("#app-scheme").click()
    expect(html).to_have_attribute("data-mantine-color-scheme", "light")


def test_empty_missing_and_failed_look_different(browser, tmp_path):
    site = Site(tmp_path / "none", browser)
    try:
        expect(site.open("/violations").locator("#state-no-lake")).to_be_visible()
        write(tmp_path / "none", "gold.unjudged", [])
        expect(site.open("/violations").locator("#state-missing")).to_be_visible()
        expect(site.open("/unjudged").locator("#state-empty")).to_be_visible()
        write(tmp_path / "none", "gold.violations", [])
        expect(site.open("/violations").locator("#state-empty")).to_be_visible()
        log = tmp_path / "none" / "gold" / "violations" / "_delta_log"
        (log / f"{1:020}.json").write_text("{", encoding="utf-8")  # a commit that was never finished
        expect(site.open("/violations").locator("#state-failed")).to_contain_text("not an empty result")
        assert site.complaints == []
    finally:
        site.close()


def test_a_small_screen_shows_what_happened(site):
    site.page.set_viewport_size({"width": 1280, "height": 800})
    page = site.open("/violations")
    cell = page.locator(".ag-row[row-index='0'] [col-id='explanation']")
    expect(cell).to_be_visible()
    box = cell.bounding_box()
    grid = page.locator("#violations-grid").bounding_box()
    assert box is not None
    assert grid is not None
    assert box["x"] + box["width"] <= grid["x"] + grid["width"] + 1
    assert box["width"] >= 200
    site.page.set_viewport_size({"width": 1440, "height": 900})
