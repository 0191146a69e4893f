"""One line of a client against its membership: what it does to it."""

from collections.abc import Callable, Iterable

from transforms.events import LIBRDKAFKA
from transforms.timers.groups.membership import MEMBER_STATES_848, Membership
from transforms.timers.groups.membership_ends import Ends
from transforms.timers.groups.membership_lines import MembershipSignal, is_of_848

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


class MembershipStep(Ends):
    """One line against one consumer's state."""

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
                if last.poll_expired is not None:
                    self._learn_gap(last)
                return ()
            begun = self._begin(is_start_known=False) if last is not None else ()
            self._ended_by_itself(signal)
            return begun
        if signal in DISTURBS and self.state.open is not None and self.at is not None:
            self.state.open.disturbed.append(self.at)
            if signal in (MembershipSignal.MUST_REJOIN, MembershipSignal.JOIN_SENT):
                self.state.open.rejoins.append(self.at)
        act = _ACTS.get(signal)
        return () if act is None else act(self) or ()

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
        elif into == "FATAL" and (ended := self._end("unknown")) is not None:
            ended.session.gave_up = True
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


# What each line does.
_ACTS: dict[MembershipSignal, Callable[[MembershipStep], Iterable[Membership] | None]] = {
    MembershipSignal.JOIN_SENT: MembershipStep._join_sent,
    MembershipSignal.JOINED: MembershipStep._joined,
    MembershipSignal.SYNCED: MembershipStep._synced,
    MembershipSignal.ASSIGNED: MembershipStep._assigned,
    MembershipSignal.LEADS: MembershipStep._leads,
    MembershipSignal.MEMBER_KNOWN: MembershipStep._member_known,
    MembershipSignal.MUST_REJOIN: MembershipStep._must_rejoin,
    MembershipSignal.POLL_EXPIRED: MembershipStep._poll_expired,
    MembershipSignal.POLLED_LATE: MembershipStep._polled_late,
    MembershipSignal.LEFT: MembershipStep._left,
    MembershipSignal.LEAVE_NOT_SENT: MembershipStep._leave_not_sent,
    MembershipSignal.LET_GO: MembershipStep._let_go,
    MembershipSignal.UNKNOWN_MEMBER: MembershipStep._unknown_member,
    MembershipSignal.FENCED: MembershipStep._fenced,
    MembershipSignal.SESSION_LOST: MembershipStep._session_lost,
    MembershipSignal.SESSION_ENDED: MembershipStep._session_ended,
    MembershipSignal.COORDINATOR_LOST: MembershipStep._coordinator_lost,
    MembershipSignal.COORDINATOR_FOUND: MembershipStep._coordinator_found,
    MembershipSignal.PARTITIONS_LOST: MembershipStep._partitions_lost,
    MembershipSignal.HEARTBEAT_SENT: MembershipStep._heartbeat_sent,
    MembershipSignal.HEARTBEAT_OK: MembershipStep._heartbeat_ok,
    MembershipSignal.REQUEST_SENT: MembershipStep._request_sent,
    MembershipSignal.REQUEST_ANSWERED: MembershipStep._request_answered,
    MembershipSignal.COMMITTED: MembershipStep._committed,
    MembershipSignal.INTERVAL_TOLD: MembershipStep._interval_told,
    MembershipSignal.TIMED_OUT: MembershipStep._timed_out,
    MembershipSignal.TRANSITION: MembershipStep._transition,
    MembershipSignal.JOIN_ANSWERED: MembershipStep._join_answered,
}
