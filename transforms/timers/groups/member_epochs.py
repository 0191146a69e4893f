"""The epochs that a member of KIP-848, 1071 or 932 went through, by its own lines. Internal: judged, and not stored.

Mirrors AbstractMembershipManager: the epoch is the coordinator's answer's; 0 while joining, -1 and -2 while leaving.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode, episode_id, whose
from transforms.timers.profile import ClientProfile

MACHINE = "member_epochs"
MEMBERS_KEPT = 1024
TRANSITION = "c848-transition"
# It begins anew from here on: what it is told next need not be later.
BEGINS_ANEW = frozenset({"JOINING", "FENCED", "STALE", "LEAVING", "PREPARE_LEAVING", "UNSUBSCRIBED", "FATAL"})
TELLS_OF_END = frozenset({"c848-fenced", "c848-heartbeat-fenced", "c848-stale", "c848-leaving", "c848-fatal"})


@dataclass(slots=True, kw_only=True)
class EpochStep(Episode):
    """A member's epoch, and the one that its line before named, within one membership."""

    step_id: str
    member_id: str
    epoch: int
    before: int
    happened_at: int | None


@dataclass(slots=True)
class MemberEpochs:
    """Machine: gives each step as it is told."""

    known: dict[str, tuple[int, str]] = field(default_factory=dict)

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """The step that this line shows."""
        member, epoch = event.member_id, event.generation
        if not event.message_id.startswith("c848-") or member is None:
            return ()
        if event.message_id in TELLS_OF_END:
            self.known.pop(member, None)
        if event.message_id != TRANSITION or epoch is None:
            return ()
        into, out_of = event.details.get("state_to", ""), event.details.get("state_from", "")
        before = self.known.pop(member, None)
        if epoch <= 0 or into in BEGINS_ANEW:
            return ()
        make_room(self.known, MEMBERS_KEPT)
        self.known[member] = epoch, event.event_id
        if before is None or before[0] == epoch or out_of in BEGINS_ANEW:
            return ()
        return [
            EpochStep(
                **whose(event),
                event_ids=[before[1], event.event_id],
                profile=profile,
                step_id=episode_id(event.unit_id, MACHINE, event.event_id),
                member_id=member,
                epoch=epoch,
                before=before[0],
                happened_at=event.happened_at,
            )
        ]

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """Nothing is open."""
        return ()
