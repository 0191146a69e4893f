"""Java `.properties` of Kafka clients: their entries, and which clients they configure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from transforms import yaml_text
from transforms.well_formed import well_formed
from transforms.when_used import when_used

_ENTRY = when_used(r"(?s)((?:[^\\:=\s]|\\.)+)\s*[:=\s]?\s*(.*)")
_LINE_END = when_used(r"\r\n|\r|\n")  # and no other: a key may hold any character
_ESCAPE = when_used(r"(?s)\\(u[0-9a-fA-F]{4}|.)")
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
# Prefixes with which a Streams or Connect file reaches the clients inside, the weaker first.
INSIDE = {
    "consumer": ("consumer.", "main.consumer."),
    "producer": ("producer.",),
    "admin": ("admin.",),
}
OTHER_PREFIXES = ("restore.consumer.", "global.consumer.", "topic.")
TELLING = {
    "streams": ("application.id", "num.stream.threads", "processing.guarantee", "task.timeout.ms"),
    "connect": (
        "offset.storage.topic",
        "config.storage.topic",
        "plugin.path",
        "offset.storage.file.filename",
    ),
    "producer": (
        "delivery.timeout.ms",
        "linger.ms",
        "acks",
        "batch.size",
        "max.block.ms",
        "key.serializer",
        "transactional.id",
        "enable.idempotence",
        "compression.type",
    ),
    "consumer": (
        "group.id",
        "max.poll.interval.ms",
        "session.timeout.ms",
        "max.poll.records",
        "key.deserializer",
        "auto.offset.reset",
        "heartbeat.interval.ms",
        "group.protocol",
        "enable.auto.commit",
    ),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One setting as it stands in a file; line is 1-based, where it begins."""

    key: str
    value: str
    line: int

    @property
    def plain_key(self) -> str:
        """Without the prefix that names a client inside Streams or Connect."""
        for prefix in (*OTHER_PREFIXES, *(p for prefixes in INSIDE.values() for p in reversed(prefixes))):
            if self.key.startswith(prefix):
                return self.key.removeprefix(prefix)
        return self.key


def entries_of(text: str) -> list[Entry]:
    """The entries of a file, in its order; comments and blank lines left out (java.util.Properties.load)."""
    found: list[Entry] = []
    lines = _LINE_END.split(text)
    number = 0
    while number < len(lines):
        first, logical = number + 1, lines[number].lstrip()
        number += 1
        if not logical or logical[0] in "#!":
            continue
        while _continues(logical):
            logical = logical[:-1] + (lines[number].lstrip() if number < len(lines) else "")
            number += 1
        match = _ENTRY.match(logical)
        if match is not None:
            found.append(Entry(_unescaped(match[1]), _unescaped(match[2]).strip(), first))
    return found


def _continues(line: str) -> bool:
    """An odd number of backslashes at its end."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _unescaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        escaped = match[1]
        return chr(int(escaped[1:], 16)) if len(escaped) == 5 else _ESCAPED.get(escaped, escaped)

    return well_formed(_ESCAPE.sub(one, text))


def clients_in(declared: Mapping[str, str], client_kind: str | None) -> dict[str, dict[str, str]]:
    """The clients that a file configures, by kind; those inside of Streams as `embedded_producer` and so on."""
    kinds = [client_kind] if client_kind else _kinds_of(declared)
    found: dict[str, dict[str, str]] = {}
    for kind in kinds:
        found[kind] = dict(declared)
        if kind == "streams":
            for inner, prefixes in INSIDE.items():
                found[f"embedded_{inner}"] = _inside(declared, inner, prefixes, passes_on=True)
        elif kind == "connect":
            for inner, prefixes in INSIDE.items():
                of_inner = _inside(declared, inner, prefixes, passes_on=False)
                if of_inner:
                    found[inner] = of_inner
    return found


def _kinds_of(declared: Mapping[str, str]) -> list[str]:
    for owner in ("streams", "connect"):
        if any(key in declared for key in TELLING[owner][:3]):
            return [owner]
    kinds = [kind for kind in ("producer", "consumer") if any(key in declared for key in TELLING[kind])]
    return kinds or ["admin"]


def _inside(
    declared: Mapping[str, str], kind: str, prefixes: tuple[str, ...], *, passes_on: bool
) -> dict[str, str]:
    """The settings that reach a client inside: unprefixed ones it knows (Streams only), then prefixed ones."""
    found = {key: value for key, value in declared.items() if passes_on and key in known_keys(kind)}
    for prefix in prefixes:
        found |= {
            key.removeprefix(prefix): value for key, value in declared.items() if key.startswith(prefix)
        }
    return found


@cache
def known_keys(client_kind: str) -> frozenset[str]:
    """The settings that a kind of client knows; empty for a kind without a list (connect)."""
    lists = yaml_text.of_package("transforms", "config_keys.yaml")
    if client_kind not in lists:
        return frozenset()
    common = [] if client_kind == "streams" else lists["common"]
    return frozenset(lists[client_kind]) | frozenset(common)
