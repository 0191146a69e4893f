"""Episodes of a process that has more clients than are followed at once: let go before they ended.

How they went on is not known, so none is told to be open, or not to have got on.
"""

from collections.abc import Iterable

from transforms.timers.clients.troubles import TroubleLines
from transforms.timers.episodes import Episode

# What some episodes wrap: their row.
_WRAPPED = ("timer", "session", "row")
OPEN, UNKNOWN = "open", "unknown"


def is_open(episode: Episode) -> bool:
    """Whether an episode has not ended."""
    return any(getattr(one, "outcome", None) == OPEN for one in _with_row(episode))


def let_go(episodes: Iterable[Episode]) -> None:
    """Leave these as they stand, once they were judged."""
    for episode in episodes:
        for one in _with_row(episode):
            if getattr(one, "outcome", None) == OPEN:
                one.outcome = UNKNOWN  # type: ignore[attr-defined]  # those that have an outcome
        if isinstance(episode, TroubleLines):
            episode.is_cut_off = True


def _with_row(episode: Episode) -> Iterable[object]:
    rows = (getattr(episode, name, None) for name in _WRAPPED)
    return (episode, *(row for row in rows if row is not None))
