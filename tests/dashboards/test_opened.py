"""A row that a link opens on a page of a large table: also where the filters are without it."""

import pytest

from dashboards.app import page_of
from dashboards.pages import unjudged
from dashboards.pages.page import search_of
from dashboards.queries import LakeReader
from tests.dashboards.lake import HOSTILE, good_lake, sha


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    return LakeReader(good_lake(tmp_path_factory.mktemp("lake")))


def opened(lake, path, row_id, **narrowed):
    return repr(page_of(lake, path, search_of({"open": row_id, **narrowed})))


def rows(lake):
    return lake.read("gold.unjudged").rows


def test_a_violation(lake):
    assert "violations-outside" not in opened(lake, "/violations", sha("late-leave"))
    drawn = opened(lake, "/violations", sha("late-leave"), client="nobody")
    assert "violations-outside" in drawn
    assert "8000 ms, from the client's own log" in drawn


def test_what_is_unjudged(lake):
    row = rows(lake)[0]
    assert "unjudged-outside" not in opened(lake, "/unjudged", unjudged._id(row))
    drawn = opened(lake, "/unjudged", unjudged._id(row), client="nobody")
    assert "unjudged-outside" in drawn
    assert "Would settle it" in drawn


@pytest.mark.parametrize(
    "key", [(), ("x",), ("' OR 1=1 --",) * 5, ({"a": 1},) * 5, (HOSTILE, None, 0, None, "x")]
)
def test_an_id_that_is_none(lake, key):
    names = unjudged.TABLE.key
    row = dict(zip(names, [*key, *[None] * len(names)], strict=False))
    drawn = opened(lake, "/unjudged", unjudged._id(row))
    assert "unjudged-gone" in drawn
    assert "state-failed" not in drawn
    for nonsense in ("%%%", "e30=", "bnVsbA==", "x"):
        assert "unjudged-gone" in opened(lake, "/unjudged", nonsense)
