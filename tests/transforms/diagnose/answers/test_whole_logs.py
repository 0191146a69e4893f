# ruff: noqa: E501, RUF001  # a line of a log is a line, in whatever language
"""Small whole logs, of every client: what the answer to each says, and what it must not say."""

import pytest

from tests.answered import answered
from transforms.diagnose.wording.catalogue import Said, class_of
from transforms.parse.catalogue.errors import NAMES

ALL_CLEAR = "nothing_wrong"
IDLE = (
    "sasl://k2.example.org:9093: Disconnected (after 4396411ms in state UP, 1 identical error(s) suppressed)"
)
BITNAMI = "kafka-1  | kafka 09:15:22.23 ERROR ==> {}"


@pytest.mark.parametrize(
    ("text", "kind", "words", "unsaid"),
    [
        pytest.param(
            "I, [2026-01-05T10:00:00.442212 #7]  INFO -- : Discovered cluster metadata; nodes: \n"
            "D, [2026-01-05T10:00:00.442241 #7] DEBUG -- : Closing socket to k1:9092\n"
            "Kafka::LeaderNotAvailable: Kafka::LeaderNotAvailable\n"
            "\tfrom /usr/lib/ruby/gems/ruby-kafka-1.5.0/lib/kafka/protocol.rb:96:in `handle_error'\n"
            "\tfrom /usr/lib/ruby/gems/ruby-kafka-1.5.0/lib/kafka/producer.rb:138:in `deliver'",
            "no_leader", ["a call that raised it has failed"], "could not be judged", id="what Ruby raised to its caller did not pass",
        ),
        pytest.param(
            "E, [2026-01-05T10:00:00.046420 #7] ERROR -- : Error committing offsets: Kafka::IllegalGeneration\n"
            "E, [2026-01-05T10:00:00.046787 #7] ERROR -- : Consumer thread crashed: Kafka::OffsetCommitError: Kafka::IllegalGeneration",
            "commit_refused", ["had rebalanced without it"], "no answer in time", id="a commit that was refused was answered",
        ),
        pytest.param(
            f"2026-01-05T10:00:00.964Z  INFO librdkafka: librdkafka: FAIL [thrd:GroupCoordinator]: GroupCoordinator: {IDLE}\n"
            f"2026-01-05T10:00:00.965Z ERROR kafka_source: rdkafka::client: librdkafka: Global error: BrokerTransportFailure (Local: Broker transport failure): GroupCoordinator: {IDLE}",
            ALL_CLEAR, ["connections.max.idle.ms"], "Cost", id="a coordinator's connection that rested for an hour, at ERROR by a binding",
        ),
        pytest.param(
            "10:00:00,468 [18]  - OnLog : rdkafka#consumer-1,7,PARTSTATE,[thrd:main]: Partition orders [0] changed fetch state none -> active\n"
            "10:00:00,716 [18]  - OnLog : rdkafka#consumer-1,7,QRYLEADER,[thrd:main]: Topic orders [0]: leader is unavailable: re-query\n"
            "10:00:00,807 [30]  - OnLog : rdkafka#consumer-1,7,TOPBRK,[thrd:k1:9092/5]: k1:9092/5: Topic orders [0]: joining broker (rktp 0ACA61C0)",
            ALL_CLEAR, ["3 Kafka lines"], "could not be judged", id="DEBUG of librdkafka whose number an application prints between commas",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,100] INFO [Consumer clientId=bill-1, groupId=bills] Group coordinator k1:9092 (id: 2147483646 rack: null) is unavailable or invalid due to cause: session timed out without receiving a heartbeat response. isDisconnected: false. Rediscovery will be attempted. (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n"
            "[2026-01-05 10:00:10,200] WARN [Consumer clientId=bill-1, groupId=bills] consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the configured max.poll.interval.ms, which typically implies that the poll loop is spending too much time processing messages. (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)",
            "membership_poll_expired", ["what became of its coordinator", "a commit that waits"], "not the heartbeats", id="the session timed out before the poll limit did",
        ),
        pytest.param(
            "[2026-01-05 10:00:14,100] INFO [Producer clientId=bill-1] Disconnecting from node 1 due to request timeout. (org.apache.kafka.clients.NetworkClient)\n"
            "[2026-01-05 10:00:14,101] INFO [Producer clientId=bill-1] Cancelled in-flight PRODUCE request with correlation id 7 due to node 1 being disconnected (elapsed time since creation: 14100ms, elapsed time since send: 14100ms, throttle time: 0ms, request timeout: 3000ms): {acks=-1,timeout=3000,partitionSizes=[bills-0=84]} (org.apache.kafka.clients.NetworkClient)\n"
            "[2026-01-05 10:00:14,103] ERROR bill 71 was not sent (com.example.Bills)\n"
            "org.apache.kafka.common.errors.TimeoutException: Disconnected from node 1 due to timeout",
            "produce_unanswered", ["records were lost", "had passed, or retries were used up", "whether this process stood still"], "delivered in the end", id="a producer that stood still past its limits",
        ),
        pytest.param(
            "[ERROR] com.example.BillsIT.removed  Time elapsed: 31.2 s  <<< ERROR!\njava.util.concurrent.ExecutionException: org.apache.kafka.common.errors.TimeoutException: The request timed out.\n\tat com.example.BillsIT.removed(BillsIT.java:31)",
            "answered_too_late", ["not done in time, by the broker's own answer"], "gave the connection up", id="a call that ran out of time on a broker was answered",
        ),
        pytest.param(
            "[2026-01-05 10:00:14,100] ERROR [QuorumController id=3] Exceptionally slow controller event writeNoOpRecord(1234567) took 24100 ms. (org.apache.kafka.controller.EventPerformanceMonitor)",
            "controller_slow", ["took 24", "garbage collection"], "leader", id="a controller that was slow has done its work",
        ),
        pytest.param(
            "===> Configuring ...\nKAFKA_ZOOKEEPER_CONNECT is required.\nCommand [/usr/local/bin/dub ensure KAFKA_ZOOKEEPER_CONNECT] FAILED !",
            "image_not_set_up", ["KAFKA_ZOOKEEPER_CONNECT", "no broker, worker or registry was started"], "could not be judged", id="an image that lacks a variable",
        ),
        pytest.param(
            BITNAMI.format("KRaft mode requires an unique node.id, please set the environment variable KAFKA_CFG_NODE_ID"),
            "image_not_set_up", ["KAFKA_CFG_NODE_ID"], "could not be judged", id="and another image",
        ),
        pytest.param(
            "===> Check if /var/lib/kafka/data is writable ...\nCommand [/usr/local/bin/dub path /var/lib/kafka/data writable] FAILED !",
            "image_path_refused", ["/var/lib/kafka/data", "writable"], "could not be judged", id="a volume that the image may not write",
        ),
        pytest.param(
            "===> Check if Kafka is healthy ...\nCommand [/usr/local/bin/cub kafka-ready 1 40 -b k1:9092] FAILED !",
            "image_waited", ["kafka-ready"], "could not be judged", id="an image that waited for brokers",
        ),
        pytest.param(
            "2026-01-05 10:00:00 INFO  de.shop.Versand - Verbindung zum Kafka-Broker k1:9092 fehlgeschlagen: Zeitüberschreitung",
            "not_judged", ["none could be read"], "nothing wrong", id="what fails in German at INFO is not read as quiet",
        ),
        pytest.param(
            "2026-01-05 10:00:00.120 ERROR [main] c.s.o.KafkaConfig - 连接kafka失败，请检查broker地址 k1:9092",
            "said_to_fail", ["连接kafka失败"], "could not be judged", id="what fails in Chinese at ERROR",
        ),
        pytest.param(
            "2026-01-05 10:00:00,100 INFO [main] c.s.Orders - kafka consumer stats: received=120 failed=0 errors=0 retries=0",
            ALL_CLEAR, ["read by their level and words alone"], "failed=0", id="counts of nothing that failed",
        ),
        pytest.param(
            "2026-01-05 10:00:00.100  INFO 1 --- [ntainer#0-0-C-1] o.s.k.l.KafkaMessageListenerContainer    : dlq: partitions assigned: [payment-failed-0, orders-error-1, dead-letter-2]",
            ALL_CLEAR, ["read by their level and words alone"], "could not be judged", id="names of topics that have such words in them",
        ),
        pytest.param(
            '2026-01-05 10:00:00.100  INFO 1 --- [ntainer#0-0-C-1] c.s.pay.Listener : Received from Kafka: {"orderId":12,"status":"FAILED","error":"card declined"}',
            ALL_CLEAR, ["read by their level and words alone"], "could not be judged", id="what a record says is its producer's",
        ),
        pytest.param(
            "2026-01-05T10:00:00Z DEBUG app: kafka poll returned None after 1s timeout, nothing to do",
            ALL_CLEAR, ["read by their level and words alone"], "could not be judged", id="a poll that waited for as long as it was to",
        ),
        pytest.param(
            "zookeeper-1  | [2026-01-05 10:00:00,100] INFO binding to port 0.0.0.0/0.0.0.0:2181 (org.apache.zookeeper.server.NIOServerCnxnFactory)\n"
            "kafka-1      | [2026-01-05 10:00:01,100] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)\n"
            "kafka-1 exited with code 137",
            "container_ended", ["kafka-1", "exit code 137", "SIGKILL"], "nothing wrong", id="a container that was killed",
        ),
        pytest.param(
            "kafka-1      | [2026-01-05 10:00:01,100] INFO [KafkaServer id=1] shut down completed (kafka.server.KafkaServer)\nkafka-1 exited with code 143",
            ALL_CLEAR, ["Kafka lines: nothing wrong"], "exit code", id="and one that was told to stop",
        ),
        pytest.param(
            "We saw these, too:\n\n- `Failed to commit {orders-2=OffsetAndMetadata{offset=123, leaderEpoch=null, metadata=''}}, it wi",
            "said_to_fail", ["Failed to commit {orders-2="], "no line of a Kafka client", id="a class of Kafka's in the words names it",
        ),
        pytest.param(
            "Error: connect ECONNREFUSED 127.0.0.1:9092\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1494:16)\n"
            "Emitted 'error' event on Client instance at:\n    at KafkaClient.<anonymous> (/app/node_modules/kafka-node/lib/kafkaClient.js:120:10)",
            "connect_failed", ["127.0.0.1:9092"], "could not be judged", id="Kafka's port, in a log that names Kafka elsewhere",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,101] WARN Unable to read additional data from client sessionid 0x0, likely client has closed socket (org.apache.zookeeper.server.NIOServerCnxn)\n"
            "[2026-01-05 10:00:00,102] INFO Closed socket connection for client /10.0.0.3:41516 (no session established for client) (org.apache.zookeeper.server.NIOServerCnxn)",
            ALL_CLEAR, ["read by their level and words alone"], "none could be read", id="a warning that is always normal takes no all-clear away",
        ),
        pytest.param(
            "SLF4J: Found binding in [jar:file:/opt/kafka/libs/slf4j-log4j12-1.7.30.jar!/org/slf4j/impl/StaticLoggerBinder.class]\n"
            "WARNING: An illegal reflective access operation has occurred\n"
            "[2026-01-05 10:00:01,505] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)",
            ALL_CLEAR, ["1 Kafka line"], "could not be", id="what the JVM warns of is not Kafka's for a path above it",
        ),
        pytest.param(
            '{"level":"ERROR","timestamp":"2026-01-05T10:00:00.000Z","logger":"kafkajs","message":"[Connection] Response Metadata(key: 3, version: 6)","broker":"k1:9092","clientId":"pay","error":"There is no leader for this topic-partition as we are in the middle of a leadership election","correlationId":2,"size":92}\n'
            '{"level":"INFO","timestamp":"2026-01-05T10:00:03.000Z","logger":"kafkajs","message":"[ConsumerGroup] Consumer has joined the group","groupId":"pay","memberId":"pay-1","leaderId":"pay-1","isLeader":true,"memberAssignment":{"pay":[0]},"groupProtocol":"RoundRobinAssigner","duration":3005}',
            ALL_CLEAR, ["asks again by itself"], "could not be judged", id="kafkajs at the creation of a topic",
        ),
        pytest.param(
            "2026/01/05 10:00:10 no messages received from kafka within the allocated time for partition 0 of pay at offset 12: [7] Request Timed Out: the request exceeded the user-specified time limit in the request",
            ALL_CLEAR, ["a fetch came back empty"], "timed out. Do", id="kafka-go with nothing to read",
        ),
        pytest.param(
            "PHP Fatal error:  Uncaught RdKafka\\Exception: Local: Unknown partition in /var/www/consumer.php:42\nStack trace:\n#0 /var/www/consumer.php(42): RdKafka\\KafkaConsumer->commit(Object(RdKafka\\Message))",
            "watermarks_unknown", ["that its metadata does not have"], "sends to a partition", id="a partition that a consumer does not know was not sent to",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,422] ERROR stream-thread [pay-fc378783-475d-41b0-8011-3e755d34f114-StreamThread-1] Failed to process stream task 0_0 due to the following error: (org.apache.kafka.streams.processor.internals.AssignedStreamsTasks)\n"
            "org.apache.kafka.streams.errors.StreamsException: Exception caught in process. taskId=0_0, processor=KSTREAM-SOURCE-0000000000, topic=orders, partition=0, offset=10256",
            "streams_died", ["in task 0_0", "at offset 10256 of orders-0"], "handler chose", id="to process is what a thread failed to do, and no choice of a handler",
        ),
        pytest.param(
            "[Producer clientId=pay-1] Exception occurred during message send:\norg.apache.kafka.common.errors.IllegalSaslStateException: Invalid SASL mechanism response, server may be expecting a different protocol\n"
            "Caused by: org.apache.kafka.common.protocol.types.SchemaException: Error reading field 'auth_bytes': Bytes size -1 cannot be negative",
            "sasl_answer_unreadable", ["pay-1 can't read", "$ConnectionString"], "ILLEGAL_SASL_STATE", id="a client that can't read the answer to its login was told so by no broker",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,241] ERROR WorkerSourceTask{id=shop-0} Task threw an uncaught and unrecoverable exception (org.apache.kafka.connect.runtime.WorkerTask:179)\n"
            "org.apache.kafka.connect.errors.ConnectException: The disk of the till is gone\n\tat com.example.TillReader.read(TillReader.java:23)\n"
            "[2026-01-05 10:00:00,247] ERROR WorkerSourceTask{id=shop-0} Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerTask:180)",
            "connect_task_killed", ["shop-0 was killed by ConnectException: The disk of the till is gone"], "in the line before this one", id="what ended a task is told, not that it is dead",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,463] ERROR Failed to create connector for config/till.properties (org.apache.kafka.connect.cli.ConnectStandalone:74)\n"
            "[2026-01-05 10:00:00,464] ERROR Stopping after connector error (org.apache.kafka.connect.cli.ConnectStandalone:84)\n"
            "java.util.concurrent.ExecutionException: org.apache.kafka.connect.errors.ConnectException: Failed to find any class that implements Connector and which name matches com.example.TillSource, available connectors are: none",
            "plugin_missing", ["no Connector named com.example.TillSource"], "2. ", id="a connector that has no plugin did not start for that",
        ),
        pytest.param(
            '{\n  "name": "pg",\n  "tasks": [ { "id": 0, "state": "FAILED",\n  "trace": "org.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception.\\n\\tat org.apache.kafka.connect.runtime.WorkerSinkTask.deliverMessages(WorkerSinkTask.java:632)"',
            "connect_task_killed", ["was killed: it does not"], "exception.\\n\\tat org.apache.kafka.connect.runtime.WorkerSinkTask.deliverMessages(WorkerSinkTask.java:632): it", id="a trace whose line ends are escaped is no message",
        ),
        pytest.param(
            "info: Orders.Worker[0]\n      Kafka consumer subscribed to topic orders\ninfo: Microsoft.Hosting.Lifetime[0]\n      Application is shutting down...\n"
            "info: Orders.Worker[0]\n      Kafka consumer closed",
            ALL_CLEAR, ["read by their level and words alone"], "none could be read", id="levels of .NET stand above what they are of",
        ),
        pytest.param(
            "info: Orders.Worker[0]\n      Kafka consumer subscribed to topic orders\nfail: Orders.Worker[0]\n      Consume error: Broker: Unknown topic or partition",
            "topic_missing", ["Unknown topic or partition"], "nothing wrong", id="and so does one of a failure",
        ),
        pytest.param(
            "1700000000.102      0 10.0.0.9 TCP_DENIED/403 3900 CONNECT kafka.example.org:9092 - HIER_NONE/- text/html",
            "proxy_denied", ["kafka.example.org:9092"], "could not be judged", id="Squid denies a broker",
        ),
        pytest.param(
            '[2026-01-05T10:00:00.100Z] "- - -" 0 - rbac_access_denied_matched_policy[none] - "-" 0 0 0 - "-" "-" "-" "-" "-" inbound|9092|| - 10.1.0.4:9092 10.1.0.9:44120 outbound_.9092_._.kafka.kafka.svc.cluster.local -',
            "proxy_denied", ["10.1.0.4:9092"], "could not be judged", id="and Istio",
        ),
        pytest.param(
            "2026-01-05 10:00:00 INFO  c.s.Probe - kafka k1:9092 probe: no answer after 5000 ms (3rd time)",
            "not_judged", ["none could be read"], "nothing wrong", id="nobody answers, at INFO",
        ),
        pytest.param(
            "Error: Local: Message timed out\n    at Function.createLibrdkafkaError [as create] (/app/confluent-kafka-js/lib/error.js:456:10) {\n  name: 'KafkaJSError',\n  code: -192\n}",
            "batch_expired", ["were not delivered"], "of no kind that is known", id="a message that timed out, thrown by a binding",
        ),
        pytest.param(
            "|FAIL|rdkafka#consumer-1| [thrd:GroupCoordinator]: GroupCoordinator: {{masked}}.example.org:9092: Disconnected (after 345599852ms in state UP, 1 identical error(s) suppressed)",
            ALL_CLEAR, ["95 h 59 min"], "Cost", id="a coordinator's host that is masked, at rest for days",
        ),
        pytest.param(
            '{\n  "@timestamp": "2026-01-05T10:00:00.100Z",\n  "level": "INFO",\n  "logger_name": "org.apache.kafka.streams.processor.internals.StreamThread",\n  "message": "stream-thread [a-StreamThread-1] State transition from PENDING_SHUTDOWN to DEAD"\n}\n'
            '{\n  "@timestamp": "2026-01-05T10:00:00.101Z",\n  "level": "INFO",\n  "logger_name": "org.apache.kafka.streams.KafkaStreams",\n  "message": "stream-client [a] Streams client stopped completely"\n}',
            ALL_CLEAR, [], "could not be judged", id="all lines of an object are its own",
        ),
        pytest.param(
            " Failed to collect cluster info\njava.lang.IllegalStateException: Error while creating AdminClient for the cluster\n        at io.kafbat.ui.service.AdminClientServiceImpl.lambda$createAdminClient$5(AdminClientServiceImpl.java:58)",
            "said_to_fail", ["Error while creating AdminClient"], "nothing to judge", id="a console of Kafka's by its package",
        ),
        pytest.param(
            'ts=2026-01-05T10:00:00.5Z caller=reader.go:827 level=error component=ingest_reader partition=0 msg="failed to fetch offset" err="NOT_LEADER_FOR_PARTITION: This server is not the leader for that topic-partition."',
            "leader_moved", ["that does not lead"], "nothing to judge", id="a code by its earlier name, in a log that names Kafka nowhere else",
        ),
        pytest.param(
            "ERROR:asyncio:Unclosed AIOKafkaConsumer\nconsumer: <aiokafka.consumer.consumer.AIOKafkaConsumer object at 0x7f1a3c0d2e50>",
            "client_not_closed", ["AIOKafkaConsumer", "stop()"], "could not be judged", id="a consumer that nobody closed",
        ),
        pytest.param(
            "[sarama] 2026/01/05 10:00:00 client/metadata fetching metadata for all topics from broker k1:9092\n"
            "[sarama] 2026/01/05 10:00:10 client/metadata not fetching metadata from broker k2:9092 as we would go past the metadata timeout\n"
            "[sarama] 2026/01/05 10:00:10 client/metadata skipping last retries as we would go past the metadata timeout",
            "refresh_gave_up", ["Metadata.Timeout"], "could not be judged", id="a refresh for which no time was left",
        ),
        pytest.param(
            "rescue org.apache.kafka.common.errors.TimeoutException => e\n"
            "} catch (org.apache.kafka.common.errors.WakeupException e) {\n"
            "  throw new org.apache.kafka.common.KafkaException(\"away\", e);\n"
            "2026-01-05 10:00:00,125 INFO [Consumer clientId=pay, groupId=g] (Re-)joining group (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)",
            ALL_CLEAR, [], "Cost", id="what a program catches and throws, above a log",
        ),
        pytest.param(
            "[2016-03-02 10:00:00,933] WARN [KafkaApi-1] Produce request with correlation id 7 from client pay on partition [orders,4] failed due to Leader not local for partition [orders,4] on broker 1 (kafka.server.KafkaApis)",
            "leader_asked_elsewhere", ["clients", "orders,4 by pay"], "A broker or controller asked", id="a leader that moved, as brokers said it at first",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,337] INFO [Admin Manager on Broker 0]: Error processing create topic request CreatableTopic(name='pay_in') (kafka.server.ZkAdminManager)\n"
            "org.apache.kafka.common.errors.InvalidTopicException: Topic 'pay_in' collides with existing topics: pay.in",
            "topic_name_collides", ["pay_in", "pay.in"], "not valid", id="two names that are one in metrics",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,368] WARN [GroupCoordinator 0]: Setting empty assignments for members Set(pay-1) of orders for generation 15 (kafka.coordinator.group.GroupCoordinator)",
            ALL_CLEAR, ["group orders got no partition"], "could not be judged", id="more members than partitions",
        ),
        pytest.param(
            "2026-01-05 10:00:00,258 WARN  [org.apache.kafka.common.utils.AppInfoParser] Error registering AppInfo mbean\n"
            "javax.management.InstanceAlreadyExistsException: kafka.producer:type=app-info,id=pay",
            ALL_CLEAR, ["client.id, pay"], "Cost", id="two clients of one name",
        ),
        pytest.param(
            "2026-01-05 10:00:00 WARN  o.s.b.w.Context - Exception encountered: BeanCreationException: Error creating bean with name 'kafkaConfig': Injection failed\n"
            "org.springframework.beans.factory.BeanCreationException: Error creating bean with name 'kafkaConfig': Injection failed\n"
            "\tat com.acme.Pay.main(Pay.java:10)\n"
            "Caused by: java.lang.IllegalArgumentException: Could not resolve placeholder 'acme.kafka.servers' in value \"${acme.kafka.servers}\"",
            "placeholder_unresolved", ["nothing sets acme.kafka.servers"], "of no kind that is known", id="a setting that nothing sets",
        ),
        pytest.param(
            "2026-01-05 10:00:00 WARN  o.s.b.w.Context - Exception encountered: BeanCreationException: Error creating bean with name 'kafkaConfig': Injection failed\n"
            "org.springframework.beans.factory.BeanCreationException: Error creating bean with name 'kafkaConfig': Injection failed\n"
            "\tat com.acme.Pay.main(Pay.java:10)\n"
            "Caused by: java.lang.IllegalArgumentException: the vault is sealed",
            "said_to_fail", ["the vault is sealed"], "Injection failed\": Do", id="of two that only say that it failed, the one that says why",
        ),
        pytest.param(
            "2026-01-05T10:00:00,184 WARN [task-0] com.acme.KafkaRunner - OffsetOutOfRangeException with message [Fetch position FetchPosition{offset=4791, offsetEpoch=Optional[...\n"
            "`WARN [task-0] com.acme.KafkaRunner - OffsetOutOfRangeException with message [Fetch position FetchPosition{offset=3192, offsetEpoch=Optional.empty} is out of range for partition orders-0]`",
            "offset_out_of_range", ["4791"], "4791 of orders-0", id="of two records each has its own partition",
        ),
        pytest.param(
            "Confluent.Kafka.ConsumeException: Subscribed topic not available: pay.in",
            "topic_missing", ["pay.in"], "an error from its library", id="a topic that is not available, without librdkafka's reason",
        ),
        pytest.param(
            "Confluent.Kafka.ConsumeException: Subscribed topic not available: pay.in: Broker: Topic authorization failed",
            "not_authorized", ["no right"], "do not know", id="a topic that its rules keep from it",
        ),
        pytest.param(
            "pay-1 | %4|1767607200.125|GETPID|pay#producer-2| [thrd:main]:\n"
            "Failed to acquire idempotence PID from broker kafka1:9092/1:\n"
            "Broker: Coordinator load in progress: retrying",
            ALL_CLEAR, ["pay#producer-2 waits for its producer id"], "not its coordinator", id="a line that a page broke, below a container's name",
        ),
        pytest.param(
            "2026-01-05 10:00:00,125 [myid:] - INFO  [main:QuorumPeerConfig@103] - Reading configuration from: /opt/zookeeper/conf/zoo.cfg\n"
            "2026-01-05 10:00:00,131 [myid:] - WARN  [main:QuorumPeerMain@113] - Either no config or no quorum defined in config, running  in standalone mode\n"
            "2026-01-05 10:00:00,140 [myid:] - INFO  [main:Environment@100] - Server environment:zookeeper.version=3.4.14, built on 03/06/2019 16:18 GMT",
            ALL_CLEAR, ["read by their level and words alone"], "none could be read", id="a warning of ZooKeeper's server that names nothing of it is as normal",
        ),
        pytest.param(
            "2026-01-05T10:00:01.882Z  WARN 1 --- [bills] [ntainer#0-0-C-1] c.e.bills.Bills     : bill 7 is set aside: no connection to Redis\n"
            "2026-01-05T10:00:02.994Z DEBUG 1 --- [bills] [ntainer#0-1-C-1] o.s.k.l.KafkaMessageListenerContainer    : Commit list: {}",
            "not_judged", ["none could be read; line 1 is the first that says that something failed"], "nothing wrong", id="which line failed, where none is Kafka's own",
        ),
        pytest.param(
            "+ exec java -XX:+ExitOnOutOfMemoryError -XX:MaxMetaspaceSize=256m -classpath :lib/kafka-clients-4.1.0.jar com.example.Bills\n"
            "[2026-01-05 10:00:00,125] INFO Kafka version: 4.1.0 (org.apache.kafka.common.utils.AppInfoParser)",
            ALL_CLEAR, [], "memory", id="an option of a JVM names an error that nobody threw",
        ),
        pytest.param(
            "15/10/09 06:43:09 WARN AppInfo$: Can't read Kafka version from MANIFEST.MF. Possible cause: java.lang.NullPointerException\n"
            "15/10/09 06:43:10 INFO ZookeeperConsumerConnector: [bills_pay-1], begin registering consumer bills_pay-1 in ZK",
            ALL_CLEAR, [], "Cost", id="an old release that was packed anew does not know its version",
        ),
        pytest.param(
            "[2026-01-05T10:00:05.890Z] [ERROR] [??] [bills] Uncaught exception: KafkaError{code=REQUEST_TIMED_OUT,val=7,str=\"Commit failed: Broker: Request timed out\"}\n"
            "[2026-01-05T10:00:05.891Z] [ERROR] [??] [bills] Consumer stopped without being asked",
            "commit_not_written", ["could not write a commit in time"], "listener container", id="a consumer that an application says has stopped is no container of a framework's",
        ),
        pytest.param(
            "2026-01-05T10:00:07.417Z [info]: Producer [ERROR]: Failed to send messages: Connection error: connect ECONNREFUSED 10.0.0.7:9092\n"
            "2026-01-05T10:00:26.459Z [info]: Runner [ERROR]: The coordinator is not aware of this member, re-joining the group\n"
            "2026-01-05T10:00:50.775Z [info]: BrokerPool [ERROR]: Failed to connect to seed broker, trying another broker from the list: Connection error: ",
            "connect_failed", ["a kafkajs client", "no longer knew"], "may tell more", id="what speaks and its level, as an application writes kafkajs' lines",
        ),
        pytest.param(
            "[2026-01-05T10:00:31+07:00] Error reading from Kafka: fetching message: multiple Read calls return no data or error\n"
            "[2026-01-05T10:00:51+07:00] Error reading from Kafka: fetching message: multiple Read calls return no data or error",
            "read_failed", ["2 times", "ReaderConfig.MaxBytes"], "may tell more", id="what kafka-go's reader hands its application",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,636] ERROR Unable to start acceptor for ListenerName(CONTROLLER) (kafka.network.DataPlaneAcceptor)\norg.apache.kafka.common.KafkaException: Socket server failed to bind to 0.0.0.0:9093: Address already in use.\nCaused by: java.net.BindException: Address already in use\n"
            "[2026-01-05 10:00:08,294] ERROR Encountered fatal fault: Unexpected error in raft IO thread (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)\norg.apache.kafka.common.errors.CorruptRecordException: Unexpected EOF while attempting to read the next batch\nCaused by: java.io.EOFException: Failed to read `log header` from file channel. Started read from position 3230.",
            "port_taken", ["The log of the cluster's metadata is damaged: EOFException", "metadata.log.dir"], "may tell more", id="a damaged metadata log is no consequence of a port that is taken",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,105] INFO [KafkaServer id=0] starting (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:00:00,125] INFO Socket error occurred: localhost/127.0.0.1:2181: Connection refused (org.apache.zookeeper.ClientCnxn)\n"
            "[2026-01-05 10:01:20,125] INFO Socket error occurred: localhost/127.0.0.1:2181: Connection refused (org.apache.zookeeper.ClientCnxn)",
            "zookeeper_unreached", ["2026-01-05 10:00:00,125 to 2026-01-05 10:01:20,125"], "nothing wrong", id="lines that are no events have a first time and a last one",
        ),
        pytest.param(
            "2026-01-05 10:00:13,622 INFO  [ZooKeeperServer] Server environment:os.name=Linux\n2026-01-05 10:00:13,623 INFO  [Localizer] no left over resources\n2026-01-05 10:00:13,624 INFO  [executor] Processing received message\n" * 30
            + "2026-01-05 10:00:17,817 INFO  [AbstractCoordinator] Marking the coordinator k2:9092 (id: 2147483645 rack: null) dead for group bills",
            "coordinator_lost", ["(group bills)"], "thread AbstractCoordinator", id="a class of Kafka's in the bracket of a source whose others are not",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,105] INFO [KafkaServer id=0] starting (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:00:34,915] INFO Socket error occurred: zk2/10.0.0.2:2181: Connection refused (org.apache.zookeeper.ClientCnxn)\n"
            "[2026-01-05 10:00:35,470] INFO Socket connection established to zk1/10.0.0.1:2181, initiating session (org.apache.zookeeper.ClientCnxn)\n"
            "[2026-01-05 10:00:35,472] INFO Session establishment complete on server zk1/10.0.0.1:2181, sessionid = 0x200006f622e001c, negotiated timeout = 6000 (org.apache.zookeeper.ClientCnxn)",
            ALL_CLEAR, [], "was not reached", id="another server of an ensemble took the session at once",
        ),
        pytest.param(
            "[2026-01-05 10:00:12,774] WARN Connection broken for id 3, my id = 1, error =  (org.apache.zookeeper.server.quorum.QuorumCnxManager)\njava.io.EOFException\n"
            "[2026-01-05 10:00:13,105] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)",
            "zookeeper_peer_unreached", ["server 3"], "lost its connection to a broker", id="a server of an ensemble that another one lost is no broker",
        ),
        pytest.param(
            "kafka-1  | [2026-01-05 10:00:00,105] INFO [KafkaServer id=0] started (kafka.server.KafkaServer)\nbills-1  | Bills started\nbills-1  | [BILLS_TOPIC, bills]\nbills-1  | fail: Bills.Reader[0]\n"
            "bills-1  |       Consume error: Subscribed topic not available: bills: Broker: Unknown topic or partition",
            "topic_missing", ["fail: Bills.Reader[0]"], "Bills started", id="a record of .NET's console begins with its level, whatever its container said before",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,257] ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\njava.nio.file.NoSuchFileException: conf/server.properties\n\tat kafka.Kafka$.main(Kafka.scala:83)\n"
            "[2026-01-05 10:03:41,000] ERROR Error while creating ephemeral at /brokers/ids/7, node already exists and owner '11' does not match current session '12' (kafka.zk.KafkaZkClient$CheckedEphemeral)\n"
            "[2026-01-05 10:03:41,107] ERROR [KafkaServer id=7] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\norg.apache.zookeeper.KeeperException$NodeExistsException: KeeperErrorCode = NodeExists\n\tat kafka.server.KafkaServer.startup(KafkaServer.scala:407)",
            "server_properties_missing", ["1. A broker or controller did not start: its configuration file conf/server.properties is not there", "2. Broker 7 did not start: its id is registered"], "With it came", id="two starts that failed for two reasons",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,257] ERROR [KafkaServer id=7] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\njava.lang.NoClassDefFoundError: javax/xml/bind/DatatypeConverter\n\tat kafka.utils.CoreUtils$.generateUuid(CoreUtils.scala:270)\nCaused by: java.lang.ClassNotFoundException: javax.xml.bind.DatatypeConverter\n\tat java.base/java.lang.ClassLoader.loadClass(ClassLoader.java:521)",
            "broker_class_missing", ["A broker or controller 7 did not start: it lacks javax.xml.bind.DatatypeConverter", "gone from Java 11 on", "java -version"], "not formatted", id="a broker older than its Java",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,257] ERROR Uncaught exception in thread 'kafka-acceptor': (kafka.utils.Utils$)\njava.nio.channels.IllegalSelectorException\n\tat sun.nio.ch.SelectorImpl.register(SelectorImpl.java:129)\n\tat kafka.network.Acceptor.run(SocketServer.scala:143)",
            "broker_thread_ended", ["A thread of a broker or controller (kafka-acceptor) ended"], "A client met", id="a thread of a broker's is no client",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,257] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:00:07,257] WARN Close of session 0x10000367a4b0007 (org.apache.zookeeper.server.NIOServerCnxn)\njava.net.SocketException: Connection reset\n\tat java.base/sun.nio.ch.SocketChannelImpl.throwConnectionReset(SocketChannelImpl.java:401)",
            ALL_CLEAR, [], "connection to a broker", id="a session that ZooKeeper's server closes is no connection to a broker",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,257] ERROR Controller 7 epoch 58 initiated state change for partition [pay,2] from OfflinePartition to OnlinePartition failed (state.change.logger)\nkafka.common.NoReplicaOnlineException: No replica for partition [pay,2] is alive. Live brokers are: [Set()], Assigned replicas are: [List(9)]\n\tat kafka.controller.OfflinePartitionLeaderSelector.selectLeader(PartitionLeaderSelector.scala:73)\n"
            "[2026-01-05 10:00:07,578] ERROR [Broker id=7] Received LeaderAndIsrRequest with correlation id 3 from controller 7 epoch 59 for partition [pay,2] (last update controller epoch 58) but cannot become follower since the new leader -1 is unavailable. (state.change.logger)",
            "partition_without_leader", ["The controller found no leader for [pay,2]: its replicas are on broker(s) 9", "alive: Set()"], "could not do a part of its work", id="no replica alive, as controllers of old say it",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,302] ERROR Invalid config, exiting abnormally (org.apache.zookeeper.server.quorum.QuorumPeerMain)\norg.apache.zookeeper.server.quorum.QuorumPeerConfig$ConfigException: Error processing conf/server.properties\n\tat org.apache.zookeeper.server.quorum.QuorumPeerConfig.parse(QuorumPeerConfig.java:156)\nCaused by: java.lang.IllegalArgumentException: dataDir is not set\n\tat org.apache.zookeeper.server.quorum.QuorumPeerConfig.parseProperties(QuorumPeerConfig.java:371)",
            "zookeeper_config_refused", ["dataDir is not set", "its own configuration"], "damaged", id="ZooKeeper started with a broker's file has no damaged data",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,302] INFO [KafkaServer id=0] shutting down (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:00:06,332] ERROR  (kafka.network.DataPlaneAcceptor)\njava.lang.NullPointerException\n\tat kafka.network.Acceptor.$anonfun$closeAll$2(SocketServer.scala:711)\n\tat kafka.utils.CoreUtils$.swallow(CoreUtils.scala:68)",
            ALL_CLEAR, [], "part of its work", id="what is closed that was never opened, by a Java that does not say what was null",
        ),
        pytest.param(
            "10:00:07.222 [main] INFO  o.apache.kafka.streams.KafkaStreams - stream-client [pay] Kafka Streams version: 4.0.0\n"
            "10:00:08.222 [main] ERROR o.a.k.s.p.internals.StateDirectory - Failed to change permissions for the directory C:\\Users\\pay\\AppData\\Local\\Temp\\kafka-streams71\\pay",
            ALL_CLEAR, ["Windows has none of that kind"], "another application", id="rights of a directory on Windows",
        ),
        pytest.param(
            "INFO:kafka.conn:<BrokerConnection node_id=1 host=k1:9092 <connected> [IPv4 ('10.0.0.7', 9092)]>: Connection complete.\n"
            "INFO:kafka.producer.kafka:Closing the Kafka producer with 0 secs timeout.\n"
            "INFO:kafka.producer.kafka:Proceeding to force close the producer since pending requests could not be completed within timeout 0.",
            ALL_CLEAR, ["how long it may still send"], "records were lost", id="a producer that its process's end closes is no loss",
        ),
        pytest.param(
            "INFO:kafka.producer.kafka:Closing the Kafka producer with 5 secs timeout.\n"
            "INFO:kafka.producer.kafka:Proceeding to force close the producer since pending requests could not be completed within timeout 5.",
            "producer_closed_by_force", ["records were lost"], "in any case", id="one that was given time, and had more to send",
        ),
        pytest.param(
            "2026-01-05 10:00:21,773 - __main__ - INFO - Kafka stream began\n"
            "2026-01-05 10:00:31,526 - root - ERROR - Exception while sending command.\nTraceback (most recent call last):\n"
            '  File "/opt/kafka-pay/venv/lib/python3.9/site-packages/py4j/clientserver.py", line 511, in send_command\n    answer = smart_decode(self.stream.readline()[:-1])\n'
            "RuntimeError: reentrant call inside <_io.BufferedReader name=5>",
            "not_judged", [], "A line about Kafka", id="a library's file in a folder that is named after Kafka",
        ),
        pytest.param(
            "2026-01-05 10:00:21,773 - __main__ - INFO - Kafka stream began\n"
            "2026-01-05 10:00:31,526 - root - ERROR - Exception while sending.\nTraceback (most recent call last):\n"
            '  File "/opt/venv/lib/python3.9/site-packages/kafka/future.py", line 65, in get\n    raise self.exception\n'
            "RuntimeError: the loop is closed",
            "said_to_fail", ["the loop is closed"], "nothing wrong", id="and one of Kafka's library",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,302] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:00:07,842] WARN [ReplicaFetcher replicaId=7, leaderId=8, fetcherId=0] Received UNKNOWN_TOPIC_OR_PARTITION from the leader for partition pay-1. This error may be returned transiently when the partition is being created or deleted, but it is not expected to persist. (kafka.server.ReplicaFetcherThread)",
            ALL_CLEAR, ["within seconds it passes"], "could not fetch", id="a follower that knew of a new partition first",
        ),
        pytest.param(
            "[2026-01-05 10:00:09,410] ERROR Failed to clean up log for pay-2 in dir D:\\logs due to IOException (org.apache.kafka.storage.internals.log.LogDirFailureChannel)\njava.nio.file.FileSystemException: D:\\logs\\pay-2\\7.timeindex.cleaned -> D:\\logs\\pay-2\\7.timeindex.swap: The process cannot access the file because it is being used by another process\n\tat java.base/sun.nio.fs.WindowsFileCopy.move(WindowsFileCopy.java:414)\n"
            "[2026-01-05 10:00:09,497] WARN Stopping serving logs in dir D:\\logs (kafka.log.LogManager)\n"
            "[2026-01-05 10:00:09,502] ERROR Shutdown broker because all log dirs in D:\\logs have failed (kafka.log.LogManager)",
            "files_held_on_windows", ["5 ms: A broker stops: all its log directories have failed"], "Look at the disk", id="why a log directory failed goes before that it did",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,729] ERROR [Broker id=7] Error while processing LeaderAndIsr request correlationId 1 received from controller 7 epoch 8 for partition pay-2 (state.change.logger)\njava.io.IOException: There is not enough space on the disk\n\tat java.base/java.io.RandomAccessFile.setLength(Native Method)\n"
            "[2026-01-05 10:00:06,773] ERROR [Controller id=7] Received error UNKNOWN_SERVER_ERROR in LeaderAndIsr response LeaderAndIsrResponseData(errorCode=-1) (state.change.logger)",
            "disk_full", ["A broker (7) has no space left on its disk"], "2. ", id="a disk that is full, as Windows says it",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,079] INFO starting (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:00:09,079] ERROR Fatal error during KafkaServer shutdown. (kafka.server.KafkaServer)\njava.lang.IllegalStateException: Kafka server is still starting up, cannot shut down!\n\tat kafka.server.KafkaServer.shutdown(KafkaServer.scala:916)\n"
            "[2026-01-05 10:00:09,081] ERROR Halting Kafka. (kafka.Kafka$)",
            "broker_stopped_at_start", ["stopped while it was still starting"], "one broker at a time", id="a broker that was stopped as it started",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,240] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:00:06,267] WARN [Controller id=7, targetBrokerId=7] Connection to node 7 (k7/10.0.0.7:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)\n"
            "[2026-01-05 10:02:51,337] INFO Creating topic pay with configuration {} and initial partition assignment HashMap(0 -> ArrayBuffer(7)) (kafka.zk.AdminZkClient)",
            ALL_CLEAR, ["could not connect to node 7"], "Cost", id="a controller that asks again at once, and says it once",
        ),
        pytest.param(
            "[2026-01-05 10:00:06,267] WARN [Controller id=7, targetBrokerId=7] Connection to node 7 (k7/10.0.0.7:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)\n"
            "[2026-01-05 10:00:08,337] INFO Creating topic pay with configuration {} and initial partition assignment HashMap(0 -> ArrayBuffer(7)) (kafka.zk.AdminZkClient)",
            "server_connect_failed", ["See whether that server runs"], "nothing wrong", id="and one of which no more is known",
        ),
        pytest.param(
            "[2026-01-05 10:00:07,608] INFO [GroupCoordinator 7]: Member pay-1-5d2a8c1e-0d3b-4c52-9f05-5b1f7ad0c1e2 in group pay has failed, removing it from the group (kafka.coordinator.group.GroupCoordinator)\n"
            "[2026-01-05 10:00:10,608] INFO [GroupCoordinator 7]: Preparing to rebalance group pay in state PreparingRebalance with old generation 4 (__consumer_offsets-7) (reason: Adding new member pay-1-6e2a8c1e-0d3b-4c52-9f05-5b1f7ad0c1e3 with group instance id None) (kafka.coordinator.group.GroupCoordinator)",
            "membership_session_expired", ["3 s later pay-1 joined under a new member id"], "these lines do not tell", id="a coordinator's log tells that the client came back",
        ),
        pytest.param(
            "[2026-01-05 10:00:07,608] INFO [GroupCoordinator 7]: Member pay-1-5d2a8c1e-0d3b-4c52-9f05-5b1f7ad0c1e2 in group pay has failed, removing it from the group (kafka.coordinator.group.GroupCoordinator)\n"
            "[2026-01-05 10:00:10,608] INFO [GroupCoordinator 7]: Preparing to rebalance group pay in state PreparingRebalance with old generation 4 (__consumer_offsets-7) (reason: Adding new member pay-2-6e2a8c1e-0d3b-4c52-9f05-5b1f7ad0c1e3 with group instance id None) (kafka.coordinator.group.GroupCoordinator)",
            "membership_session_expired", ["these lines do not tell"], "later pay-2", id="another client is not the one that went",
        ),
        pytest.param(
            "".join(
                f"[2026-01-05 10:00:07,{ms}] WARN [RequestSendThread controllerId=7] Controller 7's connection to broker k7:9092 (id: 7 rack: null) was unsuccessful (kafka.controller.RequestSendThread)\njava.lang.IllegalStateException: No entry found for connection 7\n\tat org.apache.kafka.clients.ClusterConnectionStates.nodeState(ClusterConnectionStates.java:330)\n"
                for ms in (608, 709)
            ),
            "node_unresolved", ["no address for the name of k7:9092 (broker 7) (2 times in 101 ms)"], "of a broker (7)", id="whose name was not resolved",
        ),
    ],
)  # fmt: skip
def test_what_is_answered_to_a_whole_log(tmp_path, text, kind, words, unsaid):
    told, answer = answered(text, tmp_path)
    assert told == kind
    assert [one for one in words if one not in answer] == []
    assert unsaid not in answer


@pytest.mark.parametrize("number", sorted(set(NAMES) - {0}))
def test_a_code_is_told_by_its_own_class_and_by_no_number_or_word_beside_it(tmp_path, number):
    name = NAMES[number]
    error = "".join(word.capitalize() for word in name.split("_")) + "Error"
    told, _ = answered(
        f"2026-01-05 10:00:00,000 ERROR root: kafka call failed: {error}: [Error {number}] {error}", tmp_path
    )
    own = class_of(Said("", (name,), "python-error", "other_kafka"))
    assert told == (ALL_CLEAR if own.verdict == "benign" else own.kind)
