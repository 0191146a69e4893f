"""Logs through the pure path: read, typed, folded and judged. Seconds, not a job."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import BinaryIO

from jobs.conf import Conf, SourceHint
from jobs.errors import BadInput
from jobs.explain.helpers import Call, Helpers
from jobs.explain.log_input import LogInput
from jobs.explain.pieces import PIECE_BYTES, Piece, PieceRead, ReadFile, ScanFile, scanned
from jobs.inputs.listing import unit_names
from transforms.diagnose.ending import ReadRecord, SourceRead
from transforms.diagnose.raw_lines import RawLine, RawScan
from transforms.diagnose.report import ProvingLine, Row, proving_lines
from transforms.events import LIBRDKAFKA, UNRECOGNIZED, ClientEvent, unit_id_of
from transforms.parse.books import Books
from transforms.parse.messages import ProcessRef
from transforms.parse.reader import ReadSettings, SourceHints
from transforms.pure import Story, judge_events
from transforms.rules.judge import subject_of
from transforms.timers.clients.settings import UnitSettings
from transforms.timers.episodes import TABLE_OF, Episode


def read_file(path: Path, conf: Conf) -> tuple[Story, dict[str, str], "Reading"]:
    """The file's story, the text of its records by record_id, and how it was read.

    Raises: BadInput where the file can't be read.
    """
    story, (reading,) = read_logs([LogInput(str(path), lambda: path.open("rb"))], conf)
    return story, {record_id: record.text for record_id, record in reading.records.items()}, reading


def read_logs(
    logs: Iterable[LogInput], conf: Conf, helpers: Helpers | None = None
) -> tuple[Story, list["Reading"]]:
    """The story of some logs together, and how each was read; those of one process are one unit, as in the jobs.

    helpers: processes that read a part of them.
    Raises: BadInput where one can't be read.
    """
    readings = [Reading(log, conf) for log in logs]
    if helpers:
        files = [reading for reading in readings if reading.is_file]
        for reading in files:  # they take what comes last first: all is read before lines are looked at
            reading.ask_scan(helpers)
        for reading in files:
            reading.ask(helpers)
        helpers.start()
    hints: dict[str, SourceHint] = {}

    def events() -> Iterator[ClientEvent]:
        for reading in readings:
            for event in reading.events():
                hints.setdefault(event.unit_id, reading.hint)
                yield event

    def settings_of(unit_id: str, control: Sequence[ClientEvent]) -> UnitSettings:
        return UnitSettings.from_events(control, hints[unit_id].settings, conf.defaults)

    return judge_events(events(), settings_of, most_clients=conf.lake.most_clients), readings


class Reading:
    """Reads a log once. records: those that became events, by record_id. unread: pieces that no reader understood."""

    def __init__(self, log: LogInput, conf: Conf) -> None:
        self._log = log
        self.path = log.path
        self.hint = conf.hint_for(log.path)
        self.layout_name = ""
        self.books = Books()
        self.unparsed: dict[str, int] = {}
        self.records: dict[str, ReadRecord] = {}
        self.unread: list[RawLine] = []
        self.libraries: set[str] = set()
        self._is_known = False
        service, instance = unit_names(str(Path(self.path).absolute()), self.hint)
        self._whole = Piece(
            ProcessRef(unit_id_of(service, instance), self.path, service, instance),
            SourceHints(layout=self.hint.layout, time_zone=self.hint.time_zone),
            ReadSettings(keep=conf.reader.keep, max_record_bytes=conf.reader.max_record_bytes),
            conf.reader.head_bytes,
        )
        self._pieces: list[Call[PieceRead]] = []
        self._scan: Call[RawScan] | None = None

    @property
    def is_file(self) -> bool:
        """Whether another process can open it."""
        return self._log.size > 0

    def ask(self, helpers: Helpers) -> None:
        """Have helpers read it, too, piece by piece."""
        with self._opened() as file:
            cut = list(self._whole.cut(file)) if self._log.size > PIECE_BYTES else [self._whole]
        self._pieces = [helpers.ask(ReadFile(piece)) for piece in cut]

    def ask_scan(self, helpers: Helpers) -> None:
        """Have helpers look at its lines as they stand."""
        self._scan = helpers.ask(ScanFile(self.path))

    def events(self) -> Iterator[ClientEvent]:
        """All typed events of the log, in its order."""
        if not self._pieces:
            with self._opened() as file:
                yield from self._taken(self._whole.read(file))
        while self._pieces:
            try:
                read = self._pieces.pop(0).result()
            except OSError as error:
                raise self._unreadable(error) from None
            yield from self._taken(read)

    def source(self) -> SourceRead:
        """What became of the log, once its events were read; its lines are looked at as they stand."""
        if self._scan is not None:
            found = self._scan.result()
        else:
            with self._log.open() as file:
                found = scanned(self.path, file)
        # Where nothing is of a known family, and nothing has a level or a time, it is text about Kafka, and no log; but
        # what librdkafka puts before its texts nobody else writes.
        is_known = self._is_known or LIBRDKAFKA in self.libraries
        is_log = is_known or any(one.level or one.zone != "none" for one in self.records.values())
        kafka_lines = sum(record.line_count for record in self.records.values()) if is_log else 0
        return SourceRead(
            self.path, found, self.layout_name, kafka_lines, frozenset(self.libraries), self.unread
        )

    def _taken(self, read: PieceRead) -> list[ClientEvent]:
        self.layout_name = read.layout_name
        self.books.add(read.books)
        self.records |= read.records
        self.unread += read.unread
        self.libraries |= read.libraries
        self._is_known |= any(event.message_id != UNRECOGNIZED for event in read.events)
        for reason, pieces in read.unparsed.items():
            self.unparsed[reason] = self.unparsed.get(reason, 0) + pieces
        return read.events

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        try:
            with self._log.open() as file:
                yield file
        except OSError as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: OSError) -> BadInput:
        return BadInput(
            f"can't be read ({error.strerror or error})", where=self.path, todo="give a readable log file"
        )


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
