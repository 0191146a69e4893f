# ruff: noqa: E501  # a log line stays one line
"""Effective settings, versions and incarnations, from the lines that say them."""

from dataclasses import replace

import pytest

from tests.transforms.parse.typed import NOON, record
from tests.transforms.timers.clients.history import (
    BASE,
    DEFAULTS,
    ORIGIN,
    History,
    closed,
    consumer,
    dump,
    producer,
    version,
)
from transforms.parse.events.messages import events_of
from transforms.timers.clients.settings import UnitSettings, is_control
from transforms.timers.state import dump_state, load_state


def test_what_a_dump_prints_holds_from_then_on():
    history = History(dump("Producer", "p", delivery_timeout_ms=9000), version(), producer("p"))
    assert history.value(2, "delivery.timeout.ms") == ("9000", "logged")
    assert history.profile(2).version == (4, 2, 1)
    setting = history.profile(2).setting("delivery.timeout.ms")
    assert (setting.from_at, setting.event_id) == (NOON, history.at(0).event_id)


def test_before_its_dump_nothing_is_known_of_a_client():
    history = History(producer("p"), dump("Producer", "p", delivery_timeout_ms=9000), version())
    assert history.value(0, "delivery.timeout.ms") is None


def test_two_clients_of_one_process_have_their_own_settings():
    history = History(
        dump("Consumer", "a", max_poll_interval_ms=1000),
        dump("Consumer", "b", max_poll_interval_ms=2000),
        consumer("a"),
        consumer("b"),
    )
    assert history.value(2, "max.poll.interval.ms") == ("1000", "logged")
    assert history.value(3, "max.poll.interval.ms") == ("2000", "logged")
    assert set(history.incarnations()) == {0}


def test_a_consumer_and_a_producer_of_one_name_are_two():
    history = History(
        dump("Consumer", "x", request_timeout_ms=1),
        dump("Producer", "x", request_timeout_ms=2),
        consumer("x"),
        producer("x"),
    )
    assert history.value(2, "request.timeout.ms") == ("1", "logged")
    assert history.value(3, "request.timeout.ms") == ("2", "logged")


def test_a_client_closed_and_made_again_runs_with_its_new_settings_in_the_same_process():
    history = History(
        dump("Producer", "p", linger_ms=1),
        closed("producer", "p"),
        dump("Producer", "p", linger_ms=2),
        producer("p"),
    )
    assert history.value(3, "linger.ms") == ("2", "logged")
    assert history.incarnations() == [0, 0, 0, 0]


EXPIRED = "org.apache.kafka.common.errors.TimeoutException: Expiring 1 record(s) for bills-0:9001 ms has passed since batch creation"


def test_what_an_application_says_of_its_only_producer_as_it_closes():
    history = History(
        dump("Producer", "p", linger_ms=1), closed("producer", "p"), f"not delivered\n{EXPIRED}"
    )
    assert history.profile(2).client_id == "p"


def test_of_two_that_are_closed_nobody_knows_which():
    closings = [closed("producer", "p"), closed("producer", "q")]
    history = History(dump("Producer", "p"), dump("Producer", "q"), *closings, f"not delivered\n{EXPIRED}")
    assert history.profile(4).client_id is None


def test_a_client_made_again_without_having_been_closed_is_a_new_process():
    history = History(
        dump("Producer", "p", linger_ms=1),
        dump("Consumer", "c", max_poll_records=7),
        version("3.9.1"),
        dump("Producer", "p", linger_ms=2),
        version("4.2.1"),
        consumer("c"),
        dump("Consumer", "c", max_poll_records=8),
        consumer("c"),
    )
    assert history.incarnations() == [0, 0, 0, 1, 1, 1, 1, 1]
    assert history.profile(2).version == (3, 9, 1)
    assert history.profile(5).version == (4, 2, 1)
    assert history.value(5, "max.poll.records") is None, "of the old process nothing is known in the new one"
    assert history.value(7, "max.poll.records") == ("8", "logged")


def test_one_dump_written_by_two_appenders_is_one_start():
    lines = [dump("Producer", "p", linger_ms=1)]
    twice = [events_of(record(lines[0], offset=n, position=n), ORIGIN)[0] for n in (0, 1)]
    settings = UnitSettings.from_events(twice)
    assert [settings.incarnation_of(event) for event in twice] == [0, 0]


def test_two_clients_of_one_name_in_one_process_are_no_restart():
    history = History(
        dump("Producer", "p"), dump("Producer", "p"), "Error registering AppInfo mbean", producer("p")
    )
    assert set(history.incarnations()) == {0}


def test_a_constructor_that_refused_left_no_client_behind():
    refused = (
        "app: Could not start\norg.apache.kafka.common.KafkaException: Failed to construct kafka producer\nCaused by: "
        "org.apache.kafka.common.config.ConfigException: delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms"
    )
    history = History(dump("Producer", "p"), refused, dump("Producer", "p"))
    assert history.incarnations() == [0, 0, 0]


def test_a_leave_without_reason_counts_as_closing():
    """2.1 to 2.3, where nothing else tells a consumer's end."""
    leaves = consumer(
        "c", "Member c-1 sending LeaveGroup request to coordinator h:1 (id: 2147483646 rack: null)"
    )
    assert History(dump("Consumer", "c"), leaves, dump("Consumer", "c")).incarnations() == [0, 0, 0]


def test_a_leave_by_poll_timeout_closes_nothing():
    leaves = consumer(
        "c",
        "Member c-1 sending LeaveGroup request to coordinator h:1 (id: 2147483646 rack: null) due to consumer poll timeout has expired.",
    )
    assert History(dump("Consumer", "c"), leaves, dump("Consumer", "c")).incarnations() == [0, 0, 1]


def test_a_broker_that_starts_again():
    starts = "[BrokerServer id=1] Transition from SHUTDOWN to STARTING"
    assert History(starts, version(), starts, version()).incarnations() == [0, 0, 1, 1]


def test_the_n_th_client_without_an_id_names_itself_n():
    history = History(
        dump("Producer", delivery_timeout_ms=1000),
        dump("Producer", "named", delivery_timeout_ms=3000),
        dump("Producer", delivery_timeout_ms=2000),
        producer("producer-2"),
        producer("producer-1"),
    )
    assert history.value(3, "delivery.timeout.ms") == ("2000", "logged")
    assert history.value(4, "delivery.timeout.ms") == ("1000", "logged")


@pytest.mark.parametrize("client_id", ["p", ""])
def test_a_setting_holds_until_its_client_is_closed(client_id):
    history = History(dump("Producer", client_id, linger_ms=1), closed("producer", client_id or "producer-1"))
    (row,) = [row for row in history.settings.rows() if row["name"] == "linger.ms"]
    assert (row["from_at"], row["until_at"]) == (NOON, NOON + 1000)


def test_a_log_that_begins_late_counts_from_the_number_it_sees():
    history = History(
        dump("Producer", delivery_timeout_ms=1000),
        producer("producer-3", "Instantiated an idempotent producer."),
        producer("producer-3"),
    )
    assert history.value(2, "delivery.timeout.ms") == ("1000", "logged")


@pytest.mark.parametrize("client_id", ["consumer-1", "consumer-orders-1"])
def test_a_consumer_without_an_id_is_known_by_its_number(client_id):
    history = History(dump("Consumer", group_id="x", **{"group.id": "orders"}), consumer(client_id))
    assert history.value(1, "group.id") == ("orders", "logged")


def test_an_adjusted_value_goes_before_the_dump_from_then_on():
    adjusted = "delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms. Setting it to 150100."
    history = History(
        dump("Producer", "p", delivery_timeout_ms=120000),
        producer("p"),
        producer("p", adjusted),
        producer("p"),
    )
    assert history.value(1, "delivery.timeout.ms") == ("120000", "logged")
    assert history.value(3, "delivery.timeout.ms") == ("150100", "adjusted")
    rows = [row for row in history.settings.rows() if row["name"] == "delivery.timeout.ms"]
    assert [(row["value"], row["origin"], row["from_at"], row["until_at"]) for row in rows] == [
        ("120000", "logged", NOON, NOON + 2000),
        ("150100", "adjusted", NOON + 2000, None),
    ]


@pytest.mark.parametrize("at", [None, NOON], ids=["without times", "at one time"])
def test_of_what_is_said_twice_at_one_time_the_last_holds(at):
    history = History(dump("Producer", "p", linger_ms=1), dump("Producer", "p", linger_ms=2))
    events = [replace(event, happened_at=at) for events in history.lines for event in events]
    rows = list(UnitSettings.from_events(events, (), DEFAULTS).rows())
    assert [(row["value"], row["from_at"]) for row in rows if row["name"] == "linger.ms"] == [("2", at)]


def test_a_client_that_may_have_either_of_two_ids_is_told_once():
    """Without an id of its own: before 2.4 its group does not stand in its name."""
    rows = list(History(dump("Consumer", "", group_id="g")).settings.rows())
    assert [(row["client_id"], row["name"]) for row in rows] == [
        ("consumer-1", "client.id"),
        ("consumer-1", "group.id"),
    ]


def test_a_default_is_of_a_version_and_accuses_nobody():
    history = History(version("2.8.2"), consumer("c"))
    assert history.value(1, "session.timeout.ms") == ("10000", "default:2.8.2")
    assert not history.profile(1).setting("session.timeout.ms").is_proven
    assert history.profile(1).setting("retry.backoff.max.ms") is None, "no setting before 3.7"


def test_a_client_without_a_dump_has_rows_of_defaults():
    history = History(version("2.8.2"), consumer("c", "Subscribed to topic(s): orders"))
    rows = {row["name"]: row for row in history.settings.rows()}
    assert (rows["session.timeout.ms"]["value"], rows["session.timeout.ms"]["origin"]) == (
        "10000",
        "default:2.8.2",
    )
    assert (rows["session.timeout.ms"]["client_kind"], rows["session.timeout.ms"]["client_id"]) == (
        "consumer",
        "c",
    )


def test_without_a_version_a_default_is_assumed():
    assert History(consumer("c")).value(0, "session.timeout.ms") == ("45000", "assumed")


def test_a_declared_value_goes_before_a_default_and_a_dump_before_both():
    declared = ({"client_id": "pay-*", "name": "max.poll.interval.ms", "value": "120000"},)
    history = History(version(), consumer("pay-1"), consumer("other"), declared=declared)
    assert history.value(1, "max.poll.interval.ms") == ("120000", "declared")
    assert history.value(2, "max.poll.interval.ms") == ("300000", "default:4.2.1")
    dumped = History(
        dump("Consumer", "pay-1", max_poll_interval_ms=5000), consumer("pay-1"), declared=declared
    )
    assert dumped.value(1, "max.poll.interval.ms") == ("5000", "logged")


def test_a_declared_value_holds_even_before_the_dump():
    declared = ({"name": "max.poll.interval.ms", "value": "120000"},)
    history = History(consumer("c"), dump("Consumer", "c", max_poll_interval_ms=5000), declared=declared)
    assert history.value(0, "max.poll.interval.ms") == ("120000", "declared")


def test_under_the_consumer_protocol_the_clients_session_timeout_is_not_in_force():
    history = History(
        dump("Consumer", "c", group_protocol="consumer", session_timeout_ms=45000, max_poll_interval_ms=1),
        consumer("c"),
    )
    assert history.value(1, "session.timeout.ms") is None
    assert history.value(1, "max.poll.interval.ms") == ("1", "logged")
    assert "session.timeout.ms" not in {row["name"] for row in history.settings.rows()}


def streams_history(*lines: str, client_id: str = "", base: str = BASE) -> History:
    return History(
        dump("Streams", client_id, application_id="orders", task_timeout_ms=8000),
        f"stream-client [{base}] Kafka Streams version: 4.2.1",
        dump("Consumer", f"{base}-StreamThread-1-consumer", max_poll_interval_ms=6000),
        dump("Producer", f"{base}-StreamThread-1-producer", max_block_ms=2000),
        dump("AdminClient", f"{base}-admin", retries=3),
        version(),
        *lines,
    )


@pytest.mark.parametrize(("client_id", "base"), [("", BASE), ("billing", "billing")])
def test_a_line_of_streams_has_the_settings_of_streams_and_of_the_clients_inside(client_id, base):
    line = f"stream-thread [{base}-StreamThread-1] task [0_1] Clearing task timeout."
    history = streams_history(line, client_id=client_id, base=base)
    profile = history.profile(6)
    assert (profile.client_kind, profile.client_id, profile.version) == ("streams", base, (4, 2, 1))
    assert history.value(6, "task.timeout.ms") == ("8000", "logged")
    assert history.value(6, "main.consumer.max.poll.interval.ms") == ("6000", "logged")
    assert history.value(6, "producer.max.block.ms") == ("2000", "logged")
    assert history.value(6, "admin.retries") == ("3", "logged")


@pytest.mark.parametrize(
    ("remaining_ms", "kind", "elapsed_ms"),
    [(8000, "task_timeout_start", 0), (7999, "task_timeout_continue", 1)],
)
def test_with_the_limit_known_a_timer_line_tells_how_far_the_timer_is(remaining_ms, kind, elapsed_ms):
    line = f"stream-thread [{BASE}-StreamThread-1] task [0_1] Task did not make progress. Remaining time to deadline {remaining_ms}; retrying."
    history = streams_history(line)
    told = history.at(6)
    history.settings.complete(told)
    assert (told.kind, told.limit_ms, told.elapsed_ms) == (kind, 8000, elapsed_ms)
    assert told.client_version == "4.2.1"


def test_without_the_limit_a_timer_line_stays_as_it_is():
    history = History(
        f"stream-thread [{BASE}-StreamThread-1] task [0_1] Task did not make progress. Remaining time to deadline 5; retrying.",
        defaults={},
    )
    history.settings.complete(history.at(0))
    assert (history.at(0).kind, history.at(0).elapsed_ms) == ("task_timeout_continue", None)


def test_a_line_of_an_embedded_client_has_that_clients_settings():
    history = streams_history(producer(f"{BASE}-StreamThread-1-producer"))
    assert history.value(6, "max.block.ms") == ("2000", "logged")
    assert history.profile(6).is_embedded
    assert history.value(6, "task.timeout.ms") is None


def test_an_embedded_client_without_a_dump_has_the_defaults_that_streams_gives_it():
    history = History(version(), producer(f"{BASE}-StreamThread-1-producer"), producer("p"))
    assert history.value(1, "linger.ms") == ("100", "default:4.2.1")
    assert history.value(2, "linger.ms") == ("5", "default:4.2.1")


def test_a_new_streams_client_of_the_application_is_a_new_process_unless_the_old_one_ended():
    again = dump("Streams", application_id="orders")
    ended = f"stream-client [{BASE}] State transition from PENDING_SHUTDOWN to NOT_RUNNING"
    assert streams_history(again).incarnations()[-1] == 1
    assert streams_history(ended, again).incarnations()[-1] == 0


EXPIRING = "app: org.apache.kafka.common.errors.TimeoutException: Expiring 1 record(s) for orders-0:9001 ms has passed since batch creation"


def test_a_line_of_the_application_speaks_of_the_only_client_of_its_kind():
    history = History(dump("Producer", "p", delivery_timeout_ms=9000), dump("Consumer", "c"), EXPIRING)
    assert history.profile(2).client_id == "p"
    assert history.value(2, "delivery.timeout.ms") == ("9000", "logged")


def test_with_two_clients_of_the_kind_nothing_is_known():
    history = History(dump("Producer", "p"), dump("Producer", "q"), version(), EXPIRING)
    assert (history.profile(3).client_id, dict(history.profile(3).settings)) == (None, {})
    assert history.profile(3).version == (4, 2, 1)


def test_two_versions_in_one_process_are_none():
    history = History(version("3.9.1"), version("4.2.1"), consumer("c"))
    assert history.profile(2).version is None


@pytest.mark.parametrize(
    ("printed", "meant"),
    [
        ("4.2.1", (4, 2, 1)),
        ("3.9.0-rc3", (3, 9, 0)),
        ("2.8", (2, 8, 0)),
        ("7.6.1-ccs", (3, 6, 1)),
        ("6.2.0-ce", (2, 8, 0)),
        ("8.0.0-ccs", (4, 0, 0)),
        ("unknown", None),
        ("25.1", None),
    ],
)
def test_versions_as_vendors_print_them(printed, meant):
    assert History(version(printed), consumer("c")).profile(1).version == meant


def test_what_was_built_can_be_sent_to_another_process():
    history = streams_history(producer(f"{BASE}-StreamThread-1-producer"))
    copy = load_state(dump_state(history.settings))
    assert copy.profile_of(history.at(6)) == history.profile(6)


def test_the_order_in_which_control_events_come_does_not_matter():
    history = streams_history()
    control = [event for events in history.lines for event in events if is_control(event)]
    backwards = UnitSettings.from_events(reversed(control), (), DEFAULTS)
    assert list(backwards.rows()) == list(history.settings.rows())


def test_no_events_no_settings():
    settings = UnitSettings.from_events([])
    assert list(settings.rows()) == []


def test_every_default_stands_under_release_lines_in_order():
    for table in DEFAULTS.values():
        for by_line in table.values():
            lines = [tuple(map(int, line.split("."))) for line in by_line]
            assert lines == sorted(lines)
            assert lines[0] >= (1, 0)


@pytest.mark.parametrize("value", ["", "null", "--5", "5.0", "\u00b2", "9" * 40, "5 minutes"])
def test_a_value_that_is_no_whole_number_is_none(value):
    history = History(dump("Consumer", "c", max_poll_interval_ms=value), consumer("c"))
    assert history.profile(1).whole("max.poll.interval.ms") is None


def test_a_row_of_the_lake_tells_a_library_s_version_as_its_line_did():
    """The column of the version is Java's there: whether a process is read at once or later, its defaults are the same."""
    line = "%7|1795357602.334|INIT|pay#consumer-1| [thrd:app]: librdkafka v2.16.0 (0x21000ff) pay#consumer-1 initialized (builtin.features gzip)"
    (read,) = events_of(record(line), ORIGIN)
    kept = replace(read, client_version=None)
    for control in ([read], [kept]):
        settings = UnitSettings.from_events(control, (), {})
        assert settings.profile_of(read).library_version == (2, 16, 0)


CLUSTER_A, CLUSTER_B = "5L6g3nShT-eMCtK--X86sw", "MkU3OEVBNTcwNTJENDM2Qg"


def test_the_only_cluster_that_a_process_met_is_that_of_all_its_clients():
    history = History(producer("p"), producer("p", f"Cluster ID: {CLUSTER_A}"), consumer("c"))
    assert [history.profile(at).cluster_id for at in (0, 2)] == [CLUSTER_A] * 2


def test_of_several_clusters_a_client_is_of_the_one_that_it_names():
    lines = [consumer("c", f"Cluster ID: {CLUSTER_A}"), producer("p", f"Cluster ID: {CLUSTER_B}")]
    history = History(*lines, consumer("c"), producer("p"), producer("new"))
    assert [history.profile(at).cluster_id for at in (2, 3, 4)] == [CLUSTER_A, CLUSTER_B, None]


def test_a_broker_says_which_cluster_it_is_of():
    started = "[BrokerServer id=1] Transition from SHUTDOWN to STARTING"
    of_broker = (
        "[BrokerLifecycleManager id=1] Incarnation zyW_1vGqQ3Kq of broker 1 in cluster {} is now STARTING."
    )
    assert History(started, of_broker.format(CLUSTER_A)).profile(0).cluster_id == CLUSTER_A
    (with_zookeeper,) = events_of(record(f"Cluster ID = {CLUSTER_A}", "kafka.server.KafkaServer"), ORIGIN)
    assert with_zookeeper.details["cluster_id"] == CLUSTER_A
    assert is_control(with_zookeeper)


@pytest.mark.parametrize(("protocol", "session"), [("streams", None), ("classic", ("45000", "logged"))])
def test_a_streams_group_has_its_brokers_session(protocol, session):
    """Source: recordings of 4.2 and 4.3: the consumer within prints group.protocol = classic, and its own session timeout."""
    of_streams = dump("Streams", BASE, application_id="orders", group_protocol=protocol)
    name = f"{BASE}-StreamThread-1-consumer"
    own = dump(
        "Consumer", name, group_protocol="classic", session_timeout_ms=45000, max_poll_interval_ms=30000
    )
    history = History(
        of_streams,
        f"stream-client [{BASE}] State transition from CREATED to REBALANCING",
        own,
        consumer(name),
    )
    assert history.value(3, "session.timeout.ms") == session
    assert history.value(3, "max.poll.interval.ms") == ("30000", "logged")
