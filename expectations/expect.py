"""What a contract expects of its rows: Great Expectations' own expectations as plain data.

Where one needs a value that no column holds, it says how it is derived, so that Arrow and Spark derive the
same, and a sample of it does not show the texts it was made from.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Derived:
    """A column made for checking. how: `count` (elements of the lists) or `rest` (first column less others)."""

    name: str
    how: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expectation:
    """type: a Great Expectations type; arguments: its own. about: columns named in the check's title."""

    type: str
    arguments: dict[str, Any]
    about: tuple[str, ...]
    derived: Derived | None = None

    @property
    def title(self) -> str:
        """How gold.table_checks names it."""
        return f"{self.type.removeprefix('expect_')}({', '.join(self.about)})"


def in_set(column: str, values: Sequence[str]) -> Expectation:
    """Only these values, where there is one."""
    arguments = {"column": column, "value_set": list(values)}
    return Expectation("expect_column_values_to_be_in_set", arguments, (column,))


def at_least(column: str, lowest: int) -> Expectation:
    """No smaller number."""
    arguments = {"column": column, "min_value": lowest}
    return Expectation("expect_column_values_to_be_between", arguments, (column,))


def matches(column: str, regex: str) -> Expectation:
    """Every value matches."""
    return Expectation("expect_column_values_to_match_regex", {"column": column, "regex": regex}, (column,))


def never_matches(column: str, regex: str) -> Expectation:
    """No value matches."""
    arguments = {"column": column, "regex": regex}
    return Expectation("expect_column_values_to_not_match_regex", arguments, (column,))


def not_before(later: str, earlier: str) -> Expectation:
    """Of two instants, where both are known, the later one is not before the earlier."""
    arguments = {"column_A": later, "column_B": earlier, "or_equal": True}
    arguments["ignore_row_if"] = "either_value_is_missing"
    return Expectation("expect_column_pair_values_a_to_be_greater_than_b", arguments, (later, earlier))


def not_empty(*columns: str) -> Expectation:
    """One of the lists has an element: a row without its proof is none."""
    derived = Derived(f"{'_or_'.join(columns)}_count", "count", columns)
    arguments = {"column": derived.name, "min_value": 1}
    return Expectation("expect_column_values_to_be_between", arguments, (derived.name,), derived)


def balanced(total: str, *parts: str) -> Expectation:
    """The total is the sum of its parts, to the last one."""
    derived = Derived(f"{total}_unaccounted", "rest", (total, *parts))
    arguments = {"column": derived.name, "value_set": [0]}
    return Expectation("expect_column_values_to_be_in_set", arguments, (derived.name,), derived)


def present(column: str) -> Expectation:
    """Never null."""
    return Expectation("expect_column_values_to_not_be_null", {"column": column}, (column,))


def unique(key: Sequence[str]) -> Expectation:
    """No two rows share the key."""
    if len(key) == 1:
        return Expectation("expect_column_values_to_be_unique", {"column": key[0]}, tuple(key))
    arguments = {"column_list": list(key), "ignore_row_if": "never"}
    return Expectation("expect_compound_columns_to_be_unique", arguments, tuple(key))
