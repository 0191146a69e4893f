"""Where input lies: a path of the file system, or `scheme://bucket/key` of an object store (docs/decisions/0013).

The only place that opens input, and objects that a run puts aside for itself. Stores are spoken to by pyarrow.fs, which has
a client for each; files are not.
"""

import atexit
import errno
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from transforms.diagnose.wording.render import shown
from transforms.errors import Away, BadInput
from transforms.parse.secrets.redact import redact
from transforms.plans.urls import MARKS, fits, is_object, parts_of
from transforms.when_used import when_used

# pyarrow tells what S3 answered only in a text; an answer to HEAD has no body, and may have only a number.
AWS_ERROR = when_used(r"AWS Error (?:UNKNOWN \()?(\w+(?: status \d+)?)")
NO_BUCKET = when_used(r"NO_SUCH_BUCKET|NoSuchBucket|Bucket '.*' not found")
DENIED = when_used(
    r"ACCESS_DENIED|INVALID_ACCESS_KEY_ID|INVALID_CLIENT_TOKEN_ID|SIGNATURE_DOES_NOT_MATCH|MISSING_AUTHENTICATION_TOKEN"
    r"|HTTP status 40[13]|ExpiredToken|InvalidToken"
)
RANGE_BYTES = 1 << 20  # one request brings so much: a head, or what a few reads of a parser take
NO_ANSWER = "no answer from the store"
TASK_AWAY = when_used(rf"StoreAway: (?P<where>.+?): (?P<what>{NO_ANSWER} \(.*\)); (?P<todo>.*)")
TASK_DENIED = when_used(rf"PermissionError: \[Errno {errno.EACCES}\] (?P<what>.+?): '(?P<where>.+)'")
GS_SECONDS = 20  # so long a store of Google's is tried

_systems: dict[tuple[int, str], tuple[Any, str]] = {}
# At the end before pyarrow's own handler, which waits for clients of S3 that somebody still has.
atexit.register(_systems.clear)


class StoreAway(Away):
    """An object store does not answer, or not as it should."""


def error_of_task(text: str) -> StoreAway | PermissionError | None:
    """The error that a task ended with when it read input, in what Spark says of it."""
    if away := TASK_AWAY.search(text):
        return StoreAway(away["what"], where=away["where"], todo=away["todo"])
    denied = TASK_DENIED.search(text)
    return PermissionError(errno.EACCES, denied["what"], denied["where"]) if denied else None


def filesystem(url: str) -> tuple[Any, str]:
    """pyarrow's file system of a store, and the path of this URL in it."""
    system, _, inner = _within(url)
    return system, inner


def open_input(path: str) -> BinaryIO:
    """A file or an object, to be read and sought; of an object each read is a request, and brings a MiB or more.

    Raises: OSError where it isn't there or must not be read, when it is opened or read; StoreAway.
    """
    if not is_object(path):
        return Path(path).open("rb")
    return io.BufferedReader(_Object(path), RANGE_BYTES)


# Path, size in bytes, and time of change (ns), as the store tells them.
Stat = tuple[str, int, int]


def open_output(url: str) -> Any:
    """A new object as pyarrow's output stream: it is there once that is closed. Only a run's own rows are put aside so.

    Raises: PermissionError, StoreAway.
    """
    with telling(url):
        system, _, inner = _within(url)
        return system.open_output_stream(inner, compression=None)


def below(given: str, *, is_deep: bool = True) -> list[Stat] | None:
    """The object of this path, else those below it as below a folder; None where there is nothing.

    Raises: PermissionError, StoreAway.
    """
    from pyarrow.fs import FileSelector, FileType

    root, _, _, key = parts_of(given)
    # Who may read no more than what is below need not be asked for it.
    is_folder = not key or key.endswith("/")
    try:
        with telling(given):
            system, base, inner = _within(given.rstrip("/"))
            if not is_folder:
                info = system.get_file_info(inner)
                if info.type == FileType.File:
                    return [(given, info.size, info.mtime_ns or 0)]
            infos = system.get_file_info(FileSelector(inner, recursive=is_deep))
    except FileNotFoundError:
        return None
    return [
        (f"{root}/{info.path[len(base) :].lstrip('/')}", info.size, info.mtime_ns or 0)
        for info in infos
        if info.type == FileType.File
    ]


def matching(given: str) -> list[Stat]:
    """The objects that a glob fits. As of files: `*` stays within a part of the path, `**` is any number of parts.

    Raises: PermissionError, StoreAway.
    """
    root, _, _, key = parts_of(given)
    parts = key.split("/")
    marked = next(number for number, part in enumerate(parts) if MARKS.search(part))
    folder, pattern = "/".join([root, *parts[:marked]]), parts[marked:]
    found = below(f"{folder}/", is_deep=len(pattern) > 1 or pattern == ["**"]) or []
    return [one for one in found if fits(one[0].removeprefix(f"{folder}/").split("/"), pattern)]


class _Object(io.RawIOBase):
    """An object as an unbuffered file, whose errors are those of open_input."""

    def __init__(self, path: str) -> None:
        self._path = path
        with telling(path):
            system, _, inner = _within(path)
            self._file = system.open_input_file(inner)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with telling(self._path):
            return int(self._file.readinto(buffer))

    def readall(self) -> bytes:  # else in pieces of 8 KiB
        with telling(self._path):
            return bytes(self._file.read())

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def _within(path: str) -> tuple[Any, str, str]:
    """pyarrow's file system, what its paths below the root begin with, and the object's path in it.

    One for each bucket and process: none is taken over a fork, which its threads don't survive.
    """
    root, scheme, bucket, key = parts_of(path)
    if (os.getpid(), root) not in _systems:
        _systems[os.getpid(), root] = _connected(root, scheme, bucket)
    system, base = _systems[os.getpid(), root]
    return system, base, "/".join(part for part in (base, key) if part)


def _connected(root: str, scheme: str, bucket: str) -> tuple[Any, str]:
    from pyarrow import fs

    # The SDK has these variables; pyarrow 26 does not read them (apache/arrow 49643).
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    if scheme == "s3" and endpoint:
        return fs.S3FileSystem(endpoint_override=endpoint.rstrip("/")), bucket
    # Google's client would try for a quarter of an hour.
    options = f"/?retry_limit_seconds={GS_SECONDS}" if scheme == "gs" else ""
    try:
        system, base = fs.FileSystem.from_uri(root + options)
    except ValueError as error:
        raise BadInput(f"is no place ({redact(str(error))})", where=root, todo="check the path") from None
    return system, base.rstrip("/")


@contextmanager
def telling(path: str) -> Iterator[None]:
    """What pyarrow raises, as what it means."""
    try:
        yield
    except OSError as error:
        raise _as_meant(error, path) from None


def _as_meant(error: OSError, path: str) -> Exception:
    text = str(error)
    if isinstance(error, FileNotFoundError) or NO_BUCKET.search(text):
        return FileNotFoundError(errno.ENOENT, "no such object", path)
    if isinstance(error, PermissionError) or DENIED.search(text):
        return PermissionError(errno.EACCES, "no permission, or no credentials", path)
    found = AWS_ERROR.search(text)
    reason = found[1] if found else redact(text.partition("\n")[0])[:200]
    return StoreAway(
        f"{NO_ANSWER} ({shown(reason)})",
        where=shown(path),
        todo="see that it runs and can be reached, and what the environment says of it",
    )
