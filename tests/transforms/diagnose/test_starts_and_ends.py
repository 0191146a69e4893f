# ruff: noqa: E501  # a line of a log is a line
"""How brokers, ZooKeeper's servers, Connect's workers and clients tell of their own start and end."""

import pytest

from tests.answered import answered
from transforms.parse.lines.timestamps import Clock

AT = "[2026-01-05 10:00:00,000]"
INVALID = "org.apache.kafka.connect.runtime.rest.errors.BadRequestException: Connector configuration is invalid and contains the following 1 error(s):\nConnection to db:5432 refused."


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        pytest.param(
            f"{AT} ERROR Stopping after connector error (org.apache.kafka.connect.cli.ConnectStandalone:121)\njava.util.concurrent.ExecutionException: java.nio.file.NoSuchFileException: config/orders.properties\n\tat x.Y.z(Y.java:1)",
            "connect_worker_stopped", ["A Connect worker stopped: NoSuchFileException: config/orders.properties"], id="a worker that ends with its connector",
        ),
        pytest.param(
            f"{AT} ERROR Stopping due to error (org.apache.kafka.connect.cli.ConnectStandalone:130)\norg.apache.kafka.connect.errors.ConnectException: Unable to initialize REST server\n\tat x.Y.z(Y.java:1)\nCaused by: java.net.BindException: La dirección ya se está usando\n\tat x.Y.z(Y.java:1)",
            "not_listening", ["La dirección ya se está usando", "rest.port"], id="a port, in whatever language",
        ),
        pytest.param(
            f"{AT} ERROR Stopping after connector error (org.apache.kafka.connect.cli.ConnectStandalone:117)\njava.util.concurrent.ExecutionException: {INVALID}\n\tat x.Y.z(Y.java:1)\nCaused by: {INVALID}\n\tat x.Y.z(Y.java:1)",
            "connect_failed_to_start", ["contains the following 1 error(s): Connection to db:5432 refused"], id="what was refused stands on the next line",
        ),
        pytest.param(
            f"{AT} ERROR Failed to create connector for config/orders.properties (org.apache.kafka.connect.cli.ConnectStandalone:74)",
            "connect_failed_to_start", ["did not start: config/orders.properties"], id="a connector that has no name yet",
        ),
        pytest.param(
            f"{AT} ERROR Unable to start acceptor for CONTROLLER (kafka.network.DataPlaneAcceptor)\norg.apache.kafka.common.KafkaException: Socket server failed to bind to 0.0.0.0:9093: Operation not permitted.\n\tat x.Y.z(Y.java:1)\nCaused by: java.net.SocketException: Operation not permitted\n\tat x.Y.z(Y.java:1)",
            "not_listening", ["at 0.0.0.0:9093: Operation not permitted"], id="a port that it may not have",
        ),
        pytest.param(
            f"{AT} ERROR Error while deleting segments for orders-0 in dir D:\\kafka\\logs (org.apache.kafka.storage.internals.log.LogDirFailureChannel)\njava.nio.file.FileSystemException: D:\\kafka\\logs\\orders-0\\0.timeindex -> D:\\kafka\\logs\\orders-0\\0.timeindex.deleted: El proceso no tiene acceso al archivo",
            "files_held_on_windows", ["of orders-0", "Linux"], id="Windows, in whatever language",
        ),
        pytest.param(
            f"{AT} WARN [KafkaServer id=7] Proceeding to do an unclean shutdown as all the controlled shutdown attempts failed (kafka.server.KafkaServer)",
            "broker_not_shut_down_in_order", ["Broker 7 did not shut down in order"], id="nobody to hand over to",
        ),
        pytest.param(
            f"{AT} ERROR [RaftManager id=1] Graceful shutdown of RaftClient failed (org.apache.kafka.raft.KafkaRaftClientDriver)\njava.util.concurrent.TimeoutException: Timeout expired before graceful shutdown completed",
            "broker_not_shut_down_in_order", ["Broker 1"], id="a quorum that was not left in time is no call that timed out",
        ),
        pytest.param(
            f"{AT} INFO [BrokerLifecycleManager id=1] Unable to register the broker because the RPC got timed out before it could be sent. (kafka.server.BrokerLifecycleManager)",
            "broker_not_registered", ["A broker is not registered"], id="a broker whose id the words lack",
        ),
        pytest.param(
            f"{AT} WARN Exception caught (org.apache.zookeeper.server.NettyServerCnxnFactory)\norg.apache.zookeeper.common.X509Exception$SSLContextException: Failed to create KeyManager\nCaused by: java.io.FileNotFoundException: /etc/zk/keystore.jks (No such file or directory)",
            "tls_files", ["/etc/zk/keystore.jks"], id="a key that ZooKeeper does not find",
        ),
        pytest.param(
            f"{AT} WARN Exception causing close of session 0x0 due to java.io.IOException: Len error 369296128 (org.apache.zookeeper.server.NIOServerCnxn)",
            "zookeeper_client_unread", ["Len error 369296128"], id="no client of ZooKeeper's",
        ),
        pytest.param(
            f"{AT} WARN Log in /data/orders-2 marked stray and renamed to /data/orders-2.0aa1d2f3b4c5e6f708192a3b4c5d6e7f-stray (kafka.log.LogManager)",
            "partition_logs_stray", ["such as orders-2", "keep these directories"], id="logs of another cluster",
        ),
        pytest.param(
            "2026-01-05 10:00:00,373 - DNS lookup failed for pay:9092, exception was [Errno 11001] getaddrinfo failed. Is your advertised.listeners (called advertised.host.name before Kafka 9) correct and resolvable?\n"
            "2026-01-05 10:00:00,374 - <BrokerConnection client_id=pay-1, node_id=1 host=pay:9092 <connecting> [unspecified None]>: Closing connection. KafkaConnectionError: DNS failure",
            "dns_failed", ["pay:9092: the name does not resolve"], id="a log of Python's that has times and messages alone",
        ),
        pytest.param(
            f"{AT} ERROR Closing socket for 10.0.0.7:9092-10.0.0.8:51001-3 because of error (kafka.network.Processor)\n"
            "org.apache.kafka.common.errors.InvalidRequestException: Received request api key LEADER_AND_ISR with version 7 which is not enabled",
            "request_not_served", ["does not serve: LEADER_AND_ISR", "what a controller with ZooKeeper sends", "work was delayed"], id="a request of the other mode is no record that was lost",
        ),
        pytest.param(
            f"{AT} ERROR Error while writing to checkpoint file /data/kafka/recovery-point-offset-checkpoint (kafka.server.LogDirFailureChannel)\njava.io.FileNotFoundException: /data/kafka/recovery-point-offset-checkpoint.tmp (Permission denied)",
            "storage_failed", ["A broker has trouble with its disk"], id="a checkpoint of a broker's is no state of Streams'",
        ),
        pytest.param(
            f"{AT} ERROR Disk error while locking directory /data/kafka (kafka.server.LogDirFailureChannel)\njava.nio.file.AccessDeniedException: /data/kafka/.lock\n"
            f"{AT} ERROR [KafkaServer id=7] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\norg.apache.kafka.common.KafkaException: Socket server failed to bind to 0.0.0.0:9092: Address already in use.\nCaused by: java.net.BindException: Address already in use",
            "log_dir_foreign", ["With it came: a process could not listen at 0.0.0.0:9092: the port is already in use"], id="what ended it beside another fault is told by its reason",
        ),
        pytest.param(
            f"{AT} ERROR Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\njava.lang.RuntimeException: Stored node id 7 doesn't match previous node id 8 in /data/kafka/meta.properties. If you moved your data, make sure your configured node id matches.",
            "broker_of_another_id", ["it is set to broker.id 8, and its files are those of 7"], id="another node's files, by 3.7 and later",
        ),
        pytest.param(
            f"{AT} WARN [AdminClient clientId=pay-admin] Connection to node -1 (k1/10.0.0.7:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient:860)\n"
            f"{AT} ERROR Stopping due to error (org.apache.kafka.connect.cli.ConnectDistributed:126)\norg.apache.kafka.connect.errors.ConnectException: Failed to connect to and describe Kafka cluster. Check worker's broker connection and security properties.\nCaused by: org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment. Call: listNodes",
            "connect_failed", ["found no broker to send it to in time: it stopped the Connect worker"], id="a worker that stopped for want of its brokers",
        ),
        pytest.param(
            "2026-01-05 10:00:30,387 [main] ERROR o.s.kafka.core.KafkaAdmin - Could not configure topics\norg.springframework.kafka.KafkaException: Timed out waiting to get existing topics\n\tat org.springframework.kafka.core.KafkaAdmin.checkPartitions(KafkaAdmin.java:499)\nCaused by: java.util.concurrent.TimeoutException: null",
            "admin_topics_not_made", ["neither looked up nor made", "the application goes on"], id="topics that Spring could not make",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 - ERROR - orders: KafkaError{code=_INVALID_ARG,val=-186,str=\"Failed to create producer: Private key check failed: error:0B080074:x509 certificate routines:X509_check_private_key:key values mismatch\"}",
            "tls_key_without_certificate", ["do not belong together", "Nothing was asked of a broker"], id="a key of another certificate is no handshake",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 - ERROR - <BrokerConnection client_id=pay-1, node_id=7 host=k7.example.org:9092 <connecting> [IPv6 ('::1', 9092, 0, 0)]>: Connection attempt timed out",
            "connection_not_made", ["could not make its connection to k7.example.org:9092"], id="whom Python's connection was for",
        ),
    ],
)  # fmt: skip
def test_what_a_start_or_an_end_is_told_as(text, kind, words, tmp_path):
    found, said = answered(text, tmp_path)
    assert found == kind
    assert [word for word in words if word not in said] == []


@pytest.mark.parametrize(
    "text",
    [
        "WARN Kafka scheduler has not been started (kafka.utils.Utils$)",
        "WARN Could not alter configuration of topic eu.pay. (org.apache.kafka.connect.mirror.MirrorSourceConnector:627)",
        "WARN [Consumer clientId=pay-1, groupId=pay] Unable to find FetchSessionHandler for node 1. Ignoring fetch response. (org.apache.kafka.clients.consumer.internals.AbstractFetch)",
        "ERROR [Broker id=1] Expected partition orders-2 with topic id G4lSZgn5SQKyRsPFZLbhGw to exist, but it was missing. Creating... (state.change.logger)",
        "ERROR [Log partition=orders-2, dir=/data] Could not find offset index file corresponding to log file /data/orders-2/0.log, recovering segment and rebuilding index files... (kafka.log.Log)",
        "ERROR [QuorumController id=1] writeNoOpRecord: unable to start processing because of RejectedExecutionException. Reason: null (org.apache.kafka.controller.QuorumController)",
        "ERROR Invalid configuration, only one server specified (ignoring) (org.apache.zookeeper.server.quorum.QuorumPeerConfig)",
        "WARN config/zookeeper.properties is relative. Prepend ./ to indicate that you're sure! (org.apache.zookeeper.server.quorum.QuorumPeerConfig)",
        "INFO [ReplicaFetcher replicaId=7, leaderId=8, fetcherId=0] Error sending fetch request (sessionId=3, epoch=9) to node 8: {}. (org.apache.kafka.clients.FetchSessionHandler)\njava.io.IOException: Client was shutdown before response was read",
        "ERROR [GroupCoordinator id=7] Execution of UpdateImage(tp=__consumer_offsets-1, offset=12) failed due to EventProcessor is closed.. (org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime)\njava.util.concurrent.RejectedExecutionException: EventProcessor is closed.",
        "WARN o.e.j.s.ServletContextHandler@7a5e{/,null,STOPPED} contextPath ends with /* (org.eclipse.jetty.server.handler.ContextHandler)\n[2026-01-05 10:00:00,000] INFO Kafka version: 3.9.0 (org.apache.kafka.common.utils.AppInfoParser)",
        "ERROR stream-thread [main] RackId doesn't exist for process 49df8e61-1 and consumer pay-StreamThread-1-consumer-7 (org.apache.kafka.streams.processor.internals.assignment.RackAwareTaskAssignor)",
        "WARN [LogLoader partition=orders-2, dir=/data] Found an orphaned index file /data/orders-2/0.timeindex, with no corresponding log file. (kafka.log.LogLoader)",
    ],
)
def test_what_a_server_says_loudly_and_goes_on_with(text, tmp_path):
    assert answered(f"{AT} {text}", tmp_path)[0] == "nothing_wrong"


def test_a_member_by_heartbeats_that_leaves_is_told_that_it_lost_its_partitions(tmp_path):
    lines = [
        "INFO [Consumer clientId=pay-1, groupId=pay] Member mA7 is triggering callbacks to release assignment [orders-0] and leave group (org.apache.kafka.clients.consumer.internals.ConsumerMembershipManager)",
        "INFO [Consumer clientId=pay-1, groupId=pay] Revoke previously assigned partitions [orders-0] (org.apache.kafka.clients.consumer.internals.ConsumerRebalanceListenerInvoker)",
        "INFO [Consumer clientId=pay-1, groupId=pay] Lost previously assigned partitions [orders-0] (org.apache.kafka.clients.consumer.internals.ConsumerRebalanceListenerInvoker)",
    ]
    assert answered("\n".join(f"{AT} {line}" for line in lines), tmp_path)[0] == "nothing_wrong"
    assert answered(f"{AT} {lines[2]}", tmp_path)[0] == "partitions_lost"


def test_a_connect_worker_that_stops_gives_its_leave_no_time(tmp_path):
    text = "Close timed out with 1 pending requests to coordinator, terminating client connections"
    worker = f"{AT} WARN [Worker clientId=connect-1, groupId=pay] {text} (org.apache.kafka.connect.runtime.distributed.WorkerCoordinator:1145)"
    member = f"{AT} WARN [Consumer clientId=pay-1, groupId=pay] {text} (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator:1145)"
    assert answered(worker, tmp_path)[0] == "nothing_wrong"
    assert answered(member, tmp_path)[0] == "close_timed_out"


def test_the_same_that_is_normal_is_said_once(tmp_path):
    member = "[Consumer clientId=pay-1, groupId=pay]"
    logger = "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
    lines = [
        f"DEBUG {member} JoinGroup failed due to non-fatal error: MEMBER_ID_REQUIRED. Will set the member id as pay-1-7 and then rejoin. Sent generation was Generation{{generationId=-1, memberId='', protocol='null'}} {logger}",
        f"INFO {member} Request joining group due to: need to re-join with the given member-id: pay-1-7 {logger}",
    ]
    _, said = answered("\n".join(f"{AT} {line}" for line in lines), tmp_path)
    assert said.count("hands a new member its id first") == 1


def test_what_a_server_ended_by_is_told_before_a_session_that_it_got_again(tmp_path):
    lines = [
        "[2026-01-05 09:00:00,000] INFO [ZooKeeperClient Kafka server] Session expired. (kafka.zookeeper.ZooKeeperClient)",
        "[2026-01-05 12:00:00,000] ERROR Error while deleting segments for orders-2 in dir C:\\kafka-logs (kafka.server.LogDirFailureChannel)",
        "java.nio.file.FileSystemException: C:\\kafka-logs\\orders-2\\0.log -> C:\\kafka-logs\\orders-2\\0.log.deleted: The process cannot access the file because it is being used by another process",
        "[2026-01-05 12:00:00,009] ERROR Shutdown broker because all log dirs in C:\\kafka-logs have failed (kafka.log.LogManager)",
    ]
    found, said = answered("\n".join(lines), tmp_path)
    assert found == "files_held_on_windows"
    assert said.index("lost its ZooKeeper session") > said.index("all its log directories have failed")


def test_an_hour_in_which_the_client_of_zookeeper_alone_spoke_is_a_broker_s_by_its_layout(tmp_path):
    refused = (
        "[2026-01-05 10:00:0{},000] WARN Session 0x10000f4869300{} for sever zk1/10.0.0.9:2181, Closing socket connection. Attempting"
        " reconnect except it is a SessionExpiredException. (org.apache.zookeeper.ClientCnxn)\njava.net.ConnectException: Connection refused"
    )
    found, said = answered("\n".join(refused.format(at, at) for at in range(5)), tmp_path)
    assert (found, "ZooKeeper at zk1/10.0.0.9:2181 was not reached (5 times)" in said) == (
        "zookeeper_unreached",
        True,
    )
    others = "\n".join(
        refused.format(at, at).replace("[2026", "app | 2026").replace(",000]", ",000") for at in range(5)
    )
    assert answered(others, tmp_path)[0] == "not_judged"


def test_what_was_normal_at_a_start_is_no_part_of_a_fault_after_it(tmp_path):
    lines = [
        "[2026-01-05 10:00:00,000] WARN [Controller id=7, targetBrokerId=7] Connection to node 7 (b7/10.0.0.7:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)",
        "[2026-01-05 10:00:00,151] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)",
        "[2026-01-05 10:00:09,000] WARN [SocketServer listenerType=ZK_BROKER, nodeId=7] Unexpected error from /10.0.0.8; closing connection (org.apache.kafka.common.network.Selector)",
        "org.apache.kafka.common.network.InvalidReceiveException: Invalid receive (size = 1195725856 larger than 104857600)",
    ]
    _, said = answered("\n".join(lines), tmp_path)
    assert "letters of HTTP" in said
    assert "With it came" not in said


def test_a_broker_that_could_not_leave_in_order_without_zookeeper_is_told_with_that(tmp_path):
    refused = "[2026-01-05 10:{:02},000] WARN Session 0x10000f48693000{} for server zk1/10.0.0.9:2181, Closing socket connection. (org.apache.zookeeper.ClientCnxn)\njava.net.ConnectException: Connection refused\n\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)"
    many = [refused.replace("10:{:02}", "10:00:{:02}").format(at, at % 10) for at in range(40)]
    many.insert(
        30,
        "[2026-01-05 10:00:29,500] WARN [KafkaServer id=7] Proceeding to do an unclean shutdown as all the controlled shutdown attempts failed (kafka.server.KafkaServer)",
    )
    found, said = answered("\n".join(many), tmp_path)
    assert found == "zookeeper_unreached"
    assert "Then 2026-01-05 10:00:29.500: Broker 7 did not shut down in order" in said


def test_the_record_that_killed_a_connect_task_is_told_with_the_task(tmp_path):
    wrapped = "org.apache.kafka.common.errors.SerializationException: com.fasterxml.jackson.core.JsonParseException: Unexpected character ('x' (code 120))"
    lines = [
        f"{AT} ERROR WorkerSinkTask{{id=orders-sink-0}} Error converting message value in topic 'orders' partition 2 at offset 4711 and timestamp 1767607200000 (org.apache.kafka.connect.runtime.WorkerSinkTask:552)",
        f"org.apache.kafka.connect.errors.DataException: Converting byte[] to Kafka Connect data failed due to serialization error:\nCaused by: {wrapped}",
        f"{AT} ERROR WorkerSinkTask{{id=orders-sink-0}} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerTask:184)",
        f"org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded in error handler\nCaused by: {wrapped}",
    ]
    found, said = answered("\n".join(lines), tmp_path)
    assert found == "connect_task_killed"
    assert "2. " not in said
    assert "can't read a record of orders-2 at offset 4711" in said


LOADED = "[2026-01-05 10:00:00,000] INFO Loaded member MemberMetadata(memberId=pay-7-aa1baa40-9c30-4414-b516-004613859d3d, groupInstanceId=None, clientId=pay-7, clientHost=/10.0.0.8, sessionTimeoutMs=30000, rebalanceTimeoutMs=60000, supportedProtocols=List(range)) in group pay with generation 4. (kafka.coordinator.group.GroupMetadata$)"
FAILED = "[2026-01-05 10:0{},021] INFO [GroupCoordinator 7]: Member pay-7-aa1baa40-9c30-4414-b516-004613859d3d in group pay has failed, removing it from the group (kafka.coordinator.group.GroupCoordinator)"


def test_a_member_that_its_coordinator_had_from_before_and_never_heard_of(tmp_path):
    found, said = answered(f"{LOADED}\n{FAILED.format('0:30')}", tmp_path)
    assert found == "membership_session_expired"
    assert "Consumer pay-7 was kicked out of group pay: its coordinator knew it from before it began" in said
    assert "session.timeout.ms = 30 s" in said
    assert "garbage collection" not in said


def test_a_member_that_beat_on_after_its_coordinator_had_loaded_it_stood_still_later(tmp_path):
    _, said = answered(f"{LOADED}\n{FAILED.format('9:30')}", tmp_path)
    assert "knew it from before" not in said
    assert "no heartbeat arrived within session.timeout.ms = 30 s" in said


def test_a_session_that_the_next_start_got_is_none_of_the_broker_s_that_was_stopped_before_it(tmp_path):
    lines = [
        "[2026-01-05 10:00:00,000] INFO starting (kafka.server.KafkaServer)",
        "[2026-01-05 10:00:01,000] WARN Session 0x0 for server zk1/10.0.0.9:2181, Closing socket connection. Attempting reconnect except it is a SessionExpiredException. (org.apache.zookeeper.ClientCnxn)\njava.net.ConnectException: Connection refused",
        "[2026-01-05 10:00:02,000] ERROR Fatal error during KafkaServer shutdown. (kafka.server.KafkaServer)\njava.lang.IllegalStateException: Kafka server is still starting up, cannot shut down!",
        "[2026-01-05 10:00:02,001] ERROR Halting Kafka. (kafka.Kafka$)",
        "[2026-01-05 10:00:30,000] INFO starting (kafka.server.KafkaServer)",
        "[2026-01-05 10:00:31,000] INFO Session establishment complete on server zk1/10.0.0.9:2181, session id = 0x10000f486930007, negotiated timeout = 18000 (org.apache.zookeeper.ClientCnxn)",
    ]
    found, said = answered("\n".join(lines), tmp_path)
    assert found == "zookeeper_unreached"
    assert "A broker was stopped while it was still starting" in said
    assert answered("\n".join([lines[0], lines[1], lines[5]]), tmp_path)[0] == "nothing_wrong"


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
            "not_listening", ["Die Adresse wird bereits verwendet"], "or ended", id="and a port that is taken, in whatever language, is that",
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
    ],
)  # fmt: skip
def test_what_is_answered_of_servers_that_wait_for_others(tmp_path, lines, kind, words, unsaid):
    told, said = answered("\n".join(lines), tmp_path)
    assert told == kind
    assert [one for one in words if one not in said] == []
    assert unsaid not in said


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
