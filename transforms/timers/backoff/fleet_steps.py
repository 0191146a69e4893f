"""Clients of one process that failed in the same instants: did they come back in the same instants?

Only clients of one process are compared: their lines have one clock. Those of other processes would have to
be paired to the millisecond, which no line does.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.timers.backoff.envelope import backoff_of
from transforms.timers.backoff.jitter import TELLING
from transforms.timers.backoff.retry_sequences import BackoffSequence, Wait
from transforms.timers.episodes import Episode, episode_id
from transforms.timers.profile import ClientProfile

MACHINE = "fleet_steps"
# Lines of one fault come within so many ms; and so near are retries that left together.
FAILED_TOGETHER_MS = 5
IN_STEP_MS = 2
WAITS_KEPT = 4096
PAIRS_KEPT = 256
NEIGHBOURS = 16
IDS_KEPT = 24

Pair = tuple[str, str]


@dataclass(slots=True, kw_only=True)
class FleetStep(Episode):
    """Two clients of one process whose failures fell together. Judged, not stored.

    together: failures of both in one instant. in_step: of them, those whose retries left in one instant too;
    steps: their nominal waits, in ms. profiles: of both clients.
    """

    fleet_id: str
    clients: Pair
    profiles: tuple[ClientProfile | None, ClientProfile | None]
    started_at: int | None = None
    together: int = 0
    in_step: int = 0
    steps: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Retry:
    """A wait whose end is known, and whose it is."""

    failed_at: int
    sent_at: int
    client_id: str
    wait: Wait
    sequence: BackoffSequence
    nominal_ms: float | None


@dataclass(slots=True)
class FleetSteps:
    """Collects from sequences as they end; compares when all are there."""

    retries: dict[int, list[Retry]] = field(default_factory=dict)

    def collect(self, episodes: Iterable[Episode]) -> None:
        """Take the waits whose end is known."""
        for episode in episodes:
            if isinstance(episode, BackoffSequence) and episode.path in TELLING and episode.client_id:
                kept = self.retries.setdefault(episode.incarnation, [])
                kept.extend(_retries(episode, episode.client_id)[: WAITS_KEPT - len(kept)])

    def ended(self) -> Iterator[FleetStep]:
        """A row for each two clients that failed together at least once."""
        for retries in self.retries.values():
            yield from _compared(sorted(retries, key=lambda one: (one.failed_at, one.client_id)))
        self.retries.clear()


def _retries(sequence: BackoffSequence, client_id: str) -> list[Retry]:
    """The waits that a jitter is due in: saturated ones, and those of flat settings, may well be the same."""
    backoff = backoff_of(sequence.profile) if sequence.profile else None
    found = []
    for wait in sequence.waits:
        waited_ms = (
            wait.drawn_ms if wait.drawn_ms is not None else wait.waited_ms if wait.is_sent_known else None
        )
        nominal_ms = backoff.nominal_ms(wait.failures) if backoff else None
        if waited_ms is None or wait.is_ambiguous or (backoff is not None and nominal_ms is None):
            continue
        sent_at = wait.failed_at + waited_ms
        found.append(Retry(wait.failed_at, sent_at, client_id, wait, sequence, nominal_ms))
    return found


def _compared(retries: list[Retry]) -> Iterator[FleetStep]:
    pairs: dict[Pair, FleetStep] = {}
    for place, one in enumerate(retries):
        for other in retries[place + 1 : place + 1 + NEIGHBOURS]:
            if other.failed_at - one.failed_at > FAILED_TOGETHER_MS:
                break
            if other.client_id != one.client_id:
                first, second = sorted((one, other), key=lambda retry: retry.client_id)
                _note(pairs, first, second)
    yield from pairs.values()


def _note(pairs: dict[Pair, FleetStep], one: Retry, other: Retry) -> None:
    key = (one.client_id, other.client_id)
    pair = pairs.get(key)
    if pair is None:
        if len(pairs) >= PAIRS_KEPT:
            return
        sequence = one.sequence
        pair = pairs[key] = FleetStep(
            unit_id=sequence.unit_id,
            incarnation=sequence.incarnation,
            client_id=one.client_id,
            service=sequence.service,
            instance=sequence.instance,
            profile=sequence.profile,
            fleet_id=episode_id(sequence.unit_id, MACHINE, "/".join((str(sequence.incarnation), *key))),
            clients=key,
            profiles=(sequence.profile, other.sequence.profile),
            started_at=one.failed_at,
        )
    pair.together += 1
    if abs(one.sent_at - other.sent_at) <= IN_STEP_MS:
        pair.in_step += 1
        pair.steps.append(min(one.nominal_ms or 0, other.nominal_ms or 0))
        if len(pair.event_ids) < IDS_KEPT:
            pair.event_ids.extend(dict.fromkeys([*one.wait.event_ids, *other.wait.event_ids]))
