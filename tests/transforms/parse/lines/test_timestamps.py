"""Written times, zones, and what no instant can be made of."""

import pytest

from transforms.parse.layouts.detect import SourceHints, detect_layout
from transforms.parse.lines.timestamps import NO_INSTANT, Clock, Instant, iso


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-11-21 03:39:50,531", "2026-11-21T03:39:50.531Z assumed"),
        ("2026-11-21T03:39:50.531", "2026-11-21T03:39:50.531Z assumed"),
        ("2026/11/21 03:39:50", "2026-11-21T03:39:50.000Z assumed"),
        ("21/11/2026; 03:39:50.53", "2026-11-21T03:39:50.530Z assumed"),
        ("2026-11-21T03:39:50.5Z", "2026-11-21T03:39:50.500Z logged"),
        ("2026-11-21T03:39:50.531999Z", "2026-11-21T03:39:50.531Z logged"),
        ("2026-11-21T03:39:50.531999999+05:30", "2026-11-20T22:09:50.531Z logged"),
        ("2026-11-21 03:39:50,531 -0330", "2026-11-21T07:09:50.531Z logged"),
        ("2026-11-21T03:39:50.531+02", "2026-11-21T01:39:50.531Z logged"),
        ("1763696390531", "2025-11-21T03:39:50.531Z logged"),
        ("1763696390", "2025-11-21T03:39:50.000Z logged"),
        ("1763696390.531", "2025-11-21T03:39:50.531Z logged"),
        ("1763696390531999", "2025-11-21T03:39:50.531Z logged"),
        ("1763696390531999999", "2025-11-21T03:39:50.531Z logged"),
        ("26/11/21 03:39:50", "2026-11-21T03:39:50.000Z assumed"),
        ("21/Nov/2026:03:39:50 +0100", "2026-11-21T02:39:50.000Z logged"),
        ("21 Nov 2026 03:39:50,531", "2026-11-21T03:39:50.531Z assumed"),
        ("21-Nov-2026 03:39:50.531", "2026-11-21T03:39:50.531Z assumed"),
        ("21 十一月 2026 03:39:50,531", "2026-11-21T03:39:50.531Z assumed"),
        ("21 11월 2026 03:39:50,531", "2026-11-21T03:39:50.531Z assumed"),
        ("21 nov. 2026 03:39:50,531", "2026-11-21T03:39:50.531Z assumed"),
        ("21-ноя-2026 03:39:50.531", "2026-11-21T03:39:50.531Z assumed"),
        ("21 juil. 2026 03:39:50,531", "2026-07-21T03:39:50.531Z assumed"),
        ("21 juin 2026 03:39:50,531", "2026-06-21T03:39:50.531Z assumed"),
        ("7 Okt. 2026 03:39:50,531", "2026-10-07T03:39:50.531Z assumed"),
        ("Nov 21, 2026 3:39:50 PM", "2026-11-21T15:39:50.000Z assumed"),
        ("Sat Nov 21 03:39:50 CET 2026", "2026-11-21T02:39:50.000Z logged"),
        ("Sat, 21 Nov 2026 03:39:50 GMT", "2026-11-21T03:39:50.000Z logged"),
        ("11/21/26 3:39:50:531 PST", "2026-11-21T11:39:50.531Z logged"),
        ("11/21/2026 03:39:50.531", "2026-11-21T03:39:50.531Z assumed"),
        ("21.11.2026 03:39:50", "2026-11-21T03:39:50.000Z assumed"),
        ("20261121T033950.531Z", "2026-11-21T03:39:50.531Z logged"),
        ("20261121 03:39:50", "2026-11-21T03:39:50.000Z assumed"),
        ("2026-11-21T03:39Z", "2026-11-21T03:39:00.000Z logged"),
        ("26-11-21.03:39:50.531", "2026-11-21T03:39:50.531Z assumed"),
        ("2026-11-21_03:39:50", "2026-11-21T03:39:50.000Z assumed"),
        ("2026-11-21 | 03:39:50.531", "2026-11-21T03:39:50.531Z assumed"),
        ("21/Nov/26:03:39:50", "2026-11-21T03:39:50.000Z assumed"),
        ("2026-11-21T03:39:50.531+01:00[Europe/Berlin]", "2026-11-21T02:39:50.531Z logged"),
    ],
)
def test_times(text, instant):
    clock = Clock()
    for _ in range(2):  # the second time from the cache of minutes
        found = clock.read(text)
        assert f"{iso(found.at or 0)} {found.zone_origin}" == instant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Nov 21 03:39:50",
        "21 Nov 03:39:50.531",  # the hour is no year
        "21-Nov 19:39:50",
        "2026-xx-xx 03:39:50",
        "XX:XX:XX",
        "13/11/2026 13:00:00 PM",
        "03:39:50,531",
        "2026-02-31 00:00:00,000",
        "2026-13-01 00:00:00",
        "123",
        "x",
    ],
)
def test_what_is_no_time(text):
    assert Clock().read(text) == NO_INSTANT


@pytest.mark.parametrize("seconds", ["61,000", "75,123", "0²,123", "59,12³", "٥٩,123"])
def test_a_minute_that_was_met_before_changes_no_answer(seconds):
    text = f"2026-03-01 12:30:{seconds}"
    warm = Clock()
    assert warm.read("2026-03-01 12:30:00,000").at is not None
    assert warm.read(text) == Clock().read(text)


def test_a_day_as_it_is_spoken():
    assert Clock().read("November 21st 2026, 03:39:50.531") == Clock().read("2026-11-21 03:39:50,531")


def test_a_declared_zone():
    clock = Clock("Europe/Berlin")
    assert clock.read("2026-07-01 12:00:00,000") == Instant(1782900000000, "declared")
    assert clock.read("2026-07-01T12:00:00.000Z").zone_origin == "logged"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("2026-10-25 02:30:00,000", id="twice"),
        pytest.param("2026-03-29 02:30:00,000", id="never"),
    ],
)
def test_the_hour_a_zone_repeats_or_skips_is_no_instant(text):
    assert Clock("Europe/Berlin").read(text) == Instant(None, "ambiguous")


@pytest.mark.parametrize("text", ["03/04/2026 10:11:12", "2026-11-21 03:39:50 IST"])
def test_an_order_or_a_zone_that_nobody_can_tell_is_no_instant(text):
    assert Clock().read(text) == Instant(None, "ambiguous")


def test_a_source_tells_the_order_of_day_and_month():
    lines = [f"{day}/04/2026 10:11:12 INFO org.apache.kafka.A - x\n" for day in ("03", "04", "21")]
    layout = detect_layout("".join(lines).encode())
    assert layout.date_order == "dmy"
    assert iso(Clock(date_order="dmy").read("03/04/2026 10:11:12").at or 0) == "2026-04-03T10:11:12.000Z"


def test_an_unknown_zone_is_refused():
    with pytest.raises(ValueError, match="Mars/Olympus"):
        Clock("Mars/Olympus")


@pytest.mark.parametrize(
    ("time", "zone", "origin"),
    [
        ("2026-11-21 03:39:50,531", None, "assumed"),
        ("2026-11-21 03:39:50,531", "Europe/Berlin", "declared"),
        ("2026-11-21T03:39:50.531Z", "Europe/Berlin", "logged"),
        ("03:39:50.531", None, "none"),
    ],
)
def test_where_a_source_s_zone_comes_from(time, zone, origin):
    line = f"{time} [main] INFO  org.apache.kafka.A - x\n".encode()
    assert detect_layout(line * 5, SourceHints(time_zone=zone)).time_zone_origin == origin
