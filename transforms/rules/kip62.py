"""KIP-62, liveness of classic consumers: what a member, and its coordinator, promise about leaving and staying.

As shipped: reference/kafka-messages 4.5. What the
coordinator promises is in kip62_coordinator, heartbeats in heartbeats, KIP-848 members in kip848.
"""

from transforms.rules.clocks import CLOCK_STEP, PAUSE
from transforms.rules.rule import ABSENT, CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.groups.evictions import Eviction
from transforms.timers.groups.membership import Membership, Proof
from transforms.timers.profile import Setting

POLL, SESSION = "max.poll.interval.ms", "session.timeout.ms"
# Two instants, each cut to whole milliseconds, are at most this much further apart than their difference says.
LOG_CLOCK_GRAIN_MS = 1
# One thread writes the expiry and the leave, one line after the other; a waking second between them is no
# delay of logging.
SOON_MS = 1_000

NO_LIMIT = (f"{POLL} unknown", f"the consumer's config dump ({POLL})")
NO_POLL = ("last poll not seen", "JMX last-poll-seconds-ago, or DEBUG of NetworkClient")
LOOK_AT_POLL_LOOP = (
    "Look at what the application did between its polls: records per poll, time per record, other systems.",
    "Compare with JMX time-between-poll-max.",
    "Let it be if it was a single pause, and processing the records again is harmless.",
)
LOOK_AT_BROKER = (
    "Look at the coordinator's log around the removal, and at its load and garbage collection.",
    "Look at the member's last requests (DEBUG of NetworkClient).",
    "Let it be if it happened while the coordinator was starting or moving.",
)


def proven(profile_owner: Membership | Eviction, name: str) -> Setting | None:
    """A setting that may accuse somebody, else None."""
    profile = profile_owner.profile
    setting = None if profile is None else profile.whole(name)
    return setting if setting is not None and setting.is_proven else None


@rule(
    "kip62.left_early",
    judges=Membership,
    severity="error",
    gives=("broken_semantics",),
    says="left the group for slow polling {observed_ms} ms after a poll at most; allowed are {limit_ms} ms",
    runbook=LOOK_AT_POLL_LOOP,
    advice="None of the settings explains it: report it with the lines; a longer limit may hide it.",
)
def left_early(member: Membership) -> Verdict:
    """Find a poll expiry sooner than max.poll.interval.ms after the poll timer was set.

    Source: KIP-62, Proposed Changes; AbstractCoordinator.HeartbeatThread, Heartbeat.pollTimeoutExpired.
    Silent when: the limit is unknown, or no poll is proven; joining sets the timer anew, as does each poll; a pause
    may have delayed the join's line, which is written after that. By samples two polls are needed: wakeup() ends
    one before it sets the timer.
    """
    if member.poll_expired is None or member.is_848:
        return NOT_APPLICABLE
    limit = proven(member, POLL)
    if limit is None:
        return unjudged(*NO_LIMIT)
    if member.clock_stepped:
        return CLOCK_STEP
    by_samples = _left_early_by_samples(member, member.poll_expired, limit)
    if by_samples is not None:
        return by_samples
    if member.polled_after is None:
        return unjudged(*NO_POLL)
    waited_ms = member.poll_expired.at - member.polled_after.at
    joined = member.polled_by
    if waited_ms < limit.ms - LOG_CLOCK_GRAIN_MS:
        return violated(
            "broken_semantics",
            events=(member.polled_after.event_id, member.poll_expired.event_id),
            happened_at=member.poll_expired.at,
            observed_ms=waited_ms,
            limit_ms=limit.ms,
            limit_origin=limit.origin,
        )
    if joined is not None and member.poll_expired.at - joined.at < limit.ms - LOG_CLOCK_GRAIN_MS:
        return unjudged(PAUSE, "DEBUG of NetworkClient (the join's answer), or the GC log")
    return CONFORMS if member.sees_requests else unjudged(*NO_POLL)


def _left_early_by_samples(member: Membership, expired: Proof, limit: Setting) -> Verdict | None:
    """By polls that samples show before the expiry; None where they settle nothing."""
    sampled = member.sampled
    if sampled is None or sampled.last_poll is None:
        return None
    due_at = expired.at - limit.ms + LOG_CLOCK_GRAIN_MS
    within = [one for one in sampled.polls if (one.surely_after or 0) > due_at and one.latest < expired.at]
    if within and within[0].latest < within[-1].earliest:
        return violated(
            "broken_semantics",
            events=(expired.event_id,),
            samples=(*within[0].samples[:1], *within[-1].samples),
            happened_at=expired.at,
            observed_ms=expired.at - (within[-1].surely_after or 0),
            limit_ms=limit.ms,
            limit_origin=limit.origin,
        )
    return CONFORMS if sampled.last_poll.latest <= due_at else None


@rule(
    "kip62.left_late",
    judges=Membership,
    severity="error",
    gives=("broken_semantics",),
    says="left the group {observed_ms} waking ms after its poll limit had passed; the leave is due at once",
    runbook=LOOK_AT_POLL_LOOP,
    advice="A heartbeat thread that can't run: look for callbacks that hold the consumer's lock.",
)
def left_late(member: Membership) -> Verdict:
    """Find a LeaveGroup that did not follow the poll expiry.

    Source: KIP-62, Proposed Changes; AbstractCoordinator.HeartbeatThread.run, maybeLeaveGroup.
    Silent when: the process stood still, as it then leaves on waking; no LeaveGroup is due (static members and others).
    """
    if member.poll_expired is None or member.is_848 or member.woke_from_standstill:
        return NOT_APPLICABLE
    if member.clock_stepped:
        return CLOCK_STEP
    late_ms = member.awake_until_leave_ms
    if member.left is not None and member.let_go is not None and late_ms is not None:
        # The reset follows the leave in one call: a leave after it was late, awake or not.
        late_ms = max(late_ms, member.left.at - member.let_go.at)
    if member.left is not None and late_ms is not None and late_ms > SOON_MS:
        return violated(
            "broken_semantics",
            events=(member.poll_expired.event_id, member.left.event_id),
            happened_at=member.left.at,
            observed_ms=late_ms,
            limit_ms=SOON_MS,
        )
    limit = proven(member, POLL)
    last = None if member.sampled is None else member.sampled.last_poll
    if member.left is not None and limit is not None and last is not None:
        # Each moment of a poll sets the timer, so that it ran for no longer than since the poll began.
        latest_late_ms = member.left.at - last.earliest - limit.ms
        if latest_late_ms <= SOON_MS:
            return CONFORMS
    return unjudged(*NO_POLL)


@rule(
    "kip62.poll_limit_below_session",
    judges=Membership,
    severity="warning",
    gives=("departs_from_kip",),
    says="left at max.poll.interval.ms, {observed_ms} ms, though session.timeout.ms is {limit_ms} ms",
    runbook=(
        "Look at both settings: the KIP promises the larger of the two, no release keeps to it.",
        "Usually max.poll.interval.ms was lowered, or session.timeout.ms raised, without the other.",
        "Let it be if the short limit is wanted.",
    ),
    advice="Set max.poll.interval.ms to at least session.timeout.ms; a stuck member is then noticed later.",
)
def poll_limit_below_session(member: Membership) -> Verdict:
    """Find a member that left at max.poll.interval.ms where the KIP's effective limit, the session
    timeout, is larger.

    Source: KIP-62, Public Interfaces (the process timeout is the larger of both); Heartbeat has one timer
    for each.
    Silent when: a limit is unknown, or the process stood still past both.
    """
    if member.poll_expired is None or member.is_848 or member.woke_from_standstill:
        return NOT_APPLICABLE
    poll, session = proven(member, POLL), proven(member, SESSION)
    if poll is None or session is None:
        return unjudged("limits unknown", f"the consumer's config dump ({POLL}, {SESSION})")
    if poll.ms >= session.ms:
        return CONFORMS
    return violated(
        "departs_from_kip",
        events=(member.poll_expired.event_id,),
        happened_at=member.poll_expired.at,
        observed_ms=poll.ms,
        limit_ms=session.ms,
        limit_origin=session.origin,
    )


@rule(
    "kip62.not_left",
    judges=Membership,
    severity="error",
    gives=("broken_semantics",),
    rests_on=ABSENT,
    says="passed its poll limit, and reset its membership without a LeaveGroup",
    runbook=LOOK_AT_POLL_LOOP,
    advice="The group waits for session.timeout.ms before others get its partitions: shorten it meanwhile.",
)
def not_left(member: Membership) -> Verdict:
    """Find a poll expiry without the explicit leave.

    Source: KIP-62, Proposed Changes; AbstractCoordinator.maybeLeaveGroup.
    Silent when: the member is static, the coordinator unknown, a classic Streams consumer of 4.1
        (internal.leave.group.on.close suppresses it there), the process stood still, the reset that
        follows the leave in the same call is not logged (INFO from 3.0), or requests are not: where they are, the
        leave stands twice.
    """
    if member.poll_expired is None or member.is_848:
        return NOT_APPLICABLE
    if member.left is not None:
        return CONFORMS
    profile = member.profile
    is_excused = member.is_static or not member.coordinator_was_known or member.woke_from_standstill
    if is_excused or member.leave_not_sent:
        return NOT_APPLICABLE
    if profile is None or profile.version is None:
        return unjudged("version unknown", "the client's line 'Kafka version: ...' (INFO of AppInfoParser)")
    if profile.is_embedded and profile.version[:2] == (4, 1):
        return NOT_APPLICABLE
    reset = member.let_go
    # The reset follows the leave in the same call; a later one is of a close, and lines may be missing between.
    is_same_call = reset is not None and reset.at - member.poll_expired.at <= SOON_MS
    if reset is None or not is_same_call or not profile.at_least(3, 0):
        return unjudged("the leave's line not seen", "INFO of ConsumerCoordinator (3.0) after the expiry")
    if not member.sees_requests:
        return unjudged("requests not logged", "DEBUG of NetworkClient: a leave is a request, too")
    return violated(
        "broken_semantics",
        events=(member.poll_expired.event_id, reset.event_id),
        happened_at=member.poll_expired.at,
    )


@rule(
    "kip62.heartbeat_after_expiry",
    judges=Membership,
    severity="error",
    gives=("broken_semantics",),
    says="sent a heartbeat {observed_ms} ms after its poll limit had passed",
    runbook=LOOK_AT_POLL_LOOP,
    advice="A member that beats on keeps partitions that it does not process: report it with the lines.",
)
def heartbeat_after_expiry(member: Membership) -> Verdict:
    """Find heartbeats of a membership after its poll expiry.

    Source: KIP-62, Proposed Changes; AbstractCoordinator.HeartbeatThread.run (the thread disables itself).
    Silent when: heartbeats are neither logged nor sampled, or the samples are too far apart to tell.
    """
    if member.poll_expired is None or member.is_848:
        return NOT_APPLICABLE
    beat = member.heartbeat_after_end
    if beat is not None:
        return violated(
            "broken_semantics",
            events=(member.poll_expired.event_id, beat.event_id),
            happened_at=beat.at,
            observed_ms=beat.at - member.poll_expired.at,
            limit_ms=0,
        )
    sampled = member.sampled
    later = None if sampled is None or member.clock_stepped else sampled.beat_after_expiry
    if later is not None and later.surely_after is not None:
        return violated(
            "broken_semantics",
            events=(member.poll_expired.event_id,),
            samples=later.samples,
            happened_at=later.at,
            observed_ms=later.surely_after - member.poll_expired.at,
            limit_ms=0,
        )
    if member.sees_heartbeats or (sampled is not None and sampled.is_silent_after_expiry):
        return CONFORMS
    return unjudged(
        "heartbeats not logged", "DEBUG of ConsumerCoordinator, or JMX last-heartbeat-seconds-ago"
    )


@rule(
    "kip62.not_rejoined",
    judges=Membership,
    severity="error",
    gives=("broken_semantics",),
    rests_on=ABSENT,
    says="polled and fetched again after its membership had ended, and did not rejoin",
    runbook=LOOK_AT_POLL_LOOP,
    advice="Restart the member; report it with the lines.",
)
def not_rejoined(member: Membership) -> Verdict:
    """Find a member that polls on after it lost its membership, without joining.

    Source: KIP-62, Proposed Changes; ConsumerCoordinator.poll, ensureActiveGroup.
    Silent when: no poll is seen after the end, the coordinator is unknown, the member was closed or fenced.
    """
    return NOT_APPLICABLE if member.is_848 else works_on_outside(member)


def works_on_outside(member: Membership) -> Verdict:
    """Whether it polls and fetches after its membership had ended; a new join, however it shows, acquits."""
    has_learned = member.learned is not None or member.poll_expired is not None
    if not has_learned or member.session.outcome in ("open", "closed", "fenced"):
        return NOT_APPLICABLE
    if member.rejoined is not None or member.asked_again is not None:
        return CONFORMS
    worked, polled = member.worked_without_joining, member.next_poll
    if worked is None or polled is None:
        return unjudged("no later poll seen", "JMX last-poll-seconds-ago, or the log that follows")
    return violated(
        "broken_semantics",
        events=(*member.session.event_ids[-1:], polled.event_id, worked.event_id),
        happened_at=worked.at,
        observed_ms=worked.at - polled.at,
    )


@rule(
    "kip62.evicted_by_other_timeout",
    judges=Membership,
    severity="error",
    gives=("broken_semantics",),
    says="gave up its membership over another timeout than the poll and session limits: {reason}",
    runbook=LOOK_AT_BROKER,
    advice="Commit, fetch and API timeouts must not end a membership: report it with the lines.",
)
def evicted_by_other_timeout(member: Membership) -> Verdict:
    """Find memberships that ended because a commit, a fetch or another call timed out.

    Source: KIP-62, Proposed Changes (only session, poll and rebalance timeouts end a membership).
    Silent when: the broker removed the member and why is not in the logs.
    """
    if member.other_timeout is not None:
        return violated(
            "broken_semantics",
            events=(member.other_timeout.event_id,),
            happened_at=member.other_timeout.at,
            reason="a call's timeout reset its generation",
        )
    reason = (member.leave_reason or "").lower()
    is_other = "time" in reason and "out" in reason and "poll" not in reason and "close" not in reason
    if member.left is not None and is_other:
        return violated(
            "broken_semantics",
            events=(member.left.event_id,),
            happened_at=member.left.at,
            reason=member.leave_reason,
        )
    if member.session.outcome == "unknown" and member.learned is not None:
        return unjudged(
            "why the broker removed it is not logged", "the broker's log (INFO of GroupCoordinator)"
        )
    return NOT_APPLICABLE if member.session.outcome == "open" else CONFORMS


@rule(
    "kip62.commit_after_leaving",
    judges=Membership,
    severity="error",
    gives=("broken_semantics",),
    says="a commit that was sent after the membership had ended was accepted",
    runbook=LOOK_AT_BROKER,
    advice="Records may be skipped or read twice: compare the committed offsets with what was processed.",
)
def commit_after_leaving(member: Membership) -> Verdict:
    """Find a commit sent after the end of the membership, before the next one, that the broker took.

    Source: KIP-62, Proposed Changes; GroupCoordinator.doCommitOffsets (UNKNOWN_MEMBER_ID).
    Silent when: requests are not logged; a commit was still under way when the membership ended. Acquitted also where the
    log shows the commits that were accepted, and none of then, and by samples where no commit was answered until it was
    a member again.
    """
    if member.session.outcome in ("open", "closed"):
        return NOT_APPLICABLE
    if member.commit_after_end:
        return violated(
            "broken_semantics",
            events=(*member.session.event_ids[-1:], *member.commit_after_end),
            happened_at=member.session.ended_at,
        )
    commits = None if member.sampled is None else member.sampled.commits_after_end
    is_idle = commits is not None and commits.at_most == 0
    shows_commits = member.sees_commits and not member.committed_after_end
    if member.sees_requests or is_idle or shows_commits:
        return CONFORMS
    return unjudged("commits not logged", "DEBUG of NetworkClient, or JMX commit-total that stands still")


@rule(
    "kip62.fenced_without_duplicate",
    judges=Membership,
    severity="error",
    gives=("broken_semantics",),
    says="static member {instance} was fenced, though no other member joined under its id",
    runbook=(
        "Look for a second process with the same group.instance.id.",
        "Usually a deployment starts the new process before the old one has stopped.",
        "Let it be if the older process was to go anyway.",
    ),
    advice="Give each process a group.instance.id of its own.",
)
def fenced_without_duplicate(member: Membership) -> Verdict:
    """Find a static member that was fenced without another under its id.

    Source: KIP-345, Proposed Changes; GroupCoordinator.updateStaticMemberAndRebalance.
    Silent when: another member with the id is seen; static joins are not in the coordinator's log, or that is missing.
    """
    if member.session.outcome != "fenced" or not member.is_static:
        return NOT_APPLICABLE
    if member.fence_is_explained:
        return CONFORMS
    if member.fence_is_explained is None or member.learned is None:
        return unjudged(
            "other members under the id unknown",
            "the broker's log (INFO of GroupCoordinator), and the logs of all members",
        )
    return violated(
        "broken_semantics",
        events=(member.learned.event_id,),
        happened_at=member.learned.at,
        instance=member.session.group_instance_id,
    )
