"""A simulated process, and what it prints at its start: the dumps of its clients' settings, and their version.

Defaults by version are of the classes' own (ProducerConfig, ConsumerConfig, AdminClientConfig, StreamsConfig and its
overrides for the embedded clients). A dump holds the settings that bound something, and some others.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from lab.simulate.line import Line, lets_through

MAX_INT = 2_147_483_647
PARSER = "org.apache.kafka.common.utils.AppInfoParser"
STREAMS = "org.apache.kafka.streams.KafkaStreams"
STREAMS_CONFIG = "org.apache.kafka.streams.StreamsConfig"
CLASSES = {
    "producer": "org.apache.kafka.clients.producer.ProducerConfig",
    "consumer": "org.apache.kafka.clients.consumer.ConsumerConfig",
    "admin": "org.apache.kafka.clients.admin.AdminClientConfig",
    "streams": STREAMS_CONFIG,
}
CLIENTS = {
    "producer": "org.apache.kafka.clients.producer.KafkaProducer",
    "consumer": "org.apache.kafka.clients.consumer.KafkaConsumer",
}

# A setting's default by the first version that has it; None where a version has it no longer.
Since = Mapping[tuple[int, int], object]
ALWAYS = (0, 0)
COMMON: Mapping[str, Since] = {
    "bootstrap.servers": {ALWAYS: "[broker:9092]"},
    "client.id": {ALWAYS: ""},
    "metadata.max.age.ms": {ALWAYS: 300000},
    "metric.reporters": {ALWAYS: "[]"},
    "metrics.recording.level": {ALWAYS: "INFO"},
    "receive.buffer.bytes": {ALWAYS: 65536},
    "reconnect.backoff.max.ms": {ALWAYS: 1000},
    "reconnect.backoff.ms": {ALWAYS: 50},
    "request.timeout.ms": {ALWAYS: 30000},
    "retry.backoff.max.ms": {(3, 7): 1000},
    "retry.backoff.ms": {ALWAYS: 100},
    "security.protocol": {ALWAYS: "PLAINTEXT"},
    "socket.connection.setup.timeout.max.ms": {(2, 7): 30000},
    "socket.connection.setup.timeout.ms": {(2, 7): 10000},
    "ssl.keystore.password": {ALWAYS: "null"},
}
NOT_OF_STREAMS = (
    "retry.backoff.max.ms",
    "socket.connection.setup.timeout.max.ms",
    "socket.connection.setup.timeout.ms",
    "ssl.keystore.password",
)
DEFAULTS: Mapping[str, Mapping[str, Since]] = {
    "producer": {
        **COMMON,
        "acks": {ALWAYS: 1, (3, 0): -1},
        "batch.size": {ALWAYS: 16384},
        "buffer.memory": {ALWAYS: 33554432},
        "compression.type": {ALWAYS: "none"},
        "connections.max.idle.ms": {ALWAYS: 540000},
        "delivery.timeout.ms": {(2, 1): 120000},
        "enable.idempotence": {ALWAYS: "false", (3, 0): "true"},
        "key.serializer": {ALWAYS: "class org.apache.kafka.common.serialization.StringSerializer"},
        "linger.ms": {ALWAYS: 0, (4, 0): 5},
        "max.block.ms": {ALWAYS: 60000},
        "max.in.flight.requests.per.connection": {ALWAYS: 5},
        "retries": {ALWAYS: 0, (2, 1): MAX_INT},
        "transaction.timeout.ms": {ALWAYS: 60000},
        "transactional.id": {ALWAYS: "null"},
        "value.serializer": {ALWAYS: "class org.apache.kafka.common.serialization.StringSerializer"},
    },
    "consumer": {
        **COMMON,
        "auto.commit.interval.ms": {ALWAYS: 5000},
        "auto.offset.reset": {ALWAYS: "latest"},
        "connections.max.idle.ms": {ALWAYS: 540000},
        "default.api.timeout.ms": {(2, 0): 60000},
        "enable.auto.commit": {ALWAYS: "true"},
        "fetch.max.wait.ms": {ALWAYS: 500},
        "group.id": {ALWAYS: "null"},
        "group.instance.id": {(2, 3): "null"},
        "group.protocol": {(3, 7): "classic"},
        "heartbeat.interval.ms": {ALWAYS: 3000},
        "internal.leave.group.on.close": {ALWAYS: "true", (4, 2): None},
        "isolation.level": {ALWAYS: "read_uncommitted"},
        "key.deserializer": {ALWAYS: "class org.apache.kafka.common.serialization.StringDeserializer"},
        "max.poll.interval.ms": {ALWAYS: 300000},
        "max.poll.records": {ALWAYS: 500},
        "partition.assignment.strategy": {ALWAYS: "[class org.apache.kafka.clients.consumer.RangeAssignor]"},
        "request.timeout.ms": {ALWAYS: 305000, (2, 0): 30000},
        "session.timeout.ms": {ALWAYS: 10000, (3, 0): 45000},
        "value.deserializer": {ALWAYS: "class org.apache.kafka.common.serialization.StringDeserializer"},
    },
    "admin": {
        **COMMON,
        "connections.max.idle.ms": {ALWAYS: 300000},
        "default.api.timeout.ms": {(2, 5): 60000},
        "request.timeout.ms": {ALWAYS: 120000, (2, 5): 30000},
        "retries": {ALWAYS: 5, (2, 5): MAX_INT},
    },
    "streams": {
        **{name: since for name, since in COMMON.items() if name not in NOT_OF_STREAMS},
        "application.id": {ALWAYS: ""},
        "commit.interval.ms": {ALWAYS: 30000},
        "num.standby.replicas": {ALWAYS: 0},
        "num.stream.threads": {ALWAYS: 1},
        "poll.ms": {ALWAYS: 100},
        "processing.guarantee": {ALWAYS: "at_least_once"},
        "request.timeout.ms": {ALWAYS: 40000},
        "retries": {(1, 1): 0, (4, 0): None},
        "state.dir": {ALWAYS: "/var/lib/kafka-streams"},
        "task.timeout.ms": {(2, 7): 300000},
    },
}
# StreamsConfig.PRODUCER_DEFAULT_OVERRIDES, CONSUMER_DEFAULT_OVERRIDES.
EMBEDDED: Mapping[str, Mapping[str, Since]] = {
    "producer": {"linger.ms": {ALWAYS: 100}, "retries": {ALWAYS: 10, (2, 1): MAX_INT}},
    "consumer": {
        "auto.offset.reset": {ALWAYS: "earliest"},
        "enable.auto.commit": {ALWAYS: "false"},
        "internal.leave.group.on.close": {ALWAYS: "false", (4, 2): None},
        "max.poll.interval.ms": {ALWAYS: MAX_INT, (2, 3): 300000},
        "max.poll.records": {ALWAYS: 1000},
    },
    "admin": {},
}


@dataclass(frozen=True)
class Client:
    """A client of a process. kind: producer, consumer, admin or streams; settings: what its user set.

    A Streams client's client_id is `application.id-UUID`, its group_id the application id.
    """

    kind: str
    client_id: str
    group_id: str | None = None
    settings: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Process:
    """A process that writes one log. version: such as `4.2.1`; settings: what all of its clients take that know them.

    level: the root logger's.
    """

    service: str
    instance: str
    version: str
    settings: Mapping[str, object] = field(default_factory=dict)
    level: str = "INFO"

    @cached_property
    def line(self) -> tuple[int, int]:
        """The release line, such as (4, 2)."""
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)

    def at_least(self, major: int, minor: int) -> bool:
        return self.line >= (major, minor)

    def writes(self, level: str) -> bool:
        """Whether its log has lines of this level: those that it has not need not be made."""
        return lets_through(self.level, level)

    def setting(self, client: Client, name: str) -> object:
        """The value that the client runs with. Raises: KeyError where this version has no such setting."""
        return self.values(client)[name]

    def whole(self, client: Client, name: str) -> int:
        """The same as a number."""
        return int(str(self.setting(client, name)))

    def values(self, client: Client, is_embedded: bool = False) -> dict[str, object]:
        """All settings of a client, as its dump shows them."""
        known = {**DEFAULTS[client.kind], **(EMBEDDED.get(client.kind, {}) if is_embedded else {})}
        values = {
            name: value for name, since in known.items() if (value := _default(since, self.line)) is not None
        }
        chosen = {**self.settings, **client.settings}
        values |= {name: value for name, value in chosen.items() if name in values}
        values["client.id"] = client.client_id
        if client.kind == "consumer":
            values["group.id"] = client.group_id or "null"
        if client.kind == "streams":
            values |= {"application.id": client.group_id or "app", "client.id": ""}
        return values


def _default(since: Since, line: tuple[int, int]) -> object:
    fitting = [first for first in since if first <= line]
    return since[max(fitting)] if fitting else None


def start_lines(process: Process, clients: Iterable[Client], at: int, thread: str = "main") -> list[Line]:
    """What the process writes while it makes its clients, one after the other from `at` on, some ms apart."""
    lines: list[Line] = []
    for client in clients:
        begin = lines[-1].at + 20 if lines else at
        lines += (
            _streams(process, client, begin) if client.kind == "streams" else _client(process, client, begin)
        )
    return [Line(line.at, line.level, line.logger, thread, line.text) for line in lines]


def dump(process: Process, client: Client, at: int, is_embedded: bool = False) -> Line:
    """The dump of one client's settings, without what follows it."""
    logger = CLASSES[client.kind]
    name = logger.rsplit(".", 1)[1]
    values = sorted(process.values(client, is_embedded).items())
    text = f"{name} values: \n" + "".join(f"\t{key} = {value}\n" for key, value in values)
    if process.at_least(4, 0):
        logger = "org.apache.kafka.common.config.AbstractConfig"
    return Line(at, "INFO", logger, "main", text)


def version_lines(process: Process, at: int) -> list[Line]:
    """AppInfoParser's lines: up to 2.1 with a space before the colon, from 2.3 with the start time."""
    colon = ": " if process.at_least(2, 2) else " : "
    texts = [f"Kafka version{colon}{process.version}", f"Kafka commitId{colon}3f1c0a9d7e6b5a42"]
    if process.at_least(2, 3):
        texts.append(f"Kafka startTimeMs: {at}")
    return [Line(at, "INFO", PARSER, "main", text) for text in texts]


def _client(process: Process, client: Client, at: int, is_embedded: bool = False) -> list[Line]:
    lines = [dump(process, client, at, is_embedded)]
    values = process.values(client, is_embedded)
    base, cap = int(str(values["retry.backoff.ms"])), values.get("retry.backoff.max.ms")
    if client.kind == "producer" and values["enable.idempotence"] == "true" and process.at_least(3, 0):
        text = f"[Producer clientId={client.client_id}] Instantiated an idempotent producer."
        lines.append(Line(at + 40, "INFO", CLIENTS["producer"], "main", text))
    if cap is not None and base > int(str(cap)):
        text = (
            f"Configuration 'retry.backoff.ms' with value '{base}' is greater than configuration "
            f"'retry.backoff.max.ms' with value '{cap}'. A static backoff with value '{cap}' will be applied."
        )
        lines.append(Line(at + 2, "WARN", "org.apache.kafka.clients.CommonClientConfigs", "main", text))
    return [*lines, *version_lines(process, at + 60)]


def embedded_clients(process: Process, streams: Client) -> list[Client]:
    """The clients that a Streams client makes, in its order: admin, and of each thread restore, producer, consumer."""
    base = streams.client_id
    threads = int(str(process.values(streams)["num.stream.threads"]))
    own = {name: value for name, value in streams.settings.items() if name not in NOT_PASSED_ON}
    clients = [Client("admin", f"{base}-admin", settings=own)]
    for number in range(1, threads + 1):
        thread = f"{base}-StreamThread-{number}"
        clients += [
            Client("consumer", f"{thread}-restore-consumer", settings=own),
            Client("producer", f"{thread}-producer", settings=own),
            Client("consumer", f"{thread}-consumer", streams.group_id, settings=own),
        ]
    return clients


# Streams' own value of these is not its clients'.
NOT_PASSED_ON = ("request.timeout.ms", "retries")


def _streams(process: Process, streams: Client, at: int) -> list[Line]:
    prefix = f"stream-client [{streams.client_id}] "
    lines = [dump(process, streams, at)]
    if (
        process.at_least(2, 7)
        and not process.at_least(4, 0)
        and {**process.settings, **streams.settings}.get("retries")
    ):
        removed = "the 4.0.0" if process.at_least(3, 0) else "3.0.0"
        text = f"Configuration parameter `retries` is deprecated and will be removed in {removed} release."
        lines.append(Line(at + 3, "WARN", STREAMS_CONFIG, "main", text))
    lines += [
        Line(at + 30, "INFO", STREAMS, "main", f"{prefix}Kafka Streams version: {process.version}"),
        Line(at + 30, "INFO", STREAMS, "main", f"{prefix}Kafka Streams commit ID: 3f1c0a9d7e6b5a42"),
    ]
    for client in embedded_clients(process, streams):
        lines += _client(process, client, lines[-1].at + 20, is_embedded=True)
    return lines
