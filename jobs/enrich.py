"""Gives each event the start of its process and its client's version, and writes silver.client_events and client_settings.

Both follow from a unit's control events alone, so only those are folded; the events themselves stay in Spark.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from jobs.folding import SettingsOf
from jobs.lake import Commit, Lake, bucket
from jobs.rebuild import EVENTS, is_control
from jobs.rows import EVENT_FIELDS, events_from, fold_batches, fold_schema
from transforms.events import ClientEvent
from transforms.timers.settings import UnitSettings
from transforms.timers.versions import named

SETTINGS = "silver.client_settings"
# Events that ride through the fold: where another start or version begins, and lines that their settings complete.
TOLD = "silver.client_events"
COMPLETED = (
    "task_timeout_continue"  # needs task.timeout.ms to tell how far the timer is (UnitSettings.complete)
)
ORDER = ("unit_id", "ordered_at", "source_id", "position", "event_id")

Batches = Iterator[pa.RecordBatch]


def write_events(
    lake: Lake,
    events: DataFrame,
    units: Sequence[str],
    settings_of: SettingsOf,
    staging: Path,
    commit: Commit,
) -> dict[str, bool]:
    """Replace the touched units' events and settings; gives for each table whether it changed."""
    folded = events.where(is_control() | (F.col("kind") == COMPLETED)).select(*EVENT_FIELDS)
    control = folded.repartition("unit_id").sortWithinPartitions(*ORDER)
    schema = fold_schema((SETTINGS, TOLD))
    control.mapInArrow(_settings_fold(settings_of), schema).write.mode("overwrite").parquet(str(staging))
    staged = control.sparkSession.read.schema(schema).parquet(str(staging))
    settings = staged.where(F.col("silver__client_settings").isNotNull()).select("silver__client_settings.*")
    told = staged.where(F.col("silver__client_events").isNotNull()).select("silver__client_events.*")
    is_completed = F.col("kind").startswith("task_timeout")
    whole = _with_spans(_completed(events, told.where(is_completed)), told.where(~is_completed))
    whole = whole.withColumn("unit_bucket", bucket("unit_id"))
    return {
        SETTINGS: lake.replace(
            settings.withColumn("unit_bucket", bucket("unit_id")), SETTINGS, units, commit
        ),
        EVENTS: lake.replace(whole, EVENTS, units, commit),
    }


def _settings_fold(settings_of: SettingsOf) -> Callable[[Batches], Batches]:
    def fold(batches: Batches) -> Batches:
        events = (event for batch in batches for event in events_from(batch))
        by_unit = groupby(events, key=lambda event: event.unit_id)
        rows = (
            row for unit_id, of_unit in by_unit for row in _unit_rows(unit_id, list(of_unit), settings_of)
        )
        return fold_batches((SETTINGS, TOLD), rows)

    return fold


def _unit_rows(unit_id: str, events: list[ClientEvent], settings_of: SettingsOf) -> Iterator[tuple[str, Any]]:
    control = [event for event in events if event.kind != COMPLETED]
    settings = settings_of(unit_id, control)
    for row in settings.rows():
        yield SETTINGS, row
    for event in span_starts(control, settings):
        yield TOLD, event
    for event in events:
        if event.kind == COMPLETED:
            settings.complete(event)
            yield TOLD, event


def span_starts(control: Sequence[ClientEvent], settings: UnitSettings) -> Iterator[ClientEvent]:
    """The control events at which the process's start or version changes; the first stands for all before it, too."""
    latest: tuple[int, str | None] | None = None
    for event in control:
        version = settings.version_of(event)
        now = (settings.incarnation_of(event), None if version is None else named(version))
        if now != latest:
            event.incarnation, event.client_version = now
            yield event
            latest = now


def _completed(events: DataFrame, told: DataFrame) -> DataFrame:
    """The events, with what settings add to the lines of task timers."""
    if told.isEmpty():
        return events
    fields = ("kind", "limit_ms", "elapsed_ms")
    renamed = told.select("event_id", *(F.col(name).alias(f"told_{name}") for name in fields))
    joined = events.join(F.broadcast(renamed), "event_id", how="left")
    whole = [F.coalesce(f"told_{name}", name).alias(name) for name in fields]
    return joined.select(*(name for name in events.columns if name not in fields), *whole)


def _with_spans(events: DataFrame, spans: DataFrame) -> DataFrame:
    """Each event with the last span that begins at or before it, else with the first."""
    place = F.struct(*_place())
    by_unit = spans.groupBy("unit_id").agg(
        F.sort_array(F.collect_list(F.struct(place.alias("at"), "incarnation", "client_version"))).alias(
            "spans"
        )
    )
    joined = events.drop("incarnation", "client_version").join(F.broadcast(by_unit), "unit_id", how="left")
    begun = F.filter("spans", lambda span: span["at"] <= place)
    span = F.when(F.size(begun) > 0, F.element_at(begun, -1)).otherwise(F.try_element_at("spans", F.lit(1)))
    return joined.select(
        "*",
        F.coalesce(span["incarnation"], F.lit(0)).alias("incarnation"),
        span["client_version"].alias("client_version"),
    ).drop("spans")


def _place() -> list[Column]:
    """An event's place in its unit's order; no time at all comes first, as in ClientEvent.order."""
    return [
        F.coalesce(F.col("ordered_at"), F.timestamp_millis(F.lit(0))).alias("ordered_at"),
        F.col("source_id"),
        F.col("position"),
        F.col("event_id"),
    ]
