"""Every page over a lake of recordings, without the longest logs, as a person sees it: wide and light, on a phone and dark."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from dashboards.pages import PAGES
from dashboards.pages.page import link
from dashboards.queries import LakeReader
from jobs.pipeline import run
from jobs.progress import Progress
from lab.corpus import ROOT as RECORDINGS
from tests.dashboards.site import VIEWS, Site, look_as, wider_by

# Compressed: a loop of 9,500 lookups is 53 of the 88 MB of all recordings, in two logs of 214.
LONGEST_BYTES = 100_000
# What a page shows where it could not say anything.
FAILED = "#state-failed, #state-missing, #state-no-lake, .dash-error-card"


@pytest.fixture(scope="module")
def recorded(engines, conf, browser, tmp_path_factory) -> Iterator[Site]:
    lake = tmp_path_factory.mktemp("recorded") / "lake"
    logs = [str(path) for path in RECORDINGS.glob("*/*.log.gz") if path.stat().st_size < LONGEST_BYTES]
    run(
        engines,
        lake,
        logs,
        [str(RECORDINGS / "*" / "*metrics.jsonl.gz")],
        conf,
        Progress(is_shown=False),
        job="run",
    )
    site = Site(lake, browser)
    yield site
    site.close()


def addresses(lake: LakeReader) -> list[str]:
    one = lake.read("gold.violations", limit=1).rows[0]["violation_id"]
    told = [row["incident_id"] for row in lake.read("gold.incidents", limit=2).rows]
    return [
        *(page.href for page in PAGES if not page.takes),
        f"/violations?open={one}",
        link("finding", one),
        *(link("incident", incident) for incident in told),
    ]


def test_every_page_says_something_and_complains_of_nothing(recorded):
    """As links lead from page to page; test_hostile.py comes to each by its address."""
    page = recorded.open("/")
    for address in addresses(LakeReader(recorded.lake)):
        recorded.follow(address)
        for scheme in VIEWS:
            look_as(page, scheme)
            recorded.settle()
            expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", scheme)
            expect(page.locator("h1").first).to_be_visible()
            assert page.locator(FAILED).count() == 0, (address, scheme)
            assert wider_by(page) <= 0, (address, scheme)
    assert recorded.complaints == []
