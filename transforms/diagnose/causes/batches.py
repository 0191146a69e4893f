"""Producer batches that were late, failed or expired: was the record lost, and which stage ate the time."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from transforms.diagnose.incident import Incident, of_episodes
from transforms.diagnose.wording.catalogue import WRAPPERS
from transforms.diagnose.wording.limits import Limit, limit_from
from transforms.diagnose.wording.words import counted, exact, listed, span
from transforms.timers.episodes import BatchLifetime, Episode

LOST = ("expired", "failed")
NOT_SAID = "Why is not in these lines."


def batch_incidents(batches: list[BatchLifetime], scope_id: str) -> Iterator[Incident]:
    """One incident per stretch of time in which troubled batches of one producer lived, overlapping."""
    producers: dict[tuple[int, str | None], list[BatchLifetime]] = defaultdict(list)
    for batch in batches:
        if _began(batch) is not None:
            producers[batch.incarnation, batch.client_id].append(batch)
    for of_producer in producers.values():
        for stretch in _stretches(of_producer):
            yield (
                _undelivered(stretch, scope_id)
                if any(b.outcome in LOST for b in stretch)
                else _late(stretch, scope_id)
            )


def _stretches(batches: list[BatchLifetime]) -> Iterator[list[BatchLifetime]]:
    stretch: list[BatchLifetime] = []
    until = 0
    for batch in sorted(batches, key=lambda batch: (_began(batch) or 0, batch.batch_id)):
        began = _began(batch) or 0
        if stretch and began > until:
            yield stretch
            stretch = []
        until = max(until if stretch else 0, batch.ended_at or began)
        stretch.append(batch)
    if stretch:
        yield stretch


def _undelivered(stretch: list[BatchLifetime], scope_id: str) -> Incident:
    gone = [batch for batch in stretch if batch.outcome in LOST]
    worst = max(gone, key=lambda batch: (batch.age_ms or 0, batch.batch_id))
    expired = worst.outcome == "expired"
    limit = _limit(worst)
    records = sum(batch.records or 0 for batch in gone)
    amount = (
        f"{counted(len(gone), 'batch')} ({counted(records, 'record')})"
        if records
        else counted(len(gone), "batch")
    )
    if expired:
        age = exact(worst.age_ms) if worst.age_ms is not None else span(None)
        title = f"{amount} of {_where(gone)}{_of(worst)} expired, the oldest after {age}{limit.known}"
    else:
        title = f"{amount} of {_where(gone)}{_of(worst)} failed"
        title += f": {worst.error_class}" if worst.error_class else ""
    sure = all(batch.in_flight_ms == 0 or batch.outcome == "failed" for batch in gone)
    return _incident(
        "batches_expired" if expired else "batches_failed",
        scope_id,
        stretch,
        worst,
        title=title,
        cause=f"{_stage(worst, expired)} {_errors(gone)}{limit.sentence}"
        if expired
        else f"{_stage(worst, expired)} {_errors(gone)}".strip() or NOT_SAID,
        impact="lost",
        advice=(
            "The application was told, and must send these records again itself"
            + ("." if sure else "; a batch that was in flight may have been written all the same.")
            + (
                " A longer delivery.timeout.ms rides out longer outages; buffer.memory must hold what waits."
                if expired
                else ""
            )
        ),
    )


def _late(stretch: list[BatchLifetime], scope_id: str) -> Incident:
    worst = max(stretch, key=lambda batch: (batch.age_ms or 0, batch.attempts or 0, batch.batch_id))
    outcomes = Counter(batch.outcome for batch in stretch)
    delivered = outcomes["delivered"] == len(stretch)
    is_one = len(stretch) == 1
    ending = f"how {'it' if is_one else 'they'} ended is not in this log"
    if delivered:
        ending = f"{'it was' if is_one else 'all were'} delivered in the end"
    if outcomes["open"]:
        ending = f"{outcomes['open']} still waited at the end of the log"
    return _incident(
        "batches_retried",
        scope_id,
        stretch,
        worst,
        title=f"{counted(len(stretch), 'batch')} of {_where(stretch)}{_of(worst)} had to be sent again; {ending}",
        cause=f"{_stage(worst, False)} {_errors(stretch)}".strip() or NOT_SAID,
        impact="delayed" if delivered else "unknown",
        advice="Nothing to do if the outage was known: retries did what they are for.",
    )


def _incident(
    kind: str,
    scope_id: str,
    stretch: list[BatchLifetime],
    worst: BatchLifetime,
    *,
    title: str,
    cause: str,
    impact: str,
    advice: str,
) -> Incident:
    episodes: list[Episode] = list(stretch)
    ends = [batch.ended_at for batch in stretch if batch.ended_at is not None]
    starts = [began for batch in stretch if (began := _began(batch)) is not None]
    return of_episodes(
        kind,
        scope_id,
        episodes,
        started_at=min(starts),
        ended_at=max(ends, default=None),
        title=title,
        cause=cause,
        cause_confidence="inferred" if worst.is_inferred else "proven",
        impact=impact,
        advice=advice,
        subject_ids=[batch.batch_id for batch in stretch],
        observed_ms=worst.age_ms,
        limit_ms=_limit(worst).ms,
        limit_origin=_limit(worst).origin,
        error=worst.error_class,
        topic=worst.topic,
        places=[f"topic:{batch.topic}" for batch in stretch if batch.topic],
    )


def _stage(batch: BatchLifetime, expired: bool) -> str:
    """Which stage ate the time, as far as the lines tell."""
    parts = []
    if batch.in_flight_ms is not None:
        parts.append(f"{span(batch.in_flight_ms)} in flight")
    if batch.waiting_ms is not None:
        parts.append(f"{span(batch.waiting_ms)} waiting")
    if batch.attempts and not parts:
        return f"It was sent {counted(batch.attempts, 'time')}."
    if batch.attempts:
        parts.append(counted(batch.attempts, "attempt"))
    if parts:
        return f"Of its time: {', '.join(parts)}."
    return "Which stage ate the time (waiting, in flight, backoff) is not in this log." if expired else ""


def _errors(batches: list[BatchLifetime]) -> str:
    names = Counter(
        batch.error_class for batch in batches if batch.error_class and batch.error_class not in WRAPPERS
    )
    return f"Errors named: {listed([name for name, _ in names.most_common()])}. " if names else ""


def _limit(batch: BatchLifetime) -> Limit:
    is_over = batch.outcome == "expired"
    return limit_from(
        "delivery.timeout.ms",
        batch.delivery_timeout_ms,
        batch.timeout_origin,
        at_most_ms=batch.age_ms if is_over else None,
    )


def _of(batch: BatchLifetime) -> str:
    return f" of producer {batch.client_id}" if batch.client_id else ""


def _where(batches: list[BatchLifetime]) -> str:
    named = {f"{b.topic}-{b.partition}" if b.partition is not None else b.topic for b in batches if b.topic}
    return listed(sorted(named)) if named else "a topic that is not named"


def _began(batch: BatchLifetime) -> int | None:
    """Since when a batch lived: at least since then, where a release before 2.1 counts from later than its creation."""
    if batch.created_at is not None or batch.ended_at is None:
        return batch.created_at
    return batch.ended_at - (batch.age_ms or 0)
