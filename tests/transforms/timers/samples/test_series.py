"""Samples are found by what they speak of, and one time is one sample."""

import pytest

from transforms.parse.metrics.samples import MetricSample, mbean_of
from transforms.timers.samples.series import NO_SAMPLES, SECOND_MS, Samples, Series, series_of

CONSUMER = "kafka.consumer:type=consumer-metrics,client-id=a"
POLL = "last-poll-seconds-ago"
THREAD = "app-StreamThread-1"


def sample(at, value, mbean=CONSUMER, attribute=POLL, text=None):
    name, tags, client_id = mbean_of(mbean)
    return MetricSample(at, 0, name, attribute, value, text, tags, client_id)


def test_samples_become_series_in_time_and_the_first_of_one_time_stays():
    (series,) = series_of("u", [sample(2_000, 1.0), sample(1_000, 0.0), sample(2_000, 9.0)])
    assert (series.unit_id, series.client_id, series.mbean_type) == ("u", "a", "consumer-metrics")
    assert (list(series.times), list(series.values), series.texts) == ([1_000, 2_000], [0.0, 1.0], None)


def test_what_no_machine_reads_is_not_carried():
    unread = "kafka.consumer:type=consumer-fetch-manager-metrics,client-id=a"
    assert series_of("u", [sample(1, 1.0, unread, "fetch-total"), sample(1, 1.0, attribute="io-ratio")]) == []


def test_texts_stay_beside_times():
    state = "kafka.streams:type=stream-metrics,client-id=app"
    (series,) = series_of("u", [sample(1, None, state, "state", "RUNNING"), sample(2, None, state, "state")])
    assert list(series.texts) == ["RUNNING", None]


@pytest.mark.parametrize(("times", "grain_ms"), [((1_000, 2_000), SECOND_MS), ((1_000, 2_001), 1)])
def test_times_of_whole_seconds_are_cut(times, grain_ms):
    (series,) = series_of("u", [sample(at, 0.0) for at in times])
    assert series.grain_ms == grain_ms


def test_a_series_is_found_by_its_client_thread_or_task():
    thread = f"kafka.streams:type=stream-thread-metrics,thread-id={THREAD}"
    task = f"kafka.streams:type=stream-task-metrics,thread-id={THREAD},task-id=0_1"
    samples = Samples(
        series_of(
            "u",
            [
                sample(1, 0.0),
                sample(1, 1.0, thread, "process-total"),
                sample(1, 2.0, task, "process-total"),
                sample(1, 3.0, "kafka.producer:type=producer-metrics,client-id=a", "record-error-total"),
            ],
        )
    )
    assert samples.of("a", "consumer-metrics", POLL).values == [0.0]
    assert samples.of("a", "producer-metrics", "record-error-total").values == [3.0]
    assert samples.of_thread(THREAD, "process-total").values == [1.0]
    assert samples.of_task(THREAD, "0_1", "process-total").values == [2.0]
    assert samples.of("b", "consumer-metrics", POLL) is None
    assert samples.of_task(THREAD, "0_2", "process-total") is None


def test_of_two_that_fit_neither_is_given():
    twice = [
        Series("u", f"kafka.consumer:n={n}", POLL, "a", {"type": "consumer-metrics"}, [n], [0.0])
        for n in (1, 2)
    ]
    assert Samples(twice).of("a", "consumer-metrics", POLL) is None


def test_no_samples_are_nothing():
    assert not NO_SAMPLES
    assert NO_SAMPLES.of("a", "consumer-metrics", POLL) is None
