"""Logs as people send them: the beginning or the end alone, stack traces cut, quiet levels gone, lines written twice or
late. Nobody is accused more."""

import random

import pytest

from lab.corpus import recordings
from lab.score.mutilated import CUTS, accused_more, cut_traces, head, lossy, tail
from lab.score.pure import records_in

# What is lost at random still may, of one rule.
SURE = [name for name in CUTS if name != "lossy"]


@pytest.mark.parametrize(
    "name",
    [
        "p572-process-timeout-41",
        "p572-task-expire-35",
        "p572-global-expire-42",
        "p580-static-35",
        "p62-slow-poll-42",
        "p91-retries-exhausted-42",
    ],
)
def test_nobody_is_accused_more(name):
    (recording,) = recordings(name)
    assert list(accused_more(recording, [0], SURE)) == []


def test_lines_come_twice_and_late():
    (recording,) = recordings("p572-task-expire-35")
    records = [record for path in recording.logs for record in records_in(path)]
    twice, late = (CUTS[name](records, random.Random(4)) for name in ("doubled", "stood_still"))
    assert len({record.offset for record in twice}) == len(twice) > len(records)
    assert [record.message for record in late] == [record.message for record in records]
    assert sum(one.logged_at != two.logged_at for one, two in zip(late, records, strict=True)) > 0


def test_cuts_cut():
    (recording,) = recordings("p572-task-expire-35")
    records = [record for path in recording.logs for record in records_in(path)]
    first, last, some, cut = (each(records, random.Random(4)) for each in (head, tail, lossy, cut_traces))
    assert first == records[: len(first)]
    assert last == records[-len(last) :]
    assert 0 < len(some) < len(records)
    assert [record.line for record in cut] == [record.line for record in records]
    assert sum(len(record.message) for record in cut) < sum(len(record.message) for record in records)
