"""Whose a log is, by its first lines: Kafka's own client's, another language's, with what addresses and at what levels."""

from collections import Counter
from dataclasses import dataclass, field

from transforms.diagnose.unexplained.block_lines import BlockLines, container_of
from transforms.diagnose.unexplained.program_ended import is_of_client
from transforms.diagnose.wording.kafkas_words import KAFKA, NAMES_KAFKA
from transforms.diagnose.wording.loudness import is_level_of_net, says_quiet
from transforms.diagnose.wording.named_clients import client_of
from transforms.parse.lines.timestamps import STAMP
from transforms.when_used import when_used

HEAD_LINES = 200  # of which each is looked at for whose it is
MOST_PORTS = 64
KAFKAS_PORT = "9092"
_ADDRESS = when_used(r"(?<=[\w.\]]):(?P<port>[1-9]\d{3,4})\b(?!\.\d)")
_BROKER = when_used(rf"(?<![\w.-])(?P<host>(?!localhost\b|127\.|0\.)[\w.-]{{2,253}}):{KAFKAS_PORT}\b")
_HOST = when_used(r"(?<![\w.-])[\w-]+(?:\.[\w-]+)*(?!:?[\w-])")  # without a port
_BELOW_LEVEL = " " * 6  # as .NET puts what it says below its level


@dataclass(slots=True)
class WhoseLog:
    """What the first HEAD_LINES lines of a log tell.

    clients, kafka_lines: those by client that is not Java's, and those about Kafka; dated_lines: of these, those that are a
    log's own by their time; quiet_lines: of these, those with a quiet level.
    ports: that those of such a client name: a failure of the network that names one too is of that client.
    brokers: hosts that any of them names with Kafka's own port. containers: of any client.
    is_named: whether one of them names Kafka.
    """

    clients: Counter[str] = field(default_factory=Counter)
    kafka_lines: int = 0
    dated_lines: int = 0
    quiet_lines: int = 0
    ports: set[str] = field(default_factory=set)
    brokers: set[str] = field(default_factory=set)
    containers: set[str] = field(default_factory=set)
    is_named: bool = False

    @property
    def client(self) -> str | None:
        """The client that is not Java's whose most of them are."""
        return self.clients.most_common(1)[0][0] if self.clients else None

    def take(self, lines: BlockLines, most: int) -> None:
        """Some of the first lines."""
        first = range(most)
        about, named = (lines.having(first, one) for one in (KAFKA.sieve, NAMES_KAFKA.sieve))
        level = ""  # of .NET, which writes what it says below it
        for number in first:
            text = lines.text(number)
            level = text if is_level_of_net(text) else level if text.startswith(_BELOW_LEVEL) else ""
            client = client_of(text)
            self._take_places(text, client)
            if client is not None or number in about:
                self.kafka_lines += 1
                if level or STAMP.search(text) is not None:
                    self.dated_lines += 1
                    self.quiet_lines += says_quiet(level or text)
            self.is_named |= client is not None or number in named

    def _take_places(self, text: str, client: str | None) -> None:
        self.clients.update([client] if client else [])
        if is_of_client(text, client):
            self.containers.add(container_of(text))
        if client and len(self.ports) < MOST_PORTS:
            self.ports.update(_ADDRESS.findall(text))
        if f":{KAFKAS_PORT}" in text and len(self.brokers) < MOST_PORTS:
            self.brokers.update(_BROKER.findall(text))

    def names_its_broker(self, text: str) -> bool:
        """Whether a line names an address of its brokers, or a broker's host alone: `Failed host lookup: 'kafka1'`. Kafka's
        own port is Kafka's wherever a log names Kafka at all."""
        ports, hosts = set(_ADDRESS.findall(text)), set(_HOST.findall(text))
        return bool(ports & {*self.ports, KAFKAS_PORT} or hosts & self.brokers)


def names_address(text: str) -> bool:
    """Whether a line names a port behind a host."""
    return _ADDRESS.search(text) is not None
