"""How another limit would have ended each rebuilt episode: with which it is lost, and with which it is kept.

An episode is lost with every limit up to `lost_to_ms`, and kept with every one from `kept_from_ms` on; between the two no
line tells. So a what-if of any limit is a comparison with two numbers, here as in SQL (conf/queries/12-what-if.sql). Pure;
rows are those of the tables, instants in ms. Sources: KIP-62, KIP-91, KIP-572 for when each timer fires.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]

POLL, SESSION, DELIVERY = "max.poll.interval.ms", "session.timeout.ms", "delivery.timeout.ms"
TASK, REQUEST, CALL = "task.timeout.ms", "request.timeout.ms", "default.api.timeout.ms"
# What each limit decides, as the sentence names it.
NOUNS = {
    POLL: "membership",
    SESSION: "membership",
    DELIVERY: "batch",
    TASK: "task timer",
    REQUEST: "request",
    CALL: "call",
}
# A batch goes again at the latest after the longest wait of retry.backoff.max.ms' default: 1 s and its jitter.
NEXT_TRY_MS = 1_200
# Lines of calls that reached their timeout, which by default is default.api.timeout.ms.
CALLS = frozenset({"commit-timeout-exception", "consumer-call-timeout", "admin-timeout-exception"})

NO_LIMIT = "its limit is not in the log"
NO_NEXT_POLL = "when it polled again is not in the log"
NO_BEATS = "heartbeats are logged at DEBUG"
NO_LATER_BATCH = "whether its partition took batches later is not in the log"
NOT_CREATED = "when it was created is not in the log"
NO_END = "its end is not in the log"
NO_PROGRESS = "progress between its timeouts is logged at DEBUG"
NO_ANSWER = "a request that was given up has no answer in any log"
THREAD_DIED = "its thread died, and nobody tried again"


@dataclass(frozen=True, slots=True)
class Margin:
    """One episode and one limit. limit_ms: what held; None where it is not known. is_lost: as it was, by this limit.

    began_at, until: where it lies among the others of its `chain` (those that one client or thread went through in turn).
    why: what is missing for limits between the two, in half a sentence. kept_to_ms: with a limit beyond it no line
    tells either; None where there is no such end.
    """

    setting: str
    subject_id: str
    service: str | None
    client_id: str | None
    group_id: str | None
    chain: tuple[Any, ...]
    began_at: int | None
    until: int | None
    limit_ms: int | None
    is_lost: bool
    lost_to_ms: int | None
    kept_from_ms: int | None
    why: str
    kept_to_ms: int | None = None

    def with_limit(self, limit_ms: int) -> str:
        """`kept`, `lost`, or `untold`."""
        if self.kept_from_ms is not None and limit_ms >= self.kept_from_ms:
            return "kept" if self.kept_to_ms is None or limit_ms <= self.kept_to_ms else "untold"
        if self.lost_to_ms is not None and limit_ms <= self.lost_to_ms:
            return "lost"
        return "untold"


def of_memberships(rows: Iterable[Row]) -> Iterator[Margin]:
    """Of silver.liveness_sessions: by max.poll.interval.ms and by session.timeout.ms."""
    for row in rows:
        if row["client_id"] is not None:  # a member that only its broker knows has limits that nobody logged
            yield _polling(row)
            yield _beating(row)


def _polling(row: Row) -> Margin:
    limit, gap = row["max_poll_interval_ms"], row["max_poll_gap_ms"]
    if row["outcome"] in ("poll_expired", "rebalance_expired"):
        # Its next poll is a gap after the one before: with a limit above that no timer fires.
        is_told = gap is not None and (limit is None or gap >= limit)
        lost_to, kept_from = (gap - 1, gap) if is_told else (limit, None)
        return _of_member(row, POLL, limit, True, lost_to, kept_from, NO_NEXT_POLL)
    lost_to, kept_from = (gap - 1, gap) if gap is not None else (None, limit)
    return _of_member(
        row, POLL, limit, False, lost_to, kept_from, NO_LIMIT if limit is None else NO_NEXT_POLL
    )


def _beating(row: Row) -> Margin:
    limit, beat, back = row["session_timeout_ms"], row["last_heartbeat_at"], row["rejoined_at"]
    if row["outcome"] != "session_expired":
        return _of_member(row, SESSION, limit, False, None, limit, NO_LIMIT if limit is None else NO_BEATS)
    silent = None if beat is None or back is None else back - beat
    why = NO_BEATS if beat is None else "it did not come back"
    return _of_member(row, SESSION, limit, True, limit, silent, why)


def _of_member(
    row: Row,
    setting: str,
    limit: int | None,
    is_lost: bool,
    lost_to: int | None,
    kept_from: int | None,
    why: str,
) -> Margin:
    return Margin(
        setting, row["session_id"], row["service"], row["client_id"], row["group_id"],
        (row["unit_id"], row["incarnation"], row["client_id"], row["group_id"]),
        row["joined_at"], row["ended_at"], limit, is_lost, lost_to, kept_from, why,
    )  # fmt: skip


def of_batches(rows: Iterable[Row]) -> Iterator[Margin]:
    """Of silver.batch_lifetimes, by delivery.timeout.ms: what became of a partition's later batches tells of its earlier."""
    partitions: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        key = (row["unit_id"], row["incarnation"], row["client_id"], row["topic"], row["partition"])
        partitions[key].append(row)
    for key, of_partition in partitions.items():
        ended = sorted(
            (one for one in of_partition if one["ended_at"] is not None), key=lambda one: one["ended_at"]
        )
        for row in of_partition:
            yield _batch(row, key, ended)


def _batch(row: Row, key: tuple[Any, ...], ended: list[Row]) -> Margin:
    limit, age, created = row["delivery_timeout_ms"], row["age_ms"], row["created_at"]
    lost_to: int | None = None
    kept_from: int | None = None
    match row["outcome"]:
        case "expired":
            lost_to, why = age if age is not None else limit, NOT_CREATED
            if created is not None:
                lost_to, kept_from = _as_others(row, ended)
                why = NO_LATER_BATCH
        case "failed":
            lost_to, why = limit, f"it failed with {row['error_class'] or 'an error'}, not by its time"
        case "delivered":
            lost_to, kept_from = (None, limit) if age is None else (age - 1, age)
            why = NOT_CREATED if limit is not None else NO_LIMIT
        case _:
            why = NO_END
    is_lost = row["outcome"] in ("expired", "failed")
    return Margin(
        DELIVERY, row["batch_id"], row["service"], row["client_id"], None, key, created, row["ended_at"],
        limit, is_lost, lost_to, kept_from, why,
    )  # fmt: skip


def _as_others(row: Row, ended: list[Row]) -> tuple[int, int | None]:
    """Until when its partition took nothing, and from when it did, as ages of this expired batch."""
    created, reach = row["created_at"], row["ended_at"] or row["created_at"] + (row["age_ms"] or 0)
    taken: int | None = None
    for other in ended:
        at = other["ended_at"]
        if other["outcome"] == "delivered" and at >= reach and taken is None:
            taken = at
        elif (
            other["outcome"] == "expired"
            and at > reach
            and (other["created_at"] or at) <= reach
            and taken is None
        ):
            reach = at
    return reach - created, None if taken is None else taken - created + NEXT_TRY_MS


def of_task_timers(rows: Iterable[Row]) -> Iterator[Margin]:
    """Of silver.task_timers, by task.timeout.ms: it runs out at the first timeout after its deadline (KIP-572)."""
    for row in rows:
        started, last, limit = row["started_at"], row["last_attempt_at"], row["task_timeout_ms"]
        took = row["stalled_ms"] if row["outcome"] == "expired" else None
        if took is None and started is not None and last is not None:
            took = last - started
        kept_from, why, kept_to = took, NO_END, None
        lost_to = None if took is None else took - 1
        if row["outcome"] == "expired":
            kept_from, why = None, THREAD_DIED
        elif row["is_inferred"]:  # its own lines are DEBUG: of several timers in a row one may have been made
            lost_to, kept_from, why = None, limit if row["outcome"] == "cleared" else None, NO_PROGRESS
        elif row["outcome"] == "closed":
            kept_to, why = limit, THREAD_DIED
        elif row["outcome"] == "unknown":
            kept_from = None
        yield Margin(
            TASK, row["timer_id"], row["service"], row["client_id"], None,
            (row["unit_id"], row["incarnation"], row["thread"]), started, row["ended_at"] or last,
            limit, row["outcome"] == "expired", lost_to, kept_from, why, kept_to,
        )  # fmt: skip


def of_requests(rows: Iterable[Row]) -> Iterator[Margin]:
    """Of silver.client_events: requests and calls that reached their timeout. With a longer one: nobody saw."""
    for row in rows:
        limit, took = row["limit_ms"], row["elapsed_ms"]
        if row["kind"] == "request_cancelled" and limit is not None and took is not None and took >= limit:
            yield _given_up(row, REQUEST, limit, took)
        elif row["message_id"] in CALLS and limit is not None:
            yield _given_up(row, CALL, limit, limit)


def _given_up(row: Row, setting: str, limit: int, took: int) -> Margin:
    at = row["happened_at"]
    return Margin(
        setting, row["event_id"], row["service"], row["client_id"], row["group_id"], (row["event_id"],), at, at,
        limit, True, took, None, NO_ANSWER,
    )  # fmt: skip
