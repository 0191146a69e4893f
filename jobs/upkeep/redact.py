"""`kipwatch maintain --redact`: a lake that an earlier release wrote, without the secrets that this one finds.

Every text of every table is redacted as new lines are, the rows are written again where any changes, and then all that no
longer counts goes at once: files of older versions, the log's entries that name them with their smallest and largest
texts, what tasks had put aside, kept states. Nobody should read the lake meanwhile: older versions end.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
from deltalake import write_deltalake

from expectations.place import LakePlace, options_of, place_of
from jobs.storage.control_files import FOLDER, ControlFiles
from jobs.storage.lake import NUMBERS, LakeWriter, files_at
from jobs.storage.table_cache import delta_table, open_table
from transforms.parse.secrets.redact_values import redact_rows
from transforms.plans.redacted import clean_rows, clean_text, differing_rows, plain_type, without_states
from transforms.unit_states import STATES

BATCH_ROWS = 1 << 14
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
    change = without_states if is_of_states else redact_rows

    def batches() -> Iterator[pa.RecordBatch]:
        few = rows.scanner(batch_size=BATCH_ROWS, batch_readahead=1, fragment_readahead=1)
        return (batch for batch in few.to_batches() if batch.num_rows)

    changed = sum(differing_rows(batch, change(batch)) for batch in batches())
    if changed:
        plain = pa.schema([field.with_type(plain_type(field.type)) for field in schema])
        clean = (change(batch).cast(plain) for batch in batches())
        write_deltalake(
            path,
            pa.RecordBatchReader.from_batches(plain, clean),
            mode="overwrite",
            storage_options=options_of(path),
        )
    return changed


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
    clean = clean_rows(content) if name.endswith(".parquet") else clean_text(content)
    if clean is None:
        return False
    files.write(name, clean)
    return True
