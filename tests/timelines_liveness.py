"""Histories of members and coordinators in one line each: `0:ask 500:joined=m1/1 8500:expired`.

A step is `<ms>:<word>[=<argument>]`; an event's id is its unit, its word and its instant: `app/joined@500`.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.pure import samples_by_unit
from transforms.timers.episodes import Episode
from transforms.timers.groups.group import fold_group
from transforms.timers.profile import ClientProfile, Setting
from transforms.timers.samples.series import Series

GROUP = "g"
REASONS = {
    "poll": "consumer poll timeout has expired.",
    "close": "the consumer is being closed",
    "unsubscribed": "the consumer unsubscribed from all topics",
    "commit": "offset commit timed out",
}
# word: message_id, kind, fixed details
CLIENT_WORDS = {
    "ask": ("rejoin", "join", {}),
    "told_to_rejoin": ("rejoin-reason", "other_kafka", {"reason": "group is already rebalancing"}),
    "joined": ("joined", "joined", {}),
    "synced": ("synced", "sync", {}),
    "leads": ("leader-assignment", "other_kafka", {}),
    "rd_timed_out": ("rdkafka-session-timeout", "session_expired", {}),
    "rd_expired": ("rdkafka-max-poll", "poll_interval_expired", {}),
    "answered": ("join-answered", "other_kafka", {}),
    "assigned": ("partitions-added", "partitions_assigned", {}),
    "expired": ("poll-timeout-expired", "poll_interval_expired", {}),
    "left": ("leave-group", "leave_group", {}),
    "reset": ("generation-reset", "generation_reset", {"reason": "consumer pro-actively leaving the group"}),
    "timed_out": (
        "generation-reset",
        "generation_reset",
        {"reason": "encountered REQUEST_TIMED_OUT from OFFSET_COMMIT response"},
    ),
    "unknown": ("heartbeat-failed", "heartbeat_failed", {}),
    "stale": ("heartbeat-failed", "heartbeat_failed", {"reason": "ignoring the error"}),
    "commit_unknown": (
        "commit-failed",
        "commit_failed",
        {"error_message": "The coordinator is not aware of this member."},
    ),
    "fenced": ("heartbeat-fenced", "fenced", {}),
    "session_lost": (
        "coordinator-unknown",
        "coordinator_lost",
        {"cause": "session timed out without receiving a heartbeat response"},
    ),
    "gone": ("coordinator-unknown", "coordinator_lost", {"cause": "coordinator unavailable"}),
    "found": ("coordinator-found", "coordinator_found", {}),
    "lost": ("partitions-lost", "partitions_lost", {}),
    "beat": ("heartbeat-send", "heartbeat", {}),
    "ok": ("heartbeat-ok", "heartbeat", {}),
    "send": ("net-send", "other_kafka", {}),
    "got": ("net-received", "other_kafka", {}),
    "committed": ("offset-committed", "other_kafka", {}),
    "noise": ("net-idle-disconnected", "disconnect", {}),
    "to": ("c848-transition", "other_kafka", {}),
    "expired848": ("c848-poll-timeout", "poll_interval_expired", {}),
    "late848": ("c848-poll-exceeded-by", "other_kafka", {}),
    "ok848": ("c848-heartbeat-ok", "heartbeat", {}),
    "leave_not_sent": ("c848-leave-not-sent", "other_kafka", {}),
    "interval848": ("c848-heartbeat-interval", "other_kafka", {}),
    "fenced848": ("c848-heartbeat-fenced", "heartbeat_failed", {}),
}
BROKER_WORDS = {
    "created": ("broker-member-joined", "other_kafka"),
    "prepare": ("broker-prepare-rebalance", "broker_rebalance"),
    "stable": ("broker-stabilized", "broker_rebalance"),
    "assignment": ("broker-assignment", "other_kafka"),
    "failed": ("broker-member-failed", "broker_member_failed"),
    "missed": ("broker-rejoin-timeout", "broker_member_failed"),
    "gone": ("broker-leave", "leave_group"),
    "overdue": ("broker-leave", "leave_group"),
    "replaced": ("broker-static-replaced", "other_kafka"),
    "joins848": ("broker-member-joined", "other_kafka"),
    "state848": ("broker-member-state", "other_kafka"),
    "epoch": ("broker-group-epoch", "broker_rebalance"),
    "silent848": ("broker-fenced-848", "broker_member_failed"),
    "stuck848": ("broker-fenced-848", "broker_member_failed"),
}
TRIGGERS = {
    "add": "Adding new member {member} with group instance id null; client reason: not provided",
    "fail": "removing member {member} on heartbeat expiration.",
    "unsynced": "Removing [{member}] on pending sync request expiration",
    "leave": "explicit `LeaveGroup` request for ({member}) members.",
    "overdue": "explicit `LeaveGroup` request for ({member}) members.; client reason: consumer poll timeout has expired.",
    "update": "Updating metadata for member {member} during Stable; client reason: metadata has changed",
    "leader": "Leader {member} re-joining group during Stable; client reason: need to revoke partitions",
    "odd": "something that no release says",
}


@dataclass
class Known:
    """Settings of one unit, as UnitSettings would give them."""

    unit: str = "app"
    poll_ms: int | None = 8_000
    session_ms: int | None = 6_000
    heartbeat_ms: int | None = 2_000
    version: tuple[int, int, int] | None = (4, 2, 1)
    origin: str = "logged"
    is_embedded: bool = False
    library: str = "java"
    instance_id: str | None = None
    restarts_at: int | None = None

    def profile(self) -> ClientProfile:
        values = {
            "max.poll.interval.ms": self.poll_ms,
            "session.timeout.ms": self.session_ms,
            "heartbeat.interval.ms": self.heartbeat_ms,
        }
        settings = {
            name: Setting(name, str(value), self.origin)
            for name, value in values.items()
            if value is not None
        }
        return ClientProfile(
            unit_id=self.unit,
            client_id="c",
            client_kind="consumer",
            version=self.version,
            is_embedded=self.is_embedded,
            library=self.library,
            settings=settings,
            group_instance_id=self.instance_id,
        )

    def profile_of(self, event: ClientEvent) -> ClientProfile:
        return self.profile()

    def incarnation_of(self, event: ClientEvent) -> int:
        restarted = self.restarts_at is not None and (event.happened_at or 0) >= self.restarts_at
        return 1 if restarted else 0


@dataclass
class Unit:
    """One log: of a member, or (`is_broker`) of a coordinator. shift_ms: how far its clock is ahead."""

    name: str
    story: str
    known: Known = field(default_factory=Known)
    is_broker: bool = False
    shift_ms: int = 0

    def events(self) -> list[ClientEvent]:
        latest = None
        found = []
        named: Counter[str] = Counter()  # no two events of a log have one id, said at one time though they be
        for position, step in enumerate(self.story.split()):
            at_text, _, rest = step.partition(":")
            word, _, argument = rest.partition("=")
            at = int(at_text) + self.shift_ms
            latest = at if latest is None else max(latest, at)
            event = _broker_event(word, argument) if self.is_broker else _client_event(word, argument)
            name = f"{self.name}/{word}@{at_text}"
            event.event_id = f"{name}#{named[name]}" if named[name] else name
            named[name] += 1
            event.unit_id = event.source_id = self.name
            event.happened_at, event.ordered_at, event.position = at, latest, position
            event.group_id = GROUP
            found.append(event)
        return found


def app(story: str, name: str = "app", shift_ms: int = 0, **known: object) -> Unit:
    """A member's log."""
    return Unit(name, story, Known(unit=name, **known), shift_ms=shift_ms)


def broker(story: str, name: str = "broker", shift_ms: int = 0) -> Unit:
    """A coordinator's log."""
    return Unit(name, story, Known(unit=name), is_broker=True, shift_ms=shift_ms)


def fold(*units: Unit, samples: Iterable[Series] = ()) -> list[Episode]:
    """All episodes of the group."""
    known = {unit.name: unit.known for unit in units}
    events = sorted((event for unit in units for event in unit.events()), key=lambda event: event.order)
    return list(fold_group(GROUP, events, known.__getitem__, samples_by_unit(samples)))


def of_class(episodes: Iterable[Episode], kind: type) -> list[Episode]:
    """The episodes of exactly this class, in the order they came."""
    return [episode for episode in episodes if type(episode) is kind]


def _client_event(word: str, argument: str) -> ClientEvent:
    message_id, kind, details = CLIENT_WORDS[word]
    event = ClientEvent(
        kind, message_id, client_kind="consumer", client_id="c", details=dict(details), level="INFO"
    )
    if word == "leads":
        members, _, generation = argument.partition("/")
        given = (f"{member}=Assignment(partitions=[t-0])" for member in members.split(","))
        event.generation, event.details["assignments"] = int(generation), "{" + ", ".join(given) + "}"
    if word in ("joined", "answered", "synced", "beat", "to", "unknown", "stale"):
        member, _, generation = argument.partition("/")
        event.member_id = member or None
        event.generation = int(generation) if generation.lstrip("-").isdigit() else None
    if word == "joined" and "@" in argument:
        event.member_id, event.group_instance_id = argument.split("/")[0].split("@")
    if word in ("unknown", "stale"):
        event.error_class = "UNKNOWN_MEMBER_ID"
    if word == "left":
        reason, _, event.member_id = argument.partition("/")
        event.member_id = event.member_id or None
        if reason:
            event.details["reason"] = REASONS[reason]
    if word in ("send", "got"):
        event.api, correlation, *error = [*argument.split("/"), *([] if "/" in argument else ["0"])]
        event.correlation_id = int(correlation)
        event.details |= {"response_error": error[0]} if error else {}
    if word == "to":
        member, event.details["state_to"], *came_from = argument.split("/")
        event.member_id, _, epoch = member.partition("@")
        event.details["state_from"] = "".join(came_from)
        event.generation = int(epoch or 1)
    if word in ("rd_timed_out", "rd_expired"):
        event.elapsed_ms = int(argument) if argument.isdigit() else None
    if word == "late848":
        event.details["exceeded_ms"] = argument
    if word == "interval848":
        event.details["heartbeat_interval_ms"] = argument
    if word == "fenced848":
        event.member_id = argument
    if word == "ok848":
        event.details["response"] = f"ConsumerGroupHeartbeatResponseData(heartbeatIntervalMs={argument})"
    return event


def _broker_event(word: str, argument: str) -> ClientEvent:
    message_id, kind = BROKER_WORDS[word]
    event = ClientEvent(kind, message_id, client_kind="broker", level="INFO")
    first, _, second = argument.partition("/")
    if word == "prepare":
        member, _, generation = second.partition("/")
        event.details["reason"] = TRIGGERS[first].format(member=member)
        event.generation = int(generation)
    elif word == "stable":
        event.generation = int(first)
        event.details["members"] = second
    elif word == "assignment":
        event.member_id, event.generation = first, int(second)
    elif word == "epoch":
        event.generation = int(first)
    elif word == "joins848":
        event.member_id, event.details["group_type"] = first, second or "consumer"
    elif word == "silent848":
        event.member_id, event.details["reason"] = first, "the member session expired."
    elif word == "stuck848":
        event.member_id, (epoch, _, limit) = first, second.partition("/")
        event.details["reason"] = f"it failed to transition from epoch {epoch} within {limit}ms."
    elif word == "overdue":
        event.member_id, event.details["reason"] = first, "consumer poll timeout has expired."
    elif word == "missed":
        event.details["members"] = f"Set({argument})"
    else:
        event.member_id = first
    return event
