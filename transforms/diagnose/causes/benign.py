"""Lines that look like trouble and are normal: said once per client, so that nobody hunts them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from transforms.diagnose.incident import Incident, of_episodes
from transforms.diagnose.wording.catalogue import classes
from transforms.diagnose.wording.words import clause
from transforms.timers.clients.benign_lines import BenignLines
from transforms.timers.clients.troubles import TroubleLines
from transforms.timers.episodes import Episode, whose
from transforms.when_used import when_used

# A connection that rests is closed after connections.max.idle.ms, 9 min by default; one that is lost at every try is closed
# as often as reconnect.backoff.max.ms lets it be tried.
SHORTEST_REST_MS = 60_000
MOST_IDLE = 2
NORMAL = "Normal: "
MOST_ALIKE = 2  # notices of many clients that say the same of each
_STOP = when_used(r"(?<!\.)\.$")  # of a sentence; what was cut ends in three
_NORMAL = when_used(r"^Normal(?:, though an? \w+)?: ")
_SIDE = when_used(r"^(?:Broker|Local): ")
CONNECTION = frozenset({"disconnect", "connect_failed"})


def benign_incidents(
    lines: Iterable[BenignLines], told: Sequence[Incident], scope_id: str
) -> Iterator[Incident]:
    """One benign incident per client and message; none of connections where `told` knows of trouble with them."""
    alike: dict[tuple[int, str | None, str, str], list[BenignLines]] = defaultdict(list)
    for seen in lines:
        if not is_restless(seen) and not _is_denied(seen, told):
            alike[seen.incarnation, seen.client_id, seen.message_id, seen.why].append(seen)
    for (_, client_id, _, why), some in alike.items():
        count = sum(seen.count for seen in some)
        times = f", {count} times" if count > 1 else ""
        episodes: list[Episode] = list(some)
        yield of_episodes(
            "benign_lines",
            scope_id,
            episodes,
            started_at=min((seen.first_at for seen in some if seen.first_at is not None), default=None),
            ended_at=max((seen.last_at for seen in some if seen.last_at is not None), default=None),
            title=f"{NORMAL}{clause(why)} ({client_id or 'a client'}{times})",
            cause=why,
            cause_confidence="proven",
            impact="none",
            advice="Nothing to do.",
            subject_ids=[seen.benign_id for seen in some],
            verdict="benign",
            actor="nobody",
        )


def what_is_normal(incident: Incident) -> str:
    """What a benign incident says: its title without the word."""
    return _NORMAL.sub("", incident.title)


def normal_in_short(incident: Incident) -> str:
    """What is normal, up to its first colon, to stand in a sentence; one behind the side of librdkafka's errors is none."""
    short = _STOP.sub("", _SIDE.sub("", what_is_normal(incident)).partition(": ")[0])
    return short[0].lower() + short[1:] if short.startswith(("A ", "An ")) else short


def all_in_short(incidents: Iterable[Incident]) -> list[str]:
    """What is normal, in short, each once: of what is said alike of many clients the first, and how many more there are."""
    alike: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for one in incidents:
        alike[one.kind, one.cause][normal_in_short(one)] = None
    found = [(next(iter(same)), len(same) - 1) for same in alike.values()]
    return [f"{said} (and {more} more like it)" if more else said for said, more in dict.fromkeys(found)]


def why_normal(incident: Incident) -> str:
    """What is normal, and why: of a cause that the title begins with, what it says beyond that."""
    what, why = what_is_normal(incident), incident.cause
    if what.startswith(begun := clause(why)):
        why = why[len(begun) :].lstrip(".;: ")
    what = _STOP.sub("", what)
    return f"{what}: {why}" if why else f"{what}."


def all_normal(incidents: Iterable[Incident]) -> list[str]:
    """What is normal, each once; of what is said alike of many clients the first ones, and how many more there are."""
    alike: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for one in incidents:
        alike[one.kind, one.cause][why_normal(one)] = None
    told = []
    for same in alike.values():
        said = [*same]
        more = f" ({len(said) - MOST_ALIKE} more like it.)" if len(said) > MOST_ALIKE else ""
        said = said[:MOST_ALIKE]
        told += [*said[:-1], said[-1] + more]
    return told


def restless(lines: Iterable[BenignLines]) -> list[TroubleLines]:
    """Connections that were lost too often to have been at rest, as lines of trouble."""
    return [
        TroubleLines(
            trouble_id=seen.benign_id,
            **whose(seen),
            event_ids=seen.event_ids,
            message_id=seen.message_id,
            kind=seen.kind,
            level="INFO",
            first=seen.named,
            count=seen.count,
            first_at=seen.first_at,
            last_at=seen.last_at,
        )
        for seen in lines
        if is_restless(seen)
    ]


def is_restless(seen: BenignLines) -> bool:
    """Whether a connection was lost again and again, faster than one at rest is closed."""
    if seen.kind not in CONNECTION or seen.count <= MOST_IDLE:
        return False
    apart_ms = mean_gap_ms(seen)
    return apart_ms is not None and apart_ms < min(SHORTEST_REST_MS, own_rest_ms(seen) or SHORTEST_REST_MS)


def mean_gap_ms(lines: BenignLines | TroubleLines) -> float | None:
    """How far apart lines are that say the same; None where they have no times, or there is one."""
    if lines.first_at is None or lines.last_at is None or lines.count < 2:
        return None
    return (lines.last_at - lines.first_at) / (lines.count - 1)


def own_rest_ms(lines: Episode) -> int | None:
    """After how long at rest the client itself closes a connection, where its log says that."""
    own = lines.profile.whole("connections.max.idle.ms") if lines.profile is not None else None
    return own.ms if own is not None and own.is_proven and own.ms > 0 else None


def _is_denied(seen: BenignLines, told: Sequence[Incident]) -> bool:
    """Whether trouble with connections was told of the client, at the time of these lines."""
    if seen.kind not in CONNECTION:
        return False
    return any(
        incident.verdict != "benign"
        and incident.incarnation == seen.incarnation
        and seen.client_id in incident.client_ids
        and incident.kind in _of_connection()
        and _meets(incident, seen)
        for incident in told
    )


@cache
def _of_connection() -> frozenset[str]:
    """Kinds of incidents with a connection; looked up where one is met, as a log without trouble asks for no class."""
    return frozenset({"requests_unanswered", *(one.kind for one in classes() if one.fault == "connection")})


def _meets(incident: Incident, seen: BenignLines) -> bool:
    if seen.first_at is None or seen.last_at is None or incident.started_at is None:
        return True
    until = incident.ended_at or incident.started_at
    return (
        seen.first_at <= until + SHORTEST_REST_MS and seen.last_at >= incident.started_at - SHORTEST_REST_MS
    )
