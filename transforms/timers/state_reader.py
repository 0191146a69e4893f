"""A state from its columns: all objects are made empty first, then what they hold is put into them."""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import accumulate, pairwise, repeat
from typing import Any

from transforms.timers.state_kinds import (
    ATOMIC,
    ATOMS,
    DEFAULTS,
    FACTORIES,
    MAPPINGS,
    MEMBERS,
    MIXED,
    OBJECTS,
    OF_KIND,
    QUEUE,
    RUN,
    SAME,
    SEQUENCES,
    ForeignStateError,
    empty_object,
    own_class,
    setters_of,
    slots_of,
)

# Made of what a few bytes say.
MOST_MADE = 8_000_000
LIST, SET, ORDERED = SEQUENCES[list], SEQUENCES[set], MAPPINGS[OrderedDict]
FIXED: Mapping[Any, Callable[[Iterable[Any]], Any]] = {SEQUENCES[of]: of for of in (tuple, frozenset)}
MAPPING_OF = {code: of for of, code in MAPPINGS.items()}
CONTAINERS: Mapping[Any, Callable[[], Any]] = {LIST: list, SET: set, **MAPPING_OF}
UNFINISHED, UNDERWAY = object(), object()


class StateReader:
    """Reads one state. classes, kinds: as JSON has them."""

    def __init__(self, classes: list[Any], kinds: list[Any]) -> None:
        self._classes = [_known(*one) for one in classes]
        self._kinds = kinds
        self._made: list[Any] = []
        self._room = MOST_MADE
        for what, of, count, columns in kinds:
            self._made.append(self._empty(what, of, self._taken(count), columns))
        self._make_fixed()
        self._fill()

    def column(self, code: Any, count: int) -> Sequence[Any]:
        """The values of a column of so many. Raises: ForeignStateError for what no column of ours is."""
        how, *rest = code
        values: Sequence[Any]
        if how == SAME:
            (value,) = rest
            if type(value) not in ATOMS or count > MOST_MADE:
                raise ForeignStateError("no plain value")
            return [value] * count
        if how == ATOMIC:
            (values,) = rest
            if type(values) is not list or not set(map(type, values)) <= ATOMS:
                raise ForeignStateError("no plain values")
        elif how == RUN:
            kind, first = rest
            values = self._made[kind][first : first + count] if first >= 0 else ()
        elif how == OF_KIND:
            kind, places = rest
            objects = self._made[kind]
            values = [None if place is None else objects[place] for place in places]
        elif how == MIXED:
            values = [one if type(one) in ATOMS else self._at(*one) for one in rest[0]]
        else:
            raise ForeignStateError(f"{how!r:.40} is no kind of column")
        if len(values) != count:
            raise ForeignStateError("a column of another length")
        return values

    def _at(self, kind: int, place: int) -> Any:
        return self._made[kind][place]

    def _taken(self, count: Any) -> int:
        if type(count) is not int or not 0 <= count <= self._room:
            raise ForeignStateError("more objects than a state has")
        self._room -= count
        return count

    def _empty(self, what: Any, of: Any, count: int, columns: list[Any]) -> list[Any]:
        if what == OBJECTS:
            return list(map(empty_object, repeat(self._class(of, is_enum=False), count)))
        if what == MEMBERS:
            (values,) = columns
            return [*map(self._class(of, is_enum=True), self.column(values, count))]
        if what == QUEUE:
            return [deque(maxlen=most) for most in self.column(columns[0], count)]
        if what == DEFAULTS:
            factory = FACTORIES[of]
            return [defaultdict(factory) for _ in range(count)]
        if what in FIXED:
            return [UNFINISHED] * count
        make = CONTAINERS[what]
        return [make() for _ in range(count)]

    def _class(self, number: int, *, is_enum: bool) -> type:
        of = self._classes[number]
        if issubclass(of, Enum) is not is_enum:
            raise ForeignStateError(f"{of.__qualname__} is made in another way")
        return of

    def _fill(self) -> None:
        """Objects first: what dicts and sets hold is asked for its hash."""
        filled = list(zip(self._made, self._kinds, strict=True))
        for objects, (what, of, _, columns) in filled:
            if what == OBJECTS:
                self._fill_objects(objects, of, columns)
        for objects, (what, _, _, columns) in filled:
            if what in (LIST, SET):
                self._fill_sequences(objects, what, columns)
            elif what == QUEUE:
                self._fill_sequences(objects, what, columns[1:])
            elif what == DEFAULTS or what in MAPPING_OF:
                self._fill_mappings(objects, what, columns)

    # What can't change, and is made of what it holds -----------------------------------------------

    def _make_fixed(self) -> None:
        """Tuples, and sets that can't change: first those that hold none of them."""
        nested: dict[int, tuple[list[int], list[Any]]] = {}
        for number, (what, _, count, columns) in enumerate(self._kinds):
            if what in FIXED:
                lengths, held = columns
                ends = self._ends(lengths, count)
                if self._is_of_fixed(held):
                    nested[number] = ends, self._codes(held, ends[-1])
                else:
                    values = self.column(held, ends[-1])
                    self._made[number][:] = map(FIXED[what], _cut(values, ends))
        for number, (ends, _) in nested.items():
            for place in range(len(ends) - 1):
                self._fixed(number, place, nested)

    def _is_of_fixed(self, code: Any) -> bool:
        how, *rest = code
        if how == MIXED:
            return any(self._kinds[one[0]][0] in FIXED for one in rest[0] if type(one) is list)
        return how in (RUN, OF_KIND) and self._kinds[rest[0]][0] in FIXED

    def _codes(self, code: Any, count: int) -> list[Any]:
        """A column as MIXED has it."""
        how, *rest = code
        if how == MIXED:
            codes = rest[0]
        elif how == RUN:
            codes = [[rest[0], rest[1] + place] for place in range(count)]
        else:
            codes = [None if place is None else [rest[0], place] for place in rest[1]]
        if len(codes) != count:
            raise ForeignStateError("a column of another length")
        return list(codes)

    def _fixed(self, number: int, place: int, nested: dict[int, tuple[list[int], list[Any]]]) -> Any:
        """One of them, once what it holds is made."""
        made = self._made[number]
        if made[place] is not UNFINISHED:
            if made[place] is UNDERWAY:
                raise ForeignStateError("what can't change holds itself")
            return made[place]
        if place < 0:
            raise ForeignStateError("no place")
        made[place] = UNDERWAY
        ends, codes = nested[number]
        held = [
            one if type(one) in ATOMS else self._fixed(one[0], one[1], nested)
            for one in codes[ends[place] : ends[place + 1]]
        ]
        made[place] = FIXED[self._kinds[number][0]](held)
        return made[place]

    # What is filled ----------------------------------------------------------------------------------

    def _fill_objects(self, objects: list[Any], of: int, columns: list[Any]) -> None:
        klass, count = self._classes[of], len(objects)
        setters = setters_of(klass)
        if count == 1 and len(setters) > 1:
            row, *attributes = columns
            for setter, value in zip(setters, self.column(row, len(setters)), strict=True):
                setter(objects[0], value)
        else:
            attributes = columns[len(setters) :]
            for setter, code in zip(setters, columns[: len(setters)], strict=True):
                deque(map(setter, objects, self.column(code, count)), maxlen=0)
        if not klass.__dictoffset__ and not attributes:
            return
        for one, held in zip(objects, self._entries(attributes, count), strict=True):
            attributes_of = dict(held)
            if any(
                not isinstance(name, str) or callable(getattr(klass, name, None)) for name in attributes_of
            ):
                raise ForeignStateError(f"a method of {klass.__qualname__} is none of its data")
            vars(one).update(attributes_of)

    def _fill_sequences(self, objects: list[Any], what: Any, columns: list[Any]) -> None:
        lengths, held = columns
        ends = self._ends(lengths, len(objects))
        if not ends[-1] and self.column(held, 0) == []:
            return
        for one, values in zip(objects, _cut(self.column(held, ends[-1]), ends), strict=True):
            if values:
                (one.update if what == SET else one.extend)(values)

    def _fill_mappings(self, objects: list[Any], what: Any, columns: list[Any]) -> None:
        # A Counter's own would count.
        fill: Callable[[Any, Any], None] = OrderedDict.update if what == ORDERED else dict.update
        for one, entries in zip(objects, self._entries(columns, len(objects)), strict=True):
            if entries:
                fill(one, entries)

    def _entries(self, columns: list[Any], count: int) -> Iterator[list[tuple[Any, Any]]]:
        lengths, keys, values = columns
        ends = self._ends(lengths, count)
        held = list(zip(self.column(keys, ends[-1]), self.column(values, ends[-1]), strict=True))
        return _cut(held, ends)

    def _ends(self, code: Any, count: int) -> list[int]:
        """Where each of so many begins, and where the last ends. code: of their lengths."""
        lengths = self.column(code, count)
        if set(map(type, lengths)) - {int} or min(lengths, default=0) < 0:
            raise ForeignStateError("no lengths")
        return list(accumulate(lengths, initial=0))


def _cut(values: Sequence[Any], ends: Sequence[int]) -> Iterator[Any]:
    return (values[begin:end] for begin, end in pairwise(ends))


def _known(module: str, name: str, slots: list[str]) -> type:
    of = own_class(module, name)
    if of is None:
        raise ForeignStateError(f"{module}.{name} is no part of a state")
    if list(slots_of(of)) != slots:
        raise ForeignStateError(f"{module}.{name} holds other data by now")
    return of
