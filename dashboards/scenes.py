"""A window of time drawn: what is read of the lake for one story, and the figure made of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboards.figures.lane_figure import lanes_figure
from dashboards.queries import LakeReader, Row
from dashboards.queries.episodes import TIMES
from dashboards.queries.story import Scene, Window, samples, scene, settings
from transforms.episodes.lane_settings import settings_of
from transforms.episodes.lanes import Lane, near_of
from transforms.episodes.series import Series, attributes_for, series_of
from transforms.episodes.story_lanes import MARKED_KINDS, MOST_STORY_LANES, lanes_of

LEAST_MS = 2_000  # a window is never narrower


@dataclass(slots=True)
class Drawn:
    """A scene with its figure. settings: effective values of its clients; clients: those in it, by lane."""

    window: Window
    scene: Scene
    lanes: list[Lane]
    series: list[Series]
    settings: list[Row]
    clients: list[str]
    figure: go.Figure

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is in the window."""
        return not self.lanes

    def left_out(self) -> str:
        """What the figure does not show, in a sentence; empty where it shows all."""
        told = [f"{more} rows of {table}" for table, more in sorted(self.scene.left_out.items())]
        if len(self.lanes) > MOST_STORY_LANES:
            told.append(f"{len(self.lanes) - MOST_STORY_LANES} lanes")
        return f"Not drawn: {', '.join(told)}. A narrower window or one service shows them." if told else ""


def draw(lake: LakeReader, window: Window, focus: Sequence[str] = (), clients: Sequence[str] = ()) -> Drawn:
    """Read a window and draw it. focus: ids of the episodes it is about; clients: those it is about."""
    found = scene(lake, window, MARKED_KINDS)
    lanes = lanes_of(found.episodes, found.events, found.clocks, window, focus)
    rows = [row for rows in found.episodes.values() for row in rows]
    units = {row["unit_id"] for row in rows}
    seen = [row["client_id"] for row in rows if row["client_id"]]
    told = list(dict.fromkeys([*clients, *sorted(seen)]))
    effective = settings(lake, units, settings_of(lanes)) if units else []
    near = near_of(lanes, focus)
    wanted = attributes_for(near or lanes)
    of_story = samples(lake, window, _metric_clients(told, clients), wanted)
    series = series_of(of_story, effective)
    figure = lanes_figure(lanes[:MOST_STORY_LANES], window, focus, series)
    return Drawn(window, found, lanes, series, effective, told, figure)


def window_of(
    episodes: Sequence[tuple[str, Row]], instants: Sequence[int], service: str | None
) -> Window | None:
    """The window around these episodes and instants, with some room; None where no instant is known."""
    known = [at for at in instants if at is not None]
    groups = []
    for table, row in episodes:
        ends = [row.get(name) for name in (*TIMES[table], "sent_at", "deadline_at", "rejoined_at")]
        if table == "silver.liveness_sessions":
            ends += [row["last_poll_at"], row["last_heartbeat_at"]]
            if row["last_poll_at"] is not None and row["max_poll_gap_ms"] is not None:
                ends.append(row["last_poll_at"] + row["max_poll_gap_ms"])
        known += [at for at in ends if at is not None]
        groups += [row["group_id"]] if row.get("group_id") else []
    if not known:
        return None
    room = max((max(known) - min(known)) // 12, LEAST_MS // 2)
    return Window(min(known) - room, max(known) + room, service, tuple(sorted(set(groups))))


def _metric_clients(told: Sequence[str], clients: Sequence[str]) -> list[str]:
    """Of a story about some clients theirs, and those of their threads; else all of the window's."""
    of_story = [one for one in told if any(one.startswith(client) for client in clients)]
    return of_story or list(told)
