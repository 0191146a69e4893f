"""Records that a template of their source reads for certain: most of a log, at a fraction of the price of the others.

What is not read so is left to RecordBuilder, which reads every record the same (tested): a paste's signs, several records on
one line, JSON, an application's line, a message that does not stand where the template says.
"""

import re
from dataclasses import dataclass, field
from itertools import takewhile

from transforms.parse.anchors import CONTEXT, is_kafka_logger
from transforms.parse.layout import SourceLayout
from transforms.parse.pasted import SIGNS
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
from transforms.parse.tails import take_tail, whole_end
from transforms.parse.templates import Template, template_of
from transforms.parse.timestamps import DATED, Clock
from transforms.parse.tokens import LEVEL_WORDS, Head, normal_level
from transforms.records import LogRecord

_LEVELS = {word: normal_level(word) for word in LEVEL_WORDS}
_SIGNS = "|".join(re.escape(sign.decode("latin-1")) for sign in SIGNS[:-1]) + r"|\xef\xbb\xbf"
_SECONDS = re.compile(r":[0-5]\d[,.]\d{3}")
_NO_SIGN = bytes(set(range(256)) - {sign[0] for sign in SIGNS})  # what none of them begins with
_DATED = re.compile(DATED)
# Without counts, which cost RE2 more than they leave out: what a context may be is looked at again, line by line.
_MAY_BE_CONTEXT = re.sub(r"\{0,\d+\}", "*", CONTEXT.pattern)
MAX_CACHED_MINUTES = 4096


@dataclass(slots=True)
class Sifted:
    """Numbers of a batch's spans that may be read so; of spans with a context of Kafka's, and with a hint of a secret."""

    plain: set[int]
    with_context: set[int]
    with_secrets: set[int]


@dataclass(slots=True)
class CertainReader:
    """Reads what it can of one source's plain spans."""

    layout: SourceLayout
    source_id: str
    clock: Clock
    only_kafka: bool
    templates: list[Template] = field(default_factory=list)
    _minutes: dict[str, tuple[int, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (self.layout.prefix or self.layout.wrappers or self.layout.fold):
            begun = takewhile(lambda one: one[0].startswith(("<time>", "[<time>]")), self.layout.templates)
            self.templates = [template_of(*one) for one in begun]

    def sift(self, spans: SpanFilter, newlines: Numbers, wanted: Numbers, special: set[int]) -> Sifted:
        """Look at the spans that are wanted, all at once; those of them that are special are not read so.

        newlines: where they stand in the spans' buffer.
        """
        if not len(wanted):
            return Sifted(set(), set(), set())
        with_secrets = hinted(spans, newlines, wanted)
        if not self.templates:
            return Sifted(set(), set(), with_secrets)
        plain = set(wanted.tolist()) - special
        rare = spans.buffer.translate(None, _NO_SIGN)  # one pass, and little is left
        if any(sign[0] in rare and sign in spans.buffer for sign in SIGNS):
            plain.difference_update(spans.matching(_SIGNS, wanted).tolist())
        return Sifted(plain, set(spans.matching(_MAY_BE_CONTEXT, wanted).tolist()), with_secrets)

    def record(
        self, raw: bytes, offset: int, line: int, lines: int, *, has_context: bool, may_hold_secrets: bool
    ) -> LogRecord | None:
        """The one record of a span; None where that is not certain. offset, line: of its first byte; lines: in it."""
        if not raw.isascii():
            return None
        text = raw.decode("ascii").rstrip()
        found = None
        for template in self.templates:
            found = template.regex.match(text)
            if found is not None:
                break
        if found is None:
            return None
        fields = found.groupdict()
        level, logger, at = _LEVELS.get(fields.get("level") or ""), fields.get("logger"), fields["time"]
        thread = (fields.get("thread") or "").strip() or None
        if level is None or not at:
            return None
        message = text[found.end() :]
        if logger is None:
            quick = whole_end(message)
            if quick is not None:
                message, logger = quick
            else:
                head = Head(thread=thread, message=message)
                take_tail(head)
                message, logger, thread = head.message.rstrip(), head.logger, head.thread
        if logger is None or (not is_kafka_logger(logger) and (self.only_kafka or "\n" in text)):
            return None
        if has_context and CONTEXT.match(message) is None:
            return None
        known = self._instant(at)
        if known is None or text.find(at[:6], found.end("time")) >= 0:  # perhaps a second record's time
            return None
        if may_hold_secrets and redact(text) is not text:
            return None
        record = LogRecord(
            self.source_id, offset, line, lines, known[0], level, logger, thread, text, message,
            "logged", known[1], None, False, len(raw), -offset if self.layout.is_newest_first else offset,
        )  # fmt: skip
        if fields.get("context"):
            record.extra["context"] = str(fields["context"])
        return record

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
            if len(self._minutes) >= MAX_CACHED_MINUTES:
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
