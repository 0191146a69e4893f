"""The control files of a lake: small facts beside its tables, each there as a whole or not at all.

What a crash may leave is decided here, once, for all of them. ControlFiles asks for no more than an object store can do.
"""

import errno
import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from stat import S_ISREG
from typing import Any, Generic, Protocol, TypeVar

from expectations.place import StoreError
from transforms.checked import checked
from transforms.errors import BadInput

FOLDER = "_kipwatch"  # of a lake
# File systems that have no hard links, such as some volumes.
NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}
T = TypeVar("T")


class DamagedFile(BadInput):
    """A control file that holds something else than kipwatch writes."""


class ControlFiles(Protocol):
    """Files by name, `late/0001.parquet` among them. Errors of a disk or store are OSError."""

    @property
    def lake(self) -> str:
        """The lake that they are of, for who is told of it."""

    def place(self, name: str) -> str:
        """Where a file is, for who is told of it."""

    def read(self, name: str) -> bytes | None:
        """What it holds; None where it is not there."""

    def write(self, name: str, content: bytes) -> None:
        """Put it there as a whole or not at all, in the place of what stood; afterwards a power cut takes it no more."""

    def create(self, name: str, content: bytes) -> bool:
        """Put it there as a whole where nothing is: of several that try, one gets True."""

    def delete(self, name: str) -> None:
        """Take it away, if it is there."""

    def names(self, folder: str) -> list[str]:
        """The files below a folder, in order."""

    def every(self) -> list[str]:
        """All that is there, at any depth and of any kind, in order."""

    def replace(self, name: str, found: bytes, content: bytes | None) -> bool:
        """Put it there where exactly `found` stands, or take that away: of several that try, one gets True (If-Match)."""

    def touch(self, name: str) -> None:
        """Make it as young as one that was just written, if it is there."""

    def age(self, name: str) -> float | None:
        """How long ago it was written or touched, in seconds; None where it is not there."""


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """Control files on a disk."""

    root: Path

    @property
    def lake(self) -> str:
        """See ControlFiles."""
        return str(self.root.parent)

    def place(self, name: str) -> str:
        """See ControlFiles."""
        return str(self.root / name)

    def read(self, name: str) -> bytes | None:
        """Nothing that would wait for who writes into it, as a pipe does."""
        path = self.root / name
        try:
            file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except FileNotFoundError:
            return None
        with os.fdopen(_of_a_file(file, path), "rb") as opened:
            return opened.read()

    def write(self, name: str, content: bytes) -> None:
        """By a draft that is flushed to the disk, and takes the file's name then."""
        path = self.root / name
        draft = self._draft(path, content)
        draft.replace(path)
        _flush(path.parent)

    def create(self, name: str, content: bytes) -> bool:
        """By a second name for a draft, which is refused where the name is taken."""
        path = self.root / name
        draft = self._draft(path, content, f".{os.getpid()}-{threading.get_ident()}")
        try:
            os.link(draft, path)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            try:
                with path.open("xb") as file:
                    file.write(content)
            except FileExistsError:
                return False
        finally:
            draft.unlink(missing_ok=True)
        _flush(path.parent)
        return True

    def replace(self, name: str, found: bytes, content: bytes | None) -> bool:
        """Under a lock of the file system's, which ends with its process; one that has none is taken at its word."""
        lock = self.root / f"{name}.lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
        with lock.open("ab") as held:
            _lock(held.fileno())
            if self.read(name) != found:
                return False
            if content is None:
                self.delete(name)
            else:
                self.write(name, content)
            return True

    def delete(self, name: str) -> None:
        """See ControlFiles."""
        (self.root / name).unlink(missing_ok=True)

    def names(self, folder: str) -> list[str]:
        """See ControlFiles."""
        files = (path for path in (self.root / folder).glob("*") if path.suffix not in (".draft", ".lock"))
        return sorted(f"{folder}/{path.name}" for path in files)

    def every(self) -> list[str]:
        """See ControlFiles."""
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*") if path.is_file())

    def touch(self, name: str) -> None:
        """See ControlFiles."""
        with suppress(FileNotFoundError):
            os.utime(self.root / name)

    def age(self, name: str) -> float | None:
        """See ControlFiles."""
        try:
            return time.time() - (self.root / name).stat().st_mtime
        except FileNotFoundError:
            return None

    def _draft(self, path: Path, content: bytes, more: str = "") -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}{more}.draft")
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        return draft


def _of_a_file(opened: int, path: Path) -> int:
    if S_ISREG(os.fstat(opened).st_mode):
        return opened
    os.close(opened)
    raise OSError(errno.EINVAL, "is no file but a folder, pipe or device", str(path))


def _lock(file: int) -> None:
    with suppress(ImportError, OSError):
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)


def _flush(folder: Path) -> None:
    """Names that were given in a folder are on the disk afterwards, where its file system can promise it."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@dataclass(frozen=True, slots=True)
class Document(Generic[T]):
    """One control file of JSON, of which a release knows one version. kind: a dataclass of what it holds.

    upgrades: what makes one of an older version the next (1 has no number in it): such a file is read once, and written
    anew. without: what happens once it is deleted, for who finds it damaged.
    """

    name: str
    kind: type[T]
    without: str
    version: int = 1
    upgrades: Mapping[int, Callable[[Any], dict[str, Any]]] = field(default_factory=dict)

    def load(self, files: ControlFiles) -> T | None:
        """What the file says; None where there is none.

        Raises: BadInput for one that is damaged, or of a version that this release does not know.
        """
        try:
            content = files.read(self.name)
        except StoreError:  # which the next try may find
            raise
        except OSError as error:
            raise BadInput(
                f"can't be read ({error.strerror})",
                where=files.place(self.name),
                todo=f"make it a file that may be read, or take it away ({self.without})",
            ) from None
        if content is None:
            return None
        try:
            raw = json.loads(content, parse_int=_whole, parse_constant=_whole)
            # Half a character is a ValueError: no table takes it.
            json.dumps(raw, ensure_ascii=False).encode()
            version = raw.pop("version", 1) if isinstance(raw, dict) else 1
        except (ValueError, RecursionError):
            raise self._damaged(files, "is not JSON as kipwatch writes it") from None
        if not isinstance(version, int) or version > self.version:
            raise unknown_version(version, self.version, files.place(self.name))
        try:
            for number in range(version, self.version):
                raw = self.upgrades[number](raw)
            value = checked(self.kind, raw)
        except (ValueError, LookupError, TypeError, AttributeError):
            raise self._damaged(files, "lacks what kipwatch writes into it") from None
        if version < self.version:
            self.save(files, value)
        return value

    def save(self, files: ControlFiles, value: T) -> None:
        """Write it in the place of what stood."""
        files.write(self.name, self._content(value))

    def create(self, files: ControlFiles, value: T) -> bool:
        """Write it where nothing stands; gives whether nothing did."""
        return files.create(self.name, self._content(value))

    def replace(self, files: ControlFiles, found: bytes, value: T) -> bool:
        """Write it where exactly what was found still stands; gives whether it did."""
        return files.replace(self.name, found, self._content(value))

    def withdraw(self, files: ControlFiles, value: T) -> bool:
        """Take it away where it still is what was written; gives whether it was."""
        return files.replace(self.name, self._content(value), None)

    def delete(self, files: ControlFiles) -> None:
        """Take it away."""
        files.delete(self.name)

    def _content(self, value: T) -> bytes:
        values = {"version": self.version, **asdict(value)}  # type: ignore[call-overload]
        return json.dumps(values, sort_keys=True).encode()

    def _damaged(self, files: ControlFiles, what: str) -> "DamagedFile":
        return DamagedFile(
            f"is damaged: {what}", where=files.place(self.name), todo=f"delete it ({self.without})"
        )


def unknown_version(found: object, known: int, where: str) -> BadInput:
    """The error of what a later release wrote."""
    return BadInput(
        f"is of version {found!r}, and this release of kipwatch knows {known}",
        where=where,
        todo="use the release that wrote it, or a later one",
    )


def _whole(text: str) -> int:
    """A number that tables can hold; no NaN."""
    value = int(text)
    if abs(value) >= 1 << 63:
        raise ValueError(text)
    return value
