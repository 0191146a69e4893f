"""Samples are intervals: whatever the scraper's phase, gaps and pauses, the truth lies inside them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.timelines_samples import CONSUMER, COORDINATOR, series
from transforms.parse.metrics.samples import MetricSample, mbean_of
from transforms.timers.samples.readings import Count, last_times, longest_gap_ms, peaks, sample_text
from transforms.timers.samples.series import series_of

AGO, TOTAL, GAP = "last-poll-seconds-ago", "commit-total", "time-between-poll-max"
START = 100_000

gaps = st.lists(st.integers(1, 20_000), min_size=1, max_size=30)
delays = st.lists(st.sampled_from([0, 0, 0, 1, 500, 30_000]), min_size=30, max_size=30)


def running(steps, start):
    found, at = [], start
    for step in steps:
        at += step
        found.append(at)
    return found


def scrapes(steps, paused):
    """When each value was read, and the second it was stamped with; the next scrape waits for the answer."""
    at, found = START, []
    for step, delay in zip(steps, paused, strict=False):
        at += step
        found.append((at, (at + delay) // 1_000 * 1_000))
        at += delay
    return found


def distinct(points):
    """Of one time the first stays, as a series has it."""
    return list(dict(reversed([(at, value) for at, value in points])).items())[::-1]


@given(happened=gaps, steps=gaps, paused=delays)
def test_what_is_told_of_the_last_time_holds_the_truth(happened, steps, paused):
    truth = running(happened, START)
    points = []
    for read_at, stamp in scrapes(steps, paused):
        last = max((at for at in truth if at <= read_at), default=None)
        points.append((stamp, -1.0 if last is None else float((read_at - last) // 1_000)))
    for one in last_times(series(CONSUMER, AGO, distinct(points))):
        assert any(at <= one.latest and (one.surely_after is None or at >= one.surely_after) for at in truth)
        assert one.surely_after is None or one.surely_after <= one.latest
        assert one.plus_minus_ms <= 1_000


@given(happened=gaps, steps=gaps)
def test_without_a_pause_the_truth_is_known_to_a_second(happened, steps):
    truth = running(happened, START)
    points = []
    for read_at, stamp in scrapes(steps, [0] * len(steps)):
        last = max((at for at in truth if at <= read_at), default=None)
        points.append((stamp, -1.0 if last is None else float((read_at - last) // 1_000)))
    for one in last_times(series(CONSUMER, AGO, distinct(points))):
        assert any(one.earliest <= at <= one.latest for at in truth)


@given(
    happened=gaps, steps=gaps, paused=delays, since=st.integers(0, 200_000), length=st.integers(0, 200_000)
)
def test_a_rise_holds_the_truth(happened, steps, paused, since, length):
    truth = running(happened, START)
    points = [(stamp, float(sum(at <= read for at in truth))) for read, stamp in scrapes(steps, paused)]
    since, until = START + since, START + since + length
    rise = Count(series(COORDINATOR, TOTAL, distinct(points))).rise(since, until)
    true = sum(since < at <= until for at in truth)
    assert rise is None or rise.at_least <= true
    assert rise is None or rise.at_most is None or true <= rise.at_most


@given(before=st.integers(1, 50), after=st.integers(0, 49))
def test_across_a_reset_nothing_is_known(before, after):
    counted = Count(
        series(
            COORDINATOR,
            TOTAL,
            [(n * 1_000, float(v)) for n, v in enumerate([0, 0, before, min(after, before - 1), 50, 50, 50])],
        )
    )
    assert counted.rise(1_000, 4_000) is None
    assert counted.seen(1_000, 4_000) is None
    assert counted.rise(3_000, 4_000) is None or counted.rise(3_000, 4_000).at_most is None


@given(values=st.lists(st.integers(0, 9), min_size=1, max_size=30), seed=st.randoms())
def test_late_and_duplicated_samples_and_a_second_scraper_change_nothing(values, seed):
    name, tags, client_id = mbean_of(COORDINATOR)
    samples = [
        MetricSample(n * 1_000, 0, name, TOTAL, float(value), None, tags, client_id)
        for n, value in enumerate(values)
    ]
    mixed = [*samples, *samples]
    seed.shuffle(mixed)
    assert series_of("u", mixed) == series_of("u", samples)


@pytest.mark.parametrize(
    ("points", "spans"),
    [
        pytest.param([(1_000, -1.0), (2_000, None)], [], id="never, and nobody knows"),
        pytest.param([(5_000, 2.0)], [(2_001, 3_999)], id="a sample is a second, its value another"),
        pytest.param([(5_000, 2.0), (6_000, 3.0)], [(2_001, 3_999)], id="two of one instant"),
        pytest.param([(5_000, 2.0), (6_000, 2.0)], [(3_001, 3_999)], id="which they narrow"),
        pytest.param([(5_001, 2.0), (6_001, 3.0)], [(2_002, 3_001)], id="a collector that tells ms"),
        pytest.param([(5_000, 0.0), (9_000, 1.0)], [(4_001, 5_999), (7_001, 8_999)], id="two instants"),
    ],
)
def test_last_times(points, spans):
    assert [(one.earliest, one.latest) for one in last_times(series(CONSUMER, AGO, points))] == spans


def test_only_what_two_samples_before_saw_is_sure():
    points = [(1_000, 0.0), (2_000, 0.0), (3_000, 0.0), (4_000, 1.0)]
    assert [one.surely_after for one in last_times(series(CONSUMER, AGO, points))] == [None, None, 1, 1]


def test_counts_between_two_instants():
    counted = Count(series(COORDINATOR, TOTAL, [(n * 1_000, float(n)) for n in range(10)]))
    assert (counted.rise(2_500, 6_500).at_least, counted.rise(2_500, 6_500).at_most) == (0, 8)
    assert (counted.seen(2_500, 6_500).at_most, counted.seen(2_500, None).at_most) == (6, 8)
    assert counted.rise(20_000, 30_000) is None
    assert counted.rise(2_500, 6_500).samples[0].endswith(f"{COORDINATOR_NAME} commit-total=1")
    assert next(counted.steps()) == (0, 1_000, 1.0)


COORDINATOR_NAME = "kafka.consumer:type=consumer-coordinator-metrics,client-id=c"


def test_peaks_are_values_that_a_maximum_had_not_before():
    found = list(
        peaks(
            series(
                CONSUMER, GAP, [(1_000, 0.0), (2_000, 300.0), (3_000, 300.0), (4_000, 100.0), (5_000, 9e3)]
            )
        )
    )
    assert [(peak.value, peak.after, peak.until) for peak in found] == [
        (0.0, None, 1_999),
        (300.0, 1_000, 2_999),
        (9_000.0, 4_000, 5_999),
    ]  # fmt: skip


def test_how_long_nobody_looked():
    watched = series(CONSUMER, AGO, [(n * 1_000, 0.0) for n in (1, 2, 7, 8)])
    assert longest_gap_ms(watched, 1_500, 8_500) == 5_000
    assert longest_gap_ms(watched, 7_000, 20_000) == 12_000
    assert longest_gap_ms(watched, 3_000, 6_000) is None


def test_a_sample_as_a_finding_shows_it():
    at = 1_795_229_036_803
    assert (
        sample_text(series(CONSUMER, AGO, [(at, 12.0)]), 0)
        == f"2026-11-21T02:43:56.803Z {CONSUMER_NAME} {AGO}=12"
    )
    assert sample_text(series(CONSUMER, AGO, [(at, None)]), 0).endswith("=null")


CONSUMER_NAME = "kafka.consumer:type=consumer-metrics,client-id=c"
