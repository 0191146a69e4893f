"""What anybody would write: a list of patterns, the first that matches wins. No ids, no prefixes, no dispatch.

It keeps what a pattern names, the time, the level and the logger of each line, and writes one Parquet file a log.

python -m lab.benchmarks.plain LOGS OUT
"""

import json
import re
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from transforms.parse.catalogue.forms import catalogue

LINE = re.compile(r"\[([\d-]+ [\d:]+),(\d{3})\] (\w+) (.*?)(?: \(([\w.$]+)\))?$")
COLUMNS = ("file", "line", "at", "level", "logger", "message_id", "fields")
BATCH = 65536


def type_events(file: Path, out: Path) -> int:
    """Write the events of one log; gives their number."""
    patterns = [(form.family.id, form.literal, form.regex) for form in catalogue()]
    schema = pa.schema([(name, pa.int64() if name == "line" else pa.string()) for name in COLUMNS])
    rows: list[tuple[object, ...]] = []
    written = 0
    with file.open(encoding="utf-8", errors="replace") as lines, pq.ParquetWriter(out, schema) as writer:
        for number, line in enumerate(lines, 1):
            head = LINE.match(line)
            if head is None or "kafka" not in line:
                continue
            message = head[4]
            for name, literal, pattern in patterns:
                if literal in message and (found := pattern.search(message)):
                    fields = json.dumps(found.groupdict())
                    rows.append((str(file), number, f"{head[1]}.{head[2]}", head[3], head[5], name, fields))
                    break
            if len(rows) >= BATCH:
                writer.write_table(_table(rows, schema))
                written, rows = written + len(rows), []
        writer.write_table(_table(rows, schema))
    return written + len(rows)


def _table(rows: list[tuple[object, ...]], schema: pa.Schema) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else ((),) * len(COLUMNS)
    return pa.table(
        [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema
    )


def main(logs: Path, out: Path) -> None:
    """Type every `.log` under `logs`; says how long it took."""
    out.mkdir(parents=True, exist_ok=True)
    files = sorted(logs.rglob("*.log"))
    began = time.perf_counter()
    events = sum(type_events(file, out / f"{number}.parquet") for number, file in enumerate(files))
    print(json.dumps({"events": events, "seconds": round(time.perf_counter() - began, 3)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
