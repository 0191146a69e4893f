"""Members that the coordinator took out of a group, and by which of its timers (KIP-62).

Mirrors GroupCoordinator.onExpireHeartbeat and onCompleteJoin: a member goes when its session times out, or
when it did not join a rebalance in time. Internal: evictions are judged, and stored nowhere.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode, episode_id
from transforms.timers.groups.broker_lines import Removal
from transforms.timers.groups.clock_pairs import Offset
from transforms.timers.groups.group_rebalances import Limits, Rebalance
from transforms.timers.groups.membership import Membership, Proof

MACHINE = "evictions"
EVICTING = frozenset({"session", "rebalance", "sync"})
APART_MS = 1_000  # before a removal: what a coordinator says later may be a part of it


@dataclass(slots=True, kw_only=True)
class Eviction(Episode):
    """A removal that the member had not asked for; `untold` where only the member says so. Instants are
    the broker's clock, but for those named `member_*`.

    member_answered: the member's last request that is known to have reached the broker, when it left the
    member.
    member_heard_last: the answer to its last request at all, where the log shows each of them and each was answered.
    member_surely_heard: when the last request left that was accepted, whatever came after it.
    offset: broker clock minus the member's clock.
    coordinator_awake: its last line on the group a second or more before: what stands still says nothing, and all it is
    late with when it goes on.
    broker_unit: whose log tells of it.
    """

    eviction_id: str
    group_id: str | None
    member_id: str
    cause: str
    evicted: Proof
    membership: Membership | None = None
    member_answered: Proof | None = None
    member_heard_last: Proof | None = None
    member_surely_heard: int | None = None
    offset: Offset | None = None
    rebalance: Rebalance | None = None
    limits: Limits | None = None
    clock_stepped: bool = False
    coordinator_awake: Proof | None = None
    broker_unit: str

    @property
    def timed_by(self) -> tuple[str, ...]:
        """The member's clock and the broker's."""
        return self.unit_id, self.broker_unit


def eviction(
    removal: Removal,
    group_id: str,
    broker_unit: str,
    membership: Membership | None,
    offset: Offset | None,
    rebalance: Rebalance | None,
    limits: Limits | None,
) -> Eviction:
    """Put together what both sides say of one removal."""
    of = membership
    went_on = of is not None and (of.learned is not None or of.rejoined is not None)
    is_complete = of is not None and of.sees_heartbeats and of.sees_requests and went_on
    is_complete = is_complete and of is not None and not of.log_has_hole
    is_complete = is_complete and of is not None and not _is_unanswered(of, removal.proof.at, offset)
    return Eviction(
        unit_id=broker_unit if of is None else of.unit_id,
        incarnation=0 if of is None else of.incarnation,
        client_id=None if of is None else of.client_id,
        service=None if of is None else of.service,
        instance=None if of is None else of.instance,
        profile=None if of is None else of.profile,
        event_ids=[removal.proof.event_id],
        eviction_id=episode_id(broker_unit, MACHINE, f"{removal.proof.event_id}/{removal.member_id}"),
        group_id=group_id,
        member_id=removal.member_id,
        cause=removal.cause,
        evicted=removal.proof,
        membership=of,
        member_answered=None if of is None else of.last_answered,
        member_heard_last=_heard_last(of, removal.proof.at, offset)
        if of is not None and is_complete
        else None,
        member_surely_heard=None if of is None else _surely_heard(of, removal.proof.at, offset),
        offset=offset,
        rebalance=rebalance,
        limits=limits,
        clock_stepped=of is not None and of.clock_stepped,
        broker_unit=broker_unit,
    )


def note_awake(found: Sequence[Eviction], lines: Iterable[ClientEvent]) -> None:
    """Tell of each removal when its coordinator had last spoken. lines: the coordinator's, on this group."""
    if not found:
        return  # as of most groups
    said = sorted(
        (Proof(line.happened_at, line.event_id) for line in lines if line.happened_at is not None),
        key=lambda proof: proof.at,
    )
    for one in found:
        before = bisect_right(said, one.evicted.at - APART_MS, key=lambda proof: proof.at)
        one.coordinator_awake = said[before - 1] if before else None


def _is_unanswered(member: Membership, removed_at: int, offset: Offset | None) -> bool:
    """Whether the coordinator may have heard a request, before it removed the member, of which no answer tells."""
    return any(_left_before(sent_at, removed_at, offset) for sent_at in member.unanswered.values())


def _heard_last(member: Membership, removed_at: int, offset: Offset | None) -> Proof | None:
    """The last answer to a request that may have left before the removal: those to later ones set no session timer."""
    before = [one.answered for one in member.answers if _left_before(one.sent_at, removed_at, offset)]
    return max(before, key=lambda answered: answered.at, default=None)


def _surely_heard(member: Membership, removed_at: int, offset: Offset | None) -> int | None:
    """When the last request left that was accepted before the removal."""
    if offset is None:
        return None
    before = (
        one for one in member.answers if one.is_accepted and one.answered.at + offset.high <= removed_at
    )
    return max((one.sent_at for one in before), default=None)


def _left_before(sent_at: int, removed_at: int, offset: Offset | None) -> bool:
    return offset is None or sent_at + offset.low <= removed_at
