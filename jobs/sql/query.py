"""`kipwatch query`: one SELECT over contract tables, on Delta tables, without Spark.

DataFusion (deltalake's QueryBuilder) accepts COPY and CREATE EXTERNAL TABLE and knows no `schema.table`: so
the text is parsed first, everything but reading contract tables is refused, and what runs is written from
what was checked.
"""

import csv
import json
import logging
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TextIO

import sqlglot
from deltalake import DeltaTable
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text
from sqlglot import exp
from sqlglot.errors import SqlglotError

from conf.settings import QueryConf, load_conf
from expectations import TABLES, inside, versions
from expectations.place import LakePlace, options_of
from jobs.console import console_for
from jobs.sql.bounded import BoundedQuery, Bounds
from jobs.sql.dialect import DataFusion, differing
from jobs.storage.trouble import told
from transforms.diagnose.render import csv_cell, shown
from transforms.errors import BadInput, first_line

FORMATS = ("table", "csv", "json", "jsonl")
WRITES = (
    exp.DDL,
    exp.DML,
    exp.Command,
    exp.Into,
    exp.Lock,
    exp.Set,
    exp.Copy,
    exp.Drop,
    exp.Describe,
    exp.Pragma,
)
READS = (exp.Select, exp.SetOperation)
WHERE = "query"
LONGEST = 20_000  # characters of a statement
ONLY_READS = "give one SELECT (or WITH ... SELECT) over tables such as gold.violations"


logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it warns of statements that are refused here anyway


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
    if fmt == "csv":
        _write_csv(names, rows, stream)
    elif fmt == "jsonl":
        for row in rows:
            stream.write(json.dumps(plain(row)) + "\n")
    elif fmt == "json":
        _write_json(rows, stream)
    else:
        _write_table(names, list(rows), stream)


def query_rows(
    lake: LakePlace, sql: str, bounds: QueryConf | None = None
) -> tuple[list[str], Iterator[dict[str, Any]]]:
    """Column names, and the rows as they come; the statement is checked first. bounds: conf's own by default."""
    statement = _parsed(sql)
    folders, columns = {}, {}
    for name in sorted(_contract_tables(statement)):
        with told(lake):
            table = _table(lake, name)
        columns[name] = [field.name for field in table.schema().fields]
        folders[_inner(name)] = table.table_uri
    conf = bounds or load_conf(checks=False).query
    held_to = Bounds(conf.seconds, conf.memory_bytes, conf.most_rows)
    try:
        with _refusing(columns):
            query = BoundedQuery(folders, _rewritten(statement), held_to)
    except BadInput as failure:
        raise _of_other_version(lake, statement, columns) or failure from failure.__cause__
    return list(query.schema.names), _rows(query, columns)


def checked(sql: str) -> str:
    """The statement as it may run, tables renamed.

    Raises: BadInput for all that is not one SELECT over contract tables.
    """
    statement = _parsed(sql)
    _contract_tables(statement)
    return _rewritten(statement)


def _parsed(sql: str) -> exp.Expr:
    if len(sql) > LONGEST:  # what reads it takes its time, and no bound of the engine is over it
        raise BadInput(
            f"the statement has {len(sql)} characters, more than {LONGEST}", where=WHERE, todo=ONLY_READS
        )
    try:
        statement = _read(sql)
        _rewritten(statement)  # which goes deeper than to read it
    except SqlglotError as failure:
        raise BadInput(f"this is no SQL: {_first_line(failure)}", where=WHERE, todo=ONLY_READS) from failure
    except RecursionError as failure:
        raise BadInput("the statement is nested too deeply", where=WHERE, todo=ONLY_READS) from failure
    return statement


def _read(sql: str) -> exp.Expr:
    statements = [statement for statement in sqlglot.parse(sql, dialect=DataFusion) if statement is not None]
    if len(statements) != 1:
        raise BadInput(f"{len(statements)} statements were given", where=WHERE, todo=ONLY_READS)
    statement = statements[0]
    if not isinstance(statement.unnest(), READS):
        raise BadInput(f"{_kind(statement)} is not allowed", where=WHERE, todo=ONLY_READS)
    for node in statement.walk():
        if isinstance(node, exp.Select) and not node.expressions:
            raise BadInput("a SELECT names no column", where=WHERE, todo=ONLY_READS)
        if isinstance(node, WRITES):
            raise BadInput(f"{_kind(node)} is not allowed in a query", where=WHERE, todo=ONLY_READS)
    if changed := differing(sql, statement.sql(dialect=DataFusion, comments=False)):
        raise BadInput(f"{shown(changed)[:100]} is not understood", where=WHERE, todo="say it in another way")
    return statement


def _contract_tables(statement: exp.Expr) -> set[str]:
    """The contract tables it reads. Names of its own WITH parts are no tables."""
    parts = {part.alias_or_name for part in statement.find_all(exp.CTE)}
    found: set[str] = set()
    for table in statement.find_all(exp.Table):
        if not isinstance(table.this, exp.Identifier):
            raise BadInput(
                f"table function {shown(table.sql(DataFusion))} is not allowed", where=WHERE, todo=ONLY_READS
            )
        name = _name(table)
        if name in TABLES:
            found.add(name)
        elif table.db or table.catalog or table.name not in parts:
            raise BadInput(f"table {shown(name)!r} is unknown", where=WHERE, todo=_nearest(name))
    return found


def _rewritten(statement: exp.Expr) -> str:
    """What runs: contract tables under their inner names, known by their own last name; no comments."""
    copy = statement.copy()
    for table in list(copy.find_all(exp.Table)):
        name = _name(table)
        if name in TABLES:
            alias = table.alias or name.split(".")[1]
            columns = table.args.get("alias")
            table.set("db", None)
            table.set("this", exp.to_identifier(_inner(name), quoted=True))
            if columns is None:
                table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    for column in copy.find_all(exp.Column):
        if f"{column.db}.{column.table}".lower() in TABLES:
            column.set("db", None)
    return copy.sql(dialect=DataFusion, comments=False)


def _name(table: exp.Table) -> str:
    return ".".join(part.name if part.args.get("quoted") else part.name.lower() for part in table.parts)


def _inner(name: str) -> str:
    return name.replace(".", "__")


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
            f"the query failed: {_first_line(failure)}", where=WHERE, todo=_help(columns)
        ) from failure


def _rows(query: BoundedQuery, columns: Mapping[str, Sequence[str]]) -> Iterator[dict[str, Any]]:
    with _refusing(columns):
        for batch in query.batches():
            yield from batch.to_pylist()


def _write_csv(names: Sequence[str], rows: Iterable[Mapping[str, Any]], stream: TextIO) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([csv_cell(name) for name in names])
    for row in rows:
        writer.writerow([_csv_value(row[name]) for name in names])


def _write_json(rows: Iterable[Mapping[str, Any]], stream: TextIO) -> None:
    separator = "[\n"
    for row in rows:
        stream.write(separator + json.dumps(plain(row)))
        separator = ",\n"
    stream.write("[]\n" if separator == "[\n" else "\n]\n")


def _write_table(names: Sequence[str], rows: Sequence[Mapping[str, Any]], stream: TextIO) -> None:
    cells = [[_cell(row[name]) for name in names] for row in rows]
    console = console_for(stream)
    if not console.is_terminal:
        _write_plain([shown(name) for name in names], cells, stream)
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in names:
        is_number = any(isinstance(row[name], int | float) for row in rows)
        table.add_column(Text(shown(name)), justify="right" if is_number else "left", overflow="fold")
    for row_cells in cells:
        table.add_row(*(Text(cell) for cell in row_cells))
    console.print(table)
    console.print(Text(f"{len(rows)} row{'' if len(rows) == 1 else 's'}", style="dim"))


def _write_plain(names: Sequence[str], cells: Sequence[Sequence[str]], stream: TextIO) -> None:
    lines = [list(names), *map(list, cells)]
    widths = [max(cell_len(line[column]) for line in lines) for column in range(len(names))]
    for line in lines:
        padded = (cell + " " * (width - cell_len(cell)) for cell, width in zip(line, widths, strict=True))
        stream.write("  ".join(padded).rstrip() + "\n")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, datetime | date | timedelta):
        return str(plain(value))
    if isinstance(value, list | dict | tuple):
        return shown(json.dumps(plain(value), ensure_ascii=False))
    return shown(str(value))


def _csv_value(value: Any) -> str:
    return csv_cell(value) if isinstance(value, str) else _cell(value)


def plain(value: Any) -> Any:
    """The value as JSON knows it: an instant as ISO 8601 in UTC with its Z, a duration in ms."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, timedelta):
        return round(value / timedelta(milliseconds=1))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        if value and all(isinstance(item, tuple) and len(item) == 2 for item in value):
            return {str(key): plain(item) for key, item in value}  # how Arrow gives a map
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _kind(node: exp.Expr) -> str:
    return (node.name or "this command").upper() if isinstance(node, exp.Command) else node.key.upper()


def _nearest(name: str) -> str:
    near = get_close_matches(name.split(".")[-1], [known.split(".")[1] for known in TABLES], n=1)
    hint = [known for known in TABLES if near and known.endswith(f".{near[0]}")]
    return f"did you mean {hint[0]}?" if hint else f"the tables are {', '.join(sorted(TABLES))}"


def _help(columns: Mapping[str, Sequence[str]]) -> str:
    known = "; ".join(f"{name} has {', '.join(there)}" for name, there in columns.items())
    return known or ONLY_READS


def _first_line(failure: Exception) -> str:
    said = str(failure).replace("\x1b[4m", "").replace("\x1b[0m", "")
    return shown(first_line(said, type(failure).__name__))[:300]
