"""`kipwatch explain ID --lake DIR`: what one id of a lake stands for, with timeline and proof; no Spark."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from deltalake import DeltaTable
from rich.console import Console

from expectations import versions
from jobs.errors import BadInput
from jobs.explain.text import print_told
from jobs.query import query_rows
from transforms.diagnose.told import (
    ProvingLine,
    Row,
    Told,
    proving_lines,
    tell_episode,
    tell_finding,
    tell_incident,
)

ID = re.compile(r"[0-9a-f]{8,64}")
# Where an id may stand, in order of preference: a violation and its first finding may share their id.
ID_COLUMNS = {
    "gold.violations": "violation_id",
    "gold.incidents": "incident_id",
    "silver.findings": "finding_id",
    "silver.task_timers": "timer_id",
    "silver.batch_lifetimes": "batch_id",
    "silver.liveness_sessions": "session_id",
    "silver.backoff_attempts": "sequence_id",
    "silver.group_rebalances": "rebalance_id",
}
EPISODES = tuple(ID_COLUMNS)[3:]
IDS_PER_QUERY = 200  # keeps one statement readable for its parser


def explain_id(lake: Path, given: str, console: Console, as_json: bool = False) -> None:
    """Print the story of a violation, finding, incident or episode; a unique beginning of its id is enough.

    Raises: BadInput where the id is none, is not in the lake, or begins several.
    """
    told = told_of(lake, given)
    if as_json:
        print(json.dumps(told.as_dict(), indent=2), file=console.file)
    else:
        print_told(told, console)


def told_of(lake: Path, given: str) -> Told:
    """Find the id, or its only continuation, and gather its story."""
    prefix = given.strip().lower()
    if not ID.fullmatch(prefix):
        raise BadInput(
            f"{given!r} is no id",
            where="explain",
            todo="give 8 to 64 hexadecimal digits, or a log file's path",
        )
    if not lake.is_dir():
        raise BadInput(
            "no such folder", where=f"--lake {lake}", todo="give the lake that `kipwatch run` filled"
        )
    table, full = _found(lake, prefix)
    evidence = LakeEvidence(lake)
    rows = list(_rows(lake, table, f"{ID_COLUMNS[table]} = '{full}'"))
    if table in EPISODES:
        return tell_episode(table, sorted(rows, key=_place), evidence, full)
    return tell_incident(rows[0], evidence) if table == "gold.incidents" else tell_finding(rows[0], evidence)


def _found(lake: Path, prefix: str) -> tuple[str, str]:
    matches: dict[str, str] = {}
    for table, column in ID_COLUMNS.items():
        condition = f"{column} LIKE '{prefix}%'" if len(prefix) < 64 else f"{column} = '{prefix}'"
        for row in _rows(lake, table, condition, columns=f"DISTINCT {column} AS id"):
            matches.setdefault(row["id"], table)
    if not matches:
        raise BadInput(
            f"nothing has the id {prefix}", where=str(lake), todo="take an id from `kipwatch query`"
        )
    if len(matches) > 1:
        some = ", ".join(
            f"{full[: len(prefix) + 4]} ({table})" for full, table in sorted(matches.items())[:5]
        )
        raise BadInput(
            f"{len(matches)} ids begin with {prefix}: {some}", where=str(lake), todo="give more digits"
        )
    full, table = next(iter(matches.items()))
    return table, full


class LakeEvidence:
    """Looks episodes and lines up in the tables of a lake."""

    def __init__(self, lake: Path) -> None:
        self._lake = lake

    def episodes(self, subject_id: str) -> tuple[str, list[Row]] | None:
        """The episode's table and rows; None for what no table stores."""
        if not ID.fullmatch(subject_id):
            return None
        for table in EPISODES:
            rows = list(_rows(self._lake, table, f"{ID_COLUMNS[table]} = '{subject_id}'"))
            if rows:
                return table, sorted(rows, key=_place)
        return None

    def subject_of(self, finding: Row) -> str | None:
        """The subject of the occurrence in silver.findings that has the same proof."""
        if not finding["event_ids"] or not ID.fullmatch(finding["event_ids"][0]):
            return None
        condition = f"array_has(event_ids, '{finding['event_ids'][0]}')"
        for row in _rows(self._lake, "silver.findings", condition):
            if row["rule_id"] == finding["rule_id"] and row["event_ids"] == finding["event_ids"]:
                return str(row["subject_id"])
        return None

    def lines(self, event_ids: Sequence[str]) -> list[ProvingLine]:
        """The records of these events, in the order of the ids."""
        wanted = [event_id for event_id in event_ids if ID.fullmatch(event_id)]
        events = {row["event_id"]: row for row in self._by_ids("silver.client_events", "event_id", wanted)}
        records = list(dict.fromkeys(row["record_id"] for row in events.values()))
        texts = {
            row["record_id"]: row["text"] for row in self._by_ids("bronze.log_records", "record_id", records)
        }
        return proving_lines(wanted, events, texts)

    def _by_ids(self, table: str, column: str, ids: Sequence[str]) -> Iterator[Row]:
        for start in range(0, len(ids), IDS_PER_QUERY):
            among = ", ".join(f"'{one}'" for one in ids[start : start + IDS_PER_QUERY])
            yield from _rows(self._lake, table, f"{column} IN ({among})")


def _rows(lake: Path, table: str, condition: str, columns: str = "*") -> Iterable[Row]:
    """Rows of a table that may not be there yet; instants as ms.

    Raises: BadInput where another version made the table, without columns that a story is told by.
    """
    if not DeltaTable.is_deltatable(str(lake.joinpath(*table.split(".")))):
        return []
    names, rows = query_rows(lake, f"SELECT {columns} FROM {table} WHERE {condition}")
    missing = versions.lacking(table, names)
    if columns == "*" and missing:
        raise BadInput(versions.told(versions.fact(table, missing)), where=str(lake), todo=versions.TODO)
    return [_in_ms(row) for row in rows]


def _place(row: Row) -> tuple[int, int]:
    """A wait's place in its sequence; other episodes have one row."""
    return (row.get("failures") or 0, row.get("failed_at") or 0)


def _in_ms(row: Mapping[str, Any]) -> Row:
    return {name: _ms(value) if isinstance(value, datetime) else value for name, value in row.items()}


def _ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)
