"""KIP-601: how long a connection is given to be set up."""

import math

from transforms.rules.rule import CONFORMS, Verdict, rule, unjudged, violated
from transforms.timers.backoff.envelope import JITTER
from transforms.timers.backoff.setup_timeouts import SetupTimeout

BASE, MOST = "socket.connection.setup.timeout.ms", "socket.connection.setup.timeout.max.ms"
# Since then the largest is no more than the setting says; before, its jitter may go above.
CAPPED_SINCE = (3, 7)


@rule(
    "kip601.setup_timeout_outside",
    judges=SetupTimeout,
    severity="warning",
    gives=("broken_semantics",),
    says="a connection to node {node} was given up after a limit of {observed_ms} ms; by its settings that is "
    "{shortest_ms} to {longest_ms} ms",
    runbook=(
        "Compare the line's value with that client's socket.connection.setup.timeout.ms and .max.ms.",
        "The line itself tells of a broker that does not answer: that comes first, whatever the limit was.",
        "Let it be where the client's settings were changed since its dump.",
    ),
    advice="Report it with the client's version: no release from 2.7 on is known to do so. A limit that is wanted is set by "
    "both settings, to the same value.",
)
def setup_timeout_outside(setup: SetupTimeout) -> Verdict:
    """Find a connection that was given less than 0.8 of the first limit, or more than the largest.

    Source: KIP-601, Proposed Changes; ClusterConnectionStates, ExponentialBackoff.
    Silent when: the settings are not logged; the client is older than 2.7, which had no such limit; nothing says which
    failure of the node it was, so the growth between the two bounds is not judged.
    """
    profile = setup.profile
    base = profile.whole(BASE) if profile else None
    most = profile.whole(MOST) if profile else None
    if profile is None or base is None or most is None or not (base.is_proven and most.is_proven):
        return unjudged("connection settings unknown", "the client's config dump (INFO)")
    shortest_ms = math.floor(min(base.ms, most.ms) * (1 - JITTER))
    is_capped = profile.at_least(*CAPPED_SINCE) or base.ms >= most.ms
    longest_ms = most.ms if is_capped else math.ceil(most.ms * (1 + JITTER))
    if shortest_ms <= setup.drawn_ms <= longest_ms:
        return CONFORMS
    return violated(
        "broken_semantics",
        events=setup.event_ids,
        subject_id=setup.setup_id,
        happened_at=setup.happened_at,
        observed_ms=setup.drawn_ms,
        limit_ms=shortest_ms if setup.drawn_ms < shortest_ms else longest_ms,
        limit_origin=base.origin,
        node=setup.node_id,
        shortest_ms=shortest_ms,
        longest_ms=longest_ms,
    )
