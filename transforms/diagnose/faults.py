"""Incidents put together as a person tells them: one fault, what followed from it, and whom else it met; worst first."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from transforms.diagnose.incident import Incident

# How deep a trouble lies: what lies shallower, comes after it and meets the same client is told as what followed.
# By the beginning of the kind; what is not here is neither a cause nor an effect of others.
DEPTHS = {
    "streams_thread_died": 0, "membership_fenced": 1, "requests_unanswered": 1, "task_stalled": 2,
    "membership_": 3, "commit_refused": 5,
}  # fmt: skip
NEAR_MS = 60_000  # an effect is told within a minute after its cause was over
NEAR_LINES = 60  # where lines have no time
_IMPACTS = ("lost", "duplicated", "delayed", "unknown", "none")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an incident's first line stands. at: ms UTC, None where the line has no time."""

    at: int | None
    source_id: str
    line: int


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


def faults(incidents: Iterable[Incident], places: Mapping[str, Place]) -> list[Fault]:
    """The faults of these incidents, worst first; each incident stands in one of them.

    places: of the first line of an incident that is known, by incident_id.
    """
    told = sorted(incidents, key=lambda one: (one.started_at or 0, one.incident_id))
    cause_of = {one.incident_id: _cause(one, told, places) for one in told}
    effects: dict[str, list[Incident]] = defaultdict(list)
    roots = []
    for one in told:
        root = _root(one, cause_of)
        if root is one:
            roots.append(one)
        else:
            effects[root.incident_id].append(one)
    return sorted(_alike(roots, effects), key=_badness)


def _cause(effect: Incident, among: Sequence[Incident], places: Mapping[str, Place]) -> Incident | None:
    """The nearest deeper incident before it, of the same process and client."""
    found = [
        one
        for one in among
        if _depth(one) < _depth(effect)
        and one.unit_id == effect.unit_id
        and _same_client(one, effect)
        and _follows(effect, one, places)
    ]
    return max(found, key=lambda one: (one.started_at or 0, one.incident_id), default=None)


def _depth(incident: Incident) -> float:
    """NaN, which is neither less nor more, where the kind has no place among the others."""
    return next((depth for kind, depth in DEPTHS.items() if incident.kind.startswith(kind)), float("nan"))


def _same_client(one: Incident, other: Incident) -> bool:
    """A line that names no client may be of any."""
    return not one.client_ids or not other.client_ids or bool(set(one.client_ids) & set(other.client_ids))


def _follows(effect: Incident, cause: Incident, places: Mapping[str, Place]) -> bool:
    if cause.started_at is not None and effect.started_at is not None:
        until = max(cause.started_at, cause.ended_at or cause.started_at) + NEAR_MS
        ends_at = effect.ended_at if effect.ended_at is not None else effect.started_at
        return cause.started_at <= ends_at and effect.started_at <= until
    first, later = places.get(cause.incident_id), places.get(effect.incident_id)
    if first is None or later is None or first.source_id != later.source_id:
        return False
    return abs(later.line - first.line) <= NEAR_LINES


def _root(incident: Incident, cause_of: Mapping[str, Incident | None]) -> Incident:
    """Depths only fall on the way, so that it ends."""
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
        yield Fault(worst, sorted(followed, key=lambda one: (one.started_at or 0, one.incident_id)), others)


def _rank(incident: Incident) -> tuple[bool, int, int, int, str]:
    impact = _IMPACTS.index(incident.impact) if incident.impact in _IMPACTS else len(_IMPACTS)
    over = (incident.observed_ms or 0) - (incident.limit_ms or 0)
    return (incident.verdict != "broken", impact, -over, incident.started_at or 0, incident.incident_id)


def _badness(fault: Fault) -> tuple[bool, int, int, int, str]:
    """Broken promises, then what cost the most, then what lies deepest, then the first."""
    broken = any(one.verdict == "broken" for one in fault.incidents)
    impact = min(_rank(one)[1] for one in fault.incidents)
    return (not broken, impact, -len(fault.incidents), fault.cause.started_at or 0, fault.cause.incident_id)
