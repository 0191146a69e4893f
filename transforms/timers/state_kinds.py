"""What a kept state may hold: plain values, containers, and objects of classes of this project."""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping
from enum import EnumType
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any

FORMAT = 2
OWN = "transforms."
ATOMS = frozenset({type(None), bool, int, float, str})
# What a container is written as, and how it is made of what it holds.
SEQUENCES: Mapping[type, int] = {list: 1, tuple: 2, set: 3, frozenset: 4}
MAPPINGS: Mapping[type, int] = {dict: 5, OrderedDict: 6, Counter: 7}
FACTORIES: Mapping[str, type] = {one.__name__: one for one in (list, dict, set, int, deque, Counter)}
FACTORY_NAMES: Mapping[Any, str] = {one: name for name, one in FACTORIES.items()}
QUEUE, DEFAULTS, MEMBERS, OBJECTS = "q", "d", "e", "c"
# How a column is written.
SAME, ATOMIC, RUN, OF_KIND, MIXED = "=", "v", "s", "r", "m"


class ForeignStateError(Exception):
    """A state is not what a state of ours is."""


class LargeStateError(Exception):
    """A state of more objects than are to be written."""


@cache
def slots_of(of: type) -> tuple[str, ...]:
    """The slots of a class, those of its parents first."""
    slots: list[str] = []
    for parent in reversed(of.__mro__):
        own = vars(parent).get("__slots__", ())
        slots += [own] if isinstance(own, str) else own
    return tuple(name for name in slots if name not in ("__dict__", "__weakref__"))


@cache
def getters_of(of: type) -> tuple[Callable[[Any], Any], ...]:
    """What gives each of an object's slots, in their order."""
    return tuple(map(attrgetter, slots_of(of)))


@cache
def setters_of(of: type) -> tuple[Callable[[Any, Any], None], ...]:
    """What sets each of an object's slots, whatever its class says of setting."""
    return tuple(getattr(of, name).__set__ for name in slots_of(of))


@cache
def own_class(module: str, name: str) -> type | None:
    """A class that is defined in a module of `transforms`; a name with a dot could reach into what a module imports."""
    if not module.startswith(OWN) or not all(part.isidentifier() for part in (*module.split("."), name)):
        return None
    try:
        found = getattr(import_module(module), name, None)
    except ImportError:
        return None
    if not isinstance(found, type) or found.__module__ != module or issubclass(found, BaseException):
        return None
    return found if type(found) in (type, EnumType) else None


def empty_object(of: type) -> Any:
    """An object without its constructor."""
    return object.__new__(of)
