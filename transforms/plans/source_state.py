"""What is known of each source: who it is, how far it was read, what is open at its end. Bounded: one row a source."""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from transforms.checked import checked
from transforms.events import unit_id_of

# Other names of a source: path -> size in bytes and time of change (ns), as listed.
Copies = dict[str, list[int]]


class LaterVersionError(Exception):
    """A later release wrote it. version: what it is of."""

    def __init__(self, version: object) -> None:
        super().__init__(version)
        self.version = version


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """What was read of a source, a file or (a part of) a topic: all that the next run goes on from.

    Sizes and offsets in bytes of the decoded source, but file_size as listed; resume_at and latest_at in ms. identity: what
    the id rests on. status: of its row; empty until it is known. resume_offset, resume_line: where the next run reads on;
    from there to bytes_read is the tail, which is read again. latest_at: of its newest record; resume_at: of those before
    the tail. layout: how it is read, with evidence. settled, tail: what was counted, in parts that stay and that are read
    again (transforms.plans.accounting). copies: its other names.

    Of samples `metrics` says how a file is recognized and where its next line is, and which clients it names; of a topic
    `topic` says how far each partition was read; of what a topic carries `origin` says what stands open. Else they are None.
    """

    source_id: str
    source: str
    service: str
    instance: str
    identity: str = ""
    status: str = ""
    file_size: int = 0
    file_changed_ns: int = 0
    fingerprint_bytes: int = 0
    is_encoded: bool = False
    bytes_read: int = 0
    resume_offset: int = 0
    resume_line: int = 1
    resume_at: int | None = None
    latest_at: int | None = None
    layout: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] | None = None
    topic: Mapping[str, Any] | None = None
    origin: Mapping[str, Any] | None = None
    settled: Mapping[str, Any] = field(default_factory=dict)
    tail: Mapping[str, Any] = field(default_factory=dict)
    copies: Copies = field(default_factory=dict)

    @property
    def unit_id(self) -> str:
        """The process that it is of, where a record names no other."""
        return unit_id_of(self.service, self.instance)

    @property
    def is_metrics(self) -> bool:
        """Whether it was read as metrics; the same path may be a log too."""
        return self.metrics is not None

    @property
    def is_of_topic(self) -> bool:
        """Whether it is a topic, or an origin of a topic's lines: no file."""
        return self.topic is not None or self.origin is not None

    def dump(self) -> str:
        """The column `state`: what has no column of its own."""
        values = asdict(self)
        kept = {name: value for name, value in values.items() if name not in COLUMNS}
        return json.dumps({"version": VERSION, **kept}, sort_keys=True)

    @classmethod
    def load(cls, row: Mapping[str, Any]) -> "SourceState":
        """Of a row of bronze.accounting (COLUMNS and `state`).

        Raises: LaterVersionError; ValueError for a state that is none.
        """
        try:
            raw = json.loads(row["state"])
            version = raw.pop("version", 1)
            if version not in (1, 2, VERSION):
                raise LaterVersionError(version)
            values = of_version_1(raw) if version == 1 else raw
            if version < VERSION:  # it told the time before the tail alone
                values["latest_at"] = values.get("resume_at")
            values["layout"] = {name: _shared(value) for name, value in values["layout"].items()}
            return checked(cls, values | {name: row[name] for name in COLUMNS})
        except (LookupError, TypeError, AttributeError) as error:
            raise ValueError("no state of a source") from error


VERSION = 3
COLUMNS = ("source_id", "source", "service", "instance", "identity", "status", "resume_offset", "resume_line")
KINDS = ("metrics", "topic", "origin")


def of_version_1(raw: dict[str, Any]) -> dict[str, Any]:
    """A state without a version: kinds of sources were told from names in the layout, and names stood in it twice."""
    layout = dict(raw.pop("layout", {}))
    raw |= {kind: layout.pop(kind) for kind in KINDS if kind in layout}
    if "resume" in raw:  # of a plan
        raw["resume_offset"], raw["resume_line"] = raw.pop("resume")
    names = {one.name for one in fields(SourceState)}
    return {name: value for name, value in raw.items() if name in names} | {"layout": layout}


def _shared(value: Any) -> Any:
    """The patterns of a layout are kilobytes, and thousands of sources have the same."""
    return sys.intern(value) if type(value) is str else value


def renamed(row: Mapping[str, Any], copies: Copies) -> str:
    """The state of a row whose source has these other names."""
    return replace(SourceState.load(row), copies=copies).dump()
