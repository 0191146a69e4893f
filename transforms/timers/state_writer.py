"""A state by column: first all that it holds is found, kind by kind, then the columns of each kind are written."""

import sys
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from itertools import chain
from operator import attrgetter
from typing import Any

from transforms.timers.state_kinds import (
    ATOMIC,
    ATOMS,
    DEFAULTS,
    FACTORY_NAMES,
    MAPPINGS,
    MEMBERS,
    MIXED,
    OBJECTS,
    OF_KIND,
    QUEUE,
    RUN,
    SAME,
    SEQUENCES,
    LargeStateError,
    getters_of,
    own_class,
    slots_of,
)

NOTHING = type(None)
# Of these a set can be made before what they hold is filled in.
HASHED_AT_ONCE = ATOMS | {tuple}
Columns = list[list[Any]]


class _Kind:
    """All objects of one kind. places: of each, by its identity. columns: of those that were looked into (`seen`), of which
    the first `slots` have a value of each."""

    __slots__ = ("columns", "head", "number", "objects", "places", "read", "seen", "slots")

    def __init__(
        self, number: int, head: list[Any], read: Callable[[Sequence[Any]], Columns], slots: int = 0
    ) -> None:
        self.number, self.head, self.read, self.slots = number, head, read, slots
        self.objects: list[Any] = []
        self.places: dict[int, int] = {}
        self.columns: Columns = []
        self.seen = 0


class StateWriter:
    """Writes one state. most_objects: that it may have."""

    def __init__(self, most_objects: int | None) -> None:
        self._most = sys.maxsize if most_objects is None else most_objects
        self._count = 0
        self._classes: list[tuple[str, str, tuple[str, ...]]] = []
        self._kinds: dict[Any, _Kind] = {}

    def written(self, state: Any) -> dict[str, Any]:
        """The state as JSON has it.

        Raises: TypeError, LargeStateError.
        """
        self._find([state])
        while waiting := [kind for kind in self._kinds.values() if kind.seen < len(kind.objects)]:
            for kind in waiting:
                self._look_into(kind)
        kinds = [
            [*kind.head, len(kind.objects), list(map(self._column, _as_row(kind.columns, kind.slots)))]
            for kind in self._kinds.values()
        ]
        return {"classes": self._classes, "kinds": kinds, "state": self._column([state])}

    def _look_into(self, kind: _Kind) -> None:
        fresh = kind.objects[kind.seen :]
        kind.seen += len(fresh)
        columns = kind.read(fresh)
        for column in _as_row(columns, kind.slots):
            self._find(column)
        if not kind.columns:
            kind.columns = columns
        else:
            for whole, more in zip(kind.columns, columns, strict=True):
                whole += more

    def _find(self, column: Sequence[Any]) -> None:
        """Give each object of a column its place among those of its kind."""
        types = set(map(type, column))
        if types <= ATOMS:
            return
        if len(types) == 1 and defaultdict not in types:
            kind, ids = self._kind(column[0]), list(map(id, column))
            begin = len(kind.places)
            if len(set(ids)) == len(ids) and kind.places.keys().isdisjoint(ids):  # as of what nobody shares
                kind.places.update(zip(ids, range(begin, begin + len(ids)), strict=True))
                kind.objects += column
                self._counted(len(ids))
                return
        for one in column:
            of = type(one)
            if of not in ATOMS:
                kind = self._kinds.get(of) or self._kind(one)
                if id(one) not in kind.places:
                    kind.places[id(one)] = len(kind.objects)
                    kind.objects.append(one)
                    self._counted(1)

    def _counted(self, more: int) -> None:
        self._count += more
        if self._count > self._most:
            raise LargeStateError

    def _column(self, column: Sequence[Any]) -> list[Any]:
        types = set(map(type, column))
        if types <= ATOMS:
            # 0.0 is -0.0 to who compares, and no number is another number that prints the same.
            is_same = len(types) == 1 and float not in types and column.count(column[0]) == len(column)
            return [SAME, column[0]] if is_same else [ATOMIC, column]
        objects = types - {NOTHING}
        if len(objects) > 1 or defaultdict in objects or not objects.isdisjoint(ATOMS):
            return [MIXED, [one if type(one) in ATOMS else self._place(one) for one in column]]
        if NOTHING in types:
            kind = self._kind(next(one for one in column if one is not None))
            places = kind.places
            return [OF_KIND, kind.number, [None if one is None else places[id(one)] for one in column]]
        kind = self._kind(column[0])
        found = list(map(kind.places.__getitem__, map(id, column)))
        is_run = found == list(range(found[0], found[0] + len(found)))
        return [RUN, kind.number, found[0]] if is_run else [OF_KIND, kind.number, found]

    def _place(self, value: Any) -> list[int]:
        of = type(value)
        kind = self._kind(value) if of is defaultdict else self._kinds[of]
        return [kind.number, kind.places[id(value)]]

    def _kind(self, value: Any) -> _Kind:
        of = type(value)
        key = (of, value.default_factory) if of is defaultdict else of
        kind = self._kinds.get(key)
        if kind is None:
            kind = self._kinds[key] = self._new_kind(value, of)
        return kind

    def _new_kind(self, value: Any, of: type) -> _Kind:
        number = len(self._kinds)
        if of is frozenset:
            return _Kind(number, [SEQUENCES[of], None], _of_frozen_sets)
        if of in SEQUENCES:
            return _Kind(number, [SEQUENCES[of], None], _of_sequences)
        if of in MAPPINGS:
            return _Kind(number, [MAPPINGS[of], None], _of_mappings)
        if of is deque:
            return _Kind(number, [QUEUE, None], _of_queues)
        if of is defaultdict:
            if value.default_factory not in FACTORY_NAMES:
                raise TypeError(f"a defaultdict of {value.default_factory} is no plain data")
            return _Kind(number, [DEFAULTS, FACTORY_NAMES[value.default_factory]], _of_mappings)
        if issubclass(of, Enum):
            return _Kind(number, [MEMBERS, self._number(of)], _of_members)
        slots = slots_of(of)  # type: ignore[arg-type]  # mypy asks a class for its instances' hash
        return _Kind(number, [OBJECTS, self._number(of)], _objects_reader(of), len(slots))

    def _number(self, of: type) -> int:
        if own_class(of.__module__, of.__qualname__) is not of:
            raise TypeError(f"{of.__module__}.{of.__qualname__} is no plain data")
        self._classes.append((of.__module__, of.__qualname__, slots_of(of)))
        return len(self._classes) - 1


def _as_row(columns: Columns, slots: int) -> Columns:
    """The slots of a single object side by side: of most classes a small state has one."""
    if slots < 2 or len(columns[0]) != 1:
        return columns
    return [[column[0] for column in columns[:slots]], *columns[slots:]]


def _of_sequences(objects: Sequence[Any]) -> Columns:
    return [list(map(len, objects)), list(chain.from_iterable(objects))]


def _of_frozen_sets(objects: Sequence[Any]) -> Columns:
    lengths, held = _of_sequences(objects)
    if not set(map(type, held)) <= HASHED_AT_ONCE:
        raise TypeError("a frozenset of objects is no plain data: it is made before they are filled")
    return [lengths, held]


def _of_mappings(objects: Iterable[Any]) -> Columns:
    held = list(objects)
    values = chain.from_iterable([one.values() for one in held])
    return [list(map(len, held)), list(chain.from_iterable(held)), list(values)]


def _of_queues(objects: Sequence[Any]) -> Columns:
    return [[one.maxlen for one in objects], *_of_sequences(objects)]


def _of_members(objects: Sequence[Any]) -> Columns:
    return [[one.value for one in objects]]


def _objects_reader(of: type) -> Callable[[Sequence[Any]], Columns]:
    getters = getters_of(of)
    if not of.__dictoffset__:
        return lambda objects: [list(map(get, objects)) for get in getters]
    attributes = attrgetter("__dict__")
    return lambda objects: [
        *[list(map(get, objects)) for get in getters],
        *_of_mappings(map(attributes, objects)),
    ]
