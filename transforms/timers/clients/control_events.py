"""The control events of a process, held while they are gone through more than once."""

from collections.abc import Iterable, Iterator

import pyarrow as pa

from transforms.arrow_rows import events_from, events_packed
from transforms.events import ClientEvent

# So many are held as objects.
ROWS_PER_BATCH = 4096


class ControlEvents:
    """In their order, as often as they are gone through: the last few as objects, those before in columns.

    A process that makes a hundred thousand clients has some for each of them: in columns they take a tenth.
    """

    def __init__(self, events: Iterable[ClientEvent] = ()) -> None:
        self._packed: list[pa.RecordBatch] = []
        self._last: list[ClientEvent] = []
        for event in events:
            self.add(event)

    def add(self, event: ClientEvent) -> None:
        """Take the next one."""
        self._last.append(event)
        if len(self._last) == ROWS_PER_BATCH:
            self._packed.append(events_packed(self._last))
            self._last = []

    def __len__(self) -> int:
        return ROWS_PER_BATCH * len(self._packed) + len(self._last)

    def __iter__(self) -> Iterator[ClientEvent]:
        for batch in self._packed:
            yield from events_from(batch)
        yield from self._last
