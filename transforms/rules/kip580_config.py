"""KIP-580, Public Interfaces: retry.backoff.ms above retry.backoff.max.ms, as a client's dump shows it."""

from transforms.rules.rule import ABSENT, CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.clients.client_configs import BackoffFacts


@rule(
    "kip580.base_above_max",
    judges=BackoffFacts,
    severity="warning",
    gives=("misconfiguration",),
    says="retry.backoff.ms={observed_ms} is above retry.backoff.max.ms={limit_ms}: the wait is constant, without jitter",
    runbook=(
        "Look at the client's dump: which of the two was set on purpose?",
        "Usual cause: only the base was raised; the cap is one second by default.",
    ),
    advice="Raise retry.backoff.max.ms above retry.backoff.ms, or lower the latter: constant waits let a "
    "fleet retry in step.",
)
def base_above_max(facts: BackoffFacts) -> Verdict:
    """Find a client whose base is above its cap.

    Source: KIP-580, Public Interfaces; CommonClientConfigs (3.7 and later).
    Silent when: the dump has no cap (before 3.7).
    """
    if facts.base_ms is None or facts.cap_ms is None:
        return NOT_APPLICABLE
    if facts.base_ms <= facts.cap_ms:
        return CONFORMS
    return violated(
        "misconfiguration",
        events=facts.event_ids,
        happened_at=facts.happened_at,
        observed_ms=facts.base_ms,
        limit_ms=facts.cap_ms,
        limit_origin="logged",
    )


@rule(
    "kip580.base_above_max_not_warned",
    judges=BackoffFacts,
    severity="info",
    gives=("broken_semantics",),
    rests_on=ABSENT,
    says="retry.backoff.ms={observed_ms} is above retry.backoff.max.ms={limit_ms}, and no warning says so",
    runbook=(
        "Look for 'A static backoff with value' at WARN near the client's dump.",
        "Usual cause: the logger of CommonClientConfigs is above WARN.",
    ),
    advice="Mend the two settings; see kip580.base_above_max.",
)
def base_above_max_not_warned(facts: BackoffFacts) -> Verdict:
    """Find a client with base above cap, in a start of the process without the warning.

    Source: KIP-580, Public Interfaces; CommonClientConfigs.warnDisablingExponentialBackoff (3.7 and later).
    Silent when: the version is unknown.
    """
    if facts.base_ms is None or facts.cap_ms is None or facts.base_ms <= facts.cap_ms:
        return NOT_APPLICABLE
    if facts.warning_id is not None:
        return CONFORMS
    warns = facts.profile.at_least(3, 7) if facts.profile else None
    if warns is None:
        return unjudged("version unknown", "the line 'Kafka version: ...' after the dump (INFO)")
    if not warns:
        return NOT_APPLICABLE
    return violated(
        "broken_semantics",
        events=facts.event_ids,
        happened_at=facts.happened_at,
        observed_ms=facts.base_ms,
        limit_ms=facts.cap_ms,
        limit_origin="logged",
    )
