"""Config dumps: `ProducerConfig values: \\n\\tkey = value ...`, with their head or without it."""

import re

from transforms.events import ClientEvent
from transforms.records import LogRecord

_ENTRY = re.compile(r"^[ \t]+([\w.\-]+) = ?(.*)$", re.MULTILINE)

# Keys that only one class prints: the class of a dump that lost its head.
_TELLING = (
    ("StreamsConfig", "num.stream.threads"),
    ("StreamsConfig", "application.id"),
    ("ProducerConfig", "linger.ms"),
    ("ConsumerConfig", "max.poll.interval.ms"),
    ("ConsumerConfig", "max.poll.records"),
    ("ConsumerConfig", "auto.offset.reset"),
    ("ConsumerConfig", "fetch.min.bytes"),
    ("ConsumerConfig", "enable.auto.commit"),
    ("ProducerConfig", "batch.size"),
    ("ProducerConfig", "buffer.memory"),
    ("ProducerConfig", "max.block.ms"),
    ("ProducerConfig", "max.in.flight.requests.per.connection"),
    ("ProducerConfig", "delivery.timeout.ms"),
    ("ProducerConfig", "enable.idempotence"),
    ("ProducerConfig", "max.request.size"),
    ("ConsumerConfig", "isolation.level"),
    ("ConsumerConfig", "max.partition.fetch.bytes"),
    ("ConsumerConfig", "partition.assignment.strategy"),
    ("ShareConsumerConfig", "share.acknowledgement.mode"),
    ("AdminClientConfig", "default.api.timeout.ms"),
)
CLIENT_KINDS = {
    "ProducerConfig": "producer",
    "ConsumerConfig": "consumer",
    "AdminClientConfig": "admin",
    "StreamsConfig": "streams",
    "ShareConsumerConfig": "share",
    "DistributedConfig": "connect",
    "StandaloneConfig": "connect",
    "KafkaConfig": "broker",
}


def values_of(message: str) -> dict[str, str]:
    """The settings of a dump as printed."""
    return {key: value.strip() for key, value in _ENTRY.findall(message)}


def class_by_keys(values: dict[str, str]) -> str | None:
    """The config class whose dump has these keys; None where they do not tell."""
    return next((name for name, key in _TELLING if key in values), None)


def dumped(event: ClientEvent, record: LogRecord) -> None:
    """Whose settings a dump shows stands inside it (client.id is blank where the client makes one up)."""
    values = values_of(record.message)
    event.details.update((f"config.{key}", value) for key, value in values.items())
    event.client_kind = CLIENT_KINDS.get(event.details["config_class"])
    event.client_id = _set(values.get("client.id"))
    event.group_id = _set(values.get("group.id"))
    event.group_instance_id = _set(values.get("group.instance.id"))
    event.transactional_id = _set(values.get("transactional.id"))


def _set(value: str | None) -> str | None:
    return None if value in (None, "", "null") else value
