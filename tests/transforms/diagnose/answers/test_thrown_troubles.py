# ruff: noqa: E501  # a line of a log is a line
"""What an application prints of Kafka, often without any head: what it means, and what it ended."""

import pytest

from tests.story import CONSUMER, left_of, line, told
from transforms.diagnose.unexplained.by_words import told_by_words

FETCHER = "org.apache.kafka.clients.consumer.internals.Fetcher"
GROUP = "kafka.coordinator.group.GroupCoordinator"
KAFKA = "org.apache.kafka.common."


def thrown(text):
    """The one incident that is no benign one."""
    found = [incident for incident in told(text) if incident.verdict != "benign"]
    assert len(found) == 1, [incident.title for incident in found]
    return found[0]


@pytest.mark.parametrize(
    ("text", "kind", "actor", "words"),
    [
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR [bills|task-0] WorkerSinkTask{id=bills-0} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted. Error: No schema at offset 7 (org.apache.kafka.connect.runtime.WorkerSinkTask:616)",
            "connect_task_killed", "application", ["bills-0", "the task's loop: No schema at offset 7"], id="a task whose line alone says why",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] WARN [Producer clientId=app] Got error produce response with correlation id 7 on topic-partition bills-0, retrying (2 attempts left). Error: NETWORK_EXCEPTION (org.apache.kafka.clients.producer.internals.Sender)",
            "produce_cut_off", "unknown", ["or the client itself did at its request.timeout.ms"], id="a request that its own client may have given up",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR [Controller id=1] Error completing preferred replica leader election for partition orders-0 (kafka.controller.KafkaController)\nkafka.common.StateChangeFailedException: Failed to elect leader for partition orders-0 under strategy PreferredReplicaPartitionLeaderElectionStrategy",
            "preferred_replica_not_elected", "broker", ["orders-0", "goes on leading it"], id="a partition whose preferred replica may not lead it",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,000] ERROR [Controller 1] Failed to send leadership\nrequest to broker 2: java.io.IOException: Connection refused",
            "connect_failed", "broker", ["A broker or controller", "leadership request to broker 2"], id="a line of a controller that a page broke",
        ),
        pytest.param(
            f"{KAFKA}errors.InvalidRequestException: Error getting request for apiKey: FETCH, apiVersion: 12, connectionId: 10.0.0.7:9092-10.0.0.9:40112-7, listenerName: ListenerName(PLAINTEXT), principal: User:ANONYMOUS\nCaused by: java.nio.BufferUnderflowException\n\tat x.Y.z(Y.java:1)",
            "request_unreadable", "application", ["A broker can't read a request: FETCH in version 12", "10.0.0.9"], id="a request that a broker can't read is no answer",
        ),
        pytest.param(
            "org.apache.kafka.streams.errors.InvalidStateStoreException: Cannot get state store bills because the stream thread is DEAD, not RUNNING",
            "streams_asked_in_error", "application", ["a thread that is dead stays so"], id="a thread that is dead",
        ),
        pytest.param(
            f'Exception in thread "main" {KAFKA}errors.InvalidGroupIdException: To use the group management or offset commit APIs, you must provide a valid group.id in the consumer configuration.',
            "config_refused", "settings", ["group.id", "thread main"], id="no group.id",
        ),
        pytest.param(
            f'Exception in thread "main" {KAFKA}KafkaException: Failed to construct kafka producer\n\tat com.acme.App.main(App.java:1)\nCaused by: {KAFKA}config.ConfigException: No resolvable bootstrap urls given in bootstrap.servers',
            "dns_failed", "settings", ["bootstrap.servers"], id="a name that nobody knows, as the client is made",
        ),
        pytest.param(
            f'Exception in thread "main" {KAFKA}KafkaException: Failed to construct kafka producer\nCaused by: javax.security.auth.login.LoginException: Could not login: the client is being asked for a password, but the Kafka client code does not currently support obtaining a password from the user.',
            "kerberos_key_missing", "settings", ["no key for its Kerberos login"], id="a keytab without the principal's key",
        ),
        pytest.param(
            "org.apache.kafka.common.KafkaException: java.lang.IllegalArgumentException: You must pass java.security.auth.login.config in secure mode.",
            "login_not_configured", "settings", ["sasl.jaas.config"], id="nor one for the JVM",
        ),
        pytest.param(
            f'Exception in thread "main" {KAFKA}KafkaException: Failed to construct kafka consumer\nCaused by: java.lang.IllegalArgumentException: Could not find a \'KafkaClient\' entry in the JAAS configuration. System property \'java.security.auth.login.config\' is not set',
            "login_not_configured", "settings", ["JAAS"], id="SASL without a login",
        ),
        pytest.param(
            f"* Group 'pay' could not be deleted due to: java.util.concurrent.ExecutionException: {KAFKA}errors.GroupNotEmptyException: The group is not empty.",
            "group_in_use", "application", ["members still", "Nothing was changed"], id="a group that has members",
        ),
        pytest.param(
            "ERROR: java.lang.IllegalStateException: Consumer group 'pay' is still active and has following members: [(memberId=pay-1-c2, groupInstanceId=null, clientId=pay-1, host=/10.0.0.1)]. You can use option '--force' to remove active members from the group.",
            "group_in_use", "application", ["A group (pay)", "--force"], id="a Streams application that runs",
        ),
        pytest.param(
            f'Exception in thread "main" {KAFKA}errors.DisconnectException: Cancelled fetchMetadata request with correlation id 7 due to node 2 being disconnected',
            "disconnected", "unknown", ["thread main"], id="what passes by itself, where nothing caught it",
        ),
        pytest.param(
            f'Exception in thread "main" {KAFKA}errors.TimeoutException: The AdminClient thread has exited.',
            "kafka_exception", "unknown", ["thread main"], id="what is always normal, where nothing caught it",
        ),
        pytest.param(
            f"{KAFKA}KafkaException: Failed to load SSL keystore /run/secrets/trust.jks of type JKS\nCaused by: java.io.FileNotFoundException: /run/secrets/trust.jks (No such file or directory)",
            "tls_files", "settings", ["/run/secrets/trust.jks"], id="a truststore that is not there",
        ),
        pytest.param(
            line(0, "ERROR", "com.acme.App", "can't start\norg.apache.kafka.streams.errors.TopologyException: Invalid topology: stream-thread [app-StreamThread-1-consumer] Following topics do not have the same number of partitions: [{orders=3, customers=6}]"),
            "not_copartitioned", "settings", ["orders=3"], id="a join of topics that are cut differently",
        ),
        pytest.param(
            'Exception in thread "app-StreamThread-1" org.apache.kafka.streams.errors.StreamsException: Existing internal topic app-counts-changelog has invalid partitions: expected: 4; actual: 1. Use \'kafka.tools.StreamsResetter\' tool to clean up invalid topics before processing.',
            "internal_topics_wrong", "settings", ["app-counts-changelog", "4 partitions", "app-StreamThread-1"], id="an internal topic of an older topology",
        ),
        pytest.param(
            "org.apache.kafka.streams.errors.InvalidStateStoreException: The state store, counts, may have migrated to another instance.",
            "store_not_queryable", "application", ["counts", "Nothing is broken"], id="a store that is asked too early",
        ),
        pytest.param(
            "org.apache.kafka.streams.errors.InvalidStateStoreException:\nThe state store may have migrated to another instance",
            "store_not_queryable", "application", ["state store (not named) now"], id="a store that is not named",
        ),
        pytest.param(
            f"{KAFKA}errors.SerializationException: Error retrieving Avro schema for id 63\nCaused by: java.net.ConnectException: Connection refused (Connection refused) of the schema registry",
            "schema_unavailable", "settings", ["schema.registry.url", "no part in it"], id="a schema registry that does not answer",
        ),
        pytest.param(
            f"{KAFKA}errors.TimeoutException: Batch containing 3 record(s) expired due to timeout while requesting metadata from brokers for orders-0",
            "batch_expired_old", "broker", ["orders-0", "request.timeout.ms"], id="an expiry of 0.10",
        ),
        pytest.param(
            'Exception in thread "main" org.apache.kafka.clients.consumer.NoOffsetForPartitionException: Undefined offset with no reset policy for partitions: [orders-0]',
            "offset_undefined", "settings", ["orders-0", "auto.offset.reset=none"], id="no offset and no policy",
        ),
        pytest.param(
            "java.lang.IllegalStateException: No current assignment for partition orders-0\n\tat org.apache.kafka.clients.consumer.KafkaConsumer.seek(KafkaConsumer.java:1581)",
            "not_assigned", "application", ["orders-0", "No broker"], id="a seek of what is not assigned",
        ),
        pytest.param(
            f"{KAFKA}errors.SnapshotNotFoundException: Requested snapshot was not found",
            "kafka_exception", "unknown", ["SnapshotNotFoundException", "Requested snapshot was not found"], id="an exception that no class names",
        ),
        pytest.param(
            line(0, "INFO", "org.apache.kafka.clients.consumer.KafkaConsumer", f"{CONSUMER}Subscribed to topic(s): orders\nException in thread \"main\" java.util.ConcurrentModificationException: KafkaConsumer is not safe for multi-threaded access\n\tat org.apache.kafka.clients.consumer.KafkaConsumer.acquire(KafkaConsumer.java:1)"),
            "not_thread_safe", "application", ["two threads", "thread main"], id="a thread's death below a quiet line",
        ),
        pytest.param(
            line(0, "INFO", FETCHER, f"{CONSUMER}Fetch position FetchPosition{{offset=2102, offsetEpoch=Optional[5], currentLeader=LeaderAndEpoch{{leader=Optional[kafka-1:9092 (id: 1 rack: null)], epoch=5}}}} is out of range for partition orders-0, resetting offset"),
            "offset_out_of_range", "settings", ["2102", "orders-0", "auto.offset.reset"], id="an offset out of range, said at INFO",
        ),
        pytest.param(
            line(0, "INFO", GROUP, "[GroupCoordinator 0]: Preparing to rebalance group orders in state PreparingRebalance with old generation 13 (__consumer_offsets-25) (reason: removing member c-1-aa on heartbeat expiration)"),
            "membership_session_expired", "unknown", ["orders"], id="a member's silence as the reason of a rebalance",
        ),
        pytest.param(
            line(0, "WARN", "org.apache.kafka.clients.NetworkClient", "[Producer clientId=producer-1] Bootstrap broker kafka-1:9094 (id: -1 rack: null) disconnected"),
            "no_metadata_yet", "settings", ["kafka-1:9094", "security.protocol"], id="a bootstrap address that closes",
        ),
    ],
)  # fmt: skip
def test_what_is_thrown_means(text, kind, actor, words):
    incident = thrown(text)
    assert (incident.kind, incident.actor) == (kind, actor), incident.title
    said = f"{incident.title} {incident.cause} {incident.advice}"
    assert [word for word in words if word not in said] == [], said
    assert ".. " not in incident.cause.replace("...", "")


def test_a_wakeup_is_no_trouble():
    (incident,) = told(f"{KAFKA}errors.WakeupException")
    assert (incident.kind, incident.verdict) == ("normal_wakeup", "benign")


def worded(text):
    """Kinds of what is told of lines that no reader made an event of."""
    found, left = told_by_words(left_of(text), [])
    return [one.incident for one in found], left


def test_a_framework_that_was_called_by_its_own_frame_is_kafkas():
    found, left = worded(
        "java.lang.IllegalStateException: Topic(s) [orders.v1] is/are not present and missingTopicsFatal is true\n"
        "\tat org.springframework.kafka.listener.AbstractMessageListenerContainer.checkTopics(AbstractMessageListenerContainer.java:383)\n"
    )
    assert [(one.kind, "orders.v1" in one.title) for one in found] == [("container_without_topics", True)]
    assert left == []


def test_the_innermost_exception_and_its_place_are_told():
    (incident,), _ = worded(
        "org.springframework.kafka.listener.ListenerExecutionFailedException: Listener method threw exception\n"
        "\tat org.springframework.kafka.listener.adapter.Adapter.invoke(Adapter.java:383)\n"
        "Caused by: java.lang.NullPointerException: null\n"
        "\tat com.acme.OrderListener.on(OrderListener.java:27)\n"
    )
    assert incident.kind == "listener_failed"
    assert "NullPointerException" in incident.title
    assert "com.acme.OrderListener.on(OrderListener.java:27)" in incident.cause


def test_a_commit_that_failed_is_no_listener_that_did():
    assert [
        one.kind
        for one in worded(
            "5. The Kafka listener then commits its offset, which failed: the group rebalances"
        )[0]
    ] != ["listener_failed"]
    assert [one.kind for one in worded("ERROR c.a.Bills - Kafka listener for bills failed")[0]] == [
        "listener_failed"
    ]


def test_an_exception_of_another_library_is_not_kafkas():
    assert worded("java.sql.SQLException: no table\n\tat org.postgresql.Driver.run(Driver.java:7)\n") == (
        [],
        [],
    )


def test_libraries_that_do_not_fit_are_told():
    (incident,), _ = worded(
        "java.lang.NoSuchMethodError: 'void org.apache.kafka.clients.producer.KafkaProducer.close(java.time.Duration)'\n"
        "\tat org.springframework.kafka.core.DefaultKafkaProducerFactory.destroy(DefaultKafkaProducerFactory.java:300)\n"
    )
    assert incident.kind == "libraries_differ"
    assert "KafkaProducer.close" in incident.title


@pytest.mark.parametrize(
    ("text", "of_words", "of_events"),
    [
        ("java.lang.Exception: Could not hand bills to kafka: This server is not the leader for that topic-partition.", ["leader_moved"], []),
        ("java.lang.Exception: Failed to send data to Kafka: This server does not host this topic-partition.", ["topic_missing"], ["topic_missing"]),
        ("org.apache.flink.util.FlinkRuntimeException: Failed to send data to Kafka bills-0@-1 with FlinkKafkaInternalProducer{transactionalId='null'}", ["said_to_fail"], ["produce_failed"]),
    ],
)  # fmt: skip
def test_what_is_thrown_by_the_plainest_name_is_thrown(text, of_words, of_events):
    assert [one.kind for one in worded(text)[0]] == of_words
    assert [incident.kind for incident in told(text)] == of_events


def test_what_is_thrown_behind_a_tag_is_a_record_of_its_own():
    text = (
        "The consumers stood still. Two errors were seen:\n* a connection\n"
        f'    <pre class="log"><code>{FETCHER}:handleError:\n'
        "      [Consumer clientId=bills-1,\n      groupId=bills] Error sending fetch request (sessionId=7, epoch=8) to node 1:\n"
        f'      {KAFKA}errors.DisconnectException.</code></pre>\n* and a commit\n  <pre class="log">\n'
        f'  <code class="log">{KAFKA}errors.TimeoutException: Timeout of 700ms expired before successfully committing offsets\n'
        "    {bills-5=OffsetAndMetadata{offset=7}}</code>\n  </pre>\n"
    )
    assert "commit_timed_out" in [one.kind for one in told(text)]


def test_what_a_method_says_it_throws_was_not_thrown():
    incident = thrown(
        "2026-01-05 10:00:00.004 ERROR 1 --- [bills-0-C-1] com.acme.Errors : Listener method 'public void com.acme.Bills.on(java.lang.String) throws java.lang.Exception' threw exception; nested exception is org.springframework.kafka.KafkaException: Send failed; nested exception is org.apache.kafka.common.errors.RecordTooLargeException: The message is 1382477 bytes when serialized which is larger than 1048576, which is the value of the max.request.size configuration."
    )
    assert incident.kind == "record_too_large"
    assert "1382477 bytes" in incident.title


def test_metadata_errors_of_which_the_number_was_left_out_name_their_topic():
    assert [
        one.kind for one in told("Error while fetching metadata ... {bills.paid=UNKNOWN_TOPIC_OR_PARTITION}")
    ] == ["topic_missing"]


def test_a_node_without_what_each_broker_has_is_no_broker():
    missing = f"Caused by: {KAFKA}errors.UnsupportedVersionException: The node does not support"
    at = "2026-01-05 10:00:00.004 ERROR 1 --- [bills-0-C-1] o.s.k.l.KafkaMessageListenerContainer : Consumer exception\n\n"
    assert thrown(f"{at}{missing} FIND_COORDINATOR").kind == "controller_asked"
    assert "no METADATA at all" in thrown(f"{at}{missing} METADATA").title
    for other in (
        "CONSUMER_GROUP_DESCRIBE",
        "METADATA with version in range [9,12]. The supported range is [0,8].",
    ):
        assert thrown(f"{at}{missing} {other}").kind == "unsupported"


def test_an_exception_that_only_says_that_there_was_one_is_not_what_was_thrown():
    again = "2026-01-05 10:00:00.004 ERROR 1 --- [bills-0-C-1] com.acme.Bills : org.springframework.kafka.KafkaException: Seek to current after exception"
    worded, _ = told_by_words(left_of(f"{again}\n"), [])
    assert worded[0].incident.title == "The application's own listener failed; its record is read again"
    worded, _ = told_by_words(left_of(f"{again}\nCaused by: com.acme.OrderException: no such bill\n"), [])
    assert "OrderException: no such bill" in worded[0].incident.title


def test_why_no_address_was_found_stands_on_the_same_line_too():
    unknown = "Error connecting to node b7:9092 (id: 7 rack: null)"
    assert [one.kind for one in told(f"{unknown} java.net.UnknownHostException: b7")] == ["dns_failed"]
    assert [one.kind for one in told(f"{unknown} (7 times)")] == ["connection_not_made"]
    worded, _ = told_by_words(
        left_of("ConfigException: No resolvable bootstrap urls given in bootstrap.servers\n"), []
    )
    assert "that is empty" in worded[0].incident.cause
