"""A table that another version of kipwatch made, in a sentence: for who writes it, and for who reads it."""

from collections.abc import Collection, Sequence

from expectations.contract import TABLES

# What stands in such a lake was judged by other code, and rows of another shape can't stand beside it.
TODO = "read the same logs again into a new lake: kipwatch run --logs PATH --lake NEW_DIR"


def lacking(table: str, there: Collection[str]) -> list[str]:
    """The contract's columns that a table of these columns has not and that no run adds to it, in order."""
    contract = TABLES[table]
    return [name for name in contract.column_names if name not in there and name not in contract.added]


def fact(table: str, missing: Sequence[str]) -> str:
    """That the table lacks these columns, at least one."""
    return f"{table} has no {'columns' if len(missing) > 1 else 'column'} {_listed(missing)}"


def told(*facts: str) -> str:
    """What is lacking, at least one fact, and why."""
    return f"{_listed(facts)}: another version of kipwatch made {'them' if len(facts) > 1 else 'it'}"


def _listed(some: Sequence[str]) -> str:
    *others, last = some
    return f"{', '.join(others)} and {last}" if others else last
