"""KIP-848, 1071, 932: what the coordinator promises about fencing members, by its own lines and clock."""

from transforms.rules.kip62 import LOG_CLOCK_GRAIN_MS, LOOK_AT_BROKER
from transforms.rules.rule import CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.groups.fences import Fence

# A group's own limit (consumer.session.timeout.ms and its twins) is not printed; the broker keeps it above this one.
SHORTEST_SESSION = "group.{group_type}.min.session.timeout.ms"


@rule(
    "kip848.evicted_early",
    judges=Fence,
    severity="error",
    gives=("broken_semantics",),
    says="its session expired {observed_ms} ms after the coordinator answered it; no group's limit is below {limit_ms} ms",
    runbook=LOOK_AT_BROKER,
    advice="No setting of the group explains it: report it with the coordinator's log.",
)
def evicted_early(fence: Fence) -> Verdict:
    """Find a session that expired sooner than the shortest limit that the broker lets a group have.

    Source: KIP-848, Consumer Group; GroupMetadataManager.scheduleConsumerGroupSessionTimeout.
    Silent when: the broker's config dump, or a line that answers the member, is not in the log. A limit of the group's
    own is not printed, so between the shortest and the longest nothing is judged.
    """
    if fence.cause != "session":
        return NOT_APPLICABLE
    if fence.heard is None or fence.group_type is None:
        return unjudged(
            "no answer to the member is logged",
            "the coordinator's log (INFO of GroupMetadataManager) from the member's join on",
        )
    name = SHORTEST_SESSION.format(group_type=fence.group_type)
    limit = fence.profile.whole(name) if fence.profile else None
    if limit is None or not limit.is_proven:
        return unjudged(
            "the broker's bounds are unknown",
            "the broker's config dump (group.consumer.min.session.timeout.ms, or that of streams or share groups)",
        )
    waited_ms = fence.fenced.at - fence.heard.at
    if waited_ms >= limit.ms - LOG_CLOCK_GRAIN_MS:
        return CONFORMS
    return violated(
        "broken_semantics",
        events=(fence.heard.event_id, fence.fenced.event_id),
        subject_id=fence.fence_id,
        happened_at=fence.fenced.at,
        observed_ms=waited_ms,
        limit_ms=limit.ms,
        limit_origin=limit.origin,
    )


@rule(
    "kip848.evicted_in_rebalance_early",
    judges=Fence,
    severity="error",
    gives=("broken_semantics",),
    says="fenced {observed_ms} ms after epoch {epoch} began, for not reaching it; its own limit is {limit_ms} ms",
    runbook=LOOK_AT_BROKER,
    advice="None of the member's settings explains it: report it with the coordinator's log.",
)
def evicted_in_rebalance_early(fence: Fence) -> Verdict:
    """Find a member that was fenced before its max.poll.interval.ms had passed since there was something to give up.

    Source: KIP-848, Rebalance Process; GroupMetadataManager.scheduleConsumerGroupRebalanceTimeout.
    Silent when: the group's line of the epoch that the member did not reach is not in the log. The timer starts at
    the member's next heartbeat after that line, which is not logged: so lateness is not judged.
    """
    if fence.cause != "rebalance" or fence.limit_ms is None or fence.epoch is None:
        return NOT_APPLICABLE
    if fence.next_epoch is None:
        return unjudged(
            "the rebalance's begin not seen",
            "the coordinator's log (INFO of GroupMetadataManager) from the group's new epoch on",
        )
    waited_ms = fence.fenced.at - fence.next_epoch.at
    if waited_ms >= fence.limit_ms - LOG_CLOCK_GRAIN_MS:
        return CONFORMS
    return violated(
        "broken_semantics",
        events=(fence.next_epoch.event_id, fence.fenced.event_id),
        subject_id=fence.fence_id,
        happened_at=fence.fenced.at,
        observed_ms=waited_ms,
        limit_ms=fence.limit_ms,
        limit_origin="named",
        epoch=fence.epoch + 1,
    )
