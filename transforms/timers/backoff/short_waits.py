"""Waits of a client that were too short, kept beside its later sequences: what one of them leaves open, two tell.

A pause of the process between the client's reading of its clock and the failure's line makes one wait look
short. A second one, by another failure, needs a second pause (rules/short_waits.py).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from transforms.timers.backoff.envelope import backoff_of
from transforms.timers.backoff.retry_sequences import BackoffSequence, Wait
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode

# Paths whose waits nothing but a leader change, or a pause, cuts short.
PATHS = frozenset({"producer", "admin"})
CLIENTS_KEPT = 1024
WAITS_KEPT = 8

Key = tuple[int, str | None, str]


@dataclass(slots=True)
class ShortWaits:
    """Collects from sequences as they end, by client, and tells each what those before it had."""

    known: dict[Key, list[Wait]] = field(default_factory=dict)

    def collect(self, episodes: Iterable[Episode]) -> None:
        """Let the sequences that ended know of the short waits before, and keep theirs."""
        for episode in episodes:
            if isinstance(episode, BackoffSequence) and episode.path in PATHS:
                self._take(episode)

    def _take(self, sequence: BackoffSequence) -> None:
        key = (sequence.incarnation, sequence.client_id, sequence.path)
        before = self.known.get(key, [])
        sequence.short_before = list(before)
        short = short_waits(sequence)
        if not short:
            return
        if not before:
            make_room(self.known, CLIENTS_KEPT)
        self.known[key] = [*before, *short][-WAITS_KEPT:]


def short_waits(sequence: BackoffSequence) -> list[Wait]:
    """Those of its waits that no leader change excuses, and that are too short if no pause does."""
    backoff = backoff_of(sequence.profile) if sequence.profile else None
    if backoff is None:
        return []
    return [
        wait
        for wait in sequence.waits
        if wait.leader_excluded
        and not wait.is_ambiguous
        and wait.is_shorter_than(backoff.bounds(wait.failures)[0])
    ]
