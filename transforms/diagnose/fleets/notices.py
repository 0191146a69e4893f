"""Which alerts are due: incidents, what was sent before, and the time, to notices. Pure.

An incident goes to a target in up to two steps: `firing`, then `resolved` when it is over or has become a part of another
one, or `withdrawn` when later evidence refuted it. It is sent once more as a page where it was a ticket and turns out to be
worse. What was sent is known by incident and target, so that a repeated run sends nothing twice.

A stream sees an outage grow: what it told of one process becomes a part of the fleet's incident, and this may begin with
another member than at first. The fleet's incident then goes on under the key of what was told: nobody is told twice.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from transforms.diagnose.fleets.fleet import former_ids
from transforms.diagnose.fleets.fleet_clusters import NEAR_MS
from transforms.diagnose.troubles.trouble import HEALS_WITHIN_MS

FIRING, RESOLVED, WITHDRAWN = "firing", "resolved", "withdrawn"
PAGE, TICKET = "page", "ticket"
# An incident is over when its last line is so old, ms: what follows sooner is of the same one.
QUIET_MS = max(NEAR_MS, HEALS_WITHIN_MS)
# Verdicts and impacts that wake somebody.
BROKEN = "broken"
WAKING = frozenset({"lost", "duplicated"})
PART_OF = "It is a part of a larger incident, which is told by itself."
# What a target is asked: to tell it; to show it under a key that it knows, where it has keys; nothing, it is noted alone.
SEND, UPDATE, NOTE = "send", "update", "note"

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sent:
    """What a target was sent last of an incident; service as of its first notice. key: as of Notice; None is its own id."""

    state: str
    severity: str
    service: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """One alert to one target. Times: ms since the epoch, UTC.

    key: what a target tells the same alert by: the id of the incident that was told first. was: the severity that it was
    sent with before, where that is another one now. how: SEND, UPDATE or NOTE.
    """

    target: str
    state: str
    incident_id: str
    key: str
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
    how: str = SEND

    def body(self, links: str) -> str:
        """Its text: plain lines. links: those that say where more is told."""
        lines = [self.cause, self.advice, f"Verdict {self.verdict}; impact: {self.impact}.", links]
        return "\n".join(line for line in lines if line)


def due(
    incidents: Iterable[Row],
    sent: Mapping[tuple[str, str], Sent],
    targets: Sequence[str],
    now: int,
    max_age_ms: int,
) -> list[Notice]:
    """The notices of now, pages first, then the oldest.

    incidents: rows of gold.incidents with times in ms; those that are a part of another one are told by it. sent: what was
    sent last, by incident_id and target. Benign incidents are never sent, nor what ended (or, while it goes on, began)
    longer than max_age_ms before now, nor what has no date: its age is not known.
    """
    rows = {row["incident_id"]: row for row in incidents if row["verdict"] != "benign"}
    found = [
        notice
        for target in targets
        for notice in _of_target(
            rows,
            {one: last for (one, to), last in sent.items() if to == target},
            target,
            now,
            now - max_age_ms,
        )
    ]
    return sorted(
        found, key=lambda one: (one.severity != PAGE, one.started_at or 0, one.incident_id, one.target)
    )


def severity_of(verdict: str, impact: str) -> str:
    """Whether somebody is woken."""
    return PAGE if verdict == BROKEN or impact in WAKING else TICKET


def _of_target(
    rows: Mapping[str, Row], told: Mapping[str, Sent], target: str, now: int, since: int
) -> Iterator[Notice]:
    carried = _carried(rows, told)
    # Each alert is one incident's: of the one that it goes on as, where it does.
    whose = {
        _key(one, told): one
        for one in rows
        if one in told and told[one].state != WITHDRAWN and _is_carried(one, told)
    }
    whose |= {_key(one, told): larger for larger, one in carried.items()}
    for one, row in rows.items():
        if one in carried:
            yield _carry(row, target, told[carried[one]], _key(carried[one], told))
        elif one not in told or whose.get(_key(one, told), one) == one:
            notice = _next(row, target, told.get(one), now, since)
            if notice is not None:
                yield notice
    for one, last in told.items():
        if last.state == FIRING and one not in rows and _key(one, told) not in whose:
            yield replace(_withdrawn(one, target, last), how=NOTE if _is_carried(one, told) else SEND)


def _carried(rows: Mapping[str, Row], told: Mapping[str, Sent]) -> dict[str, str]:
    """Incidents that nobody was told of, to what was told of them: a member, or themselves by a former id."""
    members: dict[str, dict[str, str]] = defaultdict(dict)
    for one, row in rows.items():
        if (parent := row.get("parent_incident_id")) is not None:
            members[parent][one] = row["kind"]
    gone = {one for one, last in told.items() if last.state == FIRING and one not in rows}
    found = {}
    for larger, parts in members.items():
        if larger in told or larger not in rows:
            continue
        former = former_ids(rows[larger].get("places") or (), parts) & gone if gone else set()
        firing = [one for one in {*parts, *former} if one in told and told[one].state == FIRING]
        if firing:
            found[larger] = min(firing, key=lambda one: (told[one].severity != PAGE, one))
    return found


def _key(one: str, told: Mapping[str, Sent]) -> str:
    return told[one].key or one


def _is_carried(one: str, told: Mapping[str, Sent]) -> bool:
    return _key(one, told) != one


def _carry(row: Row, target: str, last: Sent, key: str) -> Notice:
    """The larger incident under the key of what was told; as a page, where that was a ticket and it is worse."""
    is_worse = (last.severity, severity_of(row["verdict"], row["impact"])) == (TICKET, PAGE)
    as_now = replace(last, severity=PAGE if is_worse else last.severity, key=key)
    return replace(
        _notice(row, target, FIRING, as_now),
        was=TICKET if is_worse else None,
        how=SEND if is_worse else UPDATE,
    )


def _next(row: Row, target: str, last: Sent | None, now: int, since: int) -> Notice | None:
    at = row["ended_at"] if row["ended_at"] is not None else row["started_at"]
    is_part, is_firing = row.get("parent_incident_id") is not None, last is not None and last.state == FIRING
    as_now = Sent(FIRING, severity_of(row["verdict"], row["impact"]), row.get("service") or "")
    if last is not None and is_firing and is_part:
        return replace(_notice(row, target, RESOLVED, last), cause=PART_OF)
    if last is not None and is_firing and row["ended_at"] is not None and row["ended_at"] + QUIET_MS <= now:
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
        key=last.key or row["incident_id"],
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
        key=last.key or incident_id,
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


def selftest_notice(target: str, now: int) -> Notice:
    """A labelled notice that tells of nothing, to see that it arrives. now: ms since the epoch."""
    return Notice(
        target=target,
        state=FIRING,
        incident_id="kipwatch-selftest",
        key="kipwatch-selftest",
        severity=TICKET,
        title="kipwatch selftest: this is a test, nothing is wrong",
        cause="Somebody ran `kipwatch selftest`.",
        advice="Nothing to do.",
        service="kipwatch",
        kind="selftest",
        verdict="as_designed",
        impact="none",
        started_at=now,
        ended_at=None,
    )
