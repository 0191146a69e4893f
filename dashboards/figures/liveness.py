"""Liveness: who was a member when, what ended it, and which rebalances it cost (KIP-62, KIP-848)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import plotly.graph_objects as go

from dashboards.figures import swimlanes as lanes
from dashboards.figures.swimlanes import Mark, Window, clock, hover
from dashboards.queries import Row
from dashboards.theme import BROKEN, CALM, NOTE, OTHER, QUIET, WARN
from transforms.diagnose.words import counted, origin_words, span

POLL, SESSION = "max.poll.interval.ms", "session.timeout.ms"
# Outcome: in words, and the mark that ends its bar.
ENDS = {
    "open": ("member at the end of the log", "triangle-right", CALM),
    "closed": ("left by itself", "square", QUIET),
    "poll_expired": ("kicked out: no poll", "x", BROKEN),
    "session_expired": ("kicked out: no heartbeat", "cross", BROKEN),
    "rebalance_expired": ("kicked out: missed a rebalance", "hourglass", BROKEN),
    "fenced": ("fenced: another took its place", "star-diamond", BROKEN),
    "unknown": ("end unknown", "circle-open", QUIET),
}


@dataclass(slots=True)
class Lane:
    """A member of a group, or the rebalances of one."""

    sessions: list[Row] = field(default_factory=list)
    rebalances: list[Row] = field(default_factory=list)

    def has(self, episode_id: str | None) -> bool:
        """Whether an episode is in it."""
        ids = [one["session_id"] for one in self.sessions] + [one["rebalance_id"] for one in self.rebalances]
        return episode_id in ids

    @property
    def name(self) -> str:
        """What is worst of it, then whose it is."""
        if self.rebalances:
            one = self.rebalances[0]
            took = max((length_ms(each) or 0 for each in self.rebalances), default=0)
            told = f"{counted(len(self.rebalances), 'rebalance')}, the longest {span(took)}"
            return f"group {one['group_id'] or 'unknown'}: {told} · {one['service'] or 'service unknown'}"
        one = max(self.sessions, key=_badness)
        more = f" ({counted(len(self.sessions), 'membership')})" if len(self.sessions) > 1 else ""
        who = _short(one["client_id"] or one["member_id"] or "unknown")
        return f"{who}: {ending(one)}{more} · {one['group_id'] or 'unknown'} · {one['service']}/{one['instance']}"


def liveness(
    drawn: Sequence[Lane],
    beats: Sequence[Row],
    window: Window,
    selected: str | None = None,
    revision: str = "",
) -> go.Figure:
    """Draw each membership in its client's lane, under the rebalances of its group.

    drawn: of lanes_of(). beats: unit_id, client_id, group_id, kind, happened_at and generation of heartbeats and joins.
    """
    shown = lanes.readable(drawn, lambda lane: lane.has(selected))
    figure = lanes.lanes_figure([lane.name for lane in shown], window, revision)
    members = [(n, one) for n, lane in enumerate(shown) for one in lane.sessions]
    _add_members(figure, members)
    _add_silences(figure, members)
    _add_beats(figure, beats, {(one["unit_id"], one["client_id"], one["group_id"]): n for n, one in members})
    _add_instants(figure, members)
    rebalances = [(n, one) for n, lane in enumerate(shown) for one in lane.rebalances]
    _add_rebalances(figure, rebalances)
    for n, one in members:
        bounds = bounds_of(one)
        if one["session_id"] == selected and bounds:
            lanes.outline(figure, n, *bounds, window)
    for n, one in rebalances:
        if one["rebalance_id"] == selected:
            lanes.outline(figure, n, one["started_at"], one["ended_at"] or one["started_at"], window)
    return figure


def lanes_of(sessions: Sequence[Row], rebalances: Sequence[Row], window: Window) -> list[Lane]:
    """The lanes in which something happened in the window: each group's rebalances, then its members, the worst first.

    sessions: of silver.liveness_sessions, with `seen_until` (ms, newest line of the process), `poll_origin` and
    `session_origin`. rebalances: of silver.group_rebalances.
    """
    groups: dict[str, dict[tuple[str | None, ...], Lane]] = defaultdict(lambda: defaultdict(Lane))
    for one in sorted(rebalances, key=lambda row: (row["service"] or "", row["started_at"] or 0)):
        start = one["started_at"]
        if start is not None and window.holds(start, one["ended_at"] or start):
            groups[one["group_id"] or ""][(one["service"],)].rebalances.append(one)
    for one in sorted(sessions, key=_badness, reverse=True):
        bounds = bounds_of(one)
        if bounds and window.holds(*bounds):
            groups[one["group_id"] or ""][one["unit_id"], one["client_id"]].sessions.append(one)
    return [lane for _, of_group in sorted(groups.items()) for lane in of_group.values()]


def bounds_of(one: Row) -> tuple[int, int] | None:
    """Where its bar begins and ends; None where no instant is known.

    What began before the log begins at its first sign; what is open goes on to the newest line of its process.
    """
    known = [one["joined_at"], one["last_poll_at"], one["last_heartbeat_at"], one["ended_at"]]
    if one["outcome"] == "open":
        known.append(one.get("seen_until"))
    instants = [int(at) for at in known if at is not None]
    return (min(instants), one["ended_at"] or max(instants)) if instants else None


def span_of(one: Row) -> tuple[int, int] | None:
    """From its beginning to all that is told of its end: until the next poll, until it was a member again."""
    bounds, silent = bounds_of(one), silence(one)
    if bounds is None:
        return None
    return bounds[0], max(bounds[1], silent[2] if silent else 0, one["rejoined_at"] or 0)


def over_ms(one: Row) -> int | None:
    """How far the longest gap between polls went beyond its limit; None where one of the two is unknown."""
    if one["max_poll_gap_ms"] is None or one["max_poll_interval_ms"] is None:
        return None
    return int(one["max_poll_gap_ms"] - one["max_poll_interval_ms"])


def length_ms(rebalance: Row) -> int | None:
    """How long a rebalance took."""
    if rebalance["started_at"] is None or rebalance["ended_at"] is None:
        return None
    return int(rebalance["ended_at"] - rebalance["started_at"])


def silence(one: Row) -> tuple[int, int | None, int] | None:
    """The silence that ended it: since when, when its limit had passed, until when. None where it is not known.

    Of a missing poll until the next one. The limit is None where it lies behind the end: what it was counted from is not
    in this log then.
    """
    if one["outcome"] == "poll_expired" and one["last_poll_at"] is not None:
        since, limit = one["last_poll_at"], one["max_poll_interval_ms"]
        until = since + one["max_poll_gap_ms"] if one["max_poll_gap_ms"] is not None else one["ended_at"]
    elif one["outcome"] == "session_expired" and one["last_heartbeat_at"] is not None:
        since, limit, until = one["last_heartbeat_at"], one["session_timeout_ms"], one["ended_at"]
    else:
        return None
    if until is None:
        return None
    at = since + limit if limit is not None else None
    return since, at if at is not None and at <= until else None, until


def ending(one: Row) -> str:
    """How it ended, in words, with the limit."""
    gap, poll, session = one["max_poll_gap_ms"], one["max_poll_interval_ms"], one["session_timeout_ms"]
    if one["outcome"] == "poll_expired" and gap is not None and poll is not None:
        return f"{span(gap)} without poll, limit {span(poll)}"
    if one["outcome"] == "session_expired" and session is not None:
        return f"no heartbeat within {span(session)}"
    return in_words(one["outcome"])


def in_words(outcome: str) -> str:
    """An outcome as a person says it."""
    return ENDS[outcome][0] if outcome in ENDS else outcome


def told(one: Row) -> str:
    """What hovering over a membership says."""
    gap = one["max_poll_gap_ms"]
    return hover(
        f"{one['client_id'] or one['member_id']}: {in_words(one['outcome'])}",
        f"group {one['group_id']}, generation {_or_unknown(one['generation'])}",
        f"joined {clock(one['joined_at'])}, ended {clock(one['ended_at'])} UTC",
        f"last poll {clock(one['last_poll_at'])}, last heartbeat {clock(one['last_heartbeat_at'])}",
        "" if gap is None else f"longest gap between polls {gap} ms",
        from_metrics(one),
        limit_words(POLL, one["max_poll_interval_ms"], one.get("poll_origin")),
        limit_words(SESSION, one["session_timeout_ms"], one.get("session_origin")),
        f"a member again {clock(one['rejoined_at'])}" if one["rejoined_at"] is not None else "",
        f"{one['service']}/{one['instance']}",
    )


def told_rebalance(one: Row) -> str:
    """What hovering over a rebalance says."""
    took = length_ms(one)
    return hover(
        f"Rebalance of {one['group_id']}, generation {_or_unknown(one['generation'])}: {one['outcome']}",
        f"trigger: {one['trigger'] or 'unknown'}",
        f"by {one['triggered_by'] or 'unknown'}",
        f"slowest to join: {one['slowest_member'] or 'unknown'}",
        f"{clock(one['started_at'])} to {clock(one['ended_at'])} UTC",
        "" if took is None else f"{took} ms",
    )


def limit_words(name: str, ms: int | None, origin: str | None) -> str:
    """A limit with its exact value and where it came from."""
    return f"{name} unknown" if ms is None else f"{name} = {ms} ms, {origin_words(origin)}"


def from_metrics(one: Row) -> str:
    """What no line but samples of metrics tell, and how exactly; empty where all is from lines."""
    told = ", ".join(
        name.removesuffix("_at").removesuffix("_ms").replace("_", " ") for name in one["from_metrics"]
    )
    return f"{told}: from metrics, give or take {one['plus_minus_ms']} ms" if told else ""


def _add_members(figure: go.Figure, members: Sequence[tuple[int, Row]]) -> None:
    placed = [(n, one, bounds) for n, one in members if (bounds := bounds_of(one))]
    for name, colour, pattern, outcomes in (
        ("member", CALM, "", set(ENDS) - {"open", "unknown"}),
        ("member at the end of the log", CALM, "/", {"open"}),
        ("member, end unknown", QUIET, "x", {"unknown"}),
    ):
        bars = [
            Mark(n, *bounds, one["session_id"], told(one))
            for n, one, bounds in placed
            if one["outcome"] in outcomes
        ]
        lanes.add_bars(figure, bars, name, colour, 0.3, pattern)
    away = [
        Mark(n, one["ended_at"], one["rejoined_at"], one["session_id"], told(one))
        for n, one in members
        if one["ended_at"] is not None and one["rejoined_at"] is not None
    ]
    lanes.add_bars(figure, away, "away, until it joined again", QUIET, 0.06)
    for outcome, (name, symbol, colour) in ENDS.items():
        ends = [
            Mark(n, bounds[1], bounds[1], one["session_id"], told(one))
            for n, one, bounds in placed
            if one["outcome"] == outcome
        ]
        lanes.add_points(figure, ends, name, symbol, colour, 10)


def _add_silences(figure: go.Figure, members: Sequence[tuple[int, Row]]) -> None:
    """A narrow bar inside: silent within its limit, and beyond."""
    silences = [(n, one, found) for n, one in members if (found := silence(one))]
    within = [
        Mark(n, since, limit if limit is not None else until, one["session_id"], told(one))
        for n, one, (since, limit, until) in silences
    ]
    beyond = [
        Mark(n, limit, until, one["session_id"], told(one))
        for n, one, (_, limit, until) in silences
        if limit is not None
    ]
    lanes.add_bars(figure, within, "silent, within its limit", WARN, 0.14)
    lanes.add_bars(figure, beyond, "silent, beyond its limit", BROKEN, 0.14)
    limits = [
        Mark(n, limit, limit, one["session_id"], told(one))
        for n, one, (_, limit, _) in silences
        if limit is not None
    ]
    lanes.add_limits(figure, limits, "its limit")


def _add_beats(
    figure: go.Figure, beats: Sequence[Row], lane: dict[tuple[str, str | None, str | None], int]
) -> None:
    for kind, symbol, colour, size in (
        ("heartbeat", "line-ns", QUIET, 5),
        ("joined", "triangle-up", OTHER, 8),
    ):
        points = [
            Mark(
                lane[key],
                one["happened_at"],
                one["happened_at"],
                "",
                hover(
                    f"{kind} {clock(one['happened_at'])} UTC", f"generation {_or_unknown(one['generation'])}"
                ),
            )
            for one in beats
            if one["kind"] == kind and (key := (one["unit_id"], one["client_id"], one["group_id"])) in lane
        ]
        lanes.add_points(figure, points, kind, symbol, colour, size)


def _add_instants(figure: go.Figure, members: Sequence[tuple[int, Row]]) -> None:
    for column, name, symbol in (
        ("last_poll_at", "last poll", "triangle-down"),
        ("last_heartbeat_at", "last heartbeat", "diamond-tall-open"),
    ):
        points = [
            Mark(n, one[column], one[column], one["session_id"], told(one))
            for n, one in members
            if one[column] is not None
        ]
        lanes.add_points(figure, points, name, symbol, NOTE, 9)


def _add_rebalances(figure: go.Figure, rebalances: Sequence[tuple[int, Row]]) -> None:
    bars = list(_rebalance_marks(rebalances))
    lanes.add_bars(figure, bars, "rebalance", OTHER, 0.2)
    lanes.add_points(
        figure,
        (Mark(mark.lane, mark.start, mark.start, mark.id, mark.hover, mark.words) for mark in bars),
        "rebalance begins, with its generation",
        "diamond",
        OTHER,
        8,
    )


def _rebalance_marks(rebalances: Sequence[tuple[int, Row]]) -> Iterator[Mark]:
    for n, one in rebalances:
        start, end = one["started_at"], one["ended_at"] or one["started_at"]
        generation = _or_unknown(one["generation"])
        yield Mark(n, start, end, one["rebalance_id"], told_rebalance(one), generation)


def _badness(one: Row) -> tuple[bool, int, int, str]:
    is_bad = one["outcome"] in ("poll_expired", "session_expired", "rebalance_expired", "fenced")
    return is_bad, over_ms(one) or 0, one["ended_at"] or 0, one["session_id"]


def _or_unknown(value: object) -> str:
    return "unknown" if value is None else str(value)


def _short(client: str) -> str:
    """An embedded consumer's own part of its name: `...-StreamThread-1-consumer`."""
    at = client.rfind("StreamThread-")
    return client[at:] if at >= 0 else client
