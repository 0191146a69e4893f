"""KIP-144: how long a client waits before it connects again."""

import math

from transforms.rules.clocks import CLOCK_STEP
from transforms.rules.kip62 import LOG_CLOCK_GRAIN_MS
from transforms.rules.rule import CONFORMS, Verdict, rule, unjudged, violated
from transforms.timers.backoff.envelope import JITTER
from transforms.timers.backoff.reconnects import Reconnect

BASE, MOST = "reconnect.backoff.ms", "reconnect.backoff.max.ms"


@rule(
    "kip144.reconnected_early",
    judges=Reconnect,
    severity="warning",
    gives=("broken_semantics",),
    says="connected to node {node} again {observed_ms} ms after a try that failed; the shortest wait is {limit_ms} ms",
    runbook=(
        "Look at the client's DEBUG lines of NetworkClient: a try, its failure, the next try.",
        "See why the node takes no connection: that comes first, however often it is tried.",
        "Let it be where two clients of the process share one client.id.",
    ),
    advice="Report it with the client's version: no release is known to do so. A broker that starts is hammered by clients "
    "that don't wait.",
)
def reconnected_early(reconnect: Reconnect) -> Verdict:
    """Find a connection that was tried again before any backoff that its client could have drawn.

    Source: KIP-144, Proposed Changes; ClusterConnectionStates.disconnected, canConnect.
    Silent when: reconnect.backoff.ms or its maximum is not logged; two clients have this name. Only the shortest wait is
    judged: a client connects when it has something to send, and what makes the wait grow is reset without a line.
    """
    profile = reconnect.profile
    base, most = (profile.whole(name) if profile else None for name in (BASE, MOST))
    if base is None or most is None or not (base.is_proven and most.is_proven):
        return unjudged("reconnect backoff unknown", "the client's config dump (INFO)")
    if reconnect.waited_ms is None:
        return CLOCK_STEP
    shortest_ms = math.floor(min(base.ms, most.ms) * (1 - JITTER))
    if reconnect.waited_ms >= shortest_ms - LOG_CLOCK_GRAIN_MS:
        return CONFORMS
    return violated(
        "broken_semantics",
        events=reconnect.event_ids,
        subject_id=reconnect.reconnect_id,
        happened_at=reconnect.happened_at,
        observed_ms=reconnect.waited_ms,
        limit_ms=shortest_ms,
        limit_origin=base.origin,
        node=reconnect.node_id,
    )
