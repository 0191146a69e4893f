"""The lake as folders of Delta tables: by deltalake and its DataFusion, no Spark."""

from pathlib import Path
from threading import Lock

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder
from deltalake.exceptions import DeltaError

from dashboards.queries import sql
from dashboards.queries.bounds import Bounds, collected
from dashboards.queries.sql import Question
from expectations import TABLES, inside


class Files:
    """The tables under one folder, as they are at each question."""

    reads_files = True

    def __init__(self, root: Path, bounds: Bounds) -> None:
        self.root, self._bounds = root, bounds
        self._lock = Lock()
        self._opened: dict[str, tuple[str, DeltaTable]] = {}

    def absent(self) -> str | None:
        """Without a folder there is no lake."""
        return None if self.root.is_dir() else f"there is no folder {self.root}"

    def version(self, table: str) -> str:
        """The newest commit's file name."""
        log = self.root.joinpath(*table.split("."), "_delta_log")
        names = (file.name for file in log.glob("*.json")) if log.is_dir() else ()
        return max(names, default="")

    def version_of_all(self) -> str:
        """The newest commits of all tables: listing their logs is cheap."""
        return "-".join(self.version(table).removesuffix(".json").lstrip("0") for table in TABLES)

    def run(self, question: Question) -> pa.Table:
        """DataFusion takes no parameters: they become literals."""
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
                opened = DeltaTable(str(self.root.joinpath(*table.split("."))))
                foreign = inside.outside(opened.get_add_actions(flatten=True).column("path").to_pylist())
                if foreign is not None:
                    raise DeltaError(f"{table} {inside.told(foreign)}")
                known = self._opened[table] = version, opened
            return known[1]


def _answer(builder: QueryBuilder, text: str) -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_stream(builder.execute(text))
