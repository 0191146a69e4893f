"""Rebuilt timers as bars of lanes: one place for what is drawn and said of an episode, on every page."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from transforms.diagnose.wording.words import counted, exact
from transforms.episodes import backoff, batches
from transforms.episodes.lanes import Bar, Row, Tone
from transforms.episodes.words import (
    POLL,
    SESSION,
    clock,
    from_metrics,
    group_of,
    limit_words,
    or_unknown,
    process_of,
)

Bars = Iterator[tuple[str, Bar]]

KICKED_OUT = ("poll_expired", "session_expired", "rebalance_expired", "fenced")
Look = tuple[Tone, str]  # and its hatching
_TIMER_LOOKS: dict[str, Look] = {"open": ("warn", "/"), "unknown": ("quiet", "x")}
_MEMBER_LOOKS: dict[str, Look] = {"open": ("calm", "/"), "unknown": ("quiet", "x")}


def bars_of(table: str, row: Row, clock_at: int | None) -> Bars:
    """The bars of an episode, each with its kind of lane. clock_at: of its process's data, where an open one stands."""
    return _BARS[table](row, clock_at)


def _task_timer(row: Row, clock_at: int | None) -> Bars:
    start = row["started_at"]
    is_open = row["outcome"] == "open"
    end = row["ended_at"] or _latest(start, row["last_attempt_at"], clock_at if is_open else None)
    if start is None or end is None:
        return
    stalled = row["stalled_ms"] if row["stalled_ms"] is not None else end - start
    hover_lines = [
        f"task {row['task_id']}: {row['outcome']}, {counted(row['attempts'], 'attempt')}",
        f"without progress for {stalled} ms",
        f"started {clock(start)} by {row['started_by'] or 'a timeout'}"
        + (", computed" if row["is_inferred"] else ""),
        f"deadline {clock(row['deadline_at'])}",
        process_of(row),
    ]
    limit = limit_words("task.timeout.ms", row["task_timeout_ms"], row["timeout_origin"])
    made = _bar(row, row["timer_id"], start, end, hover_lines, row["deadline_at"], limit, bad=("expired",))
    look = _TIMER_LOOKS.get(row["outcome"], ("calm", ""))
    yield "task timer", replace(made, tone=look[0], pattern=look[1])


def _batch(row: Row, clock_at: int | None) -> Bars:
    start, limit = row["created_at"], row["delivery_timeout_ms"]
    end = row["ended_at"] or (clock_at if row["outcome"] == "open" else None)
    if start is None or end is None:
        return
    words = limit_words(batches.LIMIT, limit, row["timeout_origin"])
    said = batches.hover_lines(row)
    bad = ("expired", "failed")
    yield "batches", _bar(row, row["batch_id"], start, end, said, _after(start, limit), words, bad=bad)


def ends_of(row: Row, clock_at: int | None) -> tuple[int, int] | None:
    """From the first to the last that is told of a membership, ms; None where nothing is."""
    end = row["ended_at"] or (clock_at if row["outcome"] == "open" else None)
    instants = (row["joined_at"], row["last_poll_at"], row["last_heartbeat_at"], row["ended_at"])
    known = [at for at in instants if at is not None]
    end = end or max(known, default=None)
    return None if end is None else (min(known, default=end), end)


def polled_until(row: Row, end: int) -> int:
    """When the poll came that was missing at its end; where none is known to have come, that end."""
    until = None if row["outcome"] == "open" else _after(row["last_poll_at"], row["max_poll_gap_ms"])
    return max(until or end, row["last_poll_at"] or end, end)


def _session(row: Row, clock_at: int | None) -> Bars:
    """The membership, and beside it the timer that ended it or still runs."""
    ends = ends_of(row, clock_at)
    if ends is None:
        return
    start, end = ends
    gap, poll_limit, session_limit = (
        row[name] for name in ("max_poll_gap_ms", "max_poll_interval_ms", "session_timeout_ms")
    )
    back = exact(row["rejoined_at"] - end) if row["rejoined_at"] and row["ended_at"] else None
    hover_lines = [
        f"member of {group_of(row)}: {row['outcome'].replace('_', ' ')}",
        f"{row['member_id'] or 'member unknown'}, generation {or_unknown(row['generation'])}",
        f"joined {clock(row['joined_at'])}, ended {clock(row['ended_at'])} UTC",
        f"last poll {clock(row['last_poll_at'])}, last heartbeat {clock(row['last_heartbeat_at'])}",
        f"longest gap between polls {gap} ms" if gap is not None else None,
        from_metrics(row),
        limit_words(POLL, poll_limit, row.get("poll_origin")) or f"{POLL} unknown",
        limit_words(SESSION, session_limit, row.get("session_origin")) or f"{SESSION} unknown",
        f"back after {back}" if back else None,
        process_of(row),
    ]
    made = _bar(row, row["session_id"], start, end, hover_lines, None, None, bad=KICKED_OUT)
    look = _MEMBER_LOOKS.get(row["outcome"], ("calm", ""))
    yield "membership", replace(made, tone=look[0], pattern=look[1])
    poll, beat = row["last_poll_at"], row["last_heartbeat_at"]
    if poll is not None and row["outcome"] in ("poll_expired", "rebalance_expired", "open"):
        until = polled_until(row, end)
        said = [f"{exact(until - poll)} without poll()"]
        limit = limit_words(POLL, poll_limit, row.get("poll_origin"))
        yield (
            "poll timer",
            _bar(row, row["session_id"], poll, until, said, _after(poll, poll_limit), limit, bad=KICKED_OUT),
        )
    if beat is not None and beat <= end and row["outcome"] in ("session_expired", "open"):
        said = [f"{exact(end - beat)} without heartbeat"]
        limit = limit_words(SESSION, session_limit, row.get("session_origin"))
        yield (
            "heartbeat",
            _bar(row, row["session_id"], beat, end, said, _after(beat, session_limit), limit, bad=KICKED_OUT),
        )


def _backoff(row: Row, _clock_at: int | None) -> Bars:
    start, end = row["failed_at"], row["sent_at"]
    if start is None or end is None:
        return
    yield "backoff", _bar(row, row["sequence_id"], start, end, backoff.hover_lines(row), None, None)


def _rebalance(row: Row, clock_at: int | None) -> Bars:
    start = row["started_at"]
    end = row["ended_at"] or (clock_at if row["outcome"] == "open" else None) or start
    if start is None:
        return
    hover_lines = [
        f"generation {or_unknown(row['generation'])}: {row['outcome']} in {exact(end - start)}",
        f"trigger: {row['trigger'] or 'unknown'}",
        f"by {row['triggered_by'] or 'unknown'}",
        f"slowest to join: {row['slowest_member'] or 'unknown'}",
    ]
    made = _bar(row, row["rebalance_id"], start, end, hover_lines, None, None)
    yield "rebalances", replace(made, tone="other")


_BARS: dict[str, Callable[[Row, int | None], Bars]] = {
    "silver.task_timers": _task_timer,
    "silver.batch_lifetimes": _batch,
    "silver.liveness_sessions": _session,
    "silver.backoff_attempts": _backoff,
    "silver.group_rebalances": _rebalance,
}


def _bar(
    row: Row,
    subject_id: str,
    start: int,
    end: int,
    hover_lines: Sequence[str | None],
    limit_at: int | None,
    limit: str | None,
    *,
    bad: Sequence[str] = (),
) -> Bar:
    outcome = row.get("outcome")
    made = Bar(start, max(start, end), (), subject_id, limit_at, limit, outcome == "open", outcome in bad)
    lines = [line for line in hover_lines if line]
    if limit:
        lines.append(f"limit {limit}")
    if made.over_ms:
        lines.append(f"{exact(made.over_ms)} over")
    if made.left_ms is not None:
        lines.append(f"{exact(made.left_ms)} left")
    return replace(made, hover_lines=tuple(lines))


def _latest(*instants: int | None) -> int | None:
    return max((at for at in instants if at is not None), default=None)


def _after(at: int | None, ms: int | None) -> int | None:
    return None if at is None or ms is None else at + ms
