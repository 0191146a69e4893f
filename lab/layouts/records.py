"""Records of the recordings, one of every sort, to be written anew."""

import gzip
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lab.corpus import ROOT, ms

THROWN = re.compile(r"\n(?=[\w.$]+(?:Exception|Error)\b)")
RECORD = re.compile(
    r"^\[(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d),(\d{3})\] (TRACE|DEBUG|INFO|WARN|ERROR|FATAL) ", re.MULTILINE
)
# Where Kafka's own pattern puts the logger: behind the message, before the trace.
LOGGER = re.compile(r" \(([\w.$]+)\)(?=\n|$)")
OF_A_SORT = 2  # records of each sort of each log
LONGEST = 20_000  # characters of a record that is written anew


class Entry(NamedTuple):
    """at: ms since the epoch. message: with its stack trace."""

    at: int
    level: str
    logger: str
    message: str
    thread: str = "main"

    @property
    def parts(self) -> tuple[str, str | None]:
        """Message and stack trace."""
        found = THROWN.search(self.message)
        return (self.message[: found.start()], self.message[found.end() :]) if found else (self.message, None)


def entries_of(text: str) -> Iterator[Entry]:
    """The records of a log in Kafka's default pattern, `[%d] %p %m (%c)%n` and the trace."""
    begins = list(RECORD.finditer(text))
    for begin, end in zip(begins, [*(found.start() for found in begins[1:]), len(text)], strict=True):
        body = text[begin.end() : end].rstrip("\n")
        loggers = list(LOGGER.finditer(body))
        if not loggers or len(body) > LONGEST:
            continue
        # Of a dump the logger stands behind its last line, of a failure behind its first.
        logger = loggers[-1] if loggers[-1].end() == len(body) else loggers[0]
        at = ms(f"{begin[1]}T{begin[2]}.{begin[3]}Z")
        yield Entry(at, begin[4], logger[1], body[: logger.start()] + body[logger.end() :])


@cache
def pool(logs: tuple[Path, ...] | None = None) -> tuple[Entry, ...]:
    """Records of the recordings (or of some logs), few of each sort of each log, so that rare ones weigh as much."""
    chosen: list[Entry] = []
    for path in logs or tuple(sorted(ROOT.glob("p[0-9]*/*.log.gz"))):
        seen: Counter[tuple[str, str]] = Counter()
        for entry in entries_of(gzip.decompress(path.read_bytes()).decode(errors="replace")):
            sort = (entry.logger, re.sub(r"\d+", "0", " ".join(entry.message.split()[:12]))[:60])
            seen[sort] += 1
            if seen[sort] <= OF_A_SORT:
                chosen.append(entry)
    return tuple(chosen)


def in_order(entries: Sequence[Entry]) -> list[Entry]:
    """By time, as a log has them."""
    return sorted(entries, key=lambda entry: entry.at)
