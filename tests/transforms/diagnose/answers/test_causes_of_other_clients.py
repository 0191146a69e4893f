# ruff: noqa: E501  # a line of a log is a line
"""Causes in the words of clients that are not Java's, as they and what is built on them print them."""

import pytest

from tests.story import story, told
from tests.transforms.parse.typed import event
from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.unexplained.raw_scan import scan
from transforms.diagnose.unexplained.source_read import ReadRecord, SourceRead
from transforms.diagnose.unexplained.unexplained_lines import unexplained

RDKAFKA = "%3|1700000000.125|{}|rdkafka#producer-1| [thrd:kafka1:9093/bootstrap]: kafka1:9093/bootstrap: {}"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            "Jan  5 10:00:00 host7 rsyslogd: omkafka: kafka error message: -193,'Local: Host resolution failure','kafka1:9092/bootstrap: Failed to resolve 'kafka1:9092': Name or service not known (after 9ms in state CONNECT)'",
            "dns_failed", ["kafka1:9092"], id="an error callback's words, behind librdkafka's name of the error",
        ),
        pytest.param(
            RDKAFKA.format("FAIL", "SASL authentication error: SaslAuthenticateRequest failed: Local: Broker transport failure (after 0ms in state DOWN)"),
            "auth_broken_off", ["kafka1:9093"], id="a connection that broke refused no identity",
        ),
        pytest.param(
            "2026-01-05 10:00:00,443 - kafka.conn - INFO - <BrokerConnection node_id=bootstrap-0 host=b1:9092 <authenticating> [IPv4 ('10.0.0.5', 9092)]>: Closing connection. KafkaConnectionError: <BrokerConnection node_id=bootstrap-0 host=b1:9092 <authenticating> [IPv4 ('10.0.0.5', 9092)]>: Connection reset during recv",
            "auth_broken_off", ["b1:9092"], id="kafka-python says in which state its connection was reset",
        ),
        pytest.param(
            "ERROR:kafka.net.manager:Connection failed: KafkaConnectionError: Handshake failed: [SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol (_ssl.c:1000)",
            "tls_cut_off", ["EOF occurred"], id="TLS that a listener without it cut off",
        ),
        pytest.param(
            "WARNING:kafka.coordinator.assignors.range:No partition metadata for topic pay",
            "topic_not_shared_out", ["none of pay"], id="a topic of which the group's leader knows nothing",
        ),
        pytest.param(
            "2026-01-05T10:00:00.674Z  INFO librdkafka: librdkafka: FAIL [thrd:b1:9093/bootstrap]: b1:9093/bootstrap: Disconnected: connection closed by peer: receive 0 after POLLIN (after 140ms in state APIVERSION_QUERY)",
            "protocol_doubted", ["b1:9093"], id="a port that closes before any answer",
        ),
        pytest.param(
            '{"level":"info","msg":"client/metadata no available broker to send metadata request to","time":"2026-01-05T10:00:00Z"}',
            "no_broker_left", ["no broker left"], id="of no partition in particular",
        ),
        pytest.param(
            "kafka: error while consuming pay/3: kafka: client has run out of available brokers to talk to: EOF",
            "disconnected", ["lost its connection"], id="who consumes had found its brokers before",
        ),
        pytest.param(
            '{"level":"fatal","ts":1700000000.5,"caller":"ingester/main.go:7","msg":"Unable to create consumer","error":"kafka server: Offset\'s topic has not yet been created."}',
            "coordinator_missing", ["__consumer_offsets"], id="sarama's words are the protocol's error",
        ),
        pytest.param(
            "2026-01-05T10:00:00.443Z\tDEBUG\t[kafka]\tkafka/client.go:291\tKafka publish failed with: kafka server: The requested operation is not supported by the message format version.",
            "unsupported", ["UNSUPPORTED_FOR_MESSAGE_FORMAT"], id="what Beats say at DEBUG alone",
        ),
        pytest.param(
            "2026-01-05 10:00:00 +0000 [warn]: #0 Send exception occurred: Failed to send messages to pay/0",
            "produce_kept", ["pay/0", "stays in its buffer"], id="what ruby-kafka gave up for now is not lost",
        ),
        pytest.param(
            "E, [2026-01-05T10:00:00.852361 #4711] ERROR -- : [[orders] {}:] Exception raised when processing pay/3 at offset 41 -- ActiveRecord::StatementInvalid: boom",
            "handler_threw", ["pay", "boom"], id="the application's block of ruby-kafka",
        ),
        pytest.param(
            "10:00:02.387 [info] Group member (orders,coor=#PID<0.7.0>,cb=#PID<0.3.0>,generation=18):\nre-joining group, reason::unknown_member_id",
            "member_unknown", ["brod", "group orders"], id="a member of brod's that its coordinator dropped",
        ),
        pytest.param(
            "10:00:02.387 [info] Group member (orders,coor=#PID<0.7.0>,cb=#PID<0.3.0>,generation=18):\nre-joining group, reason::fenced_instance_id",
            "member_fenced", ["fenced_instance_id", "group orders"], id="a static member of brod's that another one replaced",
        ),
        pytest.param(
            "%7|1700000000.349|FAIL|rdkafka#consumer-1| [thrd:b1:9092/1]: b1:9092/1: Connect to ipv4#10.0.0.5:9092 failed: Host is unreachable (after 3007ms in state CONNECT)",
            "connect_failed", ["10.0.0.5:9092", "Host is unreachable"], id="a host that a router answers for",
        ),
        pytest.param(
            "Failed to connect to broker 10.0.0.5:9092: dial tcp 10.0.0.5:9092: connectex: No connection could be made because the target machine actively refused it.",
            "connect_failed", ["10.0.0.5:9092", "actively refused"], id="a refusal in the words of Windows",
        ),
        pytest.param(
            "[sarama] 2026/01/05 10:00:00 kafka: error while consuming orders/0: kafka: client has run out of available brokers to talk to: 2 errors occurred:\n\t* dial tcp: lookup b2.kafka.svc on 10.0.0.10:53: read udp 10.0.2.7:386->10.0.0.10:53: i/o timeout\n\t* write tcp 10.0.2.7:590->10.0.0.5:9092: write: broken pipe",
            "dns_unanswered", ["b2.kafka.svc", "10.0.0.10:53"], id="errors of several brokers, one a line",
        ),
        pytest.param(
            'time="2026-01-05T10:00:09Z" level=error msg="error listing clusters" err="Get http://localhost:8000/v3/kafka: dial tcp 127.0.0.1:8000: connect: connection refused"',
            "http_service_unreachable", ["http://localhost:8000", "Kafka has no part in it"], id="an API that names Kafka in its path",
        ),
        pytest.param(
            'cimpl.KafkaException: KafkaError{code=_UNKNOWN_PARTITION,val=-190,str="Failed to get watermark offsets: Local: Unknown partition"}',
            "watermarks_unknown", ["nothing is lost"], id="a question about a partition that is not there",
        ),
        pytest.param(
            "10:00:02.387 [error] Consumer pay-0 terminate reason: {:shutdown, :client_down}",
            "consumer_ended", ["brod", "pay"], id="a consumer of brod's that ended",
        ),
        pytest.param(
            "2026-01-05 10:00:00,005 ERROR Failed fetch offsets from 0: [Error 6] NotLeaderForPartitionError: TopicPartition(topic='pay', partition=0)",
            "leader_moved", ["NotLeaderForPartitionError"], id="an error of Python's by its class",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,945: ERROR] User provided subscription listener <pay.Listener object at 0x7f> for group orders failed on_partitions_revoked",
            "rebalance_listener_failed", ["group orders", "on_partitions_revoked"], id="a listener of Python's that threw",
        ),
        pytest.param(
            "10:00:00.664 [error] <0.571.0> gen_server <0.571.0> terminated with reason: no match of right hand value {error,consumer_down} in brod_group_subscriber:handle_ack/2 line 398",
            "consumer_ended", ["brod", "consumer_down"], id="a subscriber of brod's that crashed",
        ),
        pytest.param(
            '2026-01-05T10:00:00.375Z\tinfo\tretry.go:17\tExporting failed. Will retry the request after interval.\t{"name": "kafka", "error": "Failed to deliver 3 messages due to kafka: invalid configuration (Attempt to produce message larger than configured Producer.MaxMessageBytes: 1200000 > 1000000)", "interval": "4.5s"}',
            "record_too_large_retried", ["1200000 bytes", "1000000 bytes", "Producer.MaxMessageBytes"], id="a message over sarama's own limit, at INFO",
        ),
        pytest.param(
            'time="2026-01-05T10:00:00Z" level=warning msg="kafka: Failed to deliver 7 messages. will try again in 250ms. (this attempt took 1.1s)"',
            "produce_put_off", ["7 messages", "250ms"], id="what is tried again is not lost",
        ),
        pytest.param(
            'level=debug msg="could not write" e="WriteError { source: KafkaError (Message production error: MessageSizeTooLarge (Broker: Message size too large)) }"',
            "record_too_large", ["message.max.bytes"], id="what Rust's send() gave the application, printed at DEBUG",
        ),
        pytest.param(
            "2026-01-05T10:00:01.604132Z ERROR source{component_type=kafka}: vector: Failed to read message. error=Message consumption error: MessageSizeTooLarge (Broker: Message size too large)",
            "record_too_large_to_read", ["fetch.message.max.bytes", "receive.message.max.bytes"], id="too large to be read is not too large to be sent",
        ),
        pytest.param(
            RDKAFKA.format("FATAL", "Fatal error: Broker: Broker received an out of order sequence number: ProduceRequest for pay [3] with 9 message(s) failed due to sequence desynchronization with broker 2 (PID{Id:7,Epoch:0}, base seq 4, idemp state change 9ms ago, last partition error NOT_LEADER_FOR_PARTITION (actions Refresh, base seq 1..2, base msgid 1, 9ms ago)"),
            "producer_desynchronized", ["pay-3", "create a new one", "NOT_LEADER_FOR_PARTITION", "enable.idempotence"], id="a fatal error is none of a leader that moved",
        ),
        pytest.param(
            RDKAFKA.format("FAIL", "Failed to verify broker certificate: certificate has expired (after 14ms in state CONNECT)"),
            "certificate_expired", ["kafka1:9093", "renew"], id="an expired certificate",
        ),
        pytest.param(
            'time="2026-01-05T10:00:00Z" level=error msg="Can\'t get current offset of topic pay partition 3: kafka: broker not connected"',
            "connection_not_open", ["sarama", "opened"], id="a connection of sarama's that is not open",
        ),
        pytest.param(
            RDKAFKA.format("INVALID", "Invalid response size 20000512 (0..10000000): increase receive.message.max.bytes: Local: Bad message format"),
            "answer_too_large", ["kafka1:9093", "20000512", "10000000", "receive.message.max.bytes"], id="an answer above the client's limit",
        ),
        pytest.param(
            RDKAFKA.format("FAIL", "Disconnected (after 212ms in state UP)"),
            "disconnected_at_once", ["kafka1:9093", "212 ms", "security.protocol"], id="closed as soon as it was up",
        ),
        pytest.param(
            "ERROR rdkafka::client: librdkafka: Global error: Fatal (Local: Fatal error): Fatal error: Local: Required feature not supported by broker: Idempotent producer not supported by any of the 3 connected broker(s)",
            "idempotence_unsupported", ["Idempotent producer not supported", "enable.idempotence=false"], id="a fatal error whose reason has a remedy of its own",
        ),
        pytest.param(
            "ERROR rdkafka::client: librdkafka: Global error: Fatal (Local: Fatal error): Fatal error: Local: Inconsistent state: the moon is full",
            "client_fatal", ["the moon is full"], id="what a fatal error says",
        ),
        pytest.param(
            "2026-01-05 10:00:00,101 Trying Kafka (attempt 3)...\n2026-01-05 10:00:02,101 Trying Kafka (attempt 4)...\nTraceback (most recent call last):\n  File \"/a.py\", line 3, in f\n    c.list_topics(timeout=1)\ncimpl.KafkaException: KafkaError{code=_TRANSPORT,val=-195,str=\"Failed to get metadata: Local: Broker transport failure\"}",
            "broker_transport_failed", ["A librdkafka client lost"], id="words in parentheses are no thread",
        ),
        pytest.param(
            '{"level":"error","msg":"kafka: error while consuming pay/3: kafka: insufficient data to decode packet, more bytes expected"}',
            "answer_not_understood", ["pay-3"], id="an answer that sarama can't decode",
        ),
        pytest.param(
            "Failed to join group pay: EOF",
            "join_cut_off", ["kafka-go", "group pay", "closed"], id="a connection that ends while the group is joined",
        ),
        pytest.param(
            "2026-01-05 10:00:00,478 - kafka.client - WARNING - Node 3 connection failed -- refreshing metadata",
            "connection_ended", ["broker 3", "of one that stood"], id="Python's words for any connection that ends",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,065] INFO [SocketServer brokerId=0] Failed authentication with 10.0.0.7 (Unexpected Kafka request of type METADATA during SASL handshake.) (org.apache.kafka.common.network.Selector)",
            "sasl_lacking", ["10.0.0.7", "METADATA", "sasl.mechanism"], id="a client without SASL, as its broker tells it",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,065] INFO [SocketServer brokerId=0] Failed authentication with 10.0.0.7 (channelId=10.0.0.1:9092-10.0.0.7:4711-0) (Unexpected Kafka\n    request of type METADATA during SASL handshake.) (org.apache.kafka.common.network.Selector)",
            "sasl_lacking", ["10.0.0.7", "METADATA", "sasl.mechanism"], id="the same, broken behind the channel's name",
        ),
        pytest.param(
            "[WARN] unable to initialize sasl; broker: 1, err: ILLEGAL_SASL_STATE: Request is not valid given the current SASL state.",
            "sasl_not_expected", ["security.protocol"], id="SASL where the listener has none",
        ),
        pytest.param(
            'level=WARN msg="read from broker errored, killing connection after 0 successful responses (is SASL missing?)"',
            "protocol_doubted", ["security.protocol"], id="a closed connection of which the client itself asks whether SASL is missing",
        ),
        pytest.param(
            "2026-01-05T10:00:00Z E! [sarama] client/coordinator coordinator for consumer group metrics is not available",
            "coordinator_missing", ["group metrics"], id="sarama's newer words for a group without a coordinator",
        ),
        pytest.param(
            "2026/01/05 10:00:00 [sarama] rebalance error: EOF", "disconnected", ["EOF"], id="sarama-cluster's rebalance that failed",
        ),
        pytest.param(
            "2026/01/05 10:00:00 could not write messages: kafka write errors (2/5)", "produce_failed_unsaid", ["2 of 5", "WriteErrors"], id="kafka-go's errors without their reasons",
        ),
        pytest.param(
            "%7|1767607200.413|OFFSET|rdkafka#consumer-1| [thrd:main]: pay [4]: offset reset (at offset END) to END: failed to query logical offset: Broker: Unknown topic or partition",
            "topic_missing", ["pay-4"], id="a position that was refused, at DEBUG",
        ),
        pytest.param(
            "Unhandled exception. Confluent.Kafka.ProduceException`2[System.String,System.String]: Local: Message timed out at Confluent.Kafka.Producer`2.ProduceAsync()",
            "batch_expired", ["message.timeout.ms"], id="the backtick of a generic class quotes nothing",
        ),
        pytest.param(
            'KAFKA: error => BrokerNotAvailableError: Could not find the leader', "no_leader", ["kafka-node"], id="kafka-node without a leader",
        ),
        pytest.param(
            '{"level":"ERROR","timestamp":"2026-01-05T10:00:00.757Z","logger":"kafkajs","message":"[Consumer] Crash: KafkaJSProtocolError: The coordinator is not aware of this member","groupId":"orders"}',
            "member_unknown", ["sessionTimeout (session.timeout.ms)", "heartbeat()"], id="kafkajs' own names of settings, and when it sends heartbeats",
        ),
        pytest.param(
            'Traceback (most recent call last):\n  File "/app/kafka/producer/kafka.py", line 9, in send\n    raise Errors.KafkaTimeoutError(\nkafka.errors.KafkaTimeoutError: KafkaTimeoutError: Failed to update metadata after 60.0 secs.',
            "metadata_timed_out", ["max_block_ms (max.block.ms)", "topic is not there"], id="Python's send() without metadata",
        ),
        pytest.param(
            'ERROR:kafka.producer.sender:Uncaught error in kafka producer I/O thread\nTraceback (most recent call last):\n  File "/app/kafka/client_async.py", line 9, in _poll\n    ready = self._selector.select(timeout)\nOverflowError: timeout is too large',
            "client_error", ["timeout is too large"], id="what a traceback of Python's ends with",
        ),
        pytest.param(
            "%7|1767607200.611|BROKERFAIL|rdkafka#consumer-1| [thrd:b:9092/1]: b:9092/1: failed: err: Local: Authentication failure: (errno: Invalid argument)",
            "auth_failed_somewhere", ["kinit", "b:9092"], id="an authentication that failed, said at DEBUG alone",
        ),
        pytest.param(
            "%4|1767607200.346|FAIL|rdkafka#consumer-1| [thrd:b:9092/bootstrap]: b:9092/bootstrap: ApiVersionRequest failed: Local: Timed out: probably due to broker version < 0.10 (see api.version.request configuration) (after 10009ms in state APIVERSION_QUERY)",
            "first_request_unanswered", ["b:9092 took the connection", "10009 ms", "security.protocol"], id="a first request that nobody answered",
        ),
        pytest.param(
            "%7|1767607200.346|BROKERFAIL|rdkafka#producer-3| [thrd:b:9092/7]: b:9092/7: failed: err: Local: Message timed out: (errno: Unknown error)",
            "requests_given_up", ["gave up its connection to broker 7 (b:9092)"], id="a connection that the client itself closed",
        ),
        pytest.param(
            "10:00:32.012 [kafka-producer-network-thread | pay-1] INFO  org.apache.kafka.common.network.Selector - [Producer clientId=pay-1] Failed authentication with k.acme.io/10.0.0.3 ([1]: Too many connects)\n10:00:32.046 [kafka-producer-network-thread | pay-1] ERROR org.apache.kafka.clients.NetworkClient - [Producer clientId=pay-1] Connection to node -1 (k.acme.io/10.0.0.3:9098) failed authentication due to: [1]: Too many connects",
            "connections_too_fast", ["A bootstrap address (k.acme.io/10.0.0.3:9098) took no more"], id="one node under two names",
        ),
        pytest.param(
            '{"level":"ERROR","timestamp":"2026-01-05T10:00:00.484Z","logger":"kafkajs","message":"[Producer] Broker not connected","retryCount":1,"retryTime":142}',
            "retrying", ["142 ms", "Broker not connected"], id="a try of kafkajs that failed",
        ),
        pytest.param(
            "Error querying watermark offsets for partition 3 of orders - Local: Timed out (timed_out)",
            "library_timed_out", ["orders-3", "socket.timeout.ms"], id="a call of librdkafka that timed out",
        ),
        pytest.param(
            "E, [2026-01-05T10:00:00.852361 #4711] ERROR -- : [[orders] {pay: 0, 1}:] Error sending heartbeat: Kafka::UnknownMemberId",
            "member_unknown", ["group orders", "session_timeout"], id="ruby-kafka's tag names the group",
        ),
        pytest.param(
            "%7|1767607951.594|RECV|rate#consumer-1| [thrd:b:9091/5]: b:9091/5: Received JoinGroupResponse (v0, 108 bytes, CorrId 5, rtt 566725.56ms)",
            "join_slow", ["566725 ms", "max.poll.interval.ms"], id="a join that took minutes, at DEBUG",
        ),
        pytest.param(
            "[3] Unknown Topic Or Partition: the request is for a topic or partition that does not exist on this broker",
            "topic_missing", ["kafka-go"], id="words before a colon that are a class's name are no logger",
        ),
        pytest.param(
            "%7|1767607200.209|PROTOERR|rdkafka#consumer-1| [thrd:b:9092/1]: b:9092/1: Protocol parse failure for ApiVersion v3(flex) at 3/6 (rd_kafka_handle_ApiVersion:2126) (incorrect broker.version.fallback?)",
            "answer_not_understood", ["b:9092", "newer release"], id="an answer that could not be read, at DEBUG",
        ),
        pytest.param(
            "%7|1767607200.204|METADATA|pay#producer-1| [thrd:b:9093/bootstrap]: Skipping metadata refresh of 1 topic(s): no usable brokers",
            "no_broker_usable_yet", ["bootstrap.servers", "SSL_HANDSHAKE"], id="no broker that is up, at DEBUG",
        ),
        pytest.param(
            "{:reached_max_retries, :no_leader_connection}", "produce_given_up", ["brod", "advertised.listeners"], id="what brod's producer gives back",
        ),
        pytest.param(
            "warn: Confluent.Kafka.ConsumeException: Broker: Group authorization failed",
            "not_authorized", ["GROUP_AUTHORIZATION_FAILED"], id="the error within an exception that carries it",
        ),
        pytest.param(
            '2026-01-05 10:00:00,353 ERROR delivery failed: KafkaError{code=MSG_SIZE_TOO_LARGE,val=10,str="Broker: Message size too large"}',
            "record_too_large", ["librdkafka", "message.max.bytes (max.request.size)"], id="a record of a client whose batches are not known, with a time",
        ),
        pytest.param(
            "2026-01-05 10:00:00,353 - shop.bus - ERROR - no bus: Unrecognized configs: {'linger': 5}",
            "config_refused", ["kafka-python", "refused: Unrecognized configs: {'linger': 5}"], id="settings that Python's client does not know",
        ),
        pytest.param(
            "Consumer Crash: KafkaJSGroupCoordinatorNotFound: Failed to find group coordinator",
            "coordinator_missing", ["__consumer_offsets", "restarts"], id="a coordinator that is not found",
        ),
        pytest.param(
            "[engine] caught signal (SIGSEGV)\n#3  0x55e06e397482      in  rd_kafka_q_serve() at lib/librdkafka/src/rdkafka_queue.c:485",
            "process_crashed", ["rd_kafka_q_serve"], id="a crash in librdkafka",
        ),
    ],
)  # fmt: skip
def test_the_cause_is_the_one_that_its_client_names(text, kind, words):
    (incident,) = (one for one in told(text) if one.verdict != "benign")
    assert incident.kind == kind
    for word in words:
        assert word in f"{incident.title} {incident.cause} {incident.advice}"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("/opt/app: error while loading shared libraries: librdkafka.so.1: cannot open shared object file: No such file or directory", "library_missing"),
        ("KafkaJSBrokerNotFound: Broker 7 not found in the cached metadata", "said_to_fail"),
    ],
)  # fmt: skip
def test_what_no_family_tells_as_trouble_is_no_all_clear(said, kind):
    read = scan("app.log", [f"{said}\n".encode()])
    record = ReadRecord("app.log", 1, 1, None, None, "", said)
    told_of = event(said, None, level=None)
    left = unexplained([SourceRead("app.log", read, "", 1)], {told_of.record_id: record}, [told_of], set())
    assert [line.text for line in left] == [said]
    (worded,), _ = told_by_words(left, [])
    assert worded.incident.kind == kind


@pytest.mark.parametrize("facility", ["LEADERUA", "BROKERUA"])
def test_a_batch_refused_at_debug_is_trouble_under_either_name(facility):
    word = "leader" if facility == "LEADERUA" else "broker"
    said = f"orders [7]: {word} unavailable: produce: Broker: Unknown topic or partition"
    (incident,) = told(f"%7|1767607200.489|{facility}|rdkafka#producer-4| [thrd:kafka1:9092/1]: {said}")
    assert incident.kind == "topic_missing"
    assert "orders-7" in incident.title


def test_a_shipper_s_padded_level_is_read_and_what_it_keeps_is_not_lost():
    said = (
        "[2026/01/05 10:00:00] [ warn] [output:kafka:kafka.3] internal queue is full, retrying in one second"
    )
    (worded,), _ = told_by_words(scan("flb.log", [f"{said}\n".encode()]).speaking, [])
    assert (worded.incident.kind, worded.incident.impact) == ("queue_full_kept", "delayed")
    assert "kafka.3" in worded.incident.title
    assert "queue.buffering.max.messages" in worded.incident.advice


def test_a_member_of_kafkajs_is_its_client():
    lines = (
        '{"level":"ERROR","timestamp":"2026-01-05T10:00:00.740Z","logger":"kafkajs","message":"[Connection] Response GroupCoordinator(key: 10, version: 2)","broker":"b:9093","clientId":"pay","error":"The group coordinator is not available","correlationId":0,"size":55}',
        '{"level":"INFO","timestamp":"2026-01-05T10:00:01.075Z","logger":"kafkajs","message":"[ConsumerGroup] Consumer has joined the group","groupId":"g","memberId":"pay-48a24287-cc14-4e7d-8550-e3a2a044f71f","isLeader":true,"duration":363}',
    )
    (found,) = told("\n".join(lines))
    assert (found.kind, found.verdict) == ("coordinator_missing", "benign")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("[error] buffered messages send to kafka err: MessageSizeTooLarge, retryable: false, topic: orders", "record_too_large"),
        ("kafka: unable to check topic existence: ILLEGAL_SASL_STATE: Request is not valid given the current SASL state.", "sasl_out_of_turn"),
        ("[telemetry.Kafka] error: Broker not available", "broker_not_available"),
        ("** (RuntimeError) cannot fetch records from Kafka (topic=orders partition=6 offset=0). Reason: :unknown_server_error", "broker_erred"),
        ("omkafka: error creating kafka handle: Failed to create thread: (null) (0)", "client_not_made"),
        ('`{"_l":"ERR", "_m":"Failed delivering kafka messages", "err":"Local: Message timed out"}', "batch_expired"),
        ("Error: Fetch from kafka broker 1 failed at offset 113 (leader epoch -1): Err-103?", "topic_made_anew"),
        ('{"level":"error","component":"kafka","msg":"commit failed","err":"rebalance in progress"}', "commit_in_rebalance"),
        ('level=ERROR msg="kafka producer" topic=pay err="not enough replicas"', "not_enough_replicas"),
        ("ERROR pay - kafka fetch failed: request timeout after 30000ms (broker 3)", "request_timed_out"),
        ("ERROR pay - Kafka connection to b1:9092 closed unexpectedly", "disconnected"),
        ("ERROR pay - Kafka connection to b1:9092 timed out after 5000 ms", "connect_timed_out"),
        ("NetworkError: Connection to b1:9092 failed.\n  code: 'PLT_KFK_NETWORK',", "connection_not_made"),
    ],
)  # fmt: skip
def test_an_error_is_known_by_a_client_s_own_name_of_it_and_by_its_number(said, kind):
    (worded,), _ = told_by_words(scan("app.log", [f"{said}\n".encode()]).speaking, [])
    assert worded.incident.kind == kind


def test_a_heartbeat_of_franz_go_whose_error_was_left_out_is_most_often_a_rebalance():
    said = '{{"level":"info","ts":1767607200.4,"msg":"heartbeat errored","group":"orders"{}}}'
    assert {one.verdict for one in told(said.format(""))} <= {"benign"}
    (failed,) = told(said.format(',"err":"UNKNOWN_MEMBER_ID: The coordinator is not aware of this member."'))
    assert failed.verdict == "as_designed"


@pytest.mark.parametrize(
    "said",
    [
        "2026.01.05 10:00:00.734720 [ 254 ] {} <Trace> StorageKafka (flows): Polled batch of 65505 messages. Offsets position: [ flows[0:655050] ]",
        "2026-01-05T10:00:00.501Z\tINFO\t[publisher]\tpipeline/output.go:151\tConnection to kafka(b-2:9094,b-1:9094) established",
        "[2026-01-05 10:00:00,413] [510] [INFO] [^--Producer]: Starting... ",
        "2026-01-05 10:00:00.166 DEBUG conn - _handle_frame: <AIOKafkaConnection host=10.0.0.1 port=9092> Response 184: HeartbeatResponse_v1(throttle_time_ms=0, error_code=0)",
        "pay | type: 'consumer.network.request',",
        "%7|1767607200.594|RECV|rate#consumer-1| [thrd:b:9091/5]: b:9091/5: Received JoinGroupResponse (v0, 108 bytes, CorrId 5, rtt 3012.56ms)",
        '{"level":"debug","ts":1767607200.4,"msg":"connection initialized successfully","source":"kafka_client","addr":"b:9094","id":-2147483648}',
    ],
)  # fmt: skip
def test_a_quiet_line_of_what_stands_on_a_client_is_read(said):
    found = story(said)
    assert [one.message_id != "unrecognized" for one in found.events] == [True]
    assert not found.incidents


def test_the_message_of_an_error_of_node_s_is_told_and_no_frame():
    lines = (
        "TimeoutError: Request timed out after 30000ms",
        "    at new TimeoutError (/app/node_modules/kafka-node/lib/errors/TimeoutError.js:6:9)",
        "    at Timeout.setTimeout (/app/node_modules/kafka-node/lib/kafkaClient.js:385:14)",
    )
    found = scan("app.log", ["\n".join(lines).encode()]).speaking
    assert [one.text for one in found] == [lines[0]]


def test_what_librdkafka_ends_a_line_with_is_no_thread():
    said = "% ERROR: Local: Authentication failure: sasl_plaintext://b:9092/bootstrap: Failed to initialize SASL authentication: generic failure (after 0ms in state AUTH_REQ)"
    (found,) = told(said)
    assert "in state" not in found.title


def test_a_number_before_a_bar_is_a_level_and_no_container():
    said = "{}|2026-01-05 10:00:00.404|rdkafka#producer-1|{}| [thrd:b:9092/1]: b:9092/1: {}"
    lines = (
        said.format(7, "REQTMOUT", "Timed out 1+1+11 requests"),
        said.format(3, "FAIL", "12 request(s) timed out: disconnect"),
    )
    assert len({one.unit_id for one in story("\n".join(lines)).events}) == 1


def test_a_member_of_librdkafka_s_that_learns_of_a_rebalance_is_normal():
    said = 'kafka: Group "g1" heartbeat error response in state up (join state assigned): Broker: Group rebalance in progress'
    assert told_by_words(scan("app.log", [f"{said}\n".encode()]).speaking, []) == ([], [])


def test_a_facility_whose_head_was_cut_is_no_container():
    said = "{}|rdkafka#producer-2| [thrd:b:9092/2]: b:9092/2: {}"
    lines = (
        said.format(
            "REQTMOUT", "Timed out 1 in-flight, 0 retry-queued, 0 out-queue, 0 partially-sent requests"
        ),
        said.format("FAIL", "1 request(s) timed out: disconnect (after 7063ms in state UP)"),
    )
    assert len({one.unit_id for one in story("\n".join(lines)).events}) == 1


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            "2026-01-05T10:00:00Z Error writing to output [Kafka]: Failed to send kafka message: write tcp 10.0.0.1:4->10.0.0.2:9092: i/o timeout",
            "write_timed_out", ["10.0.0.2:9092", "Net.WriteTimeout"], id="what was written is not taken",
        ),
        pytest.param(
            "2026.01.05 10:00:00.252765 [ 77 ] {} <Warning> StorageKafka (pay_queue): Can't get assignment. Will keep trying.",
            "assignment_missing", ["pay_queue", "kafka_num_consumers"], id="a table of ClickHouse without a partition",
        ),
        pytest.param(
            "2026-01-05 10:00:00 [1] [ERROR] faust.transport.drivers.aiokafka [^----AIOKafkaConsumerThread]: Has not committed TP(topic='pay', partition=7) at all since worker start (started 6.1 minutes ago).",
            "stream_not_advancing", ["pay-7", "6.1 minutes"], id="Faust's watch over commits",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,201] [9] [ERROR] [^---AIOKafkaConsumerThread]: Got exception: IllegalStateError: Partition TopicPartition(topic='pay', partition=4) is not assigned",
            "not_assigned", ["pay"], id="a commit of what was taken away, of Python's",
        ),
        pytest.param(
            'time="2026-01-05T10:00:00Z" level=error msg="Too many failed attempts at processing Kafka message: pay-created/0/9 [key=]. Error: context canceled."',
            "record_given_up", ["pay-created/0/9"], id="what Dapr gave up",
        ),
        pytest.param(
            '2026-01-05T10:00:00.448Z\terror\tkafkareceiver@v0.70.0/kafka_receiver.go:444\tfailed to unmarshal message\t{"kind": "receiver", "name": "kafka", "error": "unmarshal: bad id"}',
            "deserialization_failed", ["bad id"], id="a record that a receiver can't decode",
        ),
        pytest.param(
            "ERRO[0349] Can't get current offset of topic pay partition 1: EOF  source=\"kafka_exporter.go:7\"",
            "disconnected", ["closed the connection"], id="what Go calls a connection that the other side closed",
        ),
    ],
)  # fmt: skip
def test_what_is_built_on_a_client_is_understood_by_its_words(text, kind, words):
    (worded,), _ = told_by_words(scan("app.log", [f"{text}\n".encode()]).speaking, [])
    assert worded.incident.kind == kind
    assert [word for word in words if word not in f"{worded.incident.title} {worded.incident.cause}"] == []


def test_an_error_of_vector_s_sink_is_no_record_that_its_handler_gave_up():
    said = '2026-01-05T10:00:00.7Z ERROR sink{component_type=kafka}: Events dropped reason="Service call failed. No retries or retries exhausted."'
    (worded,), _ = told_by_words(scan("app.log", [f"{said}\n".encode()]).speaking, [])
    assert worded.incident.kind != "record_given_up"


def test_only_a_text_with_advice_is_told_to_be_fixed():
    said = '{"logger":"kafkajs","message":"[Connection] Response Heartbeat(key: 12, version: 3)","error":"The coordinator is not aware of this member"}'
    (incident,) = told(said)
    assert "fixed text" not in incident.cause


def test_a_heartbeat_of_librdkafka_s_by_its_code_is_normal_where_the_group_rebalances():
    said = (
        RDKAFKA.format("HEARTBEAT", "{}").partition("kafka1:9093/bootstrap: ")[0] + "Heartbeat failed: {}: {}"
    )
    (event,) = story(said.format("REBALANCE_IN_PROGRESS", "group is rebalancing")).events
    assert (event.kind, event.error_class) == ("heartbeat_failed", "REBALANCE_IN_PROGRESS")
    assert {one.verdict for one in told(said.format("REBALANCE_IN_PROGRESS", "group is rebalancing"))} <= {
        "benign",
        "as_designed",
    }
    (gone,) = told(said.format("UNKNOWN_MEMBER_ID", "resetting member-id"))
    assert gone.kind == "member_unknown"


def test_a_log_that_log4j_does_not_print_is_no_trouble():
    said = b"log4j:WARN No appenders could be found for logger (org.apache.kafka.clients.producer.ProducerConfig).\n"
    assert told_by_words(scan("app.log", [said]).speaking, []) == ([], [])
