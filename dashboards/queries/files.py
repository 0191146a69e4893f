"""The lake as Delta tables in a folder or an object store: by deltalake and its DataFusion, no Spark."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder
from deltalake.exceptions import DeltaError

from dashboards.queries import sql
from dashboards.queries.bounds import Bounds, collected
from dashboards.queries.sql import Question
from expectations import TABLES, inside
from expectations.place import LakePlace, StoreError, StorePlace, options_of

# A page asks much at once, and each question asks for the version: so long (s) a store is not asked again.
AS_GOOD_AS_NOW = 1.0
AT_ONCE = 8  # logs of tables in a store


class Files:
    """The tables under one folder, as they are at each question; in a store, as they were a second ago at most."""

    reads_files = True

    def __init__(self, root: LakePlace, bounds: Bounds) -> None:
        self.root, self._bounds = root, bounds
        self._lock = Lock()
        self._opened: dict[str, tuple[str, DeltaTable]] = {}
        self._seen: dict[str, tuple[float, str]] = {}

    def absent(self) -> str | None:
        """Without a folder there is no lake."""
        if isinstance(self.root, StorePlace):
            return self._absent_of_store()
        return None if self.root.is_dir() else f"there is no folder {self.root}"

    def version(self, table: str) -> str:
        """The newest commit's file name."""
        log = self.root.joinpath(*table.split("."), "_delta_log")
        if isinstance(log, StorePlace):
            return self._seen_in_store(table, log)
        names = (file.name for file in log.glob("*.json")) if log.is_dir() else ()
        return max(names, default="")

    def version_of_all(self) -> str:
        """The newest commits of all tables: listing their logs is cheap."""
        if isinstance(self.root, StorePlace):  # what is near need not be asked at once
            with ThreadPoolExecutor(AT_ONCE) as pool:
                versions = list(pool.map(self.version, TABLES))
        else:
            versions = [self.version(table) for table in TABLES]
        return "-".join(one.removesuffix(".json").lstrip("0") for one in versions)

    def run(self, question: Question) -> pa.Table:
        """DataFusion takes no parameters: they become literals. Raises: TooMuchError for more memory than it may take."""
        builder = QueryBuilder().register(sql.inner(question.table), self._open(question.table))
        try:
            _answer(builder, f"SET datafusion.runtime.memory_limit = '{self._bounds.memory_mb}M'").read_all()
            return collected(_answer(builder, sql.with_literals(question)), self._bounds)
        except pa.ArrowInvalid as failure:
            if "Resources exhausted" in str(failure):
                raise self._bounds.too_large() from failure
            raise

    def columns(self, table: str) -> list[str]:
        """From the log."""
        return [field.name for field in self._open(table).schema().fields]

    def newest(self, table: str, column: str) -> object:
        """From the files' statistics: no row is read."""
        try:
            actions = self._open(table).get_add_actions(flatten=True) if self.version(table) else None
        except (DeltaError, OSError):
            return None
        if actions is None or f"max.{column}" not in actions.schema.names:
            return None
        found = actions.column(actions.schema.names.index(f"max.{column}")).to_pylist()
        return max((at for at in found if at is not None), default=None)

    def _open(self, table: str) -> DeltaTable:
        """The table as it is now; opened again only when it has a new commit."""
        version = self.version(table)
        with self._lock:
            known = self._opened.get(table)
            if known is None or known[0] != version:
                path = str(self.root.joinpath(*table.split(".")))
                opened = DeltaTable(path, storage_options=options_of(path))
                foreign = inside.outside(opened.get_add_actions(flatten=True).column("path").to_pylist())
                if foreign is not None:
                    raise DeltaError(f"{table} {inside.told(foreign)}")
                known = self._opened[table] = version, opened
            return known[1]

    def _absent_of_store(self) -> str | None:
        if self._seen:  # something was there, and a question says if it is no more
            return None
        try:
            return None if self.root.is_dir() else f"there is nothing at {self.root}"
        except StoreError as failure:
            return f"{self.root}: {failure.strerror}"

    def _seen_in_store(self, table: str, log: StorePlace) -> str:
        """Only what comes after the newest commit that was seen is listed, which is never deleted; else all."""
        at, seen = self._seen.get(table, (0.0, ""))
        if seen and time.monotonic() - at < AS_GOOD_AS_NOW:
            return seen
        after = seen.removesuffix("son")  # `...4.j` comes just before `...4.json`
        names = [log.name_of(one) for one in log.listed(after)] or [log.name_of(one) for one in log.listed()]
        newest = max((name for name in names if name.endswith(".json")), default="")
        if newest:
            self._seen[table] = time.monotonic(), newest
        return newest


def _answer(builder: QueryBuilder, text: str) -> pa.RecordBatchReader:
    """Texts as plain strings, not as views: Arrow 19, which Databricks' runtimes have, can't measure, sort or take those."""
    answer = pa.RecordBatchReader.from_stream(builder.execute(text))
    plain = [
        field.with_type(pa.string()) if pa.types.is_string_view(field.type) else field
        for field in answer.schema
    ]
    return answer.cast(pa.schema(plain))
