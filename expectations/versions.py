"""A table that another version of kipwatch made, in a sentence: for who writes it, and for who reads it."""

from collections.abc import Collection

from expectations.contract import TABLES

# What stands in such a lake was judged by other code, and rows of another shape can't stand beside it.
TODO = "read the same logs again into a new lake: kipwatch run --logs PATH --lake NEW_DIR"


def lacking(table: str, there: Collection[str]) -> list[str]:
    """The contract's columns that a table of these columns has not, in order."""
    return [name for name in TABLES[table].column_names if name not in there]


def told(table: str, missing: Collection[str]) -> str:
    """That the table lacks these columns, at least one, and why."""
    *others, last = missing
    names = f"columns {', '.join(others)} and {last}" if others else f"column {last}"
    return f"{table} has no {names}: another version of kipwatch made it"
