"""A small lake of what the pages show, written from the episodes' own classes and the contracts."""

import dataclasses
from hashlib import sha256
from pathlib import Path
from typing import Any

from deltalake import DeltaTable, write_deltalake

from expectations import TABLES
from transforms.diagnose.incident import Incident
from transforms.plans.source_state import SourceState
from transforms.rules.judge import Unjudged, Violation
from transforms.timers.episodes import BatchLifetime, Episode, LivenessSession, TaskTimer

NOON = 1_795_262_400_000  # 2026-11-21T12:00:00Z
HOSTILE = '<img src=x onerror=alert(1)> \x1b[31mred\x1b[0m \u202egnp.exe {{7*7}} =HYPERLINK("http://x")'
UNIT = "orders/consumer-a.app.log"
# Of an episode: what only its rules and incidents look at.
NO_COLUMN = ("profile", "counted_down_ms", "log_is_whole", "gave_up", "was_loaded")


def sha(name: str) -> str:
    """An id that can be told by name."""
    return sha256(name.encode()).hexdigest()


def write(lake: Path, table: str, rows: list[dict[str, Any]], mode: Any = "overwrite") -> None:
    """Write rows (instants in ms) as the table, whatever stood there; mode `append` adds them."""
    made = TABLES[table].arrow_table([_with_own(table, row) for row in rows])
    write_deltalake(str(lake.joinpath(*table.split("."))), made, mode=mode)


def without(lake: Path, table: str, *columns: str) -> None:
    """Write the table again as a version without these columns left it."""
    path = str(lake.joinpath(*table.split(".")))
    rows = DeltaTable(path).to_pyarrow_table().drop_columns(list(columns))
    write_deltalake(path, rows, mode="overwrite", schema_mode="overwrite")


def _with_own(table: str, row: dict[str, Any]) -> dict[str, Any]:
    """With the columns that jobs add."""
    own = {"unit_bucket": 7, "plan": 1}
    return row | {name: value for name, value in own.items() if name in TABLES[table].column_names}


def episode_row(episode: Episode, **more: Any) -> dict[str, Any]:
    """An episode as its table keeps it."""
    row = {
        field.name: getattr(episode, field.name)
        for field in dataclasses.fields(episode)
        if field.name not in NO_COLUMN
    }
    return row | more


EPISODE = {"unit_id": UNIT, "service": "orders", "instance": "consumer-a.app.log"}

SESSION = LivenessSession(
    **EPISODE,
    session_id=sha("session"),
    client_id="consumer-a",
    group_id="orders-group",
    member_id="consumer-a-6f1c",
    joined_at=NOON - 60_000,
    ended_at=NOON,
    outcome="poll_expired",
    last_poll_at=NOON - 12_004,
    max_poll_interval_ms=8_000,
    session_timeout_ms=6_000,
    rejoined_at=NOON + 6_200,
    event_ids=[sha("joined"), sha("leave")],
)
BATCH = BatchLifetime(
    **EPISODE,
    batch_id=sha("batch"),
    client_id="orders-producer",
    topic="orders",
    partition=0,
    records=3,
    created_at=NOON - 10_000,
    ended_at=NOON + 3_950,
    outcome="expired",
    age_ms=13_950,
    delivery_timeout_ms=10_000,
    timeout_origin="logged",
    attempts=3,
    error_class="TimeoutException",
    event_ids=[sha("retry-1"), sha("retry-2"), sha("expired")],
)
TIMER = TaskTimer(
    **EPISODE,
    timer_id=sha("timer"),
    client_id="app",
    task_id="0_1",
    thread="app-StreamThread-1",
    started_at=NOON,
    deadline_at=NOON + 25_000,
    task_timeout_ms=25_000,
    timeout_origin="logged",
    attempts=2,
    outcome="open",
    event_ids=[sha("timer-1")],
)

EVENTS = {
    "joined": (NOON - 60_000, "joined", "Successfully joined group with generation 5"),
    "leave": (
        NOON,
        "leave_group",
        f"consumer poll timeout has expired. {HOSTILE}\n\tat java.base/Thread.run",
    ),
    "retry-1": (NOON - 6_000, "produce_retry", "Got error produce response, retrying (3 attempts left)"),
    "retry-2": (NOON - 2_000, "produce_retry", "Got error produce response, retrying (2 attempts left)"),
    "expired": (
        NOON + 3_950,
        "batch_expired",
        "Expiring 3 record(s) for orders-0:13950 ms has passed since batch creation",
    ),
    "timer-1": (NOON, "task_timeout_continue", "Timeout exception. Remaining time to deadline 25000"),
}
# Families of Kafka's messages, where a page goes by them.
MESSAGES = {"leave": "poll-timeout-expired", "joined": "joined"}


def violation(name: str, subject: str, event_ids: list[str], **changes: Any) -> dict[str, Any]:
    """A row of gold.violations."""
    made = Violation(
        violation_id=sha(name),
        finding_id=sha(f"finding-{name}"),
        rule_id="kip62.left_late",
        kip="KIP-62",
        category="broken_semantics",
        severity="error",
        client_id="consumer-a",
        subject_id=subject,
        happened_at=NOON,
        observed_ms=12_004,
        limit_ms=8_000,
        limit_origin="logged",
        explanation="left the group 12004 ms after its last poll; max.poll.interval.ms allows 8000 ms",
        event_ids=event_ids,
        unit_id=UNIT,
        incarnation=0,
        scope_id=UNIT,
        service="orders",
        instance="consumer-a.app.log",
        occurrences=1,
        first_at=NOON,
        last_at=NOON,
        worst_ms=12_004,
    )
    row = dataclasses.asdict(made) | {"detected_at": NOON, "run_id": "run-1"}
    return row | changes


def _finding(name: str, subject: str, event_ids: list[str], **changes: Any) -> dict[str, Any]:
    """The row of silver.findings that a violation was folded from."""
    row = violation(name, subject, event_ids, **changes)
    return {column: row[column] for column in TABLES["silver.findings"].column_names if column in row}


def incident_row(name: str, verdict: str) -> dict[str, Any]:
    made = Incident(
        incident_id=sha(name),
        kind=name,
        started_at=NOON,
        ended_at=NOON + 3_950,
        title=f"Something {name}",
        cause="No answer came.",
        cause_confidence="proven",
        verdict=verdict,
        impact="lost" if verdict != "benign" else "none",
        observed_ms=13_950,
        limit_ms=10_000,
        limit_origin="logged",
        advice="Raise delivery.timeout.ms.",
        client_ids=["orders-producer"],
        event_ids=BATCH.event_ids,
        unit_id=UNIT,
        incarnation=0,
        scope_id=UNIT,
        service="orders",
        instance="consumer-a.app.log",
        subject_ids=[BATCH.batch_id],
        actor="broker" if verdict != "benign" else "nobody",
    )
    return dataclasses.asdict(made)


def good_lake(lake: Path, now: int = NOON) -> Path:
    """A lake with one violation of each category, two drawn episodes, and hostile text in a log line."""
    late = {
        "rule_id": "kip91.expired_late",
        "kip": "KIP-91",
        "category": "departs_from_kip",
        "severity": "warning",
        "client_id": "orders-producer",
        "happened_at": NOON + 3_950,
        "observed_ms": 13_950,
        "limit_ms": 10_000,
        "explanation": "a batch expired 13950 ms after its creation; delivery.timeout.ms is 10000 ms",
        "occurrences": 4,
    }
    lonely = {
        "rule_id": "kip580.base_above_max",
        "category": "misconfiguration",
        "client_id": None,
        "limit_ms": None,
    }
    old = {"rule_id": "kip580.constant_backoff", "category": "older_semantics", "severity": "info"}
    hostile = {"explanation": HOSTILE, "client_id": HOSTILE, "observed_ms": None, "limit_origin": None}
    write(
        lake,
        "gold.violations",
        [
            violation("late-leave", SESSION.session_id, [sha("joined"), sha("leave")]),
            violation("late-batch", f"{UNIT}/orders-producer", BATCH.event_ids, **late),
            violation("base", sha("config"), [sha("gone")], **lonely),
            violation("old", sha("config"), [sha("retry-1")], **old),
            violation("hostile", sha("config"), [sha("leave")], **(old | hostile)),
        ],
    )
    write(lake, "silver.findings", [_finding("late-batch", BATCH.batch_id, BATCH.event_ids, **late)])
    write(lake, "gold.incidents", [incident_row("expired", "as_designed"), incident_row("left", "benign")])
    write(lake, "silver.liveness_sessions", [episode_row(SESSION, scope_id=UNIT)])
    write(lake, "silver.batch_lifetimes", [episode_row(BATCH)])
    write(lake, "silver.task_timers", [episode_row(TIMER)])
    write(lake, "silver.client_events", [event_row(name, line) for line, name in enumerate(EVENTS, 1)])
    write(lake, "bronze.log_records", [record_row(name, line) for line, name in enumerate(EVENTS, 1)])
    unjudged = Unjudged(
        rule_id="kip62.left_early",
        client_id="consumer-b",
        reason="limit unknown",
        missing="the consumer's config dump",
        subjects=3,
        first_at=NOON,
        last_at=NOON,
        unit_id=UNIT,
        incarnation=0,
        scope_id=UNIT,
        service="orders",
        instance="consumer-b.app.log",
        example_subject_ids=[sha("session")],
    )
    write(lake, "gold.unjudged", [dataclasses.asdict(unjudged)])
    write(lake, "silver.client_settings", _settings())
    write(lake, "gold.client_health", _clients(now))
    write(lake, "gold.open_timers", [_timer(now)])
    write(lake, "bronze.accounting", [_source(now)])
    run = {
        "run_id": "run-1",
        "job": "run",
        "started_at": now - 40_000,
        "ended_at": now - 20_000,
        "status": "done",
    }
    write(lake, "gold.runs", [run | {"rows_in": 6, "rows_out": 9, "lag_ms": 20_000}])
    check = {"run_id": "run-1", "table_name": "gold.violations", "expectation": "x", "success": True}
    write(lake, "gold.table_checks", [check])
    return lake


def _clients(now: int) -> list[dict[str, Any]]:
    """One broken, one whose task can't go on, one that is near its poll limit, one silent; all named by hostile text."""
    client = {
        "client_kind": "consumer",
        "client_version": "4.2.1",
        "client_library": "java",
        "open_timers": 0,
        "by_metrics": [],
        "warnings": [],
        "violations": 0,
        "last_seen_at": now - 2_000,
        "data_clock_at": now - 2_000,
        "checked_at": now,
        "unit_id": UNIT,
        "service": "orders",
        "instance": "consumer-a.app.log",
    }
    out = {"status": "broken", "reason": f"kicked out {HOSTILE}", "since_at": now - 600_000}
    risky = {
        "status": "at_risk",
        "reason": "task 0_1 makes no progress",
        "since_at": now - 5_000,
        "open_timers": 1,
    }
    gone = {
        "silent_since_at": now - 3_600_000,
        "unit_id": "billing/b.log",
        "service": "billing",
        "instance": "b.log",
    }
    return [
        client | out | {"client_id": HOSTILE, "incident_id": sha("left")},
        client | risky | {"client_id": "app"},
        client
        | {
            "status": "ok",
            "client_id": "slow",
            "warnings": [f"its longest gap was 290 s of 300 s {HOSTILE}"],
        },
        client | gone | {"status": "ok", "client_id": "billing-1"},
        client | {"status": "closed", "client_id": "old", "closed_at": now - 9_000},
    ]


def _timer(now: int) -> dict[str, Any]:
    return {
        "timer_id": TIMER.timer_id,
        "kind": "task",
        "client_id": "app",
        "subject": f"task 0_1 {HOSTILE}",
        "setting": "task.timeout.ms",
        "started_at": now - 5_000,
        "deadline_at": now + 3_595_000,  # longer than any run of these tests
        "limit_ms": 3_600_000,
        "limit_origin": "logged",
        "attempts": 2,
        "checked_at": now,
        "unit_id": UNIT,
        "service": "orders",
        "instance": "consumer-a.app.log",
    }


def _source(now: int) -> dict[str, Any]:
    state = SourceState(
        source_id=sha("source"),
        source=f"/logs/{HOSTILE}",
        service="orders",
        instance="consumer-a.app.log",
        resume_at=now - 3_000,
        latest_at=now - 2_000,
        copies={'/logs/a "resume_at": 7': [1, 2]},
    )
    books = {"read": 10, "in_records": 6, "unparsed": 1, "dropped": 3}
    return {
        "source_id": sha("source"),
        "source": f"/logs/{HOSTILE}",
        "identity": "first_kib",
        "layout": "kafka",
        "time_zone": "UTC",
        "time_zone_origin": "assumed",
        "status": "complete",
        **{f"lines_{name}": count for name, count in books.items()},
        **{f"bytes_{name}": count * 100 for name, count in books.items()},
        "dropped_by_reason": {"blank": 3},
        "bytes_dropped_by_reason": {"blank": 300},
        "unparsed_by_reason": {"no_layout": 1},
        "decode_errors": 0,
        "resume_offset": 1_000,
        "resume_line": 11,
        "service": "orders",
        "instance": "consumer-a.app.log",
        "state": state.dump(),
        "run_id": "run-1",
    }


def _settings() -> list[dict[str, Any]]:
    """Of two consumers that differ in one setting, one of them with a hostile value."""
    values = {
        "consumer-a": {
            "client.id": "consumer-a",
            "max.poll.interval.ms": "8000",
            "session.timeout.ms": "6000",
        },
        "consumer-b": {
            "client.id": "consumer-b",
            "max.poll.interval.ms": "300000",
            "session.timeout.ms": "6000",
        },
    }
    values["consumer-a"]["interceptor.classes"] = HOSTILE
    return [
        {
            "unit_id": f"orders/{client}.app.log",
            "service": "orders",
            "instance": f"{client}.app.log",
            "client_id": client,
            "client_kind": "consumer",
            "incarnation": 0,
            "name": name,
            "value": value,
            "origin": "logged",
            "from_at": NOON - 60_000,
            "event_id": sha("joined"),
        }
        for client, of_client in values.items()
        for name, value in of_client.items()
    ]


def event_row(name: str, line: int) -> dict[str, Any]:
    """A row of silver.client_events."""
    at, kind, _ = EVENTS[name]
    return {
        "event_id": sha(name),
        "record_id": sha(f"record-{name}"),
        "kind": kind,
        "message_id": MESSAGES.get(name, kind),
        "unit_id": UNIT,
        "incarnation": 0,
        "client_library": "java",
        "client_version": "4.2.1",
        "source_id": sha("source"),
        "source": "orders/consumer-a.app.log",
        "offset": line * 100,
        "line": line,
        "position": line * 100,
        "happened_at": at,
        "ordered_at": at,
        "time_origin": "logged",
        "service": "orders",
        "instance": "consumer-a.app.log",
        "client_id": "consumer-a" if kind in ("joined", "leave_group") else "orders-producer",
    }


def record_row(name: str, line: int) -> dict[str, Any]:
    """A row of bronze.log_records."""
    at, _, text = EVENTS[name]
    return {
        "record_id": sha(f"record-{name}"),
        "source_id": sha("source"),
        "source": "orders/consumer-a.app.log",
        "offset": line * 100,
        "line": line,
        "line_count": 1,
        "position": line * 100,
        "logged_at": at,
        "time_origin": "logged",
        "time_zone_origin": "assumed",
        "text": f"[2026-11-21 12:00:00,000] INFO {text} (org.apache.kafka.clients)",
        "is_truncated": False,
        "text_bytes": len(text),
        "unit_id": UNIT,
        "ingested_at": at,
    }
