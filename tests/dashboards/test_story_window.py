"""The window of a story where none is asked for."""

from pathlib import Path

import pytest

from dashboards.app import page_of
from dashboards.pages.story import LATEST_MS
from dashboards.queries import LakeReader
from dashboards.queries.proof import EPISODE_IDS
from dashboards.queries.story import Window, scene
from tests.dashboards.episode_lake import batch, session, wait
from tests.dashboards.lake import NOON, episode_row, event_row, incident_row, sha, write
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


DAY_MS = 24 * HOUR_MS


def test_what_has_no_known_end_lies_in_no_later_window(tmp_path: Path) -> None:
    """Waits whose retry no line tells of, a batch whose end is unknown, and a member as an older log ended."""
    older = [
        episode_row(wait("older", 1, None), failures=at, failed_at=NOON - DAY_MS + at) for at in range(2_100)
    ]
    write(tmp_path, "silver.backoff_attempts", [*older, episode_row(wait("now", 3, None))])
    write(tmp_path, "silver.batch_lifetimes", [episode_row(batch("older", -DAY_MS, None, "unknown"))])
    members = [session(unit, -DAY_MS, None, "open", unit_id=unit) for unit in ("older", "now")]
    write(tmp_path, "silver.liveness_sessions", [episode_row(one, scope_id="s") for one in members])
    newest = {"older": NOON - HOUR_MS, "now": NOON + 5_000}
    events = [
        event_row("leave", 1) | {"event_id": sha(unit), "unit_id": unit, "happened_at": at}
        for unit, at in newest.items()
    ]
    write(tmp_path, "silver.client_events", events)
    found = scene(LakeReader(tmp_path), Window(NOON, NOON + 10_000), [])
    assert found.left_out == {}
    assert {
        table: [row[EPISODE_IDS[table]] for row in rows] for table, rows in found.episodes.items() if rows
    } == {
        "silver.backoff_attempts": [sha("now")],
        "silver.liveness_sessions": [sha("now")],
    }
