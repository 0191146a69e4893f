"""How a source is read: a layout that was learned from its beginning (transforms.parse.layouts.detect), as plain data.

A layout is written as its lines are: `[<time>] <level> <message> (<logger>)`. There is no list of them.
"""

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from transforms.parse.layouts.starts import starts_of

# Of the evidence of a source that ended its reader, and the reason that is told.
FAULT = "fault"


@dataclass(frozen=True, slots=True)
class SourceLayout:
    """How a source is read. Plain data, so that a plan can carry it.

    layout: what most of its lines look like; `json`, `plain` or `binary`. templates: this and other shapes that many lines
    have, each with the notation of its times. prefix: what stands before every line of a paste or a viewer; a pattern.
    lead: the same before envelopes. fold: how these were broken (folded.Fold).
    start, goes_on: patterns (RE2) of a record's first line, and of those of them that begin none.
    has_full_loggers: its lines name their logger with its package, so that no text without one can be Kafka's.
    is_splittable: chunks may be read apart from each other. date_order: as of timestamps.Clock. evidence: counts of
    what was seen.
    """

    layout: str
    start: str = r"[^\s\v\x00]"
    goes_on: str | None = None
    templates: tuple[tuple[str, str], ...] = ()
    prefix: str = ""
    lead: str = ""
    fold: tuple[int, bool, int, int, str] | None = None
    wrappers: tuple[str, ...] = ()
    time_zone: str | None = None
    time_zone_origin: str = "assumed"
    date_order: str | None = None
    is_newest_first: bool = False
    has_full_loggers: bool = False
    is_splittable: bool = True
    evidence: dict[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """`docker_json/[<time>] <level> <message>`: envelopes outermost first; may be given back as a hint."""
        return "/".join((*self.wrappers, self.layout))

    def dump(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)

    @classmethod
    def load(cls, raw: dict[str, Any]) -> "SourceLayout":
        """From what dump() gave."""
        templates = tuple((shape, notation) for shape, notation in raw["templates"])
        fold = tuple(raw["fold"]) if raw["fold"] else None
        return cls(**{**raw, "wrappers": tuple(raw["wrappers"]), "templates": templates, "fold": fold})


def unread_layout() -> SourceLayout:
    """The layout of a source that ends its reader: it is counted, and nothing else is done with it."""
    return SourceLayout("binary", is_splittable=False, evidence={FAULT: 1})


def mixed_layout() -> SourceLayout:
    """The layout of a source whose lines are of many: each is read on its own."""
    start, goes_on = starts_of("mixed", (), "")
    return SourceLayout("mixed", start, goes_on)


def begins_of(layout: SourceLayout) -> Callable[[str], bool]:
    """Whether a line begins a record of such a source."""
    start, goes_on = _compiled(layout.start), _compiled(layout.goes_on) if layout.goes_on else None

    def begins(line: str) -> bool:
        line = line.removeprefix("\ufeff")
        return start.match(line) is not None and (goes_on is None or goes_on.match(line) is None)

    return begins


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
