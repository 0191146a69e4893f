"""Folds all events of one group id, of members' and brokers' logs, into sessions, rebalances and evictions.

A group id is no identity: unrelated clusters and times use the same one. What belongs together is found by
member ids, which are unique (client id or instance id, and a UUID): units that name one are of one cluster.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from transforms.events import UNRECOGNIZED, ClientEvent
from transforms.timers.episodes import Episode, LivenessSession, episode_id, forget_negative
from transforms.timers.groups.broker_lines import Removal, removals_of, trigger_of
from transforms.timers.groups.clock_pairs import ClockPairs, Offset
from transforms.timers.groups.evictions import EVICTING, Eviction, eviction, note_awake
from transforms.timers.groups.group_part import GroupPart, Settings
from transforms.timers.groups.group_rebalances import (
    Limits,
    Rebalance,
    broker_rebalances,
    by_generation,
    limits_of,
    member_rebalances,
    rebalance_timeout,
    slowest_member,
)
from transforms.timers.groups.membership import Membership, Proof
from transforms.timers.groups.membership_joins import MACHINE
from transforms.timers.groups.membership_samples import observe
from transforms.timers.groups.transactions import transactions
from transforms.timers.samples.series import NO_SAMPLES, Samples

LOADED = "broker-group-loaded"
LATE_MS = (
    1_000  # by which a session is noticed to be over; a member that is there beats within less of its session
)
UUID_LENGTH = 37  # a dynamic member id is client id, dash, UUID (GroupCoordinator.generateMemberId)
OUTCOME_OF = {
    "session": "session_expired", "rebalance": "rebalance_expired", "sync": "rebalance_expired", "overdue": "poll_expired",
}  # fmt: skip


def no_samples(unit_id: str) -> Samples:
    """Of no unit any."""
    return NO_SAMPLES


def fold_group(
    group_id: str,
    events: Iterable[ClientEvent],
    settings_of_unit: Callable[[str], Settings],
    samples_of_unit: Callable[[str], Samples] = no_samples,
) -> Iterator[Episode]:
    """Give the group's sessions (with their final outcome), rebalances, and the internal episodes that rules judge.

    events: in order (ClientEvent.order), of all units that name this group id. samples_of_unit: of those units.
    """
    parts: dict[str, GroupPart] = defaultdict(GroupPart)
    for event in events:
        if event.message_id != UNRECOGNIZED:
            parts[event.unit_id].step(event, settings_of_unit(event.unit_id))
    yield from group_episodes(group_id, parts, samples_of_unit)


def group_episodes(
    group_id: str,
    parts: Mapping[str, GroupPart],
    samples_of_unit: Callable[[str], Samples] = no_samples,
) -> Iterator[Episode]:
    """What the parts of a group, by unit, tell together. They are used up."""
    units = sorted(parts)
    memberships = [member for unit_id in units for member in parts[unit_id].memberships()]
    _explain_fences(memberships, [line for unit_id in units for line in parts[unit_id].broker])
    for unit_id in units:
        yield from parts[unit_id].steps
        yield from parts[unit_id].told_lines()
        yield from parts[unit_id].fences(group_id)
    yield from transactions({unit_id: part.transactions for unit_id, part in parts.items()})
    if not memberships and not any(parts[unit_id].broker for unit_id in units):
        return  # lines that name the group and tell of no member
    for cluster in _clusters({unit_id: parts[unit_id].named for unit_id in units}):
        told = _Cluster(
            group_id,
            cluster,
            {unit_id: parts[unit_id].broker for unit_id in cluster if parts[unit_id].broker},
            [member for member in memberships if member.unit_id in cluster],
            samples_of_unit,
        )
        for episode in told.episodes():
            forget_negative(episode)
            yield episode


def _clusters(named: Mapping[str, Iterable[str]]) -> list[frozenset[str]]:
    """The units that are joined by member ids. named: the ids that each unit names."""
    parent = {unit: unit for unit in named}

    def root(unit: str) -> str:
        while parent[unit] != unit:
            unit = parent[unit]
        return unit

    first_of: dict[str, str] = {}
    for unit, members in sorted(named.items()):
        for member in members:
            parent[root(unit)] = root(first_of.setdefault(member, unit))
    clusters: dict[str, set[str]] = defaultdict(set)
    for unit in named:
        clusters[root(unit)].add(unit)
    return [frozenset(units) for _, units in sorted(clusters.items())]


def _explain_fences(memberships: list[Membership], broker: Iterable[ClientEvent]) -> None:
    """A fenced static member is explained by another member under its instance id.

    Be it in the log of what looks like another cluster: few lines name static members, and an innocent
    explanation need not be proven.
    """
    by_instance: dict[str, set[str]] = defaultdict(set)
    for member in memberships:
        if member.session.group_instance_id:
            by_instance[member.session.group_instance_id].add(member.membership_id)
    of_static = [event for event in broker if event.message_id.startswith("broker-static")]
    # To 2.5 a member's own lines don't name it at INFO: that its instance's place was taken is told all the same.
    replaced = {
        event.group_instance_id for event in of_static if event.message_id == "broker-static-replaced"
    }
    for member in memberships:
        if member.session.outcome == "fenced":
            instance_id = member.session.group_instance_id or ""
            is_taken = instance_id in replaced or bool(by_instance[instance_id] - {member.membership_id})
            member.fence_is_explained = True if is_taken else False if of_static else None


class _Cluster:
    """One group of one cluster: its members' logs and its coordinators'."""

    def __init__(
        self,
        group_id: str,
        units: Collection[str],
        broker: Mapping[str, list[ClientEvent]],
        memberships: list[Membership],
        samples_of_unit: Callable[[str], Samples],
    ) -> None:
        self.group_id, self.units, self.broker, self.memberships = group_id, units, broker, memberships
        self.samples_of_unit = samples_of_unit
        self.broker_only: list[LivenessSession] = []
        self.generations = by_generation(memberships)
        self.unique_generations: set[int | None] = set()
        self.joins: dict[str, list[str]] = {}
        self.clock_stepped = False
        self.of_member: dict[str, list[Membership]] = defaultdict(list)
        for membership in memberships:
            if membership.session.member_id:
                self.of_member[membership.session.member_id].append(membership)

    def episodes(self) -> Iterator[Episode]:
        rebalances: list[Rebalance] = []
        evictions: list[Episode] = []
        for unit, lines in sorted(self.broker.items()):
            offsets = self._offsets(lines)
            of_broker = broker_rebalances(self.group_id, lines)
            for rebalance in of_broker:
                rebalance.limits = limits_of(rebalance, self.generations)
                rebalance.clock_stepped = self.clock_stepped
                rebalance.row.slowest_member = slowest_member(rebalance, self.generations, offsets)
            removed = list(self._removed(unit, lines, offsets, of_broker))
            note_awake(removed, lines)
            evictions.extend(removed)
            rebalances.extend(of_broker)
        yield from self._sessions()
        yield from evictions
        yield from self._unannounced()
        for rebalance in rebalances:
            yield rebalance.row
            yield rebalance
        if not rebalances:
            cluster = dict.fromkeys(self.units, min(self.units))
            yield from member_rebalances(self.memberships, self.group_id, cluster)

    # Clocks ----------------------------------------------------------------------------------------

    def _offsets(self, lines: list[ClientEvent]) -> dict[str, Offset]:
        """Broker clock minus each member unit's clock."""
        pairs: dict[str, ClockPairs] = defaultdict(ClockPairs)
        stabilized = Counter(event.generation for event in lines if event.message_id == "broker-stabilized")
        self.unique_generations = {generation for generation, times in stabilized.items() if times == 1}
        self.joins = _joins(lines)
        for event in lines:
            if event.happened_at is not None:
                self._pair(event, event.happened_at, pairs)
        self.clock_stepped = any(pair.has_stepped for pair in pairs.values())
        offsets = {unit: pair.offset() for unit, pair in pairs.items()}
        return {unit: offset for unit, offset in offsets.items() if offset is not None}

    def _pair(self, event: ClientEvent, at: int, pairs: Mapping[str, ClockPairs]) -> None:
        """Lines that name the member make pairs; a generation does only where it came once: a group that is
        made anew counts from one again.
        """
        named = self.of_member.get(event.member_id or "", ())
        if event.message_id == "broker-prepare-rebalance":
            trigger = trigger_of(event)
            arriving = trigger.member_id if trigger.name == "joined" else None
            for member in self.of_member.get(arriving or "", ()):
                _asked_before(member, at, pairs)
        elif event.message_id == "broker-stabilized" and event.generation in self.unique_generations:
            for member, one in self.generations.get(event.generation or 0, ()):
                pairs[member.unit_id].broker_first(at, one.joined.at)
        elif event.message_id == "broker-member-joined":
            for member in self._joined_by(event, named):
                _asked_before(member, at, pairs)
                if member.rounds:
                    pairs[member.unit_id].broker_first(at, member.rounds[0].joined.at)
        elif event.message_id == "broker-assignment":
            for member, one in self.generations.get(event.generation or 0, ()):
                if member.session.member_id != event.member_id:
                    continue
                if one.synced_at is not None:
                    pairs[member.unit_id].client_first((one.assigned or one.joined).at, at)
                    pairs[member.unit_id].broker_first(at, one.synced_at)
                elif (
                    one.assigned is not None
                ):  # before 2.6 a join's only line follows the answer to SyncGroup
                    pairs[member.unit_id].client_first(one.assigned.at, at)
        elif event.message_id == "broker-leave":
            for member in named:
                if member.left is not None:
                    pairs[member.unit_id].client_first(member.left.at, at)

    def _joined_by(self, event: ClientEvent, named: Sequence[Membership]) -> Sequence[Membership]:
        """The membership that a join began: of several with one id (KIP-848 keeps it), that of the same place in order."""
        joins = self.joins.get(event.member_id or "", ())
        if len(named) < 2:
            return named
        return [named[joins.index(event.event_id)]] if len(joins) == len(named) else ()

    # The coordinator's word ------------------------------------------------------------------------

    def _removed(
        self,
        broker_unit: str,
        lines: list[ClientEvent],
        offsets: Mapping[str, Offset],
        rebalances: list[Rebalance],
    ) -> Iterator[Eviction]:
        known_since: dict[str, ClientEvent] = {}
        gone: set[str] = set()  # members that were taken out since the last rebalance began
        begun = 0  # a removal and the rebalance it causes may share their millisecond: the lines' order tells
        for event in lines:
            begun += event.message_id == "broker-prepare-rebalance"
            trigger = trigger_of(event) if event.message_id == "broker-prepare-rebalance" else None
            if trigger is not None and trigger.name == "joined" and trigger.member_id:
                known_since.setdefault(trigger.member_id, event)
            if event.message_id == LOADED and event.member_id:
                known_since[event.member_id] = event
            for removal in removals_of(event):
                if trigger is not None and removal.member_id in gone:
                    continue  # its own line told it: this is the rebalance that it causes
                gone.add(removal.member_id)
                membership = self._member(removal, offsets)
                offset = None if membership is None else offsets.get(membership.unit_id)
                if membership is None:
                    started = known_since.pop(removal.member_id, None)
                    self.broker_only.append(
                        _broker_only(self.group_id, event, removal.member_id, started, removal)
                    )
                else:
                    _ended(membership, removal, offset)
                if removal.cause in EVICTING:
                    rebalance = _during(rebalances[begun - 1] if begun else None, removal)
                    limits = None if rebalance is None else _limits(rebalance, membership)
                    yield eviction(removal, self.group_id, broker_unit, membership, offset, rebalance, limits)
            if trigger is not None:
                gone.clear()
        for member_id, event in known_since.items():
            if member_id not in self.of_member:
                self.broker_only.append(_broker_only(self.group_id, event, member_id, event, None))

    def _member(self, removal: Removal, offsets: Mapping[str, Offset]) -> Membership | None:
        """The membership that was removed: of several with this id (KIP-848 keeps it) the last that had begun."""
        found = self.of_member.get(removal.member_id, [])
        begun = [
            member
            for member in found
            if member.started is None
            or member.unit_id not in offsets
            or member.started.at + offsets[member.unit_id].low <= removal.proof.at
        ]
        candidates = begun or found
        return candidates[-1] if candidates else None

    def _unannounced(self) -> Iterator[Episode]:
        """Members that learned that they were removed, where no coordinator's log says when and why."""
        for member in self.memberships:
            session = member.session
            is_unannounced = (
                member.learned is not None and member.evicted is None and session.outcome != "fenced"
            )
            if is_unannounced and member.learned is not None and session.member_id is not None:
                removal = Removal(session.member_id, "untold", member.learned)
                yield eviction(removal, self.group_id, member.unit_id, member, None, None, None)

    def _sessions(self) -> Iterator[Episode]:
        for member in self.memberships:
            observe(member, self.samples_of_unit(member.unit_id))
            yield member.session
            yield member
        yield from self.broker_only


def _joins(lines: Iterable[ClientEvent]) -> dict[str, list[str]]:
    """The coordinator's lines of joins, by member, in order."""
    found: dict[str, list[str]] = defaultdict(list)
    for event in lines:
        if event.message_id == "broker-member-joined" and event.member_id:
            found[event.member_id].append(event.event_id)
    return found


def _asked_before(member: Membership, at: int, pairs: Mapping[str, ClockPairs]) -> None:
    if member.rounds and member.rounds[0].asked_first is not None:
        pairs[member.unit_id].client_first(member.rounds[0].asked_first.at, at)


def _during(rebalance: Rebalance | None, removal: Removal) -> Rebalance | None:
    """The rebalance that began last before the removal, if it was still under way."""
    if rebalance is None or rebalance.started is None:
        return None
    is_over = rebalance.ended is not None and rebalance.ended.at < removal.proof.at
    return None if is_over else rebalance


def _limits(rebalance: Rebalance, membership: Membership | None) -> Limits:
    own = None if membership is None else rebalance_timeout(membership)
    return replace(rebalance.limits, own=own)


def _ended(membership: Membership, removal: Removal, offset: Offset | None) -> None:
    """Let the coordinator say how the membership ended, where the member itself did not end it before."""
    session = membership.session
    session.event_ids.append(removal.proof.event_id)
    if removal.cause in ("left", "overdue"):
        if session.outcome == "open":
            session.outcome = OUTCOME_OF.get(removal.cause, "closed")
            session.ended_at = _on_members_clock(membership, removal.proof, offset)
        return
    if removal.cause == "replaced":
        # Its restart took its place (KIP-345), unless it asks again: then it is told that it is fenced, and says so.
        membership.fence_is_explained = True
        if session.outcome in ("open", "unknown"):
            session.outcome, session.ended_at = "closed", _on_members_clock(membership, removal.proof, offset)
        return
    membership.evicted = removal.proof
    if session.outcome == "fenced" or _had_expired_before(membership, removal, offset):
        return
    learned = membership.learned
    if learned is not None and offset is not None and learned.at + offset.high < removal.proof.at:
        return  # another coordinator did not know it: it went silent for that
    if session.outcome == "closed" and not _was_removed_before(session, removal, offset):
        return  # Streams, and static members, close without a leave: they are removed later on
    session.outcome = OUTCOME_OF[removal.cause]
    session.ended_at = _on_members_clock(membership, removal.proof, offset)
    beat, answered = session.last_heartbeat_at, membership.last_answered
    if beat is not None and session.ended_at is not None and beat > session.ended_at:
        # It beat on, a member no more; the last beat of this membership is the last that was answered.
        session.last_heartbeat_at = None if answered is None else answered.at
    if membership.poll_expired is not None:
        session.last_poll_at = session.max_poll_gap_ms = (
            None  # it woke from a standstill: its poll timer tells nothing
        )


def _had_expired_before(membership: Membership, removal: Removal, offset: Offset | None) -> bool:
    """Whether the poll expiry came first: a member that stops its heartbeats, and can't leave, is removed later on.

    A LeaveGroup that was sent in time would have left nothing to remove.
    """
    if membership.session.outcome != "poll_expired" or membership.poll_expired is None:
        return False
    if offset is not None and membership.poll_expired.at + offset.high < removal.proof.at:
        return True
    if offset is not None and membership.poll_expired.at + offset.low > removal.proof.at:
        return False
    return membership.left is None


def _was_removed_before(session: LivenessSession, removal: Removal, offset: Offset | None) -> bool:
    """Whether the coordinator had removed the member when that closed itself: it stood still, and closed on waking."""
    if offset is None or session.joined_at is None or session.ended_at is None:
        return False
    return session.joined_at + offset.low <= removal.proof.at < session.ended_at + offset.low


def _on_members_clock(membership: Membership, proof: Proof, offset: Offset | None) -> int | None:
    """The coordinator's instant on the member's clock, within what the member itself saw; its own instant
    without an offset.
    """
    session = membership.session
    learned, since = session.ended_at, session.joined_at
    if offset is None:
        if learned is not None or (since is not None and proof.at < since):
            return learned
        at = proof.at
    else:
        at = proof.at - offset.likeliest
        if membership.rounds:
            at = max(at, membership.rounds[-1].joined.at)
    # Over at the latest when its client was a member again.
    return min(one for one in (at, learned, session.rejoined_at) if one is not None)


def _broker_only(
    group_id: str, event: ClientEvent, member_id: str, started: ClientEvent | None, removal: Removal | None
) -> LivenessSession:
    """A member whose own log is not there: known by the coordinator's lines alone, in its unit and by its clock."""
    first = started or event
    is_loaded = started is not None and started.message_id == LOADED
    is_dynamic = started is not None and (
        started.group_instance_id is None if is_loaded else trigger_of(started).is_dynamic
    )
    outcome = "open" if removal is None else OUTCOME_OF.get(removal.cause, "closed")
    return LivenessSession(
        unit_id=event.unit_id,
        incarnation=event.incarnation,
        client_id=member_id[:-UUID_LENGTH] if is_dynamic and len(member_id) > UUID_LENGTH else None,
        service=event.service,
        instance=event.instance,
        event_ids=list(dict.fromkeys([first.event_id, event.event_id])),
        session_id=episode_id(event.unit_id, MACHINE, f"{first.event_id}/{member_id}"),
        group_id=group_id,
        member_id=member_id,
        joined_at=None if started is None or is_loaded else started.happened_at,
        session_timeout_ms=started.limit_ms if started is not None and is_loaded else None,
        was_loaded=is_loaded and _was_never_heard(started, removal),
        ended_at=None if removal is None else removal.proof.at,
        outcome=outcome,
    )


def _was_never_heard(loaded: ClientEvent | None, removal: Removal | None) -> bool:
    """Whether a member that was loaded went as the first session that its coordinator gave it was over: no beat had come."""
    if loaded is None or removal is None or loaded.happened_at is None or loaded.limit_ms is None:
        return False
    waited_ms = removal.proof.at - loaded.happened_at
    return removal.cause == "session" and 0 <= waited_ms <= loaded.limit_ms + LATE_MS
