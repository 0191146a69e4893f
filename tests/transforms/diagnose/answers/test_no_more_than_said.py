# ruff: noqa: E501  # a line of a log is a line
"""What an answer concludes of few lines: what they say, and nothing that they leave open."""

import pytest

from tests.answered import answered
from tests.story import told

AT = "[2026-01-05 10:00:00,000]"
RDKAFKA = "%7|1767607200.{}|{}|rdkafka#consumer-1| [thrd:sasl_ssl://b1:9093/bootstrap]: sasl_ssl://b1:9093/bootstrap: {}"
SPRING = "2026-01-05T10:00:00.000Z ERROR 7 --- [pay] [-listener-0-C-1]"
LISTENER = "org.springframework.kafka.listener.ListenerExecutionFailedException: Listener method 'on' threw exception"
FRAMES = "\\n\\tat org.springframework.kafka.A.b(A.java:1)" * 60
FILE = '2026-01-05T10:00:00.000Z\t{}\tbase_exporter.go:1\tExporting failed. {}\t{{"name": "kafka", "error": "error exporting to topic \\"pay\\": MESSAGE_TOO_LARGE: The request included a message larger than the max message size the server will accept."}}'


@pytest.mark.parametrize(
    ("text", "kind", "words", "unsaid"),
    [
        pytest.param(
            f"{SPRING} o.s.k.l.KafkaMessageListenerContainer    : Error handler threw an exception\n\norg.springframework.kafka.KafkaException: Seek to current after exception\n\tat org.springframework.kafka.A.b(A.java:1)\nCaused by: {LISTENER}\n\tat org.springframework.kafka.A.b(A.java:2)\n\tSuppressed: org.springframework.kafka.listener.ListenerExecutionFailedException: Restored Stack Trace\n\t\tat org.springframework.kafka.A.b(A.java:3)\nCaused by: java.lang.IllegalStateException: No stock\n\tat com.acme.Pay.on(Pay.java:7)\n\t... 12 common frames omitted",
            "record_read_again", ["own listener failed: IllegalStateException: No stock; its record"], "Listener method", id="what a listener threw, behind the trace that Spring restored",
        ),
        pytest.param(
            f'{{"@timestamp":"2026-01-05T10:00:00.000Z","message":"Backoff FixedBackOffExecution[interval=0, currentAttempts=10, maxAttempts=9] exhausted for pay-0@7","logger_name":"org.springframework.kafka.listener.DefaultErrorHandler","level":"ERROR","stack_trace":"{LISTENER}{FRAMES}\\nCaused by: java.lang.IllegalStateException: No stock\\n\\tat com.acme.Pay.on(Pay.java:7)\\n"}}',
            "record_given_up", ["record of pay-0@7: IllegalStateException: No stock", "com.acme.Pay.on(Pay.java:7)"], "pay-0@7: Listener", id="the root of a long trace within JSON",
        ),
        pytest.param(
            "2026-01-05 10:00:00.000 ERROR --- [ead #1 - KafkaConsumer[pay]] rg.apache.camel.processor.errorhandler.DefaultErrorHandler : Failed delivery for (MessageId: 7D-1 on ExchangeId: 7D-1). Exhausted after delivery attempt: 1 caught: java.lang.IllegalStateException: No stock",
            "record_given_up", ["could not process a record: IllegalStateException: No stock"], "2. ", id="Camel's handler of errors",
        ),
        pytest.param(
            f"{SPRING} o.s.k.l.KafkaMessageListenerContainer    : Fatal consumer exception; stopping container",
            "container_stopped", ['after an error: "Fatal consumer exception; stopping container"'], '"7 ---', id="a quote without its head",
        ),
        pytest.param(
            f"{AT} WARN [Worker clientId=connect-1, groupId=pay] Didn't reach end of config log quickly enough (org.apache.kafka.connect.runtime.distributed.DistributedHerder)\njava.util.concurrent.TimeoutException: Timed out waiting for future",
            "connect_config_unread", ["group pay", "leaves its group", "worker.unsync.backoff.ms"], "nothing wrong", id="a worker that leaves its group is no normal start",
        ),
        pytest.param(
            RDKAFKA.format("100", "BROKERFAIL", "failed: err: Local: Authentication failure: (errno: Invalid argument)"),
            "auth_failed_somewhere", ["b1:9093", "Look for a line of FAIL"], 'says which: "Local', id="a name of an error is no reason",
        ),
        pytest.param(
            "\n".join([
                RDKAFKA.format("101", "BROKERFAIL", "failed: err: Local: SSL error: (errno: Success)"),
                RDKAFKA.format("102", "STATE", "Broker changed state CONNECT -> DOWN"),
            ]),
            "tls_failed_unsaid", ["Somebody listens there", "b1:9093"], "these lines do not say", id="TLS that failed was begun with somebody",
        ),
        pytest.param(
            "2026-01-05 10:00:00.103 Info Billing.Consumer | [thrd:main]: Deferring \"manual\" offset commit for 1 partition(s) in state query-coord: no coordinator available",
            "commit_deferred", ["knows no coordinator"], '"manual". (', id="what asked for a commit is no reason that it waits",
        ),
        pytest.param(
            f"{AT} ERROR Shutdown broker because all log dirs in /data/a, /data/b have failed (kafka.log.LogManager)",
            "storage_failed_wholly", ["A broker stops", "(/data/a, /data/b)"], "leads", id="a broker without a log directory ends itself",
        ),
        pytest.param(
            "ERROR 2026-01-05 10:00:00,000 [shard 2] rpc - server.cc:116 - kafka rpc protocol - Error[applying protocol] remote address: 10.1.2.3:24006 - std::__1::system_error (error system:104, read: Connection reset by peer)",
            "redpanda_client_cut", ["10.1.2.3:24006", "cut from the other side"], "no client's doing", id="Redpanda's listener for Kafka clients serves clients",
        ),
        pytest.param(
            FILE.format("info", "Will retry the request after interval."),
            "record_too_large_retried", ["tried again"], "records were lost", id="what is tried again is not lost yet",
        ),
        pytest.param(
            '2026-01-05T10:00:00.000Z\tinfo\tretry_sender.go:1\tExporting failed. Will retry the request after interval.\t{"name": "kafka", "error": "Failed to deliver 1 messages due to kafka: invalid configuration (Attempt to produce message larger than configured Producer.MaxMessageBytes: 1126653 > 1000000)", "interval": "5.8s"}',
            "record_too_large_retried", ["1126653 bytes, limit 1000000 bytes", "work was delayed"], "records were lost", id="nor what its line says the next try of",
        ),
        pytest.param(
            "retryable error: retryable changefeed error: while sending message with key=[7], size=1200: kafka server: Message was too large, server rejected it to avoid allocation error.",
            "record_too_large_retried", ["is tried again.", "work was delayed"], "bytes.", id="nor what its error calls one to be tried again",
        ),
        pytest.param(
            "non-retryable error: while sending message with key=[7], size=1200: kafka server: Message was too large, server rejected it to avoid allocation error.",
            "record_refused_as_too_large", ["records were lost"], "tried again", id="and what it calls none is",
        ),
        pytest.param(
            FILE.format("error", "Rejecting data."),
            "record_too_large", ["records were lost"], "tried again", id="what is rejected is lost",
        ),
        pytest.param(
            f"{AT} INFO [RaftManager id=0] Completed transition to CandidateState(localId=0, epoch=54, retries=4, voteStates={{0=GRANTED, 1=UNRECORDED, 2=UNRECORDED}}, highWatermark=Optional.empty, electionTimeoutMs=1395) from CandidateState(localId=0, epoch=53, retries=3, voteStates={{0=GRANTED, 1=REJECTED, 2=REJECTED}}, highWatermark=Optional.empty, electionTimeoutMs=1350) (org.apache.kafka.raft.QuorumState)\n"
            f"{AT} INFO [RaftManager id=0] Insufficient remaining votes to become leader (rejected by [1, 2]). We will backoff before retrying election again (org.apache.kafka.raft.KafkaRaftClient)",
            "quorum_election_failed", ["rejected by 1, 2", "1, 2 refused"], "nothing wrong", id="who refused a vote stands in the last of its lines",
        ),
        pytest.param(
            f"{AT} ERROR WorkerSourceTask{{id=pay-0}} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerTask)\norg.apache.kafka.connect.errors.ConnectException: Unrecoverable exception from producer send callback\n\tat org.apache.kafka.connect.runtime.WorkerSourceTask.maybeThrowProducerSendException(WorkerSourceTask.java:266)",
            "connect_record_not_sent", ["task pay-0", "could not be sent", "It killed the Connect task"], "No timer of Kafka's is part", id="a record that a task could not send may be a timer's",
        ),
        pytest.param(
            "kafka/client.go:113 Dropping event: no topic could be selected",
            "output_without_topic", ["drops events", "output.kafka.topic"], "none of its lines says", id="events that an output drops",
        ),
        pytest.param(
            "2026-01-05 10:00:00,000 - pykafka.cluster - INFO - Found coordinator broker with id 11\n2026-01-05 10:00:01,000 - root - ERROR - Error committing offsets for topic pay (error codes: [16])",
            "coordinator_moved", ["that a pykafka client asked is not its coordinator"], "none could be read.", id="offsets that are being committed are Kafka's",
        ),
        pytest.param(
            "[INFO] joining group; group: orders\n[ERROR] offset for topic could not be kept, dropping it",
            "said_to_fail", ["offset for topic could not be kept"], "nothing wrong", id="an error about offsets is its client's, though no logger says so",
        ),
        pytest.param(
            "[INFO] joining group; group: orders\n[ERROR] broker replied with a partition that was not asked for",
            "said_at_error", ["said at a level of errors"], "nothing wrong", id="a client's own line names Kafka",
        ),
        pytest.param(
            "INFO:kafka.consumer.subscription_state:Updating subscribed topics to: ('pay',)\nERROR:kafka.net.socks5:Unrecognized SOCKS version",
            "said_at_error", ["A kafka-python client said at a level of errors"], "nothing wrong", id="whose module says it",
        ),
        pytest.param(
            "info: Pay.Worker[0]\n      Kafka at b1.example:9092\nfail: Pay.Flow[7]\n      The day ended\n",
            "not_judged", ["of Kafka, and none could be read"], "nothing wrong", id="an error of .NET names nothing of Kafka's",
        ),
        pytest.param(
            "info: Pay.Worker[0]\n      Kafka at b1.example:9092\nfail: Pay.Flow[7]\n      The Kafka flow ended\n",
            "said_to_fail", ["The Kafka flow ended"], "nothing wrong", id="below its level .NET says it",
        ),
        pytest.param(
            "[09:14:02 INF] Started, Kafka at b1.example:9092\n[09:14:03 ERR] Batch of topic pay was left",
            "said_at_error", ["Batch of topic pay was left"], "nothing wrong", id="an error of its things where Kafka is named",
        ),
        pytest.param(
            "[09:14:02 INF] Started, MQTT at b1.example:1883\n[09:14:03 ERR] Batch of topic pay was left",
            "not_judged", ["nothing to judge"], "nothing wrong", id="an error of another's topic",
        ),
        pytest.param(
            "thread 'main' panicked at 'called `Result::unwrap()` on an `Err` value: Error(Kafka(UnknownTopicOrPartition), State)', src/main.rs:10:6",
            "topic_missing", ["that brokers do not know"], "could not be judged", id="what a program panicked at is not over",
        ),
        pytest.param(
            f"{AT} ERROR WorkerSourceTask{{id=pay-0}} failed to send record to pay: {{}} (org.apache.kafka.connect.runtime.WorkerSourceTask)\norg.apache.kafka.common.errors.RecordTooLargeException: The request included a message larger than the max message size the server will accept.",
            "record_refused_as_too_large", ["A broker refused a record of Connect task pay-0 for pay", "max.message.bytes of that topic"], "too large to be sent", id="what the broker refused was sent",
        ),
        pytest.param(
            f"{AT} WARN [Consumer clientId=pay-1, groupId=pay] Error connecting to node b1.example:9092 (id: 1 rack: null) (org.apache.kafka.clients.NetworkClient)\njava.net.UnknownHostException: b1.example\n\tat java.net.InetAddress.getAllByName(InetAddress.java:1193)",
            "dns_failed", ["address b1.example:9092: the name"], "address address", id="a name that is not known is no word",
        ),
        pytest.param(
            f"{AT} INFO [AdminClient clientId=adminclient-1] Metadata update failed (org.apache.kafka.clients.admin.internals.AdminMetadataManager)\norg.apache.kafka.common.errors.TimeoutException: Call(callName=fetchMetadata, deadlineMs=1767607200000, tries=244, nextAllowedTryMs=1) timed out at 1767607200001 after 244 attempt(s)\nCaused by: org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment.",
            "admin_timed_out", ["(attempts: 244)", "security.protocol"], "found no broker", id="what was tried often had a broker",
        ),
        pytest.param(
            f"{AT} WARN WorkerSourceTask{{id=pay-3}} After being scheduled for shutdown, the orphan task threw an uncaught exception. A newer instance of this task might be already running (org.apache.kafka.connect.runtime.WorkerTask)\njava.lang.IllegalStateException: Cannot perform operation after producer has been closed",
            "connect_orphan", ["while it was being stopped", "other tasks go on"], "ended the process", id="an orphan's exception ends no worker",
        ),
        pytest.param(
            "[WARN] read from broker errored, killing connection after 0 successful responses (is SASL missing?); req: Metadata, addr: ..., broker: seed_0, err: EOF",
            "protocol_doubted", ["took the connection of a franz-go client"], "while it authenticated", id="a guess about SASL is no authentication",
        ),
        pytest.param(
            f"{AT} WARN [AdminClient clientId=pay-admin] Connection to node -1 (localhost/127.0.0.1:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)",
            "connect_failed", ["Do: Unless the broker runs on the very host or container of this client", "bootstrap.servers"], "advertised.listeners, from this host", id="a bootstrap address of localhost is the client's own",
        ),
        pytest.param(
            f"{AT} WARN [AdminClient clientId=pay-admin] Connection to node 1 (localhost/127.0.0.1:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)",
            "connect_failed", ["Do: Where this client runs on another host", "set the broker's advertised.listeners"], "Do: See whether the broker", id="a broker's localhost is what it advertises",
        ),
        pytest.param(
            f"{AT} ERROR [Consumer clientId=pay-1, groupId=pay] Connection to node -1 (b1.example/10.0.0.7:9093) failed authentication due to: SSL handshake failed (org.apache.kafka.clients.NetworkClient)\norg.apache.kafka.common.errors.SslAuthenticationException: SSL handshake failed\nCaused by: javax.net.ssl.SSLHandshakeException: PKIX path validation failed: java.security.cert.CertPathValidatorException: validity check failed\nCaused by: java.security.cert.CertificateExpiredException: NotAfter: Sun Jan 04 10:20:08 GMT 2026",
            "certificate_expired", ["(Sun Jan 04 10:20:08 GMT 2026)", "renew it"], "does it hold the CA", id="a certificate past its day is trusted by its CA",
        ),
        pytest.param(
            "org.apache.kafka.common.errors.SslAuthenticationException: SSL handshake failed\nCaused by: javax.net.ssl.SSLHandshakeException: PKIX path validation failed: java.security.cert.CertPathValidatorException: validity check failed",
            "certificate_out_of_its_dates", ["by its dates"], "does it hold the CA", id="nor one whose dates alone are in the words",
        ),
        pytest.param(
            "%4|1767607200.013|OFFSET|rdkafka#consumer-2| [thrd:main]: pay [7]: offset reset (at offset 4711) to END: fetch failed due to requested offset not available on the broker: Broker: Offset out of range",
            "offset_out_of_range", ["went on at its END: what lies between was not read"], "lost", id="where a reset went stands in its line",
        ),
        pytest.param(
            "org.apache.kafka.common.errors.SerializationException: Error registering Avro schema: {\"type\":\"record\",\"name\":\"Bill\"}\nCaused by: io.confluent.kafka.schemaregistry.client.rest.exceptions.RestClientException: Schema being registered is incompatible with an earlier schema for subject \"bills-value\"; error code: 409",
            "schema_incompatible", ["for subject bills-value", "a new field gets a default"], "no connection to", id="a schema that is not compatible was answered",
        ),
        pytest.param(
            "ERROR 2026-01-05T10:00:00.307670Z Consumer stream failed while executing API Fetch(v16) at /app/node_modules/@acme/kafka/dist\nERROR 2026-01-05T10:00:00.313891Z ProtocolError: Request is not valid given the current SASL state.\nat new ResponseError (file:///app/node_modules/@acme/kafka/dist/errors.js:132:135)",
            "sasl_out_of_turn", ["connections.max.reauth.ms", "ILLEGAL_SASL_STATE"], "began SASL where", id="a session that is over is no listener without SASL",
        ),
        pytest.param(
            f"{AT} WARN Found a corrupted index file corresponding to log file /data/pay-0/00000000000000000000.log due to Corrupt index found, index file (/data/pay-0/00000000000000000000.index) has non-zero size but the last offset is 0 which is no greater than the base offset 0.}}, recovering segment and rebuilding index files... (kafka.log.Log)",
            "nothing_wrong", ["stop that was not clean", "none is lost"], "ordinary course", id="an index is made anew after a hard stop alone",
        ),
        pytest.param(
            f"{AT} INFO [QuorumController id=3000] registerBroker: event failed with UnsupportedVersionException in 445 microseconds. Exception message: Unable to register because the broker does not support finalized version 17 (3.7-IV4) of metadata.version. The broker wants a version between 1 (3.0-IV1) and 14 (3.6-IV2), inclusive. (org.apache.kafka.controller.QuorumController)",
            "broker_not_registered", ["does not know metadata.version 17 (3.7-IV4)", "1 (3.0-IV1) to 14 (3.6-IV2)"], "nothing wrong", id="a broker that is refused at INFO does not serve",
        ),
        pytest.param(
            "KafkaJSConnectionError: Connection error: 140271343921024:error:141A10F4:SSL routines:ossl_statem_client_read_transition:unexpected message:../deps/openssl/ssl/statem/statem_clnt.c:395:",
            "tls_failed", ["could not agree on TLS", "unexpected message"], '"141"', id="digits of OpenSSL's code are no message",
        ),
        pytest.param(
            "java.lang.IllegalStateException: Found duplicate transactionalIdPrefix for multiple Kafka sinks: pay-. Transactional id prefixes need to be unique.\n\tat org.apache.flink.connector.kafka.sink.internal.KafkaCommitter.<init>(KafkaCommitter.java:76)",
            "flink_prefix_taken", ["same transactional id prefix: pay-", "setTransactionalIdPrefix"], "nothing is concluded", id="two sinks with one prefix",
        ),
        pytest.param(
            f"{AT} WARN [Producer clientId=pay] The metadata response from the cluster reported a recoverable issue with correlation id 107 : {{orders=UNKNOWN_TOPIC_OR_PARTITION}} (org.apache.kafka.clients.NetworkClient)\n{AT} ERROR Error when sending message to topic orders with key: 4 bytes, value: 6 bytes with error: (org.apache.kafka.clients.producer.internals.ErrorLoggingCallback)\norg.apache.kafka.common.errors.TimeoutException: Topic orders not present in metadata after 60000 ms.",
            "topic_missing", ["brokers do not know (orders)", "send() waited 1 min (60000 ms) for it", "records were lost"], "Look at the lines before it", id="why the metadata did not come stands before",
        ),
        pytest.param(
            f"{AT} ERROR Stopping due to error (org.apache.kafka.connect.cli.ConnectStandalone:126)\norg.apache.kafka.connect.errors.ConnectException: Failed to connect to and describe Kafka cluster.\nCaused by: java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.IllegalSaslStateException: Unexpected handshake request with client mechanism PLAIN, enabled mechanisms are []",
            "sasl_not_expected", ["began SASL where the listener does not want it"], "connections.max.reauth.ms", id="a listener without mechanisms wants no SASL",
        ),
        pytest.param(
            "2026/01/05 10:00:00 *INFO* rdkafka#producer-4:BROKERFAIL:b7:9092/7: failed: err: Local: Message timed out: (errno: Unknown error)",
            "requests_given_up", ["which did not answer", "the client itself closed it"], "The other side", id="librdkafka gives up itself what does not answer",
        ),
        pytest.param(
            f"{AT} ERROR [QuorumController id=3] processExpiredBrokerHeartbeat: controller event queue overloaded. Timed out heartbeat from broker 3. (org.apache.kafka.controller.QuorumController)",
            "controller_overloaded", ["heartbeats of its brokers (broker 3)", "garbage collection"], "whether it reaches the brokers", id="a controller that is late reaches its brokers",
        ),
        pytest.param(
            "message: 'Unable to initialize consumergroup offsets: failed to get partitions\n  for topic orders: kafka server: Request was for a topic or partition\n  that does not exist on this broker.'",
            "topic_missing", ["brokers do not know"], "raised an error", id="an error's text that YAML folded",
        ),
        pytest.param(
            "org.springframework.context.ApplicationContextException: Failed to start bean 'org.springframework.kafka.config.internalKafkaListenerEndpointRegistry'; nested exception is java.lang.IllegalStateException: Topic(s) [orders] is/are not present and missingTopicsFatal is true",
            "container_without_topics", ["did not start: its topics are not there: orders", "missing-topics-fatal"], "could not be judged", id="a container that did not start for its topics",
        ),
        pytest.param(
            f"{AT} WARN [Controller id=7, targetBrokerId=7] Connection to node 7 (b7/10.0.0.7:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)\n{AT.replace('000]', '151]')} INFO [KafkaServer id=7] started (kafka.server.KafkaServer)",
            "nothing_wrong", ["was only starting", "151 ms"], "is down", id="a broker's own controller asks before it listens",
        ),
        pytest.param(
            f"{AT} WARN [Controller id=7, targetBrokerId=7] Connection to node 7 (b7/10.0.0.7:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n{AT.replace('000]', '151]')} INFO [SocketServer listenerType=ZK_BROKER, nodeId=7] Enabling request processing. (kafka.network.SocketServer)",
            "nothing_wrong", ["was only starting", "151 ms"], "is down", id="a log that ends as it begins to listen",
        ),
        pytest.param(
            "kafka.common.InconsistentBrokerIdException: Configured brokerId 7 doesn't match stored brokerId 4 in meta.properties",
            "broker_of_another_id", ["broker.id 7", "files are those of 4", "now it is 7"], "its files are those of another", id="the id as old brokers write it",
        ),
        pytest.param(
            "Got error produce response with correlation id xxx on topic-partition xxxxx, retrying (4 attempts left). Error: REQUEST_TIMED_OUT",
            "produce_timed_out", ["is sent again", "attempts left: 4", "acks=all"], "No attempt was left", id="a batch that was not confirmed in time, without a time",
        ),
        pytest.param(
            "Got error produce response with correlation id 7 on topic-partition pays-0, retrying (0 attempts left). Error: REQUEST_TIMED_OUT",
            "produce_timed_out", ["No attempt was left 1 time", "only the application was told"], "in the time that the call had", id="its last attempt",
        ),
        pytest.param(
            f"{AT} INFO [GroupCoordinator 0]: Stabilized group g generation 1 (__consumer_offsets-4) (kafka.coordinator.group.GroupCoordinator)\n26/01/05 10:00:01 WARN KafkaDataConsumer: KafkaDataConsumer is not running in UninterruptibleThread. It may hang when KafkaDataConsumer's methods are interrupted because of KAFKA-1894",
            "nothing_wrong", ["nothing wrong"], "could not be judged", id="what Spark says of its threads",
        ),
        pytest.param(
            f"{AT} WARN [Controller id=7, targetBrokerId=8] Connection to node 8 (b8/10.0.0.8:9092) could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)\n{AT.replace('000]', '151]')} INFO [KafkaServer id=7] started (kafka.server.KafkaServer)",
            "server_connect_failed", ["node 8"], "was only starting", id="its own start shows nothing of another's",
        ),
        pytest.param(
            f"{AT} INFO [SocketServer brokerId=0] Failed authentication with /10.0.0.9 (SSL handshake failed) (org.apache.kafka.common.network.Selector)\n{AT} ERROR Error while writing to checkpoint file /data/pay-0/leader-epoch-checkpoint (kafka.server.LogDirFailureChannel)\njava.io.IOException: Disk quota exceeded",
            "disk_full", ["no space left on its disk"], "nothing wrong", id="a disk that is full comes before a handshake",
        ),
        pytest.param(
            "Confluent.SchemaRegistry.SchemaRegistryException: Unrecognized field: metadata; error code: 422\n   at Confluent.SchemaRegistry.RestService.ExecuteOnOneInstanceAsync(Func`1 createRequest)",
            "registry_too_old", ["field metadata", "Upgrade the registry"], "no connection", id="a registry that is too old was reached",
        ),
        pytest.param(
            "org.apache.kafka.common.errors.SerializationException: Error registering Avro schema: {\"type\":\"record\",\"name\":\"Bill\"}\nCaused by: io.confluent.kafka.schemaregistry.client.rest.exceptions.RestClientException: Unrecognized token 'User': was expecting ('true', 'false' or 'null')\n at [Source: (HttpInputStream); line: 1, column: 6]; error code: 50005",
            "registry_answered_otherwise", ["is no JSON: it begins with \"User\"", "curl -i"], "no such schema", id="plain words of a registry are a refusal",
        ),
        pytest.param(
            "[2026-01-05 10:00:00] business.WARNING: [82] The broker rejected this static consumer since another consumer with the same group.instance.id has registered with a different member.id. [] []",
            "member_fenced", ["another consumer runs with the same group.instance.id"], "nothing to judge", id="a level behind Monolog's channel",
        ),
        pytest.param(
            "Failed to create consumer: All partition.assignment.strategy (range,cooperative-sticky) assignors must have the same protocol type, online migration between assignors with different protocol types is not supported",
            "assignors_of_two_kinds", ["eager and cooperative (range,cooperative-sticky)", "stop all members"], "nothing to judge", id="assignors of two kinds",
        ),
        pytest.param(
            "INFO:kafka.conn:<BrokerConnection node_id=bootstrap host=localhost/127.0.0.1 port=9092>: connecting to 127.0.0.1:9092\nConnectionError: Unable to connect to any of the names for 2aba43d449ac:9092",
            "connection_not_made", ["could not make its connection to 2aba43d449ac:9092"], "nothing is concluded", id="a name of which no address took the connection",
        ),
        pytest.param(
            '{"level":"ERROR","timestamp":"2026-01-05T10:00:00.806Z","logger":"kafkajs","message":"[Producer] Failed to send messages: Connection error: write after end","retryCount":2,"retryTime":1252}',
            "produce_retried", ["or the connection to it was lost"], "refused it or did not answer", id="what broke off was not refused",
        ),
        pytest.param(
            f"{AT} INFO [Consumer clientId=pay-1, groupId=pay] Successfully joined group with generation Generation{{generationId=7, memberId='pay-1-aa', protocol='range'}} (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n{AT.replace('00,000', '09,000')} WARN [Consumer clientId=pay-1, groupId=pay] Connection to node 1 (localhost/127.0.0.1:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)",
            "connect_failed", ["Do: See whether the broker at that address runs"], "that is the cause, not", id="what a client reached before is no wrong address",
        ),
        pytest.param(
            f"{AT} ERROR Could not describe group (io.acme.Ops)\njava.util.concurrent.ExecutionException: org.apache.kafka.common.errors.TimeoutException: Call(callName=findCoordinator, deadlineMs=1767607200315, tries=12, nextAllowedTryMs=1767607200618) timed out at 1767607200318 after 12 attempt(s)\nCaused by: org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment.",
            "admin_timed_out", ["(attempts: 12)"], "found no broker", id="an admin call that was tried twelve times had a broker",
        ),
        pytest.param(
            f"{AT} ERROR Could not describe group (io.acme.Ops)\njava.util.concurrent.ExecutionException: org.apache.kafka.common.errors.TimeoutException: Call(callName=findCoordinator, deadlineMs=1767607200315, tries=1, nextAllowedTryMs=1767607200618) timed out at 1767607200318 after 1 attempt(s)\nCaused by: org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment.",
            "admin_found_no_broker", ["found no broker to send it to"], "(attempts", id="one that was never sent had none",
        ),
        pytest.param(
            f"{AT} ERROR Could not process (io.acme.Worker)\norg.apache.kafka.common.errors.RebalanceInProgressException: Offset commit cannot be completed since the consumer group is executing a rebalance at the moment. You can try completing the rebalance by calling poll() and then retry commit again",
            "commit_in_rebalance", ["its group was rebalancing"], "rebalanced without it", id="who commits while its group rebalances is a member",
        ),
        pytest.param(
            "\n".join(f"{AT} {level} [Consumer clientId=pay-1, groupId=pay] Offset commit failed on partition orders-0 at offset 41: {error} (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)" for level, error in (("ERROR", "The group is rebalancing, so a rejoin is needed."), ("WARN", "The coordinator is loading and hence can't process requests."))),
            "commit_in_rebalance", ["its group was rebalancing", "The broker that pay-1 (group pay) asked is not its coordinator"], "or not ready (2 times", id="commits that were refused for two reasons",
        ),
        pytest.param(
            f"{AT} ERROR Sending failed (io.acme.Worker)\norg.apache.kafka.common.errors.TimeoutException: Expiring 1 record(s) for orders-0:9001 ms has passed since batch creation\n[2026-01-05 10:00:20,000] ERROR Sending failed (io.acme.Worker)\norg.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [orders]",
            "batches_expired", ["no right to topics: [orders]. Do:"], "Meanwhile", id="what began after a fault is not its cause",
        ),
        pytest.param(
            f"{AT} WARN [Producer clientId=pay-p, transactionalId=pay] Connection to node 1 (k1/10.0.0.1:9092) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
            + "\n".join(f"[2026-01-05 10:00:{second}] {said}" for second, said in (
                ("03,000", "INFO [Producer clientId=pay-p, transactionalId=pay] Discovered transaction coordinator k1:9092 (id: 1 rack: null) (org.apache.kafka.clients.producer.internals.TransactionManager)"),
                *(
                    (f"31,{ms}", f"WARN [Producer clientId=pay-p, transactionalId=pay] {said} (org.apache.kafka.clients.producer.internals.Sender)")
                    for ms in (100, 200)
                    for said in (
                        f"Got error produce response with correlation id {ms} on topic-partition bills-0, retrying ({2 - ms // 100} attempts left). Error: UNKNOWN_TOPIC_OR_PARTITION",
                        "Received unknown topic or partition error in produce request on partition bills-0. The topic-partition may not exist or the user may not have Describe access to it",
                    )
                ),
                ("31,300", "ERROR not delivered (io.acme.Bills)\norg.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server does not host this topic-partition."),
            )),
            "batches_failed", ["no such topic or partition: bills-0"], "Meanwhile: pay-p could not connect", id="an outage that was over half a minute before is no cause",
        ),
        pytest.param(
            "\n".join(
                f"%7|17676072{second}|{facility}|pay#producer-1| [thrd:b1:9092/1]: b1:9092/1: bills [0]: {said}"
                for second, facility, said in (
                    ("00.100", "PRODUCE", "Produce MessageSet with 1 message(s) (250 bytes, ApiVersion 10, MsgVersion 2, MsgId 7, BaseSeq 6, PID{Id:0,Epoch:0}, uncompressed)"),
                    ("00.200", "MSGSET", "MessageSet with 1 message(s) (MsgId 7, BaseSeq 6) encountered error: Broker: Disk error when trying to access log file on disk (actions Refresh,Retry,MsgNotPersisted)"),
                    ("00.300", "PRODUCE", "Produce MessageSet with 1 message(s) (250 bytes, ApiVersion 10, MsgVersion 2, MsgId 7, BaseSeq 6, PID{Id:0,Epoch:0}, uncompressed)"),
                    ("00.400", "MSGSET", "MessageSet with 1 message(s) (MsgId 7, BaseSeq 6) delivered"),
                )
            ) + '\n2026-01-05 10:00:01 delivery failed: KafkaError{code=KAFKA_STORAGE_ERROR,val=56,str="Broker: Disk error when trying to access log file on disk"}',
            "storage_failed", ["records were lost", "2. 1 batch of bills-0"], "1. 1 batch", id="that other batches arrived in the end is no answer to what was lost",
        ),
        pytest.param(
            f"{AT} WARN Auto topic creation failed for __consumer_offsets with error 'TOPIC_ALREADY_EXISTS': Topic '__consumer_offsets' already exists. (kafka.server.DefaultAutoTopicCreationManager)",
            "nothing_wrong", ["the first one made it"], "could not make", id="a topic that was asked for twice",
        ),
        pytest.param(
            f"{AT} WARN global-stream-thread [pay-GlobalStreamThread] Failed to get offsets for partitions [rates-0]. The broker may be transiently unavailable at the moment. (org.apache.kafka.streams.processor.internals.GlobalStateManagerImpl)\norg.apache.kafka.common.errors.TimeoutException: Failed to get offsets by times in 4005ms\n"
            + "\n".join(f"[2026-01-05 10:00:16,000] {line}" for line in (
                "INFO global-stream-thread [pay-GlobalStreamThread] State transition from PENDING_SHUTDOWN to DEAD (org.apache.kafka.streams.processor.internals.GlobalStreamThread)",
                "ERROR stream-client [pay] Global thread has died. The streams application or client will now close to ERROR. (org.apache.kafka.streams.KafkaStreams)",
            )),
            "global_thread_stalled", ["global thread died 16 s after its first timeout", "1 attempt timed out"], "was retried", id="a global thread that died was not only retried",
        ),
        pytest.param(
            "org.apache.kafka.common.KafkaException: Failed to construct kafka consumer\nCaused by: org.apache.kafka.common.config.ConfigException: No resolvable bootstrap urls given in bootstrap.servers",
            "dns_failed", ["broker's address: the name does not resolve"], "address address", id="an address that no line names is no word",
        ),
        pytest.param(
            "Error Details\norg.apache.kafka.common.errors.NetworkException: The server disconnected before a response was received.",
            "disconnected", ["lost its connection"], "nothing wrong", id="a send that failed is not normal for want of a level",
        ),
        pytest.param(
            "WARN Got error produce response with correlation id 878 on topic-partition pay-0, retrying (0 attempts left). Error: OUT_OF_ORDER_SEQUENCE_NUMBER\n"
            "ERROR [Producer clientId=p-1] The broker returned org.apache.kafka.common.errors.OutOfOrderSequenceException: The broker received an out of order sequence number for topic-partition pay-0 with producerId 97018, epoch 0, and sequence number 1212",
            "sequence_broken", ["of p-1 for pay-0 out of order. Do"], "out of order; they are sent again. Do", id="a failure leads, and not the tries that it ended",
        ),
        pytest.param(
            "2026-01-05T10:00:00.000+01:00  INFO 7 --- [pool-1-thread-1] io.debezium.embedded.EmbeddedEngine      : Retriable exception thrown, connector will be restarted\n\norg.apache.kafka.connect.errors.RetriableException: An exception occurred in the change event producer. This connector will be restarted.\n\tat io.debezium.pipeline.ErrorHandler.setProducerThrowable(ErrorHandler.java:4)\nCaused by: java.io.InvalidClassException: org.antlr.v4.runtime.atn.ATN; Could not deserialize ATN with version 3 (expected 4).",
            "source_stopped", ["ATN with version 3"], "read a record", id="a source's class is no record",
        ),
        pytest.param(
            f"{AT} INFO starting (kafka.server.KafkaServer)\n" + "\n".join(f"[2026-01-05 10:00:0{at},000] WARN Session 0x16 for server null, unexpected error, closing socket connection and attempting reconnect (org.apache.zookeeper.ClientCnxn)\njava.net.ConnectException: Connection refused\n\tat sun.nio.ch.SocketChannelImpl.checkConnect(Native Method)" for at in (1, 3)),
            "zookeeper_unreached", ["Connection refused", "(2 times)"], "nothing wrong", id="a broker without its ZooKeeper",
        ),
        pytest.param(
            f"{AT} INFO starting (kafka.server.KafkaServer)\n{AT} WARN Session 0x16 for server zk1/10.0.0.2:2181, Closing socket connection. (org.apache.zookeeper.ClientCnxn)\nEndOfStreamException: Unable to read additional data from server sessionid 0x16, likely server has closed socket\n\tat org.apache.zookeeper.ClientCnxnSocketNIO.doIO(ClientCnxnSocketNIO.java:7)",
            "nothing_wrong", [], "ZooKeeper was", id="a connection that ZooKeeper closed once",
        ),
        pytest.param(
            "\n".join(f"{AT} INFO [Controller id=1] {said} (kafka.controller.KafkaController)" for said in ("Newly added brokers: , deleted brokers: 4, bounced brokers: , all live brokers: 1,2", "Broker failure callback for 4", "Removed 4 from list of shutting down brokers.")),
            "nothing_wrong", [], "to do for", id="a broker that was stopped in order",
        ),
        pytest.param(
            "\n".join(f"{AT} ERROR [Controller id=1 epoch=2] Controller 1 epoch 2 failed to change state for partition {one} from OfflinePartition to OnlinePartition (state.change.logger)\nkafka.common.StateChangeFailedException: Failed to elect leader for partition {one} under strategy OfflinePartitionLeaderElectionStrategy" for one in ("orders-0", "carts-0")),
            "partition_without_leader", ["(2 times"], "could not be judged", id="leaders that were not elected, of two topics",
        ),
        pytest.param(
            '{"ts":"2026-01-05 10:00:00,000","level":"ERROR","class":"org.apache.kafka.connect.runtime.rest.errors.ConnectExceptionMapper:64","msg":"Uncaught exception in REST call to /connectors"}\norg.apache.kafka.connect.errors.ConnectException: Failed to find any class that implements Connector and which name matches com.acme.Sink, available connectors are: none\n\tat org.apache.kafka.connect.runtime.isolation.Plugins.connectorClass(Plugins.java:3)',
            "plugin_missing", ["no Connector named com.acme.Sink", "2026-01-05 10:00:00"], "it ended", id="a call that was answered with an error, its trace below the object",
        ),
    ],
)  # fmt: skip
def test_an_answer_says_what_its_lines_say(text, kind, words, unsaid, tmp_path):
    found, told = answered(text, tmp_path)
    assert found == kind
    assert [word for word in words if word not in told] == []
    assert unsaid not in told


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[2026-01-05 10:00:00,000] WARN [Worker clientId=connect-1, groupId=pay] Catching up to assignment's config offset. (org.apache.kafka.connect.runtime.distributed.DistributedHerder)", id="a worker that catches up"),
        pytest.param('2026-01-05T10:00:00.000Z\tINFO\t[monitoring]\tNon-zero metrics in the last 30s\t{"kafka": {"events": {"dropped": 0, "active": 2}}}', id="a count of nothing that was dropped"),
        pytest.param("{ message: 'assign partitions', code: -175, errno: -175, origin: 'kafka' }", id="a rebalance in the form of an error"),
        pytest.param("2026-01-05 10:00:00,000 - pykafka.balancedconsumer - INFO - Committing offsets for 2 partitions to broker id 11", id="offsets that are committed"),
    ],
)  # fmt: skip
def test_what_only_looks_alike_is_no_trouble(text, tmp_path):
    kind, _ = answered(text, tmp_path)
    assert kind != "trouble"
    assert kind in ("nothing_wrong", "not_judged")


REGISTRY = "[2026-01-05 10:00:00,040] ERROR Server died unexpectedly:  (io.confluent.kafka.schemaregistry.rest.SchemaRegistryMain)\nMultiException stack 1 of 6\njava.lang.NoClassDefFoundError: javax/xml/bind/JAXBException\n\tat java.base/java.lang.ClassLoader.defineClass1(Native Method)\nCaused by: java.lang.ClassNotFoundException: javax.xml.bind.JAXBException"
BEAT = "10:00:00.627 ERROR DiscoveryClient_PAY-SERVICE/localhost:pay-service:0 - was unable to send heartbeat!\n{}: Cannot execute request on any known server\n\tat com.netflix.discovery.DiscoveryClient.renew(DiscoveryClient.java:893)"
NODE = "10:00:00.320 INFO  [Producer clientId=pay-1] Node -1 disconnected."
REFUSED_BEAT = "2026-01-05 10:00:00,10{} INFO o.a.k.c.c.i.ConsumerCoordinator - [Consumer clientId=pay-1, groupId=pays] {}"
STALE = "Attempt to heartbeat with stale Generation{generationId=1, memberId='pay-1-cd44f057-3ac2-4b0c-b122-01b39efe18d4', protocol='range'} and group instance id Optional.empty failed due to UNKNOWN_MEMBER_ID, ignoring the error"
LEFT = "LeaveGroup request with Generation{generationId=1, memberId='pay-1-cd44f057-3ac2-4b0c-b122-01b39efe18d4', protocol='range'} failed with error: The coordinator is not aware of this member."


def test_what_a_program_lacks_of_its_java_is_said_of_it(tmp_path):
    told, said = answered(REGISTRY, tmp_path)
    assert told == "java_too_new"
    assert "A process lacks javax/xml/bind/JAXBException, which its Java no longer has" in said
    assert "ClassNotFoundException: javax.xml.bind.JAXBException" in said


def test_a_heartbeat_to_a_registry_of_services_is_none_of_kafkas(tmp_path):
    others = f"{NODE}\n{BEAT.format('com.netflix.discovery.shared.transport.TransportException')}"
    assert answered(others, tmp_path)[0] == "nothing_wrong"
    own = f"{NODE}\n{BEAT.format('org.apache.kafka.common.errors.CoordinatorNotAvailableException')}"
    assert answered(own, tmp_path)[0] == "coordinator_missing"


def test_two_lines_on_one_thing_in_one_moment_are_told_once(tmp_path):
    _, said = answered(
        "\n".join([REFUSED_BEAT.format(1, STALE), REFUSED_BEAT.format(2, LEFT).replace("INFO", "ERROR")]),
        tmp_path,
    )
    assert said.count("The coordinator no longer knew pay-1 as a member of group pays") == 1


def test_a_streams_thread_that_lacks_a_right_is_no_connect_worker():
    (incident,) = told(
        "[2026-01-05 10:00:00,033] ERROR stream-thread [pay-7-StreamThread-4] Encountered the following unexpected Kafka exception during processing, this usually indicate Streams internal errors: (org.apache.kafka.streams.processor.internals.StreamThread)\n"
        "org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [orders]"
    )
    assert incident.cause.count("ended the Streams thread") == 1
    assert "Connect worker" not in incident.cause
