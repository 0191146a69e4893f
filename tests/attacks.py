"""The figures of docs/security.md, counted from the tests that try them: `python -m tests.attacks` writes them there.

A test that fails would be an attack that did not hold: what is tried is what is held wherever the tests pass.
"""

import importlib
import re
from collections.abc import Callable, Iterable
from math import prod
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "security.md"
SECRETS = "tests.transforms.parse.secrets.test_secret_shapes"


def cases(module: str, names: str = "test_") -> int:
    """How many cases the tests of a module have whose names match."""
    tests = vars(importlib.import_module(module)).items()
    return sum(_of(test) for name, test in tests if callable(test) and re.match(names, name))


def _of(test: Callable[..., object]) -> int:
    marks = (mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize")
    return prod(len(list(mark.args[1])) for mark in marks)


def pairs() -> int:
    """Names with values, in every notation."""
    shapes = importlib.import_module(SECRETS)
    return sum(len(list(shapes.pairs(*case.values))) for case in shapes.CASES)


def rows() -> Iterable[tuple[str, int]]:
    """What stands on the page, and how many there are."""
    shapes = importlib.import_module(SECRETS)
    yield "secrets: names by values in 63 notations", pairs()
    yield "secrets: places and shapes without a name, bare and in a line", 2 * len(shapes.SHAPES["goes"])
    yield "the same as the message of a line of JSON", len(shapes.IN_JSON)
    yield "no secrets: must stay as they are, bare and in a line", 2 * len(shapes.SHAPES["stays"])
    yield "texts that would cost the square of their size", cases(SECRETS, "test_time_is")
    yield (
        "long lines of the same few characters or words, explained",
        cases("tests.jobs.explain.test_hostile_text"),
    )
    states = cases("tests.transforms.timers.test_state_bytes", "test_(nothing|damage|what_an|a_few)")
    lakes = cases("tests.jobs.folds.test_hostile_states")
    yield "states that others wrote: foreign, damaged, well formed and wrong", states + lakes
    changing = cases("tests.jobs.test_changing_files", "test_(a_file|a_disk|a_full)")
    yield "files that go, shrink, fail or are replaced while they are read, and a full disk", changing
    bounds = "tests.jobs.sql.test_query_bounds"
    yield (
        "statements that run as they are written, or not at all",
        cases(bounds, "test_what_(runs_gives|would_be)"),
    )
    yield "statements made to take long to be read", cases(bounds, "test_(what_is_made|a_regular)")
    hostile = importlib.import_module("tests.jobs.test_hostile_folder")
    named = (
        "hostile files and names in one folder: encodings, archives, damage, bombs, nesting, numbers, years"
    )
    yield named, len(hostile.FILES) + len(hostile.NAMES)
    yield "the same, each explained by itself", len(hostile.FILES) - 1
    damaged = importlib.import_module("tests.jobs.storage.test_damaged_lake")
    yield "a lake that is damaged: each by five commands", len(damaged.DAMAGE) * len(damaged.COMMANDS)
    odd = cases("tests.jobs.test_changing_files", "test_(a_bomb|a_hostile)")
    yield "lines nested 100,000 deep, of impossible years, a bomb of zeros, as logs and as metrics", odd


def written(text: str) -> str:
    """The page with the figures as they are."""
    for what, count in rows():
        text, found = re.subn(
            rf"(?m)^\| {re.escape(what)} \| [\d,]+ \| [\d,]+ \|", f"| {what} | {count:,} | {count:,} |", text
        )
        assert found == 1, what
    return text


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
