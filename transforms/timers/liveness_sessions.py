"""Rebuilds the memberships of one process's consumers from their own lines (KIP-62, KIP-848).

Mirrors AbstractCoordinator (joinGroupIfNeeded, HeartbeatThread.run, maybeLeaveGroup,
resetStateAndGeneration) and, for KIP-848, AbstractMembershipManager's transitions. A membership lasts from
its join to its end through any number of generations; the JoinGroup that is answered MEMBER_ID_REQUIRED is
part of the join that follows it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode, LivenessSession, episode_id
from transforms.timers.membership import Membership, Proof, Round, Silence
from transforms.timers.membership_lines import POLL_EXPIRY_REASON, REBALANCING, Word, said, word_of
from transforms.timers.profile import ClientProfile

MACHINE = "liveness_sessions"
CLOCK_STEP_MS = 1_000  # DESIGN 2.1: a step back of more than a second is a clock step
KEPT_REQUESTS = 64  # requests of one member on their way at once; a client has a handful
MEMBER_STATES_848 = frozenset({"RECONCILING", "ACKNOWLEDGING", "STABLE"})
MEMBER_REQUESTS = frozenset(
    {"HEARTBEAT", "JOIN_GROUP", "SYNC_GROUP", "OFFSET_COMMIT", "CONSUMER_GROUP_HEARTBEAT"}
)


@dataclass(slots=True)
class ConsumerState:
    """What is remembered of one consumer between its lines. `last`: ended, waits to see whether the client
    came back.
    """

    open: Membership | None = None
    last: Membership | None = None
    incarnation: int = 0
    coordinator_known: bool = True
    join_asked_first: Proof | None = None
    join_asked: Proof | None = None
    in_rebalance: bool = False
    seen_at: int | None = None
    beat: Proof | None = None
    beat_answered: bool = True
    quiet_ms: int = 0
    pending: dict[int, Proof] = field(default_factory=dict)
    late_commits: dict[int, str] = field(default_factory=dict)


class LivenessSessions:
    """The machine: gives a membership when its client is a member again, or at the end of the data."""

    def __init__(self) -> None:
        self.consumers: dict[tuple[str, str], ConsumerState] = {}

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Take one line of a consumer that has a group; lines of others change nothing."""
        if event.client_kind == "broker" or not event.group_id or not event.client_id:
            return ()
        word = word_of(event)
        state = self.consumers.setdefault((event.client_id, event.group_id), ConsumerState())
        done = list(_new_process(state, event))
        _watch_clock(state, event)
        if word is not None:
            done.extend(_Step(state, event, profile).take(word))
        if event.happened_at is not None:
            state.seen_at = event.happened_at
        return done

    def finish(self, data_clock: int | None) -> Iterator[Episode]:
        """All that is still open, as it stands: the end of the data ends no membership."""
        for state in self.consumers.values():
            for membership in (state.last, state.open):
                if membership is not None:
                    yield membership
        self.consumers.clear()


def _new_process(state: ConsumerState, event: ClientEvent) -> Iterator[Membership]:
    """A restarted process is no member: what became of the old membership its own log can't say."""
    if event.incarnation == state.incarnation:
        return
    state.incarnation = event.incarnation
    if state.open is not None:
        state.open.session.outcome = "unknown"
        yield from _retire(state)
    state.coordinator_known, state.beat = True, None
    state.join_asked_first, state.join_asked = None, None
    state.pending.clear()
    state.late_commits.clear()


def _retire(state: ConsumerState) -> Iterator[Membership]:
    if state.last is not None:
        yield state.last
    state.last, state.open = state.open, None


def _watch_clock(state: ConsumerState, event: ClientEvent) -> None:
    at = event.happened_at
    if at is None or event.ordered_at is None:
        return
    stepped = event.ordered_at - at > CLOCK_STEP_MS
    for membership in (state.open, state.last):
        if membership is not None and stepped:
            membership.clock_stepped = True
    if state.seen_at is not None:
        state.quiet_ms = max(state.quiet_ms, at - state.seen_at)


class _Step:
    """One line against one consumer's state."""

    def __init__(self, state: ConsumerState, event: ClientEvent, profile: ClientProfile) -> None:
        self.state, self.event, self.profile = state, event, profile
        self.at = event.happened_at
        self.proof = None if self.at is None else Proof(self.at, event.event_id)

    def take(self, word: Word) -> Iterable[Membership]:
        handler = getattr(self, f"_{word.value}", None)
        return (handler() if handler is not None else None) or ()

    # Joining ---------------------------------------------------------------------------------------

    def _join_sent(self) -> None:
        state = self.state
        if state.last is not None and state.open is None:
            state.last.asked_again = state.last.asked_again or self.proof
            self._polled(state.last)
        state.join_asked_first = state.join_asked_first or self.proof
        state.join_asked = self.proof
        state.in_rebalance = False
        self._forget_beat()

    def _must_rejoin(self) -> None:
        if REBALANCING in said(self.event):
            self.state.in_rebalance = True

    def _joined(self) -> Iterable[Membership]:
        event, state = self.event, self.state
        done = list(self._end_other_member())
        if state.open is None:
            done.extend(self._begin())
        membership = state.open
        assert membership is not None
        self._learn(membership)
        if self.proof is not None:
            # The heartbeat thread is enabled here, which sets the poll timer anew (Heartbeat.resetTimeouts).
            membership.polled_after = self.proof
            membership.last_answered = state.join_asked or membership.last_answered
            if event.generation is not None:
                membership.rounds.append(
                    Round(event.generation, self.proof, state.join_asked_first, state.join_asked)
                )
        state.join_asked_first, state.join_asked, state.in_rebalance = None, None, False
        state.coordinator_known = True
        self._forget_beat()
        return done

    def _synced(self) -> Iterable[Membership]:
        membership = self.state.open
        if membership is None or not self._is_same(membership):
            return self._joined()
        self._learn(membership)
        if membership.rounds and self.at is not None:
            membership.rounds[-1].synced_at = self.at
            membership.last_answered = membership.rounds[
                -1
            ].joined  # SyncGroup left after it, and was answered
        self._forget_beat()
        return ()

    def _assigned(self) -> Iterable[Membership]:
        """Partitions are given to members only: without a join line (a log that begins late) it is the
        first sign of one.
        """
        if self.state.open is None and self.state.last is None:
            return self._begin(is_start_known=False)
        return ()

    def _leads(self) -> None:
        membership = self.state.open
        if membership is not None and membership.rounds:
            membership.rounds[-1].is_leader = True
            membership.rounds[-1].assigned = self.proof

    def _member_known(self) -> None:
        if self.state.open is not None:
            self._learn(self.state.open)

    def _begin(self, *, is_start_known: bool = True) -> Iterable[Membership]:
        event, state, profile = self.event, self.state, self.profile
        session_id = episode_id(event.unit_id, MACHINE, event.event_id)
        instance_id = event.group_instance_id or profile.group_instance_id
        poll = profile.whole("max.poll.interval.ms")
        timeout = profile.whole("session.timeout.ms")
        is_848 = event.message_id.startswith("c848-")
        session = LivenessSession(
            unit_id=event.unit_id,
            incarnation=event.incarnation,
            client_id=event.client_id,
            service=event.service,
            instance=event.instance,
            profile=profile,
            session_id=session_id,
            group_id=event.group_id,
            group_instance_id=instance_id,
            joined_at=self.at if is_start_known else None,
            # Under KIP-848 the session timeout is the broker's: the client's setting has no effect.
            session_timeout_ms=None if is_848 or timeout is None else timeout.ms,
            max_poll_interval_ms=None if poll is None else poll.ms,
        )
        done = list(_retire(state)) if state.last is not None else []
        if done and is_start_known:
            done[0].session.rejoined_at = self.at
            done[0].rejoined = self.proof
            done[0].session.event_ids.append(event.event_id)
        state.open = Membership(
            unit_id=event.unit_id,
            incarnation=event.incarnation,
            client_id=event.client_id,
            service=event.service,
            instance=event.instance,
            profile=profile,
            event_ids=session.event_ids,
            membership_id=session_id,
            session=session,
            is_848=is_848,
            is_static=instance_id is not None,
            started=self.proof if is_start_known else None,
        )
        state.open.session.event_ids.append(event.event_id)
        state.quiet_ms = 0
        state.late_commits.clear()
        state.pending.clear()
        self._learn(state.open)
        return done

    def _is_same(self, membership: Membership) -> bool:
        known = membership.session.member_id
        return known is None or self.event.member_id is None or known == self.event.member_id

    def _end_other_member(self) -> Iterable[Membership]:
        """Another member id without an end between: the old membership ended, when and why was not logged."""
        membership = self.state.open
        if membership is not None and not self._is_same(membership):
            membership.session.outcome = "unknown"
            return _retire(self.state)
        return ()

    def _learn(self, membership: Membership) -> None:
        session = membership.session
        session.member_id = session.member_id or self.event.member_id
        if self.event.generation is not None and self.event.generation >= 0:
            session.generation = self.event.generation

    # Ending ----------------------------------------------------------------------------------------

    def _end(self, outcome: str) -> Membership | None:
        """End the open membership; one that began before this log is opened for it, as it did exist."""
        state = self.state
        if state.open is None and state.last is None:
            self._begin(is_start_known=False)
        membership = state.open
        if membership is None:
            return None
        self._learn(membership)
        membership.session.outcome = outcome
        membership.session.ended_at = self.at
        membership.session.event_ids.append(self.event.event_id)
        membership.coordinator_was_known = state.coordinator_known
        membership.woke_from_standstill = self._stood_still(membership)
        self._count_silence(membership)
        state.last, state.open = membership, None
        state.join_asked_first, state.join_asked, state.in_rebalance = None, None, False
        self._forget_beat()
        return membership

    def _poll_expired(self) -> None:
        membership = self._end("poll_expired")
        if membership is None:
            return
        membership.poll_expired = self.proof
        limit = self.profile.whole("max.poll.interval.ms")
        is_inferable = not (membership.is_848 or membership.woke_from_standstill)
        if limit is not None and limit.is_proven and self.at is not None and is_inferable:
            membership.session.last_poll_at = self.at - limit.ms

    def _left(self) -> None:
        reason = said(self.event)
        last = self.state.last
        if self.state.open is None and last is not None:
            if last.left is None and last.rejoined is None and self.state.join_asked is None:
                self._leaves(last, reason)
            return
        membership = self._end("poll_expired" if POLL_EXPIRY_REASON in reason else "closed")
        if membership is not None:
            self._leaves(membership, reason)

    def _leaves(self, membership: Membership, reason: str) -> None:
        membership.left, membership.leave_reason = self.proof, reason
        membership.session.member_id = membership.session.member_id or self.event.member_id
        if membership.poll_expired is not None and self.proof is not None:
            membership.awake_until_leave_ms = self.proof.at - membership.poll_expired.at - self.state.quiet_ms
            if self.event.event_id not in membership.session.event_ids:
                membership.session.event_ids.append(self.event.event_id)

    def _leave_not_sent(self) -> None:
        for membership in (self.state.open, self.state.last):
            if membership is not None:
                membership.leave_not_sent = True

    def _let_go(self) -> None:
        """The client resets its generation by itself: a leave; without a LeaveGroup line for static
        members and Streams.
        """
        last = self.state.last
        if self.state.open is None and last is not None:
            last.let_go = last.let_go or self.proof
            return
        membership = self._end("closed")
        if membership is not None:
            membership.let_go = self.proof

    def _unknown_member(self) -> None:
        if self.event.kind == "commit_failed" and self.profile.at_least(3, 0):
            # The commit may be of an earlier generation; from 3.0 the reset that says so is logged itself.
            return
        was_lost = self.state.open is not None and self.state.open.session_lost is not None
        membership = self._end("session_expired" if was_lost else "unknown")
        if membership is not None:
            membership.told, membership.told_why = self.proof, said(self.event)

    def _fenced(self) -> None:
        membership = self._end("fenced")
        if membership is not None:
            membership.told, membership.told_why = self.proof, said(self.event)

    def _session_lost(self) -> None:
        self.state.coordinator_known = False
        self._forget_beat()
        if self.state.open is not None:
            self.state.open.session_lost = self.proof

    # After the end ---------------------------------------------------------------------------------

    def _partitions_lost(self) -> None:
        last = self.state.last
        if self.state.open is not None or last is None:
            return
        self._polled(last)
        is_silent_leave = last.session.outcome == "closed" and last.left is None and last.is_static
        if is_silent_leave:
            # 2.4 to 2.8 say nothing else of a static member's poll expiry: lost, not revoked, means it was
            # not a close.
            last.session.outcome, last.poll_expired = "poll_expired", last.let_go

    def _polled_late(self) -> None:
        """KIP-848's only measure of a poll gap: the line of the next poll tells by how much it came late."""
        last = self.state.last
        if last is None:
            return
        last.exceeded_ms = (
            self.event.elapsed_ms if self.event.elapsed_ms is not None else _exceeded(self.event)
        )
        self._polled(last)
        limit = self.profile.whole("max.poll.interval.ms")
        if limit is not None and limit.is_proven and self.at is not None and last.exceeded_ms is not None:
            last.session.last_poll_at = self.at - limit.ms - last.exceeded_ms
            last.session.max_poll_gap_ms = limit.ms + last.exceeded_ms

    def _polled(self, last: Membership) -> None:
        if last.next_poll is not None or self.at is None:
            return
        last.next_poll = self.proof
        if last.session.outcome == "poll_expired" and last.session.last_poll_at is not None:
            last.session.max_poll_gap_ms = self.at - last.session.last_poll_at

    # Beats and requests ----------------------------------------------------------------------------

    def _heartbeat_sent(self) -> None:
        state = self.state
        if state.open is None and state.last is None:
            self._begin(is_start_known=False)
        membership = state.open
        if membership is None:
            self._beat_after_end()
            return
        self._learn(membership)
        membership.sees_heartbeats = True
        if self.proof is None:
            return
        self._count_silence(membership)
        membership.first_beat = membership.first_beat or self.proof
        membership.last_beat = self.proof
        membership.session.last_heartbeat_at = self.at
        state.beat, state.beat_answered, state.quiet_ms = self.proof, False, 0

    def _beat_after_end(self) -> None:
        last = self.state.last
        is_of_last = last is not None and self.event.member_id in (None, last.session.member_id)
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
        if self.state.beat is not None:
            membership.last_answered = self.state.beat

    def _request_sent(self) -> None:
        state, api, correlation = self.state, self.event.api, self.event.correlation_id
        membership = state.open or state.last
        if membership is None or self.proof is None:
            return
        membership.sees_requests = True
        if api == "FETCH":
            self._fetches()
        if api == "CONSUMER_GROUP_HEARTBEAT" and state.open is not None:
            state.open.session.last_heartbeat_at = self.at
        if api not in MEMBER_REQUESTS or correlation is None:
            return
        if state.open is None and api == "OFFSET_COMMIT" and len(state.late_commits) < KEPT_REQUESTS:
            state.late_commits[correlation] = self.event.event_id
        if state.open is not None:
            membership.last_request = self.proof
            if len(membership.unanswered) < KEPT_REQUESTS:
                membership.unanswered.add(correlation)
                state.pending[correlation] = self.proof

    def _fetches(self) -> None:
        """Fetches leave from inside poll(), at most one heartbeat interval after it set the poll timer
        (timeToNextPoll).
        """
        state, at = self.state, self.at
        interval = self.profile.whole("heartbeat.interval.ms")
        if at is None:
            return
        if state.open is not None and not state.open.is_848 and interval is not None and interval.is_proven:
            earliest = Proof(at - interval.ms, self.event.event_id)
            known = state.open.polled_after
            if known is None or known.at < earliest.at:
                state.open.polled_after = earliest
        last = state.last
        has_polled = state.open is None and last is not None and last.next_poll is not None
        if last is not None and has_polled and last.asked_again is None and state.coordinator_known:
            last.worked_without_joining = last.worked_without_joining or self.proof

    def _request_answered(self) -> None:
        state, correlation = self.state, self.event.correlation_id
        if correlation is None:
            return
        is_accepted = self.event.details.get("response_error") in ("NONE", "0")
        asked = state.pending.pop(correlation, None)
        if state.open is not None and asked is not None:
            state.open.unanswered.discard(correlation)
            if is_accepted:
                state.open.last_answered = asked
        sent = state.late_commits.pop(correlation, None)
        if sent is not None and is_accepted and state.last is not None and state.open is None:
            state.last.commit_after_end = state.last.commit_after_end or [sent, self.event.event_id]

    def _coordinator_lost(self) -> None:
        self.state.coordinator_known = False
        self._forget_beat()

    def _coordinator_found(self) -> None:
        self.state.coordinator_known = True
        self._forget_beat()

    def _forget_beat(self) -> None:
        """From here on a heartbeat's absence is measured anew, or not at all until the next one."""
        state = self.state
        state.beat, state.beat_answered, state.quiet_ms = None, True, 0

    def _count_silence(self, membership: Membership) -> None:
        state = self.state
        if state.beat is None or not state.beat_answered or self.proof is None or not state.coordinator_known:
            return
        awake_ms = self.proof.at - state.beat.at - state.quiet_ms
        worst = membership.longest_silence
        if worst is None or awake_ms > worst.awake_ms:
            membership.longest_silence = Silence(awake_ms, state.beat, self.proof, state.in_rebalance)

    def _stood_still(self, membership: Membership) -> bool:
        """Whether the end came out of a silence in which the heartbeat thread would have spoken."""
        if membership.session_lost is not None:
            return True
        beat, interval = membership.last_beat, self.profile.whole("heartbeat.interval.ms")
        if beat is None or interval is None or self.at is None or not membership.sees_heartbeats:
            return False
        return self.at - beat.at > 2 * interval.ms

    # KIP-848 ---------------------------------------------------------------------------------------
    # -------------------------------------------------------------------------------------------------------

    def _transition(self) -> Iterable[Membership]:
        state, into = self.state, self.event.details.get("state_to", "")
        came_from = self.event.details.get("state_from", "")
        if into in MEMBER_STATES_848:
            if state.open is None or not self._is_same(state.open):
                return self._joined()
            self._learn(state.open)
        elif into == "JOINING":
            self._join_sent()
        elif into == "FENCED":
            self._fenced()
        elif into == "LEAVING" and came_from != "STALE":
            self._leave_848()
        elif into == "STALE" and state.last is not None:
            state.last.left = state.last.left or self.proof
        elif into == "FATAL":
            self._end("unknown")
        return ()

    def _leave_848(self) -> None:
        """The leave is a heartbeat with epoch -1 (-2 of a static member); after a poll expiry it belongs
        to that.
        """
        state = self.state
        if state.open is None and state.last is not None and state.last.poll_expired is not None:
            state.last.left = state.last.left or self.proof
            return
        membership = self._end("closed")
        if membership is not None:
            membership.left = self.proof


def _exceeded(event: ClientEvent) -> int | None:
    text = event.details.get("exceeded_ms", "")
    return int(text) if text.isdigit() else None
