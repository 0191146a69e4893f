"""What a viewer chose on a page of episodes: all of it stands in the query string, so a link shows the same again."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from dashboards.figures.lanes import Window, padded
from dashboards.pages.page import search_of
from dashboards.queries.episodes import Scope
from transforms.diagnose.report import iso

MS = re.compile(r"\d{12,14}")
FAR = 8  # without a window, a page goes to one episode when all of them take this many times longer
WHOLE = "whole"
NOT_A_TIME = "no time; write 2026-11-21 02:50:26 (UTC), or ms since the epoch"


@dataclass(frozen=True, slots=True)
class Chosen:
    """Filters, window and selection. from_at, to_at: ms, UTC; view: `whole` for all of time at once."""

    service: str | None = None
    client: str | None = None
    from_at: int | None = None
    to_at: int | None = None
    selected: str | None = None
    view: str | None = None

    @property
    def scope(self) -> Scope:
        """The part of the lake that it asks for."""
        return Scope(self.service, self.client, self.from_at, self.to_at)

    @property
    def search(self) -> str:
        """As the query string."""
        return search_of(
            {
                "service": self.service,
                "client": self.client,
                "from": iso(self.from_at),
                "to": iso(self.to_at),
                "view": self.view,
                "selected": self.selected,
            }
        )

    def within(self, from_at: int | None, to_at: int | None) -> "Chosen":
        """The same in another window; bounds that are the wrong way round change places."""
        if from_at is not None and to_at is not None and from_at > to_at:
            from_at, to_at = to_at, from_at
        return replace(self, from_at=from_at, to_at=to_at, view=None)


def chosen_of(query: Mapping[str, str]) -> Chosen:
    """From the query string; a time that is none is left out (the page says so by showing no bound)."""
    return Chosen(
        service=query.get("service") or None,
        client=query.get("client") or None,
        from_at=instant_of(query.get("from")),
        to_at=instant_of(query.get("to")),
        selected=query.get("selected") or None,
        view=WHOLE if query.get("view") == WHOLE else None,
    )


def instant_of(written: str | None) -> int | None:
    """An instant as people, links and Plotly write it, in ms; UTC where no zone stands. None where it is none."""
    text = (written or "").strip()
    if MS.fullmatch(text):
        return int(text)
    try:
        at = datetime.fromisoformat(text)
        return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def window_of(
    chosen: Chosen, spans: Sequence[tuple[str, int, int]], first: str | None = None
) -> tuple[Window, str | None]:
    """What part of time a figure shows, and the episode that it went to by itself.

    spans: id, start and end of what could be drawn; first: the episode to look at where none is selected.
    """
    if not spans:
        return Window(chosen.from_at or 0, chosen.to_at or (chosen.from_at or 0) + 1_000), None
    start, end = min(one[1] for one in spans), max(one[2] for one in spans)
    if chosen.from_at is not None or chosen.to_at is not None:
        from_at = start if chosen.from_at is None else chosen.from_at
        to_at = end if chosen.to_at is None else chosen.to_at
        return Window(from_at, max(to_at, from_at + 1)), None
    by_id = {one[0]: one for one in spans}
    focus = by_id.get(chosen.selected or "") or by_id.get(first or "")
    if chosen.view == WHOLE or focus is None or end - start <= FAR * max(focus[2] - focus[1], 1):
        return padded(start, end), None
    return padded(focus[1], focus[2]), focus[0]
