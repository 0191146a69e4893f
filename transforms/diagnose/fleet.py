"""Incidents of several processes that are one: the same broker, topic, group or application, in the same time.

The third stage, after units and groups: a pure function over all their incidents. What the fleet suffers is one incident
with members (`parent_incident_id`); the members stay as they are.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from transforms.diagnose.catalogue import classes
from transforms.diagnose.incident import Incident, fingerprint_of, incident_id
from transforms.diagnose.troubles import FAULT_OF
from transforms.diagnose.words import counted, listed, span

SCOPE = "fleet"
NEAR_MS = 60_000  # what follows within a minute is of the same time
LEAST_PROCESSES = 2
MOST_EVENTS = 200  # of the members' lines: examples are enough
# The kind of place that joins the incidents of a fault; of others the application does.
JOINED_BY = {
    "connection": ("broker", "address"),
    "coordinator": ("broker", "address"),
    "metadata": ("topic",),
    "delivery": ("topic",),
    "membership": ("group",),
    "transaction": ("transactional.id",),
}
# Faults that an application joins as well: each of its processes has a transactional.id of its own.
OF_APPLICATIONS = frozenset({"transaction"})
_FAULTS = {one.kind: one.fault for one in classes()} | FAULT_OF
_IMPACTS = ("lost", "duplicated", "delayed", "unknown", "none")
_NOUNS = {
    "broker": "broker",
    "address": "the broker at",
    "topic": "topic",
    "group": "group",
    "transactional.id": "transactional.id",
    "service": "application",
}
_KINDS = {
    "broker": "fleet_broker",
    "address": "fleet_broker",
    "topic": "fleet_topic",
    "group": "fleet_group",
    "transactional.id": "fleet_transaction",
    "service": "fleet_application",
}
_WHY = {
    "broker": "Several processes lost the same broker in the same time: it is the broker, or the network before it.",
    "address": "Several processes lost the same address in the same time: it is the broker, or the network before it.",
    "topic": "That several processes have it with the same topic speaks for the topic or its brokers.",
    "group": "They are members of one group: one member's trouble makes all of them rebalance.",
    "transactional.id": "They speak of one transactional.id: what its coordinator ended, and what its producers then met.",
    "service": "They are processes of one application: its code, its settings or what all of them use.",
}


@dataclass(slots=True)
class Cluster:
    """Incidents of one fault at one place that overlap in time. key: fault and place, such as `connection broker:3`."""

    key: tuple[str, str]
    members: list[Incident] = field(default_factory=list)
    until: int | None = None

    @property
    def processes(self) -> int:
        """How many processes it met."""
        return len({one.unit_id for one in self.members})


def fleet_incidents(incidents: Iterable[Incident]) -> list[Incident]:
    """The fleet's incidents; sets `parent_incident_id` of their members, and takes it from those that are none.

    incidents: of units and groups, in any order. What is benign belongs to no fleet's.
    """
    every = sorted(incidents, key=lambda one: (one.started_at or 0, one.incident_id))
    for one in every:
        one.parent_incident_id = None
    left = [one for one in every if one.verdict != "benign"]
    keys = {one.incident_id: frozenset(_keys(one)) for one in left}
    found = []
    while len({one.unit_id for one in left}) >= LEAST_PROCESSES:
        cluster = _largest(left, keys)
        if cluster is None:
            break
        members = [*cluster.members, *_effects(cluster, left)]
        fleet = _incident(cluster, members)
        for one in members:
            one.parent_incident_id = fleet.incident_id
        taken = {one.incident_id for one in members}
        left = [one for one in left if one.incident_id not in taken]
        found.append(fleet)
    return sorted(found, key=lambda one: (one.started_at or 0, one.incident_id))


def former_ids(places: Iterable[str], members: Mapping[str, str]) -> set[str]:
    """The ids that a fleet's incident has had if another of its members was the first. members: id to kind."""
    faults = {*JOINED_BY, *members.values()}
    return {
        incident_id(SCOPE, f"{fault} {place}", first)
        for place in places
        for fault in faults
        for first in members
    }


def _largest(incidents: Sequence[Incident], keys: Mapping[str, Iterable[tuple[str, str]]]) -> Cluster | None:
    """The cluster that met the most processes; none where each met one. keys: of each incident's id."""
    names = _one_name_each(incidents)
    clusters: dict[tuple[str, str], list[Cluster]] = defaultdict(list)
    for one in incidents:
        for key in {(fault, names.get(place, place)) for fault, place in keys[one.incident_id]}:
            _into(clusters[key], key, one)
    several = [one for some in clusters.values() for one in some if one.processes >= LEAST_PROCESSES]
    return max(several, key=lambda one: (one.processes, len(one.members), one.key), default=None)


def _into(clusters: list[Cluster], key: tuple[str, str], one: Incident) -> None:
    """To the cluster of its time; incidents come in order of time, those without one first."""
    cluster = clusters[-1] if clusters else None
    is_over = cluster is not None and (
        (cluster.until is None) != (one.started_at is None)
        or (
            one.started_at is not None
            and cluster.until is not None
            and one.started_at > cluster.until + NEAR_MS
        )
    )
    if cluster is None or is_over:
        cluster = Cluster(key)
        clusters.append(cluster)
    cluster.members.append(one)
    ends = [at for at in (cluster.until, one.ended_at, one.started_at) if at is not None]
    cluster.until = max(ends, default=None)


def _keys(one: Incident) -> Iterator[tuple[str, str]]:
    fault = "membership" if one.kind.startswith("membership_") else _FAULTS.get(one.kind, one.kind)
    joined_by = JOINED_BY.get(fault, ())
    if one.service and (not joined_by or fault in OF_APPLICATIONS):
        yield one.kind, f"service:{one.service}"
    for place in one.places:
        if place.partition(":")[0] in joined_by:
            yield fault if fault != "coordinator" else "connection", place


def _one_name_each(incidents: Sequence[Incident]) -> dict[str, str]:
    """Addresses that belong to one broker only, as that broker."""
    brokers: dict[str, set[str]] = defaultdict(set)
    for one in incidents:
        numbers = [place for place in one.places if place.startswith("broker:")]
        addresses = [place for place in one.places if place.startswith("address:")]
        if len(numbers) == 1 and len(addresses) == 1:
            brokers[addresses[0]].add(numbers[0])
    return {address: next(iter(found)) for address, found in brokers.items() if len(found) == 1}


def _effects(cluster: Cluster, left: Sequence[Incident]) -> list[Incident]:
    """What else went wrong for clients of a lost broker while it was away: timers and memberships that ran out."""
    if cluster.key[0] != "connection":
        return []
    members = {one.incident_id for one in cluster.members}
    whose: dict[tuple[str, str], list[Incident]] = defaultdict(list)
    for one in cluster.members:
        for client_id in one.client_ids:
            whose[one.unit_id, client_id].append(one)
    return [
        one
        for one in left
        if one.incident_id not in members
        and not _is_elsewhere(one, cluster)
        and any(
            _overlap(one, cause)
            for client_id in one.client_ids
            for cause in whose.get((one.unit_id, client_id), ())
        )
    ]


def _is_elsewhere(one: Incident, cluster: Cluster) -> bool:
    """Whether it is told of another broker."""
    brokers = {place for place in one.places if place.startswith("broker:")}
    return bool(brokers) and cluster.key[1].startswith("broker:") and cluster.key[1] not in brokers


def _overlap(one: Incident, other: Incident) -> bool:
    if one.started_at is None or other.started_at is None:
        return one.started_at is other.started_at
    return (
        one.started_at <= (other.ended_at or other.started_at) + NEAR_MS
        and other.started_at <= (one.ended_at or one.started_at) + NEAR_MS
    )


def _incident(cluster: Cluster, members: Sequence[Incident]) -> Incident:
    fault, place = cluster.key
    what, _, name = place.partition(":")
    kinds = Counter(one.kind for one in cluster.members)
    worst = min(members, key=lambda one: (_IMPACTS.index(one.impact), one.incident_id))
    alike = [one for one in cluster.members if one.kind == kinds.most_common(1)[0][0]]
    # Of those at once the one that says by which limit: a coordinator knows less of it than its client.
    usual = min(alike, key=lambda one: (one.started_at != alike[0].started_at, one.limit_ms is None))
    clients = sorted({client_id for one in members for client_id in one.client_ids})
    met = {(one.unit_id, client_id) for one in members for client_id in one.client_ids}
    starts = [one.started_at for one in members if one.started_at is not None]
    ends = [at for one in members if (at := one.ended_at or one.started_at) is not None]
    goes_on = any(one.ended_at is None and one.started_at is not None for one in members)
    is_long = bool(starts) and not goes_on and max(ends) > min(starts)
    lasted = f" for {span(max(ends) - min(starts))}" if is_long else ""
    of_broker = what in ("broker", "address")
    services = {one.service for one in members}
    first = cluster.members[0]
    return Incident(
        incident_id=incident_id(SCOPE, f"{fault} {place}", first.incident_id),
        kind=_KINDS[what],
        started_at=min(starts, default=None),
        ended_at=None if goes_on else max(ends, default=None),
        title=f"{counted(len(met), 'client')} of {_processes(cluster.processes)} had trouble with {_NOUNS[what]} {name}"
        f"{lasted}: {_told(members)}",
        cause=f"{_WHY[what]} The first of them: {usual.cause}",
        cause_confidence="inferred",
        verdict="broken" if any(one.verdict == "broken" for one in members) else "as_designed",
        impact=worst.impact,
        observed_ms=None,
        limit_ms=None,
        limit_origin=None,
        advice=usual.advice,
        client_ids=clients,
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
        actor="broker" if of_broker else usual.actor,
        fingerprint=fingerprint_of(f"fleet {fault} {place}"),
        tells_more=["The broker's own log of that time."] if of_broker else list(usual.tells_more),
        places=[place],
    )


def _told(members: Sequence[Incident]) -> str:
    kinds = Counter(one.kind for one in members)
    return listed(
        [
            f"{kind.replace('_', ' ')} ({number})"
            for kind, number in sorted(kinds.items(), key=lambda kv: (-kv[1], kv[0]))
        ]
    )


def _processes(number: int) -> str:
    return f"{number} processes"
