"""The two tables of the job's clock: what is written, and when nothing is."""

from dataclasses import fields

import pytest
from deltalake import DeltaTable, write_deltalake

from conf.settings import HealthConf
from expectations import TABLES
from jobs.folds.health import HEALTH, TIMERS, write_health
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import read_arrow
from tests.expectations.rows import row
from tests.jobs.lakes import write
from transforms.diagnose.now.health import ClientHealth
from transforms.timers.samples.binding import Bindings, MetricClient

NOON = 1_795_262_400_000
MINUTE = 60_000
CONF = HealthConf(recent_minutes=60, silent_minutes=15, still_minutes=5)
CONSUMER = {"client_id": "c", "client_kind": "consumer", "client_library": "java", "service": "orders"}


def of_unit(unit, **more):
    return CONSUMER | {"unit_id": unit, "event_ids": ["e"]} | more


@pytest.fixture
def filled(tmp_path):
    """Two processes: one whose task can't go on, one that was kicked out and is not back."""
    events = [of_unit(unit, happened_at=NOON, message_id="join", event_id=unit) for unit in ("u1", "u2")]
    write(
        tmp_path,
        "silver.client_events",
        *events,
        of_unit("u1", client_id=None, client_version="4.2.1", happened_at=NOON),
    )
    timer = {
        "timer_id": "t",
        "task_id": "0_1",
        "outcome": "open",
        "started_at": NOON,
        "task_timeout_ms": 25_000,
    }
    write(
        tmp_path,
        "silver.task_timers",
        of_unit("u1", **timer, deadline_at=NOON + 25_000, timeout_origin="logged"),
    )
    out = {
        "incident_id": "i",
        "kind": "membership_fenced",
        "verdict": "as_designed",
        "impact": "delayed",
        "title": "out",
    }
    write(tmp_path, "gold.incidents", of_unit("u2", **out, client_ids=["c"], started_at=NOON))
    write(tmp_path, "gold.violations", of_unit("u2", violation_id="v", category="misconfiguration"))
    lake = LakeWriter(tmp_path)
    lake.prepare()
    return lake


def rows(lake, table, *columns):
    return sorted(tuple(row.values()) for row in read_arrow(lake.path(table), columns).to_pylist())


def versions(lake):
    return [DeltaTable(lake.path(table)).version() for table in (HEALTH, TIMERS)]


def test_what_stands_of_a_process_is_told(filled):
    assert write_health(filled, ["u1", "u2"], CONF, NOON) == {HEALTH: True, TIMERS: True}
    assert rows(filled, HEALTH, "unit_id", "status", "open_timers", "violations", "client_version") == [
        ("u1", "at_risk", 1, 0, "4.2.1"),
        ("u2", "broken", 0, 1, None),
    ]
    assert rows(filled, TIMERS, "kind", "timer_id", "limit_origin") == [("task", "t", "logged")]


def test_where_nothing_changed_nothing_is_written(filled):
    write_health(filled, ["u1", "u2"], CONF, NOON)
    before = versions(filled)
    assert write_health(filled, ["u1", "u2"], CONF, NOON + 1) == {HEALTH: False, TIMERS: False}
    assert write_health(filled, [], CONF, NOON + 2) == {HEALTH: False, TIMERS: False}
    assert versions(filled) == before


def test_the_order_of_rows_is_no_change(filled):
    """Deadlines of several clients of a process lie among each other, and a table has no order."""
    timer = {
        "outcome": "open",
        "task_timeout_ms": 25_000,
        "task_id": "0_1",
        "unit_id": "u1",
        "unit_bucket": 0,
    }
    timer |= {"attempts": 1, "plan": 1, "is_inferred": False, "incarnation": 0, "event_ids": ["e"]}
    timers = [
        timer | {"client_id": client, "timer_id": f"{client}{at}", "started_at": NOON + at}
        for client, at in (("c", 3), ("b", 1), ("c", 0), ("b", 2))
    ]
    DeltaTable(filled.path("silver.task_timers")).delete()
    made = TABLES["silver.task_timers"].arrow_table(timers)
    write_deltalake(filled.path("silver.task_timers"), made, mode="append")
    assert write_health(filled, ["u1", "u2"], CONF, NOON)[TIMERS]
    assert write_health(filled, ["u1", "u2"], CONF, NOON) == {HEALTH: False, TIMERS: False}


def test_time_alone_brings_warnings_and_then_silence(filled):
    write_health(filled, ["u1", "u2"], CONF, NOON)
    assert write_health(filled, [], CONF, NOON + 24_000) == {HEALTH: True, TIMERS: False}
    assert [len(warnings) for (warnings,) in rows(filled, HEALTH, "warnings")] == [0, 1]
    write_health(filled, [], CONF, NOON + 16 * MINUTE)
    assert [at.minute for (at,) in rows(filled, HEALTH, "silent_since_at")] == [0, 0]


def test_only_what_was_touched_is_made_anew_and_what_is_gone_goes(filled):
    write_health(filled, ["u1", "u2"], CONF, NOON)
    for table in ("silver.task_timers", "gold.incidents"):
        DeltaTable(filled.path(table)).delete()
    write_health(filled, ["u1"], CONF, NOON)
    assert rows(filled, HEALTH, "unit_id", "status") == [("u1", "ok"), ("u2", "broken")]
    assert rows(filled, TIMERS, "kind") == []


def test_a_lake_without_anything(tmp_path):
    lake = LakeWriter(tmp_path)
    lake.prepare()
    assert write_health(lake, [], CONF, NOON) == {HEALTH: False, TIMERS: False}
    assert write_health(lake, ["u1"], CONF, NOON) == {HEALTH: False, TIMERS: False}


def of_samples(mbean, attribute, *values):
    """A sample a minute; the last at noon."""
    key, _, client_id = mbean.rpartition("=")
    return [
        {
            "unit_id": "m",
            "source_id": "s",
            "mbean": mbean,
            "attribute": attribute,
            "client_id": "app" if key.endswith("thread-id") else client_id,
            "sampled_at": NOON - (len(values) - 1 - minute) * MINUTE,
            "value": None if isinstance(value, str) else float(value),
            "text_value": value if isinstance(value, str) else None,
            "clock": "process",
        }
        for minute, value in enumerate(values)
    ]


def test_a_stream_thread_that_stands_still_is_warned_of(tmp_path):
    consumer = "app-StreamThread-1-consumer"
    thread = "kafka.streams:type=stream-thread-metrics,thread-id=app-StreamThread-1"
    coordinator = f"kafka.consumer:type=consumer-coordinator-metrics,client-id={consumer}"
    seen = [of_unit("u", happened_at=NOON, message_id="join", event_id="e", client_id=consumer)]
    write(tmp_path, "silver.client_events", *seen)
    samples = [
        *of_samples(thread, "process-total", 1, *[2] * 8),
        *of_samples(thread, "poll-total", *range(9)),
        *of_samples(thread, "state", *["RUNNING"] * 9),
        *of_samples(coordinator, "assigned-partitions", *[4] * 9),
        *of_samples(coordinator, "rebalance-total", *[1] * 9),
        *of_samples(
            f"kafka.consumer:type=consumer-fetch-manager-metrics,client-id={consumer}", "records-lag-max", *[7] * 9
        ),
    ]  # fmt: skip
    write(tmp_path, "silver.metric_samples", *samples)
    lake = LakeWriter(tmp_path)
    lake.prepare()
    clients = [MetricClient("m", "s", client, "u", "client") for client in ("app", consumer)]
    write_health(lake, ["u"], CONF, NOON, Bindings(clients))
    ((warnings,),) = rows(lake, HEALTH, "warnings")
    assert [warning[:63] for warning in warnings] == [
        "its stream thread runs and polls, and has processed nothing sin"
    ]
    patient = HealthConf(recent_minutes=60, silent_minutes=15, still_minutes=7)
    write_health(lake, ["u"], patient, NOON, Bindings(clients))
    assert rows(lake, HEALTH, "warnings") == [([],)]


EVENTS = "silver.client_events"
CLOSED = {"message_id": "consumer-closed"}


@pytest.mark.parametrize(
    "later",
    [
        pytest.param([{}], id="another line"),
        pytest.param([CLOSED], id="it ends"),
        pytest.param([{"client_library": "librdkafka"}], id="of another library"),
        pytest.param([CLOSED, {}], id="and begins again"),
        pytest.param([{"client_id": "d", "group_id": "g"}], id="another client"),
        pytest.param([{"client_id": None, "client_version": "4.3.0"}], id="a version that no client says"),
        pytest.param([{"happened_at": NOON - MINUTE, "group_id": "g"}], id="late"),
    ],
)
def test_of_events_that_are_added_no_others_need_be_looked_at(tmp_path, later):
    """Each with its own trigger: the health that stood and the new events say what all events say."""
    columns = [column.name for column in fields(ClientHealth)]
    whole, added = (LakeWriter(tmp_path / name) for name in ("whole", "added"))
    for lake in (whole, added):
        lake.prepare()
    for number, values in enumerate([{"message_id": "join"}, *later]):
        event = CONSUMER | {"unit_id": "u", "event_id": str(number), "happened_at": NOON + number} | values
        event = TABLES[EVENTS].arrow_table([row(EVENTS, **event)])
        for lake in (whole, added):
            write_deltalake(lake.path(EVENTS), event, mode="append")
        write_health(whole, ["u"], CONF, NOON)
        write_health(added, ["u"], CONF, NOON, added=event if number else None)
    assert rows(added, HEALTH, *columns) == rows(whole, HEALTH, *columns)
    assert len(rows(added, HEALTH, "client_id")) == len(
        {event.get("client_id", "c") for event in later} - {None} | {"c"}
    )


def test_what_a_clients_samples_warn_of_is_said_while_it_lasts(tmp_path):
    mbean = "kafka.consumer:type=consumer-metrics,client-id=c"
    seen = [of_unit("u", happened_at=NOON, message_id="join", event_id="e", client_id="c")]
    write(tmp_path, "silver.client_events", *seen)
    write(tmp_path, "silver.metric_samples", *of_samples(mbean, "connection-count", 3, 0, 0, 0))
    lake = LakeWriter(tmp_path)
    lake.prepare()
    clients = [MetricClient("m", "s", "c", "u", "client")]
    write_health(lake, ["u"], CONF, NOON, Bindings(clients))
    ((told,),) = rows(lake, HEALTH, "warnings")
    assert [warning[:47] for warning in told] == ["it has had no connection to any broker since 20"]
    write_health(lake, ["u"], CONF, NOON, Bindings([]))
    assert rows(lake, HEALTH, "warnings") == [([],)]
