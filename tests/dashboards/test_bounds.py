"""A question that takes too long, too much memory or too many rows is answered by a sentence, and holds no other up."""

import threading
import time

import pyarrow as pa
import pytest

from dashboards.app import page_of
from dashboards.queries import LakeReader
from dashboards.queries.bounds import AT_ONCE, Bounds, Clock, TooMuchError, collected
from dashboards.queries.files import Files
from dashboards.queries.sql import Question
from tests.dashboards.lake import good_lake, violation, write

ROWS = pa.table({"n": list(range(1_000))})


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    return good_lake(tmp_path_factory.mktemp("lake"))


def slow(lake, seconds, bounds=Bounds()):  # noqa: B008  # it is frozen
    """The lake, whose questions take so long."""

    class Slow(Files):
        def run(self, question):
            time.sleep(seconds)
            return super().run(question)

    return LakeReader(Slow(lake, bounds), bounds)


@pytest.mark.parametrize(
    ("bounds", "sentence"),
    [
        (Bounds(rows=999), "it has more than 999 rows"),
        (Bounds(memory_mb=0), "it needs more than 0 MB"),
        (Bounds(seconds=-1), "it takes more than -1 s"),
    ],
)
def test_an_answer_ends_where_it_is_too_much(bounds, sentence):
    with pytest.raises(TooMuchError, match=sentence):
        collected(ROWS.to_reader(), bounds)
    assert collected(ROWS.to_reader(), Bounds(rows=1_000)).num_rows == 1_000


def test_the_engine_has_so_much_memory_and_no_more(tmp_path):
    write(tmp_path, "gold.violations", [violation(f"v{n}", "s", ["e"]) for n in range(2_000)])
    rows = " UNION ALL ".join(["SELECT violation_id, explanation FROM gold__violations"] * 60)
    sort = Question("gold.violations", f"SELECT * FROM ({rows}) ORDER BY explanation, violation_id")
    assert Files(tmp_path, Bounds()).run(sort).num_rows == 120_000
    with pytest.raises(TooMuchError, match="it needs more than 1 MB"):
        Files(tmp_path, Bounds(memory_mb=1)).run(sort)


def test_nobody_waits_longer_than_he_may():
    begun = time.monotonic()
    with pytest.raises(TooMuchError, match=r"more than 0.2 s \(dashboard.max_seconds\)"):
        Clock(Bounds(seconds=0.2)).run(lambda: time.sleep(5) or ROWS)
    assert time.monotonic() - begun < 4  # the sleep takes 5


def test_questions_that_go_on_are_few_and_make_room_when_they_end():
    clock, end = Clock(Bounds(seconds=0.3)), threading.Event()
    for _ in range(AT_ONCE):
        with pytest.raises(TooMuchError, match="takes more than"):
            clock.run(lambda: end.wait(30) and ROWS)
    with pytest.raises(TooMuchError, match="other questions"):
        clock.run(lambda: ROWS)
    end.set()
    time.sleep(0.2)
    assert clock.run(lambda: ROWS) is ROWS


def test_what_fails_fails_as_it_did():
    with pytest.raises(ValueError, match="broken"):
        Clock(Bounds()).run(lambda: (_ for _ in ()).throw(ValueError("broken")))


def test_a_page_says_so_in_one_sentence_and_never_looks_empty(lake):
    for path in ("/violations", "/incidents", "/timers", "/"):
        drawn = repr(page_of(slow(lake, 3, Bounds(seconds=0.1)), path))
        assert "state-too-much" in drawn, path
        assert "it takes more than 0.1 s (dashboard.max_seconds): choose a service" in drawn
        assert "state-empty" not in drawn
        assert "state-failed" not in drawn
