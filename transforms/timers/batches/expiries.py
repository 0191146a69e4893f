"""Expiry lines to expired batches: an application prints one line per record, the batch is what they share."""

from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.batches.chains import Chain

# Lines of one batch are written by one loop over its callbacks. A quarter of a second between two of them
# is a callback that logs slowly; longer, and they are taken for two batches.
SAME_BATCH_MS = 250


Key = tuple[str | None, int | None, int, int, str]
Voice = tuple[str | None, str | None, str | None]


def voice_of(event: ClientEvent) -> Voice:
    """Who printed a line: the application, a framework that echoes it, the producer itself (transactions)."""
    return (event.client_id, event.level, event.details.get("exceptions"))


@dataclass(slots=True)
class Expiry:
    """One expired batch, as its lines come in. Instants in ms UTC.

    key: partition, count, age and bound, the same in all its lines. lines: by voice; each prints at
    most one line per record, and two voices that say the same speak of the same batch. quiet_ms: since the
    process's line before its first one: so late that may be, at most, if the process stood still.
    """

    key: Key
    first_at: int | None
    last_at: int | None
    event: ClientEvent
    chain: Chain | None = None
    quiet_ms: int | None = None
    lines: dict[Voice, int] = field(default_factory=dict)
    event_ids: list[str] = field(default_factory=list)

    @property
    def records(self) -> int:
        """How many records the batch held."""
        return self.key[2]

    @property
    def age_ms(self) -> int:
        """The age that the line prints, ms."""
        return self.key[3]

    @property
    def bound(self) -> str:
        """What the age counts from."""
        return self.key[4]

    @property
    def created_at(self) -> int | None:
        """By the client's clock: when it said so, less the age it said."""
        return None if self.first_at is None else self.first_at - self.age_ms

    def takes(self, key: Key, event: ClientEvent) -> bool:
        """Whether this line speaks of this batch too."""
        if key != self.key:
            return False
        is_timed = event.happened_at is not None and self.last_at is not None
        if is_timed and (event.happened_at or 0) - (self.last_at or 0) > SAME_BATCH_MS:
            return False
        return self.lines.get(voice_of(event), 0) < max(self.records, 1)

    def add(self, event: ClientEvent) -> None:
        """One more line of it."""
        voice = voice_of(event)
        self.lines[voice] = self.lines.get(voice, 0) + 1
        self.last_at = event.happened_at
        self.event_ids.append(event.event_id)


@dataclass(slots=True)
class Pile:
    """The batches of one partition that expired in one instant: what the producer's loop found in one pass."""

    expiries: list[Expiry] = field(default_factory=list)

    def add(self, key: Key, event: ClientEvent) -> Expiry | None:
        """Count the line; gives the batch where the line is the first of one."""
        for expiry in self.expiries:
            if expiry.takes(key, event):
                expiry.add(event)
                return None
        expiry = Expiry(key, event.happened_at, event.happened_at, event)
        expiry.add(event)
        self.expiries.append(expiry)
        return expiry

    def doubt(self, expiry: Expiry) -> None:
        """Where another batch is told in the same words, two appenders may have written one: which, nobody knows."""
        alike = [one.chain for one in self.expiries if one.key == expiry.key]
        for chain in alike if len(alike) > 1 else ():
            if chain is not None:
                chain.is_certain = False

    def take_rethrown(self) -> None:
        """A call that ends a transaction throws what had ended it: one line more, where each record had its own."""
        last = self.expiries[-1]
        before = next((one for one in self.expiries[:-1] if one.key == last.key), None)
        if before is not None and last.records > 1 and len(last.event_ids) == 1:
            before.event_ids += last.event_ids
            self.expiries.remove(last)

    def is_over(self, now: int | None) -> bool:
        """Whether no further line can belong to it. Without times a pile lasts until another partition's line."""
        last_at = max((e.last_at for e in self.expiries if e.last_at is not None), default=None)
        return last_at is None or now is None or now - last_at > SAME_BATCH_MS

    @property
    def least_age_ms(self) -> int:
        """The age of the batch that was due last."""
        return min(expiry.age_ms for expiry in self.expiries)
