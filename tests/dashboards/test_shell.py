"""The frame around every page: what a refresh leaves alone, the menu of a small screen, the keyboard."""

import time

import pytest
from playwright.sync_api import expect

from dashboards.pages import PAGES
from dashboards.pages.page import link, query_of, search_of
from tests.dashboards.lake import good_lake, write
from tests.dashboards.site import Site


@pytest.mark.parametrize(
    ("query", "search"),
    [({}, ""), ({"a": "x", "b": ""}, "?a=x"), ({"client": "a&b=c #é"}, "?client=a%26b%3Dc+%23%C3%A9")],
)
def test_what_stands_in_the_address(query, search):
    assert search_of(query) == search
    assert query_of(search) == {name: value for name, value in query.items() if value}


def test_a_link_takes_any_text():
    assert link("finding", "a/b?c") == "/finding/a%2Fb%3Fc"
    assert link("", at=None) == "/"


def test_no_two_pages_share_an_address():
    assert len({(page.path, page.takes) for page in PAGES}) == len(PAGES)


def look_again(page):
    """The tick that comes every few seconds, now."""
    page.evaluate(
        "window.dash_clientside.set_props('app-tick', {n_intervals: Math.floor(performance.now())})"
    )


def test_a_refresh_patches_what_changed_and_leaves_the_rest_where_it_is(browser, tmp_path):
    now = round(time.time() * 1000)
    site = Site(good_lake(tmp_path, now), browser)
    try:
        asked: list[str] = []
        site.page.on("request", lambda request: asked.append(request.post_data or ""))
        page = site.open("/")
        row = page.locator("#now-sources .ag-row").first
        expect(row).to_be_visible()
        expect(page.locator("#freshness-strip")).to_be_visible()
        assert not [one for one in asked if "now-headline.children" in one], (
            "what was just drawn is not drawn again"
        )
        asked.clear()
        row.evaluate("row => { row.marked = true; }")
        page.evaluate("window.scrollTo(0, 300)")
        with page.expect_response("**/_dash-update-component*"):
            look_again(page)
        assert len(asked) == 1, "nothing has changed: one question, and no page"
        write(tmp_path, "gold.open_timers", [])
        look_again(page)
        expect(page.locator("#now-timers li")).to_have_count(0)
        assert page.evaluate("window.scrollY") == 300
        assert row.evaluate("row => row.marked")
        assert site.complaints == []
    finally:
        site.close()


def test_the_menu_of_a_small_screen(site):
    site.page.set_viewport_size({"width": 390, "height": 844})
    try:
        page = site.open("/")
        there = page.locator("#app-to-unjudged")
        expect(there).not_to_be_in_viewport()
        page.locator("#app-menu").click()
        expect(there).to_be_in_viewport()
        there.click()
        expect(page.locator("#unjudged-grid")).to_be_visible()
        expect(there).not_to_be_in_viewport()
    finally:
        site.page.set_viewport_size({"width": 1440, "height": 900})


def test_the_keyboard_reaches_the_page_past_the_navigation(site):
    page = site.open("/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#app-page")).to_be_focused()
