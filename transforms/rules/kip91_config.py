"""KIP-91: rules over a producer's configuration, from its dump or from a file."""

from transforms.rules.rule import ABSENT, CONFORMS, NOT_APPLICABLE, SAID, Verdict, rule, unjudged, violated
from transforms.timers.backoff.producer_retries import MAX_INT
from transforms.timers.clients.config_dumps import ClientConfig

RETRIES_UNBOUNDED = 2_147_483_647  # the default from 2.1 on, where delivery.timeout.ms came in
DEFAULT_DELIVERY_MS = 120_000  # delivery.timeout.ms, in every release that has it
DUMP = "the producer's configuration dump (ProducerConfig values, INFO), or the settings declared"


def _needed_ms(config: ClientConfig) -> tuple[int, int] | None:
    """What one full attempt takes: as the client checks (linger and request), and as the KIP says (with backoff)."""
    linger, request = config.ms("linger.ms"), config.ms("request.timeout.ms")
    backoff = config.ms("retry.backoff.ms")
    if linger is None or request is None or backoff is None:
        return None
    return min(linger + request, MAX_INT), min(linger + request + backoff, MAX_INT)


@rule(
    "kip91.config_accepted",
    judges=ClientConfig,
    severity="info",
    gives=("broken_semantics", "departs_from_kip"),
    says="the producer started with delivery.timeout.ms={observed_ms}; linger, request timeout and retry backoff take "
    "{limit_ms} ms",
    runbook=(
        "As shipped, the check leaves retry.backoff.ms out: the configuration works, with one attempt at most.",
        "Where even linger.ms + request.timeout.ms do not fit, the client should have refused to start.",
    ),
    advice="Raise delivery.timeout.ms to at least the sum, better to several request timeouts; callers then learn of a "
    "failure later.",
)
def config_accepted(config: ClientConfig) -> Verdict:
    """Find a producer that started although its delivery timeout has no room for one attempt.

    Source: KIP-91, Public Interfaces; KafkaProducer.configureDeliveryTimeout leaves retry.backoff.ms out
    of its check.
    Silent when: the constructor was not seen to end; the client adjusted the value itself; a file is judged.
    """
    delivery_ms = config.ms("delivery.timeout.ms")
    if config.client_kind != "producer" or config.is_whole or delivery_ms is None or config.adjusted_to:
        return NOT_APPLICABLE
    needed = _needed_ms(config)
    if needed is None:
        return unjudged("settings unknown", DUMP)
    checked_ms, full_ms = needed
    if delivery_ms >= full_ms or config.refused_by is not None:
        return CONFORMS
    if config.started_by is None:
        return unjudged("start not seen", "the lines after the configuration dump (Kafka version, INFO)")
    return violated(
        "broken_semantics" if delivery_ms < checked_ms else "departs_from_kip",
        # The client raises the default itself, and says so at WARN; a value that was set it refuses.
        rests_on=ABSENT if delivery_ms == DEFAULT_DELIVERY_MS else SAID,
        events=[config.config_id, config.started_by],
        subject_id=config.subject,
        happened_at=config.happened_at,
        observed_ms=delivery_ms,
        limit_ms=full_ms,
        limit_origin="logged",
    )


@rule(
    "kip91.no_room_for_one_attempt",
    judges=ClientConfig,
    severity="warning",
    gives=("misconfiguration",),
    says="delivery.timeout.ms={observed_ms} has no room for one full attempt: linger.ms + request.timeout.ms + "
    "retry.backoff.ms = {limit_ms} ms{refusal}",
    runbook=(
        "A batch may expire while its first request is still in flight: it may have been written all the same.",
        "Where the client refused to start, its own message stands in the log beside the dump.",
    ),
    advice="Set delivery.timeout.ms to at least linger.ms + request.timeout.ms + retry.backoff.ms, better to several "
    "request timeouts (the default is four), or lower request.timeout.ms; failures are then reported later, or slow brokers "
    "are retried more often.",
)
def no_room_for_one_attempt(config: ClientConfig) -> Verdict:
    """Find a delivery timeout shorter than one full attempt.

    Source: KIP-91, Public Interfaces.
    Silent when: a setting is unknown; the client adjusted the value itself.
    """
    delivery_ms = config.ms("delivery.timeout.ms")
    if config.client_kind != "producer" or delivery_ms is None or config.adjusted_to:
        return NOT_APPLICABLE
    needed = _needed_ms(config)
    if needed is None:
        return unjudged("settings unknown", DUMP)
    checked_ms, full_ms = needed
    if delivery_ms >= full_ms:
        return CONFORMS
    refuses = delivery_ms < checked_ms
    refusal = f"; the client refused to start: {config.refusal}" if config.refused_by else ""
    if refuses and not refusal:
        refusal = "; a client of 2.1 or later refuses to start with it"
    return violated(
        "misconfiguration",
        events=[config.config_id, *([config.refused_by] if config.refused_by else [])],
        subject_id=config.subject,
        happened_at=config.happened_at,
        observed_ms=delivery_ms,
        limit_ms=full_ms,
        limit_origin=config.settings["delivery.timeout.ms"].origin,
        refusal=refusal,
    )


@rule(
    "kip91.delivery_timeout_adjusted",
    judges=ClientConfig,
    severity="info",
    gives=("misconfiguration",),
    says="the producer runs with delivery.timeout.ms={observed_ms}, not with the {limit_ms} ms that its configuration shows",
    runbook=(
        "request.timeout.ms or linger.ms were raised, delivery.timeout.ms was not: the client sets the smallest sum.",
        "That leaves time for one attempt, and none for a retry.",
    ),
    advice="Set delivery.timeout.ms yourself, to several request timeouts; failures are then reported later.",
)
def delivery_timeout_adjusted(config: ClientConfig) -> Verdict:
    """Find a producer whose delivery timeout in force is not the one configured.

    Source: KIP-91, Compatibility; KafkaProducer.configureDeliveryTimeout.
    Silent when: the client says nothing of the kind.
    """
    adjusted = config.adjusted_to
    if adjusted is None:
        return NOT_APPLICABLE
    return violated(
        "misconfiguration",
        events=[config.config_id, *([adjusted.event_id] if adjusted.event_id else [])],
        subject_id=config.subject,
        happened_at=config.happened_at,
        observed_ms=adjusted.ms,
        limit_ms=config.ms("delivery.timeout.ms"),
        limit_origin=adjusted.origin,
    )


@rule(
    "kip91.explicit_retries",
    judges=ClientConfig,
    severity="info",
    gives=("misconfiguration",),
    says="retries={retries}: a batch may fail after {attempts} attempts, long before delivery.timeout.ms",
    runbook=(
        "From 2.1 on, time bounds retries; a count in addition makes batches fail early in a short outage.",
        "Let it be where the application wants to know of failures at once.",
    ),
    advice="Leave retries unset and bound the time with delivery.timeout.ms; callers then wait longer for bad news.",
)
def explicit_retries(config: ClientConfig) -> Verdict:
    """Find a producer with a number of retries of its own.

    Source: KIP-91, Compatibility (retries unset, delivery.timeout.ms bounds them).
    Silent when: the client predates delivery.timeout.ms; Kafka Streams (kip572.retries_set) or a Connect worker made the
        producer.
    """
    retries = config.ms("retries")
    is_bounded_by_time = config.proven("delivery.timeout.ms") is not None or config.is_whole
    if config.client_kind != "producer" or config.is_frameworks or retries is None or not is_bounded_by_time:
        return NOT_APPLICABLE
    if retries == RETRIES_UNBOUNDED or config.settings["retries"].origin.startswith("default:"):
        return CONFORMS
    return violated(
        "misconfiguration",
        events=[config.config_id],
        subject_id=config.subject,
        happened_at=config.happened_at,
        retries=retries,
        attempts=retries + 1,
    )


@rule(
    "kip91.reordering_possible",
    judges=ClientConfig,
    severity="info",
    gives=("misconfiguration",),
    says="retries may reorder records: max.in.flight.requests.per.connection={in_flight}, retries={retries}, no idempotence",
    runbook=(
        "After a failed request younger batches of the partition may be written before the retried one.",
        "Let it be where order within a partition does not matter.",
    ),
    advice="enable.idempotence=true (with acks=all) keeps the order at hardly any cost; "
    "max.in.flight.requests.per.connection=1 does too, and costs throughput.",
)
def reordering_possible(config: ClientConfig) -> Verdict:
    """Find a producer whose retries may change the order of records.

    Source: KIP-91, Proposed Changes (ordering); KafkaProducer, max.in.flight.requests.per.connection.
    Silent when: the producer is idempotent (default from 3.0) or transactional; acks=0, which retries
    nothing; Kafka Streams, or a Connect worker, made the producer, with these settings.
    """
    if config.client_kind != "producer" or config.is_frameworks:
        return NOT_APPLICABLE
    in_flight, retries = config.ms("max.in.flight.requests.per.connection"), config.ms("retries")
    idempotent = config.text("enable.idempotence")
    if in_flight is None or retries is None or idempotent is None:
        return unjudged("settings unknown", DUMP)
    keeps_order = in_flight <= 1 or retries == 0 or idempotent == "true"
    if keeps_order or config.text("acks") == "0" or config.text("transactional.id") is not None:
        return CONFORMS
    return violated(
        "misconfiguration",
        events=[config.config_id],
        subject_id=config.subject,
        happened_at=config.happened_at,
        in_flight=in_flight,
        retries=retries,
    )
