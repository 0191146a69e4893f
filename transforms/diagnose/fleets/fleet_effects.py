"""What else went wrong for clients of a lost broker while it was away: timers and memberships that ran out."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from transforms.diagnose.causes.brokers import ABSENCES
from transforms.diagnose.fleets.fleet_clusters import NEAR_MS, Cluster, fault_of
from transforms.diagnose.incident import Incident, is_of_broker
from transforms.diagnose.wording.catalogue import OTHER, SAID_AT_ERROR, SAID_TO_FAIL

# Its process and client.id; None: of lines that name no client, any of that process.
Client = tuple[str, str | None]
MEMBERS = ""  # in its place: all members of a broker that was away, whatever they are called
UNEXPLAINED = (OTHER, SAID_TO_FAIL, SAID_AT_ERROR)  # of no client that is named these may be about anything
EVICTED = "membership_session_expired"
# Actors: what an application's code did, it did with any broker.
OWN_DOING, SETTINGS = "application", "settings"
# A coordinator ends a transaction that stays open, and what its producer lost the broker for it could not end in time.
CUT_SHORT = ("transaction_timed_out", "producer_fenced")
TRANSACTION = "transactional.id:"


class Effects:
    """Incidents by client and time, to find those beside a cause. incidents: in order of time, those without one first.

    benign: of them those that name a broker tell whose clients lost it, too: a connection that broke off, and was got over,
    costs its member the session all the same where that broker was its coordinator, and was away.
    """

    def __init__(self, incidents: Sequence[Incident], benign: Iterable[Incident] = ()) -> None:
        self._place_in_time = {one.incident_id: place for place, one in enumerate(incidents)}
        self._witnesses: dict[str, list[Incident]] = defaultdict(list)
        for one in benign:
            for place in filter(is_of_broker, one.places):
                self._witnesses[place].append(one)
        self._of_client: dict[Client, list[Incident]] = defaultdict(list)
        for one in incidents:
            for client in (*_clients(one), *_nobodys(one), *_members(one, (EVICTED,))):
                self._of_client[client].append(one)
        self._times: dict[Client, _Times] = {}
        self._of_transaction: dict[str, list[Incident]] = defaultdict(list)
        for one in incidents:
            for place in _transactions(one):
                self._of_transaction[place].append(one)

    def of(self, cluster: Cluster) -> list[Incident]:
        """Incidents of the cluster's clients in its time that are told of no other broker, in order of time."""
        if cluster.key[0] != "connection":
            return []
        beside = {
            one.incident_id: one
            for cause in (*cluster.members, *self._witnesses_of(cluster))
            for client in (*_clients(cause), *_process(cause), *_members(cause, ABSENCES))
            for one in self._times_of(client).beside(cause)
        }
        for one in cluster.members:
            beside.pop(one.incident_id, None)
        is_other = (_is_own, _is_elsewhere, _was_out_before)
        found = [one for one in beside.values() if not any(told(one, cluster) for told in is_other)]
        by_id = {one.incident_id: one for one in (*found, *self._told_by_coordinators(found, cluster))}
        return [by_id[it] for it in sorted(by_id, key=self._place_in_time.__getitem__)]

    def _told_by_coordinators(self, found: Iterable[Incident], cluster: Cluster) -> Iterator[Incident]:
        """What coordinators tell of the transactions that were cut short."""
        for place in sorted({place for one in found for place in _transactions(one)}):
            yield from cluster.shown_by(self._of_transaction[place])

    def _witnesses_of(self, cluster: Cluster) -> Iterator[Incident]:
        """What other clients met of a broker that tells itself that it was away then."""
        absent = {place for one in cluster.own_words for place in one.places}
        for place in sorted(absent & self._witnesses.keys()):
            yield from cluster.shown_by(self._witnesses[place])

    def _times_of(self, client: Client) -> "_Times":
        if client not in self._times:  # most clients lost no broker
            self._times[client] = _Times(self._of_client[client])
        return self._times[client]


class _Times:
    """One client's incidents; of those that begin before a time, only as many are looked at as may last until it."""

    def __init__(self, incidents: Iterable[Incident]) -> None:
        incidents = list(incidents)
        self._timed = [one for one in incidents if one.started_at is not None]
        self._starts = [one.started_at or 0 for one in self._timed]
        self._until = list(accumulate((_end(one) for one in self._timed), max))

    def beside(self, cause: Incident) -> Iterator[Incident]:
        if cause.started_at is None:  # what came of it can't be told
            return
        place = bisect_right(self._starts, _end(cause) + NEAR_MS)
        while place and self._until[place - 1] + NEAR_MS >= cause.started_at:
            place -= 1
            if _end(self._timed[place]) + NEAR_MS >= cause.started_at:
                yield self._timed[place]


def _members(one: Incident, kinds: Sequence[str]) -> Iterator[Client]:
    """The members of a coordinator, where an incident is of these kinds."""
    if one.kind in kinds:
        yield one.unit_id, MEMBERS


def _process(one: Incident) -> Iterator[Client]:
    """Whoever in the process of a client that lost a broker names no client."""
    if one.kind not in ABSENCES:
        yield one.unit_id, None


def _nobodys(one: Incident) -> Iterator[Client]:
    if not one.client_ids and one.kind not in UNEXPLAINED:
        yield one.unit_id, None


def _clients(one: Incident) -> Iterator[Client]:
    for client_id in one.client_ids:
        yield one.unit_id, client_id


def _transactions(one: Incident) -> Iterator[str]:
    """The transactions that an incident tells to be cut short."""
    return (place for place in one.places if place.startswith(TRANSACTION) and one.kind in CUT_SHORT)


def _end(one: Incident) -> int:
    return one.ended_at or one.started_at or 0


def _is_own(one: Incident, cluster: Cluster) -> bool:
    """Whether it is of its own making: of its application's code, or of settings, where that is proven or the broker was
    back.
    """
    is_after = one.started_at is not None and cluster.until is not None and one.started_at > cluster.until
    is_sure = is_after or one.cause_confidence == "proven"
    is_cut_short = one.kind in CUT_SHORT and not is_after
    return (one.actor == OWN_DOING and not is_cut_short) or (is_sure and one.actor == SETTINGS)


def _was_out_before(one: Incident, cluster: Cluster) -> bool:
    """Whether it is of a membership that had ended when the broker's own log says that it went. What began before that as a
    wait (a batch) may have ended by it; where poll() was late, that is its application's doing.
    """
    went = [word.started_at for word in cluster.own_words if word.started_at is not None]
    is_out = fault_of(one.kind) == "membership" and one.started_at is not None
    return bool(went) and is_out and (one.started_at or 0) < min(went)


def _is_elsewhere(one: Incident, cluster: Cluster) -> bool:
    """Whether it is told of another broker."""
    brokers = {place for place in one.places if place.startswith("broker:")}
    return bool(brokers) and cluster.key[1].startswith("broker:") and cluster.key[1] not in brokers
