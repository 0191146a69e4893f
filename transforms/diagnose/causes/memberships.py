"""Why a consumer was kicked out, by how much, and whether it came back."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from transforms.diagnose.incident import Incident, incident_id, limit_of, of_episodes
from transforms.diagnose.wording.limits import Limit, limit_from
from transforms.diagnose.wording.named_clients import client_of_id
from transforms.diagnose.wording.own_settings import in_words_of
from transforms.diagnose.wording.words import span
from transforms.events import JAVA, LIBRDKAFKA, client_of_member, is_named
from transforms.timers.episodes import LivenessSession

NOTICED_MS = (
    1_000  # of a gap that is no longer than its limit by that, only the check is told that noticed it
)
# Libraries whose heartbeats wait for the processing: coroutines of one loop, or calls between messages.
HEARTBEATS_BETWEEN = frozenset({"aiokafka", "kafkajs", "kafka-node", "ruby-kafka"})
POLL, SESSION = "max.poll.interval.ms", "session.timeout.ms"
Joins = Mapping[tuple[str | None, str], Sequence[int]]
POLL_ALONE = "; not the heartbeats."  # unless its session had timed out before


def membership_incidents(sessions: list[LivenessSession], scope_id: str) -> Iterator[Incident]:
    """One incident per membership that ended otherwise than by a plain close; a loop of them is one."""
    tellers = {
        "poll_expired": _slow_poll,
        "session_expired": _silent,
        "rebalance_expired": _missed_rebalance,
        "fenced": _fenced,
        "unknown": _ended_somehow,
    }
    joins = _joins(sessions)
    for row in _in_a_row(sessions):
        teller = tellers.get(row[-1].outcome)
        if teller is not None:
            worst = max(row, key=_badness)
            has_given_up = worst.gave_up and worst.outcome in ("session_expired", "unknown")
            incident = (_gave_up if has_given_up else teller)(worst, scope_id)
            incident.cause = f"{incident.cause} {_came_back(worst, joins)}"
            yield _repeated(incident, row)


def _joins(sessions: list[LivenessSession]) -> Joins:
    """When members of a group joined, in order, by group and the name that their ids begin with."""
    found: dict[tuple[str | None, str], list[int]] = defaultdict(list)
    for session in sessions:
        if session.joined_at is not None and (name := _name_of(session)) is not None:
            found[session.group_id, name].append(session.joined_at)
    return {of: sorted(times) for of, times in found.items()}


def _name_of(session: LivenessSession) -> str | None:
    """The client's id that a member's begins with, as far as only a coordinator tells of it."""
    return client_of_member(session.member_id) if session.profile is None else None


def _next_of_its_name(session: LivenessSession, joins: Joins) -> str | None:
    """That a member of the same name joined later, and when; None where none did."""
    name, ended_at = _name_of(session), session.ended_at
    if name is None or ended_at is None:
        return None
    times = joins.get((session.group_id, name), ())
    later = bisect_left(times, ended_at)
    if later == len(times):
        return None
    after = span(times[later] - ended_at)
    return f"{after} later {name} joined under a new member id: it came back, or another of that name came."


def _in_a_row(sessions: list[LivenessSession]) -> Iterator[list[LivenessSession]]:
    """Memberships of one consumer that ended alike, each begun by the return from the one before: a loop."""
    members: dict[tuple[str, int, str | None, str | None], list[LivenessSession]] = defaultdict(list)
    for session in sessions:
        if session.ended_at is not None:
            key = (session.unit_id, session.incarnation, session.client_id, session.group_id)
            members[key].append(session)
    for of_member in members.values():
        row: list[LivenessSession] = []
        for session in sorted(of_member, key=lambda one: (one.ended_at or 0, one.session_id)):
            if row and not _returned(row[-1], session):
                yield row
                row = []
            row.append(session)
        yield row


def _returned(before: LivenessSession, after: LivenessSession) -> bool:
    is_next = before.rejoined_at is not None and before.rejoined_at == after.joined_at
    return is_next and before.outcome == after.outcome


def _repeated(incident: Incident, row: list[LivenessSession]) -> Incident:
    """Tell the worst one, and say how often it came."""
    if len(row) == 1:
        return incident
    incident.title = f"{incident.title} ({len(row)} times in a row)"
    starts = [at for session in row if (at := session.last_poll_at or session.ended_at) is not None]
    incident.lasts(min(starts), row[-1].rejoined_at)
    incident.event_ids = list(dict.fromkeys(event_id for session in row for event_id in session.event_ids))
    incident.subject_ids = [session.session_id for session in row]
    incident.incident_id = incident_id(incident.scope_id, incident.kind, incident.subject_ids[0])
    return incident


def _badness(session: LivenessSession) -> tuple[int, str]:
    return (session.max_poll_gap_ms or 0, session.session_id)


def _slow_poll(session: LivenessSession, scope_id: str) -> Incident:
    limit = _limit_of(
        session, POLL, session.max_poll_interval_ms, since=session.last_poll_at or session.joined_at
    )
    gap_ms = session.max_poll_gap_ms
    if gap_ms is None or (limit.ms is not None and gap_ms < limit.ms):
        took = "it did not call poll() in time"
    else:
        took = f"its processing took {span(gap_ms)} between polls"
        if limit.ms is not None and gap_ms - limit.ms < NOTICED_MS:
            took = f"it did not call poll() for {span(gap_ms)} at least"
    return _kicked_out(
        session,
        scope_id,
        why=f"{took}{limit.known or f' ({POLL})'}",
        cause=f"No poll() within {limit.in_cause}{POLL_ALONE} {limit.sentence}",
        confidence="proven",
        actor="application",
        tells_more=("What the application did between the two polls: its own lines, a thread dump.",),
        advice="Find what held the processing up. Fewer records per poll (max.poll.records), or a longer "
        "max.poll.interval.ms at the cost of noticing a stuck member later.",
        observed_ms=gap_ms,
        limit_ms=limit.ms,
        limit_origin=limit.origin,
    )


def _silent(session: LivenessSession, scope_id: str) -> Incident:
    if session.was_loaded:
        return _never_heard(session, scope_id)
    name = _session_setting(session)
    limit = _limit_of(session, name, session.session_timeout_ms, since=session.joined_at)
    library = _library(session)
    observed_ms = _between(session.last_heartbeat_at, session.ended_at)
    if observed_ms is not None and limit.ms is not None and observed_ms < limit.ms:
        observed_ms = None  # that heartbeat came too late: the broker had counted to its limit before it
    seen = (
        f"the last one is from {span(observed_ms)} before"
        if observed_ms is not None
        else "when the last one in time was sent is not in this log"
    )
    return _kicked_out(
        session,
        scope_id,
        why=f"no heartbeat arrived within {limit.words}",
        cause=f"No heartbeat got through within {limit.in_cause}; {seen}. {limit.sentence} {_who_may_be_silent(library)}",
        confidence="proven",
        actor="unknown",
        tells_more=(
            "The log of the garbage collector and of the container at that time.",
            "Whether other clients on the same host, or of the same broker, lost their sessions too.",
        ),
        advice=f"{_look_first(library)}Look for a long garbage collection, a frozen container or a killed process at that "
        f"time, then at the network. A longer {name} hides short standstills, and notices dead members later.",
        observed_ms=observed_ms,
        limit_ms=limit.ms,
        limit_origin=limit.origin,
    )


def _never_heard(session: LivenessSession, scope_id: str) -> Incident:
    limit = _limit_of(session, SESSION, session.session_timeout_ms, since=None)
    return _kicked_out(
        session,
        scope_id,
        why="its coordinator knew it from before it began, and never heard of it",
        cause="Its coordinator read it from __consumer_offsets as it began, or took the group over, and no heartbeat came "
        f"within {limit.in_cause} from then on. {limit.sentence} Its process had ended while that broker was away, or was "
        "started again.",
        confidence="proven",
        actor="unknown",
        tells_more=("Its own log of the time in which the broker was away.",),
        advice="Nothing, where the consumer was stopped or started again with its broker: until the coordinator gives such "
        "a member up, nobody has its partitions, and whoever joins waits. Else see why its process ended.",
        limit_ms=limit.ms,
        limit_origin=limit.origin,
    )


def _gave_up(session: LivenessSession, scope_id: str) -> Incident:
    """What is final ends its heartbeats; the coordinator learns of it as its session is over."""
    removed = (
        " The coordinator removed it when its session was over."
        if session.outcome == "session_expired"
        else ""
    )
    return _kicked_out(
        session,
        scope_id,
        why="an error that is final had ended it",
        cause=f"It met an error that its client does not get over (FATAL), and sent no heartbeat any more.{removed}",
        confidence="proven",
        actor="unknown",
        tells_more=("Its line at ERROR just before: that error.",),
        advice="Mend what that error names, and make a new consumer: this one does not join again.",
    )


def _session_setting(session: LivenessSession) -> str:
    """What bounds its silence: of groups that are not classic (KIP-848, 932, 1071) a setting of the brokers."""
    profile = session.profile
    if profile is None:
        return SESSION
    kind = profile.group_protocol
    if profile.client_kind == "share":
        kind = "share"
    return SESSION if kind == "classic" else f"group.{kind}.{SESSION}"


def _library(session: LivenessSession) -> str | None:
    """Whose member it was: by the client's own lines, else by its id, where nobody chose that."""
    if session.profile is not None and session.profile.library != JAVA:
        return session.profile.library
    by_id = client_of_id(session.member_id) or client_of_id(session.client_id)
    says_so = session.profile is not None and session.profile.version is not None
    return by_id or (JAVA if says_so or session.last_heartbeat_at is not None else None)


def _who_may_be_silent(library: str | None) -> str:
    """Whether slow processing may be why no heartbeat came: only where the loop that processes sends them, too."""
    stood = "the process stood still or died, or the network or the broker did"
    if library in HEARTBEATS_BETWEEN:
        return (
            f"The heartbeats of {library} are sent by the loop that runs the processing, too: one piece of it that took "
            f"longer does this. Else {stood}."
        )
    if library is None:
        return (
            f"With clients that send heartbeats from a thread of their own (Java's, librdkafka, Go's), {stood}; with those "
            "that send them from the loop that processes (aiokafka, kafkajs, ruby-kafka) slow processing does this, too."
        )
    return f"Slow processing does not do this: {stood}."


def _look_first(library: str | None) -> str:
    if library not in HEARTBEATS_BETWEEN:
        return ""
    return "See first what the application did then: a call that blocks its loop belongs on a thread of its own. "


def _missed_rebalance(session: LivenessSession, scope_id: str) -> Incident:
    limit = _limit_of(session, POLL, session.max_poll_interval_ms, since=None)
    return _kicked_out(
        session,
        scope_id,
        why="it did not join a rebalance in time",
        cause="The group rebalanced, and this member did not come back to poll() before the rebalance "
        "timeout: the largest max.poll.interval.ms of the members.",
        confidence="proven",
        actor="application",
        advice="Look at what it processed while the group rebalanced; the remedies are those of slow processing.",
        limit_ms=limit.ms,
        limit_origin=limit.origin,
    )


def _fenced(session: LivenessSession, scope_id: str) -> Incident:
    whose = f"its group.instance.id {session.group_instance_id or ''}".rstrip()
    return _kicked_out(
        session,
        scope_id,
        why=f"another member took {whose}",
        cause=f"The coordinator fenced it: another member joined with {whose}.",
        confidence="proven",
        actor="settings",
        advice="Give each member its own group.instance.id, and stop the old one before the new one starts: a second "
        "process, or another consumer of this one, has the same. A fenced member does not join again; make a new one.",
    )


def _ended_somehow(session: LivenessSession, scope_id: str) -> Incident:
    return _kicked_out(
        session,
        scope_id,
        why="why is not in these logs",
        cause="The broker no longer knew the member. What made it forget is not in these logs.",
        confidence="unknown",
        actor="unknown",
        tells_more=("The coordinator's log (kafka.coordinator.group at INFO) of that time.",),
        advice="The coordinator's log (kafka.coordinator.group at INFO) names the reason. The text of a "
        "CommitFailedException blames max.poll.interval.ms whatever the cause was.",
    )


def _kicked_out(
    session: LivenessSession,
    scope_id: str,
    *,
    why: str,
    cause: str,
    confidence: str,
    advice: str,
    actor: str,
    tells_more: tuple[str, ...] = (),
    observed_ms: int | None = None,
    limit_ms: int | None = None,
    limit_origin: str | None = None,
) -> Incident:
    who = session.client_id or session.member_id or "a member"
    library = _library(session)
    group = f"group {session.group_id}" if is_named(session.group_id) else "its group"
    return of_episodes(
        f"membership_{session.outcome}",
        scope_id,
        [session],
        started_at=_began_at(session),
        ended_at=session.rejoined_at,
        title=f"Consumer {who} was kicked out of {group}: {in_words_of(library, why)}",
        cause=in_words_of(library, cause),
        cause_confidence=confidence,
        impact="delayed",
        advice=in_words_of(library, advice),
        subject_ids=[session.session_id],
        observed_ms=observed_ms,
        limit_ms=limit_ms,
        limit_origin=limit_origin,
        actor=actor,
        tells_more=tells_more,
        places=[
            f"{what}:{name}"
            for what, name in (("group", session.group_id), ("group.instance.id", session.group_instance_id))
            if name
        ],
    )


def _began_at(session: LivenessSession) -> int | None:
    """The last poll, where that ran out and is known; else when it was out: an incident without a time alerts nobody."""
    if session.outcome == "poll_expired" and session.last_poll_at is not None:
        return session.last_poll_at
    return session.ended_at


def _came_back(session: LivenessSession, joins: Joins) -> str:
    away_ms = _between(session.ended_at, session.rejoined_at)
    if away_ms is not None:
        return f"It was a member again after {span(away_ms)}."
    if session.profile is not None and session.profile.library == LIBRDKAFKA and session.joined_at is None:
        if session.member_id is not None:  # debug=cgrp is on, and of KIP-848 it names members, and no join
            return "Whether it came back these lines do not tell."
        return "Whether it came back is not logged: librdkafka tells its joins with debug=cgrp only."
    # Its own log is not there, and the coordinator knows whoever comes by a new id.
    if session.profile is None:
        not_told = "Whether it came back under a new member id these lines do not tell."
        return _next_of_its_name(session, joins) or not_told
    return "It did not come back in these logs."


def _limit_of(session: LivenessSession, name: str, named_ms: int | None, since: int | None) -> Limit:
    """The limit of a membership that ran out: as a line names it, as set, or at most the time since it began to count."""
    known_ms, origin = limit_of(session, name)
    if named_ms is not None and named_ms != known_ms:
        known_ms, origin = named_ms, "named"
    at_most_ms = _between(since, session.ended_at)
    return limit_from(
        name, known_ms, origin, at_most_ms=at_most_ms if at_most_ms and at_most_ms > 0 else None
    )


def _between(start: int | None, end: int | None) -> int | None:
    return None if start is None or end is None else end - start
