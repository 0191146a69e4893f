"""Commits refused because the member was no member any more, and what had really ended its membership.

The text of CommitFailedException names max.poll.interval.ms whatever the cause was (ConsumerCoordinator,
ILLEGAL_GENERATION and UNKNOWN_MEMBER_ID alike); the lines before it tell more. Internal: not stored.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode, episode_id
from transforms.timers.profile import ClientProfile

MACHINE = "commit_failures"
MOST_EVENTS = 20  # the first ones prove it; an application may try again for hours
MOST_CLIENTS = 256  # consumers of one process that are remembered at once
BLAMES_POLLING = ("max.poll.interval.ms", "time between subsequent calls to poll()")
# No RetriableCommitFailedException: it wraps what passes by itself (a lost connection, a coordinator that moves).
REFUSED = ("CommitFailedException", "FencedInstanceIdException")
# What the line says had happened -> what ended the membership. A more telling line replaces another.
ENDS = {
    "poll_interval_expired": "poll",
    "session_expired": "session",
    "coordinator_lost": "contact",
    "fenced": "fenced",
}
ASSIGNED = frozenset({"sync", "partitions_assigned"})  # what ends a rebalance for a member
TELLING = ("contact", "session", "poll", "fenced")


@dataclass(slots=True, kw_only=True)
class CommitFailure(Episode):
    """Commits refused between the end of a membership and the next join of the same consumer.

    actual: `poll`, `session` (the client itself noticed that no heartbeat got through), `contact` (it lost
    its coordinator before), `fenced`, or None where no line tells.
    blames_polling: the exception names the poll limit.
    """

    commit_failure_id: str
    group_id: str | None = None
    happened_at: int | None = None
    ended_at: int | None = None
    actual: str | None = None
    blames_polling: bool = False
    refusals: int = 0


@dataclass(slots=True)
class Consumer:
    """What is remembered of a consumer since it joined last. is_joining: it asked to join, and has no assignment yet."""

    ended_by: str | None = None
    ended_event: str | None = None
    open: CommitFailure | None = None
    is_joining: bool = False
    group_id: str | None = None


@dataclass(slots=True)
class CommitFailures:
    """Machine: events of one process -> CommitFailure, when the consumer joins again or the log is over."""

    consumers: dict[str, Consumer] = field(default_factory=dict)

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """The refusals that this join ended."""
        if event.kind == "commit_failed":
            self._refused(event, profile)
            return ()
        if event.client_id is None or event.group_id is None or event.client_kind == "broker":
            return ()
        consumer = self._consumer(event.client_id)
        consumer.group_id = event.group_id
        if event.kind in ENDS and not _is_forgotten(event):
            _learn(consumer, ENDS[event.kind], event)
        elif event.kind == "join":
            consumer.is_joining = True
        elif event.kind == "joined" or event.kind in ASSIGNED:  # of KIP-848 the assignment alone tells
            is_joining = consumer.is_joining and event.kind == "joined"
            self.consumers[event.client_id] = Consumer(is_joining=is_joining, group_id=event.group_id)
            if consumer.open is not None:
                consumer.open.ended_at = event.happened_at
                return (consumer.open,)
        return ()

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """Refusals after which nobody joined again."""
        for consumer in self.consumers.values():
            if consumer.open is not None:
                yield consumer.open

    def _refused(self, event: ClientEvent, profile: ClientProfile) -> None:
        client_id = event.client_id or self._only_consumer()
        if client_id is None or not _is_refusal(event):
            return
        consumer = self._consumer(client_id)
        if _is_between(consumer, event):
            return
        if consumer.open is None:
            consumer.open = CommitFailure(
                commit_failure_id=episode_id(event.unit_id, MACHINE, event.event_id),
                unit_id=event.unit_id,
                incarnation=event.incarnation,
                client_id=client_id,
                service=event.service,
                instance=event.instance,
                event_ids=[consumer.ended_event] if consumer.ended_event else [],
                profile=profile,
                happened_at=event.happened_at,
                actual=consumer.ended_by,
            )
        failure = consumer.open
        failure.group_id = failure.group_id or event.group_id or consumer.group_id
        failure.blames_polling |= any(
            text in event.details.get("error_message", "") for text in BLAMES_POLLING
        )
        failure.refusals += event.error_class in REFUSED
        if len(failure.event_ids) < MOST_EVENTS:
            failure.event_ids.append(event.event_id)

    def _only_consumer(self) -> str | None:
        """An application's line names no client: it can only be the one consumer there is."""
        return next(iter(self.consumers)) if len(self.consumers) == 1 else None

    def _consumer(self, client_id: str) -> Consumer:
        if client_id not in self.consumers:
            make_room(self.consumers, MOST_CLIENTS)
        return self.consumers.setdefault(client_id, Consumer())


def _learn(consumer: Consumer, ended_by: str, event: ClientEvent) -> None:
    known = consumer.ended_by
    if known is None or TELLING.index(ended_by) > TELLING.index(known):
        consumer.ended_by, consumer.ended_event = ended_by, event.event_id
        if consumer.open is not None:
            consumer.open.actual = ended_by
            consumer.open.event_ids.append(event.event_id)


def _is_forgotten(event: ClientEvent) -> bool:
    """Whether a coordinator fenced a member of KIP-848 that it did not know any more, or by its epoch: nobody need have
    taken its place, as somebody does under an instance id.
    """
    said = f"{event.error_class} {event.details.get('error_message', '')}".casefold()
    return event.kind == "fenced" and event.message_id.startswith("c848-") and "instance" not in said


def _is_between(consumer: Consumer, event: ClientEvent) -> bool:
    """Whether a commit failed at the client because its member is between two generations, which no line says it lost.

    Source: ConsumerCoordinator.sendOffsetCommitRequest: without a stable generation it is not sent, and a member that is
    joining again (RebalanceInProgressException since 2.5) logs that as one that was kicked out.
    """
    is_unsent = event.message_id == "commit-failed-generation" and "error_message" not in event.details
    return is_unsent and consumer.is_joining and consumer.ended_by is None


def _is_refusal(event: ClientEvent) -> bool:
    """Whether the membership is why; a commit that timed out may be tried again; only members have stale epochs."""
    if event.details.get("reason") == "stale member epoch":
        return False
    if event.error_class in REFUSED or event.message_id == "commit-failed-generation":
        return True
    return "not aware of this member" in event.details.get("error_message", "")
