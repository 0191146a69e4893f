"""The story's page as a person meets it."""

import pytest
from playwright.sync_api import expect

from tests.dashboards.lake import NOON, sha
from transforms.diagnose.reports.report import iso

WINDOW = f"/story?from={iso(NOON - 70_000)}&to={iso(NOON + 30_000)}&service=orders"


def test_what_decides_is_marked_and_the_lines_around_it_come_on_demand(site):
    page = site.open(f"/finding/{sha('late-leave')}")
    first = page.locator(".log-line").first
    expect(first.locator("mark").first).to_contain_text("consumer poll timeout has expired.")
    first.get_by_role("button", name="Lines around").click()
    around = first.locator(".around")
    expect(around.locator(".here")).to_contain_text("consumer poll timeout has expired.")
    expect(around).to_contain_text("Successfully joined group with generation 5")
    expect(first).to_contain_text("These are the records that were kept")
    first.get_by_role("button", name="Lines around").click()
    expect(around).to_have_count(0)


def test_from_a_finding_to_its_window_and_back(site):
    page = site.open(f"/finding/{sha('late-leave')}")
    page.locator("#story-to-window").click()
    expect(page).to_have_url(site.address + "/story?from=2026-11-21T11%3A58%3A54.484Z"
                             "&to=2026-11-21T12%3A00%3A11.716Z&service=orders")  # fmt: skip
    expect(page.locator("#story-window-figure")).to_contain_text("orders-producer orders-0")
    page.go_back()
    expect(page.locator("#finding-title")).to_contain_text("left the group 12004 ms after its last poll")


def test_any_window_can_be_asked_for(site):
    page = site.open(WINDOW)
    for text in ("consumer-a", "poll timer", "orders-producer orders-0", "task timer"):
        expect(page.locator("#story-window-figure")).to_contain_text(text)
    expect(page.locator("#story-incidents")).to_contain_text("Something expired")
    expect(page.locator("#story-lines")).to_contain_text("Expiring 3 record(s)")
    page.get_by_label("From (UTC)").fill("2026-11-21T12:00:03Z")
    page.get_by_label("To (UTC)").fill("2026-11-21T12:00:09Z")
    page.locator("#story-show").click()
    expect(page.locator("#story-moves")).to_contain_text("6 s")
    expect(page.get_by_label("From (UTC)")).to_have_value("2026-11-21T12:00:03.000Z")
    page.get_by_role("link", name="Later").click()
    expect(page.get_by_label("From (UTC)")).to_have_value("2026-11-21T12:00:09.000Z")


@pytest.mark.parametrize(
    ("query", "state"),
    [
        ("?from=2020-01-01&to=2020-01-02", "#state-empty"),
        ("?from=yesterday&to=today", "#state-not-a-window"),
        ("?from=2026-01-02&to=2026-01-01", "#state-not-a-window"),
        ("?service=nobody", "#state-empty"),
    ],
)
def test_a_window_without_a_story_says_so(site, query, state):
    expect(site.open(f"/story{query}").locator(state)).to_be_visible()
