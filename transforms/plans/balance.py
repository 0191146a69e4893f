"""What was read of all sources together, whether it balances, and what may so be said where no incident is known."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from transforms.diagnose.wording.words import counted

Row = Mapping[str, Any]
UNITS, PARTS = ("lines", "bytes"), ("in_records", "unparsed", "dropped")
COUNTED = tuple(f"{unit}_{part}" for unit in UNITS for part in ("read", *PARTS))


@dataclass(slots=True)
class Balance:
    """All sources together. off: sources that do not balance; not_complete: by status."""

    sources: int = 0
    sums: dict[str, int] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)
    unparsed: Counter[str] = field(default_factory=Counter)
    not_complete: Counter[str] = field(default_factory=Counter)
    off: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Calm:
    """What may be said where no incident is known. is_clear: all that was read was understood."""

    sentence: str
    is_clear: bool


def summed(rows: Iterable[Row]) -> Balance:
    """The accounting of these sources as one."""
    made = Balance(sums=dict.fromkeys(COUNTED, 0))
    for row in rows:
        made.sources += 1
        for name in COUNTED:
            made.sums[name] += row[name]
        made.dropped.update(_counts(row["dropped_by_reason"]))
        made.unparsed.update(_counts(row["unparsed_by_reason"]))
        if row["status"] != "complete":
            made.not_complete[row["status"]] += 1
        if not is_balanced(row):
            made.off.append(row["source"])
    return made


def is_balanced(row: Row) -> bool:
    """Read = in records + unparsed + dropped, in lines and in bytes."""
    return all(row[f"{unit}_read"] == sum(row[f"{unit}_{part}"] for part in PARTS) for unit in UNITS)


def _counts(of_map: object) -> dict[str, int]:
    """A MAP column, as Arrow gives it: pairs."""
    return {str(name): int(count) for name, count in of_map} if isinstance(of_map, list) else {}


def calm(read: Balance) -> Calm:
    """What the absence of incidents means: never an all-clear of what was not read."""
    if not read.sources:
        return Calm("No log has been read to its end yet, so nothing is known.", is_clear=False)
    lines, known = read.sums["lines_in_records"], counted(read.sums["lines_read"], "line")
    if not lines:
        return Calm(f"None of {known} read is of a Kafka client: there is nothing to judge.", is_clear=False)
    told = f"Nothing went wrong that {counted(lines, 'line')} of Kafka clients show"
    missing = [counted(read.sums["lines_unparsed"], "line")] if read.sums["lines_unparsed"] else []
    if stopped := sum(read.not_complete.values()):
        missing.append(f"the rest of {counted(stopped, 'source')}")
    if missing:
        return Calm(f"{told}, but {' and '.join(missing)} could not be read.", is_clear=False)
    return Calm(f"{told}, of {known} read.", is_clear=True)
