"""KIP-580, jitter: waits of one step differ, so that clients of one fault do not come back together."""

from transforms.rules.rule import CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.backoff.envelope import Backoff, backoff_of
from transforms.timers.backoff.jitter import JitterSample
from transforms.timers.backoff.retry_sequences import Wait

# A wait this near its step is one jittered wait in eight (5 of 41 values for a step of 100 ms); ten in a row
# are one client in a thousand million.
NEAR = 0.02
NEAR_MS = 2
WAITS = 10
# A wait above the largest draw was not cut by the backoff alone: the batch stood behind another.
DRAWN_AT_MOST = 1.25


@rule(
    "kip580.no_jitter",
    judges=JitterSample,
    severity="info",
    gives=("broken_semantics", "older_semantics"),
    says="{count} waits all lie within {observed_ms} ms of their step, where a fifth each way is due",
    runbook=(
        "Look at the waits of the client: do they all lie on 100, 200, 400 ms?",
        "Clients before 3.7 do not jitter. A fleet of them retries in step after a common fault.",
    ),
    advice="Upgrade clients to 3.7 or later; till then vary retry.backoff.ms across a fleet.",
)
def no_jitter(sample: JitterSample) -> Verdict:
    """Find a client whose waits all lie on their step.

    Source: KIP-580, Proposed Changes (jitter of 0.2); ExponentialBackoff.backoff.
    Silent when: fewer than ten waits whose length is known; no jitter is due (base at or above cap, saturated waits).
    """
    backoff = backoff_of(sample.profile) if sample.profile else None
    if backoff is None or not backoff.is_proven:
        return unjudged(
            "backoff settings or version unknown",
            "the client's configuration dump and its 'Kafka version' line (INFO)",
        )
    offsets = [(off, wait) for wait in sample.waits if (off := _offset_ms(wait, backoff)) is not None]
    if len(offsets) < WAITS:
        return NOT_APPLICABLE
    near = [
        wait for off, wait in offsets if off <= max(NEAR_MS, NEAR * (backoff.nominal_ms(wait.failures) or 0))
    ]
    if len(near) < len(offsets):
        return CONFORMS
    shown = [wait for _, wait in offsets[:WAITS]]
    return violated(
        "broken_semantics" if backoff.grows else "older_semantics",
        events=list(dict.fromkeys(event_id for wait in shown for event_id in wait.event_ids)),
        happened_at=shown[0].failed_at,
        observed_ms=round(max(off for off, _ in offsets)),
        limit_ms=round(0.2 * backoff.base_ms),
        limit_origin="logged",
        count=len(offsets),
    )


def _offset_ms(wait: Wait, backoff: Backoff) -> float | None:
    """How far a wait is from its step; None where it tells nothing of the draw."""
    nominal_ms = backoff.nominal_ms(wait.failures)
    if nominal_ms is None or wait.is_ambiguous:
        return None
    if not wait.leader_excluded or wait.waited_ms > DRAWN_AT_MOST * nominal_ms:
        return None
    return abs(wait.waited_ms - nominal_ms)
