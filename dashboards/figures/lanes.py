"""Episodes and events of a window as lanes on one time axis: plain data, which `figures.story` draws.

A lane is one timer of one client (its memberships, the gap between its polls, its batches of a partition), one
group's rebalances, one broker, or what befell one client's connections.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from transforms.diagnose.words import counted, origin_words, span

# Rows as the queries give them; instants in ms since the epoch, UTC.
Row = Mapping[str, Any]

MOST_ROWS = 6  # of one lane: so many bars lie over each other at one time
MOST_BARS = 60  # of one lane: more are joined to stretches
KINDS = (
    "task timer",
    "poll timer",
    "heartbeat",
    "batches",
    "backoff",
    "membership",
    "rebalances",
    "broker",
    "network",
)
# What stands as a mark, in the lane of its kind; the rest of the events is in the lines.
MARKED = {
    "network": ("disconnect", "connect_failed", "request_timeout", "request_cancelled", "coordinator_lost"),
    "membership": ("heartbeat_failed", "poll_interval_expired", "leave_group", "fenced", "commit_failed",
                   "partitions_lost", "session_expired"),
    "batches": ("produce_failed", "produce_retry", "batch_expired"),
    "task timer": ("task_timeout_start", "task_timeout_continue", "task_timeout_expired", "streams_error"),
    "broker": ("broker_member_failed", "leave_group", "fenced"),
}  # fmt: skip
MARKED_KINDS = tuple(sorted({kind for kinds in MARKED.values() for kind in kinds}))


@dataclass(frozen=True, slots=True)
class Bar:
    """A stretch of time. limit_at: when its limit was or will be reached; limit: the limit in words.

    end: its last instant known; of an open one the data's own clock. told: lines for who points at it.
    """

    start: int
    end: int
    told: tuple[str, ...]
    subject_id: str | None = None
    limit_at: int | None = None
    limit: str | None = None
    is_open: bool = False
    is_bad: bool = False
    count: int = 1

    @property
    def over_ms(self) -> int:
        """By how much it went beyond its limit; 0 within."""
        return max(0, self.end - self.limit_at) if self.limit_at is not None else 0

    @property
    def left_ms(self) -> int | None:
        """What is left of the limit of an open one, as of the data's clock."""
        return self.limit_at - self.end if self.is_open and self.limit_at is not None else None


@dataclass(frozen=True, slots=True)
class Sign:
    """An instant with its words. is_benign: looks like trouble, and is normal."""

    at: int
    kind: str
    told: tuple[str, ...]
    is_benign: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """One line of the picture: rows of bars that don't overlap, and signs. joined: bars drawn as a stretch of many."""

    kind: str
    name: str
    rows: tuple[tuple[Bar, ...], ...] = ()
    signs: tuple[Sign, ...] = ()
    joined: int = 0

    @property
    def bars(self) -> Iterator[Bar]:
        """All bars, row by row."""
        for row in self.rows:
            yield from row


def lanes_of(
    episodes: Mapping[str, Sequence[Row]],
    events: Iterable[Row],
    clocks: Mapping[str, int],
    window: tuple[int, int],
    focus: Iterable[str] = (),
) -> list[Lane]:
    """The lanes of these silver rows within the window: those with an episode of `focus` first, then by kind and name.

    clocks: unit_id -> its largest happened_at: open timers are drawn up to it.
    """
    bars: dict[tuple[str, str], list[Bar]] = {}
    owners: dict[tuple[str, str], set[str]] = {}
    for table, rows in episodes.items():
        for row in rows:
            for kind, bar in BARS[table](row, clocks.get(row["unit_id"])):
                if bar.start <= window[1] and max(bar.end, bar.limit_at or 0) >= window[0]:
                    bars.setdefault((kind, _name(kind, row)), []).append(bar)
                    owners.setdefault((kind, row["unit_id"]), set()).add(_name(kind, row))
    signs: dict[tuple[str, str], list[Sign]] = {}
    for event in events:
        if event.get("happened_at") is not None and (of_lane := _lane_of(event)):
            name = _name_of_sign(of_lane, event, owners.get((of_lane, event["unit_id"]), set()))
            signs.setdefault((of_lane, name), []).append(_sign(event))
    focused = frozenset(focus)
    near = {key for key, of_lane in bars.items() if any(bar.subject_id in focused for bar in of_lane)}
    keys = sorted({*bars, *signs}, key=lambda key: (key not in near, KINDS.index(key[0]), key[1]))
    return [_lane(key, bars.get(key, []), signs.get(key, []), focused) for key in keys]


def _lane(key: tuple[str, str], bars: list[Bar], signs: list[Sign], focus: frozenset[str]) -> Lane:
    kind, name = key
    rows = packed(bars)
    if len(bars) > MOST_BARS or len(rows) > MOST_ROWS:
        telling = sorted(
            bars, key=lambda bar: (bar.subject_id not in focus, -bar.over_ms, not bar.is_bad, bar.start)
        )
        worst = telling[: MOST_ROWS - 1]
        rest = sorted((bar for bar in bars if bar not in worst), key=lambda bar: bar.start)
        together = joined(rest, MOST_BARS)
        return Lane(kind, name, (*packed(worst), *packed(together)[:1]), tuple(signs), len(rest))
    return Lane(kind, name, tuple(rows), tuple(signs))


def packed(bars: Iterable[Bar]) -> list[tuple[Bar, ...]]:
    """As few rows as hold the bars without one over another."""
    rows: list[list[Bar]] = []
    for bar in sorted(bars, key=lambda bar: (bar.start, bar.end)):
        row = next((row for row in rows if row[-1].end <= bar.start), None)
        if row is None:
            rows.append([bar])
        else:
            row.append(bar)
    return [tuple(row) for row in rows]


def joined(bars: Sequence[Bar], most: int) -> list[Bar]:
    """Bars in order of their start as stretches: what overlaps, and what lies nearest, until there are at most `most`."""
    if not bars:
        return []
    length = max(bar.end for bar in bars) - bars[0].start
    gap = 0
    while True:
        made: list[Bar] = []
        for bar in bars:
            if made and bar.start <= made[-1].end + gap:
                made[-1] = _both(made[-1], bar)
            else:
                made.append(bar)
        if len(made) <= most:
            return made
        gap = max(gap * 2, length // (most * 8), 1)


def _both(one: Bar, other: Bar) -> Bar:
    count = one.count + other.count
    return Bar(
        one.start,
        max(one.end, other.end),
        (f"{count} together", *(one.told[1:2] if one.count == 1 else one.told[1:])),
        is_open=one.is_open or other.is_open,
        is_bad=one.is_bad or other.is_bad,
        count=count,
    )


def _task_timer(row: Row, clock: int | None) -> Iterator[tuple[str, Bar]]:
    start = row["started_at"]
    end = row["ended_at"] or _latest(
        start, row["last_attempt_at"], clock if row["outcome"] == "open" else None
    )
    if start is None or end is None:
        return
    told = [
        f"task {row['task_id']}: {row['outcome']} after {_exact(end - start)}",
        counted(row["attempts"], "attempt"),
    ]
    yield (
        "task timer",
        _bar(row, row["timer_id"], start, end, told, row["deadline_at"],
             _limit("task.timeout.ms", row["task_timeout_ms"], row["timeout_origin"]), bad=("expired",)),
    )  # fmt: skip


def _batch(row: Row, clock: int | None) -> Iterator[tuple[str, Bar]]:
    start, limit = row["created_at"], row["delivery_timeout_ms"]
    end = row["ended_at"] or (clock if row["outcome"] == "open" else None)
    if start is None or end is None:
        return
    told = [f"batch of {row['records'] or '?'} records: {row['outcome']} after {_exact(end - start)}"]
    stages = (("in flight", "in_flight_ms"), ("waiting", "waiting_ms"))
    told += [f"{name} {_exact(row[column])}" for name, column in stages if row[column] is not None]
    told += [row["error_class"]] if row["error_class"] else []
    yield (
        "batches",
        _bar(row, row["batch_id"], start, end, told, _after(start, limit),
             _limit("delivery.timeout.ms", limit, row["timeout_origin"]), bad=("expired", "failed")),
    )  # fmt: skip


def _session(row: Row, clock: int | None) -> Iterator[tuple[str, Bar]]:
    """The membership, and beside it the timer that ended it or still runs."""
    is_open = row["outcome"] == "open"
    end = row["ended_at"] or (clock if is_open else None)
    start = row["joined_at"] or row["last_poll_at"] or end
    if start is None or end is None:
        return
    back = (
        f"back after {_exact(row['rejoined_at'] - end)}" if row["rejoined_at"] and row["ended_at"] else None
    )
    told = [f"member of {row['group_id']}: {row['outcome'].replace('_', ' ')}", row["member_id"], back]
    bad = ("poll_expired", "session_expired", "rebalance_expired", "fenced")
    yield "membership", _bar(row, row["session_id"], start, end, told, None, None, bad=bad)
    poll, poll_limit = row["last_poll_at"], row["max_poll_interval_ms"]
    if poll is not None and row["outcome"] in ("poll_expired", "rebalance_expired", "open"):
        gap = row["max_poll_gap_ms"]
        next_poll = _after(poll, gap) if not is_open and gap is not None else end
        until = max(next_poll or end, end)
        said = [f"{_exact(until - poll)} without poll()"]
        limit = _limit("max.poll.interval.ms", poll_limit, None)
        yield (
            "poll timer",
            _bar(row, row["session_id"], poll, until, said, _after(poll, poll_limit), limit, bad=bad),
        )
    beat, session_limit = row["last_heartbeat_at"], row["session_timeout_ms"]
    if beat is not None and beat <= end and row["outcome"] in ("session_expired", "open"):
        said = [f"{_exact(end - beat)} without heartbeat"]
        limit = _limit("session.timeout.ms", session_limit, None)
        yield (
            "heartbeat",
            _bar(row, row["session_id"], beat, end, said, _after(beat, session_limit), limit, bad=bad),
        )


def _backoff(row: Row, _clock: int | None) -> Iterator[tuple[str, Bar]]:
    start, end = row["failed_at"], row["sent_at"]
    if start is None or end is None:
        return
    at_most = "at most " if row["is_lower_bound"] else ""
    bounds = (
        f"{row['shortest_ms']} to {row['longest_ms']} ms" if row["shortest_ms"] is not None else "unknown"
    )
    told = [
        f"{row['api'] or 'call'}, wait {row['failures']}: {at_most}{_exact(row['waited_ms'])}",
        f"allowed: {bounds}",
    ]
    yield "backoff", _bar(row, row["sequence_id"], start, end, told, None, None)


def _rebalance(row: Row, clock: int | None) -> Iterator[tuple[str, Bar]]:
    start = row["started_at"]
    end = row["ended_at"] or (clock if row["outcome"] == "open" else start)
    if start is None or end is None:
        return
    by = f" by {row['triggered_by']}" if row["triggered_by"] else ""
    told = [
        f"generation {row['generation']}: {row['outcome']} in {_exact(end - start)}",
        f"{row['trigger'] or 'unknown'}{by}",
        f"slowest: {row['slowest_member']}" if row["slowest_member"] else None,
    ]
    yield "rebalances", _bar(row, row["rebalance_id"], start, end, told, None, None)


BARS: dict[str, Callable[[Row, int | None], Iterator[tuple[str, Bar]]]] = {
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
    told: Sequence[str | None],
    limit_at: int | None,
    limit: str | None,
    *,
    bad: Sequence[str] = (),
) -> Bar:
    outcome = row.get("outcome")
    made = Bar(start, max(start, end), (), subject_id, limit_at, limit, outcome == "open", outcome in bad)
    lines = [line for line in told if line]
    if limit:
        lines.append(f"limit {limit}")
    if made.over_ms:
        lines.append(f"{_exact(made.over_ms)} over")
    if made.left_ms is not None:
        lines.append(f"{_exact(made.left_ms)} left")
    return replace(made, told=tuple(lines))


def _lane_of(event: Row) -> str | None:
    kind = event["kind"]
    if event.get("client_kind") == "broker":
        return "broker" if kind in MARKED["broker"] else None
    return next((lane for lane, kinds in MARKED.items() if kind in kinds and lane != "broker"), None)


def _sign(event: Row) -> Sign:
    words = [event["kind"].replace("_", " "), event.get("api"), event.get("error_class")]
    node = event.get("node_id")
    told = [
        ", ".join(word for word in words if word),
        f"node {node}" if node is not None else None,
        f"after {_exact(event['elapsed_ms'])}" if event.get("elapsed_ms") is not None else None,
        event.get("member_id") if event.get("client_kind") == "broker" else None,
        f"normal: {event['benign']}" if event.get("benign") else None,
    ]
    return Sign(event["happened_at"], event["kind"], tuple(t for t in told if t), bool(event.get("benign")))


def _name(kind: str, row: Row) -> str:
    """Whose lane it is."""
    if kind == "rebalances":
        return str(row.get("group_id") or "group unknown")
    if kind == "broker":
        return str(row.get("instance") or "broker")
    client = str(row.get("client_id") or row.get("instance") or "client unknown")
    if kind == "batches":
        return f"{client} {row.get('topic')}-{row.get('partition')}" if row.get("topic") else client
    if kind == "task timer":
        return f"{row.get('thread') or client}, task {row['task_id']}" if row.get("task_id") else client
    return client


def _name_of_sign(kind: str, event: Row, lanes: set[str]) -> str:
    """The lane of its name; else the only lane of its process that it may belong to.

    An application's own line names no client, and a client's line may name no partition.
    """
    name = _name(kind, event)
    if name in lanes:
        return name
    place = f" {event.get('topic')}-{event.get('partition')}" if event.get("topic") else ""
    client = event.get("client_id") or ""
    fitting = [lane for lane in lanes if lane.endswith(place) and lane.startswith(client)]
    return fitting[0] if len(fitting) == 1 else name


def _limit(name: str, ms: int | None, origin: str | None) -> str | None:
    if ms is None:
        return None
    return f"{name} = {ms} ms" + (f", {origin_words(origin)}" if origin else "")


def _latest(*instants: int | None) -> int | None:
    return max((at for at in instants if at is not None), default=None)


def _after(at: int | None, ms: int | None) -> int | None:
    return None if at is None or ms is None else at + ms


def _exact(ms: int | None) -> str:
    """A duration in words and exactly: 14.1 s (14055 ms)."""
    if ms is None or -1_000 < ms < 1_000:
        return span(ms)
    return f"{span(ms)} ({ms} ms)"
