"""The pages of rebuilt timers in a real browser: what is done in one place shows in all, and in the address."""

import re

import pytest
from playwright.sync_api import expect

from tests.dashboards.episode_lake import episode_lake
from tests.dashboards.lake import HOSTILE, sha
from tests.dashboards.site import Site


@pytest.fixture(scope="module")
def site(browser, tmp_path_factory):
    site = Site(episode_lake(tmp_path_factory.mktemp("lake")), browser)
    yield site
    site.close()
    assert site.complaints == []


def opened(site, address):
    page = site.open(address)
    expect(page.locator(".drawn .main-svg").first).to_be_visible()
    expect(page.locator(".ag-row").first).to_be_visible()
    site.settle()
    return page


@pytest.mark.parametrize(
    ("path", "said", "named"),
    [
        ("/timers", "Longest stall 14.1 s of 8 s allowed", "task 0_1: expired after 14.1 s of 8 s"),
        ("/backoff", "hasty-admin retried METADATA 4 times", "waited, ms"),
        ("/batches", "the oldest lived 13 s of 10 s allowed", "expired at 13 s, 3 s over"),
        (
            "/liveness",
            "consumer-a left group orders-group 8 s after its last poll",
            "14.1 s without poll, limit 8 s",
        ),
    ],
)
def test_each_page_answers_its_question_and_draws_it_in_both_schemes(site, path, said, named):
    page = opened(site, path)
    expect(page.locator(f"#{path[1:]}-answer")).to_contain_text(said)
    expect(page.locator(".drawn .main-svg", has_text=named).first).to_be_visible()
    colours = []
    for _ in range(2):
        words = page.locator(".drawn :is(.annotation-text, .g-ytitle text)").first
        colours.append(words.evaluate("it => getComputedStyle(it).fill"))
        page.locator("#app-scheme").click()
    assert colours[0] != colours[1]
    assert page.locator("main img").count() == 0


def test_a_row_a_mark_and_an_address_select_the_same(site):
    page = opened(site, "/timers")
    page.locator(".ag-row", has_text="14.1 s").filter(has_text="expired").click()
    expect(page).to_have_url(re.compile(f"selected={sha('expired')}"))
    expect(page.locator("#timers-detail")).to_contain_text("14109 ms")
    page.go_back()
    expect(page.locator("#timers-detail")).to_be_hidden()
    expect(page.locator(".ag-row-selected")).to_have_count(0)
    bar = page.locator(".drawn .bars .point path").nth(3).bounding_box()
    page.mouse.click(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    expect(page.locator(".ag-row-selected")).to_contain_text("closed")
    expect(page.locator("#timers-detail")).to_contain_text("14123 ms")
    page.get_by_role("button", name="Show the lines").click()
    expect(page.locator(".log-line")).to_contain_text("Timeout exception. Remaining time to deadline 25000")
    same = opened(site, page.url.removeprefix(site.address))
    expect(same.locator("#timers-detail")).to_contain_text("14123 ms")
    expect(same.locator(".ag-row-selected")).to_contain_text("closed")


def test_a_zoom_is_a_window_and_a_double_click_ends_it(site):
    page = opened(site, "/timers")
    site.zoom(0.1, 0.5)
    expect(page).to_have_url(re.compile("from=2026-11-21T12"))
    expect(page.locator("#timers-from")).to_have_value(re.compile("2026-11-21T12:00"))
    expect(page.locator(".drawn .annotation-text")).to_have_count(2)  # the window has fewer lanes
    site.settle()
    box = page.locator(".drawn .nsewdrag").first.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.dblclick(box["x"] + box["width"] / 2, middle)
    expect(page).to_have_url(re.compile("view=whole"))
    expect(page.locator("#timers-from")).to_have_value("")
    page.go_back()
    expect(page.locator("#timers-from")).to_have_value(re.compile("2026-11-21T12:00"))


def test_a_double_click_counts_when_its_first_click_selected_a_mark_and_the_figure_was_drawn_anew(site):
    page = opened(site, "/timers")
    site.zoom(0.1, 0.5)
    expect(page.locator("#timers-from")).to_have_value(re.compile("2026-11-21T12:00"))
    site.settle()
    bar = page.locator(".drawn .bars .point path").first.bounding_box()
    page.mouse.move(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    page.mouse.down()
    page.mouse.up()
    expect(page).to_have_url(re.compile("selected="))
    site.settle()
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)
    expect(page).to_have_url(re.compile("view=whole"))
    expect(page.locator("#timers-from")).to_have_value("")


def test_filters_are_in_the_address_and_what_is_no_time_is_said_to_be(site):
    page = opened(site, "/batches?service=orders")
    expect(page.locator("#batches-service")).to_have_value("orders")
    expect(page.locator("#batches-body")).to_contain_text("3 batches expired (8 records)")
    page.locator("#batches-from").fill("yesterday")
    page.keyboard.press("Enter")
    expect(page.get_by_text("no time of the years")).to_be_visible()
    page.get_by_role("button", name="Clear all").click()
    expect(page).to_have_url(re.compile("batches$"))
    expect(page.get_by_text("no time of the years")).to_be_hidden()
    page.locator("#batches-service").click()
    page.get_by_role("option", name="billing").click()
    expect(page).to_have_url(re.compile("service=billing"))
    expect(page.locator("#batches-answer")).to_contain_text("No batch expired or failed: 1 delivered.")
    page.locator("#batches-to").fill("2020-01-01")
    page.keyboard.press("Enter")
    expect(page.locator("#state-empty")).to_be_visible()
    expect(page.locator("#batches-body")).to_be_hidden()


def test_a_rebalance_and_a_sequence_can_be_selected_by_keyboard(site):
    page = opened(site, "/liveness")
    page.locator(".ag-cell", has_text="1.3 s").click()
    expect(page.locator("#liveness-detail")).to_contain_text("consumer-a-slow")
    page = opened(site, "/backoff")
    page.locator(".ag-header-cell").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expect(page.locator("#backoff-detail")).to_contain_text("4 of 4 whose bounds are known")


def test_hovering_says_the_exact_ms_and_hostile_names_stay_text(site):
    page = opened(site, f"/timers?service=billing&selected={sha('hostile')}")
    bar = page.locator(".drawn .bars .point path").first.bounding_box()
    page.mouse.move(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    hover = page.locator(".hoverlayer")
    expect(hover).to_contain_text("without progress for 10 ms")
    expect(hover).to_contain_text("task.timeout.ms = 8 s, from the client's own log")
    expect(page.locator("#timers-detail")).to_contain_text(HOSTILE[:20])
    expect(page.locator(".drawn .annotation-text")).to_contain_text("<img src=x onerror=alert(1)>")
    page = opened(site, "/backoff")
    mark = page.locator(".drawn .scatterlayer .point").first.bounding_box()
    page.mouse.move(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    expect(page.locator(".hoverlayer").first).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("main img, svg image").count() == 0


def test_a_small_screen_has_all_of_it(site):
    site.page.set_viewport_size({"width": 390, "height": 844})
    for path in ("/timers", "/backoff", "/batches", "/liveness"):
        page = opened(site, path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        box = page.locator(".drawn .main-svg").first.bounding_box()
        assert box["width"] > 300
    site.page.set_viewport_size({"width": 1440, "height": 900})
