"""Consumers that were subscribed until they were closed, and found no coordinator meanwhile.

Java's classic consumer says at INFO that it found its coordinator, and at DEBUG alone why it does not. One that leaves its
group as it is closed says so by the same logger: that the first line is not there, is no matter of a level.

Source: AbstractCoordinator: FindCoordinatorResponseHandler.onSuccess; maybeLeaveGroup, resetStateOnResponseError.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.clients.troubles import TroubleLines, named_by
from transforms.timers.episodes import Episode, episode_id, whose
from transforms.timers.profile import ClientProfile

MACHINE = "never_joined"
SUBSCRIBED, LEFT = "consumer-subscribed", "generation-reset"
READS = frozenset({SUBSCRIBED, LEFT, "coordinator_found", "joined"})
LEAVING = "pro-actively leaving"
# A coordinator that is there is found within a second of the first poll(); who closes so soon may not have polled.
LEAST_MS = 10_000
MOST_KEPT = 512

Whose = tuple[int, str | None]


@dataclass(slots=True)
class NeverJoined:
    """Machine: events of one process -> TroubleLines of a consumer that was closed and had been no member at any time.

    subscribed: where it was, first; None once it found its coordinator.
    """

    subscribed: dict[Whose, ClientEvent | None] = field(default_factory=dict)

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """The lines of a subscription that this event ends in vain."""
        if READS.isdisjoint((event.kind, event.message_id)):
            return ()
        key = (event.incarnation, event.client_id)
        if event.message_id != LEFT:
            is_first = event.message_id == SUBSCRIBED and "topics" in event.details and event.group_id
            if key not in self.subscribed:
                make_room(self.subscribed, MOST_KEPT)
            if not is_first:
                self.subscribed[key] = None
            else:
                self.subscribed.setdefault(key, event if _is_begun(profile) else None)
            return ()
        began = self.subscribed.get(key)
        if began is None or began.happened_at is None or event.happened_at is None:
            return ()
        if LEAVING not in event.details.get("reason", ""):
            return ()
        waited_ms = event.happened_at - began.happened_at
        return (_lines(began, event, profile, waited_ms),) if waited_ms >= LEAST_MS else ()

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """Nothing: what is subscribed yet may find it."""
        return ()


def _is_begun(profile: ClientProfile) -> bool:
    """Whether the log holds the client's beginning: before it, it may have found its coordinator."""
    group = profile.setting("group.id")
    return group is not None and group.is_proven


def _lines(began: ClientEvent, left: ClientEvent, profile: ClientProfile, waited_ms: int) -> TroubleLines:
    return TroubleLines(
        trouble_id=episode_id(began.unit_id, MACHINE, began.event_id),
        **whose(began),
        event_ids=[began.event_id, left.event_id],
        profile=profile,
        message_id=SUBSCRIBED,
        kind=began.kind,
        level=began.level,
        group_id=began.group_id,
        first=named_by(began),
        count=1,
        first_at=began.happened_at,
        last_at=left.happened_at,
        worst_ms=waited_ms,
    )
