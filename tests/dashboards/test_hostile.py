"""Thirty payloads in every name, reason and log line: all are shown, none runs, on any page."""

import pytest
from playwright.sync_api import expect

from dashboards.pages import PAGES
from dashboards.pages.page import link
from tests.dashboards.hostile import PAYLOADS, hostile_lake
from tests.dashboards.lake import sha
from tests.dashboards.site import Site

ADDRESSES = [page.href for page in PAGES if not page.takes] + [
    link("finding", sha("v0")),
    link("finding", sha("v1")),
]
MADE_OF_TEXT = "script, iframe, img[src=x], object, video, math, textarea, a[href^=javascript], a[href^=data]"


@pytest.fixture(scope="module")
def hostile(browser, tmp_path_factory):
    site = Site(hostile_lake(tmp_path_factory.mktemp("hostile")), browser)
    site.page.add_init_script(
        "window.ran = function (number) { (window.these = window.these || []).push(number); };"
    )
    yield site
    site.close()


def test_there_are_thirty():
    assert len(set(PAYLOADS)) == 30


@pytest.mark.parametrize("address", ADDRESSES)
def test_none_runs(hostile, address):
    page = hostile.open(address)
    page.wait_for_timeout(300)
    page.evaluate("document.querySelectorAll('details').forEach(function (one) { one.open = true; })")
    for shown in page.locator(".js-plotly-plot .nsewdrag, .ag-row").all()[:4]:
        if shown.is_visible():
            shown.hover(force=True)
    assert page.evaluate("window.these") is None
    assert page.locator("#app-page").locator(MADE_OF_TEXT).count() == 0
    assert hostile.complaints == []


def test_they_are_shown_as_they_stand(hostile):
    page = hostile.open(link("finding", sha("v0")))
    expect(page.locator("#app-page")).to_contain_text(PAYLOADS[0])
    text = page.locator("#app-page").inner_text()
    assert [one for one in PAYLOADS if one not in text] == []


def test_one_that_could_run_would_be_noticed(hostile):
    hostile.open("/").evaluate("window.ran(0)")
    assert hostile.page.evaluate("window.these") == [0]
