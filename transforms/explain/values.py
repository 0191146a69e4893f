"""Values of rows as JSON, CSV and a terminal have them."""

import json
import math
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from transforms.diagnose.wording.render import csv_cell, shown


def cell(value: Any) -> str:
    """The value in a cell of a table."""
    if value is None:
        return ""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, datetime | date | timedelta):
        return str(plain(value))
    if isinstance(value, list | dict | tuple):
        return shown(json.dumps(plain(value), ensure_ascii=False))
    return shown(str(value))


def csv_value(value: Any) -> str:
    """The value in a field of CSV."""
    return csv_cell(value) if isinstance(value, str) else cell(value)


def plain(value: Any) -> Any:
    """The value as JSON knows it: an instant as ISO 8601 in UTC with its Z, a duration in ms."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, timedelta):
        return round(value / timedelta(milliseconds=1))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        if value and all(isinstance(item, tuple) and len(item) == 2 for item in value):
            return {str(key): plain(item) for key, item in value}  # how Arrow gives a map
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)
