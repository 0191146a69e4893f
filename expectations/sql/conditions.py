"""Conditions of SQL on tables, as DataFusion takes them."""

from collections.abc import Iterable


def one_of(name: str, values: Iterable[str]) -> str:
    """A condition of SQL: the column has one of these texts."""
    return f"{name} IN ({', '.join(map(quoted, values))})"


def any_of(conditions: Iterable[str]) -> str:
    """A condition of SQL: one of these holds; empty where there are none.

    In pairs of pairs: a chain of thousands is as deep as it is long, and the engine that goes down it overflows its stack,
    which ends the process without a word.
    """
    some = [f"({one})" for one in conditions]
    while len(some) > 1:
        some = [f"({' OR '.join(some[at : at + 2])})" for at in range(0, len(some), 2)]
    return some[0] if some else ""


def quoted(text: str) -> str:
    """A text as a literal of SQL (DataFusion's: a backslash is a character like any other)."""
    return "'" + text.replace("'", "''") + "'"
