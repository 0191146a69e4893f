"""The lake: Delta tables by contract, under one folder, or one prefix of a store. The only writer of rows;
jobs.upkeep.tables puts their files together.

Rows that fit into memory are compared with what stands, and written by deltalake in this process. Of more rows tasks write
the data files, and this process commits them (docs/decisions/0025).
"""

import tempfile
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Schema, Transaction, write_deltalake
from deltalake.exceptions import DeltaError

from expectations import TABLES, versions
from expectations.contract import TableContract
from expectations.place import LakePlace, options_of
from expectations.replacing import PLAN, Scopes, change_of, from_there, grown_of, replaced_by, where
from expectations.rows import conformed, staged_schema
from expectations.sql.conditions import one_of
from jobs.engine.engine import HERE, Engine
from jobs.engine.row_source import Part, RowSource, of_table
from jobs.storage.control_files import FOLDER, ControlFiles, Document, FolderFiles
from jobs.storage.data_files import ADDED, GROUPED, added_by, writing
from jobs.storage.lake_reads import Filters, batches_of_file, count_where, from_offsets, read_arrow
from jobs.storage.store_files import StoreFiles, cleared
from jobs.storage.table_cache import delta_table, is_table, open_table, to_write, written
from transforms.errors import BadInput
from transforms.plans.accounting import ACCOUNTING
from transforms.plans.commit import NONE, Commit

# Of rows that are held at once, whatever their number: what is made of them takes several times as much.
HELD_BYTES = 128 << 20
# Of the control folder: what tasks put aside while a plan is carried out.
STAGING = "staging"


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a lake knows of its plans: the last number that was given, and the last that was carried out.

    accounting: its version then. code: what judged all of the lake; empty where several versions did.
    """

    lake_id: str
    number: int
    done: int = 0
    accounting: int = 0
    code: str = ""


NUMBERS = Document(
    "lake.json",
    Numbers,
    "the next run rebuilds everything in the lake from what was read",
    version=2,
    upgrades={1: lambda raw: {("accounting" if name == "books" else name): raw[name] for name in raw}},
)


def files_at(place: LakePlace) -> ControlFiles:
    """Small files of a lake below a place."""
    return FolderFiles(place) if isinstance(place, Path) else StoreFiles(place)


class LakeWriter:
    """Tables under `root`: <root>/<schema>/<table>, control files under <root>/_kipwatch.

    most_rows: so many of a table are held at once. keep_minutes: a version that was replaced can be read for so long
    (jobs.upkeep.tables deletes older ones). engine: runs what the plan that is carried out leaves to tasks.
    """

    def __init__(
        self,
        root: LakePlace,
        checkpoint_interval: int = 100,
        most_rows: int = 500_000,
        keep_minutes: int = 15,
    ) -> None:
        self.root = root
        self.files = files_at(root / FOLDER)
        # A folder of this machine; of a lake in a store: see claim.
        self.own_folder = Path(root if isinstance(root, Path) else tempfile.gettempdir(), FOLDER)
        # Where tasks put rows aside: see stage.
        self.staging: LakePlace = self.own_folder / STAGING
        kept = f"interval {keep_minutes} minutes"
        self.properties = {
            "delta.checkpointInterval": str(checkpoint_interval),
            "delta.deletedFileRetentionDuration": kept,
            "delta.logRetentionDuration": kept,
        }
        self.most_rows = most_rows
        self.engine: Engine = HERE
        self.left_out: dict[str, str] = {}  # files that could not be read, and why, as was told
        self.check_held: Callable[[], None] = lambda: None  # raises LakeBusy once the writer's lease is lost

    def path(self, table: str) -> str:
        """Where a table of the contract lies."""
        return str(self.root.joinpath(*table.split(".")))

    def exists(self, table: str) -> bool:
        """Whether the table has been made."""
        return is_table(self.path(table))

    def claim(self) -> None:
        """Make the control folder; of a lake in a store, a folder of this machine for what tasks put aside.

        Raises: BadInput where it can't be made.
        """
        if not isinstance(self.root, Path):
            # It goes with the writer. Only its owner sees it: lines of logs are put aside there.
            self._aside = tempfile.TemporaryDirectory(prefix="kipwatch-", ignore_cleanup_errors=True)
            self.own_folder = Path(self._aside.name)
            self.staging = self.own_folder / STAGING
            return
        try:
            (self.root / FOLDER).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(
                f"can't be made ({error.strerror})",
                where=str(self.root),
                todo="give a folder you may write to",
            ) from None

    def stage(self, *, is_elsewhere: bool) -> None:
        """Say where the tasks of a plan run: those on other machines see no folder of this one, and a lake in a store has
        what they put aside. A lake in a folder has it there anyway, which all must see."""
        if not isinstance(self.root, Path):
            self.staging = (self.root / FOLDER if is_elsewhere else self.own_folder) / STAGING

    def clear_staging(self) -> None:
        """Delete what tasks put aside, and what a plan left that was interrupted. No plan must be under way."""
        for place in {self.staging, self.root / FOLDER / STAGING}:
            cleared(place)

    def prepare(self) -> None:
        """Make every table of the contract that is missing, and give all the properties of Delta that are set now. The lease
        must be held.

        Raises: BadInput for a lake that another version made, without tables or columns that this one writes.
        """
        is_read = self.exists(ACCOUNTING) and not self.is_empty(ACCOUNTING)
        for name, contract in TABLES.items():
            if self.exists(name):
                self._check_columns(name)
                self._set_properties(name)
            elif is_read and not contract.is_added:
                # An empty one would say that what was read before has none of it.
                raise self._of_other_version(
                    f"{name} is not there: another version of kipwatch made the lake"
                )
            else:
                made = DeltaTable.create(
                    self.path(name),
                    Schema.from_arrow(contract.arrow_schema()),
                    description=contract.grain,
                    configuration=self.properties,
                    storage_options=options_of(self.path(name)),
                )
                written(self.path(name), made)

    def _check_columns(self, name: str) -> None:
        made = {field.name for field in open_table(self.path(name)).table.schema().fields}
        if missing := versions.lacking(name, made):
            raise self._of_other_version(versions.told(versions.fact(name, missing)))
        if added := [field for field in TABLES[name].arrow_schema() if field.name not in made]:
            delta_table(self.path(name)).alter.add_columns(Schema.from_arrow(pa.schema(added)).fields)

    def _of_other_version(self, what: str) -> BadInput:
        return BadInput(what, where=str(self.root), todo=versions.TODO)

    def _set_properties(self, name: str) -> None:
        made = open_table(self.path(name)).table.metadata()
        if not self.properties.items() <= made.configuration.items():
            delta_table(self.path(name)).alter.set_table_properties(self.properties)

    @property
    def lake_id(self) -> str:
        """The lake's own id; empty before its first plan."""
        known = NUMBERS.load(self.files)
        return "" if known is None else known.lake_id

    def plans(self) -> int:
        """How many plans were made."""
        known = NUMBERS.load(self.files)
        return 0 if known is None else known.number

    def next_commit(self, run_id: str) -> Commit:
        """The next plan's number. It is used up at once: no number of a lake is ever given twice.

        The id is made with the control folder, and kept in one file with the number: a lake whose control files were lost
        never goes on under an old id, which would make Delta skip its writes in silence.
        """
        known = NUMBERS.load(self.files) or Numbers(uuid.uuid4().hex, 0)
        NUMBERS.save(self.files, replace(known, number=known.number + 1))
        return Commit(known.lake_id, known.number + 1, run_id)

    def finish(self, commit: Commit, code: str) -> None:
        """The plan of this number was carried out to its end, and the accounting says so.

        code: what judged all of it; empty where several versions of it did.
        """
        known = NUMBERS.load(self.files)
        if known is not None and known.lake_id == commit.lake_id:
            version = self.version(ACCOUNTING)
            NUMBERS.save(self.files, replace(known, done=commit.number, accounting=version, code=code))

    def is_unfinished(self) -> bool:
        """Whether a plan was begun and not finished, or its accounting is gone, or nothing is known of it."""
        known = NUMBERS.load(self.files)
        if known is None:
            return not self.is_empty(ACCOUNTING)
        return self.version(ACCOUNTING) < known.accounting or known.done < known.number

    def is_judged_by(self, code: str) -> bool:
        """Whether it is known that nothing in the lake was judged by another version of the code."""
        known = NUMBERS.load(self.files)
        return known is not None and known.code == code

    def is_empty(self, table: str) -> bool:
        """Whether the table has no file, told from its log alone."""
        return not open_table(self.path(table)).files.num_rows

    def count(self, table: str) -> int:
        """Rows of the table, from its log alone."""
        counts = open_table(self.path(table)).files.column("num_records").to_pylist()
        return sum(number or 0 for number in counts)

    def stands(self, table: str, filters: Filters, beside: int = 0) -> int:
        """How many rows of a table pass, or more: where all of it and so many others are few, none is counted."""
        every = self.count(table)
        return every if every + beside <= self.most_rows else count_where(self.path(table), filters)

    def held(self, rows: RowSource, beside: int = 0) -> pa.Table | None:
        """The rows, where one process should hold them and so many others; else None."""
        return rows.within(HELD_BYTES) if rows.count + beside <= self.most_rows else None

    def rows(self, table: str, name: str, values: Sequence[str], version: int | None = None) -> RowSource:
        """The rows of a table whose column has one of these values, as staged rows are (without the job's own columns).

        version: of the table; None for as it is now.
        """
        schema = staged_schema(table)
        found = open_table(self.path(table), version).files
        columns = ("path", "num_records", f"min.{name}", f"max.{name}")
        known = set(found.schema.names)
        files = zip(
            *(found.column(of).to_pylist() if of in known else [None] * found.num_rows for of in columns),
            strict=True,
        )

        def part(file: str, rows: int) -> Part:
            return Part(rows, lambda: batches_of_file(file, schema, name, values))

        parts = (
            part(f"{self.path(table)}/{file}", rows or 0)
            for file, rows, least, most in files
            if values and (least is None or most is None or (least <= max(values) and most >= min(values)))
        )
        return RowSource(schema, tuple(parts))

    def append(self, rows: RowSource, table: str, commit: Commit, **constants: Any) -> bool:
        """Add rows, if there are any; false where there are none. A plan that is repeated adds them once.

        constants: columns that have one value in all rows; instants in ms.
        """
        whole = self._whole(rows, table, constants)
        if not whole.count:
            return False
        if not self._is_done(table, commit):
            self._add(whole, table, commit)
        return True

    def standing(self, table: str, scopes: Scopes) -> pa.Table:
        """The rows that `replace` would put others in the place of, all columns."""
        contract = TABLES[table]
        if self.is_empty(table):
            return contract.arrow_schema().empty_table()
        return self._stood(contract, scopes)

    def replace(
        self,
        rows: RowSource,
        table: str,
        scopes: Sequence[str] | Mapping[str, int],
        commit: Commit,
        **constants: Any,
    ) -> bool:
        """Put `rows` in the place of all rows of the scopes; false where nothing changed and nothing was written.

        rows: must hold rows of these scopes only (column `replaced_by` of the contract). scopes: or, of a table with a
        column `plan`, with the plan up to which their rows stay. constants: as in append.
        """
        contract = TABLES[table]
        if not isinstance(scopes, Mapping) or PLAN not in contract.column_names:
            scopes = dict.fromkeys(scopes, NONE)
        if self.is_empty(table):
            return self.append(rows, table, commit, **constants)
        whole = self._whole(rows, table, constants)
        if self._is_done(table, commit):
            return True
        stood = self.stands(table, _standing(contract, scopes), whole.count) if scopes else 0
        new = self.held(whole, stood)
        if new is None:
            # Too many to be compared: rows that are the same are written again.
            there = where(contract.replaced_by, scopes)
            return self._overwrite(whole, table, there if stood else "", commit)
        change = change_of(self._stood(contract, scopes), new, contract, scopes)
        return self.put(change.rows, table, where(contract.replaced_by, change.scopes), commit)

    def put(self, rows: pa.Table, table: str, there: str, commit: Commit) -> bool:
        """Put rows of a table's own columns in the place of all for which a condition of SQL holds, as it must for each of
        them; without one they are added. False where there is nothing to do. A plan that is repeated does it once."""
        return self._once(of_table(rows), table, there, commit)

    def add(self, rows: pa.Table, table: str) -> None:
        """Append rows that belong to no plan, such as those that tell of runs."""
        self._write(of_table(rows), table, None)

    def overwrite(self, rows: pa.Table, table: str, where: str | None = None) -> None:
        """Put rows that belong to no plan in the place of those that a condition of SQL finds, or of all."""
        self._write(of_table(rows), table, None, mode="overwrite", predicate=where)

    def version(self, table: str) -> int:
        """The table's version as it is now."""
        return open_table(self.path(table)).version

    def has_version(self, table: str, version: int) -> bool:
        """Whether the table can be read as it was at a version."""
        try:
            return delta_table(self.path(table), version).version() == version
        except DeltaError:
            return False

    def _stood(self, contract: TableContract, scopes: Scopes) -> pa.Table:
        """The rows that are to be replaced."""
        stood = read_arrow(self.path(contract.name), contract.column_names, _standing(contract, scopes))
        return replaced_by(stood, contract, scopes)

    def replace_from(
        self, rows: RowSource, table: str, begins: Mapping[str, int], commit: Commit, **constants: Any
    ) -> None:
        """Put `rows` in the place of each source's rows from an offset on; what stands before stays.

        begins: by source_id of every row, the offset that was read from. constants: as in append.
        """
        if self._is_done(table, commit):
            return
        if self.is_empty(table):
            self.append(rows, table, commit, **constants)
            return
        whole = self._whole(rows, table, constants)
        least: list[tuple[str, str, Any]] = [("source_id", "in", sorted(begins))]
        least.append(("offset", ">=", min(begins.values(), default=0)))
        there = self.stands(table, least, whole.count) if begins else 0
        new = self.held(whole, there)
        if new is None:
            self._overwrite(whole, table, from_there(begins) if there else "", commit)
            return
        stood = from_offsets(self.path(table), TABLES[table].column_names, begins)
        grown = grown_of(stood, new, TABLES[table])
        # Overwritten, not merged or deleted: those write texts as string_view, which Arrow can't filter.
        self.put(grown.rows, table, from_there(grown.scopes), commit)

    def stream(self, rows: RowSource, table: str, commit: Commit, where: str = "", **how: Any) -> bool:
        """Add rows batch by batch in this process, however many they are; false where there are none.

        where: SQL of DataFusion; the rows take the place of all for which it holds, as it must for each of them.
        how: as write_deltalake has it.
        """
        return self._once(self._whole(rows, table, {}), table, where, commit, **how)

    def delete_where(self, table: str, where: str) -> None:
        """Drop the rows for which `where` holds, as SQL of DataFusion."""
        self._write(self._nothing(table), table, None, where)

    def delete(self, table: str, name: str, values: Sequence[str], commit: Commit | None = None) -> None:
        """Drop the rows whose column has one of these values; no commit where there are none."""
        if read_arrow(self.path(table), [name], [(name, "in", list(values))]).num_rows:
            self._write(self._nothing(table), table, commit, one_of(name, values))

    def _nothing(self, table: str) -> RowSource:
        """What is put in the place of rows that go. To delete them writes texts as string_view, which Arrow can't filter."""
        return of_table(TABLES[table].arrow_schema().empty_table())

    def _once(self, rows: RowSource, table: str, there: str, commit: Commit, **how: Any) -> bool:
        if not there and not rows.count:
            return False
        if not self._is_done(table, commit):
            self._write(rows, table, commit, there, **how)
        return True

    def _add(self, rows: RowSource, table: str, commit: Commit) -> None:
        """Add rows of the table's own columns: many by tasks, which write data files where the table lies."""
        if rows.count <= self.most_rows or self.engine.slots == 1 or not rows.is_apart:
            self._write(rows, table, commit)
            return
        parts = [part for part in rows.parts if part.count]
        items = [(str(number), part.count) for number, part in enumerate(parts)]
        path = self.path(table)
        made = self.engine.run(items, writing(parts, rows.schema, path), {}, self.staging / "added")
        delta_table(path).create_write_transaction(
            added_by(made.notes.get(ADDED, ())),
            mode="append",
            schema=_without_comments(rows.schema),
            commit_properties=self._properties(table, commit),
        )

    def _overwrite(self, rows: RowSource, table: str, there: str, commit: Commit) -> bool:
        """Put rows, batch by batch, in the place of all for which a condition holds; without one they are added."""
        if there:
            self._write(rows, table, commit, there)
        elif rows.count:
            self._add(rows, table, commit)
        return bool(there or rows.count)

    def _is_done(self, table: str, commit: Commit) -> bool:
        """Whether this plan has written the table before: Delta's own rule of idempotent writes."""
        done = open_table(self.path(table)).transaction(commit.app_id(table))
        return done is not None and done >= commit.number

    def _properties(self, table: str, commit: Commit) -> CommitProperties:
        return CommitProperties(app_transactions=[Transaction(commit.app_id(table), commit.number)])

    def _write(self, rows: RowSource, table: str, commit: Commit | None, there: str = "", **how: Any) -> None:
        """Add rows of the table's own columns, or put them in the place of all for which a condition of SQL holds.

        how: as write_deltalake has it.
        """
        schema = _without_comments(rows.schema)
        own = to_write(self.path(table))
        place = {"mode": "overwrite", "predicate": there} if there else {"mode": "append"}
        write_deltalake(
            own,
            pa.RecordBatchReader.from_batches(schema, (batch.cast(schema) for batch in rows.batches())),
            commit_properties=self._properties(table, commit) if commit else None,
            **{"writer_properties": GROUPED, **place, **how},
        )
        written(self.path(table), own, {commit.app_id(table): commit.number} if commit else None)

    def _whole(self, rows: RowSource, table: str, constants: Mapping[str, Any]) -> RowSource:
        """The rows with the contract's columns, in its order and types; a missing one is an error, not a null."""
        schema = TABLES[table].arrow_schema()
        return rows.through(lambda batch: conformed(batch, schema, constants), schema)


def _without_comments(schema: pa.Schema) -> pa.Schema:
    """A table keeps the comments that it was made with: rows with those of another release would be refused."""
    return pa.schema([field.remove_metadata() for field in schema])


def _standing(contract: TableContract, scopes: Scopes) -> list[tuple[str, str, Any]]:
    """Rows that are to be replaced, and some that stay: of a scope up to a later plan."""
    filters: list[tuple[str, str, Any]] = [(contract.replaced_by, "in", list(scopes))]
    least = min(scopes.values(), default=NONE)
    if PLAN in contract.column_names and least > NONE:
        filters.append((PLAN, ">", least))
    return filters
