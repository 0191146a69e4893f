"""One record's bytes or text -> LogRecord, whichever way they came; and what could not become one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from transforms.parse.catalogue.anchors import context_in, is_kafka, is_kafka_logger
from transforms.parse.catalogue.exceptions import THROWN_BY_KAFKA, is_beneath, names_kafkas
from transforms.parse.catalogue.forms import finder
from transforms.parse.catalogue.other_clients import client_of_other_language, instant_of
from transforms.parse.catalogue.other_words import DOTS, begins_message, told_anywhere
from transforms.parse.layouts.layout import FAULT, SourceLayout, begins_of
from transforms.parse.layouts.wrappers import OF_OBJECTS, Wrapped, unwrapped
from transforms.parse.lines import jsonlines
from transforms.parse.lines.heads import LABEL, read_head
from transforms.parse.lines.pasted import plain_text, several_in
from transforms.parse.lines.prefixes import NO_PREFIX, prefix_of
from transforms.parse.lines.signs import plain_signs
from transforms.parse.lines.tails import take_tail
from transforms.parse.lines.templates import read_by, template_of
from transforms.parse.lines.timestamps import NO_INSTANT, STAMP, Clock, Instant
from transforms.parse.lines.tokens import Head
from transforms.parse.records.books import Books, book_all
from transforms.parse.records.shipped import Line
from transforms.parse.secrets.redact import redact
from transforms.records import LogRecord
from transforms.when_used import when_used

UNPARSED_REASONS = (
    "binary", "no_record_start", "broken_gzip", "bad_json", "unknown_json", "too_long", "unfinished",
    "no_envelope", "truncated", "unreadable", FAULT,
)  # fmt: skip
UNPARSED_CHARS = 1000
# What stands before what is said in a list, a quotation or a program's comment, too: `*`, `//`, `---`, `2.`, `**1.**`.
_INDENT = r"[ \t*/#>+\-\u2022]*(?:\(?\d{1,3}[.)]\**[ \t]+)?"
_INDENTED = when_used(_INDENT)
_CODE = when_used(r"\A(?P<sign>`{1,3})(?P<line>[^`\n]+)(?P=sign)[.,;]?[ \t]*(?![^\n])")
_COMMENTED = when_used(r"[ \t]*(?://|#)")
# An exception of Kafka's that begins a line, or a field of an object, and is no other's cause.
_THROWN = when_used(rf'(?<![:\n])\n+(?P<line>{_INDENT}(?:"\w{{1,30}}" ?: ?")?{THROWN_BY_KAFKA})')
_KAFKAS = when_used(THROWN_BY_KAFKA)
_ZEROS = str.maketrans("123456789", "000000000")
_TRACE = when_used(r"(?:[\w$]+\.){1,12}[\w$]*(?:Exception|Error)\b[^\n]*\n\s+at [\w.$/<>]")
_LISTED = when_used(r"\d{1,3}[.)]\**[ \t]+")
_THROWS = when_used(
    r"(?:Caused by: )?(?:[A-Za-z_]\w{0,60}\.){1,12}(?:[A-Z][\w$]{0,120})?(?:Exception|Error): "
)
_TIME_FIELD = when_used(rf"\btimestamp[\"']? ?: ?[\"'](?P<at>{STAMP.pattern})[\"']")


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A piece of input that no reader understood: the row of bronze.unparsed. text: its beginning, redacted.

    reason: one of UNPARSED_REASONS. bytes, lines: of the whole piece.
    """

    source_id: str
    offset: int
    line: int
    text: str
    reason: str
    bytes: int
    lines: int


@dataclass(slots=True)
class Place:
    """Where a span stands, and how much of it there is. kept < size where it was too long to keep whole.

    begins: which of its lines each line of its text begins with, where broken ones were joined.
    """

    offset: int
    line: int
    size: int
    lines: int
    is_truncated: bool = False
    is_unfinished: bool = False  # at the source's end, without a newline
    begins: tuple[int, ...] = ()


NO_ENVELOPE = Wrapped("")
Pieces = list[LogRecord | Unparsed]


def _placed(place: Place, text: str, texts: Sequence[str]) -> Iterator[tuple[str, Place]]:
    """Each record of a span, and where it stands: on the span's lines, or, where these are lines of the source, on its own.

    Each has a byte of the span as its identity: no record is that short.
    """
    count, begin = text.count("\n") + 1, 0
    begins = (*place.begins, place.lines)
    if len(begins) != count + 1:
        begins = tuple(range(count + 1)) if count <= place.lines else ()
    first = before = 0
    for number, one in enumerate(texts):
        begin = max(begin, text.find(one, begin))
        made = replace(place, offset=place.offset + number)
        if begins:
            first, before = first + text.count("\n", before, begin), begin
            of_one = begins[first : first + one.count("\n") + 2]
            made.line, made.lines = place.line + of_one[0], max(of_one[-1] - of_one[0], 1)
            made.begins = tuple(start - of_one[0] for start in of_one[:-1])
        yield one, made
        begin += len(one)


class RecordBuilder:
    """Builds the records of one source. only_kafka: leave out what isn't Kafka's and carries no Kafka exception."""

    def __init__(self, layout: SourceLayout, source_id: str, only_kafka: bool) -> None:
        self.layout, self.source_id, self.only_kafka = layout, source_id, only_kafka
        self.templates = [template_of(*one) for one in layout.templates]
        self.begins = begins_of(layout)
        self.clock = Clock(layout.time_zone, layout.date_order)
        self.container_clock = Clock()
        self.sign = -1 if layout.is_newest_first else 1

    def build(
        self, text: str, place: Place, envelope: Wrapped = NO_ENVELOPE, *, may_hold_secrets: bool = True
    ) -> Pieces:
        """The records of one span of text: none where nothing of it is kept, several where it holds several.

        may_hold_secrets: False only where none of redact.HINTS is in the text.
        """
        written, outer = plain_text(text, self.layout.prefix)
        text = plain_signs(written)
        # Redacted as a whole: a key's lines, once they are records, no longer show what they are.
        # Where lines come out of envelopes, or end in signs of their own, one may hold several records.
        may_be_several = "\n" in text if self.layout.wrappers else text.count("\n") > written.count("\n")
        texts = _split(redact(text), self.begins) if may_be_several else [text]
        if len(texts) == 1:
            is_object = jsonlines.BEGINS_OBJECT.match(text) is not None
            inner = text.lstrip("[ \t`") if is_object else jsonlines.behind(text)
            if inner is not None:
                return self._json(inner, place, envelope)
            if len(texts := several_in(text)) > 1:
                texts = several_in(redact(text))  # a piece would not show what is under a name in another
        if len(texts) == 1:
            return self._text(text, place, envelope, outer, may_hold_secrets=may_hold_secrets)
        made = [
            piece for one, at in _placed(place, text, texts) for piece in self._one(one, at, envelope, outer)
        ]
        return [piece for piece in made if isinstance(piece, LogRecord)]

    def build_lines(self, given: Sequence[Line], envelope: Wrapped, books: Books) -> Pieces:
        """The records of some lines that came one by one, in the books with the blank ones behind them."""
        lines = list(given)
        while lines and not lines[-1].text.strip() and not lines[-1].is_cut:
            blank = lines.pop()
            books.drop("blank", blank.size, blank.lines)
        if not lines:
            return []
        size, count, is_cut, begins = 0, 0, False, []
        for line in lines:
            begins += [count] * (line.text.count("\n") + 1)
            size, count, is_cut = size + line.size, count + line.lines, is_cut or line.is_cut
        books.read(size, count)
        place = Place(
            lines[0].position, lines[0].number, size, count, is_cut, lines[-1].is_open, tuple(begins)
        )
        pieces = self.build("\n".join([line.text for line in lines]), place, envelope)
        book_all(pieces, size, count, books)
        return pieces

    def _one(self, text: str, place: Place, envelope: Wrapped, outer: str) -> Pieces:
        if jsonlines.BEGINS_OBJECT.match(text):
            return self._json(text, place, envelope)
        return self._text(text, place, envelope, outer)

    def _text(
        self, text: str, place: Place, envelope: Wrapped, outer: str, *, may_hold_secrets: bool = True
    ) -> Pieces:
        head = read_by(text, self.templates)
        if head is None:
            return self.headless(text, place, envelope)
        if "\n" in text and len(bare_below(text, head)) > 1:
            return self._apart(redact(text), head, place, envelope, outer)
        alike = text.replace(head.at, head.at.translate(_ZEROS), 1) if head.at else text  # but for its time
        if self.only_kafka and not head.is_anchored and not is_kafka(head.logger, head.message, alike):
            return []
        if may_hold_secrets:
            clean = redact(text)
            if clean is not text:
                text, head = clean, read_by(clean, self.templates) or Head(message=clean)
        at = head.at or outer
        instant = self.clock.read(at) if at else NO_INSTANT
        # A date whose day may be a month tells less than the object in the line.
        if instant.at is None and (within := _time_within(text)):
            instant = self.clock.read(within)
        record = self._record(text, head, instant, place, envelope)
        if head.context:
            record.extra["context"] = head.context
        return [record]

    def _apart(self, text: str, head: Head, place: Place, envelope: Wrapped, outer: str) -> Pieces:
        """A record, and what a client said below it without a head of its own. text: redacted as a whole."""
        first, *bare = _placed(place, text, bare_below(text, head))
        pieces = self._text(*first, envelope, outer, may_hold_secrets=False)
        return pieces + [self._piece(one, at, envelope) for one, at in bare]

    def _piece(self, text: str, place: Place, envelope: Wrapped) -> LogRecord:
        """A record out of text whose first line has no head; one of its own it may have, or be an object."""
        if _begins_object(text):
            line = text.lstrip().partition("\n")[0]
            for one in self._json(line, place, envelope):
                if isinstance(one, LogRecord):
                    return one
        if (head := head_within(text)) is None:
            return self._bare(text, place, envelope)
        return self._record(text, head, self.clock.read(head.at) if head.at else NO_INSTANT, place, envelope)

    def _bare(self, text: str, place: Place, envelope: Wrapped) -> LogRecord:
        """A record of a message without a head."""
        head = Head(message=_said(text).removeprefix(DOTS))
        take_tail(head)  # the end of a dump still has its logger, as Kafka's own pattern writes it
        return self._record(text, head, _own_time(text), place, envelope)

    def unparsed(self, text: str, reason: str, place: Place) -> Unparsed:
        """A piece that no reader understood."""
        # Redact before cutting, so that no half of a secret is left; a secret's beginning lies near what is shown.
        shown = redact(text[: UNPARSED_CHARS * 8])[:UNPARSED_CHARS]
        return Unparsed(self.source_id, place.offset, place.line, shown, reason, place.size, place.lines)

    def headless(self, text: str, place: Place, envelope: Wrapped = NO_ENVELOPE) -> Pieces:
        """Text without a head: the end of a dump or a stack trace, or a line of a source that has no layout."""
        text = text.rstrip()
        is_line = self.layout.layout == "plain" and not self.only_kafka
        if is_line or is_kafka(None, text, text) or any(map(_begins_indented, text.split("\n"))):
            clean = redact(text)
            said = (one for part in _split(clean, _begins_indented) for one in _thrown_apart(part))
            texts = [one for part in said for one in _paragraphs(part)]
            placed = _placed(place, clean, texts) if len(texts) > 1 else [(texts[0], place)]
            return [self._piece(one, at, envelope) for one, at in placed]
        if self.layout.layout == "plain" or not text.strip():
            return []
        return [self.unparsed(text, "no_record_start", place)]

    def _json(self, line: str, place: Place, envelope: Wrapped) -> Pieces:
        value, thrown = jsonlines.load(line), ""
        first, newline, below = line.partition("\n")
        if value is None and _TRACE.match(below) and (value := jsonlines.load(first)) is not None:
            thrown = newline + below  # where a pattern makes the object, and no field takes the exception
        if value is None and len(parts := jsonlines.glued(line)) > 1:
            return [
                piece for one, at in _placed(place, line, parts) for piece in self._json(one, at, envelope)
            ]
        if value is None and newline and jsonlines.load(first) is not None:  # an application prints below it
            of_first, of_below = _placed(place, line, [first, below])
            return self._json(*of_first, envelope) + self.headless(*of_below, envelope)
        is_whole = not (place.is_truncated or place.is_unfinished)
        value = jsonlines.cut_off(line) if value is None and is_whole else value
        if value is None and is_whole and newline and r"\n\t" not in line and names_kafkas(line):
            return self.headless(line, place, envelope)  # an object as a page shows it, over several lines
        records = [] if value is None else list(jsonlines.records_of(value))
        if not records and value is not None and (inner := unwrapped(line, OF_OBJECTS)) is not None:
            return self._text(inner.payload, place, inner, "")
        if not records and told_anywhere(line) is not None:
            return [self._bare(redact(line), place, envelope)]
        if not records:
            cut = "too_long" if place.is_truncated else "unfinished" if place.is_unfinished else "bad_json"
            return [self.unparsed(line, cut if value is None else "unknown_json", place)]
        pieces: Pieces = []
        for number, found in enumerate(records):
            found.message += thrown
            # Of several records in one line, each has a byte of it as its identity: no record is that short.
            pieces += self._json_record(found, line, replace(place, offset=place.offset + number), envelope)
        return pieces

    def _json_record(
        self, found: jsonlines.JsonRecord, line: str, place: Place, envelope: Wrapped
    ) -> list[LogRecord]:
        message = redact(found.message)  # before any part of it is taken for a thread or a logger
        head = Head(found.at, found.level, _clean(found.logger), _clean(found.thread), message)
        inner = read_head(message)  # a collector's record around a line of text
        if (
            inner is not None
            and (found.logger is None or inner.logger is not None)
            and (inner.at or inner.level)
        ):
            head, head.at = inner, inner.at or found.at
            head.level, head.logger = head.level or found.level, head.logger or _clean(found.logger)
            head.thread = head.thread or _clean(found.thread)
        head.at = head.at or _time_within(message)
        is_told = is_kafka(head.logger, head.message, head.message) or told_anywhere(line) is not None
        if self.only_kafka and not is_told and client_of_other_language(line) is None:
            return []
        instant = self.clock.read(head.at) if head.at else NO_INSTANT
        record = self._record(redact(found.text or line), head, instant, place, envelope)
        record.service = _clean(found.service) or record.service
        record.instance = _clean(found.instance) or record.instance
        return [record]

    def _record(self, text: str, head: Head, instant: Instant, place: Place, envelope: Wrapped) -> LogRecord:
        origin = "logged" if instant.at is not None else "none"
        if instant.at is None and instant.zone_origin != "ambiguous" and envelope.at is not None:
            instant = self.container_clock.read(envelope.at)
            origin = "container" if instant.at is not None else "none"
        # By position: this is the hot path, and twenty keywords cost as much as the rest of it.
        return LogRecord(
            self.source_id, place.offset, place.line, place.lines,
            instant.at, head.level, head.logger, head.thread, text, head.message,
            origin, instant.zone_origin, envelope.container, place.is_truncated, place.size,
            self.sign * place.offset, envelope.service, envelope.instance,
        )  # fmt: skip


def is_clients(head: Head) -> bool:
    """Whether a head is of a line of Kafka's own: what stands below it is the line's."""
    if head.is_anchored or (head.logger is not None and is_kafka_logger(head.logger)):
        return True
    return head.logger is None and prefix_of(head.message) is not NO_PREFIX


def bare_below(text: str, head: Head) -> list[str]:
    """A record's text, and below it what a client says on lines of its own, without heads: an application that prints, a
    paste that left them out. What is indented, a trace or an exception is the record's, and what a client goes on with."""
    is_own = is_clients(head)
    texts = _split(text, begins_message)
    if is_own and len(texts) > 1 and not _ends_before(texts[1], texts[0], head):
        texts[:2] = ["\n".join(texts[:2])]
    return [one for part in texts for one in _paragraphs(part)]


def _ends_before(below: str, text: str, head: Head) -> bool:
    """Whether a client's line ends before the one below: with a time, or at a bracket, only one that is a whole message."""
    said, end = head.message[: head.message.find(below)], text.rstrip()[-1:]
    logger = (head.logger or "").rpartition(".")[2] or None
    is_whole = not (head.at or end == "]") or finder().find(said[prefix_of(said).length :], logger)
    return bool(is_whole) and end not in ":,-"


def _paragraphs(text: str) -> list[str]:
    """A record's text, and what other paragraphs of a note say below it: of each its lines from the one that tells it on."""
    if "\n\n" not in text:
        return [text]
    begins, paragraph, blanks = [0], 0, 0
    for number, line in enumerate(lines := text.split("\n")):
        is_first = blanks > 0
        if is_first and line.strip():
            # Logback leaves one line blank before an exception, and Spring's lines end in a colon.
            paragraph, blanks = paragraph + (2 if blanks > 1 else 1), 0
        elif not line.strip():
            blanks += 1
        if paragraph and _tells_another(line, is_first=is_first, is_far=paragraph > 1):
            begins.append(number)
    return ["\n".join(lines[begin:end]).rstrip() for begin, end in pairwise((*begins, len(lines)))]


def _tells_another(line: str, *, is_first: bool, is_far: bool) -> bool:
    """Whether a line below a blank one tells something else than the record above it. is_first: of its paragraph."""
    is_listed = _LISTED.match(line) is not None
    said = _said(line)
    is_said = is_listed and (begins_message(said) or _THROWS.match(said))
    if is_said or (is_first and begins_message(line)) or (is_far and _KAFKAS.match(said)):
        return True
    head = read_head(said) if is_first and STAMP.search(said[:40]) else None
    return head is not None and head.at is not None and head.level is not None


def _said(text: str) -> str:
    """A text without what a page or a program put before it, or around its first line, all of which is code."""
    bare = _INDENTED.sub("", text, count=1)
    return _CODE.sub(r"\g<line>", bare, count=1) if bare.startswith("`") else bare


def _begins_indented(line: str) -> bool:
    """Whether a line begins with what a client says, or its context, however it is indented: of text that no client's line
    stands before."""
    bare = _said(line)
    # Without whose it is, a program's comment cites what a line may say.
    is_told = prefix_of(bare) is not NO_PREFIX or (begins_message(bare) and not _COMMENTED.match(line))
    return is_told or _begins_object(line) or head_within(line) is not None


def _begins_object(text: str) -> bool:
    """Whether a text begins with an object that speaks of a client."""
    first = text.lstrip().partition("\n")[0]
    return first.startswith('{"') and (context_in(first) or client_of_other_language(first)) is not None


def head_within(text: str) -> Head | None:
    """The head of a client's line that is indented; None where none stands before what it says."""
    first = text.partition("\n")[0]
    if context_in(first) is None or is_beneath(first):
        return None
    said = _said(text)
    head = read_head(said)
    if head is None or not head.is_anchored:
        return None
    return head if head.at or head.level or head.logger or LABEL.match(said) else None


def _thrown_apart(text: str) -> list[str]:
    """What exceptions of Kafka's say that stand below each other without a head.

    One below a client's words is theirs, and so is one that a line ends in a colon for: `due to:`.
    """
    if "\n" not in text or not names_kafkas(text) or _begins_indented(text.partition("\n")[0]):
        return [text]
    begins = [found.start("line") for found in _THROWN.finditer(text)]
    return [text[begin:end].removesuffix("\n") for begin, end in pairwise((0, *begins, len(text)))]


def _split(text: str, begins: Callable[[str], bool]) -> list[str]:
    """The records of a text of several lines."""
    first, *lines = text.split("\n")
    texts = [[first]]
    for line in lines:
        if begins(line) and not texts[-1][-1].rstrip().endswith(("Exception:", "Error:", " due to")):
            texts.append([line])
        else:
            texts[-1].append(line)
    return ["\n".join(one) for one in texts]


@lru_cache(1 << 10)
def _clean(name: str | None) -> str | None:
    """A name out of a field of its own: the same ones come with every line."""
    return redact(name) if name else None


def _time_within(text: str) -> str | None:
    """The time of an object in a line without a readable one: what a client's own logger wrote, in another's message."""
    found = _TIME_FIELD.search(text) if "timestamp" in text else None
    return found["at"] if found else None


def _own_time(text: str) -> Instant:
    """The time of a line without a layout: librdkafka's own head, in seconds since the epoch."""
    client = client_of_other_language(text) if "|" in text else None
    at = instant_of(client.at) if client is not None else None
    return NO_INSTANT if at is None else Instant(at, "logged")
