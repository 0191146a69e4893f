"""What dumps print, for who has many of them: most clients of a process print the same names, and nearly the same values."""

from collections.abc import Mapping

# Names, and the text of each.
Printed = tuple[tuple[str, ...], tuple[str, ...]]


class Prints:
    """Takes dumps in: equal names are one tuple, and equal texts one object."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._texts: dict[str, str] = {}

    def of(self, values: Mapping[str, str]) -> Printed:
        """The settings of one dump."""
        names = tuple(values)
        texts = tuple(self._texts.setdefault(text, text) for text in values.values())
        return self._names.setdefault(names, names), texts
