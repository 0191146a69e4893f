"""Logs through the pure path: read, typed, folded and judged. Seconds, not a job."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import BinaryIO

from jobs.conf import Conf, SourceHint
from jobs.errors import BadInput
from jobs.inputs.listing import unit_names
from transforms.diagnose.ending import ReadRecord, SourceRead
from transforms.diagnose.raw_lines import RawLine, RawScan, unread_line
from transforms.diagnose.report import ProvingLine, Row, proving_lines
from transforms.events import ClientEvent, unit_id_of
from transforms.parse.books import Books
from transforms.parse.messages import ProcessRef, events_of
from transforms.parse.reader import (
    ChunkReader,
    ReadSettings,
    SourceHints,
    Unparsed,
    detect_layout,
    fingerprint,
    open_source,
)
from transforms.parse.streams import read_exactly
from transforms.pure import Story, judge_events
from transforms.rules.judge import subject_of
from transforms.timers.clients.settings import UnitSettings
from transforms.timers.episodes import TABLE_OF, Episode

BLOCK_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class LogInput:
    """A log to read. path: as it is shown, and what names its process. open: its bytes from the first, to be sought."""

    path: str
    open: Callable[[], AbstractContextManager[BinaryIO]]


def read_file(path: Path, conf: Conf) -> tuple[Story, dict[str, str], "Reading"]:
    """The file's story, the text of its records by record_id, and how it was read.

    Raises: BadInput where the file can't be read.
    """
    story, (reading,) = read_logs([LogInput(str(path), lambda: path.open("rb"))], conf)
    return story, {record_id: record.text for record_id, record in reading.records.items()}, reading


def read_logs(logs: Iterable[LogInput], conf: Conf) -> tuple[Story, list["Reading"]]:
    """The story of some logs together, and how each was read; those of one process are one unit, as in the jobs.

    Raises: BadInput where one can't be read.
    """
    readings = [Reading(log, conf) for log in logs]
    hints: dict[str, SourceHint] = {}

    def events() -> Iterator[ClientEvent]:
        for reading in readings:
            for event in reading.events():
                hints.setdefault(event.unit_id, reading.hint)
                yield event

    def settings_of(unit_id: str, control: Sequence[ClientEvent]) -> UnitSettings:
        return UnitSettings.from_events(control, hints[unit_id].settings, conf.defaults)

    return judge_events(events(), settings_of), readings


class Reading:
    """Reads a log once. records: those that became events, by record_id. unread: pieces that no reader understood."""

    def __init__(self, log: LogInput, conf: Conf) -> None:
        self._log, self._conf = log, conf
        self.path = log.path
        self.hint = conf.hint_for(log.path)
        self.layout_name = ""
        self.books = Books()
        self.unparsed: dict[str, int] = {}
        self.records: dict[str, ReadRecord] = {}
        self.unread: list[RawLine] = []
        self.libraries: set[str] = set()

    def events(self) -> Iterator[ClientEvent]:
        """All typed events of the log, in its order."""
        try:
            with self._log.open() as file:
                yield from self._events_of(file)
        except OSError as error:
            raise BadInput(
                f"can't be read ({error.strerror or error})", where=self.path, todo="give a readable log file"
            ) from None

    def source(self) -> SourceRead:
        """What became of the log, once its events were read; its lines are looked at as they stand."""
        found = RawScan(self.path)
        with self._log.open() as file:
            stream = open_source(file)
            while block := stream.read(BLOCK_BYTES):
                found.feed(block)
        found.finish()
        kafka_lines = sum(record.line_count for record in self.records.values())
        return SourceRead(
            self.path, found, self.layout_name, kafka_lines, frozenset(self.libraries), self.unread
        )

    def _events_of(self, file: BinaryIO) -> Iterator[ClientEvent]:
        head = read_exactly(open_source(file), self._conf.reader.head_bytes)
        file.seek(0)
        layout = detect_layout(head, SourceHints(layout=self.hint.layout, time_zone=self.hint.time_zone))
        self.layout_name = layout.name
        service, instance = unit_names(str(Path(self.path).absolute()), self.hint)
        origin = ProcessRef(unit_id_of(service, instance), self.path, service, instance)
        settings = ReadSettings(
            keep=self._conf.reader.keep, max_record_bytes=self._conf.reader.max_record_bytes
        )
        reader = ChunkReader(layout, fingerprint(head), 0, None, 1, settings)
        for piece in reader.read(open_source(file)):
            if isinstance(piece, Unparsed):
                self._not_read(piece)
                continue
            events = events_of(piece, origin.of(piece))
            if events:
                self.libraries.add(events[0].client_library)
                self.records[events[0].record_id] = ReadRecord(
                    self.path, piece.line, piece.line_count, piece.level, piece.thread, piece.time_zone_origin,
                    piece.text,
                )  # fmt: skip
            yield from events
        self.books = reader.books.total

    def _not_read(self, piece: Unparsed) -> None:
        self.unparsed[piece.reason] = self.unparsed.get(piece.reason, 0) + 1
        if not piece.bytes:  # a note of the reader's own, such as of a cut gzip
            self.unread.append(RawLine(self.path, piece.line, piece.text, "error"))
        elif piece.reason != "binary" and (line := unread_line(self.path, piece.line, piece.text)):
            self.unread.append(line)


class StoryEvidence:
    """Looks episodes and lines up in a story just folded."""

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


def row_of(episode: Episode) -> Row:
    """The episode's columns; its profile is no column."""
    return {
        column.name: getattr(episode, column.name) for column in fields(episode) if column.name != "profile"
    }
