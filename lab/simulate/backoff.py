"""Waits of clients before their retries (KIP-580), on the paths that logs show.

Written from ExponentialBackoff.backoff, RecordAccumulator (batches), KafkaAdminClient.Call.fail (admin calls),
AbstractCoordinator.ensureCoordinatorReady (lookups, whose counter lives as long as one poll()), Metadata (refreshes), and
Sender.maybeSendAndPollTransactionalRequest (InitProducerId, a static path). Waits grow since 3.7; before, they are constant.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import log2
from random import Random
from typing import Any

from lab.simulate.line import Line, Text, shown
from lab.simulate.process import MAX_INT, Client, Process, start_lines
from lab.simulate.truth import Fact, Truth

NOON = 1_795_262_400_000
NETWORK = "org.apache.kafka.clients.NetworkClient"
SENDER = "org.apache.kafka.clients.producer.internals.Sender"
ADMIN = "org.apache.kafka.clients.admin.KafkaAdminClient"
COORDINATOR = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
OLD_COORDINATOR = "org.apache.kafka.clients.consumer.internals.AbstractCoordinator"
GROWING, LOOKUPS = "p580-exp-42", "p580-coordinator-42-28"

TEXTS = {
    "send": Text(
        "{prefix} Sending {api} request with header {header} and timeout 30000 to node 1: {body}",
        NETWORK,
        "DEBUG",
        LOOKUPS,
    ),
    "received": Text(
        "{prefix} Received {api} response from node 1 for request with header {header}: {body}",
        NETWORK,
        "DEBUG",
        GROWING,
    ),
    "retry": Text(
        "{prefix} Got error produce response with correlation id {correlation} on topic-partition {partition}, "
        "retrying ({left} attempts left). Error: {error}",
        SENDER,
        "WARN",
        GROWING,
    ),
    "lookup_failed": Text(
        "{prefix} Coordinator discovery failed, refreshing metadata", COORDINATOR, "DEBUG", LOOKUPS
    ),
    "found": Text(
        "{prefix} Discovered group coordinator {host}:{port} (id: 2147483646 rack: null)",
        COORDINATOR,
        recorded="p572-task-recover-35",
    ),
    "metadata_failed": Text(
        "{prefix} The metadata response from the cluster reported a recoverable issue with correlation id "
        "{correlation} : {{{topic}=UNKNOWN_TOPIC_OR_PARTITION}}",
        NETWORK,
        "WARN",
        "p572-async-sink-42",
    ),
    "metadata_failed_before": Text(
        "{prefix} Error while fetching metadata with correlation id {correlation} : "
        "{{{topic}=UNKNOWN_TOPIC_OR_PARTITION}}",
        NETWORK,
        "WARN",
        "p572-task-expire-35",
    ),
    "admin_retry": Text(
        "{prefix} Call(callName={call}, deadlineMs={deadline}, tries={tries}, nextAllowedTryMs={next_at}) failed: "
        "{error}. Beginning retry #{tries}",
        ADMIN,
        "DEBUG",
        because="KafkaAdminClient.Call.fail, 0.11 to 4.2: no recording has an admin call that fails so",
    ),
}


@dataclass
class Backoff:
    """How long a client waits after so many failures. cap: None before 3.7."""

    rng: Random
    base: int
    cap: int | None

    def wait(self, failures: int) -> int:
        """ExponentialBackoff.backoff(failures - 1): the exponent is capped, then jitter comes, then the cap again."""
        if self.cap is None:
            return self.base
        if self.cap <= self.base:
            return self.cap
        return min(int(self.term(failures) * self.jitter()), self.cap)

    def term(self, failures: int) -> float:
        cap = self.cap or self.base
        return float(self.base * 2 ** min(failures - 1, log2(cap / max(self.base, 1))))

    def jitter(self) -> float:
        return self.rng.uniform(0.8, 1.2)

    def succeeded(self) -> None:
        """The call went through."""


@dataclass
class Caller:
    """One client of a process that calls the broker. What it writes goes to `lines`, its waits to `facts`.

    pauses: how long the process stands still between the client's reading of its clock and the line of which failure.
    """

    rng: Random
    process: Process
    client: Client
    backoff: Backoff
    now: int = NOON
    lines: list[Line] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    correlation: int = 3
    pauses: dict[int, int] = field(default_factory=dict)
    told: int = 0

    @property
    def prefix(self) -> str:
        name = {"producer": "Producer", "consumer": "Consumer", "admin": "AdminClient"}[self.client.kind]
        group = f", groupId={self.client.group_id}" if self.client.kind == "consumer" else ""
        return f"[{name} clientId={self.client.client_id}{group}]"

    @property
    def thread(self) -> str:
        """As Kafka's clients name theirs; a consumer runs in its application's."""
        names = {"producer": f"kafka-producer-network-thread | {self.client.client_id}", "consumer": "main"}
        return names.get(self.client.kind, f"kafka-admin-client-thread | {self.client.client_id}")

    def say(self, name: str, **fields: Any) -> None:
        text = TEXTS[name]
        is_old = text.logger == COORDINATOR and not self.process.at_least(3, 0)
        logger = OLD_COORDINATOR if is_old else None
        self.lines.append(text.line(self.now, self.thread, logger=logger, prefix=self.prefix, **fields))

    def header(self, api: str) -> str:
        own = (
            f"apiKey={api}, apiVersion=4, clientId={self.client.client_id}, correlationId={self.correlation}"
        )
        return (
            f"RequestHeader({own}, headerVersion=2)"
            if self.process.at_least(3, 5)
            else f"RequestHeader({own})"
        )

    def send(self, api: str, body: str) -> int:
        """A request leaves. Gives its time."""
        self.correlation += 1
        if self.process.at_least(2, 6):  # TRACE before
            self.say("send", api=api, header=self.header(api), body=body)
        return self.now

    def answer(self, api: str, body: str) -> None:
        """Its answer comes."""
        self.now += self.rng.randint(1, 8)
        if self.process.at_least(2, 6):
            self.say("received", api=api, header=self.header(api), body=body)

    def fact(self, subject: str, failures: int, failed_at: int) -> None:
        """A wait that ended now."""
        self.facts.append(
            Fact("backoff", subject, failed_at, self.now - failed_at, None, None, failures, self.now)
        )

    def stand_still(self) -> int:
        """Read the clock for a failure, which is then told, be it after a pause. Gives what was read."""
        read_at = self.now
        self.now += self.pauses.get(self.told, 0)
        self.told += 1
        return read_at

    # --- paths

    def produce(self, partition: str, failures: int, error: str = "NOT_ENOUGH_REPLICAS") -> None:
        """One batch that fails so often and is then delivered."""
        name = f"AAAAAAAAAAAAAAAAAAAAAA:{partition}" if self.process.at_least(4, 1) else partition
        body = f"{{acks=-1,timeout=30000,partitionSizes=[{name}=77]}}"
        code = 6 if error == "NOT_LEADER_OR_FOLLOWER" else 19
        self.send("PRODUCE", body)
        for number in range(1, failures + 1):
            self.answer("PRODUCE", self.answered(partition, code))
            left = MAX_INT - number
            read_at = self.stand_still()
            self.say("retry", correlation=self.correlation, partition=partition, left=left, error=error)
            failed_at = self.now
            # A new leader is tried at once (KAFKA-15415): the one election of this fault.
            is_new_leader = error == "NOT_LEADER_OR_FOLLOWER" and number == 1
            is_excused = is_new_leader and self.process.at_least(3, 7)
            wait = 0 if is_excused else self.backoff.wait(number)
            self.now = max(self.now, read_at + wait) + self.rng.randint(0, 2)
            self.send("PRODUCE", body)
            self.fact(partition, number, failed_at)
        self.answer("PRODUCE", self.answered(partition, 0))
        self.backoff.succeeded()

    def produce_together(self, partitions: list[str], failures: int, append_ms: int) -> None:
        """Batches of one request that fail together. append_ms: what the log takes to write one line: the backoff counts
        from the answer, not from the line that tells it.
        """
        body = f"{{acks=-1,timeout=30000,partitionSizes=[{', '.join(f'{name}=77' for name in partitions)}]}}"
        self.send("PRODUCE", body)
        for number in range(1, failures + 1):
            self.answer("PRODUCE", self.answered(partitions[0], 19))
            failed_at = self.now
            for name in self.rng.sample(partitions, len(partitions)):
                left = MAX_INT - number
                error = "NOT_ENOUGH_REPLICAS"
                self.say("retry", correlation=self.correlation, partition=name, left=left, error=error)
                self.now += append_ms
            self.now = max(self.now, failed_at + max(self.backoff.wait(number) for _ in partitions))
            self.send("PRODUCE", body)
        self.answer("PRODUCE", self.answered(partitions[0], 0))

    def answered(self, partition: str, code: int) -> str:
        topic, _, number = partition.rpartition("-")
        of_partition = f"PartitionProduceResponse(index={number}, errorCode={code}, baseOffset=-1)"
        of_topic = f"TopicProduceResponse(name='{topic}', partitionResponses=[{of_partition}])"
        return f"ProduceResponseData(responses=[{of_topic}], throttleTimeMs=0)"

    def look_up(self, failures: int, poll_ms: int = 1500) -> None:
        """A coordinator that is found after so many failures; each poll() counts anew, and cuts its last wait."""
        body = f"FindCoordinatorRequestData(key='', keyType=0, coordinatorKeys=[{self.client.group_id}])"
        self.send("FIND_COORDINATOR", body)
        poll_ends, attempts = self.now + poll_ms, 0
        for number in range(1, failures + 1):
            self.answer("FIND_COORDINATOR", "FindCoordinatorResponseData(throttleTimeMs=0, errorCode=15)")
            self.say("lookup_failed")
            failed_at = self.now
            attempts += 1
            self.now = min(self.now + self.backoff.wait(attempts), max(poll_ends, self.now)) + 1
            if self.now >= poll_ends:
                poll_ends, attempts = self.now + poll_ms, 0
            self.send("FIND_COORDINATOR", body)
            self.fact("FIND_COORDINATOR", number, failed_at)
        self.answer("FIND_COORDINATOR", "FindCoordinatorResponseData(throttleTimeMs=0, errorCode=0)")
        self.say("found", host="broker", port=9092)
        self.backoff.succeeded()

    def call(self, name: str, failures: int) -> None:
        """An admin call that fails so often. Its line says when it may be tried again."""
        deadline = self.now + 60_000
        error = "org.apache.kafka.common.errors.NotControllerException: This is not the correct controller."
        for tries in range(1, failures + 1):
            self.now += self.rng.randint(2, 9)
            next_at = self.now + self.backoff.wait(tries)
            self.stand_still()
            self.say("admin_retry", call=name, deadline=deadline, tries=tries, next_at=next_at, error=error)
            failed_at = self.now
            self.now = max(self.now, next_at)
            self.fact(name, tries, failed_at)
        self.backoff.succeeded()

    def refresh(self, topic: str, failures: int) -> None:
        """Metadata that comes back with an error so often."""
        text = "metadata_failed" if self.process.at_least(3, 9) else "metadata_failed_before"
        for number in range(1, failures + 1):
            self.correlation += 1
            self.say(text, correlation=self.correlation, topic=topic)
            self.now += self.backoff.wait(number) + self.rng.randint(1, 5)

    def init_producer_id(self, failures: int, waits: Iterable[int] | None = None) -> None:
        """A static path: retry.backoff.ms each time, in every version. waits: of a client that does otherwise."""
        body = "InitProducerIdRequestData(transactionalId=null, transactionTimeoutMs=2147483647)"
        self.send("INIT_PRODUCER_ID", body)
        drawn = list(waits) if waits is not None else [self.backoff.base] * failures
        for wait in drawn[:failures]:
            self.answer("INIT_PRODUCER_ID", "InitProducerIdResponseData(throttleTimeMs=0, errorCode=14)")
            self.now += wait + self.rng.randint(0, 2)
            self.send("INIT_PRODUCER_ID", body)
        self.answer("INIT_PRODUCER_ID", "InitProducerIdResponseData(throttleTimeMs=0, errorCode=0)")


KINDS = {
    "producer": Client("producer", "orders-producer", settings={"retries": MAX_INT}),
    "consumer": Client("consumer", "orders-consumer", "order-service"),
    "admin": Client("admin", "orders-admin"),
}


def backoff_of(rng: Random, process: Process, client: Client, kind: type[Backoff] = Backoff) -> Backoff:
    """What this version of a client does with these settings."""
    base = process.whole(client, "retry.backoff.ms")
    cap = process.whole(client, "retry.backoff.max.ms") if process.at_least(3, 7) else None
    return kind(rng, base, cap)


def caller(
    rng: Random,
    process: Process,
    client: Client,
    kind: type[Backoff] = Backoff,
    at: int = NOON,
) -> Caller:
    """A client that has started, `at` being the start of its process."""
    made = Caller(rng, process, client, backoff_of(rng, process, client, kind), at)
    made.lines += start_lines(process, [client], at)
    made.now = made.lines[-1].at + rng.randint(50, 200)
    return made


def healthy(
    rng: Random, process: Process, at: int = NOON, duration_ms: int = 60_000, every_ms: int = 1000
) -> tuple[list[Line], Truth]:
    """A producer whose batches are delivered at once."""
    producer = caller(rng, process, KINDS["producer"], at=at)
    while producer.now < at + duration_ms:
        producer.produce(f"orders-{rng.randint(0, 2)}", 0)
        producer.now += rng.randint(every_ms // 2, every_ms)
    return shown(producer.lines, process.level), Truth()


def faulty(rng: Random, process: Process, at: int = NOON, name: str = "orders") -> tuple[list[Line], Truth]:
    """One client that retries, as its version does, until what it wants is there again."""
    kind = rng.choice(tuple(KINDS))
    client = replace(KINDS[kind], client_id=f"{name}-{kind}")
    made = caller(rng, process, client, at=at)
    for _ in range(rng.randint(1, 6)):
        failures = rng.choice((1, 2, 3, 6, 12))
        if kind == "producer":
            error = rng.choice(("NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS", "NOT_LEADER_OR_FOLLOWER"))
            made.produce(f"orders-{rng.randint(0, 2)}", failures, error)
        elif kind == "consumer":
            made.look_up(failures, rng.choice((500, 1500, 60_000)))
        else:
            made.call(rng.choice(("createTopics", "listTopics", "describeConfigs")), failures)
        made.now += rng.randint(100, 20_000)
    if kind == "producer" and rng.random() < 0.3:
        made.refresh("orders-audit", rng.randint(2, 12))
    if kind == "producer" and rng.random() < 0.3:
        made.init_producer_id(rng.randint(1, 6))
    return shown(made.lines, process.level), Truth(made.facts)
