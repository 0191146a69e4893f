"""A producer's batches (KIP-91): created, sent, retried after a backoff, delivered, failed, or expired.

Written from KIP-91 and RecordAccumulator, Sender.sendProducerData (drain what is due, expire what waits, then what is in
flight), Sender.canRetry and ProducerBatch. Of each partition only the oldest batch may go, after its backoff; retried
batches of an idempotent producer keep their order, others are put at the head. The clock of a batch starts with its
creation; before 2.1 there is no delivery.timeout.ms (batches_defects has those).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from lab.simulate.consumer_texts import Voice
from lab.simulate.line import Line, Text, shown
from lab.simulate.loop import Loop
from lab.simulate.process import Client, Process, start_lines
from lab.simulate.scraper import Counts, Read, Scraped, Scraper
from lab.simulate.truth import Fact, Truth
from lab.simulate.wired import NOON

SENDER = "org.apache.kafka.clients.producer.internals.Sender"
NETWORK = "org.apache.kafka.clients.NetworkClient"
APP = "com.example.orders.OrderService"
THREAD = "kafka-producer-network-thread | {client}"
INFLIGHT, EXHAUSTED = "p91-blackhole-inflight-42", "p91-retries-exhausted-42"
ERRORS = "org.apache.kafka.common.errors."
NOT_ENOUGH = "Messages are rejected since there are fewer in-sync replicas than required."
VERSIONS = ("2.1.1", "2.3.1", "2.8.2", "3.0.2", "3.1.2", "3.5.2", "3.7.2", "3.9.1", "4.0.1", "4.1.1", "4.2.1")

TEXTS = {
    "retry": Text(
        "{me}Got error produce response with correlation id {correlation} on topic-partition {partition}, retrying "
        + "({left} attempts left). Error: {error}",
        SENDER,
        "WARN",
        EXHAUSTED,
    ),
    "timeout": Text("{me}Disconnecting from node 1 due to request timeout.", NETWORK, recorded=INFLIGHT),
    "cancelled": Text(
        "{me}Cancelled in-flight PRODUCE request with correlation id {correlation} due to node 1 being disconnected "
        + "(elapsed time since creation: {ms}ms, elapsed time since send: {ms}ms, throttle time: 0ms, request timeout: "
        + "{limit}ms)",
        NETWORK,
        recorded="p91-order-inflight1-42",
    ),
    "cancelled_37": Text(
        "{me}Cancelled in-flight PRODUCE request with correlation id {correlation} due to node 1 being disconnected "
        + "(elapsed time since creation: {ms}ms, elapsed time since send: {ms}ms, request timeout: {limit}ms)",
        NETWORK,
        because="no recording from 3.1 to 3.7 has a request timeout; text of the reference table, from NetworkClient",
    ),
    "cancelled_debug": Text(
        "{me}Cancelled in-flight PRODUCE request with correlation id {correlation} due to node 1 being disconnected "
        + "(elapsed time since creation: {ms}ms, elapsed time since send: {ms}ms, throttle time: 0ms, request timeout: "
        + "{limit}ms): {body}",
        NETWORK,
        "DEBUG",
        INFLIGHT,
    ),
    "closing": Text(
        "{me}Closing the Kafka producer with timeoutMillis = {ms} ms.",
        "org.apache.kafka.clients.producer.KafkaProducer",
        recorded="p91-order-inflight1-42",
    ),
    "failed": Text(
        "Publishing {record} failed after {ms} ms: {exception}: {message}", APP, "WARN", EXHAUSTED
    ),
    "expired": Text(
        "Publishing {record} failed after {ms} ms: "
        + ERRORS
        + "TimeoutException: Expiring {records} record(s) for {partition}:{age} ms has passed since batch creation",
        APP,
        "WARN",
        INFLIGHT,
    ),
}


@dataclass
class Batch:
    """due: not sent before; correlation: of the request it went with last."""

    partition: str
    created_at: int
    records: list[tuple[str, int]] = field(default_factory=list)
    failures: int = 0
    due: int = 0
    correlation: int = 0


@dataclass
class Request:
    """A produce request on its way. Batches that end meanwhile leave it; it goes on."""

    sent_at: int
    batches: list[Batch]
    body: str


@dataclass(frozen=True)
class Outage:
    """How the broker answers for a while. kind: `error` (NOT_ENOUGH_REPLICAS) or `silent`; ms after the beginning."""

    kind: str
    begins: int
    ends: int


@dataclass
class Producer:
    """One producer and the application that sends with it. bugs: what it does wrong, by name. closes: ms, or never.

    paces: what draws when the application sends; by default what draws all else.
    """

    process: Process
    rng: Random
    settings: dict[str, object]
    outages: Sequence[Outage] = ()
    partitions: int = 2
    pace: tuple[int, int] = (300, 1_500)
    sends_for: int = 120_000
    bugs: frozenset[str] = frozenset()
    lines: list[Line] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    sent: int = 0
    closes: int | None = None
    counts: Counts = field(default_factory=Counts)
    started_at: int | None = None
    paces: Random | None = None

    def __post_init__(self) -> None:
        self.client = Client("producer", "orders-producer", settings=self.settings)
        self.voice = Voice(self.process, self.client, self.rng, correlation=4)
        values = self.process.values(self.client)
        self.delivery, self.linger, self.timeout, self.retries, self.base, self.in_flight_limit = (
            int(str(values[name]))
            for name in (
                "delivery.timeout.ms",
                "linger.ms",
                "request.timeout.ms",
                "retries",
                "retry.backoff.ms",
                "max.in.flight.requests.per.connection",
            )
        )
        self.cap = int(str(values.get("retry.backoff.max.ms", self.base)))
        self.is_idempotent = values["enable.idempotence"] == "true"
        self.limit = int(self.delivery * 0.6) if "expires_early" in self.bugs else self.delivery
        self.queues: dict[str, list[Batch]] = {f"orders-{number}": [] for number in range(self.partitions)}
        self.in_flight: dict[int, Request] = {}
        self.thread = THREAD.format(client=self.client.client_id)
        self.loop = Loop(NOON)
        self.loop.after(0, self.start)
        self.scraper = Scraper(self.loop, Random(self.rng.getstate()[1][0]), self.measured)
        self.scraper.start()
        if self.closes is not None:
            self.loop.after(self.closes, self.close)

    def measured(self) -> Read | None:
        """What its MBeans say now; None where there are none."""
        if self.started_at is None:
            return None
        return self.counts.read(self.client.client_id, self.started_at)

    def close(self) -> None:
        self.say("closing", ms=30_000)
        self.started_at = None

    def scraped(self) -> dict[tuple[str, str], Scraped]:
        """What was read of its process."""
        return {(self.process.service, self.process.instance): self.scraper.scraped}

    def run(self, ms: int) -> "Producer":
        self.loop.run(NOON + ms)
        return self

    def say(self, key: str, *, level: str | None = None, **fields: object) -> None:
        text = TEXTS[key]
        if self.process.writes(level or text.level):
            self.lines.append(text.line(self.loop.now, self.thread, level=level, me=self.voice.me, **fields))

    def answers(self) -> str:
        """How the broker answers now."""
        since = self.loop.now - NOON
        return next((one.kind for one in self.outages if one.begins <= since < one.ends), "ok")

    # The application ------------------------------------------------------------------------------------------

    def start(self) -> None:
        self.started_at = self.loop.now
        self.lines += start_lines(self.process, [self.client], self.loop.now)
        self.loop.after(700, self.send)

    def send(self) -> None:
        """Append a record: to the newest batch of its partition while that waits for its first time, else to a new one."""
        if self.loop.now - NOON > self.sends_for:
            return
        partition = f"orders-{self.sent % self.partitions}"
        queue = self.queues[partition]
        if not queue or queue[-1].failures or len(queue[-1].records) >= 20:
            queue.append(Batch(partition, self.loop.now))
            self.loop.after(self.delivery, self.tick)
        queue[-1].records.append((f"order-{self.sent}", self.loop.now))
        self.sent += 1
        self.loop.after(self.linger, self.tick)
        self.loop.after((self.paces or self.rng).randint(*self.pace), self.send)

    # Sender.runOnce -------------------------------------------------------------------------------------------

    def tick(self) -> None:
        self._drain()
        self._expire()

    def _drain(self) -> None:
        now, ready = self.loop.now, []
        if len(self.in_flight) >= self.in_flight_limit:
            return
        for partition, queue in self.queues.items():
            is_muted = self.in_flight_limit == 1 and any(
                one.partition == partition for request in self.in_flight.values() for one in request.batches
            )
            if queue and not is_muted and queue[0].due <= now and now - queue[0].created_at >= self.linger:
                ready.append(queue.pop(0))
        if ready:
            self._send(ready)

    def _send(self, batches: list[Batch]) -> None:
        sizes = ",".join(f"{one.partition}={70 + 9 * len(one.records)}" for one in batches)
        body = f"{{acks=-1,timeout={self.timeout},partitionSizes=[{sizes}]}}"
        correlation, lines = self.voice.request("PRODUCE", self.loop.now, self.thread, self.timeout, body, 1)
        self.lines += lines
        for one in batches:
            one.correlation = correlation
        self.in_flight[correlation] = Request(self.loop.now, batches, body)
        answer = self.answers()
        if answer == "silent":
            self.loop.after(self._request_limit(), self._timed_out, correlation)
        else:
            self.loop.after(self.rng.randint(3, 9), self._answered, correlation, answer)

    def _request_limit(self) -> int:
        """Looked at when a poll returns: some ms late."""
        factor = 0.5 if "cuts_request" in self.bugs else 1.6 if "overruns_request" in self.bugs else 1.0
        return int(self.timeout * factor) + self.rng.randint(0, 5)

    def _answered(self, correlation: int, answer: str) -> None:
        request = self.in_flight.pop(correlation, None)
        if request is None:
            return
        code = 19 if answer == "error" else 0
        parts = ", ".join(
            f"PartitionProduceResponse(index={one.partition.rsplit('-', 1)[1]}, errorCode={code}, baseOffset=7)"
            for one in request.batches
        )
        body = f"ProduceResponseData(responses=[TopicProduceResponse(name='orders', partitionResponses=[{parts}])])"
        self.lines += self.voice.response("PRODUCE", correlation, self.loop.now, self.thread, body, 1)
        for one in request.batches:
            if answer == "ok":
                self._end(one, "delivered")
            else:
                self._failed(one, "NOT_ENOUGH_REPLICAS", "NotEnoughReplicasException", NOT_ENOUGH)
        self.tick()

    def _timed_out(self, correlation: int) -> None:
        """The connection goes, and all requests on it: also those that could have waited longer."""
        if correlation not in self.in_flight:
            return
        self.say("timeout", level="INFO" if self.process.at_least(3, 1) else "DEBUG")
        cut, self.in_flight = self.in_flight, {}
        for number, request in cut.items():
            ms = self.loop.now - request.sent_at
            fields = {"correlation": number, "ms": ms, "limit": self.timeout, "body": request.body}
            is_debug = self.process.level == "DEBUG"
            if self.process.at_least(3, 8):
                self.say("cancelled_debug" if is_debug else "cancelled", **fields)
            elif self.process.at_least(3, 1):
                self.say("cancelled_37", level="DEBUG" if is_debug else "INFO", **fields)
        is_named = self.process.at_least(3, 5)  # KAFKA-14317
        error, exception, message = (
            ("REQUEST_TIMED_OUT", "TimeoutException", "Disconnected from node 1 due to timeout")
            if is_named
            else ("NETWORK_EXCEPTION", "NetworkException", "Disconnected from node 1")
        )
        for request in cut.values():
            for one in request.batches:
                self._failed(one, error, exception, message)
        self.tick()

    # Ends -----------------------------------------------------------------------------------------------------

    def _failed(self, batch: Batch, error: str, exception: str, message: str) -> None:
        """Sender.canRetry: while time and attempts are left."""
        now = self.loop.now
        has_time = now - batch.created_at < self.limit or "expires_late" in self.bugs
        is_given_up = "gives_up" in self.bugs and batch.failures == 2
        if not (has_time and batch.failures < self.retries) or is_given_up:
            self._end(batch, "failed")
            for record, at in batch.records:
                fields = {
                    "record": record,
                    "ms": now - at,
                    "exception": f"{ERRORS}{exception}",
                    "message": message,
                }
                self.say("failed", **fields)
            return
        left = self.retries - batch.failures - 1
        if "logs_no_retries" not in self.bugs:
            self.say(
                "retry", correlation=batch.correlation, partition=batch.partition, left=left, error=error
            )
        if "counts_no_retries" not in self.bugs:
            self.counts.retried += len(batch.records)
        batch.failures += 1
        batch.due = now + self._backoff(batch.failures)
        self.loop.after(batch.due - now, self.tick)
        queue = self.queues[batch.partition]
        queue.insert(0, batch)
        if self.is_idempotent:
            queue.sort(key=lambda one: one.created_at)

    def _backoff(self, failures: int) -> int:
        if not self.process.at_least(3, 7):
            return self.base + self.rng.randint(1, 5)
        nominal = min(self.cap, self.base * 2 ** (failures - 1))
        return int(nominal * self.rng.uniform(0.8, 1.2)) + self.rng.randint(1, 4)

    def _expire(self) -> None:
        """What waits first, then what is in flight; of each partition only up to the first that is not due."""
        for queue in self.queues.values():
            while queue and self._is_over(queue[0]):
                self._expired(queue.pop(0))
        for request in self.in_flight.values():
            for one in [batch for batch in request.batches if self._is_over(batch)]:
                request.batches.remove(one)
                self._expired(one)

    def _is_over(self, batch: Batch) -> bool:
        late = 15_000 if "expires_late" in self.bugs else 0
        return self.loop.now - batch.created_at >= self.limit + late

    def _expired(self, batch: Batch) -> None:
        self._end(batch, "expired")
        for record, at in batch.records:
            fields = {"record": record, "ms": self.loop.now - at, "records": len(batch.records)}
            age = self.loop.now - batch.created_at
            self.say("expired", partition=batch.partition, age=age, **fields)
        if "retries_on" in self.bugs and batch.failures and self.sent < 10_000:
            self.loop.after(130, self._retries_the_dead, batch)

    def _retries_the_dead(self, batch: Batch) -> None:
        left = self.retries - batch.failures - 1
        self.say(
            "retry",
            correlation=batch.correlation,
            partition=batch.partition,
            left=left,
            error="NOT_ENOUGH_REPLICAS",
        )

    def _end(self, batch: Batch, outcome: str) -> None:
        if outcome != "delivered" and "counts_no_failures" not in self.bugs:
            self.counts.failed += len(batch.records)
        if outcome == "delivered" and not batch.failures:
            return
        age = self.loop.now - batch.created_at
        self.facts.append(
            Fact(
                "batch",
                batch.partition,
                batch.created_at,
                elapsed_ms=age,
                limit_ms=self.delivery,
                outcome=outcome,
                attempts=batch.failures + (outcome != "expired"),
                ended_at=self.loop.now,
            )
        )


def told(producer: Producer, *violated: str) -> tuple[list[Line], Truth]:
    """What it wrote at its level, and what is true of it."""
    truth = Truth(producer.facts, set(violated), scraped=producer.scraped())
    return shown(producer.lines, producer.process.level), truth


def settings(rng: Random, **more: object) -> dict[str, object]:
    """A configuration whose limits are short and fit together."""
    request = rng.choice((2_000, 3_000, 4_000))
    return {
        "acks": "-1",
        "request.timeout.ms": request,
        "delivery.timeout.ms": request * rng.choice((2, 3, 4)) + 1_500,
        "linger.ms": rng.choice((0, 5, 50)),
        "max.in.flight.requests.per.connection": rng.choice((1, 5)),
        "enable.idempotence": rng.choice(("true", "false")),
        **more,
    }


def healthy(
    rng: Random, process: Process, ms: int = 120_000, pace: tuple[int, int] = (300, 1_500)
) -> tuple[list[Line], Truth]:
    """Sends, and now and then an error that a retry gets over. pace: shortest and longest ms between records."""
    outages = [Outage("error", begins, begins + rng.randint(50, 900)) for begins in range(20_000, ms, 40_000)]
    return told(Producer(process, rng, settings(rng), outages, pace=pace, sends_for=ms).run(ms + 30_000))


def faulty(rng: Random, process: Process) -> tuple[list[Line], Truth]:
    """Errors or silence for longer than the delivery timeout: batches expire, in time and in order."""
    begins = rng.randint(5_000, 20_000)
    outages = [
        Outage(rng.choice(("error", "silent")), begins, begins + rng.randint(2_000, 40_000)),
        Outage("error", begins + 60_000, begins + 60_000 + rng.randint(500, 5_000)),
    ]
    return told(Producer(process, rng, settings(rng), outages).run(200_000))
