"""Where the clients of one service run with other values than each other."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]
# Every client has its own; Kafka wants it so.
OWN = frozenset({
    "client.id", "client.rack", "group.instance.id", "transactional.id", "application.server", "state.dir",
    "group.id", "application.id",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Difference:
    """A setting that clients of one kind have with different values: value -> who has it, the most first."""

    client_kind: str
    name: str
    values: tuple[tuple[str, tuple[str, ...]], ...]


def latest(rows: Iterable[Row]) -> list[Row]:
    """Of each client's setting the value that held last."""
    held: dict[tuple[str, str, str, str], Row] = {}
    for row in rows:
        key = (row["unit_id"], row["client_kind"] or "", row["client_id"] or "", row["name"])
        known = held.get(key)
        if known is None or _when(known) <= _when(row):
            held[key] = row
    return list(held.values())


def differences(rows: Sequence[Row]) -> list[Difference]:
    """The settings that clients of a kind have with more than one value, of `latest` rows of one service."""
    found: dict[tuple[str, str], dict[str, set[str]]] = {}
    for row in rows:
        if row["name"] not in OWN:
            values = found.setdefault((row["client_kind"] or "unknown", row["name"]), {})
            values.setdefault(row["value"], set()).add(row["client_id"] or row["unit_id"])
    return [
        Difference(kind, name, _most_first(values))
        for (kind, name), values in sorted(found.items())
        if len(values) > 1
    ]


def _when(row: Row) -> tuple[int, int]:
    return row["incarnation"], row["from_at"] or 0


def _most_first(values: Mapping[str, set[str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(
        (value, tuple(sorted(who)))
        for value, who in sorted(values.items(), key=lambda one: (-len(one[1]), one[0]))
    )
