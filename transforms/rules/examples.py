"""One finding of each rule with its proof, as the page shows it (examples.yaml, made by `make docs`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from transforms import yaml_text


@dataclass(frozen=True, slots=True)
class Example:
    """A finding of one rule.

    says: the finding's sentence. shown: the log lines that prove it, or the history of a test.
    recording: which of tests/recordings shows it; None where none does, and a test had to be made up.
    test: file, function and name of that test.
    """

    says: str
    shown: tuple[str, ...]
    recording: str | None = None
    test: str | None = None


@cache
def examples() -> dict[str, Example]:
    """Rule id -> its example."""
    entries = yaml_text.of_package("transforms.rules", "examples.yaml") or {}
    return {str(rule_id): _example(entry) for rule_id, entry in entries.items()}


def _example(entry: Mapping[str, Any]) -> Example:
    shown = tuple(str(line) for line in entry["shown"])
    return Example(str(entry["says"]), shown, recording=entry.get("recording"), test=entry.get("test"))
