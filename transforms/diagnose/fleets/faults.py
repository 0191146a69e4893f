"""Incidents put together as a person tells them: one fault, what followed from it, and whom else it met; worst first."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache

from transforms.diagnose.causes.brokers import KILLED
from transforms.diagnose.fleets.fleet import told_once
from transforms.diagnose.fleets.fleet_effects import UNEXPLAINED
from transforms.diagnose.fleets.parts import has_part, turn
from transforms.diagnose.incident import IMPACTS, Incident, is_of_broker
from transforms.diagnose.wording.catalogue import classes
from transforms.events import is_named
from transforms.parse.lines.prefixes import streams_client_of

# What a line says of itself, where its timer's incident has said it.
RESTATED = {
    "membership_poll_expired": "poll_too_slow",
    "membership_session_expired": "session_timed_out",
    "membership_fenced": "member_fenced",
}
UNKNOWN_KIND = "other"  # lines that nothing explains: quoted, and no trouble by themselves
NEAR_MS = 60_000  # parts of a fault are at most a minute apart
NEAR_LINES = 60  # where lines have no time
WITHOUT_DIRECTORY = ("disk_full", "log_files_gone", "storage_failed_wholly")
# What a member learns at its next poll or commit, however long after its membership ended.
LEARNT_LATER = ("partitions_lost", "generation_reset", "commit_refused")
# The state that a Streams client takes at once when an exception has ended it, whichever that was.
STREAMS_ENDED = "streams_in_error"
AT_ONCE_MS = 1_000
MOST_SAID_TWICE = 4  # lines on one thing


@dataclass(frozen=True, slots=True)
class Place:
    """Where an incident's first line stands, and its last. at: ms UTC, None where the first has no time."""

    at: int | None
    source_id: str
    line: int
    last_line: int = 0


@dataclass(slots=True)
class Fault:
    """cause: the worst incident of it. effects: what followed, in order of time. others: the same of other clients, or
    at other times.
    """

    cause: Incident
    effects: list[Incident] = field(default_factory=list)
    others: list[Incident] = field(default_factory=list)

    @property
    def incidents(self) -> list[Incident]:
        """All that it is told of."""
        return [self.cause, *self.effects, *self.others]

    @property
    def event_ids(self) -> list[str]:
        """Of all that it is told of."""
        return [event_id for one in self.incidents for event_id in one.event_ids]


def faults(incidents: Iterable[Incident], places: Mapping[str, Place]) -> list[Fault]:
    """The faults of these incidents, worst first; each incident stands in one of them.

    places: of the lines of an incident that are known, by incident_id.
    """
    told = in_order(incidents, places)
    wholes = _Wholes(told, places)
    cause_of = {one.incident_id: wholes.cause(one) for one in told}
    effects: dict[str, list[Incident]] = defaultdict(list)
    roots = []
    for one in told:
        root = _root(one, cause_of)
        if root is one:
            roots.append(one)
        else:
            effects[root.incident_id].append(one)
    found = list(_alike(roots, effects))
    causes = (one.cause for one in found)
    explained = explained_groups((one.kind, one.cause_confidence, one.places) for one in causes)
    return sorted(found, key=lambda one: _badness(one, explained))


def in_order(incidents: Iterable[Incident], places: Mapping[str, Place]) -> list[Incident]:
    """Incidents by their time; of one time, or none, as their lines stand. An id says nothing of that: it is another one
    where the same log has another name.
    """

    def turn_of(one: Incident) -> tuple[int, int, str, str]:
        place = places.get(one.incident_id)
        return one.started_at or 0, place.line if place else 0, one.kind, one.incident_id

    return sorted(incidents, key=turn_of)


def fleet_faults(fleet: Iterable[Incident], incidents: Iterable[Incident]) -> list[Fault]:
    """What met several processes, a fault each: of its members the worst of each kind is told, the others are counted."""
    members: dict[str, list[Incident]] = defaultdict(list)
    for one in incidents:
        if one.parent_incident_id is not None:
            members[one.parent_incident_id].append(one)
    found = []
    for whole in fleet:
        of_kind: dict[str, Incident] = {}
        for one in sorted(members[whole.incident_id], key=_rank):
            of_kind.setdefault(one.kind, one)
        told = list(of_kind.values())
        others = [one for one in told_once(members[whole.incident_id]) if one not in told]
        found.append(Fault(whole, sorted(told, key=_started), sorted(others, key=_started)))
    return sorted(found, key=_badness)


def _started(one: Incident) -> int:
    return one.started_at or 0


class _Wholes:
    """Incidents that others may be parts of, where these find them: of 100,000 clients, too."""

    def __init__(self, told: Sequence[Incident], places: Mapping[str, Place]) -> None:
        """told: in order of time. places: as in `faults`."""
        self._places = places
        self._number = {one.incident_id: number for number, one in enumerate(told)}
        self._kinds: dict[str, set[str]] = defaultdict(set)
        # By process and kind: all, those of any client; and those of a client (None: of no client), and at a broker.
        self._all: dict[tuple[str, str], list[Incident]] = defaultdict(list)
        self._of_clients: dict[tuple[str, str], list[Incident]] = defaultdict(list)
        self._own: dict[tuple[str, str, str | None], list[Incident]] = defaultdict(list)
        for one in told:
            self._kinds[one.unit_id].add(one.kind)
            self._all[one.unit_id, one.kind].append(one)
            if one.client_ids:
                self._of_clients[one.unit_id, one.kind].append(one)
            for name in _names(one):
                self._own[one.unit_id, one.kind, name].append(one)

    def cause(self, part: Incident) -> Incident | None:
        """The incident that it belongs to: of several one that was not over yet, then the one whose kind is told first, and
        the nearest of that kind. What names no client says the same again of a client that is named, and what has the same
        words of the same client in the same moment is another line on one thing.
        """
        kinds = [
            kind for kind in self._kinds[part.unit_id] if has_part(kind, part.kind) or _may_end(kind, part)
        ]
        if part.kind not in UNEXPLAINED:
            kinds.append(part.kind)
        nearest = [self._nearest_of_kind(part, kind) for kind in kinds]
        return min(
            (one for one in nearest if one is not None),
            key=lambda one: (_was_over(one, part), turn(one.kind), _distance(one, part), self._turn(one)),
            default=None,
        )

    def _nearest_of_kind(self, part: Incident, kind: str) -> Incident | None:
        found = (self._nearest(part, some) for some in self._among(part, kind))
        return min(
            (one for one in found if one is not None),
            key=lambda one: (_distance(one, part), self._turn(one)),
            default=None,
        )

    def _among(self, part: Incident, kind: str) -> Iterator[Sequence[Incident]]:
        """Those of a kind that are of its client, or of its broker: clients of one process that lost it together.

        A line that names no client may be of any.
        """
        unit_id = part.unit_id
        if not part.client_ids:
            if kind != part.kind:
                yield self._all.get((unit_id, kind), ())
            else:
                yield [one for one in self._of_clients.get((unit_id, kind), ()) if _says_again(part, one)]
            return
        if kind == part.kind:
            yield from (self._said_before(part, name) for name in _clients(part))
            return
        for name in (None, *_clients(part), *_of_streams(part), *_brokers(part)):
            yield self._own.get((unit_id, kind, name), ())

    def _said_before(self, part: Incident, name: str) -> list[Incident]:
        """Those right before it that say the same of that client in the same moment."""
        some = self._own[part.unit_id, part.kind, name]
        until = bisect_left(some, self._turn(part), key=self._turn)
        return [one for one in some[max(0, until - MOST_SAID_TWICE) : until] if _is_said_twice(part, one)]

    def _nearest(self, part: Incident, among: Sequence[Incident]) -> Incident | None:
        """Of these, in order of time, the nearest that it follows; of several as near the first."""
        later = bisect_left(among, self._turn(part), key=self._turn)
        before, found = later - 1, None
        while before >= 0 or later < len(among):
            takes_later = before < 0 or (
                later < len(among) and _distance(among[later], part) <= _distance(among[before], part)
            )
            one = among[later if takes_later else before]
            later, before = (later + 1, before) if takes_later else (later, before - 1)
            if found is not None and _distance(one, part) > _distance(found, part):
                break
            if _follows(part, one, self._places) and (found is None or self._turn(one) < self._turn(found)):
                found = one
        return found

    def _turn(self, one: Incident) -> int:
        return self._number[one.incident_id]


def _was_over(whole: Incident, part: Incident) -> bool:
    """Whether it had ended as its part began; or began only long after that, which may have lasted until then."""
    began, part_began = whole.started_at or 0, part.started_at or 0
    return (whole.ended_at or part_began) < part_began or began > part_began + NEAR_MS


def _distance(one: Incident, other: Incident) -> int:
    return abs((one.started_at or 0) - (other.started_at or 0))


def _names(one: Incident) -> list[str | None]:
    """Whose it is: its clients, or nobody's (None); and its brokers."""
    clients: list[str | None] = [*_clients(one)]
    threads = [f"threads of {base}" for base in _applications(one)]
    return [*(clients or [None]), *threads, *_brokers(one)]


def _clients(one: Incident) -> list[str]:
    return [f"client:{client_id}" for client_id in one.client_ids]


def _applications(one: Incident) -> list[str]:
    """The Streams clients whose own clients these are."""
    return [base for client_id in one.client_ids if (base := streams_client_of(client_id))]


def _of_streams(one: Incident) -> list[str]:
    """The Streams client that an incident's clients belong to, and the clients that belong to them."""
    owners = [f"client:{base}" for base in _applications(one)]
    return [*owners, *(f"threads of {client_id}" for client_id in one.client_ids)]


def _brokers(one: Incident) -> list[str]:
    return [place for place in one.places if is_of_broker(place)]


def _follows(part: Incident, whole: Incident, places: Mapping[str, Place]) -> bool:
    """Whether they overlap in time, or nearly; without times, whether their lines are near."""
    if not has_part(whole.kind, part.kind) and _may_end(whole.kind, part):
        return _ended_at_once(part, whole, places)
    if _are_of_others(part, whole, "group:"):
        return False
    told = (part.observed_ms, part.limit_ms)
    if None not in told and not part.client_ids and told == (whole.observed_ms, whole.limit_ms):
        return True  # the application's own line about the same timer, by a clock of another zone perhaps
    if whole.started_at is not None and part.started_at is not None:
        ended_at = whole.ended_at or whole.started_at + (whole.observed_ms or 0)
        until = max(whole.started_at, ended_at) + NEAR_MS
        ends_at = part.ended_at if part.ended_at is not None else part.started_at
        is_away = whole.kind.startswith("membership_") and whole.ended_at is None  # it has not joined again
        is_learnt = is_away and part.kind in LEARNT_LATER and bool(part.client_ids)
        return whole.started_at - NEAR_MS <= ends_at and (part.started_at <= until or is_learnt)
    first, later = places.get(whole.incident_id), places.get(part.incident_id)
    if first is None or later is None or first.source_id != later.source_id:
        return False
    return first.line - NEAR_LINES <= later.line <= max(first.line, first.last_line) + NEAR_LINES


def _are_of_others(one: Incident, other: Incident, what: str) -> bool:
    """Whether each names its groups, and none of them is the other's; where no line tells it, a client names none."""
    named = [
        {place for place in each.places if place.startswith(what) and is_named(place.removeprefix(what))}
        for each in (one, other)
    ]
    return all(named) and named[0].isdisjoint(named[1])


def _may_end(kind: str, part: Incident) -> bool:
    """Whether what a Streams client's state tells of may be of such a trouble."""
    return part.kind == STREAMS_ENDED and not kind.startswith(("streams_", *UNEXPLAINED))


def _ended_at_once(part: Incident, whole: Incident, places: Mapping[str, Place]) -> bool:
    """Whether a Streams client took its last state right behind a trouble of its own."""
    if not {*part.client_ids} & {*whole.client_ids}:
        return False
    if whole.started_at is not None and part.started_at is not None:
        return whole.started_at <= part.started_at <= (whole.ended_at or whole.started_at) + AT_ONCE_MS
    first, later = places.get(whole.incident_id), places.get(part.incident_id)
    if first is None or later is None or first.source_id != later.source_id:
        return False
    return first.line <= later.line <= max(first.line, first.last_line) + NEAR_LINES


def _says_again(part: Incident, whole: Incident) -> bool:
    """Whether what names no client may be of one that is named, which is the other's: about nothing else than that one's."""
    return {*part.places} <= {*whole.places}


def _is_said_twice(part: Incident, whole: Incident) -> bool:
    """Whether both say one thing of one client in one moment. whole: the one that comes first."""
    is_alike = part.client_ids == whole.client_ids and part.title == whole.title
    if not is_alike or part.started_at is None or whole.started_at is None:
        return False
    return part.started_at - whole.started_at <= AT_ONCE_MS


def _root(incident: Incident, cause_of: Mapping[str, Incident | None]) -> Incident:
    """Turns only fall on the way, so that it ends."""
    while (cause := cause_of[incident.incident_id]) is not None:
        incident = cause
    return incident


def _alike(roots: Sequence[Incident], effects: Mapping[str, list[Incident]]) -> Iterable[Fault]:
    groups: dict[str, list[Incident]] = defaultdict(list)
    for root in roots:
        groups[root.fingerprint].append(root)
    for group in groups.values():
        worst = min(group, key=_rank)
        others = [one for one in group if one is not worst]
        followed = [effect for one in [worst, *others] for effect in effects[one.incident_id]]
        yield Fault(worst, sorted(followed, key=_started), others)


def _rank(incident: Incident) -> tuple[bool, int, int, int]:
    impact = IMPACTS.index(incident.impact) if incident.impact in IMPACTS else len(IMPACTS)
    over = (incident.observed_ms or 0) - (incident.limit_ms or 0)
    return (incident.verdict != "broken", impact, -over, incident.started_at or 0)


def explained_groups(told: Iterable[tuple[str, str, Iterable[str]]]) -> set[str]:
    """The places of those that tell why a member left its group, that among them. told: kind, confidence, places of each."""
    return {
        place
        for kind, confidence, places in told
        if kind.startswith("membership_") and confidence != "unknown"
        for place in places
    }


def _badness(
    fault: Fault, explained: Set[str] = frozenset()
) -> tuple[bool, bool, bool, bool, int, bool, int, bool, bool, int, int, int]:
    """Broken promises, then what cost records, then what does not pass by itself, then what cost the most, of which it is
    known who acts, what a server ended by, what is told first, and what met the most.

    explained: groups of which another member's end is told with its reason: that goes before what a member only learnt.
    """
    broken = any(one.verdict == "broken" for one in fault.incidents)
    impact = min(_rank(one)[1] for one in fault.incidents)
    is_lost = impact <= IMPACTS.index("duplicated")
    is_unknown = fault.cause.kind == UNKNOWN_KIND
    began = fault.cause.started_at or 0
    return (
        not broken,
        is_unknown,
        fault.cause.kind in LEARNT_LATER and not explained.isdisjoint(fault.cause.places),
        not is_lost,
        impact if is_lost else 0,
        fault.cause.kind in passing(),
        impact,
        fault.cause.actor == "unknown",
        not any(one.kind in ending() and not _is_up_again(one) for one in fault.incidents),
        turn(fault.cause.kind),
        -len(fault.incidents),
        began,
    )


@cache
def passing() -> frozenset[str]:
    """Kinds of trouble that a client gets over by itself."""
    return frozenset(of.kind for of in classes() if of.heals)


@cache
def ending() -> frozenset[str]:
    """Kinds of trouble by which a server ended, or did not start; one without a log directory ends itself."""
    return frozenset({KILLED, *WITHOUT_DIRECTORY, *(of.kind for of in classes() if of.ends)})


def _is_up_again(one: Incident) -> bool:
    """Whether a broker that had been killed was up again, as its log tells."""
    return one.kind == KILLED and one.ended_at is not None
