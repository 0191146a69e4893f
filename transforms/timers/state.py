"""The state of a fold as bytes and back: compressed JSON that names plain classes of this project, and can call nothing.

A lake may be written by others, so what is read from it is data: an object is made empty, without its constructor, and its
own slots are filled. Machines compare some of what they share by identity (a chain stands in a list and in a dict), which
plain JSON would tear apart: so what is met again is written as the number under which it was met first.

A value is itself where JSON has it (null, a bool, a number, text), else a list that begins with what it is:
`[0, n]` the n-th of what was met; `[1, ..]` a list, and so on (CONTAINERS); `["d", factory, keys and values in turn]` a
defaultdict, `["q", most, ..]` a deque; `["c", i, ..]` an object of the i-th class with its slots in turn; `["e", i, value]`
a member of an enumeration; `["a", i, slots, attributes by name]` an object of a class that has no slots.
"""

import json
import sys
import zlib
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from enum import Enum, EnumType
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any

FORMAT = 1
OWN = "transforms."
LEVEL = 1
# Of a state, not compressed: a few bytes of a lake may not take the memory.
MOST_BYTES = 256 << 20
ATOMS = frozenset({type(None), bool, int, float, str})
# What a container is written as, and how it is made of what it holds.
SEQUENCES: Mapping[type, int] = {list: 1, tuple: 2, set: 3, frozenset: 4}
MAPPINGS: Mapping[type, int] = {dict: 5, OrderedDict: 6, Counter: 7}
FACTORIES: Mapping[str, type] = {one.__name__: one for one in (list, dict, set, int, deque, Counter)}
FACTORY_NAMES: Mapping[Any, str] = {one: name for name, one in FACTORIES.items()}
MAPPING_OF = {code: of for of, code in MAPPINGS.items()}


class ForeignStateError(Exception):
    """A state is not what a state of ours is."""


class LargeStateError(Exception):
    """A state of more objects than are to be written."""


def dump_state(state: Any, most_objects: int | None = None) -> bytes:
    """A state, compressed. The state is not changed.

    Raises: TypeError for what is no plain data: a fault of the machine that holds it; LargeStateError.
    """
    writer = _Writer(most_objects)
    root = writer.value(state)
    whole = {"format": FORMAT, "classes": writer.classes, "state": root}
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
        return _Reader(whole["classes"]).value(whole["state"])
    except ForeignStateError:
        raise
    except Exception as error:  # what is damaged raises whatever its pieces meet
        raise ForeignStateError(f"no state: {type(error).__name__}") from error


@cache
def _slots(of: type) -> tuple[str, ...]:
    """The slots of a class, those of its parents first."""
    slots: list[str] = []
    for parent in reversed(of.__mro__):
        own = vars(parent).get("__slots__", ())
        slots += [own] if isinstance(own, str) else own
    return tuple(name for name in slots if name not in ("__dict__", "__weakref__"))


@cache
def _slots_getter(of: type) -> Callable[[Any], tuple[Any, ...]]:
    """What gives all that an object of a class holds in its slots, in their order."""
    names = _slots(of)
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


class _Writer:
    """classes: of what was written, as [module, name, slots]."""

    def __init__(self, most_objects: int | None) -> None:
        self._most = sys.maxsize if most_objects is None else most_objects
        self.classes: list[tuple[str, str, tuple[str, ...]]] = []
        self._numbers: dict[type, int] = {}
        self._met: dict[int, int] = {}

    def value(self, value: Any) -> Any:
        of = type(value)
        if of in ATOMS:
            return value
        met, key = self._met, id(value)
        if key in met:
            return [0, met[key]]
        if isinstance(value, Enum):
            return ["e", self._number(of), value.value]
        met[key] = len(met)
        if len(met) > self._most:
            raise LargeStateError
        each = self.value
        if code := SEQUENCES.get(of):
            return [code, *[one if type(one) in ATOMS else each(one) for one in value]]
        if code := MAPPINGS.get(of):
            return [code, *self._entries(value)]
        if of is deque:
            return ["q", value.maxlen, *map(each, value)]
        if of is defaultdict:
            if value.default_factory not in FACTORY_NAMES:
                raise TypeError(f"a defaultdict of {value.default_factory} is no plain data")
            return ["d", FACTORY_NAMES[value.default_factory], *self._entries(value)]
        return self._object(value, of)

    def _entries(self, value: Mapping[Any, Any]) -> list[Any]:
        entries: list[Any] = []
        for key, one in value.items():
            entries.append(key if type(key) in ATOMS else self.value(key))
            entries.append(one if type(one) in ATOMS else self.value(one))
        return entries

    def _object(self, value: Any, of: type) -> Any:
        number = self._number(of)
        slots = [one if type(one) in ATOMS else self.value(one) for one in _slots_getter(of)(value)]
        if not of.__dictoffset__:
            return ["c", number, *slots]
        return ["a", number, slots, self._entries(vars(value))]

    def _number(self, of: type) -> int:
        number = self._numbers.get(of)
        if number is None:
            if _own_class(of.__module__, of.__qualname__) is not of:
                raise TypeError(f"{of.__module__}.{of.__qualname__} is no plain data")
            number = self._numbers[of] = len(self.classes)
            self.classes.append((of.__module__, of.__qualname__, _slots(of)))
        return number


class _Reader:
    def __init__(self, classes: list[Any]) -> None:
        self._classes = [_known(module, name, slots) for module, name, slots in classes]
        self._met: list[Any] = []

    def value(self, value: Any) -> Any:
        if type(value) is not list:
            if type(value) is dict:
                raise ForeignStateError("an object that says no class")
            return value
        code, met = value[0], self._met
        if code == 0:
            found = met[value[1]]
            if found is _UNFINISHED:
                raise ForeignStateError("what can't change holds itself")
            return found
        if code == "c":
            of, setters = self._classes[value[1]]
            made = _empty(of)
            met.append(made)
            return self._filled(made, setters, value[2:])
        if code == "e":
            return self._classes[value[1]][0](value[2])
        if code == "a":
            return self._with_attributes(*value[1:])
        return self._container(code, value)

    def _container(self, code: Any, value: list[Any]) -> Any:
        place = len(self._met)
        self._met.append(_UNFINISHED)
        made: Any
        if code in MAPPING_OF:
            made = self._met[place] = MAPPING_OF[code]()
            return self._with_entries(made, value[1:])
        if code == "d":
            made = self._met[place] = defaultdict(FACTORIES[value[1]])
            return self._with_entries(made, value[2:])
        if code in (2, 4):
            made = (tuple if code == 2 else frozenset)(map(self.value, value[1:]))
            self._met[place] = made
            return made
        if code == 3:
            made = self._met[place] = set()
            made.update(map(self.value, value[1:]))
        elif code == 1:
            made = self._met[place] = []
            made.extend(map(self.value, value[1:]))
        elif code == "q":
            made = self._met[place] = deque(maxlen=value[1])
            made.extend(map(self.value, value[2:]))
        else:
            raise ForeignStateError(f"{code!r:.40} is no kind of value")
        return made

    def _with_entries(self, made: Any, entries: list[Any]) -> Any:
        each = iter(entries)
        for key, value in zip(each, each, strict=True):
            known = self.value(key) if type(key) is list else key  # met before its value, as it was written
            made[known] = self.value(value) if type(value) is list else value
        return made

    def _with_attributes(self, number: int, slots: list[Any], attributes: list[Any]) -> Any:
        of, setters = self._classes[number]
        made = _empty(of)
        self._met.append(made)
        self._filled(made, setters, slots)
        held = self._with_entries({}, attributes)
        if any(not isinstance(name, str) or callable(getattr(of, name, None)) for name in held):
            raise ForeignStateError(f"a method of {of.__qualname__} is none of its data")
        vars(made).update(held)
        return made

    def _filled(self, made: Any, setters: tuple[Callable[[Any, Any], None], ...], values: list[Any]) -> Any:
        each = self.value
        for setter, value in zip(setters, values, strict=True):
            setter(made, each(value) if type(value) is list else value)
        return made


_UNFINISHED = object()


def _empty(of: type) -> Any:
    return object.__new__(of)


def _known(module: str, name: str, slots: list[str]) -> tuple[type, tuple[Callable[[Any, Any], None], ...]]:
    """A class, and what sets each of its slots, whatever the class says of setting."""
    of = _own_class(module, name)
    if of is None:
        raise ForeignStateError(f"{module}.{name} is no part of a state")
    if list(_slots(of)) != slots:
        raise ForeignStateError(f"{module}.{name} holds other data by now")
    return of, _setters(of)


@cache
def _setters(of: type) -> tuple[Callable[[Any, Any], None], ...]:
    return tuple(getattr(of, name).__set__ for name in _slots(of))


@cache
def _own_class(module: str, name: str) -> type | None:
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
