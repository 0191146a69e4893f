"""What ends a task over one source or process, as a fault of kipwatch does: the others go on, and it is told."""

import json
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from transforms.errors import KipwatchError
from transforms.tasks import Note

# What ends a run whatever it works on: no source or process is to blame for it.
OF_THE_MACHINE = (OSError, KipwatchError, MemoryError)
FAULTS = "faults"  # name of such notes


def fault_note(key: str, error: Exception) -> Note:
    """What it was, in a few words. The text that did it is not repeated. key: the source or process."""
    return Note(FAULTS, json.dumps([key, f"{type(error).__name__} in {raised_at(error)}"]))


def raised_at(error: BaseException) -> str:
    """The file's name and the line that raised it: `whole.py:20`."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"


def faults_in(notes: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What it was, by source or process."""
    return dict(json.loads(text) for text in notes.get(FAULTS, ()))


def told_of(faults: Mapping[str, str], names: Mapping[str, str] | None = None) -> Iterator[tuple[str, str]]:
    """Each, and what is said of it. names: of sources and processes that have another one for people."""
    for key, what in sorted(faults.items()):
        yield (names or {}).get(key, key), f"ended by a fault of kipwatch ({what}); report it"
