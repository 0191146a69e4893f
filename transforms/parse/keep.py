"""Which records `keep: kafka` keeps: those of Kafka's loggers, and those that carry a Kafka exception.

Two steps: MAY_BE_KAFKA only excludes, on raw bytes and cheaply; is_kafka() decides on the parsed record.
"""

import re
from functools import lru_cache

# As loggers are written: in full, or shortened by Logback and log4j2 (`o.a.k.c.NetworkClient`,
# `o.a.kafka.clients...`).
KAFKA_LOGGER = re.compile(
    r"o(?:rg?)?\.a(?:p(?:a(?:c(?:he?)?)?)?)?\.k(?:a(?:f(?:ka?)?)?)?\."
    r"|(?:clients|internals|consumer|producer|utils|admin|metrics|config|streams)\.[A-Z]\w+$"  # `%c{2}`
    r"|kafka\.(?:server|coordinator|controller|cluster|log|network|utils|zk|raft|admin|consumer|producer|common|security|tools|Kafka)"
    r"|state\.change\.logger|k(?:afka)?\.[a-z]\.[A-Z]\w+$"
    r"|kafkajs$|aiokafka\.|kafka\.(?:conn|client|client_async|net)$"
    r"|\.?(?:a\w{0,5})?\.k(?:afka)?\.[a-z]"  # Spring Boot cuts what is longer than 40 characters on the left
)

# Class names alone (`%c{1}`): those of org.apache.kafka that write what is of use here.
KAFKA_CLASSES = frozenset(
    """
    AbstractConfig AbstractCoordinator AbstractFetch AbstractTask ActiveTaskCreator AdminClientConfig
    AdminMetadataManager
    AppInfoParser AsyncKafkaConsumer ClassicKafkaConsumer ClientMetrics ClientTelemetryReporter ClientUtils
    CommitRequestManager CommonClientConfigs ConsumerConfig ConsumerCoordinator
    ConsumerHeartbeatRequestManager
    ConsumerMembershipManager ConsumerNetworkClient ConsumerNetworkThread ConsumerRebalanceListenerInvoker
    ConsumerUtils CoordinatorRequestManager DefaultStateUpdater DefaultTaskExecutor DefaultTaskManager
    ErrorLoggingCallback FetchCollector FetchRequestManager FetchSessionHandler Fetcher GlobalStateManagerImpl
    GlobalStreamThread GroupCoordinator GroupMetadataManager Heartbeat HeartbeatRequestManager HeartbeatThread
    HighAvailabilityTaskAssignor InternalTopicManager InternalTopologyBuilder KafkaAdminClient KafkaConsumer
    KafkaProducer KafkaShareConsumer KafkaStreams LegacyKafkaConsumer LogAndContinueExceptionHandler
    LogAndContinueProcessingExceptionHandler LogAndFailExceptionHandler LogAndFailProcessingExceptionHandler
    MembershipManagerImpl Metadata Metrics NetworkClient OffsetFetcher OffsetFetcherUtils
    OffsetsRequestManager
    ProcessorNode ProcessorStateManager ProducerBatch ProducerConfig RecordAccumulator RecordBatch
    RecordCollectorImpl
    Selector Sender ShareConsumerImpl StandbyTask StateDirectory StoreChangelogReader StreamTask StreamThread
    StreamsConfig StreamsGroupHeartbeatRequestManager StreamsMembershipManager StreamsPartitionAssignor
    StreamsProducer SubscriptionState TaskExecutor TaskManager Tasks TopologyConfig TransactionManager
    WorkerCoordinator WorkerGroupMember
    """.split()  # noqa: SIM905 (a list of eighty quoted words is harder to read)
)

# What only Kafka says, whoever logs it: prefixes of its LogContext, and messages of its exceptions
# without their class.
KAFKA_TEXT = re.compile(
    r"\[(?:Consumer|Producer|AdminClient|ShareConsumer|Worker) (?:clientId|instanceId)=|\[Heartbeat groupID="
    r"|\b(?:global-)?stream-(?:thread|client) \[|\bstate-updater \[|\b(?:stream|standby)-task \["
    r"|org\.apache\.kafka\."
    r"|Expiring \d+ record\(s\) for |ommit cannot be completed since "
    r"|did not make progress (?:to restore state )?within \d+ ms"
    r"|not present in metadata after \d+ ms|Failed to update metadata after \d+ ms"
    r"|Timeout of \d+ms expired before |Timeout expired (?:after \d+ ?ms )?"
    r"while (?:awaiting|fetching|initializing) "
    r"|Failed to construct kafka (?:producer|consumer)|delivery\.timeout\.ms should be equal to or larger"
    # Clients of other languages (other_clients.py)
    r"|\[thrd:|%[0-7]\|(?:[\d.]*\|)?[A-Z]|#(?:consumer|producer)-\d|\baiokafka\b|\bkafka\.(?:conn|cluster|coordinator|client|consumer|producer)\b"
    r"|kafkajs|KafkaJS|\[[Ss]arama\]|kafka: error while|kafka server: |Application maximum poll interval"
    r"|Consumer group session timed out|Local: Message timed out|_MSG_TIMED_OUT|Local_MsgTimedOut|_MAX_POLL_EXCEEDED"
    r"|ommit failed: Broker: |ApiVersionRequest failed: Local: |\bTimed out \w+Request in flight "
)

# Where the line has no logger: what Kafka says without any prefix.
KAFKA_SAYS = re.compile(
    r"Config values:|^Kafka (?:version|commitId|startTimeMs)\b|^Configuration '[\w.]+' with value '"
    r"|^Th(?:ese configurations|e configuration) '.*' w(?:ere|as) supplied but |^App info kafka\."
    r"|^\[(?:GroupCoordinator|GroupMetadataManager|KafkaServer|BrokerServer|TransactionCoordinator|ReplicaManager)\b"
    r"|^Metrics (?:scheduler closed|reporters closed)|^Uncaught exception in thread 'kafka-"
    r"|^Exception caught during message processing, processor node: "
    r"|^Processing exception handler is set to fail"
    r"|^\s*[a-z][a-z0-9]*(?:\.[a-z0-9_]+)+ = ",
    re.M,
)


# Excludes only, on raw bytes: what matches none of this can't be Kafka's, where lines carry loggers with
# packages.
# Every alternative of KAFKA_LOGGER and KAFKA_TEXT has one here (tested).
MAY_BE_KAFKA = "|".join(
    (
        r"kafka\.",
        r"\bk\.[a-z]\.",
        r"\bo\w{0,2}\.a\w{0,5}\.k",
        r"(?:client|instance)Id=",
        r"groupID=",
        r"stream-(?:thread|client|task) ",
        r"state-updater \[",
        r"standby-task \[",
        r"record\(s\) for ",
        r"ommit cannot be completed",
        r" progress ",
        r" metadata after ",
        r" expired ",
        r"Timeout expired",
        r"Failed to construct kafka",
        r"delivery\.timeout\.ms",
        r"state\.change\.logger",
        r"\[thrd:",
        r"%[0-7]\|",
        r"#(?:consumer|producer)-",
        r"aiokafka",
        r"[Kk]afka[jJ][sS]",
        r"arama\]",
        r"kafka: error while",
        r"kafka server: ",
        r"maximum poll interval",
        r"session timed out",
        r"essage timed out",
        r"MSG_TIMED_OUT",
        r"MsgTimedOut",
        r"MAX_POLL_EXCEEDED",
        r"ommit failed: Broker",
        r"ApiVersionRequest failed",
        r"Timed out ",
    )
)


@lru_cache(maxsize=4096)
def is_kafka_logger(logger: str) -> bool:
    """Whether a logger is Kafka's own, written in full, shortened, or as a class name alone."""
    return KAFKA_LOGGER.match(logger) is not None or logger in KAFKA_CLASSES


def is_kafka(logger: str | None, message: str, text: str) -> bool:
    """Whether a record is Kafka's or carries a Kafka exception (stack traces stand at the message's end)."""
    if logger is not None and is_kafka_logger(logger):
        return True
    if KAFKA_TEXT.search(text) is not None:
        return True
    return (logger is None or "." not in logger) and KAFKA_SAYS.search(message) is not None
