# ruff: noqa: E501  # a line of a log is a line
"""Lines of trouble -> incidents: who, what, why, who acts; each a history of lines through the pure path."""

from dataclasses import replace

import pytest

from tests.story import CONSUMER, PRODUCER, line, told
from transforms.diagnose.causes.benign import normal_in_short
from transforms.diagnose.incident import ACTORS, CONFIDENCES, IMPACTS
from transforms.diagnose.pages import PAGE, page
from transforms.diagnose.wording.catalogue import OTHER, Said, class_of, classes
from transforms.diagnose.wording.sentences import sentence
from transforms.events import APPLICATION_EXCEPTION
from transforms.parse.catalogue.forms import families
from transforms.timers.clients.trouble_events import LOUD, TROUBLE

NETWORK = "org.apache.kafka.clients.NetworkClient"
STARTED = line(0, "INFO", "org.apache.kafka.common.utils.AppInfoParser", "Kafka version: 3.9.1")
REFUSED = "Connection to node -1 (broker1/10.0.0.7:9092) could not be established. Node may not be available."


def one(*lines):
    found = [incident for incident in told(*lines) if incident.verdict != "benign"]
    assert len(found) == 1, [incident.title for incident in found]
    return found[0]


@pytest.mark.parametrize(
    ("lines", "kind", "actor", "words"),
    [
        pytest.param(
            [line(0, "WARN", "org.apache.kafka.clients.ClientUtils", "Couldn't resolve server broker9:9092 from bootstrap.servers as DNS resolution failed for broker9")],
            "dns_failed", "settings", ["broker9", "does not resolve"], id="a name that nobody knows",
        ),
        pytest.param(
            [line(0, "ERROR", NETWORK, f"{PRODUCER}Connection to node 3 (kafka3/10.0.0.3:9092) failed authentication due to: SSL handshake failed")],
            "tls_failed", "settings", ["producer-1", "broker 3 (kafka3/10.0.0.3:9092)"], id="TLS",
        ),
        pytest.param(
            [line(0, "ERROR", NETWORK, f"{PRODUCER}Connection to node 3 (kafka3/10.0.0.3:9092) failed authentication due to: Authentication failed: Invalid username or password")],
            "auth_failed", "settings", ["producer-1", "roker 3", "Invalid username or password"], id="a wrong password",
        ),
        pytest.param(
            [line(0, "WARN", NETWORK, f"{PRODUCER}Connection to node -1 (p/10.0.0.3:9092) terminated during authentication. This may happen due to any of the following reasons: (1) Authentication failed due to invalid credentials with brokers older than 1.0.0, (2) Firewall blocking Kafka TLS traffic")],
            "auth_broken_off", "unknown", ["producer-1", "none is proven"], id="whose reasons are guesses",
        ),
        pytest.param(
            [line(0, "WARN", NETWORK, f"{CONSUMER}Error while fetching metadata with correlation id 2 : {{orders=TOPIC_AUTHORIZATION_FAILED}}")],
            "not_authorized", "settings", ["consumer-1", "orders"], id="no right to a topic",
        ),
        pytest.param(
            [line(0, "ERROR", "com.acme.Sender", "send failed\norg.apache.kafka.common.errors.RecordTooLargeException: The message is 1048660 bytes when serialized which is larger than 1048576, which is the value of the max.request.size configuration.")],
            "record_too_large", "settings", ["1048660 bytes", "1048576 bytes", "max.request.size", "by 84 bytes"], id="too large",
        ),
        pytest.param(
            [line(0, "ERROR", "com.acme.Reader", "poll failed\norg.apache.kafka.common.errors.RecordDeserializationException: Error deserializing key/value for partition orders-4 at offset 1093. If needed, please seek past the record to continue consumption.\n\tat org.apache.kafka.clients.consumer.internals.Fetcher.parse(Fetcher.java:1)\nCaused by: org.apache.kafka.common.errors.SerializationException: Unknown magic byte!")],
            "not_registry_bytes", "application", ["orders-4", "1093", "nknown magic byte"], id="a record that the registry's serializer did not write",
        ),
        pytest.param(
            [STARTED, line(0, "ERROR", "org.apache.kafka.connect.runtime.WorkerTask", "WorkerSinkTask{id=jdbc-sink-0} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted\norg.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception.\n\tat org.apache.kafka.connect.runtime.WorkerSinkTask.deliver(WorkerSinkTask.java:1)\nCaused by: java.sql.SQLException: table ORDERS is gone\n\tat org.postgresql.Driver.run(Driver.java:7)")],
            "connect_task_killed", "application", ["jdbc-sink-0", "SQLException", "table ORDERS is gone", "Driver.java:7"], id="a Connect task",
        ),
        pytest.param(
            [line(0, "ERROR", "com.acme.App", "can't begin\norg.apache.kafka.common.errors.TimeoutException: Timeout expired after 60000ms while awaiting InitProducerId")],
            "init_transactions_timed_out", "broker", ["1 min", "initTransactions()"], id="no producer id",
        ),
        pytest.param(
            [line(0, "ERROR", "com.acme.App", "gave up\norg.apache.kafka.common.errors.TimeoutException: Timeout of 60000ms expired before the position for partition orders-3 could be determined")],
            "position_timed_out", "broker", ["orders-3", "1 min"], id="a position",
        ),
        pytest.param(
            [line(0, "ERROR", "com.acme.App", "order 17: Timeout of 60000ms expired before the position for partition orders-3 could be determined")],
            "position_timed_out", "broker", ["orders-3", "1 min"], id="a position, reported without its class",
        ),
        pytest.param(
            [line(0, "ERROR", "com.acme.App", "gave up\norg.apache.kafka.common.errors.ProducerFencedException: There is a newer producer with the same transactionalId which fences the current one.")],
            "producer_fenced", "application", ["newer epoch", "leaves both open"], id="a fenced producer",
        ),
        pytest.param(
            [line(0, "ERROR", "org.apache.kafka.common.utils.KafkaThread", "Uncaught exception in thread 'kafka-producer-network-thread | producer-1':\njava.lang.OutOfMemoryError: Java heap space")],
            "out_of_memory", "application", ["Java heap space"], id="no memory",
        ),
    ],
)  # fmt: skip
def test_what_a_line_means(lines, kind, actor, words):
    incident = one(*lines)
    assert (incident.kind, incident.actor, incident.verdict) == (kind, actor, "as_designed")
    said = f"{incident.title} {incident.cause}"
    assert [word for word in words if word not in said] == []
    assert incident.advice


def test_a_line_that_nothing_explains_is_named_and_never_silent():
    incident = one(line(0, "WARN", NETWORK, f"{CONSUMER}The frobnicator of node 3 is out of plumbus"))
    assert (incident.kind, incident.actor, incident.cause_confidence) == ("other", "unknown", "unknown")
    assert "consumer-1" in incident.title
    assert "The frobnicator of node 3 is out of plumbus" in incident.title


def test_a_new_exception_falls_to_the_class_of_its_kind():
    incident = one(
        line(
            0,
            "ERROR",
            "com.acme.App",
            "no\norg.apache.kafka.common.errors.FrobnicatorAuthorizationException: no way",
        )
    )
    assert (incident.kind, incident.actor) == ("not_authorized", "settings")


def test_one_fault_is_told_once_with_all_its_lines():
    lines = []
    for number in range(4):
        at = number * 1_000
        lines += [
            line(at, "INFO", NETWORK, f"{CONSUMER}Node -1 disconnected."),
            line(at, "WARN", NETWORK, f"{CONSUMER}{REFUSED}"),
            line(
                at,
                "WARN",
                NETWORK,
                f"{CONSUMER}Bootstrap broker broker1:9092 (id: -1 rack: null) disconnected",
            ),
        ]
    (incident,) = told(*lines)
    assert (incident.kind, incident.verdict) == ("connect_failed", "as_designed")
    assert "(4 times in 3 s)" in incident.title
    assert incident.places == ["address:broker1:9092", "group:orders"]


def test_a_client_that_got_on_again_had_the_right_address():
    lines = [
        line(0, "WARN", NETWORK, f"{CONSUMER}{REFUSED}"),
        line(9_000, "INFO", "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator", f"{CONSUMER}Discovered group coordinator broker1:9092 (id: 2147483646 rack: null)"),
    ]  # fmt: skip
    incident = one(*lines)
    assert "It got on again after 9 s" in incident.cause
    assert "is wrong for this host" not in incident.cause


@pytest.mark.parametrize(("after_ms", "verdict"), [(2_000, "benign"), (95_100_000, "as_designed")])
def test_what_passes_by_itself_is_normal_unless_it_takes_long(after_ms, verdict):
    coordinator = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
    lines = [
        line(0, "INFO", coordinator, f"{CONSUMER}Group coordinator broker1:9092 (id: 2147483646 rack: null) is unavailable or invalid due to cause: error response NOT_COORDINATOR. isDisconnected: false. Rediscovery will be attempted."),
        line(after_ms, "INFO", coordinator, f"{CONSUMER}Discovered group coordinator broker1:9092 (id: 2147483646 rack: null)"),
    ]  # fmt: skip
    (incident,) = told(*lines)
    assert incident.verdict == verdict


def test_of_a_connection_as_go_names_it_the_broker_s_end_is_told():
    lost = one(
        line(
            0,
            "ERROR",
            "com.acme.Log",
            "[sarama] client/metadata got error from broker 2 while fetching metadata: write tcp 10.0.0.4:32864->10.0.0.5:9093: write: broken pipe",
        )
    )
    assert "10.0.0.5:9093" in lost.title
    assert "10.0.0.4" not in lost.title


@pytest.mark.parametrize(
    ("severity", "said", "verdict"),
    [
        ("", "Disconnected (after 9257ms in state UP)", "as_designed"),
        ("", "Disconnected (after 3659257ms in state UP)", "benign"),  # it rested
        ("%3|1795356710.782|", "Disconnected", "benign"),  # as releases before 1.0 say it
        ("%3|1795356710.782|", "Receive failed: Connection reset by peer", "as_designed"),
        ("%6|1795356710.782|", "Disconnected (after 9257ms in state UP)", "benign"),
        ("%7|1795356710.782|", "Disconnected (after 70ms in state APIVERSION_QUERY)", "as_designed"),
        ("%7|1795356710.782|", "Client is terminating (after 93ms in state INIT)", None),
    ],
)
def test_a_connection_that_librdkafka_lost_is_normal_where_it_rested(severity, said, verdict):
    text = f"{severity}FAIL|pay#consumer-1| [thrd:a:9092/1]: a:9092/1: {said}"
    assert [incident.verdict for incident in told(text)] == ([verdict] if verdict else [])


def test_trouble_begins_with_its_own_lines_and_not_with_what_was_normal_before():
    said = "%{}|{}.000|FAIL|pay#consumer-1| [thrd:a:9092/1]: a:9092/1: {}"
    rested = said.format(6, 1795356710, "Disconnected (after 3659257ms in state UP)")
    refused = "Connect to ipv4#10.0.0.1:9092 failed: Connection refused (after 0ms in state CONNECT)"
    (found,) = told(rested, said.format(3, 1795356770, refused))
    assert (found.verdict, found.started_at) == ("as_designed", 1795356770_000)


AWAITED = "[Consumer clientId=pay-1, groupId=pay] Request joining group due to: group is already rebalancing"


@pytest.mark.parametrize(("times", "verdict"), [(2, "benign"), (3, "as_designed")])
def test_a_member_that_does_not_poll_while_its_group_waits_is_told_when_it_was_told_often(times, verdict):
    lines = [line(3_000 * at, "INFO", "o.a.k.ConsumerCoordinator", AWAITED) for at in range(times)]
    assert [(one.kind, one.verdict) for one in told(*lines)] == [("rejoin_awaited", verdict)]


@pytest.mark.parametrize(("apart_ms", "kinds"), [(3_000, ["rejoin_awaited"]), (46_000, [])])
def test_a_client_of_python_is_told_with_each_heartbeat_and_later_of_another_rebalance(apart_ms, kinds):
    said = "Heartbeat failed for group pay because it is rebalancing"
    lines = [line(apart_ms * at, "WARN", "kafka.coordinator", said) for at in range(3)]
    assert [one.kind for one in told(*lines) if one.verdict != "benign"] == kinds


@pytest.mark.parametrize(
    "said",
    [
        "Processing exception handler is not enabled for the GlobalThread. It's recommended to set `processing.exception.handler"
        ".global.enabled` to true",
        "Warmup replicas are not supported yet with the streams protocol and will be ignored.",
    ],
)
def test_what_only_advises_is_normal(said):
    assert [one.verdict for one in told(line(0, "WARN", "o.a.k.streams.StreamsConfig", said))] == ["benign"]
    failed = line(0, "ERROR", "o.a.k.streams.StreamsConfig", said)
    assert [one.verdict for one in told(failed)] != ["benign"]


JOINS = "[Consumer clientId=pay-1, groupId=pay] (Re-)joining group"


def awaited(*said):
    """Lines 3 s apart."""
    texts = {"told": AWAITED, "joins": JOINS}
    lines = [line(3_000 * at, "INFO", "o.a.k.ConsumerCoordinator", texts[one]) for at, one in enumerate(said)]
    return [one for one in told(*lines) if one.kind == "rejoin_awaited"]


def test_a_group_that_rebalances_often_and_is_joined_each_time_is_well():
    (one,) = awaited(*["told", "joins"] * 5)
    assert one.verdict == "benign"
    assert "not joined" not in one.title
    assert "did not poll" not in one.cause


def test_a_group_that_was_joined_again_in_time_is_no_part_of_trouble_that_came_later():
    lost = "stream-thread [pay-1-StreamThread-1] at state RUNNING: partitions [orders-1] lost due to missed rebalance."
    lines = [
        line(3_000 * at, "INFO", "o.a.k.ConsumerCoordinator", text)
        for at, text in enumerate([AWAITED, JOINS])
    ]
    found = told(
        *lines, line(40_000, "WARN", "o.a.k.streams.processor.internals.StreamsRebalanceListener", lost)
    )
    assert [(one.kind, one.verdict) for one in found] == [
        ("rejoin_awaited", "benign"),
        ("task_migrated", "as_designed"),
    ]


def test_what_was_joined_before_is_no_part_of_a_wait_that_lasts():
    joined, lasts = awaited(*["told", "joins"] * 5, "told", "told", "told")
    assert (joined.verdict, lasts.verdict) == ("benign", "as_designed")
    assert "was told (3 times in 6 s) that its group rebalances, and has not joined again" in lasts.title


def test_one_rebalance_more_as_a_log_ends_is_no_wait_yet():
    assert [one.verdict for one in awaited(*["told", "joins"] * 5, "told")] == ["benign"]


CHANGED = "%7|1795356710.000|STATE|pay#producer-1| [thrd:a:9092/1]: a:9092/1: Broker changed state {} -> {}"


@pytest.mark.parametrize(
    ("states", "kinds"),
    [
        ((("APIVERSION_QUERY", "DOWN"),), [("protocol_doubted", "as_designed")]),
        ((("CONNECT", "DOWN"),), [("connection_not_made", "as_designed")]),
        ((("UP", "DOWN"),), []),
        ((("APIVERSION_QUERY", "UP"), ("UP", "DOWN")), []),
    ],
)
def test_a_connection_that_ended_before_it_was_good_is_told_whatever_the_level(states, kinds):
    found = told("\n".join(CHANGED.format(*one) for one in states))
    assert [(one.kind, one.verdict) for one in found] == kinds


HEARTBEAT = (
    "%7|1795356710.000|HEARTBEAT|pay#consumer-1| [thrd:main]: Heartbeat failed due to coordinator (a:9092/{}) no longer "
    "available: Broker: Not coordinator for group: re-querying for coordinator"
)
FOUND = '%7|1795356710.001|CGRPCOORD|pay#consumer-1| [thrd:main]: a:9092/1: Group "pay" coordinator is a:9092 id 1'


@pytest.mark.parametrize(("refused_by", "verdict"), [(1, "as_designed"), (2, "benign")])
def test_a_coordinator_that_is_found_where_it_has_just_refused_heals_nothing(refused_by, verdict):
    found = told("\n".join((HEARTBEAT.format(refused_by), FOUND)))
    assert [(one.kind, one.verdict) for one in found] == [("coordinator_moved", verdict)]


ASKED = '%7|1795356710.{}|CGRPCOORD|pay#consumer-1| [thrd:main]: a:9092/1: Group "pay" FindCoordinator response error: {}'
JOIN_REFUSED = "%7|1795356710.{}|JOINGROUP|pay#consumer-1| [thrd:main]: JoinGroup response: GenerationId -1, Protocol , LeaderId , my MemberId , member metadata count 0: Broker: Not coordinator"
JOINED = "%7|1795356713.000|JOINGROUP|pay#consumer-1| [thrd:main]: JoinGroup response: GenerationId 2, Protocol range, LeaderId m-1 (me), my MemberId m-1, member metadata count 1: (no error)"


def test_a_coordinator_that_is_never_there_is_told_though_librdkafka_says_it_at_debug_alone():
    missing = "COORDINATOR_NOT_AVAILABLE: The coordinator is not available."
    (incident,) = told("\n".join(ASKED.format(at, missing) for at in (100, 200, 300)))
    assert (incident.kind, incident.verdict) == ("coordinator_missing", "as_designed")
    assert not told(ASKED.format(100, "_DESTROY_BROKER: Local: Broker handle destroyed without termination"))


def test_a_join_that_is_refused_while_the_coordinator_starts_is_healed_by_the_join_alone():
    refused = [line for at in ("002", "004", "006") for line in (JOIN_REFUSED.format(at), FOUND)]
    assert [one.verdict for one in told("\n".join(refused))] == ["as_designed"]
    assert [one.verdict for one in told("\n".join([*refused, JOINED]))] == ["benign"]


@pytest.mark.parametrize(
    ("where", "state"),
    [("b1:9092/bootstrap", "UP) (_DESTROY_BROKER"), (":0/internal", "INIT) (_DESTROY"), ("b1:9092/1", "UP")],
)
def test_a_broker_that_the_client_lets_go_is_no_trouble(where, state):
    line = "%7|1795356710.000|FAIL|pay#producer-1| [thrd:{0}]: {0}: Decommissioning this broker (after 3ms in state {1})"
    assert not [one for one in told(line.format(where, state)) if one.verdict != "benign"]


@pytest.mark.parametrize(
    "said",
    [
        "FAIL|pay#consumer-1| [thrd:GroupCoordinator]: GroupCoordinator/1: Closing connection due to nodename change (after 12ms in state CONNECT) (_TRANSPORT)",
        "FAIL|pay#consumer-1| [thrd:GroupCoordinator]: GroupCoordinator: Closing connection due to nodename change (after 0ms in state TRY_CONNECT)",
        "BROKERFAIL|pay#consumer-1| [thrd:GroupCoordinator]: GroupCoordinator: failed: err: Local: Broker node update: (errno: Success)",
    ],
)
def test_a_connection_that_is_named_anew_is_closed_by_the_client_itself(said):
    assert not [one for one in told(f"%7|1795356710.000|{said}") if one.verdict != "benign"]


def test_what_is_normal_is_said_in_short_without_the_side_that_librdkafka_names():
    (incident,) = told(
        "%7|1795356710.000|JOINGROUP|pay#consumer-1| [thrd:main]: JoinGroup response: GenerationId -1, Protocol , LeaderId , my MemberId m-1, member metadata count 0: Broker: Group member needs a valid member ID"
    )
    assert normal_in_short(incident) == "Group member needs a valid member ID"
    leads = replace(incident, title="Normal: A connection that rested was closed: nothing to do.")
    assert normal_in_short(leads) == "a connection that rested was closed"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Unable to take step 4 of something new: it failed", "said_to_fail"),
        ("Something that no version is known to say", OTHER),
    ],
)
def test_an_error_of_no_known_kind_is_trouble_where_it_says_that_something_failed(said, kind):
    assert one(line(0, "ERROR", "org.apache.kafka.clients.NetworkClient", said)).kind == kind


@pytest.mark.parametrize(
    "said",
    [
        "1 request(s) timed out:     disconnect (after 21040ms in state UP)",
        "something new went wrong (after 21040ms in state UP)",
    ],
)
def test_an_error_of_librdkafka_is_told_where_what_prints_it_left_its_level_out(said):
    assert one(f"librdkafka: FAIL [thrd:ssl://a:9092/1]: ssl://a:9092/1: {said}").verdict == "as_designed"


def test_a_topic_that_is_being_made_is_no_call_that_gave_up():
    coordinator = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
    (incident,) = told(
        line(0, "WARN", NETWORK, f"{CONSUMER}Error while fetching metadata with correlation id 2 : {{orders=LEADER_NOT_AVAILABLE}}"),
        line(300, "INFO", coordinator, f"{CONSUMER}Discovered group coordinator broker1:9092 (id: 2147483646 rack: null)"),
    )  # fmt: skip
    assert (incident.kind, incident.verdict) == ("leader_awaited", "benign")


def test_the_same_trouble_hours_later_is_another():
    found = told(*(line(at, "WARN", NETWORK, f"{CONSUMER}{REFUSED}") for at in (0, 1_000, 7_200_000)))
    assert [incident.kind for incident in found] == ["connect_failed", "connect_failed"]


def test_dates_are_not_needed():
    thread = "stream-thread [orders-5d1f3b2e-StreamThread-1] "
    found = told(
        "ERROR org.apache.kafka.streams.processor.internals.TaskManager - " + thread + "Failed to process stream task 0_1 due to the following error:",
        "org.apache.kafka.streams.errors.StreamsException: Exception caught in process. taskId=0_1, processor=KSTREAM-MAP-0000000001, topic=orders, partition=1, offset=77, stacktrace=java.lang.IllegalArgumentException: negative price",
        "\tat com.acme.Prices.check(Prices.java:12)",
    )  # fmt: skip
    (incident,) = [one for one in found if one.verdict != "benign"]
    assert incident.started_at is None
    assert [
        word
        for word in ("IllegalArgumentException", "negative price", "77")
        if word not in incident.title + incident.cause
    ] == []


def test_every_entry_is_whole():
    for one_class in classes():
        assert one_class.certain in CONFIDENCES, one_class.kind
        assert one_class.actor in ACTORS, one_class.kind
        assert one_class.impact in IMPACTS, one_class.kind
        assert one_class.families - {APPLICATION_EXCEPTION} <= families().keys(), one_class.kind
        assert sentence(one_class.title, {"who": "consumer-1"})
        assert sentence(one_class.cause, {})
        assert not set("{}[]") & set(
            sentence(one_class.title, {}) + sentence(one_class.cause, {}) + sentence(one_class.advice, {})
        )


@pytest.mark.parametrize(
    ("template", "value", "said"),
    [
        ("It said {text}.", "Done.", "It said Done."),
        ('It said "{text}", and ended.', "Done.", 'It said "Done.", and ended.'),
        ('It said "{text}".', "Done.", 'It said "Done".'),
        ("It said {text}, and ended.", "Done.", "It said Done, and ended."),
        ("It said {text}, and ended.", "e.g., this", "It said e.g., this, and ended."),
        ("It said {text}.", "on ...", "It said on ..."),
    ],
)
def test_a_sentence_ends_once(template, value, said):
    assert sentence(template, {"text": value}) == said


def test_kinds_stand_once():
    kinds = [one_class.kind for one_class in classes()]
    assert sorted(set(kinds)) == sorted(kinds)


@pytest.mark.parametrize("kind", sorted(TROUBLE))
def test_no_kind_of_trouble_ends_among_the_others(kind):
    assert class_of(Said("", (), "a-new-family", kind)).kind != OTHER


def test_every_loud_family_of_trouble_has_a_class():
    loud = [family for family in families().values() if LOUD & set(family.levels) and family.kind in TROUBLE]
    assert [one.id for one in loud if class_of(Said("", (), one.id, one.kind)).kind == OTHER] == []


def test_the_page_is_what_the_data_say():
    assert PAGE.read_text(encoding="utf-8") == page(), "make it anew: python -m transforms.diagnose.pages"


RETRIED = line(
    0,
    "WARN",
    "org.apache.kafka.clients.producer.internals.Sender",
    f"{PRODUCER}Got error produce response with correlation id 5 on topic-partition orders-0, retrying (4 attempts left). Error: NETWORK_EXCEPTION. Error Message: Disconnected from node 1",
)
EXPIRED = line(
    6000,
    "ERROR",
    "com.acme.Sender",
    "send failed\norg.apache.kafka.common.errors.TimeoutException: Expiring 3 record(s) for orders-0:10014 ms has passed since batch creation",
)


def test_a_batch_that_expired_is_not_told_as_one_that_may_come():
    lost, alone = one(RETRIED, EXPIRED), one(RETRIED)
    assert lost.kind == "batches_expired"
    assert "closed the connection while the batch was in flight" in lost.cause
    assert "tried again" not in lost.cause
    assert lost.advice.startswith("The application was told, and must send these records again")
    assert "the lines do not say how it ended" in alone.cause
    assert alone.advice.startswith("Nothing where it passes")


def disconnected(*seconds, idle_ms):
    config = "org.apache.kafka.clients.producer.ProducerConfig"
    dump = f"ProducerConfig values: \n\tclient.id = producer-1\n\tconnections.max.idle.ms = {idle_ms}\n"
    lost = [line(second * 1_000, "INFO", NETWORK, f"{PRODUCER}Node 1 disconnected.") for second in seconds]
    return told(line(0, "INFO", config, dump), *lost)


@pytest.mark.parametrize(
    ("seconds", "idle_ms", "verdict"),
    [
        pytest.param(
            (10, 20, 30, 40), 4_000, "benign", id="each time after the rest that the client's own log names"
        ),
        pytest.param((10, 20, 30, 40), 60_000, "as_designed", id="sooner than it closes one at rest"),
    ],
)
def test_a_connection_that_the_client_lets_rest_is_closed_as_often(seconds, idle_ms, verdict):
    assert [one.verdict for one in disconnected(*seconds, idle_ms=idle_ms)] == [verdict]


def test_what_could_not_be_reached_goes_before_what_the_client_did_about_it():
    refused = line(10, "WARN", NETWORK, f"{PRODUCER}{REFUSED}")
    again = line(
        20,
        "INFO",
        "org.apache.kafka.clients.Metadata",
        f"{PRODUCER}Rebootstrapping with [broker1/10.0.0.7:9092]",
    )
    (incident,) = told(refused, again)
    assert incident.kind == "connect_failed"
