"""Members that a coordinator fenced from a group of KIP-848, 1071 or 932, all on its own clock. Internal: not stored.

Mirrors GroupMetadataManager.scheduleConsumerGroupSessionTimeout, scheduleConsumerGroupRebalanceTimeout and their twins of
streams and share groups.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode, episode_id
from transforms.timers.groups.membership import Proof
from transforms.timers.profile import ClientProfile
from transforms.when_used import when_used
from transforms.whole import whole_number

MACHINE = "fences"
FENCED, JOINED, STATE, EPOCH = (
    "broker-fenced-848", "broker-member-joined", "broker-member-state", "broker-group-epoch",
)  # fmt: skip
EPOCHS_KEPT = 256
MEMBERS_KEPT = 4096
_STUCK = when_used(r"failed to transition from epoch (?P<epoch>[0-9]{1,9}) within (?P<ms>[0-9]{1,15}) ?ms")


@dataclass(slots=True, kw_only=True)
class Fence(Episode):
    """One of them. cause: `session`, or `rebalance`: it did not give up what another was to have.

    heard: the coordinator's last line that answers the member itself, which set its session's timer anew.
    group_type: consumer, streams or share, where its join is in the log.
    epoch, limit_ms: named by the line (`rebalance` only). next_epoch: the group's first line of the epoch after that one:
    before it the member had nothing to give up.
    """

    fence_id: str
    group_id: str
    member_id: str
    cause: str
    fenced: Proof
    heard: Proof | None = None
    group_type: str | None = None
    epoch: int | None = None
    limit_ms: int | None = None
    next_epoch: Proof | None = None


def fences(group_id: str, lines: Iterable[ClientEvent], profile: ClientProfile | None) -> Iterator[Fence]:
    """The fences that one coordinator's lines of a group tell, in their order. profile: the broker's."""
    epochs: dict[int, Proof] = {}
    heard: dict[str, tuple[Proof, str | None]] = {}
    for event in lines:
        if event.happened_at is None:
            continue
        proof = Proof(event.happened_at, event.event_id)
        if event.message_id == EPOCH and event.generation is not None:
            _keep_epoch(epochs, event.generation, proof)
        elif event.member_id is None:
            continue
        elif event.message_id in (JOINED, STATE):
            _, known = heard.pop(event.member_id, (proof, None))
            make_room(heard, MEMBERS_KEPT)
            heard[event.member_id] = proof, event.details.get("group_type", known)
        elif event.message_id == FENCED:
            last, group_type = heard.pop(event.member_id, (None, None))
            yield _fence(group_id, event, proof, profile, last, group_type, epochs)


def _keep_epoch(epochs: dict[int, Proof], epoch: int, proof: Proof) -> None:
    """The first line of each; a group that is made anew counts from one again."""
    if any(epoch < known for known in epochs):
        epochs.clear()
    if epoch not in epochs:
        make_room(epochs, EPOCHS_KEPT)
        epochs[epoch] = proof


def _fence(
    group_id: str,
    event: ClientEvent,
    fenced: Proof,
    profile: ClientProfile | None,
    heard: Proof | None,
    group_type: str | None,
    epochs: dict[int, Proof],
) -> Fence:
    reason = event.details.get("reason", "")
    stuck = _STUCK.search(reason)
    epoch = None if stuck is None else whole_number(stuck["epoch"])
    return Fence(
        unit_id=event.unit_id,
        incarnation=event.incarnation,
        service=event.service,
        instance=event.instance,
        event_ids=[fenced.event_id],
        profile=profile,
        fence_id=episode_id(event.unit_id, MACHINE, event.event_id),
        group_id=group_id,
        member_id=event.member_id or "",
        cause="rebalance" if stuck else "session" if "session expired" in reason else "unknown",
        fenced=fenced,
        heard=heard,
        group_type=group_type,
        epoch=epoch,
        limit_ms=None if stuck is None else whole_number(stuck["ms"]),
        next_epoch=None if epoch is None else epochs.get(epoch + 1),
    )
