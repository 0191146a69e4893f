"""KIP-580: a producer's count of retries against its log; of one process and by one clock they must agree."""

from transforms.rules.clocks import CLOCK_STEP
from transforms.rules.kip91_counts import not_counted
from transforms.rules.rule import NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.samples.producer_counts import RETRIES, ProducerCount


@rule(
    "kip580.retry_not_counted",
    judges=ProducerCount,
    severity="error",
    gives=("broken_semantics",),
    says="the log tells of {lines} retried batches; record-retry-total stood at 0 after the first of them",
    runbook=(
        "Check that log and metrics are of one process: its client.id, its start time, conf/sources.yaml.",
        "Look at the broker's request counts: were the retries sent?",
        "Let it be where a test double stands for the producer.",
    ),
    advice="None for the client: a count that does not count hides retries from every alert on record-retry-rate.",
)
def retry_not_counted(count: ProducerCount) -> Verdict:
    """Find a producer that logged a retry, and counted none.

    Source: KIP-580, Proposed Changes; Sender.reenqueueBatch records record-retry-total.
    Silent when: nobody took a sample after the retry.
    """
    return not_counted(count, RETRIES)


@rule(
    "kip580.retries_not_logged",
    judges=ProducerCount,
    severity="info",
    gives=("misconfiguration",),
    says="retried {unsaid} records by its own count, and its log has not one line of a retry",
    runbook=(
        "Look at the level of org.apache.kafka.clients.producer.internals.Sender: retries are logged at WARN.",
        "Usually the level is ERROR, or what ships the logs drops repeated lines.",
        "Let it be where retries are watched by record-retry-rate alone: their backoff then can't be judged.",
    ),
    advice="Log that logger at WARN; it costs a line for each retried batch.",
)
def retries_not_logged(count: ProducerCount) -> Verdict:
    """Find a producer whose retries the log leaves out, so that nothing of its backoff can be judged.

    Source: KIP-580, Proposed Changes; Sender.completeBatch logs each retry at WARN.
    Silent when: the log tells of a retry; the log does not go from before the first sample to after the last one.
    """
    if count.attribute != RETRIES or count.lines or count.unsaid == 0:
        return NOT_APPLICABLE
    if count.clock_stepped:
        return CLOCK_STEP
    if not count.log_spans_samples:
        return unjudged("the log is shorter than the metrics", "the producer's whole log of that time")
    return violated(
        "misconfiguration",
        events=count.event_ids,
        samples=count.samples,
        happened_at=count.risen_at,
        unsaid=count.unsaid,
    )
