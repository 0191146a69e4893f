"""Every page as a screen reader is told it, wide and light, on a phone and dark; rows by keyboard."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from dashboards.pages import PAGES
from dashboards.pages.page import link
from dashboards.queries import LakeReader
from tests.dashboards.episode_lake import episode_lake
from tests.dashboards.site import Site

pytestmark = pytest.mark.browser

VIEWS = {"light": (1280, 900), "dark": (390, 844)}


@pytest.fixture(scope="module")
def site(browser, tmp_path_factory) -> Iterator[Site]:
    site = Site(episode_lake(tmp_path_factory.mktemp("lake"), with_open=True), browser)
    yield site
    site.close()
    assert site.complaints == []


def addresses(lake: LakeReader) -> list[str]:
    one = lake.read("gold.violations", limit=1).rows[0]["violation_id"]
    told = lake.read("gold.incidents", limit=1).rows[0]["incident_id"]
    return [
        *(page.href for page in PAGES if not page.takes),
        f"/violations?open={one}",
        "/what-if?limit=60000",
        link("finding", one),
        link("incident", told),
        "/no-such-page",
    ]


def looked_at(site: Site, scheme: str) -> Iterator[tuple[str, Page]]:
    width, height = VIEWS[scheme]
    site.page.set_viewport_size({"width": width, "height": height})
    site.page.emulate_media(color_scheme=scheme)
    for address in addresses(LakeReader(site.lake)):
        page = site.open(address)
        site.settle()
        yield address, page


@pytest.mark.parametrize("scheme", VIEWS)
def test_no_page_has_a_serious_fault_for_a_screen_reader(site, scheme):
    found = [
        f"{address}: {fault['id']} ({fault['impact']}): {node['target']} {node['html'][:200]}"
        for address, page in looked_at(site, scheme)
        for fault in Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]
    assert found == []


def test_a_row_is_selected_by_keyboard_and_the_page_follows(site):
    page = site.open("/timers")
    site.settle()
    page.locator(".ag-row[row-index='0'] .ag-cell").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expect(page.locator("#timers-detail")).to_contain_text("From, to")
    expect(page.locator(".ag-row-selected")).to_have_attribute("row-index", "1")
