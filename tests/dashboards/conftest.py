"""One browser and one served lake for all browser tests of the run."""

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.dashboards.lake import good_lake
from tests.dashboards.site import CHROMIUM, Site

# What a page shows is judged, not how soon: beside Spark on two cores a chart takes more than Playwright's 5 s.
expect.set_options(timeout=30_000)


@pytest.fixture(autouse=True)
def rest() -> Iterator[None]:
    """No page is looked at between tests."""
    yield
    for site in Site.all:
        site.rest()


@pytest.fixture(autouse=True)
def no_child(query_here: None) -> None:
    """See query_here."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.fail(
            "no Chromium: install chromium-headless-shell (as Debian calls it) or name it in CHROMIUM"
        )
    with sync_playwright() as playwright:
        # What draws without a graphics card, in a process of its own, would cost a fourteenth more.
        args = ["--no-sandbox", "--in-process-gpu"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=args)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site(browser, tmp_path_factory) -> Iterator[Site]:
    site = Site(good_lake(tmp_path_factory.mktemp("lake"), round(time.time() * 1000)), browser)
    yield site
    site.close()
    assert site.complaints == []
