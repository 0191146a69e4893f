# ruff: noqa: E501  # a line of a log is a line
"""Lines of what stands between librdkafka, sarama or Python's clients and an application: arroyo, Beats, a format of its own."""

import pytest

from lab.layouts.score import events_in
from tests.answered import answered
from tests.transforms.parse.typed import event, events
from transforms.parse.catalogue.other_clients import client_of_other_language

OF_AIO = "aiokafka.consumer.group_coordinator"
TRACE = 'Traceback (most recent call last):\n  File "/usr/lib/python3.12/site-packages/arroyo/processing/processor.py", line 3, in run\n    x()\nKeyError: 7'


@pytest.mark.parametrize(
    ("written", "kind", "said"),
    [
        ("New partitions assigned: {Partition(topic=Topic(name='pay'), index=3): 17}", "partitions_assigned", {"topic": "pay", "partition": 3}),
        ('New partitions assigned: {Partition { topic: Topic("pay"), index: 3 }: 17}', "partitions_assigned", {"topic": "pay", "partition": 3}),
        ("Partitions revoked: [Partition(topic=Topic(name='pay'), index=3)]", "partitions_revoked", {"topic": "pay", "partition": 3}),
        ("Partitions to revoke: [Partition(topic=Topic(name='pay'), index=3)]", "partitions_revoked", {"topic": "pay", "partition": 3}),
        ("Failed to produce message (partition: Partition(topic=Topic(name='pay'), index=3) offset: 17) to DLQ topic, dropping", "other_kafka", {"message_id": "rdkafka-arroyo-dropped", "topic": "pay"}),
        ("[arroyo.processing.processor] Caught KeyError(3), shutting down...", "other_kafka", {"message_id": "rdkafka-arroyo-ended", "error_class": "KeyError"}),
        (f"Caught KeyError(3), shutting down...\n{TRACE}", "other_kafka", {"message_id": "rdkafka-arroyo-ended", "error_class": "KeyError"}),
        (f"2026-01-05 10:00:00,353 [INFO] arroyo.processing.processor: Processor terminated\n{TRACE}", "other_kafka", {"message_id": "rdkafka-arroyo-ended"}),
        (f"Caught exception, shutting down...\n{TRACE}", "other_kafka", {"message_id": "rdkafka-arroyo-ended"}),
        ("Failed to commit offsets error=Consumer commit error: UnknownMemberId (Broker: Unknown member)", "commit_failed", {"client_library": "librdkafka"}),
        ("kafka: couldn't fetch broker metadata (check that your client and broker are using the same encryption)", "connect_failed", {"client_library": "sarama"}),
        ("producer/broker/3 state change to [closing] because dial tcp 10.0.0.5:9092: i/o timeout", "connect_failed", {"node_id": 3}),
        ("producer/broker/3 state change to [closing] because EOF", "disconnect", {"node_id": 3}),
        ("<BrokerConnection node_id=3 host=b1/10.0.0.1 port=9092>: Closing connection. ConnectionError: 111", "connect_failed", {"client_library": "kafka-python"}),
        ("<BrokerConnection node_id=3 host=b1:9092 <connecting> [IPv4 ('10.0.0.1', 9092)]>: Closing connection. KafkaConnectionError: 113 EHOSTUNREACH", "connect_failed", {}),
        ("<BrokerConnection node_id=3 host=b1/10.0.0.1 port=9092>: Closing connection. ConnectionError: 3 bytes are missing", "disconnect", {}),
        ("Error sending OffsetCommitRequest_v2 to node 3 [3]", "other_kafka", {"message_id": "python-node-not-ready"}),
        ("[Sarama] Producer requeueing batch of 3 messages due to error: EOF", "produce_retry", {"client_library": "sarama"}),
        ('{"level":"DEBUG","logger":"kafkajs","message":"[Cluster] Found group coordinator","nodeId":3}', "coordinator_found", {"client_library": "kafkajs", "node_id": 3}),
        ("E, [2026-01-05T10:00:00.810940 #7] ERROR -- : Failed to fetch metadata from kafka://b1:9092: Connection error Errno::ECONNRESET: Connection reset by peer", "disconnect", {"client_library": "ruby-kafka"}),
        ("E, [2026-01-05T10:00:00.810940 #7] ERROR -- : Failed to fetch metadata from kafka://b1:9092: Connection timed out", "other_kafka", {"client_library": "ruby-kafka"}),
        ("{ message: 'maximum application poll interval (max.poll.interval.ms) exceeded', code: -147, errno: -147, origin: 'local' }", "poll_interval_expired", {"client_library": "librdkafka"}),
        ('{"err":{"message":"message timed out","code":-192,"errno":-192,"origin":"local"}}', "batch_expired", {}),
        ("LibrdKafkaError { message: 'host resolution failure', code: -193, errno: -193 }", "connect_failed", {}),
        ("event.error { message: 'broker transport failure', code: -195, errno: -195, origin: 'local' }", "other_kafka", {"message_id": "rdkafka-error-printed"}),
        ('producer error: {"Code":"Local_Transport","IsFatal":false}', "other_kafka", {"error_class": "Local_Transport"}),
        ("Received rebalance event with message: 'Local: Revoke partitions' and 2 partition(s), isLost: false", "partitions_revoked", {}),
        ("Received rebalance event with message: 'Local: Revoke partitions' and 2 partition(s), isLost: true", "partitions_lost", {}),
        ('Max Poll Interval Exceeded | Data: {"ConsumerName":"pay"}', "poll_interval_expired", {}),
        ('Partitions revoked | Data: {"GroupId":"pay","ConsumerName":"a","Topics":[]}', "partitions_revoked", {"group_id": "pay"}),
        ('Kafka Consumer Internal Error | Data: {"Code":"x","Reason":"y"}', "other_kafka", {"message_id": "kafkaflow-failed"}),
        ("Partition: pay [[3]] with Unset [-1001] was assigned to: rdkafka-7a", "partitions_assigned", {"topic": "pay", "partition": 3}),
        ("Partition: pay [[3]] was lost on rdkafka-7a", "partitions_lost", {"topic": "pay", "partition": 3}),
        ("omkafka: kafka delivery FAIL on msg 'x'", "produce_failed", {}),
        ("StorageKafka (pay_queue): Topics/partitions assigned: [ pay[3:#], pay[7:#] ]", "partitions_assigned", {"topic": "pay", "partition": 3}),
        ("msg failed to deliver on topic :: pay error :: Local: Unknown partition", "produce_failed", {"topic": "pay"}),
        ("msg failed to deliver on topic ::", "produce_failed", {"client_library": "librdkafka"}),
        ("[lua] producer.lua:258: buffered messages send to kafka err: closed, retryable: nil, topic:pay, partition_id: 3, length: 1", "produce_failed", {"topic": "pay", "partition": 3}),
        ("['Marking the coordinator dead (node 3)for group pay.']", "coordinator_lost", {"group_id": "pay"}),
        ('Unable connect to "queue:9092"', "connect_failed", {"client_library": "aiokafka"}),
        ("KafkaConsumer[a7] re-balance event triggered[ASSIGN_PARTITIONS], cooperative[disabled], topic-partitions[pay.in-3,pay.in-7]", "partitions_assigned", {"topic": "pay.in", "partition": 3}),
        ('publisher.go:17\tFailed to send message\t{"topic": "pay", "error": "kafka server: Request was for a topic or partition that does not exist on this broker"}', "produce_failed", {"client_library": "sarama", "topic": "pay"}),
        ('publisher.go:17\tcan not publish\t{"error": "kafka server: Request was for a topic or partition that does not exist on this broker"}', "produce_failed", {"client_library": "sarama"}),
        ("failed to produce: UNKNOWN_TOPIC_OR_PARTITION: This server does not host this topic-partition.", "produce_failed", {"client_library": "franz-go"}),
        ("publishing to pay failed: TOPIC_AUTHORIZATION_FAILED: Topic authorization failed.", "produce_failed", {"client_library": "franz-go"}),
        ("failed to fetch: UNKNOWN_TOPIC_OR_PARTITION: This server does not host this topic-partition.", "other_kafka", {"message_id": "franz-go-error"}),
        ('level=error msg="failed to commit last read offsets to Kafka" err="NOT_COORDINATOR: This is not the correct coordinator."', "commit_failed", {"client_library": "franz-go"}),
        ("heartbeat failed: kafka server: The provided member is not known in the current generation", "heartbeat_failed", {"client_library": "sarama"}),
        ("Failed to produce message - error='Broker is gone'", "produce_failed", {"client_library": "unnamed"}),
        ('{"level":"error","caller":"kafka/sender.go:7","msg":"circuit breaker is open"}', "produce_failed", {"client_library": "sarama"}),
        ("Ignored event 'Error' on base producer poll", "other_kafka", {"message_id": "rdkafka-error-printed"}),
        ("2026-03-01 [error] msg: client_pid_down, client_id: <<\"pay\">>, client_pid: <0.7.0>, reason: killed", "other_kafka", {"message_id": "wolff-client-gone"}),
        ("2026-03-01 [warning] msg: partitions_missing_in_metadata_response, topic: <<\"pay\">>, partitions: [3,7]", "other_kafka", {"message_id": "wolff-no-producers", "topic": "pay"}),
        ("transaction manager: failed to send offsets to transaction", "other_kafka", {"client_library": "sarama"}),
        ("txnmgr/endtxn [pay-1] retrying after 100ms... (9 attempts remaining) (kafka server: Concurrent transactions)", "backoff", {"attempts_left": 9}),
        ("Client got error from broker 2 when issuing InitProducerID : EOF", "other_kafka", {"message_id": "sarama-in-trouble"}),
        ("[Processor pay] setup generation 4, claims=map[string][]int32{\"in\":[]int32{0}}", "partitions_assigned", {"group_id": "pay", "generation": 4}),
        ("[Processor pay] error processing message (non-transient), shutting down processor: x", "other_kafka", {"message_id": "goka-ended"}),
        ("[Processor pay] Error closing consumer group: x", "other_kafka", {"message_id": "goka-failed"}),
        ("18:05:59.689 [error] Fetching consumer_group pay metadata failed with error_code :consumer_coordinator_not_available", "coordinator_lost", {"group_id": "pay"}),
        ("Left (KafkaResponseError RdKafkaRespErrUnknownTopicOrPart)", "other_kafka", {"error_class": "UnknownTopicOrPart"}),
        ("Left (KafkaResponseError RdKafkaRespErrTimedOut)", "other_kafka", {"message_id": "rdkafka-poll-empty"}),
        ("</om[2]/pay:clicks:0[6]/commits[0]> offset commit failed: err=(request timeout)", "commit_failed", {"client_library": "go"}),
        ('level=error msg="failed to commit offset" topic=pay partition=3 error="context deadline exceeded"', "commit_failed", {"topic": "pay", "partition": 3}),
        ("could not commit message offsets: request timed out", "commit_failed", {"client_library": "go"}),
        ("wrapper.go:9 reading kafka.lag: error in connect: EOF", "connect_failed", {"message_id": "go-connect-closed"}),
        ("kafka: failed to connect to b7:9092: unexpected EOF", "connect_failed", {"client_library": "go"}),
        ("kafka: closing connection to broker b7:9092: EOF", "disconnect", {"client_library": "go"}),
        ("publication to topic PAY error: [6] Not Leader For Partition: the client attempted to send messages to a replica that is not the leader", "produce_failed", {"client_library": "kafka-go"}),
        ("kafka publication failed: context deadline exceeded", "produce_failed", {"client_library": "go"}),
        ('level=error msg="Failed to send message to kafka_franz: UNKNOWN_TOPIC_OR_PARTITION: This server does not host this topic-partition."', "produce_retry", {"client_library": "franz-go"}),
        ("base                    _handle_failure:92    107   1396373 Heartbeat failed ([Error 15] GroupCoordinatorNotAvailableError); retrying", "heartbeat_failed", {"client_library": "kafka-python"}),
        ("Coordinator unknown during heartbeat -- will retry", "other_kafka", {"message_id": "python-heartbeat-unsent"}),
        ("[error] CRASH REPORT Process <0.7.0> with 0 neighbours exited with reason: tcp_closed in brod_sock:handle_msg/3 line 3", "other_kafka", {"message_id": "brod-connection-ended"}),
        ("[error] pay_client (re)connect to b7:9092 aborted, last failure reason:tcp_closed", "other_kafka", {"message_id": "brod-connection-ended"}),
        ("[error] pay_client (re)connect to b7:9092 aborted, last failure reason:econnrefused", "connect_failed", {"client_library": "brod"}),
        ("NotLeaderForPartitionError for pay:3", "other_kafka", {"message_id": "python-client-refused", "partition": 3}),
        ("FailedPayloadsError attempting to fetch data", "other_kafka", {"client_library": "kafka-python"}),
        ("FailedPayloadsError sending ProduceRequest (#1 of 2) to pay:3 with msgs (Message(mag", "produce_retry", {"topic": "pay", "partition": 3}),
        ("ConnectionError attempting to receive a response to request 7 from server BrokerMetadata(nodeId=2, host='b7', port=9092): Kafka @ b7:9092 went away", "disconnect", {}),
        ("Stopped producer with 7 unsent messages", "produce_failed", {"client_library": "kafka-python"}),
        ("Error sending the payload Error: NotLeaderForPartition", "produce_failed", {"client_library": "kafka-node"}),
        ("produce failed: { BrokerNotAvailableError: Broker not available (sendRequest)", "produce_failed", {"client_library": "kafka-node"}),
        ("consumer said [Error: UnknownTopicOrPartition]", "other_kafka", {"message_id": "kafka-node-refused"}),
        ('request timed out at 1767607200 {"broker":"b7:9092","clientId":"pay","correlationId":7,"pendingDuration":0,"apiName":"Produce"}', "request_timeout", {"client_library": "kafkajs"}),
        ('{"level":"ERROR","msg":"failed to produce message to topic","error":"### MESSAGE_TOO_LARGE: x"}', "produce_failed", {"client_library": "franz-go"}),
        ('"Failed to send event","error":"kafka server: Request was for a topic or partition that does not exist on this broker","why":"none"', "produce_failed", {"client_library": "sarama"}),
        ("Failed to send message to pay_sink:\n  NOT_LEADER_FOR_PARTITION: This server is not the leader for that topic-partition", "produce_retry", {"client_library": "franz-go"}),
        ("consumer said error code -192 _MSG_TIMED_OUT, str SyncGroup failed: Local: Message timed out", "request_timeout", {"error_class": "_MSG_TIMED_OUT"}),
        ("JoinGroup failed: Local: Timed out", "request_timeout", {"api": "JoinGroup"}),
        ("(Local: Message timed out): b7:9092/7: 3 request(s) timed out: disconnect (average rtt 1.210ms)", "request_timeout", {"client_library": "librdkafka"}),
        ("delivery failed: Local: Message timed out", "batch_expired", {"client_library": "librdkafka"}),
        ("log: NOTICE|x|CONFWARN|pay#consumer-4|[[thrd:app]: Configuration property acks is a producer property and will be ignored by this consumer instance]", "config_warning", {"client_id": "pay#consumer-4"}),
        ("Configuration property group.ids is a consumer property and will be ignored by this producer instance", "config_warning", {"client_library": "librdkafka"}),
        ('{"level":"error","msg":"[kafka] FetchMessage error: EOF","id":"pay-7"}', "disconnect", {"client_library": "go"}),
        ("consumer/broker/7 abandoned subscription to pay/3 because EOF", "other_kafka", {"message_id": "sarama-subscription-abandoned", "partition": 3}),
        ('{"severity":"INFO","message":"balancing group as leader"}', "other_kafka", {"client_library": "franz-go"}),
        ("Marking coordinator dead for group pay", "coordinator_lost", {"group_id": "pay"}),
        ("producer/broker/[7 859530387616] state change to [closing] because %!s(MISSING)", "disconnect", {"client_library": "sarama"}),
        ("FailedPayloadsError: [OffsetCommitRequest(topic='pay', partition=3, offset=18, metadata=None)]", "commit_failed", {"topic": "pay", "partition": 3}),
        ("publish: kafka: Failed to produce message to topic pay: kafka: invalid configuration (headers (all) need v0.11) (kafka: Failed to deliver 1 messages.)", "other_kafka", {"message_id": "sarama-config-refused"}),
        ("| #1 | 7 | kafka: error while consuming pay/3: dial tcp 10.0.0.1:9092: i/o timeout | [View](u) |", "connect_failed", {"topic": "pay", "partition": 3}),
        ('consumer said {"origin":"broker","message":"topic authorization failed","code":29,"errno":29}', "other_kafka", {"error_class": "TOPIC_AUTHORIZATION_FAILED"}),
        ("consumer said { origin: 'broker', message: 'unknown topic or partition', code: -1 }", "other_kafka", {"error_class": "UNKNOWN_TOPIC_OR_PARTITION"}),
        ('{"log.level":"error","@timestamp":"now","message":"Dropping event: no topic could be selected","component":{"binary":"fileb', "produce_failed", {"message_id": "beats-event-dropped"}),
        ("Error: kafka: Failed to produce message to topic", "produce_failed", {"client_library": "sarama", "topic": None}),
        ("[Processor pay] Consumer group returned, Rebalancing.", "other_kafka", {"message_id": "goka-line"}),
        ("maxpoll application maximum poll interval <300000ms>exceeded by 97ms adjust it:leaving group", "poll_interval_expired", {"limit_ms": 300000}),
        ('{"error":"Local: Queue full","level":"error","msg":"can\'t produce message for kafka"}', "produce_failed", {"client_library": "librdkafka"}),
        ("couldn't commit offsets: Broker: Unknown member", "commit_failed", {}),
        ("source stopped: KafkaConnectionError: Unable to bootstrap from [('b1', 9092, <AddressFamily.AF_UNSPEC: 0>)]", "connect_failed", {"error_class": "KafkaConnectionError"}),
        ("Group member (pay,coor=#PID<0.7.0>,cb=#PID<0.8.0>,generation=0):\nLeaving group, reason: {{:badmatch, 3},\n [{:brod_x, :y, 3, []}]}", "leave_group", {"message_id": "brod-left-broken", "group_id": "pay"}),
        ("Group member (pay,coor=#PID<0.7.0>,cb=#PID<0.8.0>,generation=0):\nLeaving group, reason: :shutdown", "leave_group", {"message_id": "brod-leave"}),
        ("pay::event_cb|Pay.cpp:7 FAIL: b7:9092/bootstrap: Connection closed", "disconnect", {"client_library": "librdkafka"}),
        ("OnError said: Receive failed: SSL syscall error number: 5: Success", "disconnect", {"client_library": "librdkafka"}),
        ("Pay failed: Send failed: SSL transport error: Broken pipe", "disconnect", {"client_library": "librdkafka"}),
        (r"Pay error: ssl://b7:9093/bootstrap: SSL handshake failed: .\ssl\s3_both.c:7: unexpected message Code: Local_Ssl", "connect_failed", {"error_class": "Local_Ssl"}),
        ("Details: Code [Local_Authentication], Reason [sasl_plaintext://b7:9092/7: Failed to initialize SASL authentication: SASL Handshake not supported by broker (required)]", "connect_failed", {"error_class": "Local_Authentication"}),
        ("Got error produce response: NodeNotReadyError: it is not ready (node id 7).", "produce_retry", {"client_library": "aiokafka", "error_class": "NodeNotReadyError"}),
        ("Socket disconnected during offset manager discovery. This can happen when using PyKafka with a Kafka version lower than 0.8.2. [find [pay.py]]", "disconnect", {"client_library": "pykafka"}),
        ("discarded message:{#PID<0.7.0>,\n {:kafka_fetch_error, \"pay\", 7, :OffsetOutOfRange,\n  \"x\"}}", "other_kafka", {"message_id": "brod-offset-out-of-range", "topic": "pay", "partition": 7}),
        ('{kafka_fetch_error,<<"pay">>,7,not_leader_for_partition,<<"x">>}', "other_kafka", {"message_id": "brod-fetch-failed", "topic": "pay", "partition": 7}),
        ("E0107 21:39:50.123   7 member.go:7] failed to send heartbeat:The group is rebalancing, so a rejoin is needed.", "heartbeat_failed", {"message_id": "go-rebalancing"}),
        ("E0107 21:39:50.123   7 member.go:7] heartbeat failed: The coordinator is not aware of this member.", "heartbeat_failed", {"message_id": "go-heartbeat-failed", "error_class": "UNKNOWN_MEMBER_ID"}),
        ("kafka fetch error:read tcp4 10.0.0.1:34666->10.0.0.2:7560: use of closed network connection", "disconnect", {"client_library": "go"}),
        ("could not get offset pay_kafka[7]:EOF", "disconnect", {"client_library": "go"}),
        ("[error] [out_kafka] pay#producer-7: [thrd:b7:9092/7]: b7:9092/7: Receive failed: Disconnected\n...", "disconnect", {"client_id": "pay#producer-7"}),
        ("Assigned partition pay[3]@7 | ConsumerName: c1", "partitions_assigned", {"topic": "pay", "partition": 3}),
        ("Revoked partition pay[3]@7 | ConsumerName: c1", "partitions_revoked", {"topic": "pay", "partition": 3}),
        ("Message produced to pay[3] but not acknowledged | ProducerName: p1", "produce_failed", {"topic": "pay", "partition": 3}),
        ("Error occurred trying to pull next message; the consumer will try to recover | ConsumerName: c1", "other_kafka", {"message_id": "silverback-failed"}),
        ("event#produce topic=pay key=7 error={:error, :leader_not_available}", "produce_failed", {"client_library": "brod", "topic": "pay"}),
        ("event#consumer_down=#PID<0.7.0> reason={:shutdown, :kpro_timeout}", "other_kafka", {"message_id": "kaffe-consumer-down"}),
        ('** (RuntimeError) Cannot connect to Kafka. Reason [{{"b7", 9092}, {{:failed_to_upgrade_to_ssl, :closed}, []}}]', "connect_failed", {"client_library": "brod"}),
        ("NetworkError: Connection to b7:9092 failed.\n    at Connection (/srv/node_modules/@platformatic/kafka/dist/network/connection.js:7:7) {\n  code: 'PLT_KFK_NETWORK'\n}", "connect_failed", {"client_library": "platformatic-kafka"}),
        ("TimeoutError: Request timed out\n    at x (/srv/node_modules/@platformatic/kafka/dist/network/connection.js:7:7)", "request_timeout", {"client_library": "platformatic-kafka"}),
        ("NetworkError: Connection closed\n    at x (/srv/node_modules/@platformatic/kafka/dist/network/connection.js:7:7)", "disconnect", {"client_library": "platformatic-kafka"}),
        ("Error PLT_KFK_RESPONSE: Received response with error while executing API Produce(v9) (caused by: Error PLT_KFK_PROTOCOL: This server does not host this topic-partition.)", "produce_failed", {"error_class": "UNKNOWN_TOPIC_OR_PARTITION"}),
        ("Error PLT_KFK_RESPONSE: Received response with error while executing API Heartbeat(v4) (caused by: Error PLT_KFK_PROTOCOL: The group is rebalancing, so a rejoin is needed.)", "heartbeat_failed", {"message_id": "platformatic-rebalancing"}),
        ("Error PLT_KFK_RESPONSE: Received response with error while executing API OffsetCommit(v9) (caused by: Error PLT_KFK_PROTOCOL: The coordinator is not aware of this member.)", "commit_failed", {"error_class": "UNKNOWN_MEMBER_ID"}),
        ("Error PLT_KFK_USER: The producer is in use by another transaction.", "other_kafka", {"message_id": "platformatic-error"}),
        ("Consumer in group pay has no partition assignments - this could be temporary, e.g. during a rolling update.", "partitions_assigned", {"message_id": "faststream-idle", "group_id": "pay"}),
        ("Consumer pay-7f assigned to partitions: frozenset({TopicPartition(topic='pay', partition=3)})", "partitions_assigned", {"message_id": "faststream-assigned", "topic": "pay"}),
        ("could not get any available broker from b7:9092,b8:9092", "connect_failed", {"client_library": "go"}),
        ("could not find coordinator from all brokers", "coordinator_lost", {"client_library": "go"}),
        ("Consumer error: Local: Timed out (<nil>)", "other_kafka", {"message_id": "rdkafka-poll-empty"}),
        ("%% Consumer timeout: Local: Timed out", "other_kafka", {"message_id": "rdkafka-poll-empty"}),
        ("Consumer could not get metadata: Local: Timed out", "request_timeout", {"client_library": "librdkafka"}),
        ("Failed to acquire idempotence PID from broker b7:9092/7:", "other_kafka", {"message_id": "rdkafka-producer-id"}),
        ("Code: 518 = DB::Exception: All commit attempts failed. Last block was already written, but was not commited to Kafka.", "commit_failed", {"client_library": "librdkafka"}),
        ("%7|1767607200.123|TOPICERROR|pay#consumer-3| [thrd:main]: Topic pay has permanent error: Broker: Unknown topic or partition", "other_kafka", {"message_id": "rdkafka-topic-gone", "topic": "pay"}),
        ("%7|1767607200.123|UNSUPPORTED|pay#producer-3| [thrd:b7:9092/7]: b7:9092/7: Failing ProduceResponse (v7, 3 bytes, CorrId 7): request not supported by broker (x)", "other_kafka", {"message_id": "rdkafka-request-unsupported", "api": "Produce"}),
        ("Error reading Kafka message: kafka server: Request timed out", "request_timeout", {"client_library": "sarama"}),
        ('error\tqueue.go:7\tExporting failed. Dropping data.\t{"otelcol.component.id": "kafka", "error": "error exporting to topic \\"pay\\": context deadline exceeded"}', "produce_failed", {"message_id": "otel-export-dropped"}),
        ('info\tretry.go:7\tExporting failed. Will retry the request after interval.\t{"otelcol.component.id": "kafka", "error": "error exporting to topic \\"pay\\": context deadline exceeded", "interval": "7.1s"}', "produce_retry", {"message_id": "otel-export-put-off", "topic": "pay"}),
        ('{"level":"ERROR","logger":"kafkajs","message":"[Connection] Connection\n  timeout","broker":"b7:9092","clientId":"pay"}', "connect_failed", {"client_library": "kafkajs", "client_id": "pay"}),
        ("    (kafka_ex) lib/kafka_ex/new/client.ex:7: KafkaEx.New.Client.handle_info({:tcp_closed, #Port<0.7>}, %KafkaEx{", "disconnect", {"client_library": "kafka_ex"}),
        ('fluent.error: {"error":"No partitions assigned!","message":"unexpected error during consuming events from kafka. Re-fetch events."}', "other_kafka", {"message_id": "ruby-idle"}),
    ],
)  # fmt: skip
def test_what_libraries_above_a_client_say(written, kind, said):
    told = event(written)
    assert told.kind == kind
    assert {name: getattr(told, name) for name in said} == said


@pytest.mark.parametrize("said", ["Caught exception", "Caught KeyError(7)"])
def test_another_program_that_caught_an_exception_is_no_client(said):
    assert events(f"{said}, shutting down...\nTraceback (most recent call last):\nKeyError: 7") == []


@pytest.mark.parametrize(
    "said",
    [
        "{ errno: -111, code: 'ECONNREFUSED', syscall: 'connect' }",
        "{ message: 'no offset stored', code: -168, errno: -168, origin: 'local' }",
        "Partition: 3 was closed on pay",
        "Error processing [View orders]",
        "except kafka.errors.KafkaError as e:",
        "a call raises kafka.errors.IllegalStateError then",
    ],
)
def test_a_number_of_the_systems_or_a_word_of_others_is_no_error_of_librdkafka(said):
    assert events(said) == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (
            "pay-network-thread Produced messages to topic-partition TopicPartition(topic='pay', partition=3) with base offset None and error IllegalStateError: closed.",
            "produce_failed",
        ),
        (
            "Produced messages to topic-partition TopicPartition(topic='pay', partition=3) with base offset 7 and error None.",
            "other_kafka",
        ),
        ("Connect attempt to BrokerConnection ... error 110", "connect_failed"),
    ],
)
def test_a_batch_of_pythons_failed_where_it_had_an_error(said, kind):
    logger = "kafka.producer.record_accumulator" if "roduce" in said else "kafka.conn"
    assert event(said, logger).kind == kind


@pytest.mark.parametrize(
    ("head", "node", "address"),
    [
        (
            "<BrokerConnection node_id=2 host=kafka2:9092 <connected> [IPv4 ('10.0.0.1', 9092)]>",
            2,
            "kafka2:9092",
        ),
        (
            "<BrokerConnection client_id=pay, node_id=coordinator-2 host=kafka2:9092 <connected>>",
            2,
            "kafka2:9092",
        ),
        ("<BrokerConnection node_id=bootstrap-0 host=kafka2:9092 <connecting>>", None, "kafka2:9092"),
        ("<AIOKafkaConnection host=kafka2 port=9092>", None, "kafka2:9092"),
    ],
)
def test_which_connection_of_pythons_a_line_is_of_stands_before_it(head, node, address):
    found = event(f"{head}: socket disconnected", "kafka.conn")
    assert (found.kind, found.node_id, found.details["address"]) == ("disconnect", node, address)


@pytest.mark.parametrize(
    "place",
    [
        "_do_heartbeat:817 - ",
        "_do_heartbeat - ",
        "group_coordinator.py:817 - ",
        "group_coordinator.py:817: ",
        "[group_coordinator.py:817] - ",
        "group_coordinator.py - _do_heartbeat - 817 - ",
        "_do_heartbeat:817 | ",
    ],
)
def test_a_place_in_the_source_behind_a_logger_of_python_is_no_part_of_the_message(place):
    said = "Heartbeat failed for group pay because it is rebalancing"
    assert event(f"{place}{said}", OF_AIO).kind == event(said, OF_AIO).kind == "heartbeat_failed"


@pytest.mark.parametrize(
    ("written", "logger", "kind"),
    [("socket disconnected", "kafka.conn", "disconnect"), ("Marking the coordinator dead", "kafka.coordinator", "coordinator_lost"), ("Marking the coordinator dead (node 7)for group", None, "coordinator_lost")],
)  # fmt: skip
def test_a_statement_that_is_cut_behind_its_words_is_known_by_its_logger(written, logger, kind):
    assert event(written, logger).kind == kind


@pytest.mark.parametrize(
    ("written", "kind", "said"),
    [
        ("Jan 01 00:00:00.000 WARN kafka::client::network: Failed to establish connection to b7:9092: Connection refused", "connect_failed", {"client_library": "kafka-rust"}),
        ("called `Result::unwrap()` on an `Err` value: NoHostReachable", "connect_failed", {"client_library": "kafka-rust"}),
        ("Error producing message: Kafka Error (NotLeaderForPartition)", "produce_failed", {"client_library": "kafka-rust", "error_class": "NotLeaderForPartition"}),
        ('TopicPartitionError { topic_name: "pay", partition_id: 3, error_code: UnknownTopicOrPartition }', "other_kafka", {"topic": "pay", "partition": 3, "error_class": "UnknownTopicOrPartition"}),
        ("called `Result::unwrap()` on an `Err` value: Error(Kafka(GroupCoordinatorNotAvailable), State { next_error: None })", "other_kafka", {"error_class": "GroupCoordinatorNotAvailable"}),
        ("error initializing the kafka reader for partition 3 of pay: read tcp 10.0.0.1:5-\\u003e10.0.0.2:9092: i/o timeout", "request_timeout", {"topic": "pay"}),
        ("Failed fetch messages from 3: [Error 7] RequestTimedOutError", "request_timeout", {"client_library": "aiokafka", "error_class": "RequestTimedOutError"}),
        ("Unable to update metadata from [3]", "connect_failed", {"client_library": "aiokafka"}),
        ("Topic pay is not available during auto-create initialization: UnknownTopicOrPartitionError", "other_kafka", {"topic": "pay", "error_class": "UnknownTopicOrPartitionError"}),
        ("The coordinator is not aware of this member, re-joining the group", "heartbeat_failed", {"client_library": "kafkajs"}),
        ("Network call to broker 7 (b7:9092) failed: :timeout", "request_timeout", {"client_library": "kafka_ex"}),
        ("Network call to broker 7 (b7:9092) failed: :closed", "disconnect", {"client_library": "kafka_ex"}),
        ("kafka: error while consuming pay/3: dial tcp 10.0.0.2:9092: connect: connection refused", "connect_failed", {"topic": "pay", "client_library": "sarama"}),
        ("kafka: error while consuming pay/3: read tcp 10.0.0.1:5->10.0.0.2:9092: i/o timeout", "request_timeout", {"topic": "pay", "client_library": "sarama"}),
        ("consumer/broker/7 disconnecting due to error processing FetchRequest: dial tcp 10.0.0.2:9092: i/o timeout", "connect_failed", {"node_id": 7}),
        ("consumer/broker/7 disconnecting due to error processing FetchRequest: EOF", "disconnect", {"node_id": 7}),
        ("RequestTimedOutError: Request timedout after 7000 ms", "request_timeout", {"elapsed_ms": 7000, "client_library": "kafka-python"}),
        ("Error: Local: Message timed out {\n  name: 'KafkaJSError',\n  code: -192,\n  type: 'ERR__MSG_TIMED_OUT'", "batch_expired", {"client_library": "librdkafka"}),
        ("ConnectionError {\n  name: 'KafkaJSConnectionError',\n  x: 1 }\nKafkaJSConnectionError: Connection timeout", "connect_failed", {"client_library": "kafkajs"}),
        ("Your event could not be published. Flush ended with code -185: 'Local: Timed out'", "produce_failed", {"client_library": "librdkafka"}),
        ("offsets of pay could not be committed: Broker: Unknown member", "commit_failed", {"error_class": "UNKNOWN_MEMBER_ID"}),
        ("can not write pay to kafka: [3] Unknown Topic Or Partition: the request is for a topic that does not exist", "produce_failed", {"client_library": "kafka-go"}),
        ("Failed to find group coordinator", "coordinator_lost", {"client_library": "ruby-kafka"}),
        ("Confluent.Kafka.KafkaException: Local: Waiting for coordinator\n   at Confluent.Kafka.Impl.SafeKafkaHandle.Commit(IEnumerable`1 offsets)", "commit_failed", {}),
        ('    consumer.commit(message=one)\ncimpl.KafkaException: KafkaError{code=UNKNOWN_MEMBER_ID,val=25,str="Broker: Unknown member"}', "commit_failed", {"error_class": "UNKNOWN_MEMBER_ID"}),
        ("%3|1795356710.782|ERROR|pay#consumer-1| [thrd:b7:9092/7]: b7:9092/7: Receive failed: Disconnected", "other_kafka", {"message_id": "rdkafka-error"}),
        ("%3|1795356710.782|ERROR|pay#consumer-1| [thrd:b7:9092/7]: b7:9092/7: Receive failed: Disconnected (after 7ms in state UP)", "other_kafka", {"message_id": "rdkafka-error", "elapsed_ms": 7}),
    ],
)  # fmt: skip
def test_what_a_library_says_is_known_without_its_logger(written, kind, said):
    told = event(written)
    assert told.kind == kind
    assert {name: getattr(told, name) for name in said} == said


@pytest.mark.parametrize(
    "said",
    [
        'pub enum KafkaCode {\n    NoHostReachable => "none",',
        "use kafka::error::ErrorKind::NoHostReachable;",
    ],
)
def test_the_source_of_a_library_says_nothing(said):
    assert events(said) == []


@pytest.mark.parametrize(
    ("head", "level"),
    [
        ("error: kafkajs: ", "ERROR"),
        ("[2026-01-05T10:00:00.000Z] error: ", "ERROR"),
        ("orders:kafkajs: ", None),
    ],
)
@pytest.mark.parametrize("field", ["{ namespace: 'Consumer', logger: 'kafkajs' }", "{ logger: 'kafkajs' }"])
def test_kafkajs_in_an_application_s_logger_needs_no_namespace_before_its_message(head, level, field):
    said = "Crash: KafkaJSNumberOfRetriesExceeded: Connection timeout"
    told = event(f"{head}{said} {field}", None, level=level)
    assert (told.client_library, told.kind) == ("kafkajs", event(f"[Consumer] {said}", "kafkajs").kind)


def test_the_end_of_a_string_ends_what_it_says():
    said = 'error_cb: KafkaError{code=_TRANSPORT,val=-195,str="b1:9092/7: Connect to ipv4#10.0.0.1:9092 failed: Connection refused"}'
    for text in (said, said.replace('"', '\\"')):
        assert event(text).details["reason"] == "Connection refused"


PLAIN = [
    (
        "Failed to establish a connection to b1.example.net:9093: deadline has elapsed",
        "connect_failed",
        {"address": "b1.example.net:9093", "reason": "deadline has elapsed"},
    ),
    ("Timed out while trying to connect to 10.0.0.7:29092", "connect_failed", {"address": "10.0.0.7:29092"}),
    (
        "cannot connect to kafka broker (b1.example.net:7000)",
        "connect_failed",
        {"address": "b1.example.net:7000"},
    ),
    ("could not connect to Kafka: no route to host", "connect_failed", {"reason": "no route to host"}),
    ("kafka connection failed", "connect_failed", {}),
    ("lost connection to kafka broker b1.example.net:9092", "disconnect", {}),
    ("kafka broker disconnected", "disconnect", {}),
    ("kafka bridge: request 7 to b1 timed out after 3000 ms", "request_timeout", {"elapsed_ms": 3000}),
    ("ListOffsets request to node 3 timed out after 3000 ms", "request_timeout", {"elapsed_ms": 3000}),
    ("Error producing into pay.in", "produce_failed", {"topic": "pay.in"}),
    ("unable to produce message to topic pay.in", "produce_failed", {"topic": "pay.in"}),
    (
        "kafka bridge: failed to publish 3 rows of data to topic 'pay.in': broken",
        "produce_failed",
        {"topic": "pay.in"},
    ),
    ("failed to send message to kafka: broken", "produce_failed", {}),
    ("Error Commiting Offsets of group pay", "commit_failed", {}),
    ("consumer pay: offset commit failed: broken", "commit_failed", {}),
    ("Commit failed: [Errno 32] Broken pipe. Kafka partitions: 5", "commit_failed", {}),
    ("failed to send heartbeat:The group is rebalancing, so a rejoin is needed.", "heartbeat_failed", {}),
    ("consumer pay: failed to find coordinator", "coordinator_lost", {}),
    ("kafka bridge: internal queue is full, retrying in one second", "produce_retry", {}),
]


@pytest.mark.parametrize(("said", "kind", "fields"), PLAIN)
def test_plain_words_tell_what_failed_of_whatever_client(said, kind, fields):
    told = event(said, None, level="WARN")
    assert (told.client_library, told.kind) == ("unnamed", kind)
    assert {name: getattr(told, name, None) or told.details.get(name) for name in fields} == fields


@pytest.mark.parametrize("said", [said for said, _, _ in PLAIN])
def test_without_a_head_plain_words_are_prose(said):
    assert [
        one for one in events(said, None, level=None, logged_at=None) if one.client_library == "unnamed"
    ] == []


@pytest.mark.parametrize(
    "said",
    [
        "Failed to connect to db1.example.net:5432: refused",
        "kafka-ui: failed to connect to registry b1.example.net:8081",
        "vflow was unable to connect to kafka",
        "Failed to connect to Kafka Connect: refused",
        "Error while closing connection to broker b1.example.net:9092: closed",
        "failed to send mail to pay.in",
        "failed to publish 3 rows to topic pay.in",
        "failed to commit the transaction of the ledger",
        "consumer pay: failed to commit offsets: context canceled",
        "failed to send heartbeat to the scheduler",
        "presto: failed to find coordinator",
        "the day's buffer is full, retrying",
    ],
)
def test_the_same_of_something_else_is_no_event(said):
    assert [one for one in events(said, None, level="WARN") if one.client_library == "unnamed"] == []


@pytest.mark.parametrize(
    ("said", "logger", "fields"),
    [
        (
            "<KafkaProducer client_id=pay-1>: Idempotence will be disabled because acks=1",
            "kafka.producer.kafka",
            {"reason": "acks=1"},
        ),
        (
            "Unrecognized offset_reset_strategy, using NONE",
            "kafka.consumer.subscription_state",
            {"used": "NONE"},
        ),
        (
            "Configured api_version (2, 3) is ambiguous; using (2, 3, 1)",
            "kafka.client_async",
            {"set": "(2, 3)", "used": "(2, 3, 1)"},
        ),
    ],
)
def test_what_is_put_aside_of_settings_is_a_warning_of_configuration(said, logger, fields):
    told = event(said, logger, level="WARN")
    assert told.kind == "config_warning"
    assert fields.items() <= told.details.items()


def test_a_message_whose_first_word_was_taken_for_a_logger_is_read_with_it():
    told = event(
        "local member_id was not recognized; this consumer needs to re-join", "Heartbeat", level="WARN"
    )
    assert (told.kind, told.client_library) == ("heartbeat_failed", "kafka-python")


def test_fields_that_were_put_in_order_tell_message_and_error_alone():
    answer = "NOT_COORDINATOR: This is not the correct coordinator."
    told = event(f'ts=12:00:05 err="{answer}" msg="failed to commit offsets of pay"', level="ERROR")
    assert told.details["said"] == f"failed to commit offsets of pay: {answer}"


@pytest.mark.parametrize(
    "written",
    [
        '[ERROR] kafkajs BrokerPool: Failed to connect to seed broker, trying another broker from the list: refused {"broker":"b1:9092"}',
        'kafkajs/Connection: Connection timeout {"broker":"b1:9092"}',
        'ERROR [2026-03-11T10:00:05.101Z]: Connection timeout\n    code: "kafkajs"\n    namespace: "Connection"',
        '{"level":"error","label":"kafkajs","namespace":"Connection","broker":"b1:9092","msg":"Connection timeout"}',
    ],
)
def test_what_kafkajs_says_is_known_wherever_its_logger_puts_its_names(written):
    (told,) = events_in(f"2026-03-11T10:00:05.101Z {written}\n" if written[0] != "{" else f"{written}\n")
    assert (told.kind, told.client_library) == ("connect_failed", "kafkajs")
    assert told.details["said"].startswith(("[Connection] Connection timeout", "[BrokerPool] Failed to "))


def test_a_client_whose_id_is_a_librarys_name_is_not_it():
    assert client_of_other_language('{"clientId":"kafkajs","requestApiKeyName":"FETCH"}') is None


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Metadata: read tcp 10.0.0.3:51234->10.0.0.9:9092: i/o timeout", "request_timeout"),
        ("CreateTopics: context deadline exceeded", "request_timeout"),
        ("Metadata: dial tcp 10.0.0.9:9092: connect: connection refused", "connect_failed"),
        ("ListOffsets: unexpected EOF", "disconnect"),
    ],
)
def test_a_method_of_gos_is_no_thread(said, kind):
    (told,) = events_in(f"2026/03/11 10:00:05 pay failed: kafka.(*Client).{said}\n")
    assert told.kind == kind


def test_what_is_sent_may_be_no_record():
    line = '%7|1700000000.123|CGRPQUERY|pay#consumer-1| [thrd:main]: Group "pay": unable to send coordinator query: Local: Broker transport failure'
    assert event(line, None).kind == "other_kafka"


@pytest.mark.parametrize(
    "written",
    [
        "            raise KafkaConnectionError(\"Unable to bootstrap from [('b1', 9092)]\")",
        'Assert.StartsWith("Confluent.Kafka.KafkaException: Local: Invalid argument or configuration", thrown);',
        "      rescue Kafka::LeaderNotAvailable => gone",
        '     "kafka.errors.KafkaTimeoutError: Failed to update metadata after 60.0 secs"),',
        '\t\t\tname: "kafka",\n\t\t\twait: true,\n\t\t\terr: "{\\"error\\":7,\\"message\\":\\"failed to dial: failed to open connection to b1:9092\\"}\\n",',
    ],
)
def test_what_a_program_would_say_nobody_said(tmp_path, written):
    assert events(written, None, level=None, logged_at=None) == []
    assert answered(written, tmp_path)[0] == "not_judged"
