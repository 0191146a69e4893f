"""Groups that rebalance again and again: how often, who asks for it, why; and members that fell silent with a rebalance."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from transforms.diagnose.incident import Incident, of_episodes
from transforms.diagnose.wording.words import counted, listed, span
from transforms.events import is_named
from transforms.timers.episodes import Episode, GroupRebalance, LivenessSession
from transforms.timers.groups.group_rebalances import Rebalance

NEAR_MS = 300_000  # from the begin of one to the begin of the next
FEWEST = 5  # in a row, where members were removed
MANY = 10  # where they only came and went, as in a deployment, or where no line says why
# A generation is one rebalance: of 20 members that are deployed each day, each leaving and joining, this is seven years.
NEVER_DEPLOYED = 100_000
PASSING = 3  # members that joined and were gone again: of a deployment's, those stay that joined
ONE_MOMENT_MS = 1
SHORTLY_MS = 60_000
# What asks for a rebalance, in words; what of it is trouble by itself.
WHY = {
    "member_failed": "members were removed, as no heartbeat or poll of theirs came in time",
    "joined": "members joined",
    "left": "members left",
    "metadata_changed": "the topics or their partitions changed",
    "leader_rejoined": "the leader of the group joined again",
}
REMOVED = "member_failed"
ADVICE = {
    REMOVED: "See why the members that asked most often were removed: their own logs of that time tell a missed poll from a "
    "missing heartbeat.",
    "joined": "See whether the members that join are new processes (a deployment, a scaler, a crash loop) or old ones that "
    "come back: the same name again and again is one that does not live.",
    "left": "See why members leave: a deployment, a scaler, or consumers that are made and closed for each piece of work.",
    "metadata_changed": "See which topics come and go, and whether a subscription by pattern takes in more than it should.",
    "leader_rejoined": "See what its leader's process says at that time: a subscription that is made anew, or a poll that "
    "comes late (max.poll.interval.ms), lets it join again. Connect workers do so whenever a connector is made, changed or "
    "removed.",
}
NOT_SAID = (
    "The coordinator's log (kafka.coordinator.group, INFO) says for each rebalance who asked for it, and why."
)


def storm_incidents(
    rebalances: Iterable[GroupRebalance], scope_id: str, replacing: Collection[str] = ()
) -> Iterator[Incident]:
    """One incident per row of rebalances that follow each other, too many to be a deployment's.

    replacing: ids of those after which nobody was left that had been there before (`replacing_ids`).
    """
    groups: dict[tuple[str, str | None], list[GroupRebalance]] = defaultdict(list)
    for one in rebalances:
        if _at(one) is not None:
            groups[one.unit_id, one.group_id].append(one)
    for of_group in groups.values():
        for row in _rows(sorted(of_group, key=lambda one: (_at(one) or 0, one.rebalance_id))):
            if _is_storm(row) or len(_passing(row, replacing)) >= PASSING:
                yield _storm(row, scope_id, replacing)


def replacing_ids(rebalances: Iterable[Rebalance]) -> set[str]:
    """Rebalances that a new member began and that left its group no larger, though no line says that one was removed."""
    return {
        one.rebalance_id
        for one in rebalances
        if one.row.trigger == "joined"
        and one.old_members
        and one.new_members is not None
        and one.new_members <= one.old_members
        and len(one.row.event_ids) == len(("prepared", "stabilized"))
    }


def silent_since_rebalance(
    found: Iterable[Incident], sessions: Sequence[LivenessSession], rebalances: Sequence[GroupRebalance]
) -> None:
    """Members that were removed in one millisecond, shortly after a rebalance, sent no heartbeat since it: say so.

    Each heartbeat sets its member's own timer, so that two that beat never run out together; the join that ends sets all.
    """
    together: dict[tuple[str | None, int], list[LivenessSession]] = defaultdict(list)
    for session in sessions:
        if session.outcome == "session_expired" and session.ended_at is not None:
            together[session.group_id, session.ended_at].append(session)
    ends, told = _ends_by_group(rebalances), _by_subject(found)
    for (group_id, ended_at), members in together.items():
        of_group = ends.get(group_id, [])
        before = bisect_left(of_group, ended_at) - 1
        if len(members) < 2 or before < 0 or ended_at - of_group[before] > SHORTLY_MS:
            continue
        passed_ms = ended_at - of_group[before]
        of_members = (incident for member in members for incident in told[member.session_id])
        for incident in {id(one): one for one in of_members}.values():
            incident.cause = (
                f"{incident.cause} {counted(len(members), 'member')} were removed in the same millisecond, "
                f"{span(passed_ms)} after the rebalance before: none of them sent a heartbeat since it, and their "
                f"session timeout is at most {span(passed_ms)} ({passed_ms} ms)."
            )


def _ends_by_group(rebalances: Iterable[GroupRebalance]) -> dict[str | None, list[int]]:
    """When the rebalances of each group ended, in order of time."""
    ends: dict[str | None, list[int]] = defaultdict(list)
    for one in rebalances:
        if one.ended_at is not None:
            ends[one.group_id].append(one.ended_at)
    return {group_id: sorted(of_group) for group_id, of_group in ends.items()}


def _by_subject(found: Iterable[Incident]) -> dict[str, list[Incident]]:
    told: dict[str, list[Incident]] = defaultdict(list)
    for incident in found:
        for subject_id in incident.subject_ids:
            told[subject_id].append(incident)
    return told


def _at(one: GroupRebalance) -> int | None:
    return one.started_at if one.started_at is not None else one.ended_at


def _rows(ordered: Sequence[GroupRebalance]) -> Iterator[list[GroupRebalance]]:
    row: list[GroupRebalance] = []
    for one in ordered:
        if row and (_at(one) or 0) - (_at(row[-1]) or 0) > NEAR_MS:
            yield row
            row = []
        row.append(one)
    if row:
        yield row


def _is_storm(row: Sequence[GroupRebalance]) -> bool:
    removed = sum(one.trigger == REMOVED for one in row)
    if (row[-1].generation or 0) >= NEVER_DEPLOYED:
        return True
    return len(row) >= (FEWEST if 2 * removed >= len(row) else MANY)


def _passing(row: Sequence[GroupRebalance], replacing: Collection[str]) -> set[str]:
    """Members, by their whole ids, that joined and were gone within one row, or took the place of one that was gone."""
    joined = {one.triggered_by: one for one in row if one.trigger == "joined" and one.triggered_by}
    gone = {one.triggered_by for one in row if one.trigger in ("left", REMOVED) and one.triggered_by}
    return {name for name, one in joined.items() if name in gone or one.rebalance_id in replacing}


def _storm(row: list[GroupRebalance], scope_id: str, replacing: Collection[str]) -> Incident:
    first, last = row[0], row[-1]
    group = first.group_id if is_named(first.group_id) else None
    began, ended = _at(first) or 0, last.ended_at or _at(last) or 0
    triggers = Counter(one.trigger for one in row if one.trigger in WHY)
    main = triggers.most_common(1)[0][0] if triggers else None
    asking = Counter(_name(one.triggered_by) for one in row if one.triggered_by)
    who = listed([f"{name} ({counted(times, 'time')})" for name, times in asking.most_common(3)])
    why = listed([f"{WHY[trigger]} ({times})" for trigger, times in triggers.most_common() if trigger])
    asked = f" Asked for by {who}." if who else ""
    passing = _passing(row, replacing)
    because = f"{why[:1].upper()}{why[1:]}" if triggers else "Why is not in these lines"
    episodes: list[Episode] = list(row)
    return of_episodes(
        "rebalance_storm",
        scope_id,
        episodes,
        started_at=began,
        ended_at=ended,
        title=f"Group {group or '(not named)'} {_how_often(row, ended - began)}"
        + (f": {WHY[main]}" if main else ""),
        cause=f"{because}.{asked}{_generations(row)}{_not_staying(passing)} While a group rebalances, its members wait; "
        "a deployment that restarts them one after the other looks the same.",
        cause_confidence="proven" if triggers else "unknown",
        impact="delayed",
        advice=ADVICE[main] if main else "Look into the coordinator's log for who asks, and why.",
        subject_ids=[one.rebalance_id for one in row],
        actor="application" if main in (REMOVED, "joined", "left") else "unknown",
        tells_more=() if triggers else (NOT_SAID,),
        places=[f"group:{group}"] if group else [],
    )


def _generations(row: Sequence[GroupRebalance]) -> str:
    first, last = row[0].generation, row[-1].generation
    if not first or not last or last < first:  # a group that was empty, and forgotten, counts from 1 again
        return ""
    return f" Generation {first}{f' to {last}' if last != first else ''}."


def _not_staying(passing: Collection[str]) -> str:
    return f" {counted(len(passing), 'member')} joined and did not stay." if passing else ""


def _how_often(row: Sequence[GroupRebalance], lasted_ms: int) -> str:
    if (row[-1].generation or 0) >= NEVER_DEPLOYED:
        return f"has rebalanced {row[-1].generation} times since it was made"
    return f"rebalanced {len(row)} times in {span(lasted_ms)}"


def _name(member_id: str | None) -> str:
    """A member id without what the coordinator made of it: a UUID of 36 characters."""
    name = member_id or ""
    return name[:-37] if len(name) > 37 and name[-37] == "-" else name
