"""Where no incident is known, a page says what was read, and never more."""

from pathlib import Path
from typing import Any

import pytest

from dashboards.app import page_of
from dashboards.queries import LakeReader
from tests.dashboards.lake import NOON, _source, write

READ = {
    "lines_read": 100,
    "lines_in_records": 60,
    "lines_unparsed": 0,
    "lines_dropped": 40,
    "status": "complete",
}


@pytest.mark.parametrize(
    ("sources", "told", "is_clear"),
    [
        ([], "No log has been read to its end yet, so nothing is known.", False),
        ([READ], "Nothing went wrong that 60 lines of Kafka clients show, of 100 lines read.", True),
        ([READ | {"lines_unparsed": 3}], "show, but 3 lines could not be read.", False),
        ([READ, READ | {"status": "truncated"}], "show, but the rest of 1 source could not be read.", False),
        ([READ | {"lines_in_records": 0}], "None of 100 lines read is of a Kafka client", False),
    ],
    ids=["nothing read", "all read", "unparsed", "cut short", "no Kafka"],
)
@pytest.mark.parametrize("page", ["/incidents", "/"])
def test_no_incident_is_no_all_clear(
    tmp_path: Path, page: str, sources: list[dict[str, Any]], told: str, is_clear: bool
) -> None:
    write(tmp_path, "gold.incidents", [])
    for table in ("gold.client_health", "gold.open_timers", "gold.violations", "silver.client_events"):
        write(tmp_path, table, [])
    write(tmp_path, "bronze.accounting", [_source(NOON) | source for source in sources])
    drawn = repr(page_of(LakeReader(tmp_path), page))
    assert told in drawn
    (shown,) = [part for part in drawn.split("Alert(") if "incidents-calm" in part]
    assert ("color='teal'" in shown) is is_clear
