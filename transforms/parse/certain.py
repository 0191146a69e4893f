"""Records that a template of their source reads for certain: most of a log, at a fraction of the price of the others.

What is not read so is left to RecordBuilder, which reads every record the same (tested): a paste's signs, several records on
one line, JSON, an application's line, a message that does not stand where the template says.
"""

import re
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import numpy as np

from transforms.parse.anchors import CONTEXT, is_kafka_logger
from transforms.parse.layout import SourceLayout
from transforms.parse.pasted import SIGNS
from transforms.parse.record_columns import FIELDS, RecordColumns
from transforms.parse.redact import (
    HINT_PATTERN,
    KAFKA_WORDS,
    KEY_LINE_BELOW,
    LONG_RUN,
    RUN_BYTES,
    WITHOUT_THEM,
    redact,
)
from transforms.parse.spanfilter import FEW, Numbers, SpanFilter
from transforms.parse.spans import Batch, places_of
from transforms.parse.tails import take_tail, whole_end
from transforms.parse.templates import Template, template_of
from transforms.parse.timestamps import DATED, Clock
from transforms.parse.tokens import LEVEL_WORDS, Head, normal_level

_LEVELS = {word: normal_level(word) for word in LEVEL_WORDS}
_SIGNS = "|".join(re.escape(sign.decode("latin-1")) for sign in SIGNS[:-1]) + r"|\xef\xbb\xbf"
_SECONDS = re.compile(r":[0-5]\d[,.]\d{3}")
_NO_SIGN = bytes(set(range(256)) - {sign[0] for sign in SIGNS})  # what none of them begins with
_DATED = re.compile(DATED)
# Without counts, which cost RE2 more than they leave out: what a context may be is looked at again, line by line.
_MAY_BE_CONTEXT = re.sub(r"\{0,\d+\}", "*", CONTEXT.pattern)
MAX_CACHED = 4096
# What differs between the records of a source that are read so.
OF_ROW = (
    "offset", "line", "line_count", "logged_at", "time_zone_origin", "level", "logger", "thread", "text", "message",
    "text_bytes", "extra",
)  # fmt: skip
NOTHING: dict[str, str] = {}


@dataclass(slots=True)
class Sifted:
    """Numbers of a batch's spans that may be read so; of spans with a context of Kafka's, and with a hint of a secret.

    special: of those that need a closer look in any case; unwanted: of them those that nothing makes Kafka's.
    """

    special: set[int]
    unwanted: set[int]
    plain: set[int] = field(default_factory=set)
    with_context: set[int] = field(default_factory=set)
    with_secrets: set[int] = field(default_factory=set)


@dataclass(slots=True)
class CertainReader:
    """Reads what it can of one source's plain spans."""

    layout: SourceLayout
    source_id: str
    clock: Clock
    only_kafka: bool
    templates: list[Template] = field(default_factory=list)
    _minutes: dict[str, tuple[int, str]] = field(default_factory=dict)
    _tails: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (self.layout.prefix or self.layout.wrappers or self.layout.fold):
            begun = takewhile(lambda one: one[0].startswith(("<time>", "[<time>]")), self.layout.templates)
            self.templates = [template_of(*one) for one in begun]

    def sift(self, spans: SpanFilter, newlines: Numbers, wanted: Numbers, special: set[int]) -> Sifted:
        """Look at the spans that are wanted, all at once; those of them that are special are not read so.

        newlines: where they stand in the spans' buffer.
        """
        sifted = Sifted(special, special.difference(wanted.tolist()) if special else special)
        if not len(wanted):
            return sifted
        sifted.with_secrets = hinted(spans, newlines, wanted)
        if not self.templates:
            return sifted
        sifted.plain = set(wanted.tolist()) - special
        rare = spans.buffer.translate(None, _NO_SIGN)  # one pass, and little is left
        if any(sign[0] in rare and sign in spans.buffer for sign in SIGNS):
            sifted.plain.difference_update(spans.matching(_SIGNS, wanted).tolist())
        sifted.with_context.update(spans.matching(_MAY_BE_CONTEXT, wanted).tolist())
        return sifted

    def records(self, batch: Batch, sifted: Sifted) -> tuple[Numbers, RecordColumns]:
        """Numbers of the spans that are one record each for certain, in order, and these records."""
        numbers = np.array(sorted(sifted.plain), np.int64)
        rows: list[tuple[Any, ...]] = []
        taken: list[int] = []
        matches = [one.regex.match for one in self.templates]
        with_context, with_secrets, only_kafka = sifted.with_context, sifted.with_secrets, self.only_kafka
        for number, begin, end, before, until in places_of(batch, numbers):
            raw = batch.buffer[begin:end]
            if not raw.isascii():
                continue
            text = raw.decode("ascii").rstrip()
            for match in matches:
                found = match(text)
                if found is not None:
                    break
            else:
                continue
            fields = found.groupdict()
            level, at = _LEVELS.get(fields.get("level") or ""), fields["time"]
            if level is None or not at:
                continue
            thread = (fields.get("thread") or "").strip() or None
            message = text[found.end() :]
            logger = fields.get("logger")
            if logger is None:
                message, logger, thread = self._without_tail(message, thread)
            if logger is None or (not is_kafka_logger(logger) and (only_kafka or "\n" in text)):
                continue
            if number in with_context and CONTEXT.match(message) is None:
                continue
            instant = self._instant(at)
            if instant is None or text.find(at[:6], found.end("time")) >= 0:  # perhaps a second record's time
                continue
            if number in with_secrets and redact(text) is not text:
                continue
            context = fields.get("context")
            taken.append(number)
            rows.append((
                batch.offset + begin, batch.line + before, until - before, *instant, level, logger, thread, text,
                message, end - begin, {"context": context} if context else NOTHING,
            ))  # fmt: skip
        return np.array(taken, np.int64), self._columns(rows)

    def _columns(self, rows: list[tuple[Any, ...]]) -> RecordColumns:
        count = len(rows)
        told = [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in OF_ROW]
        columns = dict(zip(OF_ROW, told, strict=True))
        offsets = columns["offset"]
        columns |= {"source_id": [self.source_id] * count, "time_origin": ["logged"] * count}
        columns |= {"is_truncated": [False] * count}
        columns |= {name: [None] * count for name in ("container", "service", "instance")}
        columns["position"] = [-offset for offset in offsets] if self.layout.is_newest_first else offsets
        return RecordColumns({name: columns[name] for name in FIELDS})

    def _without_tail(self, message: str, thread: str | None) -> tuple[str, str | None, str | None]:
        """Message, logger and thread of a message that may have these behind it. Most lines of a source end as others do."""
        begin = message.rfind(" (")
        if begin >= 0 and "\n" not in message:
            logger = self._tails.get(message[begin:])
            if logger is not None:
                return message[:begin].rstrip(), logger, thread
        head = Head(thread=thread, message=message)
        take_tail(head)
        bare = head.message.rstrip()
        if head.logger is not None and whole_end(message) is not None and "\n" not in message:
            if len(self._tails) >= MAX_CACHED:
                self._tails.clear()
            self._tails[message[begin:]] = head.logger
        return bare, head.logger, head.thread

    def _instant(self, at: str) -> tuple[int, str] | None:
        """ms since the epoch, and the zone's origin; None where it is no date with a time of day, or not certain."""
        key, digits = at[:17] + at[23:], at[17:19] + at[20:23]
        known = self._minutes.get(key)
        if known is not None and at[19] in ",." and digits.isdecimal() and digits < "61":
            return known[0] + int(digits), known[1]
        instant = self.clock.read(at)
        if instant.at is None or _DATED.match(at) is None:
            return None
        if _SECONDS.match(at, 16):
            if len(self._minutes) >= MAX_CACHED:
                self._minutes.clear()
            self._minutes[key] = (instant.at - int(digits), instant.zone_origin)
        return instant.at, instant.zone_origin


def hinted(spans: SpanFilter, newlines: Numbers, wanted: Numbers) -> set[int]:
    """Of the spans that are wanted, and perhaps of others, those that may hold a secret. newlines: all in their buffer."""
    if len(wanted) <= FEW:
        return set(wanted.tolist())
    with_words = spans.matching(HINT_PATTERN, wanted)
    found = set(spans.matching(HINT_PATTERN, with_words, without=KAFKA_WORDS, by=WITHOUT_THEM).tolist())
    found.update(spans.with_run(RUN_BYTES, LONG_RUN))
    several = set(spans.of_several_lines(newlines)) - found
    found.update(number for number in several if KEY_LINE_BELOW.search(spans.span(number)))
    return found
