"""Filters: an address and back, the rows they leave, and the SELECT that gives the same ones."""

import pytest

from dashboards.instants import NOT_A_TIME
from dashboards.pages import unjudged, violations
from dashboards.pages.listing import PAGE_ROWS, asked_of
from dashboards.queries import LakeReader
from dashboards.queries.filters import Filter, filter_of, in_address, select
from dashboards.queries.listing import counts, page, versions
from jobs.sql.query import query_rows
from tests.dashboards.lake import HOSTILE, NOON, UNIT, good_lake, sha, violation, write

FILTERS = [
    Filter(),
    Filter(kip="KIP-91"),
    Filter(kip="KIP-580"),
    Filter(kip="no such"),
    Filter(rule="kip62.left_late"),
    Filter(category="older_semantics"),
    Filter(service="orders"),
    Filter(service="x' OR 1=1 --"),
    Filter(client="CONSUMER"),
    Filter(client="%"),
    Filter(client="'; DROP TABLE gold.violations --"),
    Filter(client=HOSTILE[:20]),
    Filter(version="4.2.1"),
    Filter(version="3.9.0"),
    Filter(library="librdkafka"),
    Filter(library="java", version="4.2.1"),
    Filter(since=NOON + 1),
    Filter(until=NOON - 1),
    Filter(since=NOON - 500, until=NOON + 500, service="orders", kip="KIP-62"),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = good_lake(tmp_path_factory.mktemp("lake"))
    late = violation("late", "s", [sha("leave")], last_at=NOON + 900, client_id="other", worst_ms=None)
    old = violation("timeless", "s", [sha("leave")], last_at=None, first_at=None, unit_id="other-unit")
    write(root, "gold.violations", [late, old], mode="append")
    health = {
        "client_id": "c",
        "status": "ok",
        "open_timers": 0,
        "violations": 0,
        "checked_at": NOON,
        "by_metrics": [],
        "warnings": [],
    }
    rows = [
        health | {"unit_id": UNIT, "client_version": "4.2.1"},
        health | {"unit_id": "other-unit", "client_version": "4.10.0"},
        health | {"unit_id": "third", "client_version": None},
    ]
    write(root, "gold.client_health", rows)
    return root


def by_sql(root, listing, narrowed, sorting):
    _, rows = query_rows(root, select(listing.table, listing.exported, narrowed, sorting))
    return [tuple(str(row[name]) for name in KEYS[listing.path]) for row in rows]


KEYS = {"violations": ("violation_id",), "unjudged": ("rule_id", "unit_id", "reason")}


@pytest.mark.parametrize("listing", [violations.LISTING, unjudged.LISTING], ids=lambda one: one.path)
@pytest.mark.parametrize("narrowed", FILTERS, ids=lambda one: str(in_address(one)))
def test_the_sql_gives_the_rows_of_the_page_in_its_order(root, listing, narrowed):
    for sorting in listing.sortings:
        found = page(LakeReader(root), listing.table, narrowed, sorting)
        assert found.state == "ok"
        told = [tuple(str(row[name]) for name in KEYS[listing.path]) for row in found.rows]
        assert told == by_sql(root, listing, narrowed, sorting)
        assert found.total == len(told)


def test_filters_leave_something_and_take_something_away(root):
    left = [
        len(page(LakeReader(root), "gold.violations", one, violations.SORTINGS[0]).rows) for one in FILTERS
    ]
    assert left == [7, 1, 0, 0, 3, 2, 7, 0, 3, 0, 0, 1, 6, 0, 0, 6, 1, 0, 5]


def test_pages_join_to_the_whole(root):
    for sorting in violations.SORTINGS:
        whole = page(LakeReader(root), "gold.violations", Filter(), sorting).rows
        parts = [
            page(LakeReader(root), "gold.violations", Filter(), sorting, None, at, 2)
            for at in (0, 2, 4, 6, 8)
        ]
        assert [row["violation_id"] for part in parts for row in part.rows] == [
            row["violation_id"] for row in whole
        ]
        assert {part.total for part in parts} == {7}


def test_counts_are_those_of_the_filter(root):
    assert counts(LakeReader(root), "gold.violations", "category", Filter(client="other")) == {
        "broken_semantics": 1
    }


def test_versions_are_in_the_order_of_releases(root):
    assert versions(LakeReader(root)) == ["4.10.0", "4.2.1"]


@pytest.mark.parametrize("narrowed", FILTERS, ids=lambda one: str(in_address(one)))
def test_an_address_and_back(narrowed):
    assert filter_of(in_address(narrowed)) == (narrowed, None)


def test_nonsense_in_an_address_is_left_out_and_said():
    query = {"from": "soon", "sort": "nonsense", "page": "-3", "client": "a"}
    asked = asked_of(violations.LISTING, query)
    assert asked.narrowed == Filter(client="a")
    assert asked.sorting == violations.SORTINGS[0]
    assert asked.number == 1
    assert asked.problem == f"from is 'soon': {NOT_A_TIME}"
    assert PAGE_ROWS > 0
