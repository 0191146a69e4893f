"""The first wait of each batch of a partition, beside how often those before it had failed.

A batch's retries count from its own first failure (ProducerBatch.attempts). Only waits of a batch that had
its producer to itself tell the backoff: no other request under way, no other batch of its partition waiting.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.timers.backoff.retry_sequences import BackoffSequence, Wait
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode, episode_id, whose

MACHINE = "first_waits"
KEYS_KEPT = 1024
WAITS_KEPT = 64

Key = tuple[int, str | None, str | None, str | None]


@dataclass(frozen=True, slots=True)
class FirstWait:
    """The wait after a first failure; before: how often all sequences before it had failed, taken together."""

    wait: Wait
    before: int


@dataclass(slots=True, kw_only=True)
class FirstWaits(Episode):
    """First waits of one partition's batches, or of one admin client's calls, in order. Judged, not stored."""

    first_waits_id: str
    path: str
    api: str | None = None
    started_at: int | None = None
    waits: list[FirstWait] = field(default_factory=list)


@dataclass(slots=True)
class Last:
    """All failures so far: where a counter stands that is never reset."""

    row: FirstWaits
    failures: int


@dataclass(slots=True)
class FirstWaitSamples:
    """Collects from sequences as they end, by client and subject."""

    known: dict[Key, Last] = field(default_factory=dict)

    def collect(self, episodes: Iterable[Episode]) -> None:
        """Take the first waits of sequences that ended."""
        for episode in episodes:
            if (
                isinstance(episode, BackoffSequence)
                and episode.path in ("producer", "admin")
                and episode.waits
            ):
                self._take(episode)

    def ended(self) -> Iterator[FirstWaits]:
        """Those that followed another sequence."""
        for last in self.known.values():
            if last.row.waits:
                yield last.row
        self.known.clear()

    def _take(self, sequence: BackoffSequence) -> None:
        subject = sequence.subject if sequence.path == "producer" else sequence.api
        key = (sequence.incarnation, sequence.client_id, sequence.path, subject)
        last = self.known.get(key)
        failures = max(wait.failures for wait in sequence.waits)
        if last is None:
            make_room(self.known, KEYS_KEPT)
            self.known[key] = Last(_row(sequence), failures)
            return
        first = sequence.waits[0]
        if first.failures == 1 and len(last.row.waits) < WAITS_KEPT:
            last.row.waits.append(FirstWait(first, last.failures))
            last.row.event_ids.extend(first.event_ids)
        last.failures += failures


def _row(sequence: BackoffSequence) -> FirstWaits:
    return FirstWaits(
        **whose(sequence),
        profile=sequence.profile,
        first_waits_id=episode_id(sequence.unit_id, MACHINE, sequence.sequence_id),
        path=sequence.path,
        api=sequence.api,
        started_at=sequence.started_at,
    )
