# ruff: noqa: E501  # a log line stays one line
"""Clients that are not Java's: whose line it is, whatever a binding made of it, and what it tells."""

import pytest

from lab.layouts.score import events_in
from tests.transforms.parse.typed import event, events
from transforms.events import LIBRARIES
from transforms.parse.catalogue.anchors import is_kafka
from transforms.parse.catalogue.forms import families
from transforms.parse.catalogue.other_clients import client_of_other_language, instant_of
from transforms.parse.layouts.detect import detect_layout
from transforms.parse.layouts.layout import begins_of
from transforms.parse.lines.heads import read_head

MAX_POLL = (
    "Application maximum poll interval (8000ms) exceeded by 430ms (adjust max.poll.interval.ms for "
    "long-running message processing): leaving group"
)


@pytest.mark.parametrize(
    ("text", "facility", "client_id", "thread", "rest"),
    [
        ("%4|1795356710.782|MAXPOLL|pay#consumer-1| [thrd:main]: Application", "MAXPOLL", "pay#consumer-1", "main", "Application"),
        ("%4|1795356710.782|MAXPOLL|pay#consumer-1| Application", "MAXPOLL", "pay#consumer-1", None, "Application"),
        ("%3|FAIL|pay#consumer-1| 127.0.0.1:19092/bootstrap: Connect to", "FAIL", "pay#consumer-1", None, "Connect to"),
        ("MAXPOLL [pay#consumer-2] [thrd:main]: Application", "MAXPOLL", "pay#consumer-2", "main", "Application"),
        ("MAXPOLL|pay#consumer-2| [thrd:main]: Application", "MAXPOLL", "pay#consumer-2", "main", "Application"),
        ("3|2026-01-02 03:04:05.237|pay#consumer-2|FAIL| [a:9092]/bootstrap: Receive failed", "FAIL", "pay#consumer-2", None, "Receive failed"),
        ("[2026-01-02T03:04:05Z][pay#producer-1][FAIL][3][thrd:a:9092/1]: a:9092/1: 1 request(s)", "FAIL", "pay#producer-1", "a:9092/1", "1 request(s)"),
        ("Handle: pay#consumer-1 Level: Warning Facility: SESSTMOUT Message:[thrd:main]: Consumer group", "SESSTMOUT", "pay#consumer-1", "main", "Consumer group"),
        ("{ severity: 3, fac: 'FAIL', message: '[thrd:a:9092/1]: a:9092/1: Connect', name: 'pay#producer-1' }", "FAIL", "pay#producer-1", "a:9092/1", "Connect"),
        ("2026-01-02 03:04:05 WARN [orders] REQTMOUT [thrd:[::1]:9092/1]: [::1]:9092/1: Timed out", "REQTMOUT", None, "[::1]:9092/1", "Timed out"),
        ("1795356710.782 RDKAFKA-3-FAIL: pay#producer-1: [thrd:a:9092/1]: a:9092/1: Connect", "FAIL", "pay#producer-1", "a:9092/1", "Connect"),
        ("LOG-3-FAIL: a:9092/bootstrap: Failed to connect", "FAIL", None, None, "Failed to connect"),
        ("I0105 base.cc:7] log: severity: 3, fac: INVALID, event: [thrd:a:9092/1]: a:9092/1: Invalid", "INVALID", None, "a:9092/1", "Invalid"),
        ("ORDERS-3-FAIL: pay#producer-1: [thrd:a:9092/1]: a:9092/1: Connect", "FAIL", "pay#producer-1", "a:9092/1", "Connect"),
        ("RDKAFKA-3-FAIL: pay#producer-1 [thrd:a:9092/1]: a:9092/1: Connect", "FAIL", "pay#producer-1", "a:9092/1", "Connect"),
        ("INFO pay#producer-1:REQERR:a:9092/7: ProduceRequest failed", "REQERR", "pay#producer-1", None, "ProduceRequest failed"),
        ("pay#consumer-2 [FAIL] a:9092/1: Connect to", "FAIL", "pay#consumer-2", None, "Connect to"),
        ("pay#producer-1|a:9092/2: Metadata request failed", None, "pay#producer-1", None, "Metadata request failed"),
        ("%3|1795356710.782|ERROR|pay#producer-1| [thrd:app]: pay#producer-1: sasl_ssl://a.example.org:9092/3: 1 request", "ERROR", "pay#producer-1", "app", "1 request"),
    ],
)  # fmt: skip
def test_a_line_of_librdkafka_is_known_whatever_stands_around_it(text, facility, client_id, thread, rest):
    head = client_of_other_language(text)
    assert head is not None
    assert (head.library, head.facility, head.client_id, head.thread) == (
        "librdkafka",
        facility,
        client_id,
        thread,
    )
    assert text[head.end :].startswith(rest)


@pytest.mark.parametrize(
    ("text", "logger", "library"),
    [
        ("Discovered coordinator 1 for group orders", "kafka.coordinator", "kafka-python"),
        ("Discovered coordinator 1 for group orders", "aiokafka.consumer.group_coordinator", "aiokafka"),
        ("INFO:aiokafka.consumer.group_coordinator:(Re-)joining group orders", None, "aiokafka"),
        ("[sarama] 2026/01/02 03:04:05 Initializing new client", None, "sarama"),
        ("[Connection] Connection timeout", "kafkajs", "kafkajs"),
        ('ERROR [Orders] ERROR [Runner] rejoin {"timestamp":"x","logger":"kafkajs"}', "Runner", "kafkajs"),
    ],
)
def test_others_are_known_by_their_names(text, logger, library):
    assert client_of_other_language(text, logger).library == library


@pytest.mark.parametrize(
    ("text", "logger"),
    [
        ("[Consumer clientId=c, groupId=g] (Re-)joining group", "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"),
        ("Preparing to rebalance group g", "kafka.coordinator.group.GroupCoordinator"),
        ("order #consumer-goods arrived", "com.example.Orders"),
        ("100%4|5 of them", None),
        ("App info kafka.consumer for orders-1 unregistered", None),
    ],
)  # fmt: skip
def test_lines_of_others_are_not_taken(text, logger):
    assert client_of_other_language(text, logger) is None


def test_a_time_is_read_from_the_head_of_librdkafka():
    assert instant_of("1795356710.782") == 1795356710782
    assert instant_of("...") is None


def line(text, severity=4, facility="MAXPOLL", handle="pay#consumer-1", thread="main"):
    return f"%{severity}|1795356710.782|{facility}|{handle}| [thrd:{thread}]: {text}"


def test_a_poll_that_came_too_late_is_an_expiry_and_a_leave():
    poll, leave = events(line(MAX_POLL), None)
    assert (poll.kind, poll.limit_ms, poll.elapsed_ms) == ("poll_interval_expired", 8000, 8430)
    assert (poll.client_library, poll.client_kind, poll.client_id) == (
        "librdkafka",
        "consumer",
        "pay#consumer-1",
    )
    assert (leave.kind, leave.client_id) == ("leave_group", "pay#consumer-1")


SESSION = "Consumer group session timed out (in join-state steady) after 7921 ms without a successful response from the group coordinator (broker 1, last error was Success): revoking assignment and rejoining group"
BROKER = "GroupCoordinator/1"


@pytest.mark.parametrize(
    ("written", "kind", "said"),
    [
        (line(SESSION, 4, "SESSTMOUT"), "session_expired", {"elapsed_ms": 7921}),
        (line(f"{BROKER}: Timed out HeartbeatRequest in flight (after 6012ms, timeout #0)", 5, "REQTMOUT"), "request_timeout", {"elapsed_ms": 6012, "api": "Heartbeat", "node_id": 1}),
        (line(f"{BROKER}: Timed out ProduceRequest in flight (after 60123ms, timeout #0): possibly held back by preceeding blocking JoinGroupRequest with timeout in 2990ms", 5, "REQTMOUT"), "request_timeout", {"elapsed_ms": 60123}),
        (line(f"{BROKER}: Timed out 7 in-flight, 0 retry-queued, 2 out-queue, 0 partially-sent requests", 4, "REQTMOUT"), "request_timeout", {"node_id": 1}),
        (line(f"{BROKER}: Timed out 7 in-flight, 1 retry-queued", 4, "REQTMOUT"), "request_timeout", {"node_id": 1}),
        (line(f"{BROKER}: Timed out 7+1 requests", 4, "REQTMOUT"), "request_timeout", {"node_id": 1}),
        (line('Group "pay": marking the coordinator dead: Local: Broker transport failure: GroupCoordinator request failed', 7, "COORD"), "coordinator_lost", {"group_id": "pay"}),
        (line("FindCoordinator response: Transaction coordinator is broker 7 (a:9092)", 7, "TXNCOORD"), "coordinator_found", {"node_id": 7}),
        (f"REQTMOUT|pay#consumer-1| [thrd:{BROKER}]: {BROKER}: Timed out 0 in-flight, 2 out-queue requests", "request_timeout", {"client_id": "pay#consumer-1"}),
        (line(f"{BROKER}: 7 request(s) timed out: disconnect (average rtt 12.300ms) (after 61000ms in state UP)", 3, "FAIL"), "disconnect", {"elapsed_ms": 61000}),
        (line("a:9092/1: Disconnected: connection closed by peer: receive 0 after POLLIN (after 2ms in state UP, 3 identical error(s) suppressed)", 6, "FAIL"), "disconnect", {"elapsed_ms": 2}),
        (line("a:9092/1: Receive failed: Connection reset by peer (after 9000ms in state UP)", 3, "FAIL"), "disconnect", {"elapsed_ms": 9000}),
        (line("a:9092/1: Connect to ipv4#127.0.0.1:9092 failed: Connection refused (after 0ms in state CONNECT)", 3, "FAIL"), "connect_failed", {"elapsed_ms": 0}),
        ("09:00:01 info: Shop:[0] log: message=[thrd:a:9092/1]: a:9092/1: Connect to ipv4#127.0.0.1:9092 failed: Connection refused (after 4ms in state CONNECT), name=pay#consumer-1, facility=FAIL, level=Error", "connect_failed", {"elapsed_ms": 4}),
        (line("a:9092/1: Connection setup timed out in state APIVERSION_QUERY (after 30029ms in state APIVERSION_QUERY)", 4, "FAIL"), "connect_failed", {"elapsed_ms": 30029}),
        (line("a:9092/bootstrap: Failed to resolve 'a:9092': Name or service not known (after 12ms in state CONNECT)", 3, "FAIL"), "connect_failed", {"elapsed_ms": 12}),
        (line("a:9092/1: SASL authentication error: Authentication failed (after 300ms in state AUTH_REQ)", 3, "FAIL"), "connect_failed", {"elapsed_ms": 300}),
        (line("Offset commit (manual) failed for 1/1 partition(s) in join-state wait-unassign-call: Broker: Unknown member: orders[0]@7(Broker: Unknown member)", 4, "COMMITFAIL"), "commit_failed", {"client_kind": "consumer"}),
        (line("Offset commit (manual) failed for 1/1 partition(s): Broker: Unknown member: orders[0]@7(Broker: Unknown member)", 4, "COMMITFAIL"), "commit_failed", {"topic": "orders", "partition": 0}),
        (line("Offset commit (manual) failed for 2/2 partition(s): Broker: Unknown member: orders[0]@7(Broker: Unknown member), orders[1]@9(Broker: Unknown member)", 4, "COMMITFAIL"), "commit_failed", {"topic": None}),
        (line("a:9092/1: Broker did not provide a certificate (after 7ms in state SSL_HANDSHAKE)", 3, "FAIL"), "connect_failed", {"elapsed_ms": 7}),
        (line("a:9092/1: SaslHandshakeRequest failed: Broker: Unsupported SASL mechanism (after 7ms in state AUTH_HANDSHAKE)", 3, "FAIL"), "connect_failed", {"elapsed_ms": 7}),
        (line("a:9092/1: Client is terminating (after 7ms in state CONNECT) (_DESTROY)", 7, "FAIL"), "other_kafka", {}),
        ('KafkaError{code=_SSL,val=-181,str="ssl://a:9092/1: Failed to verify broker certificate: x (after 7ms in state SSL_HANDSHAKE)"}', "connect_failed", {"elapsed_ms": 7}),
        ("%4 FAIL \u2026 Connection setup timed out in state CONNECT (after 30990ms in state CONNECT)", "connect_failed", {"elapsed_ms": 30990}),
        ("%4|SESSTMOUT| Consumer group session timed out ... revoking assignment", "session_expired", {}),
        (line('Group "orders" heartbeat error response in state up (join state started, 3 partition(s) assigned): Broker: Group rebalance in progress', 7, "HEARTBEAT"), "heartbeat_failed", {"group_id": "orders"}),
        (line("a:9092/bootstrap: Disconnected while requesting ApiVersion: might be caused by incorrect security.protocol configuration (connecting to a SSL listener?) or broker version is < 0.10 (see api.version.request) (after 3ms in state APIVERSION_QUERY)", 6, "FAIL"), "disconnect", {"elapsed_ms": 3}),
        (line("a:9092/1: Failed to connect to broker at [a]:9092: Network is unreachable (after 21ms in state CONNECT)\nno metadata: KafkaError{code=_TRANSPORT}", 3, "FAIL"), "connect_failed", {"node_id": 1}),
        ("% ERROR: Local: Host resolution failure: a:9092/7: Failed to resolve 'a:9092': Name or service not known (after 6ms in state CONNECT)", "connect_failed", {"elapsed_ms": 6}),
        ("Message delivery failed: [Error 29] Broker: Topic authorization failed", "produce_failed", {"client_kind": "producer"}),
        ("failed to deliver order 7: Broker: Request timed out [RequestTimedOut]", "produce_failed", {"client_kind": "producer"}),
        ('[error] Sending data to broker "kafka.3", 9094 failed with :timeout', "request_timeout", {"client_library": "kafka_ex"}),
        ('level=error msg="error listing clusters" err="Get http://localhost:8000/v3/kafka: dial tcp 127.0.0.1:8000: connect: connection refused"', "other_kafka", {"client_library": "go"}),
        ('level=error msg="kafka exporter" err="Post \\"http://registry:8081/subjects\\": dial tcp: lookup registry: no such host"', "other_kafka", {"client_library": "go"}),
        ("panic: runtime error: invalid memory address\n[signal SIGSEGV: segmentation violation]\n\ngoroutine 35 [running]:\ngithub.com/Shopify/sarama.(*Broker).Open(0x7)\n\t/go/broker.go:210 +0x4f", "other_kafka", {"message_id": "go-panicked"}),
        ("[Consumer] Crash: KafkaJSNonRetriableError: Unexpected token 'h', \"heyyy\" is not valid JSON", "other_kafka", {"error_class": "KafkaJSNonRetriableError", "message_id": "kafkajs-crash"}),
        ("Consumer error: Broker: Group coordinator not available", "coordinator_lost", {"client_library": "librdkafka"}),
        ("Broker: Coordinator load in progress: retrying", "other_kafka", {"message_id": "rdkafka-producer-id"}),
        ("Could not publish to `orders`: Local: Unknown topic", "produce_failed", {"client_kind": "producer"}),
        ("[thrd:app]: pay#consumer-1: GroupCoordinator: a:9092: SSL handshake failed: Disconnected: connecting to a PLAINTEXT broker listener? (after 7ms in state SSL_HANDSHAKE)", "connect_failed", {"client_id": "pay#consumer-1"}),
        ("librdkafka.error: Local: Timed out (timed_out)\n  1 request(s) timed out: disconnect (average rtt 7ms) (after 61000ms in state UP)", "disconnect", {"elapsed_ms": 61000}),
        (line("Configuration `retry.backoff.ms` with value 1500 is greater than configuration `retry.backoff.max.ms` with value 600. A static backoff", 4, "CONFWARN", "pay#producer-1"), "config_warning", {"limit_ms": 600}),
        (line("Broker does not support KIP-62 (requires Apache Kafka >= v0.10.1.0): consumer configuration `max.poll.interval.ms` (300000) is effectively limited by `session.timeout.ms` (10000) with this broker version", 5), "config_warning", {"limit_ms": 10000}),
        (line("Producer terminating with 6 messages (840 bytes) still in queue or transit: use flush() to wait", 4, "TERMINATE", "pay#producer-1", "app"), "produce_failed", {"client_kind": "producer"}),
        (line("Fatal error: Broker: Broker received an out of order sequence number: ProduceRequest for orders [3] with 9 message(s) failed due to sequence desynchronization with broker 2 (PID{Id:155002,Epoch:0}, base seq 7, idemp state change 52807639ms ago, last partition error NO_ERROR (actions , base seq 0..0, base msgid 0, -1ms ago)", 0, "FATAL"), "produce_failed", {"topic": "orders", "partition": 3}),
        (line("Fatal error: Broker: Broker received an out of order sequence number: ProduceRequest for orders [3] with 9 message(s) failed due to sequence desynchronization with broker 2 (PID{Id:155002,Epoch:0}, base seq 7, idemp state change 52807639ms ago, last partition error NO_ERROR (actions , base seq 0..0, base msgid 0, -1ms ago)", 3, "ERROR"), "other_kafka", {}),
        (line("Fatal error: Broker: Static consumer fenced by other consumer with same group.instance.id: Fatal consumer error", 0, "FATAL"), "fenced", {"level": "FATAL"}),
        (line("Fatal transaction error: Failed to add offsets to transaction: Broker: Producer attempted an operation with an old epoch (INVALID_PRODUCER_EPOCH)", 1, "TXNERR"), "fenced", {"error_class": "INVALID_PRODUCER_EPOCH"}),
        (line(f'Group "orders": delegating incremental revoke of 1 partition(s) to application on queue rd_kafka_cgrp_new: {SESSION}', 7, "ASSIGN"), "other_kafka", {"message_id": "rdkafka-rebalance-delegated", "group_id": "orders"}),
        ("ERROR KafkaConsumer[consumer-7d1c] FAIL | [thrd:a:9092/1]: a:9092/1: Receive failed: Connection reset by peer (after 7ms in state UP)", "disconnect", {"node_id": 1}),
        ("ERROR KafkaConsumer[consumer-7d1c] ERROR | [thrd:a:9092/1]: a:9092/1: Receive failed: Connection reset by peer (after 7ms in state UP)", "other_kafka", {"message_id": "rdkafka-error"}),
        (line("a:9092/1: Connection closed", 5, "FAIL"), "disconnect", {"node_id": 1}),
        (line("a:9092/1: Connection closed", 3, "ERROR"), "other_kafka", {"message_id": "rdkafka-error"}),
        (line('GroupCoordinator/1: Heartbeat for group "orders" generation id 2', 7, "HEARTBEAT"), "heartbeat", {"group_id": "orders", "generation": 2}),
        (line('127.0.0.1:19092/1: Joining group "orders" with 1 subscribed topic(s) and member id ""', 7, "JOIN"), "join", {"group_id": "orders"}),
        (line('127.0.0.1:19092/1: Joining group "orders" with 1 subscribed topic(s)', 7, "JOIN"), "join", {"group_id": "orders"}),
        (line("JoinGroup response: GenerationId 2, Protocol range, LeaderId pay-1 (me), my MemberId pay-1, member metadata count 1: (no error)", 7, "JOINGROUP"), "joined", {"generation": 2, "member_id": "pay-1"}),
        (line("a:9092/1: orders [1]: MessageSet with 2 message(s) (MsgId 0, BaseSeq -1) encountered error: Broker: Not enough in-sync replicas (actions Retry,MsgNotPersisted)", 7, "MSGSET", "pay#producer-1"), "produce_retry", {"topic": "orders", "partition": 1, "api": "Produce"}),
        ('delivery failed: KafkaError{code=_MSG_TIMED_OUT,val=-192,str="Local: Message timed out"}', "batch_expired", {"error_class": "_MSG_TIMED_OUT", "client_library": "librdkafka"}),
        ('commit failed: KafkaError{code=UNKNOWN_MEMBER_ID,val=25,str="Commit failed: Broker: Unknown member"}', "commit_failed", {"error_class": "UNKNOWN_MEMBER_ID"}),
        ("session lost? Consumer group session timed out (in join-state steady) after 171690 ms", "session_expired", {"elapsed_ms": 171690}),
        ('Message failed delivery: KafkaError{code=TOPIC_AUTHORIZATION_FAILED,val=29,str="Broker: Topic authorization failed"}', "produce_failed", {"error_class": "TOPIC_AUTHORIZATION_FAILED"}),
        (line("a:9092/bootstrap: couldn't connect to ipv4#10.0.0.1:9092: Connection refused", 7, "CONNECT"), "connect_failed", {}),
        (line("Something new that nobody knows", 4, "NEW"), "other_kafka", {"message_id": "unrecognized", "client_library": "librdkafka"}),
    ],
)  # fmt: skip
def test_what_lines_of_librdkafka_tell(written, kind, said):
    told = event(written, None)
    assert told.kind == kind
    assert {name: getattr(told, name) for name in said} == said


def test_what_prose_quotes_is_nobody_s_line():
    assert events("Followed by `KafkaError{code=_MSG_TIMED_OUT,..}` for what was queued", None) == []
    assert events(
        "- **Error:** `kafka.errors.NoBrokersAvailable: NoBrokersAvailable`", None
    )  # but a label and code alone


@pytest.mark.parametrize(
    "text",
    [
        "Connection failed: the database does not answer",
        "joining group chat orders",
        "leaving group of tests",
        "dial tcp 10.0.0.1:5432: i/o timeout",
    ],
)
def test_words_that_others_say_too_are_no_client_s(text):
    assert events(text, None) == []
    assert not is_kafka(None, text, text)


def test_a_basic_config_line_of_python_has_a_logger():
    head = read_head("INFO:kafka.coordinator:(Re-)joining group orders")
    assert (head.level, head.logger, head.message) == (
        "INFO",
        "kafka.coordinator",
        "(Re-)joining group orders",
    )


def test_what_an_application_prints_behind_a_line_of_librdkafka_is_a_record_of_its_own():
    begins = begins_of(detect_layout(line("a:9092/1: Disconnected").encode()))
    assert begins("failed to deliver: Local: Message timed out")
    assert not begins("    at Confluent.Kafka.Producer.ProduceImpl()")


@pytest.mark.parametrize(
    ("level", "told"), [("DEBUG", None), ("TRACE", None), ("ERROR", "ERROR"), ("INFO", "INFO")]
)
def test_what_prints_saramas_lines_at_debug_says_nothing_of_them(level, told):
    assert (
        event(
            "kafka: error while consuming pay/7: read tcp 10.0.0.1:4->10.0.0.2:9092: i/o timeout",
            None,
            level=level,
        ).level
        == told
    )


def test_a_refused_join_of_an_old_release_is_one():
    said = "JoinGroup response: GenerationId -1, Protocol , LeaderId  (me), my MemberId , 0 members in group: Broker: Not coordinator"
    refused = event(line(said, 7, "JOINGROUP"), None)
    assert (refused.message_id, refused.details["error_message"]) == (
        "rdkafka-join-refused",
        "Broker: Not coordinator",
    )


@pytest.mark.parametrize("quote", ['"', "'"])
def test_fields_of_kafkajs_as_node_prints_an_object_are_its_fields(quote):
    said = f"Response Heartbeat(key: 12, version: 3)\n  namespace: {quote}Connection{quote},\n  clientId: {quote}pay{quote},\n  correlationId: 7"
    told = event(said, "kafkajs", level="ERROR")
    assert (told.kind, told.client_id, told.correlation_id) == ("heartbeat_failed", "pay", 7)


def test_a_masked_broker_that_librdkafka_names_is_no_word_of_its_text():
    text = "librdkafka: FAIL [thrd:ssl://<broker>]: ssl://<broker>: 1 request(s) timed out:  disconnect (after 21000ms in state UP)"
    told = event(text, None)
    assert (told.kind, told.elapsed_ms) == ("disconnect", 21000)


def test_a_facility_between_colons_is_librdkafka_s():
    text = (
        "*INFO* pay#producer-4:BROKERFAIL:a:9092/7: failed: err: Local: Message timed out: (errno: Success)"
    )
    told = event(text, None)
    assert (told.message_id, told.client_id, told.node_id) == ("rdkafka-broker-failed", "pay#producer-4", 7)
    level = client_of_other_language("rdkafka#producer-4:ERROR: no more")
    assert level is None or level.facility is None


def test_what_kafkajs_says_in_a_string_of_another_object_names_its_client():
    said = '{"logger":"kafkajs","clientId":"pay","error":"The group is rebalancing, so a rejoin is needed"}'
    message = f"Response Heartbeat(key: 12, version: 3) {said}"
    told = event(message, "kafkajs", text='{"msg":"' + message.replace('"', '\\"') + '"}')
    assert (told.kind, told.client_id) == ("heartbeat_failed", "pay")


@pytest.mark.parametrize(
    "text",
    [
        "I0105 base.cc:7] log: severity: 3, fac: FAIL, event: [thrd:a:9092/1]: a:9092/1: Disconnected",
        "{ severity: 3, fac: 'FAIL', message: '[thrd:a:9092/1]: a:9092/1: Disconnected', name: 'pay#producer-1' }",
    ],
)
def test_the_severity_of_an_object_is_its_level(text):
    head = client_of_other_language(text)
    assert head is not None
    assert head.level == "ERROR"


def test_an_escaped_quote_ends_no_field_of_an_object():
    said = "{ severity: 3, fac: 'FAIL', message: '[thrd:a:9092/1]: a:9092/1: Failed to resolve \\'a:9092\\': Name or service not known (after 12ms in state CONNECT)', name: 'pay#producer-1' }"
    assert event(said, "").details["address"] == "a:9092"


KZAP = '2026-01-05T10:00:00.105-0400\tinfo\tfranz\tkzap@v1.1.2/kzap.go:114\t{}\t{{"resource": {{"service.name": "otelcol"}}, "otelcol.signal": "logs", "group": "pay", {}}}'


@pytest.mark.parametrize(
    ("said", "field", "kind"),
    [
        ("joining group", '"x": 1', "join"),
        ("joined, balancing group", '"member_id": "m-1", "generation": 7', "joined"),
        ("synced", '"assigned": "otlp_logs[0]"', "sync"),
        ("new group session begun", '"added": "otlp_logs[0]", "lost": ""', "partitions_assigned"),
    ],
)
def test_fields_that_a_collector_adds_stand_before_those_of_franz_go(said, field, kind):
    told = event(KZAP.format(said, field), None)
    assert (told.kind, told.group_id) == (kind, "pay")


def test_objects_that_are_fields_alone_leave_their_lines_their_heads():
    lines = [KZAP.format(said, '"x": 1') for said in ("joining group", "leaving group", "left group now")]
    assert detect_layout("\n".join(lines).encode()).layout == "<time> <level> <message>"


def test_a_pool_of_brokers_is_kafkajs_s_without_any_head():
    told = event("[BrokerPool] Failed to connect to seed broker", None)
    assert (told.kind, told.client_library) == ("connect_failed", "kafkajs")


def test_a_time_that_a_poster_masked_is_unknown():
    masked = MAX_POLL.replace("430ms", "***ms")
    found = events(f"%4|1795356710.782|MAXPOLL|pay#consumer-1| [thrd:main]: {masked}")
    assert [(one.kind, one.limit_ms, one.elapsed_ms) for one in found][:1] == [
        ("poll_interval_expired", 8000, None)
    ]


def test_every_library_of_a_family_is_named_in_the_contract():
    assert {family.library for family in families().values()} == set(LIBRARIES)


@pytest.mark.parametrize(
    ("written", "kind", "said"),
    [
        ("%3|1700000000.123|ERROR|pay#producer-1| b1:9092/3: Failed to connect to broker at b1:9092: Connection refused", "other_kafka", {"message_id": "rdkafka-error"}),
        ('%7|1700000000.123|UNASSIGN|pay#consumer-1| [thrd:main]: Group "pay": unassigning 3 partition(s) (v7)', "partitions_revoked", {"group_id": "pay"}),
        ('%7|1700000000.123|ASSIGN|pay#consumer-1| [thrd:main]: Group "pay": new assignment of 3 partition(s) in join state wait-assign-rebalance_cb', "partitions_assigned", {"group_id": "pay"}),
        ('%7|1700000000.123|ASSIGN|pay#consumer-1| [thrd:main]: Group "pay": new assignment of 0 partition(s) in join state wait-revoke-rebalance_cb', "other_kafka", {}),
        ('%7|1700000000.123|LEAVE|pay#consumer-1| [thrd:main]: Group "pay": leave', "leave_group", {"group_id": "pay"}),
        ('%7|1700000000.123|LEAVE|pay#consumer-1| [thrd:main]: Group "pay": leave (in state up): LeaveGroupRequest already in-transit', "other_kafka", {}),
        ("%7|1700000000.123|LEAVEGROUP|pay#consumer-1| [thrd:main]: LeaveGroup response error in state up: Broker: Unknown member", "other_kafka", {"message_id": "rdkafka-leave-answered"}),
        ('[WARN] [admin.go:7] ["query kafka cluster meta failed"] [error=EOF]', "disconnect", {"client_library": "go"}),
        ("=INFO REPORT==== 5-Jan-2026::10:00:05 ===\n    application: pay\n    exited: {{shutdown,\n              {failed_to_start_child,'Elixir.Pay',\n                {noproc,{gen_server,call,[brod_sup,a]}}}}}", "other_kafka", {"message_id": "brod-process-ended"}),
        ("ClientId:pay#consumer-3 Level:Warning Facility:MAXPOLL Message: [thrd:main]: " + MAX_POLL, "poll_interval_expired", {"client_id": "pay#consumer-3"}),
        ("rebalance error: kafka server: The coordinator is not available.", "coordinator_lost", {"client_library": "sarama"}),
        ("rebalance error: kafka server: The provided member is not known in the current generation.", "other_kafka", {}),
        ("rebalance error: EOF", "disconnect", {"client_library": "sarama"}),
        ("rebalance error: read tcp 10.0.0.7:7->10.0.0.8:9092: i/o timeout", "request_timeout", {"client_library": "sarama"}),
        ("rebalance error: write tcp 10.0.0.7:7->10.0.0.8:9092: write: broken pipe", "disconnect", {"client_library": "sarama"}),
        ("rebalance error: dial tcp 10.0.0.8:9092: connect: connection refused", "connect_failed", {"client_library": "sarama"}),
        ('{"level":"INFO","message":"Pre rebalance Revoke([TopicPartitionListElem { topic: \\"pay\\", partition: 3, offset: Invalid }])","target":"x"}', "partitions_revoked", {"topic": "pay", "partition": 3}),
        ('[INFO] Post rebalance Assign([TopicPartitionListElem { topic: "pay", partition: 3, offset: Invalid }])', "partitions_assigned", {"topic": "pay", "partition": 3}),
        ('level=error msg="lag failed" err="request ListOffsets has 2 separate shard errors, first: unknown broker"', "other_kafka", {"message_id": "franz-go-in-trouble", "api": "ListOffsets"}),
        ('level=error msg="lag failed" err="request OffsetFetch has 2 separate shard errors, first: NOT_COORDINATOR: This is not the correct coordinator."', "coordinator_lost", {"error_class": "NOT_COORDINATOR"}),
        ('level=INFO msg="metadata update triggered" why="re-updating due to inner errors: LEADER_NOT_AVAILABLE{a[0 1]} TOPIC_AUTHORIZATION_FAILED{pay}"', "other_kafka", {"error_class": "TOPIC_AUTHORIZATION_FAILED", "topic": "pay"}),
        ("Error committing offsets for topic 'pay' from consumer id 'x'(errors: {<class 'pykafka.exceptions.IllegalGeneration'>: [3]})", "commit_failed", {"error_class": "IllegalGeneration"}),
        ("[[pay] {}:] Partitions assigned for `orders`: 3, 5", "partitions_assigned", {"topic": "orders", "partition": 3}),
        ("kafka-node:KafkaClient pay socket closed b1:9092 (hadError: false)", "disconnect", {"message_id": "kafka-node-closed"}),
        ('kafka-node:KafkaClient leaders are still missing for [{"topic":"pay","partition":7}]', "other_kafka", {"message_id": "kafka-node-failed", "topic": "pay", "partition": 7}),
        ("pykafka.producer: Produce request for b'pay'/7 to b1:9092 failed with error code 19.", "produce_retry", {"topic": "pay", "error_class": "NOT_ENOUGH_REPLICAS"}),
        ("Message not delivered!! MessageSizeTooLarge('Produce request for b\\'pay\\'/7 to b1:9092 failed with error code 10.')", "produce_failed", {"error_class": "MessageSizeTooLarge"}),
        ("pykafka.simpleconsumer - INFO - Resetting offsets in response to OffsetOutOfRangeError", "other_kafka", {"error_class": "OffsetOutOfRangeError"}),
        ('ERROR ingest: write failed error="Sasl handshake failed: API error: SaslAuthenticationFailed"', "connect_failed", {"client_library": "rskafka"}),
        ("Error committing offsets for topic 'b'pay'' from consumer id 'b'x''(SocketDisconnectedError)", "commit_failed", {"topic": "pay"}),
        ("2026-01-05 10:00:00,5 - root - ERROR - Error committing offsets for topic pay (error codes: [22])", "commit_failed", {"error_class": "ILLEGAL_GENERATION"}),
        ("2026-01-05 10:00:00,5 - pykafka.cluster - INFO - Found coordinator broker with id 7", "coordinator_found", {"client_library": "pykafka"}),
        ("%4|1767607200.125|GETPID|pay#producer-1| [thrd:main]: Failed to acquire transactional PID from broker TxnCoordinator/7: Broker: Producer attempted an operation with an old epoch: retrying", "fenced", {"client_id": "pay#producer-1"}),
    ],
)  # fmt: skip
def test_what_old_releases_and_small_clients_tell(written, kind, said):
    told = events(written, None)[0]
    assert {"kind": kind} | said == {name: getattr(told, name) for name in {"kind", *said}}


@pytest.mark.parametrize("container", ["", "pay_1 | "])
def test_what_brod_says_below_its_member_is_of_one_record(container):
    member = "Group member (pay,coor=#PID<0.7.0>,cb=#PID<0.8.0>,generation=3):"
    said = [
        member,
        "failed to join group",
        "reason::timeout",
        member,
        "re-joining group, reason::timeout",
        member,
        "elected=true",
    ]
    told = events_in("".join(f"{container}{one}\n" for one in said))
    assert [(one.kind, one.line, one.group_id) for one in told] == [
        ("request_timeout", 1, "pay"), ("request_timeout", 4, "pay"), ("joined", 6, "pay"),
    ]  # fmt: skip
