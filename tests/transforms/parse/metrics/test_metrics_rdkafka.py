"""librdkafka's statistics: what stands for MBeans, the stages of a request, and what is left out."""

import json

import pytest

from tests.transforms.parse.metrics.test_metrics_formats import read
from transforms.parse.metrics.formats import LIBRDKAFKA, detect

NOON = 1_795_262_400_000
WINDOW = {"min": 1, "max": 9, "avg": 4, "sum": 8, "stddev": 1, "p50": 3, "p99": 9, "cnt": 2, "hdrsize": 11376}
STATISTICS = {
    "name": "pay#producer-1", "client_id": "pay", "type": "producer", "ts": 2087667440, "time": 1_795_262_400, "replyq": 0,
    "msg_cnt": 16,
    "brokers": {
        "a:9092/1": {"state": "UP", "txretries": 2, "int_latency": WINDOW, "rtt": WINDOW, "req": {"Produce": 48}},
        "broken": 7,
    },
    "topics": {
        "orders": {
            "batchsize": WINDOW,
            "partitions": {"0": {"msgq_cnt": 3, "consumer_lag": -1}, "-1": {"msgq_cnt": 9}},
        }
    },
    "cgrp": {"state": "up", "rebalance_cnt": 4},
}  # fmt: skip


def test_statistics_are_samples_of_client_brokers_group_topics_and_partitions():
    text = json.dumps(STATISTICS)
    assert detect(text.encode()[:1024]) == LIBRDKAFKA
    rows, books, _ = read(text)
    found = {
        (row.mbean, row.attribute): row.value if row.text_value is None else row.text_value for row in rows
    }
    broker = next(name for name, _ in found if "type=broker" in name)
    assert found[broker, "int_latency/p99"] == 9
    assert found[broker, "state"] == "UP"
    assert (broker, "int_latency/sum") not in found
    assert found[next(name for name, _ in found if "type=group" in name), "rebalance_cnt"] == 4
    partitions = {name for name, _ in found if "type=partition" in name}
    assert len(partitions) == 1
    assert {row.sampled_at for row in rows} == {NOON}
    assert {row.client_id for row in rows} == {"pay#producer-1"}
    assert all("pay#producer-1" in name for name, _ in found)
    assert books.samples == len(rows)
    assert not books.skipped


def test_statistics_without_a_time_are_counted():
    rows, books, _ = read(json.dumps(STATISTICS | {"time": None}))
    assert not list(rows)
    assert books.skipped == {"no_timestamp": 1}


@pytest.mark.parametrize(
    "head",
    [
        "1795262400123456789 [info] pay#producer-1 ",
        "[2026-11-21 12:00:00,123] INFO [main] Statistics: ",
        "stats_cb: ",
    ],
)
def test_statistics_behind_a_loggers_head_are_those_alone(head):
    text = "".join(
        f"{head}{json.dumps(STATISTICS | {'time': at})}\n" for at in (1_795_262_400, 1_795_262_405)
    )
    assert detect(text.encode()[:1024]) == LIBRDKAFKA
    rows, books, _ = read(f"{text}{head}nothing to say\n")
    assert {row.sampled_at for row in rows} == {NOON, NOON + 5000}
    assert books.skipped == {"not_json": 1}
