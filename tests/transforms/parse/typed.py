"""One-line ways to a record and its events, for the tests of parsing."""

import numpy as np

from transforms.events import ClientEvent
from transforms.parse.events.messages import events_of
from transforms.parse.records.certain import hinted
from transforms.parse.records.placing import ProcessRef
from transforms.parse.records.spanfilter import SpanFilter, newlines_in
from transforms.records import LogRecord

NOON = 1_700_000_000_000
ORIGIN = ProcessRef("unit", "orders/app.log", "orders", "app")
PRODUCER = "[Producer clientId=orders-producer] "
CONSUMER = "[Consumer clientId=consumer-a, groupId=order-service] "
THREAD = "orders-app-3f1c-StreamThread-1"
STREAMS = f"stream-thread [{THREAD}] "
TASK = f"{STREAMS}task [0_1] "


def record(message: str, logger: str | None = None, **fields) -> LogRecord:
    given = {
        "source_id": "source",
        "offset": 0,
        "line": 1,
        "line_count": 1 + message.count("\n"),
        "logged_at": NOON,
    }
    given |= {"level": "INFO", "thread": None, "text": message, "message": message, "logger": logger}
    return LogRecord(**given | fields)


def events(message: str, logger: str | None = None, **fields) -> list[ClientEvent]:
    return events_of(record(message, logger, **fields), ORIGIN)


def event(message: str, logger: str | None = None, **fields) -> ClientEvent:
    (only,) = events(message, logger, **fields)
    return only


def is_hinted(text: str) -> bool:
    """Whether the look at a whole batch tells that this text may hold a secret."""
    raw = text.encode()
    return bool(hinted(SpanFilter(raw, np.array([0, len(raw)])), newlines_in(raw), np.array([0])))
