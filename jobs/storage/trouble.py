"""What keeps a lake from being written or read, told in a sentence: a disk that is full or may not be written to, damage."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from deltalake.exceptions import DeltaError
from pyarrow import ArrowException

from expectations.place import LakePlace
from jobs.storage.store_files import asking
from transforms.diagnose.wording.render import shown
from transforms.errors import BadInput
from transforms.explain.errors import line_of
from transforms.when_used import when_used

# How deltalake and Arrow tell what the system said: in a text alone.
OF_THE_SYSTEM = when_used(r"(?i)os error (\d+)|\[errno (\d+)\]")
# RLIMIT_FSIZE and quotas end writes as a full disk does.
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS}


@contextmanager
def told(lake: LakePlace) -> Iterator[None]:
    """What the lake's disk, store or tables refuse while the block runs is one sentence.

    Raises: BadInput; StoreAway where a store doesn't answer.
    """
    try:
        with asking(lake):
            yield
    except (OSError, DeltaError, ArrowException) as error:
        raise of_lake(error, lake) from error


def of_lake(error: Exception, lake: LakePlace) -> BadInput:
    """The sentence of what an error of a disk or a table says."""
    number, named = _number(error), os.fsdecode(getattr(error, "filename", None) or str(lake))
    if number in FULL:
        todo = "make room, and start it again: nothing that was read is lost"
    elif number in REFUSED:
        todo = "give a lake you may write to"
    else:
        todo = "look at the lake's files, or read the same logs again into a new lake"
    what = f"can't be written or read ({os.strerror(number) if number else line_of(error)})"
    # Of its own files the lake is told: drafts and data files have names that say nothing.
    return BadInput(what, where=str(lake) if named.startswith(str(lake)) else shown(named), todo=todo)


def _number(error: Exception) -> int | None:
    if isinstance(error, OSError) and error.errno:
        return error.errno
    found = OF_THE_SYSTEM.search(str(error))
    return int(found[1] or found[2]) if found else None
