"""Records that a template of their source reads for certain: most of a log, at a fraction of the price of the others.

What is not read so is left to RecordBuilder, which reads every record the same (tested): a paste's signs, several records on
one line, JSON, an application's line, a message that does not stand where the template says.
"""

import re
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, TypeVar

import numpy as np

from transforms.parse.catalogue.anchors import CONTEXT, MAY_BE_CONTEXT, is_kafka_logger
from transforms.parse.catalogue.other_words import begins_message
from transforms.parse.layouts.layout import SourceLayout
from transforms.parse.lines.pasted import SIGNS
from transforms.parse.lines.tails import take_tail
from transforms.parse.lines.templates import Template, template_of
from transforms.parse.lines.timestamps import Clock
from transforms.parse.lines.tokens import CONNECT_CONTEXT_BEGINS, LEVEL_WORDS, Head, normal_level
from transforms.parse.records.record_columns import FIELDS, NOTHING, RecordColumns
from transforms.parse.records.spanfilter import FEW, NONE, Numbers, SpanFilter
from transforms.parse.records.spans import Batch, places_of
from transforms.parse.secrets.redact import (
    HINT_PATTERN,
    KAFKA_WORDS,
    KEY_LINE_BELOW,
    LONG_RUN,
    RUN_BYTES,
    WITHOUT_THEM,
    redact,
    without_requests,
)
from transforms.when_used import when_used

_LEVELS = {word: normal_level(word) for word in LEVEL_WORDS}
_SIGNS = "|".join(re.escape(sign.decode("latin-1")) for sign in SIGNS[:-1]) + r"|\xef\xbb\xbf"
_BELOW = when_used(r"\n(?!Caused by: )(\S.*)")  # what is indented is the record's
MAX_CACHED = 4096
# What differs between the records of a source that are read so.
OF_ROW = (
    "offset", "line", "line_count", "logged_at", "time_zone_origin", "level", "logger", "thread", "text", "message",
    "text_bytes", "extra",
)  # fmt: skip
Known = TypeVar("Known")


@dataclass(slots=True)
class Sifted:
    """Numbers of a batch's spans that may be read so, and of those with a hint of a secret.

    special: of those that need a closer look in any case; unwanted: of them those that nothing makes Kafka's.
    """

    special: set[int]
    unwanted: set[int]
    plain: Numbers = field(default_factory=lambda: NONE)
    with_secrets: set[int] = field(default_factory=set)


@dataclass(slots=True)
class CertainReader:
    """Reads what it can of one source's plain spans."""

    layout: SourceLayout
    source_id: str
    clock: Clock
    only_kafka: bool
    templates: list[Template] = field(default_factory=list)
    _tails: dict[str, str] = field(default_factory=dict)
    _contexts: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (self.layout.prefix or self.layout.wrappers):
            begun = takewhile(lambda one: one[0].startswith(("<time>", "[<time>]")), self.layout.templates)
            self.templates = [template_of(*one) for one in begun]

    def sift(self, spans: SpanFilter, newlines: Numbers, wanted: Numbers, special: set[int]) -> Sifted:
        """Look at the spans that are wanted, all at once; those of them that are special are not read so.

        newlines: where they stand in the spans' buffer.
        """
        sifted = Sifted(special, special.difference(wanted.tolist()) if special else special)
        if len(wanted):
            sifted.with_secrets = hinted(spans, newlines, wanted)
        if self.templates and len(wanted):
            sifted.plain = np.setdiff1d(wanted, sorted(special)) if special else wanted
            for odd in (
                spans.beyond_ascii(),
                spans.matching(_SIGNS, wanted) if spans.holds(_SIGNS) else NONE,
            ):
                sifted.plain = np.setdiff1d(sifted.plain, odd) if len(odd) else sifted.plain
        return sifted

    def records(self, spans: SpanFilter, batch: Batch, sifted: Sifted) -> tuple[Numbers, RecordColumns]:
        """Numbers of the spans that are one record each for certain, in order, and these records."""
        rows: list[tuple[Any, ...]] = []
        without_context: list[int] = []
        templates = [(one.regex.match, places_in(one)) for one in self.templates]
        contexts, with_secrets, only_kafka = self._contexts, sifted.with_secrets, self.only_kafka
        levels, tails, read_time = _LEVELS, self._tails, self.clock.read
        buffer = batch.buffer.decode("latin-1")  # of plain spans it is ASCII
        for number, begin, end, before, until in places_of(batch, sifted.plain):
            text = buffer[begin:end].rstrip()
            for match, places in templates:
                found = match(text)
                if found is not None:
                    of_time, of_level, of_logger, of_thread, of_context = places
                    break
            else:
                continue
            told: tuple[str | None, ...] = (None, *found.groups())
            level, at, logger, thread = (
                levels.get(told[of_level] or ""),
                told[of_time],
                told[of_logger],
                told[of_thread],
            )
            if level is None or not at:
                continue
            if thread is not None:
                thread = thread.strip() or None
            message = text[found.end() :]
            if logger is None:
                behind = message.rfind(" (")
                logger = tails.get(message[behind:])
                if logger is not None and "\n" not in message:  # most lines of a source end as others do
                    message = message[:behind].rstrip()
                else:
                    message, logger, thread = self._without_tail(message, thread)
            if logger is None or (not is_kafka_logger(logger) and (only_kafka or "\n" in text)):
                continue
            if "\n" in text and any(map(begins_message, _BELOW.findall(text))):
                continue
            instant = read_time(at)
            # Perhaps a second record's time.
            if instant.at is None or text.find(at[:6], found.end(of_time)) >= 0:
                continue
            if number in with_secrets and redact(text) is not text:
                continue
            begins = message[: message.find("]") + 1]
            if "|" in begins and CONNECT_CONTEXT_BEGINS.match(begins):
                continue
            if begins not in contexts and not self._is_context(begins, message):
                without_context.append(number)
            context = told[of_context]
            rows.append((
                number, batch.offset + begin, batch.line + before, until - before, *instant, level, logger, thread, text,
                message, end - begin, {"context": context} if context else NOTHING,
            ))  # fmt: skip
        doubtful = set(spans.matching(MAY_BE_CONTEXT, np.array(without_context, np.int64)).tolist())
        if doubtful:  # a context may stand in what was taken for the head
            rows = [row for row in rows if row[0] not in doubtful]
        return np.array([row[0] for row in rows], np.int64), self._columns(rows)

    def _columns(self, rows: list[tuple[Any, ...]]) -> RecordColumns:
        count = len(rows)
        told = [list(column) for column in zip(*rows, strict=True)][1:] if rows else [[] for _ in OF_ROW]
        columns = dict(zip(OF_ROW, told, strict=True))
        offsets = columns["offset"]
        same = {"source_id": self.source_id, "time_origin": "logged", "is_truncated": False}
        columns |= {name: [value] * count for name, value in same.items()}
        columns |= {name: [None] * count for name in ("container", "service", "instance")}
        columns["position"] = (
            [-offset for offset in offsets] if self.layout.is_newest_first else list(offsets)
        )
        return RecordColumns({name: columns[name] for name in FIELDS})

    def _is_context(self, begins: str, message: str) -> bool:
        """Whether a message begins with a context. begins: its part up to a bracket's end, which is that of many lines."""
        found = CONTEXT.match(message)
        if found is not None and found.end() <= len(begins):
            _keep(self._contexts, begins, True)
        return found is not None

    def _without_tail(self, message: str, thread: str | None) -> tuple[str, str | None, str | None]:
        """Message, logger and thread of a message that may have these behind it."""
        begin = message.rfind(" (")
        head = Head(thread=thread, message=message)
        take_tail(head)
        bare = head.message.rstrip()
        is_told_by_end = begin >= 0 and bare == message[:begin].rstrip() and head.thread == thread
        if head.logger is not None and is_told_by_end and "\n" not in message:
            _keep(self._tails, message[begin:], head.logger)
        return bare, head.logger, head.thread


def places_in(template: Template) -> list[int]:
    """Numbers of a template's groups of time, level, logger, thread and context; 0 for what it hasn't."""
    numbers = template.regex.groupindex
    return [numbers.get(name, 0) for name in ("time", "level", "logger", "thread", "context")]


def _keep(known: dict[str, Known], key: str, value: Known) -> None:
    if len(known) >= MAX_CACHED:
        known.clear()
    known[key] = value


def hinted(spans: SpanFilter, newlines: Numbers, wanted: Numbers) -> set[int]:
    """Of the spans that are wanted, and perhaps of others, those that may hold a secret. newlines: all in their buffer."""
    if len(wanted) <= FEW:
        return set(wanted.tolist())
    bare = spans.over(without_requests(spans.buffer))
    with_words = bare.matching(HINT_PATTERN, wanted)
    found = set(bare.matching(HINT_PATTERN, with_words, without=KAFKA_WORDS, by=WITHOUT_THEM).tolist())
    found.update(spans.with_run(RUN_BYTES, LONG_RUN))
    several = set(spans.of_several_lines(newlines)) - found
    found.update(number for number in several if KEY_LINE_BELOW.search(spans.span(number)))
    return found
