"""Incidents that were told already, found by their lines, or by whose and when they are: of thousands of clients, too."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from itertools import accumulate

from transforms.diagnose.incident import Incident
from transforms.diagnose.troubles.trouble import HEALS_WITHIN_MS
from transforms.timers.clients.troubles import AT_ONCE_MS, TroubleLines

IN_THREAD = "-StreamThread-"


class Told:
    """What is found comes in the order in which it was told. Clients, times and faults of the incidents stay meanwhile."""

    def __init__(self, incidents: Sequence[Incident], fault_of: Callable[[Incident], str | None]) -> None:
        """fault_of: what an incident is of; those of none are beside nothing."""
        self._incidents = incidents
        self._faults = [fault_of(incident) for incident in incidents]
        self._of_event = self._numbers(lambda incident: incident.event_ids)
        of_client = self._numbers(lambda incident: incident.client_ids)
        of_fault: dict[str, list[int]] = defaultdict(list)
        for number, fault in enumerate(self._faults):
            if fault is not None:
                of_fault[fault].append(number)
        # Lines that name no client are beside those of all clients: there may be thousands, and most are of other faults.
        self._of_fault = {fault: _InTime(incidents, numbers) for fault, numbers in of_fault.items()}
        self._of_nobody = _InTime(
            incidents, [number for number, incident in enumerate(incidents) if not incident.client_ids]
        )
        self._of_client = {client: _InTime(incidents, numbers) for client, numbers in of_client.items()}
        self._clients = sorted(of_client)
        self._in_threads = [client for client in self._clients if IN_THREAD in client]
        self._of_application: dict[str, list[str]] = defaultdict(list)
        for client in self._clients:
            self._of_application[_application(client)].append(client)
        self._lengths = sorted({len(application) for application in self._of_application})

    def of_lines(self, event_ids: Iterable[str]) -> list[Incident]:
        """Those that are told from one of these lines; as they were when this was made."""
        numbers = {number for event_id in event_ids for number in self._of_event.get(event_id, ())}
        return [self._incidents[number] for number in sorted(numbers)]

    def beside(self, lines: TroubleLines, faults: Set[str]) -> list[Incident]:
        """Those of the same client (of the same Streams application) and time that are of one of these faults."""
        if faults.isdisjoint(self._of_fault):
            return []
        if lines.client_id is None:
            some = [self._of_fault[fault] for fault in faults & self._of_fault.keys()]
        else:
            some = [self._of_nobody, *(self._of_client[client] for client in self._kin(lines.client_id))]
        numbers = {number for one in some for number in one.meeting(lines) if self._faults[number] in faults}
        likely = (self._incidents[number] for number in sorted(numbers))
        return [incident for incident in likely if is_beside(incident, lines)]

    def _numbers(self, ids_of: Callable[[Incident], Sequence[str]]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for number, incident in enumerate(self._incidents):
            for one in ids_of(incident):
                found[one].append(number)
        return dict(found)

    def _kin(self, client: str) -> set[str]:
        """The clients with incidents that are one with this one."""
        begins = f"{_application(client)}-"
        # Without a thread in its own name only a name with one is of the same application.
        longer = self._clients if IN_THREAD in client else self._in_threads
        ends = begins[:-1] + chr(ord("-") + 1)  # behind all names that begin so
        likely = {client} & self._of_client.keys()
        likely.update(longer[bisect_left(longer, begins) : bisect_left(longer, ends)])
        for length in self._lengths:
            if client[length : length + 1] == "-":
                likely.update(self._of_application.get(client[:length], ()))
        return {one for one in likely if _are_one(client, one)}


class _InTime:
    """Incidents in order of time. numbers: which."""

    def __init__(self, incidents: Sequence[Incident], numbers: Sequence[int]) -> None:
        dated = sorted((at, n) for n in numbers if (at := incidents[n].started_at) is not None)
        self._undated = [number for number in numbers if incidents[number].started_at is None]
        self._numbers = [number for _, number in dated]
        self._starts = [start for start, _ in dated]
        # The latest end up to each.
        self._ends = list(accumulate((_end_of(incidents[number]) or 0 for number in self._numbers), max))

    def meeting(self, lines: TroubleLines) -> list[int]:
        """All that may meet these lines, and few that don't."""
        if lines.first_at is None:
            return [*self._undated, *self._numbers]
        first = bisect_left(self._ends, lines.first_at - HEALS_WITHIN_MS)
        last = bisect_right(self._starts, (lines.last_at or lines.first_at) + HEALS_WITHIN_MS)
        return [*self._undated, *self._numbers[first:last]]


def is_beside(incident: Incident, lines: TroubleLines) -> bool:
    """Whether they are of one client (of one Streams application) at the same time."""
    is_there = (incident.unit_id, incident.incarnation) == (lines.unit_id, lines.incarnation)
    whose = lines.client_id
    is_same = (
        whose is None
        or any(_are_one(whose, client) for client in incident.client_ids)
        or not incident.client_ids
    )
    return is_there and is_same and _meets(incident, lines)


def began_after(lines: TroubleLines, incident: Incident) -> bool:
    """Whether trouble began when an incident was over: no cause comes after what it causes."""
    end = _end_of(incident)
    return end is not None and lines.first_at is not None and lines.first_at > end + AT_ONCE_MS


def _application(client: str) -> str:
    return client.partition(IN_THREAD)[0]


def _are_one(one: str, other: str) -> bool:
    """Whether two names are one client, or the clients of one Streams application: their names begin with its name."""
    if one == other:
        return True
    shorter, longer = sorted((one, other), key=len)
    is_of_streams = IN_THREAD in longer or IN_THREAD in shorter
    return is_of_streams and longer.startswith(f"{_application(shorter)}-")


def _end_of(incident: Incident) -> int | None:
    return incident.ended_at if incident.ended_at is not None else incident.started_at


def _meets(incident: Incident, lines: TroubleLines) -> bool:
    until = _end_of(incident)
    if lines.first_at is None or incident.started_at is None or until is None:
        return True
    return (
        lines.first_at <= until + HEALS_WITHIN_MS
        and (lines.last_at or lines.first_at) >= incident.started_at - HEALS_WITHIN_MS
    )
