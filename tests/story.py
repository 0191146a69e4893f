"""Lines of a log -> incidents, by the path of `explain FILE`, without a file."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from io import BytesIO
from typing import Any

from conf.settings import load_conf
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.unexplained.raw_scan import scan
from transforms.diagnose.unexplained.source_read import SourceRead
from transforms.diagnose.unexplained.unexplained_lines import unexplained
from transforms.parse.layouts.detect import detect_layout
from transforms.parse.records.placing import ProcessRef
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.streams import fingerprint
from transforms.pure import Story, judge_records
from transforms.records import LogRecord
from transforms.timers.clients.settings import UnitSettings

START = datetime(2026, 5, 3, 12, tzinfo=UTC)
CONSUMER = "[Consumer clientId=consumer-1, groupId=orders] "
PRODUCER = "[Producer clientId=producer-1] "


def line(ms: int, level: str, logger: str, message: str) -> str:
    """One record as log4j prints it, `ms` after START."""
    at = START + timedelta(milliseconds=ms)
    return (
        f"[{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d}] {level} {message.partition(chr(10))[0]} ({logger})"
        + (f"\n{message.partition(chr(10))[2]}" if "\n" in message else "")
    )


def story(*lines: str) -> Story:
    """All that is rebuilt and judged of one process's log."""
    return story_of({"app": "\n".join(lines) + "\n"})


def story_of(logs: dict[str, str]) -> Story:
    """The same of several processes, by instance."""
    defaults = _defaults()
    sources = [
        (ProcessRef(f"service/{name}", name, "service", name), _records(name, text))
        for name, text in logs.items()
    ]
    return judge_records(sources, lambda _unit, control: UnitSettings.from_events(control, (), defaults))


@cache
def _defaults() -> Mapping[str, Any]:
    return load_conf().defaults


def told(*lines: str):
    """The incidents of one process's log."""
    return story(*lines).incidents


def left_of(text: str) -> list[RawLine]:
    """Lines of a log that are left unexplained where no reader makes anything of it."""
    return unexplained([SourceRead("app.log", scan("app.log", [text.encode()]))], {}, [], set())


def _records(name: str, text: str) -> list[LogRecord]:
    data = text.encode()
    reader = ChunkReader(detect_layout(data), fingerprint(data + name.encode()))
    return [piece for piece in reader.read(BytesIO(data)) if isinstance(piece, LogRecord)]
