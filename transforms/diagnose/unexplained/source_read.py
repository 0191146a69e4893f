"""What was read of a source, for those who say how it ends: its records that became events, and its lines as they stand."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.unexplained.raw_scan import RawScan
from transforms.events import JAVA

KAFKAS_LAYOUT = "[<time>] <level> <message> (<logger>)"  # of its own log4j.properties
ERRORS = ("fatal", "error")  # how loudly


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """A record that events were told by. line, line_count: physical lines. zone: its LogRecord.time_zone_origin."""

    source: str
    line: int
    line_count: int
    level: str | None
    thread: str | None
    zone: str
    text: str


@dataclass(slots=True)
class SourceRead:
    """What became of one source. layout: the reader's name for its form. libraries: whose client_library its events are.
    unread: pieces that no reader understood. failing: of what speaks loudly what is not always normal.
    """

    name: str
    scan: RawScan
    layout: str = ""
    kafka_lines: int = 0
    libraries: frozenset[str] = frozenset()
    unread: list[RawLine] = field(default_factory=list)
    failing: list[RawLine] = field(default_factory=list)

    @property
    def speaking(self) -> Sequence[RawLine]:
        """Its lines that speak of trouble with Kafka, which a client's line in it names, or its layout, as of an hour in
        which a broker's client of ZooKeeper's alone spoke; of its topics and offsets, too, where no client of Java's speaks,
        at ERROR alone where no client is known, and Kafka is named.
        """
        if not self.libraries and self.layout != KAFKAS_LAYOUT:
            errors = (line for line in self.scan.of_its_things if line.loudness in ERRORS)
            return [*self.scan.speaking, *(errors if self.scan.is_named else ())]
        more = () if self.libraries <= {JAVA} else self.scan.of_its_things
        return [replace(line, is_doubtful=False) for line in chain(self.scan.speaking, more)]

    @property
    def is_read_by_level(self) -> bool:
        """Whether its lines are of no form that is known, and each says by its own level that it is quiet, or is normal."""
        is_unread = bool(self.kafka_lines or self.unread or self.is_binary)
        return not is_unread and self.scan.is_quiet(len(self.scan.loud) - len(self.failing))

    @property
    def is_binary(self) -> bool:
        """Whether it is bytes, and no text."""
        return self.layout == "binary"
