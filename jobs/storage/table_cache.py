"""Tables of the lake opened for reading: once a version, not once a question.

To open one is to read its log, 10 ms of CPU, and a trigger asks fifty times. What is kept is as good as what is opened anew
while the commit that made its version is the same file, and none has come after it.
"""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from expectations import inside
from expectations.place import StorePlace, options_of
from jobs.inputs.places import filesystem
from transforms.errors import BadInput

# All tables of a lake: each as it is, and as it was when the plan was made.
KEPT = 64
# What tells a commit's file from another one of its name, as a lake that was made anew has: inode, time of change (ns) and
# size; of an object its tag and the time of its change.
Stamp = tuple[object, ...]


@dataclass
class OpenTable:
    """A table at one version. Its `table` goes to who writes next (see to_write): `files` and `dataset` stay as they are."""

    path: str
    table: DeltaTable
    version: int
    stamp: Stamp | None
    files: pa.RecordBatch  # a row a data file: path, num_records, min.<column>, max.<column>
    # Transactions of Delta that were looked up, by app id.
    done: dict[str, int | None] = field(default_factory=dict)

    @cached_property
    def dataset(self) -> ds.FileSystemDataset:
        """Its files, opened by Arrow itself: deltalake's own file system is Python, and a thread of Arrow's that lets go of
        such a file while the interpreter ends aborts the process."""
        system, inner = filesystem(self.path) if "://" in self.path else (LocalFileSystem(), self.path)
        return self.table.to_pyarrow_dataset(filesystem=SubTreeFileSystem(inner, system))

    def transaction(self, app_id: str) -> int | None:
        """The last transaction of an application that the table knows; the log is read for it."""
        if app_id not in self.done:
            self.done[app_id] = self.table.transaction_version(app_id)
        return self.done[app_id]

    @property
    def is_same(self) -> bool:
        """Whether the commit that made it is there as it was."""
        return self.stamp is not None and self.stamp == _stamp(self.path, self.version)

    @property
    def is_latest(self) -> bool:
        """Whether it is as it was, and none has come after it."""
        if "://" in self.path:  # one question for both
            return self.stamp is not None and _from(self.path, self.version) == [self.stamp]
        return self.is_same and not _commit(self.path, self.version + 1).exists()


# By path, and whether as it was.
_kept: OrderedDict[tuple[str, bool], OpenTable] = OrderedDict()
_lock = threading.Lock()


def open_table(path: str, version: int | None = None) -> OpenTable:
    """A table as it is, or as it was at a version; to be read only.

    Raises: deltalake's TableNotFoundError, DeltaError; BadInput for one that names files from outside of it.
    """
    key = (path, version is not None)
    with _lock:
        found = _kept.get(key)
    if found is not None and (
        found.is_latest if version is None else found.version == version and found.is_same
    ):
        return found
    if version is not None and (now := _kept_as_is(path, version)) is not None:
        return _keep(key, now)
    table = delta_table(path, version)
    found = _opened(path, table)
    if (foreign := _foreign(found)) is not None:
        raise BadInput(inside.told(foreign), where=path, todo=inside.TODO)
    return _keep(key, found)


def _kept_as_is(path: str, version: int) -> OpenTable | None:
    """The table as it is, where that is this version: as plans read it before anything of theirs is written."""
    with _lock:
        found = _kept.get((path, False))
    if found is None or found.version != version or not found.is_same:
        return None
    _ = found.dataset  # made while its table is at this version
    return found


def to_write(path: str) -> DeltaTable:
    """A table to write by: the one kept, where it is as the lake has it, which is kept no longer.

    Raises: deltalake's TableNotFoundError, DeltaError.
    """
    with _lock:
        found = _kept.pop((path, False), None)
    return found.table if found is not None and found.is_latest else delta_table(path)


def written(path: str, table: DeltaTable, done: Mapping[str, int] | None = None) -> None:
    """Keep a table that was written by as its commit has left it: who reads or writes it next need not open it anew.

    done: the transaction that was written with it, by app id.
    """
    found = _opened(path, table)
    found.done.update(done or {})
    if _foreign(found) is None:
        _keep((path, False), found)


def _opened(path: str, table: DeltaTable) -> OpenTable:
    version = table.version()
    return OpenTable(path, table, version, _stamp(path, version), table.get_add_actions(flatten=True))


def _foreign(found: OpenTable) -> str | None:
    return inside.outside(found.files.column("path").to_pylist())


def _keep(key: tuple[str, bool], found: OpenTable) -> OpenTable:
    with _lock:
        _kept[key] = found
        _kept.move_to_end(key)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return found


def delta_table(path: str, version: int | None = None) -> DeltaTable:
    """A table of one's own, as who writes needs it.

    Raises: deltalake's TableNotFoundError, DeltaError.
    """
    return DeltaTable(path, version=version, storage_options=options_of(path))


def is_table(path: str) -> bool:
    """Whether a table has been made there."""
    return DeltaTable.is_deltatable(path, options_of(path))


def _commit(path: str, version: int) -> Path:
    return Path(path, "_delta_log", f"{version:020d}.json")


def _stamp(path: str, version: int) -> Stamp | None:
    """None where the file is gone, as old ones go once a checkpoint has what they say."""
    if "://" in path:
        return next(iter(_from(path, version, most=1)), None)
    try:
        stat = _commit(path, version).stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


def _from(path: str, version: int, most: int = 2) -> list[Stamp]:
    """The stamps of a commit in a store and of the next one, if it is there; empty where the first is gone."""
    log = StorePlace(path) / "_delta_log"
    found: list[Stamp] = []
    for one in log.listed(after=f"{version:020d}.j"):
        name = log.name_of(one)
        if name == f"{version + len(found):020d}.json":
            found.append((one["e_tag"], one["last_modified"], one["size"]))
        elif not found or len(found) == most:
            break
    return found[:most]
