"""Events that say what a process is, among rows of events."""

from typing import TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from transforms.timers.clients.settings import CONTROL_KINDS, CONTROL_MESSAGES

# The events that wait for settings: only they say how far a task's timer is.
NEEDS_LIMIT = "task_timeout_continue"
Rows = TypeVar("Rows", pa.RecordBatch, pa.Table)


def is_control(events: pa.RecordBatch | pa.Table) -> pa.Array:
    """Which events say what a process is; the same test as transforms.timers.clients.settings.is_control."""
    kinds, messages = (pa.array(sorted(known)) for known in (CONTROL_KINDS, CONTROL_MESSAGES))
    return pc.or_(pc.is_in(events.column("kind"), kinds), pc.is_in(events.column("message_id"), messages))


def control_of(events: Rows) -> Rows:
    """Of events those that are put apart as CONTROL."""
    return events.filter(pc.or_(is_control(events), pc.equal(events.column("kind"), NEEDS_LIMIT)))
