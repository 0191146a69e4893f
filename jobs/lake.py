"""The lake: Delta tables by contract, under one folder. The only writer of tables."""

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, Schema
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import MapType

from expectations import TABLES
from expectations.contract import TableContract
from jobs.errors import BadInput

BUCKETS = 64
CONTROL = "_kipwatch"


@dataclass(frozen=True, slots=True)
class Commit:
    """Who commits: the lake's own id and the plan's number, so that a repeated plan writes nothing twice."""

    lake_id: str
    number: int
    run_id: str

    def options(self, table: str) -> dict[str, str]:
        """Delta's idempotent-write options for one table."""
        return {"txnAppId": f"{self.lake_id}:{table}", "txnVersion": str(self.number)}


class Lake:
    """Tables under `root`: <root>/<schema>/<table>, control files under <root>/_kipwatch."""

    def __init__(self, root: Path, checkpoint_interval: int = 100) -> None:
        self.root = root
        self.control = root / CONTROL
        self.checkpoint_interval = checkpoint_interval

    def path(self, table: str) -> str:
        """Where a table of the contract lies."""
        return str(self.root.joinpath(*table.split(".")))

    def exists(self, table: str) -> bool:
        """Whether the table has been made."""
        return DeltaTable.is_deltatable(self.path(table))

    def claim(self) -> None:
        """Make the control folder.

        Raises: BadInput where it can't be made.
        """
        try:
            self.control.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(
                f"can't be made ({error.strerror})",
                where=str(self.root),
                todo="give a folder you may write to",
            ) from None

    def prepare(self) -> None:
        """Make every table of the contract that is missing. The lease must be held."""
        for name, contract in TABLES.items():
            if not self.exists(name):
                DeltaTable.create(
                    self.path(name),
                    Schema.from_arrow(contract.arrow_schema()),
                    description=contract.grain,
                    configuration={"delta.checkpointInterval": str(self.checkpoint_interval)},
                )

    def next_commit(self, run_id: str) -> Commit:
        """The next plan's number. It is used up at once: no number of a lake is ever given twice.

        The id is made with the control folder, and kept in one file with the number: a lake whose control files were lost
        never goes on under an old id, which would make Delta skip its writes in silence.
        """
        path = self.control / "lake.json"
        known: dict[str, Any] = (
            json.loads(path.read_text(encoding="utf-8"))
            if path.is_file()
            else {"lake_id": uuid.uuid4().hex, "number": 0}
        )
        known["number"] += 1
        draft = path.with_suffix(".draft")
        draft.write_text(json.dumps(known), encoding="utf-8")
        draft.replace(path)
        return Commit(known["lake_id"], known["number"], run_id)

    def read(self, spark: SparkSession, table: str) -> DataFrame:
        """The table as it is now."""
        return spark.read.format("delta").load(self.path(table))

    def is_empty(self, table: str) -> bool:
        """Whether the table has no file, told from its log alone."""
        return not DeltaTable(self.path(table)).file_uris()

    def append(self, rows: DataFrame, table: str, commit: Commit) -> None:
        """Add rows. A plan that is repeated adds them once."""
        _write(rows, TABLES[table], "append", self.path(table), commit.options(table))

    def replace(self, rows: DataFrame, table: str, scopes: Sequence[str], commit: Commit) -> bool:
        """Put `rows` in the place of all rows of the scopes; false where nothing changed and nothing was written.

        rows: must hold rows of these scopes only (column `replaced_by` of the contract).
        """
        contract = TABLES[table]
        if self.is_empty(table):
            if rows.isEmpty():
                return False
            self.append(rows, table, commit)
            return True
        before = self.read(rows.sparkSession, table).where(in_scopes(contract, scopes))
        if _are_equal(before, rows, contract):
            return False
        options = commit.options(table) | {"replaceWhere": predicate(contract, scopes)}
        _write(rows, contract, "overwrite", self.path(table), options)
        return True

    def upsert(self, rows: DataFrame, table: str) -> None:
        """Add rows by key, replacing a row of the same key where any column that counts has changed."""
        from delta.tables import DeltaTable as SparkDeltaTable

        contract = TABLES[table]
        same_key = " AND ".join(f"old.{name} <=> new.{name}" for name in contract.key)
        counted = [n for n in contract.column_names if n not in contract.volatile and n not in contract.key]
        changed = " OR ".join(
            f"NOT (old.{name} <=> new.{name})" for name in counted if not _is_map(contract, name)
        )
        (
            SparkDeltaTable.forPath(rows.sparkSession, self.path(table))
            .alias("old")
            .merge(conform(rows, contract).alias("new"), same_key)
            .whenMatchedUpdateAll(changed)
            .whenNotMatchedInsertAll()
            .execute()
        )

    def delete(self, spark: SparkSession, table: str, condition: Column) -> None:
        """Drop rows."""
        from delta.tables import DeltaTable as SparkDeltaTable

        SparkDeltaTable.forPath(spark, self.path(table)).delete(condition)


def read_arrow(
    path: str, columns: Sequence[str], filters: list[tuple[str, str, Any]] | None = None
) -> pa.Table:
    """Columns of a table without Spark.

    Files are opened by Arrow itself: deltalake's own file system is Python, and a thread of Arrow's that lets go of such
    a file while the interpreter ends aborts the process.
    """
    files = SubTreeFileSystem(path, LocalFileSystem())
    return DeltaTable(path).to_pyarrow_table(columns=list(columns), filesystem=files, filters=filters)


def conform(rows: DataFrame, contract: TableContract) -> DataFrame:
    """The contract's columns in the contract's order and types; a missing one is an error, not a null."""
    schema = contract.spark_schema()
    return rows.select(*(F.col(field.name).cast(field.dataType).alias(field.name) for field in schema.fields))


def bucket(unit_id: Column | str) -> Column:
    """The bucket a unit's rows are clustered by."""
    return F.pmod(F.hash(unit_id), F.lit(BUCKETS)).cast("int")


def in_scopes(contract: TableContract, scopes: Iterable[str]) -> Column:
    """Rows of these scopes."""
    return F.col(contract.replaced_by).isin(list(scopes))


def predicate(contract: TableContract, scopes: Sequence[str]) -> str:
    """The same as SQL text, for replaceWhere. Scope ids hold log text (a group id), so they are quoted with care."""
    quoted = ", ".join("'" + scope.replace("\\", "\\\\").replace("'", "\\'") + "'" for scope in scopes)
    return f"{contract.replaced_by} IN ({quoted})"


def _write(rows: DataFrame, contract: TableContract, mode: str, path: str, options: dict[str, str]) -> None:
    conform(rows, contract).write.format("delta").mode(mode).options(**options).save(path)


def _is_map(contract: TableContract, name: str) -> bool:
    return isinstance(contract.spark_schema()[name].dataType, MapType)


def _are_equal(before: DataFrame, after: DataFrame, contract: TableContract) -> bool:
    """Whether two sets of rows agree in number and in the sum of their hashes, over the columns that count."""
    counted = [
        F.to_json(F.col(field.name)) if isinstance(field.dataType, MapType) else F.col(field.name)
        for field in contract.spark_schema().fields
        if field.name not in contract.volatile
    ]
    row_hash = F.xxhash64(*counted).cast("decimal(38,0)")
    sides = [
        conform(rows, contract).select(F.lit(sign).alias("sign"), row_hash.alias("row_hash"))
        for rows, sign in ((before, 1), (after, -1))
    ]
    both = sides[0].unionByName(sides[1])
    found = both.agg(F.sum("sign"), F.sum(F.col("row_hash") * F.col("sign"))).first()
    return found is None or not (found[0] or found[1])
