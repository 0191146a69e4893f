"""Heads of a source's lines, learned together: what a part is, is told by what stands in its place in all of them.

Only lines whose message is known for certain are asked: all that stands before it is the head, whatever its order.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from transforms.parse.catalogue.anchors import context_in, is_kafka_logger
from transforms.parse.catalogue.exceptions import is_behind_class
from transforms.parse.catalogue.forms import finder
from transforms.parse.lines.tails import take_tail
from transforms.parse.lines.templates import notation_of, template_of
from transforms.parse.lines.timestamps import STAMP
from transforms.parse.lines.tokens import (
    ANY_LEVEL,
    CORRELATION,
    GROUP,
    THREADY,
    Head,
    is_connects,
    is_whole_time,
    logger_of,
)
from transforms.when_used import when_used

HEAD_WINDOW = 1024  # characters: no head is longer
MOST_PARTS = 14
MOST_NOTATIONS = 4
MOST_TEMPLATES = 6
RARE = 0.03  # a head of so few lines is read line by line
_GROUP = when_used(GROUP)
_PAIR = when_used(r"[A-Za-z][\w.\-]*=\"?(?=[^\s\"])")
_WORD = when_used(r"[^\s|\[({<]+(?:\[[^\]\n]*\])?")
_BEGINS = r"(?=[A-Z\[a-z'])"
_AT_FIRST = when_used(_BEGINS)
_BOUNDARY = when_used(rf"[\s|:\]>)}}\"]{_BEGINS}")
_BLANKS = when_used(r"\s+")
_SENTENCE = when_used(r"(?:[A-Za-z][A-Za-z']*,? +){3}\Z")
_CAMEL = when_used(r"[A-Z][A-Za-z0-9]*[a-z][\w$]*(?:[.:]\w+|\(\d+\))?:?$")
_SURE_THREAD = when_used(r"main$|.*[Tt]hread|.*exec|.*[Ww]orker|.*scheduler|.*-C-\d|.*-StateUpdater")
Rate = Callable[[int], tuple[float, ...] | int]
Holds = Callable[[str], bool]


@dataclass(slots=True)
class _Part:
    """A time or another word of a head. is_held: it stands in brackets."""

    value: str
    begin: int
    end: int
    is_time: bool = False
    is_held: bool = False


@dataclass(slots=True)
class _Alike:
    """Lines whose heads have the same separators. parts and gaps: of each line."""

    lines: list[str] = field(default_factory=list)
    parts: list[list[_Part]] = field(default_factory=list)
    gaps: list[list[str]] = field(default_factory=list)
    tails: Counter[str] = field(default_factory=Counter)


def learn(lines: Sequence[str]) -> list[tuple[str, str]]:
    """The heads that lines with a known message have, most first: of each the shape and the notation of its times, as
    template_of() takes them."""
    alike: dict[tuple[str, ...], _Alike] = defaultdict(_Alike)
    for line in lines:
        begin = message_begin(line)
        parts = _parts(line, 0, begin) if begin > 0 else []
        if not parts or len(parts) > MOST_PARTS or line[begin - 1] in "\"'=":
            continue
        gaps = _gaps(line, parts, begin)
        key = (*(gap.strip() or gap[:1] for gap in gaps), *("time" if part.is_time else "" for part in parts))
        one = alike[key]
        one.lines.append(line)
        one.parts.append(parts)
        one.gaps.append(gaps)
        one.tails[take_tail(Head(message=line[begin:]))] += 1
    total = sum(len(one.lines) for one in alike.values())
    found: list[tuple[str, str]] = []
    for one in sorted(alike.values(), key=lambda one: -len(one.lines)):
        if len(one.lines) < max(RARE * total, 1) or len(found) == MOST_TEMPLATES:
            break
        templates = [template_of(*head) for head in found]
        if sum(any(known.read(line) for known in templates) for line in one.lines) * 2 <= len(one.lines):
            made = _learned(one)
            if made is not None:
                found.append(made)
    return found


def message_begin(line: str) -> int:
    """Where Kafka's message begins for certain; -1 where that can't be known."""
    context = context_in(line, 0, HEAD_WINDOW)
    find = finder().find_start
    # Some begin before a context that they name: `Commit of WorkerSinkTask{id=orders-0} offsets timed out`.
    until = context.start() if context is not None else HEAD_WINDOW
    behind = (boundary.end() for boundary in _BOUNDARY.finditer(line, 0, until))
    begins = chain((0,), behind) if _AT_FIRST.match(line) else behind
    begin = next((begin for begin in begins if find(line, begin, None)), -1)
    if begin > 0 and (is_behind_class(line, begin) or _SENTENCE.search(line, 0, begin)):
        return -1  # an exception or a sentence says it, and its class and its words are no part of a head
    return context.start() if context is not None and begin < 0 else begin


def _parts(text: str, at: int, end: int) -> list[_Part]:
    """The words of a head, those in brackets as one; separators stand between."""
    parts: list[_Part] = []
    while at < end:
        stamp = STAMP.match(text, at, end)
        if stamp is not None:
            parts.append(_Part(stamp[0], at, stamp.end(), is_time=True))
            at = stamp.end()
        elif (group := _GROUP.match(text, at, end)) is not None:
            inner = group[0][1:-1]
            begin = at + 1 + len(inner) - len(inner.lstrip())
            inner = inner.strip()
            if STAMP.match(inner) is not None:
                parts += _parts(text, begin, begin + len(inner))
            elif inner:
                parts.append(_Part(inner, begin, begin + len(inner), is_held=True))
            at = group.end()
        elif (pair := _PAIR.match(text, at, end)) is not None:
            at = pair.end()
        elif text[at].isalnum() or text[at] in "_.$?":
            word = _WORD.match(text, at, end)
            value = (word[0] if word else text[at]).rstrip(":,;\"'")
            name, *others = value.split(":")
            # `grep` puts a file's name before the line; Python's formats put colons between a head's parts.
            is_glued = (bool(parts) and text[at - 1] == ":") or any(ANY_LEVEL.match(one) for one in others)
            if others and (is_glued or STAMP.match(text, at + len(name) + 1, end)):
                value = name
            parts.append(_Part(value, at, at + len(value)))
            at += max(len(value), 1)
        else:
            at += 1
    return parts


def _gaps(text: str, parts: list[_Part], end: int) -> list[str]:
    begins = [0, *(part.end for part in parts)]
    ends = [*(part.begin for part in parts), end]
    return [_with_one_blank(text[begin:stop]) for begin, stop in zip(begins, ends, strict=True)]


_with_one_blank = lru_cache(maxsize=1024)(lambda gap: _BLANKS.sub(" ", gap))


def _learned(alike: _Alike) -> tuple[str, str] | None:
    columns = [list(column) for column in zip(*alike.parts, strict=True)]
    roles = _roles(columns, list(zip(*alike.gaps, strict=True)))
    if not {"time", "level", "logger"} & set(roles):
        return None
    pieces = []
    for number, gaps in enumerate(zip(*alike.gaps, strict=True)):
        pieces.append(_gap_of(gaps, is_first=number == 0))
        if number < len(roles):
            pieces.append(f"<{roles[number]}>")
    tail = ""
    if "logger" not in roles:
        tail = alike.tails.most_common(1)[0][0] if alike.tails else ""
    shape = "".join(pieces) + "<message>" + tail
    notations: Counter[str] = Counter()
    if "time" in roles:
        notations.update(notation_of(part.value) for part in columns[roles.index("time")])
    return shape, "|".join(one for one, _ in notations.most_common(MOST_NOTATIONS))


def _gap_of(gaps: Sequence[str], *, is_first: bool) -> str:
    """What stands between two parts; blanks that only some lines have are padding."""
    common = Counter(gaps).most_common(1)[0][0]
    bare = common.strip()
    if is_first or not bare:
        return bare if is_first and len(set(gaps)) > 1 else common
    closes = bare[0] in "])}" or (bare[0] == ">" and not bare.startswith(">>"))
    before = " " if not closes and all(gap.startswith(" ") for gap in gaps) else ""
    behind = " " if bare[-1] not in "[({<" and all(gap.endswith(" ") for gap in gaps) else ""
    return before + bare + behind


def _roles(columns: Sequence[list[_Part]], gaps: Sequence[Sequence[str]]) -> list[str]:
    """What each part is: one is the time, one the level, the logger, the thread, by the values of all lines."""
    roles = ["any"] * len(columns)
    values = [[part.value for part in column] for column in columns]
    times = [number for number, column in enumerate(columns) if column[0].is_time]
    if times:
        whole = [number for number in times if all(is_whole_time(value) for value in values[number])]
        for number in times:
            roles[number] = "when"
        roles[(whole or times)[-1]] = "time"
    is_spring = any("---" in gap for gap in (column[0] for column in gaps))

    def give(role: str, may_be: Callable[[int], object], rate: Rate) -> None:
        """Of the parts that have no role yet, and may have this one, the best has it."""
        free = [number for number, given in enumerate(roles) if given == "any" and may_be(number)]
        if free:
            roles[max(free, key=rate)] = role

    give("level", lambda n: all(map(ANY_LEVEL.match, values[n])), lambda n: (len(set(values[n])), n))
    give("logger", lambda n: _loggers(values[n])[1] >= 0.6, lambda n: (*_loggers(values[n]), n))
    give("context", lambda n: _share(values[n], is_connects) >= 0.5, lambda n: n)
    rates = [_thread_rate(column, is_spring) for column in columns]
    give("thread", lambda n: rates[n] > (0,), lambda n: (*rates[n], -n))
    return roles


def _share(values: Sequence[str], holds: Holds) -> float:
    return sum(1 for value in values if holds(value)) / len(values)


def _loggers(values: Sequence[str]) -> tuple[float, float]:
    """How many are Kafka's loggers, and how many are loggers at all; of class names alone the source has several."""
    named = [logger_of(value) for value in values]
    of_kafka = sum(1 for name in named if name and is_kafka_logger(name)) / len(values)
    dotted = sum(1 for name in named if name and "." in name) / len(values)
    classes = _share(values, lambda value: _CAMEL.match(value) is not None) if of_kafka else 0.0
    return of_kafka, max(of_kafka, dotted, classes)


def _thread_rate(column: list[_Part], is_spring: bool) -> tuple[float, ...]:
    """How much these are names of threads; (0,) where they are none."""
    values = [part.value for part in column]
    distinct = len(set(values))
    is_held = column[0].is_held
    thready = _share(values, lambda value: THREADY.match(value) is not None)
    sure = _share(values, lambda value: _SURE_THREAD.match(value) is not None)
    other = _share(
        values, lambda value: value.isdecimal() or "=" in value or CORRELATION.match(value) is not None
    )
    if other > 0.5:
        return (0,)
    if is_held and (thready >= 0.5 or distinct > 1 or is_spring):
        return (1 + (distinct > 1) + thready, sure)
    if not is_held and thready >= 0.9 and (sure >= 0.5 or distinct > 1):
        return (0.5 + thready, sure)
    return (0.1, sure) if is_held and len(values) < 4 else (0,)
