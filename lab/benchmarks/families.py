"""Lines of every family of the catalogue, each with ids and numbers of its own: nothing in it repeats.

What a text leaves free is drawn: a pattern is taken apart as `re` does it, and each of its fields gets a value of its sort.
"""

import random
import re

# No public name gives a pattern's parts; the private one has been there since 3.11 under this name.
import re._parser as pattern_parser  # type: ignore[import-not-found]
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from transforms.parse.catalogue.compiled import MASK
from transforms.parse.catalogue.forms import catalogue

FILES = 8
# What each log begins with: a task's timer is judged by the limit that a dump names.
DUMP = (
    "StreamsConfig values: \n\tapplication.id = orders\n\ttask.timeout.ms = 300000\n"
    " (org.apache.kafka.streams.StreamsConfig)\n"
)
BEGIN_MS = 1_772_323_200_000  # 2026-03-01
# Without what may stand for a number (n, x), and what short names of secrets have (pw, key).
LETTERS = "abcdefghijlmoqrstuvwyz"
PREFIXES = {
    "broker": "[GroupCoordinator id={n} topic=__consumer_offsets partition={p}] ",
    "admin": "[AdminClient clientId=admin-{n}] ",
    "producer": "[Producer clientId=orders-producer-{n}] ",
    "streams": "stream-thread [orders-{u}-StreamThread-{p}] ",
    "consumer": "[Consumer clientId=consumer-{n}, groupId=order-service-{p}] ",
}
Draw = Callable[[random.Random], str]
MOST_DRAWN = 20  # texts, until one holds its literal


def families(folder: Path, megabytes: int, seed: int = 7) -> int:
    """Write FILES logs with so many MB in all, every family in turn; gives the number of records."""
    # A client prints numbers; what posters put in their place is theirs.
    lines = [
        (form.family, drawer(form.regex.pattern.replace(f"|{MASK}", ""), form.literal))
        for form in catalogue()
    ]
    records = 0
    for number in range(FILES):
        draw = random.Random(f"{seed}/{number}")
        path = folder / f"families-{number}" / "app.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="\n") as log:
            at = BEGIN_MS + number * 1_370
            log.write(f"[{_moment(at)}] INFO {DUMP}")
            while log.tell() < megabytes * 1_000_000 // FILES:
                for family, body in draw.sample(lines, len(lines)):
                    at += draw.randint(0, 9)
                    level = family.levels[0] if family.levels else "INFO"
                    logger = min(family.loggers, default="KafkaConsumer")
                    text = _prefix(family, draw) + body(draw)
                    log.write(f"[{_moment(at)}] {level} {text} (org.apache.kafka.clients.{logger})\n")
                    records += 1
    return records


def _moment(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d %H:%M:%S},{at % 1000:03d}"


def _prefix(family: Any, draw: random.Random) -> str:
    name = family.client or ("streams" if "stream" in family.id or "task" in family.id else "consumer")
    form = PREFIXES.get(name, "")
    return form.format(n=draw.randint(1, 99_999), p=draw.randint(0, 99), u=_uuid(draw))


def _uuid(draw: random.Random) -> str:
    digits = f"{draw.getrandbits(128):032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


FIELDS: dict[str, Draw] = {
    "api": lambda draw: draw.choice(("FETCH", "PRODUCE", "HEARTBEAT", "JOIN_GROUP", "METADATA")),
    "member_id": lambda draw: f"consumer-{draw.randint(1, 99_999)}-{_uuid(draw)}",
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
            if literal in text:
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
