"""A stream thread that stands still is warned of only where each benign cause that can be seen is not there."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.timelines_samples import series
from transforms.diagnose.now.standstill import standstills

MINUTE = 60_000
THREAD = "app-StreamThread-1"
OF_THREAD = f"kafka.streams:type=stream-thread-metrics,thread-id={THREAD}"
OF_CLIENT = "kafka.streams:type=stream-metrics,client-id=app"
COORDINATOR = f"kafka.consumer:type=consumer-coordinator-metrics,client-id={THREAD}-consumer"
FETCH = f"kafka.consumer:type=consumer-fetch-manager-metrics,client-id={THREAD}-consumer"
OF_PARTITION = f"{FETCH},topic=orders,partition=0"

# A value a minute; the last seven minutes stand at 500.
STANDS = {
    (OF_THREAD, "process-total"): "300 400 500 500 500 500 500 500 500",
    (OF_THREAD, "poll-total"): "10 20 30 40 50 60 70 80 90",
    (OF_THREAD, "state"): "RUNNING " * 9,
    (OF_CLIENT, "state"): "RUNNING " * 9,
    (COORDINATOR, "assigned-partitions"): "4 " * 9,
    (COORDINATOR, "rebalance-total"): "2 " * 9,
    (OF_PARTITION, "records-lag"): "0 5 7 7 7 7 7 7 7",
}


def told(changes: dict[tuple[str, str], str | None], **known: object):
    found = []
    for (mbean, attribute), line in (STANDS | changes).items():
        if line is None:
            continue
        words = line.split()
        points = [(minute * MINUTE, None) for minute in range(len(words))]
        one = series(mbean, attribute, points)
        if attribute == "state":
            found.append(_with(one, texts=words))
        else:
            found.append(_with(one, values=[None if word == "-" else float(word) for word in words]))
    how = {"timed": frozenset(), "still_ms": 5 * MINUTE, "idle_ms": 0, "data_clock": 8 * MINUTE} | known
    return standstills(found, **how)


def _with(one, **columns):
    return replace(one, **columns)


def test_it_says_what_stands_still_since_when_and_how_that_is_known():
    (still,) = told({})
    assert (still.client_id, still.since_at, still.seen_at) == (f"{THREAD}-consumer", 2 * MINUTE, 8 * MINUTE)
    assert (still.processed, still.polls, still.lag) == (500, 60, 7)
    assert still.told == (
        "its stream thread runs and polls, and has processed nothing since 1970-01-01T00:02:00.000Z though records wait; "
        "by metrics: process-total stands at 500, no task timer runs. A paused topology looks the same"
    )


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({(OF_THREAD, "state"): None}, id="an older client: its own state stands for its threads"),
        pytest.param({(FETCH, "records-lag-max"): "1 " * 9, (OF_PARTITION, "records-lag"): None}, id="the largest lag"),
    ],
)  # fmt: skip
def test_other_metrics_tell_the_same(changes):
    assert told(changes)


@pytest.mark.parametrize(
    ("changes", "known"),
    [
        pytest.param({(OF_THREAD, "process-total"): "300 400 450 480 500 500 500 500 500"}, {}, id="not for that long"),
        pytest.param({(OF_THREAD, "process-total"): "500 500 500 500 500 500 500 500 501"}, {}, id="it went on"),
        pytest.param({(OF_THREAD, "process-total"): None}, {}, id="nobody counts"),
        pytest.param({(OF_THREAD, "poll-total"): "10 20 30 30 30 30 30 30 30"}, {}, id="it does not poll: inside process()"),
        pytest.param({(OF_THREAD, "poll-total"): None}, {}, id="polls are not known"),
        pytest.param({(OF_THREAD, "state"): "RUNNING " * 4 + "PARTITIONS_ASSIGNED " * 5}, {}, id="restoring"),
        pytest.param({(OF_THREAD, "state"): None, (OF_CLIENT, "state"): "REBALANCING " * 9}, {}, id="rebalancing"),
        pytest.param({(OF_THREAD, "state"): None, (OF_CLIENT, "state"): None}, {}, id="its state is not known"),
        pytest.param({(COORDINATOR, "rebalance-total"): "2 2 2 2 2 3 3 3 3"}, {}, id="a rebalance meanwhile"),
        pytest.param({(COORDINATOR, "assigned-partitions"): "0 " * 9}, {}, id="it has standbys only"),
        pytest.param({(OF_PARTITION, "records-lag"): "0 " * 9}, {}, id="no records wait"),
        pytest.param({(OF_PARTITION, "records-lag"): "0 5 7 7 7 0 7 7 7"}, {}, id="it had caught up meanwhile"),
        pytest.param({(OF_PARTITION, "records-lag"): None}, {}, id="the lag is not known"),
        pytest.param(
            {(OF_PARTITION, "records-lag"): None, (FETCH, "records-lag-max"): "5 7 7 - - - - - -"}, {}, id="nor any more"
        ),
        pytest.param({}, {"timed": frozenset({THREAD})}, id="a task's timer runs"),
        pytest.param({}, {"idle_ms": 10 * MINUTE}, id="it may wait for another partition so long"),
        pytest.param({}, {"data_clock": 20 * MINUTE}, id="samples are old"),
    ],
)  # fmt: skip
def test_a_cause_that_can_be_seen_is_no_standstill(changes, known):
    assert told(changes, **known) == []


# A minute of a thread: records that came, and whether it may take them (a rebalance, a restore, a pause of its state).
MINUTES = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=60, max_size=60)


@settings(max_examples=100)
@given(minutes=MINUTES)
def test_a_healthy_hour_is_silent(minutes):
    """Whatever comes when: who runs takes what waits, a few records a poll."""
    count, lag, rebalances = 0, 0, 1
    lines: dict[tuple[str, str], list[str]] = {key: [] for key in STANDS}
    for came, runs in minutes:
        lag += came
        if runs:
            taken = min(lag, 2)
            count, lag = count + taken, lag - taken
        rebalances += not runs
        now = {
            "process-total": count,
            "poll-total": len(lines[OF_THREAD, "poll-total"]),
            "state": "RUNNING" if runs else "PARTITIONS_ASSIGNED",
            "assigned-partitions": 4,
            "rebalance-total": rebalances,
            "records-lag": lag,
        }
        for (_, attribute), line in lines.items():
            line.append(str(now[attribute]))
    for end in range(2, 61):
        changes = {key: " ".join(line[:end]) for key, line in lines.items()}
        assert told(changes, data_clock=(end - 1) * MINUTE) == []
