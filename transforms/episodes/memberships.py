"""Liveness: who was a member when, what ended it, and which rebalances it cost (KIP-62, KIP-848)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from transforms.diagnose.wording.words import counted, span
from transforms.episodes.bars import KICKED_OUT, bars_of, ends_of, polled_until
from transforms.episodes.lanes import Bar, Lane, Mark, Row, Tone, Window, lane
from transforms.episodes.lengths import Length
from transforms.episodes.words import clock, group_of, or_unknown, own_part, process_of

TABLE, REBALANCES = "silver.liveness_sessions", "silver.group_rebalances"
# Outcome: in words, and the mark that ends its bar.
ENDS: dict[str, tuple[str, str, Tone]] = {
    "open": ("member at the end of the log", "triangle-right", "calm"),
    "closed": ("ended by itself", "square", "quiet"),
    "poll_expired": ("kicked out: no poll", "x", "broken"),
    "session_expired": ("kicked out: no heartbeat", "cross", "broken"),
    "rebalance_expired": ("kicked out: missed a rebalance", "hourglass", "broken"),
    "fenced": ("fenced: another took its place", "star-diamond", "broken"),
    "unknown": ("end unknown", "circle-open", "quiet"),
}
MOST_GAPS = 20
WITHIN, TOO_LONG = "within its limit", "longer than its limit"
_BEATS: dict[str, tuple[str, Tone, int]] = {
    "heartbeat": ("line-ns", "quiet", 5),
    "joined": ("triangle-up", "other", 8),
}
Span = tuple[int, int]  # ms
_INSTANTS = (
    ("last_poll_at", "last poll", "triangle-down"),
    ("last_heartbeat_at", "last heartbeat", "diamond-tall-open"),
)


def group_lanes(
    sessions: Sequence[Row],
    rebalances: Sequence[Row],
    beats: Sequence[Row],
    window: Window,
    selected: str | None = None,
    spans: Mapping[str, Span] | None = None,
) -> list[Lane]:
    """The lanes in which something happened in the window: each group's rebalances, then its members, the worst first.

    sessions: of silver.liveness_sessions, with `seen_until` (ms, newest line of the process), `poll_origin` and
    `session_origin`. rebalances: of silver.group_rebalances. beats: unit_id, client_id, group_id, kind, happened_at and
    generation of heartbeats and joins. spans: of the sessions, by their id, where they are known already.
    """
    of_session = spans_of(sessions) if spans is None else spans
    groups: dict[str, dict[tuple[str | None, ...], list[Row]]] = defaultdict(lambda: defaultdict(list))
    for one in sorted(rebalances, key=lambda row: (row["service"] or "", row["started_at"] or 0)):
        start = one["started_at"]
        if start is not None and window.holds(start, one["ended_at"] or start):
            groups[one["group_id"] or ""][(one["service"],)].append(one)
    for one in sorted(sessions, key=badness, reverse=True):
        span_at = of_session.get(one["session_id"])
        if span_at and window.holds(*span_at):
            groups[one["group_id"] or ""][one["unit_id"], one["client_id"]].append(one)
    by_member: dict[tuple[str | None, ...], list[Row]] = defaultdict(list)
    for beat in beats:
        by_member[beat["unit_id"], beat["client_id"], beat["group_id"]].append(beat)
    focus = frozenset({selected})
    return [
        _group(rows, focus)
        if "rebalance_id" in rows[0]
        else _member(rows, by_member[rows[0]["unit_id"], rows[0]["client_id"], rows[0]["group_id"]], focus)
        for _, of_group in sorted(groups.items())
        for rows in of_group.values()
    ]


def spans_of(sessions: Iterable[Row]) -> dict[str, Span]:
    """The span of each, by its id; of those that have one."""
    return {one["session_id"]: bounds for one in sessions if (bounds := span_of(one))}


def span_of(one: Row) -> Span | None:
    """From its beginning to all that is told of its end: until the next poll, until it was a member again."""
    ends = ends_of(one, one.get("seen_until"))
    if ends is None:
        return None
    start, end = ends
    waited = polled_until(one, end) if one["outcome"] in ("poll_expired", "rebalance_expired") else end
    away = one["rejoined_at"] if one["ended_at"] is not None and one["rejoined_at"] is not None else end
    return start, max(start, waited, away)


def over_ms(one: Row) -> int | None:
    """How far the longest gap between polls went beyond its limit; None where one of the two is unknown."""
    if one["max_poll_gap_ms"] is None or one["max_poll_interval_ms"] is None:
        return None
    return int(one["max_poll_gap_ms"] - one["max_poll_interval_ms"])


def away_ms(one: Row) -> int | None:
    """How long after its end it was a member again; None where that was not seen."""
    known = one["rejoined_at"] is not None and one["ended_at"] is not None
    return int(one["rejoined_at"] - one["ended_at"]) if known else None


def length_ms(rebalance: Row) -> int | None:
    """How long a rebalance took."""
    if rebalance["started_at"] is None or rebalance["ended_at"] is None:
        return None
    return int(rebalance["ended_at"] - rebalance["started_at"])


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


def _bars(one: Row) -> list[Bar]:
    """Its membership, the silence that ended it, and the time until it was a member again."""
    made = []
    for kind, bar in bars_of(TABLE, one, one.get("seen_until")):
        if kind == "membership":
            made.append(bar)
        elif not bar.is_open:
            # What a limit beyond the end was counted from is not in this log.
            is_known = bar.limit_at is not None and bar.limit_at <= bar.end
            made.append(bar.looking("warn", limit_at=bar.limit_at if is_known else None))
    if one["ended_at"] is not None and one["rejoined_at"] is not None:
        away = ("away, until it joined again", f"{clock(one['ended_at'])} to {clock(one['rejoined_at'])} UTC")
        made.append(
            Bar(one["ended_at"], one["rejoined_at"], away, one["session_id"], tone="quiet", is_thin=True)
        )
    return made


def _member(sessions: list[Row], beats: Sequence[Row], focus: frozenset[str | None]) -> Lane:
    one = max(sessions, key=badness)
    more = f" ({counted(len(sessions), 'membership')})" if len(sessions) > 1 else ""
    who = own_part(one["client_id"] or one["member_id"] or "unknown")
    name = f"{who}: {ending(one)}{more} · {group_of(one)} · {process_of(one)}"
    marks = [*_beats(beats), *(mark for one in sessions for mark in _marks(one))]
    return lane("", name, [bar for one in sessions for bar in _bars(one)], marks, focus)


def _beats(beats: Sequence[Row]) -> Iterator[Mark]:
    for beat in beats:
        hover_lines = (f"{beat['kind']}, generation {or_unknown(beat['generation'])}",)
        yield Mark(beat["happened_at"], hover_lines, *_BEATS[beat["kind"]])


def _marks(one: Row) -> Iterator[Mark]:
    """The last signs of life, and how it ended; who points at one is told of all of it."""
    membership = next((bar for _, bar in bars_of(TABLE, one, one.get("seen_until"))), None)
    if membership is None:
        return
    for column, name, symbol in _INSTANTS:
        if one[column] is not None:
            yield Mark(one[column], (name, *membership.hover_lines), symbol, "note", 9, one["session_id"])
    if one["outcome"] in ENDS:
        words, symbol, tone = ENDS[one["outcome"]]
        yield Mark(membership.end, (words, *membership.hover_lines), symbol, tone, 10, one["session_id"])


def _group(rebalances: list[Row], focus: frozenset[str | None]) -> Lane:
    one = rebalances[0]
    took = max((length_ms(each) or 0 for each in rebalances), default=0)
    rebalanced = f"{counted(len(rebalances), 'rebalance')}, the longest {span(took)}"
    name = f"group {group_of(one)}: {rebalanced} · {one['service'] or 'service unknown'}"
    bars = [bar for row in rebalances for _, bar in bars_of(REBALANCES, row, None)]
    generations = {row["rebalance_id"]: or_unknown(row["generation"]) for row in rebalances}
    marks = [
        Mark(
            bar.start,
            bar.hover_lines,
            "diamond",
            "other",
            8,
            bar.subject_id,
            generations[bar.subject_id or ""],
        )
        for bar in bars
    ]
    return lane("", name, bars, marks, focus)


def badness(one: Row) -> tuple[bool, int, int, str]:
    """The worst is the largest: kicked out, then by how far a gap between polls went beyond its limit, then the latest."""
    return one["outcome"] in KICKED_OUT, over_ms(one) or 0, one["ended_at"] or 0, one["session_id"]


def with_gap(sessions: Sequence[Row]) -> list[Row]:
    """The memberships that are drawn."""
    known = [one for one in sessions if one["max_poll_gap_ms"] is not None]
    return sorted(known, key=lambda one: (-one["max_poll_gap_ms"], one["session_id"]))[:MOST_GAPS]


def gap(one: Row) -> Length:
    """The longest gap between polls beside its limit; known where the log has a line of it, mostly of one too long."""
    limit, over, gap_ms = one["max_poll_interval_ms"], over_ms(one) or 0, one["max_poll_gap_ms"]
    of = "limit unknown" if limit is None else f"of {span(limit)}"
    beyond = f", {span(over)} over" if over > 0 else ""
    who = one["client_id"] or one["member_id"] or "unknown"
    hover_lines = next((bar.hover_lines for _, bar in bars_of(TABLE, one, None)), ())
    part = TOO_LONG if over > 0 else WITHIN
    name = f"{span(gap_ms)} {of}{beyond} · {who} · {one['service']}"
    at = one["joined_at"] or one["ended_at"]
    return Length(one["session_id"], name, {part: gap_ms}, limit, hover_lines, at)
