"""A consumer of a KIP-848 group (group.protocol=consumer): the same poll limit, left by a heartbeat with epoch -1.

Written from KIP-848 and AbstractMembershipManager (transitionToSendingLeaveGroup, transitionToStale,
maybeRejoinStaleMember) and AbstractHeartbeatRequestManager.poll. The heartbeat interval and the session timeout are the
broker's. Transitions are at INFO from 3.9 on, at TRACE before.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID

from lab.simulate.consumer_texts import ADVICE, INTERNALS, INVOKER, Voice
from lab.simulate.line import Line, Text, shown
from lab.simulate.loop import Loop
from lab.simulate.process import Client, Process, start_lines
from lab.simulate.truth import Fact, Truth
from lab.simulate.wired import NOON

MANAGER = f"{INTERNALS}ConsumerMembershipManager"
HEARTBEATS = f"{INTERNALS}ConsumerHeartbeatRequestManager"
# Both classes' names before 4.0.
NAMES_39 = {MANAGER: f"{INTERNALS}MembershipManagerImpl", HEARTBEATS: f"{INTERNALS}HeartbeatRequestManager"}
NONE = "no recording has a KIP-848 group; text of the reference table, from "
VERSIONS = ("3.9.1", "4.0.1", "4.1.1", "4.2.1")
MAIN, BACKGROUND = "main", "consumer_background_thread"
HEARTBEAT = "CONSUMER_GROUP_HEARTBEAT"

TEXTS = {
    "found": Text(
        "{me}Discovered group coordinator {node}",
        f"{INTERNALS}CoordinatorRequestManager",
        because=NONE + "that class",
    ),
    "transition": Text(
        "{me}Member {member} with epoch {epoch} transitioned from {old} to {new}.",
        MANAGER,
        because=NONE + "AbstractMembershipManager",
    ),
    "reconcile": Text(
        "{me}Reconciling assignment with local epoch {epoch}\n\tMember:                                    {member}\n"
        + "\tAssigned partitions:                       {partitions}\n"
        + "\tCurrent owned partitions:                  []\n"
        + "\tAdded partitions (assigned - owned):       {partitions}\n"
        + "\tRevoked partitions (owned - assigned):     []\n",
        MANAGER,
        because=NONE + "AbstractMembershipManager",
    ),
    "added": Text("{me}Adding newly assigned partitions: {partitions}", INVOKER, recorded="p62-slow-poll-42"),
    "lost": Text(
        "{me}Lost previously assigned partitions {partitions}", INVOKER, recorded="p62-slow-poll-42"
    ),
    "beat_ok": Text(
        "{me}ConsumerGroupHeartbeatRequest responded successfully: ConsumerGroupHeartbeatResponseData(throttleTimeMs=0, "
        + "errorCode=0, errorMessage=null, memberId='{member}', memberEpoch={epoch}, heartbeatIntervalMs={interval}, "
        + "assignment=null)",
        HEARTBEATS,
        "DEBUG",
        because=NONE + "AbstractHeartbeatRequestManager",
    ),
    "expired": Text(
        "{me}Consumer poll timeout has expired. " + ADVICE,
        HEARTBEATS,
        "WARN",
        because=NONE + "AbstractHeartbeatRequestManager",
    ),
    "stale": Text(
        "{me}Member {member} with epoch {epoch} generated the heartbeat to leave due to expired poll timer. It will "
        + "remain stale (no heartbeat) until it rejoins the group on the next consumer poll.",
        MANAGER,
        "DEBUG",
        because=NONE + "AbstractMembershipManager",
    ),
    "exceeded": Text(
        "{me}Time between subsequent calls to poll() was longer than the configured max.poll.interval.ms, exceeded "
        + "approximately by {ms} ms. Member {member} will rejoin the group now.",
        HEARTBEATS,
        "WARN",
        because=NONE + "AbstractHeartbeatRequestManager.resetPollTimer",
    ),
    "unstale": Text(
        "{me}Expired poll timer has been reset so stale member {member} will rejoin the group when it completes "
        + "releasing its previous assignment.",
        MANAGER,
        "DEBUG",
        because=NONE + "AbstractMembershipManager",
    ),
}


@dataclass
class Consumer848:
    """One member; slow: the ms of processing after its n-th poll. bugs: what it does wrong."""

    process: Process
    rng: Random
    slow: dict[int, int]
    limit: int = 30_000
    interval: int = 5_000
    bugs: frozenset[str] = frozenset()
    lines: list[Line] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    state: str = "UNSUBSCRIBED"
    epoch: int = 0
    polls: int = 0
    polled_at: int = 0
    joined_at: int = 0
    round: int = 0
    has_expired: bool = False
    beats: int = 0

    def __post_init__(self) -> None:
        settings = {"group.protocol": "consumer", "max.poll.interval.ms": self.limit}
        self.client = Client("consumer", "consumer-848", "orders-next", settings)
        self.voice = Voice(self.process, self.client, self.rng)
        self.loop = Loop(NOON)
        self.member = str(UUID(int=self.rng.getrandbits(128), version=4))
        self.partitions = self.voice.partitions(["orders-0", "orders-1"])
        self.loop.after(0, self.start)

    def say(self, key: str, thread: str = BACKGROUND, **fields: object) -> None:
        text = TEXTS[key]
        if not self.process.writes(str(fields.get("level") or text.level)):
            return
        logger = text.logger if self.process.at_least(4, 0) else NAMES_39.get(text.logger, text.logger)
        me = {"me": self.voice.me, "node": self.voice.node, "member": self.member, "epoch": self.epoch}
        more = {"partitions": self.partitions, "interval": self.interval}
        self.lines.append(text.line(self.loop.now, thread, logger=logger, **{**me, **more, **fields}))

    def after(self, ms: int, act: Callable[..., None], *args: Any) -> None:
        self.loop.after(ms, act, *args)

    def goes(self, state: str) -> None:
        self.say("transition", old=self.state, new=state)
        self.state = state

    def start(self) -> None:
        self.lines += start_lines(self.process, [self.client], self.loop.now)
        self.after(300, self.say, "found")
        self.after(305, self._join)
        self.after(301, self.poll)

    # The application's thread ---------------------------------------------------------------------------------

    def poll(self) -> None:
        late = self.loop.now - self.polled_at - self.limit
        self.polls += 1
        self.polled_at = self.loop.now
        if self.has_expired and late > 0:
            self.say("exceeded", MAIN, ms=late)
            self.has_expired = False
            if "never_rejoins" not in self.bugs:
                if self.state == "STALE":
                    self.say("unstale", MAIN)
                    self.say("lost", MAIN)
                self.after(1, self._join)
        self._asks("FETCH", 30_000, "FetchRequestData(maxWaitMs=500)", "FetchResponseData(errorCode=0)", 1)
        ms = self.slow.get(self.polls) or self.rng.randint(500, 2_500)
        self.after(ms, self.poll)

    # The background thread ------------------------------------------------------------------------------------

    def _asks(self, api: str, timeout: int, body: str, answer: str, node: int | None = None) -> None:
        correlation, lines = self.voice.request(api, self.loop.now, BACKGROUND, timeout, body, node)
        self.lines += lines
        self.after(self.rng.randint(1, 4), self._answered, api, correlation, answer, node)

    def _answered(self, api: str, correlation: int, answer: str, node: int | None) -> None:
        self.lines += self.voice.response(api, correlation, self.loop.now, BACKGROUND, answer, node)
        if api == HEARTBEAT:
            self.say("beat_ok")

    def _join(self) -> None:
        self.epoch = 0
        self.goes("JOINING")
        self.after(self.rng.randint(2, 6), self._joined)

    def _joined(self) -> None:
        self.epoch = 1 if not self.facts else 2 * len(self.facts) + 1
        self.joined_at = self.loop.now
        self.say("beat_ok")
        self.goes("RECONCILING")
        self.say("reconcile")
        self.say("added", MAIN)
        self.goes("ACKNOWLEDGING")
        self.goes("STABLE")
        self.round += 1
        self.after(self.interval, self._beat, self.round)
        self.after(1, self._watch, self.round)

    def _beat(self, number: int) -> None:
        if number == self.round and self.state == "STABLE":
            self.beats += 1
            self._asks(
                HEARTBEAT, 30_000, "ConsumerGroupHeartbeatRequestData()", "HeartbeatResponse(errorCode=0)"
            )
            if "goes_back" in self.bugs and self.beats in (18, 20):
                self.epoch += 3 if self.beats == 18 else -2
                self.goes("RECONCILING")
                self.goes("STABLE")
            forgotten = self.rng.randint(3, 8) if "starves" in self.bugs and self.beats == 5 else 0
            self.after(self.interval * (1 + forgotten) + self.rng.randint(0, 5), self._beat, number)

    def _watch(self, number: int) -> None:
        """The background thread looks at the poll timer each time that it runs: at each heartbeat at the latest."""
        due = self.polled_at + self.limit * (2 if "expires_late" in self.bugs else 1)
        if number != self.round or self.state != "STABLE":
            return
        if self.loop.now < due:
            self.after(due - self.loop.now + self.rng.randint(0, 300), self._watch, number)
            return
        self.say("expired")
        self.has_expired = True
        self.facts.append(
            Fact("membership", self.member, self.joined_at, outcome="poll_expired", ended_at=self.loop.now)
        )
        if "never_leaves" in self.bugs:
            return
        self.goes("LEAVING")
        self.epoch = -1
        self.say("stale")
        self.goes("STALE")


def _member(
    rng: Random, process: Process, slow: dict[int, int], *bugs: str, duration_ms: int = 240_000
) -> Consumer848:
    limit = rng.choice((20_000, 30_000, 45_000))
    slow = {poll: limit + ms for poll, ms in slow.items()}
    one = Consumer848(process, rng, slow, limit, rng.choice((3_000, 5_000)), frozenset(bugs))
    one.loop.run(NOON + duration_ms)
    return one


def _told(one: Consumer848, *violated: str) -> tuple[list[Line], Truth]:
    facts = list(one.facts)
    if one.state == "STABLE":
        facts.append(Fact("membership", one.member, one.joined_at, outcome="open"))
    return shown(one.lines, one.process.level), Truth(facts, set(violated))


def healthy(rng: Random, process: Process, duration_ms: int = 240_000) -> tuple[list[Line], Truth]:
    """Polls often."""
    return _told(_member(rng, process, {}, duration_ms=duration_ms))


def faulty(rng: Random, process: Process) -> tuple[list[Line], Truth]:
    """Too slow now and then: leaves, goes stale, and joins again with its next poll."""
    slow = {rng.randint(5, 15): rng.randint(500, 20_000), rng.randint(16, 30): rng.randint(500, 20_000)}
    return _told(_member(rng, process, slow))


def _defect(
    rule_id: str, bug: str, levels: tuple[str, ...], slow_ms: int = 70_000
) -> Callable[[Random], tuple[list[Line], Truth]]:
    def plant(rng: Random) -> tuple[list[Line], Truth]:
        process = Process("orders", "consumer-848.log", rng.choice(VERSIONS), level=rng.choice(levels))
        return _told(_member(rng, process, {8: slow_ms} if slow_ms else {}, bug), rule_id)

    return plant


DEFECTS = {
    "kip848.left_late": _defect("kip848.left_late", "expires_late", ("DEBUG",)),
    "kip848.not_left": _defect("kip848.not_left", "never_leaves", ("INFO", "DEBUG")),
    "kip848.not_rejoined": _defect("kip848.not_rejoined", "never_rejoins", ("DEBUG",)),
    "kip848.heartbeat_starved": _defect("kip848.heartbeat_starved", "starves", ("DEBUG",), 0),
    "kip848.epoch_went_back": _defect("kip848.epoch_went_back", "goes_back", ("DEBUG",), 0),
}
