"""A page as a screen reader gets it: Chromium's accessibility tree, and what is missing in it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

NAMED = frozenset({
    "button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "switch", "listbox", "slider",
    "spinbutton", "tab", "menuitem", "img", "graphics-document", "figure", "grid", "treegrid", "table", "dialog",
})  # fmt: skip
LANDMARKS = ("banner", "main", "navigation")
TABLES = frozenset({"grid", "treegrid", "table"})

Node = dict[str, Any]


class Spoken:
    """The tree of one page, of the answer of CDP's Accessibility.getFullAXTree."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._by_id = {node["nodeId"]: node for node in nodes}
        self._told = [node for node in nodes if not node.get("ignored")]

    def faults(self, has_menu: bool) -> list[str]:
        """A sentence for each thing that is not said. has_menu: the list of pages is behind a button that is closed."""
        of_dialogs = {id(one) for node in self._told if role(node) == "dialog" for one in self._below(node)}
        roles = Counter(role(node) for node in self._told if id(node) not in of_dialogs)
        return [
            *(
                f"{role(node)} without a name"
                for node in self._told
                if role(node) in NAMED and not name(node)
            ),
            *(f"{roles[one]} times {one}" for one in LANDMARKS[: 2 if has_menu else 3] if roles[one] != 1),
            *self._headings(),
            *(
                f"{role(node)} {name(node)} without column headers"
                for node in self._told
                if role(node) in TABLES
                and not any(role(one) == "columnheader" and name(one) for one in self._below(node))
            ),
        ]

    def _headings(self) -> Iterator[str]:
        levels = [
            (
                next((one["value"]["value"] for one in node["properties"] if one["name"] == "level"), 0),
                name(node),
            )
            for node in self._told
            if role(node) == "heading"
        ]
        if [level for level, _ in levels].count(1) != 1:
            yield f"headings of the first level: {[told for level, told in levels if level == 1]}"
        for (before, _), (level, told) in pairwise(levels):
            if level > before + 1:
                yield f"heading {told!r} of level {level} after one of {before}"

    def _below(self, node: Node) -> Iterator[Node]:
        for child in node.get("childIds", ()):
            if child in self._by_id:
                yield self._by_id[child]
                yield from self._below(self._by_id[child])


def role(node: Node) -> str:
    """As ARIA names it."""
    return str(node.get("role", {}).get("value", ""))


def name(node: Node) -> str:
    """What is read aloud."""
    return str(node.get("name", {}).get("value", "")).strip()
