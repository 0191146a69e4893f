"""KIP-580, exponential backoff for Kafka clients: rules over sequences of retries, and over settings.

A retry's bounds are those that its version shipped (transforms/timers/backoff/envelope.py). Only settings
that were logged or declared judge. A gap that is longer than the envelope proves nothing: a batch waits
behind another, a poll ends.
"""

from collections.abc import Iterable
from typing import Any

from transforms.rules.rule import CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.rules.short_waits import IN_A_ROW, LEADER, proving, unproven
from transforms.timers.backoff.envelope import Backoff, backoff_of
from transforms.timers.backoff.retry_sequences import (
    LINE_LATENCY_MS,
    LOG_CLOCK_GRAIN_MS,
    OWN_TIMER,
    BackoffSequence,
    Wait,
)

# A wait is cut short by these paths for other reasons than a wrong backoff: poll() ends, another topic asks for metadata.
CUT_SHORT = frozenset({"lookup", "metadata"})
# Waits of these paths are not judged as backoff: no wait at all as released, constant by design, or by another timer.
NOT_JUDGED = frozenset({"admin_lookup", "static", OWN_TIMER})
# One wait can be short for one reason; two that should have grown, and did not, are a constant backoff.
FLAT_WAITS = 2
# 1.6 times the base is more than any jitter of the first step (1.2) and the grain of a small base.
GROWN = 1.6
FIRST_SECOND_MS = 1000

UNKNOWN = unjudged(
    "backoff settings or version unknown",
    "the client's configuration dump and its 'Kafka version' line (INFO)",
)


def proven_backoff(sequence: BackoffSequence) -> Backoff | None:
    """The client's backoff where version and settings are proven, else None."""
    backoff = backoff_of(sequence.profile) if sequence.profile else None
    return backoff if backoff is not None and backoff.is_proven else None


def _origin(sequence: BackoffSequence) -> str | None:
    base = sequence.profile.setting("retry.backoff.ms") if sequence.profile else None
    return base.origin if base else None


def _found(
    category: str, sequence: BackoffSequence, waits: Iterable[Wait], limit_ms: int, **facts: Any
) -> Verdict:
    """A violation shown by these waits, the first of them the observed one."""
    shown = list(waits)
    return violated(
        category,
        events=list(dict.fromkeys(event_id for wait in shown for event_id in wait.event_ids)),
        happened_at=shown[0].failed_at,
        observed_ms=shown[0].waited_ms,
        limit_ms=limit_ms,
        limit_origin=_origin(sequence),
        api=sequence.api,
        **facts,
    )


@rule(
    "kip580.backoff_too_short",
    judges=BackoffSequence,
    severity="warning",
    gives=("broken_semantics",),
    says="{api} was retried after {observed_ms} ms; the shortest wait allowed was {limit_ms} ms",
    runbook=(
        "Look at the failure and the next send: is the time between them below 0.8 of the backoff of that attempt?",
        "A new leader lets a producer retry at once (3.6 and later): look for metadata updates between the two.",
        "A custom or patched client is the usual cause; it loads the broker while that is in trouble.",
    ),
    advice="Set retry.backoff.ms to 100 or more; if it is, replace the client. A longer backoff delays recovery by itself.",
)
def backoff_too_short(sequence: BackoffSequence) -> Verdict:
    """Find a retry that left sooner than any backoff its client could have drawn.

    Source: KIP-580, Proposed Changes; Kafka clients, ExponentialBackoff.backoff,
    RecordAccumulator.shouldBackoff.
    Silent when: a leader change may have cut the wait; one pause of the process may have delayed the failure's
        line; a consumer's lookup or a metadata refresh (poll() ends, another topic is asked for); several
        batches of the partition can't be told apart.
    """
    if sequence.path in CUT_SHORT | NOT_JUDGED:
        return NOT_APPLICABLE
    backoff = proven_backoff(sequence)
    if backoff is None:
        return UNKNOWN
    short = [wait for wait in sequence.waits if wait.is_shorter_than(backoff.bounds(wait.failures)[0])]
    if not short:
        return CONFORMS
    shown = proving(short, sequence.waits, backoff, sequence.short_before)
    if not shown:
        return unproven(short)
    return _found("broken_semantics", sequence, shown, backoff.bounds(shown[0].failures)[0])


@rule(
    "kip580.backoff_too_long",
    judges=BackoffSequence,
    severity="warning",
    gives=("broken_semantics",),
    says="{api} was to wait {observed_ms} ms before its retry; {limit_ms} ms is the longest that it may draw",
    runbook=(
        "Look at nextAllowedTryMs in the call's line: less the line's time it is the wait that the client drew.",
        "Compare with 1.2 * retry.backoff.ms * 2^(failures - 1); let it be where a proxy or wrapper adds its own wait.",
    ),
    advice="Check retry.backoff.ms and retry.backoff.max.ms of the admin client; a patched client is the usual cause.",
)
def backoff_too_long(sequence: BackoffSequence) -> Verdict:
    """Find a drawn wait above 1.2 times its step.

    Source: KIP-580, Proposed Changes; Kafka clients, KafkaAdminClient.Call.fail (nextAllowedTryMs).
    Silent when: the wait was not printed: a late send alone has many reasons.
    """
    drawn = [wait for wait in sequence.waits if wait.drawn_ms is not None]
    if not drawn:
        return NOT_APPLICABLE
    backoff = proven_backoff(sequence)
    if backoff is None:
        return UNKNOWN
    long = [w for w in drawn if (w.drawn_ms or 0) > backoff.bounds(w.failures)[1] + LOG_CLOCK_GRAIN_MS]
    if not long:
        return CONFORMS
    return _found("broken_semantics", sequence, long[:1], backoff.bounds(long[0].failures)[1])


@rule(
    "kip580.above_cap",
    judges=BackoffSequence,
    severity="warning",
    gives=("broken_semantics",),
    says="{api} was to wait {observed_ms} ms before its retry, above retry.backoff.max.ms={limit_ms}",
    runbook=(
        "Look at nextAllowedTryMs in the call's line: less the line's time it is the wait that the client drew.",
        "Compare it with retry.backoff.max.ms in the AdminClientConfig dump that precedes it.",
    ),
    advice="Lower retry.backoff.max.ms if the wait is too long for you; a wait above it is the client's fault.",
)
def above_cap(sequence: BackoffSequence) -> Verdict:
    """Find a drawn wait above the cap.

    Source: KIP-580, Public Interfaces (retry.backoff.max.ms).
    Silent when: the client has no cap (before 3.7), or the wait was not printed.
    """
    drawn = [wait for wait in sequence.waits if wait.drawn_ms is not None]
    if not drawn:
        return NOT_APPLICABLE
    backoff = proven_backoff(sequence)
    if backoff is None:
        return UNKNOWN
    if backoff.cap_ms is None:
        return NOT_APPLICABLE
    above = [wait for wait in drawn if (wait.drawn_ms or 0) > backoff.cap_ms + LOG_CLOCK_GRAIN_MS]
    return _found("broken_semantics", sequence, above[:1], backoff.cap_ms) if above else CONFORMS


@rule(
    "kip580.no_backoff",
    judges=BackoffSequence,
    severity="error",
    gives=("departs_from_kip", "broken_semantics"),
    says="{api} was retried {retries} times without any wait; retry.backoff.ms is {limit_ms}",
    runbook=(
        "Count the call's lines per second: hundreds a second load the broker that is in trouble.",
        "As released, lookups of coordinators by the admin client (describeConsumerGroups and the like) do not wait.",
        "The usual cause of the failing lookup: __consumer_offsets can't be created (too few brokers for its replicas).",
    ),
    advice="Repair the coordinator (offsets.topic.replication.factor); lower default.api.timeout.ms to bound the storm.",
)
def no_backoff(sequence: BackoffSequence) -> Verdict:
    """Find a call that was retried again and again at once.

    Source: KIP-580, Proposed Changes; Kafka clients, AdminApiDriver (lookup stage) and
    KafkaAdminClient.Call.fail.
    Silent when: the client waits at all; fewer than three retries; the base is 0 or not proven.
    """
    drawn = [wait for wait in sequence.waits if wait.drawn_ms is not None]
    if len(drawn) < IN_A_ROW:
        return NOT_APPLICABLE
    base = sequence.profile.whole("retry.backoff.ms") if sequence.profile else None
    if base is None or not base.is_proven:
        return UNKNOWN
    if base.ms <= LOG_CLOCK_GRAIN_MS or any((w.drawn_ms or 0) > LOG_CLOCK_GRAIN_MS for w in drawn):
        return CONFORMS
    category = "departs_from_kip" if sequence.path == "admin_lookup" else "broken_semantics"
    return _found(category, sequence, drawn[:IN_A_ROW], base.ms, retries=sequence.retries)


@rule(
    "kip580.no_growth",
    judges=BackoffSequence,
    severity="warning",
    gives=("broken_semantics", "departs_from_kip", "older_semantics"),
    says="{api} waited {observed_ms} ms after failure {failures}, where a growing backoff is at least {limit_ms} ms",
    runbook=(
        "Compare the waits of the sequence: 100, 200, 400, 800 ms by default is due, give or take a fifth.",
        "Clients before 3.7 wait retry.backoff.ms each time. Later ones count a consumer's lookups anew in each poll().",
    ),
    advice="Upgrade clients to 3.7 or later; until then a larger retry.backoff.ms spares the broker, and delays recovery.",
)
def no_growth(sequence: BackoffSequence) -> Verdict:
    """Find waits that stay at the base where they must have grown.

    Source: KIP-580, Proposed Changes; Kafka clients before 3.7; AbstractCoordinator.ensureCoordinatorReady.
    Silent when: the base is the cap; fewer than two such waits; a leader change may have cut them; refreshes
        of metadata in 3.7 and later, which another topic starts anew.
    """
    if sequence.path in NOT_JUDGED:
        return NOT_APPLICABLE
    backoff = proven_backoff(sequence)
    if backoff is None:
        return UNKNOWN
    if backoff.is_flat_by_kip() or (backoff.grows and sequence.path == "metadata"):
        return NOT_APPLICABLE
    late = [wait for wait in sequence.waits if wait.failures > 1]
    flat = [wait for wait in late if wait.is_shorter_than(backoff.shortest_grown(wait.failures))]
    if len(flat) < FLAT_WAITS:
        return CONFORMS
    category = "older_semantics"
    if backoff.grows:
        category = "departs_from_kip" if sequence.path == "lookup" else "broken_semantics"
    if category == "broken_semantics":
        flat = proving(flat, sequence.waits, backoff) if _is_constant(late) else []
        if not flat:
            return CONFORMS  # single short waits are backoff_too_short
    shown = max(flat[:FLAT_WAITS] if category != "broken_semantics" else flat, key=lambda wait: wait.failures)
    limit_ms = backoff.shortest_grown(shown.failures)
    others = [wait for wait in flat if wait is not shown] if category == "broken_semantics" else []
    return _found(category, sequence, [shown, *others], limit_ms, failures=shown.failures)


def _is_constant(waits: list[Wait]) -> bool:
    """Whether waits of several steps are one and the same, within what jitter makes of one step."""
    times = [wait.waited_ms for wait in waits]
    return len(times) >= FLAT_WAITS and max(times) <= 1.5 * min(times)


@rule(
    "kip580.growth_restarted",
    judges=BackoffSequence,
    severity="info",
    gives=("departs_from_kip",),
    says="{api} had grown to {grown_ms} ms and fell back to {observed_ms} ms without success in between",
    runbook=(
        "Look at the waits of the sequence: each poll() of the consumer counts its lookups anew, as released.",
        "Every release does so: let it be unless brokers suffer from the number of lookups.",
    ),
    advice="Poll with a longer timeout: the backoff grows within one poll().",
)
def growth_restarted(sequence: BackoffSequence) -> Verdict:
    """Find a backoff that grew, and began anew before the call went through.

    Source: KIP-580, Proposed Changes; AbstractCoordinator.ensureCoordinatorReady (the counter is local to
    one call).
    Silent when: the client predates 3.7; the path keeps its counter until success, as lookups of consumers by KIP-848 do
    (CoordinatorRequestManager).
    """
    profile = sequence.profile
    if sequence.path != "lookup" or (profile is not None and profile.group_protocol == "consumer"):
        return NOT_APPLICABLE
    backoff = proven_backoff(sequence)
    if backoff is None:
        return UNKNOWN
    if not backoff.grows or backoff.is_flat_by_kip():
        return NOT_APPLICABLE
    for before, after in zip(sequence.waits, sequence.waits[1:], strict=False):
        least_ms = before.at_least_ms if before.at_least_ms is not None else before.waited_ms
        has_grown = least_ms >= GROWN * backoff.base_ms
        if has_grown and after.is_shorter_than(backoff.shortest_grown(after.failures)):
            return _found(
                "departs_from_kip",
                sequence,
                [after, before],
                backoff.shortest_grown(after.failures),
                grown_ms=least_ms,
            )
    return CONFORMS


@rule(
    "kip580.saturated_below_cap",
    judges=BackoffSequence,
    severity="info",
    gives=("departs_from_kip",),
    says="{api} waited {observed_ms} ms after failure {failures}, where the KIP's formula is exactly {limit_ms} ms",
    runbook=(
        "As released: the exponent is capped before jitter, so saturated waits lie between 0.8 of the cap and the cap.",
        "Let it be: it spreads clients over time, which the KIP's own formula would not.",
    ),
    advice="Nothing to do; count on a wait a fifth below retry.backoff.max.ms.",
)
def saturated_below_cap(sequence: BackoffSequence) -> Verdict:
    """Find a saturated wait below the cap.

    Source: KIP-580, Proposed Changes, MIN(max, base * 2^(failures-1) * U); ExponentialBackoff.backoff caps
    the exponent.
    Silent when: the client predates 3.7; the wait may have been cut short.
    """
    if sequence.path in CUT_SHORT | NOT_JUDGED:
        return NOT_APPLICABLE
    backoff = proven_backoff(sequence)
    if backoff is None:
        return UNKNOWN
    if not backoff.grows or backoff.cap_ms is None:
        return NOT_APPLICABLE
    saturated = [w for w in sequence.waits if backoff.is_saturated_by_kip(w.failures) and not w.is_ambiguous]
    if not saturated:
        return NOT_APPLICABLE
    cap_ms = backoff.cap_ms
    below = [
        w
        for w in saturated
        if w.is_shorter_than(cap_ms) and not w.is_shorter_than(backoff.bounds(w.failures)[0])
    ]
    if not below:
        return CONFORMS
    return _found("departs_from_kip", sequence, below[:1], cap_ms, failures=below[0].failures)


@rule(
    "kip580.too_many_in_first_second",
    judges=BackoffSequence,
    severity="warning",
    gives=("broken_semantics", "older_semantics"),
    says="{api} was retried {count} times in its first second; its settings allow {most} at most",
    runbook=(
        "Count the sequence's sends in its first second. Constant backoff before 3.7 gives ten of them by default.",
        "Usual causes: a client before 3.7, or a retry.backoff.ms of a few milliseconds; see its dump.",
    ),
    advice="Upgrade clients to 3.7 or later, or raise retry.backoff.ms.",
)
def too_many_in_first_second(sequence: BackoffSequence) -> Verdict:
    """Find more retries in the first second than the shortest legal waits leave room for.

    Source: KIP-580, Motivation and Proposed Changes.
    Silent when: the path cuts waits short by design; a leader change may excuse one of the retries.
    """
    if sequence.path in CUT_SHORT | NOT_JUDGED or sequence.started_at is None:
        return NOT_APPLICABLE
    if not sequence.waits or sequence.waits[0].failures != 1:
        return NOT_APPLICABLE
    backoff = proven_backoff(sequence)
    if backoff is None:
        return UNKNOWN
    early = []
    for wait in sequence.waits:
        if wait.failed_at + wait.at_most_ms - sequence.started_at > FIRST_SECOND_MS:
            break
        early.append(wait)
    most = _most_in_first_second(backoff)
    if most is None or len(early) <= most or any(wait.is_ambiguous for wait in early):
        return CONFORMS
    if backoff.grows and not all(wait.leader_excluded for wait in early):
        return LEADER
    return _found(
        "broken_semantics" if backoff.grows else "older_semantics",
        sequence,
        early,
        backoff.base_ms,
        count=len(early),
        most=most,
    )


def _most_in_first_second(backoff: Backoff) -> int | None:
    """Retries that the shortest waits allow in a second; None where there is no wait at all."""
    if backoff.base_ms <= LOG_CLOCK_GRAIN_MS:
        return None
    passed, count = 0, 0
    while passed <= FIRST_SECOND_MS + LINE_LATENCY_MS:
        count += 1
        # What a version that grows may draw near its cap is less than the KIP's formula has it.
        passed += max(1, backoff.shortest_grown(count) - LOG_CLOCK_GRAIN_MS)
    return count


@rule(
    "kip580.base_above_max_not_constant",
    judges=BackoffSequence,
    severity="warning",
    gives=("broken_semantics",),
    says="{api} waited {observed_ms} ms, where base above cap means {limit_ms} ms each time",
    runbook=(
        "Look at the waits of the sequence: with retry.backoff.ms above retry.backoff.max.ms each is the cap.",
        "Check in the dump that both settings belong to this client; a patched client is the usual cause.",
    ),
    advice="Mend the two settings; see kip580.base_above_max.",
)
def base_above_max_not_constant(sequence: BackoffSequence) -> Verdict:
    """Find a wait other than the cap although the base is above it.

    Source: KIP-580, Public Interfaces; ExponentialBackoff (base at or above max: max, no jitter).
    Silent when: base is not above cap; the wait may have been cut short.
    """
    if sequence.path in CUT_SHORT | NOT_JUDGED:
        return NOT_APPLICABLE
    backoff = proven_backoff(sequence)
    if backoff is None:
        return UNKNOWN
    if not backoff.grows or backoff.cap_ms is None or backoff.base_ms <= backoff.cap_ms:
        return NOT_APPLICABLE
    cap_ms = backoff.cap_ms
    long = [w for w in sequence.waits if (w.drawn_ms or 0) > cap_ms + LOG_CLOCK_GRAIN_MS]
    short = [wait for wait in sequence.waits if wait.is_shorter_than(cap_ms)]
    shown = long[:1] or proving(short, sequence.waits, backoff, sequence.short_before)
    if shown:
        return _found("broken_semantics", sequence, shown, cap_ms)
    return unproven(short) if short else CONFORMS
