# ruff: noqa: E501  # a line of a log is a line
"""The facts that somebody who knows names for a message: the setting, its default, the side, the number with its unit."""

import pytest

from lab.corpus import recordings
from lab.score.pure import story_of
from tests.cpu import least_cpu_s, takes_less
from tests.story import CONSUMER, left_of, line, told
from tests.transforms.parse.typed import events
from transforms.diagnose.troubles.trouble_places import places_of
from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.unexplained.ending import ending
from transforms.diagnose.unexplained.raw_line import unread_line
from transforms.diagnose.unexplained.raw_scan import scan
from transforms.diagnose.unexplained.source_read import SourceRead
from transforms.parse.catalogue.exceptions import tidied

APP = "com.acme.App"
KAFKA = "org.apache.kafka."
COORDINATOR = f"{KAFKA}clients.consumer.internals.ConsumerCoordinator"
FETCHES = f"{KAFKA}clients.FetchSessionHandler"
HEAP = "java.lang.OutOfMemoryError: Java heap space"
READS = f"\tat {KAFKA}common.memory.MemoryPool$1.tryAllocate(MemoryPool.java:30)\n\tat {KAFKA}common.network.NetworkReceive.readFrom(NetworkReceive.java:113)"


def one(*lines):
    found = [incident for incident in told(*lines) if incident.verdict != "benign"]
    assert len(found) == 1, [incident.title for incident in found]
    return found[0]


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        pytest.param(f"{HEAP}\n{READS}", "out_of_memory_reading", ["security.protocol", "TLS"], id="a size that is none"),
        pytest.param(f"{HEAP}\n\tat com.acme.Cache.put(Cache.java:7)\nCaused by: {KAFKA}common.KafkaException: no", "out_of_memory", ["heap"], id="the application's own memory"),
        pytest.param(f"{KAFKA}common.KafkaException: Unexpected error in InitProducerIdResponse; The transaction timeout is larger than the maximum value allowed by the broker (as configured by transaction.max.timeout.ms).", "transaction_timeout_refused", ["transaction.timeout.ms", "900000 ms", "3600000 ms"], id="a transaction that may not last so long"),
        pytest.param(f"{KAFKA}common.errors.GroupAuthorizationException: Not authorized to access group:", "group_not_named", ["group.id", "ACL"], id="a group without a name"),
        pytest.param(f"{KAFKA}common.errors.GroupAuthorizationException: Not authorized to access group: pay", "not_authorized", ["group: pay", "ACL"], id="a group that has one"),
        pytest.param(f"{KAFKA}common.errors.SerializationException: Error deserializing key/value for partition pay-3 at offset 17. If needed, please seek past the record to continue consumption.\nCaused by: java.lang.IllegalStateException: No type information in headers and no default type provided", "type_not_told", ["pay-3", "17", "spring.json.value.default.type", "ErrorHandlingDeserializer"], id="a record without its type"),
        pytest.param(f"{KAFKA}common.errors.SaslAuthenticationException: [0f3dbd30-45c5-485c-b33f-2e962eb54100]: Access denied", "iam_refused", ["kafka-cluster:Connect", "role"], id="an identity of IAM"),
        pytest.param("java.lang.IllegalStateException: You can only check the position for partitions assigned to this consumer.\n\tat org.apache.kafka.clients.consumer.KafkaConsumer.position(KafkaConsumer.java:7)", "not_assigned", ["onPartitionsAssigned", "rebalance"], id="a position that is another's"),
        pytest.param("java.lang.IllegalStateException: Coordinator selected invalid assignment protocol: null\n\tat org.apache.kafka.clients.consumer.internals.ConsumerCoordinator.onJoinComplete(ConsumerCoordinator.java:7)", "assignor_unknown", ["partition.assignment.strategy", "group.id"], id="an assignor that is not there"),
        pytest.param(f"{KAFKA}common.errors.SaslAuthenticationException: An error: (javax.security.sasl.SaslException: GSS initiate failed [Caused by GSSException: No valid credentials provided (Mechanism level: Server not found in Kerberos database (7) - LOOKING_UP_SERVER)])", "kerberos_service_unknown", ["sasl.kerberos.service.name", "FQDN"], id="a broker's name that Kerberos does not know"),
        pytest.param(f"{KAFKA}common.KafkaException: Failed to construct kafka producer\nCaused by: java.lang.IllegalArgumentException: Login module control flag is not available in the JAAS config", "login_malformed", ["sasl.jaas.config", "required"], id="a login without its flag"),
        pytest.param(f"{KAFKA}common.errors.UnsupportedVersionException: The broker does not support INIT_PRODUCER_ID", "idempotence_unsupported", ["enable.idempotence=false", "0.11"], id="a broker without producer ids"),
        pytest.param(f"{KAFKA}common.errors.UnsupportedVersionException: The broker does not support LIST_OFFSETS with version in range [2,5]. The supported range is [0,1].", "unsupported", ["LIST_OFFSETS", "2,5", "0,1", "older"], id="who is the older"),
        pytest.param(f"{KAFKA}common.errors.UnsupportedVersionException: The cluster does not support the new CONSUMER group protocol. Set group.protocol=classic on the consumer configs to revert to the CLASSIC protocol until the cluster is upgraded.", "group_protocol_unsupported", ["group.protocol=classic", "4.0"], id="a group protocol"),
        pytest.param(f"{KAFKA}common.protocol.types.SchemaException: Error reading field 'throttle_time_ms': java.nio.BufferUnderflowException", "answer_unreadable", ["throttle_time_ms", "older than its client"], id="an older broker's answer"),
        pytest.param(f"{KAFKA}common.protocol.types.SchemaException: Error computing size for field 'topics': Error computing size for field 'name': Missing value for field 'name' which has no default value.", "request_lacks_field", ["field name has no value", "nothing was sent"], id="a request without a name"),
        pytest.param(f"{KAFKA}common.KafkaException: User rebalance callback throws an error\n\tat {KAFKA}clients.consumer.internals.ConsumerCoordinator.onJoinComplete(ConsumerCoordinator.java:4)\nCaused by: java.lang.IllegalStateException: Task 3_0 is still open\n\tat {KAFKA}streams.processor.internals.TaskManager.closed(TaskManager.java:2)", "rebalance_listener_failed", ["Task 3_0 is still open", "library's own listener"], id="what Streams' own listener threw"),
        pytest.param("java.lang.IllegalStateException: Task 3_0 is still open\n\tat a.B.c(B.java:2)\n\t... 3 common frames omitted\nWrapped by: org.apache.kafka.common.KafkaException: User rebalance callback throws an error\n\tat a.C.d(C.java:4)", "rebalance_listener_failed", ["threw: IllegalStateException: Task 3_0 is still open"], id="a trace with its root first"),
        pytest.param(f"{KAFKA}common.errors.TimeoutException: Timed out waiting for a node assignment. Call: listTopics", "admin_found_no_broker", ["default.api.timeout.ms", "listTopics"], id="which time an admin call had"),
        pytest.param(f"{KAFKA}common.KafkaException: java.lang.UnsatisfiedLinkError: /var/snappy-1.1.7-1-libsnappyjava.so: Error loading shared library ld-linux-x86-64.so.2: No such file or directory", "codec_not_loaded", ["compression snappy", "ld-linux-x86-64.so.2 is missing", "glibc", "compression.type"], id="a codec that Alpine can't load"),
        pytest.param(f"java.lang.NoClassDefFoundError: Could not initialize class org.xerial.snappy.Snappy\n\tat {KAFKA}common.record.MemoryRecordsBuilder.close(MemoryRecordsBuilder.java:281)\nCaused by: {KAFKA}common.KafkaException: no", "codec_not_loaded", ["compression snappy"], id="a codec that could not be loaded before"),
        pytest.param(f"kafka.common.ConsumerRebalanceFailedException: pay_host-17-9 can't rebalance after 4 retries\nCaused by: {KAFKA}common.KafkaException: no", "old_rebalance_failed", ["pay_host-17-9", "4 retries", "rebalance.backoff.ms", "zookeeper.session.timeout.ms"], id="an old consumer that owns nothing"),
        pytest.param(f"java.lang.IllegalStateException: This error handler cannot process it\nCaused by: {KAFKA}common.errors.RecordDeserializationException: Error deserializing key/value for partition pay-3 at offset 17. If needed, please seek past the record to continue consumption.\nCaused by: java.lang.IllegalArgumentException: The class 'com.acme.Pay' is not in the trusted packages: [java.util, java.lang].", "class_not_trusted", ["com.acme.Pay", "pay-3 at offset 17"], id="the place that an exception in the middle names"),
        pytest.param(f"{KAFKA}common.errors.SerializationException: Error deserializing key/value for partition pay-3 at offset 17.\nCaused by: com.fasterxml.jackson.databind.exc.InvalidDefinitionException: Cannot construct instance of `com.acme.Pay` (no Creators, like default constructor, exist): cannot deserialize from Object value", "class_not_made", ["com.acme.Pay", "constructor", "pay-3 at offset 17"], id="a class without a constructor"),
        pytest.param("org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded in error handler\nCaused by: org.apache.kafka.connect.errors.DataException: JsonConverter with schemas.enable requires \"schema\" and \"payload\" fields and may not contain additional fields. If you are trying to deserialize plain JSON data, set schemas.enable=false in your converter configuration.", "json_without_schema", ["value.converter.schemas.enable=false", "plain JSON"], id="plain JSON for a converter that expects a schema"),
        pytest.param(f"{KAFKA}streams.errors.StreamsException: failed to initialize processor\nCaused by: {KAFKA}streams.errors.ProcessorStateException: task directory [/data/streams/pay/0_0] doesn't exist and couldn't be created", "state_directory_not_made", ["/data/streams/pay/0_0", "state.dir"], id="a directory of state that can't be made"),
        pytest.param(f"{KAFKA}common.config.ConfigException: Topic 'pay-offsets' supplied via the 'offset.storage.topic' property is required to have 'cleanup.policy=compact' to guarantee consistency and durability of source connector offsets, but found the topic currently has 'cleanup.policy=delete'.", "connect_topic_not_compacted", ["pay-offsets", "offset.storage.topic", "cleanup.policy=compact", "(cleanup.policy=delete)"], id="a topic of Connect's that is not compacted"),
    ],
)  # fmt: skip
def test_the_facts_of_an_exception(said, kind, words):
    incident = one(line(0, "ERROR", APP, f"failed\n{said}"))
    assert incident.kind == kind
    text = f"{incident.title} {incident.cause} {incident.advice}"
    assert [word for word in words if word not in text] == []


def test_a_streams_client_that_shuts_down_is_told_with_its_cause():
    said = "stream-client [pay-1] Encountered the following exception during processing and the registered exception handler opted to SHUTDOWN_CLIENT. The streams client is going to shut down now."
    incident = one(line(0, "ERROR", f"{KAFKA}streams.KafkaStreams", f"{said}\n{KAFKA}streams.errors.MissingSourceTopicException: One or more source topics were missing during rebalance"))  # fmt: skip
    assert "shut the Streams client down, with all its threads" in incident.cause


def test_a_source_topic_that_is_missing_is_one_fault_of_streams_and_its_clients():
    thread = "stream-thread [pay-StreamThread-1"
    incident = one(
        line(0, "ERROR", f"{KAFKA}streams.processor.internals.RepartitionTopics", f"{thread}-consumer] The following source topics are missing/unknown: [carts]. Please make sure"),
        line(1, "ERROR", f"{KAFKA}streams.processor.internals.StreamThread", f"{thread}] Received error code INCOMPLETE_SOURCE_TOPIC_METADATA"),
        line(2, "WARN", f"{KAFKA}clients.NetworkClient", "[Consumer clientId=pay-StreamThread-1-consumer, groupId=pay] Error while fetching metadata with correlation id 7 : {carts=UNKNOWN_TOPIC_OR_PARTITION}"),
    )  # fmt: skip
    assert incident.kind == "topic_missing"
    assert incident.title.startswith(
        "pay (group pay) asks for a topic or partition that brokers do not know (carts)"
    )


def test_how_long_a_connection_was_waited_for_is_told_with_its_setting():
    incident = one(line(0, "INFO", f"{KAFKA}clients.NetworkClient", f"{CONSUMER}Disconnecting from node -1 due to socket connection setup timeout. The timeout value is 27930 ms."))  # fmt: skip
    assert "27930 ms (socket.connection.setup.timeout.ms" in incident.cause


def test_a_rebalance_that_was_told_once_is_not_told_as_told_often():
    (incident,) = told(line(0, "INFO", COORDINATOR, f"{CONSUMER}Request joining group due to: group is already rebalancing"))  # fmt: skip
    assert "was told that its group rebalances" in incident.title
    assert "did not poll" not in incident.cause


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Node 1 was unable to process the fetch request with (sessionId=112326, epoch=67): INVALID_FETCH_SESSION_EPOCH.", "benign"),
        ("Error sending fetch request (sessionId=112326, epoch=67) to node 1: org.apache.kafka.common.errors.DisconnectException.", "benign"),
        ("Error sending fetch request (sessionId=112326, epoch=67) to node 1: java.nio.channels.ClosedSelectorException.", "benign"),
    ],
)  # fmt: skip
def test_one_fetch_that_is_made_anew_is_normal(said, verdict):
    assert [one.verdict for one in told(line(0, "INFO", FETCHES, f"{CONSUMER}{said}"))] == [verdict]


def test_a_fetcher_that_was_shut_down_forgot_no_session():
    (incident,) = told(line(0, "INFO", FETCHES, "[ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error sending fetch request (sessionId=112326, epoch=67) to node 1: java.nio.channels.ClosedSelectorException."))  # fmt: skip
    assert "shut down with a fetch to broker 1 under way" in incident.title
    assert "slots" not in incident.cause


@pytest.mark.parametrize(
    ("said", "verdicts"),
    [
        ("Attempt to heart beat failed since the group is rebalancing, try to re-join group.", ["benign"]),
        ("Attempt to heart beat failed for group bills since it is rebalancing.", ["benign"]),
        ("Attempt to heart beat failed since member id is not valid, reset it and try to re-join group.", ["as_designed"]),
    ],
)  # fmt: skip
def test_how_clients_of_0_9_and_0_10_learn_that_their_group_rebalances_is_normal(said, verdicts):
    assert [one.verdict for one in told(line(0, "INFO", COORDINATOR, said))] == verdicts


@pytest.mark.parametrize(
    ("session", "after_ms", "kinds"),
    [
        pytest.param("sessionId=INVALID, epoch=INITIAL", 30_200, {"fetch_never_answered"}, id="no fetch was ever answered"),
        pytest.param("sessionId=112326, epoch=67", 1, {"fetches_cut_off"}, id="two brokers at once"),
        pytest.param("sessionId=112326, epoch=67", 3_600_000, set(), id="one broker an hour after the other"),
    ],
)  # fmt: skip
def test_fetches_that_several_brokers_did_not_answer_are_told(session, after_ms, kinds):
    lost = f"{CONSUMER}Error sending fetch request ({session}) to node {{}}: {KAFKA}common.errors.DisconnectException."
    lines = [line(0, "INFO", FETCHES, lost.format(1)), line(after_ms, "INFO", FETCHES, lost.format(3))]
    found = [incident for incident in told(*lines) if incident.verdict != "benign"]
    assert {incident.kind for incident in found} == kinds
    assert all("broker 1 and broker 3" in incident.title for incident in found)


FOUND = f"{CONSUMER}Discovered group coordinator broker1:9092 (id: 2147483646 rack: null)"
GONE = f"{CONSUMER}Group coordinator broker1:9092 (id: 2147483646 rack: null) is unavailable or invalid due to cause: coordinator unavailable. isDisconnected: false. Rediscovery will be attempted."


@pytest.mark.parametrize(
    ("found_ms", "verdict"), [(1, "as_designed"), (60_000, "benign")], ids=["at once", "a minute later"]
)
def test_a_coordinator_that_is_lost_as_soon_as_it_is_found_is_no_passing_trouble(found_ms, verdict):
    (incident,) = told(
        line(0, "INFO", COORDINATOR, FOUND),
        line(found_ms, "INFO", COORDINATOR, GONE),
        line(found_ms + 100, "INFO", COORDINATOR, FOUND),
    )
    assert incident.verdict == verdict
    assert "did not find it again" not in incident.title
    if verdict != "benign":
        assert "advertised.listeners" in incident.cause
        assert "__consumer_offsets" in incident.cause


@pytest.mark.parametrize(
    "said",
    [
        "KafkaConsumer poll is taking significantly longer (3000ms) to return from poll then the configured poll interval (50ms). Waking up consumer to avoid thread starvation.",
        "[WARN] [01/05/2026 10:00:00.470] [default-dispatcher-2] [akka://default/system/kafka-consumer-1] KafkaConsumer poll has exceeded wake up timeout (3 seconds). Waking up consumer to avoid thread starvation.",
        f"2026-01-05T10:00:00.945+00:00 akka.kafka.KafkaConsumerActor WARN Consumer interrupted with WakeupException after timeout. Message: null. Current value of akka.kafka.consumer.wakeup-timeout is 3000 milliseconds. Exception: {KAFKA}common.errors.WakeupException\n\tat {KAFKA}clients.consumer.internals.ConsumerNetworkClient.maybeTriggerWakeup(ConsumerNetworkClient.java:404)",
    ],
    ids=["poll is longer", "poll is longer, in Akka's head", "woken up"],
)  # fmt: skip
def test_a_poll_that_akka_interrupts_is_no_wakeup_of_the_application(said):
    worded, _ = told_by_words(left_of(f"{said}\n"), [])
    (incident,) = [
        *(one.incident for one in worded),
        *(one for one in told(said) if one.kind == "poll_woken_up"),
    ][:1]
    assert incident.kind == "poll_woken_up"
    assert "(3 s" in incident.title
    assert "akka.kafka.consumer.wakeup-timeout" in incident.cause


def test_of_lines_that_are_told_by_their_words_nobody_says_that_they_could_not_be_read():
    source = SourceRead("app.log", scan("app.log", [b"ERROR kafka send failed: no\n"]))
    assert "none could be read" in ending([source], [], has_trouble=True).sentences[0]
    assert (
        "none could be read" not in ending([source], [], has_trouble=True, in_words={"app.log"}).sentences[0]
    )


def test_attempts_that_run_out_are_told_from_first_to_last():
    refused = "[Producer clientId=p-1] Got error produce response with correlation id 3{} on topic-partition pay-0, retrying ({} attempts left). Error: NOT_ENOUGH_REPLICAS"
    sender = f"{KAFKA}clients.producer.internals.Sender"
    incident = one(*(line(100 * at, "WARN", sender, refused.format(at, 2 - at)) for at in range(3)))
    assert "2 attempts were left, 0 at the last" in incident.cause
    other = line(3, "WARN", sender, refused.format(9, 7).replace("pay-0", "pay-1"))
    incident = one(line(0, "WARN", sender, refused.format(1, 2)), other)
    assert "2 attempts were left. " in f"{incident.cause} "


@pytest.mark.parametrize(
    ("name", "kind", "actor"),
    [
        pytest.param("p580-exp-42", "batches_expired", "broker", id="writes that a broker refuses"),
        pytest.param("p572-broker-stop-28", "task_stalled", "unknown", id="what ended a task is not said"),
    ],
)
def test_who_acts_is_who_the_cause_is_told_of_where_that_is_sure(name, kind, actor):
    (recording,) = recordings(name)
    assert {one.actor for one in story_of(recording).incidents if one.kind == kind} == {actor}


def test_a_topic_is_not_named_beside_its_partition():
    assert places_of([{"topic": "pay"}, {"topic": "pay", "partition": "0"}]) == {"topic": "pay-0"}


def test_an_exception_that_a_broker_prints_within_a_line_tells_its_class():
    said = f"[ReplicaManager broker=2] Error processing append operation on partition pay-0 {KAFKA}common.errors.NotEnoughReplicasException: Number of insync replicas for partition pay-0 is [1], below required minimum [2]"
    incident = one(line(0, "ERROR", "kafka.server.ReplicaManager", said))
    assert incident.kind == "not_enough_replicas"
    assert "min.insync.replicas = 2" in incident.cause
    assert incident.places == ["topic:pay"]


def test_a_name_of_jmx_is_no_logger_of_another_client():
    found = events(
        "javax.management.InstanceAlreadyExistsException: kafka.consumer:type=app-info,id=pay-1", None
    )
    assert "kafka-python" not in {event.client_library for event in found}


def test_a_static_member_that_another_took_the_place_of():
    said = "given member.id pay-7 is identified as a known static member pay, but not matching the expected member.id pay-9 during join-group, will respond with instance fenced error"
    incident = one(line(0, "ERROR", "kafka.coordinator.group.GroupMetadata", said))
    assert (incident.kind, "(pay)" in incident.title) == ("static_member_replaced", True)


def test_what_stands_for_a_topic_is_none():
    said = "org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [Topic authorization failed.]"
    assert one(line(0, "ERROR", APP, said)).title.endswith("no right to topics")


def test_a_send_of_the_console_names_what_its_line_names():
    said = "Error when sending message to topic pay with key: null, value: 5 bytes with error: Failed to update metadata after 60000 ms."
    incident = one(line(0, "ERROR", f"{KAFKA}clients.producer.internals.ErrorLoggingCallback", said))
    assert (incident.kind, incident.limit_ms) == ("metadata_timed_out", 60_000)


def test_a_batch_that_is_sent_again_out_of_order_is_not_lost():
    said = "[Producer clientId=p1] Got error produce response with correlation id 4 on topic-partition pay-8, retrying (2147483646 attempts left). Error: OUT_OF_ORDER_SEQUENCE_NUMBER"
    incident = one(line(0, "WARN", f"{KAFKA}clients.producer.internals.Sender", said))
    assert (incident.kind, incident.impact) == ("sequence_retried", "delayed")


def by_words(*lines):
    found, _ = told_by_words(scan("app.log", ["".join(f"{text}\n" for text in lines).encode()]).speaking, [])
    return found[0].incident


def test_an_exception_below_a_line_of_the_client_is_that_clients():
    head = "10:34:29.761 [main] DEBUG o.a.k.c.p.KafkaProducer - [Producer clientId=p7] Exception occurred during message send:"
    thrown = f"{KAFKA}common.errors.TimeoutException: Topic pay not present in metadata after 60000 ms."
    assert by_words(head, thrown).client_ids == ["p7"]


@pytest.mark.parametrize(
    ("said", "kind", "title"),
    [
        ("2026-01-05 10:00:00.100 ERROR 1 --- [ntainer#0-0-C-1] o.s.k.l.DefaultErrorHandler : Backoff FixedBackOffExecution[interval=100, currentAttempts=3, maxAttempts=2] exhausted for pay-0@7", "record_given_up", "of pay-0@7"),
        ("Backoff FixedBackOffExecution[interval=100, currentAttempts=3, maxAttempts=2] exhausted for pay-0@7", "record_given_up", "of pay-0@7"),
        ("[2026-01-05 10:00:00,100] ERROR Shutdown broker because all log dirs in /var/", "storage_failed_wholly", "all its log directories"),
        ("Kafka Streams' state store, as it says, fails with InvalidStateStoreException: The state store, paid, may have migrated to another instance.", "store_not_queryable", "state store paid now"),
        ("# `GroupAuthorizationException: Not authorized to access group: ...`.", "not_authorized", "no right to group"),
    ],
)  # fmt: skip
def test_what_a_line_says_is_named_whatever_was_cut_or_left_out(said, kind, title):
    told_of = by_words(said)
    assert told_of.kind == kind
    assert title in told_of.title
    assert not told_of.title.endswith(":")


@pytest.mark.parametrize("command", ["$ kafka-topics.sh --list", "$ docker exec -it k1 /opt/kafka/bin/kafka-topics --list", "kafka-acls --list"])  # fmt: skip
def test_what_stands_right_below_the_call_of_a_tool_of_kafka_s_is_about_it(command):
    taken = "Error: Exception thrown by the agent : java.rmi.server.ExportException: Port already in use: 5555; nested exception is:"
    assert by_words(f"{command} --bootstrap-server k1:9092", taken).kind == "port_taken"
    assert told_by_words(scan("app.log", [f"ls -l /data\n{taken}\n".encode()]).speaking, [])[0] == []


def test_what_a_registry_failed_with_is_told_before_that_it_did_not_start():
    failed = "[2026-01-05 10:00:00,100] ERROR Error starting the schema registry (io.confluent.kafka.schemaregistry.rest.SchemaRegistryRestApplication:65)"
    thrown = "io.confluent.kafka.schemaregistry.exceptions.SchemaRegistryInitializationException: Error initializing kafka store while initializing schema registry\n\tat a.B.c(B.java:1)"
    assert by_words("/Schema Registry failed to start", failed, thrown).kind == "registry_not_started"


def test_a_message_without_its_exception_is_read():
    said = "The message is 4021051 bytes when serialized which is larger than 1048576, which is the value of the max.request.size configuration."
    assert by_words("RecordTooLargeException", said).kind == "record_too_large"


@pytest.mark.parametrize(
    ("message", "plain"),
    [
        ('no broker".', 'no broker".'),
        ('no broker."', "no broker."),
        ('the name "pay"', 'the name "pay"'),
        ("for partitions: {pay-0=7}", "for partitions: {pay-0=7}"),
        ("of type JKS>}", "of type JKS"),
        ("does not support FETCH`", "does not support FETCH"),
        ("Connection refused` at DEBUG alone, as in `log.debug`.", "Connection refused"),
        ("Unknown column `pay", "Unknown column `pay"),
        (")", ""),
    ],
)
def test_what_closes_the_string_around_a_message_is_none_of_it(message, plain):
    assert tidied(message) == plain


def test_a_line_of_a_piece_that_nobody_read_is_told_by_its_own_number():
    found = unread_line("app.log", 5, '{\n  "status": "DOWN",\n  "error": "kafka: ERROR no broker"\n}')
    assert (found.line, found.text.strip()) == (7, '"error": "kafka: ERROR no broker"')


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["kafka-7:9092", "kafka-7/10.0.4.7:9092"], "kafka-7/10.0.4.7:9092"),
        (["broker 7", "broker 7 (kafka-7:9092)"], "broker 7 (kafka-7:9092)"),
        (["broker 7 (kafka-7:9092)", "kafka-7:9092", "kafka-7"], "broker 7 (kafka-7:9092)"),
        (["broker 7", "broker 70 (kafka-70:9092)"], "broker 7 and broker 70 (kafka-70:9092)"),
    ],
)
def test_of_several_names_of_a_node_the_one_that_says_most_is_told(names, told):
    assert places_of([{"address": name} for name in names])["node"] == told


def test_of_many_nodes_it_takes_no_square_of_their_number():
    """A client that is told new addresses again and again, as behind a proxy, names thousands."""
    few = [{"address": f"kafka-{number}:9092"} for number in range(1_000)]
    many = [{"address": f"kafka-{number}:9092"} for number in range(16_000)]
    assert takes_less(lambda: places_of(many), 16 * 4 * least_cpu_s(lambda: places_of(few)))


NETWORK = f"{KAFKA}clients.NetworkClient"
CONNECTING = "[Producer clientId=producer-1] Error connecting to node kafka:9092 (id: {} rack: null)\njava.net.UnknownHostException: kafka"
UNRESOLVED = "%3|1700000000.125|FAIL|rdkafka#consumer-1| [thrd:{}]: {}: Failed to resolve 'kafka:9092': Name or service not known (after 14ms in state CONNECT)"


@pytest.mark.parametrize(
    ("said", "named"),
    [
        pytest.param(
            line(0, "WARN", NETWORK, CONNECTING.format(3)), "The name of node 3 came from", id="Java's"
        ),
        pytest.param(line(0, "WARN", NETWORK, CONNECTING.format(-1)), "", id="a bootstrap address"),
        pytest.param(
            line(0, "WARN", NETWORK, CONNECTING.format(2147483644)), "", id="a coordinator's connection"
        ),
        pytest.param(
            UNRESOLVED.format("kafka:9092/4", "kafka:9092/4"),
            "The name of node 4 came from",
            id="librdkafka's",
        ),
        pytest.param(
            UNRESOLVED.format("kafka:9092/bootstrap", "kafka:9092/bootstrap"), "", id="librdkafka's bootstrap"
        ),
        pytest.param(
            UNRESOLVED.format("GroupCoordinator", "GroupCoordinator: kafka:9092"),
            "The GroupCoordinator's name came from",
            id="librdkafka's coordinator",
        ),
    ],
)
def test_a_name_that_brokers_gave_is_told_as_what_they_advertise(said, named):
    cause = one(said).cause
    assert named in cause
    assert ("came from the brokers" in cause) == ("advertised.listeners" in cause) == bool(named), cause


def test_a_commit_that_found_no_coordinator_is_told_with_the_connection_that_failed():
    failed = "%3|1700000000.125|FAIL|rdkafka#consumer-1| [thrd:kafka:9092/1]: kafka:9092/1: Connect to ipv4#10.0.0.4:9092 failed: Connection refused (after 1ms in state CONNECT)"
    commit = "%4|1700000000.625|COMMITFAIL|rdkafka#consumer-1| [thrd:main]: Offset commit (manual) failed for 1/1 partition(s): Local: Waiting for coordinator: pay[0]@7(Local: Waiting for coordinator)"
    found = one(failed, commit)
    assert "could not connect" in found.title
    assert "was never sent" in found.cause
