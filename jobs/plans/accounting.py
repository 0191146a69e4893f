"""Adds the accounts of chunks up to rows of bronze.accounting, one a source."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jobs.plans.plan import Plan

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


def accounting_rows(plan: Plan, accounts: Sequence[Mapping[str, Any]], run_id: str) -> list[dict[str, Any]]:
    """One row a source of the plan. accounts: one entry a chunk (see ReadRows.take), in any order."""
    by_source: dict[str, list[Mapping[str, Any]]] = {}
    for account in accounts:
        by_source.setdefault(account["source_id"], []).append(account)
    return [
        _row(
            source_id,
            source,
            sorted(by_source.get(source_id, []), key=lambda account: account["number"]),
            run_id,
        )
        for source_id, source in sorted(plan.sources.items())
    ]


def _row(
    source_id: str, source: dict[str, Any], chunks: list[Mapping[str, Any]], run_id: str
) -> dict[str, Any]:
    settled, tail, resume = _split(source, chunks)
    whole = add([settled, tail])
    layout = source["layout"]
    latest = [
        *(chunk["latest"] for chunk in chunks[:-1]),
        *(chunk["latest_settled"] for chunk in chunks[-1:]),
    ]
    at = [time for time in (source["resume_at"], *latest) if time is not None]
    state = {
        "service": source["service"],
        "instance": source["instance"],
        "unit_id": source["unit_id"],
        "file_size": source["file_size"],
        "file_changed_ns": source["file_changed_ns"],
        "fingerprint_bytes": source["fingerprint_bytes"],
        "is_encoded": source["is_encoded"],
        "bytes_read": whole["bytes_read"],
        "resume_offset": resume[0],
        "resume_line": resume[1],
        "resume_at": max(at, default=None),
        "layout": layout,
        "settled": settled,
        "tail": tail,
        "copies": source.get("copies", {}),
    }
    return {
        "source_id": source_id,
        "source": source["source"],
        "identity": source.get("identity")
        or ("first_kib" if source["fingerprint_bytes"] >= 1024 else "whole_file"),
        "layout": layout.get("layout"),
        "evidence": json.dumps(layout.get("evidence", {}), sort_keys=True),
        "time_zone": layout.get("time_zone"),
        "time_zone_origin": layout.get("time_zone_origin") or "none",
        "status": source.get("status") or _status(source, whole),
        **{name: whole[name] for name in COUNTS},
        "lines_dropped": sum(whole["lines_dropped"].values()),
        "bytes_dropped": sum(whole["bytes_dropped"].values()),
        "dropped_by_reason": whole["lines_dropped"],
        "bytes_dropped_by_reason": whole["bytes_dropped"],
        "unparsed_by_reason": whole["unparsed_by_reason"],
        "resume_offset": resume[0],
        "resume_line": resume[1],
        "service": source["service"],
        "instance": source["instance"],
        "state": json.dumps(state, sort_keys=True),
        "run_id": run_id,
    }


def _split(source: dict[str, Any], chunks: list[Mapping[str, Any]]) -> tuple[Totals, Totals, tuple[int, int]]:
    """What never changes, what the next run reads again, and where it begins (offset, line)."""
    if not chunks:
        return add([source["settled"]]), add([source["tail"]]), tuple(source["resume"])
    last = max((i for i, chunk in enumerate(chunks) if chunk["resume_offset"] is not None), default=None)
    if last is None:
        whole = [part for chunk in chunks for part in (chunk["settled"], chunk["tail"])]
        return add([source["settled"]]), add(whole), tuple(source["resume"])
    before = [part for chunk in chunks[:last] for part in (chunk["settled"], chunk["tail"])]
    after = [part for chunk in chunks[last + 1 :] for part in (chunk["settled"], chunk["tail"])]
    end = chunks[last]
    settled = add([source["settled"], *before, end["settled"]])
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


def _status(source: Mapping[str, Any], whole: Totals) -> str:
    if not source["file_size"]:
        return "empty"
    for reason in ("broken_gzip", "binary"):
        if whole["unparsed_by_reason"].get(reason):
            return reason
    return "complete"
