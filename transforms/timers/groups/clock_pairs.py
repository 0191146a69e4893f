"""How far two writers' clocks may be apart, from lines that bracket each other (DESIGN 2.1).

A request leaves its client before the broker acts on it, and the broker acts before the answer is there.
Each such pair bounds broker clock minus client clock from one side; the bounds together are an interval.
Without one from both sides nothing is known, and the clocks are never subtracted.
"""

from dataclasses import dataclass, field

from transforms.timers.clock_steps import STEP_MS


@dataclass(frozen=True, slots=True)
class Offset:
    """Broker clock minus client clock, in ms: at least `low`, at most `high`.

    since: from when on, by the broker's clock, both are known; until: up to when, by the client's. A step of a clock between
    two pairs shows, as no one difference fits; one before the first or after the last need not.
    """

    low: int
    high: int
    since: int = field(default=0, compare=False)
    until: int = field(default=0, compare=False)

    @property
    def likeliest(self) -> int:
        """No offset where that is possible, else the one nearest to it."""
        return min(max(0, self.low), self.high)


@dataclass(slots=True)
class ClockPairs:
    """Collects the pairs of one client's and one broker's clock."""

    low: int | None = None
    high: int | None = None
    low_since: int = 0
    high_since: int = 0
    low_until: int = 0
    high_until: int = 0

    def client_first(self, client_at: int, broker_at: int) -> None:
        """The broker acted on what the client had sent: the difference is at most this."""
        bound = broker_at - client_at
        self.high_since = broker_at if self.high is None else min(self.high_since, broker_at)
        self.high_until = client_at if self.high is None else max(self.high_until, client_at)
        self.high = bound if self.high is None else min(self.high, bound)

    def broker_first(self, broker_at: int, client_at: int) -> None:
        """The client reports what the broker had done: the difference is at least this."""
        bound = broker_at - client_at
        self.low_since = broker_at if self.low is None else min(self.low_since, broker_at)
        self.low_until = client_at if self.low is None else max(self.low_until, client_at)
        self.low = bound if self.low is None else max(self.low, bound)

    @property
    def has_stepped(self) -> bool:
        """Whether no one difference of the clocks fits all pairs: one of the two stepped, be it ahead or back."""
        return self.low is not None and self.high is not None and self.low - self.high > STEP_MS

    def offset(self) -> Offset | None:
        """The interval; None while a side is open, or where the pairs contradict each other (a clock stepped)."""
        if self.low is None or self.high is None or self.low > self.high:
            return None
        since, until = max(self.low_since, self.high_since), min(self.low_until, self.high_until)
        return Offset(self.low, self.high, since, until)
