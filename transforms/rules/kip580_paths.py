"""KIP-580, Proposed Changes: growth begins anew after success, and some loops never grow."""

from transforms.rules.rule import CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.backoff.envelope import JITTER, Backoff, backoff_of
from transforms.timers.backoff.first_waits import FirstWait, FirstWaits
from transforms.timers.backoff.static_loops import StaticLoop, StaticWait
from transforms.timers.profile import Setting

LOG_CLOCK_GRAIN_MS = 1
# What a busy core and the lines themselves add to a wait.
LATE_MS = 20
# A wait that no line prints may be long for a reason of its own; so many in a row are how the client counts.
IN_A_ROW = 3
# A first wait of at least this step is far from any first draw (0.8 * 4 against 1.2 times the base).
FAR_STEP = 3
# Waits that fit one growing step each: by chance one does, not so many in a row.
GROWN_STEPS = 4
GREW = 1.6

UNKNOWN = unjudged(
    "backoff settings or version unknown",
    "the client's configuration dump and its 'Kafka version' line (INFO)",
)


@rule(
    "kip580.not_reset",
    judges=FirstWaits,
    severity="warning",
    gives=("broken_semantics",),
    says="{api} waited {observed_ms} ms after a first failure, as if the {before} failures before it still counted; "
    "{limit_ms} ms is the longest first wait",
    runbook=(
        "Look at the waits after the first failure of each batch or call: are they as long as the last ones of the "
        "one before?",
        "Usual cause: a wrapper or patched client that keeps one counter for all; it recovers slowly from each small fault.",
    ),
    advice="Lower retry.backoff.max.ms to bound what a counter that is never reset costs; replace the client.",
)
def not_reset(firsts: FirstWaits) -> Verdict:
    """Find a client whose growth goes on although what had failed before went through.

    Source: KIP-580, Proposed Changes ("reset after success"); ProducerBatch.attempts, KafkaAdminClient.Call:
    each counts its own failures.
    Silent when: the client does not grow (before 3.7, base at or above cap); the send is not logged, or other
    requests, batches or a leader change may have held the batch; fewer than three such waits in a row, where
    the client does not print them.
    """
    if not any(first.before > 1 for first in firsts.waits):
        return NOT_APPLICABLE
    backoff = backoff_of(firsts.profile) if firsts.profile else None
    if backoff is None or not backoff.is_proven:
        return UNKNOWN
    if not backoff.grows or backoff.is_flat_by_kip():
        return NOT_APPLICABLE
    printed = [first for first in firsts.waits if _is_grown(first, backoff, 2, 0) and first.wait.drawn_ms]
    shown = printed[:1] or _row(firsts, backoff)
    if not shown:
        return CONFORMS
    worst = shown[0]
    return violated(
        "broken_semantics",
        events=list(dict.fromkeys(event_id for first in shown for event_id in first.wait.event_ids)),
        happened_at=worst.wait.failed_at,
        observed_ms=worst.wait.drawn_ms or worst.wait.waited_ms,
        limit_ms=backoff.bounds(1)[1],
        limit_origin=_origin(firsts.profile.setting("retry.backoff.ms") if firsts.profile else None),
        api=firsts.api,
        before=worst.before,
    )


def _row(firsts: FirstWaits, backoff: Backoff) -> list[FirstWait]:
    """So many first waits in a row that nothing but a counter explains."""
    row: list[FirstWait] = []
    for first in firsts.waits:
        wait = first.wait
        tells = wait.is_alone and wait.is_sent_known and not wait.is_ambiguous
        row = [*row, first] if tells and _is_grown(first, backoff, FAR_STEP, LATE_MS) else []
        if len(row) == IN_A_ROW:
            return row
    return []


def _is_grown(first: FirstWait, backoff: Backoff, least_step: int, late_ms: int) -> bool:
    """Whether a first wait is that of a later step, and of one that the failures before it had reached."""
    waited_ms = first.wait.drawn_ms if first.wait.drawn_ms is not None else first.wait.waited_ms
    longest_first = backoff.bounds(1)[1] + LOG_CLOCK_GRAIN_MS
    shortest, longest = backoff.bounds(least_step)[0], backoff.bounds(first.before + 1)[1]
    return (
        longest_first + late_ms < waited_ms
        and shortest <= waited_ms <= longest + LOG_CLOCK_GRAIN_MS + late_ms
    )


@rule(
    "kip580.grew_on_static_path",
    judges=StaticLoop,
    severity="warning",
    gives=("broken_semantics",),
    says="the waits of {what} grew to {observed_ms} ms; this loop waits {limit_ms} ms each time",
    runbook=(
        "Look at the waits between the retries of the loop: joins, the leader's internal topics and InitProducerId "
        "wait retry.backoff.ms, however often they fail.",
        "Usual cause: a patched client. A rebalance that backs off holds up the whole group.",
        "Let it be where the application polls ever more seldom by itself.",
    ),
    advice="Check retry.backoff.ms of the client; a smaller one joins faster and loads the coordinator more. "
    "Replace a client that grows here.",
)
def grew_on_static_path(loop: StaticLoop) -> Verdict:
    """Find a loop that waits longer each time where the KIP leaves the wait constant.

    Source: KIP-580, Proposed Changes (rebalancing, Streams and Connect are left as they are);
    AbstractCoordinator.joinGroupIfNeeded, InternalTopicManager, TransactionManager.
    Silent when: the coordinator was looked up between two joins, which has its own backoff; waits that no line
    prints fit no growing step, or fewer than four in a row do; a base so near the cap that steps look alike.
    """
    printed = [wait for wait in loop.waits if wait.is_printed]
    if len(printed) > 1:
        return _printed(loop, printed)
    if len(loop.waits) < GROWN_STEPS:
        return NOT_APPLICABLE
    base = loop.profile.whole("retry.backoff.ms") if loop.profile else None
    if base is None or not base.is_proven:
        return unjudged("retry.backoff.ms unknown", "the client's configuration dump (INFO)")
    grown = _grown(loop.waits, base.ms)
    if not grown:
        return CONFORMS
    return _grew(loop, grown, base.ms, base.origin)


def _printed(loop: StaticLoop, waits: list[StaticWait]) -> Verdict:
    """Two waits of one loop, as the client itself says them."""
    least = min(waits, key=lambda wait: (wait.waited_ms, wait.at))
    later = [wait for wait in waits if wait.at >= least.at and wait.waited_ms > GREW * least.waited_ms]
    if not later or least.waited_ms == 0:
        return CONFORMS
    return _grew(loop, [least, later[-1]], least.waited_ms, "logged")


def _grown(waits: list[StaticWait], base_ms: int) -> list[StaticWait]:
    """Waits in a row that are each in the band of their own step, the first of them the base's."""
    if base_ms <= LATE_MS:
        return []
    for place in range(len(waits) - GROWN_STEPS + 1):
        row = waits[place : place + GROWN_STEPS]
        if all(_fits(wait.waited_ms, base_ms * 2**step) for step, wait in enumerate(row)):
            return row
    return []


def _fits(waited_ms: int, step_ms: int) -> bool:
    shortest, longest = step_ms * (1 - JITTER), step_ms * (1 + JITTER)
    return shortest - LOG_CLOCK_GRAIN_MS <= waited_ms <= longest + LATE_MS


def _grew(loop: StaticLoop, shown: list[StaticWait], limit_ms: int, origin: str) -> Verdict:
    return violated(
        "broken_semantics",
        events=list(dict.fromkeys(event_id for wait in shown for event_id in wait.event_ids)),
        happened_at=shown[-1].at,
        observed_ms=shown[-1].waited_ms,
        limit_ms=limit_ms,
        limit_origin=origin,
        what=loop.what,
    )


def _origin(setting: Setting | None) -> str | None:
    return setting.origin if setting else None
