"""Configuration dumps and what constructors say after them, as events."""

from collections.abc import Mapping

from tests.timelines_batches import NOON, UNIT
from transforms.events import ClientEvent
from transforms.timers.clients.config_dumps import ClientConfig, ConfigDumps
from transforms.timers.profile import ClientProfile

PRODUCER = {
    "client.id": "p1",
    "acks": "-1",
    "delivery.timeout.ms": "12000",
    "enable.idempotence": "false",
    "linger.ms": "0",
    "max.in.flight.requests.per.connection": "5",
    "request.timeout.ms": "3000",
    "retries": "2147483647",
    "retry.backoff.ms": "100",
    "transactional.id": "null",
}
CONSUMER = {
    "client.id": "c1",
    "group.id": "g",
    "group.protocol": "classic",
    "heartbeat.interval.ms": "3000",
    "max.poll.interval.ms": "300000",
    "session.timeout.ms": "45000",
}
REFUSALS = {
    "refused": "delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms",
    "refused session": "Heartbeat must be set lower than the session timeout",
}

Step = ClientEvent | str | None


def producer_dump(**values: str | None) -> ClientEvent:
    """A ProducerConfig dump; settings by name with _ for the dots, None for one that is not in it."""
    return _dump("ProducerConfig", "producer", PRODUCER, values)


def consumer_dump(**values: str | None) -> ClientEvent:
    """A ConsumerConfig dump."""
    return _dump("ConsumerConfig", "consumer", CONSUMER, values)


def _dump(
    config_class: str, kind: str, usual: Mapping[str, str], values: Mapping[str, str | None]
) -> ClientEvent:
    told: dict[str, str | None] = {**usual, **{name.replace("_", "."): v for name, v in values.items()}}
    details = {f"config.{name}": value for name, value in told.items() if value is not None}
    event = ClientEvent("config_dump", "config-dump", client_kind=kind)
    event.details = {"config_class": config_class, **details}
    event.client_id, event.group_id = told["client.id"], told.get("group.id")
    return event


def _said(step: str) -> ClientEvent:
    word, _, rest = step.partition(":")
    if word in REFUSALS:
        return ClientEvent("config_warning", "config-refused", details={"reason": REFUSALS[word]})
    if word == "adjusted":
        return ClientEvent(
            "config_warning",
            "producer-delivery-timeout-adjusted",
            client_kind="producer",
            client_id=rest or "p1",
            limit_ms=150100,
        )
    if word == "unused":
        return ClientEvent("config_warning", "config-unused", details={"keys": rest})
    if word == "session refused":
        return ClientEvent(
            "other_kafka",
            "join-failed",
            client_kind="consumer",
            client_id="c1",
            error_class="INVALID_SESSION_TIMEOUT",
        )
    if word.startswith("joined"):
        client_id = "c2" if word == "joined as another" else "c1"
        return ClientEvent("joined", "joined", client_kind="consumer", client_id=client_id)
    if word == "closed":
        return ClientEvent("lifecycle", "client-unregistered", client_kind="producer", client_id=rest)
    return ClientEvent("lifecycle", "client-version", client_version="4.2.1")


def timeline(*steps: Step, every_ms: int = 10) -> list[ClientEvent]:
    """Dumps and words, in order, `every_ms` apart; ids e0, e1, ..."""
    told = [_said(step) if isinstance(step, str) else step for step in steps if step is not None]
    for number, event in enumerate(told):
        event.event_id, event.unit_id = f"e{number}", UNIT
        event.happened_at = event.ordered_at = NOON + number * every_ms
    return told


def folded(*steps: Step, every_ms: int = 10) -> list[ClientConfig]:
    """The configurations that a process printed."""
    machine = ConfigDumps()
    nobody = ClientProfile(UNIT, None, None)
    told = timeline(*steps, every_ms=every_ms)
    found = [episode for event in told for episode in machine.step(event, nobody)]
    return [e for e in [*found, *machine.finish(None)] if isinstance(e, ClientConfig)]
