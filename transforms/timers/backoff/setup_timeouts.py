"""How long a connection was given to be set up, where that was too short: the line prints it. Internal: not stored.

Source: Kafka clients, NetworkClient.handleTimedOutConnections; ClusterConnectionStates.connectionSetupTimeoutMs.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode, whose
from transforms.timers.profile import ClientProfile

TIMED_OUT = "net-setup-timeout"


@dataclass(slots=True, kw_only=True)
class SetupTimeout(Episode):
    """One of them. drawn_ms: what the connection was given."""

    setup_id: str
    happened_at: int | None
    node_id: int | None
    drawn_ms: int


class SetupTimeouts:
    """Machine: gives each as it is told."""

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """The timeout that this line prints."""
        if event.message_id != TIMED_OUT or event.limit_ms is None:
            return ()
        return [
            SetupTimeout(
                **whose(event),
                event_ids=[event.event_id],
                profile=profile,
                setup_id=event.event_id,
                happened_at=event.happened_at,
                node_id=event.node_id,
                drawn_ms=event.limit_ms,
            )
        ]

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """Nothing is kept."""
        return ()
