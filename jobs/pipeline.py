"""One run of the main job: plan, read, rebuild, judge, check. `run`, `demo` and `stream --available-now` all come here."""

import shutil
import time
import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from expectations import TABLES
from jobs import ingest, metrics
from jobs.accounting import KnownSource, known_sources
from jobs.checks import check_tables
from jobs.conf import Conf
from jobs.enrich import write_events
from jobs.identity import tell_apart
from jobs.lake import Lake
from jobs.lease import writer_lease
from jobs.listing import Listed, list_files
from jobs.plan import Plan, Probe, empty_probe, make_plan, unchanged
from jobs.progress import Progress
from jobs.read_rows import EVENTS
from jobs.rebuild import rebuild, settings_maker

STAGING = "staging"


@dataclass(slots=True)
class RunResult:
    """What a run did, for people and for --json. Counts of rows; `changed` by table; `seconds` by step."""

    run_id: str
    status: str = "done"
    sources: int = 0
    records: int = 0
    events: int = 0
    units: int = 0
    changed: dict[str, bool] = field(default_factory=dict)
    failed_checks: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


def run(
    spark: SparkSession,
    root: Path,
    logs: Sequence[str],
    metric_paths: Sequence[str],
    conf: Conf,
    progress: Progress,
    *,
    job: str = "run",
) -> RunResult:
    """Bring everything new under `logs` and `metric_paths` into the lake at `root`.

    Raises: BadInput for a path that doesn't exist, a lake that can't be made, or a lake that has a writer.
    """
    files = list_files(logs)
    metric_files = list_files(metric_paths, what="--metrics")
    lake = Lake(root, conf.lake.checkpoint_interval, spark, conf.lake.most_rows)
    lake.claim()
    with writer_lease(lake.control, conf.lake.lease_seconds):
        lake.prepare()
        result = RunResult(run_id=uuid.uuid4().hex, sources=len(files) + len(metric_files))
        began = datetime.now(UTC)
        try:
            _finish_crashed(spark, lake, conf, progress)
            plan = _plan(spark, lake, files, result.run_id, conf, progress)
            _carry_out(spark, lake, plan, conf, result, progress)
            metrics.ingest(spark, lake, metric_files, conf, result, progress)
        except BaseException:
            _log_run(lake, result, job, began, "failed")
            raise
        _log_run(lake, result, job, began, "done")
    return result


def _finish_crashed(spark: SparkSession, lake: Lake, conf: Conf, progress: Progress) -> None:
    """A plan that is still there was not carried out to its end: the same plan is carried out again."""
    plan = Plan.load(lake.control)
    if plan is not None:
        progress.say("finishing a run that was interrupted")
        _carry_out(spark, lake, plan, conf, RunResult(plan.commit.run_id), progress)


def _plan(
    spark: SparkSession, lake: Lake, files: Sequence[Listed], run_id: str, conf: Conf, progress: Progress
) -> Plan:
    known = {key: source for key, source in known_sources(lake).items() if not source.is_metrics}
    by_path: Mapping[str, KnownSource] = {source.source: source for source in known.values()}
    fresh = [listed for listed in files if not unchanged(listed, by_path)]
    with progress.step(f"looking at {len(fresh)} new or changed of {len(files)} files"):
        probes: list[Probe] = [empty_probe(listed.path) for listed in fresh if not listed.size]
        probes += tell_apart(ingest.probe_sources(spark, fresh, conf), known, conf)
        plan = make_plan(lake.next_commit(run_id), fresh, probes, known, conf)
        ingest.count_lines(spark, plan)
        if plan.sources or plan.superseded:
            plan.save(lake.control)
    return plan


def _carry_out(
    spark: SparkSession, lake: Lake, plan: Plan, conf: Conf, result: RunResult, progress: Progress
) -> None:
    """Bronze, silver, gold, books last; then the plan goes."""
    if not plan.sources and not plan.superseded:
        return
    staging = lake.control / STAGING
    commit, now = plan.commit, int(time.time() * 1000)
    books: list[dict[str, Any]] = []
    units: list[str] = []
    if not plan.is_empty:
        with progress.step(f"reading {len(plan.sources)} sources"):
            staged = ingest.read_chunks(spark, plan, conf, staging / "read")
        books = ingest.books_of(staged)
        units = ingest.touched_units(books, plan)
        result.units = len(units)
        result.records = sum(ingest.records_in(book) for book in books)
        result.events = staged.rows.get(EVENTS, 0)
        settings_of = settings_maker(conf.defaults, _declared(lake, plan, conf))
        # Both wait for files more than for a core, and neither needs the other.
        with (
            progress.step(f"writing records and events of {len(units)} processes"),
            ThreadPoolExecutor() as pool,
        ):
            records = pool.submit(ingest.write_bronze, lake, staged, plan, commit, now)
            if units:
                events, control = ingest.all_events(lake, staged, plan, books, units)
                result.changed |= write_events(
                    spark, lake, events, control, units, settings_of, staging / "control", commit
                )
            records.result()
        if units:
            with progress.step("rebuilding timers, and judging them"):
                result.changed |= rebuild(spark, lake, units, settings_of, staging, commit, now)
        shutil.rmtree(staging, ignore_errors=True)
    ingest.write_accounting(lake, plan, books, result.run_id)
    with progress.step("checking the tables"):
        result.failed_checks = check_tables(spark, lake, result.changed, units, result.run_id)
    Plan.done(lake.control)


def _declared(lake: Lake, plan: Plan, conf: Conf) -> dict[str, Sequence[Mapping[str, str]]]:
    """What conf declares of each unit's clients, by unit."""
    declared: dict[str, Sequence[Mapping[str, str]]] = {}
    paths = {source.unit_id: source.source for source in known_sources(lake).values()}
    paths |= {source["unit_id"]: source["source"] for source in plan.sources.values()}
    for unit_id, path in paths.items():
        if settings := conf.hint_for(path).settings:
            declared[unit_id] = settings
    return declared


def _log_run(lake: Lake, result: RunResult, job: str, began: datetime, status: str) -> None:
    from deltalake import write_deltalake

    result.status = status
    row = {
        "run_id": result.run_id,
        "job": job,
        "started_at": int(began.timestamp() * 1000),
        "ended_at": int(time.time() * 1000),
        "status": status,
        "rows_in": result.records,
        "rows_out": result.events,
    }
    write_deltalake(lake.path("gold.runs"), TABLES["gold.runs"].arrow_table([row]), mode="append")
