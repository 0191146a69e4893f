"""KIP-98, transactions: how long a coordinator leaves one open, by its own lines and clock."""

from transforms.rules.kip62 import LOG_CLOCK_GRAIN_MS
from transforms.rules.rule import CONFORMS, Verdict, rule, unjudged, violated
from transforms.timers.groups.transactions import AbortedTransaction


@rule(
    "kip98.aborted_early",
    judges=AbortedTransaction,
    severity="error",
    gives=("broken_semantics",),
    says="the transaction of {transactional_id} was aborted for its age after {observed_ms} ms; its transaction.timeout.ms "
    "is {limit_ms} ms",
    runbook=(
        "Look at the coordinator's DEBUG line of the abort: it names the begin, the end and the timeout.",
        "Look for another producer with the same transactional.id: each gives its own timeout.",
        "Let it be if the clock of the coordinator's host was set meanwhile.",
    ),
    advice="No setting of the producer explains it: report it with the coordinator's log.",
)
def aborted_early(aborted: AbortedTransaction) -> Verdict:
    """Find a transaction that its coordinator aborted as timed out before transaction.timeout.ms had passed.

    Source: KIP-98, Public Interfaces; TransactionStateManager.timedOutTransactions.
    Silent when: the coordinator's DEBUG line of the abort is not there, which alone names begin, end and timeout. By
    INFO the producer's initialisation bounds the begin, but whose timeout it was rests on no other producer's line being
    lost. Lateness is not judged: a transaction whose state is being written is passed over without a line.
    """
    limit, age_ms = aborted.limit, aborted.age_ms
    if limit is None or age_ms is None:
        return unjudged("its begin is not logged", "DEBUG of TransactionStateManager at the coordinator")
    if age_ms >= limit.ms - LOG_CLOCK_GRAIN_MS:
        return CONFORMS
    return violated(
        "broken_semantics",
        events=aborted.event_ids,
        happened_at=aborted.aborted.at,
        observed_ms=age_ms,
        limit_ms=limit.ms,
        limit_origin=limit.origin,
        subject_id=aborted.transaction_id,
        transactional_id=aborted.transactional_id,
    )
