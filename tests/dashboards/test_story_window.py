"""The window of a story where none is asked for."""

from pathlib import Path

import pytest

from dashboards.app import page_of
from dashboards.pages.story import LATEST_MS
from dashboards.queries import LakeReader
from tests.dashboards.lake import NOON, event_row, incident_row, sha, write
from transforms.diagnose.reports.report import iso

HOUR_MS = 3_600_000


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("story")
    rows = [
        event_row("leave", 1) | {"service": "quiet", "happened_at": NOON - HOUR_MS},
        event_row("leave", 2) | {"event_id": sha("new")} | {"service": "busy", "happened_at": NOON},
        event_row("leave", 3) | {"event_id": sha("undated")} | {"service": "dateless", "happened_at": None},
    ]
    write(lake, "silver.client_events", rows)
    write(lake, "gold.incidents", [incident_row("any", "broken")])
    return lake


@pytest.mark.parametrize(
    ("search", "until"), [("", NOON), ("?service=busy", NOON), ("?service=quiet", NOON - HOUR_MS)]
)
def test_it_is_the_last_minutes_of_the_lake_or_of_the_service(lake: Path, search: str, until: int) -> None:
    drawn = repr(page_of(LakeReader(lake), "/story", search))
    assert f"value='{iso(until - LATEST_MS)}'" in drawn
    assert f"value='{iso(until)}'" in drawn


@pytest.mark.parametrize("service", ["dateless", "unknown"])
def test_a_service_without_any_instant_has_none(lake: Path, service: str) -> None:
    drawn = repr(page_of(LakeReader(lake), "/story", f"?service={service}"))
    assert f"No log line of {service} has a time yet." in drawn


def test_a_window_without_anything_leads_to_the_service_s_newest_lines(lake: Path) -> None:
    empty = f"?from={iso(NOON - 1)}&to={iso(NOON)}&service=quiet"
    drawn = repr(page_of(LakeReader(lake), "/story", empty))
    assert "The last minutes of quiet" in drawn
    assert "href='/story?service=quiet'" in drawn
