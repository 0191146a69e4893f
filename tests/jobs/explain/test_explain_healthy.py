"""Recordings in which nothing went wrong are told so: whoever is woken by a false alarm believes no other."""

from pathlib import Path

import pytest

from conf.settings import load_conf
from jobs.explain.by_file import read_file

RECORDINGS = Path(__file__).parent.parent.parent / "recordings"
# Of some recordings a client said nothing.
HEALTHY = [log for log in sorted(RECORDINGS.glob("*healthy*/*.app.log.gz")) if log.stat().st_size > 100]


@pytest.mark.parametrize("log", HEALTHY, ids=lambda log: f"{log.parent.name}/{log.name.split('.')[0]}")
def test_a_healthy_client_is_told_to_be_well(log):
    story, _ = read_file(log, load_conf())
    assert [one.title for one in story.incidents if one.verdict != "benign"] == []
    assert story.violations == []


def test_there_are_healthy_recordings():
    assert len(HEALTHY) >= 10
