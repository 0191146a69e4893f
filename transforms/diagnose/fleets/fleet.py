"""Incidents of several processes that are one: the same broker, topic, group or application, in the same time.

The third stage, after units and groups: a pure function over all their incidents. What the fleet suffers is one incident
with members (`parent_incident_id`); the members stay as they are.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from transforms.diagnose.causes.brokers import ABSENCES, RESTARTED
from transforms.diagnose.fleets.fleet_clusters import (
    JOINED_BY,
    SERVICE,
    TELLS_WHY,
    Cluster,
    Clusters,
    fault_of,
)
from transforms.diagnose.fleets.fleet_effects import Effects
from transforms.diagnose.fleets.parts import has_part
from transforms.diagnose.incident import IMPACTS, Incident, fingerprint_of, incident_id, kafka_clusters_of
from transforms.diagnose.troubles.trouble_places import LOCAL
from transforms.diagnose.wording.words import counted, listed, span

SCOPE = "fleet"
MOST_EVENTS = 200  # of the members' lines: examples are enough
_NOUNS = {
    "broker": "broker",
    "address": "the broker at",
    "topic": "topic",
    "group": "group",
    "group.instance.id": "group.instance.id",
    "transactional.id": "transactional.id",
    "service": "application",
}
_KINDS = {
    "broker": "fleet_broker",
    "address": "fleet_broker",
    "topic": "fleet_topic",
    "group": "fleet_group",
    "group.instance.id": "fleet_group",
    "transactional.id": "fleet_transaction",
    "service": "fleet_application",
}
_SAME_TIME = " in the same time: it is the broker, or the network before it."
_EACH_ITS_OWN = " Each host has its own of that name: of processes on several hosts each lost another."
_NO_TIME = "; whether in the same time these lines, which have none, do not tell."
_WHY = {
    "broker": "Several processes lost the same broker{when}",
    "address": "Several processes lost the same address{when}",
    "topic": "That several processes have it with the same topic speaks for the topic or its brokers.",
    "group": "They are members of one group: one member's trouble makes all of them rebalance.",
    "group.instance.id": "They speak of one group.instance.id: what its coordinator refused, and the member that met it.",
    "transactional.id": "They speak of one transactional.id: what its coordinator ended, and what its producers then met.",
    "service": "They are processes of one application: its code, its settings or what all of them use.",
}
# To who runs a broker, before what the clients' own do that met it.
_SEE_BROKER = (
    "See by the broker's own log, and on its host, what it did in that time, and whether it could be reached."
)
# Of an application whose processes met what others have to mend.
_NOT_ITS_OWN = "Several processes of one application met it."
OTHERS = frozenset({"broker", "network"})
OF_BROKER = ("broker", "address")
_WAS_MEANT = (
    "Nothing where that restart was meant: clients get over it by themselves. Where it cost records or memberships, their "
    "limits (delivery.timeout.ms, session.timeout.ms) are shorter than such a restart takes."
)


def fleet_incidents(incidents: Iterable[Incident]) -> list[Incident]:
    """The fleet's incidents; sets `parent_incident_id` of their members, and takes it from those that are none.

    incidents: of units and groups, in any order. What is benign belongs to no fleet's, but that a broker was away; whose
    clients lost that one it tells all the same.
    """
    every = sorted(incidents, key=_time)
    for one in every:
        one.parent_incident_id = None
    troubles = [one for one in every if one.verdict != "benign" or one.kind in ABSENCES]
    clusters = Clusters(troubles)
    effects = Effects(troubles, (one for one in every if one.verdict == "benign"))
    found = []
    while cluster := clusters.largest():
        suffered = [one for one in effects.of(cluster) if one.parent_incident_id is None]
        members = [*cluster.members, *suffered]
        fleet = _incident(cluster, members)
        for one in members:
            one.parent_incident_id = fleet.incident_id
        clusters.take(members)
        found.append(fleet)
    return sorted(found, key=_time)


def former_ids(places: Iterable[str], members: Mapping[str, str]) -> set[str]:
    """The ids that a fleet's incident has had if another of its members was the first. members: id to kind."""
    faults = {*JOINED_BY, *members.values()}
    return {
        incident_id(SCOPE, f"{fault} {place}", first)
        for place in places
        for fault in faults
        for first in members
    }


def _time(one: Incident) -> tuple[bool, int, str]:
    return one.started_at is not None, one.started_at or 0, one.incident_id


def _incident(cluster: Cluster, members: Sequence[Incident]) -> Incident:
    fault, place = cluster.key
    what, _, name = place.partition(":")
    own, usual = cluster.own_words, _usual(cluster)
    others = [one for one in members if one.kind not in ABSENCES]
    started_at, ended_at = _times(members, others)
    is_long = started_at is not None and ended_at is not None and ended_at > started_at
    lasted = f" for {span((ended_at or 0) - (started_at or 0))}" if is_long else ""
    who, told = _who(members, {one.unit_id for one in others} - {one.unit_id for one in own}), _told(others)
    met = (
        f"of {_NOUNS[what]} {name} had trouble"
        if what == SERVICE
        else f"had trouble with {_NOUNS[what]} {name}"
    )
    first = cluster.members[0]
    services = {one.service for one in members}
    actor, advice = _who_acts(what, usual, is_dated=started_at is not None)
    fleet = Incident(
        incident_id=incident_id(SCOPE, f"{fault} {place}", first.incident_id),
        kind=_KINDS[what],
        started_at=started_at,
        ended_at=ended_at,
        title=f"{who} {met}{lasted}: {told}",
        cause=f"{_why(what, name, usual, is_dated=started_at is not None)} The first of them: {usual.cause}",
        cause_confidence="inferred" if started_at is not None else "unknown",
        verdict="broken" if any(one.verdict == "broken" for one in members) else "as_designed",
        impact=min((one.impact for one in members), key=IMPACTS.index),
        observed_ms=None,
        limit_ms=None,
        limit_origin=None,
        advice=advice,
        client_ids=sorted({client_id for one in members for client_id in one.client_ids}),
        event_ids=list(dict.fromkeys(event_id for one in members for event_id in one.event_ids[:1]))[
            :MOST_EVENTS
        ],
        unit_id=SCOPE,
        incarnation=0,
        scope_id=SCOPE,
        service=services.pop() if len(services) == 1 else None,
        instance=None,
        subject_ids=[one.incident_id for one in members],
        rule_ids=sorted({rule_id for one in members for rule_id in one.rule_ids}),
        actor=actor,
        fingerprint=fingerprint_of(f"fleet {fault} {place}"),
        tells_more=["The broker's own log of that time."] if what in OF_BROKER else list(usual.tells_more),
        places=[place, *kafka_clusters_of(members)],
    )
    if own:
        _told_by_itself(fleet, own, f"{who} had trouble with it{lasted}: {told}")
    return fleet


def _why(what: str, name: str, usual: Incident, *, is_dated: bool) -> str:
    """What several processes having met it says of it. usual: whose words it has; is_dated: whether it has a time."""
    why = _NOT_ITS_OWN if what == SERVICE and usual.actor in OTHERS else _WHY[what]
    why = why.format(when=_SAME_TIME if is_dated else _NO_TIME)
    return why + _EACH_ITS_OWN if what == "address" and LOCAL.search(name) else why


def _who_acts(what: str, usual: Incident, *, is_dated: bool) -> tuple[str, str]:
    """Who acts, and on what advice: of a broker that several lost in the same time who runs it, whoever each is told to."""
    if what not in OF_BROKER or not is_dated:
        return usual.actor, usual.advice
    return "broker", usual.advice if usual.actor in OTHERS else f"{_SEE_BROKER} {usual.advice}"


def _usual(cluster: Cluster) -> Incident:
    """Whose words it has: of those that say why, where there are any, and of memberships what ended them, not what came of
    that. Of kinds that came as often the fault's own, then the one that cost most; of those at once the one that says by
    which limit: a coordinator knows less of it than its client.
    """
    fault, _ = cluster.key
    met_it = [one for one in cluster.met_it if fault_of(one.kind) in TELLS_WHY] or cluster.met_it
    if fault == "membership":
        ends = {one.kind for one in met_it}
        met_it = [one for one in met_it if not any(has_part(end, one.kind) for end in ends)] or met_it
    kinds = Counter(one.kind for one in met_it)
    most_common = max(
        met_it, key=lambda one: (kinds[one.kind], one.kind.startswith(fault), -IMPACTS.index(one.impact))
    ).kind
    alike = [one for one in met_it if one.kind == most_common]
    return min(alike, key=lambda one: (one.started_at != alike[0].started_at, one.limit_ms is None))


def _times(members: Sequence[Incident], others: Iterable[Incident]) -> tuple[int | None, int | None]:
    """When it began and ended; no end while one goes on that is not the broker's own absence. others: those that are not."""
    starts = [one.started_at for one in members if one.started_at is not None]
    ends = [at for one in members if (at := one.ended_at or one.started_at) is not None]
    goes_on = any(one.ended_at is None and one.started_at is not None for one in others)
    return min(starts, default=None), None if goes_on else max(ends, default=None)


def _told_by_itself(fleet: Incident, own: Sequence[Incident], met: str) -> None:
    """Of a broker whose own log tells of its absence that is the cause; of several absences the worst. met: by whom."""
    word = min(own, key=lambda one: ABSENCES.index(one.kind))
    fleet.title = f"{word.title}; {met}"
    fleet.cause = f"The broker's own log tells it. {word.cause}"
    fleet.advice = _WAS_MEANT if word.kind == RESTARTED else word.advice
    fleet.tells_more = list(word.tells_more)
    fleet.event_ids = list(dict.fromkeys([*word.event_ids, *fleet.event_ids]))[:MOST_EVENTS]


def told_once(members: Iterable[Incident]) -> list[Incident]:
    """Without those that tell from a line of which another of their kind tells: a coordinator's, and its client's by it."""
    found, proofs = [], set[tuple[str, str]]()
    for one in sorted(members, key=lambda one: -len(one.event_ids)):
        proof = {(one.kind, event_id) for event_id in one.event_ids}
        if proofs.isdisjoint(proof):
            found.append(one)
        proofs |= proof
    return found


def _told(members: Sequence[Incident]) -> str:
    kinds = Counter(one.kind for one in told_once(members))
    return listed(
        [
            f"{kind.replace('_', ' ')} ({number})"
            for kind, number in sorted(kinds.items(), key=lambda kv: (-kv[1], kv[0]))
        ]
    )


def _who(members: Iterable[Incident], units: Collection[str]) -> str:
    """Clients and processes that met it; some lines name no client. units: without the broker's own."""
    clients = len({(one.unit_id, client_id) for one in members for client_id in one.client_ids})
    processes = len(units)
    of = f"{counted(clients, 'client')} of " if clients >= processes else ""
    return f"{of}{processes} {'process' if processes == 1 else 'processes'}"
