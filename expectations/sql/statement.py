"""One SELECT over contract tables: read, looked at, and written anew as what runs.

DataFusion (deltalake's QueryBuilder) accepts COPY and CREATE EXTERNAL TABLE and knows no `schema.table`: so the text is
parsed first, everything but reading contract tables is refused, and what runs is written from what was checked.
"""

import logging
from difflib import get_close_matches

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from expectations import TABLES
from expectations.sql.dialect import DataFusion, differing
from transforms.diagnose.wording.render import shown
from transforms.errors import BadInput, first_line

logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it warns of statements that are refused here anyway

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


def checked(sql: str) -> str:
    """The statement as it may run, tables renamed.

    Raises: BadInput for all that is not one SELECT over contract tables.
    """
    statement = parsed(sql)
    contract_tables(statement)
    return rewritten(statement)


def parsed(sql: str) -> exp.Expr:
    """The statement, which only reads.

    Raises: BadInput for all else.
    """
    if len(sql) > LONGEST:  # what reads it takes its time, and no bound of the engine is over it
        raise BadInput(
            f"the statement has {len(sql)} characters, more than {LONGEST}", where=WHERE, todo=ONLY_READS
        )
    try:
        statement = _read(sql)
        rewritten(statement)  # which goes deeper than to read it
    except SqlglotError as failure:
        raise BadInput(f"this is no SQL: {first_line_of(failure)}", where=WHERE, todo=ONLY_READS) from failure
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


def contract_tables(statement: exp.Expr) -> set[str]:
    """The contract tables it reads. Names of its own WITH parts are no tables. Raises: BadInput for any other."""
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


def rewritten(statement: exp.Expr) -> str:
    """What runs: contract tables under their inner names, known by their own last name; no comments."""
    copy = statement.copy()
    for table in list(copy.find_all(exp.Table)):
        name = _name(table)
        if name in TABLES:
            alias = table.alias or name.split(".")[1]
            columns = table.args.get("alias")
            table.set("db", None)
            table.set("this", exp.to_identifier(inner(name), quoted=True))
            if columns is None:
                table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    for column in copy.find_all(exp.Column):
        if f"{column.db}.{column.table}".lower() in TABLES:
            column.set("db", None)
    return copy.sql(dialect=DataFusion, comments=False)


def _name(table: exp.Table) -> str:
    return ".".join(part.name if part.args.get("quoted") else part.name.lower() for part in table.parts)


def inner(name: str) -> str:
    """What a contract table is called where the statement runs."""
    return name.replace(".", "__")


def _kind(node: exp.Expr) -> str:
    return (node.name or "this command").upper() if isinstance(node, exp.Command) else node.key.upper()


def _nearest(name: str) -> str:
    near = get_close_matches(name.split(".")[-1], [known.split(".")[1] for known in TABLES], n=1)
    hint = [known for known in TABLES if near and known.endswith(f".{near[0]}")]
    return f"did you mean {hint[0]}?" if hint else f"the tables are {', '.join(sorted(TABLES))}"


def first_line_of(failure: Exception) -> str:
    """What sqlglot or the engine says, in a line that may be shown."""
    said = str(failure).replace("\x1b[4m", "").replace("\x1b[0m", "")
    return shown(first_line(said, type(failure).__name__))[:300]
