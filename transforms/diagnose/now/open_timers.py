"""Timers that run: what a rebuilt episode that has not ended still waits for, and until when.

An instant is ms since the epoch, UTC, by the client's clock. A deadline is only told where its limit is known.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from transforms.diagnose.wording.words import group_words, partition_words

Row = Mapping[str, Any]
# (client_id, name) -> (value in ms, origin): the settings that hold at the end of the log.
Limits = Mapping[tuple[str | None, str], tuple[int, str]]

NEAR = 0.8  # of its limit is used up: an early warning
POLL, SESSION, IDLE = "max.poll.interval.ms", "session.timeout.ms", "max.task.idle.ms"
RENEWED = frozenset({"poll", "session"})  # begun anew by what is seldom logged
JITTER = 1.2  # the longest wait is a fifth above its nominal one (KIP-580)


@dataclass(slots=True, kw_only=True)
class OpenTimer:
    """One running timer: a row of gold.open_timers without the job's columns.

    kind: task, batch, poll, session or backoff. subject: the task, partition, group or request. setting: what sets limit_ms.
    """

    unit_id: str
    client_id: str
    service: str | None
    instance: str | None
    timer_id: str
    kind: str
    subject: str | None
    setting: str
    started_at: int
    deadline_at: int
    limit_ms: int
    limit_origin: str | None
    attempts: int | None = None

    def used(self, now: int) -> float:
        """Which part of the limit has passed."""
        return (now - self.started_at) / self.limit_ms if self.limit_ms else 1.0

    def is_near(self, now: int, data_clock: int) -> bool:
        """Whether it deserves an early warning.

        A task or a batch that goes on says so in its log. A poll or a heartbeat seldom does, and logs arrive late: there
        only the time counts that the log itself went on without one. The end of a wait harms nobody.
        """
        if self.kind == "backoff":
            return False
        return self.used(min(now, data_clock) if self.kind in RENEWED else now) >= NEAR


def open_timers(
    *,
    tasks: Iterable[Row] = (),
    batches: Iterable[Row] = (),
    sessions: Iterable[Row] = (),
    attempts: Iterable[Row] = (),
    limits: Limits,
    data_clock: int,
) -> list[OpenTimer]:
    """The running timers of one process, the next deadline first.

    rows: of silver.task_timers, batch_lifetimes, liveness_sessions and backoff_attempts. data_clock: the last instant that
    the process wrote.
    """
    found = [
        *_tasks(tasks),
        *_batches(batches),
        *_sessions(sessions, limits, data_clock),
        *_waits(attempts, data_clock),
    ]
    return sorted(found, key=lambda timer: (timer.deadline_at, timer.kind, timer.timer_id))


def _tasks(rows: Iterable[Row]) -> Iterator[OpenTimer]:
    for row in rows:
        if row["outcome"] == "open" and row["started_at"] is not None and row["task_timeout_ms"] is not None:
            yield _timer(
                row,
                row["timer_id"],
                "task",
                f"task {row['task_id']}",
                "task.timeout.ms",
                row["started_at"],
                row["task_timeout_ms"],
                row["timeout_origin"],
            )


def _batches(rows: Iterable[Row]) -> Iterator[OpenTimer]:
    for row in rows:
        known = row["created_at"] is not None and row["delivery_timeout_ms"] is not None
        if row["outcome"] == "open" and known:
            yield _timer(
                row,
                row["batch_id"],
                "batch",
                partition_words(row["topic"], row["partition"]),
                "delivery.timeout.ms",
                row["created_at"],
                row["delivery_timeout_ms"],
                row["timeout_origin"],
            )


def _sessions(rows: Iterable[Row], limits: Limits, data_clock: int) -> Iterator[OpenTimer]:
    """Poll and session timers. Most polls and heartbeats are written nowhere: where the log went on beyond the deadline and
    the membership with it, a later one was only not seen, and nothing is known of the timer."""
    for row in rows:
        if row["outcome"] != "open":
            continue
        for kind, setting, since, limit_ms in (
            ("poll", POLL, row["last_poll_at"], row["max_poll_interval_ms"]),
            ("session", SESSION, row["last_heartbeat_at"], row["session_timeout_ms"]),
        ):
            if since is None or limit_ms is None or since + limit_ms < data_clock:
                continue
            origin = limits.get((row["client_id"], setting), (None, None))[1]
            yield _timer(
                row,
                row["session_id"],
                kind,
                f"group {group_words(row['group_id'])}",
                setting,
                since,
                limit_ms,
                origin,
            )


def _waits(rows: Iterable[Row], data_clock: int) -> Iterator[OpenTimer]:
    """The wait after the last failure of each sequence, while its longest bound has not passed by the data's clock."""
    last: dict[str, Row] = {}
    for row in rows:
        stood = last.get(row["sequence_id"])
        if stood is None or row["failures"] > stood["failures"]:
            last[row["sequence_id"]] = row
    for row in last.values():
        # Where the send is known, the request is under way, and nothing waits.
        if row["sent_at"] is not None or None in (row["failed_at"], row["waited_ms"], row["longest_ms"]):
            continue
        failed_at = row["failed_at"] + row["waited_ms"]
        longest = row["longest_ms"]
        if row["retry_backoff_max_ms"] is not None and row["longest_ms"] != row["shortest_ms"]:
            longest = min(2 * longest, round(row["retry_backoff_max_ms"] * JITTER))
        if longest > 0 and failed_at + longest >= data_clock:
            yield _timer(
                row,
                row["sequence_id"],
                "backoff",
                row["subject"],
                "retry.backoff.max.ms",
                failed_at,
                longest,
                None,
            )


def _timer(
    row: Row,
    timer_id: str,
    kind: str,
    subject: str | None,
    setting: str,
    started_at: int,
    limit_ms: int,
    origin: str | None,
) -> OpenTimer:
    return OpenTimer(
        unit_id=row["unit_id"],
        client_id=row["client_id"] or "unknown",
        service=row["service"],
        instance=row["instance"],
        timer_id=timer_id,
        kind=kind,
        subject=subject,
        setting=setting,
        started_at=started_at,
        deadline_at=row.get("deadline_at") or started_at + limit_ms,
        limit_ms=limit_ms,
        limit_origin=origin,
        attempts=row.get("attempts") or row.get("failures"),
    )
