"""A layout's shape as a pattern: what it says of a line, at once; and of a line that it doesn't fit, the line itself."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from transforms.parse.catalogue.anchors import context_in, is_kafka_logger
from transforms.parse.catalogue.forms import finder
from transforms.parse.lines.heads import read_head
from transforms.parse.lines.tails import take_below, take_tail
from transforms.parse.lines.tokens import (
    ANY_LEVEL,
    CONNECT_CONTEXT_BEGINS,
    LEVEL_WORDS,
    NAME,
    Head,
    logger_of,
    normal_level,
)
from transforms.when_used import when_used

_BLANKS = r"[ \t]+"
_PLACE = r"(?:\(\d+\)|(?:[:#][a-z_<][\w$<>]*)?:\d+)?"  # behind a logger: its line, or a function and its line
_ANY_DIGIT = when_used(r"[1-9]")
_PADDED = frozenset("|:;,>#*\u2502[](){}<")
_CERTAIN_WORDS = when_used(r"(?:[A-Za-z'][\w'.]*,? +){3}")
# In ASCII alone, as starts of records are looked for by it in bytes, too: any word may be a level in another alphabet.
_LEVEL = "|".join(
    (
        *filter(str.isascii, (*LEVEL_WORDS, *(word.lower() for word in LEVEL_WORDS))),
        r"[A-Z]{0,10}[^\x00-\x7f]{1,12}[A-Z]{0,2}|VRB|DBG|INF|WRN|ERR|FTL|err|ALL|OFF|[DIWEF]",
    )
)


@dataclass(frozen=True, slots=True)
class Template:
    """A shape as a pattern. regex: of what stands before the message; it takes no lookarounds, so that columns can be looked
    through for it, too."""

    regex: re.Pattern[str]

    def read(self, text: str) -> Head | None:
        """What a record's text says; None where it is not of this template for certain."""
        found = self.regex.match(text)
        # A field in quotes, which may have others behind it.
        if found is None or found[0].endswith(('"', "'", "=")):
            return None
        fields = found.groupdict()
        at, level, logger = fields.get("time"), fields.get("level"), fields.get("logger")
        # Bars tell a head from its message, too: librdkafka's.
        told = len(fields) + (self.regex.pattern.count(r"\|") > 2)
        if (level and not ANY_LEVEL.match(level)) or not _is_certain(text, found.end(), told):
            return None
        logger = (logger_of(logger) or logger) if logger else None
        head = Head(at, normal_level(level), logger, message=text[found.end() :])
        head.thread = (fields.get("thread") or "").strip() or None
        head.context = fields.get("context")
        if head.logger is None:
            take_tail(head)
        if head.logger is None and is_kafka_logger(head.thread or ""):  # others of its lines name none
            head.logger, head.thread = head.thread, None
        take_below(head)
        head.message = head.message.rstrip()
        head.is_anchored = head.logger is None and finder().find_start(head.message, 0, None)
        return head


def _is_certain(text: str, begin: int, fields: int) -> bool:
    """Whether a template has found the message: nothing of a head stands between its own and the message's context."""
    if CONNECT_CONTEXT_BEGINS.match(text, begin):
        return False  # which the source's other lines lack
    end = text.find("\n", begin)
    context = context_in(text, 0, end if end >= 0 else len(text))
    if context is None:
        return fields > 1
    return context.start() == begin or _CERTAIN_WORDS.match(text, begin, context.start()) is not None


@lru_cache(maxsize=256)
def template_of(shape: str, notation: str = "") -> Template:
    """The template of a shape. notation: of its times, as notation_of() gives it; any where it is "".

    Raises: ValueError where the shape has no message.
    """
    before, sign, _ = shape.partition("<message>")
    if not sign:
        raise ValueError(f"{shape!r} has no <message>")
    return Template(re.compile(_pattern(before, notation)))


def _pattern(shape: str, notation: str) -> str:
    # Several of blanks and words alone would fit a run of blanks in each way that it can be parted.
    shape = re.sub(r"(?<![^ ])(?:<any> ){2,}", lambda run: f"<any{run[0].count('<')}> ", shape)
    made, parts = [], re.split(r"(<\w+>)", shape)
    taken: set[str] = set()
    for number, part in enumerate(parts):
        if number % 2 == 0:
            made.append(_gap(part, is_first=number == 0))
            continue
        name = part[1:-1]
        pattern = _field(name, parts[number - 1][-1:], parts[number + 1][:1], notation)
        is_last = f"<{name}>" not in "".join(parts[number + 1 :])
        is_told = not name.startswith(("any", "when")) and is_last and name not in taken
        made.append(f"(?P<{name}>{pattern})" if is_told else f"(?:{pattern})")
        if name == "logger":
            made.append(_PLACE if not parts[number + 1].startswith("(") else r"(?::\d+)?")
        if is_last:
            taken.add(name)
    return "".join(made)


def _gap(text: str, *, is_first: bool) -> str:
    """What stands between two fields: any number of blanks where some are, and where brackets and bars are padded."""
    # Before a head they are its indent, or what a level is padded with.
    blanks = r"[ \t]*" if is_first and text.isspace() else _BLANKS
    made = re.sub(r"(?:\\?[ \t])+", lambda _: blanks, re.escape(text))
    before = text[:1] in _PADDED and not is_first
    behind = text[-1:] in _PADDED and text[-1:] not in ('"', "'")
    return (r"[ \t]*" if before else "") + made + (r"[ \t]*" if behind else "")


def _field(name: str, before: str, after: str, notation: str) -> str:
    if name == "when":
        return r"\S+?(?: \S+){0,5}?"
    if name == "time":
        return notation or r"\d[\dT:.,/ +\-Z]*\d|\d+|"
    if name in ("level", "logger"):
        return _LEVEL if name == "level" else NAME
    if name[3:].isdecimal():  # so many words
        return rf"[^\s|]+(?:{_BLANKS}[^\s|]+){{{int(name[3:]) - 1}}}"
    if before in ("[", "(", "{", "<") or after in ("]", ")", "}", ">"):
        closing = {"]": r"\[\]", ")": "()", "}": "{}", ">": "<>"}.get(after, r"\[\]")
        inner = rf"[^{closing}\n]*"
        if len(closing) == 2:
            return inner + (rf"(?:\({inner}\){inner})?" if after == ")" else "")
        return inner + rf"(?:\[{inner}\]{inner})?"
    if before == '"':
        return r'[^"\n]*'
    return r"\S+?(?: \| \S+)?" if name == "thread" else r"[^\s|]*" if after in (" ", "|") else r"\S*?"


def notation_of(at: str) -> str:
    """The pattern of all times that are written as this one is."""
    return _notation_of(_ANY_DIGIT.sub("0", at))


@lru_cache(maxsize=256)
def _notation_of(at: str) -> str:
    made = re.sub(r"[A-Za-z]{2,}", "A", at.replace("T", "\x00"))
    parts = []
    for run in re.finditer(r"\d+|A|\x00|.", made):
        text = run[0]
        if text.isdecimal():
            is_fraction = run.start() > 0 and made[run.start() - 1] in ".,"
            is_fraction = is_fraction and ":" in made[: run.start()]
            parts.append(
                r"\d{1,9}" if is_fraction else rf"\d{{{len(text)}}}" if len(text) > 2 else r"\d{1,2}"
            )
        elif text == "A":
            parts.append(r"[A-Za-z]+\.?")
        elif text in "+-" and run.start() > 10:
            parts.append(r"[+\-]")
        else:
            parts.append("T" if text == "\x00" else _BLANKS if text == " " else re.escape(text))
    return "".join(parts)


def read_by(text: str, templates: Sequence[Template]) -> Head | None:
    """Take a record's text apart by its source's templates, else by itself; None where it has no head."""
    for template in templates:
        head = template.read(text)
        if head is not None:
            return head
    return read_head(text)
