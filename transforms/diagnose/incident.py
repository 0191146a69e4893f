"""What an incident is: one thing that went wrong, in on-call language. A row of gold.incidents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from transforms.timers.episodes import Episode, is_before

VERDICTS = ("broken", "as_designed", "benign")
IMPACTS = ("lost", "duplicated", "delayed", "unknown", "none")  # the worst first
CONFIDENCES = ("proven", "inferred", "unknown")
# Who can mend it: the application's code, a setting, the broker (or who runs it), the network, nobody (it is normal, or
# mends itself), or what the lines do not tell.
ACTORS = ("application", "settings", "broker", "network", "nobody", "unknown")

CLUSTER = "cluster:"  # a place


@dataclass(slots=True, kw_only=True)
class Incident:
    """One thing that went wrong, or that looks like it. Instants in ms UTC.

    verdict: broken (a broken_semantics finding is part of it), as_designed (fired as promised) or benign.
    cause_confidence: proven (a line says it), inferred (computed from lines), unknown.
    subject_ids: the episodes it tells of; rule_ids: the broken rules that are part of it.
    actor: one of ACTORS. tells_more: which lines or measurements would tell more, a sentence each.
    fingerprint: its class, the same for the same trouble of any client (fingerprint_of()).
    parent_incident_id: of the fleet's incident that it is a part of. places: what it is about, such as `broker:3`,
    `address:kafka3:9092`, `topic:orders`, `group:billing`; and `cluster:` with the id of the cluster that all of it is of.
    """

    incident_id: str
    kind: str
    started_at: int | None
    ended_at: int | None
    title: str
    cause: str
    cause_confidence: str
    verdict: str
    impact: str
    observed_ms: int | None
    limit_ms: int | None
    limit_origin: str | None
    advice: str
    client_ids: list[str]
    event_ids: list[str]
    unit_id: str
    incarnation: int
    scope_id: str
    service: str | None
    instance: str | None
    subject_ids: list[str] = field(default_factory=list)
    rule_ids: list[str] = field(default_factory=list)
    actor: str = "unknown"
    fingerprint: str = ""
    parent_incident_id: str | None = None
    tells_more: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lasts(self.started_at, self.ended_at)
        self.fingerprint = self.fingerprint or fingerprint_of(self.kind, service=self.service)

    def lasts(self, started_at: int | None, ended_at: int | None) -> None:
        """Set both. By a clock that was set back meanwhile it ended as it began; how long it took is not known."""
        self.started_at = started_at
        self.ended_at = started_at if is_before(ended_at, started_at) else ended_at


def fingerprint_of(
    kind: str,
    *,
    rule_id: str | None = None,
    service: str | None = None,
    error: str | None = None,
    topic: str | None = None,
) -> str:
    """Identity of a class of incidents: the same kind, rule, service, error class and topic, whenever and to whomever."""
    parts = "\x1f".join(part or "" for part in (kind, rule_id, service, error, topic))
    return sha256(parts.encode()).hexdigest()


def kafka_clusters_of(incidents: Iterable[Incident]) -> list[str]:
    """The clusters that incidents are of, as far as these are known, as places; each once."""
    return sorted({place for one in incidents for place in one.places if place.startswith(CLUSTER)})


def is_of_broker(place: str) -> bool:
    """Whether a place is a broker, by its number or address."""
    return place.startswith(("broker:", "address:"))


def incident_id(scope_id: str, kind: str, subject_id: str) -> str:
    """Identity from content: scope, kind, and the episode it began with, whose id is its first event's."""
    return sha256(f"{scope_id}\x1f{kind}\x1f{subject_id}".encode()).hexdigest()


def of_episodes(
    kind: str,
    scope_id: str,
    episodes: list[Episode],
    *,
    started_at: int | None,
    ended_at: int | None,
    title: str,
    cause: str,
    cause_confidence: str,
    impact: str,
    advice: str,
    subject_ids: list[str],
    verdict: str = "as_designed",
    observed_ms: int | None = None,
    limit_ms: int | None = None,
    limit_origin: str | None = None,
    actor: str = "unknown",
    error: str | None = None,
    topic: str | None = None,
    tells_more: Sequence[str] = (),
    places: Iterable[str] = (),
) -> Incident:
    """An incident that tells of these episodes (one at least, the first first).

    error, topic: what else its fingerprint is made from.
    """
    first = episodes[0]
    event_ids = list(dict.fromkeys(event_id for episode in episodes for event_id in episode.event_ids))
    return Incident(
        incident_id=incident_id(scope_id, kind, subject_ids[0]),
        kind=kind,
        started_at=started_at,
        ended_at=ended_at,
        title=title,
        cause=cause,
        cause_confidence=cause_confidence,
        verdict=verdict,
        impact=impact,
        observed_ms=observed_ms,
        limit_ms=limit_ms,
        limit_origin=limit_origin,
        advice=advice,
        client_ids=sorted({episode.client_id for episode in episodes if episode.client_id}),
        event_ids=event_ids,
        unit_id=first.unit_id,
        incarnation=first.incarnation,
        scope_id=scope_id,
        service=first.service,
        instance=first.instance,
        subject_ids=subject_ids,
        actor=actor,
        fingerprint=fingerprint_of(kind, service=first.service, error=error, topic=topic),
        tells_more=list(tells_more),
        places=sorted({*places, *_cluster_of(episodes)}),
    )


def _cluster_of(episodes: Iterable[Episode]) -> Sequence[str]:
    """The cluster that these episodes are of, as a place; none where it is not known, or they are of several."""
    known = {one.profile.cluster_id for one in episodes if one.profile is not None} - {None}
    return [f"{CLUSTER}{one}" for one in known] if len(known) == 1 else ()


def limit_of(episode: Episode, name: str) -> tuple[int | None, str | None]:
    """The setting's ms and where it came from, as known when the episode began; None where unknown."""
    setting = episode.profile.whole(name) if episode.profile else None
    return (setting.ms, setting.origin) if setting else (None, None)
