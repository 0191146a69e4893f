"""The events of many records at once, as columns: a row costs what its text tells, and no object.

A record whose text says more than its family's fields (a trace, a dump, an application's line) is typed on its own by
transforms.parse.messages, which types every record the same (tested).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from transforms.events import JAVA, UNEXPLAINED, UNRECOGNIZED, ClientEvent
from transforms.parse.fields import COLUMNS, NUMBERS, partition_of, present, whole
from transforms.parse.form import Form
from transforms.parse.forms import LONGEST_WORD, finder, word_of, wordless_literals
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
from transforms.parse.placing import ProcessRef, event_id, record_id
from transforms.parse.prefixes import NO_PREFIX, Prefix, prefix_of, whole_thread
from transforms.parse.record_columns import NOTHING, RecordColumns
from transforms.parse.refine import REFINED, is_refined, kind_of
from transforms.parse.spanfilter import SpanFilter

# Fields whose values tell several columns, so that an event is made for them.
_MANIFOLD = frozenset({"partitions", "tasks", "exception"})
_OF_PREFIX = ("client_kind", "client_id", "group_id", "group_instance_id", "transactional_id", "task_id")
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


@dataclass(slots=True)
class OfForm:
    """Numbers of the records whose text is of one form, and what its groups tell of each."""

    form: Form
    numbers: list[int] = field(default_factory=list)
    told: list[tuple[str | None, ...]] = field(default_factory=list)


class EventColumns:
    """Types the records of a batch. ids: of the records; record_of: for each event the number of its record."""

    def __init__(self, records: RecordColumns, origins: Sequence[ProcessRef]) -> None:
        """Type these records, each of its process."""
        self._records, self._origins = records, origins
        self._messages, self._levels = records.columns["message"], records.columns["level"]
        self._prefixes: list[Prefix] = []
        self._kinds, self._message_ids = ["other_kafka"] * len(records), [UNRECOGNIZED] * len(records)
        self._quotes: dict[int, dict[str, str]] = {}
        self._objects: dict[int, list[ClientEvent]] = {}
        self._of_form: dict[int, OfForm] = {}
        columns = records.columns
        self.ids = list(map(record_id, columns["source_id"], columns["offset"]))
        self._type()
        counts = np.ones(len(records), np.int64)
        if self._objects:
            counts[list(self._objects)] = list(map(len, self._objects.values()))
        self.record_of: list[int] = np.repeat(np.arange(len(records)), counts).tolist()

    def _type(self) -> None:
        """Lines of one logger that begin with the same word are of the same few forms, which are tried on all of them."""
        alike: dict[tuple[str | None, str], list[int]] = defaultdict(list)
        columns, prefixes = self._records.columns, self._prefixes
        rows = zip(self._messages, columns["logger"], columns["extra"], strict=True)
        known: dict[str, Prefix] = {}  # by all of its text: most lines have one of few
        for number, (message, logger, extra) in enumerate(rows):
            end = message.find("] ") + 2
            prefix = known.get(message[:end]) if not message.startswith("[GroupId ", end) else None
            if prefix is None:
                prefix = prefix_of(message)
                if prefix.length == end and message[0] == "[" and not message.startswith("[GroupId ", end):
                    known[message[:end]] = prefix
            prefixes.append(prefix)
            simple, is_javas = of_logger(logger)
            is_kafka = is_javas or prefix is not NO_PREFIX
            if "\n" in message or not is_kafka or extra or prefix.worker is not None:
                self._put_objects(number, events_of(self._records[number], self._origins[number]))
                continue
            begin = prefix.length
            end = message.find(" ", begin, begin + LONGEST_WORD)
            word = message[begin:end] if end >= 0 else word_of(message[begin:])
            alike[simple, word].append(number)
        left: list[int] = []
        for (simple, word), numbers in alike.items():
            for form in finder().own(word, simple):
                if numbers:
                    numbers = self._left_of(form, numbers)
            left += numbers
        left.sort()
        messages = [self._messages[number] for number in left]
        for number, may_be in zip(left, may_be_wordless(messages), strict=True):
            self._add(number, may_be)

    def _left_of(self, form: Form, numbers: list[int]) -> list[int]:
        """Take what is of a form; gives those of these records that are not."""
        match, literal = form.regex.match, form.literal
        texts = [self._messages[number][self._prefixes[number].length :] for number in numbers]
        found = [match(text) if literal in text else None for text in texts]
        self._put_form(form, [pair for pair in zip(numbers, found, strict=True) if pair[1] is not None])
        return [number for number, one in zip(numbers, found, strict=True) if one is None]

    def _add(self, number: int, may_be_wordless: bool) -> None:
        """A record that is of none of its logger's own forms."""
        message, level, prefix = self._messages[number], self._levels[number], self._prefixes[number]
        logger = self._records.columns["logger"][number]
        simple, is_javas = of_logger(logger)
        found = form_of(message, prefix, simple, may_be_wordless=may_be_wordless)
        if found is not None:
            form, match = found
            self._put_form(form, [(number, match)])
        elif may_prove(message):
            self._put_objects(number, events_of(self._records[number], self._origins[number]))
        elif level in TROUBLE_LEVELS:
            self._quotes[number] = unexplained_details(message, prefix, logger if is_javas else None)
            self._message_ids[number] = UNEXPLAINED

    def _put_form(self, form: Form, found: Iterable[tuple[int, re.Match[str] | None]]) -> None:
        """What the texts of one form tell. found: numbers of records, and their matches."""
        family = form.family
        is_manifold, may_be_refined = _is_manifold(form), family.id in REFINED
        of_form = self._of_form.setdefault(id(form), OfForm(form))
        for number, match in found:
            assert match is not None
            if is_manifold or (may_be_refined and is_refined(family.id, match)):
                record, origin, prefix = self._records[number], self._origins[number], self._prefixes[number]
                self._put_objects(number, family_events(record, origin, prefix, form, match))
                continue
            of_form.numbers.append(number)
            of_form.told.append(match.groups())
            self._kinds[number], self._message_ids[number] = kind_of(family, match), family.id
            if family.kind == "other_kafka" and self._levels[number] in TROUBLE_LEVELS:
                self._quotes[number] = {"text": quoted(self._messages[number], self._prefixes[number])}

    def _put_objects(self, number: int, events: list[ClientEvent]) -> None:
        self._objects[number] = events
        if events:
            self.ids[number] = events[0].record_id

    def columns(self, names: Sequence[str]) -> Columns:
        """These columns of all events, in the records' order."""
        count = len(self._records)
        made: Columns = {name: [None] * count for name in names}
        threads = zip(self._prefixes, self._records.columns["thread"], strict=True)
        made["thread"] = [prefix.thread or whole_thread(thread) for prefix, thread in threads]
        made |= {"kind": self._kinds, "message_id": self._message_ids, "details": [NOTHING] * count}
        made |= {"incarnation": [0] * count, "client_library": [JAVA] * count}
        made["event_id"] = list(map(event_id, self.ids))
        ids = list(map(id, self._prefixes))
        distinct = dict(zip(ids, self._prefixes, strict=True))
        for name in _OF_PREFIX:
            of_prefix = {one: getattr(prefix, name) for one, prefix in distinct.items()}
            made[name] = list(map(of_prefix.__getitem__, ids))
        for of_form in self._of_form.values():
            _put(made, of_form)
        details = made["details"]
        for number, quote in self._quotes.items():
            details[number] = {**details[number], **quote}
        return self._with_objects(made) if self._objects else made

    def _with_objects(self, made: Columns) -> Columns:
        """The same with the events that were made as objects: none, one or several of a record."""
        if len(self.record_of) != len(self._records) or not all(self._objects.values()):
            made = {name: [column[number] for number in self.record_of] for name, column in made.items()}
        begins = np.searchsorted(self.record_of, list(self._objects)).tolist()
        for begin, events in zip(begins, self._objects.values(), strict=True):
            for row, event in enumerate(events, begin):
                for name, column in made.items():
                    column[row] = getattr(event, name)
        return made


def _put(columns: Columns, of_form: OfForm) -> None:
    """What the texts of one form tell, a field at a time."""
    form, rows, values = of_form.form, of_form.numbers, of_form.told
    if not rows:
        return
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
            _scatter(columns[name], rows, [value if value is None else whole(value) for value in told])
        elif name == "instance_id":
            instances = [value if value is None else present(value) for value in told]
            _scatter(columns["group_instance_id"], rows, instances)
        elif name in COLUMNS:
            _scatter(columns[name], rows, told)
        elif name != "gen":
            details[name] = told
    if details:
        names, column = tuple(details), columns["details"]
        for row, one in zip(rows, zip(*details.values(), strict=True), strict=True):
            told_by = dict(zip(names, one, strict=True))
            column[row] = told_by if None not in one else {k: v for k, v in told_by.items() if v is not None}


def _scatter(column: list[Any], rows: list[int], values: Sequence[Any]) -> None:
    for row, value in zip(rows, values, strict=True):
        if value is not None:
            column[row] = value


@cache
def _is_manifold(form: Form) -> bool:
    return form.family.client == "connect" or not _MANIFOLD.isdisjoint(form.regex.groupindex)
