"""Logs whose lines tell the time of day alone, as logback, JBoss and Log4j 1 do where nobody says otherwise."""

from collections.abc import Iterable, Mapping

from transforms.diagnose.unexplained.source_read import ReadRecord
from transforms.diagnose.wording.log_clock import written_at
from transforms.events import ClientEvent


def undated(events: Iterable[ClientEvent], records: Mapping[str, ReadRecord]) -> list[str]:
    """What is said of them: a time without its date is no instant, so that no timer can be rebuilt."""
    read = [(event, records[event.record_id]) for event in events if event.record_id in records]
    dated = {record.source for event, record in read if event.happened_at is not None}
    named: dict[str, None] = {}
    for _, record in read:
        is_asked = record.source not in dated and record.source not in named
        if is_asked and written_at(record.text):
            named[record.source] = None
    return [
        f"The times of {source} have no date: how long things took was neither reckoned nor judged. "
        "A layout that prints dates, too (%d{ISO8601}), tells it."
        for source in named
    ]
