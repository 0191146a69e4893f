"""The control files of a lake in an object store: each an object, written and taken under the store's own conditions."""

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from expectations.place import LakePlace, StoreError, StorePlace, store_of, telling
from jobs.inputs.places import StoreAway
from transforms.errors import BadInput

# No store deletes an object on the condition that it is unchanged: it is emptied on that condition, and is as good as gone.
GONE = b""
CLOCK = "clock"


@dataclass(frozen=True, slots=True)
class StoreFiles:
    """Control files below a prefix. Errors are StoreError."""

    root: StorePlace

    @property
    def lake(self) -> str:
        """See ControlFiles."""
        return self.root.url.rpartition("/")[0]

    def place(self, name: str) -> str:
        """See ControlFiles."""
        return str(self.root / name)

    def read(self, name: str) -> bytes | None:
        """See ControlFiles."""
        return self._found(name)[0] or None

    def write(self, name: str, content: bytes) -> None:
        """An object is there as a whole or not at all."""
        self._put(name, content, "overwrite")

    def create(self, name: str, content: bytes) -> bool:
        """By If-None-Match; where an emptied one stands, by If-Match."""
        if self._put(name, content, "create"):
            return True
        found, mark = self._found(name)
        if found == GONE and mark:
            return self._put(name, content, mark)
        # An answer that got lost, and was asked for again: no two who try write the same.
        return found == content

    def replace(self, name: str, found: bytes, content: bytes | None) -> bool:
        """By If-Match, on what the store says of exactly what was found."""
        there, mark = self._found(name)
        return there == found and bool(mark) and self._put(name, content or GONE, mark)

    def delete(self, name: str) -> None:
        """See ControlFiles."""
        import obstore

        store, key = store_of(self.place(name))
        with telling(self.place(name)):
            try:
                obstore.delete(store, key)
            except FileNotFoundError:
                return

    def names(self, folder: str) -> list[str]:
        """See ControlFiles."""
        place = self.root / folder
        return sorted(f"{folder}/{place.name_of(one)}" for one in place.listed() if one["size"])

    def every(self) -> list[str]:
        """See ControlFiles."""
        return sorted(self.root.name_of(one) for one in self.root.listed())

    def touch(self, name: str) -> None:
        """By writing the same again, where it still is the same."""
        found, mark = self._found(name)
        if found and mark:
            self._put(name, found, mark)

    def age(self, name: str) -> float | None:
        """By the store's own clock, which an object that is written now tells: hosts need not agree on the time."""
        import obstore

        with telling(self.place(name)):
            store, key = store_of(self.place(name))
            try:
                written = obstore.head(store, key)
            except FileNotFoundError:
                return None
            if not written["size"]:
                return None
            self.write(CLOCK, b"now")
            now = obstore.head(*store_of(self.place(CLOCK)))
        return float((now["last_modified"] - written["last_modified"]).total_seconds())

    def _found(self, name: str) -> tuple[bytes | None, Any]:
        """What it holds, and what a condition on it says; None where it is not there."""
        import obstore

        store, key = store_of(self.place(name))
        with telling(self.place(name)):
            try:
                found = obstore.get(store, key)
                content = bytes(found.bytes())
            except FileNotFoundError:
                return None, None
        marks = {one: found.meta[one] for one in ("e_tag", "version")}
        return content, {one: mark for one, mark in marks.items() if mark is not None}

    def _put(self, name: str, content: bytes, mode: Any) -> bool:
        """False where the condition does not hold. mode: as obstore has it."""
        import obstore
        from obstore.exceptions import AlreadyExistsError, NotModifiedError, PreconditionError

        store, key = store_of(self.place(name))
        with telling(self.place(name)):
            try:
                obstore.put(store, key, content, mode=mode, use_multipart=False)
            except (AlreadyExistsError, PreconditionError, NotModifiedError):
                return False
        return True


def cleared(place: LakePlace) -> None:
    """Delete a folder, or all objects below a prefix; what can't be deleted stays."""
    if isinstance(place, Path):
        shutil.rmtree(place, ignore_errors=True)
        return
    import obstore

    with suppress(OSError), telling(str(place)):
        if keys := [found["path"] for found in place.listed()]:
            obstore.delete(store_of(place.url)[0], keys)


@contextmanager
def asking(lake: LakePlace) -> Iterator[None]:
    """What a lake's store refuses meanwhile is told in a sentence; nothing else is for a lake in a folder.

    Raises: BadInput where the bucket is not there or a permission is missing; StoreAway where it doesn't answer.
    """
    if isinstance(lake, Path):
        yield
        return
    try:
        with telling(str(lake)):
            yield
    except StoreError as error:
        todo = "see that it runs and can be reached, and what the environment says of it"
        if error.errno == errno.EIO:
            raise StoreAway(str(error.strerror), where=str(lake), todo=todo) from None
        todo = "check the bucket, and the credentials that the environment has, such as AWS_PROFILE"
        raise BadInput(str(error.strerror), where=str(lake), todo=todo) from None
