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
            "controller_reaches_not_itself", ["(5 times in 4 s)"], "was only starting", id="and one that tries again at once in vain",
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


NO_PORT = "[2026-01-05 10:00:0{},680] WARN [KafkaServer id=7] Error connecting to node b7:9092 (id: 7 rack: null) (org.apache.kafka.clients.NetworkClient)\njava.net.BindException: {}\n\tat java.base/sun.nio.ch.Net.bind0(Native Method)\n\tat org.apache.kafka.common.network.Selector.connect(Selector.java:258)"
NO_NAME = "[2026-01-05 10:00:0{},680] WARN [Controller id=7, targetBrokerId=7] Error connecting to node b7:9092 (id: 7 rack: null) (org.apache.kafka.clients.NetworkClient)\njava.net.UnknownHostException: b7: Name or service not known"
NOT_CANONICAL = "2026-01-05 10:00:0{},358 [myid:] - WARN  [main-SendThread(zk7:2181):ClientCnxn$SendThread@1164] - Session 0x0 for server zk7/<unresolved>:2181, unexpected error, closing socket connection and attempting reconnect\njava.lang.IllegalArgumentException: Unable to canonicalize address zk7/<unresolved>:2181 because it's not resolvable\n\tat org.apache.zookeeper.SaslServerPrincipal.getServerPrincipal(SaslServerPrincipal.java:71)"
HEARD_NOTHING = "[2026-01-05 10:0{}:00,000] WARN Client session timed out, have not heard from server in {}ms for session id 0x1000a3c0711000{} (org.apache.zookeeper.ClientCnxn)"
SESSION_GONE = "[2026-01-05 10:0{}:02,000] INFO [ZooKeeperClient Kafka server] Session expired. (kafka.zookeeper.ZooKeeperClient)"
IN_OLD_SESSION = "[2026-01-05 10:0{}:00,150] ERROR [Controller id=7] Error while electing or becoming controller on broker 7. Trigger controller movement immediately (kafka.controller.KafkaController)\norg.apache.zookeeper.KeeperException$SessionExpiredException: KeeperErrorCode = Session expired for /admin/pay\n\tat org.apache.zookeeper.KeeperException.create(KeeperException.java:134)"
CLIENT_WENT = "2026-01-05 10:00:00,857 [myid:] - WARN  [NIOWorkerThread-6:NIOServerCnxn@371] - Unexpected exception\nEndOfStreamException: Unable to read additional data from client, it probably closed the socket: address = /10.0.0.7:39930, session = 0x100001\n\tat org.apache.zookeeper.server.NIOServerCnxn.handleFailedRead(NIOServerCnxn.java:170)"
NO_CONFIG = "[2026-01-05 10:00:00,400] ERROR Invalid config, exiting abnormally (org.apache.zookeeper.server.quorum.QuorumPeerMain)\norg.apache.zookeeper.server.quorum.QuorumPeerConfig$ConfigException: Error processing etc/broker7.properties\nCaused by: java.lang.IllegalArgumentException: dataDir is not set"
NOT_WRITABLE = "[2026-01-05 10:00:00,400] ERROR Unable to access datadir, exiting abnormally (org.apache.zookeeper.server.ZooKeeperServerMain)\norg.apache.zookeeper.server.persistence.FileTxnSnapLog$DatadirException: Unable to create data directory /srv/zk/version-2"
HTTP = "[2026-01-05 10:00:00,400] WARN Close of session 0x0 (org.apache.zookeeper.server.NIOServerCnxn)\njava.io.IOException: Len error. A message from /10.0.0.7:61162 with advertised length of 1195725856 is either a malformed message or too large to process (length is greater than jute.maxbuffer=1048575)"
NO_FILE = "[2026-01-05 10:00:00,400] ERROR Error while writing to checkpoint file /data/kafka/replication-offset-checkpoint (kafka.server.LogDirFailureChannel)\njava.io.FileNotFoundException: /data/kafka/replication-offset-checkpoint.tmp ({})\n\tat java.io.FileOutputStream.open0(Native Method)"
STOPS = "[2026-01-05 10:00:00,461] ERROR Shutdown broker because all log dirs in /data/kafka have failed (kafka.log.LogManager)"
OLD_EPOCH = "[2026-01-05 10:00:00,461] ERROR [ReplicaManager broker=7] Error processing append operation on partition pay-3 (kafka.server.ReplicaManager)\norg.apache.kafka.common.errors.InvalidProducerEpochException: Epoch of producer 71 at offset 12 in pay-3 is 0, which is smaller than the last seen epoch 1"
NO_IDS = "[2026-01-05 10:00:0{},198] ERROR [KafkaApi-7] Unexpected error handling request RequestHeader(apiKey=INIT_PRODUCER_ID, apiVersion=4, clientId=bills-1, correlationId=2, headerVersion=2) (kafka.server.KafkaApis)\norg.apache.kafka.common.errors.CoordinatorLoadInProgressException: Timed out waiting for next producer ID block"
TOO_NEW = "[2026-01-05 10:00:00,849] ERROR Processor got uncaught exception. (kafka.network.Processor)\nkafka.common.KafkaException: Version 4 is invalid for LeaderAndIsrRequest. Valid versions are 0 or 1.\n\tat kafka.api.LeaderAndIsrRequest$.readFrom(LeaderAndIsrRequest.scala:58)"
SCANNED = "[2026-01-05 10:00:00,809] ERROR Closing socket for 10.0.0.7:9092-192.0.2.71:40909-35 because of error (kafka.network.Processor)\norg.apache.kafka.common.errors.InvalidRequestException: Error parsing request header. Our best guess of the apiKey is: -173\nCaused by: java.lang.IllegalArgumentException: Unexpected api key: -173"
LOCKED = "[2026-01-05 10:00:00,204] ERROR [KafkaServer id=7] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\norg.apache.kafka.common.KafkaException: Failed to acquire lock on file .lock in /srv/kafka. A Kafka instance in another process or thread is using this directory."
INTERRUPTED = "[2026-01-05 10:00:00,880] WARN [RequestSendThread controllerId=7] Controller 7 epoch 63 fails to send request (type: UpdateMetadataRequest=, controllerId=7) to broker b7:9092 (id: 7 rack: null). Reconnecting to broker. (kafka.controller.RequestSendThread)\njava.lang.InterruptedException\n\tat kafka.utils.ShutdownableThread.pause(ShutdownableThread.scala:80)"


@pytest.mark.parametrize(
    ("lines", "kind", "words", "unsaid"),
    [
        pytest.param(
            [NO_PORT.format(at, "Address already in use") for at in range(3)],
            "local_port_refused", ["could not connect to node 7 (b7:9092) (3 times in 2 s): its own host gave it no address or port"], "could not listen", id="a port of one's own to connect from is none that somebody listens at",
        ),
        pytest.param(
            [NO_NAME.format(at) for at in range(5)],
            "dns_failed_of_server", ["can't connect to a broker, b7:9092, by its name (5 times in 4 s)", "advertised.listeners"], "bootstrap.servers", id="a broker knows no bootstrap.servers",
        ),
        pytest.param(
            [NOT_CANONICAL.format(at) for at in range(9)],
            "zookeeper_unresolved", ["ZooKeeper was not reached (9 times): the name zk7 does not resolve"], "nothing wrong", id="ZooKeeper's name",
        ),
        pytest.param(
            [HEARD_NOTHING.format(0, 70205720, 1), SESSION_GONE.format(0)],
            "broker_lost_zookeeper", ["Broker lost its ZooKeeper session.", "Before 2026-01-05 10:00:00,000: A process heard nothing of ZooKeeper for 19 h 30 min (70205720 ms)"], "Not explained", id="for how long a session had been silent",
        ),
        pytest.param(
            [line for at in range(4) for line in (HEARD_NOTHING.format(at, 20019, at), SESSION_GONE.format(at))],
            "broker_lost_zookeeper", ["lost its ZooKeeper session (4 times in 3 min)"], "Not explained", id="a session that is lost again and again",
        ),
        pytest.param(
            [IN_OLD_SESSION.format(at) for at in range(3)],
            "zookeeper_session_over", ["A broker or controller (7) asked ZooKeeper in a session that had expired (3 times in 2 min)", "/admin/pay"], "that it does not expect", id="a controller whose session has gone",
        ),
        pytest.param(
            ["[2026-01-05 10:00:48,716] WARN Session expired either before or while waiting for connection (kafka.utils.CoreUtils$)\nkafka.zookeeper.ZooKeeperClientExpiredException: Session expired either before or while waiting for connection\n\tat kafka.zookeeper.ZooKeeperClient.waitUntilConnected(ZooKeeperClient.scala:270)", SESSION_GONE.format(1)],
            "broker_lost_zookeeper", ["A client asked ZooKeeper in a session that had expired"], "Not explained", id="a broker that waited for its session as it ended",
        ),
        pytest.param([CLIENT_WENT], "nothing_wrong", [], "could not be judged", id="a client of ZooKeeper's that went, its exception without a package"),
        pytest.param(
            [NO_CONFIG, *(UNREACHED.format(at) for at in range(1, 8))],
            "zookeeper_config_refused", ["Then 2026-01-05 10:00:01,000 to 2026-01-05 10:00:07,000: ZooKeeper at zk1/10.0.0.9:2181 was not reached (7 times)"], "2. ", id="ZooKeeper did not start, so nobody reached it",
        ),
        pytest.param(
            [NO_CONFIG.replace("etc/broker7.properties", r"..\..\etc\zk.properties").replace("dataDir is not set", r"..\..\etc\zk.properties file is missing")],
            "zookeeper_config_refused", [r"refused: ..\..\etc\zk.properties file is missing", r"in the file ..\..\etc\zk.properties"], "In its words", id="a path that begins two folders above",
        ),
        pytest.param(
            [SCANNED], "request_unreadable", ["can't read a request of 192.0.2.71.", "most often a scanner"], "In its words: \"Unexpected", id="who scans a broker's port",
        ),
        pytest.param(
            [NOT_WRITABLE], "zookeeper_directory_unwritable", ["Who acts whoever runs the brokers"], "the client's configuration", id="its directory is no client's matter",
        ),
        pytest.param(
            [HTTP], "zookeeper_client_unread", ["A connection of 10.0.0.7 to ZooKeeper's port was closed", "1195725856 are letters of HTTP"], "protocol: Len error", id="a browser at ZooKeeper's port",
        ),
        pytest.param(
            [NO_FILE.format("No such file or directory"), STOPS],
            "log_files_gone", ["misses files of its own log directory: /data/kafka/replication-offset-checkpoint.tmp is gone", "all its log directories have failed"], "2. ", id="files that were deleted under the broker",
        ),
        pytest.param([NO_FILE.format("Permission denied"), STOPS], "storage_failed_wholly", [], "is gone", id="and such as it may not write"),
        pytest.param(
            [OLD_EPOCH], "producer_epoch_refused_here", ["Broker 7 refused batches of a producer (id 71) in pay-3: its epoch 0 is older than 1"], "Producer a broker", id="a producer of an older epoch, as its broker tells",
        ),
        pytest.param(
            [NO_IDS.format(0), NO_IDS.format(7)],
            "producer_ids_awaited", ["A broker had no producer id to give to bills-1 (2 times in 7 s)"], "is not its coordinator", id="a broker without ids for producers",
        ),
        pytest.param(
            [TOO_NEW], "request_version_unknown", ["LeaderAndIsr 4, of LeaderAndIsr it knows 0 or 1", "another broker, of a newer release"], "could not do a part", id="a controller of a newer release",
        ),
        pytest.param(
            [LOCKED, "[2026-01-05 10:00:30,712] INFO [ZooKeeperClient Kafka server] Session expired. (kafka.zookeeper.ZooKeeperClient)"],
            "log_dir_taken", ["2. Broker lost its ZooKeeper session."], "With it came", id="who did not start loses no session later",
        ),
        pytest.param([INTERRUPTED], "nothing_wrong", [], "could not reach", id="a controller's thread that was ended"),
    ],
)  # fmt: skip
def test_what_servers_say_of_names_sessions_and_files(tmp_path, lines, kind, words, unsaid):
    told, said = answered("\n".join(lines), tmp_path)
    assert told == kind
    assert [one for one in words if one not in said] == []
    assert unsaid not in said


def test_what_was_stopped_while_it_started_comes_after_what_gave_up_before(tmp_path):
    lines = [
        "[2026-01-05 10:00:00,000] INFO starting (kafka.server.KafkaServer)",
        *(UNREACHED.format(at) for at in range(1, 9)),
        "[2026-01-05 10:00:10,000] ERROR Fatal error during KafkaServer shutdown. (kafka.server.KafkaServer)\njava.lang.IllegalStateException: Kafka server is still starting up, cannot shut down!",
        "[2026-01-05 10:00:20,000] INFO starting (kafka.server.KafkaServer)",
        *(UNREACHED.format(at) for at in range(21, 39)),
        "[2026-01-05 10:00:40,000] ERROR Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\nkafka.zookeeper.ZooKeeperClientTimeoutException: Timed out waiting for connection while in state: CONNECTING",
    ]
    _, said = answered("\n".join(lines), tmp_path)
    assert said.index("A broker was stopped while") < said.index("A broker did not start, or a tool gave up")


NO_BROKER = "[2026-01-05 10:00:0{},959] ERROR [KafkaApi-7] Number of alive brokers '0' does not meet the required replication factor '1' for the offsets topic (configured via 'offsets.topic.replication.factor'). This error can be ignored if the cluster is starting up and not all brokers are up yet. (kafka.server.KafkaApis)"
OPTION = "[2026-01-05 10:00:00,235] ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\njava.nio.file.NoSuchFileException: {}\n\tat kafka.Kafka$.getPropsFromArgs(Kafka.scala:42)"
WORKER = "[2026-01-05 10:0{}:00,540] ERROR Stopping due to error (org.apache.kafka.connect.cli.AbstractConnectCli:100)\njava.nio.file.NoSuchFileException: conf/connect-distributed.properties\n\tat org.apache.kafka.connect.cli.AbstractConnectCli.run(AbstractConnectCli.java:92)"
RESTED = "[2026-01-05 10:{:02}:00,{:03}] INFO [{} clientId=pay-1] Node 7 disconnected. (org.apache.kafka.clients.NetworkClient:977)"


@pytest.mark.parametrize(
    ("lines", "kind", "words", "unsaid"),
    [
        pytest.param([*(NO_BROKER.format(at) for at in (0, 0, 1)), GOES_ON], "nothing_wrong", [], "can't be made", id="asked before it was registered itself"),
        pytest.param(
            [*(NO_BROKER.format(at) for at in (0, 0, 1))],
            "no_broker_registered", ["(offsets) was to be made (2 times in 1 s)"], "ask for fewer", id="and no more is known of it",
        ),
        pytest.param(
            [OPTION.format("-demon")], "option_as_configuration", ["it took the option -demon for its configuration file"], "log directories first", id="an option that is spelt otherwise",
        ),
        pytest.param([OPTION.format("server-7.properties")], "server_properties_missing", [], "the option", id="a path that is none"),
        pytest.param([OPTION.format("/srv/kafka/-x.d")], "broker_ended", [], "the option", id="a file of another kind"),
        pytest.param(
            [WORKER.format(at) for at in range(3)],
            "connect_properties_missing", ["A Connect worker did not start: its configuration file conf/connect-distributed.properties is not there (3 times"], "broker or controller", id="a Connect worker without its file",
        ),
        pytest.param([RESTED.format(5 * at, at * 90, "AdminClient") for at in range(6)], "nothing_wrong", [], "Do:", id="an admin client's connection at rest"),
        pytest.param([RESTED.format(4 * at, at * 90, "AdminClient") for at in range(6)], "disconnected", [], "nothing wrong", id="and one that is closed sooner"),
        pytest.param([RESTED.format(5 * at, at * 90, "Consumer") for at in range(6)], "disconnected", [], "nothing wrong", id="and a consumer's"),
    ],
)  # fmt: skip
def test_what_is_said_before_anything_is_there(tmp_path, lines, kind, words, unsaid):
    told, said = answered("\n".join(lines), tmp_path)
    assert told == kind
    assert [one for one in words if one not in said] == []
    assert unsaid not in said
