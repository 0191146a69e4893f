"""The rows to score from a Delta lake, read without Spark."""

from datetime import datetime
from pathlib import Path
from typing import Any

from deltalake import DeltaTable

from lab.corpus import Recording
from lab.score.fact import Row
from lab.score.scoring import TABLES, Tables


def tables_of(lake: Path) -> dict[str, list[Row]]:
    """All tables of the lake that are scored; a table that was never written is an error that names it."""
    return {name: _rows(lake, name) for name in TABLES}


def of_recording(tables: Tables, recording: Recording) -> Tables:
    """The rows of one recording: its folder is the service."""
    return {name: [row for row in rows if row["service"] == recording.name] for name, rows in tables.items()}


def _rows(lake: Path, name: str) -> list[Row]:
    path = lake / name.replace(".", "/")
    if not DeltaTable.is_deltatable(str(path)):
        raise SystemExit(
            f"{path}: no Delta table; make the lake with `kipwatch run --logs tests/recordings --lake {lake}`"
        )
    # not to_pyarrow_dataset: it can't read deletion vectors
    found = DeltaTable(str(path)).to_pyarrow_table().to_pylist()
    return [{column: _plain(value) for column, value in row.items()} for row in found]


def _plain(value: Any) -> Any:
    return round(value.timestamp() * 1000) if isinstance(value, datetime) else value
