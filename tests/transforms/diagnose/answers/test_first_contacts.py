# ruff: noqa: E501  # a line of a log is a line
"""What fails as a client begins: settings, addresses, TLS, mechanisms; whom and what the answer names."""

import pytest

from tests.answered import answered
from tests.story import left_of, told
from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.unexplained.line_class import without_normal

RDKAFKA = "%3|1767607200.125|FAIL|rdkafka#consumer-1| [thrd:ssl://b1:9093/1]: ssl://b1:9093/1: {}"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            "ERROR -- : rdkafka: [thrd:sasl_ssl://b1.example.]:\nsasl_ssl://b1.example:9096/bootstrap: SASL authentication error:\nAuthentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512\n(after 301ms in state AUTH_REQ)",
            "auth_failed", ["b1.example:9096", "SCRAM-SHA-512"], id="a line of librdkafka that its page broke over four",
        ),
        pytest.param(
            RDKAFKA.format("Receive failed: error:0A000412:SSL routines::ssl/tls alert bad certificate: SSL alert number 42 (after 2ms in state APIVERSION_QUERY)"),
            "tls_failed", ["b1:9093", "the broker's side that refused", "bad certificate"], id="an alert is the other side's refusal",
        ),
        pytest.param(
            '{"level":"warn","msg":"unable to open connection to broker","addr":"b1:9093","broker":"seed_0","err":"remote error: tls: certificate required"}',
            "tls_failed", ["b1:9093", "certificate required"], id="an alert in the words of Go",
        ),
        pytest.param(
            '{"level":"ERROR","timestamp":"2026-01-05T10:00:00.125Z","logger":"kafkajs","message":"[Connection] Connection error: unable to verify the first certificate","broker":"b1:9093","clientId":"pay"}',
            "tls_failed", ["b1:9093", "unable to verify the first certificate"], id="a certificate that Node does not trust",
        ),
        pytest.param(
            '{"level":"ERROR","timestamp":"2026-01-05T10:00:00.125Z","logger":"kafkajs","message":"[Connection] Connection error: self-signed certificate","broker":"b1:9093","clientId":"pay"}',
            "tls_failed", ["b1:9093", "self-signed certificate"], id="one that nobody signed",
        ),
        pytest.param(
            "ERROR:kafka.net.connection:<KafkaConnection node_id=bootstrap-0 broker_version=unknown (disconnected)>: Connection lost: InvalidReceiveError: Invalid frame length: 352518912",
            "wrong_protocol", ["352518912"], id="an alert of TLS that was read as a frame's length",
        ),
        pytest.param(
            "ERROR:kafka.conn:<BrokerConnection client_id=pay, node_id=2 host=b2:9092 <connected> [IPv4 ('10.0.0.2', 9092)]>: Closing connection. InvalidReceiveError: Invalid frame length: 1074232",
            "answer_too_large", ["1074232 bytes", "receive_message_max_bytes"], id="an answer that is above the limit of Python's client",
        ),
        pytest.param(
            RDKAFKA.format("SASL PLAIN mechanism handshake failed: Broker: Unsupported SASL mechanism: broker's supported mechanisms: SCRAM-SHA-512 (after 8ms in state AUTH_HANDSHAKE)"),
            "mechanism_not_offered", ["PLAIN", "SCRAM-SHA-512", "before any user or password"], id="a mechanism that librdkafka asked for in vain",
        ),
        pytest.param(
            "org.apache.kafka.common.errors.UnsupportedSaslMechanismException: Client SASL mechanism 'PLAIN' not enabled in the server, enabled mechanisms are [SCRAM-SHA-256, GSSAPI]",
            "mechanism_not_offered", ["PLAIN", "SCRAM-SHA-256, GSSAPI"], id="a mechanism that Java's client asked for in vain",
        ),
        pytest.param(
            'cimpl.KafkaException: KafkaError{code=_INVALID_ARG,val=-186,str="Failed to create consumer: No provider for SASL mechanism GSSAPI: recompile librdkafka with libsasl2 support"}',
            "login_impossible", ["No provider for SASL mechanism GSSAPI"], id="a mechanism that the library was built without",
        ),
        pytest.param(
            'cimpl.KafkaException: KafkaError{code=_INVALID_ARG,val=-186,str="No such configuration property: "fetch.max.wait""}',
            "config_refused", [': No such configuration property: "fetch.max.wait".', "same at every start"], id="a property that there is not, in quotes within quotes",
        ),
        pytest.param(
            "Confluent.Kafka.KafkaException: Local: Invalid argument or configuration\n   at Confluent.Kafka.Impl.SafeKafkaHandle.Assign(IEnumerable`1 partitions)",
            "argument_refused", ["No broker was asked"], id="what a call was given",
        ),
        pytest.param(
            "%7|1767607200.125|BROKERFAIL|rdkafka#producer-1| [thrd:b1:9092/1]: b1:9092/1: failed: err: Local: Bad message format: (errno: Success)",
            "answer_unreadable", ["Bad message format", "can't unpack"], id="who can't read an answer was not left by the other side",
        ),
        pytest.param(
            "%5|1767607200.125|PARTCNT|rdkafka#producer-1| [thrd:main]: Topic pay partition count changed from 3 to 0\nError: DeliveryReport.Error, Code = Local_UnknownPartition, Reason = Local: Unknown partition, IsFatal = False",
            "topic_deleted", ["topic pay", "from 3 to 0", "With it came"], id="a topic that went is why its partition is unknown",
        ),
        pytest.param(
            'ERROR:aiokafka:Unable connect to "b1:29092": [Errno 111] Connect call failed (\'10.0.0.5\', 29092)',
            "connect_failed", ["An aiokafka client could not connect to b1:29092"], id="the address that aiokafka names",
        ),
        pytest.param(
            "KafkaConnectionError: Unable to bootstrap from [('b1', 9092, <AddressFamily.AF_UNSPEC: 0>)]",
            "connection_not_made", ["b1:9092"], id="an exception of aiokafka's alone",
        ),
        pytest.param(
            "ERROR:kafka.conn:Connect attempt to <BrokerConnection node_id=3 host=b3:9092 <connecting> [IPv4 ('10.0.0.7', 9092)]> returned error 60. Disconnecting.",
            "connect_timed_out", ["broker 3 (b3:9092)", "nothing answered"], id="a number of macOS for what did not answer",
        ),
        pytest.param(
            "ERROR:aiokafka.consumer.group_coordinator:Error sending JoinGroupRequest_v5 to node 2 [[Error 7] RequestTimedOutError]",
            "call_timed_out", ["JoinGroupRequest to node 2"], id="which call timed out, and whom it asked",
        ),
        pytest.param(
            "%3|1767607200.125|FATAL|rdkafka#consumer-1| [thrd:main]: Fatal error: Broker: The instance ID is still used by another member in the consumer group: heartbeat",
            "instance_id_not_free", ["rdkafka#consumer-1", "group.instance.id"], id="a static name that is still held",
        ),
        pytest.param(
            '%4|1767607200.125|HEARTBEAT|rdkafka#consumer-1| [thrd:main]: Group "pay" heartbeat error response in state up (join-state steady, 2 partition(s) assigned): Broker: The member epoch is fenced by the group coordinator',
            "member_epoch_fenced", ["group pay", "joins again by itself"], id="an epoch that is not current",
        ),
        pytest.param(
            "2026/01/05 10:00:00 kafka: client has run out of available brokers to talk to: dial tcp: missing address",
            "address_malformed", ["was given an address that is none"], id="an address that is empty",
        ),
        pytest.param(
            '{"level":"WARN","logger":"kafkajs","message":"[Admin] Could not create topics","clientId":"pay","error":"Topic with this name already exists"}',
            "topic_refused", ["refused a request of pay"], id="an admin of kafkajs, and no Streams",
        ),
        pytest.param(
            "KafkaJSProtocolError: The group is rebalancing, so a rejoin is needed\n    at Object.parse (/app/requests/heartbeat/v0/response.js:20:11)",
            "told_of_rebalance", ["as an error", "An application that ends by this error ends needlessly"], id="a rebalance, and no word of a commit",
        ),
    ],
)  # fmt: skip
def test_the_cause_is_told_of_who_has_it(text, kind, words):
    (incident,) = (one for one in told(text) if one.verdict != "benign")
    assert incident.kind == kind
    for word in words:
        assert word in f"{incident.title}. {incident.cause} {incident.advice}"


def test_a_heartbeat_is_no_commit_in_whatever_order_its_fields_stand():
    said = '{"broker":"b1:9092","clientId":"pay","error":"The group is rebalancing, so a rejoin is needed","level":"ERROR","message":"[Connection] Response Heartbeat(key: 12, version: 3)"}'
    assert {one.verdict for one in told(said)} == {"benign"}


ASKED = "[2026-01-05 10:00:00,{:03d}] WARN [{} clientId=pay] Error while fetching metadata with correlation id {} : {{pay=UNKNOWN_TOPIC_OR_PARTITION}} (org.apache.kafka.clients.NetworkClient)"

WENT_ON = "[2026-01-05 10:00:05,000] INFO [Producer clientId=pay] Closing the Kafka producer with timeoutMillis = 30000 ms. (org.apache.kafka.clients.producer.KafkaProducer)"


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        pytest.param(
            [ASKED.format(0, "Producer", 4), WENT_ON], "benign", id="a producer's first send makes the topic"
        ),
        pytest.param(
            [ASKED.format(0, "Producer", 4), ASKED.format(120, "Producer", 5), WENT_ON],
            "benign",
            id="it is told so again while the topic is made",
        ),
        pytest.param([ASKED.format(0, "Producer", 4)], "as_designed", id="how it went on is not there"),
        pytest.param([ASKED.format(0, "Producer", 921), WENT_ON], "as_designed", id="it has asked before"),
        pytest.param(
            [ASKED.format(0, "Consumer", 4), WENT_ON], "as_designed", id="a consumer need not make any"
        ),
        pytest.param(
            [ASKED.format(0, "Producer", 4), ASKED.format(100, "Producer", 5)], "as_designed", id="and again"
        ),
    ],
)
def test_a_topic_that_is_made_as_it_is_first_asked_for_is_normal(lines, verdict):
    assert [one.verdict for one in told(*lines) if one.kind in ("topic_missing", "benign_lines")] == [verdict]


def test_a_read_that_its_application_ended_is_normal_and_a_write_is_not():
    said = 'level=ERROR msg="kafka: {} error" topic=orders error="context canceled"'
    assert not without_normal(left_of(said.format("fetch")))
    assert without_normal(left_of(said.format("write")))


def test_what_an_application_prints_below_an_object_leaves_it_readable(tmp_path):
    said = '[auth] {"level":"WARN","timestamp":"2026-01-05T10:00:00.250Z","logger":"kafkajs","message":"KafkaJS v2.0.0 switched default partitioner."}'
    joined = '[auth] {"level":"INFO","timestamp":"2026-01-05T10:00:03.436Z","logger":"kafkajs","message":"[ConsumerGroup] Consumer has joined the group","groupId":"pay"}'
    printed = f"{said}\n[auth] Connected to Kafka producer\n{joined}\n[auth] Listening"
    assert answered(printed, tmp_path)[0] == "nothing_wrong"


def test_a_send_that_was_refused_is_lost_whatever_the_reason():
    said = 'Message delivery failed: KafkaError{code=TOPIC_AUTHORIZATION_FAILED,val=29,str="Broker: Topic authorization failed"}'
    (incident,) = told(said)
    assert (incident.kind, incident.impact) == ("not_authorized", "lost")


def test_the_sync_of_an_old_release_tells_a_rebalance_too():
    said = '%3|1767607200.125|GRPSYNC|rdkafka#consumer-4| Group "pay": synchronization failed: Broker: Group rebalance in progress'
    assert [one.verdict for one in told(said)] == ["benign"]


def test_what_was_closed_is_no_longer_used():
    said = "10:00:00 ERROR Program stopped: Confluent.Kafka.KafkaException: Local: Broker handle destroyed\n   at Confluent.Kafka.Consumer`2.Close()"
    assert [one.kind for one in told(said)] == ["client_closed_already"]


def test_what_would_tell_more_is_said_in_no_words_of_java_alone():
    (incident,) = told(
        "kafka.errors.KafkaTimeoutError: KafkaTimeoutError: Failed to update metadata after 60.0 secs."
    )
    assert "The client's own lines before it." in incident.tells_more


@pytest.mark.parametrize(
    "said",
    [
        "%3|1767607200.125|FAIL|rdkafka#consumer-1| [thrd:sasl_ssl://b1:9093/1]: sasl_ssl://b1:9093/1: SASL PLAIN authentication failed (after 4ms in state AUTH_REQ)",
        "kafka.errors.AuthenticationFailedError: [Error 92] AuthenticationFailedError: refused by b1:9093",
        "KafkaJSSASLAuthenticationError: SCRAM-SHA-512 said no",
    ],
)
def test_an_identity_is_refused_in_the_words_of_other_clients(said):
    assert [one.kind for one in told(said)] == ["auth_failed"]


def test_a_code_of_windows_that_has_no_words_is_explained():
    (incident,) = told(
        RDKAFKA.format("Connect to ipv4#10.0.0.1:9092 failed: Unknown error (after 2034ms in state CONNECT)")
    )
    assert "no words for codes of Windows" in incident.cause


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        pytest.param(
            "LOG-7-STATE: [thrd:main]: Topic orders changed state unknown -> notexists",
            "topic_missing", ["orders"], id="what librdkafka learned of its topic, at DEBUG alone",
        ),
        pytest.param(
            "%7|1767607200.125|METADATA|rdkafka#consumer-1| b1:9092/1: Error in metadata reply for topic orders (PartCnt 0): Err-38?",
            "replication_factor_too_large", ["orders", "replication factor"], id="a code that an old librdkafka did not know",
        ),
        pytest.param(
            '{"level":"warn","msg":"read from broker errored, killing connection after 0 successful responses (is sasl missing?)","addr":"10.0.0.8:9092","broker":"seed 0","err":"EOF"}',
            "protocol_doubted", ["10.0.0.8:9092"], id="closed before any answer, by franz-go",
        ),
        (
            "%4|1767607200.949|GETPID|pay#producer-3| [thrd:main]: Failed to acquire transactional PID from broker TxnCoordinator/7: Broker: Request timed out: retrying",
            "producer_id_unanswered", ["__transaction_state", "Request timed out"],
        ),
    ],
)  # fmt: skip
def test_what_is_not_there_or_does_not_fit_is_named(said, kind, words):
    (incident,) = told(said)
    assert incident.kind == kind
    assert not [word for word in words if word not in f"{incident.title} {incident.cause}"]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Error while producing: Error(Kafka(UnknownTopicOrPartition), State { next_error: None })", "topic_missing"),
        ("{ [KafkaError: This request is for a topic or partition that does not exist on this broker.]", "topic_missing"),
        (
            "INFO  2026-01-05 10:00:00,250 [shard 4] kafka - connection_context.cc:134 - Detected error processing request: std::runtime_error (Unexpected request during authentication: 3)",
            "redpanda_login_missing",
        ),
    ],
)  # fmt: skip
def test_what_has_no_level_of_trouble_is_told_by_its_words(said, kind):
    assert [one.incident.kind for one in told_by_words(left_of(said), [])[0]] == [kind]


def test_what_librdkafka_says_twice_at_once_happened_once():
    lost = "%3|1767607200.125|{}|pay#consumer-1| [thrd:b1:9092/bootstrap]: b1:9092/bootstrap: Disconnected"
    refused = "%3|1767607200.125|{}|pay#consumer-1| [thrd:b1:9092/bootstrap]: b1:9092/bootstrap: Connect to ipv4#10.0.0.1:9092 failed: Connection refused"
    for lines in (["FAIL", "ERROR"], ["FAIL"], ["ERROR"]):
        (one,) = told(*map(lost.format, lines))
        assert one.verdict == "benign"
    (one,) = told(refused.format("FAIL"), refused.format("ERROR"))
    assert "times" not in one.title
    (one,) = told(refused.format("FAIL"), refused.format("ERROR"), refused.format("FAIL"))
    assert "(2 times)" in one.title


@pytest.mark.parametrize(("asked", "verdict"), [(5, "benign"), (15, "as_designed")])
def test_a_consumer_without_a_broker_to_ask_is_told_once_it_goes_on(asked, verdict):
    said = '%7|{}.125|CGRPQUERY|rdkafka#consumer-1| Group "pay": no broker available for coordinator query: intervaled in state query-coord'
    assert [one.verdict for one in told(*(said.format(1767607200 + second) for second in range(asked)))] == [
        verdict
    ]


HEAD = "[2026-01-05 10:00:{},000] INFO [Consumer clientId=pay-1, groupId=pay] "
FOUND = f"{HEAD}Discovered group coordinator b1:9092 (id: 2147483646 rack: null) (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
CLOSED = f"{HEAD}Cancelled in-flight API_VERSIONS request with correlation id 27 due to node 2147483646 being disconnected (elapsed time since creation: 1ms, elapsed time since send: 1ms, throttle time: 0ms, request timeout: 30000ms) (org.apache.kafka.clients.NetworkClient)"
REFUSED = CLOSED.replace("2147483646", "{node}")
JOINED = f"{HEAD}Successfully joined group with generation Generation{{{{generationId=5, memberId='pay-1-a', protocol='range'}}}} (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"


@pytest.mark.parametrize(
    ("lines", "verdicts"),
    [
        pytest.param([FOUND.format("00"), CLOSED.format("00")], {"as_designed"}, id="as soon as it was found"),
        pytest.param(
            [FOUND.format("00"), CLOSED.format("00"), FOUND.format("01"), JOINED.format("02")], {"benign"},
            id="and then it took the member",
        ),
        pytest.param([FOUND.format("00"), CLOSED.format("30")], set(), id="a connection that rested"),
    ],
)  # fmt: skip
def test_a_coordinator_that_closes_what_it_took_is_told_until_it_answers(lines, verdicts):
    assert {one.verdict for one in told(*lines) if one.kind == "coordinator_closes"} == verdicts


@pytest.mark.parametrize(
    ("lines", "verdicts"),
    [
        pytest.param([REFUSED.format("00", node=2)], {("broker_closes", "as_designed")}, id="a broker that was told of"),
        pytest.param([REFUSED.format("00", node=2), FOUND.format("01"), JOINED.format("02")], {("broker_closes", "benign")}, id="another one answered"),
        pytest.param([FOUND.format("00"), JOINED.format("01"), REFUSED.format("30", node=2)], set(), id="a client that works"),
        pytest.param([REFUSED.format("00", node=-1)], {("protocol_doubted", "as_designed")}, id="a bootstrap address"),
    ],
)  # fmt: skip
def test_a_broker_that_closes_what_it_took_is_told_of_a_client_that_never_worked(lines, verdicts):
    assert {(one.kind, one.verdict) for one in told(*lines)} == verdicts


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("POLICY_VIOLATION", "topic_refused"),
        ("UNKNOWN_SERVER_ERROR", "broker_erred"),
        ("ILLEGAL_SASL_STATE", "sasl_out_of_turn"),
    ],
)
def test_a_broker_that_answers_an_error_had_answered(error, kind):
    line = f"{HEAD}Received error {error} from node 4 when making an ApiVersionsRequest with correlation id 6. Disconnecting. (org.apache.kafka.clients.NetworkClient)"
    assert {one.kind for one in told(line.format("00"))} == {kind}


@pytest.mark.parametrize(
    ("api", "waited_ms", "kinds"),
    [
        pytest.param("HEARTBEAT", 6000, {"heartbeats_unanswered"}, id="others were due"),
        pytest.param("HEARTBEAT", 5999, set(), id="one alone"),
        pytest.param("FETCH", 60000, set(), id="a fetch waits for records"),
    ],
)
def test_heartbeats_that_waited_until_their_connection_ended_are_told(api, waited_ms, kinds):
    line = REFUSED.format("30", node=2147483646).replace("API_VERSIONS", api)
    line = line.replace("since send: 1ms", f"since send: {waited_ms}ms")
    assert {one.kind for one in told(FOUND.format("00"), JOINED.format("01"), line)} == kinds


def test_a_last_word_of_tls_that_reached_nobody_is_normal():
    warned = HEAD.replace("INFO", "WARN").format("30")
    line = f"{warned}Failed to send SSL Close message (org.apache.kafka.common.network.SslTransportLayer)\njava.io.IOException: Broken pipe"
    assert {one.verdict for one in told(line)} == {"benign"}


@pytest.mark.parametrize(
    ("client", "doubted"),
    [("pay-admin", False), ("pay-global-consumer", False), ("bills-admin", True)],
    ids=["its admin", "its global consumer", "another client"],
)
def test_clients_of_one_streams_client_share_their_security(client, doubted):
    joined = JOINED.format("01").replace("clientId=pay-1", "clientId=pay-StreamThread-1-consumer")
    refused = REFUSED.format("30", node=-1).replace(
        "Consumer clientId=pay-1, groupId=pay", f"AdminClient clientId={client}"
    )
    assert any(one.kind == "protocol_doubted" for one in told(joined, refused)) == doubted


@pytest.mark.parametrize(("how", "kinds"), [("dirty", ["streams_closed_dirty"]), ("clean", [])])
def test_a_task_that_was_not_committed_as_it_was_closed_is_told(how, kinds):
    line = f"[2026-01-05 10:00:00,000] INFO stream-thread [pay-StreamThread-1] task [0_3] Closed {how} (org.apache.kafka.streams.processor.internals.StreamTask)"
    assert [one.kind for one in told(line) if one.verdict != "benign"] == kinds


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        pytest.param(
            'TransactionalId worker-3: Invalid transition attempted from state READY to state COMMITTING_TRANSACTION","trace":["org.apache.kafka.clients.producer.KafkaProducer',
            "transaction_out_of_order", "COMMITTING_TRANSACTION from READY", id="what a record of no known form says, without a level",
        ),
        pytest.param(
            "[2026-02-01T10:00:00,995][DEBUG][logstash.outputs.kafka  ] KafkaProducer.send() failed: org.apache.kafka.common.errors.RecordTooLargeException: The message is 2097166 bytes when serialized which is larger than 1048576, which is the value of the max.request.size configuration.",
            "record_too_large", "2097166 bytes", id="a call that a sentence begins with is no logger",
        ),
        pytest.param(
            "ERROR [PooledSenderFactory] send gave up: org.apache.kafka.common.errors.TimeoutException: Topic orders not present in metadata after 500 ms.",
            "metadata_timed_out", "A client got no metadata of topic orders", id="a class in brackets is no thread",
        ),
    ],
)  # fmt: skip
def test_what_stands_before_a_message_says_neither_level_nor_name(tmp_path, line, kind, words):
    told_kind, text = answered(line, tmp_path)
    assert told_kind == kind
    assert words in text


def test_of_several_partitions_the_first_does_not_stand_for_all(tmp_path):
    line = "2026/03/11 10:00:0{0} Delivery failed: payouts[{0}]@unset(Local: Message timed out)\n"
    assert "Records of payouts-4 of a librdkafka client" in answered(line.format(4) * 2, tmp_path)[1]
    assert (
        "Records of payouts of a librdkafka client" in answered(line.format(4) + line.format(5), tmp_path)[1]
    )
