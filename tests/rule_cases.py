"""The six cases of a rule: how a test says which one a history is, and what the rules said when it ran.

A test's history is tagged where it stands, `inside("0 expire o-0 1 12000", {}, "conforms", id="...")` for
`pytest.param(...)`, or `@case("positive")` for a whole test. `tried` runs the tagged histories of a module
and listens to the rules meanwhile: which rule a history is a case of is what ran, not what somebody wrote.
Where a test asks two rules and the history is a case of one of them, `of="kip91.expired_late"` says so.
"""

import inspect
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from unittest import mock

import pytest

from transforms.rules.registry import RULES
from transforms.rules.rule import Verdict

POSITIVE, NEGATIVE = "positive", "negative"
INSIDE, OUTSIDE = "just inside", "just outside"
GUILTY, UNKNOWN = "looks guilty", "unknown"
KINDS = (POSITIVE, NEGATIVE, INSIDE, OUTSIDE, GUILTY, UNKNOWN)
# What the rule may say of a case: each time one of these. The accusing kinds are accused at least once, an
# unknown one is neither accused nor acquitted; what else is said is of the history's other episodes.
FITTING = {
    POSITIVE: {"violated", "conforms", "not_applicable", "unjudged"},  # what accuses from the second time on
    NEGATIVE: {"conforms", "not_applicable"},
    INSIDE: {"conforms", "not_applicable", "unjudged"},  # some rules acquit nobody: they lack the proof
    OUTSIDE: {"violated", "conforms", "not_applicable"},
    GUILTY: {"conforms", "not_applicable", "unjudged"},
    UNKNOWN: {"unjudged", "not_applicable", "conforms"},
}
ACCUSING = frozenset({POSITIVE, OUTSIDE})
# Why a rule has no such case: reason -> which kinds, of which rules. A case that is there all the same is told.
SENSELESS: Mapping[str, tuple[Sequence[str], frozenset[str]]] = {
    "something is there or is not: nothing measured could be a little more or less": (
        (INSIDE, OUTSIDE),
        frozenset(
            {
                "kip572.fired_without_timeout",
                "kip572.leader_timeout_fatal",
                "kip572.retries_not_warned",
                "kip572.retries_set",
                "kip572.skip_not_warned",
                "kip572.timer_not_shared",
                "kip572.timer_not_started",
                "kip62.evicted_by_other_timeout",
                "kip62.fenced_without_duplicate",
                "kip62.not_rejoined",
                "kip848.not_left",
                "kip848.not_rejoined",
                "kip91.delivery_timeout_adjusted",
                "kip91.expired_by_request_timeout",
                "kip91.explicit_retries",
                "timeouts.session_outside_broker_bounds",
                "timeouts.setting_ignored",
            }
        ),
    ),
    "its trigger is its proof: the line says all that the rule asks": (
        (UNKNOWN,),
        frozenset(
            {
                "kip91.delivery_timeout_adjusted",
                "kip91.expired_by_request_timeout",
                "timeouts.setting_ignored",
            }
        ),
    ),
}
TESTS = Path(__file__).parent / "transforms" / "rules"
_ParameterSet = type(pytest.param())


@dataclass(frozen=True)
class Tried:
    """One history as one rule judged it.

    verdicts: of each episode that the rule was asked about, in order. failure: the test's own, if it has one.
    """

    rule_id: str
    kind: str
    test: str
    name: str
    values: Mapping[str, Any]
    verdicts: Sequence[Verdict] = field(repr=False)
    failure: str | None = None

    @property
    def fits(self) -> bool:
        """Whether the rule said what the kind of case promises."""
        said = {verdict.outcome for verdict in self.verdicts}
        is_acquitted = self.kind == UNKNOWN and "conforms" in said and "unjudged" not in said
        if self.failure is not None or is_acquitted:
            return False
        return said <= FITTING[self.kind] and ("violated" in said) == (self.kind in ACCUSING)

    @property
    def sentence(self) -> str:
        """What the finding of an accusing case says."""
        found = next(verdict for verdict in self.verdicts if verdict.outcome == "violated")
        facts = {"observed_ms": found.observed_ms, "limit_ms": found.limit_ms, **found.facts}
        return RULES[self.rule_id].says.format(**facts)


def case(kind: str, of: str | None = None) -> pytest.MarkDecorator:
    """Tag a test, or one history by `marks=`, as this case of the rules that it asks, or of one of them."""
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is none of {', '.join(KINDS)}")
    return pytest.mark.case(kind, of)


def _param(kind: str) -> Callable[..., Any]:
    def tagged(
        *values: object,
        id: str | None = None,  # noqa: A002 - as pytest.param has it
        of: str | None = None,
        also: pytest.MarkDecorator | None = None,
    ) -> Any:
        """As pytest.param. of: the one rule that this is a case of; also: another `case(...)` of it."""
        return pytest.param(*values, id=id, marks=[case(kind, of), *([also] if also else [])])

    return tagged


positive, negative, inside, outside, guilty, unknown = map(_param, KINDS)


def senseless(rule_id: str, kind: str) -> str | None:
    """Why this rule can have no such case; None where it has to have one."""
    return next((why for why, (kinds, of) in SENSELESS.items() if kind in kinds and rule_id in of), None)


def lacking(rule_id: str, kind: str, ran: Iterable[Tried]) -> str | None:
    """What is wrong where a rule has no such case, or has one that SENSELESS says can't be; None where all is well."""
    is_there = any((one.rule_id, one.kind) == (rule_id, kind) for one in ran)
    why_not = senseless(rule_id, kind)
    if why_not is not None and is_there:
        return f"{rule_id} has a case '{kind}', which SENSELESS says can't be: {why_not}"
    if why_not is None and not is_there:
        return f"{rule_id} has no case '{kind}': tag a history of its test (tests/rule_cases.py)"
    return None


@cache
def all_tried() -> tuple[Tried, ...]:
    """Every tagged history of tests/transforms/rules, run."""
    modules = (
        import_module(f"tests.transforms.rules.{path.stem}") for path in sorted(TESTS.glob("test_*.py"))
    )
    return tuple(one for module in modules for one in tried(module))


def tried(module: ModuleType) -> list[Tried]:
    """Run the tagged histories of a module."""
    tests = [test for name, test in vars(module).items() if name.startswith("test_") and callable(test)]
    return [one for test in tests for one in _tried(module, test)]


def _tried(module: ModuleType, test: Callable[..., None]) -> Iterator[Tried]:
    ran = [(item, *_heard(module, test, item.values)) for item in _items(test) if item.tags]
    asked = list(dict.fromkeys(rule_id for _, heard, _ in ran for rule_id in heard))
    for (name, values, tags), heard, failure in ran:
        for kind, of in tags:
            # Some machines make no episode of a history that is in order: then the rules are those that the
            # test's other histories asked, or the one that is named, by the tag and in the test.
            if of is not None and of not in asked and of.split(".")[-1] not in test.__code__.co_names:
                raise ValueError(
                    f"{_place(module, test)}[{name}] is said to be a case of {of}, and asks it not"
                )
            rule_ids = [of] if of is not None else (list(heard) or asked)
            if not rule_ids:
                raise ValueError(f"{_place(module, test)}[{name}] is tagged, and asks no rule")
            for rule_id in rule_ids:
                yield Tried(
                    rule_id, kind, _place(module, test), name, values, heard.get(rule_id, []), failure
                )


def _place(module: ModuleType, test: Callable[..., None]) -> str:
    return f"{module.__name__.rpartition('.')[2]}.{test.__name__}"


Tags = list[tuple[str, str | None]]


class Item(NamedTuple):
    """One run that pytest makes of a test: its name there, its arguments, and its tags."""

    name: str
    values: Mapping[str, Any]
    tags: Tags


def _items(test: Callable[..., None]) -> Iterator[Item]:
    marks = getattr(test, "pytestmark", [])
    own = [mark.args for mark in marks if mark.name == "case"]
    tables = [_rows(mark) for mark in marks if mark.name == "parametrize"]
    for rows in itertools.product(*tables):
        names = [row.name for row in rows if row.name]
        values = {name: value for row in rows for name, value in row.values.items()}
        tags = [*own, *(tag for row in rows for tag in row.tags)]
        yield Item(", ".join(names) or test.__name__, values, tags)


def _rows(mark: pytest.Mark) -> list[Item]:
    named, given = mark.args[:2]
    names = [name.strip() for name in named.split(",")] if isinstance(named, str) else list(named)
    ids = mark.kwargs.get("ids") or ["" for _ in given]
    rows = []
    for row, row_id in zip(given, ids, strict=True):
        if isinstance(row, _ParameterSet):
            values, row_id = row.values, row.id or row_id
            tags = [one.args for one in row.marks if one.name == "case"]
        else:
            values, tags = ((row,) if len(names) == 1 else tuple(row)), []
        rows.append(Item(row_id, dict(zip(names, values, strict=True)), tags))
    return rows


def _heard(
    module: ModuleType, test: Callable[..., None], values: Mapping[str, Any]
) -> tuple[dict[str, list[Verdict]], str | None]:
    """What each rule said while the test ran with these arguments, and how the test itself failed."""
    missing = set(inspect.signature(test).parameters) - set(values)
    if missing:
        raise TypeError(
            f"{_place(module, test)}: a tagged history can't need fixtures ({', '.join(missing)})"
        )
    heard: dict[str, list[Verdict]] = {}
    failure = None
    with _listening(module, heard) as listener_of:
        try:
            test(**{name: listener_of.get(id(value), value) for name, value in values.items()})
        except AssertionError as error:
            failure = f"its own test fails: {error}"
    return heard, failure


@contextmanager
def _listening(module: ModuleType, heard: dict[str, list[Verdict]]) -> Iterator[dict[int, Any]]:
    """Put a listener in each rule's place, where it is defined and where the test imported it."""
    listener_of = {id(rule.judge): _listener(rule_id, rule.judge, heard) for rule_id, rule in RULES.items()}
    with ExitStack() as stack:
        for place in (*{sys.modules[rule.judge.__module__] for rule in RULES.values()}, module):
            rules = {name: listener_of[id(v)] for name, v in vars(place).items() if id(v) in listener_of}
            stack.enter_context(mock.patch.multiple(place, **rules) if rules else ExitStack())
        yield listener_of


def _listener(rule_id: str, judge: Callable[..., Verdict], heard: dict[str, list[Verdict]]) -> Any:
    def listener(episode: object) -> Verdict:
        verdict = judge(episode)
        heard.setdefault(rule_id, []).append(verdict)
        return verdict

    return listener
