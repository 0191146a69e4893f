"""Writes of more rows than one process should hold: by Spark, with the same result as jobs.storage.lake gives for fewer."""

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import MapType

from expectations.contract import TableContract
from jobs.storage.replacing import OPEN, PLAN
from jobs.storage.rows import quoted

Options = Mapping[str, str]


def append(rows: DataFrame, contract: TableContract, path: str, options: Options) -> None:
    """Add rows of the contract's schema."""
    _in_contract(rows, contract).write.format("delta").mode("append").options(**options).save(path)


def replace_where(
    rows: DataFrame, now: DataFrame, contract: TableContract, path: str, where: str, options: Options
) -> bool:
    """Put rows in the place of all for which `where` holds, as it must for each of them; false where they are equal.

    now: the table as it is.
    """
    if _are_equal(now.where(where), _in_contract(rows, contract), contract):
        return False
    overwrite(rows, contract, path, where, options)
    return True


def overwrite(rows: DataFrame, contract: TableContract, path: str, where: str, options: Options) -> None:
    """Put rows in the place of all for which `where` holds, as it must for each of them."""
    writer = _in_contract(rows, contract).write.format("delta").mode("overwrite")
    writer.options(**options, replaceWhere=where).save(path)


def _in_contract(rows: DataFrame, contract: TableContract) -> DataFrame:
    schema = contract.spark_schema()
    return rows.select(*(F.col(field.name).cast(field.dataType).alias(field.name) for field in schema.fields))


def quoted_scope(text: str) -> str:
    """A scope holds log text (a group id); Spark reads backslashes in literals."""
    return quoted(text.replace("\\", "\\\\"))


def _are_equal(before: DataFrame, after: DataFrame, contract: TableContract) -> bool:
    """Whether two sets of rows agree in number and in the sum of their hashes, over the columns that count."""
    row_hash = F.xxhash64(*_counted(contract)).cast("decimal(38,0)")
    sides = [
        _in_contract(rows, contract).select(F.lit(sign).alias("sign"), row_hash.alias("row_hash"))
        for rows, sign in ((before, 1), (after, -1))
    ]
    both = sides[0].unionByName(sides[1])
    found = both.agg(F.sum("sign"), F.sum(F.col("row_hash") * F.col("sign"))).first()
    return found is None or not (found[0] or found[1])


def _counted(contract: TableContract) -> list[Column]:
    fields = [field for field in contract.spark_schema().fields if field.name not in contract.volatile]
    counted = [
        F.to_json(field.name) if isinstance(field.dataType, MapType) else F.col(field.name)
        for field in fields
    ]
    return [*counted, F.col(PLAN) == OPEN] if PLAN in contract.column_names else counted
