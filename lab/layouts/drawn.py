"""A whole layout drawn from a seed: the line or the object of a record, and what stands around it."""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.layouts import render
from lab.layouts.around import Around, drawn_around, wrapped
from lab.layouts.heads import APPLICATION_THREADS, Shown, drawn_head
from lab.layouts.records import Entry
from lab.layouts.times import Notation

ALL = Shown(Notation("object's", str))


def _logfmt(entry: Entry) -> str:
    """`ts=.. level=info thread=.. logger=.. msg=".."`, as Go's and Grafana's shops have it."""
    at = render.stamp(entry.at, render.ISO, mark=".")
    text = json.dumps(entry.message, ensure_ascii=False)
    return f'ts={at}Z level={entry.level.lower()} thread="{entry.thread}" logger={entry.logger} msg={text}'


def _gcp(entry: Entry) -> str:
    """Cloud Logging, the application's own object as payload."""
    at = render.stamp(entry.at, render.ISO, mark=".")
    payload = {"level": entry.level, "logger": entry.logger, "thread": entry.thread, "message": entry.message}
    return json.dumps(
        {"jsonPayload": payload, "severity": entry.level, "timestamp": f"{at}Z", "insertId": f"{entry.at:x}"}
    )


def _pretty(write: Callable[[Entry], str]) -> Callable[[Entry], str]:
    return lambda entry: json.dumps(json.loads(write(entry)), indent=2)


OBJECTS: dict[str, Callable[[Entry], str]] = {
    "ECS": render.ecs,
    "Logstash": render.logstash,
    "log4j2 JSON": render.log4j2_json,
    "Quarkus JSON": render.quarkus_json,
    "OTLP": render.otlp,
    "GCP payload": _gcp,
    "logfmt": _logfmt,
    "ECS, pretty": _pretty(render.ecs),
    "Logstash, pretty": _pretty(render.logstash),
}
OBJECT_SHARE = 0.1


@dataclass
class Drawn:
    """What a seed draws. named: it in words."""

    seed: int
    named: str
    shown: Shown
    around: list[Around]
    _write: Callable[[Entry], str]

    @property
    def has_outer_time(self) -> bool:
        """Whether a collector's time stands around the records."""
        return any(one.has_time for one in self.around)

    def text_of(self, entries: Sequence[Entry]) -> str:
        """The file."""
        return wrapped([self._write(entry).rstrip("\n") for entry in entries], self.around)

    def threaded(self, entries: Sequence[Entry]) -> list[Entry]:
        """The same records said by threads, which the recordings' layout does not show."""
        draw = random.Random(self.seed)
        return [entry._replace(thread=draw.choice(APPLICATION_THREADS)) for entry in entries]


def drawn(seed: int) -> Drawn:
    """The layout of a seed, the same for ever."""
    draw = random.Random(f"layout {seed}")
    if draw.random() < OBJECT_SHARE:
        name = draw.choice(list(OBJECTS))
        around = [] if "pretty" in name else drawn_around(draw)
        return Drawn(seed, _named([name], around), ALL, around, OBJECTS[name])
    head = drawn_head(draw)
    around = drawn_around(draw)
    return Drawn(seed, _named(head.named, around), head.shown, around, head.write)


def _named(head: list[str], around: list[Around]) -> str:
    return "; ".join([*head, *(f"in {one.name}" for one in around)])
