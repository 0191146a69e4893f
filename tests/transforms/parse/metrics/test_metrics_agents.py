"""OTLP, Telegraf and Metricbeat as their documentation shows them: plugins, modules, and what gives no sample."""

import json

import pytest

from tests.transforms.parse.metrics.test_metrics_formats import read
from transforms.parse.metrics.names import who

NOON = 1_795_262_400_000  # 2026-11-21T12:00:00Z
COORDINATOR = "kafka.consumer:type=consumer-coordinator-metrics,client-id=app-1"


def found(rows):
    return [(row.sampled_at, row.mbean, row.attribute, row.value) for row in rows]


def test_otlp_distributions_and_gaps_are_counted():
    at = str(NOON * 10**6)
    metrics = [
        {"name": "h", "histogram": {"dataPoints": [{}, {}]}},
        {"name": "s", "summary": {"dataPoints": [{}]}},
        {
            "name": "a",
            "gauge": {
                "dataPoints": [{"timeUnixNano": at}, {"asInt": "3"}, {"timeUnixNano": at, "asInt": "3"}]
            },
        },
        {"name": "b", "sum": {"dataPoints": [{"timeUnixNano": at, "asDouble": 1, "flags": 1}]}},
    ]
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "s"}}]}
    rows, books, _ = read(
        json.dumps({"resourceMetrics": [{"resource": resource, "scopeMetrics": [{"metrics": metrics}]}]})
    )
    assert found(rows) == [(NOON, "unmapped:type=a", "value", 3.0), (NOON, "unmapped:type=b", "value", None)]
    assert books.skipped == {"histogram": 2, "summary": 1, "no_value": 1, "no_timestamp": 1}
    assert who(rows[0].labels) == ("s", None)


def test_otlp_of_a_brokers_receiver_has_the_client_at_the_resource():
    point = {"timeUnixNano": NOON * 10**6, "asDouble": 0.3}
    metric = {
        "name": "org.apache.kafka.consumer.coordinator.heartbeat.rate",
        "gauge": {"dataPoints": [point]},
    }
    resource = {"attributes": [{"key": "client_id", "value": {"stringValue": "app-1"}}]}
    rows, _, _ = read(
        json.dumps({"resourceMetrics": [{"resource": resource, "scopeMetrics": [{"metrics": [metric]}]}]})
    )
    assert found(rows) == [(NOON, COORDINATOR, "heartbeat-rate", 0.3)]


@pytest.mark.parametrize(
    "metric",
    [
        {
            "name": "kafka_consumer_coordinator",
            "fields": {"heartbeat-rate": 0.3},
            "tags": {"client-id": "app-1"},
        },
        {
            "name": "clients",
            "fields": {"heartbeat-rate": 0.3},
            "tags": {"client-id": "app-1", "type": "consumer-coordinator-metrics"},
        },
        {
            "name": "prometheus",
            "fields": {"kafka_consumer_coordinator_heartbeat_rate": 0.3},
            "tags": {"client_id": "app-1", "url": "http://h:1/metrics"},
        },
        {
            "name": "kafka_consumer_coordinator_heartbeat_rate",
            "fields": {"gauge": 0.3},
            "tags": {"client_id": "app-1"},
        },
    ],
)
@pytest.mark.parametrize("per_second", [1, 10**3, 10**6, 10**9])
def test_telegrafs_plugins(metric, per_second):
    metric = metric | {"timestamp": NOON * per_second // 1000}
    for document in (metric, {"metrics": [metric]}):
        rows, books, name = read(json.dumps(document))
        assert name == "telegraf"
        assert found(rows) == [(NOON, COORDINATOR, "heartbeat-rate", 0.3)]
        assert not books.skipped


EVENT = {"@timestamp": "2026-11-21T12:00:00.000Z", "service": {"address": "h:8778"}}
MBEAN = "kafka.consumer:client-id=app-1,type=consumer-coordinator-metrics"
FETCH = "kafka.consumer:client-id=app-1,type=consumer-fetch-manager-metrics"


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        (
            {"jolokia": {"kc": {"mbean": MBEAN, "consumer": {"heartbeat_rate": 0.3}}}},
            [("heartbeat-rate", 0.3)],
        ),
        ({"jolokia": {"kc": {"mbean": MBEAN, "heartbeat": {"rate": 0.3}}}}, [("heartbeat-rate", 0.3)]),
        ({"kafka": {"consumer": {"mbean": FETCH, "max_lag": 7}}}, [("records-lag-max", 7.0)]),
        ({"jolokia": {"jvm": {"mbean": "java.lang:type=Memory", "heap": {"used": 1}}}}, [("heap/used", 1.0)]),
        (
            {
                "prometheus": {
                    "labels": {"client_id": "app-1"},
                    "metrics": {"kafka_consumer_coordinator_heartbeat_rate": 0.3},
                }
            },
            [("heartbeat-rate", 0.3)],
        ),
        ({"jolokia": {"kafka_consumer_coordinator": {"heartbeat_rate": 0.3}}}, [("heartbeat-rate", 0.3)]),
        ({"jolokia": {"app": {"queue": 3}}}, [("queue", 3.0)]),
    ],
)
def test_metricbeats_modules(fields, wanted):
    rows, books, name = read(json.dumps(EVENT | fields))
    assert name == "metricbeat"
    assert [(row.attribute, row.value) for row in rows] == wanted
    assert all(row.sampled_at == NOON for row in rows)
    assert who(rows[0].labels) == (None, "h:8778")
    assert not books.skipped


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (EVENT | {"system": {"cpu": 1}}, "not_jmx"),
        (EVENT | {"jolokia": {"a": {"mbean": "nonsense", "b": 1}}}, "bad_mbean"),
        ({"@timestamp": "soon", "jolokia": {"a": {"b": 1}}}, "no_timestamp"),
    ],
)
def test_other_events_are_counted(event, reason):
    rows, books, _ = read(json.dumps(event))
    assert rows == []
    assert books.skipped == {reason: 1}


def test_dotted_keys_are_the_same_event():
    event = {
        "@timestamp": EVENT["@timestamp"],
        "service.address": "h:1",
        "jolokia.kc": {"mbean": MBEAN, "heartbeat_rate": 1},
    }
    rows, _, _ = read(json.dumps(event))
    assert found(rows) == [(NOON, COORDINATOR, "heartbeat-rate", 1.0)]
