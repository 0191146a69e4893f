"""Adds the accounts of chunks up to rows of bronze.accounting, one a source."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from transforms.parse.layouts.layout import FAULT
from transforms.plans.source_state import COLUMNS, SourceState

COUNTS = (
    "bytes_read",
    "lines_read",
    "bytes_in_records",
    "lines_in_records",
    "bytes_unparsed",
    "lines_unparsed",
    "decode_errors",
)
BY_REASON = ("bytes_dropped", "lines_dropped", "unparsed_by_reason")
Totals = dict[str, Any]


def accounting_rows(
    sources: Mapping[str, SourceState], accounts: Sequence[Mapping[str, Any]], run_id: str
) -> list[dict[str, Any]]:
    """One row a source of a plan. accounts: one entry a chunk (see ReadRows.take), in any order."""
    by_source: dict[str, list[Mapping[str, Any]]] = {}
    for account in sorted(accounts, key=lambda account: account["number"]):
        by_source.setdefault(account["source_id"], []).append(account)
    return [
        row_of(read_on(source, by_source.get(source_id, []))) | {"run_id": run_id}
        for source_id, source in sorted(sources.items())
    ]


def read_on(source: SourceState, chunks: Sequence[Mapping[str, Any]]) -> SourceState:
    """A source after chunks of it were read. chunks: their accounts, in order."""
    settled, tail, (offset, line) = _split(source, chunks)
    whole = add([settled, tail])
    latest = [chunk["latest"] for chunk in chunks]
    settled_at = [*latest[:-1], *(chunk["latest_settled"] for chunk in chunks[-1:])]
    return replace(
        source,
        status=source.status or _status(source, whole),
        bytes_read=whole["bytes_read"],
        resume_offset=offset,
        resume_line=line,
        resume_at=_newest(source.resume_at, *settled_at),
        latest_at=_newest(source.latest_at, *latest),
        settled=settled,
        tail=tail,
    )


def _newest(*times: int | None) -> int | None:
    return max((time for time in times if time is not None), default=None)


def row_of(source: SourceState) -> dict[str, Any]:
    """A source's row of bronze.accounting, without the run that wrote it."""
    whole, layout = add([source.settled, source.tail]), source.layout
    return {
        **{name: getattr(source, name) for name in COLUMNS},
        "layout": layout.get("layout"),
        "evidence": json.dumps(layout.get("evidence", {}), sort_keys=True),
        "time_zone": layout.get("time_zone"),
        "time_zone_origin": layout.get("time_zone_origin") or "none",
        **{name: whole[name] for name in COUNTS},
        "lines_dropped": sum(whole["lines_dropped"].values()),
        "bytes_dropped": sum(whole["bytes_dropped"].values()),
        "dropped_by_reason": whole["lines_dropped"],
        "bytes_dropped_by_reason": whole["bytes_dropped"],
        "unparsed_by_reason": whole["unparsed_by_reason"],
        "state": source.dump(),
    }


def _split(
    source: SourceState, chunks: Sequence[Mapping[str, Any]]
) -> tuple[Totals, Totals, tuple[int, int]]:
    """What never changes, what the next run reads again, and where it begins (offset, line)."""
    begin = (source.resume_offset, source.resume_line)
    if not chunks:
        return add([source.settled]), add([source.tail]), begin
    last = max((i for i, chunk in enumerate(chunks) if chunk["resume_offset"] is not None), default=None)
    if last is None:
        whole = [part for chunk in chunks for part in (chunk["settled"], chunk["tail"])]
        return add([source.settled]), add(whole), begin
    before = [part for chunk in chunks[:last] for part in (chunk["settled"], chunk["tail"])]
    after = [part for chunk in chunks[last + 1 :] for part in (chunk["settled"], chunk["tail"])]
    end = chunks[last]
    settled = add([source.settled, *before, end["settled"]])
    return settled, add([end["tail"], *after]), (end["resume_offset"], end["resume_line"])


def add(parts: Iterable[Mapping[str, Any]]) -> Totals:
    """Sum of several accounts."""
    total: Totals = dict.fromkeys(COUNTS, 0)
    reasons: dict[str, Counter[str]] = {name: Counter() for name in BY_REASON}
    for part in parts:
        for name in COUNTS:
            total[name] += part.get(name, 0)
        for name, counter in reasons.items():
            counter.update(part.get(name, {}))
    return total | {name: dict(sorted(counter.items())) for name, counter in reasons.items()}


def _status(source: SourceState, whole: Totals) -> str:
    if not source.file_size:
        return "empty"
    for reason in (FAULT, "unreadable", "truncated", "broken_gzip", "binary"):
        if whole["unparsed_by_reason"].get(reason):
            return reason
    return "complete"


# What was read: written last of all that a plan writes.
ACCOUNTING = "bronze.accounting"


def records_in(account: Mapping[str, Any]) -> int:
    """How many records a chunk gave."""
    return int(account["settled"]["records"]) + int(account["tail"]["records"])
