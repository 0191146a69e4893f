"""A consumer of a classic group (KIP-62): a thread that polls and processes, and one that beats.

Written from KIP-62 and AbstractCoordinator (HeartbeatThread.run, Heartbeat's three timers, maybeLeaveGroup,
joinGroupIfNeeded) and ConsumerCoordinator (onJoinPrepare, commits). Poll timer: set by each poll() and by a completed
join. Session timer of the client: set by each answer to a heartbeat. What a version does otherwise stands at its place.
"""

from dataclasses import dataclass, field

from lab.simulate.consumer_texts import ADVICE, CLOSED, EXPIRED, FENCED, TIMED_OUT
from lab.simulate.coordinator import Coordinator, Joined
from lab.simulate.process import start_lines
from lab.simulate.scraper import Gauges, Read
from lab.simulate.truth import Fact
from lab.simulate.wired import MAIN, Wired

BEATS = "kafka-coordinator-heartbeat-thread | {group}"
LEAVES = "consumer pro-actively leaving the group"


@dataclass
class Member(Wired):
    """One consumer in its process. bugs: what this client does wrong, by name; none in a healthy one."""

    coordinator: Coordinator = field(kw_only=True)
    bugs: frozenset[str] = frozenset()
    ended: list[Fact] = field(default_factory=list)
    member: str = ""
    generation: int = -1
    owned: list[str] = field(default_factory=list)
    must_join: bool = True
    is_joining: bool = False
    was_reset: bool = False
    beats: bool = False
    beat_round: int = 0
    beat_under_way: bool = False
    knows_coordinator: bool = True
    polls: int = 0
    polled_at: int = 0
    beat_at: int = 0
    answered_at: int = 0
    joined_at: int = 0
    offset: int = 0
    left_ms: int = 0
    gauges: Gauges = field(default_factory=Gauges)
    started_at: int | None = None

    def __post_init__(self) -> None:
        settings = self.process.values(self.voice.client)
        self.session = int(str(settings["session.timeout.ms"]))
        self.interval = int(str(settings["heartbeat.interval.ms"]))
        self.limit = int(str(settings["max.poll.interval.ms"]))
        self.timeout = int(str(settings["request.timeout.ms"]))
        self.beat_thread = BEATS.format(group=self.voice.client.group_id)
        self.later(self.life.starts, self.start)
        if self.life.dies is not None:
            self.loop.after(self.life.dies, self.die)

    # The application's thread ---------------------------------------------------------------------------------

    def measured(self) -> Read | None:
        """What its MBeans say now; None where there are none."""
        if self.started_at is None or self.is_over:
            return None
        return self.gauges.read(self.voice.client.client_id, self.loop.now, self.started_at)

    def start(self) -> None:
        self.started_at, self.gauges.begun = self.now, self.loop.now
        self.lines += start_lines(self.process, [self.voice.client], self.now)
        self.later(400, self._find)

    def _find(self) -> None:
        self.knows_coordinator = True
        self.say("found")
        self.later(self.wire(), self.poll)

    def poll(self) -> None:
        since = self.loop.now - self.begun
        if self.life.closes is not None and since >= self.life.closes:
            self.close()
            return
        self.polls += 1
        self.polled_at = self.loop.now
        self.gauges.poll(self.loop.now)
        if self.must_join and not ("polls_on" in self.bugs and self.ended):
            self._prepare_join()
            return
        if self.was_reset:
            self._give_away()
            self.was_reset = False
        self._fetch()

    def _fetch(self) -> None:
        correlation, lines = self.voice.request(
            "FETCH", self.now, MAIN, self.timeout, "FetchRequestData(maxWaitMs=500)", self.voice.broker
        )
        self.lines += lines
        self.later(self.wire() + self.voice.rng.randint(5, 450), self._fetched, correlation)

    def _fetched(self, correlation: int) -> None:
        body = "FetchResponseData(throttleTimeMs=0, errorCode=0)"
        self.lines += self.voice.response("FETCH", correlation, self.now, MAIN, body, self.voice.broker)
        self._process(self.life.slow.get(self.polls) or self.voice.rng.randint(*self.life.processing))

    def _process(self, ms: int) -> None:
        """Handle what one poll gave; `ms` are left for it."""
        each = self.life.commits_each
        self.left_ms = 0 if each is None else max(ms - each, 0)
        self.later(ms - self.left_ms, self._commit)

    def _commit(self) -> None:
        """commitSync, after what one poll gave was processed."""
        if self.generation < 0 and "commits_on" not in self.bugs:
            if self.process.at_least(2, 3):
                self.say("not_active")
            self.later(1, self._go_on)
            return
        self.offset += 1
        member = self.member or getattr(self, "former", "")
        body = f"OffsetCommitRequestData(groupId='{self.voice.client.group_id}', memberId='{member}')"
        self.ask(
            "OFFSET_COMMIT", body, self.coordinator.commit, member, self.generation, timeout=self.timeout
        )

    def on_offset_commit(self, error: str) -> None:
        self.gauges.commits += 1
        partition = self.owned[0] if self.owned else "orders-0"
        if error == "NONE":
            self.say("committed", offset=self.offset, partition=partition)
        elif error == "REQUEST_TIMED_OUT" and "resets_on_commit_timeout" not in self.bugs:
            self.say("commit_retried", offset=self.offset, partition=partition)
            self.offset -= 1
            self.later(self.voice.rng.randint(100, 130), self._commit)
            return
        else:
            messages = {
                "UNKNOWN_MEMBER_ID": "The coordinator is not aware of this member.",
                "REBALANCE_IN_PROGRESS": "The group is rebalancing, so a rejoin is needed.",
                "REQUEST_TIMED_OUT": TIMED_OUT,
                "FENCED_INSTANCE_ID": FENCED,
            }
            message = messages.get(error, "Specified group generation id is not valid.")
            self.say("commit_failed", offset=self.offset, partition=partition, message=message)
            if error == "FENCED_INSTANCE_ID":
                return  # the application gives up; the heartbeat thread learns it by itself
            if error in ("UNKNOWN_MEMBER_ID", "REQUEST_TIMED_OUT") and self.member:
                self._reset(f"encountered {error} from OFFSET_COMMIT response", "unknown")
            else:
                self.must_join = True
        self.later(1, self._go_on)

    def _go_on(self) -> None:
        """With the rest of what was polled, or the next poll."""
        if self.left_ms:
            self._process(self.left_ms)
        else:
            self.poll()

    def close(self) -> None:
        if self.generation >= 0:
            self._revoke()
            self._leave(CLOSED, MAIN)
            self._end("closed")
        self.beats = False
        self.later(50, self.die)

    # Joining --------------------------------------------------------------------------------------------------

    def _prepare_join(self) -> None:
        if self.was_reset and self.process.at_least(2, 4):
            self._give_away()
        elif self.owned or not self.process.at_least(2, 4):
            self._revoke()
        self.owned, self.was_reset = [], False
        self._join("" if not self.member else "group is already rebalancing")

    def _give_away(self) -> None:
        key = "gave_away" if self.process.at_least(2, 6) else "gave_away_24"
        self.say(key)
        if self.owned:
            self.say("lost", partitions=self.voice.partitions(self.owned))
        self.owned = []

    def _revoke(self) -> None:
        key = "revoked" if self.process.at_least(2, 4) else "revoking"
        self.say(key, partitions=self.voice.partitions(self.owned))

    def _join(self, reason: str) -> None:
        self.is_joining = True
        # KAFKA-10134: before it no beats while joining.
        self.beats = self.beats and self.process.at_least(2, 6)
        self.say("rejoin")
        client = self.voice.client
        timeout = max(self.timeout, self.limit + 5_000)
        body = (
            f"JoinGroupRequestData(groupId='{client.group_id}', sessionTimeoutMs={self.session}, "
            f"rebalanceTimeoutMs={self.limit}, memberId='{self.member}')"
        )
        if "cuts_join" in self.bugs:
            timeout = self.timeout
        who = Joined(self.member, client.client_id, self.session, self.limit, self.voice.instance)
        told = reason if self.process.at_least(3, 2) else "not provided"
        self.ask(
            "JOIN_GROUP",
            body,
            self.coordinator.join,
            who,
            self.process.at_least(2, 2),
            told or "not provided",
            timeout=timeout,
        )

    def on_join_group(
        self, error: str, member: str, generation: int, leader: str, members: tuple[str, ...]
    ) -> None:
        if error == "MEMBER_ID_REQUIRED":
            self.member = member
            if self.process.at_least(2, 6):
                self.say("id_required", member=member, generation=self.voice.generation(-1, ""))
            reason = f"need to re-join with the given member-id: {member}"
            self._request_join(reason, MAIN)
            self._join(reason)
            return
        if error != "NONE":
            self.member = ""
            self._join("")
            return
        if self.generation < 0:
            self.joined_at = self.now
        self.member, self.generation, self.members = member, generation, members
        name = self.voice.generation(generation, member) if self.process.at_least(2, 6) else generation
        self.say("joined", generation=name)
        self.beats = True
        self.polled_at = self.beat_at = self.answered_at = self.loop.now
        self.beat_under_way = False
        self.must_join, self.is_joining = False, False
        self._next_beat()
        is_leader = leader == member
        if is_leader and self.process.at_least(2, 4):
            shares = ", ".join(
                f"{one}=Assignment(partitions=[{', '.join(self._names(self.coordinator.share(number)))}])"
                for number, one in enumerate(members)
            )
            self.say("assigns", generation=generation, assignments=f"{{{shares}}}")
        body = f"SyncGroupRequestData(groupId='{self.voice.client.group_id}', generationId={generation})"
        self.ask("SYNC_GROUP", body, self.coordinator.sync, member, is_leader, timeout=self.timeout)

    def _names(self, numbers: tuple[int, ...]) -> list[str]:
        return [f"orders-{number}" for number in numbers]

    def on_sync_group(self, error: str, share: tuple[int, ...]) -> None:
        if error != "NONE":
            if error == "UNKNOWN_MEMBER_ID":
                self._reset(f"encountered {error} from SYNC_GROUP response", "unknown")
            self.must_join = True
            self.later(1, self.poll)
            return
        if self.process.at_least(2, 6):
            self.say("synced", generation=self.voice.generation(self.generation, self.member))
        if self.process.at_least(2, 4):
            self.say("completed", generation=self.generation, member=self.member)
        self.gauges.rebalances += 1
        self.owned = self._names(share)
        key = "added" if self.process.at_least(2, 4) else "set"
        self.say(key, partitions=self.voice.partitions(self.owned))
        self.polled_at = self.loop.now
        self.later(1, self.poll)

    # The heartbeat thread -------------------------------------------------------------------------------------

    def _next_beat(self) -> None:
        """Look again when the next of its timers is due, up to a retry backoff late (the thread waits so long)."""
        self.beat_round += 1
        due = [self.beat_at + self.interval, self.answered_at + self.session]
        if not self.is_joining:
            due.append(self.polled_at + self._poll_limit())
        late = self.voice.rng.randint(1, 90)
        self.later(max(min(due) - self.loop.now, 0) + late, self._look, self.beat_round)

    def _poll_limit(self) -> int:
        return self.limit // 2 if "expires_early" in self.bugs else self.limit

    def _look(self, number: int) -> None:
        if number != self.beat_round or not self.beats:
            return
        now = self.loop.now
        if not self.knows_coordinator:
            pass  # it is looked up; neither timer is acted on meanwhile
        elif now - self.answered_at >= self.session:
            self._lose_coordinator("session timed out without receiving a heartbeat response")
        elif not self.is_joining and now - self.polled_at >= self._poll_limit():
            self._poll_expired()
            return
        elif now - self.beat_at >= self.interval * self._stretch() and not self.beat_under_way:
            self._beat()
        self._next_beat()

    def _stretch(self) -> int:
        return 4 if "starves" in self.bugs else 1

    def _beat(self) -> None:
        if self.must_join and "stops_in_rebalance" in self.bugs:
            return
        fields = {"generation": self.generation, "member": self.member} if self.process.at_least(2, 5) else {}
        self.say("beat" if fields else "beat_24", self.beat_thread, **fields)
        self.beat_at, self.beat_under_way = self.loop.now, True
        self.gauges.beat_at = self.loop.now
        body = f"HeartbeatRequestData(groupId='{self.voice.client.group_id}', memberId='{self.member}')"
        more = {"timeout": self.timeout, "thread": self.beat_thread}
        self.ask("HEARTBEAT", body, self.coordinator.heartbeat, self.member, **more)

    def on_heartbeat(self, error: str) -> None:
        self.beat_under_way = False
        self.gauges.answered(self.loop.now)
        if not self.beats and "beats_on" not in self.bugs:
            return
        if error == "NONE":
            self.answered_at = self.loop.now
            self.say("beat_ok", self.beat_thread)
        elif error == "REBALANCE_IN_PROGRESS":
            self.answered_at = self.loop.now
            if self.is_joining:
                self.say("beat_ignored", self.beat_thread)
                return
            if not self.process.at_least(3, 0):
                level = "INFO" if self.process.at_least(2, 0) else "DEBUG"
                self.lines.append(self.voice.say("beat_rebalancing", self.now, self.beat_thread, level=level))
            if not self.must_join:
                self._request_join("group is already rebalancing", self.beat_thread)
            self.must_join = True
        elif self.member:
            instance = f"Optional[{self.voice.instance}]" if self.voice.instance else "Optional.empty"
            generation = self.voice.generation(self.generation, self.member)
            if self.process.at_least(2, 6):
                self.say(
                    "beat_failed", self.beat_thread, generation=generation, instance=instance, error=error
                )
            elif error == "UNKNOWN_MEMBER_ID":
                self.say("beat_failed_25", self.beat_thread, member=self.member)
            is_fenced = error == "FENCED_INSTANCE_ID"
            self._reset(f"encountered {error} from HEARTBEAT response", "fenced" if is_fenced else "unknown")
            if is_fenced:
                self.say("fenced", self.beat_thread, instance=instance)
                self.die()

    def _lose_coordinator(self, cause: str) -> None:
        if self.process.at_least(2, 7):
            self.say("unavailable", self.beat_thread, cause=cause, cut="false")
        else:
            self.say("unavailable_26", self.beat_thread)
        if self.process.at_least(3, 1):
            self.say("disconnecting", self.beat_thread)
        self.knows_coordinator = False
        gone = [one.api for one in self.disconnect()]
        self.answered_at = self.loop.now
        self.later(self.wire() + self.voice.rng.randint(3, 20), self._found_again, gone)

    def _found_again(self, gone: list[str]) -> None:
        """What the application's thread waited for is done once more: a commit again, a join from its beginning."""
        self.knows_coordinator, self.beat_under_way = True, False
        self.say("found", self.beat_thread)
        if "OFFSET_COMMIT" in gone:
            self.offset -= 1
            self.later(1, self._commit)
        elif "JOIN_GROUP" in gone or "SYNC_GROUP" in gone:
            self.must_join = True
            self.later(1, self.poll)
        if self.beats:
            self._beat()

    # Ends -----------------------------------------------------------------------------------------------------

    def _poll_expired(self) -> None:
        """2.1 to 2.3 and from 3.0 a WARN of its own; 2.4 to 2.8 the leave's line alone; before 2.1 nothing at INFO."""
        if self.process.at_least(3, 0):
            self.say("expired", self.beat_thread)
        elif self.process.at_least(2, 1) and not self.process.at_least(2, 4):
            self.say("expired_21", self.beat_thread)
        self.beats = "beats_on" in self.bugs
        if "leaves_late" in self.bugs:
            self.later(7_000, self._leave_expired)
        else:
            self._leave_expired()

    def _leave_expired(self) -> None:
        if self.generation < 0:  # learned meanwhile that it is no member
            return
        self._leave(EXPIRED, self.beat_thread)
        self._end("poll_expired")
        if self.beats:
            self._beat_as_former()

    def _beat_as_former(self) -> None:
        """On and on, until it is a member anew."""
        if self.generation >= 0 or self.is_joining:
            return
        self.member, self.generation = self.former, self.former_generation
        self._beat()
        self.member, self.generation = "", -1
        self.later(self.interval, self._beat_as_former)

    def _leave(self, reason: str, thread: str) -> None:
        """A LeaveGroup of a dynamic member, and the reset that follows in the same call."""
        if self.voice.instance is None and "leaves_silently" not in self.bugs:
            is_long = reason == EXPIRED and not self.process.at_least(3, 0)
            if self.process.at_least(2, 4):
                self.say(
                    "leave", thread, member=self.member, reason=f"{reason} {ADVICE}" if is_long else reason
                )
            elif self.process.at_least(2, 2):
                self.say("leave_22", thread, member=self.member)
            else:
                level = "INFO" if self.process.at_least(2, 1) else "DEBUG"
                self.lines.append(self.voice.say("leave_21", self.now, thread, level=level))
            body = f"LeaveGroupRequestData(groupId='{self.voice.client.group_id}', memberId='{self.member}')"
            told = reason if self.process.at_least(3, 2) else "not provided"
            more = {"timeout": self.timeout, "thread": thread}
            self.ask("LEAVE_GROUP", body, self.coordinator.leave, self.member, told, **more)
        if self.process.at_least(3, 0):
            self.say("reset" if self.process.at_least(3, 2) else "reset_30", thread, reason=LEAVES)
        elif self.process.at_least(2, 4):
            self.say("reset_24", thread)
        if self.process.at_least(3, 0):
            self._request_join(LEAVES, thread)

    def on_leave_group(self, error: str) -> None:
        """Nothing is done with the answer."""

    def _request_join(self, reason: str, thread: str) -> None:
        if self.process.at_least(3, 0):
            self.say("reason", thread, reason=reason)

    def _reset(self, reason: str, outcome: str) -> None:
        """The coordinator knows this member no more."""
        if self.process.at_least(3, 0):
            self.say("reset" if self.process.at_least(3, 2) else "reset_30", self.beat_thread, reason=reason)
            self._request_join(reason, self.beat_thread)
        elif self.process.at_least(2, 4):
            _, error, _, api, _ = reason.split()
            self.say("reset_error_24", self.beat_thread, error=error, api=api)
        self._end(outcome)

    def _end(self, outcome: str) -> None:
        self.ended.append(
            Fact(
                "membership",
                self.member,
                self.joined_at,
                outcome=outcome,
                ended_at=self.now,
                limit_ms=self.limit,
            )
        )
        self.former, self.former_generation = self.member, self.generation
        self.member, self.generation, self.beats = "", -1, self.beats and "beats_on" in self.bugs
        self.must_join, self.was_reset = True, True
