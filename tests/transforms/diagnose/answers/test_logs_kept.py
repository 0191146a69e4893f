# ruff: noqa: E501  # a line of a log is a line
"""Whole logs of brokers, of ZooKeeper beside them and of applications, as they are kept: what the answer to each says, and what not."""

import pytest

from tests.answered import answered

ALL_CLEAR = "nothing_wrong"
NO_ZOOKEEPER = (
    "[2026-01-05 10:00:18,071] ERROR Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
    "kafka.zookeeper.ZooKeeperClientTimeoutException: Timed out waiting for connection while in state: CONNECTING\n"
    "\tat kafka.zookeeper.ZooKeeperClient.$anonfun$waitUntilConnected$3(ZooKeeperClient.scala:258)\n"
    "[2026-01-05 10:00:18,102] ERROR Exiting Kafka. (kafka.server.KafkaServerStartable)\n"
)
NO_KEYSTORE = (
    "[2026-01-05 10:00:01,750] WARN Failed to initialize a channel. Closing: [id: 0x1f09031a] (io.netty.channel.ChannelInitializer)\n"
    "org.apache.zookeeper.common.X509Exception$SSLContextException: Failed to create KeyManager\n"
    "\tat org.apache.zookeeper.common.X509Util.createSSLContextAndOptions(X509Util.java:336)\n"
    "\tat org.apache.zookeeper.ClientCnxnSocketNetty$ZKClientPipelineFactory.initSSL(ClientCnxnSocketNetty.java:454)\n"
    "Caused by: org.apache.zookeeper.common.X509Exception$KeyManagerException: java.io.FileNotFoundException: /etc/pki/k7.jks (No such file or directory)\n"
    "\tat org.apache.zookeeper.common.X509Util.createKeyManager(X509Util.java:417)\n"
    "Caused by: java.io.FileNotFoundException: /etc/pki/k7.jks (No such file or directory)\n"
    "\tat java.io.FileInputStream.open0(Native Method)\n"
)
NO_TLS = (
    "[2026-01-05 10:00:01,216] ERROR Unsuccessful handshake with session 0x0 (org.apache.zookeeper.server.NettyServerCnxnFactory)\n"
    "[2026-01-05 10:00:01,220] WARN Exception caught (org.apache.zookeeper.server.NettyServerCnxnFactory)\n"
    "io.netty.handler.codec.DecoderException: io.netty.handler.ssl.NotSslRecordException: not an SSL/TLS record: 0000002d0000\n"
    "\tat io.netty.handler.codec.ByteToMessageDecoder.callDecode(ByteToMessageDecoder.java:480)\n"
    "Caused by: io.netty.handler.ssl.NotSslRecordException: not an SSL/TLS record: 0000002d0000\n"
    "\tat io.netty.handler.ssl.SslHandler.decodeJdkCompatible(SslHandler.java:1214)\n"
)
REFUSED = (
    "[2026-01-05 10:00:02,519] WARN Session 0x100118142870007 for server k7/10.0.0.7:2181, Closing socket connection. Attempting reconnect except it is a SessionExpiredException. (org.apache.zookeeper.ClientCnxn)\n"
    "java.net.ConnectException: Connection refused\n"
    "\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)\n"
)
STOPPING = "[2026-01-05 10:00:01,946] INFO [KafkaServer id=7] shutting down (kafka.server.KafkaServer)\n"
STOPPED = "[2026-01-05 10:00:03,914] INFO [KafkaServer id=7] shut down completed (kafka.server.KafkaServer)"
# What a program wrote to its error stream, as PowerShell breaks it at the width of its window.
POWERSHELL = (
    "docker : INFO:bills:s\ntarted \nAt line:1 char:1\n+ docker logs bills > \nbills.txt 2>&1\n+ ~~~~~~~~~~~~~~~~~~~\n"
    "    + CategoryInfo   \n           : NotSpe  \n  cified: (INFO:bi   \n ls:String) [], Re   \nmoteException\n"
    "    + FullyQualified \n   ErrorId : Native  \n  CommandError\n \n"
    'INFO:     10.0.0.7:51926 - "POST /bills HTTP/1.1" 200 OK\n'
    "INFO:kafka.conn:<Brok\nerConnection \nnode_id=bootstrap-0 \nhost=k7:9092 \n<connecting> [IPv4 \n('10.0.0.7', \n9092)]>: Connection \ncomplete.\n"
)
NETTY = (
    "[2026-01-05 10:00:00,833] WARN future isn't success. (org.apache.zookeeper.ClientCnxnSocketNetty)\n"
    "io.netty.channel.AbstractChannel$AnnotatedConnectException: Connection refused: zk1/10.0.0.9:2182\n"
    "Caused by: java.net.ConnectException: Connection refused\n\tat java.base/sun.nio.ch.SocketChannelImpl.checkConnect(Native Method)\n"
    "[2026-01-05 10:00:00,834] WARN Session 0x100042d496f0017 for sever zk1/10.0.0.9:2182, Closing socket connection. Attempting reconnect except it is a SessionExpiredException. (org.apache.zookeeper.ClientCnxn)\n"
    "EndOfStreamException: channel for sessionid 0x100042d496f0017 is lost\n\tat org.apache.zookeeper.ClientCnxnSocketNetty.doTransport(ClientCnxnSocketNetty.java:285)\n"
)
SPRING = "2026-01-05 10:00:12.441 "
CONNECT = "[2026-01-05 10:00:14,323] "
DENIED = "[2026-01-05 10:0{}:00,251] INFO Principal = User:{} is Denied Operation = {} from host = 10.0.0.7 on resource = {} for request = Produce with resourceRefCount = 1 (kafka.authorizer.logger)\n"


@pytest.mark.parametrize(
    ("text", "kind", "words", "unsaid"),
    [
        pytest.param(
            NO_KEYSTORE + NO_ZOOKEEPER,
            "zookeeper_tls_files", ["/etc/pki/k7.jks", "zookeeper.ssl.", "Then", "no connection to ZooKeeper in time"], "A client can't", id="a broker without the keystore for its connections to ZooKeeper",
        ),
        pytest.param(
            NO_KEYSTORE + NO_ZOOKEEPER,
            "zookeeper_tls_files", ["2026-01-05 10:00:01,750"], "no time", id="an exception has the time of the line that it is printed below",
        ),
        pytest.param(
            NO_TLS + NO_ZOOKEEPER,
            "zookeeper_client_unread", ["no connection to ZooKeeper in time", "zookeeper.ssl.client.enable"], "no answer of Kafka", id="ZooKeeper's TLS port that a broker asks without TLS",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,072] ERROR [KafkaServer id=7] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\n"
            "org.apache.kafka.common.KafkaException: org.apache.kafka.common.config.ConfigException: Invalid value javax.net.ssl.SSLHandshakeException: no cipher suites in common for configuration A client SSLEngine created with the provided settings can't connect to a server SSLEngine created with those settings.\n"
            "\tat org.apache.kafka.common.network.SslChannelBuilder.configure(SslChannelBuilder.java:74)\n"
            "[2026-01-05 10:00:03,200] ERROR Exiting Kafka. (kafka.server.KafkaServerStartable)",
            "tls_stores_at_odds", ["no cipher suites in common"], "2. ", id="a broker that exits is told with why it did not start",
        ),
        pytest.param(
            STOPPING + REFUSED + STOPPED,
            ALL_CLEAR, [], "was not reached", id="ZooKeeper that was stopped before its broker, which stopped in order all the same",
        ),
        pytest.param(
            STOPPING + REFUSED,
            "zookeeper_unreached", ["was not reached"], "nothing wrong", id="and a broker that waits for it",
        ),
        pytest.param(
            "[2026-01-05 10:00:01,946] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)\n" + REFUSED + STOPPED,
            "zookeeper_unreached", ["was not reached"], "nothing wrong", id="or one that was not told to stop before",
        ),
        pytest.param(
            DENIED.format(1, "bill", "Write", "Topic:LITERAL:bills") + DENIED.format(2, "pay", "Describe", "Group:LITERAL:pays") + DENIED.format(3, "bill", "Write", "Topic:LITERAL:bills"),
            "denied_by_authorizer", ["denied User:bill", "Write on Topic:LITERAL:bills (2 times)", "denied User:pay", "Describe on Group:LITERAL:pays"], "(3 times)", id="each whom the authorizer denied something, and what",
        ),
        pytest.param(
            "2026-01-05 10:00:16.852 [listener-0-C-1] ERROR o.s.k.listener.DefaultErrorHandler - Backoff FixedBackOff{interval=0, currentAttempts=1, maxAttempts=0} exhausted for bills-0@7\n"
            "org.springframework.kafka.listener.ListenerExecutionFailedException: Listener method could not be invoked with the incoming message\n"
            "Endpoint handler details:\n"
            "Method [public void com.example.Bills.take(com.example.Bill)]\n"
            "Bean [com.example.Bills@3e60b1b]\n"
            "\tat org.springframework.kafka.listener.KafkaMessageListenerContainer$ListenerConsumer.decorateException(KafkaMessageListenerContainer.java:2957)\n"
            "\tSuppressed: org.springframework.kafka.listener.ListenerExecutionFailedException: Restored Stack Trace\n"
            "\t\tat org.springframework.kafka.listener.adapter.MessagingMessageListenerAdapter.checkAckArg(MessagingMessageListenerAdapter.java:402)\n"
            "Caused by: org.springframework.messaging.converter.MessageConversionException: Cannot convert from [java.lang.String] to [com.example.Bill]\n"
            "\tat com.example.Bills.take(Bills.java:7)",
            "record_given_up", ["Cannot convert from"], "2. ", id="what was thrown with a message of several lines is one",
        ),
        pytest.param(
            "2026-01-05 10:00:07,468 [myid:1] - INFO  [main:o.a.z.s.NIOServerCnxnFactory@660] - binding to port 0.0.0.0/0.0.0.0:2181\n"
            "2026-01-05 10:00:26,748 [myid:] - INFO  [SessionTracker:o.a.z.s.ZooKeeperServer@730] - Expiring session 0x100061248e40007, timeout of 18000ms exceeded",
            ALL_CLEAR, ["by their level and words"], "none could be read", id="a session that ZooKeeper ended",
        ),
        pytest.param(
            "[2026-01-05 10:00:19,339] ERROR Timed out waiting for connection to Zookeeper server [zk7:2181]. (io.confluent.admin.utils.ClusterStatus)",
            "zookeeper_unreached", ["ZooKeeper at zk7:2181 was not reached"], "Not explained", id="a check before a broker's start that found no ZooKeeper",
        ),
        pytest.param(
            "2026-01-05 10:00:00,803 INFO org.apache.kafka.clients.producer.KafkaProducer [SpringContextShutdownHook] [Producer clientId=bill-1] Closing the Kafka producer with timeoutMillis = 30000 ms.\n"
            "2026-01-05 10:00:00,817 INFO com.mongodb.diagnostics.logging.SLF4JLogger [SpringContextShutdownHook] Closed connection [connectionId{localValue:2, serverValue:7}] to db7:27017 because the pool has been closed.",
            ALL_CLEAR, [], "kafkajs", id="a connection of a database's driver is none of kafkajs",
        ),
        pytest.param(
            "E, [2026-01-05T10:00:28.219619 #7] ERROR -- : [sasl_handshake] Timed out while trying to connect to k7:29092: Connection timed out",
            "connect_timed_out", ["A ruby-kafka client could not"], "sasl_handshake)", id="the request that ruby-kafka makes is no thread",
        ),
        pytest.param(
            "[2026-01-05 10:00:07,012] INFO Shutting down. (kafka.log.LogManager)\n"
            "[2026-01-05 10:00:07,061] WARN Invalid argument (kafka.utils.CoreUtils$)\n"
            "java.io.IOException: Invalid argument\n"
            "\tat java.io.RandomAccessFile.setLength(Native Method)\n"
            "\tat kafka.log.AbstractIndex.$anonfun$resize$1(AbstractIndex.scala:189)\n"
            "\tat kafka.log.AbstractIndex.close(AbstractIndex.scala:252)\n"
            "\tat kafka.utils.CoreUtils$.swallow(CoreUtils.scala:68)",
            ALL_CLEAR, ["7 Kafka lines"], "could not be judged", id="an index that was not cut to its length as a broker stopped",
        ),
        pytest.param(
            "[2026-01-05 10:00:01,677] INFO bound to port 2182 (org.apache.zookeeper.server.NettyServerCnxnFactory)\n"
            "[2026-01-05 10:00:02,677] WARN Exception caught (org.apache.zookeeper.server.NettyServerCnxnFactory)\n"
            "java.io.IOException: An existing connection was forcibly closed by the remote host\n"
            "\tat sun.nio.ch.SocketDispatcher.read0(Native Method)",
            ALL_CLEAR, [], "connection to a broker", id="a client that went from ZooKeeper's TLS port",
        ),
        pytest.param(
            "2026-01-05 10:00:27,039 ERROR storm.util (NO_SOURCE_FILE:invoke(0)) - Async loop died!\n"
            "java.lang.RuntimeException: java.net.ConnectException: Connection refused\n"
            "\tat backtype.storm.utils.DisruptorQueue.consumeBatchToCursor(DisruptorQueue.java:87)\n"
            "\tat backtype.storm.daemon.executor$fn__3557.invoke(executor.clj:715)\n"
            "\tat backtype.storm.util$async_loop$fn__436.invoke(util.clj:377)\n"
            "\tat clojure.lang.AFn.run(AFn.java:24)\n"
            "\tat java.lang.Thread.run(Thread.java:745)\n"
            "Caused by: java.net.ConnectException: Connection refused\n"
            "\tat sun.nio.ch.Net.connect0(Native Method)\n"
            "\tat sun.nio.ch.SocketChannelImpl.connect(SocketChannelImpl.java:675)\n"
            "\tat kafka.consumer.SimpleConsumer.connect(SimpleConsumer.scala:49)\n"
            "\tat storm.kafka.trident.KafkaUtils.emitPartitionBatchNew(KafkaUtils.java:69)",
            "connect_failed_by_old_client", ["Connection refused"], "none could be read", id="what was thrown in Kafka's code, below a trace that does not tell",
        ),
        pytest.param(
            "[2026-01-05 10:00:03,941] INFO [kafka-store-reader-thread-schemas]: Shutting down (io.confluent.kafka.schemaregistry.storage.KafkaStoreReaderThread:80)\n"
            "[2026-01-05 10:00:04,363] ERROR [Consumer clientId=KafkaStore-reader-schemas, groupId=registry-7] Unable to find FetchSessionHandler for node 7. Ignoring fetch response. (org.apache.kafka.clients.consumer.internals.AbstractFetch:174)",
            ALL_CLEAR, ["as it closes"], "does not know", id="an answer that came as the consumer closed",
        ),
        pytest.param(
            "[2026-01-05 10:00:51,368] INFO [Controller id=7] Newly added brokers: , deleted brokers: 8, all live brokers: 7,9 (kafka.controller.KafkaController)\n"
            "[2026-01-05 10:00:51,655] WARN [Channel manager on controller 7]: Not sending request (type=StopReplicaRequest, controllerId=7, controllerEpoch=3, deletePartitions=false, partitions=) to broker 8, since it is offline. (kafka.controller.ControllerChannelManager)",
            "broker_gone", ["Broker 8 left the cluster"], "Not explained", id="what a controller has to tell a broker that is gone",
        ),
        pytest.param(
            "2026-01-05 10:00:01,101 CRIT Supervisor running as root (no user in config file)\n"
            "2026-01-05 10:00:01,157 WARN Included extra file \"/etc/supervisor/conf.d/kafka.conf\" during parsing\n"
            "2026-01-05 10:00:03,506 INFO success: kafka entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)",
            ALL_CLEAR, [], "none could be read", id="a supervisor that starts a broker",
        ),
        pytest.param(
            "2026-01-05 10:00:08,931 [myid:1] - WARN  [WorkerSender[myid=1]:QuorumCnxManager@368] - Cannot open channel to 2 at election address /10.0.0.7:3888\n"
            "java.net.ConnectException: Connection refused\n"
            "\tat java.net.PlainSocketImpl.socketConnect(Native Method)\n"
            "2026-01-05 17:00:23,554 [myid:1] - WARN  [QuorumPeer[myid=1]/0.0.0.0:2181:Follower@89] - Exception when following the leader\n"
            "java.net.SocketTimeoutException: Read timed out\n"
            "\tat java.net.SocketInputStream.socketRead0(Native Method)",
            "zookeeper_peer_unreached", ["ZooKeeper serves nobody", "server 2 (/10.0.0.7:3888)"], "nothing wrong", id="another state of an ensemble, hours later",
        ),
        pytest.param(
            "[2026-01-05 10:00:01,100] INFO starting (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:00:01,200] INFO KafkaConfig values: \n\tbroker.id = -1\n\tlog.dirs = /kafka\n (kafka.server.KafkaConfig)\n"
            "[2026-01-05 10:00:01,900] INFO [KafkaServer id=1001] started (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:01:02,200] INFO [KafkaServer id=1001] shutting down (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:01:03,200] INFO [KafkaServer id=1001] shut down completed (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:02:01,100] INFO starting (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:02:01,200] INFO KafkaConfig values: \n\tbroker.id = -1\n\tlog.dirs = /kafka\n (kafka.server.KafkaConfig)\n"
            "[2026-01-05 10:02:01,300] INFO Attempting recovery for all logs in /kafka since no clean shutdown file was found (kafka.log.LogManager)\n"
            "[2026-01-05 10:02:01,900] INFO [KafkaServer id=1001] started (kafka.server.KafkaServer)",
            "broker_killed", [], "Broker -1", id="a broker that gives itself its number",
        ),
        pytest.param(
            "2026-01-05 10:00:27,814 WARN org.apache.kafka.clients.ClientUtils [main] Removing server k7:9092 from bootstrap.servers as DNS resolution failed for k7\n"
            "2026-01-05 10:00:27,816 WARN org.springframework.context.support.AbstractApplicationContext [main] Exception encountered during context initialization - cancelling refresh attempt: org.springframework.context.ApplicationContextException: Failed to start bean 'org.springframework.kafka.config.internalKafkaListenerEndpointRegistry'; nested exception is org.apache.kafka.common.KafkaException: Failed to construct kafka consumer\n"
            "2026-01-05 10:00:27,834 ERROR org.springframework.boot.SpringApplication [main] Application startup failed\n"
            "org.springframework.context.ApplicationContextException: Failed to start bean 'org.springframework.kafka.config.internalKafkaListenerEndpointRegistry'; nested exception is org.apache.kafka.common.KafkaException: Failed to construct kafka consumer\n"
            "\tat com.example.Bills.main(Bills.java:7)",
            "dns_failed", ["k7"], "2. ", id="a consumer that was not made as no name resolved",
        ),
        pytest.param(
            POWERSHELL + "ERROR:bills.kafka_cli\nent:Failed to \npublish message to \ntopic bills.coming: \nObject of type bytes \nis not JSON \nserializable",
            "said_to_fail", ["Failed to publish message to topic bills.coming"], "nothing wrong", id="an error that PowerShell broke",
        ),
        pytest.param(
            POWERSHELL + "INFO:bills.kafka_clie\nnt:published to \ntopic bills.incoming",
            ALL_CLEAR, [], "Not explained", id="and what it breaks of a program that works",
        ),
        pytest.param(
            "[2026-01-05 10:00:55,390] WARN [RequestSendThread controllerId=7] Controller 7's connection to broker k8:9092 (id: 8 rack: null) was unsuccessful (kafka.controller.RequestSendThread)\n"
            "org.apache.kafka.common.errors.SaslAuthenticationException: Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512",
            "server_refused_login", ["8 (k8:9092) refused the identity of another broker or controller", "sasl.mechanism.inter.broker.protocol"], "The client called", id="a controller whose login a broker refused",
        ),
        pytest.param(
            "docker : request returned Internal Server Error for API route and version \nhttp://%2F%2F.%2Fpipe%2FdockerDesktopLinuxEngine/v1.46/containers/bills_kafka/json, check if the \nserver supports the requested API version\n"
            "At line:1 char:1\n+ docker logs bills_kafka > kafka_logs.txt 2>&1\n+ ~~~~~~~~~~~~~~~~~~~~~~~\n    + CategoryInfo          : NotSpecified: (request returne...ted API version:String) [], RemoteException\n    + FullyQualifiedErrorId : NativeCommandError",
            "docker_refused", ["about bills_kafka"], "nothing wrong", id="a log that docker did not give",
        ),
        pytest.param(
            "Error response from daemon: network with name bills already exists\n[2026-01-05 10:00:00,000] ERROR org.apache.kafka.common.errors.InvalidReplicationFactorException: Replication factor: 3 larger than available brokers: 1.\n (kafka.admin.TopicCommand$)\n",
            "replication_factor_too_large", [], "Docker", id="a network that was made before",
        ),
        pytest.param(
            "# CASE 1: processing beyond the timeout\n"
            "2026-01-05 10:00:12.441 WARN 7 --- [container-0-C-1] o.a.k.clients.NetworkClient : [Consumer clientId=bill-1, groupId=bills] Connection to node 7 (k7/10.0.0.7:9092) could not be established. Broker may not be available.",
            "connect_failed", [], "It said", id="a comment is no word of the application",
        ),
        pytest.param(
            NETTY, "zookeeper_unreached", ["ZooKeeper at zk1/10.0.0.9:2182 was not reached", "Connection refused"], "nothing wrong", id="ZooKeeper's client over TLS, which says it in netty's words",
        ),
        pytest.param(
            NETTY + "[2026-01-05 10:00:03,284] INFO Session establishment complete on server zk1/10.0.0.9:2182, session id = 0x100042d496f0017, negotiated timeout = 6000 (org.apache.zookeeper.ClientCnxn)",
            "not_judged", ["nothing to judge"], "was not reached", id="and soon gets its session again",
        ),
        pytest.param(
            f"{SPRING}WARN 7 --- [container-0-C-1] o.a.k.clients.NetworkClient : [Consumer clientId=bill-1, groupId=bills] Connection to node -1 (k7/10.0.0.7:9092) could not be established. Node may not be available.\n"
            f"{SPRING}INFO 7 --- [container-0-C-1] o.a.k.c.u.AppInfoParser : App info kafka.consumer for bill-1 unregistered\n"
            f"{SPRING.replace('00:12', '02:52')}INFO 8 --- [container-0-C-1] o.a.k.c.c.i.ConsumerCoordinator : [Consumer clientId=bill-1, groupId=bills] Discovered group coordinator k7:9092 (id: 2147483640 rack: null)\n",
            "connect_failed", ["It got on again after 2 min 40 s, once it was made anew"], "by itself", id="a client that was closed got nowhere, another of its name did",
        ),
        pytest.param(
            f"{CONNECT}ERROR Failed to create job for /etc/bills-sink.properties (org.apache.kafka.connect.cli.ConnectStandalone:107)\n"
            f"{CONNECT}ERROR Stopping after connector error (org.apache.kafka.connect.cli.ConnectStandalone:117)\njava.util.concurrent.ExecutionException: org.apache.kafka.common.config.ConfigException: Must configure one of topics or topics.regex\n\tat org.apache.kafka.connect.util.ConvertingFutureCallback.result(ConvertingFutureCallback.java:123)\nCaused by: org.apache.kafka.common.config.ConfigException: Must configure one of topics or topics.regex\n"
            f"{CONNECT}ERROR WorkerSinkTask{{id=pay-sink-0}} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerTask:207)\norg.apache.kafka.connect.errors.ConnectException: Tolerance exceeded in error handler\n\tat org.apache.kafka.connect.runtime.errors.RetryWithToleranceOperator.execAndHandleError(RetryWithToleranceOperator.java:223)\nCaused by: com.fasterxml.jackson.core.JsonParseException: Unrecognized token 'hi'\n\tat com.fasterxml.jackson.core.JsonParser._constructError(JsonParser.java:2337)",
            "connect_task_killed", ["Connect task pay-sink-0 was killed by JsonParseException", "did not start: /etc/bills-sink.properties: ConfigException"], "With it came: \"WorkerSinkTask", id="a task that died and a connector that did not start, for reasons of their own",
        ),
        pytest.param(
            "".join(
                f"{CONNECT.replace('323', ms)}ERROR WorkerConnector{{id={name}}} Error while starting connector (org.apache.kafka.connect.runtime.WorkerConnector:200)\norg.apache.kafka.connect.errors.ConnectException: java.sql.SQLException: No suitable driver found for jdbc:mysql://db/{name}\n\tat io.confluent.connect.jdbc.JdbcSourceConnector.start(JdbcSourceConnector.java:94)\nCaused by: java.sql.SQLException: No suitable driver found for jdbc:mysql://db/{name}\n\tat java.sql/java.sql.DriverManager.getDriver(DriverManager.java:298)\n"
                for name, ms in (("bills", "323"), ("pay", "324"), ("tax", "325"))
            ),
            "connect_failed_to_start", ["did not start: bills (and 2 more): SQLException"], "2. ", id="three connectors that did not start, for one reason",
        ),
        pytest.param(
            f"{CONNECT}ERROR WorkerSinkTask{{id=bills-sink-0}} Task threw an uncaught and unrecoverable exception. Task is being killed and will not recover until manually restarted (org.apache.kafka.connect.runtime.WorkerTask:212)\n"
            "com.example.connect.BadValueException: Can't read the date 2026-13-05\n\tat com.example.connect.BillsSinkTask.put(BillsSinkTask.java:176)\nCaused by: com.example.DigitException\n\tat com.example.Digits.read(Digits.java:28)",
            "connect_task_killed", ["killed by BadValueException (DigitException): Can't read the date 2026-13-05"], "DigitException: it does", id="an exception that says nothing, within one that does",
        ),
        pytest.param(
            "[  353s] test/test_commits.py::test_answer[response7-CommitFailedError-False] PASSED [ 86%]\n[  353s] test/test_commits.py::test_answer[response10-InvalidTopicError-False] PASSED [ 86%]\n[  354s] INFO kafka.conn: done",
            ALL_CLEAR, [], "ommit", id="an error in the name of a test",
        ),
        pytest.param(
            "#\n# There is insufficient memory for the Java Runtime Environment to continue.\n# Native memory allocation (mmap) failed to map 536870912 bytes for committing reserved memory.\n# Possible reasons:\n\njvm_args: -Xmx1G -Xms1G\njava_command: kafka.Kafka config/server.properties",
            "jvm_without_memory", ["536870912 bytes"], "none could be read", id="the file that a JVM leaves as it ends",
        ),
        pytest.param(
            "[2026-01-05 10:00:40,997] ERROR Server died unexpectedly:  (io.confluent.kafka.schemaregistry.rest.SchemaRegistryMain:51)\norg.apache.kafka.common.config.ConfigException: Only plaintext and SSL Kafka endpoints are supported and none are configured.\n\tat io.confluent.kafka.schemaregistry.rest.SchemaRegistryConfig.endpointsToBootstrapServers(SchemaRegistryConfig.java:571)",
            "registry_without_brokers", ["found no broker that it can use", "kafkastore.connection.url"], "the same at every start", id="a schema registry that was started before any broker",
        ),
        pytest.param(
            "".join(
                REFUSED.replace("10:00:02", f"10:0{at // 60}:{at % 60:02}") for at in range(0, 120, 10)
            ) + "[2026-01-05 10:02:03,284] INFO Session establishment complete on server k7/10.0.0.7:2181, session id = 0x100118142870007, negotiated timeout = 6000 (org.apache.zookeeper.ClientCnxn)",
            "zookeeper_unreached", ["was not reached (12 times)"], "nothing wrong", id="a session that was away for two minutes was so to the end",
        ),
        pytest.param(
            "".join(
                f"[2026-01-05 10:00:41,595] WARN [OfflinePartitionLeaderSelector]: No broker in ISR is alive for [{topic},0]. Elect leader 7 from live brokers 7. There's potential data loss. (kafka.controller.OfflinePartitionLeaderSelector)\n"
                for topic in ("bills", "pay")
            ),
            "unclean_election", ["made a leader (2 times), first of bills", "(broker 7)", "one replica alone"], "nothing wrong", id="a leader that was not in sync",
        ),
        pytest.param(
            "[2026-01-05 10:00:00,493] WARN Exception causing close of session 0x0 due to java.io.EOFException (org.apache.zookeeper.server.NIOServerCnxn)\n" * 3,
            ALL_CLEAR, [], "could not be judged", id="who hangs up on ZooKeeper before a word",
        ),
        pytest.param(
            "".join(
                f"2026-01-05 10:00:0{at},040 - {line}\n"
                for at in (1, 4, 7)
                for line in (
                    "ERROR - <BrokerConnection client_id=bill-1, node_id=7 host=localhost:9092 <connecting> [IPv6 ('::1', 9092, 0, 0)]>: Connect attempt returned error 61. Disconnecting.",
                    "INFO - <BrokerConnection client_id=bill-1, node_id=7 host=localhost:9092 <connected> [IPv4 ('127.0.0.1', 9092)]>: Connection complete.",
                )
            ),
            ALL_CLEAR, ["Nobody listens at ::1", "got on with the next one"], "the broker was down", id="kafka-python that tries IPv6 first",
        ),
        pytest.param(
            "2026-01-05 10:00:01,040 - ERROR - <BrokerConnection client_id=bill-1, node_id=7 host=localhost:9092 <connecting> [IPv6 ('::1', 9092, 0, 0)]>: Connect attempt returned error 61. Disconnecting.\n",
            "connect_failed", ["::1 is that by IPv6"], "nothing wrong", id="and one of which no more is known",
        ),
        pytest.param(
            "2026-01-05 10:00:01,962 [INFO] bills: reading kafka topic bills\n2026-01-05 10:00:02,962 [WARNING] Heartbeat failed for connection (140167182767664) to 127.0.0.1:9042\n",
            "not_judged", ["none could be read"], "could not be judged", id="a heartbeat of Cassandra's driver",
        ),
        pytest.param(
            "[2026-01-05 10:00:22,794] WARN [Controller 7]: Partition [pay,3] failed to complete preferred replica leader election. Leader is 8 (kafka.controller.KafkaController)",
            "preferred_replica_not_elected", ["the leader of a partition", "Whatever leads the partition goes on"], "could not be judged", id="a preferred replica that old controllers could not make the leader",
        ),
        pytest.param(
            "[2026-01-05 10:00:22,794] INFO [KafkaServer id=7] started (kafka.server.KafkaServer)\n[2026-01-05 10:00:55,390] WARN Close of session 0x1000a3897dd0007 (org.apache.zookeeper.server.NIOServerCnxn)\njava.io.IOException: Se ha forzado la interrupci\ufffdn de una conexi\ufffdn existente por el host remoto\n\tat java.base/sun.nio.ch.SocketDispatcher.read0(Native Method)",
            ALL_CLEAR, [], "Not explained", id="a client of ZooKeeper's that was cut off, in the words of its system",
        ),
        pytest.param(
            f"{SPRING}ERROR 7 --- [main] o.s.boot.SpringApplication : Application run failed\norg.springframework.beans.factory.BeanCreationException: Error creating bean with name 'kafkaBills': Failed to initialize dependency 'flywayInitializer'\n\tat com.example.Bills.main(Bills.java:7)\nCaused by: org.postgresql.util.PSQLException: Connection to db:5433 refused. Check that the hostname and port are correct",
            "said_to_fail", [], "source connector", id="a database that an application, and no connector, did not reach",
        ),
        pytest.param(
            "[2026-01-05 10:00:55,268] WARN [LeaderEpochCache pay-0] New epoch entry EpochEntry(epoch=8, startOffset=9) caused truncation of conflicting entries ListBuffer(EpochEntry(epoch=7, startOffset=9)). Cache now contains 2 entries. (kafka.server.epoch.LeaderEpochFileCache)",
            ALL_CLEAR, ["no record is cut off"], "could not be judged", id="two leaders' epochs that began with one offset",
        ),
        pytest.param(
            "[2026-01-05 10:00:20,362] WARN Ignoring unexpected runtime exception (org.apache.zookeeper.server.NIOServerCnxnFactory)\njava.nio.channels.CancelledKeyException\n\tat sun.nio.ch.SelectionKeyImpl.ensureValid(SelectionKeyImpl.java:73)\n\tat org.apache.zookeeper.server.NIOServerCnxnFactory.run(NIOServerCnxnFactory.java:205)\n"
            "[2026-01-05 10:00:20,864] INFO Invalid session 0x160202ff4e60357 for client /127.0.0.1:62894, probably expired (org.apache.zookeeper.server.ZooKeeperServer)",
            ALL_CLEAR, [], "could not be judged", id="a key of ZooKeeper's whose connection had just gone",
        ),
        pytest.param(
            "[2026-01-05 10:00:09,300] WARN No value specified for metadata.encoder.secret, sensitive metadata will not be encoded (io.confluent.kafka.schemaregistry.storage.encoder.MetadataEncoderService)\n"
            "[2026-01-05 10:00:09,393] ERROR Request Failed with exception  (io.confluent.rest.exceptions.DebuggableExceptionMapper)\n"
            "javax.ws.rs.NotFoundException: HTTP 404 Not Found\n\tat org.glassfish.jersey.server.ServerRuntime$1.run(ServerRuntime.java:252)\n"
            "[2026-01-05 10:00:10,700] INFO Kafka version: 7.6.0-ccs (org.apache.kafka.common.utils.AppInfoParser)",
            ALL_CLEAR, ["nothing wrong"], "could not be judged", id="a path that a registry does not have",
        ),
        pytest.param(
            "[2026-01-05 10:00:43,395] WARN [QuorumController id=1] Broker 1 registered with feature metadata.version that is unknown to the controller (org.apache.kafka.controller.ClusterControlManager)\n"
            "[2026-01-05 10:00:43,396] INFO [QuorumController id=1] Registered new broker: RegisterBrokerRecord(brokerId=1) (org.apache.kafka.controller.ClusterControlManager)",
            ALL_CLEAR, ["metadata.version"], "could not be judged", id="a controller before its first records",
        ),
        pytest.param(
            "[2026-01-05 10:00:54,180] INFO [Controller id=0, targetBrokerId=0] Disconnecting from node 0 due to socket connection setup timeout. The timeout value is 10381 ms. (org.apache.kafka.clients.NetworkClient)\n"
            "[2026-01-05 10:01:11,425] INFO [KafkaServer id=0] shutting down (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:01:21,447] WARN [KafkaServer id=0] Proceeding to do an unclean shutdown as all the controlled shutdown attempts failed (kafka.server.KafkaServer)",
            "broker_not_shut_down_in_order", ["Before", "nothing answered"], "2. ", id="a broker that reached itself by no address hands nothing over",
        ),
        pytest.param(
            "2026-01-05 10:00:12,827 - WARNING - No partition metadata for topic orders\n2026-01-05 10:00:12,827 - WARNING - No partition metadata for topic bills\n"
            "2026-01-05 10:00:12,864 - INFO - Successfully joined group dashboard with generation 1\n2026-01-05 10:00:12,864 - INFO - Setting newly assigned partitions set() for group dashboard\n"
            "2026-01-05 10:00:12,872 - INFO - Successfully joined group dashboard with generation 2\n"
            "2026-01-05 10:00:12,872 - INFO - Setting newly assigned partitions {TopicPartition(topic='bills', partition=0), TopicPartition(topic='orders', partition=0)} for group dashboard",
            ALL_CLEAR, ["nothing wrong"], "could not be judged", id="topics that kafka-python's group shares out once they are made",
        ),
        pytest.param(
            "2026-01-05 10:00:12,827 - WARNING - No partition metadata for topic orders\n2026-01-05 10:00:12,864 - INFO - Successfully joined group dashboard with generation 1\n"
            "2026-01-05 10:00:12,864 - INFO - Setting newly assigned partitions {TopicPartition(topic='bills', partition=0)} for group dashboard",
            "topic_not_shared_out", ["orders"], "nothing wrong", id="and one that it never has",
        ),
        pytest.param(
            "[2026-01-05 10:14:56,838] ERROR Fatal error during SupportedServerStartable startup. Prepare to shutdown (io.confluent.support.metrics.SupportedKafka)\n"
            "java.lang.IllegalArgumentException: Error creating broker listeners from 'PLAINTEXT://<IP>:9092': Unable to parse PLAINTEXT://<IP>:9092 to a broker endpoint\n\tat kafka.utils.CoreUtils$.listenerListToEndPoints(CoreUtils.scala:289)\n"
            "Caused by: org.apache.kafka.common.KafkaException: Unable to parse PLAINTEXT://<IP>:9092 to a broker endpoint\n\tat kafka.cluster.EndPoint$.createEndPoint(EndPoint.scala:57)",
            "broker_ended", ["to a broker endpoint"], "A client", id="a broker that Confluent's own class starts",
        ),
        pytest.param(
            "[2026-01-05 10:14:50,838] INFO [KafkaServer id=0] shutting down (kafka.server.KafkaServer)\n"
            "[2026-01-05 10:14:56,416] ERROR Caught InterruptedException during metrics collection (io.confluent.support.metrics.BaseMetricsReporter)\njava.lang.InterruptedException: sleep interrupted\n"
            "[2026-01-05 10:14:56,447] ERROR Interrupted the wait for leader to be elected after creating topic=__confluent.support.metrics (io.confluent.support.metrics.common.kafka.KafkaUtilities)\n"
            "[2026-01-05 10:14:57,838] INFO [KafkaServer id=0] shut down completed (kafka.server.KafkaServer)",
            ALL_CLEAR, ["nothing wrong"], "interrupted in a call", id="what reports to Confluent as its broker stops",
        ),
        pytest.param(
            "".join(
                f"[2026-01-05 10:{at // 60:02}:{at % 60:02},784] INFO Client attempting to establish new session at /10.0.0.7:{40000 + at} (org.apache.zookeeper.server.ZooKeeperServer)\n"
                f"[2026-01-05 10:{at // 60:02}:{at % 60:02},786] WARN caught end of stream exception (org.apache.zookeeper.server.NIOServerCnxn)\n"
                "EndOfStreamException: Unable to read additional data from client sessionid 0x1673834c0a00007, likely client has closed socket\n\tat org.apache.zookeeper.server.NIOServerCnxn.doIO(NIOServerCnxn.java:239)\n"
                f"[2026-01-05 10:{at // 60:02}:{at % 60:02},787] INFO Got user-level KeeperException when processing sessionid:0x1673834c0a00007 type:delete cxid:0x{at:x} zxid:0x7 txntype:-1 reqpath:n/a Error Path:/consumers/kafka-node-group/owners Error:KeeperErrorCode = NoNode (org.apache.zookeeper.server.PrepRequestProcessor)\n"
                for at in range(300)
            ),
            ALL_CLEAR, ["read by their level and words alone"], "none could be read", id="hundreds of clients that leave ZooKeeper",
        ),
        pytest.param(
            "2026-01-05 10:01:56.584 b.s.util [ERROR] Async loop died!\n"
            "java.lang.RuntimeException: org.apache.zookeeper.KeeperException$NoNodeException: KeeperErrorCode = NoNode for /brokers/topics/orders/partitions\n\tat storm.kafka.DynamicBrokersReader.getBrokerInfo(DynamicBrokersReader.java:92) ~[bills.jar:?]\n"
            "Caused by: org.apache.zookeeper.KeeperException$NoNodeException: KeeperErrorCode = NoNode for /brokers/topics/orders/partitions\n\tat org.apache.zookeeper.KeeperException.create(KeeperException.java:111) ~[bills.jar:?]",
            "topic_not_in_zookeeper", ["ZooKeeper has no such topic as orders", "another path"], "could not be judged", id="a topic that Storm's spout looks for in ZooKeeper itself",
        ),
        pytest.param(
            "[2026-01-05 10:00:08,586] INFO Got user-level KeeperException when processing sessionid:0x15da61b63f60007 type:create cxid:0x1a9 zxid:0xeb txntype:-1 reqpath:n/a Error Path:/brokers/topics/orders/partitions Error:KeeperErrorCode = NoNode for /brokers/topics/orders/partitions\n"
            "[2026-01-05 10:00:09,586] INFO [GroupCoordinator 7]: Stabilized group bills generation 1 (__consumer_offsets-7) (kafka.coordinator.group.GroupCoordinator)",
            ALL_CLEAR, [], "no such topic", id="and one that ZooKeeper has not yet as its broker makes it",
        ),
        pytest.param(
            "info: Bills.KafkaWorker[0]\n      Kafka consumer started. Subscribed to topics: orders\nfail: Bills.KafkaWorker[0]\n      Error processing Kafka message\n"
            "      System.OperationCanceledException: The operation was canceled.\n         at System.Threading.CancellationToken.ThrowIfCancellationRequested()\n         at Confluent.Kafka.Consumer`2.Consume(CancellationToken cancellationToken)\n",
            "not_judged", [], "something failed:", id="a consumer of .NET's that was told to stop",
        ),
        pytest.param(
            "[10:00:06 INF] Subscribed to Kafka topic orders\n[10:00:07 ERR] Kafka refused the connection to k7:9092\n[10:00:07 ERR] Error consuming from Kafka\n"
            "System.OperationCanceledException: The operation was canceled.\n   at Confluent.Kafka.Consumer`2.Consume(CancellationToken cancellationToken)\n",
            "said_to_fail", ["refused the connection"], "OperationCanceled", id="and what it said of a broker before",
        ),
        pytest.param(
            "fail: Bills.KafkaWorker[0]\n      Error processing Kafka message\n      System.OperationCanceledException: The operation was canceled.\n         at Bills.KafkaWorker.Store(CancellationToken until)\n",
            "said_to_fail", ["The operation was canceled"], "nothing wrong", id="what the application gave up itself is its own",
        ),
        pytest.param(
            "[2026-01-05T10:56:13.874+0000] {logging_mixin.py:188} WARNING - /srv/lib/standard_task_runner.py:61 DeprecationWarning: This process (pid=71) is multi-threaded, use of fork() may lead to deadlocks in the child.\n"
            "[2026-01-05T10:56:13.898+0000] {task_command.py:426} INFO - Running <TaskInstance: kafka_bills.check_kafka [running]> on host k7\n"
            "[2026-01-05T10:56:13.949+0000] {baseoperator.py:399} WARNING - BranchPythonOperator.execute cannot be called outside TaskInstance!\n"
            "[2026-01-05T10:56:14.015+0000] {local_task_job_runner.py:240} INFO - Task kafka_bills exited with return code 0",
            ALL_CLEAR, ["read by their level and words alone"], "none could be read", id="a task of Airflow's that asks for Kafka",
        ),
        pytest.param(
            "[2026-01-05 10:30:30,691] WARN [RPC ProducerId Manager 7]: Timed out when requesting AllocateProducerIds from the controller. (kafka.coordinator.transaction.RPCProducerIdManager)\n"
            "[2026-01-05 10:31:00,761] WARN [RPC ProducerId Manager 7]: Timed out when requesting AllocateProducerIds from the controller. (kafka.coordinator.transaction.RPCProducerIdManager)",
            "producer_ids_awaited", ["A broker had no producer id to give (2 times in 30.1 s)"], "Not explained", id="a broker whose controller gives no ids for producers",
        ),
    ],
)  # fmt: skip
def test_what_is_answered_to_a_log_that_is_kept(tmp_path, text, kind, words, unsaid):
    told, answer = answered(text, tmp_path)
    assert told == kind
    assert [one for one in words if one not in answer] == []
    assert unsaid not in answer
