"""A typed Kafka event: the row of silver.client_events, and what every machine is fed with."""

from dataclasses import dataclass, field
from hashlib import sha256
from operator import attrgetter

from transforms.when_used import when_used

# The message_id of a line of Kafka's that is in no family: of one that says trouble (by its level, or an exception), and of
# any other, which no machine reads.
UNEXPLAINED = "unexplained"
UNRECOGNIZED = "unrecognized"
# And of an application's line that prints an exception of Kafka's.
APPLICATION_EXCEPTION = "application-exception"
# client_library of Kafka's own clients and brokers, and of librdkafka (C, Python, Go, .NET, Node, PHP, ..).
JAVA, LIBRDKAFKA, UNNAMED = "java", "librdkafka", "unnamed"
# All that a line may be in the words of. `go`: one of Go's, of which the line doesn't say more; `unnamed`: any client.
LIBRARIES = (
    JAVA, LIBRDKAFKA, "kafka-python", "aiokafka", "kafkajs", "kafka-node", "sarama", "franz-go", "kafka-go", "go",
    "ruby-kafka", "brod", "wolff", "kafka_ex", "pykafka", "no-kafka", "rskafka", "lua-resty-kafka", "phpkafka", "kafka-rust",
    "platformatic-kafka", UNNAMED,
)  # fmt: skip

KINDS = (
    "config_dump", "config_warning",
    "task_timeout_start", "task_timeout_continue", "task_timeout_clear", "task_timeout_expired",
    "batch_expired", "produce_retry", "produce_failed",
    "request_timeout", "request_cancelled", "disconnect", "connect_failed", "backoff", "admin_retry",
    "poll_interval_expired", "leave_group", "join", "joined", "sync",
    "heartbeat", "heartbeat_failed", "session_expired",
    "coordinator_lost", "coordinator_found", "generation_reset", "fenced", "commit_failed",
    "partitions_assigned", "partitions_revoked", "partitions_lost",
    "broker_member_failed", "broker_rebalance",
    "streams_error", "streams_state", "lifecycle", "other_kafka",
)  # fmt: skip
# What the callback of each of a batch's records may print, one like another.
OF_EACH_RECORD = frozenset({"batch_expired", "produce_failed"})


def unit_id_of(service: str | None, instance: str | None, container: str | None = None) -> str:
    """The process that these names are of: the names that there are, with slashes between them."""
    return "/".join(name for name in (service, instance, container) if name)


@dataclass(slots=True)
class ClientEvent:
    """One thing a Kafka client, a Streams thread or a group coordinator said.

    Instants (`*_at`) are ms since the epoch, UTC, by the writer's clock; durations end in `_ms`.
    kind: one of KINDS. message_id: the family in messages.yaml, such as `task-timeout-armed`.
    details: what has no column (error text, reasons, lists of partitions, a dump's values).
    client_library: whose words it is in, one of LIBRARIES; a broker's are `java`.
    benign: why a line that looks like an error is normal; None where it is not.
    """

    kind: str
    message_id: str
    event_id: str = ""
    record_id: str = ""
    unit_id: str = ""
    incarnation: int = 0
    source_id: str = ""
    source: str = ""
    offset: int = 0
    line: int = 0
    position: int = 0
    ordered_at: int | None = None
    happened_at: int | None = None
    time_origin: str = "logged"
    level: str | None = None
    client_kind: str | None = None
    client_id: str | None = None
    group_id: str | None = None
    group_instance_id: str | None = None
    transactional_id: str | None = None
    member_id: str | None = None
    generation: int | None = None
    task_id: str | None = None
    thread: str | None = None
    topic: str | None = None
    partition: int | None = None
    node_id: int | None = None
    correlation_id: int | None = None
    api: str | None = None
    error_class: str | None = None
    elapsed_ms: int | None = None
    limit_ms: int | None = None
    remaining_ms: int | None = None
    attempts_left: int | None = None
    client_version: str | None = None
    client_library: str = JAVA
    service: str | None = None
    instance: str | None = None
    benign: str | None = None
    details: dict[str, str] = field(default_factory=dict)

    @property
    def order(self) -> tuple[int, str, int, str]:
        """The one order of a unit's events: running time of the source, source, place in it."""
        return (self.ordered_at or 0, self.source_id, self.position, self.event_id)

    @property
    def imprint(self) -> str:
        """All that its line tells, and not where it stands, as 64 hex digits; "" where it may tell the same once more."""
        if not self._has_echo:
            return ""
        told = (*_TOLD(self), sorted(self.details.items()))
        return sha256(repr(told).encode(errors="surrogatepass")).hexdigest()

    def echoes(self, before: "ClientEvent") -> bool:
        """Whether it tells what the event before told, at its time: both have one imprint."""
        is_like = self.happened_at == before.happened_at and self.message_id == before.message_id
        if not is_like or not self._has_echo:
            return False
        return bool(_TOLD(self) == _TOLD(before)) and self.details == before.details

    @property
    def _has_echo(self) -> bool:
        """Whether the same once more is this line again, and nothing that happened again."""
        return self.happened_at is not None and self.kind not in OF_EACH_RECORD


_TOLD = attrgetter(
    "kind", "message_id", "source_id", "happened_at", "level", "client_kind", "client_id", "group_id", "group_instance_id",
    "transactional_id", "member_id", "generation", "task_id", "thread", "topic", "partition", "node_id", "correlation_id",
    "api", "error_class", "elapsed_ms", "limit_ms", "remaining_ms", "attempts_left",
)  # fmt: skip


def unnamed_group(unit_id: str, client_id: str) -> str:
    """What stands for the group id of a consumer whose log never names it: of no other consumer."""
    return f"?{unit_id}/{client_id}"


def is_named(group_id: str | None) -> bool:
    """Whether a group id is one, and no stand-in."""
    return group_id is not None and not group_id.startswith("?")


# What brokers, and members of KIP-848, put behind a client's id.
_MEMBER = when_used(r"(?P<client>.+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def client_of_member(member_id: str | None) -> str | None:
    """The client's id that a member's begins with; None where it ends with no generated id."""
    made = _MEMBER.fullmatch(member_id or "")
    return made["client"] if made else None
