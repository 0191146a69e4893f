"""Liveness: why was a consumer kicked out, by how much, against which limit; who triggered the rebalances (KIP-62)."""

from collections.abc import Mapping
from typing import Any

from dashboards.figures.episode_bars import POLL, SESSION, from_metrics, limit_words
from dashboards.figures.lane_figure import lanes_figure
from dashboards.figures.lanes import MOST_LANES, Window, readable
from dashboards.figures.liveness import Span, group_lanes, in_words, length_ms, over_ms, span_of, spans_of
from dashboards.figures.poll_gaps import MOST_GAPS, poll_gaps, with_gap
from dashboards.pages.chosen import Chosen, window_of
from dashboards.pages.episode_parts import Drawing, Grid, View, client_cells, ms_cells
from dashboards.pages.episodes import EpisodePage
from dashboards.pages.selected import selected_part
from dashboards.parts import instants, shown
from dashboards.queries import Answer, LakeReader, Row, episodes
from dashboards.summaries import memberships
from dashboards.theme import BROKEN, CALM, LIMIT, NOTE, OTHER, QUIET, WARN
from transforms.diagnose.words import counted, span

_MS: dict[str, Any] = {"type": "rightAligned", "cellRenderer": "Words", "width": 112}
_AT: dict[str, Any] = {"width": 240, "cellRenderer": "Instant"}
_MEMBERS: list[dict[str, Any]] = [
    {"field": "client", "headerName": "Client", "minWidth": 150, "flex": 1, "tooltipField": "client"},
    {"field": "group", "headerName": "Group", "minWidth": 130, "flex": 1, "tooltipField": "group"},
    {"field": "outcome", "headerName": "Outcome", "width": 230},
    {"field": "gap", "headerName": "Poll gap", **_MS},
    {"field": "poll_limit", "headerName": "Poll limit", **_MS},
    {"field": "over", "headerName": "Over", **_MS},
    {"field": "session_limit", "headerName": "Session limit", **_MS},
    {"field": "away", "headerName": "Away", **_MS},
    {"field": "generation", "headerName": "Generation", "type": "rightAligned", "width": 110},
    {"field": "ended_at", "headerName": "Ended", **_AT},
    {"field": "service", "headerName": "Service", "minWidth": 160, "flex": 1, "tooltipField": "service"},
]
_REBALANCES: list[dict[str, Any]] = [
    {"field": "group", "headerName": "Group", "minWidth": 130, "flex": 1, "tooltipField": "group"},
    {"field": "generation", "headerName": "Generation", "type": "rightAligned", "width": 110},
    {"field": "trigger", "headerName": "Trigger", "width": 150},
    {"field": "by", "headerName": "Triggered by", "minWidth": 180, "flex": 2, "tooltipField": "by"},
    {
        "field": "slowest",
        "headerName": "Slowest to join",
        "minWidth": 180,
        "flex": 2,
        "tooltipField": "slowest",
    },
    {"field": "took", "headerName": "Took", **_MS},
    {"field": "started_at", "headerName": "Began", **_AT},
    {"field": "outcome", "headerName": "Outcome", "width": 120},
    {"field": "service", "headerName": "Told by", "minWidth": 150, "flex": 1, "tooltipField": "service"},
]
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
    ("■", QUIET, "left by itself"),
    ("▲", OTHER, "joined"),
    ("|", QUIET, "heartbeat"),
    ("◆", OTHER, "rebalance, with its generation"),
)
_GAP_KEY = (
    ("▬", BROKEN, "longer than its limit"),
    ("▬", CALM, "within it"),
    ("┃", LIMIT, "max.poll.interval.ms"),
)


def load(lake: LakeReader, chosen: Chosen) -> View:
    """What the page shows of what was chosen."""
    found = episodes.sessions(lake, chosen.scope)
    groups = {row["group_id"] for row in found.rows}
    rebalances = episodes.rebalances(lake, chosen.scope, groups) if groups else Answer("ok")
    if not found.rows:
        return View(found)
    members = found.rows
    summary, tone = memberships(members, episodes.ended(lake, episodes.SESSIONS, chosen.scope))
    of_member = spans_of(members)
    spans = [(session_id, *bounds) for session_id, bounds in of_member.items()]
    spans += [
        (row["rebalance_id"], row["started_at"], row["ended_at"] or row["started_at"])
        for row in rebalances.rows
        if row["rebalance_id"] == chosen.selected and row["started_at"] is not None
    ]
    window, gone_to = window_of(chosen, spans, _first(members))
    selected = chosen.selected or gone_to
    beats = episodes.beats(lake, _inside(members, of_member, window), window.since, window.until)
    all_beats = beats.rows if beats.total <= len(beats.rows) else []
    lanes = group_lanes(members, rebalances.rows, all_beats, window, selected, of_member)
    figures = (
        lanes_figure(readable(lanes, selected), window, selected=selected, revision=f"{window}"),
        poll_gaps(members, chosen.selected, f"{chosen.scope}"),
    )
    notes = _notes(found, len(lanes), gone_to)
    if not all_beats and beats.total:
        notes.append(f"{beats.total} heartbeats and joins are too many to draw: choose a shorter time.")
    if rebalances.state != "ok":
        notes.append(f"Rebalances are not known: {rebalances.problem}")
    return View(
        found,
        summary,
        tone,
        figures,
        (tuple(notes), tuple(_gap_notes(members))),
        ([_member(row) for row in members], [_rebalance(row) for row in rebalances.rows]),
        chosen.selected,
        _detail(lake, chosen.selected, members, rebalances.rows),
    )


def _inside(members: list[Row], spans: Mapping[str, Span], window: Window) -> list[Row]:
    """The memberships that have a part in a window, as many as there may be lanes, the longest gaps first."""
    inside = [row for row in members if (bounds := spans.get(row["session_id"])) and window.holds(*bounds)]
    return inside[:MOST_LANES]


def _first(members: list[Row]) -> str | None:
    """Where to look first: at the one that the answer speaks of, else at the latest."""
    forced = [row for row in members if row["outcome"] not in ("open", "closed", "unknown")]
    found = max(
        forced or members, key=lambda row: (over_ms(row) or 0, row["ended_at"] or 0, row["session_id"])
    )
    return str(found["session_id"])


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


def _away_ms(row: Row) -> int | None:
    known = row["rejoined_at"] is not None and row["ended_at"] is not None
    return int(row["rejoined_at"] - row["ended_at"]) if known else None


def _member(row: Row) -> dict[str, Any]:
    return {
        "id": row["session_id"],
        "group": shown(row["group_id"] or "unknown"),
        "outcome": in_words(row["outcome"]),
        "generation": row["generation"],
        "ended_at": row["ended_at"],
        **ms_cells(
            gap=row["max_poll_gap_ms"],
            poll_limit=row["max_poll_interval_ms"],
            over=over_ms(row),
            session_limit=row["session_timeout_ms"],
            away=_away_ms(row),
        ),
        **client_cells(row),
    }


def _rebalance(row: Row) -> dict[str, Any]:
    return {
        "id": row["rebalance_id"],
        "group": shown(row["group_id"] or "unknown"),
        "generation": row["generation"],
        "trigger": shown(row["trigger"] or "unknown"),
        "by": shown(row["triggered_by"] or "unknown"),
        "slowest": shown(row["slowest_member"] or "unknown"),
        "started_at": row["started_at"],
        "outcome": row["outcome"],
        **ms_cells(took=length_ms(row)),
        **client_cells(row),
    }


def _detail(lake: LakeReader, selected: str | None, members: list[Row], rebalances: list[Row]) -> list[Any]:
    for row in members:
        if row["session_id"] == selected:
            return _member_detail(lake, row)
    for row in rebalances:
        if row["rebalance_id"] == selected:
            return _rebalance_detail(lake, row)
    return []


def _member_detail(lake: LakeReader, row: Row) -> list[Any]:
    gap, over, away = row["max_poll_gap_ms"], over_ms(row), _away_ms(row)
    facts = [
        ("Outcome", in_words(row["outcome"])),
        ("Longest poll gap", "not in the log" if gap is None else f"{gap} ms"),
        ("Poll limit", limit_words(POLL, row["max_poll_interval_ms"], row.get("poll_origin")) or "unknown"),
        *([("Difference", f"{over:+} ms")] if over is not None else []),
        (
            "Session limit",
            limit_words(SESSION, row["session_timeout_ms"], row.get("session_origin")) or "unknown",
        ),
        ("Last poll", instants(row["last_poll_at"])),
        ("Last heartbeat", instants(row["last_heartbeat_at"])),
        *([("From metrics", told)] if (told := from_metrics(row)) else []),
        ("From, to", instants(row["joined_at"], row["ended_at"])),
        ("Back", "not seen" if away is None else [f"after {away} ms, ", *instants(row["rejoined_at"])]),
        ("Member", f"{row['member_id'] or 'unknown'}, generation {row['generation']}"),
        ("Process", f"{row['service']}/{row['instance']}"),
    ]
    title = f"{row['client_id'] or row['member_id']} in group {row['group_id']}"
    return selected_part(lake, episodes.SESSIONS, row, title, facts, span_of(row) or (None, None))


def _rebalance_detail(lake: LakeReader, row: Row) -> list[Any]:
    took = length_ms(row)
    facts = [
        ("Trigger", row["trigger"] or "unknown"),
        ("Triggered by", row["triggered_by"] or "unknown"),
        ("Slowest to join", row["slowest_member"] or "unknown"),
        ("Took", "unknown" if took is None else f"{took} ms ({span(took)})"),
        ("From, to", instants(row["started_at"], row["ended_at"])),
        ("Outcome", f"{row['outcome']}, generation {row['generation']}"),
        ("Told by", f"{row['service']}/{row['instance']}"),
    ]
    title, bounds = f"Rebalance of group {row['group_id']}", (row["started_at"], row["ended_at"])
    return selected_part(lake, episodes.REBALANCES, row, title, facts, bounds)


EPISODES = EpisodePage(
    path="liveness",
    name="Liveness",
    table=episodes.SESSIONS,
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
    grids=(Grid("Memberships", _MEMBERS), Grid("Rebalances", _REBALANCES)),
    load=load,
    empty="No consumer was a member of a group in what was chosen, as far as the log tells.",
)
PAGE = EPISODES.page()
