"""Reading a table of the lake, wherever it lies. The other modules here ask through this one.

Every answer says how it came about: an empty table, a missing one and a failed query never look the same.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from dashboards.queries import sql
from dashboards.queries.bounds import Bounds, Clock, TooMuchError
from dashboards.queries.files import Files
from dashboards.queries.kept import Kept
from dashboards.queries.reader import OtherVersionError, Reader, UnreadableError
from dashboards.queries.sql import Order, Question, Where
from expectations import TABLES, versions
from expectations.place import LakePlace

# A row of a table; instants in ms since the epoch, UTC.
Row = Mapping[str, Any]

# No page shows more rows at once; it says how many there are.
MOST_ROWS = 5_000
# Of all answers that are kept, as Arrow holds them; as Python does it is several times that.
MOST_KEPT_BYTES = 16 << 20
NO_MORE = Bounds()
ID = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows, or why there are none. state: `ok`, `no_lake`, `missing` (table not written yet), `other_version` (another
    version of kipwatch made the table, without columns that are asked for), `too_much` (it takes more than it may) or
    `failed`.

    total: rows there are, of which `rows` are some. problem: what failed, in a sentence.
    """

    state: str
    rows: list[Row] = field(default_factory=list)
    total: int = 0
    problem: str | None = None

    @property
    def is_unread(self) -> bool:
        """Whether there is a table, and what it holds is not known."""
        return self.state in ("failed", "other_version", "too_much")


@dataclass(frozen=True, slots=True)
class Worst:
    """The groups by `key` with the most bad rows, then with the most rows. is_bad: as of sql.worst_groups."""

    key: str
    is_bad: tuple[str, str, int]
    most: int


@dataclass(frozen=True, slots=True)
class _Found:
    """Rows as they are kept. size: bytes, as Arrow held them."""

    rows: list[Row]
    total: int
    size: int


_lacking: ContextVar[list[str] | None] = ContextVar("lacking", default=None)


@contextmanager
def noticing() -> Iterator[list[str]]:
    """What a lake of another version lacks of all that is asked within: a fact a table (expectations.versions)."""
    found: list[str] = []
    before = _lacking.set(found)
    try:
        yield found
    finally:
        _lacking.reset(before)


class LakeReader:
    """The tables under one folder, or of another reader, as they are at each question. Shared by threads."""

    def __init__(self, place: LakePlace | Reader, bounds: Bounds = NO_MORE) -> None:
        self._reader: Reader = Files(place, bounds) if isinstance(place, LakePlace) else place
        self._clock = Clock(bounds)
        self._kept: Kept[_Found] = Kept(MOST_KEPT_BYTES)
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}

    @property
    def reads_files(self) -> bool:
        """Whether the logs themselves may be looked at beside the tables."""
        return self._reader.reads_files

    def read(
        self,
        table: str,
        columns: Sequence[str] | None = None,
        where: Sequence[Where] = (),
        order: Order = (),
        limit: int = MOST_ROWS,
        offset: int = 0,
        *,
        is_counted: bool = True,
    ) -> Answer:
        """One page of the rows for which all of `where` holds.

        columns: all of the contract by default. order: (column, `ascending` or `descending`), nulls last. total of the
        answer: all rows that `where` leaves; where it is not counted, those up to the end of the page.
        """

        def made() -> _Found:
            found = self._run(sql.select(table, names, where, order, limit, offset))
            total = offset + found.num_rows
            if is_counted and (found.num_rows >= limit or (offset and not found.num_rows)):
                total = self._run(sql.count(table, where)).column(0)[0].as_py()
            return _Found(_rows(found), total, found.nbytes)

        names = list(columns or TABLES[table].column_names)
        return self._answered(table, ("read", names, where, order, limit, offset, is_counted), made)

    def count_by(self, table: str, columns: Sequence[str], where: Sequence[Where] = ()) -> Answer:
        """How many rows there are of each combination of `columns`: these, and `rows`; the most first."""

        def made() -> _Found:
            found = self._run(sql.grouped(table, columns, where))
            return _Found(_rows(found), found.num_rows, found.nbytes)

        return self._answered(table, ("count_by", columns, where), made)

    def shaped(
        self,
        table: str,
        columns: Sequence[str],
        where: Sequence[Where],
        shape: Callable[[pa.Table], pa.Table],
        worst: Worst | None = None,
    ) -> Answer:
        """What a function of Arrow makes of the rows that `where` leaves: sums, groups, a few of many.

        shape: a function of a module, which nothing but the rows goes into: its name tells its answers apart. worst: only
        rows of these groups, with the number of all groups as `of_all`.
        """

        def made() -> _Found:
            asked = (
                sql.select(table, columns, where)
                if worst is None
                else sql.worst_groups(table, columns, where, worst.key, worst.is_bad, worst.most)
            )
            shaped = shape(self._run(asked))
            return _Found(_rows(shaped), shaped.num_rows, shaped.nbytes)

        return self._answered(
            table, ("shaped", shape.__module__, shape.__qualname__, columns, where, worst), made
        )

    def by_id(self, table: str, column: str, wanted: str) -> Answer:
        """The rows with this id; none where it is no id."""
        return self.read(table, where=[(column, "=", wanted)]) if ID.fullmatch(wanted) else Answer("ok")

    def among(self, table: str, column: str, ids: Iterable[str]) -> list[Row]:
        """The rows with one of these ids."""
        wanted = [one for one in ids if ID.fullmatch(one)]
        return self.read(table, where=[(column, "in", wanted)]).rows if wanted else []

    def largest(self, table: str, column: str) -> int | None:
        """The largest instant of a column. None where nothing says it."""
        try:
            found = self._reader.newest(table, column) if self._reader.version(table) else None
        except Exception:  # the bar that asks says elsewhere that nothing can be read
            return None
        return _ms(found) if isinstance(found, datetime) else None

    def version(self) -> str:
        """Another text whenever the lake has changed; the same while it can't be read."""
        try:
            return self._reader.version_of_all()
        except Exception:  # what is asked next says what is wrong
            return ""

    def _answered(self, table: str, key: object, make: Callable[[], _Found]) -> Answer:
        """key: what tells the question apart from others of the table."""
        if absent := self._reader.absent():
            return Answer("no_lake", problem=absent)
        try:
            version = self._reader.version(table)
            if not version:
                return Answer("missing", problem=f"{table} has not been written yet")
            found = self._kept.get((table, version, repr(key)), make)
        except OtherVersionError as failure:
            noticed = _lacking.get()
            if noticed is not None and str(failure) not in noticed:
                noticed.append(str(failure))
            return Answer("other_version", problem=f"{versions.told(str(failure))}; {versions.TODO}")
        except TooMuchError as failure:
            return Answer("too_much", problem=f"{table}: {failure}")
        except UnreadableError as failure:
            return Answer("failed", problem=str(failure))
        except Exception as failure:  # readers raise their own kinds, DataFusion's and Arrow's alike
            return Answer("failed", problem=f"{table}: {type(failure).__name__}: {failure}")
        return Answer("ok", list(found.rows), found.total)

    def _run(self, question: Question) -> pa.Table:
        """The rows in the contract's types: DataFusion's texts are views, which keep alive all that was read beside them."""
        try:
            whole = sql.with_nulls(question, self._not_added(question.table))
            found = self._clock.run(lambda: self._reader.run(whole))
        except UnreadableError:
            raise
        except Exception as failure:  # readers raise their own kinds
            if fact := self._what_lacks(question):
                raise OtherVersionError(fact) from failure
            raise
        of_contract = TABLES[question.table].arrow_schema()
        types = {name: of_contract.field(name).type for name in of_contract.names}
        plain = [pa.field(field.name, types.get(field.name, field.type)) for field in found.schema]
        return found.cast(pa.schema(plain))

    def _not_added(self, table: str) -> tuple[str, ...]:
        """The columns that a later release added and that no run has added to this table yet: null in all its rows."""
        added = TABLES[table].added
        if not added:
            return ()
        key = table, self._reader.version(table)
        if key not in self._known:
            there = self._reader.columns(table)
            self._known[key] = tuple(sorted(name for name in added if name not in there))
        return self._known[key]

    def _what_lacks(self, question: Question) -> str | None:
        """What the table lacks, where the question names a column that it should have and has not."""
        try:
            missing = versions.lacking(question.table, self._reader.columns(question.table))
        except Exception:  # then that is not why it failed
            return None
        is_why = any(f'"{name}"' in question.text for name in missing)
        return versions.fact(question.table, missing) if is_why else None


def at_once(*asked: Callable[[], Any]) -> list[Any]:
    """What each gives, asked at the same time: for what of a page does not follow from another of its answers."""
    with ThreadPoolExecutor(len(asked)) as pool:  # what is noticed is noticed in whose page it is
        return [one.result() for one in [pool.submit(copy_context().run, one) for one in asked]]


def _rows(found: pa.Table) -> list[Row]:
    """Instants become numbers a column at a time: as Python's they would cost more than reading them."""
    plain = [_in_ms(column) if pa.types.is_timestamp(column.type) else column for column in found.columns]
    rows: list[Row] = pa.table(plain, found.column_names).to_pylist()
    return rows


def _in_ms(at: pa.ChunkedArray) -> pa.ChunkedArray:
    us = at.cast(pa.timestamp("us", at.type.tz), safe=False).cast(pa.int64())
    return pc.round(pc.divide(us.cast(pa.float64(), safe=False), 1000.0)).cast(pa.int64())


def _ms(at: datetime) -> int:
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return round(aware.timestamp() * 1000)
