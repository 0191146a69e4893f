"""The state of a fold as bytes and back: pickle, held to this project's own plain classes.

Machines share objects (a chain stands in a list and in a dict, and is compared by identity), which JSON would tear apart.
A pickle may call whatever it names, and a lake may be written by others: so it may name only classes that are defined in
`transforms`, and a few containers. None of them does anything when it is made.
"""

import io
import pickle
import zlib
from collections import Counter, OrderedDict, defaultdict, deque
from importlib import import_module
from typing import Any

OWN = "transforms."
LEVEL = 1
CONTAINERS: dict[tuple[str, str], Any] = {
    (one.__module__, one.__qualname__): one
    for one in (Counter, OrderedDict, defaultdict, deque, set, frozenset, dict, list, int)
}


class ForeignStateError(Exception):
    """A state names what no state of ours holds."""


def dump_state(state: Any) -> bytes:
    """A state, compressed. The state is not changed."""
    return zlib.compress(pickle.dumps(state, protocol=5), LEVEL)


def load_state(data: bytes) -> Any:
    """The state that dump_state gave these bytes for.

    Raises: NotOursError for bytes that are no state, or that name anything but plain data of ours.
    """
    try:
        return _Ours(io.BytesIO(zlib.decompress(data))).load()
    except ForeignStateError:
        raise
    except Exception as error:  # a damaged pickle raises whatever its opcodes meet
        raise ForeignStateError(f"no state: {type(error).__name__}") from error


class _Ours(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """A class of `transforms`, or a container; a name with a dot could reach into what a module imports."""
        known = CONTAINERS.get((module, name))
        if known is not None:
            return known
        if module.startswith(OWN) and "." not in name:
            found = getattr(import_module(module), name, None)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise ForeignStateError(f"{module}.{name} is no part of a state")
