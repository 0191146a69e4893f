"""Rows as files: CSV that no spreadsheet takes for a formula (RFC 4180), and JSON. Pure: rows in, text out."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from transforms.diagnose.reports.report import iso
from transforms.diagnose.wording.render import csv_cell

Row = Mapping[str, Any]
MOST_EXPORTED = 100_000  # rows of one file; `kipwatch query --format csv` gives `query.most_rows`


def as_csv(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """Lines ended by CR LF, the header first. A cell that begins with = + - @ tab CR or LF has a quote before it."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(name, row[name]) for name in columns])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def as_json(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """A list of objects, one a line."""
    separator = "[\n"
    for row in rows:
        yield separator + json.dumps({name: _plain(name, row[name]) for name in columns})
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def _cell(name: str, value: Any) -> Any:
    plain = _plain(name, value)
    if isinstance(plain, list):
        plain = " ".join(str(one) for one in plain)
    return csv_cell(plain) if isinstance(plain, str) else plain


def _plain(name: str, value: Any) -> Any:
    return iso(value) if name.endswith("_at") and isinstance(value, int) else value
