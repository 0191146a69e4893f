"""A large lake for the dashboard's figures: `python -m lab.benchmarks.dashboard_lake DIR [--violations N] [--events N]`.

With episodes, a share of the violations each, what is unjudged, and the health of every process.
Ids, names and times are made, their shapes are those of real lakes: a file holds the rows of some processes, in order.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
from deltalake import write_deltalake

from expectations import TABLES
from jobs.storage.lake import LakeWriter
from lab.benchmarks.dashboard_episodes import EPISODES, write_health
from lab.benchmarks.made import NOON_US, SPAN_US, ids, instants, of_units, whole

PARTS = 20
UNITS = 2_000
RULES = (
    ("kip62.left_late", "KIP-62", "broken_semantics", "error"),
    ("kip91.expired_early", "KIP-91", "broken_semantics", "critical"),
    ("kip91.expired_late", "KIP-91", "departs_from_kip", "warning"),
    ("kip580.saturated_below_cap", "KIP-580", "departs_from_kip", "warning"),
    ("kip580.base_above_max", "KIP-580", "misconfiguration", "warning"),
    ("timeouts.request_above_delivery", "TIMEOUTS", "misconfiguration", "warning"),
    ("kip580.constant_backoff", "KIP-580", "older_semantics", "info"),
)
KINDS = ("disconnect", "backoff", "heartbeat", "join", "produce_retry", "request_timeout", "other_kafka")


def main() -> None:
    """Make the lake."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lake", type=Path)
    parser.add_argument("--violations", type=int, default=1_000_000)
    parser.add_argument("--events", type=int, default=10_000_000)
    given = parser.parse_args()
    lake = LakeWriter(given.lake)
    lake.prepare()
    units = np.array([f"service-{n % 40:02d}/instance-{n:04d}.app.log" for n in range(UNITS)])
    for part in range(PARTS):
        of_part = units[part * UNITS // PARTS : (part + 1) * UNITS // PARTS]
        for table, count, make in (
            ("silver.client_events", given.events // PARTS, _events),
            ("gold.violations", given.violations // PARTS, _violations),
            *(
                (table, int(share * given.violations) // PARTS, make)
                for table, (share, make) in EPISODES.items()
            ),
        ):
            rows = make(np.random.default_rng(part), part, of_part, count)
            write_deltalake(lake.path(table), whole(table, rows), mode="append")
        print(f"{part + 1} of {PARTS}", file=sys.stderr, flush=True)
    write_health(lake, units)
    run = {
        "run_id": "r",
        "job": "run",
        "started_at": NOON_US // 1000,
        "ended_at": NOON_US // 1000,
        "status": "done",
    }
    write_deltalake(lake.path("gold.runs"), TABLES["gold.runs"].arrow_table([run]), mode="append")


def _violations(random: np.random.Generator, part: int, units: np.ndarray, count: int) -> dict[str, pa.Array]:
    of = np.sort(random.integers(0, len(units), count))
    rule = random.choice(len(RULES), count, p=[0.002, 0.001, 0.2, 0.3, 0.1, 0.1, 0.297])
    at = NOON_US - random.integers(0, SPAN_US, count)
    names, kips, categories, severities = (np.array(column)[rule] for column in zip(*RULES, strict=True))
    observed = random.integers(1_000, 90_000, count)
    named = ids(f"v{part}", count)
    said = [
        f"waited {ms} ms after failure {n % 9}; the shortest wait allowed was {ms // 2} ms"
        for n, ms in enumerate(observed)
    ]
    return {
        "violation_id": named,
        "finding_id": named,
        "rule_id": pa.array(names),
        "kip": pa.array(kips),
        "category": pa.array(categories),
        "severity": pa.array(severities),
        "client_id": pa.array([f"client-{unit[-12:-8]}" for unit in units[of]]),
        "subject_id": named,
        "happened_at": instants(at),
        "observed_ms": pa.array(observed),
        "limit_ms": pa.array(observed // 2),
        "limit_origin": pa.array(np.full(count, "logged")),
        "explanation": pa.array(said),
        "samples": pa.array([[]] * count, pa.list_(pa.string())),
        "event_ids": pa.ListArray.from_arrays(
            pa.array(np.arange(count + 1, dtype=np.int32)), ids(f"e{part}", count)
        ),
        "incarnation": pa.array(np.zeros(count, np.int32)),
        "occurrences": pa.array(random.integers(1, 50, count)),
        "first_at": instants(at),
        "last_at": instants(at),
        "worst_ms": pa.array(observed),
        "scope_id": pa.array(units[of]),
        "detected_at": instants(at),
        "run_id": pa.array(np.full(count, "r")),
        **of_units(units[of]),
    }


def _events(random: np.random.Generator, part: int, units: np.ndarray, count: int) -> dict[str, pa.Array]:
    of = np.sort(random.integers(0, len(units), count))
    at = instants(NOON_US - SPAN_US + np.arange(count) * (SPAN_US // count))
    kinds = pa.array(np.array(KINDS)[random.integers(0, len(KINDS), count)])
    return {
        "event_id": ids(f"e{part}", count),
        "record_id": ids(f"r{part}", count),
        "kind": kinds,
        "message_id": kinds,
        "incarnation": pa.array(np.zeros(count, np.int32)),
        "source_id": pa.array(units[of]),
        "source": pa.array(units[of]),
        "offset": pa.array(np.arange(count) * 120),
        "line": pa.array(np.arange(count) + 1),
        "position": pa.array(np.arange(count)),
        "ordered_at": at,
        "happened_at": at,
        "time_origin": pa.array(np.full(count, "logged")),
        "client_id": pa.array([f"client-{unit[-12:-8]}" for unit in units[of]]),
        "client_kind": pa.array(np.full(count, "producer")),
        **of_units(units[of]),
    }


if __name__ == "__main__":
    main()
