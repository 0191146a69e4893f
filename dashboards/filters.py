"""What a table page is narrowed to: from the address, to the reader's conditions, and to a SELECT that gives the same rows.

Pure. One definition of a filter serves the grid, the exports and the SQL that is copied.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlglot import exp

from dashboards.instants import instant_of, misread, stamp
from transforms.diagnose.report import iso
from transforms.rules.registry import RULES

# (column, operator, value) as dashboards.queries takes them.
Where = tuple[str, str, Any]
Order = tuple[str, str]


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
    """An order of rows. ranks: a column whose values come in the order given, before all else."""

    name: str
    words: str
    by: tuple[Order, ...]
    ranks: tuple[str, tuple[str, ...]] | None = None


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


def conditions(narrowed: Filter, table: str) -> list[Where]:
    """The conditions on a table of findings or of what is unjudged, all but those of its process (BY_PROCESS)."""
    made: list[Where] = []
    if narrowed.kip is not None and table == "gold.violations":
        made.append(("kip", "=", narrowed.kip))
    elif narrowed.kip is not None:
        rules = sorted(rule_id for rule_id, rule in RULES.items() if rule.kip == narrowed.kip)
        made.append(("rule_id", "in", rules or [narrowed.kip]))
    if narrowed.rule is not None:
        made.append(("rule_id", "=", narrowed.rule))
    if narrowed.category is not None and table == "gold.violations":
        made.append(("category", "=", narrowed.category))
    if narrowed.service is not None:
        made.append(("service", "=", narrowed.service))
    if narrowed.client is not None:
        made.append(("client_id", "contains", narrowed.client))
    if narrowed.since is not None:
        made.append(("last_at", ">=", narrowed.since))
    if narrowed.until is not None:
        made.append(("first_at", "<=", narrowed.until))
    return made


def select(table: str, columns: Sequence[str], narrowed: Filter, sorting: Sorting) -> str:
    """The SELECT that gives the rows of this filter in this order, for `kipwatch query`."""
    where = [_condition(*one) for one in conditions(narrowed, table)]
    for name, (says, column) in BY_PROCESS.items():
        if (value := getattr(narrowed, name)) is None:
            continue
        units = exp.select("unit_id").from_(says).where(_equals(column, value))
        where.append(exp.column("unit_id").isin(query=units))
    statement = exp.select(*columns).from_(table)
    if where:
        statement = statement.where(exp.and_(*where))
    return statement.order_by(*_order(sorting)).sql(dialect="postgres", pretty=True)


def _order(sorting: Sorting) -> list[exp.Expression]:
    made: list[exp.Expression] = []
    if sorting.ranks is not None:
        column, values = sorting.ranks
        ranked = exp.Case(this=exp.column(column))
        for rank, value in enumerate(values):
            ranked = ranked.when(exp.Literal.string(value), exp.Literal.number(rank))
        made.append(exp.Ordered(this=ranked, desc=False, nulls_first=False))
    for column, direction in sorting.by:
        is_descending = direction == "descending"
        made.append(exp.Ordered(this=exp.column(column), desc=is_descending, nulls_first=False))
    return made


def _condition(column: str, operator: str, value: Any) -> exp.Expression:
    if operator == "in":
        return exp.column(column).isin(*(exp.Literal.string(one) for one in value))
    if operator == "contains":
        place = exp.func("STRPOS", exp.func("LOWER", exp.column(column)), exp.Literal.string(value.lower()))
        return exp.GT(this=place, expression=exp.Literal.number(0))
    if isinstance(value, int):
        instant = exp.cast(exp.Literal.string(iso(value)), exp.DataType.Type.TIMESTAMP)
        made = exp.GTE if operator == ">=" else exp.LTE
        return made(this=exp.column(column), expression=instant)
    return _equals(column, value)


def _equals(column: str, value: str) -> exp.Expression:
    return exp.EQ(this=exp.column(column), expression=exp.Literal.string(value))
