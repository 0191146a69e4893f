# ruff: noqa: E501  # a line of a log is a line
"""What went wrong for several reasons in one process is told by each of them, with what is to be done for each."""

import pytest

from tests.answered import answered

LINE = "[2026-01-05 10:{}] {} {}"
REGISTERED = LINE.format(
    "00:03,100",
    "ERROR",
    "Error while creating ephemeral at /brokers/ids/7, node already exists and owner '0x10000aa' does not match current session '0x10000ab' (kafka.zk.KafkaZkClient$CheckedEphemeral)",
)
CUT = LINE.format(
    "00:01,100",
    "WARN",
    "[LogLoader partition=bills-3, dir=/srv/kafka] Corruption found in segment 0, truncating to offset 112 (kafka.log.LogLoader)",
)
EXIT = "Exiting Kafka due to fatal exception during startup. (kafka.Kafka$)"
UNFORMATTED = "java.lang.RuntimeException: No readable meta.properties files found.\n\tat kafka.server.KafkaRaftServer$.initializeLogDirs(KafkaRaftServer.scala:141)"
OF_ANOTHER_ID = "java.lang.RuntimeException: Stored node id 4 doesn't match previous node id 5 in /srv/kafka/meta.properties. If you moved your data, make sure your configured node id matches.\n\tat kafka.server.KafkaRaftServer$.initializeLogDirs(KafkaRaftServer.scala:141)"
SERVERS = "[SocketServer listenerType=ZK_BROKER, nodeId=7] Failed authentication with /10.1.0.{} (channelId=10.1.0.7:9093-10.1.0.{}:4{}-1) ({}) (org.apache.kafka.common.network.Selector)"
FENCED = "[QuorumController id=3] Fencing broker 2 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)"
OVERLOADED = "[QuorumController id=3] processExpiredBrokerHeartbeat: controller event queue overloaded. Timed out heartbeat from broker 2. (org.apache.kafka.controller.QuorumController)"
NOT_FOUND = LINE.format(
    "00:01,100",
    "WARN",
    "[AdminClient clientId=bill-admin] Connection to node -1 (k1/10.0.0.7:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)",
)
SHUTDOWN = [
    LINE.format(
        "00:00,100",
        "WARN",
        "[KafkaServer id=7] Error during controlled shutdown, possibly because leader movement took longer than the configured controller.socket.timeout.ms and/or request.timeout.ms: Connection to 8 was disconnected before the response was read (kafka.server.KafkaServer)",
    ),
    LINE.format(
        "00:01,100",
        "WARN",
        "[KafkaServer id=7] Retrying controlled shutdown after the previous attempt failed... (kafka.server.KafkaServer)",
    ),
]
NO_DRIVER = "org.apache.kafka.connect.errors.ConnectException: java.sql.SQLException: No suitable driver found for jdbc:db2://db1/bills\n\tat io.confluent.connect.jdbc.JdbcSourceConnector.start(JdbcSourceConnector.java:90)\nCaused by: java.sql.SQLException: No suitable driver found for jdbc:db2://db1/bills"
TOKEN = "[Principal=:bill]: Expiring credential expires at Mon Jan 05 10:05:00 UTC 2026, so buffer times of 60 and 300 seconds at the front and back, respectively, cannot be accommodated.  We will refresh at Mon Jan 05 10:04:00 UTC 2026. (org.apache.kafka.common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin)"


@pytest.mark.parametrize(
    ("lines", "kind", "words", "unsaid"),
    [
        pytest.param(
            [CUT, REGISTERED],
            "broker_registered_already",
            [
                "its id is registered in ZooKeeper already",
                "found the log damaged as it was loaded",
                "See how that broker ended before",
            ],
            "With it came",
            id="a log that was cut, and a start that was refused",
        ),
        pytest.param(
            [
                LINE.format("00:00,100", "ERROR", f"{EXIT}\n{UNFORMATTED}"),
                LINE.format("01:30,100", "ERROR", f"{EXIT}\n{OF_ANOTHER_ID}"),
                LINE.format("03:00,100", "ERROR", f"{EXIT}\n{UNFORMATTED}"),
            ],
            "log_dir_not_formatted",
            [
                "its log directory was never formatted",
                "broker.id 5, and its files are those of 4",
            ],
            "With it came",
            id="a server that ended by another reason between two ends, in one class of exception",
        ),
        pytest.param(
            [
                LINE.format(
                    "00:00,100",
                    "INFO",
                    SERVERS.format(8, 8, 1000, "Authentication failed: Invalid username or password"),
                ),
                LINE.format("00:02,100", "INFO", SERVERS.format(9, 9, 2000, "SSL handshake failed")),
            ],
            "tls_failed_here",
            ["could not agree on TLS", "refused the identity"],
            "With it came",
            id="clients that a broker refused for different reasons",
        ),
        pytest.param(
            [LINE.format("00:00,100", "WARN", OVERLOADED), LINE.format("00:00,200", "INFO", FENCED)],
            "controller_overloaded",
            ["Broker 2 was fenced by its controller", "its event queue is overloaded"],
            "2. Broker",
            id="a controller that takes heartbeats too late, and whom it fences for it",
        ),
        pytest.param(
            [
                LINE.format(
                    "00:00,100",
                    "ERROR",
                    f"[bills|worker] WorkerConnector{{id=bills}} Error while starting connector (org.apache.kafka.connect.runtime.WorkerConnector)\n{NO_DRIVER}",
                ),
                LINE.format(
                    "00:20,100",
                    "ERROR",
                    "[sales|task-0] Graceful stop of task sales-0 failed. (org.apache.kafka.connect.runtime.Worker)",
                ),
            ],
            "connect_failed_to_start",
            ["No suitable driver found", "sales-0 did not stop in time"],
            "processed twice",
            id="a connector that did not start, and a task that did not stop",
        ),
        pytest.param(
            [NOT_FOUND, LINE.format("00:00,100", "WARN", TOKEN), NOT_FOUND.replace("00:01", "00:02")],
            "connect_failed",
            ["Normal, though it may look like trouble: [Principal=:bill]"],
            "In its words",
            id="a token that does not live long is fetched anew",
        ),
        pytest.param(
            SHUTDOWN[:1],
            "nothing_wrong",
            ["could not hand over what it leads"],
            "could not be judged",
            id="a shutdown in order at the second try",
        ),
        pytest.param(
            [
                *SHUTDOWN,
                *(one.replace("00:0", "00:1") for one in SHUTDOWN),
                LINE.format(
                    "00:20,100",
                    "WARN",
                    "[KafkaServer id=7] Proceeding to do an unclean shutdown as all the controlled shutdown attempts failed (kafka.server.KafkaServer)",
                ),
            ],
            "broker_not_shut_down_in_order",
            ["Broker 7 did not shut down in order", "Error during controlled shutdown"],
            "lost its connection",
            id="a shutdown that was tried in vain",
        ),
        pytest.param(
            [
                LINE.format(
                    "00:00,100",
                    "WARN",
                    "[QuorumController id=3] Renouncing the leadership due to a metadata log event. We were the leader at epoch 6, but in the new epoch 7, the leader is 2. Reverting to last stable offset 112. (org.apache.kafka.controller.QuorumController)",
                )
            ],
            "nothing_wrong",
            ["Renouncing the leadership", "is normal"],
            "could not be judged",
            id="a controller that leads no more",
        ),
    ],
)
def test_each_reason_is_told(tmp_path, lines, kind, words, unsaid):
    told, said = answered("\n".join(lines), tmp_path)
    assert told == kind
    assert [one for one in words if one not in said] == []
    assert unsaid not in said


def test_what_passes_by_itself_is_told_behind_what_cost_as_much(tmp_path):
    lost = "2026-01-05 10:0{}:00,100 - bills - ERROR - Error sending message to Kafka: {}"
    refused = "2026-01-05 10:00:0{0},200 - kafka.conn - ERROR - Connect attempt to <BrokerConnection node_id=1 host=k1:9092 <connecting> [IPv4 ('10.0.0.7', 9092)]> returned error 111. Disconnecting."
    text = [
        *(refused.format(at) for at in range(1, 9)),
        lost.format(1, "KafkaConnectionError: 111 ECONNREFUSED"),
        lost.format(2, "[Error 3] UnknownTopicOrPartitionError"),
    ]
    told, said = answered("\n".join(text), tmp_path)
    assert told == "connect_failed"
    assert "asks for a topic or partition that brokers do not know" in said


def test_what_is_said_beside_a_fault_are_no_words_of_it(tmp_path):
    text = "\n".join(
        [
            "org.apache.kafka.common.errors.UnknownTopicOrPartitionException:",
            "WARN Error while fetching metadata with correlation id 7 : {bills=LEADER_NOT_AVAILABLE} (org.apache.kafka.clients.NetworkClient)",
        ]
    )
    told, said = answered(text, tmp_path)
    assert told == "topic_missing", said
    assert 'In its words: "Error while' not in said


def test_what_lines_of_no_form_say_beside_a_fault_is_told_with_it(tmp_path):
    text = "\n".join(
        [
            "[2026/01/05 10:00:00] [ warn] [engine] failed to flush chunk '1-17.flb', retry in 8 seconds: task_id=3, input=tail.0 > output=kafka.0 (out_id=0)",
            "[2026/01/05 10:00:01] [ warn] [engine] chunk '1-16.flb' cannot be retried: task_id=2, input=tail.0 > output=kafka.0",
        ]
    )
    told, said = answered(text, tmp_path)
    assert told == "shipper_chunk_lost"
    assert "With it came: Fluent Bit could not give chunk 1-17.flb" in said
