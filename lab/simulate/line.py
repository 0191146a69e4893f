"""One record of a simulated log, and logs as text."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from lab.layouts.records import Entry
from lab.layouts.render import (
    kafka,
    logback_dated,
    logstash,
    spring_boot_3,
)

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR")
# By the names this package uses. `log4j` is Kafka's own `[%d] %p %m (%c)%n`; only it and JSON keep all of a record's
# logger, and it has no thread; Spring Boot shortens both.
LAYOUTS: dict[str, Callable[[Entry], str]] = {
    "log4j": kafka,
    "logback": logback_dated,
    "spring": spring_boot_3,
    "json": logstash,
}


class Line(NamedTuple):
    """at: ms since the epoch, UTC. logger: the full class name. text: the message, with its stack trace if any."""

    at: int
    level: str
    logger: str
    thread: str
    text: str


def render(lines: Iterable[Line], layout: str = "log4j") -> str:
    """The log of these lines, by time; lines of one millisecond stay in the order they were given in."""
    write = LAYOUTS[layout]
    ordered = sorted(lines, key=lambda line: line.at)
    return "".join(write(Entry(line.at, line.level, line.logger, line.text, line.thread)) for line in ordered)


def lets_through(root: str, level: str) -> bool:
    """Whether a root logger of one level writes a line of another."""
    return LEVELS.index(level) >= LEVELS.index(root)


def shown(lines: Iterable[Line], level: str) -> list[Line]:
    """The lines that a root logger of this level lets through."""
    written = {one for one in LEVELS if lets_through(level, one)}
    return [line for line in lines if line.level in written]


@dataclass(frozen=True)
class Text:
    """What a message looks like: a format string, its class and level.

    recorded: the recording (a folder of tests/recordings) that has such a line; where none has, `because` says what the
    text was taken from (test_texts.py looks it up).
    """

    template: str
    logger: str
    level: str = "INFO"
    recorded: str | None = None
    because: str = ""

    def line(
        self,
        at: int,
        thread: str,
        *,
        level: str | None = None,
        logger: str | None = None,
        trace: str | None = None,
        **fields: Any,
    ) -> Line:
        """One record of it. level, logger: where a version has others. trace: what follows the message."""
        text = self.template.format(thread=thread, **fields) + (f"\n{trace}" if trace else "")
        return Line(at, level or self.level, logger or self.logger, thread, text)
