"""Checksums of typed events by kind and field: equal only where every event is the same in every field."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from lab.benchmarks.baseline import FIELDS, NUMBERS


@dataclass(frozen=True)
class Sums:
    """counts: events by message_id. sums: checksum by (message_id, field)."""

    counts: dict[str, int]
    sums: dict[tuple[str, str], int]

    def differences(self, other: "Sums") -> list[str]:
        """What is not equal, in words."""
        said = [
            f"{name}: {self.counts.get(name, 0)} events against {other.counts.get(name, 0)}"
            for name in sorted(self.counts.keys() | other.counts.keys())
            if self.counts.get(name) != other.counts.get(name)
        ]
        said += [
            f"{name}.{column} differs"
            for name, column in sorted(self.sums.keys() & other.sums.keys())
            if self.sums[name, column] != other.sums[name, column]
        ]
        return said


def of_script(folder: Path) -> Sums:
    """Of what baseline.py wrote."""
    return sums_of(pa.concat_tables([pq.read_table(path) for path in sorted(folder.glob("*.parquet"))]))


def of_lake(lake: Path) -> Sums:
    """Of silver.client_events, its instants as ms."""
    table = DeltaTable(str(lake / "silver" / "client_events")).to_pyarrow_table(columns=list(FIELDS))
    at = table.schema.get_field_index("happened_at")
    instants = table.column(at).cast(pa.timestamp("ms", "UTC"), safe=False).cast(pa.int64())
    return sums_of(table.set_column(at, "happened_at", instants))


def sums_of(table: pa.Table) -> Sums:
    message = table.column("message_id").to_pandas()
    # every value is hashed together with its event's id: two events that swapped their values are seen
    identity = _hashes(table.column("event_id").to_pandas())
    sums: dict[tuple[str, str], int] = {}
    for name in FIELDS:
        values = table.column(name)
        present = values.is_valid().to_numpy(zero_copy_only=False)
        filled = values.fill_null(-(2**62) if name in NUMBERS else "\x00").to_pandas()
        mixed = (_hashes(filled) * np.uint64(31) + present.astype(np.uint64)) ^ (identity * np.uint64(17))
        scrambled = _hashes(pd.Series(mixed))
        for message_id, total in pd.Series(scrambled).groupby(message, sort=False).sum().items():
            sums[str(message_id), name] = int(total)
    return Sums({str(name): int(count) for name, count in message.value_counts().items()}, sums)


def _hashes(values: pd.Series) -> np.ndarray:
    return pd.util.hash_pandas_object(values, index=False).to_numpy()
