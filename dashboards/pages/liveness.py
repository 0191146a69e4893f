"""Liveness: why was a consumer kicked out, by how much, against which limit; who triggered the rebalances (KIP-62)."""

from collections.abc import Mapping

from dashboards.figures.lane_figure import lanes_figure
from dashboards.figures.limits import beside_limits
from dashboards.grids import count, instant, lasting, plain, text
from dashboards.pages.chosen import Chosen, window_of
from dashboards.pages.episode_parts import Drawing, Grid, Told, View
from dashboards.pages.episodes import EpisodePage
from dashboards.parts import exactly, instants
from dashboards.queries import Answer, LakeReader, Row, episodes
from dashboards.theme import BROKEN, CALM, LIMIT, NOTE, OTHER, QUIET, WARN
from transforms.diagnose.wording.words import counted, span
from transforms.episodes.lanes import MOST_LANES, Window, readable
from transforms.episodes.memberships import (
    MOST_GAPS,
    Span,
    away_ms,
    badness,
    gap,
    group_lanes,
    in_words,
    length_ms,
    over_ms,
    span_of,
    spans_of,
    with_gap,
)
from transforms.episodes.summaries import memberships
from transforms.episodes.words import POLL, SESSION, beyond, from_metrics, group_of, limit_words, process_of

_KEY = (
    ("▬", CALM, "member"),
    ("▨", CALM, "member at the end of the log"),
    ("▬", WARN, "silent, within its limit"),
    ("▬", BROKEN, "silent, beyond"),
    ("┃", LIMIT, "its limit"),
    ("▼", NOTE, "last poll"),
    ("◊", NOTE, "last heartbeat"),
    ("✖", BROKEN, "kicked out: no poll"),
    ("✚", BROKEN, "kicked out: no heartbeat"),
    ("✦", BROKEN, "fenced"),
    ("■", QUIET, "ended by itself"),
    ("▲", OTHER, "joined"),
    ("|", QUIET, "heartbeat"),
    ("◆", OTHER, "rebalance, with its generation"),
)
_GAP_KEY = (
    ("▬", BROKEN, "longer than its limit"),
    ("▬", CALM, "within it"),
    ("┃", LIMIT, "max.poll.interval.ms"),
    ("▶", LIMIT, "its limit is farther: at the edge"),
)


def load(lake: LakeReader, chosen: Chosen) -> View:
    """What the page shows of what was chosen."""
    found = episodes.sessions(lake, chosen.scope)
    groups = {row["group_id"] for row in found.rows}
    rebalances = episodes.rebalances(lake, chosen.scope, groups) if groups else Answer("ok")
    if not found.rows:
        return View(found)
    members = found.rows
    of_member = spans_of(members)
    spans = [(session_id, *bounds) for session_id, bounds in of_member.items()]
    spans += [
        (row["rebalance_id"], row["started_at"], row["ended_at"] or row["started_at"])
        for row in rebalances.rows
        if row["rebalance_id"] == chosen.selected and row["started_at"] is not None
    ]
    window, gone_to = window_of(chosen, spans, max(members, key=badness)["session_id"])
    selected = chosen.selected or gone_to
    beats = episodes.beats(lake, _inside(members, of_member, window), window.since, window.until)
    all_beats = beats.rows if beats.total <= len(beats.rows) else []
    lanes = group_lanes(members, rebalances.rows, all_beats, window, selected, of_member)
    gaps = [gap(row) for row in with_gap(members)]
    figures = (
        lanes_figure(readable(lanes, selected), window, selected=selected, revision=f"{window}"),
        beside_limits(gaps, POLL, "ms between two polls", chosen.selected, f"{chosen.scope}"),
    )
    notes = _notes(found, len(lanes), gone_to)
    if not all_beats and beats.total:
        notes.append(f"{beats.total} heartbeats and joins are too many to draw: choose a shorter time.")
    if rebalances.state != "ok":
        notes.append(f"Rebalances are not known: {rebalances.problem}")
    ended = episodes.ended(lake, episodes.SESSIONS, chosen.scope)
    return View(
        found, *memberships(members, ended), figures, (notes, _gap_notes(members)), (members, rebalances.rows)
    )


def _inside(members: list[Row], spans: Mapping[str, Span], window: Window) -> list[Row]:
    """The memberships that have a part in a window, as many as there may be lanes, the longest gaps first."""
    inside = [row for row in members if (bounds := spans.get(row["session_id"])) and window.holds(*bounds)]
    return inside[:MOST_LANES]


def _notes(found: Answer, lanes: int, gone_to: str | None) -> list[str]:
    notes = []
    if gone_to is not None:
        notes.append(f"Drawn is the time around one of {found.total} memberships: Whole time shows all.")
    if lanes > MOST_LANES:
        notes.append(f"{MOST_LANES} of {lanes} lanes are drawn; choose a service or a shorter time.")
    if found.total > len(found.rows):
        notes.append(f"The list has {len(found.rows)} of {found.total} memberships, the longest gaps first.")
    return notes


def _gap_notes(members: list[Row]) -> list[str]:
    known = sum(row["max_poll_gap_ms"] is not None for row in members)
    notes = [
        f"The gap is known of {known} of {counted(len(members), 'membership')}: of the others the log says nothing."
    ]
    if known > len(with_gap(members)):
        notes.append(f"Drawn are the longest {MOST_GAPS}.")
    return notes


def _words(trigger: str | None) -> str:
    return (trigger or "").replace("_", " ")


def _member_told(row: Row) -> Told:
    over, away = over_ms(row), away_ms(row)
    poll = limit_words(POLL, row["max_poll_interval_ms"], row.get("poll_origin"))
    session = limit_words(SESSION, row["session_timeout_ms"], row.get("session_origin"))
    facts = [
        ("Outcome", in_words(row["outcome"])),
        ("Longest poll gap", exactly(row["max_poll_gap_ms"], "not in the log")),
        ("Poll limit", poll or "unknown"),
        ("Difference", None if over is None else f"{over:+} ms"),
        ("Session limit", session or "unknown"),
        ("Last poll", instants(row["last_poll_at"])),
        ("Last heartbeat", instants(row["last_heartbeat_at"])),
        ("From metrics", from_metrics(row) or None),
        ("From, to", instants(row["joined_at"], row["ended_at"])),
        ("Back", "not seen" if away is None else [f"after {away} ms, ", *instants(row["rejoined_at"])]),
        ("Member", f"{row['member_id'] or 'unknown'}, generation {row['generation']}"),
        ("Process", process_of(row)),
    ]
    title = f"{row['client_id'] or row['member_id']} in group {group_of(row)}"
    return Told(title, facts, span_of(row) or (None, None))


def _rebalance_told(row: Row) -> Told:
    took, bounds = length_ms(row), (row["started_at"], row["ended_at"])
    facts = [
        ("Trigger", _words(row["trigger"]) or "unknown"),
        ("Triggered by", row["triggered_by"] or "unknown"),
        ("Slowest to join", row["slowest_member"] or "unknown"),
        ("Took", "unknown" if took is None else f"{took} ms ({span(took)})"),
        ("From, to", instants(*bounds)),
        ("Outcome", f"{row['outcome']}, generation {row['generation']}"),
        ("Told by", process_of(row)),
    ]
    return Told(f"Rebalance of group {group_of(row)}", facts, bounds)


_MEMBERS = (
    text("client", "Client", "client_id"),
    text("group", "Group", group_of, minWidth=130),
    plain("outcome", "Outcome", lambda row: in_words(row["outcome"]), width=262),
    lasting("gap", "Poll gap", "max_poll_gap_ms", width=112),
    lasting("poll_limit", "Poll limit", "max_poll_interval_ms", width=112),
    lasting("over", "Over", over_ms, lambda row: beyond(over_ms(row)), width=132),
    lasting("session_limit", "Session limit", "session_timeout_ms", width=112),
    lasting("away", "Away", away_ms, width=112),
    count("generation", "Generation", width=128),
    instant("ended_at", "Ended"),
    text("service", "Service", process_of, minWidth=160),
)
_REBALANCES = (
    text("group", "Group", group_of, minWidth=130),
    count("generation", "Generation", width=128),
    text("trigger", "Trigger", lambda row: _words(row["trigger"]), width=150),
    text("by", "Triggered by", "triggered_by", minWidth=180, flex=2),
    text("slowest", "Slowest to join", "slowest_member", minWidth=180, flex=2),
    lasting("took", "Took", length_ms, width=112),
    instant("started_at", "Began"),
    plain("outcome", "Outcome", width=120),
    text("service", "Told by", process_of),
)
EPISODES = EpisodePage(
    path="liveness",
    name="Liveness",
    drawings=(
        Drawing(
            "Members and rebalances",
            "One lane a member, under the rebalances of its group",
            _KEY,
            on_clock=True,
        ),
        Drawing(
            "Gaps between polls", "The longest gap between two polls of a membership, and its limit", _GAP_KEY
        ),
    ),
    grids=(
        Grid("Memberships", episodes.SESSIONS, episodes.sessions, _MEMBERS, _member_told),
        Grid("Rebalances", episodes.REBALANCES, episodes.rebalances, _REBALANCES, _rebalance_told),
    ),
    load=load,
    empty="No consumer was a member of a group in what was chosen, as far as the log tells.",
)
PAGE = EPISODES.page()
