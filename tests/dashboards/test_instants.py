"""Instants of an address: read as people, links and figures write them; of no use to anybody, they are said to be so."""

import json

import pytest
from plotly.utils import PlotlyJSONEncoder

from dashboards.app import page_of
from dashboards.instants import LAST_MS, NOT_A_TIME, instant_of, misread, stamp
from dashboards.pages import PAGES
from dashboards.queries import LakeReader
from dashboards.story_parts import facts
from tests.dashboards.lake import NOON, good_lake
from transforms.diagnose.reports.report import Report, iso

FAR = (
    "0001-01-01",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59-14:00",
    "9" * 15,
)
ASK_FOR_TIMES = {"/story", "/timers", "/backoff", "/batches", "/liveness", "/violations", "/unjudged"}


@pytest.mark.parametrize(
    ("given", "at"),
    [
        ("2026-11-21T12:00:00.000Z", NOON),
        ("2026-11-21 12:00", NOON),
        ("2026-11-21T13:00:00+01:00", NOON),
        (" 2026-11-21 12:00:00.5 ", NOON + 500),
        (iso(NOON), NOON),
        (str(NOON), NOON),
        ("1970-01-01", 0),
        ("1969-12-31T23:59:59.999Z", None),
        (str(LAST_MS), LAST_MS),
        (str(LAST_MS + 1), None),
        ("", None),
        (None, None),
        ("noon", None),
        ("2026-11-31", None),
        ("9" * 40, None),
        ("\u0661\u0662", None),
        *((one, None) for one in FAR),
    ],
)
def test_instants_as_people_links_and_figures_write_them(given, at):
    assert instant_of(given) == at


def test_what_is_no_time_is_said_by_its_name():
    assert misread({"from": "2026-11-21", "to": "0001-01-01"}) == f"to is '0001-01-01': {NOT_A_TIME}"
    assert misread({"from": "", "service": "0001-01-01"}) is None


@pytest.mark.parametrize(("last", "instants"), [(NOON, 1), (NOON + 5, 2)])
def test_from_when_to_when_a_finding_was_met_is_by_the_readers_clock(last, instants):
    row = {"occurrences": 4, "first_at": NOON, "last_at": last}
    told = facts(Report("violation", "1", "", "", "", [("Times", "as the log wrote it")], row=row), "")
    written = json.dumps(told.to_plotly_json(), cls=PlotlyJSONEncoder)
    assert "as the log wrote it" not in written
    assert written.count('"data-at"') == instants


@pytest.mark.parametrize(
    ("at", "written"), [(-1, "1970-01-01T00:00:00.000Z"), (LAST_MS * 9, iso(LAST_MS)), (None, None)]
)
def test_other_centuries_of_a_log_lead_to_the_nearest_that_can_be_asked_for(at, written):
    assert stamp(at) == written


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    return LakeReader(good_lake(tmp_path_factory.mktemp("lake")))


@pytest.mark.parametrize("given", FAR)
@pytest.mark.parametrize("name", ["from", "to"])
def test_a_date_of_another_age_is_told_to_be_one_on_every_page(lake, name, given):
    asking = set()
    for page in (page for page in PAGES if not page.takes):
        drawn = repr(page_of(lake, page.href, f"?{name}={given.replace('+', '%2B')}"))
        assert "state-failed" not in drawn, page.href
        asks = any(f"id='{page.path}-{field}'" in drawn for field in ("from", "since"))
        assert (NOT_A_TIME in drawn) == asks, page.href
        asking |= {page.href} if asks else set()
    assert asking >= ASK_FOR_TIMES


@pytest.mark.parametrize("name", ["from", "service", "client", "selected", "kind", "page"])
@pytest.mark.parametrize("given", ["\ud800", "%ed%a0%80", "%00", "9" * 400, "'; DROP"])
def test_a_link_that_holds_what_no_table_does_is_drawn_on_every_page(lake, name, given):
    for page in (page for page in PAGES if not page.takes):
        drawn = repr(page_of(lake, page.href, f"?{name}={given}"))
        assert "state-failed" not in drawn, page.href
    assert "state-failed" not in repr(page_of(lake, f"/finding/{given}", ""))
