"""Texts of a pattern, drawn at random: it is taken apart as `re` does it, and each field gets a value of its sort."""

import random
import re

# No public name gives a pattern's parts; the private one has been there since 3.11 under this name.
import re._parser as pattern_parser  # type: ignore[import-not-found]
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any
from uuid import UUID

# Without what may stand for a number (n, x), and what short names of secrets have (pw, key).
LETTERS = "abcdefghijlmoqrstuvwyz"
Draw = Callable[[random.Random], str]
MOST_DRAWN = 20  # texts, until one fits and holds its literal


def drawn_uuid(draw: random.Random) -> str:
    return str(UUID(int=draw.getrandbits(128)))


FIELDS: dict[str, Draw] = {
    "api": lambda draw: draw.choice(("FETCH", "PRODUCE", "HEARTBEAT", "JOIN_GROUP", "METADATA")),
    "member_id": lambda draw: f"consumer-{draw.randint(1, 99_999)}-{drawn_uuid(draw)}",
    "tp": lambda draw: f"orders-{draw.randint(1, 9_999)}-{draw.randint(0, 99)}",
    "topic": lambda draw: f"orders-{draw.randint(1, 99_999)}",
    "task_id": lambda draw: f"{draw.randint(0, 9)}_{draw.randint(0, 999)}",
    "group_id": lambda draw: f"order-service-{draw.randint(1, 99_999)}",
    "partitions": lambda draw: f"[orders-{draw.randint(0, 99_999)}, payments-{draw.randint(0, 99_999)}]",
}


@cache
def drawer(pattern: str, literal: str) -> Draw:
    """Texts of a pattern, with what a client's line always holds, though a pattern may let it be cut off."""
    parsed = pattern_parser.parse(pattern)
    names = {number: name for name, number in parsed.state.groupdict.items()}
    whole = re.compile(pattern)

    def drawn(draw: random.Random) -> str:
        for _ in range(MOST_DRAWN):
            text = _written(parsed, names, draw)
            if literal in text and whole.match(text):
                break
        text = text if whole.match(text) else _written(parsed, {}, draw)
        stripped = text.rstrip()  # no reader keeps a blank at the end
        return stripped if whole.match(stripped) else f"{text}{draw.choice(LETTERS)}"

    return drawn


def _written(parts: Sequence[Any], names: dict[int, str], draw: random.Random) -> str:
    return "".join(_part(str(kind), value, names, draw) for kind, value in parts)


def _part(kind: str, value: Any, names: dict[int, str], draw: random.Random) -> str:
    if kind == "LITERAL":
        return chr(value)
    if kind in ("ANY", "NOT_LITERAL"):
        return draw.choice(LETTERS)
    if kind == "IN":
        return _one_of(value, draw)
    if kind == "BRANCH":
        return _written(draw.choice(value[1]), names, draw)
    if kind == "SUBPATTERN":
        name = names.get(value[0])
        return FIELDS[name](draw) if name in FIELDS else _written(value[3], names, draw)
    if kind == "ATOMIC_GROUP":
        return _written(value, names, draw)
    if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, part = value
        is_any = str(part[0][0]) == "ANY"  # what is there in a client's line, and may be cut in a paste
        least = max(least, 1) if is_any and int(most) > 1 else least
        times = (
            draw.randint(least, min(int(most), max(least, 6)))
            if int(most) > 1
            else draw.randint(least, int(most))
        )
        text = "".join(_written(part, names, draw) for _ in range(times))
        return f", {text}" if is_any and value[0] == 0 and text else text
    return ""  # anchors and what must not follow


def _one_of(options: Sequence[Any], draw: random.Random) -> str:
    if any(str(kind) == "NEGATE" for kind, _ in options):
        is_blank = any(str(value) == "CATEGORY_NOT_SPACE" for _, value in options)
        return " " if is_blank else draw.choice(LETTERS)
    kind, value = draw.choice(list(options))
    if str(kind) == "RANGE":
        return chr(draw.randint(*value))
    if str(kind) == "LITERAL":
        return chr(value)
    if str(value) in ("CATEGORY_SPACE", "CATEGORY_NOT_WORD"):
        return " "
    return str(draw.randint(1, 9)) if "DIGIT" in str(value) else draw.choice(LETTERS)
