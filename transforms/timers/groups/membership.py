"""A membership as it is rebuilt: the row of silver.liveness_sessions and what only rules need to know beside it.

Internal: memberships are judged, and stored nowhere; their session is.
"""

from dataclasses import dataclass, field

from transforms.timers.episodes import Episode, LivenessSession
from transforms.timers.samples.readings import Last, Rise

MEMBER_STATES_848 = frozenset({"RECONCILING", "ACKNOWLEDGING", "STABLE"})


@dataclass(slots=True)
class Proof:
    """An instant by its writer's clock, and the event that shows it."""

    at: int
    event_id: str


@dataclass(slots=True)
class Answer:
    """An answer to one of the member's own requests, and when that was sent. is_accepted: it kept the session."""

    sent_at: int
    answered: Proof
    is_accepted: bool


@dataclass(slots=True)
class Round:
    """One generation of a membership as the member saw it: JoinGroup sent, JoinGroup answered, SyncGroup answered.

    asked_first, asked: the first JoinGroup of this round, and the one that was answered (KIP-394's member id, retries).
    """

    generation: int
    joined: Proof
    asked_first: Proof | None = None
    asked: Proof | None = None
    synced_at: int | None = None
    is_leader: bool = False
    assigned: Proof | None = None


@dataclass(slots=True)
class Silence:
    """The longest time without a heartbeat that nothing seen in the log excuses.

    awake_ms: the gap less the longest silence of the whole client in it, as a process that stands still
    beats for nobody.
    """

    awake_ms: int
    before: Proof
    after: Proof


@dataclass(slots=True)
class SampledSilence:
    """A time in which samples show that no heartbeat left, up to `until`.

    awake_ms: less the longest time that nobody looked. is_steady: no line tells of a rebalance or a coordinator lost.
    is_answered: nothing was on its way that it could have waited for.
    """

    ms: int
    awake_ms: int
    until: int
    is_steady: bool
    is_answered: bool
    samples: tuple[str, ...]


@dataclass(slots=True)
class Sampled:
    """What samples of the process show of a membership.

    polls: before its end. is_silent_after_expiry: where a heartbeat was due after the poll
    expiry, until the client showed again, samples tell of none. beats_are_watched: nobody looked away for longer than a
    heartbeat interval. undisturbed_ms: the longest of such silences, less what lay in rebalances and before the first
    generation stood.
    commits_after_end: answers to commits until the client showed again.
    """

    polls: list[Last] = field(default_factory=list)
    last_poll: Last | None = None
    last_beat: Last | None = None
    longest_silence: SampledSilence | None = None
    beats_are_watched: bool = False
    undisturbed_ms: int = 0
    beat_after_expiry: Last | None = None
    is_silent_after_expiry: bool = False
    commits_after_end: Rise | None = None


@dataclass(slots=True, kw_only=True)
class Membership(Episode):
    """One membership with the evidence of how it went and ended.

    membership_id: the session's id, so that a finding's subject is the row that users see.
    polled_after: the poll timer was set anew at this instant or later (a lower bound, proven). polled_by: the join's
    line, written when it had been set: at once, or after a pause.
    log_has_hole: a request is missing between two that are there (correlation ids skip), so lines may be,
    too.
    answers: the last few that the member got. unanswered: when each request without an answer was sent, by
    correlation id.
    woke_from_standstill: before the poll expiry the process gave no sign of life for longer than a beat.
    rejoined_from: the state that a member of KIP-848 was in when it asked again, as that line tells.
    over_by: it had ended by then, when is not known. seen_at: the client's last line while it was open.
    disturbed: when a line told of a rebalance, or of a coordinator lost or found; rejoins: of the first only.
    heartbeat_interval_ms, longest_interval_ms: the last, and the longest, that its coordinator told (KIP-848).
    noticed_ms: the longest time from the notice of a rebalance to the join that followed, or to its end;
    is_notice_open: neither came. sees_commits: the log shows commits that were accepted; committed_after_end: one,
    before it was a member again.
    """

    membership_id: str
    session: LivenessSession
    is_848: bool = False
    is_static: bool = False
    started: Proof | None = None
    rounds: list[Round] = field(default_factory=list)
    polled_after: Proof | None = None
    polled_by: Proof | None = None
    poll_expired: Proof | None = None
    coordinator_was_known: bool = True
    woke_from_standstill: bool = False
    awake_until_leave_ms: int | None = None
    left: Proof | None = None
    leave_reason: str | None = None
    leave_not_sent: bool = False
    let_go: Proof | None = None
    learned: Proof | None = None
    session_lost: Proof | None = None
    next_poll: Proof | None = None
    exceeded_ms: int | None = None
    asked_again: Proof | None = None
    rejoined: Proof | None = None
    rejoined_from: str | None = None
    worked_without_joining: Proof | None = None
    heartbeat_after_end: Proof | None = None
    commit_after_end: list[str] = field(default_factory=list)
    longest_silence: Silence | None = None
    longest_silence_in_rebalance: Silence | None = None
    other_timeout: Proof | None = None
    heartbeat_interval_ms: int | None = None
    longest_interval_ms: int | None = None
    last_beat: Proof | None = None
    last_answered: Proof | None = None
    answers: list[Answer] = field(default_factory=list)
    unanswered: dict[int, int] = field(default_factory=dict)
    sees_heartbeats: bool = False
    sees_requests: bool = False
    sees_transitions: bool = False
    clock_stepped: bool = False
    log_has_hole: bool = False
    evicted: Proof | None = None
    fence_is_explained: bool | None = None
    over_by: int | None = None
    seen_at: int | None = None
    disturbed: list[int] = field(default_factory=list)
    rejoins: list[int] = field(default_factory=list)
    noticed_ms: int | None = None
    is_notice_open: bool = False
    sees_commits: bool = False
    committed_after_end: bool = False
    sampled: Sampled | None = None
