"""What a classic consumer says of its membership, by version, and the requests of a client as DEBUG shows them.

Loggers moved with 3.0 from AbstractCoordinator to ConsumerCoordinator (the runtime class); the callbacks' lines moved to
ConsumerRebalanceListenerInvoker with 3.7. Requests are logged at DEBUG from 2.6 on (NetworkClient), at TRACE before.
"""

from dataclasses import dataclass
from random import Random

from lab.simulate.line import Line, Text
from lab.simulate.process import Client, Process

INTERNALS = "org.apache.kafka.clients.consumer.internals."
COORDINATOR, ABSTRACT = f"{INTERNALS}ConsumerCoordinator", f"{INTERNALS}AbstractCoordinator"
INVOKER = f"{INTERNALS}ConsumerRebalanceListenerInvoker"
NETWORK = "org.apache.kafka.clients.NetworkClient"
SLOW, SLOW_24, GC_28 = "p62-slow-poll-42", "p62-slow-poll-24", "p62-pause-gc-28"
FROZEN, STATIC = "p62-frozen-past-both-39", "p62-static-member-42"
NOT_RECORDED = "no recording of such a version; text of the reference table, from AbstractCoordinator"
ADVICE = (
    "This means the time between subsequent calls to poll() was longer than the configured max.poll.interval.ms, "
    "which typically implies that the poll loop is spending too much time processing messages. You can address this "
    "either by increasing max.poll.interval.ms or by reducing the maximum size of batches returned in poll() with "
    "max.poll.records."
)
EXPIRED = "consumer poll timeout has expired."
CLOSED = "the consumer is being closed"
TIMED_OUT = "The request timed out."
FENCED = (
    "The broker rejected this static consumer since another consumer with the same group.instance.id has registered "
    "with a different member.id."
)

TEXTS = {
    "found": Text("{me}Discovered group coordinator {node}", COORDINATOR, recorded=SLOW),
    "rejoin": Text("{me}(Re-)joining group", COORDINATOR, recorded=SLOW),
    "reason": Text("{me}Request joining group due to: {reason}", COORDINATOR, recorded=SLOW),
    "id_required": Text(
        "{me}JoinGroup failed due to non-fatal error: MEMBER_ID_REQUIRED. Will set the member id as {member} and then "
        + "rejoin. Sent generation was {generation}",
        COORDINATOR,
        "DEBUG",
        SLOW,
    ),
    "joined": Text("{me}Successfully joined group with generation {generation}", COORDINATOR, recorded=SLOW),
    "assigns": Text(
        "{me}Finished assignment for group at generation {generation}: {assignments}",
        COORDINATOR,
        recorded=FROZEN,
    ),
    "synced": Text("{me}Successfully synced group in generation {generation}", COORDINATOR, recorded=SLOW),
    "completed": Text(
        "{me}Executing onJoinComplete with generation {generation} and memberId {member}",
        COORDINATOR,
        "DEBUG",
        SLOW,
    ),
    "added": Text("{me}Adding newly assigned partitions: {partitions}", INVOKER, recorded=SLOW),
    "set": Text(
        "{me}Setting newly assigned partitions {partitions}",
        COORDINATOR,
        because="no recording before 2.4; text of ConsumerCoordinator.onJoinComplete to 2.3",
    ),
    "revoked": Text("{me}Revoke previously assigned partitions {partitions}", INVOKER, recorded=SLOW),
    "revoking": Text(
        "{me}Revoking previously assigned partitions {partitions}",
        COORDINATOR,
        because="no recording before 2.4; text of ConsumerCoordinator.onJoinPrepare to 2.3",
    ),
    "gave_away": Text(
        "{me}Giving away all assigned partitions as lost since generation/memberID has been reset,"
        + "indicating that consumer is in old state or no longer part of the group",
        COORDINATOR,
        recorded=SLOW,
    ),
    "gave_away_24": Text(
        "{me}Giving away all assigned partitions as lost since generation has been reset,"
        + "indicating that consumer is no longer part of the group",
        ABSTRACT,
        recorded=SLOW_24,
    ),
    "lost": Text("{me}Lost previously assigned partitions {partitions}", INVOKER, recorded=SLOW),
    "beat": Text(
        "{me}Sending Heartbeat request with generation {generation} and member id {member} to coordinator {node}",
        COORDINATOR,
        "DEBUG",
        SLOW,
    ),
    "beat_24": Text(
        "{me}Sending Heartbeat request to coordinator {node}", ABSTRACT, "DEBUG", because=NOT_RECORDED
    ),
    "beat_ok": Text("{me}Received successful Heartbeat response", COORDINATOR, "DEBUG", SLOW),
    "beat_rebalancing": Text(
        "{me}Attempt to heartbeat failed since group is rebalancing", ABSTRACT, recorded=SLOW_24
    ),
    "beat_ignored": Text(
        "{me}Ignoring heartbeat response with error REBALANCE_IN_PROGRESS during PREPARING_REBALANCE state",
        COORDINATOR,
        "DEBUG",
        because="in no recording; text of AbstractCoordinator.HeartbeatResponseHandler",
    ),
    "beat_failed": Text(
        "{me}Attempt to heartbeat with {generation} and group instance id {instance} failed due to {error}, "
        + "resetting generation",
        COORDINATOR,
        recorded=FROZEN,
    ),
    "beat_failed_25": Text(
        "{me}Attempt to heartbeat failed for since member id {member} is not valid.",
        ABSTRACT,
        because=NOT_RECORDED,
    ),
    "fenced": Text(
        "{me}Caught fenced group.instance.id {instance} error in heartbeat thread",
        COORDINATOR,
        "ERROR",
        STATIC,
    ),
    "expired": Text("{me}" + EXPIRED + " " + ADVICE, COORDINATOR, "WARN", SLOW),
    "expired_21": Text(
        "{me}This member will leave the group because " + EXPIRED + " " + ADVICE,
        ABSTRACT,
        "WARN",
        because=NOT_RECORDED,
    ),
    "leave": Text(
        "{me}Member {member} sending LeaveGroup request to coordinator {node} due to {reason}",
        COORDINATOR,
        recorded=SLOW,
    ),
    "leave_22": Text(
        "{me}Member {member} sending LeaveGroup request to coordinator {node}", ABSTRACT, because=NOT_RECORDED
    ),
    "leave_21": Text("{me}Sending LeaveGroup request to coordinator {node}", ABSTRACT, because=NOT_RECORDED),
    "reset": Text("{me}Resetting generation and member id due to: {reason}", COORDINATOR, recorded=SLOW),
    "reset_30": Text(
        "{me}Resetting generation due to: {reason}",
        COORDINATOR,
        because=NOT_RECORDED.replace("Abstract", "Consumer"),
    ),
    "reset_24": Text(
        "{me}Resetting generation due to consumer pro-actively leaving the group", ABSTRACT, "DEBUG", GC_28
    ),
    "reset_error_24": Text(
        "{me}Resetting generation after encountering {error} from {api} response and requesting re-join",
        ABSTRACT,
        "DEBUG",
        because=NOT_RECORDED,
    ),
    "unavailable": Text(
        "{me}Group coordinator {node} is unavailable or invalid due to cause: {cause}. isDisconnected: {cut}. "
        + "Rediscovery will be attempted.",
        COORDINATOR,
        recorded=FROZEN,
    ),
    "disconnecting": Text(
        "{me}Requesting disconnect from last known coordinator {node}", COORDINATOR, recorded=FROZEN
    ),
    "cancelled": Text(
        "{me}Cancelled in-flight {api} request with correlation id {correlation} due to node 2147483646 being "
        + "disconnected (elapsed time since creation: {ms}ms, elapsed time since send: {ms}ms, throttle time: 0ms, "
        + "request timeout: {limit}ms)",
        NETWORK,
        because="recorded of a producer (p91-order-inflight1-42), and of a consumer at DEBUG",
    ),
    "cancelled_debug": Text(
        "{me}Cancelled in-flight {api} request with correlation id {correlation} due to node 2147483646 being "
        + "disconnected (elapsed time since creation: {ms}ms, elapsed time since send: {ms}ms, throttle time: 0ms, "
        + "request timeout: {limit}ms): {body}",
        NETWORK,
        "DEBUG",
        "p572-commit-multi-42",
    ),
    "cancelled_37": Text(
        "{me}Cancelled in-flight {api} request with correlation id {correlation} due to node 2147483646 being "
        + "disconnected (elapsed time since creation: {ms}ms, elapsed time since send: {ms}ms, request timeout: "
        + "{limit}ms)",
        NETWORK,
        because="no recording from 3.1 to 3.7 has one; text of the reference table, from NetworkClient",
    ),
    "unavailable_26": Text(
        "{me}Group coordinator {node} is unavailable or invalid, will attempt rediscovery",
        ABSTRACT,
        because=NOT_RECORDED,
    ),
    "not_active": Text(
        "{me}Failing OffsetCommit request since the consumer is not part of an active group",
        COORDINATOR,
        recorded=SLOW,
    ),
    "committed": Text("{me}Committed offset {offset} for partition {partition}", COORDINATOR, "DEBUG", SLOW),
    "commit_failed": Text(
        "{me}Offset commit failed on partition {partition} at offset {offset}: {message}",
        COORDINATOR,
        "ERROR",
        FROZEN,
    ),
    "commit_retried": Text(
        "{me}Offset commit failed on partition {partition} at offset {offset}: " + TIMED_OUT,
        COORDINATOR,
        "WARN",
        because="in no recording; text of ConsumerCoordinator.OffsetCommitResponseHandler for retriable errors",
    ),
    "sent": Text(
        "{me}Sending {api} request with header {header} and timeout {timeout} to node {number}: {body}",
        NETWORK,
        "DEBUG",
        SLOW,
    ),
    "received": Text(
        "{me}Received {api} response from node {number} for request with header {header}: {body}",
        NETWORK,
        "DEBUG",
        SLOW,
    ),
}
API_VERSIONS = {
    "FETCH": 12,
    "OFFSET_COMMIT": 8,
    "HEARTBEAT": 4,
    "JOIN_GROUP": 7,
    "SYNC_GROUP": 5,
    "LEAVE_GROUP": 4,
    "FIND_COORDINATOR": 4,
    "PRODUCE": 9,
    "CONSUMER_GROUP_HEARTBEAT": 1,
}
HOST = "broker-1.example:9092"


@dataclass
class Voice:
    """A client's own lines: its prefix, its version's texts, its correlation ids. kind: consumer or producer."""

    process: Process
    client: Client
    rng: Random
    broker: int = 1
    correlation: int = 3

    @property
    def me(self) -> str:
        """The prefix of its lines (LogContext)."""
        if self.client.kind == "producer":
            return f"[Producer clientId={self.client.client_id}] "
        instance = self.client.settings.get("group.instance.id")
        parts = [f"instanceId={instance}"] if instance and self.process.at_least(2, 3) else []
        parts += [f"clientId={self.client.client_id}", f"groupId={self.client.group_id}"]
        return f"[Consumer {', '.join(parts)}] "

    @property
    def instance(self) -> str | None:
        found = self.client.settings.get("group.instance.id")
        return str(found) if found and self.process.at_least(2, 3) else None

    @property
    def coordinator_number(self) -> int:
        return 2_147_483_647 - self.broker

    @property
    def node(self) -> str:
        """The coordinator, as a line names it."""
        fenced = " isFenced: false" if self.process.at_least(4, 0) else ""
        return f"{HOST} (id: {self.coordinator_number} rack: null{fenced})"

    def generation(self, number: int, member: str) -> str:
        protocol = "range" if number >= 0 else "null"
        return f"Generation{{generationId={number}, memberId='{member}', protocol='{protocol}'}}"

    def partitions(self, owned: list[str]) -> str:
        """A list of partitions: with brackets to 2.3 and from 4.0, without them between."""
        text = ", ".join(owned)
        is_bare = self.process.at_least(2, 4) and not self.process.at_least(4, 0)
        return text if is_bare else f"[{text}]"

    def say(self, key: str, at: int, thread: str, *, level: str | None = None, **fields: object) -> Line:
        """One line of this version's logger."""
        text = TEXTS[key]
        logger = text.logger
        if logger == COORDINATOR and not self.process.at_least(3, 0) and key not in OLD_CONSUMER_LINES:
            logger = ABSTRACT
        if logger == INVOKER and not self.process.at_least(3, 7):
            logger = COORDINATOR
        return text.line(at, thread, level=level, logger=logger, me=self.me, node=self.node, **fields)

    @property
    def shows_requests(self) -> bool:
        return self.process.at_least(2, 6) and self.process.writes("DEBUG")

    def writes(self, key: str, level: str | None = None) -> bool:
        """Whether the log has this line."""
        return self.process.writes(level or TEXTS[key].level)

    def header(self, api: str, correlation: int) -> str:
        head = ", headerVersion=2" if self.process.at_least(3, 0) else ""
        client = self.client.client_id
        return (
            f"RequestHeader(apiKey={api}, apiVersion={API_VERSIONS[api]}, clientId={client}, "
            f"correlationId={correlation}{head})"
        )

    def request(
        self, api: str, at: int, thread: str, timeout: int, body: str, node: int | None = None
    ) -> tuple[int, list[Line]]:
        """A request's correlation id, and its line where this version writes one at DEBUG."""
        correlation, self.correlation = self.correlation, self.correlation + 1
        if not self.shows_requests:
            return correlation, []
        number = self.coordinator_number if node is None else node
        header = self.header(api, correlation)
        fields = {"api": api, "header": header, "timeout": timeout, "number": number, "body": body}
        return correlation, [self.say("sent", at, thread, **fields)]

    def response(
        self, api: str, correlation: int, at: int, thread: str, body: str, node: int | None = None
    ) -> list[Line]:
        if not self.shows_requests:
            return []
        number = self.coordinator_number if node is None else node
        header = self.header(api, correlation)
        return [self.say("received", at, thread, api=api, header=header, number=number, body=body)]


# ConsumerCoordinator's own lines, of its logger in every version.
OLD_CONSUMER_LINES = frozenset(
    {
        "added",
        "set",
        "revoked",
        "revoking",
        "lost",
        "assigns",
        "completed",
        "not_active",
        "committed",
        "commit_failed",
    }
    | {"gave_away", "commit_retried"}
)
