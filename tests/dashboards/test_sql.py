"""Questions as SQL: what each operator leaves, that no value is ever SQL, and that an answer is made once a version."""

import threading
from dataclasses import dataclass

import pytest

from dashboards.queries import LakeReader, sql
from dashboards.queries.files import Files
from dashboards.queries.kept import Kept
from tests.dashboards.lake import NOON, sha, violation, write

HOSTILE = "x'; DROP TABLE v; -- \\ \" %_"
TABLE = "gold.violations"


@dataclass
class Sized:
    size: int


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    root = tmp_path_factory.mktemp("lake")
    rows = [
        violation("a", "s", ["e"], client_id="Orders-1", observed_ms=10, last_at=NOON),
        violation("b", "s", ["e"], client_id=HOSTILE, observed_ms=20, last_at=NOON + 1, samples=["one"]),
        violation("c", "s", ["e"], client_id=None, observed_ms=None, first_at=None, last_at=None),
    ]
    write(root, TABLE, [{"samples": []} | row for row in rows])
    return LakeReader(root)


@pytest.mark.parametrize(
    ("where", "left"),
    [
        pytest.param([], "abc", id="everything"),
        pytest.param([("client_id", "=", HOSTILE)], "b", id="hostile text is a text"),
        pytest.param([("client_id", "in", [HOSTILE, "Orders-1"])], "ab", id="one of"),
        pytest.param([("client_id", "in", [])], "", id="one of none"),
        pytest.param([("client_id", "contains", "oRDERS")], "a", id="in any case"),
        pytest.param([("client_id", "contains", "%")], "b", id="a sign, no pattern"),
        pytest.param([("client_id", "null", True)], "c", id="unknown"),
        pytest.param([("client_id", "null", False)], "ab", id="known"),
        pytest.param([("observed_ms", ">", 10)], "b", id="greater"),
        pytest.param([("observed_ms", "<=", 10), ("client_id", "!=", "x")], "a", id="both"),
        pytest.param([("last_at", ">=", NOON + 1)], "b", id="an instant"),
        pytest.param([("samples", "some", True)], "b", id="a list with something in it"),
        pytest.param([("first_at", "meets", ("last_at", NOON + 1, None))], "b", id="still under way then"),
        pytest.param([("first_at", "meets", ("last_at", None, NOON))], "ab", id="begun by then"),
    ],
)
def test_what_is_left(lake, where, left):
    found = lake.read(TABLE, where=where, order=[("violation_id", "ascending")])
    assert (found.state, found.total) == ("ok", len(left))
    assert {row["violation_id"] for row in found.rows} == {sha(name) for name in left}


def test_pages_of_an_order_hold_every_row_once(lake):
    order = [("last_at", "descending"), ("violation_id", "ascending")]
    pages = [lake.read(TABLE, ["violation_id"], order=order, limit=1, offset=at) for at in range(4)]
    assert [row["violation_id"] for page in pages for row in page.rows] == [sha(name) for name in "bac"]
    assert [page.total for page in pages] == [3, 3, 3, 3]


def test_counts_of_combinations(lake):
    (row,) = lake.count_by(TABLE, ["category", "kip"]).rows
    assert row == {"category": "broken_semantics", "kip": "KIP-62", "rows": 3}


@pytest.mark.parametrize("name", ["no_such", 'x" FROM y; --', "count(*)"])
def test_a_column_is_one_of_the_contract_or_the_question_fails(lake, name):
    for found in (
        lake.read(TABLE, [name]),
        lake.read(TABLE, where=[(name, "=", "x")]),
        lake.count_by(TABLE, [name]),
    ):
        assert found.state == "failed"
        assert f"has no column {name!r}" in found.problem


def test_an_operator_is_one_that_there_is():
    with pytest.raises(ValueError, match="is no operator"):
        sql.select(TABLE, ["rule_id"], [("rule_id", "= 'x' OR", "y")])


def test_an_answer_is_kept_until_the_table_changes(tmp_path, monkeypatch):
    write(tmp_path, TABLE, [violation("a", "s", ["e"])])
    lake, asked = LakeReader(tmp_path), []
    run = Files.run
    monkeypatch.setattr(Files, "run", lambda *given: asked.append(1) or run(*given))
    assert [lake.read(TABLE).total for _ in range(3)] == [1, 1, 1]
    assert len(asked) == 1
    before = lake.version()
    write(tmp_path, TABLE, [violation(name, "s", ["e"]) for name in "ab"])
    assert lake.version() != before
    assert lake.read(TABLE).total == 2


def test_what_many_ask_at_once_is_made_once():
    kept, made, start = Kept(100), [], threading.Barrier(8)

    def make():
        made.append(1)
        return Sized(1)

    def ask():
        start.wait()
        answers.append(kept.get("same", make))

    answers: list[Sized] = []
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [Sized(1)] * 8
    assert len(made) == 1


def test_what_was_asked_for_longest_ago_goes_first_and_what_fails_is_not_kept():
    kept, made = Kept(25), []

    def get(key):
        return kept.get(key, lambda: made.append(key) or Sized(10))

    for key in ("a", "b", "a", "c", "a", "b"):
        get(key)
    assert made == ["a", "b", "c", "b"]
    with pytest.raises(ZeroDivisionError):
        kept.get("bad", lambda: Sized(1 // 0))
    assert kept.get("bad", lambda: Sized(2)) == Sized(2)
