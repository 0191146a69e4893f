"""Durations over a step of a process's clock: neither a finding nor an acquittal (in one place); and over a pause.

Nor differences of less than a second where a log tells whole seconds only.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any

from transforms.rules.rule import Verdict, unjudged
from transforms.timers.clock_steps import COARSE, STEP_MS, ClockStep
from transforms.timers.episodes import Episode

CLOCK_STEP = unjudged(
    "clock step", "the size of the step: the time service's log (chrony, ntpd), or the host's kernel log"
)
WHOLE_SECONDS = unjudged("times are whole seconds", "a layout that prints milliseconds")
# Why one duration that is too short proves nothing: docs/decisions/0007-pauses.md.
PAUSE = "a pause may have delayed the line that it counts from"
# A contradiction of settings is one at any time.
TIMELESS = frozenset({"misconfiguration"})
_INSTANTS = (
    "started_at", "joined_at", "failed_at", "created_at", "first_at", "happened_at", "last_attempt_at", "last_at",
    "ended_at",
)  # fmt: skip
# What some episodes wrap: their row, whose instants are theirs.
_WRAPPED = ("timer", "session", "row")

Steps = Mapping[str, Sequence[ClockStep]]


def steps_of(episodes: Iterable[Episode]) -> Steps:
    """The steps of each unit's clock, seen or possible."""
    found: dict[str, list[ClockStep]] = defaultdict(list)
    for episode in episodes:
        if isinstance(episode, ClockStep):
            found[episode.unit_id].append(episode)
    return found


def doubted(verdict: Verdict, episode: Episode, steps: Steps) -> Verdict:
    """The verdict, or unjudged where it rests on a duration that a step of the clock may lie in.

    Times repeat after a step back, so what began before its end and ended after its begin may span it.
    """
    of_unit = [step for unit_id in episode.timed_by for step in steps.get(unit_id, ())]
    if not of_unit or verdict.outcome != "violated" or verdict.category in TIMELESS:
        return verdict
    if verdict.observed_ms is None:
        return verdict
    if any(step.how == COARSE for step in of_unit) and _is_within_a_second(verdict):
        return WHOLE_SECONDS
    if not (of_unit := [step for step in of_unit if step.how != COARSE]):
        return verdict
    instants = [*_instants_of(verdict), *_known(episode)]
    if not instants:
        return CLOCK_STEP
    since, until = min(instants), max(instants)
    spanned = [step for step in of_unit if since <= step.from_at and until >= step.to_at]
    return CLOCK_STEP if any(_explains(step, verdict) for step in spanned) else verdict


def doubtful_until(verdict: Verdict, episode: Episode) -> float | None:
    """Up to when a step of the clock would put an accusing verdict in doubt, ms; None where none ever does."""
    if verdict.category in TIMELESS or verdict.observed_ms is None:
        return None
    return max([*_instants_of(verdict), *_known(episode)], default=inf)


def _is_within_a_second(verdict: Verdict) -> bool:
    """Whether it rests on less than two times that are cut to whole seconds can tell."""
    return verdict.limit_ms is not None and abs((verdict.observed_ms or 0) - verdict.limit_ms) < STEP_MS


def _explains(step: ClockStep, verdict: Verdict) -> bool:
    """A clock that was set ahead makes things late, by as much as it was: never early."""
    if step.how == "back" or verdict.limit_ms is None:
        return True
    late_ms = (verdict.observed_ms or 0) - verdict.limit_ms
    return 0 < late_ms <= step.to_at - step.from_at


def _instants_of(verdict: Verdict) -> list[int]:
    """What was measured lies on either side of the verdict's instant: some name its begin, some its end."""
    if verdict.happened_at is None:
        return []
    reach_ms = abs(verdict.observed_ms or 0)
    return [verdict.happened_at - reach_ms, verdict.happened_at + reach_ms]


def _known(episode: Any) -> list[int]:
    wrapped = [getattr(episode, name, None) for name in _WRAPPED]
    values = [
        getattr(one, name, None) for one in (episode, *wrapped) if one is not None for name in _INSTANTS
    ]
    return [value for value in values if isinstance(value, int)]
