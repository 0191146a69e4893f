"""Reads records in a drawn layout and compares every event with what the recording's own layout gave."""

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from itertools import accumulate
from pathlib import Path

from conf.settings import Conf, load_conf
from jobs.explain.by_file import Reading
from jobs.explain.log_input import LogInput
from lab.layouts.drawn import Drawn, drawn
from lab.layouts.heads import Shown
from lab.layouts.records import Entry, in_order, pool
from lab.layouts.render import kafka
from transforms.events import UNEXPLAINED, UNRECOGNIZED, ClientEvent

RECORDS = 40  # of a layout: all kinds are met many times over 2,000
COMPARED = (
    "client_kind", "client_id", "group_id", "group_instance_id", "transactional_id", "member_id", "generation",
    "task_id", "topic", "partition", "node_id", "correlation_id", "api", "error_class", "elapsed_ms", "limit_ms",
    "remaining_ms", "attempts_left", "client_version",
)  # fmt: skip
Key = tuple[object, ...]


@dataclass
class Outcome:
    """One layout: how many events its records have, how many came out the same, and which did not."""

    drawn: Drawn
    wanted: int = 0
    same: int = 0
    extra: int = 0
    misses: list[Key] = field(default_factory=list)
    extras: list[Key] = field(default_factory=list)
    text: str = ""

    @property
    def share(self) -> float:
        """Of the events that came out the same."""
        return self.same / max(self.wanted, 1)


def outcome_of(seed: int, logs: tuple[Path, ...] | None = None) -> Outcome:
    """Write records of the pool in the seed's layout, read them, compare."""
    return compared(drawn(seed), _drawn_entries(seed, pool(logs)))


def compared(layout: Drawn, recorded: Sequence[Entry]) -> Outcome:
    """Write these records in the layout, read them, compare."""
    entries = layout.threaded(recorded)
    wanted = _wanted(entries, layout)
    text = layout.text_of(entries)
    got = Counter(
        _key(event, layout.shown, layout.has_outer_time)
        for event in events_in(text)
        if _is_compared(event, layout.shown)
    )
    outcome = Outcome(layout, sum(wanted.values()), (wanted & got).total(), text=text)
    outcome.misses = list((wanted - got).elements())
    outcome.extras = list((got - wanted).elements())
    outcome.extra = len(outcome.extras)
    return outcome


def outcomes(number: int, first: int = 0) -> Iterator[Outcome]:
    """Of so many layouts."""
    for seed in range(first, first + number):
        yield outcome_of(seed)


def events_in(text: str) -> list[ClientEvent]:
    """The typed events of a file, by the path of `kipwatch explain FILE`."""
    return read_events(text.encode())


def read_events(data: bytes) -> list[ClientEvent]:
    """The typed events of a file in whatever encoding."""
    return list(Reading(LogInput("layout.log", lambda: BytesIO(data)), shipped_conf()).events())


@cache
def shipped_conf() -> Conf:
    """The settings as they are."""
    return load_conf()


def _drawn_entries(seed: int, entries: Sequence[Entry]) -> list[Entry]:
    draw = random.Random(f"records {seed}")
    return in_order(draw.sample(entries, min(RECORDS, len(entries))))


def _wanted(entries: Sequence[Entry], layout: Drawn) -> Counter[Key]:
    """What the records say in the recordings' own layout, as far as the drawn one shows it."""
    return Counter(
        _key(event, layout.shown, layout.has_outer_time, entry)
        for entry, event in recorded(entries)
        if _is_compared(event, layout.shown)
    )


def recorded(entries: Sequence[Entry]) -> Iterator[tuple[Entry, ClientEvent]]:
    """What the records say in the recordings' own layout."""
    texts = [kafka(entry) for entry in entries]
    first_lines = list(accumulate((text.count("\n") for text in texts), initial=1))
    for event in events_in("".join(texts)):
        yield entries[bisect_right(first_lines, event.line) - 1], event


def _is_compared(event: ClientEvent, shown: Shown) -> bool:
    """Of a line in no family nothing but its logger may say that it is Kafka's."""
    return event.message_id not in (UNRECOGNIZED, UNEXPLAINED) or shown.names_package


def _key(event: ClientEvent, shown: Shown, has_outer_time: bool, entry: Entry | None = None) -> Key:
    """What must be the same. entry: the record, where the event is the wanted one."""
    at = event.happened_at
    if shown.time is None or shown.time.grain_ms is None:
        at = None if entry is not None or has_outer_time else at
    elif entry is not None:
        at = shown.time.shown(entry.at)
    level = (event.level or "").upper().removesuffix("ING") if shown.has_level else None
    thread = event.thread or (entry.thread if entry is not None else None) if shown.has_thread else None
    name = event.message_id if shown.logger != "none" else None  # a text of two families needs the logger
    if name == UNEXPLAINED and not shown.has_level:
        name = UNRECOGNIZED
    return (event.kind, name, at, level, thread, *(getattr(event, column) for column in COMPARED))
