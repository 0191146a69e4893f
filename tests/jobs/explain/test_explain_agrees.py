"""The same facts from a lake as from the file itself: one story, told twice alike."""

from dataclasses import asdict
from pathlib import Path

import pytest

from conf.settings import load_conf
from jobs.explain.by_file import read_file
from jobs.explain.by_id import ID_COLUMNS, report_of
from tests.jobs.lakes import write
from transforms.diagnose.reports.report import report_finding, report_incident
from transforms.explain.evidence import StoryEvidence, row_of
from transforms.timers.episodes import TABLE_OF

RECORDINGS = Path(__file__).parent.parent.parent / "recordings"


@pytest.fixture(scope="module", params=["p62-slow-poll-42/consumer-a.app.log.gz", "p580-exp-42/app.log.gz"])
def both(request, tmp_path_factory):
    """A story folded from a recording, and a lake with the same rows."""
    story, log = read_file(RECORDINGS / request.param, load_conf())
    lake = tmp_path_factory.mktemp("lake")
    rows = {
        "silver.findings": [asdict(row) for row in story.findings],
        "gold.violations": [asdict(row) for row in story.violations],
        "gold.incidents": [asdict(row) for row in story.incidents],
        "silver.client_events": [asdict(row) | {"details": {}} for row in story.events],
        "bronze.log_records": [
            {
                "record_id": event.record_id,
                "source_id": event.source_id,
                "position": event.position,
                "text": log.records[event.record_id].text,
                "time_zone_origin": "assumed",
            }
            for event in {event.record_id: event for event in story.events}.values()
        ],
    }
    for episode in story.episodes:
        if table := TABLE_OF.get(type(episode)):
            rows.setdefault(table, []).append(row_of(episode))
    for table, of_table in rows.items():
        if of_table:
            write(lake, table, *of_table)
    return story, StoryEvidence(story, log.records), lake


def test_violations_and_incidents_are_told_alike(both):
    story, evidence, lake = both
    told = [report_finding(asdict(row), evidence) for row in story.violations]
    told += [report_incident(asdict(row), evidence) for row in story.incidents]
    assert told
    for one in told:
        again = report_of(lake, one.id)
        assert (again.heading, again.facts, again.advice) == (one.heading, one.facts, one.advice)
        assert again.timelines == one.timelines
        assert again.lines == one.lines


def test_every_episode_can_be_explained_by_its_id(both):
    story, _, lake = both
    stored = [(TABLE_OF[type(e)], row_of(e)) for e in story.episodes if type(e) in TABLE_OF]
    assert stored
    for table, row in stored[:20]:
        told = report_of(lake, row[ID_COLUMNS[table]])
        assert told.what == table.split(".")[1]
        assert told.timelines
