"""Instants as the log itself writes them."""

import pytest

from transforms.diagnose.wording.log_clock import LogClock, clock_of, written_at

NOON = 1_777_636_800_123  # 2026-05-01 12:00:00.123 UTC


@pytest.mark.parametrize(
    ("text", "zone", "shown"),
    [
        ("2026-05-01 12:00:00,123 INFO", "assumed", "2026-05-01 12:00:00.123"),
        ("2026-05-01T12:00:00.123Z INFO", "logged", "2026-05-01 12:00:00.123Z"),
        ("2026-05-01T14:00:00.123+02:00 INFO", "logged", "2026-05-01 14:00:00.123+02:00"),
        ("2026-05-01 07:30:00,123 -0430 INFO", "logged", "2026-05-01 07:30:00.123-04:30"),
        ("1777636800.123 INFO", "logged", "2026-05-01 12:00:00.123Z"),
        ("2026-05-01 14:00:00,123 INFO", "declared", "2026-05-01 12:00:00.123Z"),
    ],
)
def test_an_instant_is_written_in_the_logs_notation(text, zone, shown):
    assert clock_of(text, zone).at(NOON) == shown


def test_without_a_zone_machines_read_none_either():
    assert LogClock().iso(NOON) == "2026-05-01T12:00:00.123"


def test_no_instant_is_no_time():
    assert (LogClock().at(None), LogClock().iso(None)) == ("no time", None)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("[2026-05-01T12:00:00,123][WARN ] x", "2026-05-01T12:00:00,123"),
        ("app | 2026-05-01 12:00:00.123+02:00 x", "2026-05-01 12:00:00.123+02:00"),
        ("12:00:00.123 [main] x", "12:00:00.123"),
        ("2026.05.01 12:00:00.123456 [ 7 ] x", "2026.05.01 12:00:00.123456"),
        ("May  1 12:00:00 host app: x", "May  1 12:00:00"),
        ("May 01 12:00:00.123 WARN x", "May 01 12:00:00.123"),
        ("1 May 12:00:00.123 * WARN x", "1 May 12:00:00.123"),
        ("12:00:00 WARN x", "12:00:00"),
        ("[12:00:00] WARN x", "12:00:00"),
        ("WARN took 00:01:30 in all", ""),
        ("after 12:00 nothing", ""),
    ],
)
def test_what_no_reader_dates_is_told_with_the_time_that_its_line_writes(text, written):
    assert written_at(text) == written
