"""A file of metrics that is to be read, and what is known of it while it is."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from jobs.inputs.listing import Listed
from transforms.parse.metrics.samples import MetricBooks

# What is told of a place to read on from, as JSON; `offset` is where it is.
Mark = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MetricFile:
    """A file to read. service, instance: its names; declared: whether conf says them, and no label may say otherwise.

    before: what an earlier run read under the same path and may have grown (source_id, bytes, their digest). grown: of those
    that stay who they are, besides, who they are by their beginning, and where they are read on from.
    """

    listed: Listed
    service: str
    instance: str
    is_service_declared: bool = False
    is_instance_declared: bool = False
    time_zone: str | None = None
    before: Sequence[tuple[str, int, str]] = ()
    grown: Sequence[tuple[str, int, str, str, Mark]] = ()

    def dump(self) -> str:
        """As JSON, for a task."""
        return json.dumps(asdict(self))

    @classmethod
    def load(cls, text: str) -> "MetricFile":
        """The other way."""
        raw = json.loads(text)
        raw["listed"] = Listed(**raw["listed"])
        raw["before"] = [(source_id, size, digest) for source_id, size, digest in raw["before"]]
        raw["grown"] = [tuple(known) for known in raw["grown"]]
        return cls(**raw)


@dataclass(slots=True)
class Reading:
    """One file while it is read, or the messages of one sender."""

    file: MetricFile
    source_id: str
    service: str
    instance: str
    counts: Counter[str] = field(default_factory=Counter)
    samples: MetricBooks = field(default_factory=MetricBooks)
    unparsed: Counter[str] = field(default_factory=Counter)
    clients: dict[str, dict[str, set[str]]] = field(default_factory=dict)  # by unit and service
    format: str | None = None
    is_line_open: bool = False

    @property
    def named(self) -> list[tuple[str, str, list[str]]]:
        """Unit, service, and the clients its samples name."""
        return [
            (unit_id, service, sorted(clients))
            for unit_id, services in sorted(self.clients.items())
            for service, clients in sorted(services.items())
        ]
