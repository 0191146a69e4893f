"""Incidents of one fault at one place in the same time, and which of those clusters met the most processes.

The places that join incidents are said here; what a cluster is told as is said by `fleet`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from heapq import heappop, heappush
from itertools import count

from transforms.diagnose.causes.brokers import ABSENCES
from transforms.diagnose.incident import Incident, is_of_broker, kafka_clusters_of
from transforms.diagnose.troubles.troubles import EFFECTS, FAULT_OF
from transforms.diagnose.wording.catalogue import classes

NEAR_MS = 60_000  # what follows within a minute is of the same time
LEAST_PROCESSES = 2
# The kind of place that joins the incidents of a fault; of others the application does.
JOINED_BY = {
    "connection": ("broker", "address"),
    "coordinator": ("broker", "address"),
    "metadata": ("topic",),
    "delivery": ("topic",),
    "not_enough_replicas": ("topic",),
    "membership": ("group", "group.instance.id"),
    "transaction": ("transactional.id",),
}
SERVICE = "service"
# Faults that an application joins as well: each of its processes has a transactional.id of its own, or topics.
OF_APPLICATIONS = frozenset({"transaction", "not_enough_replicas"})
# Faults that are one with another at the same place; those that say why that one was met.
MET_WITH = {"coordinator": "connection", "not_enough_replicas": "delivery"}
TELLS_WHY = frozenset({"not_enough_replicas"})
_FAULTS = {one.kind: one.fault for one in classes()} | FAULT_OF
Key = tuple[str, str]


@dataclass(slots=True)
class Cluster:
    """Incidents of one fault at one place that overlap in time. key: fault and place, such as `connection broker:3`."""

    key: Key
    members: list[Incident] = field(default_factory=list)
    until: int | None = None

    @property
    def processes(self) -> int:
        """How many processes it met."""
        return len({one.unit_id for one in self.members})

    @property
    def own_words(self) -> list[Incident]:
        """What the broker that was lost tells of its absence itself."""
        return [one for one in self.members if one.kind in ABSENCES]

    @property
    def met_it(self) -> list[Incident]:
        """What others met."""
        return [one for one in self.members if one.kind not in ABSENCES]

    def is_over(self, one: Incident) -> bool:
        """Whether an incident that begins after the members is of another time."""
        if self.until is None or one.started_at is None:
            return self.until is not one.started_at
        return one.started_at > self.until + NEAR_MS

    def shown_by(self, incidents: Iterable[Incident]) -> Iterator[Incident]:
        """Those that may have come of the same: in its time, and of no other Kafka cluster."""
        known = set(kafka_clusters_of(self.members))
        for one in incidents:
            its = kafka_clusters_of([one])
            is_elsewhere = known and its and known.isdisjoint(its)
            if not is_elsewhere and self._is_of_its_time(one):
                yield one

    def _is_of_its_time(self, one: Incident) -> bool:
        """Whether it is within the members' time, or up to NEAR_MS before anything else was noticed."""
        began, at = self.members[0].started_at, one.started_at
        if began is None or at is None or self.until is None:
            return began is at
        return began - NEAR_MS <= (one.ended_at or at) and at <= self.until

    def add(self, one: Incident) -> None:
        """Take an incident that begins after the members."""
        self.members.append(one)
        ends = [at for at in (self.until, one.ended_at, one.started_at) if at is not None]
        self.until = max(ends, default=None)


class Clusters:
    """The clusters that met several processes; an incident that is taken is in none of them any more.

    A heap holds them by size, and only those that lose a member are put together anew: a lake may hold as many
    outages as hours. incidents: in order of time, those without one first.
    """

    def __init__(self, incidents: Sequence[Incident]) -> None:
        self._place_in_time = {one.incident_id: place for place, one in enumerate(incidents)}
        kafka = {one.incident_id: tuple(kafka_clusters_of([one])) for one in incidents}
        of_key: dict[Key, list[Incident]] = defaultdict(list)
        names = _one_name_each(incidents)
        for one in incidents:
            for key in {(fault, names.get(place, place)) for fault, place in _keys(one)}:
                of_key[key].append(one)
        self._rank = {key: -rank for rank, key in enumerate(sorted(of_key))}
        self._numbers = count()
        self._held: dict[int, Cluster] = {}
        self._of: dict[str, set[int]] = defaultdict(set)
        self._heap: list[tuple[bool, int, int, int, int, int]] = []
        for key, some in of_key.items():
            for of_one in _by_kafka_cluster(some, kafka):
                self._put(key, of_one)

    def largest(self) -> Cluster | None:
        """One whose broker tells of it itself, then the one that met the most processes, then of the most incidents; none
        where no fault met several."""
        while self._heap:
            cluster = self._held.get(self._heap[0][-1])
            if cluster is not None:
                return cluster
            heappop(self._heap)
        return None

    def take(self, incidents: Collection[Incident]) -> None:
        """Take incidents out of all clusters."""
        taken = {one.incident_id for one in incidents}
        for number in {number for one in taken for number in self._of.pop(one, ())}:
            cluster = self._held.pop(number)
            for one in cluster.members:
                if one.incident_id not in taken:
                    self._of[one.incident_id].discard(number)
            self._put(cluster.key, [one for one in cluster.members if one.incident_id not in taken])

    def _put(self, key: Key, incidents: Iterable[Incident]) -> None:
        for cluster in _by_time(key, incidents):
            processes, has_own = cluster.processes, bool(cluster.own_words)
            if processes < LEAST_PROCESSES or not cluster.met_it:
                continue  # and it can only lose some
            number = next(self._numbers)
            self._held[number] = cluster
            for one in cluster.members:
                self._of[one.incident_id].add(number)
            first = self._place_in_time[cluster.members[0].incident_id]
            heappush(
                self._heap, (not has_own, -processes, -len(cluster.members), self._rank[key], first, number)
            )


def _by_kafka_cluster(
    incidents: Sequence[Incident], kafka: Mapping[str, tuple[str, ...]]
) -> Iterable[Sequence[Incident]]:
    """Those of each Kafka cluster: a broker, topic or group of one is none of another's, whatever it is called. What tells
    no cluster is of the only one that there is. kafka: clusters by incident."""
    of_cluster: dict[tuple[str, ...], list[Incident]] = defaultdict(list)
    for one in incidents:
        of_cluster[kafka[one.incident_id]].append(one)
    return of_cluster.values() if len(of_cluster.keys() - {()}) > 1 else [incidents]


def _by_time(key: Key, incidents: Iterable[Incident]) -> Iterator[Cluster]:
    cluster = Cluster(key)
    for one in incidents:
        if cluster.members and cluster.is_over(one):
            yield cluster
            cluster = Cluster(key)
        cluster.add(one)
    if cluster.members:
        yield cluster


@cache
def joined_by(kind: str) -> tuple[str, ...]:
    """The kinds of places that may join incidents of a kind; `service` is their application."""
    fault = fault_of(kind)
    places = JOINED_BY.get(fault, ())
    return (*places, SERVICE) if not places or fault in OF_APPLICATIONS else places


def fault_of(kind: str) -> str:
    """What an incident of a kind is a fault of, such as `membership`; the kind itself where it is of none."""
    return "membership" if kind.startswith("membership_") else _FAULTS.get(kind, kind)


def _keys(one: Incident) -> Iterator[Key]:
    fault, places = fault_of(one.kind), joined_by(one.kind)
    if one.service and SERVICE in places:
        yield one.kind, f"{SERVICE}:{one.service}"
    for place in one.places:
        if place.partition(":")[0] in places:
            yield MET_WITH.get(fault, fault), place
        elif is_of_broker(place) and (one.kind in EFFECTS or fault == "membership"):
            yield "connection", place  # a timer that ran out, or a session, while that broker was away


def _one_name_each(incidents: Iterable[Incident]) -> dict[str, str]:
    """Addresses that belong to one broker only, as that broker."""
    brokers: dict[str, set[str]] = defaultdict(set)
    for one in incidents:
        numbers = [place for place in one.places if place.startswith("broker:")]
        addresses = [place for place in one.places if place.startswith("address:")]
        if len(numbers) == 1 and len(addresses) == 1:
            brokers[addresses[0]].add(numbers[0])
    return {address: next(iter(found)) for address, found in brokers.items() if len(found) == 1}
