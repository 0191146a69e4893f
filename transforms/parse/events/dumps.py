"""Config dumps: `ProducerConfig values: \\n\\tkey = value ...`, with their head or without it."""

import re

from transforms.events import ClientEvent
from transforms.records import LogRecord

_ENTRY = re.compile(r"^[ \t]+([\w.\-]+) = ?(.*)$", re.MULTILINE)

# Keys that only one class prints: the class of a dump that lost its head.
_TELLING = {
    "StreamsConfig": "num.stream.threads application.id",
    "ConsumerConfig": "max.poll.interval.ms max.poll.records auto.offset.reset fetch.min.bytes enable.auto.commit"
    " isolation.level max.partition.fetch.bytes partition.assignment.strategy",
    "ProducerConfig": "linger.ms batch.size buffer.memory max.block.ms max.in.flight.requests.per.connection"
    " delivery.timeout.ms enable.idempotence max.request.size",
    "ShareConsumerConfig": "share.acknowledgement.mode",
    "AdminClientConfig": "default.api.timeout.ms",
}
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
    return next((name for name, keys in _TELLING.items() if values.keys() & set(keys.split())), None)


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
