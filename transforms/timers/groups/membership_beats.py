"""Heartbeats and requests of one membership, as the client's DEBUG lines show them.

Mirrors Heartbeat (one timer a beat, one for the session, one for polls) and NetworkClient's in-flight requests.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.parse.events.refine import HEARTBEATS_848
from transforms.timers.groups.membership import Answer, Membership, Proof, Silence
from transforms.timers.groups.membership_lines import is_of_848
from transforms.timers.profile import ClientProfile
from transforms.when_used import when_used

KEPT_REQUESTS = 64  # requests of one member on their way at once; a client has a handful
KEPT_ANSWERS = 8  # a member that wakes sends few requests before it learns that it is none
STANDSTILL = 2  # in heartbeat intervals: a silence that is taken for a standstill of the process
HEARTBEAT_INTERVAL_848 = when_used(r"heartbeatIntervalMs=(\d{1,9})")
# A commit keeps none where the group is being moved to KIP-848 (OffsetMetadataManager.commitOffset), a SyncGroup that comes
# after the leader's none in 4.0's coordinator (GroupMetadataManager.classicGroupSyncToClassicGroup, STABLE).
MAY_KEEP_NO_SESSION = frozenset({"OFFSET_COMMIT", "SYNC_GROUP"})
MEMBER_REQUESTS = frozenset(
    {"HEARTBEAT", "JOIN_GROUP", "SYNC_GROUP", "OFFSET_COMMIT", "CONSUMER_GROUP_HEARTBEAT"}
)


@dataclass(slots=True)
class Silent:
    """A time in which the client wrote nothing."""

    until: int
    ms: int


@dataclass(slots=True)
class ConsumerState:
    """What is remembered of one consumer between its lines. `last`: ended, waits to see whether the client came back.

    answered_id: the member id that a JoinGroup was answered with, for lines of a join that name none.
    """

    open: Membership | None = None
    last: Membership | None = None
    incarnation: int = 0
    coordinator_known: bool = True
    join_asked_first: Proof | None = None
    join_asked: Proof | None = None
    join_answered: Proof | None = None
    answered_id: str | None = None
    in_rebalance: bool = False
    noticed_at: int | None = None
    seen_at: int | None = None
    beat: Proof | None = None
    beat_answered: bool = True
    told_interval_ms: int | None = None
    quiet_ms: int = 0
    silences: list[Silent] = field(default_factory=list)
    first_fetch_at: int | None = None
    correlation: int | None = None
    pending: dict[int, Proof] = field(default_factory=dict)
    commits: set[int] = field(default_factory=set)
    late_commits: dict[int, str] = field(default_factory=dict)
    late_answer: list[str] | None = None


def forget_requests(state: ConsumerState) -> None:
    """Nothing that was sent before can be told from what comes now."""
    state.pending.clear()
    state.commits.clear()
    state.late_commits.clear()
    state.late_answer = None


def retire(state: ConsumerState) -> Iterator[Membership]:
    """The membership before the open one, about which all is known now; the open one takes its place."""
    if state.last is not None:
        yield state.last
    if state.open is not None and state.in_rebalance:
        state.open.is_notice_open = True
        state.in_rebalance, state.noticed_at = False, None
    state.last, state.open = state.open, None


class Beats:
    """One line against what is remembered of its consumer: heartbeats, requests, and who the member is."""

    def __init__(self, state: ConsumerState, event: ClientEvent, profile: ClientProfile) -> None:
        self.state, self.event, self.profile = state, event, profile
        self.at = event.happened_at
        self.proof = None if self.at is None else Proof(self.at, event.event_id)

    def _learn(self, membership: Membership) -> None:
        session = membership.session
        session.member_id = session.member_id or self.event.member_id
        if self.event.generation is not None and self.event.generation >= 0:
            session.generation = self.event.generation

    def _speaks_848(self) -> bool:
        """Whether the line, or the member's configuration, is of group.protocol=consumer."""
        return is_of_848(self.event) or self.profile.group_protocol == "consumer"

    def _heartbeat_sent(self) -> None:
        state = self.state
        membership = state.open
        if membership is None:
            self._beat_after_end()
            return
        self._learn(membership)
        membership.sees_heartbeats = True
        if self.proof is None:
            return
        self._count_silence(membership)
        membership.last_beat = self.proof
        membership.session.last_heartbeat_at = self.at
        state.beat, state.beat_answered, state.quiet_ms = self.proof, False, 0

    def _beat_after_end(self) -> None:
        last = self.state.last
        # Without a member id (to 2.4) it may be of a membership whose join is not in the log.
        is_of_last = last is not None and self.event.member_id == last.session.member_id is not None
        if last is not None and is_of_last and self.state.join_asked is None:
            last.heartbeat_after_end = last.heartbeat_after_end or self.proof

    def _heartbeat_ok(self) -> None:
        membership = self.state.open
        self.state.beat_answered = True
        if membership is None:
            return
        if membership.is_848:
            membership.sees_heartbeats = True
            membership.session.last_heartbeat_at = self.at
            membership.last_beat = self.proof
            interval = HEARTBEAT_INTERVAL_848.search(self.event.details.get("response", ""))
            self._told_interval(interval[1] if interval else "")
        elif self.state.beat is not None:
            self._answered(membership, self.state.beat, is_accepted=True)
            membership.last_answered = self.state.beat

    def _told_interval(self, text: str) -> None:
        """What the coordinator told; 4.4 prints it when it changes, be it before the member is one."""
        state = self.state
        told = int(text) if text.isdecimal() and len(text) < 10 else state.told_interval_ms
        state.told_interval_ms = told
        membership = state.open
        if membership is not None and told is not None:
            membership.heartbeat_interval_ms = told
            membership.longest_interval_ms = max(told, membership.longest_interval_ms or 0)

    def _beat_848(self, membership: Membership) -> None:
        """A heartbeat of KIP-848 leaves: its request is the only line of it."""
        membership.sees_heartbeats = True
        self._count_silence(membership)
        self.state.beat, self.state.beat_answered, self.state.quiet_ms = self.proof, False, 0

    def _request_sent(self) -> None:
        state, api, correlation = self.state, self.event.api, self.event.correlation_id
        membership = state.open or state.last
        if membership is None or self.proof is None:
            return
        membership.sees_requests = True
        if api == "LEAVE_GROUP":
            membership.left = membership.left or self.proof
        if correlation is not None:
            is_next = state.correlation is not None and correlation == state.correlation + 1
            is_first = state.correlation is None and state.open is not None
            membership.log_has_hole = membership.log_has_hole or not (is_next or is_first)
            state.correlation = correlation
        if api == "FETCH":
            self._fetches()
        if api == "JOIN_GROUP" and state.open is None:
            membership.asked_again = membership.asked_again or self.proof
        if api in HEARTBEATS_848:
            self._asks_848()
        if api not in MEMBER_REQUESTS or correlation is None:
            return
        is_commit = api == "OFFSET_COMMIT"
        has_left = membership.poll_expired is None or bool(membership.left or membership.let_go)
        is_outside = state.open is None and has_left and membership.asked_again is None
        is_late = is_outside and not membership.log_has_hole and not state.commits
        if is_commit and is_late and len(state.late_commits) < KEPT_REQUESTS:
            state.late_commits[correlation] = self.event.event_id
        if state.open is not None and len(membership.unanswered) < KEPT_REQUESTS:
            membership.unanswered[correlation] = self.proof.at
            state.pending[correlation] = self.proof
            if is_commit:
                state.commits.add(correlation)

    def _asks_848(self) -> None:
        """A heartbeat of KIP-848: it keeps a membership, or asks for one. A stale member sends none until it polls."""
        state, last = self.state, self.state.last
        if state.open is not None:
            state.open.session.last_heartbeat_at = self.at
            if state.open.is_848:
                self._beat_848(state.open)
        elif last is not None and last.is_848 and last.next_poll is not None:
            last.asked_again = last.asked_again or self.proof

    def _fetches(self) -> None:
        """Fetches leave from inside poll(), at most one heartbeat interval after it set the poll timer.

        That is the longest wait of its loop (ConsumerCoordinator.timeToNextPoll); a standstill of the process
        may stretch it by a silence. In the loop that joins, callbacks run between: its fetch proves nothing.
        """
        state, at = self.state, self.at
        interval = self.profile.whole("heartbeat.interval.ms")
        if at is None:
            return
        if state.open is not None and not state.open.is_848 and interval is not None and interval.is_proven:
            state.first_fetch_at = at if state.first_fetch_at is None else state.first_fetch_at
            longest_ms = _stretched(state.silences, at, interval.ms)
            earliest = Proof(at - interval.ms - longest_ms, self.event.event_id)
            known = state.open.polled_after
            is_later = known is None or known.at < earliest.at
            if is_later and longest_ms <= STANDSTILL * interval.ms and earliest.at >= state.first_fetch_at:
                state.open.polled_after = earliest
                if state.open.polled_by is not None and state.open.polled_by.at <= earliest.at:
                    state.open.polled_by = None
        last = state.last
        has_polled = state.open is None and last is not None and last.next_poll is not None
        is_idle = last is not None and last.asked_again is None and not last.log_has_hole
        if last is not None and has_polled and is_idle and state.coordinator_known:
            last.worked_without_joining = last.worked_without_joining or self.proof

    def _answered(self, membership: Membership, sent: Proof, *, is_accepted: bool) -> None:
        if self.proof is not None:
            answer = Answer(sent.at, self.proof, is_accepted)
            membership.answers = [*membership.answers[1 - KEPT_ANSWERS :], answer]

    def _request_answered(self) -> None:
        state, correlation = self.state, self.event.correlation_id
        if self.event.api == "JOIN_GROUP":
            state.join_answered = self.proof
        if correlation is None:
            return
        is_accepted = self.event.details.get("response_error") == "0"
        if is_accepted and self.event.api in HEARTBEATS_848:
            state.beat_answered = True
            self._told_interval(self.event.details.get("heartbeat_interval_ms", ""))
        asked = state.pending.pop(correlation, None)
        if state.open is not None and asked is not None:
            state.open.unanswered.pop(correlation, None)
            self._answered(state.open, asked, is_accepted=is_accepted)
            if is_accepted and self.event.api not in MAY_KEEP_NO_SESSION:
                state.open.last_answered = asked
        state.commits.discard(correlation)
        sent = state.late_commits.pop(correlation, None)
        state.late_answer = None if sent is None else [sent, self.event.event_id]

    def _committed(self) -> None:
        """The commit answered last was accepted; one that left after the end, with none under way before it, proves."""
        state = self.state
        if state.open is not None:
            state.open.sees_commits = True
        elif state.last is not None:
            state.last.committed_after_end = True
        if state.late_answer is not None and state.last is not None and state.open is None:
            state.last.commit_after_end = state.last.commit_after_end or [
                *state.late_answer,
                self.event.event_id,
            ]
        state.late_answer = None

    def _coordinator_lost(self) -> None:
        self.state.coordinator_known = False
        self._forget_beat()

    def _coordinator_found(self) -> None:
        self.state.coordinator_known = True
        self._forget_beat()

    def _forget_beat(self) -> None:
        """From here on a heartbeat's absence is measured anew, or not at all until the next one."""
        state = self.state
        state.first_fetch_at = None
        state.beat, state.beat_answered, state.quiet_ms = None, True, 0

    def _count_silence(self, membership: Membership) -> None:
        state = self.state
        if state.beat is None or not state.beat_answered or self.proof is None or not state.coordinator_known:
            return
        awake_ms = self.proof.at - state.beat.at - state.quiet_ms
        silence = Silence(awake_ms, state.beat, self.proof)
        if state.in_rebalance:
            membership.longest_silence_in_rebalance = _longer(
                membership.longest_silence_in_rebalance, silence
            )
        else:
            membership.longest_silence = _longer(membership.longest_silence, silence)

    def _end_notice(self, membership: Membership) -> None:
        """It joins after the notice of a rebalance, or is no member any more."""
        state = self.state
        if state.in_rebalance and (state.noticed_at is None or self.at is None):
            membership.is_notice_open = True
        elif state.in_rebalance and state.noticed_at is not None and self.at is not None:
            membership.noticed_ms = max(membership.noticed_ms or 0, self.at - state.noticed_at)
        state.in_rebalance, state.noticed_at = False, None

    def _stood_still(self, membership: Membership) -> bool:
        """Whether the end came out of a silence in which the heartbeat thread would have spoken."""
        if membership.session_lost is not None:
            return True
        interval = self.profile.whole("heartbeat.interval.ms")
        interval_ms = membership.heartbeat_interval_ms or (None if interval is None else interval.ms)
        if membership.last_beat is None or interval_ms is None or self.at is None:
            return False
        return self.at - membership.last_beat.at > STANDSTILL * interval_ms


def _stretched(silences: list[Silent], at: int, wait_ms: int) -> int:
    """The longest silence that a wait which ended at that instant can have held: each one found lets it reach back."""
    longest_ms = 0
    for silent in reversed(silences):  # the longer, the earlier
        if silent.until <= at - wait_ms - longest_ms:
            break
        longest_ms = max(longest_ms, silent.ms)
    return longest_ms


def _longer(worst: Silence | None, silence: Silence) -> Silence:
    return silence if worst is None or silence.awake_ms > worst.awake_ms else worst
