"""What can be chosen on a page: each value stands in its address, and the page follows the address."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, no_update

from dashboards.pages.page import Query, if_changed, query_of, search_of
from dashboards.parts import shown
from dashboards.queries import LakeReader

Options = Callable[[LakeReader, Query], Sequence[str | tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of the address.

    options: for an address, values or (value, words); None where it is typed. A value of the address that is none of them
    can be seen, and cleared, all the same. hint: what stands there while nothing is chosen. is_free: what is none of the
    options may be typed. default: what holds where the address says nothing, and so never stands there.
    """

    name: str
    label: str
    options: Options | None = None
    width: int = 300
    hint: str = "any"
    is_free: bool = False
    default: str | None = None

    def value(self, query: Query) -> str | None:
        """What of an address is chosen, as its component takes it."""
        nothing = "" if self.is_free or self.options is None else None
        return query.get(self.name) or self.default or nothing

    def known(self, lake: LakeReader, query: Query) -> list[dict[str, str]]:
        """What can be chosen at an address."""
        found = self.options(lake, query) if self.options else ()
        named = dict(one if isinstance(one, tuple) else (one, one) for one in found)
        if given := query.get(self.name):
            named.setdefault(given, given)
        return [{"value": one, "label": shown(words)} for one, words in named.items()]

    def component(self, lake: LakeReader, query: Query, looks: Mapping[str, Any]) -> Any:
        """Its component."""
        if self.options is None:
            return dmc.TextInput(value=self.value(query), debounce=400, **looks)
        held: dict[str, Any] = {"data": self.known(lake, query), "value": self.value(query)}
        if self.is_free:
            return dmc.Autocomplete(debounce=600, **held, **looks)
        if self.default:
            return dmc.Select(allowDeselect=False, **held, **looks)
        hint = {} if held["data"] else {"placeholder": "none known"}
        return dmc.Select(searchable=True, clearable=True, **held, **{**looks, **hint})


@dataclass(frozen=True, slots=True)
class Form:
    """The choices of a page. is_chain: those behind one are asked for anew when it changes; else each is by itself, and its
    label stands within it.
    """

    path: str
    choices: tuple[Choice, ...]
    is_chain: bool = False

    def components(self, lake: LakeReader, query: Query) -> list[Any]:
        """Their components at an address."""
        return [one.component(lake, query, self._looks(one)) for one in self.choices]

    @property
    def outputs(self) -> list[Output]:
        """What of them follows the address."""
        return [Output(self._id(one), prop) for one in self.choices for prop in _props(one)]

    def values(self, lake: LakeReader, query: Query, before: Query) -> list[Any]:
        """Of `outputs`, at an address after another."""
        return [
            one.known(lake, query) if prop == "data" else if_changed(one.value(query), one.value(before))
            for one in self.choices
            for prop in _props(one)
        ]

    def connect(self, app: Dash) -> None:
        """What is chosen goes into the address."""
        app.callback(
            Output("app-url", "search", allow_duplicate=True),
            *(Input(self._id(one), "value") for one in self.choices),
            State("app-url", "search"),
            prevent_initial_call=True,
        )(self._ask)

    def _ask(self, *given: Any) -> Any:
        *values, search = given
        known = query_of(search)
        chosen: dict[str, str | None] = {}
        for n, (one, value) in enumerate(zip(self.choices, values, strict=True)):
            wanted = (value or "").strip()
            if wanted != (one.value(known) or ""):
                chosen |= {later.name: None for later in self.choices[n:]} if self.is_chain else {}
                chosen |= {one.name: wanted if wanted != one.default else None, "page": None}
        return search_of({**known, **chosen}) if chosen else no_update

    def _id(self, choice: Choice) -> str:
        return f"{self.path}-{choice.name}"

    def _looks(self, one: Choice) -> dict[str, Any]:
        if self.is_chain:
            return {"id": self._id(one), "label": one.label, "w": one.width, "placeholder": one.hint}
        return {"id": self._id(one), "size": "xs", "placeholder": one.label, "aria-label": one.label}


def of_column(table: str, column: str) -> Options:
    """The values that a column of a table has, as options."""

    def options(lake: LakeReader, _query: Query) -> list[str]:
        found = {row[column] for row in lake.count_by(table, [column]).rows}
        return sorted(found - {None})

    return options


def _props(choice: Choice) -> tuple[str, ...]:
    return ("value",) if choice.options is None else ("data", "value")
