# ruff: noqa: E501  # a line of a log is a line
"""How brokers, ZooKeeper's servers, Connect's workers and clients tell of their own start and end."""

import pytest

from tests.answered import answered

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
