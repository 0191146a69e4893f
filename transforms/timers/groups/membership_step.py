"""One line of a client against its membership: joins, ends, what it proves."""

from collections.abc import Iterable

from transforms.events import LIBRDKAFKA, ClientEvent
from transforms.timers.episodes import LivenessSession, episode_id, whose
from transforms.timers.groups.membership import MEMBER_STATES_848, Membership, Round
from transforms.timers.groups.membership_beats import (
    Beats,
    forget_requests,
    retire,
)
from transforms.timers.groups.membership_lines import (
    HEARTBEAT_ANSWERS,
    POLL_EXPIRY_REASON,
    REBALANCING,
    MembershipSignal,
    is_of_848,
    text_of,
)
from transforms.whole import whole_number

MACHINE = "liveness_sessions"
SPEAKS_OF_MEMBER = frozenset(
    {
        MembershipSignal.HEARTBEAT_SENT,
        MembershipSignal.UNKNOWN_MEMBER,
        MembershipSignal.FENCED,
        MembershipSignal.LEFT,
    }
)
# Heartbeats may rest, or be sent to nobody, from such a line until the next generation stands.
DISTURBS = frozenset(
    {
        MembershipSignal.MUST_REJOIN,
        MembershipSignal.JOIN_SENT,
        MembershipSignal.SESSION_LOST,
        MembershipSignal.COORDINATOR_LOST,
        MembershipSignal.COORDINATOR_FOUND,
    }
)
# What librdkafka says of an end, by itself, at its default level.
ENDS_ANEW = frozenset({MembershipSignal.POLL_EXPIRED, MembershipSignal.SESSION_ENDED})


class MembershipStep(Beats):
    """One line against one consumer's state: joins and ends; beats and requests are the base's."""

    def take(self, signal: MembershipSignal) -> Iterable[Membership]:
        """Act on the line; gives the memberships of which all is known now."""
        if is_of_848(self.event) and self.state.open is not None:
            self._is_848(self.state.open)
        if signal is MembershipSignal.HEARTBEAT_SENT and self.state.open is None and self.state.last is None:
            self._begin(is_start_known=False)
        if signal in SPEAKS_OF_MEMBER and self._is_of_another():
            return ()
        if signal in ENDS_ANEW and self.profile.library == LIBRDKAFKA and self.state.open is None:
            # Its joins are DEBUG: what ends now has begun since the last one ended.
            last = self.state.last
            if last is not None and last.session.outcome == "fenced":
                return ()  # that was fatal: what its timers say later is about nothing
            if last is not None and self._is_told_again(last):
                return ()
            begun = self._begin(is_start_known=False) if last is not None else ()
            self._ended_by_itself(signal)
            return begun
        if signal in DISTURBS and self.state.open is not None and self.at is not None:
            self.state.open.disturbed.append(self.at)
            if signal in (MembershipSignal.MUST_REJOIN, MembershipSignal.JOIN_SENT):
                self.state.open.rejoins.append(self.at)
        match signal:
            case MembershipSignal.JOIN_SENT:
                self._join_sent()
            case MembershipSignal.JOINED:
                return self._joined()
            case MembershipSignal.SYNCED:
                return self._synced()
            case MembershipSignal.ASSIGNED:
                return self._assigned()
            case MembershipSignal.LEADS:
                self._leads()
            case MembershipSignal.MEMBER_KNOWN:
                self._member_known()
            case MembershipSignal.JOIN_ANSWERED:
                self.state.answered_id = self.event.member_id
            case MembershipSignal.MUST_REJOIN:
                self._must_rejoin()
            case MembershipSignal.POLL_EXPIRED:
                self._poll_expired()
            case MembershipSignal.POLLED_LATE:
                self._polled_late()
            case MembershipSignal.LEFT:
                self._left()
            case MembershipSignal.LEAVE_NOT_SENT:
                self._leave_not_sent()
            case MembershipSignal.LET_GO:
                self._let_go()
            case MembershipSignal.UNKNOWN_MEMBER:
                self._unknown_member()
            case MembershipSignal.FENCED:
                self._fenced()
            case MembershipSignal.SESSION_LOST:
                self._session_lost()
            case MembershipSignal.SESSION_ENDED:
                self._session_ended()
            case MembershipSignal.COORDINATOR_LOST:
                self._coordinator_lost()
            case MembershipSignal.COORDINATOR_FOUND:
                self._coordinator_found()
            case MembershipSignal.PARTITIONS_LOST:
                self._partitions_lost()
            case MembershipSignal.HEARTBEAT_SENT:
                self._heartbeat_sent()
            case MembershipSignal.HEARTBEAT_OK:
                self._heartbeat_ok()
            case MembershipSignal.REQUEST_SENT:
                self._request_sent()
            case MembershipSignal.REQUEST_ANSWERED:
                self._request_answered()
            case MembershipSignal.COMMITTED:
                self._committed()
            case MembershipSignal.INTERVAL_TOLD:
                self._told_interval(self.event.details.get("heartbeat_interval_ms", ""))
            case MembershipSignal.TIMED_OUT:
                self._timed_out()
            case MembershipSignal.TRANSITION:
                return self._transition()
        return ()

    def _is_told_again(self, last: Membership) -> bool:
        """Whether the time that an end names began before the last end: it is the same one, in another line's words."""
        ended_at, elapsed_ms = last.session.ended_at, self.event.elapsed_ms
        if self.at is None or ended_at is None or elapsed_ms is None:
            return False
        return self.at - elapsed_ms < ended_at

    def _is_of_another(self) -> bool:
        """Whether the line names a member that this client no longer is (a late answer), or never was."""
        membership = self.state.open or self.state.last
        return membership is not None and not self._is_same(membership)

    # Joining ---------------------------------------------------------------------------------------

    def _join_sent(self) -> None:
        state = self.state
        if state.last is not None and state.open is None:
            state.last.asked_again = state.last.asked_again or self.proof
            self._polled(state.last)
        if state.open is not None and state.in_rebalance:
            self._count_silence(state.open)  # beats go on until the JoinGroup
            self._end_notice(state.open)
        state.join_asked_first = state.join_asked_first or self.proof
        state.join_asked = self.proof
        state.in_rebalance, state.noticed_at = False, None
        self._forget_beat()

    def _must_rejoin(self) -> None:
        is_announced = self.event.details.get("reason") in HEARTBEAT_ANSWERS
        if is_announced:
            self.state.beat_answered = True
        if (is_announced or REBALANCING in text_of(self.event)) and not self.state.in_rebalance:
            self.state.in_rebalance, self.state.noticed_at = True, self.at

    def _joined(self) -> Iterable[Membership]:
        event, state = self.event, self.state
        done = list(self._end_other_member())
        if state.open is None:
            done.extend(self._begin())
        membership = state.open
        assert membership is not None
        self._learn(membership)
        # Before 2.7 the line of the join names no member.
        membership.session.member_id = membership.session.member_id or state.answered_id
        if self.proof is not None:
            # The heartbeat thread was enabled (2.7 and later), which sets the poll timer anew
            # (Heartbeat.resetTimeouts): after the answer, and before this line, which a pause may delay.
            before = [proof for proof in (state.join_asked, state.join_answered) if proof is not None]
            membership.polled_after = max(before, key=lambda proof: proof.at, default=None)
            membership.polled_by = self.proof
            membership.last_answered = state.join_asked or membership.last_answered
            if event.generation is not None:
                membership.rounds.append(
                    Round(event.generation, self.proof, state.join_asked_first, state.join_asked)
                )
        if state.in_rebalance:
            self._end_notice(membership)
        state.join_asked_first, state.join_asked = None, None
        state.join_answered = None
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
        is_848 = self._speaks_848()
        session = LivenessSession(
            **whose(event),
            profile=profile,
            session_id=session_id,
            group_id=event.group_id,
            group_instance_id=instance_id,
            joined_at=self.at if is_start_known else None,
            # Under KIP-848 the session timeout is the broker's: the client's setting has no effect.
            session_timeout_ms=None if is_848 or timeout is None else timeout.ms,
            max_poll_interval_ms=None if poll is None else poll.ms,
        )
        done = list(retire(state)) if state.last is not None else []
        if done and is_start_known:
            done[0].session.rejoined_at = self.at
            done[0].rejoined = self.proof
            done[0].session.event_ids.append(event.event_id)
        state.open = Membership(
            **whose(event),
            profile=profile,
            event_ids=session.event_ids,
            membership_id=session_id,
            session=session,
            is_848=is_848,
            is_static=instance_id is not None,
            started=self.proof if is_start_known else None,
        )
        state.open.session.event_ids.append(event.event_id)
        if is_848:
            self._told_interval("")
        state.quiet_ms = 0
        forget_requests(state)
        self._learn(state.open)
        return done

    def _is_848(self, membership: Membership) -> None:
        """It may have begun by a line that members of both protocols write."""
        membership.is_848 = True
        membership.session.session_timeout_ms = None

    def _is_same(self, membership: Membership) -> bool:
        known = membership.session.member_id
        return known is None or self.event.member_id is None or known == self.event.member_id

    def _end_other_member(self) -> Iterable[Membership]:
        """Another member id without an end between: the old membership ended, when and why was not logged."""
        membership = self.state.open
        if membership is not None and not self._is_same(membership):
            membership.session.outcome = "unknown"
            membership.over_by = self.at
            return retire(self.state)
        return ()

    # Ending ----------------------------------------------------------------------------------------

    def _end(self, outcome: str) -> Membership | None:
        """End the open membership, or one that began before this log, where the line proves that it did."""
        state = self.state
        if state.open is None and state.last is None and self._proves_membership():
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
        self._end_notice(membership)
        state.last, state.open = membership, None
        state.join_asked_first, state.join_asked = None, None
        self._forget_beat()
        return membership

    def _proves_membership(self) -> bool:
        """Whether only a member writes this: a consumer that never joined resets itself on closing, too."""
        event = self.event
        if event.client_library == LIBRDKAFKA and event.kind == "session_expired":
            return True
        return event.kind in ("poll_interval_expired", "heartbeat_failed", "fenced") or bool(event.member_id)

    def _poll_expired(self) -> None:
        membership = self._end("poll_expired")
        if membership is None:
            return
        membership.poll_expired = self.proof
        limit = self.profile.whole("max.poll.interval.ms")
        is_inferable = not (membership.is_848 or membership.woke_from_standstill)
        if limit is not None and limit.is_proven and self.at is not None and is_inferable:
            membership.session.last_poll_at = self.at - limit.ms
        if (
            self.at is not None and self.event.elapsed_ms is not None
        ):  # librdkafka says the limit and the excess
            membership.session.last_poll_at = self.at - self.event.elapsed_ms
            membership.session.max_poll_gap_ms = self.event.elapsed_ms

    def _left(self) -> None:
        reason = text_of(self.event)
        last = self.state.last
        if self.state.open is None and last is not None:
            if last.left is None and last.rejoined is None and self.state.join_asked is None:
                self._leaves(last, reason)
            return
        if POLL_EXPIRY_REASON in reason:
            self._poll_expired()
        else:
            self._end("closed")
        if self.state.last is not None:
            self._leaves(self.state.last, reason)

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
            membership.learned, membership.learned_why = self.proof, text_of(self.event)

    def _timed_out(self) -> None:
        """A generation reset that names a timeout of a commit, fetch or other call; no release is known to do so."""
        if self.state.open is not None:
            self.state.open.other_timeout = self.proof

    def _fenced(self) -> None:
        if self._speaks_848():
            # An epoch is fenced when the broker has removed the member; nobody took its id.
            self._unknown_member()
            return
        membership = self._end("fenced")
        if membership is not None:
            membership.learned, membership.learned_why = self.proof, text_of(self.event)

    def _ended_by_itself(self, signal: MembershipSignal) -> None:
        if signal is MembershipSignal.SESSION_ENDED:
            self._session_ended()
        else:
            self._poll_expired()

    def _session_ended(self) -> None:
        """librdkafka gives its membership up by its own timer, and says since when nothing was answered."""
        membership = self._end("session_expired")
        if membership is None:
            return
        membership.session_lost = self.proof
        elapsed_ms = self.event.elapsed_ms
        if self.at is not None and elapsed_ms is not None:
            membership.session.last_heartbeat_at = self.at - elapsed_ms

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
        if last is None or (last.next_poll is not None and last.next_poll.at != self.at):
            return  # of a later end, whose membership is not in the log
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

    # KIP-848 ---------------------------------------------------------------------------------------
    # -------------------------------------------------------------------------------------------------------

    def _transition(self) -> Iterable[Membership]:
        state, into = self.state, self.event.details.get("state_to", "")
        came_from = self.event.details.get("state_from", "")
        if (known := state.open or state.last) is not None:
            known.sees_transitions = True
        if into in MEMBER_STATES_848:
            if state.open is None or not self._is_same(state.open):
                return self._joined()
            self._learn(state.open)
        elif into == "JOINING":
            if state.open is None and state.last is not None:
                state.last.rejoined_from = state.last.rejoined_from or came_from
                if came_from == "STALE":
                    state.last.left = state.last.left or self.proof
            self._join_sent()
        elif into == "FENCED":
            self._unknown_member()
        elif into == "LEAVING" and came_from != "STALE":
            self._leave_848()
        elif into == "STALE" and state.last is not None:
            state.last.left = state.last.left or self.proof
        elif into == "FATAL":
            self._end("unknown")
        return ()

    def _leave_848(self) -> None:
        """The leave is a heartbeat with epoch -1 (-2 of a static member); after a poll expiry it belongs to that."""
        state = self.state
        if state.open is None and state.last is not None and state.last.poll_expired is not None:
            state.last.left = state.last.left or self.proof
            return
        membership = self._end("closed")
        if membership is not None:
            membership.left = self.proof


def _exceeded(event: ClientEvent) -> int | None:
    text = event.details.get("exceeded_ms", "")
    return whole_number(text) if text.isdigit() else None
