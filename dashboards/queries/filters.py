"""What a table page is narrowed to: from the address, to the reader's conditions, and to a SELECT that gives the same rows.

Pure. One definition of a filter serves the grid, the exports and the SQL that is copied.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import pyarrow as pa
from sqlglot import exp

from dashboards.instants import instant_of, misread, stamp
from dashboards.queries import sql
from dashboards.queries.dialects import listed, parsed
from dashboards.queries.sql import Order, Value, Where
from expectations import TABLES
from transforms.diagnose.reports.report import iso
from transforms.rules.registry import RULES


@dataclass(frozen=True, slots=True)
class Filter:
    """None: not narrowed by it. client: a part of client.id, in any case. since, until: ms.

    What lasts from first_at to last_at is kept where it reaches into the time from since to until.
    """

    kip: str | None = None
    rule: str | None = None
    category: str | None = None
    service: str | None = None
    client: str | None = None
    version: str | None = None
    library: str | None = None
    since: int | None = None
    until: int | None = None

    @property
    def is_any(self) -> bool:
        """Whether it narrows anything."""
        return any(getattr(self, one.name) is not None for one in fields(self))


# Their names in the address, where they are others.
IN_ADDRESS = {"since": "from", "until": "to"}
# What says of a process which versions of which libraries it runs: field of the filter -> table and column.
BY_PROCESS = {
    "version": ("gold.client_health", "client_version"),
    "library": ("silver.client_events", "client_library"),
}


@dataclass(frozen=True, slots=True)
class Sorting:
    """An order of rows, as dashboards.queries take it."""

    name: str
    words: str
    by: Order


def filter_of(query: Mapping[str, str]) -> tuple[Filter, str | None]:
    """The filter of an address, and what in it could not be read, in a sentence; that is then left out."""
    values: dict[str, Any] = {}
    for one in fields(Filter):
        given = query.get(IN_ADDRESS.get(one.name, one.name)) or None
        values[one.name] = instant_of(given) if one.name in IN_ADDRESS else given
    return Filter(**values), misread(query)


def in_address(narrowed: Filter) -> dict[str, str]:
    """The filter as names and values of a query string."""
    made = {}
    for one in fields(narrowed):
        value = getattr(narrowed, one.name)
        if value is not None:
            name = IN_ADDRESS.get(one.name, one.name)
            made[name] = (stamp(value) or "") if one.name in IN_ADDRESS else value
    return made


# Of a filter's fields the column that each is about, and how; all but those of its process (BY_PROCESS).
ABOUT = {
    "kip": ("kip", "="),
    "rule": ("rule_id", "="),
    "category": ("category", "="),
    "service": ("service", "="),
    "client": ("client_id", "contains"),
    "since": ("last_at", ">="),
    "until": ("first_at", "<="),
}


def conditions(narrowed: Filter, table: str) -> list[Where]:
    """The conditions on a table of findings or of what is unjudged, all but those of its process (BY_PROCESS)."""
    made: list[Where] = []
    for name, (column, operator) in ABOUT.items():
        value = getattr(narrowed, name)
        if value is None:
            continue
        if column in TABLES[table].column_names:
            made.append((column, operator, value))
        elif name == "kip":  # told by its rules, where no column does
            rules = sorted(rule_id for rule_id, rule in RULES.items() if rule.kip == value)
            made.append(("rule_id", "in", rules or [value]))
    return made


def select(table: str, columns: Sequence[str], narrowed: Filter, sorting: Sorting) -> str:
    """The SELECT that gives the rows of this filter in this order, for `kipwatch query`."""
    asked = sql.select(table, columns, conditions(narrowed, table), sorting.by)
    statement = parsed(asked, exp.to_table(table), _put_literals)
    for name, (says, column) in BY_PROCESS.items():
        if (value := getattr(narrowed, name)) is not None:
            is_so = exp.EQ(this=exp.column(column), expression=exp.Literal.string(value))
            units = exp.select("unit_id").from_(says).where(is_so)
            statement = statement.where(exp.column("unit_id").isin(query=units), copy=False)
    for identifier in statement.find_all(exp.Identifier):
        identifier.set("quoted", False)
    return statement.sql(dialect="postgres", pretty=True)


def _put_literals(placeholder: exp.Placeholder, value: Value) -> None:
    if isinstance(value.given, tuple):
        listed(placeholder).set("expressions", [exp.Literal.string(one) for one in value.given])
    elif pa.types.is_timestamp(value.kind):
        instant = exp.Literal.string(iso(value.given))
        placeholder.replace(exp.cast(instant, exp.DataType.Type.TIMESTAMP))
    else:
        placeholder.replace(exp.convert(value.given))
