"""A lake that another version made: every page says in a sentence what it lacks, and what to do; what there is, is shown."""

import shutil

import pytest
from playwright.sync_api import expect

from dashboards.app import _page, create_app, page_of
from dashboards.pages import PAGES
from dashboards.pages.page import link
from dashboards.queries import LakeReader
from dashboards.queries.base import Answer, noticing
from dashboards.queries.freshness import freshness
from expectations import TABLES
from expectations.versions import told
from tests.dashboards.lake import good_lake, sha, without
from tests.dashboards.site import Site

TODO = "read the same logs again into a new lake: kipwatch run --logs PATH --lake NEW_DIR"
# A column of each table that pages ask for; of every lake older than it.
YOUNG = {
    "gold.client_health": ("by_metrics",),
    "gold.violations": ("explanation", "worst_ms"),
    "gold.incidents": ("advice",),
    "gold.unjudged": ("example_subject_ids",),
    "gold.runs": ("lag_ms",),
    "gold.table_checks": ("sample",),
    "bronze.accounting": ("dropped_by_reason",),
    "silver.client_settings": ("origin",),
    "silver.client_events": ("benign",),
    "silver.liveness_sessions": ("max_poll_gap_ms",),
    "silver.task_timers": ("timeout_origin",),
    "silver.batch_lifetimes": ("in_flight_ms",),
}
ASK_FOR_NOTHING_YOUNG = ("/rules", "/backoff")
LISTS = [page.href for page in PAGES if not page.takes]


def sentence(table):
    *others, last = YOUNG[table]
    names = f"columns {', '.join(others)} and {last}" if others else f"column {last}"
    return f"{table} has no {names}: another version of kipwatch made it; {TODO}"


@pytest.fixture(scope="module")
def older(tmp_path_factory):
    lake = good_lake(tmp_path_factory.mktemp("older"))
    for table, columns in YOUNG.items():
        without(lake, table, *columns)
    return lake


@pytest.mark.parametrize(
    "address", [*LISTS, link("finding", sha("late-leave")), link("incident", sha("expired"))]
)
def test_every_page_that_misses_something_says_what(older, address):
    with noticing() as lacks:
        _page(LakeReader(older), address, None)
    drawn = repr(page_of(LakeReader(older), address))
    assert bool(lacks) == (address not in ASK_FOR_NOTHING_YOUNG)
    assert {f"{fact}: another version of kipwatch made it; {TODO}" for fact in lacks} <= set(
        map(sentence, YOUNG)
    )
    assert [one for one in lacks if one not in drawn] == []
    assert ("state-other-version" in drawn) == bool(lacks)
    assert "state-failed" not in drawn


def test_several_are_one_sentence(older):
    lake = LakeReader(older)
    with noticing() as lacks:
        for table in ("gold.runs", "gold.incidents", "gold.runs"):
            lake.read(table)
    assert told(*lacks) == (
        "gold.runs has no column lag_ms and gold.incidents has no column advice: another version of kipwatch made them"
    )


def test_what_another_page_asked_for_is_not_told(older):
    lake = LakeReader(older)
    assert "state-other-version" in repr(page_of(lake, "/"))
    assert "state-other-version" not in repr(page_of(lake, "/rules"))


@pytest.mark.parametrize("table", sorted(YOUNG))
def test_each_is_told_by_the_table_that_lacks_it(older, table):
    assert LakeReader(older).read(table) == Answer("other_version", problem=sentence(table))
    # What it has is read.
    assert LakeReader(older).count_by(table, [column_of(table)]).state == "ok"


def column_of(table):
    """A column that every version has."""
    return {"gold.runs": "run_id", "gold.table_checks": "run_id", "bronze.accounting": "source"}.get(
        table, "unit_id"
    )


def test_what_fails_for_another_reason_is_told_as_it_is(older, tmp_path):
    good_lake(tmp_path)
    without(tmp_path, "gold.client_health", "by_metrics")
    for file in tmp_path.glob("gold/client_health/*.parquet"):
        file.unlink()
    found = LakeReader(tmp_path).read("gold.client_health", ["client_id"])
    assert found.state == "failed"
    assert "by_metrics" not in found.problem


def test_the_bar_asks_for_nothing_young(older):
    bar = LakeReader(older)
    assert freshness(bar).silent_clients == freshness(LakeReader(older)).silent_clients > 0


def test_it_is_said_no_more_once_the_lake_is_made_anew(tmp_path):
    good_lake(tmp_path)
    without(tmp_path, "gold.client_health", "by_metrics")
    asked = LakeReader(tmp_path)
    assert "state-other-version" in repr(page_of(asked, "/"))
    shutil.rmtree(tmp_path / "gold")
    good_lake(tmp_path)
    assert "state-other-version" not in repr(page_of(asked, "/"))


def test_a_file_that_can_not_be_made_says_it_too(older):
    answer = create_app(older).server.test_client().get("/export/violations.csv")
    assert (answer.status_code, answer.text) == (503, f"{sentence('gold.violations')}\n")


@pytest.mark.parametrize("width", [1280, 390])
def test_on_call_reads_it(browser, tmp_path, width):
    lake = good_lake(tmp_path)
    without(lake, "gold.client_health", "by_metrics")
    site = Site(lake, browser)
    try:
        site.page.set_viewport_size({"width": width, "height": 844})
        page = site.open("/")
        told = page.locator("#state-other-version")
        expect(told).to_contain_text(sentence("gold.client_health"))
        expect(told).to_be_in_viewport()
        box = told.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        expect(page.locator("#state-failed")).to_have_count(0)
        assert site.complaints == []
    finally:
        site.close()


def test_columns_that_a_later_release_added_are_null_until_a_run_adds_them(tmp_path):
    lake = good_lake(tmp_path / "lake")
    before = repr(page_of(LakeReader(lake), "/incidents"))
    assert "java 4.2.1" in repr(page_of(LakeReader(lake), link("incident", sha("expired"))))
    for table in ("gold.incidents", "silver.client_events"):
        without(lake, table, *TABLES[table].added)
    reader = LakeReader(lake)
    after = repr(page_of(reader, "/incidents"))
    assert "to act: broker" in before
    assert "to act: " not in after
    for drawn in (after, repr(page_of(reader, link("incident", sha("expired"))))):
        assert "Something expired" in drawn
        assert "state-other-version" not in drawn
        assert "state-failed" not in drawn
    assert reader.read("gold.incidents", where=[("actor", "=", "broker")]).rows == []
    assert "state-empty" in repr(page_of(reader, "/incidents", "?actor=broker"))
