"""A small lake of rebuilt timers, for the pages of episodes: each outcome, what is unknown, and hostile names."""

from pathlib import Path
from typing import Any

from tests.dashboards.lake import HOSTILE, NOON, episode_row, good_lake, sha, write
from transforms.timers.episodes import (
    BackoffAttempt,
    BatchLifetime,
    GroupRebalance,
    LivenessSession,
    TaskTimer,
)

UNIT = {"unit_id": "orders/app.log", "service": "orders", "instance": "app.log"}
OTHER = {"unit_id": "billing/app.log", "service": "billing", "instance": "app.log"}
THREAD = "app-StreamThread-1"


def timer(name: str, start: int | None, stalled: int | None, outcome: str, **more: Any) -> TaskTimer:
    """A run of a task's timer; start: ms from noon."""
    at = None if start is None else NOON + start
    limit = more.pop("limit", 8_000)
    made: dict[str, Any] = {
        "timer_id": sha(name),
        "task_id": "0_1",
        "thread": THREAD,
        "client_id": "app",
        "started_at": at,
        "deadline_at": None if at is None or limit is None else at + limit,
        "task_timeout_ms": limit,
        "timeout_origin": None if limit is None else "logged",
        "attempts": 2,
        "stalled_ms": stalled,
        "ended_at": None if at is None or stalled is None or outcome == "open" else at + stalled,
        "outcome": outcome,
        "event_ids": [sha("timer-1")],
    }
    return TaskTimer(**(UNIT | made | more))


def wait(sequence: str, failures: int, waited: int | None, **more: Any) -> BackoffAttempt:
    """A wait of a sequence, failures seconds after noon."""
    at = NOON + failures * 1_000
    made: dict[str, Any] = {
        "sequence_id": sha(sequence),
        "client_id": "orders-producer",
        "api": "PRODUCE",
        "subject": "orders-0",
        "failures": failures,
        "failed_at": at,
        "sent_at": None if waited is None else at + waited,
        "waited_ms": waited,
        "retry_backoff_ms": 100,
        "retry_backoff_max_ms": 1_000,
        "shortest_ms": min(80 * 2 ** (failures - 1), 800),
        "longest_ms": min(120 * 2 ** (failures - 1), 1_000),
        "event_ids": [sha("retry-1")],
    }
    return BackoffAttempt(**(UNIT | made | more))


def batch(name: str, created: int | None, age: int | None, outcome: str, **more: Any) -> BatchLifetime:
    """A batch; created: ms from noon."""
    at = None if created is None else NOON + created
    made: dict[str, Any] = {
        "batch_id": sha(name),
        "client_id": "orders-producer",
        "topic": "orders",
        "partition": 0,
        "records": 3,
        "created_at": at,
        "ended_at": None if at is None or age is None else at + age,
        "outcome": outcome,
        "age_ms": age,
        "delivery_timeout_ms": 10_000,
        "timeout_origin": "logged",
        "attempts": 3,
        "error_class": "TimeoutException",
        "event_ids": [sha("expired")],
    }
    return BatchLifetime(**(UNIT | made | more))


def session(name: str, joined: int | None, ended: int | None, outcome: str, **more: Any) -> LivenessSession:
    """A membership; joined and ended: ms from noon."""
    made: dict[str, Any] = {
        "session_id": sha(name),
        "client_id": "consumer-a",
        "group_id": "orders-group",
        "member_id": f"consumer-a-{name}",
        "generation": 4,
        "joined_at": None if joined is None else NOON + joined,
        "ended_at": None if ended is None else NOON + ended,
        "outcome": outcome,
        "session_timeout_ms": 6_000,
        "max_poll_interval_ms": 8_000,
        "event_ids": [sha("leave")],
    }
    return LivenessSession(**(UNIT | made | more))


def rebalance(name: str, started: int, took: int | None, **more: Any) -> GroupRebalance:
    """A rebalance; started: ms from noon."""
    made: dict[str, Any] = {
        "rebalance_id": sha(name),
        "group_id": "orders-group",
        "generation": 5,
        "started_at": NOON + started,
        "ended_at": None if took is None else NOON + started + took,
        "trigger": "left",
        "triggered_by": "consumer-a-slow",
        "slowest_member": "consumer-b-1",
        "outcome": "completed",
        "event_ids": [sha("joined")],
    }
    return GroupRebalance(
        **({"unit_id": "broker", "service": "kafka", "instance": "broker.log"} | made | more)
    )


TIMERS = [
    timer("expired", 0, 14_109, "expired", attempts=3),
    timer("closed", 0, 14_123, "closed", task_id="0_3"),
    timer("cleared", 20_000, 5_000, "cleared", is_inferred=True),
    timer("no-limit", 40_000, 900, "cleared", limit=None, task_id="0_2"),
    timer("no-start", None, None, "unknown", task_id="0_2"),
    timer("hostile", 60_000, 10, "cleared", task_id="0_9", thread=HOSTILE, **OTHER),
]
OPEN = timer("open", -2_000, None, "open", task_id="1_0", limit=25_000, **OTHER)
WAITS = [
    *(wait("legal", n, 100 * 2 ** (n - 1)) for n in (1, 2, 3)),
    *(
        wait("hasty", n, 5, client_id="hasty-admin", api="METADATA", subject=HOSTILE, **OTHER)
        for n in (1, 2, 3, 4)
    ),
    wait("at-most", 1, 90, client_id="bounded", is_lower_bound=True, sent_at=None),
    wait("unknown", 1, 50, client_id="old", shortest_ms=None, longest_ms=None, retry_backoff_ms=None),
]
BATCHES = [
    batch("late", 0, 13_006, "expired", in_flight_ms=8_005, waiting_ms=5_001),
    batch("later", 2_000, 10_500, "expired", records=2, in_flight_ms=4_000),
    batch("untold", 3_000, 10_000, "expired", partition=1),
    batch("no-creation", None, None, "failed", records=None, error_class="NotEnoughReplicasException"),
    batch("fine", 500, 700, "delivered", topic=HOSTILE, error_class=None, in_flight_ms=20, **OTHER),
]
SESSIONS = [
    session("slow", -30_000, 0, "poll_expired", last_poll_at=NOON - 8_000, max_poll_gap_ms=14_055,
            last_heartbeat_at=NOON - 500, rejoined_at=NOON + 7_300),
    session("back", 7_300, None, "open"),
    session("silent", -30_000, 9_000, "session_expired", client_id="consumer-b",
            last_heartbeat_at=NOON + 3_000),
    session("fenced", -20_000, 1_000, "fenced", client_id="consumer-c", group_instance_id="node-a"),
    session("closed", 0, 5_000, "closed", client_id=HOSTILE, group_id="billing-group", **OTHER),
]  # fmt: skip
REBALANCES = [
    rebalance("after-leave", 10, 1_282),
    rebalance("running", 7_000, None, generation=6, trigger="joined", triggered_by=None, outcome="open"),
]


def episode_lake(lake: Path, with_open: bool = False) -> Path:
    """Write it. with_open: one task's timer runs yet."""
    good_lake(lake)
    write(lake, "silver.task_timers", [episode_row(one) for one in [*TIMERS, *([OPEN] if with_open else [])]])
    write(lake, "silver.backoff_attempts", [episode_row(one) for one in WAITS])
    write(lake, "silver.batch_lifetimes", [episode_row(one) for one in BATCHES])
    write(lake, "silver.liveness_sessions", [episode_row(one, scope_id="s") for one in SESSIONS])
    write(lake, "silver.group_rebalances", [episode_row(one, scope_id="s") for one in REBALANCES])
    write(lake, "silver.client_settings", [_poll_limit()])
    return lake


def _poll_limit() -> dict[str, Any]:
    return UNIT | {
        "client_id": "consumer-a",
        "client_kind": "consumer",
        "incarnation": 0,
        "name": "max.poll.interval.ms",
        "value": "8000",
        "origin": "logged",
        "from_at": NOON - 60_000,
    }
