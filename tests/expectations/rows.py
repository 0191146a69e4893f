"""A row that keeps its contract, to be broken on purpose in one place."""

from typing import Any

from expectations import TABLES

_BY_TYPE: dict[str, Any] = {
    "STRING": "x",
    "INT": 0,
    "BIGINT": 1,
    "DOUBLE": 1.0,
    "BOOLEAN": False,
    "TIMESTAMP": 1_795_229_036_000,
    "ARRAY<STRING>": ["e1"],
    "MAP<STRING, STRING>": {"a": "b"},
    "MAP<STRING, BIGINT>": {"a": 1},
}
_WORDS: dict[str, dict[str, Any]] = {
    "bronze.log_records": {"time_origin": "logged", "time_zone_origin": "assumed"},
    "bronze.accounting": {"time_zone_origin": "assumed"}
    | {
        f"{unit}_{part}": 0
        for unit in ("lines", "bytes")
        for part in ("in_records", "unparsed", "dropped", "read")
    },
    "silver.client_events": {"kind": "join"},
    "silver.client_settings": {"origin": "default:4.2.1"},
    "silver.metric_samples": {"clock": "process"},
    "silver.metric_clients": {"bound_by": "own"},
    "silver.task_timers": {"outcome": "open"},
    "silver.batch_lifetimes": {"outcome": "expired"},
    "silver.liveness_sessions": {"outcome": "closed"},
    "silver.group_rebalances": {"outcome": "completed"},
    "gold.violations": {"category": "broken_semantics", "severity": "error", "limit_origin": "logged"},
    "gold.incidents": {
        "verdict": "broken",
        "impact": "lost",
        "cause_confidence": "proven",
        "actor": "settings",
    },
    "gold.client_health": {"status": "ok"},
    "gold.open_timers": {"kind": "task"},
    "gold.runs": {"status": "done"},
    "gold.notifications": {"state": "firing", "severity": "page"},
}


def row(table: str, other: bool = False, **changes: Any) -> dict[str, Any]:
    """A good row of the table with `changes`; `other` gives it other text values, and so another key."""
    contract = TABLES[table]
    good = {column.name: _BY_TYPE[column.type] for column in contract.fields}
    if other:
        good |= {column.name: "y" for column in contract.fields if column.type == "STRING"}
    return good | _WORDS.get(table, {}) | changes
