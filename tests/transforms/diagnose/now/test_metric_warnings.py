"""A client's samples warn where they show trouble up to the newest of them, and are silent where a benign cause shows."""

import pytest

from tests.timelines_samples import CONSUMER, COORDINATOR, series
from transforms.diagnose.now.metric_warnings import metric_warnings

HALF_MINUTE, WINDOW_MS = 30_000, 300_000
SHARE = "kafka.consumer:type=consumer-share-fetch-manager-metrics,client-id=c"
# A value every half minute.
MBEAN_OF = {
    "connection-count": CONSUMER,
    "failed-authentication-total": CONSUMER,
    "poll-idle-ratio-avg": CONSUMER,
    "acknowledgements-error-total": SHARE,
    "failed-rebalance-total": COORDINATOR,
    "rebalance-total": COORDINATOR,
    "assigned-partitions": COORDINATOR,
    "heartbeat-rate": COORDINATOR,
    "heartbeat-total": COORDINATOR,
}


def warned(data_clock: int | None = None, **lines: str) -> list[str]:
    """What is told of client `c`; lines: attribute, its - as _."""
    found = []
    for name, line in lines.items():
        attribute = name.replace("_", "-")
        values = [None if word == "-" else float(word) for word in line.split()]
        points = [(place * HALF_MINUTE, value) for place, value in enumerate(values)]
        found.append(series(MBEAN_OF[attribute], attribute, points))
    return metric_warnings(found, window_ms=WINDOW_MS, data_clock=data_clock).get("c", [])


HEARD = {"assigned_partitions": "4 4 4 4 4", "heartbeat_total": "8 9 9 9 9"}
TELLS = [
    (
        {"failed_authentication_total": "0 0 2 5"},
        "brokers refused its authentication 5 times since 1970-01-01T00:00:30.000Z; by metrics: failed-authentication-total",
    ),
    (
        {"connection_count": "3 0 0 0 0"},
        "it has had no connection to any broker since 1970-01-01T00:00:30.000Z; by metrics: connection-count",
    ),
    (
        {"failed_rebalance_total": "1 2 3 4", "rebalance_total": "1 1 1 1"},
        "it tried to join its group 3 times in vain since 1970-01-01T00:00:00.000Z; by metrics: failed-rebalance-total",
    ),
    (
        {"heartbeat_rate": "0.3 0 0 0 0", **HEARD},
        "no heartbeat of it was answered since 1970-01-01T00:00:30.000Z, and it has partitions; by metrics: heartbeat-rate",
    ),
    (
        {"poll_idle_ratio_avg": "0.4 0.05 0.01 0 0"},
        "its application has held it outside poll() for 95 % of the time or more since "
        "1970-01-01T00:00:30.000Z; by metrics: poll-idle-ratio-avg",
    ),
    (
        {"acknowledgements_error_total": "0 0 3 4"},
        "brokers refused 4 of its acknowledgements since 1970-01-01T00:00:30.000Z, as they do when a record's lock ran out "
        "(group.share.record.lock.duration.ms): such records are given to another member; by metrics: "
        "acknowledgements-error-total",
    ),
]


@pytest.mark.parametrize(("lines", "sentence"), TELLS)
def test_it_says_what_since_when_and_by_which_metric(lines, sentence):
    assert warned(**lines) == [sentence]


@pytest.mark.parametrize(("lines", "_sentence"), TELLS)
def test_old_samples_tell_nothing_of_now(lines, _sentence):
    newest = HALF_MINUTE * (max(len(line.split()) for line in lines.values()) - 1)
    assert warned(data_clock=newest + WINDOW_MS, **lines)
    assert not warned(data_clock=newest + WINDOW_MS + 1, **lines)


@pytest.mark.parametrize(
    "lines",
    [
        {"failed_authentication_total": "5 5 5 5"},
        {"acknowledgements_error_total": "2 2 2 2"},
        {"failed_authentication_total": "7 0 0 1"},  # the process began again meanwhile
        {"failed_authentication_total": "- - -"},
        {"connection_count": "0 0 0 0 2"},
        {"connection_count": "3 3 0 0 0"},  # no longer than a rate's window
        {"failed_rebalance_total": "0 1 1 1", "rebalance_total": "0 0 0 0"},  # to be given a member id
        {"failed_rebalance_total": "0 2 4 6", "rebalance_total": "1 1 2 2"},
        {"failed_rebalance_total": "0 2 4 6"},
        {"heartbeat_rate": "0 0 0 0 0", "assigned_partitions": "4 4 4 4 4", "heartbeat_total": "0 0 0 0 0"},
        {"heartbeat_rate": "0 0 0 0 0", "assigned_partitions": "4 0 0 0 0", "heartbeat_total": "8 8 8 8 8"},
        {"heartbeat_rate": "0.3 0.3 0.1 0.3 0.3", **HEARD},
        {"poll_idle_ratio_avg": "0 0 0 0 0.2"},
        {"poll_idle_ratio_avg": "0.06 0.06 0.06 0.06"},
    ],
)
def test_what_is_over_or_benign_is_not_told(lines):
    assert warned(**lines) == []


def test_of_two_clients_of_one_name_nothing_is_told():
    points = [(place * HALF_MINUTE, 0.0) for place in range(5)]
    twice = [series(CONSUMER, "connection-count", points, unit) for unit in ("app", "other")]
    assert metric_warnings(twice, window_ms=WINDOW_MS, data_clock=None) == {}
