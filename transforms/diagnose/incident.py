"""What an incident is: one thing that went wrong, in on-call language. A row of gold.incidents."""

from dataclasses import dataclass, field
from hashlib import sha256

from transforms.timers.episodes import Episode

VERDICTS = ("broken", "as_designed", "benign")
IMPACTS = ("lost", "duplicated", "delayed", "none", "unknown")
CONFIDENCES = ("proven", "inferred", "unknown")


@dataclass(slots=True, kw_only=True)
class Incident:
    """One thing that went wrong, or that looks like it. Instants in ms UTC.

    verdict: broken (a broken_semantics finding is part of it), as_designed (fired as promised) or benign.
    cause_confidence: proven (a line says it), inferred (computed from lines), unknown.
    subject_ids: the episodes it tells of; rule_ids: the broken rules that are part of it.
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
) -> Incident:
    """An incident that tells of these episodes (one at least, the first first)."""
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
    )


def limit_of(episode: Episode, name: str) -> tuple[int | None, str | None]:
    """The setting's ms and where it came from, as known when the episode began; None where unknown."""
    setting = episode.profile.whole(name) if episode.profile else None
    return (setting.ms, setting.origin) if setting else (None, None)
