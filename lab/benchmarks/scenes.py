# ruff: noqa: E501  # texts as they are logged
"""What a Kafka client writes in one situation, line after line, as recorded clients of 3.8.1 and 4.2.1 did."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from uuid import UUID

CLIENTS = "org.apache.kafka.clients"
INTERNALS = f"{CLIENTS}.consumer.internals"
COORDINATOR = f"{INTERNALS}.ConsumerCoordinator"
LISTENER = f"{INTERNALS}.ConsumerRebalanceListenerInvoker"
NETWORK = f"{CLIENTS}.NetworkClient"
SENDER = f"{CLIENTS}.producer.internals.Sender"
STREAMS = "org.apache.kafka.streams.processor.internals"
ERRORS = "org.apache.kafka.common.errors"
POLL_ADVICE = (
    "This means the time between subsequent calls to poll() was longer than the configured max.poll.interval.ms, which "
    "typically implies that the poll loop is spending too much time processing messages. You can address this either by "
    "increasing max.poll.interval.ms or by reducing the maximum size of batches returned in poll() with max.poll.records."
)


@dataclass(frozen=True, slots=True)
class Line:
    """One record to write: its physical lines after the first in `more`; wait_ms before it."""

    level: str
    text: str
    logger: str
    more: tuple[str, ...] = ()
    wait_ms: int = 1


@dataclass(slots=True)
class Process:
    """A process's identity and the little state that its lines share."""

    random: random.Random
    group: str
    consumer: str
    producer: str
    streams_thread: str | None
    fenced: str  # how its release prints a node: ` isFenced: false` from 4.0
    generation: int = 1
    correlation: int = 10
    member: str = ""
    partitions: tuple[int, ...] = (0, 1, 2, 3)
    offsets: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.new_member()

    def new_member(self) -> None:
        """What the coordinator names a fresh member."""
        self.member = f"{self.consumer}-{UUID(int=self.random.getrandbits(128), version=4)}"

    def next_correlation(self) -> int:
        self.correlation += self.random.randint(1, 9)
        return self.correlation

    @property
    def by_consumer(self) -> str:
        return f"[Consumer clientId={self.consumer}, groupId={self.group}] "

    @property
    def by_producer(self) -> str:
        return f"[Producer clientId={self.producer}] "

    @property
    def coordinator(self) -> str:
        return f"10.0.0.7:9092 (id: 2147483644 rack: null{self.fenced})"

    @property
    def member_generation(self) -> str:
        return f"Generation{{generationId={self.generation}, memberId='{self.member}', protocol='range'}}"

    @property
    def owned(self) -> str:
        return ", ".join(f"orders-{number}" for number in self.partitions)


Scene = Callable[[Process], Iterator[Line]]


def heartbeat(p: Process) -> Iterator[Line]:
    says = (
        f"Sending Heartbeat request with generation {p.generation} and member id {p.member} to coordinator "
    )
    yield Line("DEBUG", f"{p.by_consumer}{says}{p.coordinator}", COORDINATOR, wait_ms=3000)
    yield Line("DEBUG", f"{p.by_consumer}Received successful Heartbeat response", COORDINATOR, wait_ms=3)


def committed(p: Process) -> Iterator[Line]:
    for number in p.partitions:
        p.offsets[number] = p.offsets.get(number, 0) + p.random.randint(1, 90)
        text = f"{p.by_consumer}Committed offset {p.offsets[number]} for partition orders-{number}"
        yield Line("DEBUG", text, COORDINATOR)


def produce_retry(p: Process) -> Iterator[Line]:
    number, left = p.random.choice(p.partitions), 2147483646
    for failure in range(p.random.randint(1, 4)):
        says = f"Got error produce response with correlation id {p.next_correlation()} on topic-partition orders-out-{number}"
        text = (
            f"{p.by_producer}{says}, retrying ({left - failure} attempts left). Error: NOT_LEADER_OR_FOLLOWER"
        )
        yield Line("WARN", text, SENDER, wait_ms=min(1000, 100 * 2**failure) + 40)


def idle_disconnect(p: Process) -> Iterator[Line]:
    yield Line("INFO", f"{p.by_consumer}Node {p.random.randint(1, 3)} disconnected.", NETWORK)


def request_timeout(p: Process) -> Iterator[Line]:
    node, age = p.random.randint(1, 3), 30000 + p.random.randint(0, 40)
    yield Line("INFO", f"{p.by_producer}Disconnecting from node {node} due to request timeout.", NETWORK)
    says = f"Cancelled in-flight PRODUCE request with correlation id {p.next_correlation()} due to node {node} being disconnected"
    times = f"(elapsed time since creation: {age}ms, elapsed time since send: {age}ms, throttle time: 0ms, request timeout: 30000ms)"
    yield Line("INFO", f"{p.by_producer}{says} {times}", NETWORK)


def connection_refused(p: Process) -> Iterator[Line]:
    node = p.random.choice((-1, 1, 2, 3))
    says = f"Connection to node {node} (/10.0.0.7:9092) could not be established. Node may not be available."
    yield Line("WARN", f"{p.by_producer}{says}", NETWORK, wait_ms=50)
    if node < 0:
        says = f"Bootstrap broker 10.0.0.7:9092 (id: -1 rack: null{p.fenced}) disconnected"
        yield Line("WARN", f"{p.by_producer}{says}", NETWORK)


def metadata_error(p: Process) -> Iterator[Line]:
    says = "The metadata response from the cluster reported a recoverable issue with correlation id "
    text = f"{p.by_producer}{says}{p.next_correlation()} : {{orders-audit=LEADER_NOT_AVAILABLE}}"
    yield Line("WARN", text, NETWORK, wait_ms=110)


def coordinator_lost(p: Process) -> Iterator[Line]:
    why = "is unavailable or invalid due to cause: coordinator unavailable. isDisconnected: true. Rediscovery will be attempted."
    yield Line("INFO", f"{p.by_consumer}Group coordinator {p.coordinator} {why}", COORDINATOR)
    yield Line(
        "INFO", f"{p.by_consumer}Discovered group coordinator {p.coordinator}", COORDINATOR, wait_ms=120
    )


def rebalance(p: Process) -> Iterator[Line]:
    says = "Attempt to heartbeat failed since group is rebalancing"
    yield Line("INFO", f"{p.by_consumer}{says}", COORDINATOR, wait_ms=800)
    says = "Request joining group due to: group is already rebalancing"
    yield Line("INFO", f"{p.by_consumer}{says}", COORDINATOR)
    yield Line(
        "INFO", f"{p.by_consumer}Revoke previously assigned partitions [{p.owned}]", LISTENER, wait_ms=20
    )
    yield from join(p)


def join(p: Process) -> Iterator[Line]:
    yield Line("INFO", f"{p.by_consumer}(Re-)joining group", COORDINATOR, wait_ms=2)
    p.generation += 1
    done = f"Successfully joined group with generation {p.member_generation}"
    yield Line("INFO", f"{p.by_consumer}{done}", COORDINATOR, wait_ms=600)
    done = f"Successfully synced group in generation {p.member_generation}"
    yield Line("INFO", f"{p.by_consumer}{done}", COORDINATOR, wait_ms=9)
    yield Line("INFO", f"{p.by_consumer}Adding newly assigned partitions: [{p.owned}]", LISTENER, wait_ms=2)


def poll_expired(p: Process) -> Iterator[Line]:
    says = f"consumer poll timeout has expired. {POLL_ADVICE}"
    yield Line("WARN", f"{p.by_consumer}{says}", COORDINATOR, wait_ms=300_000)
    says = f"Member {p.member} sending LeaveGroup request to coordinator {p.coordinator} due to consumer poll timeout has expired."
    yield Line("INFO", f"{p.by_consumer}{says}", COORDINATOR)
    says = "Resetting generation and member id due to: consumer pro-actively leaving the group"
    yield Line("INFO", f"{p.by_consumer}{says}", COORDINATOR, wait_ms=3)
    says = "Giving away all assigned partitions as lost since generation/memberID has been reset,"
    says += "indicating that consumer is in old state or no longer part of the group"
    yield Line("INFO", f"{p.by_consumer}{says}", COORDINATOR, wait_ms=4000)
    yield Line("INFO", f"{p.by_consumer}Lost previously assigned partitions [{p.owned}]", LISTENER)
    p.new_member()
    yield from join(p)


def commit_failed(p: Process) -> Iterator[Line]:
    number = p.random.choice(p.partitions)
    says = f"Offset commit failed on partition orders-{number} at offset {p.offsets.get(number, 0)}: "
    says += "The coordinator is loading and hence can't process requests."
    yield Line("ERROR", f"{p.by_consumer}{says}", COORDINATOR)


def batch_expired(p: Process) -> Iterator[Line]:
    number = p.random.choice(p.partitions)
    age = 120_000 + p.random.randint(0, 30)
    cause = f"{ERRORS}.TimeoutException: Expiring {p.random.randint(1, 60)} record(s) for orders-out-{number}:{age} ms has passed since batch creation"
    yield Line("ERROR", "could not send order", "com.example.orders.OrderSender", (cause,), wait_ms=500)


def task_timeout(p: Process) -> Iterator[Line]:
    thread, task = f"stream-thread [{p.streams_thread}] ", f"0_{p.random.choice(p.partitions)}"
    cause = (f"{ERRORS}.TimeoutException: Topic orders-audit not present in metadata after 2000 ms.",)
    for left in (300_000, 297_990, 295_980)[: p.random.randint(1, 3)]:
        says = (
            f"{thread}task [{task}] Task did not make progress. Remaining time to deadline {left}; retrying."
        )
        yield Line("DEBUG", says, f"{STREAMS}.StreamTask", cause, wait_ms=2009)
        says = f"{thread}Could not complete processing records for {task} due to the following exception; "
        yield Line("ERROR", f"{says}will move to next task and retry later", f"{STREAMS}.TaskExecutor", cause)
    yield Line(
        "DEBUG", f"{thread}task [{task}] Clearing task timeout.", f"{STREAMS}.StreamTask", wait_ms=2000
    )


def streams_state(p: Process) -> Iterator[Line]:
    thread = f"stream-thread [{p.streams_thread}] "
    for before, after in (
        ("RUNNING", "PARTITIONS_REVOKED"),
        ("PARTITIONS_REVOKED", "PARTITIONS_ASSIGNED"),
        ("PARTITIONS_ASSIGNED", "RUNNING"),
    ):
        yield Line(
            "INFO",
            f"{thread}State transition from {before} to {after}",
            f"{STREAMS}.StreamThread",
            wait_ms=30,
        )


# How often each happens beside the others.
COMMON: tuple[tuple[Scene, int], ...] = (
    (heartbeat, 300),
    (committed, 200),
    (produce_retry, 40),
    (idle_disconnect, 40),
    (request_timeout, 25),
    (connection_refused, 25),
    (metadata_error, 30),
    (coordinator_lost, 15),
    (rebalance, 20),
    (poll_expired, 4),
    (commit_failed, 12),
    (batch_expired, 20),
)
OF_STREAMS: tuple[tuple[Scene, int], ...] = (*COMMON, (task_timeout, 40), (streams_state, 20))
