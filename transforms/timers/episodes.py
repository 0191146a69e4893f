"""The rebuilt state, one class per silver table; field names are the tables' columns.

Instants are ms since the epoch, UTC; event_ids prove the row, in order. `profile` is what was known of
the client when the episode began: rules read it, tables don't keep it. Ids: episode_id() below.
"""

from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Protocol, TypedDict

from transforms.timers.profile import ClientProfile


def episode_id(unit_id: str, machine: str, first_event_id: str) -> str:
    """Identity of an episode: what it is and the event it began with, never when it arrived."""
    return sha256(f"{unit_id}\x1f{machine}\x1f{first_event_id}".encode()).hexdigest()


class Whose(TypedDict):
    """Whose an episode is, as its fields."""

    unit_id: str
    incarnation: int
    client_id: str | None
    service: str | None
    instance: str | None


class Owned(Protocol):
    """An event, an episode, or what a machine keeps of one: all of one client of one process."""

    unit_id: str
    incarnation: int
    client_id: str | None
    service: str | None
    instance: str | None


def whose(one: Owned) -> Whose:
    """The fields of an episode that is of the same client as that event or episode: `TaskTimer(**whose(event), ...)`."""
    return {
        "unit_id": one.unit_id,
        "incarnation": one.incarnation,
        "client_id": one.client_id,
        "service": one.service,
        "instance": one.instance,
    }


# Measured between two lines, or taken from one.
MEASURED = (
    "stalled_ms",
    "waited_ms",
    "age_ms",
    "in_flight_ms",
    "waiting_ms",
    "max_poll_gap_ms",
    "lived_at_most_ms",
)
# What ends an episode, and what began it.
SPANS = (
    ("ended_at", "started_at"), ("ended_at", "created_at"), ("ended_at", "joined_at"), ("sent_at", "failed_at"),
)  # fmt: skip


def forget_negative(episode: "Episode") -> None:
    """A clock that was set back makes a duration negative, or an end come before its begin: it is not known then."""
    measured, spans = _measured(type(episode))  # type: ignore[arg-type]  # mypy asks a class for its instances' hash
    for name in measured:
        if (getattr(episode, name) or 0) < 0:
            setattr(episode, name, None)
    for end, begin in spans:
        if is_before(getattr(episode, end), getattr(episode, begin)):
            setattr(episode, end, None)


def is_before(end: int | None, begin: int | None) -> bool:
    """Whether both are known, and in the wrong order."""
    return end is not None and begin is not None and end < begin


@cache
def _measured(of: type) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """What episodes of a class have of either: most have nothing."""
    return (
        tuple(name for name in MEASURED if hasattr(of, name)),
        tuple(span for span in SPANS if all(hasattr(of, name) for name in span)),
    )


@dataclass(slots=True, kw_only=True)
class Episode:
    """What all episodes carry. log_is_whole: its process's log shows that no line is missing (log_holes); no column."""

    unit_id: str
    incarnation: int = 0
    client_id: str | None = None
    service: str | None = None
    instance: str | None = None
    event_ids: list[str] = field(default_factory=list)
    profile: ClientProfile | None = None
    log_is_whole: bool = False

    @property
    def timed_by(self) -> tuple[str, ...]:
        """The units whose clocks its times are of: its own, and another's where two logs tell of it."""
        return (self.unit_id,)


@dataclass(slots=True, kw_only=True)
class TaskTimer(Episode):
    """One run of a task's timeout timer (AbstractTask.maybeInitTaskTimeoutOrThrow).

    outcome: open, cleared, expired, closed, unknown. attempts: timeouts seen while it ran, the first included.
    stalled_ms: from start to end (to the last attempt while open).
    is_inferred: the start was computed (expiry - stalled_ms) or taken from a WARN/ERROR line, not the DEBUG timer line.
    processed, thread_processed: records of the task, and of its thread, meanwhile, by metrics.
    counted_down_ms: the time left by the first of its own lines, where that began the timer; no column.
    """

    timer_id: str
    task_id: str
    thread: str | None = None
    started_at: int | None = None
    started_by: str | None = None
    deadline_at: int | None = None
    task_timeout_ms: int | None = None
    timeout_origin: str | None = None
    attempts: int = 0
    last_attempt_at: int | None = None
    ended_at: int | None = None
    outcome: str = "open"
    stalled_ms: int | None = None
    is_inferred: bool = False
    processed: int | None = None
    thread_processed: int | None = None
    counted_down_ms: int | None = None


@dataclass(slots=True, kw_only=True)
class BackoffAttempt(Episode):
    """One retry of one request, batch or call: the wait between a failure and the next send.

    failures: how many failures of this sequence preceded the wait (1 for the first wait).
    is_lower_bound: sent_at is not known; waited_ms is an upper estimate from the next failure (the true wait is
        at most that), so only "too short" can be judged by it.
    shortest_ms, longest_ms: bounds of the wait by what the client's version shipped; None while unknown.
    """

    sequence_id: str
    api: str | None = None
    subject: str | None = None
    failures: int = 0
    failed_at: int | None = None
    sent_at: int | None = None
    waited_ms: int | None = None
    is_lower_bound: bool = False
    retry_backoff_ms: int | None = None
    retry_backoff_max_ms: int | None = None
    shortest_ms: int | None = None
    longest_ms: int | None = None


@dataclass(slots=True, kw_only=True)
class BatchLifetime(Episode):
    """One producer batch that was retried, failed or expired (ProducerBatch).

    outcome: expired, failed, delivered, open, unknown. age_ms: creation to end.
    By metrics, of all batches of its producer while it lived: queued_at_most_ms from creation to a send, answered_within_ms
    from a send to its answer, throttled_at_most_ms, buffer_wait_ms in send(); requests_in_flight when it ended.
    """

    batch_id: str
    topic: str | None = None
    partition: int | None = None
    records: int | None = None
    created_at: int | None = None
    ended_at: int | None = None
    outcome: str = "open"
    age_ms: int | None = None
    delivery_timeout_ms: int | None = None
    timeout_origin: str | None = None
    attempts: int | None = None
    in_flight_ms: int | None = None
    waiting_ms: int | None = None
    error_class: str | None = None
    is_inferred: bool = False
    queued_at_most_ms: int | None = None
    answered_within_ms: int | None = None
    throttled_at_most_ms: int | None = None
    buffer_wait_ms: int | None = None
    requests_in_flight: int | None = None


@dataclass(slots=True, kw_only=True)
class LivenessSession(Episode):
    """One membership, from join to end.

    outcome: open, poll_expired, session_expired, rebalance_expired, fenced, closed, unknown.
    rejoined_at: when the same client was a member again after this one ended.
    from_metrics: the columns that samples tell, not lines; plus_minus_ms: how exactly the instants among them are known.
    gave_up: whether its own log says that an error which is final had ended it (KIP-848: FATAL); no column.
    was_loaded: whether its coordinator knew it from before, by __consumer_offsets, and never heard of it; no column.
    """

    session_id: str
    group_id: str | None = None
    member_id: str | None = None
    group_instance_id: str | None = None
    generation: int | None = None
    joined_at: int | None = None
    ended_at: int | None = None
    outcome: str = "open"
    last_poll_at: int | None = None
    max_poll_gap_ms: int | None = None
    last_heartbeat_at: int | None = None
    session_timeout_ms: int | None = None
    max_poll_interval_ms: int | None = None
    rejoined_at: int | None = None
    from_metrics: list[str] = field(default_factory=list)
    plus_minus_ms: int | None = None
    gave_up: bool = False
    was_loaded: bool = False


@dataclass(slots=True, kw_only=True)
class GroupRebalance(Episode):
    """One rebalance of one group. trigger: member_failed, joined, left, metadata_changed, ..., unknown.

    outcome: completed, overtaken, open, unknown.
    """

    rebalance_id: str
    group_id: str | None = None
    generation: int | None = None
    started_at: int | None = None
    ended_at: int | None = None
    trigger: str | None = None
    triggered_by: str | None = None
    slowest_member: str | None = None
    outcome: str = "open"


# The table that each is kept in: of one process, or of a whole group.
UNIT_EPISODES: dict[type[Episode], str] = {
    TaskTimer: "silver.task_timers",
    BackoffAttempt: "silver.backoff_attempts",
    BatchLifetime: "silver.batch_lifetimes",
}
GROUP_EPISODES: dict[type[Episode], str] = {
    LivenessSession: "silver.liveness_sessions",
    GroupRebalance: "silver.group_rebalances",
}
TABLE_OF = UNIT_EPISODES | GROUP_EPISODES
