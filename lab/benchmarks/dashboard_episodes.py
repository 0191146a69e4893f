"""Rebuilt timers, incidents and health of a made lake: in shape and number as a large fleet has them."""

import json

import numpy as np
import pyarrow as pa
from deltalake import write_deltalake

from jobs.storage.lake import LakeWriter
from lab.benchmarks.made import NOON_US, SPAN_US, ids, instants, of_units, whole

Columns = dict[str, pa.Array]
TIMERS_PER_UNIT = 2
SECOND_US = 1_000_000


def _common(
    random: np.random.Generator, name: str, units: np.ndarray, count: int
) -> tuple[np.ndarray, Columns]:
    """Which unit each row is of, and its columns. Each has an event of its own, which no table need have."""
    of = np.sort(random.integers(0, len(units), count))
    lists = pa.ListArray.from_arrays(pa.array(np.arange(count + 1, dtype=np.int32)), ids(f"p{name}", count))
    return of, {
        "client_id": pa.array([f"client-{unit[-12:-8]}" for unit in units[of]]),
        "incarnation": pa.array(np.zeros(count, np.int32)),
        "event_ids": lists,
        "scope_id": pa.array(units[of]),
        **of_units(units[of]),
    }


def _texts(
    random: np.random.Generator, values: tuple[str, ...], count: int, p: list[float] | None = None
) -> pa.Array:
    return pa.array(np.array(values)[random.choice(len(values), count, p=p)])


def _waits(random: np.random.Generator, part: int, units: np.ndarray, count: int) -> Columns:
    """Sequences of ten failures."""
    _, common = _common(random, f"w{part}", units, count)
    failures = np.arange(count) % 10 + 1
    failed = NOON_US - SPAN_US + np.arange(count) * (SPAN_US // count)
    nominal = np.minimum(100 * 2 ** (failures - 1), 1000)
    waited = (nominal * random.uniform(0.8, 1.2, count)).astype(int)
    sequences = ids(f"s{part}", -(-count // 10)).take(pa.array(np.arange(count) // 10))
    return common | {
        "sequence_id": sequences, "subject": pa.array([f"orders-{n % 12}" for n in range(count)]),
        "api": pa.array(np.full(count, "PRODUCE")), "failures": pa.array(failures), "failed_at": instants(failed),
        "sent_at": instants(failed + waited * 1000), "waited_ms": pa.array(waited),
        "is_lower_bound": pa.array(np.zeros(count, bool)), "retry_backoff_ms": pa.array(np.full(count, 100)),
        "retry_backoff_max_ms": pa.array(np.full(count, 1000)),
        "shortest_ms": pa.array((nominal * 0.8).astype(int)), "longest_ms": pa.array((nominal * 1.2).astype(int)),
    }  # fmt: skip


def _batches(random: np.random.Generator, part: int, units: np.ndarray, count: int) -> Columns:
    _, common = _common(random, f"b{part}", units, count)
    created = NOON_US - random.integers(0, SPAN_US, count)
    age = random.integers(100, 130_000, count)
    return common | {
        "batch_id": ids(f"b{part}", count), "topic": pa.array(np.full(count, "orders")),
        "partition": pa.array(random.integers(0, 12, count)), "records": pa.array(random.integers(1, 900, count)),
        "created_at": instants(created), "ended_at": instants(created + age * 1000),
        "outcome": _texts(random, ("sent", "expired", "failed"), count, [0.9, 0.08, 0.02]), "age_ms": pa.array(age),
        "delivery_timeout_ms": pa.array(np.full(count, 120_000)), "timeout_origin": pa.array(np.full(count, "logged")),
        "attempts": pa.array(random.integers(1, 9, count)), "in_flight_ms": pa.array(age // 2),
        "waiting_ms": pa.array(age // 3),
    }  # fmt: skip


def _sessions(random: np.random.Generator, part: int, units: np.ndarray, count: int) -> Columns:
    of, common = _common(random, f"m{part}", units, count)
    joined = NOON_US - random.integers(0, SPAN_US, count)
    ended = joined + random.integers(1, 7_200, count) * SECOND_US
    return common | {
        "session_id": ids(f"m{part}", count), "member_id": ids(f"n{part}", count),
        "group_id": pa.array([f"group-{one % 40}" for one in of]), "generation": pa.array(random.integers(1, 90, count)),
        "joined_at": instants(joined), "ended_at": instants(ended), "last_poll_at": instants(ended - SECOND_US),
        "last_heartbeat_at": instants(ended - SECOND_US), "outcome": _texts(random, ("left", "fenced", "closed"), count),
        "max_poll_gap_ms": pa.array(random.integers(10, 400_000, count)),
        "session_timeout_ms": pa.array(np.full(count, 45_000)), "max_poll_interval_ms": pa.array(np.full(count, 300_000)),
    }  # fmt: skip


def _rebalances(random: np.random.Generator, part: int, units: np.ndarray, count: int) -> Columns:
    of, common = _common(random, f"r{part}", units, count)
    started = NOON_US - random.integers(0, SPAN_US, count)
    return common | {
        "rebalance_id": ids(f"r{part}", count), "group_id": pa.array([f"group-{one % 40}" for one in of]),
        "generation": pa.array(random.integers(1, 90, count)), "started_at": instants(started),
        "ended_at": instants(started + random.integers(1, 60, count) * SECOND_US),
        "trigger": _texts(random, ("join", "leave", "eviction"), count),
        "outcome": pa.array(np.full(count, "completed")), "triggered_by": common["client_id"],
    }  # fmt: skip


def _timers(random: np.random.Generator, part: int, units: np.ndarray, count: int) -> Columns:
    _, common = _common(random, f"t{part}", units, count)
    started = NOON_US - random.integers(0, SPAN_US, count)
    stalled = random.integers(10, 320_000, count)
    return common | {
        "timer_id": ids(f"t{part}", count), "task_id": pa.array([f"0_{n % 12}" for n in range(count)]),
        "thread": pa.array([f"app-StreamThread-{n % 4}" for n in range(count)]), "started_at": instants(started),
        "deadline_at": instants(started + 300 * SECOND_US), "task_timeout_ms": pa.array(np.full(count, 300_000)),
        "timeout_origin": pa.array(np.full(count, "logged")), "attempts": pa.array(random.integers(1, 90, count)),
        "ended_at": instants(started + stalled * 1000), "outcome": _texts(random, ("cleared", "expired"), count),
        "stalled_ms": pa.array(stalled), "is_inferred": pa.array(np.zeros(count, bool)),
    }  # fmt: skip


def _unjudged(random: np.random.Generator, part: int, units: np.ndarray, count: int) -> Columns:
    _, common = _common(random, f"u{part}", units, count)
    at = NOON_US - random.integers(0, SPAN_US, count)
    rules = ("kip62.left_late", "kip91.expired_early", "kip580.backoff_too_short", "kip572.not_cleared")
    return common | {
        "rule_id": _texts(random, rules, count), "reason": _texts(random, ("settings unknown", "level too high"), count),
        "missing": _texts(random, ("the client's configuration dump", "DEBUG of NetworkClient"), count),
        "subjects": pa.array(random.integers(1, 5_000, count)), "first_at": instants(at), "last_at": instants(at),
        "example_subject_ids": common["event_ids"],
    }  # fmt: skip


def _incidents(random: np.random.Generator, part: int, units: np.ndarray, count: int) -> Columns:
    _, common = _common(random, f"i{part}", units, count)
    at = NOON_US - random.integers(0, SPAN_US, count)
    return common | {
        "incident_id": ids(f"i{part}", count), "kind": _texts(random, ("kicked_out", "batch_expired"), count),
        "started_at": instants(at), "ended_at": instants(at + 30 * SECOND_US),
        "title": pa.array([f"was out of its group for {n % 60} s" for n in range(count)]),
        "cause": pa.array(np.full(count, "slow poll")), "cause_confidence": pa.array(np.full(count, "proven")),
        "verdict": _texts(random, ("trouble", "benign"), count), "impact": pa.array(np.full(count, "delayed")),
        "subject_ids": pa.array([[]] * count, pa.list_(pa.string())),
        "rule_ids": pa.array([[]] * count, pa.list_(pa.string())),
    }  # fmt: skip


# Rows, as a share of the violations', and who makes them.
EPISODES = {
    "silver.backoff_attempts": (1.0, _waits),
    "silver.batch_lifetimes": (0.5, _batches),
    "silver.liveness_sessions": (0.1, _sessions),
    "silver.group_rebalances": (0.05, _rebalances),
    "silver.task_timers": (0.05, _timers),
    "gold.unjudged": (0.2, _unjudged),
    "gold.incidents": (0.1, _incidents),
}


def write_health(lake: LakeWriter, units: np.ndarray) -> None:
    """What is known of each process now: its books, its health, its settings, and the timers that run."""
    random = np.random.default_rng(1)
    count = len(units)
    _, common = _common(random, "h", units, count)
    common |= of_units(units)
    latest = instants(np.full(count, NOON_US))
    status = _texts(random, ("broken", "at_risk", "healthy"), count, [0.1, 0.1, 0.8])
    health = common | {
        "client_version": _texts(random, ("3.5.1", "3.9.0", "4.2.1"), count), "status": status, "reason": status,
        "since_at": latest, "last_seen_at": latest, "data_clock_at": latest, "checked_at": latest,
        "silent_since_at": pa.array([None if n % 50 else NOON_US for n in range(count)], latest.type),
        "by_metrics": pa.array([[] for _ in range(count)], pa.list_(pa.string())),
        "warnings": pa.array([["the poll gap is at 90 percent"] if n % 20 == 0 else [] for n in range(count)]),
        "client_kind": pa.array(np.full(count, "consumer")),
    }  # fmt: skip
    zeros = pa.array(np.zeros(count, np.int64))
    numbers = ("in_records", "unparsed", "dropped", "read")
    books = common | {
        "source_id": ids("source", count), "source": pa.array(units), "status": pa.array(np.full(count, "complete")),
        "state": pa.array([json.dumps({"resume_at": NOON_US // 1000})] * count), "decode_errors": zeros,
        **{f"{unit}_{name}": zeros for unit in ("lines", "bytes") for name in numbers},
        **{name: pa.array([[]] * count, pa.map_(pa.string(), pa.int64())) for name in MAPS},
    }  # fmt: skip
    several = np.repeat(units, TIMERS_PER_UNIT)
    running = of_units(several) | {
        "timer_id": ids("open", len(several)), "kind": _texts(random, ("task", "batch", "poll"), len(several)),
        "client_id": pa.array([f"client-{unit[-12:-8]}" for unit in several]),
        "subject": pa.array([f"0_{n}" for n in range(len(several))]),
        "setting": pa.array(np.full(len(several), "task.timeout.ms")),
        "limit_ms": pa.array(np.full(len(several), 300_000)), "limit_origin": pa.array(np.full(len(several), "logged")),
        "started_at": instants(np.full(len(several), NOON_US)),
        "deadline_at": instants(NOON_US + random.integers(0, 300, len(several)) * SECOND_US),
        "checked_at": instants(np.full(len(several), NOON_US)), "attempts": pa.array(np.ones(len(several), np.int64)),
    }  # fmt: skip
    names = [f"setting.{n}.ms" for n in range(58)] + ["max.poll.interval.ms", "session.timeout.ms"]
    each = np.repeat(units, len(names))
    settings = of_units(each) | {
        "client_id": pa.array([f"client-{unit[-12:-8]}" for unit in each]), "name": pa.array(names * count),
        "client_kind": pa.array(np.full(len(each), "consumer")), "incarnation": pa.array(np.zeros(len(each), np.int32)),
        "value": pa.array([f"{n % 7}000" for n in range(len(each))]), "origin": pa.array(np.full(len(each), "logged")),
        "from_at": instants(np.full(len(each), NOON_US - SPAN_US)), "event_id": pa.array(np.full(len(each), "e")),
    }  # fmt: skip
    for table, columns in (
        ("gold.client_health", health), ("bronze.accounting", books), ("gold.open_timers", running),
        ("silver.client_settings", settings),
    ):  # fmt: skip
        write_deltalake(lake.path(table), whole(table, columns), mode="append")


MAPS = ("dropped_by_reason", "bytes_dropped_by_reason", "unparsed_by_reason")
