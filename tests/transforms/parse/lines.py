"""One-line ways to a record and its events, for the tests of parsing."""

from transforms.events import ClientEvent
from transforms.parse.messages import ProcessRef, events_of
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
