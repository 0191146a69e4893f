# ruff: noqa: E501  # a line of a log is a line
"""Connections of clients that are not Java's: which were lost, by their addresses, and what came with it."""

import pytest

from tests.story import told

IDLE = "%6|{0}|FAIL|pay#consumer-2| [thrd:b{1}:9092/bootstrap]: b{1}:9092/bootstrap: Disconnected (after {2}ms in state UP){3}"


@pytest.mark.parametrize("end", ["", " (_TRANSPORT)"])
def test_connections_that_rested_are_closed_one_by_one(end):
    said = "\n".join(IDLE.format("1700000000.125", number, 600_000, end) for number in (1, 2, 3, 4))
    assert {one.verdict for one in told(said)} == {"benign"}


def test_lost_connections_are_told_by_their_addresses():
    said = "\n".join(
        IDLE.format(f"170000000{at}.125", number, 4_000, "") for at in (0, 3, 6) for number in (1, 2)
    )
    (incident,) = told(said.replace("%6|", "%3|"))
    assert incident.title == "pay#consumer-2 lost its connection to b1:9092 and b2:9092 (6 times in 6 s)"


def test_what_came_with_a_trouble_is_told_once_for_all_of_its_addresses():
    refused = "%3|1700000000.125|FAIL|pay#consumer-2| [thrd:b1:9092/bootstrap]: b1:9092/bootstrap: Connect to ipv4#10.0.0.1:9092 failed: Connection refused (after 0ms in state CONNECT)"
    lost = "\n".join(IDLE.format("1700000000.125", number, 4_000, "") for number in (2, 3, 4, 5)).replace(
        "%6|", "%3|"
    )
    (incident,) = told(f"{refused}\n{lost}")
    assert incident.kind == "connect_failed"
    assert "it lost its connection to b2:9092, b3:9092, b4:9092 and 1 more (4 times)" in incident.cause


def test_what_came_with_a_trouble_goes_on_in_its_sentence():
    said = (
        "[error] Group member (pay,coor=#PID<0.9.0>,cb=#PID<0.8.0>,generation=4): re-joining group, reason::"
    )
    (incident,) = (
        one for one in told(f"{said}unknown_member_id\n{said}fenced_instance_id") if one.verdict != "benign"
    )
    assert "With it came: the coordinator no longer knew it" in incident.cause


def test_a_handle_that_is_closed_lets_its_connections_go():
    assert not [
        one
        for one in told("b1:9092/1: Handle is terminating: failed 0 request(s) in retry+outbuf")
        if one.verdict != "benign"
    ]


def test_a_connection_that_its_application_closed_is_no_trouble():
    said = "kafka1:9092/bootstrap: failed: err: {}: (errno: Operation now in progress)"
    line = "%7|1767607200.489|BROKERFAIL|rdkafka#producer-4| [thrd:kafka1:9092/bootstrap]: "
    (closed,) = told(line + said.format("Local: Broker handle destroyed"))
    assert closed.verdict == "benign"
    (incident,) = told(line + said.format("Local: Broker transport failure"))
    assert incident.kind == "broker_transport_failed"


def test_a_login_that_its_own_client_broke_off_is_not_called_refused():
    said = "%3|1767607200.489|FAIL|pay#consumer-4| [thrd:b1:9093/bootstrap]: b1:9093/bootstrap: SASL authentication error: SaslAuthenticateRequest failed: Local: {} (after 0ms in state DOWN)"
    kinds = [told(said.format(of))[0].kind for of in ("Broker handle destroyed", "Broker transport failure")]
    assert kinds == ["auth_given_up", "auth_broken_off"]


@pytest.mark.parametrize("masked", ["10.0.Y.YY:9092", "*.pay.example.com:9092"])
def test_an_address_whose_beginning_was_masked_is_not_named_by_its_end(masked):
    (incident,) = told(f"kafka consumer failed: read tcp 10.0.0.4:38146->{masked}: i/o timeout")
    assert incident.title == "A broker did not answer a Go client in time"


def test_a_connection_that_librdkafka_ended_itself_is_no_trouble_where_it_is_down():
    said = "%7|1767607200.489|FAIL|pay#producer-1| [thrd:b1:9092/1]: b1:9092/1: {} (after 51ms in state CONNECT) ({})"
    down = "\n%7|1767607200.489|STATE|pay#producer-1| [thrd:b1:9092/1]: b1:9092/1: Broker changed state CONNECT -> DOWN"
    assert {one.verdict for one in told(said.format("Client is terminating", "_DESTROY") + down)} <= {
        "benign"
    }
    assert {one.verdict for one in told(said.format("Connection refused", "_TRANSPORT") + down)} - {"benign"}


FAILED = "|pay#producer-1| [thrd:b1:9092/bootstrap]: b1:9092/1: "
DOUBTED = f"%6|1700000010.125|FAIL{FAILED}Disconnected while requesting ApiVersion: might be caused by incorrect security.protocol configuration (connecting to a SSL listener?) or broker version is < 0.10 (see api.version.request) (after 1ms in state APIVERSION_QUERY)"
UNANSWERED = f"%4|1700000010.125|FAIL{FAILED}ApiVersionRequest failed: Local: Timed out: probably due to broker version < 0.10 (see api.version.request configuration) (after 5002ms in state APIVERSION_QUERY)"
WAS_UP = f"%6|1700000004.125|FAIL{FAILED}Disconnected (after 9831ms in state UP)"
SENT = f"%5|1700000004.125|REQTMOUT{FAILED}Timed out ProduceRequest in flight (after 5056ms, timeout #0)"
WAS_MEMBER = "%4|1700000004.125|SESSTMOUT|pay#producer-1| [thrd:main]: Consumer group session timed out (in join-state steady) after 10001 ms without a successful response from the group coordinator (broker 1, last error was Success): revoking assignment and rejoining group"
PLAINTEXT = f"%3|1700000004.125|FAIL{FAILED}Disconnected: verify that security.protocol is correctly configured, broker might require SASL authentication (after 305ms in state UP)"


@pytest.mark.parametrize("before", [WAS_UP, SENT, WAS_MEMBER])
@pytest.mark.parametrize("said", [DOUBTED, UNANSWERED])
def test_a_connection_that_was_ever_good_is_of_the_right_protocol(before, said):
    for text in (f"{before}\n{said}", f"{said}\n{before}"):
        found = {one.kind for one in told(text)}
        assert found
        assert not found & {"protocol_doubted", "first_request_unanswered"}


@pytest.mark.parametrize(
    ("said", "kind"), [(DOUBTED, "protocol_doubted"), (UNANSWERED, "first_request_unanswered")]
)
def test_a_connection_that_was_never_good_may_be_of_the_wrong_protocol(said, kind):
    assert [one.kind for one in told(said)] == [kind]
    assert "security.protocol" in told(f"{PLAINTEXT}\n{said}")[0].advice


CUT_OFF = "%6|17000000{:02}.125|FAIL|pay#producer-1| [thrd:b1:9092/{}]: b1:9092/{}: Disconnected: connection closed by peer: receive 0 after POLLIN (after 0ms in state APIVERSION_QUERY)"
REFUSED = "%3|1700000001.125|FAIL|pay#producer-1| [thrd:b1:9092/bootstrap]: b1:9092/bootstrap: Connect to ipv4#10.0.0.7:9092 failed: Connection refused (after 0ms in state CONNECT)"


def test_what_is_closed_at_once_is_of_the_right_protocol_once_a_broker_has_told_its_number():
    before = [REFUSED, *(CUT_OFF.format(at, "bootstrap", "bootstrap") for at in (10, 11, 12, 13))]
    assert "protocol_doubted" in {one.kind for one in told("\n".join(before))}
    found = told("\n".join([*before, *(CUT_OFF.format(at, 7, 7) for at in (40, 41, 42))]))
    assert {one.kind for one in found} == {"connect_failed"}


def test_a_line_of_a_source_is_no_address():
    said = "producer/broker/3 state change to [closing] because read tcp 10.0.0.4:33502->10.0.0.5:9092: i/o timeout"
    (incident,) = told(
        f'[2026/01/05 10:00:00.651 +00:00] [INFO] [async_producer.go:1192] ["{said}"] [component=sarama]'
    )
    assert "10.0.0.5:9092" in incident.title
    assert "async_producer" not in incident.title


WAITS = "%7|1767607200.100|TOPPAR|pay#producer-1| [thrd:b2:9092/2]: b2:9092/2: orders [3] 1 message(s) queued but broker not up"
UP = "%7|1767607203.000|STATE|pay#producer-1| [thrd:b{0}:9092/{0}]: b{0}:9092/{0}: Broker changed state APIVERSION_QUERY -> UP"
DELIVERED = "%7|1767607203.000|MSGSET|pay#producer-1| [thrd:b{0}:9092/{0}]: b{0}:9092/{0}: orders [3]: MessageSet with 1 message(s) (MsgId 1, BaseSeq -1) delivered"


@pytest.mark.parametrize(
    ("then", "verdict"),
    [
        ([], "as_designed"),
        ([UP.format(2)], "benign"),
        ([DELIVERED.format(2)], "benign"),
        ([UP.format(1)], "as_designed"),
        ([DELIVERED.format(1)], "as_designed"),
    ],
)
def test_what_waits_for_a_broker_is_trouble_until_that_broker_is_up(then, verdict):
    found = told("\n".join([WAITS, *then]))
    assert [(one.kind, one.verdict) for one in found] == [("partition_waits_for_broker", verdict)]


def test_an_idle_connection_is_normal_with_its_echo_too():
    lines = (
        "2026-01-05 10:00:00.163 [Info] [Facility:BROKERFAIL] [thrd:b:9092/1]: b:9092/1: failed: err: Local: Broker transport failure: (errno: No error)",
        "2026-01-05 10:00:00.163 [Info] [Facility:FAIL] [thrd:b:9092/1]: b:9092/1: Disconnected (after 600199ms in state UP)",
    )
    (idle,) = told("\n".join(lines))
    assert idle.verdict == "benign"
    assert "connections.max.idle.ms" in idle.cause
    (lost,) = told(lines[0])
    assert lost.verdict == "as_designed"


def test_no_broker_that_is_up_is_normal_once_one_is():
    waits = "%7|1767607200.204|METADATA|pay#producer-1| [thrd:b1:9092/bootstrap]: Skipping metadata refresh of 1 topic(s): no usable brokers"
    assert [one.verdict for one in told("\n".join([waits, UP.format(1)]))] == ["benign"]


def test_an_address_that_librdkafka_could_not_parse_is_told_as_that():
    said = '%3|1767607200.489|BROKER|pay#producer-2| [thrd:app]: Broker name "http://10.0.0.1:9092" parse error: unsupported protocol "HTTP"'
    (incident,) = told(said)
    assert incident.title == "pay#producer-2 was given an address that is none: http://10.0.0.1:9092"


def test_a_broker_that_answers_the_first_question_in_its_oldest_form_is_no_trouble():
    said = "%7|1767607200.489|PROTOERR|pay#producer-2| [thrd:b1:9092/bootstrap]: b1:9092/bootstrap: Protocol parse failure for {} at 3/6 (rd_kafka_handle_{}:1915) (incorrect broker.version.fallback?)"
    assert {one.verdict for one in told(said.format("ApiVersion v3", "ApiVersion"))} <= {"benign"}
    assert [one.kind for one in told(said.format("Fetch v11", "Fetch"))] == ["answer_not_understood"]


def test_a_producer_that_must_wait_for_its_transaction_before_has_failed_none():
    said = '{"level":"ERROR","logger":"kafkajs","message":"[Connection] Response InitProducerId(key: 22, version: 0)","error":"The producer attempted to update a transaction while another concurrent operation on the same transaction was ongoing"}'
    assert [one.kind for one in told(said)] == ["transaction_before_open"]


@pytest.mark.parametrize(
    "said",
    [
        "kafka.errors.KafkaTimeoutError: Unable to bootstrap from [('b1', 9092)]",
        "called `Result::unwrap()` on an `Err` value: NoHostReachable",
    ],
)
def test_a_client_that_found_none_of_its_brokers_is_told(said):
    assert [one.kind for one in told(said)] == ["no_broker_left"]


def test_what_ended_an_application_below_librdkafka_s_lines_is_told():
    lines = (
        "%5|1767607200.489|PARTCNT|rdkafka#consumer-1| [thrd:main]: Topic pay partition count changed from 0 to 3",
        "Unhandled exception. Confluent.Kafka.KafkaException: Broker: Topic authorization failed",
        "   at Confluent.Kafka.Consumer`2.Consume(Int32 millisecondsTimeout)",
    )
    (one,) = (one for one in told("\n".join(lines)) if one.verdict != "benign")
    assert one.kind == "not_authorized"


@pytest.mark.parametrize("tail", ["", " (after 0ms in state CONNECT)"])
def test_what_fail_told_and_error_says_again_counts_once(tail):
    said = "%3|1767607200.125|{}|pay#consumer-1| [thrd:b1:9092/7]: b1:9092/7: Connect to ipv4#10.0.0.1:9092 failed: Connection refused"
    lines = [f"{said.format(facility)}{tail}" for facility in ("FAIL", "ERROR") * 2]
    (one,) = told("\n".join(lines))
    assert "(2 times)" in one.title


def test_an_error_that_nothing_told_before_is_told():
    said = "%3|1767607200.125|ERROR|pay#consumer-1| [thrd:b1:9092/7]: b1:9092/7: Receive failed: Connection reset by peer"
    assert [one.kind for one in told(said)] == ["disconnected"]


PROGRESS = "CONNECT|pay#producer-1| [thrd:main]: Cluster connection already in progress: "
FOR_ITS_ID = "TXN|pay#producer-1| [thrd:main]: Starting PID FSM timer (fire immediately): No broker available"


@pytest.mark.parametrize(("then", "verdicts"), [((), ["as_designed"]), ((UP.format(1),), ["benign"])])
@pytest.mark.parametrize(
    "said", [PROGRESS + "no cluster connection", PROGRESS + "acquire ProducerId", FOR_ITS_ID]
)
def test_a_cluster_that_is_not_connected_to_is_told_until_a_broker_is_up(said, then, verdicts):
    found = told("\n".join([f"%7|1767607200.489|{said}", f"%7|1767607201.489|{said}", *then]))
    kind = "no_broker_for_producer_id" if said == FOR_ITS_ID else "no_broker_usable_yet"
    assert [(one.kind, one.verdict) for one in found] == [(kind, one) for one in verdicts]


@pytest.mark.parametrize(
    ("facility", "said", "kind"),
    [
        ("TIMEOUT", "b1:9092/7: orders [3]: timed out 2+1 message(s) (MsgId 7..9): message.timeout.ms exceeded", "batch_expired"),
        ("TIMEOUT", "orders: 7 message(s) from 2 toppar(s) timed out", "batch_expired"),
        ("TOPBRK", "Topic orders [3]: no next broker, failing 7 message(s) in partition queue", "produce_failed"),
        ("PARTCNT", "Failing all 7 unassigned messages in topic orders since topic does not exist: Broker: Unknown topic or partition", "topic_missing"),
        ("UAS", "3/7 messages failed partitioning in topic orders", "produce_failed"),
        ("FETCHERR", "b1:9092/7: orders [3]: Fetch failed at offset 7: Broker: Topic authorization failed", "not_authorized"),
        ("OFFSET", "Offset fetch error: Broker: Group authorization failed", "not_authorized"),
        ("GZIP", "b1:9092/7: Failed to decompress Gzip message at offset 3 of 70 bytes: ignoring message", "records_unreadable"),
        ("CODEC", "b1:9092/7: orders [3]: Message at offset 3 with unsupported compression codec 0x4: message ignored", "records_unreadable"),
        ("LZ4DEC", "b1:9092/7: Failed to LZ4 (legacy HC) decompress message (offset 3): 9 (out of 70) bytes remaining", "records_unreadable"),
    ],
)  # fmt: skip
def test_what_is_lost_or_denied_is_told_at_debug_too(facility, said, kind):
    (one,) = told(f"%7|1767607200.489|{facility}|pay#producer-1| [thrd:main]: {said}")
    assert one.kind == kind


@pytest.mark.parametrize(
    ("facility", "said"),
    [
        ("TOPBRK", "Topic orders [3]: no next broker, failing 0 message(s) in partition queue"),
        ("GRPSYNC", 'Group "orders": synchronization failed: Broker: Unknown member: rejoining'),
    ],
)
def test_what_fails_nothing_is_no_trouble_at_debug(facility, said):
    assert told(f"%7|1767607200.489|{facility}|pay#consumer-1| [thrd:main]: {said}") == []


@pytest.mark.parametrize(
    "reason", ["OffsetCommit error: Illegal generation", "max.poll.interval.ms exceeded"]
)
def test_an_assignment_that_is_lost_is_told_at_debug(reason):
    said = f'%7|1767607200.204|LOST|pay#consumer-1| [thrd:main]: Group "pay": current assignment of 3 partition(s) lost: {reason}: revoking assignment and rejoining'
    assert [one.verdict for one in told(said)] != ["benign"]
    assert told(said)


def test_a_librarys_own_way_to_name_the_brokers_version_is_said_of_it_alone():
    said = (
        "kafka: error while consuming pay/3: kafka: insufficient data to decode packet, more bytes expected"
    )
    (incident,) = told(said)
    assert "broker.version.fallback" not in incident.cause + incident.advice


def test_a_setting_that_is_refused_is_no_advice_of_kafkajs():
    said = "Consumer heartbeatInterval (30000) must be lower than sessionTimeout (20000). It is recommended to set heartbeatInterval to approximately a third of the sessionTimeout."
    (one,) = told(f"KafkaJSNonRetriableError: {said}")
    assert one.kind == "config_refused"


def test_topics_that_a_member_was_assigned_and_does_not_read_are_told():
    (one,) = told(
        '{"level":"WARN","timestamp":"2024-05-02T10:11:12.123Z","logger":"kafkajs","message":"[ConsumerGroup] Consumer group received unsubscribed topics","groupId":"pay","topicsNotSubscribed":["orders"]}'
    )
    assert (one.kind, "orders" in one.title) == ("topics_assigned_unsubscribed", True)


@pytest.mark.parametrize("place", ["poller.py:41", "b7:9092/7"])
def test_a_place_or_an_address_in_brackets_is_no_thread(place):
    (incident,) = told(
        f"[2026-01-05 10:00:00,123] [881] [{place}] [ERROR] SyncGroup failed: Local: Message timed out"
    )
    assert incident.title.startswith("A broker did not answer a librdkafka client in time")


def test_a_request_that_timed_out_lost_no_records():
    (incident,) = told(
        "ERROR (Local: Message timed out): b7:9092/7: 3 request(s) timed out: disconnect (average rtt 1.210ms)"
    )
    assert incident.title == "Broker 7 (b7:9092) did not answer a librdkafka client in time"


def test_a_setting_of_another_kind_of_client_is_a_warning_alone():
    said = "warn: Handler : WARNING|09-05-2026T15:14:16.66Z|CONFWARN|pay#producer-1|[[thrd:app]: Configuration property allow.auto.create.topics is a consumer property and will be ignored by this producer instance]"
    assert {one.verdict for one in told(said)} <= {"benign"}


def test_a_leader_that_moved_is_no_trouble_of_saramas():
    moved = "consumer/broker/7 abandoned subscription to pay/3 because kafka server: Tried to send a message to a replica that is not the leader for some partition. Your metadata is out of date."
    assert {one.verdict for one in told(f"2026/01/05 10:00:00 {moved}")} <= {"benign"}
    gone = moved.replace(
        "Tried to send a message to a replica that is not the leader for some partition. Your metadata is out of date.",
        "Request was for a topic or partition that does not exist on this broker",
    )
    (incident,) = told(f"2026/01/05 10:00:00 {gone}")
    assert incident.verdict != "benign"


RUSTS = "2026-01-05T10:00:0{0}.097314Z ERROR librdkafka: librdkafka: FAIL [thrd:b1:9092/bootstrap]: {1}\n2026-01-05T10:00:0{0}.097346Z ERROR rdkafka::client: librdkafka: Global error: BrokerTransportFailure (Local: Broker transport failure): {1}"


def test_what_an_error_callback_prints_of_what_fail_told_is_the_same_failure():
    refused = "b1:9092/bootstrap: Connect to ipv4#10.0.0.1:9092 failed: Connection refused (after {}ms in state CONNECT)"
    (incident,) = told("\n".join(RUSTS.format(at, refused.format(at)) for at in (1, 3)))
    assert incident.title.endswith("could not connect to 10.0.0.1:9092 (2 times in 2 s)")
    other = RUSTS.format(1, refused.format(1)).replace("097346Z ERROR", "197346Z ERROR")
    (incident,) = told(other)
    assert "(2 times" in incident.title
    fail = f"%3|1700000000.123|FAIL|pay#producer-1| [thrd:b1:9092/bootstrap]: {refused.format(1)}"
    (incident,) = told(f"{fail}\n% ERROR: Local: Broker transport failure: {refused.format(1)}")
    assert incident.title.endswith("could not connect to 10.0.0.1:9092")


def test_a_node_that_is_not_ready_lost_no_connection():
    said = "2026-01-05 10:00:0{0},657 ERROR kafka.coordinator Error sending OffsetCommitRequest_v2 to node 3 [NodeNotReadyError: 3]"
    (incident,) = told("\n".join(map(said.format, (1, 2))))
    assert (
        incident.title
        == "A kafka-python client has no connection yet to broker 3 (2 times in 1 s): what it asked was not sent"
    )


def test_what_was_not_sent_is_told_with_the_connection_that_was_not_made():
    said = (
        "2026-01-05 10:00:01,652 ERROR aiokafka Unable connect to node with id 3: [Errno 61] Connection refused",
        "2026-01-05 10:00:01,653 WARNING aiokafka.producer.sender Got error produce response: NodeNotReadyError: Attempt to send a request to node which is not ready (node id 3).",
        "2026-01-05 10:00:01,654 ERROR aiokafka.consumer.fetcher Failed fetch messages from 3: NodeNotReadyError: Attempt to send a request to node which is not ready (node id 3).",
    )
    (incident,) = told("\n".join(said))
    assert incident.title == "An aiokafka client could not connect to broker 3"
    assert "has no connection yet to broker 3" in incident.cause


def test_brods_idle_sockets_are_normal_at_error_too():
    said = "2026-01-05 08:33:49.887 [error] <0.278.0> client pay metadata socket down 10.0.0.1:9092\nReason:tcp_closed"
    assert [one.verdict for one in told(said)] == ["benign"]


def test_kafka_pythons_parts_tell_one_end_of_a_connection():
    said = """2026-01-05 10:00:07,774::kafka.conn::ERROR::<BrokerConnection node_id=3 host=b1.example.org/10.0.0.1 port=9094>: socket disconnected
2026-01-05 10:00:07,774::kafka.conn::INFO::<BrokerConnection node_id=3 host=b1.example.org/10.0.0.1 port=9094>: Closing connection. ConnectionError: socket disconnected
2026-01-05 10:00:07,774::kafka.client::WARNING::Node 3 connection failed -- refreshing metadata
2026-01-05 10:00:07,774::kafka.consumer.fetcher::ERROR::Fetch to node 3 failed: ConnectionError: socket disconnected"""
    (incident,) = told(said)
    assert (
        incident.title
        == "A kafka-python client lost its connection to broker 3 (b1.example.org/10.0.0.1:9094)"
    )


def test_what_is_sent_again_is_told_with_what_its_broker_answered():
    said = (
        "[sarama] 2026/01/05 10:00:09 producer/broker/3 state change to [retrying] on pay/1 because kafka server: Tried to send a message to a replica that is not the leader for some partition. Your metadata is out of date.",
        "[sarama] 2026/01/05 10:00:09 producer/leader/pay/1 state change to [retrying-1]",
    )
    (incident,) = told("\n".join(said))
    assert incident.title == "A sarama client asked a broker that does not lead pay-1"


@pytest.mark.parametrize(
    "said", ["Consume failed: Local: Message timed out", "Consume failed: Local: Timed out"]
)
def test_a_consume_that_found_nothing_lost_no_record(said):
    assert {one.verdict for one in told(f"% Created consumer rdkafka#consumer-0\n{said}")} <= {"benign"}


@pytest.mark.parametrize(
    "said",
    [
        "2026.01.05 10:00:03.465847 [ 7 ] {} <Error> void DB::StorageKafka::threadFunc(): std::exception. Code: 1001, type: cppkafka::HandleException, e.what() = Broker: Request timed out",
        'time="2026-01-05T10:00:00Z" level=error msg="kafka server: Request exceeded the user-specified time limit in the request"',
    ],
)
def test_what_a_broker_did_not_do_in_time_is_its_answer(said):
    assert [one.kind for one in told(said)] == ["answered_too_late"]


def test_what_a_try_did_to_a_brokers_state_is_no_second_try():
    """Up to 1.3 librdkafka says both at DEBUG, of one try."""
    at = "rdkafka#consumer-7| [thrd:GroupCoordinator]: GroupCoordinator: "
    refused = told(
        f"%7|1700000000.100|BROKERFAIL|{at}failed: err: Local: Broker transport failure: (errno: Host is unreachable)",
        f"%7|1700000000.100|FAIL|{at}Connect to ipv4#10.1.2.3:9092 failed: Host is unreachable (after 2001ms in state CONNECT)",
    )
    assert len(refused) == 1
    assert "times)" not in refused[0].title


def test_a_consumer_that_met_a_fatal_error_lost_no_record():
    fatal = told(
        "2026-01-05T10:00:00.000000Z ERROR app::feed: read error: Message consumption error: Fatal (Local: Fatal error)"
    )
    assert [(one.kind, one.impact) for one in fatal] == [("consumer_fatal", "delayed")]


def test_an_error_that_repeats_a_request_timeout_tells_it_alone_and_is_counted_once():
    at = "3|2026-01-05 10:00:00.642|pay#producer-2|{}| b1:9092/2: 3 request(s) timed out: disconnect"
    assert [one.kind for one in told(at.format("ERROR"))] == ["request_timed_out"]
    both = told(f"{at.format('FAIL')}\n{at.format('ERROR')}")
    assert [(one.kind, "times)" in one.title) for one in both] == [("request_timed_out", False)]


def test_a_store_of_certificates_that_was_not_read_is_told():
    said = told(
        "%5|1700000000.125|CERTSTORE|pay#producer-2| [thrd:app]: Failed to load CA certificates from Windows certificate stores: falling back to default OpenSSL CA paths"
    )
    assert [one.kind for one in said] == ["ca_store_unread"]
    assert "(" not in said[0].title


def test_errors_that_librdkafka_tells_without_its_fail_keep_their_addresses():
    at = "%3|1700000000.125|ERROR|pay#producer-2| b{}:9092/bootstrap: Receive failed: Disconnected"
    (incident,) = told("\n".join(map(at.format, (1, 2, 3))))
    assert incident.title == "pay#producer-2 lost its connection to b1:9092, b2:9092 and b3:9092 (3 times)"


def test_why_a_connection_was_not_made_goes_before_that_it_ended():
    ended = "WARNING:kafka.client:Node 3 connection failed -- refreshing metadata"
    why = "ERROR:kafka.conn:Connect attempt to <BrokerConnection node_id=3 host=b1.example.org:9092 <connecting> [IPv4 ('10.0.0.1', 9092)]> returned error 111. Disconnecting."
    (incident,) = told(f"{ended}\n{why}\n{ended}")
    assert incident.title == "A kafka-python client could not connect to broker 3 (b1.example.org:9092)"
    (alone,) = told(ended)
    assert alone.kind == "connection_ended"


def test_a_request_that_marks_the_coordinator_dead_is_aiokafkas():
    (incident,) = told(
        "2026-01-05 10:00:01,657 ERROR Error sending JoinGroupRequest_v0 to node 3 [[Error 7] RequestTimedOutError] -- marking coordinator dead"
    )
    assert "aiokafka" in incident.title


def test_a_connection_whose_process_met_an_error_was_closed_by_nobody():
    said = "2026-01-05 08:33:49.887 [error] <0.278.0> client pay metadata socket down b1:9092\nReason:{sock_down,\n  {function_clause,\n   [{kpro_structs,encode,[{string,nil}],[]}]}}"
    assert [one.kind for one in told(said)] == ["consumer_ended"]


def test_what_closes_a_connection_is_told_of_the_client_that_names_it():
    (lost,) = told(
        "2026-01-05T08:33:49.887Z ERROR pay { [NoKafkaConnectionError: Kafka server has closed connection] }"
    )
    assert "no-kafka client" in lost.title
    refused = (
        "%3|1700000000.125|{}|pay#producer-2| b1:9093/bootstrap: SASL authentication failure: Disconnected"
    )
    (once,) = told(f"{refused.format('FAIL')}\n{refused.format('ERROR')}")
    assert "times)" not in once.title


def test_what_librdkafka_told_its_debug_log_too_failed_once():
    said = "|FAIL|pay#producer-1| [thrd:b1:9092/bootstrap]: b1:9092/bootstrap: Connect to ipv4#10.0.0.7:9092 failed: Connection refused (after 0ms in state CONNECT)"
    once = f"%7|1700000001.125{said} (_TRANSPORT)\n%3|1700000001.125{said}"
    (incident,) = told(f"{once}\n{once.replace('01.125', '03.125')}")
    assert incident.title.endswith("could not connect to 10.0.0.7:9092 (2 times in 2 s)")


def test_a_name_that_is_asked_by_http_is_no_broker_s():
    why = "dial tcp: lookup registry on 10.0.0.1:53: no such host"
    (incident,) = told(
        f'time="2026-01-05T10:00:09Z" level=error msg="kafka exporter" err="Post \\"http://registry:8081/subjects\\": {why}"'
    )
    assert incident.kind == "http_service_unreachable"
    assert "http://registry:8081" in incident.title


GOROUTINE = "\ngoroutine 35 [{}]:\nmain.read(0x7)\n\t/app/main.go:7 +0x4f\ngithub.com/segmentio/kafka-go.(*Reader).FetchMessage(0x7)\n\t/go/reader.go:210 +0x4f"


def test_a_panic_in_a_library_of_kafka_is_told():
    head = "".join(
        f"2026/01/05 10:00:0{at} Connected to broker at b{at}:9092 (unregistered)\n" for at in range(3)
    )
    (incident,) = told(f"{head}panic: send on closed channel\n{GOROUTINE.format('running')}")
    assert (incident.kind, incident.impact) == ("client_panicked", "unknown")
    assert "(*Reader).FetchMessage: send on closed channel" in incident.title
    assert not told(f"{head}SIGQUIT: quit\n{GOROUTINE.format('select')}")
