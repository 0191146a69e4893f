"""Samples in parts that one process may hold, however many there are: by process, then by time, then by MBean."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from expectations.place import LakePlace
from jobs.engine import arrow_files
from jobs.engine.row_source import RowSource, of_files, of_table
from transforms.plans.sample_regions import Region

HELD_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class Part:
    """The new rows of a region."""

    region: Region
    new: RowSource


def in_parts(new: RowSource, regions: Sequence[Region], folder: LakePlace) -> list[Part]:
    """The new rows of each region; put aside in files under `folder` where there are several regions."""
    if len(regions) == 1:
        table = pa.Table.from_batches(new.batches(), schema=new.schema)
        return [Part(regions[0], of_table(table))]
    arrow_files.make(folder)
    of_unit: dict[str, list[int]] = {}
    for number, region in enumerate(regions):
        for unit_id in region.units:
            of_unit.setdefault(unit_id, []).append(number)
    paths = [arrow_files.place(folder, "region") for _ in regions]
    rows = [0] * len(regions)
    with ExitStack() as opened:
        writers = [opened.enter_context(closing(arrow_files.Writer(path, new.schema))) for path in paths]
        for batch in new.batches():
            for number, part in _routed(batch, regions, of_unit):
                writers[number].write_batch(part)
                rows[number] += part.num_rows
    return [
        Part(region, of_files(new.schema, [(path, count)]))
        for region, path, count in zip(regions, paths, rows, strict=True)
    ]


def _routed(
    batch: pa.RecordBatch, regions: Sequence[Region], of_unit: dict[str, list[int]]
) -> Iterator[tuple[int, pa.RecordBatch]]:
    units = pc.unique(batch.column("unit_id")).to_pylist()
    wanted = sorted({number for unit_id in units for number in of_unit[unit_id]})
    for number in wanted:
        # By a table: in pyarrow 19 a batch of which no row is left has no form.
        rows = pa.Table.from_batches([batch])
        parts = [batch] if len(wanted) == 1 else rows.filter(regions[number].expression).to_batches()
        yield from ((number, part) for part in parts if part.num_rows)


def aside(rows: pa.Table, folder: LakePlace) -> RowSource:
    """Rows that are wanted later; many are put into a file under `folder`."""
    if rows.num_rows <= HELD_ROWS:
        return of_table(rows)
    return of_files(rows.schema, [(arrow_files.write(folder, "samples", rows), rows.num_rows)])
