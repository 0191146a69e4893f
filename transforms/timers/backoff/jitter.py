"""All waits of one client that show what it drew: whether it jitters at all can't be told from one sequence."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.timers.backoff.retry_sequences import BackoffSequence, Wait
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode, episode_id, whose
from transforms.timers.profile import ClientProfile

WAITS_KEPT = 64
CLIENTS_KEPT = 1024
# Paths whose waits show the draw: up to the send of a batch, and as an admin call prints it.
TELLING = frozenset({"producer", "admin"})


@dataclass(slots=True, kw_only=True)
class JitterSample(Episode):
    """The first waits of a client whose length is known. Judged, not stored."""

    sample_id: str
    api: str | None = None
    waits: list[Wait] = field(default_factory=list)


@dataclass(slots=True)
class JitterSamples:
    """Collects waits from sequences as they end, by client and start of its process."""

    samples: dict[tuple[str | None, int], JitterSample] = field(default_factory=dict)

    def collect(self, episodes: Iterable[Episode]) -> None:
        """Take the waits of sequences that ended."""
        for episode in episodes:
            if isinstance(episode, BackoffSequence) and episode.path in TELLING and episode.profile:
                waits = [w for w in episode.waits if w.is_sent_known or w.drawn_ms is not None]
                if waits:
                    self._sample(episode, episode.profile).extend(waits)

    def ended(self) -> Iterator[Episode]:
        """One sample a client."""
        for sample in self.samples.values():
            sample.waits.sort(key=lambda wait: (wait.failed_at, wait.event_ids))
            del sample.waits[WAITS_KEPT:]
            ids = [event_id for wait in sample.waits for event_id in wait.event_ids]
            sample.event_ids = list(dict.fromkeys(ids))
            yield sample
        self.samples.clear()

    def _sample(self, sequence: BackoffSequence, profile: ClientProfile) -> list[Wait]:
        key = (sequence.client_id, sequence.incarnation)
        if key not in self.samples:
            make_room(self.samples, CLIENTS_KEPT)
            self.samples[key] = JitterSample(
                **whose(sequence),
                profile=profile,
                sample_id=episode_id(sequence.unit_id, "jitter", sequence.sequence_id),
                api=sequence.api,
            )
        waits = self.samples[key].waits
        if len(waits) > 4 * WAITS_KEPT:
            del waits[WAITS_KEPT:]
        return waits
