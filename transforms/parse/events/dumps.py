"""Config dumps: `ProducerConfig values: \\n\\tkey = value ...`, with their head or without it."""

from transforms.events import ClientEvent
from transforms.parse.catalogue.anchors import CLASSES
from transforms.records import LogRecord
from transforms.when_used import when_used

_ENTRY = when_used(r"(?m)^[ \t]+([\w.\-]+) = ?(.*)$")

_TELLING = {name: frozenset(of["keys"]) for name, of in CLASSES["configs"].items()}
CLIENT_KINDS: dict[str, str] = {name: of["client"] for name, of in CLASSES["configs"].items()}


def values_of(message: str) -> dict[str, str]:
    """The settings of a dump as printed."""
    return {key: value.strip() for key, value in _ENTRY.findall(message)}


def class_by_keys(values: dict[str, str]) -> str | None:
    """The config class whose dump has these keys; None where they do not tell."""
    return next((name for name, keys in _TELLING.items() if values.keys() & keys), None)


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
