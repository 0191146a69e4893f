"""An episode's instants in order, with the limit that bound it: what `explain` prints and pages draw."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from transforms.diagnose.wording.words import counted
from transforms.events import is_named

# An episode as a row of its table: column name -> value, instants in ms UTC.
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """One instant. role: start, attempt, limit, end or note."""

    at: int
    role: str
    label: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """Marks in order of time. title: what it is a timeline of."""

    title: str
    marks: tuple[Mark, ...]

    @property
    def starts_at(self) -> int:
        """The first instant, which offsets count from."""
        return self.marks[0].at

    @property
    def ends_at(self) -> int:
        """The last instant."""
        return self.marks[-1].at


RETRIED = ("silver.task_timers", "silver.batch_lifetimes", "silver.backoff_attempts")
ROLES = ("start", "note", "attempt", "limit", "end")  # also the order of marks at one instant


def timeline_of(table: str, row: Row, events: Iterable[tuple[int, str]] = ()) -> Timeline | None:
    """The timeline of one row of a silver table.

    events: (happened_at, label) of the lines that prove it; those at an instant already marked are left out.
    Gives None where no instant of it is known.
    """
    title, marks = TELLERS[table](row) if table in TELLERS else ("What its lines show", [])
    known = {mark.at for mark in marks if mark.role != "limit"}
    role = "attempt" if table in RETRIED else "note"
    marks.extend(Mark(at, role, label) for at, label in events if at not in known)
    if not marks:
        return None
    return Timeline(
        title, tuple(sorted(set(marks), key=lambda mark: (mark.at, ROLES.index(mark.role), mark.label)))
    )


def _task_timer(row: Row) -> tuple[str, list[Mark]]:
    start = "computed: the timer starts" if row.get("is_inferred") else "the timer starts"
    by = f" ({row['started_by']})" if row.get("started_by") else ""
    return f"Timer of task {row.get('task_id')}, thread {row.get('thread') or 'unknown'}", [
        *_mark(row.get("started_at"), "start", f"{start}{by}"),
        *_mark(
            row.get("deadline_at"),
            "limit",
            _bound("task.timeout.ms", row.get("task_timeout_ms"), row.get("timeout_origin")),
        ),
        *_mark(row.get("ended_at"), "end", f"{row.get('outcome')}"),
    ]


def _batch(row: Row) -> tuple[str, list[Mark]]:
    created, limit = row.get("created_at"), row.get("delivery_timeout_ms")
    start = "created (line time less the age it tells)" if row.get("is_inferred") else "created"
    error = f": {row['error_class']}" if row.get("error_class") else ""
    records = f" of {counted(row['records'], 'record')}" if row.get("records") else ""
    return f"Batch{records} for {row.get('topic')}-{row.get('partition')}", [
        *_mark(created, "start", start),
        *_mark(
            _after(created, limit), "limit", _bound("delivery.timeout.ms", limit, row.get("timeout_origin"))
        ),
        *_mark(row.get("ended_at"), "end", f"{row.get('outcome')}{error}"),
    ]


def _session(row: Row) -> tuple[str, list[Mark]]:
    marks = [
        *_mark(row.get("joined_at"), "start", f"joined as {row.get('member_id') or 'a member'}"),
        *_mark(row.get("ended_at"), "end", f"membership ended: {row.get('outcome')}"),
        *_mark(row.get("rejoined_at"), "note", "a member again"),
    ]
    poll, poll_limit = row.get("last_poll_at"), row.get("max_poll_interval_ms")
    beat, session_limit = row.get("last_heartbeat_at"), row.get("session_timeout_ms")
    if row.get("outcome") in ("poll_expired", "rebalance_expired", "open"):
        marks += _mark(poll, "note", "last poll()")
        marks += _mark(_after(poll, poll_limit), "limit", _bound("max.poll.interval.ms", poll_limit, None))
    if row.get("outcome") in ("session_expired", "open"):
        marks += _mark(beat, "note", "last heartbeat sent")
        expires_at = _after(beat, session_limit)
        # A heartbeat sent after the broker's own limit had passed says nothing of when that was.
        if expires_at is not None and (row.get("ended_at") is None or expires_at <= row["ended_at"]):
            marks += _mark(expires_at, "limit", _bound("session.timeout.ms", session_limit, None))
    group = f" in group {row.get('group_id')}" if is_named(row.get("group_id")) else ""
    return f"Membership of {row.get('client_id') or row.get('member_id')}{group}", marks


def _backoff(row: Row) -> tuple[str, list[Mark]]:
    failed, sent = row.get("failed_at"), row.get("sent_at")
    latest = "the next failure: it was sent before" if row.get("is_lower_bound") else "sent again"
    return (
        f"Wait {row.get('failures')} of {row.get('api') or 'a call'} {row.get('subject') or ''}".rstrip(),
        [
            *_mark(failed, "start", f"failure {row.get('failures')}"),
            *_mark(
                _after(failed, row.get("shortest_ms")),
                "limit",
                _bound("shortest wait", row.get("shortest_ms"), None),
            ),
            *_mark(
                _after(failed, row.get("longest_ms")),
                "limit",
                _bound("longest wait", row.get("longest_ms"), None),
            ),
            *_mark(sent, "end", latest),
        ],
    )


def _rebalance(row: Row) -> tuple[str, list[Mark]]:
    trigger = (
        f" ({row['trigger']}{' by ' + row['triggered_by'] if row.get('triggered_by') else ''})"
        if row.get("trigger")
        else ""
    )
    return f"Rebalance of group {row.get('group_id')}, generation {row.get('generation')}", [
        *_mark(row.get("started_at"), "start", f"begins{trigger}"),
        *_mark(row.get("ended_at"), "end", f"{row.get('outcome')}"),
    ]


TELLERS: dict[str, Callable[[Row], tuple[str, list[Mark]]]] = {
    "silver.task_timers": _task_timer,
    "silver.batch_lifetimes": _batch,
    "silver.liveness_sessions": _session,
    "silver.backoff_attempts": _backoff,
    "silver.group_rebalances": _rebalance,
}


def _mark(at: int | None, role: str, label: str) -> list[Mark]:
    return [] if at is None else [Mark(at, role, label)]


def _after(at: int | None, ms: int | None) -> int | None:
    return None if at is None or ms is None else at + ms


def _bound(name: str, ms: int | None, origin: str | None) -> str:
    return f"{name} = {ms} ms{f' ({origin})' if origin else ''}" if ms is not None else name
