"""The run's workers: what is made once a run is made in one of them, and a module's other tests stay together.

Which tests share something is told by their fixtures. Only a worker knows these, and only ids of tests go to who hands
them out, so a worker writes the name into the id.
"""

from collections.abc import Iterable

import pytest
from _pytest.nodeid import NodeId
from xdist.scheduler import LoadScopeScheduling

# Fixtures that are made once a run, and the name that their tests go by; the longest first, all other tests after them.
SHARED = {"spark": "spark", "broker": "spark", "browser": "browser"}
GROUPS = tuple(dict.fromkeys(SHARED.values()))


class TogetherByShared(LoadScopeScheduling):
    """Gives a worker all that shares something, or all else of a module, at once."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def scope_of(nodeid: str) -> str:
    """What a test is run together with."""
    group = nodeid.rpartition("@")[2]
    return group if group in GROUPS else module_of(nodeid)


def module_of(nodeid: str) -> str:
    """The file that a test is in."""
    return nodeid.partition("::")[0]


def group_of(fixtures: Iterable[str]) -> str | None:
    """The group of a test: of the first of SHARED that it has. The rest of its module needs not wait for these."""
    found = [SHARED[name] for name in fixtures if name in SHARED]
    return min(found, key=GROUPS.index, default=None)


def in_order(items: list[pytest.Item]) -> None:
    """Sort a worker's tests as they are handed out, and name their groups in their ids."""
    groups = {item: group_of(getattr(item, "fixturenames", ())) for item in items}
    items.sort(key=lambda item: (*GROUPS, None).index(groups[item]))
    for item, group in groups.items():
        if group is not None:
            item._id = NodeId.parse(f"{item.nodeid}@{group}")  # pytest has no public way
            assert scope_of(item.nodeid) == group
