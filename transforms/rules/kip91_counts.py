"""KIP-91: a producer's count of failed records against its log; of one process and by one clock they must agree."""

from transforms.rules.clocks import CLOCK_STEP
from transforms.rules.rule import CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.samples.producer_counts import ERRORS, ProducerCount

START_UNKNOWN = (
    "the start of the client that counts is unknown",
    "JMX app-info start-time-ms of the producer",
)


@rule(
    "kip91.expiry_not_counted",
    judges=ProducerCount,
    severity="error",
    gives=("broken_semantics",),
    says="the log tells of {lines} expired batches; record-error-total stood at 0 after the first of them",
    runbook=(
        "Check that log and metrics are of one process: its client.id, its start time, conf/sources.yaml.",
        "Look at the expired batches' records: were they written all the same?",
        "Let it be where the application writes such lines itself, of another producer.",
    ),
    advice="None for the client: a count that does not count hides losses from every alert on record-error-rate.",
)
def expiry_not_counted(count: ProducerCount) -> Verdict:
    """Find a producer whose batches expired by its log, and that counted no failed record.

    Source: KIP-91, Proposed Changes (an expired batch is failed); Sender.failBatch records record-error-total.
    Silent when: nobody took a sample after the expiry; several producers share the process, as the line names none.
    """
    return not_counted(count, ERRORS)


def not_counted(count: ProducerCount, attribute: str) -> Verdict:
    """Violated where lines say that it rose, and the client that had started before them stood at zero after."""
    if count.attribute != attribute or count.logged_id is None or count.counted is None:
        return NOT_APPLICABLE
    if count.counted > 0:
        return CONFORMS
    if count.clock_stepped:
        return CLOCK_STEP
    if not count.has_started_before:
        return unjudged(*START_UNKNOWN)
    return violated(
        "broken_semantics",
        events=[count.logged_id],
        samples=count.samples,
        happened_at=count.logged_at,
        lines=count.lines,
    )
