"""Transactions that timed out, where both logs are there: the producer's, and its coordinator's."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from transforms.diagnose.incident import Incident, fingerprint_of, incident_id
from transforms.diagnose.wording.catalogue import class_of_kind
from transforms.diagnose.wording.sentences import sentence
from transforms.diagnose.wording.words import counted, exact, origin_words, span
from transforms.timers.groups.transactions import TIMEOUT, AbortedTransaction, Given

KIND = "transaction_timed_out"


def transaction_incidents(aborted: Iterable[AbortedTransaction], scope_id: str) -> Iterator[Incident]:
    """One per producer; what a coordinator says of producers whose logs are not there is told from its lines."""
    of_producer: dict[Given, list[AbortedTransaction]] = defaultdict(list)
    for one in aborted:
        if one.given is not None:
            of_producer[one.given].append(one)
    for given, all_of in of_producer.items():
        yield _incident(given, sorted(all_of, key=lambda one: one.aborted.at), scope_id)


def _incident(given: Given, aborted: list[AbortedTransaction], scope_id: str) -> Incident:
    first, told = aborted[0], class_of_kind(KIND)
    limit = first.timeout
    who = given.client_id or "a producer"
    times = f", {counted(len(aborted), 'time')}" if len(aborted) > 1 else ""
    of = f" = {exact(limit.ms)} ({origin_words(limit.origin)})" if limit is not None else ""
    is_early = limit is not None and first.age_ms is not None and first.age_ms < limit.ms
    why = f"after {span(first.age_ms)}, with" if is_early else "it was open for longer than"
    return Incident(
        incident_id=incident_id(scope_id, KIND, first.transaction_id),
        kind=KIND,
        started_at=first.aborted.at,
        ended_at=aborted[-1].aborted.at,
        title=f"The transaction of {who} (transactional.id {first.transactional_id}) was aborted by its coordinator"
        f"{times}: {why} {TIMEOUT}{of}",
        cause=f"{_lasted(first)} {sentence(told.cause, {})}",
        cause_confidence="proven",
        verdict="as_designed",
        impact=told.impact,
        observed_ms=first.at_most_ms,
        limit_ms=None if limit is None else limit.ms,
        limit_origin=None if limit is None else limit.origin,
        advice=sentence(told.advice, {}),
        client_ids=[given.client_id] if given.client_id else [],
        event_ids=list(dict.fromkeys(event_id for one in aborted for event_id in one.event_ids)),
        unit_id=given.unit_id,
        incarnation=given.incarnation,
        scope_id=scope_id,
        service=given.service,
        instance=given.instance,
        subject_ids=[one.transaction_id for one in aborted],
        actor=told.actor,
        fingerprint=fingerprint_of(KIND, service=given.service),
        tells_more=list(told.more),
        places=[f"transactional.id:{first.transactional_id}"],
    )


def _lasted(aborted: AbortedTransaction) -> str:
    if aborted.age_ms is not None:
        return f"It had been open for {span(aborted.age_ms)}."
    if aborted.at_most_ms is not None:
        return f"It had been open for {span(aborted.at_most_ms)} at most: its producer was initialised then."
    return ""
