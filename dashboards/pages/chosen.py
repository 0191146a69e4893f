"""What a viewer chose on a page of episodes: all of it stands in the query string, so a link shows the same again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from dashboards.instants import instant_of, misread, stamp
from dashboards.pages.page import search_of
from dashboards.queries import Row
from dashboards.queries.episodes import Scope
from transforms.episodes.lanes import Window, padded

FAR = 8  # without a window, a page goes to one episode when all of them take this many times longer
WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Chosen:
    """Filters, window and selection. from_at, to_at: ms, UTC; view: `whole` for all of time at once.

    problem: what of the address could not be read, and is left out.
    """

    service: str | None = None
    client: str | None = None
    from_at: int | None = None
    to_at: int | None = None
    selected: str | None = None
    view: str | None = None
    problem: str | None = field(default=None, compare=False)

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
                "from": stamp(self.from_at),
                "to": stamp(self.to_at),
                "view": self.view,
                "selected": self.selected,
            }
        )

    def holds(self, row: Row, bounds: tuple[int | None, int | None]) -> bool:
        """Whether an episode lies in what was chosen. bounds: when it began and ended, ms, as far as that is known."""
        known = [at for at in bounds if at is not None]
        return (
            self.service in (None, row["service"])
            and self.client in (None, row["client_id"])
            and (self.from_at is None or not known or max(known) >= self.from_at)
            and (self.to_at is None or not known or min(known) <= self.to_at)
        )

    def within(self, from_at: int | None, to_at: int | None) -> "Chosen":
        """What was chosen, in another window; bounds that are the wrong way round change places."""
        if from_at is not None and to_at is not None and from_at > to_at:
            from_at, to_at = to_at, from_at
        return replace(self, from_at=from_at, to_at=to_at, view=None, problem=None)


def chosen_of(query: Mapping[str, str]) -> Chosen:
    """From the query string; a time that is none is left out, and said to be."""
    return Chosen(
        service=query.get("service") or None,
        client=query.get("client") or None,
        from_at=instant_of(query.get("from")),
        to_at=instant_of(query.get("to")),
        selected=query.get("selected") or None,
        view=WHOLE if query.get("view") == WHOLE else None,
        problem=misread(query),
    )


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
