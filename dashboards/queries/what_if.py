"""What a lake's episodes are to another limit: their margins, of the latest episodes of each kind."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from dashboards.queries.base import Answer, LakeReader, Row
from dashboards.queries.sql import Where, equal
from transforms.diagnose.reports import margins
from transforms.diagnose.reports.margins import CALL, CALLS, DELIVERY, POLL, REQUEST, SESSION, TASK, Margin

MOST_EPISODES = 5_000  # of one kind, the latest: more tell no more of a limit, and a page has to come
COMMON = ("unit_id", "incarnation", "client_id", "service", "outcome", "ended_at")


@dataclass(frozen=True, slots=True)
class Kind:
    """Where the episodes lie that a setting decides. by: what orders them in time."""

    table: str
    columns: tuple[str, ...]
    by: str
    margins: Callable[[Iterable[Row]], Iterator[Margin]]
    where: tuple[Where, ...] = ()


_MEMBERSHIPS = Kind(
    "silver.liveness_sessions",
    (
        *COMMON, "session_id", "group_id", "joined_at", "last_heartbeat_at", "rejoined_at", "max_poll_gap_ms",
        "max_poll_interval_ms", "session_timeout_ms",
    ),
    "joined_at",
    margins.of_memberships,
)  # fmt: skip
_BATCHES = Kind(
    "silver.batch_lifetimes",
    (
        *COMMON, "batch_id", "topic", "partition", "created_at", "age_ms", "delivery_timeout_ms", "error_class",
    ),
    "ended_at",
    margins.of_batches,
)  # fmt: skip
_TASKS = Kind(
    "silver.task_timers",
    (
        *COMMON, "timer_id", "thread", "started_at", "last_attempt_at", "task_timeout_ms", "stalled_ms", "is_inferred",
    ),
    "started_at",
    margins.of_task_timers,
)  # fmt: skip
_EVENTS = (
    "event_id", "kind", "message_id", "client_id", "group_id", "service", "happened_at", "limit_ms", "elapsed_ms",
)  # fmt: skip
_REQUESTS = Kind(
    "silver.client_events", _EVENTS, "happened_at", margins.of_requests, (("kind", "=", "request_cancelled"),)
)
_CALLS = Kind(
    "silver.client_events",
    _EVENTS,
    "happened_at",
    margins.of_requests,
    (("message_id", "in", sorted(CALLS)),),
)
KINDS = {
    POLL: _MEMBERSHIPS,
    SESSION: _MEMBERSHIPS,
    DELIVERY: _BATCHES,
    TASK: _TASKS,
    REQUEST: _REQUESTS,
    CALL: _CALLS,
}


def margins_of(
    lake: LakeReader,
    setting: str,
    service: str | None = None,
    group: str | None = None,
    most: int = MOST_EPISODES,
) -> tuple[Answer, Sequence[Margin]]:
    """The margins of a setting's episodes; the answer says how they were read, and how many episodes there are."""
    kind = KINDS[setting]
    where = [*kind.where, *equal(service=service)]
    where += equal(group_id=group) if "group_id" in kind.columns else []
    found = lake.read(kind.table, kind.columns, where, [(kind.by, "descending")], most)
    return found, [one for one in kind.margins(found.rows) if one.setting == setting]
