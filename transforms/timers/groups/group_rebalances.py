"""Rebuilds the rebalances of one group: from the coordinator's lines where they are, else from the members' own.

The coordinator's rebalance lasts from `Preparing to rebalance` to `Stabilized` (the join phase, which the
rebalance timeout bounds). A member's lasts from the line that makes it rejoin to its SyncGroup's answer.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode, GroupRebalance, episode_id
from transforms.timers.groups.broker_lines import removals_of, trigger_of
from transforms.timers.groups.clock_pairs import Offset
from transforms.timers.groups.membership import Membership, Proof, Round
from transforms.timers.profile import Setting
from transforms.whole import whole_number

MACHINE = "group_rebalances"
Generations = dict[int, list[tuple[Membership, Round]]]


@dataclass(slots=True)
class Limits:
    """The rebalance timeouts of the members that took part, as far as they are proven.

    largest: of the members known; is_complete: those are all members. own: the removed member's, where one
    was.
    at_start: the largest of those who were surely members when it began, and so set its limit.
    """

    largest: Setting | None = None
    is_complete: bool = False
    at_start: Setting | None = None
    own: Setting | None = None


@dataclass(slots=True, kw_only=True)
class Rebalance(Episode):
    """A coordinator's rebalance with what rules need beside the stored row. Internal: only judged.

    said: what the coordinator said of the group meanwhile: a process that stands still says nothing, and all it is late with
    when it goes on.
    clock_stepped: the lines of members and coordinator fit no one difference of their clocks.
    """

    rebalance_id: str
    row: GroupRebalance
    started: Proof | None = None
    ended: Proof | None = None
    said: list[Proof] = field(default_factory=list)
    old_generation: int | None = None
    old_members: int | None = None
    new_members: int | None = None
    limits: Limits = field(default_factory=Limits)
    clock_stepped: bool = False


def broker_rebalances(group_id: str, events: Iterable[ClientEvent]) -> list[Rebalance]:
    """The rebalances that one coordinator logged, in order. Between two prepares without an end the first was overtaken."""
    done: list[Rebalance] = []
    current: Rebalance | None = None
    members: int | None = None
    incarnation: int | None = None
    for event in events:
        if incarnation is not None and event.incarnation != incarnation:
            _close(done, current, "unknown")
            current = members = None
        incarnation = event.incarnation
        if current is not None and event.happened_at is not None:
            current.said.append(Proof(event.happened_at, event.event_id))
        if event.message_id == "broker-prepare-rebalance":
            _close(done, current, "overtaken")
            current = _prepared(group_id, event, members)
        elif event.message_id in ("broker-stabilized", "broker-group-empty"):
            text = event.details.get("members", "")
            members = (
                whole_number(text)
                if text.isdecimal()
                else (0 if event.message_id == "broker-group-empty" else None)
            )
            if current is not None:
                is_next = current.old_generation is None or event.generation == current.old_generation + 1
                if is_next:
                    _stabilized(current, event, members)
                _close(done, current, "completed" if is_next else "unknown")
                current = None
        elif current is not None and any(True for _ in removals_of(event)):
            current.row.event_ids.append(event.event_id)
    _close(done, current, "open")
    return done


def _close(done: list[Rebalance], current: Rebalance | None, outcome: str) -> None:
    if current is not None:
        current.row.outcome = outcome
        done.append(current)


def _prepared(group_id: str, event: ClientEvent, members: int | None) -> Rebalance:
    trigger = trigger_of(event)
    row = GroupRebalance(
        unit_id=event.unit_id,
        incarnation=event.incarnation,
        service=event.service,
        instance=event.instance,
        event_ids=[event.event_id],
        rebalance_id=episode_id(event.unit_id, MACHINE, event.event_id),
        group_id=group_id,
        generation=None if event.generation is None else event.generation + 1,
        started_at=event.happened_at,
        trigger=trigger.name,
        triggered_by=trigger.member_id,
    )
    return Rebalance(
        unit_id=row.unit_id,
        incarnation=row.incarnation,
        service=row.service,
        instance=row.instance,
        rebalance_id=row.rebalance_id,
        row=row,
        started=None if event.happened_at is None else Proof(event.happened_at, event.event_id),
        old_generation=event.generation,
        old_members=members,
    )


def _stabilized(current: Rebalance, event: ClientEvent, members: int | None) -> None:
    current.row.ended_at = event.happened_at
    current.row.event_ids.append(event.event_id)
    current.new_members = members
    if event.generation is not None:
        current.row.generation = event.generation
    if event.happened_at is not None:
        current.ended = Proof(event.happened_at, event.event_id)


def by_generation(memberships: Iterable[Membership]) -> Generations:
    """Who was a member in each generation, with what it saw of it."""
    generations: Generations = {}
    for member in memberships:
        for one in member.rounds:
            generations.setdefault(one.generation, []).append((member, one))
    return generations


def limits_of(rebalance: Rebalance, generations: Generations) -> Limits:
    """The largest proven max.poll.interval.ms of those who took part, and whether they are all who did."""
    old = [member for member, _ in generations.get(rebalance.old_generation or 0, ())]
    new = [member for member, _ in generations.get(rebalance.row.generation or 0, ())]
    present = list({member.membership_id: member for member in old + new}.values())
    proven = _timeouts(present)
    gone = rebalance.row.triggered_by if rebalance.row.trigger in ("left", "member_failed") else None
    came = [member for member in new if member.session.member_id == rebalance.row.triggered_by]
    there = [member for member in old + came if member.session.member_id != gone]
    is_counted = rebalance.new_members == len(new) and (
        not rebalance.old_generation or rebalance.old_members == len(old)
    )
    is_complete = bool(present) and is_counted and len(proven) == len(present)
    at_start = max(_timeouts(there), key=_by_ms, default=None)
    return Limits(max(proven, key=_by_ms, default=None), is_complete, at_start)


def _timeouts(members: Iterable[Membership]) -> list[Setting]:
    return [limit for limit in map(rebalance_timeout, members) if limit is not None]


def _by_ms(limit: Setting) -> int:
    return limit.ms


def rebalance_timeout(member: Membership) -> Setting | None:
    """What the member's JoinGroup says as its rebalance timeout, where that is proven."""
    limit = member.profile.whole("max.poll.interval.ms") if member.profile is not None else None
    return limit if limit is not None and limit.is_proven else None


def slowest_member(rebalance: Rebalance, generations: Generations, offsets: dict[str, Offset]) -> str | None:
    """The member whose JoinGroup came last; None unless all of them are seen and one is surely the last.

    offsets: broker clock minus the unit's clock; two units' clocks are compared by way of the broker's only.
    """
    asked: list[tuple[int, int, str]] = []
    for member, one in generations.get(rebalance.row.generation or 0, ()):
        offset = offsets.get(member.unit_id)
        if one.asked is None or member.session.member_id is None or offset is None:
            return None
        low, high = one.asked.at + offset.low, one.asked.at + offset.high
        asked.append((low, high, member.session.member_id))
    if not asked or len(asked) != rebalance.new_members:
        return None
    last = max(asked)
    is_surely_last = all(other is last or other[1] < last[0] for other in asked)
    return last[2] if is_surely_last else None


def member_rebalances(
    memberships: Iterable[Membership], group_id: str, cluster_of: dict[str, str]
) -> Iterator[GroupRebalance]:
    """Without the coordinator's lines: one rebalance a generation, as its leader saw it, else the first
    unit by name.

    cluster_of: the units that belong together, by unit; a group id alone makes no group.
    """
    seen: dict[tuple[str, int], list[tuple[bool, str, Membership, int]]] = {}
    for member in memberships:
        for number, one in enumerate(member.rounds):
            if member.is_static and number == 0 and not one.is_leader:
                continue  # a static member that returns takes its place in a generation that stands
            key = (cluster_of.get(member.unit_id, member.unit_id), one.generation)
            seen.setdefault(key, []).append((not one.is_leader, member.unit_id, member, number))
    for (_, generation), tellers in sorted(seen.items(), key=lambda item: item[0]):
        _, unit_id, member, number = min(tellers, key=lambda teller: teller[:2])
        one = member.rounds[number]
        first = one.asked_first or one.joined
        proofs = [first.event_id] if first is one.joined else [first.event_id, one.joined.event_id]
        yield GroupRebalance(
            unit_id=unit_id,
            incarnation=member.incarnation,
            service=member.service,
            instance=member.instance,
            event_ids=proofs,
            rebalance_id=episode_id(unit_id, MACHINE, f"{one.joined.event_id}"),
            group_id=group_id,
            generation=generation,
            started_at=None if one.asked_first is None else one.asked_first.at,
            ended_at=one.synced_at or one.joined.at,
            trigger="unknown",
            outcome="completed",
        )
