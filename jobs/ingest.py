"""From files to bronze and silver.client_events: probe, plan, read once, account."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from expectations import TABLES
from jobs.books import accounting_rows
from jobs.conf import Conf
from jobs.lake import Commit, Lake, bucket
from jobs.listing import Listed
from jobs.plan import Chunk, Plan, Probe
from jobs.read_rows import read_schema
from jobs.reading import counting, probing, reading

RECORDS, UNPARSED, ACCOUNTING, EVENTS = (
    "bronze.log_records",
    "bronze.unparsed",
    "bronze.accounting",
    "silver.client_events",
)
# A task that opens files of less than this gains nothing over fewer tasks.
BYTES_PER_TASK = 32 << 20


def probe_sources(spark: SparkSession, files: Sequence[Listed], conf: Conf) -> list[Probe]:
    """Heads of the files, read by tasks; empty files have none and are left out."""
    hints = {listed.path: conf.hint_for(listed.path) for listed in files if listed.size}
    if not hints:
        return []
    slots = min(len(hints), spark.sparkContext.defaultParallelism)
    paths = spread(spark, [(path, 1) for path in hints], "path", slots)
    found = paths.mapInArrow(probing(hints, conf.reader.head_bytes), "probe string").collect()
    return [Probe(**json.loads(row.probe)) for row in found]


def count_lines(spark: SparkSession, plan: Plan) -> None:
    """Number the first line of every chunk of a source that is cut: prefix sums of its newlines."""
    cut = {chunk.source_id for chunk in plan.chunks if chunk.number > 0}
    if not cut:
        return
    chunks = [chunk for chunk in plan.chunks if chunk.source_id in cut]
    schema = "source_id string, number int, newlines long"
    counted = (
        _chunk_rows(spark, plan, [chunk for chunk in chunks if chunk.end])
        .mapInArrow(counting(), schema)
        .collect()
    )
    newlines = {(row.source_id, row.number): row.newlines for row in counted}
    line = {chunk.source_id: chunk.first_line for chunk in chunks if chunk.number == 0}
    numbered = []
    for chunk in plan.chunks:
        if chunk.source_id in cut:
            first = line[chunk.source_id]
            line[chunk.source_id] = first + newlines.get((chunk.source_id, chunk.number), 0)
            chunk = replace(chunk, first_line=first)
        numbered.append(chunk)
    plan.chunks = numbered


def read_chunks(spark: SparkSession, plan: Plan, conf: Conf, staging: Path) -> DataFrame:
    """Read everything planned, once, into staging; gives it back as rows of READ_SCHEMA."""
    sizes = {source_id: source["file_size"] for source_id, source in plan.sources.items()}
    rows = _chunk_rows(spark, plan, plan.chunks).mapInArrow(reading(conf.reader, sizes), read_schema())
    rows.write.mode("overwrite").parquet(str(staging))
    return spark.read.schema(read_schema()).parquet(str(staging))


def _chunk_rows(spark: SparkSession, plan: Plan, chunks: Sequence[Chunk]) -> DataFrame:
    sized = []
    for chunk in chunks:
        end = chunk.end or plan.sources[chunk.source_id]["file_size"]
        sized.append((json.dumps(asdict(chunk)), max(1, end - chunk.start)))
    total = sum(size for _, size in sized)
    slots = max(spark.sparkContext.defaultParallelism, -(-total // BYTES_PER_TASK))
    return spread(spark, sized, "chunk", min(slots, len(sized)))


def spread(spark: SparkSession, sized: Sequence[tuple[str, int]], name: str, slots: int) -> DataFrame:
    """Rows over `slots` partitions of about the same number of bytes, the largest first."""
    load = [0] * slots
    rows = []
    for text, size in sorted(sized, key=lambda pair: (-pair[1], pair[0])):
        slot = load.index(min(load))
        load[slot] += size
        rows.append((slot, text))
    frame = spark.createDataFrame(rows, f"slot int, {name} string")
    return frame.repartitionById(slots, F.col("slot")).select(name)


def collect_books(staged: DataFrame) -> list[dict[str, Any]]:
    """The books of every chunk: control data, one row a chunk."""
    rows = staged.where(F.col("note_kind") == "books").select("note").collect()
    return [json.loads(row.note) for row in rows]


def records_in(book: Mapping[str, Any]) -> int:
    """How many records a chunk gave."""
    return int(book["settled"]["records"]) + int(book["tail"]["records"])


def write_bronze(spark: SparkSession, lake: Lake, staged: DataFrame, plan: Plan, commit: Commit) -> None:
    """Records and unparsed pieces. A source that goes on replaces its last record, which may have grown."""
    if plan.superseded:
        for table in (RECORDS, UNPARSED, ACCOUNTING):
            lake.delete(spark, table, F.col("source_id").isin(plan.superseded))
    resumed = _resumed(plan)
    if resumed and not lake.is_empty(UNPARSED):
        # What nobody understood at a source's end (half a line, damage) may be whole now, and leave no piece to replace it.
        from_here = F.create_map(*(F.lit(part) for pair in resumed.items() for part in pair))
        lake.delete(spark, UNPARSED, F.col("offset") >= F.element_at(from_here, F.col("source_id")))
    for table, rows in ((RECORDS, log_records(staged)), (UNPARSED, unparsed(staged, plan))):
        if resumed and not lake.is_empty(table):
            lake.upsert(rows, table)
        elif table == RECORDS or not rows.isEmpty():
            lake.append(rows, table, commit)


def _resumed(plan: Plan) -> dict[str, int]:
    """Where each source begins to be read that was read before, at 0 too: its last record was all there was."""
    first = (chunk for chunk in plan.chunks if chunk.number == 0)
    return {chunk.source_id: chunk.start for chunk in first if plan.sources[chunk.source_id]["settled"]}


def log_records(staged: DataFrame) -> DataFrame:
    """Rows of bronze.log_records."""
    return staged.where(F.col("is_first")).select(
        *(F.col(name) for name in TABLES[RECORDS].column_names if name not in ("thread", "ingested_at")),
        F.col("log_thread").alias("thread"),
        F.current_timestamp().alias("ingested_at"),
    )


def unparsed(staged: DataFrame, plan: Plan) -> DataFrame:
    """Rows of bronze.unparsed."""
    schema = "source_id string, offset long, line long, lines long, text string, bytes long, reason string"
    spark = staged.sparkSession
    known = [(s, v["source"], v["service"], v["instance"]) for s, v in plan.sources.items()]
    sources = spark.createDataFrame(known, "source_id string, source string, service string, instance string")
    pieces = staged.where(F.col("note_kind") == "unparsed").select(F.from_json("note", schema).alias("piece"))
    return (
        pieces.select("piece.*")
        .withColumnsRenamed({"lines": "line_count", "bytes": "text_bytes"})
        .join(F.broadcast(sources), "source_id", how="left")
        .withColumn("ingested_at", F.current_timestamp())
    )


def new_events(staged: DataFrame, plan: Plan, books: Sequence[Mapping[str, Any]]) -> DataFrame:
    """The events that were read, each with its place in the one order of its source."""
    events = staged.where(F.col("event_id").isNotNull())
    before = _latest_before(plan, books)
    if not before:
        return events
    spark = staged.sparkSession
    schema = "source_id string, chunk int, latest_ms long"
    prior = F.broadcast(spark.createDataFrame([(*key, latest) for key, latest in before.items()], schema))
    latest = F.timestamp_millis("latest_ms")
    return (
        events.join(prior, ["source_id", "chunk"], how="left")
        .withColumn("ordered_at", F.greatest("ordered_at", latest))
        .drop("latest_ms")
    )


def _latest_before(plan: Plan, books: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], int]:
    """For each chunk that does not begin its source: the largest time before it."""
    latest = {source_id: source["resume_at"] for source_id, source in plan.sources.items()}
    before: dict[tuple[str, int], int] = {}
    for book in sorted(books, key=lambda book: (book["source_id"], book["number"])):
        source_id = book["source_id"]
        known = latest.get(source_id)
        if known is not None:
            before[source_id, book["number"]] = known
        times = [at for at in (known, book["latest"]) if at is not None]
        latest[source_id] = max(times, default=None)
    return before


def touched_units(staged: DataFrame, plan: Plan) -> list[str]:
    """Units that have new rows, or lose some."""
    found = staged.where(F.col("unit_id").isNotNull()).select("unit_id").distinct().collect()
    return sorted({row.unit_id for row in found} | set(plan.superseded_units))


def write_accounting(
    spark: SparkSession, lake: Lake, plan: Plan, books: Sequence[Mapping[str, Any]], run_id: str
) -> None:
    """The balanced books of every source that was read, or that has another name now."""
    rows = accounting_rows(plan, books, run_id)
    if rows:
        table: pa.Table = TABLES[ACCOUNTING].arrow_table(rows)
        lake.upsert(spark.createDataFrame(table), ACCOUNTING)


def all_events(lake: Lake, fresh: DataFrame, units: Sequence[str], superseded: Sequence[str]) -> DataFrame:
    """Every event of the touched units: what was there, with what was read now in its place."""
    fresh = fresh.select(*_event_columns())
    if lake.is_empty(EVENTS):
        return fresh
    before = lake.read(fresh.sparkSession, EVENTS).where(F.col("unit_id").isin(list(units)))
    kept = before.where(~F.col("source_id").isin(list(superseded))).join(
        fresh.select("record_id").distinct(), "record_id", how="left_anti"
    )
    return kept.select(*_event_columns()).unionByName(fresh)


def _event_columns() -> list[Column]:
    names = [name for name in TABLES[EVENTS].column_names if name != "unit_bucket"]
    return [F.col(name) for name in names]


def with_bucket(events: DataFrame) -> DataFrame:
    """The events as the table has them."""
    return events.withColumn("unit_bucket", bucket("unit_id"))
