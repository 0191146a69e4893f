"""What is known of each source: how far it was read, and its accounting. Bounded: one row a source."""

import json
from dataclasses import dataclass, field
from typing import Any

from jobs.storage.lake import ACCOUNTING, LakeWriter, read_arrow

# Other names of a source: path -> size in bytes and time of change (ns), as listed.
Copies = dict[str, list[int]]


@dataclass(slots=True)
class KnownSource:
    """One row of bronze.accounting, as far as the next run needs it. Sizes in bytes, lines counted."""

    source_id: str
    source: str
    service: str
    instance: str
    unit_id: str
    file_size: int
    file_changed_ns: int
    fingerprint_bytes: int
    is_encoded: bool
    bytes_read: int
    resume_offset: int
    resume_line: int
    resume_at: int | None
    layout: dict[str, Any] = field(default_factory=dict)
    settled: dict[str, Any] = field(default_factory=dict)
    tail: dict[str, Any] = field(default_factory=dict)
    copies: Copies = field(default_factory=dict)

    @property
    def is_metrics(self) -> bool:
        """Whether it was read as metrics; the same path may be a log too."""
        return "metrics" in self.layout

    @property
    def is_of_topic(self) -> bool:
        """Whether it is a topic, or an origin of a topic's lines: no file."""
        return "topic" in self.layout or "origin" in self.layout


def known_sources(lake: LakeWriter) -> dict[str, KnownSource]:
    """All sources that were read before, by source_id."""
    table = read_arrow(lake.path(ACCOUNTING), ["source_id", "source", "state"])
    known = {}
    for row in table.to_pylist():
        state = json.loads(row["state"])
        known[row["source_id"]] = KnownSource(source_id=row["source_id"], source=row["source"], **state)
    return known
