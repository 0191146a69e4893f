# ruff: noqa: E501  # a line of a log is a line
"""What the first sentence of an answer names: the address, the loss, the error that count."""

import pytest

from tests.answered import answered
from tests.story import told
from transforms.diagnose.causes.benign import why_normal
from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.unexplained.raw_scan import scan

ASKS = "2026-01-05T10:00:00.000Z\tINFO\tkafka/log.go:53\tclient/metadata fetching metadata for [orders] from broker {}"
BREAKS = "2026-01-05T10:00:00.400Z\tINFO\tkafka/log.go:53\tclient/metadata got error from broker -1 while fetching metadata: {}"


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        ([ASKS.format("b1:9092"), BREAKS.format("EOF")], "(b1:9092)"),
        (
            [ASKS.format("b1:9092"), ASKS.format("b1:9092"), BREAKS.format("dial tcp: i/o timeout")],
            "(b1:9092)",
        ),
        pytest.param(
            [ASKS.format("b1:9092"), ASKS.format("b2:9092"), BREAKS.format("EOF")], None, id="either"
        ),
        pytest.param([BREAKS.format("EOF")], None, id="not said"),
    ],
)
def test_sarama_s_failure_is_of_the_address_that_it_asked(lines, address):
    (found,) = told("\n".join(lines))
    assert (address or "a bootstrap address ") in f"{found.title} ".lower()
    assert ("9092" in found.title) == bool(address)


def test_a_request_that_timed_out_is_no_record_that_expired():
    said = "10:00:01,034 ERROR Kafka error: Local_MsgTimedOut{}"
    (request,) = told(
        said.format(": b1.acme.io:9092/1: 1 request(s) timed out: disconnect (average rtt 7.5ms)")
    )
    assert (request.kind, request.impact) == ("request_timed_out", "delayed")
    assert "broker 1 (b1.acme.io:9092)" in request.title.lower()
    (record,) = told(said.format(""))
    assert record.impact == "lost"


def test_what_a_producer_gave_up_goes_before_what_it_tried_again():
    lines = [
        "2026-01-05 10:00:00 +0000 [error]: #0 Timed out while writing to pay/2 on 10.0.0.5:9092 (node_id=11)",
        "2026-01-05 10:00:00 +0000 [error]: #0 Failed to send all messages; keeping remaining messages in buffer",
    ]
    (found,) = told("\n".join(lines))
    assert found.kind == "produce_kept"
    assert "With it came: a batch of it for pay-2 had to be sent again." in found.cause


def test_the_inner_exception_of_net_is_told():
    said = """[10:00:10 INF] Retrying 00:00:06: ReceiveTransport faulted: orders
MassTransit.KafkaConnectionException: ReceiveTransport faulted: orders
 ---> System.InvalidOperationException: Neither lost nor found
   at Confluent.Kafka.Consumer`2.Consume(Int32 millisecondsTimeout)
"""
    ((worded,), _) = told_by_words(scan("app.log", [said.encode()]).speaking, [])
    assert "Neither lost nor found" in worded.incident.title


HEARTBEAT = '{"time":"2026-01-05T10:00:00.5Z","level":"info","message":"heartbeat errored","group":"orders","err":{"Key":"error","Value":{}}}'
JOINS = '{"time":"2026-01-05T10:00:00.6Z","level":"info","message":"joining group","group":"orders"}'
ERRED = '{"time":"2026-01-05T10:00:00.6Z","level":"error","message":"join and sync loop errored","group":"orders","err":{}}'


@pytest.mark.parametrize(
    ("lines", "is_trouble"),
    [([HEARTBEAT], True), ([HEARTBEAT, JOINS], False), ([HEARTBEAT, ERRED, JOINS], True)],
)
def test_a_heartbeat_whose_error_has_no_text_was_a_rebalance_where_the_member_joins_at_once(
    lines, is_trouble
):
    found = told("\n".join(lines))
    assert any(one.verdict != "benign" for one in found) == is_trouble


def test_a_partition_that_is_not_assigned_costs_no_records():
    said = "thread 'main' panicked at 'called `Result::unwrap()`: KafkaError ({}: Local: Unknown partition)', src/main.rs:7:18"
    (seek,) = told(said.format("Seek error"))
    assert (seek.kind, seek.impact) == ("partition_not_assigned", "unknown")
    (send,) = told(said.format("Message production error"))
    assert send.kind == "partition_missing"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (
            "[Consumer] Crash: KafkaJSNonRetriableError: Specified group generation id is not valid",
            "generation_over",
        ),
        ("KafkaJSNonRetriableError: commit: Specified group generation id is not valid", "commit_refused"),
    ],
)
def test_only_what_speaks_of_a_commit_is_one(said, kind):
    (found,) = told(said)
    assert found.kind == kind


def test_each_address_is_told_with_what_it_did():
    said = '{{"level":"ERROR","timestamp":"2026-01-05T10:00:00.0Z","logger":"kafkajs","message":"[Connection] Connection error: {}","broker":"{}","clientId":"c"}}'
    lines = [
        said.format("socket hang up", "b1:9092"),
        said.format("connect ETIMEDOUT 10.0.0.5:9092", "b2:9092"),
    ]
    (found,) = told("\n".join(lines))
    assert found.title == "c could not connect to b2:9092: nothing answered"
    assert 'it could not make its connection to b1:9092: "socket hang up"' in found.cause


def test_a_reason_that_is_told_is_not_said_to_lack():
    (found,) = told(
        "2026-01-05T10:00:00.9Z ERROR sink{component_type=kafka}: vector::stream: Service call failed. error=KafkaError (Message production error: Fatal (Local: Fatal error))"
    )
    assert found.cause.startswith("librdkafka raised a fatal error")


@pytest.mark.parametrize("head", ["", "[2026-01-05 10:00:00,000] INFO "])
def test_in_sync_replicas_that_shrink_are_told_without_a_logger(head):
    (found,) = told(f"{head}Shrinking ISR from 1,2,0 to 0. Leader: (highWatermark: 0, endOffset: 20).")
    assert found.kind == "isr_shrunk"
    assert not told(f"{head}Shrinking ISRAEL from 1 to 0")


def test_what_is_normal_is_not_said_to_be_so_twice():
    (found,) = told(
        "[2026-01-05 10:00:00,000] WARN The AdminClient thread has exited. (org.apache.kafka.clients.admin.KafkaAdminClient)"
    )
    assert why_normal(found).startswith("The AdminClient thread has exited: ")
    found.title += " and so on ..."
    assert "and so on ...: Clients" in why_normal(found)


def test_what_did_not_come_is_not_normal_for_what_is_said_as_its_client_closes():
    failed = "[2026-01-05 10:00:{}] INFO [AdminClient clientId=a-1] Metadata update failed (org.apache.kafka.clients.admin.internals.AdminMetadataManager)\norg.apache.kafka.common.errors.TimeoutException: {} Call: fetchMetadata"
    lines = [
        failed.format("07,061", "Timed out waiting for a node assignment."),
        failed.format("17,061", "The AdminClient thread has exited."),
    ]
    found, closed = told("\n".join(lines))
    assert (found.verdict, "found no broker" in found.title) == ("as_designed", True)
    assert closed.verdict == "benign"


def test_what_carries_a_timeout_is_not_the_error():
    (found,) = told(
        "org.acme.ServletError: Request failed; nested exception is java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment."
    )
    assert "ServletError." not in found.cause.replace("org.acme.ServletError", "")


def test_a_record_that_can_t_be_read_is_named():
    (found,) = told(
        'Exception in thread "app-StreamThread-7" org.apache.kafka.streams.errors.StreamsException: Failed to deserialize value for record. topic=pay, partition=3, offset=41\n\tat org.acme.App.run(App.java:1)'
    )
    assert "a record of pay-3 at offset 41" in found.title


def test_a_coordinator_that_was_never_found_is_not_lost():
    (found,) = told(
        "2026-01-05T10:00:00Z D! [sarama] client/coordinator coordinator for consumer group orders is not available"
    )
    assert found.title == "A sarama client finds no coordinator for group orders"


@pytest.mark.parametrize(
    ("text", "kind", "words", "not_said"),
    [
        pytest.param(
            "Caused by: org.apache.kafka.streams.errors.StreamsException: A serializer (key: org.apache.kafka.common.serialization.StringSerializer / value: org.apache.kafka.common.serialization.StringSerializer) is not compatible to the actual key or value type (key type: java.lang.Long / value type: [B). Change the default Serdes in StreamConfig or provide correct Serdes via method parameters.",
            "serde_mismatch", ["(key java.lang.Long, value [B). Do: "], [], id="the types, and no text twice",
        ),
        pytest.param(
            "Caused by: java.lang.ClassCastException: com.acme.Order cannot be cast to java.lang.String\n\tat org.apache.kafka.common.serialization.StringSerializer.serialize(StringSerializer.java:28)\n\tat org.apache.kafka.streams.processor.internals.SinkNode.process(SinkNode.java:89)",
            "serialization_failed", ["can't write a record", "given a com.acme.Order, and makes bytes of java.lang.String alone"], ["bytes of a record"], id="a serializer that Streams calls",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR [Worker clientId=connect-1, groupId=c] Failed to reconfigure connector's tasks, retrying after backoff: (org.apache.kafka.connect.runtime.distributed.DistributedHerder)\norg.apache.kafka.common.config.ConfigException: Could not read properties from file /opt/secrets/db.properties",
            "connect_tasks_not_made", ["settings name /opt/secrets/db.properties"], ["MirrorMaker", "groups"], id="a file that a connector's settings name",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR [SharedServer id=3] Got exception while starting SharedServer (kafka.server.SharedServer)\njava.io.IOException: Could not read file /data/__cluster_metadata-0/00000000000000000123-0000000004.checkpoint",
            "broker_ended", ["3 did not start", "Look at /data/__cluster_metadata-0/00000000000000000123-0000000004.checkpoint"], [], id="a snapshot of the metadata that can't be read",
        ),
        pytest.param(
            "%3|1700000000.125|FAIL|rdkafka#consumer-1| [thrd:localhost:9092/bootstrap]: localhost:9092/bootstrap: Connect to ipv6#[::1]:9092 failed: Connection refused",
            "connect_failed", ["[::1] is that by IPv6"], [], id="localhost by IPv6",
        ),
        pytest.param(
            "DEBUG 2026-01-05 10:00:00,520 conn 7 <BrokerConnection node_id=1 host=kafka1 port=9092> Response 2 (3.2 ms): MetadataResponse_v1(brokers=[(node_id=1, host='kafka1', port=9092, rack=None)], controller_id=1, topics=[(error_code=17, topic=\"['orders']\", is_internal=False, partitions=[])])\n"
            "kafka.errors.KafkaTimeoutError: KafkaTimeoutError: Failed to update metadata after 60.0 secs.",
            "topic_name_invalid", ["not valid: ['orders']"], [], id="a list for a name, as kafka-python's DEBUG has the answer",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR Failed to start KSQL (io.confluent.ksql.rest.server.KsqlServerMain)\nio.confluent.ksql.exception.KafkaResponseGetFailedException: Failed to guarantee existence of topic ksql_log\nCaused by: org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [Topic authorization failed.]",
            "not_authorized", ["no right to topic ksql_log"], [], id="the topic that the outer exception names",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] WARN Failed to resolve address: zk-1.zk-headless (org.apache.zookeeper.server.quorum.QuorumPeer)\njava.net.UnknownHostException: zk-1.zk-headless: Name or service not known\n\tat java.net.InetAddress.getByName(InetAddress.java:1077)\n\tat org.apache.zookeeper.server.quorum.QuorumPeer.connectOne(QuorumPeer.java:591)",
            "zookeeper_peer_unresolved", ["zk-1.zk-headless"], ["bootstrap.servers", "2. "], id="ZooKeeper's own names, and a trace told once",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 [myid:] - WARN  [main:QuorumPeer$QuorumServer@155] - Failed to resolve address: zkb\njava.net.UnknownHostException: zkb: Nome desconhecido\n\tat java.net.Inet6AddressImpl.lookupAllHostAddr(Native Method)",
            "zookeeper_peer_unresolved", ["zkb"], ["bootstrap.servers", "2. "], id="ZooKeeper's own names, whose place stands in the head",
        ),
        pytest.param(
            "[2026-01-05 10:00:24,149] WARN Client session timed out, have not heard from server in 57242ms for sessionid 0x1009 (org.apache.zookeeper.ClientCnxn)\n[2026-01-05 10:00:24,087] WARN Client session timed out, have not heard from server in 57242ms for sessionid 0x1007 (org.apache.zookeeper.ClientCnxn)",
            "zookeeper_unheard", ["10:00:24,087 to 2026-01-05 10:00:24,149"], [], id="times of two processes in one log",
        ),
        pytest.param(
            "With another `log dir` the broker got further, then it failed with:\n\n```\n[2026-01-05 10:00:00,000] WARN [AdminClient clientId=a] Connection to node 1 (kafka/10.0.0.4:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n```",
            "connect_failed", [], ["disk"], id="what introduces a log is no line of it",
        ),
        pytest.param(
            "```\norg.apache.kafka.common.errors.GroupCoordinatorNotAvailableException: The group coordinator is not available.\n```\n\nand on the broker:\n\n```\n[2026-01-05 10:00:00,000] ERROR [KafkaApi-7] Number of alive brokers '2' does not meet the required\nreplication factor '3' for the offsets topic (configured via 'offsets.topic.replication.factor').\nThis error can be ignored if the cluster is starting up and not all brokers are up yet.\n```",
            "replication_factor_too_large", ["a replication factor of 3 with 2 broker"], [], id="the broker's line, broken by hand, is the cause",
        ),
        pytest.param(
            "Then **errors in the broker's log:**\n\n```\n[2026-01-05 10:00:00,000] WARN [AdminClient clientId=a] Connection to node 1 (kafka/10.0.0.4:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n```",
            "connect_failed", [], ["errors in the"], id="nor is it one in bold",
        ),
        pytest.param(
            "kafka-1  | [2026-01-05 10:00:00,000] WARN Client session timed out, have not heard from server in 12003ms for session id 0x10000004 (org.apache.zookeeper.ClientCnxn)\nkafka-1  | [2026-01-05 10:00:00,000] WARN Session 0x10000004 for sever zk/10.0.0.9:2181, Closing socket connection. Attempting reconnect except it is a SessionExpiredException. (org.apache.zookeeper.ClientCnxn)",
            "zookeeper_unheard", ["heard nothing of ZooKeeper", "12003 ms"], ["coordinator", "Not explained"], id="ZooKeeper's session is no member's",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR Controller 0 epoch 3 encountered error while electing leader for partition [orders,9] due to: No other replicas in ISR 0,2 for [orders,9] besides shutting down brokers 0. (state.change.logger)\nkafka.common.StateChangeFailedException: No other replicas in ISR 0,2 for [orders,9] besides shutting down brokers 0",
            "leader_not_handed_over", ["Broker 0 is being shut down", "partition 9 of orders"], ["unclean", "2. "], id="a broker that has nobody to hand over to",
        ),
        pytest.param(
            "TransactionalId pay-1: Invalid transition attempted from state INITIALIZING to state ABORTING_TRANSACTION",
            "transaction_out_of_order", ["pay-1", "INITIALIZING means that it has no producer id"], ["READY"], id="what followed from a producer without its id",
        ),
        pytest.param(
            "2026-01-05 10:00:00 +0000 [warn]: #0 Send exception occurred: Kafka::MessageSizeTooLarge",
            "record_refused_as_too_large", ["A broker refused"], ["all three places"], id="ruby-kafka has no limit of its own",
        ),
        pytest.param(
            "2026/01/05 10:00:00 read tcp 127.0.0.1:57534->127.0.0.1:9092: i/o timeout\n2026/01/05 10:00:00 client/coordinator requesting coordinator for consumergoup orders from localhost:9092",
            "request_timed_out", ["(of sarama Net.ReadTimeout)", "A join is answered only once"], ["request.timeout.ms"], id="the limit by the name that sarama gives it",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR Error while sending a CreateStream request:  (io.confluent.ksql.rest.server.KsqlRestApplication:98)\njava.lang.IllegalStateException: Unexpected failure",
            "ksqldb_erred", ["something failed: Error while sending a CreateStream request. Do"], [], id="what ksqlDB says before what was thrown",
        ),
        pytest.param(
            "WARN  2026-01-05 10:00:00,082 [shard 0:main] cluster - producer_state.cc:347 - [{ id: {producer_identity: id=7, epoch=0}, group: 12 }] error cluster::errc:25 processing request {pid: {producer_identity: id=7, epoch=0}, first_seq: 9, is_transactional: false, record_count: 8, last_seq: 16}, term: 1, reset: false",
            "redpanda_batch_refused", ["(id 7)", "sequence number 9"], ["no client's doing"], id="Redpanda's own words on a producer's batch",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,034] ERROR Processor got uncaught exception. (kafka.network.Processor)\njava.lang.OutOfMemoryError: Cannot reserve 369295617 bytes of direct buffer memory (allocated: 1866930914, limit: 2147483648)",
            "broker_out_of_direct_memory", ["Do: Find who speaks TLS to that listener"], ["ended the process"], id="a broker's processor goes on behind what nothing caught",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,986] WARN [Producer clientId=p-1] Connection to node -2 (kafka2/10.0.0.5:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
            "[2026-01-05 10:00:00,995] INFO [Producer clientId=p-1] Cluster ID: MkU3 (org.apache.kafka.clients.Metadata)",
            "nothing_wrong", ["Another address of bootstrap.servers may have served"], [], id="one of several addresses suffices",
        ),
        pytest.param(
            '{"level":"ERROR","timestamp":"2026-01-05T10:00:00.457Z","logger":"kafkajs","message":"[Connection] Connection error: getaddrinfo ENOTFOUND [","broker":"[:0","clientId":"app"}',
            "address_malformed", ["an IPv6 address in brackets was given"], ["does not resolve"], id="kafkajs takes no IPv6 address in brackets",
        ),
        pytest.param(
            'Exception in thread "app-StreamThread-1" org.apache.kafka.streams.errors.ProcessorStateException: Error opening store sums:1513036800000 at location \\tmp\\kafka-streams\\app\\0_2\\sums\\sums:1513036800000',
            "state_store_failed", ["Do: Take a newer release of Streams", "holds a colon"], [], id="a file that Windows can't have",
        ),
        pytest.param(
            "level=error msg=\"kafka.(*Writer) failed: [10] Message Size Too Large: the server has a configurable maximum message size\"",
            "record_refused_as_too_large", ["A broker refused"], ["all three places"], id="kafka-go's number is the broker's answer",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] WARN [Producer clientId=pay-1] Got error produce response with correlation id 7 on topic-partition bills-0, retrying (2147483646 attempts left). Error: REQUEST_TIMED_OUT (org.apache.kafka.clients.producer.internals.Sender)\n"
            "[2026-01-05 10:00:06,000] ERROR delivery failed (com.acme.Pay)\norg.apache.kafka.common.errors.TimeoutException: Expiring 3 record(s) for bills-0:6200 ms has passed since batch creation",
            "batches_expired", ["A longer delivery.timeout.ms rides out"], ["A longer request.timeout.ms"], id="a try that timed out is not what let the batch expire",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] WARN [Producer clientId=pay-1] Got error produce response with correlation id 7 on topic-partition bills-0, retrying (4 attempts left). Error: NOT_LEADER_OR_FOLLOWER (org.apache.kafka.clients.producer.internals.Sender)\n"
            "[2026-01-05 10:00:06,000] ERROR delivery failed (com.acme.Pay)\norg.apache.kafka.common.errors.TimeoutException: Expiring 3 record(s) for bills-0:6200 ms has passed since batch creation",
            "batches_expired", ["Do: The application was told, and must send these records again", "Where it stays, "], ["Nothing where it passes"], id="what passes is no comfort to who lost records",
        ),
    ],
)  # fmt: skip
def test_a_fault_is_told_by_what_its_lines_name(text, kind, words, not_said, tmp_path):
    first, said = answered(text, tmp_path)
    assert first == kind
    assert [one for one in words if one not in said] == []
    assert [one for one in not_said if one in said] == []
