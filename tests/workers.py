"""The run's two workers: what is made once a run is made in one of them, and a module's tests stay together."""

import pytest
from xdist.scheduler import LoadScopeScheduling

# What shares the Spark session and the broker; what shares the browser. The longest first, all other modules after them.
SHARED = {
    "spark": (
        "tests/broker/",
        "tests/dashboards/test_recorded_browser.py",
        "tests/dashboards/test_warehouse.py",
        "tests/jobs/test_broken_input.py",
        "tests/jobs/test_evidence_tables.py",
        "tests/jobs/test_lake.py",
        "tests/jobs/test_metric_topics.py",
        "tests/jobs/test_metrics.py",
        "tests/jobs/test_objects.py",
        "tests/jobs/test_rebuild.py",
        "tests/jobs/test_same_tables.py",
        "tests/jobs/test_secrets.py",
        "tests/jobs/test_states.py",
        "tests/jobs/storage/test_slots.py",
        "tests/jobs/test_stream.py",
    ),
    "browser": (
        "tests/dashboards/test_browser.py",
        "tests/dashboards/test_episode_browser.py",
        "tests/dashboards/test_fleet_browser.py",
        "tests/dashboards/test_hostile.py",
        "tests/dashboards/test_listing_browser.py",
        "tests/dashboards/test_now.py",
        "tests/dashboards/test_older_lake.py",
        "tests/dashboards/test_shell.py",
        "tests/dashboards/test_story_browser.py",
    ),
}


class TogetherByShared(LoadScopeScheduling):
    """Gives a worker all that shares something, or all of a module, at once."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def scope_of(nodeid: str) -> str:
    """What a test is run together with."""
    module = nodeid.partition("::")[0]
    return next((name for name, places in SHARED.items() if module.startswith(places)), module)


def in_order(items: list[pytest.Item]) -> None:
    """Sort tests as they are handed out.

    Raises: UsageError for a module that needs what another worker has.
    """
    scopes = list(SHARED)
    for item in items:
        scope = scope_of(item.nodeid)
        needed = [name for name in scopes if name in getattr(item, "fixturenames", ())]
        if needed and scope not in scopes[: scopes.index(needed[0]) + 1]:
            raise pytest.UsageError(f"{scope} needs `{needed[0]}`: name it in SHARED of tests/workers.py")

    def place(item: pytest.Item) -> int:
        scope = scope_of(item.nodeid)
        return scopes.index(scope) if scope in scopes else len(scopes)

    items.sort(key=place)
