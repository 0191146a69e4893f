"""Which alerts are due: incidents, what was sent before, and the time, to notices. Pure.

An incident goes to a target in up to two steps: `firing`, then `resolved` when it is over or has become a part of another
one, or `withdrawn` when later evidence refuted it. It is sent once more as a page where it was a ticket and turns out to be
worse. What was sent is known by incident and target, so that a repeated run sends nothing twice.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

FIRING, RESOLVED, WITHDRAWN = "firing", "resolved", "withdrawn"
PAGE, TICKET = "page", "ticket"
# Verdicts and impacts that wake somebody.
BROKEN = "broken"
WAKING = frozenset({"lost", "duplicated"})
PART_OF = "It is a part of a larger incident, which is told by itself."

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sent:
    """What a target was sent last of an incident; service as of its first notice."""

    state: str
    severity: str
    service: str


@dataclass(frozen=True, slots=True)
class Notice:
    """One alert to one target. Times: ms since the epoch, UTC. key: the same for all notices of the incident.

    was: the severity that the incident was sent with before, where that is another one now.
    """

    target: str
    state: str
    incident_id: str
    severity: str
    title: str
    cause: str
    advice: str
    service: str
    kind: str
    verdict: str
    impact: str
    started_at: int | None
    ended_at: int | None
    was: str | None = None

    @property
    def key(self) -> str:
        """What a target tells the same alert by."""
        return self.incident_id


def due(
    incidents: Iterable[Row],
    sent: Mapping[tuple[str, str], Sent],
    targets: Sequence[str],
    now: int,
    max_age_ms: int,
) -> list[Notice]:
    """The notices to send now, pages first, then the oldest.

    incidents: rows of gold.incidents with times in ms; those that are a part of another one are told by it. sent: what was
    sent last, by incident_id and target. Benign incidents are never sent, nor what ended (or, while it goes on, began)
    longer than max_age_ms before now, nor what has no date: its age is not known.
    """
    rows = {row["incident_id"]: row for row in incidents}
    found = [
        notice
        for row in rows.values()
        if row["verdict"] != "benign"
        for target in targets
        if (notice := _next(row, target, sent.get((row["incident_id"], target)), now - max_age_ms))
        is not None
    ]
    found += [
        _withdrawn(incident_id, target, last)
        for (incident_id, target), last in sent.items()
        if last.state == FIRING and target in targets and incident_id not in rows
    ]
    return sorted(
        found, key=lambda one: (one.severity != PAGE, one.started_at or 0, one.incident_id, one.target)
    )


def severity_of(verdict: str, impact: str) -> str:
    """Whether somebody is woken."""
    return PAGE if verdict == BROKEN or impact in WAKING else TICKET


def _next(row: Row, target: str, last: Sent | None, since: int) -> Notice | None:
    at = row["ended_at"] if row["ended_at"] is not None else row["started_at"]
    is_part, is_firing = row.get("parent_incident_id") is not None, last is not None and last.state == FIRING
    as_now = Sent(FIRING, severity_of(row["verdict"], row["impact"]), row.get("service") or "")
    if last is not None and is_firing and is_part:
        return replace(_notice(row, target, RESOLVED, last), cause=PART_OF)
    if last is not None and is_firing and row["ended_at"] is not None:
        return _notice(row, target, RESOLVED, last)
    if is_part or at is None or at < since:
        return None
    if last is None:
        return _notice(row, target, FIRING, as_now)
    if is_firing and (last.severity, as_now.severity) == (TICKET, PAGE):
        return replace(_notice(row, target, FIRING, replace(last, severity=PAGE)), was=TICKET)
    return None


def _notice(row: Row, target: str, state: str, last: Sent) -> Notice:
    return Notice(
        target=target,
        state=state,
        incident_id=row["incident_id"],
        severity=last.severity,
        title=row["title"],
        cause=row["cause"],
        advice=row["advice"],
        service=last.service,
        kind=row["kind"],
        verdict=row["verdict"],
        impact=row["impact"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
    )


def _withdrawn(incident_id: str, target: str, last: Sent) -> Notice:
    return Notice(
        target=target,
        state=WITHDRAWN,
        incident_id=incident_id,
        severity=last.severity,
        title="Withdrawn: later lines refute what was told",
        cause="Evidence that came later shows otherwise.",
        advice="Nothing to do.",
        service=last.service,
        kind="withdrawn",
        verdict="as_designed",
        impact="none",
        started_at=None,
        ended_at=None,
    )
