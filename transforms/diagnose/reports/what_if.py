"""What another limit would have kept, what it would have cost, and what of it can't be told. Pure.

Each episode's margin says how it ends alone; here those of a client or a thread follow on each other: a membership that
is kept takes the next one into itself, and a thread that dies earlier has no later timers.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from transforms.diagnose.reports.margins import (
    CALL,
    DELIVERY,
    NOUNS,
    POLL,
    REQUEST,
    SESSION,
    TASK,
    Margin,
)
from transforms.diagnose.wording.words import counted, span

KEPT, LOST, UNTOLD, NEVER = "kept", "lost", "untold", "never"


@dataclass(frozen=True, slots=True)
class Told:
    """One episode under the other limit. outcome: kept, lost, untold, or never (it would not have begun)."""

    margin: Margin
    outcome: str

    @property
    def is_saved(self) -> bool:
        """Lost as it was, and kept by the other limit."""
        return self.margin.is_lost and self.outcome == KEPT

    @property
    def is_newly_lost(self) -> bool:
        """Kept as it was, and lost by the other limit."""
        return not self.margin.is_lost and self.outcome == LOST


@dataclass(frozen=True, slots=True)
class WhatIf:
    """All episodes of a setting under one other limit. told: one each. untold: how many, by what is missing.

    longer_ms: the longest that a kept one goes on beyond the limit that ended it. later_ms, earlier_ms: by how much what is
    lost anyway is told later, or earlier, at most.
    """

    setting: str
    limit_ms: int
    told: Sequence[Told]
    untold: Mapping[str, int] = field(default_factory=dict)
    longer_ms: int = 0
    later_ms: int = 0
    earlier_ms: int = 0

    def count(self, outcome: str) -> int:
        """How many end so."""
        return sum(1 for one in self.told if one.outcome == outcome)

    @property
    def was_kept(self) -> int:
        """How many were kept as it was."""
        return sum(1 for one in self.told if not one.margin.is_lost)

    @property
    def saved(self) -> int:
        """How many were lost, and would have been kept."""
        return sum(1 for one in self.told if one.is_saved)

    @property
    def newly_lost(self) -> int:
        """How many were kept, and would have been lost."""
        return sum(1 for one in self.told if one.is_newly_lost)

    def as_dict(self) -> dict[str, Any]:
        """For scripts: numbers and sentences."""
        return {
            "setting": self.setting,
            "limit_ms": self.limit_ms,
            "episodes": len(self.told),
            "was_kept": self.was_kept,
            **{outcome: self.count(outcome) for outcome in (KEPT, LOST, NEVER, UNTOLD)},
            "saved": self.saved,
            "newly_lost": self.newly_lost,
            "longer_ms": self.longer_ms,
            "later_ms": self.later_ms,
            "earlier_ms": self.earlier_ms,
            "why_untold": dict(self.untold),
            "says": sentence(self),
            "costs": costs(self),
        }


def what_if(margins: Iterable[Margin], setting: str, limit_ms: int) -> WhatIf:
    """The episodes of a setting, had its value been limit_ms for all of them.

    margins: of any settings; those of others are left out.
    """
    chains: dict[tuple[Any, ...], list[Margin]] = defaultdict(list)
    for margin in margins:
        if margin.setting == setting:
            chains[margin.chain].append(margin)
    told = [one for chain in chains.values() for one in _followed(setting, chain, limit_ms)]
    differs = [(one, one.margin.limit_ms) for one in told if one.margin.limit_ms is not None]
    lost = [limit for one, limit in differs if one.margin.is_lost and one.outcome == LOST]
    return WhatIf(
        setting=setting,
        limit_ms=limit_ms,
        told=told,
        untold=dict(Counter(one.margin.why for one in told if one.outcome == UNTOLD).most_common()),
        longer_ms=max(
            ((one.margin.kept_from_ms or 0) - limit for one, limit in differs if one.is_saved), default=0
        ),
        later_ms=max((limit_ms - limit for limit in lost), default=0),
        earlier_ms=max((limit - limit_ms for limit in lost), default=0),
    )


def least_limit(margins: Iterable[Margin], setting: str) -> int | None:
    """The least limit that keeps all that can be kept at all; None where nothing tells one."""
    found = [one.kept_from_ms for one in margins if one.setting == setting and one.kept_from_ms is not None]
    return max(found, default=None)


def _followed(setting: str, chain: Sequence[Margin], limit_ms: int) -> list[Told]:
    ordered = sorted(chain, key=lambda one: (one.began_at or 0, one.until or 0, one.subject_id))
    if setting == TASK:
        return _of_thread(ordered, limit_ms)
    if setting in (POLL, SESSION):
        return _of_client(ordered, limit_ms)
    return [Told(one, one.with_limit(limit_ms)) for one in ordered]


def _of_client(ordered: Sequence[Margin], limit_ms: int) -> list[Told]:
    """A membership that is kept goes on through what began after it as another: it ends as that does."""
    told: list[Told] = []
    into: int | None = None
    for margin in ordered:
        outcome = margin.with_limit(limit_ms)
        if into is None:
            told.append(Told(margin, outcome))
            into = len(told) - 1
        else:
            told.append(Told(margin, NEVER))
            told[into] = Told(told[into].margin, outcome)
        if not (margin.is_lost and outcome == KEPT):
            into = None
    return told


def _of_thread(ordered: Sequence[Margin], limit_ms: int) -> list[Told]:
    """The first timer that runs out ends its thread: what ran then is lost with it, what began later never began."""
    first = min(
        (one for one in ordered if one.with_limit(limit_ms) == LOST and one.began_at is not None),
        key=lambda one: (one.began_at or 0) + limit_ms,
        default=None,
    )
    told = [Told(one, one.with_limit(limit_ms)) for one in ordered]
    if first is None or first.began_at is None:
        return told
    over = first.began_at + limit_ms
    made = []
    for one in told:
        began, until = one.margin.began_at, one.margin.until
        if began is not None and one.margin is not first and began > max(over, first.until or over):
            made.append(Told(one.margin, NEVER))
        elif until is not None and until > over and (began or 0) <= over:
            made.append(Told(one.margin, LOST))
        else:
            made.append(one)
    return made


def sentence(told: WhatIf) -> str:
    """What it comes to, as on-call says it."""
    there = len(told.told) - told.count(NEVER)
    noun = NOUNS[told.setting]
    if not told.told:
        return f"No {noun} is known that {told.setting} decides."
    parts = [
        f"With {told.setting}={told.limit_ms} ({span(told.limit_ms)}) {told.count(KEPT)} of {counted(there, noun)} "
        f"would have been kept ({told.was_kept} of {len(told.told)} were)"
    ]
    if told.count(LOST):
        parts.append(f"{told.count(LOST)} lost")
    if told.count(UNTOLD):
        each = "{why}" if len(told.untold) == 1 else "{number}: {why}"
        reasons = "; ".join(each.format(why=why, number=number) for why, number in told.untold.items())
        parts.append(f"{told.count(UNTOLD)} can't be told ({reasons})")
    return ", ".join(parts) + "."


def costs(told: WhatIf) -> list[str]:
    """What it would have cost, a sentence each; none where it costs nothing that these episodes show."""
    found = []
    noun = NOUNS[told.setting]
    if told.newly_lost:
        found.append(f"{counted(told.newly_lost, noun)} that were kept would have been lost.")
    if told.saved and told.longer_ms > 0:
        found.append(LONGER[told.setting].format(span=span(told.longer_ms)))
    if told.later_ms > 0:
        found.append(
            f"What is lost all the same is told up to {span(told.later_ms)} later. {HELD[told.setting]}"
        )
    if told.earlier_ms > 0:
        found.append(f"What is lost all the same is told up to {span(told.earlier_ms)} earlier.")
    return found


LONGER = {
    POLL: "A rebalance in that time would have waited up to {span} longer for a member that still processes.",
    SESSION: "The partitions of a member that is silent would have stood still for up to {span} longer.",
    DELIVERY: "Records would have waited up to {span} longer, in buffer.memory.",
    TASK: "A task would have stood still for up to {span} longer, and with it what its thread commits.",
    REQUEST: "Callers would have waited up to {span} longer.",
    CALL: "Callers would have waited up to {span} longer.",
}
HELD = {
    POLL: "Its partitions stand still meanwhile.",
    SESSION: "Its partitions stand still meanwhile.",
    DELIVERY: "Its records fill buffer.memory meanwhile.",
    TASK: "Its thread tries on meanwhile.",
    REQUEST: "Its caller waits meanwhile.",
    CALL: "Its caller waits meanwhile.",
}
SETTINGS = tuple(NOUNS)
