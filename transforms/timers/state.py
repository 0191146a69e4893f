"""The state of a fold as bytes and back: compressed JSON that names plain classes of this project, and can call nothing.

A lake may be written by others, so what is read from it is data: an object is made empty, without its constructor, and its
own slots are filled. Machines compare some of what they share by identity (a chain stands in a list and in a dict), which
plain JSON would tear apart: so each object is written once, and what holds it names its place.

A state is written by column (docs/decisions/0066-states-by-column.md): `kinds` has all objects of a class, all lists, all
dicts, .. together, each kind as `[what, of, how many, columns]`. what and of: `"c"` and the number of a class in `classes`;
`"e"` and that of an enumeration; 1 to 7 a container (state_kinds.SEQUENCES, MAPPINGS); `"d"` and a factory's name a
defaultdict; `"q"` a deque. The columns of objects are their slots, and behind them, where a class has none, how many
attributes each has, their names and values. Those of containers are how many each holds, and what; of dicts keys and values;
of deques first the length they may have. A column is `["=", value]` for all alike; `["v", [values]]`, which are null, bools,
numbers and texts; `["s", kind, first]` a run of objects of a kind; `["r", kind, [places or null]]` objects of one kind;
`["m", [..]]` of which a list `[kind, place]` is an object.
"""

import json
import zlib
from typing import Any

from transforms.timers.state_kinds import FORMAT, ForeignStateError, LargeStateError
from transforms.timers.state_reader import StateReader
from transforms.timers.state_writer import StateWriter

__all__ = ["FORMAT", "ForeignStateError", "LargeStateError", "dump_state", "load_state"]

LEVEL = 1
# Of a state, not compressed: a few bytes of a lake may not take the memory.
MOST_BYTES = 256 << 20


def dump_state(state: Any, most_objects: int | None = None) -> bytes:
    """A state, compressed. The state is not changed.

    Raises: TypeError for what is no plain data: a fault of the machine that holds it; LargeStateError.
    """
    whole = {"format": FORMAT, **StateWriter(most_objects).written(state)}
    return zlib.compress(json.dumps(whole, separators=(",", ":"), check_circular=False).encode(), LEVEL)


def load_state(data: bytes) -> Any:
    """The state that dump_state gave these bytes for.

    Raises: ForeignStateError for bytes that are no state, of another format, or that name anything but plain data of ours.
    """
    try:
        unpacked = zlib.decompressobj()
        text = unpacked.decompress(data, MOST_BYTES)
        if unpacked.unconsumed_tail:
            raise ForeignStateError(f"a state of more than {MOST_BYTES} bytes")
        whole = json.loads(text)
        if whole["format"] != FORMAT:
            raise ForeignStateError("another format")
        return StateReader(whole["classes"], whole["kinds"]).column(whole["state"], 1)[0]
    except ForeignStateError:
        raise
    except Exception as error:  # what is damaged raises whatever its pieces meet
        raise ForeignStateError(f"no state: {type(error).__name__}") from error
