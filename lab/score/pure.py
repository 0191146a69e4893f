"""The rows to score without Spark: the pure path over a recording's logs, its events kept between runs."""

import hashlib
import io
import os
import pickle
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from conf.names import unit_names
from conf.settings import SourceHint, load_conf
from lab.corpus import Recording
from lab.score.fact import Row
from lab.score.samples import series_in
from lab.score.scoring import TABLES, Score, score_recording
from transforms.events import ClientEvent, unit_id_of
from transforms.parse.events.messages import events_of
from transforms.parse.layouts.detect import detect_layout
from transforms.parse.records.placing import ProcessRef
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.streams import fingerprint, open_source
from transforms.pure import Story, judge_events
from transforms.records import LogRecord
from transforms.timers.clients.settings import UnitSettings
from transforms.timers.episodes import TABLE_OF

CODE = Path(__file__).parents[2]
CACHE = CODE / ".bench" / "events"
HEAD_BYTES = 65536


def score_purely(recording: Recording, *, has_samples: bool = True) -> Score:
    """Score one recording; one that fails is said with its error and does not end the run."""
    try:
        return score_recording(recording, tables_of(story_of(recording, has_samples=has_samples)))
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        why = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        if "DEBUG_SCORE" in os.environ:
            raise
        return Score(failures={recording.name: why})


def story_of(recording: Recording, *, has_samples: bool = True, most_bytes: int | None = None) -> Story:
    """Everything that is rebuilt from the logs of one recording, client's and broker's, and from its metrics.

    most_bytes: of each log, decompressed; None for all.
    """
    events = [event for path in recording.logs for event in events_in(path, most_bytes)]
    return judge_events(events, settings_of, series_in(recording) if has_samples else ())


def settings_of(_unit_id: str, control: Sequence[ClientEvent]) -> UnitSettings:
    """The settings of a process, as its log tells them."""
    return UnitSettings.from_events(control, (), _defaults())


@cache
def _defaults() -> Mapping[str, Any]:
    return load_conf().defaults


def events_in(path: Path, most_bytes: int | None = None) -> list[ClientEvent]:
    """The typed events of one log, from the cache where neither the log nor the parsing code changed."""
    written = path.read_bytes()
    log = hashlib.sha256(written).hexdigest()[:16]  # a recording may be made anew
    if most_bytes is not None and int.from_bytes(written[-4:], "little") <= most_bytes:
        most_bytes = None  # gzip's last word is how long it is: one that is read whole is one
    kept = CACHE / f"{_parser_digest()}-{path.parent.name}-{path.name}-{log}-{most_bytes or 'all'}.pickle"
    if kept.is_file():
        found: list[ClientEvent] = pickle.loads(kept.read_bytes())
        return found
    service, instance = unit_names(str(path), SourceHint(match="*"))
    origin = ProcessRef(unit_id_of(service, instance), str(path), service, instance)
    events = [event for record in records_in(path, most_bytes) for event in events_of(record, origin)]
    CACHE.mkdir(parents=True, exist_ok=True)
    unfinished = kept.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(pickle.dumps(events))
    unfinished.replace(kept)
    return events


def records_in(path: Path, most_bytes: int | None = None) -> Iterable[LogRecord]:
    """The records of one log, or of its first bytes, as the reader gives them."""
    with path.open("rb") as file:
        head = open_source(file).read(HEAD_BYTES)
        file.seek(0)
        reader = ChunkReader(detect_layout(head), fingerprint(head))
        whole = open_source(file)
        for piece in reader.read(whole if most_bytes is None else io.BytesIO(whole.read(most_bytes))):
            if isinstance(piece, LogRecord):
                yield piece


def tables_of(story: Story) -> dict[str, list[Row]]:
    """A story's episodes and verdicts as rows of their tables, instants in ms UTC."""
    tables: dict[str, list[Row]] = {name: [] for name in TABLES}
    for kind, name in TABLE_OF.items():
        tables[name] = [_row(episode) for episode in story.episodes if isinstance(episode, kind)]
    tables["silver.findings"] = [_row(found) for found in story.findings]
    tables["gold.violations"] = [_row(found) for found in story.violations]
    tables["gold.unjudged"] = [_row(row) for row in story.unjudged]
    return tables


def _row(thing: Any) -> Row:
    return {field.name: getattr(thing, field.name) for field in fields(thing) if field.name != "profile"}


@cache
def _parser_digest() -> str:
    """Changes with any file that takes part in reading and typing."""
    digest = hashlib.sha256()
    parts = [
        *(CODE / "transforms" / "parse").rglob("*"),
        CODE / "transforms" / "records.py",
        CODE / "transforms" / "events.py",
    ]
    for part in sorted(path for path in parts if path.suffix in (".py", ".yaml")):
        digest.update(part.read_bytes())
    return digest.hexdigest()[:16]
