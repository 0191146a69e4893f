# ruff: noqa: E501  # a line of a log is a line, in whatever language
"""Single servers, often on somebody's own machine: what ends them, what they wait for, and what is normal as they start."""

import pytest

from tests.answered import answered

ALL_CLEAR = "nothing_wrong"
LOG = "org.apache.kafka.storage.internals.log.LogDirFailureChannel"
REFUSED = "[2026-01-05 10:00:{},{}] INFO [BrokerLifecycleManager id=7] Unable to register broker 7 because the controller returned error DUPLICATE_BROKER_REGISTRATION (kafka.server.BrokerLifecycleManager)\n"
REFUSALS = REFUSED.format("06", "292") + REFUSED.format("09", "432") + REFUSED.format("12", "698")
STARTED = "[2026-01-05 10:00:19,147] INFO [KafkaRaftServer nodeId=7] Kafka Server started (kafka.server.KafkaRaftServer)\n"
HELD = (
    "[2026-01-05 10:00:02,564] ERROR [SharedServer id=7] Got exception while starting SharedServer (kafka.server.SharedServer)\n"
    "java.io.IOException: The requested operation cannot be performed on a file with a user-mapped section open\n\tat java.base/java.io.RandomAccessFile.setLength(Native Method)\n"
)


@pytest.mark.parametrize(
    ("text", "kind", "words", "unsaid"),
    [
        pytest.param(
            REFUSALS + STARTED,
            ALL_CLEAR, ["DUPLICATE_BROKER_REGISTRATION (3 times in 6.4 s)"], "Do: ", id="a broker that waited for its earlier run to time out, and started",
        ),
        pytest.param(
            REFUSALS,
            "broker_not_registered", ["After a hard stop wait"], "nothing wrong", id="one that is not seen to start",
        ),
        pytest.param(
            HELD + REFUSALS,
            "files_held_on_windows", ["2. A broker (7) is not registered"], "10:00:02.564 to", id="a file that Windows holds is no refusal by a controller",
        ),
        pytest.param(
            HELD
            + "[2026-01-05 10:00:02,586] ERROR Encountered fatal fault: Unexpected error in raft IO thread (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)\n"
            "org.apache.kafka.common.errors.CorruptRecordException: Found record size 0 smaller than minimum record overhead (14) in file D:\\pay\\__cluster_metadata-0\\00000000000000000000.log.\n",
            "files_held_on_windows", ["Then 2026-01-05 10:00:02.586: The log of the cluster's metadata is damaged"], "2. ", id="nor is metadata that was read meanwhile what failed first",
        ),
        pytest.param(
            "[2026-01-05 10:00:05,905] ERROR [kafka-log-cleaner-thread-0], Error due to  (kafka.log.LogCleaner)\n"
            "kafka.common.KafkaStorageException: Failed to change the log file suffix from .cleaned to .swap for log segment 0\n\tat kafka.log.LogSegment.changeFileSuffixes(LogSegment.scala:342)\n"
            "Caused by: java.nio.file.FileSystemException: \\tmp\\pay\\bills-3\\00000000000000000000.log.cleaned -> \\tmp\\pay\\bills-3\\00000000000000000000.log.swap: El proceso no tiene acceso al archivo\n\tat sun.nio.fs.WindowsException.translateToIOException(WindowsException.java:86)\n",
            "files_held_on_windows", ["Run the broker on Linux"], "Look at the disk", id="a path of Windows without its drive, and its words in another language",
        ),
        pytest.param(
            f"[2026-01-05 10:00:07,644] ERROR Error while writing to checkpoint file D:\\pay\\replication-offset-checkpoint ({LOG})\n"
            "java.nio.file.FileSystemException: D:\\pay\\replication-offset-checkpoint: The process cannot access the file because it is being used by another process\n\tat java.base/sun.nio.fs.WindowsException.translateToIOException(WindowsException.java:92)\n"
            "\tSuppressed: java.nio.file.AccessDeniedException: D:\\pay\\replication-offset-checkpoint.tmp -> D:\\pay\\replication-offset-checkpoint\n\t\tat java.base/sun.nio.fs.WindowsException.translateToIOException(WindowsException.java:89)\n"
            "[2026-01-05 10:00:07,645] WARN [ReplicaManager broker=7] Stopping serving replicas in dir D:\\pay (kafka.server.ReplicaManager)\n"
            "[2026-01-05 10:00:07,648] ERROR [ReplicaManager broker=7] Error while writing to highwatermark file in directory D:\\pay (kafka.server.ReplicaManager)\n"
            "org.apache.kafka.common.errors.KafkaStorageException: Error while writing to checkpoint file D:\\pay\\replication-offset-checkpoint\n"
            "Caused by: java.nio.file.FileSystemException: D:\\pay\\replication-offset-checkpoint: The process cannot access the file because it is being used by another process\n\tat java.base/sun.nio.fs.WindowsException.translateToIOException(WindowsException.java:92)\n"
            "[2026-01-05 10:00:07,665] ERROR Shutdown broker because all log dirs in D:\\pay have failed (kafka.log.LogManager)\n",
            "checkpoint_held_on_windows", ["another process had it open", "Then 2026-01-05 10:00:07.645 to 10:00:07.665, 20 ms: A broker (7) stops: all its log directories"], "2. ", id="a checkpoint that another process has open",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,257] ERROR Controller 7 epoch 58 initiated state change for partition [pay,2] from OfflinePartition to OnlinePartition failed (state.change.logger)\nkafka.common.NoReplicaOnlineException: No replica for partition [pay,2] is alive. Live brokers are: [Set()], Assigned replicas are: [List(7)]\n\tat kafka.controller.OfflinePartitionLeaderSelector.selectLeader(PartitionLeaderSelector.scala:73)\n"
            "[2026-01-05 10:00:09,148] WARN Broker 7 ignoring LeaderAndIsr request from controller 7 with correlation id 1 epoch 58 for partition [pay,2] since its associated leader epoch 38 is not higher than the current leader epoch 38 (state.change.logger)\n",
            ALL_CLEAR, ["no leader yet for [pay,2]"], "Bring back", id="a controller that is not registered as a broker yet has no replica",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,257] ERROR Controller 7 epoch 58 initiated state change for partition [pay,2] from OfflinePartition to OnlinePartition failed (state.change.logger)\nkafka.common.NoReplicaOnlineException: No replica for partition [pay,2] is alive. Live brokers are: [Set()], Assigned replicas are: [List(7, 8)]\n\tat kafka.controller.OfflinePartitionLeaderSelector.selectLeader(PartitionLeaderSelector.scala:73)\n",
            "partition_without_leader", ["on broker(s) 7, 8"], "yet for", id="but one that is on another broker, too, may wait for that one",
        ),
        pytest.param(
            "[2026-01-05 10:00:33,471] ERROR Server died unexpectedly:  (io.confluent.kafka.schemaregistry.rest.SchemaRegistryMain)\n"
            "org.I0Itec.zkclient.exception.ZkTimeoutException: Unable to connect to zookeeper server 'zk7:2181' with timeout of 30000 ms\n\tat org.I0Itec.zkclient.ZkClient.connect(ZkClient.java:1233)\n",
            "broker_found_no_zookeeper", ["SchemaRegistry did not start"], "A broker did not start", id="a registry of old that finds no ZooKeeper is no broker",
        ),
        pytest.param(
            "[2026-01-05 10:00:23,396] INFO [NodeToControllerChannelManager id=7 name=registration] Node 7 disconnected. (org.apache.kafka.clients.NetworkClient)\n"
            "[2026-01-05 10:04:01,398] INFO [TransactionCoordinator id=7] Node 7 disconnected. (org.apache.kafka.clients.NetworkClient)\n"
            "[2026-01-05 10:04:01,398] INFO [AddPartitionsToTxnManager broker=7]Node 7 disconnected. (org.apache.kafka.clients.NetworkClient)\n"
            "[2026-01-05 10:04:01,412] INFO [NodeToControllerChannelManager id=7 name=forwarding] Node 7 disconnected. (org.apache.kafka.clients.NetworkClient)\n",
            ALL_CLEAR, ["lost its connection to node 7"], "Do: ", id="connections of a broker's parts to itself that rested",
        ),
        pytest.param(
            "2026-01-05T10:00:00.260Z  INFO 7 --- [pay] [main] o.a.kafka.common.utils.AppInfoParser     : Kafka version: 3.9.1\n"
            "2026-01-05T10:00:41.260Z ERROR 7 --- [pay] [scheduling-1] o.s.s.s.TaskUtils$LoggingErrorHandler    : Unexpected error occurred in scheduled task\n\n"
            "java.lang.RuntimeException: org.springframework.web.reactive.function.client.WebClientResponseException$TooManyRequests: 429 Too Many Requests from POST https://rates.example.com/v1\n"
            "\tat com.kafka.pay.Rates.ask(Rates.java:55)\n\tat com.kafka.pay.service.KafkaPublisher.publish(KafkaPublisher.java:46)\n",
            ALL_CLEAR, [], "A line about Kafka", id="what another server answers to an application whose packages are called after Kafka",
        ),
        pytest.param(
            "2026-01-05 10:00:00.260 [main] INFO  o.a.k.common.utils.AppInfoParser - Kafka version: 3.9.1\n"
            "2026-01-05 10:00:03.655 [pay-0-C-1] ERROR c.k.pay.service.Rates - rate-limited request for question: What gas do plants produce?\n",
            ALL_CLEAR, [], "A line about Kafka", id="a word of a client's in a question",
        ),
        pytest.param(
            "[2026-01-05 10:00:19,406] WARN [RequestSendThread controllerId=7] Controller 7 epoch 3 fails to send request (type: UpdateMetadataRequest=, controllerId=7, controllerEpoch=3, partitionStates={}, liveBrokers=(id=7, endPoints=(host=10.0.0.7, port=9092, listenerName=ListenerName(PLAINTEXT), securityProtocol=PLAINTEXT), rack=null)) to broker 10.0.0.7:9094 (id: 8 rack: null). Reconnecting to broker. (kafka.controller.RequestSendThread)\n"
            "java.io.IOException: Connection to 8 was disconnected before the response was read\n\tat org.apache.kafka.clients.NetworkClientUtils.sendAndReceive(NetworkClientUtils.java:97)\n"
            + "".join(
                f"[2026-01-05 10:00:19,{ms}] WARN [RequestSendThread controllerId=7] Controller 7's connection to broker 10.0.0.7:{9085 + broker} (id: {broker} rack: null) was unsuccessful (kafka.controller.RequestSendThread)\njava.io.IOException: Connection to 10.0.0.7:{9085 + broker} (id: {broker} rack: null) failed.\n\tat org.apache.kafka.clients.NetworkClientUtils.awaitReady(NetworkClientUtils.java:70)\n"
                for ms, broker in ((513, 7), (514, 8), (613, 7), (615, 8), (714, 7), (716, 8))
            ),
            "controller_reaches_not_itself", ["Broker 7, the controller, does not reach itself at its own address 10.0.0.7:9092", "those that its host has now"], "2. ", id="a controller whose host has another address by now",
        ),
        pytest.param(
            "[2026-01-05 10:00:19,406] WARN [RequestSendThread controllerId=7] Controller 7 epoch 3 fails to send request (type: UpdateMetadataRequest=, controllerId=7, controllerEpoch=3, partitionStates={"
            + ", ".join(f"pay-{number}=PartitionState(controllerEpoch=3, leader=8, leaderEpoch=1, isr=[8], zkVersion=4)" for number in range(40))
            + "}) to broker 10.0.0.7:9094 (id: 8 rack: null). Reconnecting to broker. (kafka.controller.RequestSendThread)\n"
            "java.io.IOException: Connection to 8 was disconnected before the response was read\n\tat org.apache.kafka.clients.NetworkClientUtils.sendAndReceive(NetworkClientUtils.java:97)\n"
            "[2026-01-05 10:00:19,513] WARN [RequestSendThread controllerId=7] Controller 7's connection to broker 10.0.0.9:9096 (id: 9 rack: null) was unsuccessful (kafka.controller.RequestSendThread)\njava.io.IOException: Connection to 10.0.0.9:9096 (id: 9 rack: null) failed.\n\tat org.apache.kafka.clients.NetworkClientUtils.awaitReady(NetworkClientUtils.java:70)\n",
            "controller_unanswered", ["got no answer from broker 8 to UpdateMetadata"], "broker 8 at 10.0.0.9", id="whose address was cut off has not another broker's",
        ),
        pytest.param(
            '[2026-01-05 10:00:18,721] ERROR Unable to access datadir, exiting abnormally (org.apache.zookeeper.server.ZooKeeperServerMain)\n'
            'org.apache.zookeeper.server.persistence.FileTxnSnapLog$DatadirException: Unable to create data directory "C:UsersPay Apayzk-data"\\version-2\n\tat org.apache.zookeeper.server.persistence.FileTxnSnapLog.<init>(FileTxnSnapLog.java:127)\n',
            "zookeeper_directory_unwritable", ['its directory "C:UsersPay Apayzk-data"', "Write dataDir without quotes"], '"C:UsersPay.', id="a path of Windows, whose signs were taken as escapes",
        ),
        pytest.param(
            "[2026-01-05 10:00:13,157] ERROR Encountered metadata publishing fault: Error applying topics delta in MetadataDelta up to 289 (org.apache.kafka.server.fault.LoggingFaultHandler)\n"
            "java.io.IOException: Map failed\n\tat sun.nio.ch.FileChannelImpl.map(Unknown Source)\nCaused by: java.lang.OutOfMemoryError: Map failed\n"
            + REFUSALS,
            "maps_exhausted", ["A broker (7) is not registered"], "10:00:13.157 to", id="a file that can't be mapped is no refusal by a controller",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,371] INFO starting (kafka.server.KafkaServer)\n[2026-01-05 10:00:01,371] INFO KafkaConfig values: \n\tbroker.id = 7\n\tlog.dirs = /var/pay/7\n (kafka.server.KafkaConfig)\n[2026-01-05 10:00:07,057] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:00:10,371] INFO starting (kafka.server.KafkaServer)\n[2026-01-05 10:00:11,371] INFO KafkaConfig values: \n\tbroker.id = 8\n\tlog.dirs = /var/pay/8\n (kafka.server.KafkaConfig)\n[2026-01-05 10:00:17,057] INFO [KafkaServer id=8] started (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:01:10,504] INFO starting (kafka.server.KafkaServer)\n[2026-01-05 10:01:11,504] INFO KafkaConfig values: \n\tbroker.id = 8\n\tlog.dirs = /var/pay/8\n (kafka.server.KafkaConfig)\n"
            "[2026-01-05 10:01:12,483] ERROR [KafkaServer id=8] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
            "org.apache.kafka.common.KafkaException: Failed to acquire lock on file .lock in /var/pay/8. A Kafka instance in another process or thread is using this directory.\n"
            "[2026-01-05 10:01:12,709] INFO [KafkaServer id=8] shutting down (kafka.server.KafkaServer)\n[2026-01-05 10:01:13,456] INFO [KafkaServer id=8] shut down completed (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:01:46,823] INFO starting (kafka.server.KafkaServer)\n[2026-01-05 10:01:47,823] INFO KafkaConfig values: \n\tbroker.id = 9\n\tlog.dirs = /var/pay/9\n (kafka.server.KafkaConfig)\n"
            "[2026-01-05 10:01:48,668] INFO Attempting recovery for all logs in /var/pay/9 since no clean shutdown file was found (kafka.log.LogManager)\n"
            "[2026-01-05 10:01:52,220] INFO [KafkaServer id=9] started (kafka.server.KafkaServer)\n",
            "log_dir_taken", ["/var/pay/8"], "ended without a shutdown", id="a broker that ended as it started did not load what the next one does",
        ),
        pytest.param(
            "10:00:31,377 |-INFO in ch.qos.logback.classic.joran.action.LevelAction - com.example.kafka.Pay level set to INFO\n"
            "10:00:31,378 |-INFO in ch.qos.logback.classic.joran.action.RootLoggerAction - Setting level of ROOT logger to WARN\n"
            "10:00:31,379 |-INFO in ch.qos.logback.classic.joran.action.LoggerAction - Setting additivity of logger [org.apache.kafka.clients] to false\n",
            ALL_CLEAR, [], "says that something failed", id="what Logback says of itself names a level that it sets",
        ),
        pytest.param(
            "[2026-01-05 10:00:12,774] WARN Connection broken for id 8, my id = 7, error =  (org.apache.zookeeper.server.quorum.QuorumCnxManager)\njava.io.EOFException\n\tat java.base/java.io.DataInputStream.readInt(DataInputStream.java:392)\n",
            "zookeeper_peer_unreached", ["server 8"], '"(org.apache', id="an error without words is no logger",
        ),
        pytest.param(
            "Error response from daemon: failed to set up container networking: driver failed programming external connectivity on endpoint pay-kafka (58b1): failed to bind host port for 0.0.0.0:9092:172.20.0.5:9092/tcp: address already in use\n",
            "port_taken", ["could not listen at 0.0.0.0:9092"], "nothing wrong", id="the port that Docker could not give to a container",
        ),
        pytest.param(
            f"[2026-01-05 10:00:07,644] ERROR Error while writing to checkpoint file /var/pay/replication-offset-checkpoint ({LOG})\n"
            "java.nio.file.FileSystemException: /var/pay/replication-offset-checkpoint.tmp: Input/output error\n\tat java.base/sun.nio.fs.UnixException.translateToIOException(UnixException.java:100)\n",
            "storage_failed", ["Look at the disk"], "Windows", id="a disk that fails elsewhere",
        ),
        pytest.param(
            STARTED
            + "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n#  SIGBUS (0x7) at pc=0x00007f2d5c90fc91, pid=7, tid=251\n#\n# JRE version: OpenJDK Runtime Environment (17.0.9+9)\n# Problematic frame:\n# v  ~StubRoutines::jbyte_disjoint_arraycopy\n#\n",
            "jvm_crashed", ["A Java process crashed (SIGBUS)", "look at the disk"], "nothing wrong", id="a JVM that crashed below a broker's lines",
        ),
        pytest.param(
            "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n#  EXCEPTION_ACCESS_VIOLATION (0xc0000005) at pc=0x00007ff8cd90fc97, pid=7, tid=251\n#\n# Problematic frame:\n# C  [librocksdbjni-win64.dll+0x7fc9]\n#\n2026-01-05 10:00:32,887 INFO  [main] org.apache.kafka.streams.KafkaStreams - stream-client [pay] State transition from REBALANCING to RUNNING\n",
            "jvm_crashed", ["(EXCEPTION_ACCESS_VIOLATION)", "librocksdbjni"], "nothing wrong", id="one that crashed on Windows before the next run",
        ),
        pytest.param(
            "[2026-01-05 10:00:01,686] WARN [Controller 7]: Cannot remove replica 8 from ISR of partition [pay,2] since it is not in the ISR. Leader = -1 ; ISR = List() (kafka.controller.KafkaController)\n"
            "[2026-01-05 10:00:01,687] WARN [Controller 7]: Cannot remove replica 8 from ISR of [pay,3] - leaderAndIsr is empty. (kafka.controller.KafkaController)\n"
            "[2026-01-05 10:00:01,979] WARN Broker 7 ignoring LeaderAndIsr request from controller 7 with correlation id 1 epoch 11 for partition [pay,2] since its associated leader epoch 16 is old. Current leader epoch is 16 (state.change.logger)\n"
            "[2026-01-05 10:00:01,980] WARN Broker 7 ignoring LeaderAndIsr request from controller 8 with correlation id 1 since its controller epoch 11 is old. Latest known controller epoch is 12 (state.change.logger)\n",
            ALL_CLEAR, ["Cannot remove replica"], "could not be judged", id="what controllers and brokers of before 1.1 leave undone, as it is done",
        ),
        pytest.param(
            "[2026-01-05 10:00:01,979] WARN Broker 7 ignoring LeaderAndIsr request from controller 7 with correlation id 1 epoch 11 for partition [pay,2] since its associated leader epoch 15 is old. Current leader epoch is 16 (state.change.logger)\n",
            "not_judged", ["could not be judged"], "Do: ", id="but not an epoch that another is ahead of",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,257] ERROR [Controller id=7 epoch=58] Initiated state change for partition pay-2 from OfflinePartition to OnlinePartition failed (state.change.logger)\nkafka.common.NoReplicaOnlineException: No replica in ISR for partition pay-2 is alive. Live brokers are: [Set()], ISR brokers are: [7]\n\tat kafka.controller.OfflinePartitionLeaderSelector.selectLeader(PartitionLeaderSelector.scala:65)\n",
            ALL_CLEAR, ["no leader yet for pay-2"], "Bring back", id="a controller of 1.0 that is not registered as a broker yet",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,257] ERROR [Controller id=7 epoch=58] Initiated state change for partition pay-2 from OfflinePartition to OnlinePartition failed (state.change.logger)\nkafka.common.NoReplicaOnlineException: No replica in ISR for partition pay-2 is alive. Live brokers are: [Set()], ISR brokers are: [8]\n\tat kafka.controller.OfflinePartitionLeaderSelector.selectLeader(PartitionLeaderSelector.scala:65)\n",
            "partition_without_leader", ["found no leader for pay-2"], "nothing wrong", id="but not of a partition that was in sync on another broker",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,112] ERROR Unexpected exception, exiting abnormally (org.apache.zookeeper.server.ZooKeeperServerMain)\njava.net.BindException: Address already in use\n\tat sun.nio.ch.Net.bind0(Native Method)\n"
            "[2026-01-05 10:01:13,085] FATAL  (kafka.Kafka$)\njava.io.FileNotFoundException: config/pay7.properties (No such file or directory)\n\tat java.io.FileInputStream.open0(Native Method)\n",
            "server_properties_missing", ["2. ZooKeeper could not listen"], "Then 2026", id="a file that is not there has no reason in a port that is taken",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,409] ERROR Broker 7 aborted the become-follower state change with correlation id 4 from controller 8 epoch 13 for partition [pay,2] new leader -1 (state.change.logger)\n",
            "partition_without_leader", ["found no leader for [pay,2]"], "could not do a part", id="a partition without a leader, as 0.8 tells its broker",
        ),
    ],
)  # fmt: skip
def test_what_is_answered_to_the_log_of_a_single_server(tmp_path, text, kind, words, unsaid):
    told, answer = answered(text, tmp_path)
    assert told == kind
    assert [one for one in words if one not in answer] == []
    assert unsaid not in answer
