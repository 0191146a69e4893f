# ruff: noqa: E501  # a line of a log is a line
"""What a broker's own log tells of its end and its next start, and what clients met meanwhile."""

import pytest

from tests.answered import answered

OF_SERVER = "[2026-01-05 10:{}] INFO [BrokerServer id=4] Transition from {} (kafka.server.BrokerServer)"
STARTS, STOPS = "SHUTDOWN to STARTING", "STARTED to SHUTTING_DOWN"
UP = "[2026-01-05 10:{}] INFO [KafkaRaftServer nodeId=4] Kafka Server started (kafka.server.KafkaRaftServer)"
UP_WITH_ZOOKEEPER = "[2026-01-05 10:01:00,000] INFO [KafkaServer id=4] started (kafka.server.KafkaServer)"
LOADS = "[2026-01-05 10:{}] INFO {} clean shutdown file was found (kafka.log.LogManager)"
KEPT, BROKEN = "Skipping recovery of 7 logs from /data since", "Recovering 7 logs from /data since no"
FIRST = "Attempting recovery for all logs in /data since no"
EVICTS = (
    "[2026-01-05 10:{}] INFO [GroupCoordinator id=4 topic=__consumer_offsets partition=1] Member "
    "pay-1-{:08d}-1f2e-4d3c-8b7a-0123456789ab in group pay has failed, removing it from the group. "
    "(org.apache.kafka.coordinator.group.GroupMetadataManager)"
)


def with_zookeeper(broker, minute):
    at = f"[2026-01-05 10:{minute}:00,000] INFO"
    settings = f"{at} KafkaConfig values: \n\tbroker.id = {broker}\n (kafka.server.KafkaConfig)"
    return [f"{at} starting (kafka.server.KafkaServer)", settings]


RAN = OF_SERVER.format("00:00,000", STARTS)


def again(loads=None, stops=()):
    loaded = [LOADS.format("05:01,000", loads)] if loads else []
    return [RAN, *stops, OF_SERVER.format("05:00,000", STARTS), *loaded, UP.format("05:03,500")]


FULL = [
    "[2026-01-05 10:00:01,000] ERROR Error while writing to checkpoint file /data/replication-offset-checkpoint (kafka.server.LogDirFailureChannel)\n"
    "java.io.FileNotFoundException: /data/replication-offset-checkpoint.tmp (No space left on device)",
]
REFUSED_AS_IT_BEGAN = [
    "[2026-01-05 10:00:01,000] ERROR Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
    "kafka.common.InconsistentClusterIdException: The Cluster ID aaaaaaaaaaaaaaaaaaaaaa doesn't match stored clusterId "
    "Some(bbbbbbbbbbbbbbbbbbbbbb) in meta.properties. The broker is trying to join the wrong cluster.",
    *(
        f"[2026-01-05 10:00:01,{at}] {said}"
        for at, said in (
            ("100", "INFO shutting down (kafka.server.KafkaServer)"),
            ("200", "INFO shut down completed (kafka.server.KafkaServer)"),
            ("201", "ERROR Exiting Kafka. (kafka.Kafka$)"),
            ("202", "INFO shutting down (kafka.server.KafkaServer)"),
        )
    ),
]
DONE = "[2026-01-05 10:04:31,000] INFO [BrokerServer id=4] shut down completed (kafka.server.BrokerServer)"
STOPPED = [OF_SERVER.format("04:30,000", STOPS)]


@pytest.mark.parametrize(
    ("lines", "kind", "says"),
    [
        pytest.param(
            again(BROKEN), "broker_killed",
            "Broker 4 ended without a shutdown, and was started again. Do: See how it ended", id="killed",
        ),
        pytest.param(again(BROKEN), "broker_killed", "It was up 3.5 s after that start.", id="how long it took"),
        pytest.param(
            again(BROKEN, STOPPED), "broker_killed",
            "Broker 4 was killed while it shut down, and started again. Do: Give it more time", id="too little time",
        ),
        pytest.param(
            again(KEPT, STOPPED), "nothing_wrong", "was shut down and started again (up after 33.5 s)", id="in order",
        ),
        pytest.param(
            again(BROKEN, [*STOPPED, DONE]), "nothing_wrong", "Broker 4 was shut down and started again",
            id="in order, and it was given another directory",
        ),
        pytest.param(
            [*with_zookeeper(4, "00"), *REFUSED_AS_IT_BEGAN, *with_zookeeper(4, "05"), LOADS.format("05:01,000", FIRST)],
            "broker_of_another_cluster", "did not start, or can't join: its files are of another cluster",
            id="a start that was refused before the broker had a number is no shutdown that was cut off",
        ),
        pytest.param(
            again(BROKEN.replace("7", "0")), "nothing_wrong", "no line tells of a shutdown", id="its directory is empty",
        ),
        pytest.param(again(KEPT), "nothing_wrong", "as a shutdown leaves them", id="lines are missing"),
        pytest.param(again(stops=STOPPED), "nothing_wrong", "Broker 4 was shut down and started", id="of an older release"),
        pytest.param(again(), "nothing_wrong", "broker 4 began anew, and no line tells of a shutdown", id="who knows"),
        pytest.param(
            [RAN, LOADS.format("00:01,000", FIRST)], "nothing_wrong", "nothing wrong", id="there is none at first",
        ),
        pytest.param(
            [*with_zookeeper(4, "00"), UP_WITH_ZOOKEEPER, *with_zookeeper(4, "05"), LOADS.format("05:00,100", BROKEN)],
            "broker_killed", "Broker 4 ended without a shutdown", id="with ZooKeeper",
        ),
        pytest.param(
            [RAN, *FULL, *again(BROKEN)[1:]], "disk_full", "2. Broker 4 ended without a shutdown, and was started again",
            id="one that is up again comes after a disk that is full",
        ),
        pytest.param(
            [*with_zookeeper(4, "00"), *with_zookeeper(5, "05"), LOADS.format("05:00,100", BROKEN)],
            "nothing_wrong", "nothing wrong", id="another one beside it",
        ),
        pytest.param(
            [*with_zookeeper(4, "00"), UP_WITH_ZOOKEEPER,
             "[2026-01-05 10:03:00,000] INFO shutting down (kafka.server.KafkaServer)", *with_zookeeper(4, "05")],
            "nothing_wrong", "Broker 4 was shut down and started again", id="a shutdown without its number",
        ),
        pytest.param(
            [RAN, RAN.replace("id=4", "id=5"), LOADS.format("00:01,000", BROKEN)], "nothing_wrong", "nothing wrong",
            id="two brokers of one process",
        ),
        pytest.param(
            [EVICTS.format("00:01,000", 1), OF_SERVER.format("05:00,000", STARTS), LOADS.format("05:00,100", BROKEN)],
            "broker_killed", "Broker 4 ended without a shutdown", id="a log that begins while it runs",
        ),
    ],
)  # fmt: skip
def test_how_a_broker_had_ended(tmp_path, lines, kind, says):
    found, said = answered("\n".join(lines), tmp_path)
    assert found == kind
    assert says in said


def test_members_that_a_killed_broker_lost_are_told_with_it(tmp_path):
    evicted = [EVICTS.format(f"05:{at},000", at) for at in (12, 13)]
    found, said = answered("\n".join([*again(BROKEN), *evicted]), tmp_path)
    assert found == "broker_killed"
    assert "2. " not in said
    assert "Then 2026-01-05 10:05:12.000" in said


def test_members_that_are_lost_long_after_are_none_of_it(tmp_path):
    _, said = answered("\n".join([*again(BROKEN), EVICTS.format("45:00,000", 1)]), tmp_path)
    assert "2. " in said


EXPIRED = "[2026-01-05 10:00:40,100] INFO [ZooKeeperClient Kafka server] Session expired. (kafka.zookeeper.ZooKeeperClient)"
GONE_FROM_ZOOKEEPER = [
    "[2026-01-05 10:00:38,000] WARN Client session timed out, have not heard from server in 312000ms for sessionid 0x1000 "
    "(org.apache.zookeeper.ClientCnxn)",
    EVICTS.format("00:38,200", 1),
    "[2026-01-05 10:00:40,050] WARN Unable to reconnect to ZooKeeper service, session 0x1000 has expired "
    "(org.apache.zookeeper.ClientCnxn)",
    EXPIRED,
]
TAKEN = [
    "[2026-01-05 10:00:09,100] ERROR Error while creating ephemeral at /brokers/ids/4, node already exists and owner '72' "
    "does not match current session '75' (kafka.zk.KafkaZkClient$CheckedEphemeral)",
    "[2026-01-05 10:00:09,200] ERROR [KafkaServer id=4] Fatal error during KafkaServer startup. Prepare to shutdown "
    "(kafka.server.KafkaServer)\norg.apache.zookeeper.KeeperException$NodeExistsException: KeeperErrorCode = NodeExists",
]
ZOOKEEPER_TOO = (
    "[2026-01-05 10:02:00,000] ERROR Unexpected exception, exiting abnormally "
    "(org.apache.zookeeper.server.ZooKeeperServerMain)\njava.net.BindException: Address already in use: bind\n"
    "\tat java.base/sun.nio.ch.Net.bind0(Native Method)"
)


def held(partition, minute, dirs="D:\\logs"):
    """What a broker on Windows says as it can't rename a file of its own, and ends by it."""
    file = f"{dirs}\\{partition}\\0.timeindex"
    return [
        f"[2026-01-05 10:{minute}:05,000] ERROR Error while deleting segments for {partition} in dir {dirs} "
        f"(kafka.server.LogDirFailureChannel)\njava.nio.file.FileSystemException: {file} -> {file}.deleted: The process "
        "cannot access the file because it is being used by another process",
        f"[2026-01-05 10:{minute}:05,100] ERROR Shutdown broker because all log dirs in {dirs} have failed "
        "(kafka.log.LogManager)",
    ]


FAILED_TWICE = [
    RAN, *held("pay-0", "02"), OF_SERVER.format("05:00,000", STARTS), LOADS.format("05:01,000", BROKEN),
    UP.format("05:03,500"), *held("bills-3", "07"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "kind", "said", "unsaid"),
    [
        pytest.param(
            GONE_FROM_ZOOKEEPER, "broker_lost_zookeeper",
            ["Before 2026-01-05 10:00:38.200: Consumer pay-1", "it had heard nothing of it for 5 min 12 s"],
            ["2. ", "A client lost"], id="a broker that stood still heard no heartbeats either, and is told once",
        ),
        pytest.param(
            [EVICTS.format("00:01,000", 1), *TAKEN], "broker_registered_already", ["2. Consumer pay-1", "was kicked out"],
            ["Then 2026"], id="what is known goes before what has its cause elsewhere",
        ),
        pytest.param(
            [*TAKEN, ZOOKEEPER_TOO], "broker_registered_already", ["2. ZooKeeper could not listen: the port is already"],
            ["3. "], id="what ended ZooKeeper is told beside what ended its broker",
        ),
        pytest.param(
            FAILED_TWICE, "files_held_on_windows",
            ["its own files of pay-0", "Also 1 time more", "Broker 4 ended itself and was started again (up after 2 min 58 s)"],
            ["2. ", "ended without a shutdown"], id="files of two partitions are one fault, and so are the ends that it brought",
        ),
        pytest.param(
            ["[2026-01-05 10:00:43,261] WARN sleep interrupted (kafka.utils.Utils$)\njava.lang.InterruptedException: sleep "
             "interrupted\n\tat java.lang.Thread.sleep(Native Method)\n\tat kafka.controller.RequestSendThread$$anonfun$1.apply"
             "(ControllerChannelManager.scala:144)"],
            "nothing_wrong", ["interrupted a thread of its own"], ["A client"], id="a thread of its own, as it stops",
        ),
        pytest.param(
            [f"[2026-01-05 10:00:40,{ms}] WARN [Controller-4-to-broker-4-send-thread], Controller 4 epoch 2 fails to send request "
             "Name:UpdateMetadataRequest;Version:0;Controller:4;AliveBrokers:id:4,host:k4,port:9092 to broker "
             "id:4,host:k4,port:9092. Reconnecting to broker. (kafka.controller.RequestSendThread)\n"
             "java.nio.channels.ClosedChannelException" for ms in (624, 774, 924)] + ["[2026-01-05 10:00:50,100] INFO [SessionExpirationListener on 4], ZK expired; shut down all controller components and try to re-elect (kafka.controller.KafkaController$SessionExpirationListener)"],
            "broker_lost_zookeeper", ["2. The controller (broker 4) could not reach broker 4 with UpdateMetadata (3 times in 300 ms)"],
            ["With it came"], id="a controller of 0.8 that does not reach a broker, beside a lost session",
        ),
        pytest.param(
            ["[2026-01-05 10:00:16,327] ERROR [KafkaApi-4] error when handling request Name: TopicMetadataRequest; Version: 0; "
             "CorrelationId: 2; ClientId: ; Topics: pay (kafka.server.KafkaApis)\nkafka.admin.AdminOperationException: "
             "replication factor: 1 larger than available brokers: 0"],
            "no_broker_registered", ["No broker at all was registered when a topic was to be made. Do: Nothing where it ends within seconds of a start"], [],
            id="no broker is there at all",
        ),
        pytest.param(
            ["[2026-01-05 10:00:25,845] ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\n"
             "java.lang.IllegalArgumentException: No MetadataVersion with feature level 27\n"
             "\tat org.apache.kafka.server.common.MetadataVersion.fromFeatureLevel(MetadataVersion.java:338)"],
            "broker_too_old", ["does not know metadata.version 27: it is older than what wrote that"], [], id="an older release",
        ),
        pytest.param(
            ["[2026-01-05 10:00:21,378] WARN [Controller id=4, targetBrokerId=4] Error connecting to node 10.0.0.4:9092 (id: 4 rack: null) (org.apache.kafka.clients.NetworkClient)\n"
             "java.net.SocketException: Network is unreachable\n\tat java.base/sun.nio.ch.Net.connect0(Native Method)"] * 4,
            "server_connect_failed", ['"Network is unreachable" is what its own host answers', "could not connect to node 4 (10.0.0.4:9092)"],
            ["(bootstrap.servers"], id="a network that is off",
        ),
        pytest.param(
            ["[2026-01-05 10:00:04,744] ERROR Unexpected exception, exiting abnormally (org.apache.zookeeper.server.ZooKeeperServerMain)\n"
             "java.io.IOException: Cannot write to data directory /var/zk/version-2\n\tat org.apache.zookeeper.server.persistence.FileTxnSnapLog.<init>(FileTxnSnapLog.java:104)"],
            "zookeeper_directory_unwritable", ["it can't write its directory /var/zk/version-2"], [], id="a directory of another user's",
        ),
        pytest.param(
            ["[2026-01-05 10:00:14,504] WARN [RequestSendThread controllerId=4] Controller 4's connection to broker 10.0.0.9:9092 (id: 4 rack: null) was unsuccessful (kafka.controller.RequestSendThread)\n"
             "java.io.IOException: Connection to 10.0.0.9:9092 (id: 4 rack: null) failed."] * 3
            + ["[2026-01-05 10:00:17,777] WARN [RequestSendThread controllerId=4] Controller 4's connection to broker localhost:9092 (id: 4 rack: null) was unsuccessful (kafka.controller.RequestSendThread)\n"
               "java.io.IOException: Connection to localhost:9092 (id: 4 rack: null) failed."],
            "controller_reaches_not_itself", ["does not reach itself at its own address 10.0.0.9:9092"], [], id="the address that it began with",
        ),
        pytest.param(
            ["[2026-01-05 10:00:42,000] INFO [AdminClient clientId=pay-admin] Cancelled in-flight METADATA request with correlation id 167 due to node 0 being disconnected (elapsed time since creation: 1ms, elapsed time since send: 1ms, request timeout: 30000ms) (org.apache.kafka.clients.NetworkClient)",
             *["[2026-01-05 10:00:42,100] WARN [AdminClient clientId=pay-admin] Connection to node 0 (localhost/127.0.0.1:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)"] * 4],
            "connect_failed", ["Do: See whether the broker at that address runs and listens."], ["set the broker's advertised.listeners"],
            id="a broker that had been reached there",
        ),
        pytest.param(
            ["26/01/05 10:45:03 ERROR MicroBatchExecution: Query [id = 5, runId = 7] terminated with error\n"
             "org.apache.spark.SparkConcurrentModificationException: Multiple streaming queries are concurrently using "
             "file:/data/cp/offsets.\n\tat org.apache.spark.sql.kafka010.KafkaSource.commit(KafkaSource.scala:7)"],
            "spark_checkpoint_shared", ["another one uses its checkpoint file:/data/cp/offsets"], [], id="a shared checkpoint",
        ),
        pytest.param(
            ["2026-01-05 10:00:02.894 WARN 7 --- [pay] [pay-admin-0] o.a.k.clients.admin.KafkaAdminClient : [AdminClient "
             "clientId=pay-admin-0] The DescribeTopicPartitions API is not supported, using Metadata API to describe topics.",
             "2026-01-05 10:00:22.023 WARN 7 --- [pay] [r-kafka-metrics] i.m.p.PrometheusMeterRegistry : The meter "
             "(MeterId{name='kafka.consumer.fetch.rate', tags=[tag(client.id=pay-1)]}) registration has failed: Prometheus "
             "requires that all meters with the same name have the same set of tag keys."],
            "nothing_wrong", ["API is not supported"], ["could not be judged"], id="an older broker, and a gauge",
        ),
    ],
)  # fmt: skip
def test_a_brokers_own_trouble_is_told_first_and_once(lines, kind, said, unsaid, tmp_path):
    told, answer = answered("\n".join(lines), tmp_path)
    assert told == kind
    assert [one for one in said if one not in answer] == []
    assert [one for one in unsaid if one in answer] == []


TO_B7 = "2026-01-05 10:00:{},134 - kafka.conn - {} - <BrokerConnection node_id=7 host=kafka:29092 <{}> [IPv4 ('10.0.0.7', 29092)]>: {}"
UNRESOLVED = "2026-01-05 10:00:{},032 - kafka.conn - ERROR - DNS lookup failed for kafka:29092 (AddressFamily.AF_UNSPEC)"
REFUSED = TO_B7.format(
    "03", "INFO", "connecting", "Closing connection. KafkaConnectionError: 111 ECONNREFUSED"
)


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        pytest.param([REFUSED, UNRESOLVED.format("05")], "connect_failed", id="it had resolved: its owner is gone"),
        pytest.param([UNRESOLVED.format("01"), REFUSED], "dns_failed", id="it resolves since"),
        pytest.param(
            [REFUSED.replace("kafka:29092", "other:29092"), UNRESOLVED.format("05")], "dns_failed", id="another name"
        ),
    ],
)  # fmt: skip
def test_a_name_that_is_gone_goes_behind_the_broker_that_had_it(lines, kind, tmp_path):
    assert answered("\n".join(lines), tmp_path)[0] == kind


def test_what_came_again_and_again_is_counted(tmp_path):
    lines = again(BROKEN)
    lines += [EVICTS.format(f"05:{10 + one},000", one) for one in range(4)]
    _, answer = answered("\n".join(lines), tmp_path)
    assert answer.count("was kicked out of group pay") <= 2
    assert "2 times more; the last 2026-01-05 10:05:13.000" in answer or "3 times more" in answer
