"""The run's two workers: what is made once a run is made in one of them, and a module's tests stay together.

Which tests share something is told by their fixtures. Only a worker knows these, and only ids of tests go to who hands
them out, so a worker writes the name into the id.
"""

from collections.abc import Iterable

import pytest
from _pytest.nodeid import NodeId
from xdist.scheduler import LoadScopeScheduling

# Fixtures that are made once a run, and the name that their tests go by; the longest first, all other modules after them.
SHARED = {"spark": "spark", "broker": "spark", "browser": "browser"}
GROUPS = tuple(dict.fromkeys(SHARED.values()))


class TogetherByShared(LoadScopeScheduling):
    """Gives a worker all that shares something, or all of a module, at once."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def scope_of(nodeid: str) -> str:
    """What a test is run together with."""
    group = nodeid.rpartition("@")[2]
    return group if group in GROUPS else module_of(nodeid)


def module_of(nodeid: str) -> str:
    """The file that a test is in."""
    return nodeid.partition("::")[0]


def groups_of(tests: Iterable[tuple[str, Iterable[str]]]) -> dict[str, str]:
    """The group of each module that has one: of the first of SHARED that any of its tests has. tests: module, fixtures."""
    found: dict[str, str] = {}
    for module, fixtures in tests:
        for group in [SHARED[name] for name in fixtures if name in SHARED]:
            found[module] = min(group, found.get(module, group), key=GROUPS.index)
    return found


def in_order(items: list[pytest.Item], *, is_worker: bool) -> None:
    """Sort tests as they are handed out; is_worker: and name the groups in their ids."""
    groups = groups_of((module_of(item.nodeid), getattr(item, "fixturenames", ())) for item in items)

    def place(item: pytest.Item) -> int:
        group = groups.get(module_of(item.nodeid))
        return len(GROUPS) if group is None else GROUPS.index(group)

    items.sort(key=place)
    if is_worker:
        for item in items:
            if group := groups.get(module_of(item.nodeid)):
                item._id = NodeId.parse(f"{item.nodeid}@{group}")  # pytest has no public way
                assert scope_of(item.nodeid) == group
