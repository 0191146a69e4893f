"""A layout's shape as a pattern: what it says of a line, at once; and of a line that it doesn't fit, the line itself."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from transforms.parse.anchors import CONTEXT
from transforms.parse.heads import read_head
from transforms.parse.tails import take_level_below, take_tail
from transforms.parse.tokens import LEVEL_WORDS, NAME, Head, normal_level

_BLANKS = r"[ \t]+"
_LEVEL = "|".join((*LEVEL_WORDS, *(word.lower() for word in LEVEL_WORDS), "ERR|err|ALL|OFF"))


@dataclass(frozen=True, slots=True)
class Template:
    """A shape as a pattern. head: what stands before the message. tail: what stands behind it, on its line; "" where nothing
    does. Both take no lookarounds, so that columns are read by the same patterns."""

    head: str
    tail: str
    regex: re.Pattern[str]

    @property
    def has_tail(self) -> bool:
        """Whether the logger stands behind the message."""
        return bool(self.tail)


@lru_cache(maxsize=256)
def template_of(shape: str, notation: str = "") -> Template:
    """The template of a shape. notation: of its times, as notation_of() gives it; any where it is "".

    Raises: ValueError where the shape has no message.
    """
    before, sign, after = shape.partition("<message>")
    if not sign:
        raise ValueError(f"{shape!r} has no <message>")
    head = _pattern(before, notation)
    tail = (
        (r"[ \t]*" if not after.startswith(" ") else "") + _pattern(after, notation) if after.strip() else ""
    )
    return Template(head, tail, re.compile(head))


def _pattern(shape: str, notation: str) -> str:
    parts = re.split(r"(<\w+>)", shape)
    made = []
    taken: set[str] = set()
    for number, part in enumerate(parts):
        if number % 2 == 0:
            text = re.sub(r"\\? +", lambda _: _BLANKS, re.escape(part))
            closes, opens = part[:1] in ("]", ")", "}", ">"), part[-1:] in ("[", "(", "{", "<")
            made.append((r"[ \t]*" if closes and number else "") + text + (r"[ \t]*" if opens else ""))
            continue
        name = part[1:-1]
        after = parts[number + 1][:1]
        pattern = _field(name, parts[number - 1][-1:], after, notation)
        last = name not in part[1:-1] or f"<{name}>" not in "".join(parts[number + 1 :])
        made.append(
            f"(?P<{name}>{pattern})" if name != "any" and last and name not in taken else f"(?:{pattern})"
        )
        if name == "logger":
            made.append(r"(?::\d+)?")
        if last:
            taken.add(name)
    return "".join(made)


def _field(name: str, before: str, after: str, notation: str) -> str:
    if name == "time":
        return notation or r"\d[\dT:.,/ +\-Z]*\d|\d+|"
    if name == "level":
        return _LEVEL
    if name == "logger":
        return NAME
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
    made = re.sub(r"[A-Za-z]{2,}", "A", at.replace("T", "\x00"))
    parts = []
    for run in re.finditer(r"\d+|A|\x00|.", made):
        text = run[0]
        if text.isdigit():
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
        head = _by_template(text, template)
        if head is not None:
            return head
    return read_head(text)


def _by_template(text: str, template: Template) -> Head | None:
    found = template.regex.match(text)
    if found is None:
        return None
    fields = found.groupdict()
    at, level = fields.get("time"), fields.get("level")
    head = Head(at, normal_level(level), fields.get("logger"), message=text[found.end() :])
    head.thread = (fields.get("thread") or "").strip() or None
    head.context = fields.get("context")
    if head.logger is None:
        take_tail(head)
    if head.level is None:
        take_level_below(head)
    head.message = head.message.rstrip()
    if (level and level not in LEVEL_WORDS) or not is_certain(head.logger, head.message, text):
        return None
    return head


def is_certain(logger: str | None, message: str, text: str) -> bool:
    """Whether a template has found the message: it begins with its context, or has none; then the logger must be said."""
    if CONTEXT.match(message) is not None:
        return True
    return logger is not None and CONTEXT.search(text) is None
