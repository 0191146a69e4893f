"""A question's text put into another dialect, by sqlglot."""

from collections.abc import Callable

from sqlglot import exp, parse_one

from dashboards.queries import sql
from dashboards.queries.sql import Question, Value


def parsed(question: Question, table: exp.Table, put: Callable[[exp.Placeholder, Value], None]) -> exp.Select:
    """The question of a table of another name. put: replaces a parameter by its value."""
    # DataFusion names and sorts as PostgreSQL.
    tree = parse_one(question.text, read="postgres", into=exp.Select)
    for named in list(tree.find_all(exp.Table)):
        if named.name == sql.inner(question.table):
            named.replace(table.copy())
    for placeholder in list(tree.find_all(exp.Placeholder)):
        put(placeholder, question.values[int(placeholder.name.removeprefix("p"))])
    return tree


def listed(placeholder: exp.Placeholder) -> exp.In:
    """The IN whose list a parameter of many values stands for."""
    member = placeholder.find_ancestor(exp.In)
    if member is None:
        raise ValueError("many values stand in no list")
    return member
