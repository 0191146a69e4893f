"""A group coordinator: members join, are synced, beat, leave, and are removed when one of their timers fires.

Written from KIP-62 (session and rebalance timeout), KIP-134 (initial delay), KIP-345 (static members), KIP-394 (member
id first) and GroupCoordinator: a rebalance waits for the largest rebalance timeout of its members, a session ends
session.timeout.ms after the last request of its member, and a member that waits in a JoinGroup has no session timer.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from uuid import UUID

from lab.simulate.line import Line, Text
from lab.simulate.loop import Loop

METADATA = "org.apache.kafka.coordinator.group.GroupMetadataManager"
OLD = "kafka.coordinator.group.GroupCoordinator"
SLOW, KILL, STATIC = "p62-slow-poll-42", "p62-kill9-session-42", "p62-static-member-42"
OLDER = "no recording of such a broker; text of the reference table, from the older GroupCoordinator"
INITIAL_DELAY_MS = 3_000  # group.initial.rebalance.delay.ms

TEXTS = {
    "created": Text(
        "{me}Dynamic member with unknown member id joins group {group} in {state} state. Created a new member id {member} "
        + "and requesting the member to rejoin with this id.",
        METADATA,
        recorded=SLOW,
    ),
    "adding": Text(
        "{me}Pending dynamic member with id {member} joins group {group} in {state} state. Adding to the group now.",
        METADATA,
        recorded=SLOW,
    ),
    "static": Text(
        "{me}Static member with groupInstanceId={instance} and unknown member id joins group {group} in {state} state. "
        + "Created a new member id {member} for this member and added to the group.",
        METADATA,
        recorded=STATIC,
    ),
    "replacing": Text(
        "{me}Static member with groupInstanceId={instance} and unknown member id joins group {group} in {state} state. "
        + "Replacing previously mapped member {member} with this groupInstanceId.",
        METADATA,
        recorded=STATIC,
    ),
    "prepare": Text(
        "{me}Preparing to rebalance group {group} in state PreparingRebalance with old generation {generation} "
        + "(reason: {reason}).",
        METADATA,
        recorded=SLOW,
    ),
    "prepare_old": Text(
        "{me}Preparing to rebalance group {group} in state PreparingRebalance with old generation {generation} "
        + "(__consumer_offsets-0) (reason: {reason})",
        OLD,
        because=OLDER,
    ),
    "stable": Text(
        "{me}Stabilized group {group} generation {generation} with {members} members.",
        METADATA,
        recorded=SLOW,
    ),
    "stable_old": Text(
        "{me}Stabilized group {group} generation {generation} (__consumer_offsets-0) with {members} members",
        OLD,
        because=OLDER,
    ),
    "assigned": Text(
        "{me}Assignment received from leader {member} for group {group} for generation {generation}. "
        + "The group has {members} members, {statics} of which are static.",
        METADATA,
        recorded=SLOW,
    ),
    "empty": Text("{me}Group {group} with generation {generation} is now empty.", METADATA, recorded=SLOW),
    "empty_old": Text(
        "{me}Group {group} with generation {generation} is now empty (__consumer_offsets-0)",
        OLD,
        because=OLDER,
    ),
    "left": Text(
        "{me}[Group {group}] Member {member} has left group through explicit `LeaveGroup` request; "
        + "client reason: {reason}",
        METADATA,
        recorded=SLOW,
    ),
    "left_old": Text(
        "{me}Member MemberMetadata(memberId={member}, groupInstanceId=None, clientId={client}, clientHost=/10.0.0.7, "
        + "sessionTimeoutMs={session}, rebalanceTimeoutMs={poll}, supportedProtocols=List(range)) has left group {group} "
        + "through explicit `LeaveGroup`; client reason: {reason}",
        OLD,
        because=OLDER,
    ),
    "failed": Text(
        "{me}Member {member} in group {group} has failed, removing it from the group.",
        METADATA,
        recorded=KILL,
    ),
    "failed_old": Text(
        "{me}Member {member} in group {group} has failed, removing it from the group", OLD, because=OLDER
    ),
    "not_joined": Text(
        "{me}Group {group} removed dynamic members who haven't joined: {members}",
        METADATA,
        because="in no recording; text of the reference table, from GroupMetadataManager.completeClassicGroupJoin",
    ),
    "not_joined_old": Text(
        "{me}Group {group} removed dynamic members who haven't joined: {members}", OLD, because=OLDER
    ),
    "fences": Text(
        "{me}Request memberId={member} for static member with groupInstanceId={instance} is fenced by existing "
        + "memberId={other} during operation {operation}",
        "org.apache.kafka.coordinator.group.classic.ClassicGroup",
        recorded=STATIC,
    ),
}

Answer = Callable[..., None]


@dataclass
class Joined:
    """A member as the coordinator knows it; `waits`: the answer its JoinGroup waits for."""

    member: str
    client: str
    session_ms: int
    rebalance_ms: int
    instance: str | None = None
    heard_at: int = 0
    timer: int = 0
    waits: Answer | None = None
    syncs: Answer | None = None


@dataclass
class Faults:
    """What this coordinator does wrong; none of it by default. Factors are of its timers.

    times_out_commit: the n-th commit is answered REQUEST_TIMED_OUT, which is no fault: a slow append.
    """

    session: float = 1.0
    rebalance: float = 1.0
    own_limit_for: str | None = None
    fences: str | None = None
    takes_strangers_commits: bool = False
    times_out_commit: int = 0


@dataclass
class Coordinator:
    """One group. clock_ms: how far this broker's clock is ahead of the true time. is_new: GroupMetadataManager (4.x)."""

    loop: Loop
    group: str
    rng: Random
    is_new: bool = True
    clock_ms: int = 0
    faults: Faults = field(default_factory=Faults)
    partitions: int = 4
    lines: list[Line] = field(default_factory=list)
    members: dict[str, Joined] = field(default_factory=dict)
    pending: set[str] = field(default_factory=set)
    removed: list[tuple[str, str, int]] = field(default_factory=list)
    rebalances: list[tuple[int, int, int]] = field(default_factory=list)
    state: str = "Empty"
    generation: int = 0
    round: int = 0
    began_at: int = 0
    is_held: bool = False
    commits: int = 0
    fenced: dict[str, Joined] = field(default_factory=dict)

    def say(self, key: str, **fields: object) -> None:
        key = f"{key}_old" if not self.is_new and f"{key}_old" in TEXTS else key
        text = TEXTS[key]
        me = (
            "[GroupCoordinator id=1 topic=__consumer_offsets partition=0] "
            if self.is_new
            else "[GroupCoordinator 1]: "
        )
        logger = OLD if not self.is_new else text.logger
        at = self.loop.now + self.clock_ms
        self.lines.append(
            text.line(at, "group-coordinator-1", logger=logger, me=me, group=self.group, **fields)
        )

    def new_id(self, name: str) -> str:
        return f"{name}-{UUID(int=self.rng.getrandbits(128), version=4)}"

    # Requests; answers are (error, ...) -----------------------------------------------------------------------

    def join(self, who: Joined, needs_id: bool, reason: str, answer: Answer) -> None:
        """needs_id: the client's JoinGroup knows MEMBER_ID_REQUIRED (KIP-394). Answers (error, member id, ...)."""
        if who.instance is None and not who.member and needs_id:
            member = self.new_id(who.client)
            self.pending.add(member)
            self.say("created", member=member, state=self.state)
            answer("MEMBER_ID_REQUIRED", member, -1, "", ())
            return
        if who.member and who.member not in self.members and who.member not in self.pending:
            answer("UNKNOWN_MEMBER_ID", "", -1, "", ())
            return
        known = self.members.get(who.member)
        if known is None:
            self._add(who, reason, answer)
        else:
            known.waits, known.heard_at = answer, self.loop.now
            if self.state in ("Stable", "CompletingRebalance"):
                self._prepare(
                    f"leader {who.member} re-joining group during {self.state}; client reason: {reason}"
                )
            self._maybe_complete()

    def _add(self, who: Joined, reason: str, answer: Answer) -> None:
        if who.instance is not None:
            old = next((m for m in self.members.values() if m.instance == who.instance), None)
            who.member = self.new_id(who.instance)
            if old is not None:
                self._replace(old, who, answer)
                return
            self.say("static", member=who.member, instance=who.instance, state=self.state)
        elif who.member:
            self.pending.discard(who.member)
            self.say("adding", member=who.member, state=self.state)
        else:
            who.member = self.new_id(who.client)
        who.waits, who.heard_at = answer, self.loop.now
        is_first = not self.members
        self.members[who.member] = who
        if self.state != "PreparingRebalance":
            self._prepare(
                f"Adding new member {who.member} with group instance id {who.instance or 'null'}; client reason: {reason}"
            )
            if is_first:
                self.is_held = True
                self.loop.after(INITIAL_DELAY_MS, self._released, self.round)
        self._maybe_complete()

    def _replace(self, old: Joined, who: Joined, answer: Answer) -> None:
        """KIP-345: a static member that restarts takes its place, in a stable group without a rebalance."""
        self.say("replacing", member=old.member, instance=who.instance, state=self.state)
        del self.members[old.member]
        self.fenced[old.member] = who
        self.removed.append((old.member, "fenced", self.loop.now))
        self.members[who.member] = who
        self._heard(who)
        if self.state == "Stable":
            answer("NONE", who.member, self.generation, next(iter(self.members)), tuple(self.members))
            return
        who.waits = answer
        if self.state == "CompletingRebalance":
            self._prepare(f"Updating metadata for static member {who.member} with instance id {who.instance}")
        self._maybe_complete()

    def sync(self, member: str, is_leader: bool, answer: Answer) -> None:
        known = self.members.get(member)
        if known is None:
            answer("UNKNOWN_MEMBER_ID", ())
            return
        if self.state == "PreparingRebalance":
            answer("REBALANCE_IN_PROGRESS", ())
            return
        known.syncs = answer
        self._heard(known)
        if is_leader and self.state == "CompletingRebalance":
            statics = sum(m.instance is not None for m in self.members.values())
            self.say(
                "assigned",
                member=member,
                generation=self.generation,
                members=len(self.members),
                statics=statics,
            )
            self.state = "Stable"
        if self.state == "Stable":
            for number, one in enumerate(self.members.values()):
                if one.syncs is not None:
                    one.syncs("NONE", self.share(number))
                    one.syncs = None

    def share(self, number: int) -> tuple[int, ...]:
        """RangeAssignor, by the order of members."""
        return tuple(p for p in range(self.partitions) if p * len(self.members) // self.partitions == number)

    def heartbeat(self, member: str, answer: Answer) -> None:
        known = self.members.get(member)
        if known is not None and self.faults.fences == known.instance and known.instance is not None:
            other = self.new_id(known.instance)
            self.say("fences", member=member, instance=known.instance, other=other, operation="heartbeat")
            answer("FENCED_INSTANCE_ID")
        elif known is None:
            answer(self._no_member(member, "heartbeat"))
        else:
            self._heard(known)
            answer("REBALANCE_IN_PROGRESS" if self.state == "PreparingRebalance" else "NONE")

    def commit(self, member: str, generation: int, answer: Answer) -> None:
        known = self.members.get(member)
        self.commits += 1
        if self.commits == self.faults.times_out_commit:
            answer("REQUEST_TIMED_OUT")
        elif known is None:
            answer(
                "NONE"
                if self.faults.takes_strangers_commits
                else self._no_member(member, "txn-offset-commit")
            )
        elif generation != self.generation:
            answer("ILLEGAL_GENERATION")
        elif self.state == "CompletingRebalance":
            answer("REBALANCE_IN_PROGRESS")
        else:
            self._heard(known)
            answer("NONE")

    def _no_member(self, member: str, operation: str) -> str:
        """A static member whose place was taken is fenced, as long as the other one is there."""
        other = self.fenced.get(member)
        if other is None or other.member not in self.members:
            return "UNKNOWN_MEMBER_ID"
        self.say("fences", member=member, instance=other.instance, other=other.member, operation=operation)
        return "FENCED_INSTANCE_ID"

    def leave(self, member: str, reason: str, answer: Answer) -> None:
        known = self.members.pop(member, None)
        answer("NONE" if known is not None else "UNKNOWN_MEMBER_ID")
        if known is None:
            return
        self.removed.append((member, "left", self.loop.now))
        fields = {"client": known.client, "session": known.session_ms, "poll": known.rebalance_ms}
        self.say("left", member=member, reason=reason, **fields)
        self._gone(f"explicit `LeaveGroup` request for ({member}) members.")

    # Timers ---------------------------------------------------------------------------------------------------

    def _heard(self, known: Joined) -> None:
        """Each request of a member sets its session timer anew."""
        known.heard_at, known.timer = self.loop.now, known.timer + 1
        self.loop.after(int(known.session_ms * self.faults.session), self._session_over, known, known.timer)

    def _session_over(self, known: Joined, timer: int) -> None:
        if known.timer != timer or self.members.get(known.member) is not known or known.waits is not None:
            return
        del self.members[known.member]
        self.removed.append((known.member, "session_expired", self.loop.now))
        self.say("failed", member=known.member)
        self._gone(f"removing member {known.member} on heartbeat expiration.")

    def _gone(self, reason: str) -> None:
        if self.state in ("Stable", "CompletingRebalance"):
            self._prepare(reason)
        self._maybe_complete()

    def _prepare(self, reason: str) -> None:
        self.state, self.round, self.began_at = "PreparingRebalance", self.round + 1, self.loop.now
        self.say("prepare", generation=self.generation, reason=reason)
        limit = max((one.rebalance_ms for one in self.members.values()), default=0)
        for one in self.members.values():
            if self.faults.own_limit_for == one.client:
                limit = one.rebalance_ms
            syncs, one.syncs = one.syncs, None
            if syncs is not None:
                syncs("REBALANCE_IN_PROGRESS", ())
        self.loop.after(int(limit * self.faults.rebalance), self._rebalance_over, self.round)

    def _released(self, number: int) -> None:
        self.is_held = False
        self._maybe_complete()

    def _rebalance_over(self, number: int) -> None:
        """Whoever has not joined by now is no member any more."""
        if number != self.round or self.state != "PreparingRebalance":
            return
        late = [one for one in self.members.values() if one.waits is None]
        for one in late:
            del self.members[one.member]
            self.removed.append((one.member, "rebalance_expired", self.loop.now))
        if late:
            names = ", ".join(one.member for one in late)
            self.say("not_joined", members=f"[{names}]" if self.is_new else f"Set({names})")
        self._complete()

    def _maybe_complete(self) -> None:
        has_all = all(one.waits is not None for one in self.members.values())
        if self.state == "PreparingRebalance" and not self.is_held and has_all:
            self._complete()

    def _complete(self) -> None:
        self.generation += 1
        self.rebalances.append((self.generation, self.began_at, self.loop.now))
        if not self.members:
            self.state = "Empty"
            self.say("empty", generation=self.generation)
            return
        self.state = "CompletingRebalance"
        self.say("stable", generation=self.generation, members=len(self.members))
        leader = next(iter(self.members))
        for one in list(self.members.values()):
            waits, one.waits = one.waits, None
            self._heard(one)
            if waits is not None:
                waits("NONE", one.member, self.generation, leader, tuple(self.members))
