"""KIP-572, Public Interfaces: `retries` in Kafka Streams, and a task.timeout.ms that leaves room for a retry."""

from transforms.rules.rule import ABSENT, CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.clients.client_configs import StreamsFacts

VERSION_LINE = "the line 'Kafka Streams version: ...' of the application's start (INFO)"


@rule(
    "kip572.retries_set",
    judges=StreamsFacts,
    severity="warning",
    gives=("misconfiguration",),
    says="Kafka Streams ignores `retries`{value}; it changes the embedded producer and admin instead",
    runbook=(
        "Look at `retries` in the ProducerConfig and AdminClientConfig dumps of the application: they took the value over.",
        "Usual cause: a setting kept from before 2.7; since then only task.timeout.ms bounds a task's retries.",
    ),
    advice="Remove `retries` and set task.timeout.ms; a producer with few retries loses records that it "
    "could have delivered.",
)
def retries_set(facts: StreamsFacts) -> Verdict:
    """Find a Streams application that sets `retries`.

    Source: KIP-572, Public Interfaces (deprecation of `retries`); StreamsConfig 2.7 to 3.9.
    Silent when: neither the dump nor the warning shows it (4.0 and later have no such key).
    """
    is_old = facts.profile is not None and facts.profile.at_least(2, 7) is False
    if is_old or (not facts.retries and facts.retries_warning_id is None):
        return NOT_APPLICABLE
    shown = facts.retries_warning_id if not facts.retries else facts.event_ids[0]
    return violated(
        "misconfiguration",
        events=[shown or facts.event_ids[0]],
        happened_at=facts.happened_at,
        value=f" (set to {facts.retries})" if facts.retries else "",
    )


@rule(
    "kip572.retries_not_warned",
    judges=StreamsFacts,
    severity="info",
    gives=("broken_semantics",),
    rests_on=ABSENT,
    says="`retries` is set to {value} in Kafka Streams, and no warning says that it is ignored",
    runbook=(
        "Look for 'Configuration parameter `retries` is deprecated' after the StreamsConfig dump, at WARN.",
        "Usual causes: the logger of StreamsConfig is above WARN, or the start of the log is missing.",
    ),
    advice="Remove `retries` from the Streams configuration.",
)
def retries_not_warned(facts: StreamsFacts) -> Verdict:
    """Find a Streams application with `retries` set, and no deprecation warning in the same start.

    Source: KIP-572, Public Interfaces; StreamsConfig's constructor, 2.7 to 3.9.
    Silent when: the version is unknown or has no such key.
    """
    if not facts.retries or facts.profile is None:
        return NOT_APPLICABLE
    if facts.retries_warning_id is not None:
        return CONFORMS
    warns = facts.profile.at_least(2, 7)
    if warns is None:
        return unjudged("version unknown", VERSION_LINE)
    if not warns or facts.profile.at_least(4, 0):
        return NOT_APPLICABLE
    return violated(
        "broken_semantics", events=facts.event_ids, happened_at=facts.happened_at, value=facts.retries
    )


@rule(
    "kip572.room_for_one_retry",
    judges=StreamsFacts,
    severity="warning",
    gives=("misconfiguration",),
    says="task.timeout.ms={observed_ms} is shorter than one client call may take ({setting}={limit_ms}): one retry at most",
    runbook=(
        "A call that times out takes that long alone; the deadline is only looked at when it fails.",
        "After the first timeout one attempt is left, and the thread dies late by up to that call's own timeout.",
    ),
    advice="Set task.timeout.ms to several times the largest of default.api.timeout.ms and max.block.ms, or lower those.",
)
def room_for_one_retry(facts: StreamsFacts) -> Verdict:
    """Find a task.timeout.ms below a client call's own timeout.

    Source: KIP-572, Public Interfaces (task.timeout.ms against the clients' timeouts).
    Silent when: task.timeout.ms is 0 (no retry is wanted); the version, or every client's dump, is missing.
    """
    has_timers = facts.profile.at_least(2, 8) if facts.profile is not None else None
    if not facts.task_timeout_ms or has_timers is False:
        return NOT_APPLICABLE
    if has_timers is None:
        return unjudged("version unknown", VERSION_LINE)
    if not facts.call_limits:
        return unjudged(
            "the clients' timeouts unknown", "the dumps of the embedded consumer and producer (INFO)"
        )
    above = {name: limit for name, limit in facts.call_limits.items() if limit[0] > facts.task_timeout_ms}
    if not above:
        return CONFORMS
    setting = max(above, key=lambda name: above[name][0])
    return violated(
        "misconfiguration",
        events=[facts.event_ids[0], above[setting][1]],
        happened_at=facts.happened_at,
        observed_ms=facts.task_timeout_ms,
        limit_ms=above[setting][0],
        limit_origin="logged",
        setting=setting,
    )
