"""`kipwatch maintain --redact`: a lake that an earlier release wrote, without the secrets that this one finds.

Every text of every table is redacted as new lines are, the rows are written again where any changes, and then all that no
longer counts goes at once: files of older versions, the log's entries that name them with their smallest and largest
texts, what tasks had put aside, kept states. Nobody should read the lake meanwhile: older versions end.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import write_deltalake

from expectations.place import LakePlace, options_of, place_of
from jobs.errors import BadInput
from jobs.folds.states import STATES
from jobs.plans.plan import Plan
from jobs.storage.control_files import FOLDER, ControlFiles
from jobs.storage.lake import NUMBERS, LakeWriter, files_at
from jobs.storage.table_cache import delta_table, open_table
from transforms.parse.redact import redact

BATCH_ROWS = 1 << 14
# Columns of which the one names what the other holds.
PAIRS = (("name", "value"), ("attribute", "text_value"))
# What a fold kept: it goes on from none of it.
KEPT = ("control", "state")
LEASE = "lease.json"
ID = re.compile(r"[0-9a-f]{64}")
# Columns of texts as they were read, where such a text may be anything.
WRITTEN_BY_OTHERS = frozenset({"text", "value", "text_value", "details", "tags", "labels"})
Clean = Callable[[str], str]


def redact_lake(lake: LakeWriter) -> dict[str, str]:
    """Redact everything in a lake; gives a line a table, and one for the control files. The lease must be held.

    Raises: BadInput where a run was interrupted, as it reads old versions.
    """
    if Plan.load(lake.files) is not None:
        raise BadInput(
            "a run was interrupted here", where=str(lake.root), todo="let it finish by starting it again"
        )
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
    change = _without_states if is_of_states else redacted

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


def redacted(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Rows with every text redacted: by itself, and where a column or key names it also as what stands under that name."""
    names = batch.schema.names
    columns = [
        _column(column, redact if name in WRITTEN_BY_OTHERS else redact_but_ids)
        for name, column in zip(names, batch.columns, strict=True)
    ]
    for name, value in PAIRS:
        if name in names and value in names:
            place = names.index(value)
            pairs = zip(batch.column(name).to_pylist(), columns[place].to_pylist(), strict=True)
            columns[place] = pa.array([_under(*pair) for pair in pairs], columns[place].type)
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _without_states(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Rows that say which groups a process speaks of, and nothing to go on from."""
    clean = redacted(batch)
    columns = [
        pa.nulls(batch.num_rows, field.type)
        if field.name in KEPT
        else pa.array([""] * batch.num_rows, field.type)
        if field.name == "code"
        else column
        for field, column in zip(batch.schema, clean.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def redact_but_ids(text: str) -> str:
    """As redact, but for what is an id of kipwatch's as a whole: such a line of a log might be a key."""
    return text if ID.fullmatch(text) else redact(text)


def _column(column: pa.Array, clean_text: Clean) -> pa.Array:
    if _is_text(column.type):
        distinct = column.cast(pa.string()).dictionary_encode()
        clean = pa.array([clean_text(text) for text in distinct.dictionary.to_pylist()], pa.string())
        return pa.DictionaryArray.from_arrays(distinct.indices, clean).cast(pa.string()).cast(column.type)
    if pa.types.is_nested(column.type):
        return pa.array([deeply(value, clean_text) for value in column.to_pylist()], column.type)
    return column


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def deeply(value: Any, clean_text: Clean = redact) -> Any:
    """A value of JSON or Arrow with its texts redacted, those under a key as what stands under that name."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):  # an entry of a map
        return value[0], _entry(*value, clean_text)
    if isinstance(value, list):
        return [deeply(one, clean_text) for one in value]
    if isinstance(value, dict):
        return {key: _entry(key, one, clean_text) for key, one in value.items()}
    return value


def _entry(name: str, value: Any, clean_text: Clean) -> Any:
    return _under(name, value) if isinstance(value, str) else deeply(value, clean_text)


def _under(name: Any, value: Any) -> Any:
    """A text that stands under a name; it is a piece of a line, so its own beginning is no line's."""
    if not (isinstance(name, str) and isinstance(value, str)):
        return value
    named = f"{name} = "
    clean = redact(named + value)
    return clean[len(named) :] if clean.startswith(named) else redact(value)


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
    clean = pa.Table.from_batches([redacted(batch) for batch in rows.to_batches()], rows.schema)
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
        found = deeply(known, redact_but_ids)
        clean = text if found == known else json.dumps(found, sort_keys=True)
    return None if clean == text else clean.encode()
