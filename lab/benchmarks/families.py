"""Lines of every family of the catalogue, each with ids and numbers of its own: nothing in it repeats.

What a text leaves free is drawn (lab.drawn_texts).
"""

import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.drawn_texts import drawer, drawn_uuid
from transforms.parse.catalogue.compiled import MASK
from transforms.parse.catalogue.forms import catalogue

FILES = 8
# What each log begins with: a task's timer is judged by the limit that a dump names.
DUMP = (
    "StreamsConfig values: \n\tapplication.id = orders\n\ttask.timeout.ms = 300000\n"
    " (org.apache.kafka.streams.StreamsConfig)\n"
)
BEGIN_MS = 1_772_323_200_000  # 2026-03-01
PREFIXES = {
    "broker": "[GroupCoordinator id={n} topic=__consumer_offsets partition={p}] ",
    "admin": "[AdminClient clientId=admin-{n}] ",
    "producer": "[Producer clientId=orders-producer-{n}] ",
    "streams": "stream-thread [orders-{u}-StreamThread-{p}] ",
    "consumer": "[Consumer clientId=consumer-{n}, groupId=order-service-{p}] ",
}


def families(folder: Path, megabytes: int, seed: int = 7) -> int:
    """Write FILES logs with so many MB in all, every family in turn; gives the number of records."""
    # A client prints numbers; what posters put in their place is theirs.
    lines = [(form.family, drawer(_printed(form.regex.pattern), form.literal)) for form in catalogue()]
    records = 0
    for number in range(FILES):
        draw = random.Random(f"{seed}/{number}")
        path = folder / f"families-{number}" / "app.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="\n") as log:
            at = BEGIN_MS + number * 1_370
            log.write(f"[{_moment(at)}] INFO {DUMP}")
            while log.tell() < megabytes * 1_000_000 // FILES:
                for family, body in draw.sample(lines, len(lines)):
                    at += draw.randint(0, 9)
                    level = family.levels[0] if family.levels else "INFO"
                    logger = min(family.loggers, default="KafkaConsumer")
                    text = _prefix(family, draw) + body(draw)
                    log.write(f"[{_moment(at)}] {level} {text} (org.apache.kafka.clients.{logger})\n")
                    records += 1
    return records


def _printed(pattern: str) -> str:
    """A pattern without what posters put in the place of its numbers."""
    return pattern.replace(f"|-?(?:{MASK})", "").replace(f"|{MASK}", "")


def _moment(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d %H:%M:%S},{at % 1000:03d}"


def _prefix(family: Any, draw: random.Random) -> str:
    name = family.client or ("streams" if "stream" in family.id or "task" in family.id else "consumer")
    form = PREFIXES.get(name, "")
    return form.format(n=draw.randint(1, 99_999), p=draw.randint(0, 99), u=drawn_uuid(draw))
