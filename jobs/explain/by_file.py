"""One log file through the pure path: read, typed, folded, judged, told. Seconds, not a job."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, BinaryIO

from jobs.conf import Conf, load_conf
from jobs.errors import BadInput
from jobs.inputs.listing import unit_names
from transforms.diagnose.incident import Incident
from transforms.diagnose.report import (
    ProvingLine,
    Report,
    Row,
    proving_lines,
    report_finding,
    report_incident,
)
from transforms.events import ClientEvent
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
from transforms.pure import Story, judge_events
from transforms.records import LogRecord
from transforms.rules.judge import Unjudged, subject_of
from transforms.timers.clients.settings import UnitSettings
from transforms.timers.episodes import TABLE_OF, Episode

# Broken promises first, then what this release always does, then advice.
CATEGORY_ORDER = ("broken_semantics", "departs_from_kip", "older_semantics", "misconfiguration")


@dataclass(slots=True)
class ToldFile:
    """All there is to tell of one file."""

    path: str
    layout: str
    incidents: list[Report]
    benign: list[Incident]
    violations: list[Report]
    unjudged: list[Unjudged]
    books: Books
    unparsed: dict[str, int]
    events: int
    episodes: dict[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        return {
            "path": self.path,
            "layout": self.layout,
            "incidents": [told.as_dict() for told in self.incidents],
            "benign": [asdict(incident) for incident in self.benign],
            "violations": [told.as_dict() for told in self.violations],
            "unjudged": [asdict(row) for row in self.unjudged],
            "events": self.events,
            "episodes": self.episodes,
            "accounting": _plain(self.books) | {"unparsed_by_reason": self.unparsed},
        }


def told_file(path: Path, conf: Conf | None = None) -> ToldFile:
    """Read and judge one file.

    Raises: BadInput where the file can't be read.
    """
    story, texts, reading = read_file(path, conf or load_conf())
    evidence = StoryEvidence(story, texts)
    violations = sorted(story.violations, key=lambda row: CATEGORY_ORDER.index(row.category))
    return ToldFile(
        path=str(path),
        layout=reading.layout_name,
        incidents=[
            report_incident(asdict(incident), evidence)
            for incident in story.incidents
            if incident.verdict != "benign"
        ],
        benign=[incident for incident in story.incidents if incident.verdict == "benign"],
        violations=[report_finding(asdict(violation), evidence) for violation in violations],
        unjudged=story.unjudged,
        books=reading.books,
        unparsed=reading.unparsed,
        events=len(story.events),
        episodes=_counted(story.episodes),
    )


def read_file(path: Path, conf: Conf) -> tuple[Story, dict[str, str], "Reading"]:
    """The file's story, the text of its records by record_id, and how it was read.

    Raises: BadInput where the file can't be read.
    """
    texts: dict[str, str] = {}
    reading = Reading(path, conf, texts)
    hint = conf.hint_for(str(path))

    def settings_of(unit_id: str, control: Sequence[ClientEvent]) -> UnitSettings:
        return UnitSettings.from_events(control, hint.settings, conf.defaults)

    return judge_events(reading.events(), settings_of), texts, reading


class Reading:
    """Reads the file once; keeps the text of records that became events, by record_id."""

    def __init__(self, path: Path, conf: Conf, kept: dict[str, str]) -> None:
        self._path, self._conf, self._kept = path, conf, kept
        self.layout_name = ""
        self.books = Books()
        self.unparsed: dict[str, int] = {}

    def events(self) -> Iterator[ClientEvent]:
        """All typed events of the file, in its order."""
        try:
            with self._path.open("rb") as file:
                yield from self._events_of(file)
        except OSError as error:
            raise BadInput(
                f"can't be read ({error.strerror or error})",
                where=str(self._path),
                todo="give a readable log file",
            ) from None

    def _events_of(self, file: BinaryIO) -> Iterator[ClientEvent]:
        head = _read_exactly(open_source(file), self._conf.reader.head_bytes)
        file.seek(0)
        hint = self._conf.hint_for(str(self._path))
        layout = detect_layout(head, SourceHints(layout=hint.layout, time_zone=hint.time_zone))
        self.layout_name = layout.name
        service, instance = unit_names(str(self._path.absolute()), hint)
        origin = ProcessRef(f"{service}/{instance}", str(self._path), service, instance)
        settings = ReadSettings(
            keep=self._conf.reader.keep, max_record_bytes=self._conf.reader.max_record_bytes
        )
        reader = ChunkReader(layout, fingerprint(head), 0, None, 1, settings)
        for piece in reader.read(open_source(file)):
            if isinstance(piece, Unparsed):
                self.unparsed[piece.reason] = self.unparsed.get(piece.reason, 0) + 1
                continue
            for event in events_of(piece, origin_of(piece, origin)):
                self._kept[event.record_id] = piece.text
                yield event
        self.books = reader.books.total


def origin_of(record: LogRecord, origin: ProcessRef) -> ProcessRef:
    """The process a record comes from: what it says of itself, else the file's."""
    if record.container is None and record.service is None and record.instance is None:
        return origin
    service, instance = record.service or origin.service, record.instance or origin.instance
    unit_id = "/".join(name for name in (service, instance, record.container) if name)
    return ProcessRef(unit_id, origin.source, service, instance)


class StoryEvidence:
    """Looks episodes and lines up in a story just folded."""

    def __init__(self, story: Story, texts: Mapping[str, str]) -> None:
        self._events = {event.event_id: event for event in story.events}
        self._subjects = {
            (found.rule_id, tuple(found.event_ids)): found.subject_id for found in story.findings
        }
        self._episodes: dict[str, list[Episode]] = {}
        for episode in story.episodes:
            if type(episode) in TABLE_OF:
                self._episodes.setdefault(subject_of(episode), []).append(episode)
        self._texts = texts

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
        return proving_lines(event_ids, events, self._texts)


def row_of(episode: Episode) -> Row:
    """The episode's columns; its profile is no column."""
    return {
        column.name: getattr(episode, column.name) for column in fields(episode) if column.name != "profile"
    }


def _plain(books: Books) -> dict[str, Any]:
    """The books as JSON takes them (asdict() would break the counters)."""
    named = {column.name: getattr(books, column.name) for column in fields(books)}
    return {name: dict(value) if isinstance(value, Counter) else value for name, value in named.items()}


def _counted(episodes: Sequence[Episode]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for episode in episodes:
        if table := TABLE_OF.get(type(episode)):
            counts[table] = counts.get(table, 0) + 1
    return counts


def _read_exactly(stream: Any, wanted: int) -> bytes:
    pieces = []
    while wanted > 0 and (piece := stream.read(wanted)):
        pieces.append(piece)
        wanted -= len(piece)
    return b"".join(pieces)
