"""One line of a client against its membership: how it joins, by which protocol, and which member it is."""

from collections.abc import Iterable

from transforms.timers.episodes import LivenessSession, episode_id, whose
from transforms.timers.groups.membership import Membership, Round
from transforms.timers.groups.membership_beats import Beats, forget_requests, retire
from transforms.timers.groups.membership_lines import HEARTBEAT_ANSWERS, REBALANCING, text_of

MACHINE = "liveness_sessions"


class Joins(Beats):
    """What begins a membership, and a rebalance within it; beats and requests are the base's."""

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

    def _join_answered(self) -> None:
        self.state.answered_id = self.event.member_id

    def _interval_told(self) -> None:
        self._told_interval(self.event.details.get("heartbeat_interval_ms", ""))

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
        membership, generation = self.state.open, self.event.generation
        # Before 2.6 it stands before the line of the join: the round that is known is the one before.
        if membership is not None and membership.rounds and membership.rounds[-1].generation == generation:
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

    def _polled(self, last: Membership) -> None:
        if last.next_poll is not None or self.at is None:
            return
        last.next_poll = self.proof
        if last.session.outcome == "poll_expired" and last.session.last_poll_at is not None:
            last.session.max_poll_gap_ms = self.at - last.session.last_poll_at
