"""Looks the proof of what is told up in a story just folded, as a lake's tables are asked for it."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from transforms.diagnose.reports.report import ProvingLine, Row, proving_lines
from transforms.diagnose.unexplained.source_read import ReadRecord
from transforms.events import ClientEvent
from transforms.pure import Story
from transforms.rules.judge import subject_of
from transforms.timers.episodes import TABLE_OF, Episode


class StoryEvidence:
    """See transforms.diagnose.reports.report.Evidence. records: those that became events, by record_id."""

    def __init__(self, story: Story, records: Mapping[str, ReadRecord]) -> None:
        self._events = {event.event_id: event for event in story.events}
        self._subjects = {
            (found.rule_id, tuple(found.event_ids)): found.subject_id for found in story.findings
        }
        self._episodes: dict[str, list[Episode]] = {}
        for episode in story.episodes:
            if type(episode) in TABLE_OF:
                self._episodes.setdefault(subject_of(episode), []).append(episode)
        self._records = records

    def episodes(self, subject_id: str) -> tuple[str, list[Row]] | None:
        """The episode's table and rows."""
        found = self._episodes.get(subject_id)
        return (TABLE_OF[type(found[0])], [row_of(episode) for episode in found]) if found else None

    def subject_of(self, finding: Row) -> str | None:
        """The subject of the occurrence that has the same proof."""
        return self._subjects.get((finding["rule_id"], tuple(finding["event_ids"])))

    def whole_of(self, incident: Row) -> Row | None:
        """None: an answer tells a whole together with its parts."""
        return None

    def records(self, event_ids: Sequence[str]) -> list[ReadRecord]:
        """The records of these events that are kept."""
        found = (self._records.get(self._events[one].record_id) for one in event_ids if one in self._events)
        return [record for record in found if record is not None]

    def lines(self, event_ids: Sequence[str]) -> list[ProvingLine]:
        """The records of these events, in the order of the ids."""
        events = {
            event_id: {name: getattr(event, name) for name in ClientEvent.__slots__}
            for event_id in event_ids
            if (event := self._events.get(event_id))
        }
        texts = {
            record_id: (record.text, record.zone)
            for event in events.values()
            if (record := self._records.get(record_id := event["record_id"]))
        }
        return proving_lines(event_ids, events, texts)


def row_of(episode: Any) -> Row:
    """The columns of an episode, or of an incident; a profile is no column."""
    return {
        column.name: getattr(episode, column.name) for column in fields(episode) if column.name != "profile"
    }
