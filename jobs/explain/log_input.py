"""A log that `explain` is given."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class LogInput:
    """A log to read. path: as it is shown, and what names its process. open: its bytes from the first, to be sought.
    size: of a file that any process may open by its path; else 0.
    """

    path: str
    open: Callable[[], AbstractContextManager[BinaryIO]]
    size: int = 0
