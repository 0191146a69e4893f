# ruff: noqa: E501  # a log line stays one line
"""What servers say that wait for ZooKeeper, for each other or for themselves, and what passes by itself."""

import pytest

from tests.answered import answered
from transforms.parse.lines.timestamps import Clock

AT = "[2026-01-05 10:00:00,000]"
AHEAD = "[2026-01-05 10:0{}:00,000] INFO Refusing session request for client /10.0.0.7:40{}12 as it has seen zxid 0x71 our last zxid is 0x1a client must try another server (org.apache.zookeeper.server.ZooKeeperServer)"
ACCEPTED = "[2026-01-05 10:00:05,000] INFO Established session 0x10000f48693000{} with negotiated timeout 18000 for client /10.0.0.7:40100 (org.apache.zookeeper.server.ZooKeeperServer)"
UNREACHED = "[2026-01-05 10:00:{:02},000] WARN Session 0x0 for server zk1/10.0.0.9:2181, Closing socket connection. Attempting reconnect except it is a SessionExpiredException. (org.apache.zookeeper.ClientCnxn)\njava.net.ConnectException: Connection refused\n\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)"
ITSELF = "[2026-01-05 10:{},254] WARN [RequestSendThread controllerId=7] Controller 7's connection to broker b7:9092 (id: 7 rack: null) was unsuccessful (kafka.controller.RequestSendThread)\njava.io.IOException: Connection to b7:9092 (id: 7 rack: null) failed."
GOES_ON = "[2026-01-05 10:59:59,000] INFO [Controller id=7] Processing automatic preferred replica leader election (kafka.controller.KafkaController)"
GONE = "[2026-01-05 10:00:00,{}] INFO [Controller id=7, targetBrokerId=7] Node 7 disconnected. (org.apache.kafka.clients.NetworkClient)\n[2026-01-05 10:00:00,{}] WARN [Controller id=7, targetBrokerId=7] Connection to node 7 (b7/10.0.0.7:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)"
NOT_HOSTED = "[2026-01-05 10:00:0{},930] ERROR [ReplicaFetcher replicaId=7, leaderId=8, fetcherId=0] Error for partition pay-{} at offset 0 (kafka.server.ReplicaFetcherThread)\norg.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server does not host this topic-partition."
FETCHES = "[2026-01-05 10:01:00,000] INFO [Log partition=pay-1, dir=/data] Truncating to 0 has no effect as the largest offset in the log is -1 (kafka.log.Log)"
DEAD = "[2026-01-05 10:00:00,{}] INFO Marking the coordinator b7:9092 (id: 2147483640 rack: null) dead for group pay (org.apache.kafka.clients.consumer.internals.AbstractCoordinator)"
FOUND = "[2026-01-05 10:00:{}] INFO Discovered coordinator b7:9092 (id: 2147483640 rack: null) for group pay. (org.apache.kafka.clients.consumer.internals.AbstractCoordinator)"
LATER = (
    "[2026-01-05 10:04:00,000] INFO Kafka version : 0.10.2.1 (org.apache.kafka.common.utils.AppInfoParser)"
)


@pytest.mark.parametrize(
    ("lines", "kind", "words", "unsaid"),
    [
        pytest.param(
            [AHEAD.format(at, at) for at in range(5)],
            "zookeeper_refuses_ahead", ["(0x71, its last is 0x1a) (5 times)", "dataDir"], "nothing wrong", id="a ZooKeeper that lost its data, at INFO",
        ),
        pytest.param(
            [*(AHEAD.format(0, at) for at in range(5)), *(UNREACHED.format(at) for at in range(1, 8))],
            "zookeeper_unreached", ["was not reached (7 times)", "(0x71, its last is 0x1a) (5 times)"], "nothing wrong", id="and one that is not reached besides",
        ),
        pytest.param(
            [AHEAD.format(0, 0), ACCEPTED.format(1)],
            "not_judged", [], "refuses its clients", id="one of an ensemble that was behind for a moment",
        ),
        pytest.param(
            [f"{AT} ERROR Unexpected exception, exiting abnormally (org.apache.zookeeper.server.ZooKeeperServerMain)\njava.io.EOFException\n\tat java.base/java.io.DataInputStream.readInt(DataInputStream.java:392)\n\tat org.apache.zookeeper.server.persistence.FileHeader.deserialize(FileHeader.java:64)"],
            "zookeeper_ended", ["A ZooKeeper server did not start, or ended: EOFException", "ends too soon"], "connection to a broker", id="a file that ends too soon is no connection",
        ),
        pytest.param(
            [f"{AT} ERROR Unexpected exception, exiting abnormally (org.apache.zookeeper.server.ZooKeeperServerMain)\njava.net.BindException: Die Adresse wird bereits verwendet\n\tat java.base/sun.nio.ch.Net.bind0(Native Method)"],
            "port_taken", ["Die Adresse wird bereits verwendet"], "or ended", id="and a port that is taken, in whatever language, is that",
        ),
        pytest.param(
            [f"{AT} ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\njava.nio.file.NoSuchFileException: etc/broker7.properties\n\tat java.base/sun.nio.fs.UnixException.translateToIOException(UnixException.java:92)\n\tat kafka.Kafka$.getPropsFromArgs(Kafka.scala:50)"],
            "server_properties_missing", ["configuration file etc/broker7.properties is not there"], "kafka-storage.sh", id="a broker without its configuration",
        ),
        pytest.param(
            [f"{AT} INFO Registered kafka:type=kafka.Log4jController MBean (kafka.utils.Log4jControllerRegistration$)", f"{AT} ERROR Error deleting C:\\Temp\\kafka-4711 (org.apache.kafka.test.TestUtils)\njava.nio.file.FileSystemException: C:\\Temp\\kafka-4711\\version-2\\log.1: The process cannot access the file because it is being used by another process\n\tat java.base/sun.nio.fs.WindowsException.translateToIOException(WindowsException.java:92)"],
            "nothing_wrong", [], "can't rename", id="a test that leaves its files is no broker",
        ),
        pytest.param(
            [f"{AT} ERROR [pool-1] com.acme.pay.Index - not indexed (com.acme.pay.kafka.PayListener)\nco.elastic.clients.elasticsearch._types.ElasticsearchException: [es/index] failed: [document_parsing_exception] failed to parse field [paidAt]"],
            "sink_document_refused", ["An index of Elasticsearch or OpenSearch did not take a document"], "A Connect sink's index", id="an index, whoever writes to it",
        ),
        pytest.param(
            ["[2026-01-05 10:00:00,000] INFO starting (kafka.server.KafkaServer)", *(UNREACHED.format(at) for at in range(1, 30)), *[FETCHES] * 40, "[2026-01-05 10:01:01,000] ERROR Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\nkafka.zookeeper.ZooKeeperClientTimeoutException: Timed out waiting for connection while in state: CONNECTING"],
            "zookeeper_unreached", ["Then 2026-01-05 10:01:01.000: A broker did not start, or a tool gave up"], "2. ", id="what it waited for is told before that it gave up",
        ),
        pytest.param(
            [ITSELF.format("00:00"), ITSELF.format("08:00"), ITSELF.format("11:30"), ITSELF.format("20:00"), GOES_ON],
            "nothing_wrong", ["was only starting"], "it is down", id="a controller that does not reach itself yet, at each of its starts",
        ),
        pytest.param(
            [*(ITSELF.format(f"00:{at:02}") for at in range(5)), GOES_ON],
            "controller_reaches_no_broker", ["(5 times in 4 s)"], "was only starting", id="and one that tries again at once in vain",
        ),
        pytest.param(
            [*(GONE.format(at, at + 1) for at in (100, 200, 300, 400)), "[2026-01-05 10:00:00,450] INFO Awaiting socket connections on 0.0.0.0:9092. (kafka.network.DataPlaneAcceptor)", "[2026-01-05 10:00:00,500] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)"],
            "nothing_wrong", ["4 times"], "See whether the broker was restarted", id="nor does what is said of the same connections beside it count",
        ),
        pytest.param(
            [*(NOT_HOSTED.format(0, at) for at in range(5)), FETCHES],
            "nothing_wrong", ["that passes by itself"], "Cost", id="a follower that asked for all of its partitions once too early",
        ),
        pytest.param(
            [*(NOT_HOSTED.format(at, 1) for at in range(9)), FETCHES],
            "replica_unknown_to_leader", ["(9 times in 8 s)"], "nothing wrong", id="and one that asks on in vain",
        ),
        pytest.param(
            [DEAD.format("000"), FOUND.format("00,005"), DEAD.format("006"), FOUND.format("00,110"), LATER],
            "nothing_wrong", ["It was found once more, and kept"], "min.insync.replicas", id="a coordinator whose connections had all rested",
        ),
        pytest.param(
            [line for at in range(9) for line in (DEAD.format(at * 100), FOUND.format(f"00,{at * 100 + 5:03}"))],
            "coordinator_lost", ["min.insync.replicas"], "and kept", id="and one that is lost again and again",
        ),
    ],
)  # fmt: skip
def test_what_is_answered_of_starts_and_of_what_passes(tmp_path, lines, kind, words, unsaid):
    told, said = answered("\n".join(lines), tmp_path)
    assert told == kind
    assert [one for one in words if one not in said] == []
    assert unsaid not in said


def test_a_broker_that_had_shut_down_and_is_told_so_again_was_not_killed_meanwhile(tmp_path):
    lines = [
        "[2026-01-05 10:00:00,000] INFO starting (kafka.server.KafkaServer)",
        "[2026-01-05 10:00:01,000] INFO KafkaConfig values: \n\tbroker.id = 7\n (kafka.server.KafkaConfig)",
        "[2026-01-05 10:00:02,000] INFO [KafkaServer id=7] shutting down (kafka.server.KafkaServer)",
        "[2026-01-05 10:00:03,000] INFO [KafkaServer id=7] shut down completed (kafka.server.KafkaServer)",
        "[2026-01-05 10:00:03,001] INFO [KafkaServer id=7] shutting down (kafka.server.KafkaServer)",
        "[2026-01-05 10:01:00,000] INFO starting (kafka.server.KafkaServer)",
        "[2026-01-05 10:01:01,000] INFO KafkaConfig values: \n\tbroker.id = 7\n (kafka.server.KafkaConfig)",
        "[2026-01-05 10:01:02,000] INFO Attempting recovery for all logs in /data/kafka since no clean shutdown file was found (kafka.log.LogManager)",
        "[2026-01-05 10:01:03,000] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)",
    ]
    found, said = answered("\n".join(lines), tmp_path)
    assert (found, "was killed" in said) == ("nothing_wrong", False)
    assert "was killed while it shut down" in answered("\n".join(lines[:3] + lines[5:]), tmp_path)[1]


STARTS = "[2026-01-05 10:0{}:00,000] INFO starting (kafka.server.KafkaServer)"
SOCKET = "[2026-01-05 10:00:{:02},000] INFO Socket error occurred: zk1/10.0.0.9:2181: Connection refused (org.apache.zookeeper.ClientCnxn)"
HAS_SESSION = "[2026-01-05 10:0{},000] INFO Session establishment complete on server zk1/10.0.0.9:2181, sessionid = 0x10000f486930007, negotiated timeout = 18000 (org.apache.zookeeper.ClientCnxn)"
NO_FETCH = "[2026-01-05 10:00:0{},983] WARN [ReplicaFetcher replicaId=7, leaderId=8, fetcherId=0] Error in response for fetch request (type=FetchRequest, replicaId=7, maxWait=500) (kafka.server.ReplicaFetcherThread)\njava.io.IOException: Connection to 8 was disconnected before the response was read"
NO_NODE = "[2026-01-05 10:00:0{},990] WARN [ReplicaFetcher replicaId=7, leaderId=8, fetcherId=0] Connection to node 8 (b8/10.0.0.8:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)"
RETRIES = "[2026-01-05 10:00:0{},000] WARN [KafkaServer id=7] Retrying controlled shutdown after the previous attempt failed... (kafka.server.KafkaServer)"
OTHERS = "[2026-01-05 10:00:0{},000] ERROR Exiting Kafka due to fatal exception during startup. (kafka.Kafka$)\njava.lang.RuntimeException: Invalid cluster.id in: /data/meta.properties. Expected 4r4q2wZnT1yPBj1DJvkC5Q, but read jPz5udGhSri7kSBqaZcKbA"
CANCELLED = "2026-01-05 10:00:00,660 [myid:] - ERROR [SyncThread:0:NIOServerCnxn@178] - Unexpected Exception: \njava.nio.channels.CancelledKeyException\n\tat sun.nio.ch.SelectionKeyImpl.ensureValid(SelectionKeyImpl.java:73)"
SLOW = "2026-01-05 10:00:00,667 [myid:] - WARN  [SyncThread:0:FileTxnLog@338] - fsync-ing the write ahead log in SyncThread:0 took 4711ms which will adversely effect operation latency. See the ZooKeeper troubleshooting guide"
MARKED = "[2026-01-05 10:00:01,020] WARN [ReplicaFetcher replicaId=7, leaderId=8, fetcherId=0] Partition pay-1 marked as failed (kafka.server.ReplicaFetcherThread)"


@pytest.mark.parametrize(
    ("lines", "kind", "words", "unsaid"),
    [
        pytest.param(
            [STARTS.format(0), *(SOCKET.format(at) for at in range(1, 18)), STARTS.format(1), HAS_SESSION.format("1:01")],
            "zookeeper_unreached", ["was not reached (17 times)"], "nothing wrong", id="a start that never had a session, whatever the next one got",
        ),
        pytest.param(
            [STARTS.format(0), HAS_SESSION.format("0:01"), *(SOCKET.format(at) for at in range(3, 6)), STARTS.format(1), HAS_SESSION.format("1:01")],
            "nothing_wrong", [], "was not reached", id="one that was stopped with its ZooKeeper had one",
        ),
        pytest.param(
            [line for at in range(5) for line in (NO_FETCH.format(at), NO_NODE.format(at))],
            "server_connect_failed", ["could not connect to node 8", "Before 2026-01-05 10:00:00.983 to 10:00:04.983, 4 s: Broker 7 could not fetch from the leader"], "2. ", id="why a follower fetches nothing",
        ),
        pytest.param(
            [*(NO_NODE.format(at) for at in range(4)), *(RETRIES.format(at) for at in (5, 6, 7))],
            "broker_not_shut_down_in_order", ["Before 2026-01-05 10:00:00.990 to 10:00:03.990, 3 s: A broker or controller could not connect to node 8"], "2. ", id="nobody to hand over to is no fault of its own",
        ),
        pytest.param(
            [*(AHEAD.format(0, at) for at in range(4)), *(OTHERS.format(at) for at in (1,))],
            "zookeeper_refuses_ahead", ["Then 2026-01-05 10:00:01.000: A broker or controller did not start, or can't join"], "2. ", id="what became of ZooKeeper's data is why a broker's are of another cluster",
        ),
        pytest.param([SLOW, CANCELLED], "zookeeper_disk_slow", ["one write took 4711 ms"], "CancelledKeyException", id="a ZooKeeper's own layout, and what it says of a connection that is closed"),
        pytest.param(
            ["[2026-01-05 10:00:00,100] INFO [KafkaServer id=7] Starting controlled shutdown (kafka.server.KafkaServer)", MARKED],
            "nothing_wrong", [], "Cost", id="a partition that moves as its broker stops",
        ),
        pytest.param(
            [
                "[2026-01-05 10:00:00,100] ERROR session=0x7000abc\tuser=10.0.0.7\tip=10.0.0.7\toperation=create\tznode=/brokers/topics\tznode_type=persistent\tresult=failure (org.apache.zookeeper.audit.Slf4jAuditLogger)",
                "[2026-01-05 10:00:00,300] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)",
            ],
            "nothing_wrong", [], "Cost", id="what ZooKeeper's audit says of what is there already",
        ),
        pytest.param(
            [
                "[2026-01-05 10:00:00,100] INFO [ZooKeeperClient Kafka server] Session expired. (kafka.zookeeper.ZooKeeperClient)",
                "[2026-01-05 10:00:00,200] ERROR Error while creating ephemeral at /brokers/ids/7 with return code: SESSIONEXPIRED (kafka.zk.KafkaZkClient$CheckedEphemeral)",
            ],
            "broker_lost_zookeeper", ["session"], "2. ", id="a session that is lost is why a broker is not registered",
        ),
        pytest.param(
            [
                "[2026-01-05 10:00:00,100] ERROR Shutdown broker because all log dirs in /data/7 have failed (kafka.log.LogManager)",
                "[2026-01-05 10:00:00,900] ERROR Shutdown broker because all log dirs in /data/8 have failed (kafka.log.LogManager)",
            ],
            "storage_failed_wholly", ["(/data/7)", "another one's (/data/8)"], "2. ", id="two brokers that write into one log",
        ),
        pytest.param(
            [
                f"{AT} ERROR Invalid config, exiting abnormally (org.apache.zookeeper.server.quorum.QuorumPeerMain)\norg.apache.zookeeper.server.quorum.QuorumPeerConfig$ConfigException: Error processing C:\\kafka\\zoo.properties\n\tat x.Y.z(Y.java:1)\nCaused by: java.lang.IllegalArgumentException: dataDir is not set\n\tat x.Y.z(Y.java:2)",
                "[2026-01-05 10:07:00,100] INFO binding to port 0.0.0.0/0.0.0.0:2181 (org.apache.zookeeper.server.NIOServerCnxnFactory)",
                "[2026-01-05 10:07:00,200] WARN Exception causing close of session 0x0: ZooKeeperServer not running (org.apache.zookeeper.server.NIOServerCnxn)",
            ],
            "zookeeper_config_refused", ["dataDir is not set", "in the file C:\\kafka\\zoo.properties", "2. ZooKeeper serves nobody", "one that stands alone"], "its servers have no leader", id="a start that was refused, and the next one of a server that stands alone",
        ),
        pytest.param(
            [
                "[2026-01-05 10:07:00,200] WARN Exception causing close of session 0x0: ZooKeeperServer not running (org.apache.zookeeper.server.NIOServerCnxn)",
                "[2026-01-05 10:07:01,000] INFO Session establishment complete on server zk1/10.0.0.9:2181, sessionid = 0x1001, negotiated timeout = 18000 (org.apache.zookeeper.ClientCnxn)",
                "[2026-01-05 10:07:02,000] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)",
            ],
            "nothing_wrong", [], "serves nobody", id="a ZooKeeper that takes clients a moment after it listens",
        ),
        pytest.param(
            [
                "[2026-01-05 10:00:00,000] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)",
                "[2026-01-05 10:07:00,200] WARN Exception causing close of session 0x10001f: Ein Remotehost \ufffd\ufffd\ufffd die Verbindung (org.apache.zookeeper.server.NIOServerCnxn)",
            ],
            "nothing_wrong", [], "could not be judged", id="a client that went, in the words of its system",
        ),
        pytest.param(
            [
                "[2026-01-05 10:00:00,000] WARN Client session timed out, have not heard from server in 7200000ms for sessionid 0x71 (org.apache.zookeeper.ClientCnxn)",
                "[2026-01-05 10:00:00,100] WARN [ReplicaFetcher replicaId=7, leaderId=8, fetcherId=0] Error in fetch to broker 8, request (type=FetchRequest, replicaId=7) (kafka.server.ReplicaFetcherThread)\njava.io.IOException: Connection to 8 was disconnected before the response was read",
                "[2026-01-05 10:00:01,000] WARN Unable to reconnect to ZooKeeper service, session 0x71 has expired (org.apache.zookeeper.ClientCnxn)",
                "[2026-01-05 10:00:02,000] INFO Session establishment complete on server zk1/10.0.0.9:2181, sessionid = 0x72, negotiated timeout = 18000 (org.apache.zookeeper.ClientCnxn)",
            ],
            "zookeeper_session_expired", ["it had heard nothing of it for 2 h", "a laptop that slept", "could not fetch"], "2. ", id="a broker that stood still lost its session, and its leader",
        ),
        pytest.param(
            [
                "[2026-01-05 10:00:00,000] WARN Client session timed out, have not heard from server in 7200000ms for sessionid 0x71 (org.apache.zookeeper.ClientCnxn)",
                "[2026-01-05 10:00:02,000] INFO Session establishment complete on server zk1/10.0.0.9:2181, sessionid = 0x71, negotiated timeout = 18000 (org.apache.zookeeper.ClientCnxn)",
                "[2026-01-05 10:00:03,000] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)",
            ],
            "nothing_wrong", [], "heard nothing", id="a session that was kept, as ZooKeeper stood still with it",
        ),
        pytest.param(
            [
                "[2026-01-05 10:00:00,000] ERROR Server died unexpectedly:  (io.confluent.kafka.schemaregistry.rest.SchemaRegistryMain)\norg.I0Itec.zkclient.exception.ZkTimeoutException: Unable to connect to zookeeper server 'zk1:2181' with timeout of 30000 ms\n\tat org.I0Itec.zkclient.ZkClient.connect(ZkClient.java:1233)",
            ],
            "broker_found_no_zookeeper", ["whether ZooKeeper answers"], "The schema registry says", id="a registry that found no ZooKeeper",
        ),
        pytest.param(
            [
                "[2026-01-05 10:00:00,000] INFO Registered kafka:type=kafka.Log4jController MBean (kafka.utils.Log4jControllerRegistration$)",
                "[2026-01-05 10:00:01,000] FATAL  (kafka.Kafka$)\njava.io.FileNotFoundException: conf/b7.properties (No such file or directory)\n\tat java.io.FileInputStream.open0(Native Method)",
            ],
            "server_properties_missing", ["conf/b7.properties is not there"], "2. ", id="a line that says nothing but who says it",
        ),
        pytest.param(
            [
                "[2026-01-05 10:00:00,000] WARN [ReplicaFetcher replicaId=7, leaderId=8, fetcherId=0] Based on follower's leader epoch, leader replied with an unknown offset in pay-4. High watermark 9 will be used for truncation. (kafka.server.ReplicaFetcherThread)",
                "[2026-01-05 10:00:09,000] ERROR [ReplicaFetcher replicaId=7, leaderId=8, fetcherId=0] Error for partition pay-3 to broker 8:org.apache.kafka.common.errors.NotLeaderForPartitionException: This server is not the leader for that topic-partition. (kafka.server.ReplicaFetcherThread)",
            ],
            "replica_leader_moved", ["broker 8. Do", "goes on"], "(2 times", id="a mark that a replica takes is no fetch that failed",
        ),
        pytest.param(
            [
                *(UNREACHED.format(at) for at in range(1, 8)),
                "[2026-01-05 10:06:00,000] WARN Session 0x71 for server zk1/10.0.0.9:2181, Closing socket connection. Attempting reconnect except it is a SessionExpiredException. (org.apache.zookeeper.ClientCnxn)\njava.net.ConnectException: Connection refused",
            ],
            "zookeeper_unreached", ["was not reached (7 times)", "Also 1 time more; the last 2026-01-05 10:06:00,000"], "2. ", id="not reached twice, minutes apart",
        ),
        pytest.param(
            ["[2026-01-05 10:00:10,781] WARN Client session timed out, have not heard from server in 6006ms for session id 0x0 (org.apache.zookeeper.ClientCnxn)", *(UNREACHED.format(at) for at in range(11, 18))],
            "zookeeper_unreached", ["was not reached (8 times)"], "2. ", id="nothing heard of one that is not reached",
        ),
        pytest.param(
            [
                "[2026-01-05 10:00:00,100] ERROR [KafkaApi-7] Error when handling request Name: ControlledShutdownRequest; Version: 1; CorrelationId: 0;ClientId:Some(7); BrokerId: 7 (kafka.server.KafkaApis)\norg.apache.kafka.common.errors.ControllerMovedException: Controller moved to another broker. Aborting controlled shutdown",
                "[2026-01-05 10:00:05,100] WARN [Kafka Server 7], Retrying controlled shutdown after the previous attempt failed... (kafka.server.KafkaServer)",
            ],
            "broker_not_shut_down_in_order", ["(2 times in 5 s)"], "2. ", id="a shutdown that its own controller aborts",
        ),
        pytest.param(
            ["[2026-01-05 10:00:06,257] ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\njava.nio.file.NoSuchFileException: conf/b7.propertie\n\tat kafka.Kafka$.main(Kafka.scala:83)"],
            "server_properties_missing", ["conf/b7.propertie is not there"], "log directories", id="a file whose name is misspelled",
        ),
        pytest.param(
            [
                "[2026-01-05 10:00:06,257] ERROR [KafkaApi-7] Error when handling request {controller_id=7,delete_partitions=true} (kafka.server.KafkaApis)\n"
                "kafka.common.KafkaStorageException: Failed to rename log directory from C:\\data\\pay-0 to C:\\data\\pay-0.1f2e-delete\n\tat kafka.log.LogManager.asyncDelete(LogManager.scala:451)"
            ],
            "files_held_on_windows", ["Run the broker on Linux"], "trouble with its disk", id="a directory that Windows holds, of old",
        ),
    ],
)  # fmt: skip
def test_what_is_answered_of_servers_that_wait_for_others(tmp_path, lines, kind, words, unsaid):
    told, said = answered("\n".join(lines), tmp_path)
    assert told == kind
    assert [one for one in words if one not in said] == []
    assert unsaid not in said


LISTED = "java.sql.SQLException: Exception chain:\njava.sql.BatchUpdateException: (conn=7) Field 'pay_id' has no default\njava.sql.SQLException: Field 'pay_id' has no default\n"
UNREADABLE = 'org.apache.kafka.connect.errors.DataException: JsonConverter with schemas.enable requires "schema" and "payload" fields and may not contain additional fields.'
KILLED = "[2026-01-05 10:0{}:00,000] ERROR WorkerSinkTask{{id=pay-0}} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerTask:187)\norg.apache.kafka.connect.errors.ConnectException: {}"


def test_what_jdbc_lists_below_its_exception_is_what_it_says(tmp_path):
    cause = f"Exiting WorkerSinkTask due to unrecoverable exception.\n\tat x.Y.z(Y.java:1)\nCaused by: {LISTED}\n\tat x.Y.z(Y.java:2)"
    told, said = answered(KILLED.format(0, cause), tmp_path)
    assert told == "connect_task_killed"
    assert "(conn=7) Field 'pay_id' has no default" in said
    assert "::" not in said


def test_a_message_is_of_the_exception_that_it_stands_behind(tmp_path):
    """A worker that is stopped ends by an interruption, which has no message, beside a task that died of a record."""
    ends = (
        "[2026-01-05 10:01:30,000] ERROR [Worker clientId=w-1, groupId=w] Uncaught exception in herder work thread, exiting:  "
        "(org.apache.kafka.connect.runtime.distributed.DistributedHerder:303)\n"
        "org.apache.kafka.common.errors.InterruptException: Flush interrupted.\n\tat x.Y.z(Y.java:1)\nCaused by: java.lang.InterruptedException\n\tat x.Y.z(Y.java:2)"
    )
    died = KILLED.format(
        1,
        f"Tolerance exceeded in error handler\n\tat x.Y.z(Y.java:1)\nCaused by: {UNREADABLE}\n\tat x.Y.z(Y.java:2)",
    )
    told, said = answered(f"{died}\n{ends}", tmp_path)
    assert told == "json_without_schema"
    assert "InterruptedException: JsonConverter" not in said
    assert "A Connect worker ended" not in said


def test_what_came_with_it_has_its_end(tmp_path):
    gone = "[2026-01-05 10:00:0{},000] WARN [Worker clientId=w-1, groupId=a-group-of-a-long-name-of-many-words] Connection to node 0 (b7.a-domain-of-a-long-name.example.org/10.0.0.7:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient:780)"
    lost = "[2026-01-05 10:00:00,000] INFO [Worker clientId=w-1, groupId=a-group-of-a-long-name-of-many-words] Group coordinator b7.a-domain-of-a-long-name.example.org:9092 (id: 2147483647 rack: null) is unavailable or invalid due to cause: null.isDisconnected: true. Rediscovery will be attempted. (org.apache.kafka.clients.consumer.internals.AbstractCoordinator:956)"
    _, said = answered("\n".join([lost, *(gone.format(at) for at in range(1, 9))]), tmp_path)
    assert "did not find it again in this log" in said


def test_spark_without_its_part_for_kafka(tmp_path):
    line = "2026-01-05 10:00:00,974 - Pay - ERROR - Main execution error: Failed to find data source: kafka. Please deploy the application as per the deployment section of Structured Streaming + Kafka Integration Guide."
    told, said = answered(line, tmp_path)
    assert told == "spark_source_missing"
    assert "spark-sql-kafka-0-10" in said


def test_years_of_the_buddhist_calendar_are_read(tmp_path):
    lines = [
        "[2569-01-05 10:00:00,000] INFO [KafkaServer id=7] shutting down (kafka.server.KafkaServer)",
        "[2569-01-05 10:00:03,000] INFO [KafkaServer id=7] shut down completed (kafka.server.KafkaServer)",
        "[2569-01-05 10:01:00,000] INFO [KafkaServer id=7] starting (kafka.server.KafkaServer)",
        "[2569-01-05 10:01:03,000] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)",
    ]
    _, said = answered("\n".join(lines), tmp_path)
    assert "have no date" not in said
    assert Clock().read("2563-02-29 10:00:00,125") == Clock().read("2020-02-29 10:00:00,125")
    assert Clock().read("2300-01-05 10:00:00,125").at is None
