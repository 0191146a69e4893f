"""Waits that a member of KIP-848 drew before it sends a failed heartbeat again: its line prints them. Internal: not stored.

Source: Kafka clients, AbstractHeartbeatRequestManager.onErrorResponse, onFailure; RequestState.onFailedAttempt.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode, whose
from transforms.timers.profile import ClientProfile
from transforms.whole import whole_number

RETRIED = "c848-heartbeat-retriable"


@dataclass(slots=True, kw_only=True)
class HeartbeatWait(Episode):
    """One of them. drawn_ms: what the client is to wait."""

    wait_id: str
    happened_at: int | None
    drawn_ms: int


class HeartbeatWaits:
    """Machine: gives each as it is told."""

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """The wait that this line prints."""
        drawn = event.details.get("backoff_ms", "") if event.message_id == RETRIED else ""
        if not drawn.isdecimal():
            return ()
        return [
            HeartbeatWait(
                **whose(event),
                event_ids=[event.event_id],
                profile=profile,
                wait_id=event.event_id,
                happened_at=event.happened_at,
                drawn_ms=whole_number(drawn),
            )
        ]

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """Nothing is kept."""
        return ()
