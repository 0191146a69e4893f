"""The events of many records at once, as columns: a row costs what its text tells, and no object.

A record whose text says more than its family's fields (a trace, a dump, an application's line) is typed on its own by
transforms.parse.messages, which types every record the same (tested).
"""

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from operator import attrgetter
from typing import Any

import numpy as np

from transforms.events import JAVA, UNEXPLAINED, UNRECOGNIZED, ClientEvent
from transforms.parse.fields import COLUMNS, NUMBERS, partition_of, present, whole
from transforms.parse.form import Form
from transforms.parse.forms import wordless_literals
from transforms.parse.messages import (
    TROUBLE_LEVELS,
    events_of,
    family_events,
    form_of,
    may_prove,
    of_logger,
    quoted,
    unexplained_details,
)
from transforms.parse.placing import ProcessRef, record_id
from transforms.parse.prefixes import NO_PREFIX, Prefix, prefix_of, whole_thread
from transforms.parse.refine import is_refined
from transforms.parse.spanfilter import SpanFilter
from transforms.records import LogRecord

# Fields whose values tell several columns, so that an event is made for them.
_MANIFOLD = frozenset({"partitions", "tasks", "exception"})
_OF_PREFIX = ("client_kind", "client_id", "group_id", "group_instance_id", "transactional_id", "task_id")
_SAID = attrgetter(*_OF_PREFIX)
_NOTHING: dict[str, str] = {}
Columns = dict[str, list[Any]]


def may_be_wordless(messages: Iterable[str]) -> list[bool]:
    """Of each message whether it may be a text that begins with a field: those no word leads to, and few are."""
    raw = [message.encode() for message in messages]
    bounds = np.zeros(len(raw) + 1, np.int64)
    np.cumsum([len(one) for one in raw], out=bounds[1:])
    mask = np.zeros(len(raw), bool)
    if raw:
        mask[SpanFilter(b"".join(raw), bounds).matching(wordless_literals())] = True
    return mask.tolist()


class EventColumns:
    """Types the records of a batch. ids: of the records; record_of: for each event the number of its record."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.record_of: list[int] = []
        self._kinds: list[str] = []
        self._message_ids: list[str] = []
        self._prefixes: list[Prefix] = []
        self._threads: list[str | None] = []
        self._quotes: list[tuple[int, dict[str, str]]] = []
        self._objects: list[tuple[int, ClientEvent]] = []
        self._of_form: dict[int, tuple[Form, list[int], list[tuple[str | None, ...]]]] = {}

    def add_all(self, records: Sequence[LogRecord], origins: Sequence[ProcessRef]) -> None:
        """Type these records, each of its process."""
        wordless = may_be_wordless(record.message for record in records)
        for record, origin, may_be in zip(records, origins, wordless, strict=True):
            self._add(record, origin, may_be)

    def _add(self, record: LogRecord, origin: ProcessRef, may_be_wordless: bool) -> None:
        message = record.message
        prefix = prefix_of(message)
        simple, is_javas = of_logger(record.logger)
        is_kafka = is_javas or prefix is not NO_PREFIX
        if "\n" in message or not is_kafka or record.extra or prefix.worker is not None:
            self._add_objects(record, origin, events_of(record, origin))
            return
        level = record.level
        found = form_of(message, prefix, simple, may_be_wordless=may_be_wordless)
        if found is not None:
            form, match = found
            family = form.family
            if _is_manifold(form) or is_refined(family.id, match):
                self._add_objects(record, origin, family_events(record, origin, prefix, form, match))
                return
            if family.kind == "other_kafka" and level in TROUBLE_LEVELS:
                self._quotes.append((len(self.record_of), {"text": quoted(message, prefix)}))
            of_form = self._of_form.get(id(form))
            if of_form is None:
                of_form = self._of_form[id(form)] = (form, [], [])
            of_form[1].append(len(self.record_of))
            of_form[2].append(match.groups())
            self._row(record, prefix, family.kind, family.id)
        elif may_prove(message):
            self._add_objects(record, origin, events_of(record, origin))
        elif level in TROUBLE_LEVELS:
            said = unexplained_details(message, prefix, record.logger if is_javas else None)
            self._quotes.append((len(self.record_of), said))
            self._row(record, prefix, "other_kafka", UNEXPLAINED)
        else:
            self._row(record, prefix, "other_kafka", UNRECOGNIZED)

    def _row(self, record: LogRecord, prefix: Prefix, kind: str, message_id: str) -> None:
        self.record_of.append(len(self.ids))
        self.ids.append(record_id(record.source_id, record.offset))
        self._kinds.append(kind)
        self._message_ids.append(message_id)
        self._prefixes.append(prefix)
        self._threads.append(prefix.thread or whole_thread(record.thread))

    def _add_objects(self, record: LogRecord, origin: ProcessRef, events: list[ClientEvent]) -> None:
        number = len(self.ids)
        self.ids.append(events[0].record_id if events else record_id(record.source_id, record.offset))
        for event in events:
            self._objects.append((len(self.record_of), event))
            self.record_of.append(number)
            self._kinds.append(event.kind)
            self._message_ids.append(event.message_id)
            self._prefixes.append(NO_PREFIX)
            self._threads.append(event.thread)

    def columns(self, names: Sequence[str]) -> Columns:
        """These columns of all events, in the records' order."""
        made: Columns = {name: [None] * len(self.record_of) for name in names}
        made |= {"kind": self._kinds, "message_id": self._message_ids, "thread": self._threads}
        made["event_id"] = [
            sha256(f"{self.ids[number]}\x1f0".encode()).hexdigest() for number in self.record_of
        ]
        made["incarnation"] = [0] * len(self.record_of)
        made["client_library"] = [JAVA] * len(self.record_of)
        made["details"] = [_NOTHING] * len(self.record_of)
        for name, values in zip(_OF_PREFIX, zip(*map(_SAID, self._prefixes), strict=True), strict=False):
            made[name] = list(values)
        for form, rows, told in self._of_form.values():
            _put(made, form, rows, told)
        details = made["details"]
        for row, quote in self._quotes:
            details[row] = {**details[row], **quote}
        for row, event in self._objects:
            for name in names:
                made[name][row] = getattr(event, name)
        return made


def _put(columns: Columns, form: Form, rows: list[int], values: list[tuple[str | None, ...]]) -> None:
    """What the texts of one form tell, a field at a time."""
    family = form.family
    for name, value in (("benign", family.benign), ("api", family.api)):
        if value is not None:
            column = columns[name]
            for row in rows:
                column[row] = value
    if family.client is not None:
        kinds = columns["client_kind"]
        for row in rows:
            kinds[row] = kinds[row] or family.client
    details: dict[str, Sequence[str | None]] = {}
    for name, told in zip(form.regex.groupindex, zip(*values, strict=True), strict=True):
        if name == "tp":
            parts = [partition_of(value) if value is not None else (None, None) for value in told]
            _scatter(columns["topic"], rows, [topic for topic, _ in parts])
            _scatter(columns["partition"], rows, [partition for _, partition in parts])
        elif name in NUMBERS:
            for row, value in zip(rows, told, strict=True):
                if value is not None:
                    columns[name][row] = whole(value)
        elif name == "instance_id":
            for row, value in zip(rows, told, strict=True):
                if value is not None:
                    columns["group_instance_id"][row] = present(value)
        elif name in COLUMNS:
            _scatter(columns[name], rows, told)
        elif name != "gen":
            details[name] = told
    if details:
        names, column = tuple(details), columns["details"]
        for row, one in zip(rows, zip(*details.values(), strict=True), strict=True):
            column[row] = {name: value for name, value in zip(names, one, strict=True) if value is not None}


def _scatter(column: list[Any], rows: list[int], values: Sequence[Any]) -> None:
    for row, value in zip(rows, values, strict=True):
        if value is not None:
            column[row] = value


@cache
def _is_manifold(form: Form) -> bool:
    return form.family.client == "connect" or not _MANIFOLD.isdisjoint(form.regex.groupindex)
