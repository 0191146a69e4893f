"""The lake as tables of a catalog, asked through a Databricks SQL warehouse. Values travel as parameters, never in the text.

Every question is DataFusion's text put into Databricks' dialect by sqlglot, so that both readers are asked the same.
"""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from threading import Lock
from typing import Any, Protocol

import pyarrow as pa
from sqlglot import exp, parse_one

from dashboards.queries import sql
from dashboards.queries.dialects import listed, parsed
from dashboards.queries.reader import UnreadableError
from dashboards.queries.sql import Question, Value

RUNS = "gold.runs"  # every run ends with a row of it
LOOK_S = 15.0  # for so long a table is taken to be as it was: each look is a query of the warehouse
PAUSE_S = 10.0  # after the warehouse could not be reached, before it is tried again
# A query takes 255 parameters at most, and has four lists of values at most: longer ones are one parameter, as JSON.
MOST_EACH = 50
# How the engine says that there is no such table; each has an error class of its own for it.
MISSING = re.compile(
    r"TABLE_OR_VIEW_NOT_FOUND|SCHEMA_NOT_FOUND|DELTA_TABLE_NOT_FOUND|DELTA_MISSING_DELTA_TABLE|PATH_NOT_FOUND"
)


class Cursor(Protocol):
    """What is used of a DB-API cursor that gives Arrow."""

    def execute(self, operation: str, parameters: Mapping[str, Any] | None = None) -> object:
        """Run a statement with named parameters."""

    def fetchall_arrow(self) -> pa.Table:
        """All its rows."""

    def close(self) -> None:
        """Let go of the rows."""


class Connection(Protocol):
    """What is used of a DB-API connection. One thread at a time has it."""

    def cursor(self) -> Cursor:
        """A new cursor."""

    def close(self) -> None:
        """End the session."""


@dataclass(frozen=True, slots=True)
class Names:
    """Where the tables are: `gold.violations` is catalog.<schema_prefix>gold.violations."""

    catalog: str
    schema_prefix: str = ""

    def of(self, table: str) -> exp.Table:
        """The whole name, quoted."""
        schema, name = table.split(".")
        return exp.table_(name, db=f"{self.schema_prefix}{schema}", catalog=self.catalog, quoted=True)


class Warehouse:
    """Tables by SQL. connect: a new connection, or UnreadableError; clock: seconds that only grow."""

    reads_files = False

    def __init__(
        self, names: Names, connect: Callable[[], Connection], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._names, self._connect, self._clock = names, connect, clock
        self._lock = Lock()
        self._idle: list[Connection] = []
        self._versions: dict[str, tuple[float, str]] = {}
        self._failed: tuple[float, UnreadableError] | None = None

    def absent(self) -> None:
        """A catalog that is not there fails as a query does."""

    def version(self, table: str) -> str:
        """The number of the newest commit, looked up now and then."""
        now = self._clock()
        known = self._versions.get(table)
        if known is None or now - known[0] >= LOOK_S:
            known = self._versions[table] = now, self._newest_commit(table)
        return known[1]

    def version_of_all(self) -> str:
        """That of the runs: one query, whatever there are of tables."""
        return self.version(RUNS)

    def run(self, question: Question) -> pa.Table:
        """The rows, by one statement."""
        return self._ask(*statement(question, self._names))

    def columns(self, table: str) -> list[str]:
        """By one statement, which tells of partitions and more behind them."""
        name = self._names.of(table).sql(dialect="databricks", identify=True)
        names = self._ask(f"DESCRIBE TABLE {name}", {})["col_name"].to_pylist()
        return list(takewhile(lambda name: name and not name.startswith("#"), names))

    def newest(self, table: str, column: str) -> object:
        """From the files' statistics where the warehouse has them."""
        return self.run(sql.newest(table, column))["newest"][0].as_py()

    def _newest_commit(self, table: str) -> str:
        name = self._names.of(table).sql(dialect="databricks", identify=True)
        try:
            found = self._ask(f"DESCRIBE HISTORY {name} LIMIT 1", {})
        except UnreadableError:
            raise
        except (
            Exception
        ) as failure:  # the connector's kinds and Spark's differ; the error class in the text does not
            if MISSING.search(str(failure)):
                return ""
            raise
        return str(found["version"][0].as_py()) if found.num_rows else ""

    def _ask(self, text: str, parameters: Mapping[str, Any]) -> pa.Table:
        """On an idle connection, else a new one. A session that the warehouse has ended meanwhile is replaced once."""
        with self._lock:
            idle = self._idle.pop() if self._idle else None
        if idle is not None:
            try:
                return self._asked(idle, text, parameters)
            except Exception:  # the session may have ended; asked anew, a statement that is wrong fails again
                pass
        return self._asked(self._connected(), text, parameters)

    def _asked(self, connection: Connection, text: str, parameters: Mapping[str, Any]) -> pa.Table:
        try:
            cursor = connection.cursor()
            cursor.execute(text, parameters)
            found = cursor.fetchall_arrow()
            cursor.close()
        except BaseException:
            _close(connection)
            raise
        with self._lock:
            self._idle.append(connection)
        return found

    def _connected(self) -> Connection:
        """A new connection. What failed is told again for a while: trying takes seconds, and a page asks many times."""
        failed = self._failed
        if failed is not None and self._clock() - failed[0] < PAUSE_S:
            raise failed[1]
        try:
            connection = self._connect()
        except UnreadableError as failure:
            self._failed = self._clock(), failure
            raise
        self._failed = None
        return connection


def statement(question: Question, names: Names) -> tuple[str, dict[str, Any]]:
    """The question in Databricks' SQL, and its parameters by name."""
    parameters: dict[str, Any] = {}

    def named(given: Any) -> exp.Placeholder:
        name = f"p{len(parameters)}"
        parameters[name] = given
        return exp.Placeholder(this=name)

    def put(placeholder: exp.Placeholder, value: Value) -> None:
        if isinstance(value.given, tuple):
            _spread(placeholder, value, named)
        else:
            placeholder.replace(named(_typed(value.given, value.kind)))

    tree = parsed(question, names.of(question.table), put)
    return tree.sql(dialect="databricks", identify=True), parameters


def _spread(placeholder: exp.Placeholder, value: Value, named: Callable[[Any], exp.Placeholder]) -> None:
    """A list of an IN as a parameter each, which lets files be left out; a long one as one, which lets it be sent."""
    member = listed(placeholder)
    if len(value.given) <= MOST_EACH:
        member.set("expressions", [named(_typed(one, value.kind)) for one in value.given])
        return
    kind = "BIGINT" if pa.types.is_integer(value.kind) else "STRING"
    name = named(json.dumps(value.given)).name
    rows = parse_one(f"SELECT EXPLODE(FROM_JSON(:{name}, 'ARRAY<{kind}>'))", read="databricks")
    member.set("expressions", None)
    member.set("query", exp.Subquery(this=rows))


def _typed(given: Any, kind: pa.DataType) -> Any:
    if pa.types.is_timestamp(kind):
        return datetime.fromtimestamp(int(given) / 1000, UTC)
    if not isinstance(given, str | int | float):
        raise ValueError(f"{given!r} is no value to compare with")
    return given


def _close(connection: Connection) -> None:
    try:
        connection.close()
    except Exception:  # it is broken already
        return
