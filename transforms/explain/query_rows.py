"""Rows of a statement as text, in pieces as they come: CSV, JSON, JSON Lines, a table of plain characters."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.cells import cell_len

from transforms.diagnose.wording.render import csv_cell, shown
from transforms.explain.values import cell, csv_value, plain

Rows = Iterable[Mapping[str, Any]]


class _Piece:
    """What csv's writer writes to, which then gives it back."""

    def write(self, text: str) -> str:
        return text


def as_csv(names: Sequence[str], rows: Rows) -> Iterator[str]:
    """A line with the names, and one a row."""
    line = csv.writer(_Piece(), lineterminator="\n").writerow
    yield line([csv_cell(name) for name in names])
    for row in rows:
        yield line([csv_value(row[name]) for name in names])


def as_json_lines(names: Sequence[str], rows: Rows) -> Iterator[str]:
    """An object a row."""
    return (json.dumps(plain(row)) + "\n" for row in rows)


def as_json(names: Sequence[str], rows: Rows) -> Iterator[str]:
    """An array of an object a row."""
    separator = "[\n"
    for row in rows:
        yield separator + json.dumps(plain(row))
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def as_table(names: Sequence[str], rows: Rows) -> Iterator[str]:
    """Columns as wide as their widest cell."""
    lines = [[shown(name) for name in names], *([cell(row[name]) for name in names] for row in rows)]
    widths = [max(cell_len(line[column]) for line in lines) for column in range(len(names))]
    for line in lines:
        padded = (one + " " * (width - cell_len(one)) for one, width in zip(line, widths, strict=True))
        yield "  ".join(padded).rstrip() + "\n"
