"""Figures and texts tell times in one zone at a time: the viewer's, or UTC."""

import re

import pytest
from playwright.sync_api import expect

from tests.dashboards.episode_lake import episode_lake
from tests.dashboards.site import Site

WORDS = """() => [...document.querySelectorAll(
  '.drawn :is(.xtick, .ytick) text, .drawn :is(.xtitle, .ytitle), .drawn .annotation text, .drawn .hoverlayer text')]
  .map(it => it.textContent).join(' | ')"""
OF_UTC, OF_KOLKATA = re.compile(r"\b12:0\d:\d\d"), re.compile(r"\b17:3\d:\d\d")


@pytest.fixture(scope="module")
def site(browser, tmp_path_factory):
    site = Site(episode_lake(tmp_path_factory.mktemp("lake")), browser)  # its viewer is in Asia/Kolkata
    yield site
    site.close()
    assert site.complaints == []


def hovered(page):
    bar = page.locator(".drawn .bars .point path, .drawn .scatterlayer .point").first.bounding_box()
    page.mouse.move(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    expect(page.locator(".hoverlayer text").first).to_be_visible()


@pytest.mark.parametrize("path", ["/timers", "/batches", "/liveness", "/backoff"])
def test_figures_follow_the_zone_of_the_texts(site, path):
    page = site.open(path)
    expect(page.locator(".drawn .main-svg").first).to_be_visible()
    site.settle()
    hovered(page)
    page.wait_for_function(f"({WORDS})().includes('Asia/')")
    shown = page.evaluate(WORDS)
    assert OF_KOLKATA.search(shown)
    assert not OF_UTC.search(shown), shown
    assert "UTC" not in shown, shown
    page.locator("#app-zone").click()
    page.wait_for_function(f"!({WORDS})().includes('Asia/')")
    hovered(page)
    shown = page.evaluate(WORDS)
    assert OF_UTC.search(shown)
    assert not OF_KOLKATA.search(shown), shown
    page.locator("#app-zone").click()


def test_a_zoom_means_the_same_in_any_zone(site):
    page = site.open("/timers")
    site.zoom(0.1, 0.5)
    expect(page).to_have_url(re.compile("from=2026-11-21T12"))
    page.wait_for_function(f"({WORDS})().includes('17:3')")


def test_what_is_selected_says_its_times_in_the_same_zone(site):
    page = site.open("/timers")
    site.settle()
    page.locator(".ag-row").first.click()
    times = page.locator("#timers-detail .facts time").first
    expect(times).to_have_text(re.compile("17:3"))
    page.locator("#app-zone").click()
    expect(times).to_have_text(re.compile("12:0"))
    page.locator("#app-zone").click()
