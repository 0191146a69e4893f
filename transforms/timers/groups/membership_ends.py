"""One line of a client against its membership: how it ends, and what is learned of that afterwards."""

from transforms.events import LIBRDKAFKA, ClientEvent
from transforms.timers.clients.trouble_events import POLL_EXPIRY_REASON
from transforms.timers.groups.membership import Membership
from transforms.timers.groups.membership_joins import Joins
from transforms.timers.groups.membership_lines import MembershipSignal, text_of
from transforms.whole import whole_number

INSTANCE_FENCED = "c848-instance-fenced"


class Ends(Joins):
    """What ends a membership, and what tells how it had ended."""

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
        self._learn_gap(membership)

    def _learn_gap(self, membership: Membership) -> None:
        """librdkafka says the limit and the excess, in a line that tells of the leave, too; either may come first."""
        if self.at is not None and self.event.elapsed_ms is not None:
            membership.session.last_poll_at = self.at - self.event.elapsed_ms
            membership.session.max_poll_gap_ms = self.event.elapsed_ms
            membership.session.max_poll_interval_ms = (
                self.event.limit_ms or membership.session.max_poll_interval_ms
            )

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
        known = self.state.open
        was_lost = known is not None and (known.session_lost is not None or self._was_silent(known))
        membership = self._end("session_expired" if was_lost else "unknown")
        if membership is not None:
            membership.learned = self.proof

    def _was_silent(self, membership: Membership) -> bool:
        """Whether a log that shows heartbeats had no line for the session timeout: to 2.6 no other line says it."""
        limit = self.profile.whole("session.timeout.ms")
        if limit is None or not limit.is_proven or membership.is_848 or not membership.sees_heartbeats:
            return False
        return any(silent.ms >= limit.ms for silent in self.state.silences)

    def _timed_out(self) -> None:
        """A generation reset that names a timeout of a commit, fetch or other call; no release is known to do so."""
        if self.state.open is not None:
            self.state.open.other_timeout = self.proof

    def _fenced(self) -> None:
        if self._speaks_848() and self.event.message_id != INSTANCE_FENCED:
            # An epoch is fenced when the broker has removed the member; nobody took its id.
            self._unknown_member()
            return
        membership = self._end("fenced")
        if membership is not None:
            membership.learned = self.proof

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


def _exceeded(event: ClientEvent) -> int | None:
    text = event.details.get("exceeded_ms", "")
    return whole_number(text) if text.isdecimal() else None
