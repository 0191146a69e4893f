"""Lines of one process as clients print them, for what is known of its clients."""

from pathlib import Path

from tests.transforms.parse.typed import NOON, record
from transforms import yaml_text
from transforms.events import ClientEvent
from transforms.parse.events.messages import events_of
from transforms.parse.records.placing import ProcessRef
from transforms.timers.clients.settings import UnitSettings, is_control

ORIGIN = ProcessRef("unit", "orders/app.log", "orders", "app")
DEFAULTS = {
    path.stem: yaml_text.parse(path.read_text(encoding="utf-8"))
    for path in Path("conf/kafka_defaults").glob("*.yaml")
}
BASE = "orders-49df8e61-c62d-4197-affa-13d915bf4612"
APPLICATION = "com.example.OrderService"


def dump(kind: str, client_id: str = "", **settings: object) -> str:
    """A config dump: dump("Producer", "p", delivery_timeout_ms=9000)."""
    values = {"client.id": client_id} | {name.replace("_", "."): value for name, value in settings.items()}
    return f"{kind}Config values: \n" + "".join(
        f"\t{name} = {value}\n" for name, value in sorted(values.items())
    )


def version(text: str = "4.2.1") -> str:
    return f"Kafka version: {text}"


def closed(kind: str, client_id: str) -> str:
    return f"App info kafka.{kind} for {client_id} unregistered"


def producer(client_id: str, text: str = "Node 1 disconnected.") -> str:
    return f"[Producer clientId={client_id}] {text}"


def consumer(client_id: str, text: str = "Node 1 disconnected.") -> str:
    return f"[Consumer clientId={client_id}, groupId=orders] {text}"


class History:
    """Lines of one process, a second apart; `at` is the first event of a line, by its number from 0."""

    def __init__(self, *lines: str, declared: tuple = (), defaults: dict | None = None) -> None:
        told = [self._events(number, line) for number, line in enumerate(lines)]
        self.lines = told
        control = [event for events in told for event in events if is_control(event)]
        self.settings = UnitSettings.from_events(
            control, declared, DEFAULTS if defaults is None else defaults
        )

    def _events(self, number: int, line: str) -> list[ClientEvent]:
        logger = APPLICATION if line.startswith("app: ") else None
        at = NOON + 1000 * number
        return events_of(
            record(line, logger, logged_at=at, offset=100 * number, position=100 * number), ORIGIN
        )

    def at(self, number: int) -> ClientEvent:
        return self.lines[number][0]

    def profile(self, number: int):
        return self.settings.profile_of(self.at(number))

    def value(self, number: int, name: str) -> tuple[str, str] | None:
        setting = self.profile(number).setting(name)
        return (setting.value, setting.origin) if setting else None

    def incarnations(self) -> list[int]:
        return [self.settings.incarnation_of(events[0]) for events in self.lines if events]
