# ruff: noqa: E501, RUF001  # a line of a log is a line
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
            f"{AT} ERROR Stopping due to error (org.apache.kafka.connect.cli.ConnectStandalone:130)\norg.apache.kafka.connect.errors.ConnectException: Unable to initialize REST server\n\tat x.Y.z(Y.java:1)\nCaused by: java.net.BindException: Osoite on jo käytössä\n\tat x.Y.z(Y.java:1)",
            "not_listening", ["Osoite on jo käytössä", "rest.port"], id="a port, in whatever language",
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
            "connect_timed_out", ["could not connect to broker 7 (k7.example.org:9092): nothing answered", "It was tried at ::1, by IPv6"], id="whom Python's connection was for",
        ),
        pytest.param(
            f"{AT} ERROR Stopping due to error (org.apache.kafka.connect.cli.ConnectStandalone:130)\njava.net.BindException: La dirección ya se está usando\n\tat x.Y.z(Y.java:1)",
            "port_taken", ["the port is already in use"], id="an error of the system's that is known in that language",
        ),
        pytest.param(
            f"{AT} ERROR Failed to clean up log for __consumer_offsets-7 in dir D:\\kafka\\logs due to IOException (kafka.server.LogDirFailureChannel)\njava.nio.file.FileSystemException: D:\\kafka\\logs\\__consumer_offsets-7\\0.timeindex.cleaned: 另一个程序正在使用此文件，进程无法访问。",
            "files_held_on_windows", ["of __consumer_offsets-7"], id="a file that Windows holds, in Chinese",
        ),
        pytest.param(
            f"{AT} ERROR Error while writing to checkpoint file E:\\kafka\\data\\log-start-offset-checkpoint (kafka.server.LogDirFailureChannel)\njava.nio.file.AccessDeniedException: E:\\kafka\\data",
            "dir_flushed_on_windows", ["E:\\kafka\\data", "KAFKA-13391", "3.0.1"], id="a directory that Windows does not flush",
        ),
        pytest.param(
            f"{AT} ERROR Uncaught exception in thread 'kafka-producer-network-thread': (pay.Main)\njava.net.ConnectException: Connexion refusée\n\tat org.apache.kafka.clients.NetworkClient.poll(NetworkClient.java:7)",
            "connect_failed", ["Nothing took the connection there"], id="a connection that was refused, in French",
        ),
        pytest.param(
            "kafka.common.InvalidOffsetException: Attempt to append an offset (41) to position 7 no larger than the last offset appended (52) to /data/pay-3/30.index.\n\tat kafka.log.OffsetIndex.append(OffsetIndex.scala:7)",
            "index_out_of_order", ["offset 41 comes behind 52 in /data/pay-3/30.index", "fetched anew"], id="offsets of a segment are no consumer's",
        ),
        pytest.param(
            "$ bin/kafka-server-start.sh config/server.properties\n/opt/kafka/bin/kafka-run-class.sh: line 309: exec: java: not found",
            "java_not_found", ["(kafka-run-class.sh) found no Java to run", "JAVA_HOME"], id="no Java",
        ),
        pytest.param(
            "/opt/kafka/bin/kafka-run-class.sh: line 309: /opt/jdk/bin/java/bin/java: Not a directory",
            "java_not_found", ["/opt/jdk/bin/java/bin/java is none"], id="a program in place of its folder",
        ),
        pytest.param(
            "/srv/kafka/bin/kafka-run-class.sh: line 252: [[: 11 Ea: syntax error in expression (error token is \"Ea\")",
            "script_failed", ["line 252", "kafka-run-class.sh: [[: 11 Ea: syntax error"], id="a script that does not know its Java",
        ),
        pytest.param(
            "E:\\kafka_2.13-4.0.0>bin\\windows\\kafka-server-start.bat config\\server.properties\nDie Eingabezeile ist zu lang.\nSyntaxfehler.",
            "command_line_too_long", ["8191 characters"], id="a line of Windows'",
        ),
        pytest.param(
            "PS E:\\kafka> .\\bin\\windows\\zookeeper-server-start.bat .\\config\\zookeeper.properties\n错误: 找不到或无法加载主类 Files\\Java\\jdk-11\\lib;C:\\Program",
            "path_with_blank", ["without a blank"], id="a path with a blank",
        ),
        pytest.param(
            "zk-1  | Classpath is empty. Please build the project first e.g. by running './gradlew jar -PscalaVersion=2.13.8'\nkafka-1  | waiting",
            "main_class_missing", ["the source (-src) in place of the binaries"], id="the source in place of the binaries",
        ),
        pytest.param(
            "kafka-7  | mkdir: cannot create directory ‘/bitnami/kafka/data’: Permission denied\nkafka-7 exited with code 1",
            "image_path_refused", ["/bitnami/kafka/data"], id="a volume of another user's is why a container ended",
        ),
        pytest.param(
            "OpenJDK 64-Bit Server VM warning: INFO: os::commit_memory(0x00000000c0000000, 536870912, 0) failed; error='Not enough space' (errno=12)\n# /opt/kafka/bin/hs_err_pid7.log",
            "jvm_without_memory", ["536870912 bytes"], id="no memory for the heap, and Kafka named beside it",
        ),
        pytest.param(
            "[info] pay.kafka.PaySpec *** ABORTED *** (2 seconds)\n[info]   0 was not equal to 7",
            "said_to_fail", ["PaySpec *** ABORTED ***"], id="a suite of tests that was aborted",
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


def test_the_cause_alone_of_a_container_whose_topic_is_missing(tmp_path):
    line = "Caused by: java.lang.IllegalStateException: Topic(s) [invoices] is/are not present and missingTopicsFatal is true"
    _, said = answered(line, tmp_path)
    assert "its topics are not there: invoices" in said


def test_a_container_that_ends_as_its_identity_is_refused_is_told_with_that(tmp_path):
    lines = [
        "2026-01-05 10:00:00.120 ERROR 1 --- [ntainer#0-0-C-1] c.e.bills.Listener : Authentication/Authorization Exception and no authExceptionRetryInterval set",
        "Caused by: Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512",
    ]
    _, said = answered("\n".join(lines), tmp_path)
    assert "The broker refused the identity of a client" in said
    assert "2. " not in said


def test_a_stream_of_automq_that_another_broker_holds_is_no_trouble_of_a_disk(tmp_path):
    line = f"{AT} ERROR Error while opening stream: 41, epoch 3, code: STREAM_NOT_CLOSED, retry later (kafka.log.stream.s3.streams.ControllerStreamManager)"
    found, said = answered(line, tmp_path)
    assert found == "stream_not_closed"
    assert "can't open a stream (41) that another one has not closed" in said
    assert "disk" not in said
    other = f"{AT} ERROR Error while trimming stream: 41, code: NODE_FENCED (kafka.log.stream.s3.streams.ControllerStreamManager)"
    assert "its storage of streams" in answered(other, tmp_path)[1]


def test_what_a_sink_did_not_take_is_told_before_the_commit_that_failed_with_it(tmp_path):
    lines = [
        f"{AT} WARN WorkerSinkTask{{id=bills-0}} Offset commit failed during close (org.apache.kafka.connect.runtime.WorkerSinkTask)",
        f"{AT} ERROR WorkerSinkTask{{id=bills-0}} Commit of offsets threw an unexpected exception for sequence number 1: null (org.apache.kafka.connect.runtime.WorkerSinkTask)",
        "com.snowflake.kafka.connector.internal.SnowflakeKafkaConnectorException: \n[SF_KAFKA_CONNECTOR] Exception: Failed to put records\n[SF_KAFKA_CONNECTOR] Error Code: 5014",
    ]
    found, said = answered("\n".join(lines), tmp_path)
    assert found == "sink_write_failed"
    assert "2. " not in said


def test_what_an_image_advises_of_its_listener_is_normal(tmp_path):
    lines = [
        "kafka 10:00:00.46 INFO  ==> ** Starting Kafka setup **",
        "kafka 10:00:00.59 WARN  ==> Kafka has been configured with a PLAINTEXT listener, this setting is not recommended for production environments.",
        "kafka 10:00:01.24 INFO  ==> ** Starting Kafka **",
    ]
    assert answered("\n".join(lines), tmp_path)[0] == "nothing_wrong"


REFUSED = "[2026-01-05 10:00:00,{}] WARN [AdminClient clientId=adminclient-1] Connection to node -1 (localhost/127.0.0.1:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)"


@pytest.mark.parametrize(
    ("printed", "kind"),
    [
        pytest.param("Created topic invoices.", "nothing_wrong", id="a topic that was made"),
        pytest.param("ClusterId:              Nk018hRAQFytWskYqtQduw\nLeaderId:               3", "nothing_wrong", id="a quorum that is described"),
        pytest.param("Topic: invoices\tTopicId: Zk3mJ1XtQm2lZ0mV7sWk2A\tPartitionCount: 3", "nothing_wrong", id="a topic that is described"),
        pytest.param("^C\n% docker compose up -d\n% kafka-topics --create --topic invoices\nCreated topic invoices.", "connect_failed", id="another command's"),
        pytest.param("Error while executing topic command : Timed out waiting for a node assignment.", "connect_failed", id="no answer"),
    ],
)  # fmt: skip
def test_a_command_that_printed_what_it_was_asked_for_had_reached_its_broker(printed, kind, tmp_path):
    text = "\n".join([REFUSED.format("120"), REFUSED.format("327"), printed])
    assert answered(text, tmp_path)[0] == kind


def test_an_exception_of_another_product_that_is_called_like_an_error_of_kafka_s(tmp_path):
    lines = [
        f"{AT} ERROR WorkerSinkTask{{id=bills-0}} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerTask)",
        "org.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception.\n\tat x.Y.z(Y.java:1)",
        "Caused by: com.amazonaws.services.kinesis.model.ResourceNotFoundException: Stream bills under account 111 not found.",
    ]
    _, said = answered("\n".join(lines), tmp_path)
    assert "killed by com.amazonaws.services.kinesis.model.ResourceNotFoundException: Stream bills" in said
    assert "limit of the cluster" not in said


def test_a_trace_that_was_cut_in_a_status_of_connect_is_the_end_of_a_task(tmp_path):
    line = '"tasks": [ { "id": 0, "trace": "org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded in error handler ..." } ]'
    found, said = answered(line, tmp_path)
    assert found == "connect_task_killed"
    assert "the task's loop: Tolerance exceeded in error handler" in said


def test_a_streams_client_that_is_asked_in_its_last_state_is_no_passing_thing(tmp_path):
    found, said = answered(
        "java.lang.IllegalStateException: KafkaStreams is not running. State is ERROR.", tmp_path
    )
    assert found == "streams_asked_in_error"
    assert "Nothing is broken" not in said


def test_an_assignor_that_no_coordinator_named(tmp_path):
    text = "10:00:01 ERROR [poll-1] c.e.Bills - java.lang.IllegalStateException: Coordinator selected invalid assignment protocol: null\n\tat org.apache.kafka.clients.consumer.KafkaConsumer.poll(KafkaConsumer.java:1154)"
    found, said = answered(text, tmp_path)
    assert found == "assignor_unknown"
    assert "KAFKA-8104" in said


@pytest.mark.parametrize("mark", ["noformat", "code:java", "quote", "color:#ff0000"])
def test_what_a_page_of_jira_puts_around_a_log_is_no_part_of_it(mark, tmp_path):
    thrown = (
        "org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [bills]"
    )
    end = "{" + mark.partition(":")[0] + "}"
    for text in (f"{{{mark}}}\n{thrown}\n{end}", f"{{{mark}}}{thrown} {end}"):
        _, said = answered(text, tmp_path)
        assert "has no right to topics: [bills]" in said
        assert mark not in said
        assert "thread" not in said.partition("Log lines")[0]


@pytest.mark.parametrize(
    ("text", "unsaid"),
    [
        pytest.param("[ERROR] io.strimzi.operator.user.UsersIT.shouldRotate:41 » Runtime Timed out while starting Kafka containers", "operator could", id="surefire"),
        pytest.param("Error:  testFetch(io.streamnative.pulsar.handlers.kop.FetchTest)  <<< FAILURE!\njava.lang.AssertionError: expected [3] but found [4] of kafka", "A broker", id="TestNG"),
    ],
)  # fmt: skip
def test_a_test_s_class_is_not_who_speaks(text, unsaid, tmp_path):
    found, said = answered(text, tmp_path)
    assert found == "said_to_fail"
    assert unsaid not in said


def test_what_waits_in_scala_is_no_client_s_call(tmp_path):
    text = "26/01/05 10:00:00 ERROR KafkaJob: java.util.concurrent.TimeoutException: Futures timed out after [30 seconds]. This timeout is controlled by spark.rpc.askTimeout"
    found, said = answered(text, tmp_path)
    assert found == "own_wait_timed_out"
    assert "spark.rpc.askTimeout is their limit" in said
