"""Rebuilds the memberships of one process's consumers from their own lines (KIP-62, KIP-848).

Mirrors AbstractCoordinator (joinGroupIfNeeded, HeartbeatThread.run, maybeLeaveGroup,
resetStateAndGeneration) and, for KIP-848, AbstractMembershipManager's transitions. A membership lasts from
its join to its end through any number of generations; the JoinGroup that is answered MEMBER_ID_REQUIRED is
part of the join that follows it.
"""

from collections.abc import Iterable, Iterator

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode
from transforms.timers.groups.membership import Membership
from transforms.timers.groups.membership_beats import (
    STANDSTILL,
    ConsumerState,
    Silent,
    forget_requests,
    retire,
)
from transforms.timers.groups.membership_lines import (
    signal_of,
)
from transforms.timers.groups.membership_step import MembershipStep
from transforms.timers.profile import ClientProfile

CLOCK_STEP_MS = 1_000  # DESIGN 2.1: a step back of more than a second is a clock step


# Of a consumer that said one line, which means nothing for a membership: incarnation, and when. Most say no more.
Heard = tuple[int, int | None]


class LivenessSessions:
    """The machine: gives a membership when its client is a member again, or at the end of the data."""

    def __init__(self) -> None:
        self.consumers: dict[tuple[str, str], ConsumerState | Heard] = {}

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Take one line of a consumer that has a group; lines of others change nothing."""
        if event.client_kind == "broker" or not event.group_id or not event.client_id:
            return ()
        signal = signal_of(event)
        key = (event.client_id, event.group_id)
        known = self.consumers.get(key)
        if known is None and signal is None:
            self.consumers[key] = event.incarnation, event.happened_at
            return ()
        state = self.consumers[key] = known if isinstance(known, ConsumerState) else _state(known)
        done = [] if event.incarnation == state.incarnation else list(_new_process(state, event))
        _watch_clock(state, event, profile)
        if signal is not None:
            done.extend(MembershipStep(state, event, profile).take(signal))
        if event.happened_at is not None:
            state.seen_at = event.happened_at
        return done

    def finish(self, data_clock: int | None) -> Iterator[Episode]:
        """All that is still open, as it stands: the end of the data ends no membership."""
        for state in self.consumers.values():
            if not isinstance(state, ConsumerState):
                continue
            if state.open is not None and state.in_rebalance:
                state.open.is_notice_open = True
            for membership in (state.last, state.open):
                if membership is not None:
                    membership.seen_at = state.seen_at
                    yield membership
        self.consumers.clear()


def _state(heard: Heard | None) -> ConsumerState:
    if heard is None:
        return ConsumerState()
    incarnation, seen_at = heard
    return ConsumerState(incarnation=incarnation, seen_at=seen_at)


def _note_silence(state: ConsumerState, silent: Silent, window_ms: int) -> None:
    """Keep what may be the longest silence of some window that ends later: each longer than all after it."""
    while state.silences and state.silences[-1].ms <= silent.ms:
        state.silences.pop()
    state.silences.append(silent)
    while state.silences[0].until <= silent.until - window_ms:
        state.silences.pop(0)


def _new_process(state: ConsumerState, event: ClientEvent) -> Iterator[Membership]:
    """A restarted process is no member: what became of the old membership its own log can't say."""
    state.incarnation = event.incarnation
    if state.open is not None:
        state.open.session.outcome = "unknown"
        state.open.over_by = event.happened_at
        yield from retire(state)
    state.coordinator_known, state.beat, state.correlation = True, None, None
    state.join_asked_first, state.join_asked, state.join_answered = None, None, None
    state.answered_id = None
    forget_requests(state)


def _watch_clock(state: ConsumerState, event: ClientEvent, profile: ClientProfile) -> None:
    at = event.happened_at
    if at is None or event.ordered_at is None:
        return
    stepped = event.ordered_at - at > CLOCK_STEP_MS
    for membership in (state.open, state.last):
        if membership is not None and stepped:
            membership.clock_stepped = True
    if state.seen_at is not None:
        state.quiet_ms = max(state.quiet_ms, at - state.seen_at)
        interval = profile.whole("heartbeat.interval.ms")
        if interval is not None:
            _note_silence(state, Silent(at, at - state.seen_at), 2 * STANDSTILL * interval.ms)
