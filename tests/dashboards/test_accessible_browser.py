"""Every page over a lake of recordings: as a person sees it, by keyboard alone, and as a screen reader is told it.

Wide and light, and on a phone and dark. Pages are come to as links lead; test_hostile.py comes to each by its address.
"""

from collections.abc import Iterator

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from dashboards.pages import PAGES
from dashboards.pages.page import link
from dashboards.queries import LakeReader
from jobs.pipeline import run
from jobs.progress import Progress
from lab.corpus import ROOT as RECORDINGS
from tests.dashboards.site import VIEWS, Site, look_as, wider_by
from tests.dashboards.spoken import Spoken

MOST_STOPS = 150
# Compressed: thirteen logs of 214, in which turns of loops say the same, are four fifths of the bytes.
LONGEST_BYTES = 30_000
# Not looked at by axe, which takes a ms for each part: rows, incidents and marks that follow six alike.
MORE_ALIKE = [
    [f"{alike}:nth-child(n+7)"]
    for alike in (".ag-row", "#incidents-list > *", "#incidents-normal > *", ".points > *")
]
# What a page shows where it could not say anything.
FAILED = "#state-failed, #state-missing, #state-no-lake, .dash-error-card"
# The part that has the focus: what it is, and whether that is seen on it or, of a hidden input, around it.
STOP = """() => {
  const isSeen = (part) => {
    const style = getComputedStyle(part), box = part.getBoundingClientRect();
    const isDrawn = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== 'none'
      || part.matches('input, .ag-cell') && style.borderTopStyle !== 'none';
    return box.width > 0 && box.height > 0 && style.visibility === 'visible' && isDrawn;
  };
  const it = document.activeElement, around = [it, it.parentElement, it.closest('.ag-root'), it.closest('label')];
  const words = it.id || it.getAttribute('aria-label') || it.textContent || it.className;
  (window.stops = window.stops || []).push(it);
  return {words: it.tagName + ' ' + words.slice(0, 40), isSeen: around.some((part) => part && isSeen(part)),
    isMain: it.closest('#app-page') !== null};
}"""
# As when the page was opened, where it was gone through before: the next tab key comes to the document's first part.
FROM_THE_TOP = """() => {
  if (!window.stops) return;
  window.stops = [];
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute('tabindex');
}"""
MISSED = """() => [...document.querySelectorAll('#app-page :is(a[href], button, input, summary, .ag-root)')]
  .filter((part) => part.checkVisibility({visibilityProperty: true}) && !part.disabled
    && (part.tabIndex >= 0 || part.matches('.ag-root'))
    && !part.closest('.ag-root :not(.ag-root)') && !part.closest('details:not([open]) > :not(summary)')
    && !window.stops.some((stop) => part === stop || part.contains(stop)))
  .map((part) => part.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def site(engines, conf, browser, tmp_path_factory) -> Iterator[Site]:
    lake = tmp_path_factory.mktemp("recorded") / "lake"
    logs = [str(path) for path in RECORDINGS.glob("*/*.log.gz") if path.stat().st_size < LONGEST_BYTES]
    metrics = [str(RECORDINGS / "*" / "*metrics.jsonl.gz")]
    run(engines, lake, logs, metrics, conf, Progress(is_shown=False), job="run")
    site = Site(lake, browser)
    yield site
    site.close()
    assert site.complaints == []


def addresses(lake: LakeReader) -> list[str]:
    one = lake.read("gold.violations", limit=1).rows[0]["violation_id"]
    told = [row["incident_id"] for row in lake.read("gold.incidents", limit=2).rows]
    return [
        *(page.href for page in PAGES if not page.takes),
        f"/violations?open={one}",
        "/what-if?limit=60000",
        link("finding", one),
        *(link("incident", incident) for incident in told),
        "/no-such-page",
    ]


def test_every_page_by_keyboard_and_as_it_is_told(site):
    """A page is come to once, and looked at in both views."""
    page, found = site.open("/"), []
    for address in addresses(LakeReader(site.lake)):
        look_as(page, "light")
        site.follow(address)
        for scheme in VIEWS:
            look_as(page, scheme)
            expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", scheme)
            site.settle()
            found += [
                f"{address}, {scheme}: {fault}"
                for look in (failed, too_wide, serious, untold, unreached)
                for fault in look(page)
            ]
    assert not found, "\n".join(found)


def failed(page: Page) -> list[str]:
    """Where it says nothing."""
    expect(page.locator("h1").first).to_be_visible()
    return page.locator(FAILED).all_inner_texts()


def too_wide(page: Page) -> list[str]:
    """Whether it is wider than the screen."""
    more = wider_by(page)
    return [f"wider than the screen by {more} px"] if more > 0 else []


def serious(page: Page) -> list[str]:
    """What axe calls serious."""
    axe = Axe("" if page.evaluate("'axe' in window") else AXE_SCRIPT)
    options = {"resultTypes": ["violations"], "preload": False}
    found = axe.run(page, {"exclude": MORE_ALIKE}, options).response["violations"]
    return [
        f"{fault['id']} ({fault['impact']}): {node['target']} {node['html'][:200]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def untold(page: Page) -> list[str]:
    """What the tree that a screen reader gets leaves unsaid."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    return Spoken(nodes).faults(has_menu=page.locator("#app-menu").is_visible())


def unreached(page: Page) -> list[str]:
    """What the tab key does not come to in the page, or comes to unseen."""
    page.evaluate(FROM_THE_TOP)
    page.keyboard.press("Tab")
    skip = page.evaluate(STOP)
    page.keyboard.press("Enter")
    main = page.evaluate(STOP)
    stops = []
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(STOP))
        if not stops[-1]["isMain"]:
            break
    return [
        *([] if skip["words"].startswith("A Skip") else [f"first comes {skip['words']}"]),
        *([] if main["words"] == "DIV app-page" else [f"the skip link leads to {main['words']}"]),
        *(["it is not left"] if stops[-1]["isMain"] else []),
        *(f"focus is not seen: {stop['words']}" for stop in stops[:-1] if not stop["isSeen"]),
        *(f"is not reached: {words}" for words in page.evaluate(MISSED)),
    ]


def test_a_row_is_selected_by_keyboard_and_the_page_follows(site):
    site.page.set_viewport_size({"width": 1280, "height": 900})
    page = site.open("/timers")
    site.settle()
    page.locator(".ag-row[row-index='0'] .ag-cell").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".ag-row[row-index='1'] .ag-cell-focus")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("#timers-detail")).to_contain_text("From, to")
    expect(page.locator(".ag-row-selected")).to_have_attribute("row-index", "1")


def test_a_phones_menu_opens_and_closes_by_keyboard_and_hides_what_it_has_closed(site):
    site.page.set_viewport_size({"width": 390, "height": 844})
    page = site.open("/")
    site.settle()
    to_incidents, menu = page.locator("#app-to-incidents"), page.locator("#app-menu")
    expect(to_incidents).to_be_hidden()
    menu.focus()
    page.keyboard.press("Enter")
    expect(menu).to_have_attribute("aria-expanded", "true")
    expect(to_incidents).to_be_visible()
    page.keyboard.press("Escape")
    expect(to_incidents).to_be_hidden()
    expect(menu).to_be_focused()
    page.keyboard.press("Enter")
    expect(to_incidents).to_be_visible()  # what is hidden yet takes no focus
    to_incidents.focus()
    expect(to_incidents).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Incidents")
    expect(to_incidents).to_be_hidden()
