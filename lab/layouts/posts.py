"""Records as people post them: a head of some usual pattern, the client's context, what is said, the trace."""

import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lab.layouts.heads import APPLICATION_THREADS
from lab.layouts.records import Entry, in_order, pool
from lab.layouts.render import SPACE, abbreviated, stamp
from lab.layouts.score import recorded
from transforms.events import ClientEvent

MOST_RECORDS = 9
LONGEST = 1500  # characters: who posts a dump posts nothing else
CONTEXT = re.compile(r"\[[A-Z]\w+ clientId=[^\]\n]*\] |stream-(?:thread|client) \[[^\]\n]*\] ")


@dataclass(frozen=True)
class Said:
    """A record in its parts: head, context (with the blank behind it), message, what stands behind it, trace."""

    head: tuple[str, ...]
    context: str
    message: str
    behind: str = ""
    trace: str = ""
    between: str = " "

    @property
    def line(self) -> str:
        """Its first line, or lines."""
        return self.between.join((*self.head, "")) + self.context + self.message + self.behind

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.line}\n{self.trace}" if self.trace else self.line


Head = Callable[[Entry], tuple[tuple[str, ...], str]]
HEADS: dict[str, Head] = {
    "Kafka's": lambda e: ((f"[{stamp(e.at, SPACE)}]", e.level), f" ({e.logger})"),
    "Logback's": lambda e: ((stamp(e.at, SPACE), f"[{e.thread}]", f"{e.level:<5}", e.logger, "-"), ""),
    "log4j's": lambda e: ((stamp(e.at, SPACE), f"{e.level:<5}", f"{e.logger}:123", "-"), ""),
    "Spring Boot's": lambda e: (
        (stamp(e.at, SPACE, mark="."), f"{e.level:>5}", "1 ---", f"[{e.thread:>15}]",
         f"{abbreviated(e.logger):<40}", ":"), "",
    ),
    "Quarkus'": lambda e: ((stamp(e.at, SPACE), f"{e.level:<5}", f"[{e.logger}]", f"({e.thread})"), ""),
    "Dropwizard's": lambda e: ((f"{e.level:<5}", f"[{stamp(e.at, SPACE)}]", f"{e.logger}:"), ""),
    "a level": lambda e: ((e.level,), ""),
}  # fmt: skip


def said(entry: Entry, head: Head) -> Said:
    """A record in such a head."""
    message, trace = entry.parts
    found = CONTEXT.match(message)
    begin = found.end() if found else 0
    parts, behind = head(entry)
    return Said(parts, message[:begin], message[begin:], behind, trace or "")


@cache
def posted(logs: tuple[Path, ...] | None = None) -> dict[str, tuple[tuple[Entry, ClientEvent], ...]]:
    """Records of the recordings that tell one event of a kind of its own, by family: rare ones weigh as much as others."""
    told: dict[Entry, list[ClientEvent]] = defaultdict(list)
    for entry, event in recorded(pool(logs)):
        told[entry].append(event)
    by_family = defaultdict(list)
    for entry, (event, *others) in told.items():
        if event.kind != "other_kafka" and not others and len(entry.message) <= LONGEST:
            by_family[event.message_id].append((entry, event))
    return {family: tuple(of_it) for family, of_it in sorted(by_family.items())}


def drawn_post(
    draw: random.Random, logs: tuple[Path, ...] | None = None
) -> Sequence[tuple[Entry, ClientEvent]]:
    """A few records in their order, said by threads."""
    families = posted(logs)
    names = draw.choices(list(families), k=draw.randint(1, MOST_RECORDS))
    chosen = dict(draw.choice(families[name]) for name in names)
    thread = draw.choice(APPLICATION_THREADS)
    ordered = in_order(list(chosen))
    return [(Entry(one.at, one.level, one.logger, one.message, thread), chosen[one]) for one in ordered]
