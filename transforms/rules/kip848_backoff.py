"""KIP-848 and KIP-580: what a member waits before it sends a failed heartbeat again."""

import math

from transforms.rules.rule import CONFORMS, Verdict, rule, unjudged, violated
from transforms.timers.backoff.envelope import JITTER
from transforms.timers.backoff.heartbeat_waits import HeartbeatWait

BASE, CAP = "retry.backoff.ms", "retry.backoff.max.ms"
MENDED_IN = (4, 2)


@rule(
    "kip848.heartbeat_not_backed_off",
    judges=HeartbeatWait,
    severity="warning",
    gives=("departs_from_kip", "broken_semantics"),
    says="a failed heartbeat was to be sent again in {observed_ms} ms; the shortest backoff is {limit_ms} ms",
    runbook=(
        "Compare the waits: 3.7.0 to 4.1.2 draw 0 ms or retry.backoff.max.ms, half each (KAFKA-19813); recorded with 4.1.2.",
        "Count the heartbeats a second at the coordinator: those without a wait load it while it is in trouble.",
        "Let it be where few members fail at once.",
    ),
    advice="Upgrade the client to 4.2 or later, which draws as KIP-580 says (recorded with 4.3.1); until then a group of "
    "many members may hammer a coordinator that restarts.",
)
def heartbeat_not_backed_off(wait: HeartbeatWait) -> Verdict:
    """Find a heartbeat that is sent again sooner than any backoff.

    Source: KIP-580, Proposed Changes; AbstractHeartbeatRequestManager (its jitter was 300000 before 4.2, KAFKA-19813).
    Silent when: the backoff's settings or the version are not logged; only DEBUG prints the wait.
    """
    profile = wait.profile
    base = profile.whole(BASE) if profile else None
    cap = profile.whole(CAP) if profile else None
    is_mended = profile.at_least(*MENDED_IN) if profile else None
    if base is None or cap is None or not (base.is_proven and cap.is_proven) or is_mended is None:
        return unjudged(
            "backoff settings or version unknown", "the consumer's config dump and its version line (INFO)"
        )
    shortest_ms = math.floor(min(base.ms, cap.ms) * (1 - JITTER))
    if wait.drawn_ms >= shortest_ms:
        return CONFORMS
    return violated(
        "broken_semantics" if is_mended else "departs_from_kip",
        events=wait.event_ids,
        subject_id=wait.wait_id,
        happened_at=wait.happened_at,
        observed_ms=wait.drawn_ms,
        limit_ms=shortest_ms,
        limit_origin=base.origin,
    )
