"""The events of many records at once, as columns: a row costs what its text tells, and no object.

A record whose text says more than its family's fields (a trace, a dump, an application's line) is typed on its own by
transforms.parse.events.messages, which types every record the same (tested).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import numpy as np

from transforms.events import JAVA, UNEXPLAINED, UNRECOGNIZED, ClientEvent
from transforms.parse.catalogue.exceptions import may_prove
from transforms.parse.catalogue.form import Form
from transforms.parse.catalogue.forms import LONGEST_WORD, finder, word_of
from transforms.parse.events.fields import COLUMNS, NAMED, told_by
from transforms.parse.events.messages import (
    QUOTED,
    TROUBLE_LEVELS,
    events_of,
    family_events,
    form_of,
    of_logger,
    quoted,
    unexplained_details,
)
from transforms.parse.events.refine import is_refined
from transforms.parse.lines.prefixes import NO_PREFIX, Prefix, prefix_of, whole_thread
from transforms.parse.records.placing import ProcessRef, event_id, record_id
from transforms.parse.records.record_columns import NOTHING, RecordColumns

_OF_PREFIX = ("client_kind", "client_id", "group_id", "group_instance_id", "transactional_id", "task_id")
_TOLD_BY_PREFIX = attrgetter(*_OF_PREFIX)
Columns = dict[str, list[Any]]
Details = dict[str, Sequence[str | None]]
# Records by number, each with its message behind the prefix.
Alike = list[tuple[int, str]]


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
        alike: dict[tuple[str | None, str], Alike] = defaultdict(list)
        columns, prefixes = self._records.columns, self._prefixes
        rows = zip(self._messages, columns["logger"], columns["extra"], strict=True)
        known: dict[str, Prefix] = {}  # by all of its text: most lines have one of few
        for number, (message, logger, extra) in enumerate(rows):
            end = message.find("] ") + 2
            begins = message[:end]
            is_of_group = message.startswith("[GroupId ", end)
            prefix = None if is_of_group else known.get(begins)
            if prefix is None:
                prefix = prefix_of(message)
                if prefix.length == end and message[0] == "[" and not is_of_group:
                    known[begins] = prefix
            prefixes.append(prefix)
            simple, is_javas = of_logger(logger)
            is_kafka = is_javas or prefix is not NO_PREFIX
            if "\n" in message or NAMED in message or not is_kafka or extra or prefix.worker is not None:
                self._put_objects(number, events_of(self._records[number], self._origins[number]))
                continue
            body = message[prefix.length :]
            end = body.find(" ", 0, LONGEST_WORD)
            alike[simple, body[:end] if end >= 0 else word_of(body)].append((number, body))
        left: list[int] = []
        for (simple, word), lines in alike.items():
            for form in finder().beginning_with(word):
                if lines and simple in form.family.loggers:
                    lines = self._left_of(form, lines)
            left += [number for number, _ in lines]
        for number in sorted(left):
            self._add(number)

    def _left_of(self, form: Form, lines: Alike) -> Alike:
        """Take what is of a form; gives those of these lines that are not."""
        literal = form.literal
        if not any(literal in text for _, text in lines):
            return lines
        match = form.regex.match
        found = [match(text) if literal in text else None for _, text in lines]
        self._put_form(
            form, [(line[0], one) for line, one in zip(lines, found, strict=True) if one is not None]
        )
        return [line for line, one in zip(lines, found, strict=True) if one is None]

    def _add(self, number: int) -> None:
        """A record that is of none of its logger's own forms."""
        message, level, prefix = self._messages[number], self._levels[number], self._prefixes[number]
        logger = self._records.columns["logger"][number]
        simple, is_javas = of_logger(logger)
        found = form_of(message, prefix, simple)
        if found is not None:
            form, match = found
            self._put_form(form, [(number, match)])
        elif may_prove(message) or (prefix is NO_PREFIX and logger is not None and "." not in logger):
            self._put_objects(number, events_of(self._records[number], self._origins[number]))
        elif level in TROUBLE_LEVELS:
            self._quotes[number] = unexplained_details(message, prefix, logger if is_javas else None)
            self._message_ids[number] = UNEXPLAINED

    def _put_form(self, form: Form, found: Iterable[tuple[int, re.Match[str]]]) -> None:
        """What the texts of one form tell. found: numbers of records, and their matches."""
        family = form.family
        of_form = self._of_form.setdefault(id(form), OfForm(form))
        for number, match in found:
            if is_refined(family, match):
                record, origin, prefix = self._records[number], self._origins[number], self._prefixes[number]
                self._put_objects(number, family_events(record, origin, prefix, form, match))
                continue
            of_form.numbers.append(number)
            of_form.told.append(match.groups())
            self._kinds[number], self._message_ids[number] = family.kind, family.id
            if family.kind in QUOTED and self._levels[number] in TROUBLE_LEVELS:
                self._quotes[number] = {"text": quoted(self._messages[number], self._prefixes[number])}

    def _put_objects(self, number: int, events: list[ClientEvent]) -> None:
        self._objects[number] = events
        if events:
            self.ids[number] = events[0].record_id

    def columns(self, names: Sequence[str]) -> Columns:
        """These columns of all events, in the records' order."""
        count = len(self._records)
        made: Columns = {name: [None] * count for name in names}
        threads = self._records.columns["thread"]
        whole = {thread: whole_thread(thread) for thread in set(threads)}
        pairs = zip(self._prefixes, threads, strict=True)
        made["thread"] = [prefix.thread or whole[thread] for prefix, thread in pairs]
        made |= {"kind": self._kinds, "message_id": self._message_ids, "details": [NOTHING] * count}
        made |= {"incarnation": [0] * count, "client_library": [JAVA] * count, "level": list(self._levels)}
        made["event_id"] = list(map(event_id, self.ids))
        of_prefix = zip(*map(_TOLD_BY_PREFIX, self._prefixes), strict=True)
        made |= dict(zip(_OF_PREFIX, map(list, of_prefix), strict=False))  # of no record there is none
        for of_form in self._of_form.values():
            _put(made, of_form)
        details = made["details"]
        for number, quote in self._quotes.items():
            details[number] = {**details[number], **quote}
        return self._with_objects(made) if self._objects else made

    def _with_objects(self, made: Columns) -> Columns:
        """The columns with the events that were made as objects: none, one or several of a record."""
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
    details: Details = {}
    for group, texts in zip(form.regex.groupindex, zip(*values, strict=True), strict=True):
        names, read = told_by(group)
        told: Iterable[Sequence[Any]] = (texts,)
        if read is not None:
            nothing = (None,) * len(names)
            told = zip(*[nothing if text is None else read(text) for text in texts], strict=True)
        for name, of_rows in zip(names, told, strict=True):
            if name in COLUMNS:
                for row, value in zip(rows, of_rows, strict=True):
                    if value is not None:
                        columns[name][row] = value
            else:
                _add_to(details, name, of_rows)
    if details:
        names, column = tuple(details), columns["details"]
        for row, one in zip(rows, zip(*details.values(), strict=True), strict=True):
            named = dict(zip(names, one, strict=True))
            column[row] = named if None not in one else {k: v for k, v in named.items() if v is not None}


def _add_to(details: Details, name: str, values: Sequence[str | None]) -> None:
    """What a field tells; of two of one name the later one, where it tells something."""
    before = details.get(name)
    if before is not None:
        pairs = zip(before, values, strict=True)
        values = [old if value is None else value for old, value in pairs]
    details[name] = values
