"""KIP-580 in librdkafka: its backoff is the KIP's letter (jitter, then cap), but for an overflow in its shift."""

from transforms.rules.rule import CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.backoff.rdkafka_retries import PATH
from transforms.timers.backoff.retry_sequences import BackoffSequence, Wait

# A wait of a growing backoff is never below two thirds of the one before: 0.8 and 1.2 of the same step, once it is capped.
LEAST_SHARE = 0.8 / 1.2
# Below this a wait is what the sender's loop takes, not what a backoff drew.
NO_WAIT_MS = 20
# What is too small to tell a fall from a jitter and a busy core.
SMALL_MS = 200


@rule(
    "kip580.backoff_overflowed",
    judges=BackoffSequence,
    severity="warning",
    gives=("departs_from_kip",),
    says="{api} was retried {observed_ms} ms after failure {failures}, though it had waited {limit_ms} ms before: {times} "
    "retries of this sequence left without a wait",
    runbook=(
        "Count the failures: with retry.backoff.ms=100 the 26th, 27th and 30th to 32nd retry of a message leave at once, "
        "and the 33rd begins at 100 ms again; 25 retries take 22.5 s.",
        "librdkafka 2.3.0 to 2.16.0 compute (1 << (retries - 1)) * retry.backoff.ms in an int (rd_kafka_retry_msgq), which "
        "overflows; recorded with 2.3.0 and 2.16.0.",
        "The usual cause of so many retries: too few in-sync replicas, or a partition without a leader, for more than 20 s.",
    ),
    advice="Let it be unless brokers suffer: five retries in an outage come at once. A smaller message.timeout.ms ends the "
    "retries before the 26th, at the cost of failing sooner.",
)
def backoff_overflowed(sequence: BackoffSequence) -> Verdict:
    """Find retries of librdkafka that left at once after longer waits of the same message.

    Source: KIP-580, Proposed Changes; librdkafka, rd_kafka_retry_msgq (rdkafka_partition.c).
    Silent when: the client is another; the waits before were small; the error made the client refresh its metadata, as it
    then waits retry.backoff.ms alone; there are more retries than are kept.
    """
    if sequence.path != PATH:
        return NOT_APPLICABLE
    if len(sequence.waits) < sequence.retries:
        return unjudged(
            "too many retries", "a log (debug=msg) in which the message is retried a hundred times at most"
        )
    fallen = list(_fallen(sequence.waits))
    if not fallen:
        return CONFORMS
    before, after = fallen[0]
    return violated(
        "departs_from_kip",
        events=(*before.event_ids, *after.event_ids),
        happened_at=after.failed_at,
        observed_ms=after.waited_ms,
        limit_ms=before.waited_ms,
        api=sequence.api,
        failures=after.failures,
        times=len(fallen),
    )


def _fallen(waits: list[Wait]) -> list[tuple[Wait, Wait]]:
    """Each wait that is none, with the longest before it, where that was long enough to tell."""
    found = []
    longest = waits[0]
    for wait in waits[1:]:
        if (
            wait.leader_excluded
            and longest.waited_ms >= SMALL_MS
            and wait.waited_ms <= NO_WAIT_MS < longest.waited_ms * LEAST_SHARE
        ):
            found.append((longest, wait))
        longest = max(longest, wait, key=lambda one: one.waited_ms)
    return found
