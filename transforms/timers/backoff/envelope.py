"""How long a client may wait before a retry: what the KIP says, and what its version shipped.

Source: KIP-580, Proposed Changes; Kafka clients, ExponentialBackoff.backoff (same since 2.7, used for
retries since 3.7).
"""

import math
from dataclasses import dataclass

from transforms.timers.profile import ClientProfile, Setting

JITTER = 0.2
GROWS_SINCE = (3, 7)
# retry.backoff.max.ms of the KIP; clients that predate the KIP do not have the setting.
KIP_CAP_MS = 1000


@dataclass(frozen=True, slots=True)
class Backoff:
    """A client's retry backoff: base and cap in ms. cap_ms is None in clients that have none; grows: as shipped."""

    base_ms: int
    cap_ms: int | None
    grows: bool
    is_proven: bool

    def bounds(self, failures: int) -> tuple[int, int]:
        """Shortest and longest wait after so many failures, as shipped: the exponent is capped before jitter."""
        if not self.grows or self.cap_ms is None:
            return (self.base_ms, self.base_ms)
        if self.cap_ms <= self.base_ms:
            return (self.cap_ms, self.cap_ms)
        most = math.log2(self.cap_ms / max(self.base_ms, 1))
        term = self.base_ms * 2.0 ** min(failures - 1, most)
        shortest, longest = math.floor(term * (1 - JITTER)), math.floor(term * (1 + JITTER))
        return (min(shortest, self.cap_ms), min(longest, self.cap_ms))

    def nominal_ms(self, failures: int) -> float | None:
        """The step that a wait is drawn around; None where no jitter is due: flat by settings, or cut by the cap."""
        cap_ms = self.cap_ms if self.cap_ms is not None else KIP_CAP_MS
        if self.is_flat_by_kip():
            return None
        if not self.grows:
            return float(self.base_ms)
        term = self.base_ms * 2.0 ** (failures - 1) if failures < 40 else float(cap_ms)
        return term if term * (1 + JITTER) < cap_ms else None

    def shortest_by_kip(self, failures: int) -> int:
        """Shortest wait by the KIP's formula, MIN(cap, base * 2^(failures-1) * U(0.8, 1.2)): growth without fail."""
        cap_ms = self.cap_ms if self.cap_ms is not None else KIP_CAP_MS
        # Beyond 2^40 every base of a ms and more is above any cap.
        term = self.base_ms * 2.0 ** min(failures - 1, 40) * (1 - JITTER)
        return min(cap_ms, math.floor(term))

    def shortest_grown(self, failures: int) -> int:
        """Shortest wait of a backoff that grows: what this version may draw, or by the KIP where it grows
        not at all.
        """
        return self.bounds(failures)[0] if self.grows else self.shortest_by_kip(failures)

    def is_saturated_by_kip(self, failures: int) -> bool:
        """Whether even the smallest draw of the KIP's formula is the cap."""
        cap_ms = self.cap_ms if self.cap_ms is not None else KIP_CAP_MS
        return self.base_ms < cap_ms and self.shortest_by_kip(failures) == cap_ms

    def is_flat_by_kip(self) -> bool:
        """Whether no growth is due: nothing to grow, or the cap reached at the start."""
        cap_ms = self.cap_ms if self.cap_ms is not None else KIP_CAP_MS
        return self.base_ms == 0 or self.base_ms >= cap_ms


def backoff_of(profile: ClientProfile) -> Backoff | None:
    """The client's backoff; None while its version or its base (from 3.7 on also its cap) is unknown."""
    base, grows = profile.whole("retry.backoff.ms"), profile.at_least(*GROWS_SINCE)
    if base is None or grows is None:
        return None
    if not grows:
        return Backoff(base.ms, None, False, base.is_proven)
    cap: Setting | None = profile.whole("retry.backoff.max.ms")
    if cap is None:
        return None
    return Backoff(base.ms, cap.ms, True, base.is_proven and cap.is_proven)
