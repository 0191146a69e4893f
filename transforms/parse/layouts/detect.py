"""A source's layout, learned from its beginning: what its lines share, with the evidence that says so.

Each line of the beginning is taken apart on its own (transforms.parse.lines.heads), and what most of them look like is the
layout. It says where records begin, and lets alike lines be read at once; a line that differs is still read on its own.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from itertools import islice, pairwise

from transforms.parse.catalogue.anchors import CONTEXT, KAFKA_LOGGER, is_kafka_logger
from transforms.parse.layouts.apart import are_heads_apart
from transforms.parse.layouts.folded import WIDEST, Fold, fold_of
from transforms.parse.layouts.layout import SourceLayout
from transforms.parse.layouts.leads import prefix_of_lines
from transforms.parse.layouts.learned import learn
from transforms.parse.layouts.starts import COLOUR, DATED_START, ENTRY, GOES_ON, LEVEL, SIGNS, starts_of
from transforms.parse.layouts.wrappers import ANYWHERE, WRAPPERS, is_wrapped, unwrap
from transforms.parse.lines.heads import read_head
from transforms.parse.lines.jsonlines import BEGINS_OBJECT, glued, is_log, load, records_of
from transforms.parse.lines.pasted import coloured, several_in, uncoloured
from transforms.parse.lines.tails import BELOW
from transforms.parse.lines.templates import notation_of, template_of
from transforms.parse.lines.timestamps import Clock, numbers_of_date, orders_of
from transforms.parse.lines.tokens import Head
from transforms.well_formed import well_formed
from transforms.when_used import when_used

SNIFF_BYTES = 64 * 1024
MAX_LINES = 300  # two or three config dumps long; more only costs time
SOME_LINES = 50  # that begin something tell as much where they are all alike, and are looked at first
CERTAIN = 1000  # what a line counts whose head is known for certain
FEW_LONG = 8
MAX_WRAPPERS = 5
MIN_STEPS_BACK = 5  # fewer steps back in time may be clock steps, unless time never goes on between two
MOST_TEMPLATES = 4
RARE = 0.03  # a shape of so few lines is read line by line

_HOLE = when_used(rb"\0{2,}")  # of a log that was emptied while it was written (copytruncate)
_CONTROL = bytes(code for code in range(32) if code not in b"\t\n\r\f\x1b")


@dataclass(frozen=True, slots=True)
class SourceHints:
    """What the user says of a source; None where evidence decides.

    layout: as SourceLayout.name has it: `[<time>] <level> <message> (<logger>)`, `json`, `plain`, behind its envelopes
        where it has any: `docker_json/json`.
    time_zone: IANA name, for times without a zone.
    """

    layout: str | None = None
    time_zone: str | None = None


def detect_layout(head: bytes, hints: SourceHints | None = None) -> SourceLayout:
    """Find a source's layout from its first 64 KiB (decompressed, UTF-8).

    Raises: ValueError where a hint names a layout or time zone that there isn't.
    """
    hints = hints or SourceHints()
    head = _HOLE.sub(b"", head[:SNIFF_BYTES])
    clock = Clock(hints.time_zone)
    if is_binary(head) and hints.layout is None:
        return SourceLayout("binary", is_splittable=False, evidence={"nul_bytes": head.count(b"\0")})
    whole = _all_lines(head)
    lines = _told(whole)
    evidence: dict[str, int] = {}
    objects = _pretty(lines)
    wrappers: tuple[str, ...] = ()
    fold: Fold | None = None
    given = lead = ""
    if hints.layout is not None:
        wrappers, given = _given(hints.layout)
        broken = fold_of(_payloads(whole, wrappers))
        fold = replace(broken, depth=len(wrappers)) if broken else None
    elif not objects:
        wrappers, fold, lead = _around(whole, lines, evidence)
    lines = _told(_within(_shorn(lead, whole), wrappers, fold))
    prefix = "" if objects else prefix_of_lines(tuple(lines))
    lines = _apart(_told(_shorn(prefix, lines)))
    is_apart = are_heads_apart(lines)
    sample = _sample_of(objects or lines, is_apart=is_apart)
    evidence |= sample.evidence
    templates = ((given, ""),) if given and "<" in given else sample.templates()
    layout = given or sample.winner()
    start, goes_on = starts_of(layout, templates, prefix, is_pretty=bool(objects), is_apart=is_apart)
    start = coloured(start) if uncoloured(text := "\n".join(lines)) != text else start
    clock.date_order = sample.date_order()
    origin, is_newest_first = _times(sample.heads, clock, evidence)
    return SourceLayout(
        layout=layout,
        start=start,
        goes_on=goes_on,
        templates=() if is_apart else templates,
        prefix=prefix,
        lead=lead,
        fold=astuple(fold) if fold is not None else None,
        wrappers=wrappers,
        time_zone=hints.time_zone,
        time_zone_origin=origin,
        date_order=clock.date_order,
        is_newest_first=is_newest_first,
        has_full_loggers=sample.has_full_loggers(),
        is_splittable=not (wrappers or fold),
        evidence=evidence,
    )


def _apart(lines: list[str]) -> list[str]:
    """Lines with a record each; where none of the first long ones holds several, as of most sources, none is."""
    long = islice((line for line in lines if len(line) > WIDEST), FEW_LONG)
    if not any(len(several_in(line)) > 1 for line in long):
        return lines
    return [one for line in lines for one in (several_in(line) if len(line) > WIDEST else (line,))]


def is_binary(head: bytes) -> bool:
    """Control codes that no text holds in one byte of twenty (random bytes have twice that), or a quarter no UTF-8."""
    if not head:
        return False
    control = len(head) - len(head.translate(None, _CONTROL))
    return control * 20 > len(head) or head.decode("utf-8", "replace").count("\ufffd") * 4 > len(head)


def _given(hint: str) -> tuple[tuple[str, ...], str]:
    wrappers: list[str] = []
    rest = hint
    while "/" in rest and rest.split("/", 1)[0] in WRAPPERS:
        name, rest = rest.split("/", 1)
        wrappers.append(name)
    if rest not in ("json", "plain") and "<message>" not in rest:
        raise ValueError(
            f"layout {hint!r} is not known: write it as its lines are, such as '[<time>] <level> <message> (<logger>)', with"
            " <thread> and <any> where they are, or give json or plain;"
            f" behind its envelopes if it has any ({', '.join(WRAPPERS)}), such as docker_json/json"
        )
    return tuple(wrappers), rest


def _all_lines(head: bytes) -> list[str]:
    """The first lines, with those that are blank."""
    parts = head.split(b"\n")
    if len(head) >= SNIFF_BYTES and len(parts) > 1:
        parts.pop()  # cut by us, not by its writer
    return [part.decode("utf-8", "replace").rstrip("\r").removeprefix("\ufeff") for part in parts]


def _around(
    whole: list[str], lines: list[str], evidence: dict[str, int]
) -> tuple[tuple[str, ...], Fold | None, str]:
    """What is around a source's lines: envelopes, how they were broken, what stands before each of them.

    A page that breaks lines breaks the envelopes in them, too; what was broken within one has it on each line. whole: with
    those that are blank.
    """
    wrappers, fold = _wrappers(whole, evidence)
    if wrappers and wrappers[0] not in ANYWHERE and all(map(WRAPPERS[wrappers[0]], lines)):
        return wrappers, fold, ""
    lead = prefix_of_lines(tuple(lines))
    shorn = _shorn(lead, whole)
    broken = fold_of(shorn)
    if broken is None and (wrappers or not lead):
        return wrappers, fold, ""
    for name in wrappers:
        del evidence[name]
    wrappers, fold = _wrappers(broken.joined(shorn) if broken else shorn, evidence, broken)
    return wrappers, fold, lead if wrappers or fold else ""  # a paste of lines in envelopes


def _wrappers(
    lines: list[str], evidence: dict[str, int], fold: Fold | None = None
) -> tuple[tuple[str, ...], Fold | None]:
    """The envelopes that lines stand in, outermost first, and how what stands in some of them was broken."""
    found: list[str] = []
    for _ in range(MAX_WRAPPERS):
        name = _outermost(_told(lines), evidence)
        if name is None:
            break
        found.append(name)
        lines = _payloads(lines, (name,))
        if fold is None and (fold := fold_of(lines)) is not None:
            fold = replace(fold, depth=len(found))
            lines = fold.joined(lines)
    return tuple(found), fold


def _within(lines: list[str], wrappers: tuple[str, ...], fold: Fold | None) -> list[str]:
    """What stands in envelopes, whole."""
    if fold is None:
        return _payloads(lines, wrappers)
    broken = _payloads(lines, wrappers[: fold.depth])
    return _payloads(fold.joined(broken), wrappers[fold.depth :])


def _told(lines: list[str]) -> list[str]:
    return [line for line in lines if line.strip()][:MAX_LINES]


def _outermost(lines: list[str], evidence: dict[str, int]) -> str | None:
    for name, take_off in WRAPPERS.items():
        if name in evidence or not is_wrapped(name, lines):
            continue
        payloads = [found.payload for line in lines if (found := take_off(line)) is not None]
        if name == "export" and not _is_export(lines, payloads):
            continue
        evidence[name] = len(payloads)
        return name
    return None


_HEADED = when_used(rf"{COLOUR}\W{{0,8}}(?:{DATED_START}|(?:{LEVEL})\W+{DATED_START}|\d\d:\d\d:\d\d)")
_CONTINUATION = when_used(rf"\t|[ \t]*(?:{SIGNS})|{ENTRY}")


def _is_export(lines: list[str], payloads: list[str]) -> bool:
    """A time before each line is an envelope if continuation lines carry it too, or the lines have times
    of their own; else it is the layout's own timestamp."""
    own = sum(1 for payload in payloads if _HEADED.match(payload))
    own += sum(1 for payload in payloads if payload.startswith("{") and load(payload) is not None)
    nested = sum(1 for payload in payloads if _CONTINUATION.match(payload))
    is_own = own * 2 > len(payloads) - nested
    return is_own or (nested > 0 and not any(read_head(line) for line in lines[:40] if CONTEXT.search(line)))


def _payloads(lines: list[str], wrappers: tuple[str, ...]) -> list[str]:
    found = (unwrap(line, wrappers) for line in lines) if wrappers else ()
    return [part for item in found if item is not None for part in item.payload.split("\n")] or lines


def _shorn(prefix: str, lines: list[str]) -> list[str]:
    return [re.sub(rf"\A{prefix}", "", line, count=1) for line in lines] if prefix else lines


_OPENED = when_used(r"[ \t]{0,4}\[?\{[ \t]*")


def _pretty(lines: list[str]) -> list[str]:
    """The objects of a source whose JSON goes over several lines each, on one line; they may stand in one fence."""
    begin = next((at for at, line in enumerate(lines, 1) if line.startswith("```")), 0)
    is_opened = len(lines) >= begin + 3 and lines[begin].strip() in ("{", "[", "[{")
    if not is_opened or not any(_OPENED.fullmatch(line) for line in lines):  # or an object is on each line
        return []
    objects = glued("\n".join(lines[begin:]))
    rest = "\n".join(lines).rpartition(objects[-1])[2].strip("`\n ,]") if objects else "-"
    if rest and (begin or ("\n" in rest and not _OPENED.match(rest))):  # a print before a log
        return []
    return [well_formed(json.dumps(json.loads(one, strict=False), ensure_ascii=False)) for one in objects]


# A field of an object that is printed over several lines, as Node prints it: `  level: 'ERROR',`.
_FIELD = r"[ \t]+\w+: (?:\"[^\"\n]*\"|'[^'\n]*'|[\d.]+)[ \t]*,?[ \t]*\r?$"
_INSIDE = when_used(rf"(?:{GOES_ON.pattern})|{_FIELD}")
_HEADLESS = when_used(rf"(?:{BEGINS_OBJECT.pattern})|{_INSIDE.pattern}")


def _sample_of(lines: list[str], *, is_apart: bool) -> "_Sample":
    """What the first lines say; of lines that are all alike, as most sources', some say what all of them would."""
    begins = [] if is_apart else [at for at, line in enumerate(lines) if not _HEADLESS.match(line)]
    if len(begins) > SOME_LINES:
        some = _Sample(lines[: begins[SOME_LINES]], is_apart=False)
        if some.is_settled():
            return some
    return _Sample(lines, is_apart=is_apart)


class _Sample:
    """The first lines of a source, each taken apart."""

    def __init__(self, lines: list[str], *, is_apart: bool) -> None:
        self.heads: list[Head] = []
        self.shapes: Counter[str] = Counter()
        self._notations: dict[str, Counter[str]] = {}
        self.json = self.others = 0
        self._is_taken = False
        self._learned = [] if is_apart else learn([line for line in lines if not _HEADLESS.match(line)])
        self._is_apart = is_apart
        for line, below in pairwise([*lines, ""]):
            if not self._is_taken:
                self._take(line, below)
            else:
                self._is_taken = False
        self._join_beginnings()
        self.evidence = {"lines": len(lines), "with_head": len(self.heads)}
        if self.json:
            self.evidence["json"] = self.json

    def _take(self, line: str, below: str) -> None:
        if line.startswith("{"):
            value = load(line)
            if value is not None and is_log(value):
                self.json += 1
                for record in islice(records_of(value), 1):
                    self.heads.append(Head(at=record.at, level=record.level, message=record.message))
                return
        if _INSIDE.match(line):
            return
        plain = uncoloured(line)
        for shape, notation in self._learned:
            known = template_of(shape, notation).read(plain)
            if known is not None:
                self.heads.append(known)
                self.shapes[shape] += CERTAIN
                self._notations.setdefault(shape, Counter())[notation] += 1
                return
        self._is_taken = self._is_apart and not BELOW.match(plain) and not GOES_ON.match(plain)
        head = read_head(f"{plain}\n{below}" if self._is_taken else plain)
        self._is_taken = self._is_taken and head is not None and head.message in below
        # A logger alone ends a dump.
        if (
            head is None
            or not (head.at or head.level or (head.logger and head.message))
            # A logger was found among words alone, as a message without a head may name one.
            or (head.shape.startswith("<any> <any>") and not (head.at or head.level or head.thread))
        ):
            self.others += not line[0].isspace()  # what is indented goes on with a record
            return
        self.heads.append(head)
        # An application's lines say how the head looks, but its words may be taken for a part of it.
        weight = 20 if head.is_anchored or (head.logger and is_kafka_logger(head.logger)) else 1
        self.shapes[head.shape] += weight
        if head.at:
            self._notations.setdefault(head.shape, Counter())[notation_of(head.at)] += 1

    def _join_beginnings(self) -> None:
        """The first line of a dump has no tail, as the logger stands behind its last one: it is no head of another shape."""
        learned = {shape for shape, _ in self._learned}
        for shape in [one for one in self.shapes if one.endswith("<message>") and one not in learned]:
            longer = (one for one in self.shapes if one.startswith(shape + " ") and "<logger>" in one)
            if (whole := next(longer, None)) is not None:
                self.shapes[whole] += self.shapes.pop(shape)
                self._notations.setdefault(whole, Counter()).update(self._notations.get(shape, Counter()))

    def is_settled(self) -> bool:
        """Whether each line is of the one head that there is, or goes on with a record, and its dates have one order."""
        is_alike = len(self._learned) == len(self.shapes) == 1 and not (self.json or self.others)
        are_enough = self.shapes.total() > CERTAIN * SOME_LINES / 2
        dated = (head.at is not None and numbers_of_date(head.at) is not None for head in self.heads)
        return is_alike and are_enough and (self.date_order() is not None or not any(dated))

    def winner(self) -> str:
        """What most lines look like."""
        text = len(self.heads) - self.json
        if self.json and self.json >= text:
            return "json"
        if not self.shapes or self.others > max(3 * text, 8):
            return "plain"
        return self.shapes.most_common(1)[0][0]

    def templates(self) -> tuple[tuple[str, str], ...]:
        """The shapes of many lines, most first."""
        total = self.shapes.total()
        return tuple(
            (shape, "|".join(one for one, _ in self._notations.get(shape, Counter()).most_common(4)))
            for shape, count in self.shapes.most_common(MOST_TEMPLATES)
            if count >= RARE * total and shape != "<message>"
        )

    def has_full_loggers(self) -> bool:
        """Whether nine heads of ten name their logger with its package: else bytes alone can't tell what is not Kafka's."""
        named = sum(1 for head in self.heads if head.logger and head.logger.count(".") >= 2)
        told = (head.logger for head in self.heads if head.logger and CONTEXT.match(head.message))
        is_cut = not all(map(KAFKA_LOGGER.match, told))
        return bool(self.heads) and not is_cut and named >= 0.9 * (len(self.heads) + self.others)

    def date_order(self) -> str | None:
        """The one order in which all dates in numbers are dates; None where there are none, or several."""
        possible: set[str] | None = None
        for head in self.heads:
            numbers = numbers_of_date(head.at) if head.at else None
            if numbers is not None:
                orders = set(orders_of(*numbers)) | ({"dmy", "mdy"} if numbers[0] == numbers[1] else set())
                possible = orders if possible is None else possible & orders
        return next(iter(possible)) if possible is not None and len(possible) == 1 else None


def _times(heads: Sequence[Head], clock: Clock, evidence: dict[str, int]) -> tuple[str, bool]:
    """Zone and direction, from the timestamps of the records' first lines."""
    written = [head.at for head in heads if head.at]
    read = list(map(clock.read, written))
    zones = Counter(instant.zone_origin for instant in read)
    instants = [instant.at for instant in read if instant.at is not None]
    moments = list(map(str, instants)) or written
    back = sum(1 for earlier, later in pairwise(moments) if later < earlier)
    forth = sum(1 for earlier, later in pairwise(moments) if later > earlier)
    evidence |= {"times": len(instants), "times_with_zone": zones["logged"]}
    origin = "declared" if clock.time_zone else "assumed" if instants else "none"
    if zones["logged"] * 2 > zones.total():
        origin = "logged"
    return origin, back >= (MIN_STEPS_BACK if forth else 2) and back > 9 * forth
