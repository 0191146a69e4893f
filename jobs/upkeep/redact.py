"""`kipwatch maintain --redact`: a lake that an earlier release wrote, without the secrets that this one finds.

Every text of every table is redacted as new lines are, the rows are written again where any changes, and then all that no
longer counts goes at once: files of older versions, the log's entries that name them with their smallest and largest
texts, what tasks had put aside, kept states. Nobody should read the lake meanwhile: older versions end.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import write_deltalake

from expectations.place import LakePlace, options_of, place_of
from jobs.storage.control_files import FOLDER, ControlFiles
from jobs.storage.lake import NUMBERS, LakeWriter, files_at
from jobs.storage.table_cache import delta_table, open_table
from transforms.parse.redact import redact
from transforms.parse.redact_values import redact_but_ids, redact_deeply, redact_rows
from transforms.unit_states import STATES

BATCH_ROWS = 1 << 14
# What a fold kept: it goes on from none of it.
KEPT = ("control", "state")
LEASE = "lease.json"


def redact_lake(lake: LakeWriter) -> dict[str, str]:
    """Redact everything in a lake; gives a line a table, and one for the control files.

    The lease must be held, and no plan under way.
    """
    lake.clear_staging()
    lines = {}
    for name, path in _tables(lake.root):
        changed = _rewrite(path, is_of_states=name == STATES)
        lines[name] = f"{changed} rows redacted, {_forget(path)} files of older versions deleted"
    if known := NUMBERS.load(lake.files):
        # All processes are judged anew by the next run, as no state is left.
        NUMBERS.save(lake.files, replace(known, code=""))
    lines[FOLDER] = f"{_control_files(lake.files)} files redacted"
    return lines


def _tables(root: LakePlace) -> list[tuple[str, str]]:
    """All Delta tables of the lake, also those that this release does not know."""
    if isinstance(root, Path):
        logs = [path.relative_to(root).parts[:2] for path in root.glob("*/*/_delta_log")]
    else:
        names = (root.name_of(one).split("/") for one in root.listed())
        logs = [(parts[0], parts[1]) for parts in names if parts[2:3] == ["_delta_log"]]
    found = sorted({parts for parts in logs if parts[0] != FOLDER})
    return [(".".join(parts), str(root.joinpath(*parts))) for parts in found]


def _rewrite(path: str, *, is_of_states: bool) -> int:
    """Gives how many rows changed."""
    rows = open_table(path).dataset
    schema = pa.schema([field.remove_metadata() for field in rows.schema])
    change = _without_states if is_of_states else redact_rows

    def batches() -> Iterator[pa.RecordBatch]:
        few = rows.scanner(batch_size=BATCH_ROWS, batch_readahead=1, fragment_readahead=1)
        return (batch for batch in few.to_batches() if batch.num_rows)

    changed = sum(_differing(batch, change(batch)) for batch in batches())
    if changed:
        plain = pa.schema([field.with_type(_plain(field.type)) for field in schema])
        clean = (change(batch).cast(plain) for batch in batches())
        write_deltalake(
            path,
            pa.RecordBatchReader.from_batches(plain, clean),
            mode="overwrite",
            storage_options=options_of(path),
        )
    return changed


def _differing(one: pa.RecordBatch, other: pa.RecordBatch) -> int:
    if one.equals(other):
        return 0
    pairs = zip(one.to_pylist(), other.to_pylist(), strict=True)
    return sum(1 for left, right in pairs if left != right)


def _plain(kind: pa.DataType) -> pa.DataType:
    """Texts as a table's files have them: what was read as a view can't be filtered once it is written."""
    return pa.string() if pa.types.is_string_view(kind) or pa.types.is_large_string(kind) else kind


def _without_states(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Rows that say which groups a process speaks of, and nothing to go on from."""
    clean = redact_rows(batch)
    columns = [
        pa.nulls(batch.num_rows, field.type)
        if field.name in KEPT
        else pa.array([""] * batch.num_rows, field.type)
        if field.name == "code"
        else column
        for field, column in zip(batch.schema, clean.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _forget(path: str) -> int:
    """Delete what only older versions need; gives how many files of rows that were."""
    gone = delta_table(path).vacuum(
        retention_hours=0, dry_run=False, enforce_retention_duration=False, full=True
    )
    table = delta_table(path)
    # A commit that says nothing but this: those before it name rows.
    table.alter.set_table_properties(dict(table.metadata().configuration))
    table = delta_table(path)
    table.create_checkpoint()
    version = table.version()
    log = files_at(place_of(path) / "_delta_log")
    for name in log.every():
        number = name.partition(".")[0]
        if "/" not in name and not (
            (number.isdigit() and int(number) >= version) or name == "_last_checkpoint"
        ):
            log.delete(name)
    return len(gone)


def _control_files(files: ControlFiles) -> int:
    """Gives how many changed."""
    return sum(_redact_file(files, name) for name in files.every() if name != LEASE)


def _redact_file(files: ControlFiles, name: str) -> bool:
    content = files.read(name) or b""
    clean = _clean_rows(content) if name.endswith(".parquet") else _clean_text(content)
    if clean is None:
        return False
    files.write(name, clean)
    return True


def _clean_rows(content: bytes) -> bytes | None:
    """None where nothing changes, here and below."""
    rows = pq.read_table(pa.BufferReader(content))
    clean = pa.Table.from_batches([redact_rows(batch) for batch in rows.to_batches()], rows.schema)
    if clean.equals(rows):
        return None
    out = pa.BufferOutputStream()
    pq.write_table(clean, out)
    return bytes(out.getvalue().to_pybytes())


def _clean_text(content: bytes) -> bytes | None:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    clean = redact(text)
    with suppress(ValueError, RecursionError):
        known = json.loads(text)
        found = redact_deeply(known, redact_but_ids)
        clean = text if found == known else json.dumps(found, sort_keys=True)
    return None if clean == text else clean.encode()
