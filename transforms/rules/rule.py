"""What a rule is: a pure function from one rebuilt episode to a verdict, registered under its contract id."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

# Broken promises first, then what this release always does, then advice.
CATEGORIES = ("broken_semantics", "departs_from_kip", "older_semantics", "misconfiguration")
# Those that are held against the client: an older release keeps its own promises, and a setting breaks none.
HELD_AGAINST = frozenset({"broken_semantics", "departs_from_kip"})
# What a rule takes to be shown by the lines: what they say, which no lost line can undo; or that a line is not there, which
# is shown only by a log that shows itself to be whole (transforms.timers.log_holes).
SAID, ABSENT = "said", "absent"
SEVERITIES = ("critical", "error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Verdict:
    """conforms, violated or unjudged; a violated one holds its own proof.

    observed_ms, limit_ms: what the client did and what bound it; limit_origin: where the bound came from.
    event_ids: the fewest events that prove it, in order; samples: those of metrics, as readings.told writes them.
    missing: what would settle an unjudged one.
    facts: what `says` needs besides observed_ms and limit_ms.
    rests_on: SAID or ABSENT, where this one rests on something else than its rule does.
    """

    outcome: str
    category: str | None = None
    observed_ms: int | None = None
    limit_ms: int | None = None
    limit_origin: str | None = None
    happened_at: int | None = None
    subject_id: str | None = None
    event_ids: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    reason: str | None = None
    missing: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    rests_on: str | None = None


CONFORMS = Verdict("conforms")
NOT_APPLICABLE = Verdict("not_applicable")


def violated(
    category: str,
    *,
    events: Sequence[str],
    happened_at: int | None,
    observed_ms: int | None = None,
    limit_ms: int | None = None,
    limit_origin: str | None = None,
    subject_id: str | None = None,
    samples: Sequence[str] = (),
    rests_on: str | None = None,
    **facts: Any,
) -> Verdict:
    """A broken promise with its proof. An unproven limit must never come here: give unjudged() instead.

    Raises: ValueError for a category that there is not, or without proof.
    """
    if category not in CATEGORIES:
        raise ValueError(f"category {category!r} is none of {', '.join(CATEGORIES)}")
    if not events and not samples:
        raise ValueError("a violation needs the events or the samples that prove it")
    return Verdict(
        "violated",
        category=category,
        observed_ms=observed_ms,
        limit_ms=limit_ms,
        limit_origin=limit_origin,
        happened_at=happened_at,
        subject_id=subject_id,
        event_ids=tuple(events),
        samples=tuple(samples),
        facts=facts,
        rests_on=rests_on,
    )


def unjudged(reason: str, missing: str) -> Verdict:
    """What can't be judged: a short reason (`limit unknown`) and the evidence that would settle it."""
    return Verdict("unjudged", reason=reason, missing=missing)


@dataclass(frozen=True, slots=True)
class Rule:
    """A registered rule. `judges` is the episode class; `gives` the categories it may give; rests_on: SAID or ABSENT."""

    rule_id: str
    judges: type
    severity: str
    gives: tuple[str, ...]
    says: str
    runbook: tuple[str, ...]
    advice: str
    judge: Callable[[Any], Verdict]
    rests_on: str = SAID

    @property
    def kip(self) -> str:
        """Such as `KIP-572`; rules of the client timeouts belong to KIP-266."""
        source = self.rule_id.split(".")[0]
        return "KIP-266" if source == "timeouts" else f"KIP-{source.removeprefix('kip')}"


RULES: dict[str, Rule] = {}


Judge = TypeVar("Judge", bound=Callable[..., Verdict])


def rule(
    rule_id: str,
    *,
    judges: type,
    severity: str,
    gives: tuple[str, ...],
    says: str,
    runbook: tuple[str, ...],
    advice: str,
    rests_on: str = SAID,
) -> Callable[[Judge], Judge]:
    """Register a rule and leave the function alone, so that a test calls it as written.

    says: the finding's sentence, a format string over observed_ms, limit_ms and the verdict's facts.
    runbook: what to look at, what usually causes it, when to let it be. advice: which setting, to what, at what cost.
    rests_on: SAID, or ABSENT where a lost line would explain what is found: then only a whole log accuses.
    Raises: ValueError where the id is taken or the words are none of the contract's.
    """
    if severity not in SEVERITIES or not set(gives) <= set(CATEGORIES):
        raise ValueError(f"{rule_id}: severity {severity!r} or categories {gives!r} are not the contract's")

    def register(judge: Judge) -> Judge:
        if rule_id in RULES:
            raise ValueError(f"{rule_id} is registered already")
        RULES[rule_id] = Rule(rule_id, judges, severity, gives, says, runbook, advice, judge, rests_on)
        return judge

    return register
