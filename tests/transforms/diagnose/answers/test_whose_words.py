# ruff: noqa: E501  # a line of a log is a line
"""Whose words a line of a client that is not Java's is, and what it says of that client alone."""

import pytest

from tests.story import story, told
from transforms.diagnose.wording.loudness import loudness_of
from transforms.diagnose.wording.named_clients import client_of
from transforms.parse.layouts.detect import detect_layout

PYTHONS = "[2026-01-05 10:00:00,106] [9] [WARNING] Heartbeat failed for group pay because it is rebalancing"
SYNCED = "[2026-01-05 10:00:00,128] [9] [INFO] Successfully synced group pay with generation 8"


@pytest.mark.parametrize(
    ("lines", "whose"),
    [
        ([PYTHONS], "A kafka-python client"),
        ([PYTHONS, SYNCED], "An aiokafka client"),
        ([SYNCED, PYTHONS], "An aiokafka client"),
    ],
)
def test_a_sentence_of_two_pythons_clients_is_of_the_one_whose_own_lines_stand_beside_it(lines, whose):
    (incident,) = (one for one in told("\n".join(lines)) if one.kind == "rejoin_awaited")
    assert incident.title.startswith(f"{whose} (group pay) was told")


def test_a_broker_of_number_0_is_not_the_seed_that_was_asked_before():
    (incident,) = told(
        "[sarama] 2026/01/05 10:00:00 client/metadata fetching metadata for all topics from broker seed:9092\n"
        "[sarama] 2026/01/05 10:00:00 client/brokers registered new broker #0 at b0:9092\n"
        "[sarama] 2026/01/05 10:00:25 producer/broker/0 state change to [closing] because EOF"
    )
    assert incident.title == "A sarama client lost its connection to broker 0"


@pytest.mark.parametrize(("number", "level"), [(7, "DEBUG"), (3, "ERROR")])
def test_a_level_of_librdkafka_s_may_stand_in_parentheses_before_its_thread(number, level):
    said = f"26/01/05 10:00:00,064 [Reader/7] Kafka: ({number}) [[thrd:main]: Pending assignment pay [0] can't fetch committed offset yet]"
    assert story(said).events[0].level == level


def test_a_leader_that_pykafka_does_not_find_is_told_by_its_partition():
    (incident,) = told(
        "2026-01-05 10:00:01,407 WARNING pykafka.broker (MainThread): Leader not available for topic 'b'__consumer_offsets'' partition 3."
    )
    assert incident.title == "A pykafka client found no leader of __consumer_offsets-3"


def test_a_heartbeat_s_answer_at_debug_is_told_by_the_line_that_follows():
    said = "10:00:00.937[{}] {}; group: pay, err: {}"
    refused = "UNKNOWN_MEMBER_ID: The coordinator is not aware of this member."
    moved = "NOT_COORDINATOR: This is not the correct coordinator."
    for error in (refused, moved):
        lines = (
            said.format("DEBUG", "heartbeat complete", error),
            said.format("INFO", "heartbeat errored", error),
        )
        assert [one.kind for one in story("\n".join(lines)).events] == ["other_kafka", "heartbeat_failed"]


def test_a_client_s_name_with_a_slash_is_no_file_that_grep_put_before_its_lines():
    said = "1700000000.275|PAUSE|acme/kafka-go#consumer-1| [thrd:main]: Pause pay [{}] (v23)\n"
    assert not detect_layout("".join(said.format(one) for one in range(9)).encode()).prefix


def test_records_that_wolff_drops_are_told_as_such_and_those_that_waited_too_long_expired():
    said = "[warning] msg: dropped_produce_requests, topic: pay, cause: {}, count: {}, partition: 3"
    text = "\n".join([said.format("message_expired", 4), said.format("buffer_size_limit", 150)])
    assert [(one.kind, one.topic, one.partition) for one in story(text).events] == [
        ("batch_expired", "pay", 3),
        ("produce_failed", "pay", 3),
    ]
    (incident,) = told(text)
    assert incident.title == "A wolff client dropped records for pay-3 (2 times)"
    assert "delivery.timeout.ms" not in incident.cause


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("MsgTimedOut", "batch_expired"),
        ("MaxPollExceeded", "poll_interval_expired"),
        ("NoOffset", "other_kafka"),
    ],
)
def test_names_of_librdkafka_s_errors_as_haskell_prints_them(name, kind):
    said = f'Failure (ProducerRecord {{prTopic = TopicName "pay"}}) (KafkaResponseError RdKafkaRespErr{name})'
    assert [one.kind for one in story(said).events] == [kind]


def test_a_seed_of_ruby_s_client_that_stands_without_its_first_line():
    (incident,) = told("- kafka://b1.example.org:9092: Connection error EOFError: EOFError")
    assert incident.title.startswith(
        "A ruby-kafka client could not make its connection to b1.example.org:9092"
    )


def test_an_address_with_a_protocol_is_none_whatever_the_name_service_says_of_it():
    (incident,) = told(
        '{"level":"warn","ts":"2026-01-05T10:00:00.770Z","logger":"kafka_client","msg":"unable to open connection to broker","addr":"[SASL_SSL://b1:9092]:9092","broker":"seed_0","err":"dial tcp: lookup SASL_SSL://b1:9092: no such host"}'
    )
    assert incident.title == "A franz-go client was given an address that is none: [SASL_SSL://b1:9092]:9092"


def test_what_installs_librdkafka_is_no_log_of_it():
    assert client_of("librdkafka-dev is already the newest version (2.3.0-1build2).") is None
    assert client_of("librdkafka version: 2.3.0") == "librdkafka"


def test_a_namespace_of_node_s_debug_is_no_thread():
    said = "Mon, 05 Jan 2026 10:00:00 GMT kafka-node:KafkaClient Socket Error { Error: connect ECONNREFUSED 10.0.0.1:9092"
    assert story(said).events[0].thread is None
    (incident,) = told(said)
    assert incident.title == "A kafka-node client could not connect to 10.0.0.1:9092"


def test_a_network_that_windows_calls_unreachable_is_named_so():
    (incident,) = told(
        "E! Error writing to output [kafka]: FAILED to send kafka message: dial tcp 10.0.0.11:9092: connectex: A socket operation was attempted to an unreachable network."
    )
    assert incident.kind == "connect_failed"
    assert '"an unreachable network" is what its own host answers' in incident.cause


@pytest.mark.parametrize(
    ("reason", "kind", "said"),
    [
        ("econnrefused", "connect_failed", "Nothing took the connection there"),
        ("ehostunreach", "connect_failed", "Nothing took the connection there"),
        ("etimedout", "connect_timed_out", "did not answer within"),
        ("nxdomain", "dns_failed", "does not know kafka7"),
    ],
)
def test_what_erlang_s_inet_calls_a_failed_connection_tells_why(reason, kind, said):
    (incident,) = told(
        "10:00:03.545 [error] GenServer :pay terminating\n"
        f"** (stop) [{{{{:kafka7, 9092}}, {{:{reason}, [{{:kpro_connection, :connect, 4, []}}]}}}}]\n"
        "    (brod) src/brod_client.erl:554: :brod_client.ensure_metadata_connection/1"
    )
    assert (incident.kind, said in incident.cause) == (kind, True)


STRUCTLOG = (
    '{{"event": "{}", "level": "warning", "logger": "{}", "timestamp": "2026-01-05T10:00:0{}.612669Z"}}'
)
TOLD = "Heartbeat failed for group pay because it is rebalancing"


def test_a_message_of_structlog_s_is_its_event_and_its_logger_names_the_client():
    lines = "\n".join(STRUCTLOG.format(TOLD, "aiokafka.consumer.group_coordinator", at) for at in (1, 4))
    events = story(lines).events
    assert [(one.level, one.client_library) for one in events] == [("WARN", "aiokafka")] * 2
    (incident,) = (one for one in told(lines) if one.kind == "rejoin_awaited")
    assert incident.title.startswith("An aiokafka client (group pay)")


def test_partitions_in_a_frozenset_are_aiokafka_s():
    revoked = "Revoking previously assigned partitions {} for group pay"
    at = "[2026-01-05 10:00:00,433: {}]: {}"
    tp = "{TopicPartition(topic='orders', partition=0)}"
    for printed, library in ((tp, "kafka-python"), (f"frozenset({tp})", "aiokafka")):
        lines = [at.format("WARNING", TOLD), at.format("INFO", revoked.format(printed))]
        assert story("\n".join(lines)).events[1].client_library == library


def test_a_session_of_a_group_is_no_group_s_name():
    (event,) = story(
        'Failed to read kafka message err="failed to fetch message: unable to join group session: UNKNOWN_MEMBER_ID: The coordinator is not aware of this member."'
    ).events
    assert event.group_id is None


def test_a_first_answer_that_franz_go_waited_for_in_vain_is_no_connection_that_was_closed():
    (incident,) = told(
        '{"level":"warn","msg":"read from broker errored, killing connection after 0 successful responses (is sasl missing?)","addr":"b1:9094","err":"context deadline exceeded"}'
    )
    assert incident.kind == "first_request_unanswered"


OF_BOOTSTRAP = "%3|1767607200.371|FAIL|pay#consumer-1| [thrd:{0}]: {0}: {1}"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (OF_BOOTSTRAP.format("zk1:2181/bootstrap", "Receive failed: Disconnected"), "zookeeper_port_asked"),
        (
            '{"level":"ERROR","timestamp":"2026-01-05T10:00:00.204Z","logger":"kafkajs","message":"[Connection] Connection error: read ECONNRESET","broker":"zk1:2181","clientId":"pay"}',
            "zookeeper_port_asked",
        ),
        (
            "2026-01-05 10:00:00,000 WARN [main] org.apache.kafka.clients.NetworkClient - [Producer clientId=pay] Bootstrap broker zk1:2181 (id: -1 rack: null) disconnected",
            "zookeeper_port_asked",
        ),
        (OF_BOOTSTRAP.format("b1:12181/bootstrap", "Receive failed: Disconnected"), "disconnected"),
        (OF_BOOTSTRAP.format("b1:2181/3", "Receive failed: Disconnected"), "disconnected"),
        (
            OF_BOOTSTRAP.format("b1:2181/bootstrap", "Disconnected (after 612345ms in state UP)"),
            "disconnected",
        ),
        (
            OF_BOOTSTRAP.format(
                "b1:2181/bootstrap", "Connect to ipv4#10.0.0.1:2181 failed: Connection refused"
            ),
            "connect_failed",
        ),
    ],
)
def test_a_client_that_zookeeper_s_port_turns_away_is_told_whose_port_that_is(line, kind):
    (incident,) = told(line)
    assert incident.kind == kind
    assert (incident.verdict == "benign") == (kind == "disconnected")


@pytest.mark.parametrize(
    ("error", "called"),
    [
        (
            "Error: Producer not connected\n    at Producer.produce (/app/node-rdkafka/lib/producer.js:125:11)",
            "produce",
        ),
        (
            "Error: KafkaConsumer is disconnected\n    at KafkaConsumer.unassign (/app/node-rdkafka/lib/a.js:231:16)",
            "unassign",
        ),
        (
            "KafkaJSError: The producer is disconnected\n    at sendBatch (/app/kafkajs/src/producer/a.js:35:13)",
            "sendBatch",
        ),
    ],
)
def test_a_call_of_a_client_that_is_not_connected_is_no_connection_that_was_lost(error, called):
    (incident,) = told(error)
    assert incident.kind == "called_unconnected"
    assert incident.title.startswith(f"The application called {called}() of a ")


def test_what_nginx_serves_is_no_broker_and_a_topic_s_metadata_no_topic():
    at = "2026/01/05 10:00:00 [error] 18553#25478: *438 [lua] {}, context: ngx.timer, client: 10.0.0.1, server: 0.0.0.0:9080"
    lines = (
        "client.lua:150: refresh(): all brokers failed in fetch topic metadata",
        "producer.lua:272: buffered messages send to kafka err: connection refused, retryable: true, topic: pay, partition_id: -1, length: 1",
    )
    said = "\n".join(at.format(line) for line in lines)
    assert [one.topic for one in story(said).events] == [None, "pay"]
    assert {one.title for one in told(said)} == {"A lua-resty-kafka client could not connect to a broker"}


def test_a_line_of_json_in_bold_is_read_as_json():
    said = '{{"level":"INFO","timestamp":"2026-01-05T10:00:0{}.740Z","logger":"kafkajs","message":"[Consumer] {}","groupId":"pay"}}'
    started, stopped = said.format(1, "Starting"), said.format(2, "Stopped")
    events = story(f"{started}\n\n**{stopped}**").events
    assert [one.happened_at is not None for one in events] == [True, True]


def test_a_topic_that_a_librdkafka_consumer_may_not_have_is_told_at_debug_too():
    said = "%7|1700000000.125|TOPICERR|pay#consumer-2| [thrd:b1:9092/3]: Subscribed topic not available: orders: Broker: Unknown topic or partition"
    (incident,) = told(said)
    assert incident.title.startswith(
        "pay#consumer-2 asks for a topic or partition that brokers do not know (orders)"
    )


def test_a_name_that_bootstrap_servers_has_and_nobody_knows_is_named():
    (incident,) = told(
        '{:timestamp=>"2026-01-05T10:00:00.753000+0000", :message=>"Unable to create Kafka consumer from given configuration", :cause=>org.apache.kafka.common.config.ConfigException: DNS resolution failed for url in bootstrap.servers: b7.example.com:9200, :level=>:error}'
    )
    assert incident.title.startswith("A client can't find the broker's address b7.example.com:9200")


def test_a_logger_in_brackets_is_nobody_s_thread():
    (incident,) = told(
        "[2026-01-05T10:00:00,632][INFO ][logstash.outputs.kafka   ] Sending batch to Kafka failed. Will retry after a delay. {:batch_size=>2, :failures=>2, :sleep=>0.01}"
    )
    assert "thread" not in incident.title


def test_batches_that_expired_in_kafka_python_s_words_are_told_as_records_that_were_not_delivered():
    (incident,) = told(
        "2026-01-05 10:00:02,137 ERROR pay failed: KafkaTimeoutError: Batch for TopicPartition(topic='pay', partition=0) containing 49 record(s) expired: 1620 seconds have passed since batch creation plus linger time"
    )
    assert incident.title == "Records (49) of pay-0 of a kafka-python client expired: they were not delivered"


def test_a_count_of_none_that_failed_is_no_failure():
    assert (
        loudness_of("% 1 messages produced, 0 delivered (offset 0, 0 failed), 0 produce failures, 1 in queue")
        == ""
    )
    assert (
        loudness_of("% 1 messages produced, 0 delivered (offset 0, 7 failed), 0 produce failures") == "words"
    )


@pytest.mark.parametrize("library", ["segmentio/kafka-go", "IBM/sarama", "twmb/franz-go/pkg/kgo"])
@pytest.mark.parametrize("head", ["", "2026/01/05 10:00:00 starting\n2026/01/05 10:00:01 reading\n"])
def test_a_panic_is_told_without_any_line_of_the_library_s(head, library):
    frame = f"github.com/{library}.(*Client).Close(0x0)\n\t/go/src/client.go:168 +0x22\n"
    signal = "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1]\n"
    (incident,) = told(f"{head}panic: nil pointer dereference\n{signal}\ngoroutine 85 [running]:\n{frame}")
    assert incident.kind == "client_panicked"
    assert "(*Client).Close: nil pointer dereference" in incident.title


@pytest.mark.parametrize("address", ["[fe80::1:2]:9092", "[xxx.xxx:16]:9092", "10.0.0.4:9092"])
def test_an_address_in_brackets_that_a_write_timed_out_to_is_named_whole(address):
    failed = f"2026/01/05 10:00:00 kafka: Failed to produce message to topic pay: write tcp 10.0.0.7:34539->{address}: i/o timeout"
    (incident,) = told(failed)
    assert incident.kind == "write_timed_out"
    assert f"{address} took nothing" in incident.title


@pytest.mark.parametrize(
    ("said", "kind", "title"),
    [
        (
            "[2026-01-05 10:00:00,945] [6] [ERROR] [^---AIOKafkaConsumerThread]: Aiokafka has not sent fetch request for TP(topic='pay', partition=2) since start (started 7.04 minutes ago) ",
            "partition_not_fetched",
            "Faust's consumer does not fetch pay-2 for 7.04 minutes",
        ),
        (
            "[2026-01-05 10:00:00,945] [6] [ERROR] [^---AIOKafkaConsumerThread]: Stream has not started processing TP(topic='pay', partition=2) since start (started 7.04 minutes ago) ",
            "stream_not_advancing",
            "The application's stream does not get on in pay-2 for 7.04 minutes",
        ),
        (
            "%3|1767607200.586|SSL|rdkafka#consumer-1| [thrd:ssl://b7:9093/bootstrap]: ssl://b7:9093/bootstrap: crypto/asn1/a_verify.c:179: error:0D0C5006:asn1 encoding routines:ASN1_item_verify:EVP lib: ",
            "tls_failed",
            "rdkafka#consumer-1 could not agree on TLS with b7:9093",
        ),
        (
            "10:00:00.689 [error] Fetching consumer_group pay metadata failed with error_code :consumer_coordinator_not_available",
            "coordinator_missing",
            "A kafka_ex client finds no coordinator for group pay",
        ),
    ],
)  # fmt: skip
def test_a_line_is_told_by_what_it_says_and_no_more(said, kind, title):
    (incident,) = told(said)
    assert (incident.kind, incident.title) == (kind, title)


NODES = "Consumer stopped: {\n  name: 'AggregateError',\n  message: 'findGroupCoordinator failed 3 times.',\n  code: 'PLT_KFK_MULTIPLE',\n  errors: [ { name: 'Error', message: 'Connection closed', code: 'PLT_KFK_NETWORK' } ]\n}"
CODED = "ResponseError: Received response with error while executing API {}(v0)\n    at x (file:///srv/node_modules/@platformatic/kafka/dist/apis/x.js:7:7) {{\n  code: 'PLT_KFK_RESPONSE',\n  response: {{ throttleTimeMs: 0, errorCode: {} }}\n}}"


@pytest.mark.parametrize(
    ("said", "kind", "error"),
    [
        (NODES, "disconnect", None),
        (
            '{"level":50,"time":1767607200945,"msg":"x","err":{"code":"PLT_KFK_NETWORK","message":"Connection closed"}}',
            "disconnect",
            None,
        ),
        ("{ message: 'The producer is in use.', code: 'PLT_KFK_USER' }", "other_kafka", "PLT_KFK_USER"),
        (CODED.format("ConsumerGroupHeartbeat", 35), "heartbeat_failed", "UNSUPPORTED_VERSION"),
        (CODED.format("OffsetCommit", 25), "commit_failed", "UNKNOWN_MEMBER_ID"),
    ],
)
def test_fields_of_an_error_of_platformatic_s_are_its_words(said, kind, error):
    (event,) = story(said).events
    assert (event.kind, event.error_class, event.client_library) == (kind, error, "platformatic-kafka")


UNROUTABLE = "%3|1767607200.125|FAIL|pay#consumer-1| [thrd:b1:9092/7]: b1:9092/7: Failed to connect to broker at {}:9092: {} (after 4ms in state CONNECT)"


@pytest.mark.parametrize(
    ("address", "said", "cause", "not_said"),
    [
        ("[fd00:7::5]", "Network is unreachable", "[fd00:7::5] is an address of IPv6", "Nothing took the connection"),
        ("10.0.0.7", "Network is unreachable", "its own host answers", "IPv6"),
        ("10.0.0.7", "Connection refused", "Nothing took the connection there", "its own host answers"),
    ],
)  # fmt: skip
def test_a_network_that_cannot_be_reached_is_no_broker_that_is_down(address, said, cause, not_said):
    (incident,) = told(UNROUTABLE.format(address, said))
    assert cause in incident.cause
    assert not_said not in incident.cause
    assert ("broker at that address runs" in incident.advice) == (said == "Connection refused")


@pytest.mark.parametrize(("port", "kinds"), [(9092, ["request_timeout"]), (2181, [])])
def test_what_zookeeper_did_not_answer_is_no_request_to_a_broker(port, kinds):
    said = '{"level":"info","msg":"Recv loop terminated: err=read tcp 10.0.0.7:22204->10.0.0.9:%d: i/o timeout","class":"kafka_zk"}'
    assert [event.kind for event in story(said % port).events] == kinds


def test_all_brokers_down_by_their_code_is_no_broker_left():
    said = 'ERROR pay: seek failed: KafkaError{code=_ALL_BROKERS_DOWN,val=-187,str="Failed to get offsets: Local: All broker connections are down"}'
    assert [one.kind for one in told(said)] == ["no_broker_left"]
