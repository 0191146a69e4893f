"""How each client is now: from what was rebuilt of its process, and from the time of the one who asks.

The data's clock says what is broken, since when, and which timers run. The asker's clock says only what nears its limit and
who has fallen silent: neither ever becomes a finding.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from transforms.diagnose.now.open_timers import NEAR, OpenTimer
from transforms.diagnose.reports.report import iso
from transforms.diagnose.wording.words import origin_words, span

Row = Mapping[str, Any]

# Messages that say a client has ended by itself: later silence is no loss, and no timer of its runs on.
CLOSINGS = frozenset(
    {"client-unregistered", "consumer-closed", "producer-closed", "producer-close", "streams-client-stopped"}
)
CLOSING = "client-unregistered"
# Incidents that only say that a timer runs: nothing is lost yet.
RUNNING = frozenset({"task_stalled"})
# Incidents whose harm outlives them: the thread stays dead until the process starts again.
LASTING = frozenset({"streams_thread_died", "global_thread_stalled"})


@dataclass(frozen=True, slots=True)
class Windows:
    """Settings, ms. recent: how long a broken promise counts as of now; silent: how long a process may write nothing;
    still: how long a stream thread may process nothing while records wait."""

    recent_ms: int = 3_600_000
    silent_ms: int = 900_000
    still_ms: int = 300_000


@dataclass(slots=True, kw_only=True)
class Seen:
    """What the lines of a process say of one of its clients. closed_at: when it said to have ended."""

    unit_id: str
    client_id: str
    service: str | None = None
    instance: str | None = None
    client_kind: str | None = None
    client_version: str | None = None
    client_library: str | None = None
    group_id: str | None = None
    last_seen_at: int | None = None
    closed_at: int | None = None


@dataclass(slots=True, kw_only=True)
class ClientHealth:
    """One client: a row of gold.client_health without the job's columns.

    status: broken, at_risk, ok, closed or unknown; silence is told apart by silent_since_at, as it says nothing of what the
    client does. reason: one sentence for broken and at_risk. longest_poll_gap_ms: of the membership that is open.
    by_metrics: what transforms.diagnose.now.standstill and metric_warnings tell of it, as of its samples. client_library:
    null in a lake of an earlier release, until its process is touched.
    """

    unit_id: str
    client_id: str
    service: str | None
    instance: str | None
    client_kind: str | None
    client_version: str | None
    group_id: str | None
    status: str
    reason: str | None = None
    since_at: int | None = None
    incident_id: str | None = None
    violation_id: str | None = None
    open_timers: int = 0
    oldest_open_timer_deadline_at: int | None = None
    longest_poll_gap_ms: int | None = None
    max_poll_interval_ms: int | None = None
    poll_limit_origin: str | None = None
    by_metrics: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    violations: int = 0
    last_seen_at: int | None = None
    data_clock_at: int | None = None
    closed_at: int | None = None
    silent_since_at: int | None = None
    client_library: str | None = None


def clients_seen(rows: Iterable[Row]) -> list[Seen]:
    """The clients of processes, from counted events.

    rows: unit_id, client_id, service, instance, client_kind, client_version, client_library, group_id, message_id, and
    the largest happened_at of the events that agree in these. Rows without client_id speak of the whole process.
    """
    by_client: dict[tuple[str, str], list[Row]] = {}
    version_of: dict[str, Row] = {}
    for row in rows:
        if row["client_id"] is not None and row["client_kind"] != "broker":
            by_client.setdefault((row["unit_id"], row["client_id"]), []).append(row)
        if row["client_version"] is not None and _at(row) >= _at(version_of.get(row["unit_id"])):
            version_of[row["unit_id"]] = row
    return [
        _seen(of_client, version_of.get(unit_id)) for (unit_id, _), of_client in sorted(by_client.items())
    ]


def as_row(health: ClientHealth) -> Row:
    """What was seen of a client until now, as one row for `clients_seen`, beside those of its newer events."""
    return {
        "unit_id": health.unit_id,
        "client_id": health.client_id,
        "service": health.service,
        "instance": health.instance,
        "client_kind": health.client_kind,
        "client_version": health.client_version,
        "client_library": health.client_library,
        "group_id": health.group_id,
        "message_id": None if health.closed_at is None else CLOSING,
        "happened_at": health.last_seen_at,
    }


def health_of(
    seen: Seen,
    *,
    timers: Sequence[OpenTimer],
    sessions: Iterable[Row],
    broken: Sequence[Row],
    violations: int,
    incidents: Iterable[Row],
    data_clock: int | None,
    poll_limit_origin: str | None,
    windows: Windows,
    by_metrics: Sequence[str] = (),
) -> ClientHealth:
    """One client by the data's clock; `as_of` adds what the asker's clock says.

    timers, sessions, broken (violations of broken_semantics): of this client; violations: how many of all categories.
    incidents: of its process, those that name it at least. data_clock: the last instant its process wrote.
    """
    health = ClientHealth(
        unit_id=seen.unit_id,
        client_id=seen.client_id,
        service=seen.service,
        instance=seen.instance,
        client_kind=seen.client_kind,
        client_version=seen.client_version,
        client_library=seen.client_library,
        group_id=seen.group_id,
        status="ok" if seen.last_seen_at is not None else "unknown",
        open_timers=len(timers),
        oldest_open_timer_deadline_at=min((timer.deadline_at for timer in timers), default=None),
        poll_limit_origin=poll_limit_origin,
        by_metrics=list(by_metrics),
        violations=violations,
        last_seen_at=seen.last_seen_at,
        data_clock_at=data_clock,
        closed_at=seen.closed_at,
    )
    for row in sessions:
        if row["outcome"] == "open" and row["max_poll_gap_ms"] is not None:
            health.longest_poll_gap_ms = row["max_poll_gap_ms"]
            health.max_poll_interval_ms = row["max_poll_interval_ms"]
    if seen.closed_at is not None:
        health.status = "closed"
        incidents = [row for row in incidents if row["kind"] in LASTING]
    _judge(health, timers, broken, incidents, windows)
    return health


def as_of(health: ClientHealth, timers: Iterable[OpenTimer], now: int, windows: Windows) -> None:
    """Say of a client what holds at the asker's instant: early warnings, and silence.

    A client that has been silent, or has closed, is warned of no more: what it did since is not known.
    """
    heard_at = health.data_clock_at
    is_silent = heard_at is not None and health.closed_at is None and now - heard_at > windows.silent_ms
    health.silent_since_at = heard_at if is_silent else None
    health.warnings = []
    if is_silent or health.closed_at is not None:
        return
    health.warnings = [_warning(timer) for timer in timers if timer.is_near(now, heard_at or now)]
    gap, limit = health.longest_poll_gap_ms, health.max_poll_interval_ms
    if gap is not None and limit and gap >= NEAR * limit:
        sentence = f"its longest gap between polls was {span(gap)} of {span(limit)} ({_origin(health.poll_limit_origin)})"
        health.warnings.append(sentence)
    health.warnings += health.by_metrics


def _judge(
    health: ClientHealth,
    timers: Sequence[OpenTimer],
    broken: Sequence[Row],
    incidents: Iterable[Row],
    windows: Windows,
) -> None:
    incidents = list(incidents)
    lasting = [row for row in incidents if _goes_on(row, health.client_id) and row["kind"] not in RUNNING]
    recent = [row for row in broken if _is_recent(row, health.data_clock_at, windows)]
    if lasting:
        worst = max(lasting, key=lambda row: (row["started_at"] or 0, row["incident_id"]))
        health.status, health.reason = "broken", worst["title"]
        health.since_at, health.incident_id = worst["started_at"], worst["incident_id"]
    elif recent:
        worst = max(recent, key=lambda row: (row["last_at"] or 0, row["violation_id"]))
        health.status, health.reason = "broken", worst["explanation"]
        health.since_at, health.violation_id = worst["first_at"], worst["violation_id"]
    elif at_risk := [timer for timer in timers if timer.kind in ("task", "batch")]:
        first = min(at_risk, key=lambda timer: timer.deadline_at)
        health.status, health.reason, health.since_at = "at_risk", _runs(first), first.started_at
        health.incident_id = next(
            (row["incident_id"] for row in incidents if _goes_on(row, health.client_id)), None
        )


def _goes_on(row: Row, client_id: str) -> bool:
    goes_on = row["ended_at"] is None or row["kind"] in LASTING
    return (
        goes_on and row["verdict"] != "benign" and row["impact"] != "none" and client_id in row["client_ids"]
    )


def _is_recent(row: Row, data_clock: int | None, windows: Windows) -> bool:
    return row["last_at"] is None or data_clock is None or data_clock - row["last_at"] <= windows.recent_ms


def _runs(timer: OpenTimer) -> str:
    what = "makes no progress" if timer.kind == "task" else "is not delivered"
    subject = f"a batch for {timer.subject}" if timer.kind == "batch" else timer.subject
    return f"{subject} {what}; {timer.setting} = {span(timer.limit_ms)} ({_origin(timer.limit_origin)})"


def _warning(timer: OpenTimer) -> str:
    """Without the time left: it is deadline_at less the reader's own clock, and the row stays as it is while time passes."""
    limit = f"{timer.setting} = {span(timer.limit_ms)}, {_origin(timer.limit_origin)}"
    return f"{timer.kind} timer of {timer.subject}: it ends at {iso(timer.deadline_at)} ({limit})"


def _origin(origin: str | None) -> str:
    if origin is not None and origin.startswith(("default:", "assumed")):
        return f"if the default holds: {origin}"
    return origin_words(origin)


def _seen(rows: Sequence[Row], process: Row | None) -> Seen:
    latest = sorted(rows, key=_at, reverse=True)
    last = latest[0]
    closed_at = max((_at(row) for row in rows if row["message_id"] in CLOSINGS), default=None)
    last_open_at = max((_at(row) for row in rows if row["message_id"] not in CLOSINGS), default=0)
    is_closed = closed_at is not None and closed_at >= last_open_at
    return Seen(
        unit_id=last["unit_id"],
        client_id=last["client_id"],
        service=last["service"],
        instance=last["instance"],
        client_kind=_first(latest, "client_kind"),
        client_version=_first(latest, "client_version") or (process["client_version"] if process else None),
        client_library=_first(latest, "client_library"),
        group_id=_first(latest, "group_id"),
        last_seen_at=last["happened_at"],
        closed_at=closed_at if is_closed else None,
    )


def _first(rows: Sequence[Row], name: str) -> Any:
    return next((row[name] for row in rows if row[name] is not None), None)


def _at(row: Row | None) -> int:
    return (row["happened_at"] or 0) if row else 0
