# ruff: noqa: E501  # a log line stays one line
"""Clients that are not Java's: whose line it is, whatever a binding made of it, and what it tells."""

import pytest

from tests.transforms.parse.typed import event, events
from transforms.parse.catalogue.anchors import is_kafka
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
        ("Broker: Coordinator load in progress: retrying", "other_kafka", {"message_id": "rdkafka-producer-id"}),
        ("Could not publish to `orders`: Local: Unknown topic", "produce_failed", {"client_kind": "producer"}),
        ("[thrd:app]: pay#consumer-1: GroupCoordinator: a:9092: SSL handshake failed: Disconnected: connecting to a PLAINTEXT broker listener? (after 7ms in state SSL_HANDSHAKE)", "connect_failed", {"client_id": "pay#consumer-1"}),
        ("librdkafka.error: Local: Timed out (timed_out)\n  1 request(s) timed out: disconnect (average rtt 7ms) (after 61000ms in state UP)", "disconnect", {"elapsed_ms": 61000}),
        (line("Configuration `retry.backoff.ms` with value 1500 is greater than configuration `retry.backoff.max.ms` with value 600. A static backoff", 4, "CONFWARN", "pay#producer-1"), "config_warning", {"limit_ms": 600}),
        (line("Broker does not support KIP-62 (requires Apache Kafka >= v0.10.1.0): consumer configuration `max.poll.interval.ms` (300000) is effectively limited by `session.timeout.ms` (10000) with this broker version", 5), "config_warning", {"limit_ms": 10000}),
        (line("Producer terminating with 6 messages (840 bytes) still in queue or transit: use flush() to wait", 4, "TERMINATE", "pay#producer-1", "app"), "produce_failed", {"client_kind": "producer"}),
        (line("Fatal error: Broker: Static consumer fenced by other consumer with same group.instance.id: Fatal consumer error", 0, "FATAL"), "fenced", {"level": "FATAL"}),
        (line("Fatal transaction error: Failed to add offsets to transaction: Broker: Producer attempted an operation with an old epoch (INVALID_PRODUCER_EPOCH)", 1, "TXNERR"), "fenced", {"error_class": "INVALID_PRODUCER_EPOCH"}),
        (line(f'Group "orders": delegating incremental revoke of 1 partition(s) to application on queue rd_kafka_cgrp_new: {SESSION}', 7, "ASSIGN"), "other_kafka", {"message_id": "rdkafka-rebalance-delegated", "group_id": "orders"}),
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
        (line("Something new that nobody knows", 4, "NEW"), "other_kafka", {"message_id": "unrecognized", "client_library": "librdkafka"}),
    ],
)  # fmt: skip
def test_what_lines_of_librdkafka_tell(written, kind, said):
    told = event(written, None)
    assert told.kind == kind
    assert {name: getattr(told, name) for name in said} == said


COORDINATOR = "kafka.coordinator"
OF_AIO = "aiokafka.consumer.group_coordinator"


@pytest.mark.parametrize(
    ("written", "logger", "kind", "said"),
    [
        ("Marking the coordinator dead (node coordinator-1) for group orders: Node Disconnected.", COORDINATOR, "coordinator_lost", {"group_id": "orders", "client_library": "kafka-python"}),
        ("Marking the coordinator dead (node 1)for group orders.", OF_AIO, "coordinator_lost", {"group_id": "orders", "client_library": "aiokafka"}),
        ("Successfully joined group orders <Generation 3 (member_id: kafka-python-1-a, protocol: range)>", COORDINATOR, "joined", {"group_id": "orders"}),
        ("2026-01-05 10:00:00,353::kafka.coordinator::WARNING::Marking the coordinator dead (node 0) for group orders: ConnectionError: socket disconnected.", None, "coordinator_lost", {"group_id": "orders"}),
        ("Joined group 'orders' (generation 2) with member_id aiokafka-1", OF_AIO, "joined", {"generation": 2, "member_id": "aiokafka-1"}),
        ("[INFO] batch in a produce request failed; topic: orders, partition: 3, err: NOT_LEADER_FOR_PARTITION: x, err_is_retryable: true, max_retries_reached: false", None, "produce_retry", {"topic": "orders", "partition": 3}),
        ('level=INFO msg="batch in a produce request failed" topic=orders partition=3 err=MESSAGE_TOO_LARGE err_is_retryable=false max_retries_reached=false', None, "produce_failed", {"topic": "orders", "partition": 3}),
        ("[INFO] new topic metadata wait failed, done retrying, failing all records; topic: orders, err: x", None, "produce_failed", {"topic": "orders"}),
        ("[INFO] consumer group initial heartbeat hit retryable error, backing off and retrying; group: orders, err: x", None, "heartbeat_failed", {"group_id": "orders"}),
        ("[INFO] share group heartbeat lost membership, resetting epoch; group: orders", None, "partitions_lost", {"group_id": "orders"}),
        ('ERR worker failed err="TOPIC_AUTHORIZATION_FAILED: Not authorized to access topics: [Topic authorization failed.]"', None, "other_kafka", {"client_library": "franz-go", "error_class": "TOPIC_AUTHORIZATION_FAILED"}),
        ('level=error msg=poll err="GROUP_AUTHORIZATION_FAILED: Not authorized to access group: Group authorization failed."', None, "other_kafka", {"group_id": None}),
        ("Failed to send message to orders_out: UNKNOWN_TOPIC_OR_PARTITION: This server does not host this topic-partition.", None, "produce_retry", {"error_class": "UNKNOWN_TOPIC_OR_PARTITION"}),
        ("unable to produce record: MESSAGE_TOO_LARGE: The request included a message larger than the max message size the server will accept.", None, "produce_failed", {}),
        ("KafkaJSProtocolError: Messages are rejected since there are fewer in-sync replicas than required", None, "produce_failed", {"client_library": "kafkajs"}),
        ("kafka: error while consuming orders/7:\nkafka server: Request exceeded the user-specified time limit in the request", None, "request_timeout", {"topic": "orders", "partition": 7}),
        ("could not store order 7: Kafka write errors (2/2), errors: [topic partition has no leader]", None, "produce_failed", {"client_library": "kafka-go"}),
        ("[orders] read failed: [5] Leader Not Available", None, "other_kafka", {"message_id": "kafka-go-error", "error_class": "LEADER_NOT_AVAILABLE"}),
        ("failed to dial: failed to open connection to broker-7:9092:", None, "connect_failed", {"client_library": "kafka-go"}),
        ("reading pay: fetching message: failed to dial: failed to open connection to broker-7:9092", None, "connect_failed", {"client_library": "kafka-go"}),
        ("pay call failed: [Error 16] NotCoordinatorError", None, "coordinator_lost", {"error_class": "NotCoordinatorError"}),
        ("[WARNING] kafka.coordinator: Marking the coordinator dead... [Error 16] NotCoordinatorForGroupError", None, "coordinator_lost", {}),
        ('time=now level=error msg="pay call failed" err="[Error 19] NotEnoughReplicasError"', None, "produce_failed", {"error_class": "NotEnoughReplicasError"}),
        ("<BrokerConnection node_id=3 host=a:9092 <connected>> timed out after 305000 ms. Closing connection.", None, "request_timeout", {"elapsed_ms": 305000}),
        ("Node coordinator-7 connection failed -- refreshing metadata", None, "connect_failed", {"client_library": "kafka-python"}),
        ("ERROR kafka.conn:conn.py:429 <BrokerConnection node_id=3 host=a:9092>: Closing connection. KafkaConnectionError: x", None, "disconnect", {"client_library": "kafka-python"}),
        ("Error sending LeaveGroupRequest to node 7 [[Error 7] RequestTimedOutError]\n```\n\nA note on it.", OF_AIO, "request_timeout", {}),
        ("GroupCoordinator: 2 request(s) timed out: disconnect (after 7ms in state UP)", None, "disconnect", {"elapsed_ms": 7}),
        ("a note, and then:\n  `pay failed: NoBrokersAvailable`\n  `pay: done`", None, "connect_failed", {}),
        ("SASL authentication error: Authentication failed (after 7ms in state AUTH_REQ)", None, "connect_failed", {"elapsed_ms": 7}),
        ("KafkaJSConnectionError: Connection error: read ECONNRESET", None, "disconnect", {"client_library": "kafkajs"}),
        ("err: kafka: invalid configuration (X must\n// be true to be used)", None, "other_kafka", {"message_id": "sarama-config-refused"}),
        ("pay call failed: [Error 5] LeaderNotAvailableError", None, "other_kafka", {"message_id": "python-error"}),
        ('ERR pay call failed error="NOT_COORDINATOR: This is not the correct coordinator."', None, "coordinator_lost", {"client_library": "franz-go"}),
        ("pay call failed: PRODUCER_FENCED: There is a newer producer with the same transactionalId.", None, "fenced", {"client_library": "franz-go"}),
        ("pay call failed: [47] Invalid Producer Epoch: producer attempted an operation with an old epoch", None, "fenced", {"error_class": "INVALID_PRODUCER_EPOCH"}),
        ("pay call failed: [10] Message Size Too Large: the server has a maximum", None, "produce_failed", {"client_library": "kafka-go"}),
        ("pay call failed: kafka server: SASL Authentication failed", None, "connect_failed", {"client_library": "sarama"}),
        ("pay call failed: KafkaJSProtocolError: Specified group generation id is not valid", None, "commit_failed", {"client_library": "kafkajs"}),
        ("pay offset commit failed: Broker: Unknown member", None, "commit_failed", {"error_class": "UNKNOWN_MEMBER_ID"}),
        ("failed to write pay-7 to kafka: context deadline exceeded", None, "produce_failed", {"client_library": "go"}),
        ('{"error":"seed of \\"pay [0]\\" : [16] Not Coordinator For Group: ...",', None, "coordinator_lost", {"client_library": "kafka-go"}),
        ("order 7 was not told: KafkaJSError: The producer is disconnected", None, "produce_failed", {"client_kind": "producer"}),
        ("Crash: KafkaJSGroupCoordinatorNotFound: Failed to find group coordinator", None, "coordinator_lost", {"client_library": "kafkajs"}),
        ("order 7 was not told: KafkaJSConnectionClosedError: Closed connection", None, "disconnect", {"client_library": "kafkajs"}),
        ("KafkaJSSASLAuthenticationError: SASL PLAIN authentication failed: Connection closed by the server", None, "connect_failed", {"error_class": "KafkaJSSASLAuthenticationError"}),
        ("2026-01-05 10:00:00,353 ERROR kafka.net.connection: <KafkaConnection a:9092>: Connection lost: reset", None, "disconnect", {"client_library": "kafka-python"}),
        ("failed to produce order 7: NOT_LEADER_FOR_PARTITION: This server is not the leader for that topic-partition.", None, "produce_failed", {"client_library": "franz-go"}),
        ("kafka.errors.KafkaTimeoutError: KafkaTimeoutError: Timeout after waiting for 7 secs.", None, "request_timeout", {"client_library": "kafka-python"}),
        ("shop.bus - Unrecognized configs: {'linger': 5}", None, "config_warning", {"client_library": "kafka-python"}),
        ("kafka.(*Client).Produce: fetch request error: topic partition has no leader", None, "other_kafka", {"client_library": "kafka-go"}),
        ("could not see the end: Meta data fetch error: OperationTimedOut", None, "other_kafka", {"client_library": "librdkafka"}),
        ("ERROR Connection attempt returned error 111. Disconnecting.", None, "connect_failed", {"client_library": "kafka-python"}),
        ("[2026-01-05 10:00:00,353] [7] [WARNING] [^-App]: Missing sensor state for rebalance #3 ", None, "other_kafka", {"message_id": "faust-normal"}),
        ("сообщение не ушло в Кафку: dial tcp 10.0.0.7:9093: connect: connection refused", None, "connect_failed", {}),
        ("[INFO] leaving share group; group: orders, member_id: pay-1", None, "leave_group", {"group_id": "orders"}),
        ("[ERROR] offset commit: stale member epoch after 10 retries, giving up; group: orders", None, "commit_failed", {"group_id": "orders"}),
        ("[ERROR] unable to request api versions; broker: 1, err: EOF", None, "connect_failed", {"client_library": "franz-go"}),
        ("kafka-go: leave group failed for group, orders, and member, pay-1: [25] Unknown Member ID: the member", None, "other_kafka", {"group_id": "orders"}),
        ("kafka-go: backing off 100ms writing 4 messages to orders (partition: 3)", None, "backoff", {"topic": "orders", "partition": 3}),
        ("Messages written, but to fewer in-sync replicas than required for orders/3", None, "produce_retry", {"topic": "orders", "partition": 3}),
        ("Unknown topic or partition orders/3 on a:9092 (node_id=1)", None, "produce_retry", {"topic": "orders", "node_id": 1}),
        ("Produce error orders-3 Offset: -1 Error: :request_timed_out", None, "produce_retry", {"topic": "orders", "partition": 3, "client_library": "brod"}),
        ('{"logger":"kafkajs","message":"[Connection] Response SyncGroup(key: 14, version: 3)","error":"The group is rebalancing, so a rejoin is needed"}', "kafkajs", "other_kafka", {"message_id": "kafkajs-refused-rebalancing"}),
        ("KafkaJSNumberOfRetriesExceeded: Connection error: connect ECONNREFUSED 10.0.0.1:9092", None, "connect_failed", {"client_library": "kafkajs"}),
        ("Joined group 'orders'", OF_AIO, "joined", {"group_id": "orders"}),
        ("<BrokerConnection node_id=1 host=a:9092 <connected> [IPv4 ('10.0.0.1', 9092)]> timed out after 305000 ms. Closing connection.", "kafka.client", "request_timeout", {"elapsed_ms": 305000}),
        ("Connect attempt to <BrokerConnection> returned error 111. Disconnecting.", "kafka.conn", "connect_failed", {}),
        ("consumer-group/claim orders/3 retrying after 250ms... (2 attempts remaining): x", None, "backoff", {"topic": "orders", "attempts_left": 2}),
        ("    ```\n    KafkaTimeoutError: Batch for TopicPartition(topic='orders', partition=1) containing 4 record(s) expired: 30 seconds", None, "batch_expired", {"topic": "orders"}),
        ("Heartbeat failed for group orders because it is rebalancing", OF_AIO, "heartbeat_failed", {"group_id": "orders"}),
        ("Heartbeat session expired - marking coordinator dead", OF_AIO, "session_expired", {}),
        ("Setting newly assigned partitions {TopicPartition(topic='orders', partition=3)} for group orders", OF_AIO, "partitions_assigned", {"topic": "orders", "partition": 3}),
        ("[sarama] 2026/01/02 03:04:05 Failed to connect to broker a:9092: dial tcp 10.0.0.1:9092: i/o timeout", None, "connect_failed", {"client_library": "sarama"}),
        ("consume: kafka: error while consuming orders/7: read tcp 10.0.0.1:4->10.0.0.2:9092: i/o timeout", None, "request_timeout", {"topic": "orders", "partition": 7}),
        ("[Connection] Request Produce(key: 0, version: 7) timed out", "kafkajs", "request_timeout", {"api": "Produce", "client_library": "kafkajs"}),
        ("Group orders lost membership; forcibly revoking {TopicPartition(topic='orders', partition=3)}", COORDINATOR, "partitions_lost", {"group_id": "orders", "partition": 3}),
        ("<KafkaProducer client_id=pay>: Got error produce response on topic-partition TopicPartition(topic='orders', partition=3), retrying (2 attempts left). Error: NotLeaderForPartitionError", "kafka.producer.sender", "produce_retry", {"topic": "orders", "attempts_left": 2}),
        ('Unable to request metadata from "a:9092": KafkaConnectionError: Connection at a:9092 closed', "aiokafka.client", "connect_failed", {"client_library": "aiokafka"}),
        ("(Re-)joining group orders", None, "join", {"group_id": "orders", "client_library": "kafka-python"}),
        ("kafka.errors.KafkaTimeoutError: Batch for TopicPartition(topic='orders', partition=1) containing 4 record(s) expired: 30 seconds", None, "batch_expired", {"topic": "orders", "partition": 1}),
        ("client/metadata retrying after 250ms... (3 attempts remaining)", None, "backoff", {"attempts_left": 3, "client_library": "sarama"}),
        ("JoinGroup failed: group instance id pay-1 has been fenced", None, "fenced", {"group_instance_id": "pay-1"}),
        ("consumergroup/orders: lost ownership of map[orders:[0]] due to kafka server: x", None, "partitions_lost", {"group_id": "orders"}),
        ('level=ERROR msg="consume" consumer_group=orders provider=kafka err="read tcp 10.0.0.1:4->10.0.0.2:9092: i/o timeout"', None, "request_timeout", {"group_id": "orders", "client_library": "go"}),
        ('{"err":"REBALANCE_IN_PROGRESS: The group is rebalancing, so a rejoin is needed.","group":"orders","level":"info","msg":"heartbeat errored"}', None, "heartbeat_failed", {"group_id": "orders", "message_id": "franz-go-rebalancing"}),
        ('{"@service":"benthos","group":"orders","label":"in","level":"info","msg":"joining group"}', None, "join", {"group_id": "orders", "client_library": "franz-go"}),
        ("[INFO] heartbeat errored; group: orders, err: UNKNOWN_MEMBER_ID: The coordinator is not aware of this member.", None, "heartbeat_failed", {"group_id": "orders", "client_library": "franz-go"}),
        ('{"level":"info","msg":"joined","group":"orders","member_id":"kgo-1","generation":7}', None, "joined", {"group_id": "orders", "member_id": "kgo-1", "generation": 7}),
        ('level=INFO msg="new group session begun" group=orders added="orders[0 1]" lost=""', None, "partitions_assigned", {"group_id": "orders"}),
        ('{"level":"INFO","timestamp":"2026-01-05T10:00:00.125Z","logger":"kafkajs","message":"[Runner] Consumer has joined the group","groupId":"orders","memberId":"pay-1"}', None, "joined", {"client_library": "kafkajs"}),
        ("Joined group orders as member pay-1 in generation 4", None, "joined", {"member_id": "pay-1", "generation": 4, "client_library": "kafka-go"}),
        ("write: [7] Request Timed Out: the request exceeded the user-specified time limit in the request", None, "request_timeout", {"client_library": "kafka-go"}),
        ("failed to dial: failed to open connection to a:9092: dial tcp 10.0.0.1:9092: connect: connection refused", None, "connect_failed", {"client_library": "kafka-go"}),
        ("[Consumer] Crash: KafkaJSNumberOfRetriesExceeded: The coordinator is not aware of this member", "kafkajs", "other_kafka", {"error_class": "KafkaJSNumberOfRetriesExceeded"}),
        ("[Consumer] Restarting the consumer in 10434ms", "kafkajs", "backoff", {"client_library": "kafkajs"}),
        ("KafkaJSConnectionError: Connection error: connect ECONNREFUSED 10.0.0.1:9092", None, "connect_failed", {"client_library": "kafkajs"}),
        ("Mar 17 03:04:05 host7 forwarder: output message a.example.org:9092/bootstrap: Receive failed: Disconnected [v8]", None, "disconnect", {"client_library": "librdkafka"}),
        ("output message 2/2 brokers are down [v8]", None, "other_kafka", {"message_id": "rdkafka-all-brokers-down"}),
        ("kafka-go: no messages received from kafka within the allocated time for partition 1 of orders at offset 5", None, "other_kafka", {"message_id": "kafka-go-no-messages", "topic": "orders"}),
        ('Unable to establish connection to consumer group coordinator for group "orders": [15] Group Coordinator Not Available: the broker', None, "coordinator_lost", {"group_id": "orders"}),
        ("Unable to establish connection to consumer group coordinator for group orders: dial tcp 10.0.0.1:9092: connect: connection refused", None, "connect_failed", {"group_id": "orders"}),
        ('{"logger":"kafkajs","message":"[Connection] Response Heartbeat(key: 12, version: 3)","error":"The group is rebalancing, so a rejoin is needed"}', "kafkajs", "heartbeat_failed", {"message_id": "kafkajs-heartbeat-rebalancing"}),
        ('{"logger":"kafkajs","message":"[Connection] Response Heartbeat(key: 12, version: 3)","error":"The coordinator is not aware of this member"}', "kafkajs", "heartbeat_failed", {"message_id": "kafkajs-heartbeat-failed"}),
        ("Confluent.Kafka.KafkaException: Local: Broker transport failure", None, "other_kafka", {"client_library": "librdkafka"}),
        ("client/coordinator coordinator for consumergroup orders is #3 (a:9092)", None, "coordinator_found", {"group_id": "orders", "node_id": 3}),
        ("Connect attempt to <BrokerConnection node_id=3 host=a:9092 <connecting> [IPv4 ('10.0.0.1', 9092)]> returned error 111. Disconnecting.", "kafka.conn", "connect_failed", {"node_id": 3}),
        ("Node 3 connection failed -- refreshing metadata", "kafka.client", "connect_failed", {"node_id": 3}),
        ("Group member (orders,coor=#PID<0.12.0>,cb=#PID<0.11.0>,generation=7):\nre-joining group, reason::unknown_member_id", None, "heartbeat_failed", {"group_id": "orders", "generation": 7, "client_library": "brod", "benign": None}),
        ("Group member (orders,coor=#PID<0.12.0>,cb=#PID<0.11.0>,generation=7):\nre-joining group, reason::rebalance_in_progress", None, "heartbeat_failed", {"message_id": "brod-rebalancing"}),
        ("group coordinator (groupId=orders,memberId=a@b/<0.2.0>-1,generation=0,pid=#PID<0.3.0>):\nfailed to join group\nreason::GroupCoordinatorNotAvailable", None, "coordinator_lost", {"group_id": "orders", "error_class": "GroupCoordinatorNotAvailable"}),
        ("Group member (orders,coor=#PID<0.12.0>,cb=#PID<0.11.0>,generation=7):\nre-joining group, reason:{:connection_down, {:shutdown, :tcp_closed}}", None, "coordinator_lost", {"group_id": "orders"}),
        ("Group member (orders,coor=#PID<0.12.0>,cb=#PID<0.11.0>,generation=8):\nassignments received:\n  pay:\n    partition=0 begin_offset=4", None, "partitions_assigned", {"group_id": "orders", "generation": 8}),
        ("Group member (orders,coor=#PID<0.12.0>,cb=#PID<0.11.0>,generation=8):\nelected=true", None, "other_kafka", {"message_id": "brod-line"}),
        ("client pay: payload connection down a.example.org:9092\nreason:{:shutdown, :tcp_closed}", None, "disconnect", {"client_library": "brod"}),
        ("client pay failed to connect to a.example.org:9092\nreason:[{{\"a\",9092},econnrefused}]", None, "connect_failed", {"client_library": "brod"}),
        ("re-joining group, reason:illegal_generation", None, "heartbeat_failed", {"client_library": "brod"}),
        ("[[orders] {}:] Error sending heartbeat: Kafka::RebalanceInProgress", None, "heartbeat_failed", {"message_id": "ruby-rebalancing"}),
        ("[[orders] {}:] Error sending heartbeat: Kafka::UnknownMemberId", None, "heartbeat_failed", {"message_id": "ruby-heartbeat-failed", "error_class": "UnknownMemberId"}),
        ("[[orders] {}:] Joined group `orders` with member id `pay-1`", None, "joined", {"group_id": "orders", "member_id": "pay-1", "client_library": "ruby-kafka"}),
        ("Error committing offsets: Kafka::IllegalGeneration", None, "commit_failed", {"error_class": "IllegalGeneration"}),
        ("Failed to send all messages to pay/1, pay/2; attempting retry 1 of 2 after 1s", None, "produce_retry", {"client_library": "ruby-kafka"}),
        ("Failed to send messages to pay/1", None, "other_kafka", {"message_id": "ruby-produce-failed"}),
        ("Failed to find coordinator for group `orders`; retrying...", None, "coordinator_lost", {"group_id": "orders"}),
        ("Consumer thread crashed: Kafka::OffsetCommitError: Kafka::UnknownMemberId", None, "other_kafka", {"error_class": "UnknownMemberId"}),
        ("Marking pay/3:41 as processed", None, "other_kafka", {"topic": "pay", "partition": 3, "client_library": "ruby-kafka"}),
        ("kafka server: The coordinator is not available", None, "coordinator_lost", {"error_class": "COORDINATOR_NOT_AVAILABLE"}),
        ("kafka server: Offset's topic has not yet been created.", None, "other_kafka", {"error_class": "COORDINATOR_NOT_AVAILABLE"}),
        ("Kafka publish failed with: kafka server: Number of partitions is invalid", None, "produce_retry", {"error_class": "INVALID_PARTITIONS", "client_library": "sarama"}),
        ("confluent_kafka: KafkaError{code=_UNKNOWN_TOPIC} for topic=Topic(name='pay')", None, "other_kafka", {"topic": "pay"}),
        ('** (MatchError) no match: {:error, [{{"kafka-7", 9092}, :econnrefused}]}', None, "connect_failed", {"client_library": "brod"}),
        ('{error,[{{"kafka-7",9092},{{kpro_req,#Ref<0.1.2.3>,api_versions,0,false,<<>>},timeout}}]}', None, "request_timeout", {"client_library": "brod"}),
        ('{:error, {{:kpro_req, #Reference<0.1.2.3>, :metadata, 0, false, ""}, :closed}}', None, "disconnect", {"client_library": "brod"}),
        ("** (EXIT) {:client_down, {:orders_client, :noproc}}", None, "other_kafka", {"error_class": "client_down"}),
        ("KafkaError [BrokerNotAvailableError]: Could not find the leader", None, "other_kafka", {"client_library": "kafka-node"}),
        ("[2026/01/05 10:00:00] [error] [out_kafka] cannot configure 'ssl.ca.locatoin' property", None, "other_kafka", {}),
        ("Unhandled exception. Confluent.Kafka.ProduceException`2[Confluent.Kafka.Null,System.String]: Broker: Message size too large", None, "produce_failed", {"error_class": "MESSAGE_TOO_LARGE"}),
        ('KafkaError{code=MSG_SIZE_TOO_LARGE,val=10,str="Message at offset 7 might be too large to fetch"}', None, "other_kafka", {"error_class": "MSG_SIZE_TOO_LARGE"}),
        ("[waterdrop-1f] Error occurred: #<Rdkafka::RdkafkaError: Broker: Not enough in-sync replicas (not_enough_replicas)> - message.produce_sync", None, "produce_failed", {"error_class": "NOT_ENOUGH_REPLICAS"}),
        ("#<Rdkafka::RdkafkaError: Local: Unknown topic (unknown_topic)> (WaterDrop::Errors::ProduceError)", None, "produce_failed", {}),
        ("[app_1] Group orders rebalance: orders-[0,1] assigned", None, "partitions_assigned", {"group_id": "orders"}),
        ("[app_1] Group orders rebalance: No partitions revoked", None, "partitions_revoked", {"group_id": "orders"}),
        ("[ab12] Retrying of OrdersConsumer after 1000 ms on topic orders-0 from offset 41", None, "other_kafka", {"topic": "orders", "partition": 0}),
        ("[3d0f] Polled 3 messages in 12.3ms", None, "other_kafka", {"message_id": "karafka-line"}),
        ("  error=Some(KafkaError (Message production error:\n      MessageSizeTooLarge (Broker: Message size too large)))", None, "produce_failed", {"error_class": "MESSAGE_TOO_LARGE"}),
        ("commit: ConsumerCommit(UnknownMemberId (Broker: Unknown member))", None, "commit_failed", {"error_class": "UNKNOWN_MEMBER_ID"}),
        ("Uncaught RdKafka\\Exception: Broker: Group authorization failed", None, "other_kafka", {"error_class": "GROUP_AUTHORIZATION_FAILED"}),
        ('RdKafka\\Exception: "group.id" must be configured', None, "other_kafka", {}),
        ("rdkafka: [thrd:broker_url]: broker_url: Disconnected (after 660461ms in state UP)", None, "disconnect", {"elapsed_ms": 660461}),
        (line("a:9092/1: Receive failed: Connection reset by peer (after 7ms in state SSL_HANDSHAKE)", 3, "FAIL"), None, "connect_failed", {"elapsed_ms": 7}),
        ('cimpl.KafkaException: KafkaError{code=_UNKNOWN_TOPIC,val=-188,str="Unable to produce message: Local: Unknown topic"}', None, "produce_failed", {"error_class": "_UNKNOWN_TOPIC"}),
        ("{ message: 'broker transport failure', code: -195, errno: -195, origin: 'kafka' }", None, "other_kafka", {}),
        ("librdkafka: FAIL a:9092/bootstrap: Disconnected: connection closed by peer: receive 0 after POLLIN", None, "disconnect", {}),
        ("Kafka (topic=pay): dropping too large message of size 1048626.", None, "produce_failed", {"topic": "pay"}),
        ('{"level":"debug","msg":"wrote Metadata v9","source":"kafka_client","broker":"5","bytes_written":36,"time_to_write":0.1}', None, "other_kafka", {"api": "Metadata", "client_library": "franz-go"}),
        ('{"level":"debug","msg":"connection opened to broker","addr":"a:9092","broker":"5"}', None, "other_kafka", {"client_library": "franz-go"}),
        ("using 'range' balancer to assign group, orders", None, "other_kafka", {"group_id": "orders", "client_library": "kafka-go"}),
        ("stopped partition watcher for group, orders, topic pay", None, "other_kafka", {"group_id": "orders", "topic": "pay"}),
        ('[Nest] 8 - ERROR [Server] ERROR [Consumer] Crash: KafkaJSNumberOfRetriesExceeded: boom {"logger":"kafkajs","groupId":"orders"}', None, "other_kafka", {"details": {"error_message": "boom"}}),
        ("Error sending JoinGroupRequest_v0 to node 3 [[Error 7] RequestTimedOutError] -- marking coordinator dead", None, "request_timeout", {"error_class": "RequestTimedOutError"}),
        ("Error sending OffsetCommitRequest_v2 to node 3 [KafkaConnectionError: socket disconnected]", None, "disconnect", {"client_library": "kafka-python"}),
        ("Failed fetch offsets from 0: [Error 6] NotLeaderForPartitionError: TopicPartition(topic='pay', partition=0)", None, "other_kafka", {"message_id": "python-fetch-failed", "error_class": "NotLeaderForPartitionError"}),
        ("Failed fetch messages from 4: KafkaConnectionError: Connection at a:9092 closed", None, "disconnect", {"node_id": 4}),
        ("Fetch to node 4 failed: Cancelled: <BrokerConnection node_id=4 host=a:9092 <connected> [IPv4 ('10.0.0.1', 9092)]>", None, "other_kafka", {"message_id": "python-normal"}),
        ("Group Coordinator Request failed: [Error 15] GroupCoordinatorNotAvailableError", None, "coordinator_lost", {"error_class": "GroupCoordinatorNotAvailableError"}),
        ("User provided subscription listener <pay.Listener object at 0x7f> for group orders failed on_partitions_revoked", None, "other_kafka", {"message_id": "python-listener-failed", "group_id": "orders"}),
        ("Topic pay not found in cluster metadata", None, "other_kafka", {"message_id": "python-topic-unknown", "topic": "pay"}),
        ("Unexpected error in coordinator routine", None, "other_kafka", {"message_id": "python-loop-failed"}),
        ("<BrokerConnection node_id=1 host=a:9092>: Error receiving 4-byte payload header - closing socket", None, "disconnect", {"message_id": "python-broken-off"}),
        ("Fetch offset 41 is out of range for partition TopicPartition(topic='pay', partition=1), resetting offset", None, "other_kafka", {"message_id": "python-offset-out-of-range", "topic": "pay", "partition": 1}),
        ("<BrokerConnection node_id=1 host=a:9092 <connecting> [IPv4 ('10.0.0.1', 9092)]>: Sending username and password in the clear", None, "other_kafka", {"message_id": "python-normal"}),
        ("Broker version identified as 2.5.0", None, "other_kafka", {"message_id": "python-line"}),
        ("gen_server <0.5.0> terminated with reason: no match of right hand value {error,consumer_down} in brod_group_subscriber:handle_ack/2", None, "other_kafka", {"message_id": "brod-process-ended"}),
        (":brod_client [#PID<0.4.0>] :pay_client is terminating\nreason: [timeout]", None, "other_kafka", {"message_id": "brod-process-ended"}),
        ("client pay: payload socket down a.example.org:9092\nreason:tcp_closed", None, "disconnect", {"client_library": "brod"}),
        ("commit: KafkaError{code=_NO_OFFSET,val=-168,str=\"Commit failed: Local: No offset stored\"}", None, "other_kafka", {"message_id": "rdkafka-nothing-to-commit"}),
        ("#3  0x55e06e397482      in  rd_kafka_q_serve() at src/rdkafka_queue.c:485", None, "other_kafka", {"message_id": "rdkafka-native-frames"}),
        ("Joined group orders as member pay@host1 (github.com/segmentio/kafka-go)-1f0a2b3c-0000-4000-8000-000000000001 in generation 4", None, "joined", {"member_id": "pay@host1 (github.com/segmentio/kafka-go)-1f0a2b3c-0000-4000-8000-000000000001", "generation": 4}),
        ("Failed to sync group orders: [27] Rebalance In Progress: the coordinator has begun rebalancing the group", None, "other_kafka", {"group_id": "orders", "message_id": "kafka-go-sync-rebalancing"}),
        ("client/metadata got error from broker 4 while fetching metadata: read tcp 10.0.0.1:4->10.0.0.2:9092: i/o timeout", None, "request_timeout", {"node_id": 4, "client_library": "sarama"}),
        ("[sarama] Error while performing SASL handshake b1:9093", None, "connect_failed", {"client_library": "sarama"}),
        ("client/metadata got error from broker while fetching metadata: unexpected EOF", None, "disconnect", {"client_library": "sarama"}),
        ("client/metadata got error from broker 4 while fetching metadata: dial tcp 10.0.0.2:9092: i/o timeout", None, "connect_failed", {"node_id": 4}),
        ("producer/broker/4 state change to [closing] because write tcp 10.0.0.1:4->10.0.0.2:9092: i/o timeout", None, "request_timeout", {"node_id": 4}),
        ("producer/broker/4 state change to [closing] because EOF", None, "disconnect", {"node_id": 4}),
        ('time="2026-01-05T10:00:00Z" level=error msg="Can\'t get offset of topic pay partition %!s(int32=3): kafka: broker not connected"', None, "other_kafka", {"topic": "pay", "partition": 3}),
        ("error initializing the kafka reader for partition 1 of pay: [6] Not Leader For Partition: the client attempted to send messages to a replica", None, "other_kafka", {"topic": "pay", "partition": 1}),
        ('ERROR produce error=Message production error: MessageTimedOut (Local: Message timed out) tags.topic="pay-events"', None, "batch_expired", {"topic": "pay-events", "partition": None}),
        ("OffsetCommit failed for group orders due to group error (UnknownMemberIdError - 25 - Returned from group requests), will rejoin", "kafka.coordinator.consumer", "commit_failed", {"group_id": "orders", "error_class": "UnknownMemberIdError"}),
        ("Something new that nobody knows", "aiokafka", "other_kafka", {"client_library": "aiokafka"}),
        ("Auto offset commit failed for group orders: CommitFailedError: Commit cannot be completed since the group has already", None, "commit_failed", {"group_id": "orders", "error_class": "CommitFailedError"}),
        ("Revoking previously assigned partitions set([TopicPartition(topic=u'pay', partition=4)]) for group orders, consumer-_on_join_prepare-268", None, "partitions_revoked", {"group_id": "orders", "topic": "pay", "partition": 4, "client_library": "kafka-python"}),
        ("kafka.errors.CommitFailedError: CommitFailedError: Commit cannot be completed since the group has already rebalanced", None, "commit_failed", {"client_library": "kafka-python", "error_class": "CommitFailedError"}),
        ("polling - CommitFailedError: Commit cannot be completed", None, "commit_failed", {"error_class": "CommitFailedError"}),
        ("KafkaJSRequestTimeoutError: Request ListOffsets(key: 2, version: 3) timed out", None, "request_timeout", {"error_class": "KafkaJSRequestTimeoutError", "api": "ListOffsets"}),
        ("consume: KafkaError{code=_ALL_BROKERS_DOWN,val=-187,str=\"2/2 brokers are down\"}", None, "other_kafka", {"error_class": "_ALL_BROKERS_DOWN"}),
    ],
)  # fmt: skip
def test_what_lines_of_clients_that_are_not_judged_tell(written, logger, kind, said):
    told = event(written, logger)
    assert told.kind == kind
    assert {name: getattr(told, name) for name in said} == said


def test_what_prose_quotes_is_nobody_s_line():
    assert events("Followed by `KafkaError{code=_MSG_TIMED_OUT,..}` for what was queued", None) == []


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
