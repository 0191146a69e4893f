"""`kipwatch query`: one SELECT over contract tables, on Delta tables, without Spark."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from deltalake import DeltaTable
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text
from sqlglot import exp

from conf.settings import QueryConf, load_conf
from expectations import inside, versions
from expectations.place import LakePlace, options_of
from expectations.sql.statement import (
    ONLY_READS,
    WHERE,
    contract_tables,
    first_line_of,
    inner,
    parsed,
    rewritten,
)
from jobs.console import console_for
from jobs.sql.bounded import BoundedQuery, Bounds
from jobs.storage.trouble import told
from transforms.diagnose.wording.render import shown
from transforms.errors import BadInput
from transforms.explain.query_rows import as_csv, as_json, as_json_lines, as_table
from transforms.explain.values import cell

FORMATS = {"table": as_table, "csv": as_csv, "json": as_json, "jsonl": as_json_lines}


def run_query(
    lake: LakePlace,
    sql: str,
    fmt: str = "table",
    out: TextIO | None = None,
    conf_file: Path | None = None,
) -> None:
    """Print the rows of one checked SELECT as a table, CSV or JSON, within the bounds of conf.

    Raises: BadInput where the statement is refused or fails, or a table is not in the lake yet.
    """
    if fmt not in FORMATS:
        raise BadInput(f"format {fmt!r} is unknown", where=WHERE, todo=f"use one of {', '.join(FORMATS)}")
    names, rows = query_rows(lake, sql, load_conf(conf_file, checks=conf_file is not None).query)
    stream = out or sys.stdout
    if fmt == "table" and console_for(stream).is_terminal:
        _print_table(names, list(rows), stream)
        return
    for piece in FORMATS[fmt](names, rows):
        stream.write(piece)


def query_rows(
    lake: LakePlace, sql: str, bounds: QueryConf | None = None
) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """Column names, and the rows as they come; the statement is checked first. bounds: conf's own by default.

    Raises: as run_query.
    """
    statement = parsed(sql)
    folders, columns = {}, {}
    for name in sorted(contract_tables(statement)):
        with told(lake):
            table = _table(lake, name)
        columns[name] = [field.name for field in table.schema().fields]
        folders[inner(name)] = table.table_uri
    conf = bounds or load_conf(checks=False).query
    held_to = Bounds(conf.seconds, conf.memory_bytes, conf.most_rows)
    try:
        with _refusing(columns):
            query = BoundedQuery(folders, rewritten(statement), held_to)
    except BadInput as failure:
        raise _of_other_version(lake, statement, columns) or failure from failure.__cause__
    return list(query.schema.names), _rows(query, columns)


def _table(lake: LakePlace, name: str) -> DeltaTable:
    path = lake.joinpath(*name.split("."))
    if not DeltaTable.is_deltatable(str(path), options_of(str(path))):
        raise BadInput(
            f"table {name} is not there",
            where=str(lake),
            todo="fill the lake first: kipwatch run --logs PATH --lake DIR",
        )
    table = DeltaTable(str(path), storage_options=options_of(str(path)))
    foreign = inside.outside(table.get_add_actions(flatten=True).column("path").to_pylist())
    if foreign is not None:
        raise BadInput(inside.told(shown(foreign)), where=str(path), todo=inside.TODO)
    return table


def _of_other_version(
    lake: LakePlace, statement: exp.Expr, columns: Mapping[str, Sequence[str]]
) -> BadInput | None:
    """Where the statement names a column that a table should have, and one of another version has not."""
    wanted = {column.name for column in statement.find_all(exp.Column)}
    for name, there in columns.items():
        missing = versions.lacking(name, there)
        if wanted.intersection(missing):
            return BadInput(versions.told(versions.fact(name, missing)), where=str(lake), todo=versions.TODO)
    return None


@contextmanager
def _refusing(columns: Mapping[str, Sequence[str]]) -> Iterator[None]:
    """A query that fails, at once or at a later row, is bad input with one sentence."""
    try:
        yield
    except (BadInput, GeneratorExit):
        raise
    except Exception as failure:  # deltalake raises its own, DataFusion's and pyarrow's kinds alike
        raise BadInput(
            f"the query failed: {first_line_of(failure)}", where=WHERE, todo=_help(columns)
        ) from failure


def _rows(query: BoundedQuery, columns: Mapping[str, Sequence[str]]) -> Iterator[dict[str, Any]]:
    with _refusing(columns):
        for batch in query.batches():
            yield from batch.to_pylist()


def _print_table(names: Sequence[str], rows: Sequence[Mapping[str, Any]], stream: TextIO) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in names:
        is_number = any(isinstance(row[name], int | float) for row in rows)
        table.add_column(Text(shown(name)), justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell(row[name])) for name in names))
    console = console_for(stream)
    console.print(table)
    console.print(Text(f"{len(rows)} row{'' if len(rows) == 1 else 's'}", style="dim"))


def _help(columns: Mapping[str, Sequence[str]]) -> str:
    known = "; ".join(f"{name} has {', '.join(there)}" for name, there in columns.items())
    return known or ONLY_READS
