"""One run of the main job: plan, read, rebuild, judge, check. `run`, `demo` and every trigger of `stream` come here."""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from deltalake.exceptions import DeltaError

from conf.settings import Conf
from expectations.place import LakePlace
from jobs.alerts.sender import sender_of, targets_of
from jobs.checks import all_is_checked, check_tables, results_of
from jobs.engine import memory
from jobs.engine.choice import Engines
from jobs.engine.engine import HERE
from jobs.engine.staging import Staged
from jobs.folds.fleet import TABLE as FLEET
from jobs.folds.fleet import write_fleet
from jobs.folds.fold_run import FoldRun
from jobs.folds.health import write_health
from jobs.folds.merge import merge_events
from jobs.folds.orphans import is_plan_lost, supersede_orphans
from jobs.folds.rebuild import rebuild, settings_maker
from jobs.folds.states import code_of
from jobs.garbage import little_garbage
from jobs.inputs.listing import LeftOut, list_files
from jobs.metrics import ingest_metrics
from jobs.metrics.binding import CLIENTS, bindings, write_bindings
from jobs.plans.files import Files
from jobs.plans.known_sources import known_sources
from jobs.plans.plan import PLAN, is_encoded, load_plan
from jobs.plans.topics import plan_topics
from jobs.progress import Progress, tell
from jobs.reading import ingest, late, read_plan
from jobs.runs import log_run
from jobs.storage.lake import LakeWriter
from jobs.storage.lease import writer_lease
from jobs.storage.store_files import cleared
from jobs.storage.trouble import told
from jobs.upkeep.tables import is_due, keep_up
from transforms.faults import told_of
from transforms.folding import Keeping
from transforms.plans import waiting
from transforms.plans.accounting import ACCOUNTING, records_in
from transforms.plans.chunks import Listed, Probe
from transforms.plans.commit import Commit
from transforms.plans.copies import one_name_each, taken
from transforms.plans.identity import cut_off, distinguished, grown_out_of
from transforms.plans.plan import Plan, empty_probe, make_plan, touched_units, within
from transforms.plans.read_rows import EVENTS
from transforms.plans.run_result import RunResult
from transforms.plans.sizes import EVENT_BYTES, bytes_of, new_bytes
from transforms.plans.source_state import SourceState
from transforms.plans.topics import Topic, is_topic, topic_of
from transforms.timers.samples.series_rows import SAMPLES
from transforms.touched import Touched
from transforms.unit_states import STATES


@dataclass(frozen=True, slots=True)
class Input:
    """Where logs and metrics are looked for. most_bytes: of log files at once, None for all there are.

    may_vanish: a path that is not there has nothing new, as a stream goes on when a file was rotated away, or brokers are.
    lateness_ms: how much older than its process's log an event may be; None for any age, and what stood aside comes in.
    flush_ms: how long the last record of a source is waited for to grow; 0 for not at all.
    checks_wait: what was written is checked before the next upkeep, not at once.
    """

    logs: Sequence[str]
    metrics: Sequence[str] = ()
    topics: Sequence[Topic] = ()
    most_bytes: int | None = None
    may_vanish: bool = False
    lateness_ms: int | None = None
    flush_ms: int = 0
    checks_wait: bool = False

    @classmethod
    def given(cls, logs: Sequence[str], metrics: Sequence[str], **how: Any) -> "Input":
        """From a command's arguments.

        Raises: BadInput for a path that doesn't exist, or what is no topic.
        """
        paths, metric_paths = ([one for one in some if not is_topic(one)] for some in (logs, metrics))
        list_files(paths)
        list_files(metric_paths, what="--metrics")
        topics = [topic_of(one, "--logs") for one in logs if is_topic(one)]
        topics += [topic_of(one, "--metrics", is_metrics=True) for one in metrics if is_topic(one)]
        return cls(paths, metric_paths, topics, **how)


@dataclass(frozen=True, slots=True)
class Run:
    """What every step of a trigger works with. result: what the trigger comes to, filled as it goes."""

    engines: Engines
    lake: LakeWriter
    given: Input
    conf: Conf
    progress: Progress
    result: RunResult


def run(
    engines: Engines,
    root: LakePlace,
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
    given = Input.given(logs, metric_paths)  # a wrong path is told before a lake is made
    targets_of(conf.alerts)
    with open_lake(root, conf) as lake:
        return take_all(engines, lake, given, conf, progress, job=job)


def take_all(
    engines: Engines,
    lake: LakeWriter,
    given: Input,
    conf: Conf,
    progress: Progress,
    *,
    job: str,
    is_over: Callable[[], bool] = lambda: False,
) -> RunResult:
    """Trigger after trigger until limits leave nothing, then who is to be told. is_over: whether no other is to begin.

    Raises: BadInput for a path that doesn't exist.
    """
    result = trigger(engines, lake, given, conf, progress, job=job)
    if not result.read:
        log_run(lake, result, job, datetime.now(UTC), conf.lake)
    before = None
    while result.has_more and before != (before := (result.read, result.left_files, result.left_messages)):
        if is_over():
            break
        result.add(trigger(engines, lake, given, conf, progress, job=job))
    for sentence in sender_of(lake, conf.alerts).send():
        tell(sentence)
    return result


@contextmanager
def open_lake(root: LakePlace, conf: Conf) -> Iterator[LakeWriter]:
    """The lake at `root` with all its tables, held against every other writer while the block runs.

    Raises: BadInput where it can't be made, or its disk or tables refuse what is done; LakeBusy where it has a writer.
    """
    memory.of_a_writer()
    lake = LakeWriter(root, conf.lake.checkpoint_interval, conf.lake.most_rows, conf.lake.keep_minutes)
    lake.claim()
    with told(root), writer_lease(lake.files, conf.lake.lease_seconds) as lake.check_held:
        lake.prepare()
        yield lake


@little_garbage()
def trigger(
    engines: Engines, lake: LakeWriter, given: Input, conf: Conf, progress: Progress, *, job: str
) -> RunResult:
    """Finish what was interrupted, then take what is new; where nothing is, nothing is written.

    Raises: BadInput for a path that doesn't exist.
    """
    result = RunResult(run_id=uuid.uuid4().hex)
    run = Run(engines, lake, given, conf, progress, result)
    began = datetime.now(UTC)
    left_out: list[LeftOut] = []
    files = list_files(given.logs, may_vanish=given.may_vanish, left_out=left_out)
    metric_files = list_files(given.metrics, what="--metrics", may_vanish=given.may_vanish, left_out=left_out)
    _warn_of(left_out, lake, progress)
    result.sources = len(files) + len(metric_files)
    try:
        _finish_crashed(run)
        plan = _plan(run, files, metric_files)
        _carry_out(run, plan)
        if plan is None:  # time has passed all the same
            write_health(lake, [], conf.health, int(time.time() * 1000))
        elif is_due(lake, conf.lake.upkeep_plans):
            with progress.step("putting files together"):
                keep_up(lake, conf.lake.most_states)
                all_is_checked(lake)
    except BaseException:
        result.status = "failed"
        with suppress(OSError, DeltaError):  # what failed may be the disk
            log_run(lake, result, job, began, conf.lake)
        raise
    if result.read:
        log_run(lake, result, job, began, conf.lake)
    return result


def _warn_of(left_out: Sequence[LeftOut], lake: LakeWriter, progress: Progress) -> None:
    """Say what can't be read: at once, and by each writer of a lake but once."""
    for one in left_out:
        if lake.left_out.get(one.path) != one.reason:
            lake.left_out[one.path] = one.reason
            progress.warn(f"left out: {one.path} {one.reason}")


def _finish_crashed(run: Run) -> None:
    """A plan that is still there was not carried out to its end: the same plan is carried out again.

    One that rests on what is gone by now is as good as lost (jobs.folds.orphans): versions of tables, or what the plans
    before it put into the accounting, which its own entry would hide for good.
    """
    lake, plan = run.lake, load_plan(run.lake.files)
    if plan is None:
        return
    rests_on = [*((table, one) for table, one in plan.versions.items() if one), (ACCOUNTING, plan.accounting)]
    is_there = lake.version(ACCOUNTING) >= plan.accounting
    if not (is_there and all(lake.has_version(*one) for one in rests_on)):
        PLAN.delete(lake.files)
    else:
        run.progress.say("finishing a run that was interrupted")
        read_plan.still_there(plan, run.conf)
        lake.engine = run.engines.of(bytes_of(plan) + _again(run, is_lost=not plan.versions.get(STATES)))
        _stage(run, plan.topics)
        _carry_out(replace(run, result=RunResult(plan.commit.run_id)), plan)


def _plan(run: Run, files: Sequence[Listed], metric_files: Sequence[Listed]) -> Plan | None:
    engines, lake, given, conf, result = run.engines, run.lake, run.given, run.conf, run.result
    everything = known_sources(lake)
    known = {
        key: source for key, source in everything.items() if not source.is_metrics and not source.is_of_topic
    }
    # Of a file that was cut off and began anew the last source is the one that may grow.
    by_age = sorted(known.values(), key=lambda source: source.file_changed_ns)
    by_path: Mapping[str, SourceState] = {source.source: source for source in by_age}
    read_before = taken(known.values(), files)
    fresh = [listed for listed in files if listed not in read_before]
    fresh_metrics = ingest_metrics.new_files(lake, metric_files)
    topics = plan_topics(given.topics, everything, conf, may_vanish=given.may_vanish)
    is_lost = is_plan_lost(lake)
    set_aside = late.waiting(lake) if given.lateness_ms is None else []
    now_ns = time.time_ns()
    flushed = waiting.due(everything, now_ns // 1_000_000, given.flush_ms)
    others = [fresh_metrics, topics, is_lost, set_aside, flushed]
    if not fresh and not any(others):
        return None
    result.left_messages = sum(topic.left for topic in topics)
    whole = {listed.path: listed.size for listed in fresh}
    portion = within(fresh, by_path, given.most_bytes, lake.left_out, is_encoded=is_encoded)
    fresh, result.left_bytes, result.left_files = portion.files, portion.left_bytes, portion.left_files
    size = new_bytes([*fresh, *fresh_metrics], everything) + sum(topic.size for topic in topics)
    lake.engine = engines.of(size + _again(run, is_lost))
    _stage(run, topics)
    aside = lake.staging / "probes"
    with run.progress.step(f"looking at {len(fresh)} new or changed of {len(files)} files"):
        probes: list[Probe] = [empty_probe(listed.path) for listed in fresh if not listed.size]
        sizes = {listed.path: listed.size for listed in fresh}
        ends = waiting.may_grow(fresh, whole, now_ns, given.flush_ms)
        left_out: list[LeftOut] = []
        found = ingest.probe_sources(lake.engine, fresh, conf, ends, aside, left_out)
        _warn_of(left_out, lake, run.progress)
        gone = {one.path for one in left_out}
        fresh = [listed for listed in fresh if listed.path not in gone]
        contents = Files(conf)
        probes += distinguished(cut_off(found, sizes, known), known, contents)
        names = one_name_each(probes, files, known, contents)
        fresh, probes = waiting.without_open([*fresh, *names.standing], names.probes, whole, known)
        if not fresh and not any(others):
            return None
        grown = grown_out_of(probes, known, contents)
        plan = make_plan(
            lake.next_commit(result.run_id),
            fresh,
            probes,
            names.copies,
            grown,
            known,
            contents,
            conf.reader.chunk_bytes,
        )
        ingest.count_lines(lake.engine, plan, aside)
        if is_lost:
            supersede_orphans(lake, plan, set(everything))
        plan.metrics, plan.late, plan.lateness_ms = fresh_metrics, set_aside, given.lateness_ms
        plan.planned_at, plan.flushed, plan.waits = now_ns // 1_000_000, flushed, given.flush_ms > 0
        read_plan.add_topics(engines, plan, topics, conf)
        plan.versions = {EVENTS: lake.version(EVENTS), STATES: 0 if is_lost else lake.version(STATES)}
        plan.accounting = lake.version(ACCOUNTING)
        plan.code = code_of(conf.defaults, plan.commit.lake_id, conf.lake.most_clients)
        PLAN.save(lake.files, plan)
    return plan


def _stage(run: Run, topics: Sequence[object]) -> None:
    """Where rows are put aside follows from who has tasks: topics always are Spark's."""
    is_spark = run.lake.engine is not HERE or bool(topics)
    run.lake.stage(is_elsewhere=is_spark and run.engines.is_elsewhere)


def _again(run: Run, is_lost: bool) -> int:
    """How many bytes of events are folded again, about: all, where a plan was lost or another version of the code judged."""
    lake = run.lake
    code = code_of(run.conf.defaults, lake.lake_id, run.conf.lake.most_clients)
    return 0 if lake.is_judged_by(code) and not is_lost else lake.count(EVENTS) * EVENT_BYTES


def _carry_out(run: Run, plan: Plan | None) -> None:
    """Bronze, silver, gold, accounting last; then the plan goes."""
    if plan is None:
        return
    lake, given, conf = run.lake, run.given, run.conf
    result, progress = run.result, run.progress
    result.read = len(plan.sources) + len(plan.metrics) + len(plan.late) + len(plan.flushed)
    result.is_checked = not given.checks_wait or is_due(lake, conf.lake.upkeep_plans)
    staging = lake.staging
    _warn_of(read_plan.without_gone(plan), lake, progress)
    samples = _read_metrics(run, plan)
    with progress.step(f"reading {len(plan.sources)} sources"):
        staged = read_plan.read(run.engines, lake, plan, conf, staging / "read")
        _warn_of([*ingest.went_of(staged), *ingest.faults_of(staged, plan)], lake, progress)
        if plan.lateness_ms is not None:
            staged, result.late = late.set_aside(
                lake, plan, staged, ingest.accounts_of(staged), plan.lateness_ms
            )
        staged = late.fold_in(lake, plan, staged, staging / "late")
    settings_of = settings_maker(conf.defaults, _declared(lake, plan, conf))
    code = code_of(conf.defaults, plan.commit.lake_id, conf.lake.most_clients)
    keeping = Keeping(code, conf.lake.most_state_bytes, conf.lake.most_clients)
    folds = FoldRun(lake, plan, settings_of, keeping, staging)
    accounts, touched = _write_logs(run, folds, staged)
    evidence = bindings(lake, samples)
    touched = touched.with_metrics(evidence)
    units = sorted({*touched.units, *touched.whole})
    result.units = len(units)
    now = int(time.time() * 1000)
    # What was read stands as it is from here on: it is checked while the rest is rebuilt, as neither fills the cores.
    with ThreadPoolExecutor(1) as beside:
        read = [table for table, is_changed in result.changed.items() if is_changed and result.is_checked]
        checked = beside.submit(results_of, lake, read)
        if units:
            with progress.step("rebuilding timers, and judging them"):
                result.changed |= rebuild(folds, touched, now, evidence)
                _warn_of([LeftOut(*one) for one in told_of(folds.faults)], lake, progress)
                result.changed[FLEET] = write_fleet(lake) or result.changed.get(FLEET, False)
        added = touched.added_events()
        most_clients = conf.lake.most_clients
        result.changed |= write_health(lake, units, conf.health, now, evidence, added, most_clients)
    result.changed[CLIENTS] = write_bindings(lake, evidence, plan.commit)
    if samples:
        ingest_metrics.write_accounting(lake, samples, _of_metrics(plan))
    if plan.sources:
        ingest.write_accounting(
            lake, plan, [*accounts, *(samples.topics.accounts if samples else ())], result.run_id
        )
    cleared(staging)
    if result.is_checked:
        with progress.step("checking the tables"):
            result.failed_checks = check_tables(lake, result.run_id, checked.result())
    lake.finish(plan.commit, keeping.code if keeping.code == plan.code else "")
    late.forget(lake, plan)
    PLAN.delete(lake.files)


def _read_metrics(run: Run, plan: Plan) -> ingest_metrics.MetricsRead | None:
    lake = run.lake
    topics = sum(topic.is_metrics for topic in plan.topics)
    if not (plan.metrics or topics):
        return None
    with run.progress.step(f"reading metrics of {len(plan.metrics) + topics} files and topics"):
        samples = ingest_metrics.read(run.engines, lake, plan, run.conf, lake.staging / "metrics")
        samples = ingest_metrics.write(lake, samples, _of_metrics(plan))
    run.result.changed[SAMPLES] = samples.written is not None
    return samples


def _of_metrics(plan: Plan) -> Commit:
    """Metrics and logs are both in the accounting and among the unparsed: each writes a table once, under its own id."""
    return replace(plan.commit, lake_id=f"{plan.commit.lake_id}:metrics")


def _write_logs(run: Run, folds: FoldRun, staged: Staged) -> tuple[list[dict[str, Any]], Touched]:
    """Write what was read of the logs; gives the accounts of their chunks, and what is to be folded."""
    lake, plan, result = run.lake, folds.plan, run.result
    if plan.is_empty:
        return [], Touched([], folds.keeping)
    accounts = ingest.accounts_of(staged)
    units = touched_units(accounts, plan)
    result.records = sum(records_in(account) for account in accounts)
    result.events = staged.count(EVENTS)
    result.unparsed = sum(int(account["settled"]["unparsed"]) for account in accounts)
    now = int(time.time() * 1000)
    newest = max((account["latest"] for account in accounts if account["latest"] is not None), default=None)
    result.lag_ms = None if newest is None else now - newest
    # Both wait for files more than for a core, and neither needs the other.
    with (
        run.progress.step(f"writing records and events of {len(units)} processes"),
        ThreadPoolExecutor() as pool,
    ):
        records = pool.submit(ingest.write_bronze, lake, staged, plan, plan.commit, now)
        touched, changed = merge_events(folds, staged, accounts, units)
        result.changed |= changed
        result.changed |= records.result()
    return accounts, touched


def _declared(lake: LakeWriter, plan: Plan, conf: Conf) -> dict[str, Sequence[Mapping[str, str]]]:
    """What conf declares of each unit's clients, by unit."""
    declared: dict[str, Sequence[Mapping[str, str]]] = {}
    if not any(hint.settings for hint in conf.sources):
        return declared
    known = [source for source in known_sources(lake).values() if not source.is_metrics]
    paths = {source.unit_id: source.source for source in known}
    paths |= {source.unit_id: source.source for source in plan.sources.values()}
    for unit_id, path in paths.items():
        if settings := conf.hint_for(path).settings:
            declared[unit_id] = settings
    return declared
