"""Asks the brokers where a topic begins and ends, through the client that Spark's Kafka source brings with it."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from jobs.conf import DATABRICKS_MARK
from jobs.errors import Away, BadInput, KipwatchError

if TYPE_CHECKING:
    from py4j.protocol import Py4JJavaError
    from pyspark.sql import SparkSession

URL = re.compile(r"kafka://(?P<servers>[^/\s]+:\d+(?:,[^/\s]+:\d+)*)/(?P<topic>[\w.\-]{1,249})")
# Of Spark's release but for the part that Maven Central doesn't have in it; loaded only where a topic is asked for.
JARS = (
    "org.apache.spark:spark-sql-kafka-0-10_2.13:{version}"
    "?exclude=org.apache.spark:spark-token-provider-kafka-0-10_2.13",
    "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0?transitive=false",
)
ANSWER_SECONDS = 20
# What a lost connection is told as, and a topic that isn't there.
ABSENT = "UnknownTopicOrPartitionException"

_loaded: set[str] = set()
_clients: dict[tuple[str, str], Any] = {}


class BrokerAway(Away):
    """No broker answers, or not as it should."""


class TopicGone(BadInput):
    """The topic isn't there."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic as it is given: `kafka://host:port[,host:port]/topic`."""

    url: str
    servers: str
    name: str
    is_metrics: bool = False


@dataclass(frozen=True, slots=True)
class Extent:
    """What the brokers have of a topic. offsets: by partition (first kept, next to be written)."""

    topic_id: str
    offsets: Mapping[int, tuple[int, int]]


def is_topic(given: str) -> bool:
    """Whether an argument names a topic, not files."""
    return given.startswith("kafka://")


def topic_of(given: str, what: str, *, is_metrics: bool = False) -> Topic:
    """The topic that an argument names.

    Raises: BadInput for anything else.
    """
    found = URL.fullmatch(given)
    if found is None:
        raise BadInput("is no topic", where=f"{what} {given}", todo="give kafka://host:port/topic")
    return Topic(given, found["servers"], found["topic"], is_metrics)


def load_client(spark: "SparkSession") -> None:
    """Bring Spark's Kafka source into the session, once. On Databricks it is there already.

    Raises: KipwatchError where its packages can't be had.
    """
    application = _application(spark)
    if DATABRICKS_MARK in os.environ:
        return
    for jar in () if application in _loaded else [jar.format(version=spark.version) for jar in JARS]:
        try:
            spark.sql(f"ADD JAR 'ivy://{jar}'")
        except Exception as error:
            raise KipwatchError(
                f"Spark's Kafka source can't be had ({type(error).__name__})",
                where=jar.split("?")[0],
                todo="let this machine reach a Maven repository once, or read files instead",
            ) from error
    _loaded.add(application)
    jvm, session = spark._jvm, spark._jsparkSession
    assert jvm is not None  # a session without a JVM has no Kafka source
    # Each thread of ours has one of the JVM's, and only the one that added the jars sees them by itself.
    jvm.java.lang.Thread.currentThread().setContextClassLoader(session.sharedState().jarClassLoader())


def _application(spark: "SparkSession") -> str:
    return spark.conf.get("spark.app.id") or ""


def extent_of(spark: "SparkSession", topic: Topic, options: Mapping[str, str]) -> Extent:
    """Where each partition of the topic begins and ends now.

    options: of Kafka's consumer, such as security.protocol.
    Raises: TopicGone; BrokerAway where nobody answers.
    """
    load_client(spark)
    jvm = spark._jvm
    assert jvm is not None
    kafka = jvm.kafkashaded.org.apache.kafka if DATABRICKS_MARK in os.environ else jvm.org.apache.kafka
    admin = _admin(spark, kafka, topic, options)
    described = _answer(topic, lambda: admin.describeTopics([topic.name]).allTopicNames())[topic.name]
    numbers = [info.partition() for info in described.partitions()]
    ends = []
    for spec in (kafka.clients.admin.OffsetSpec.earliest(), kafka.clients.admin.OffsetSpec.latest()):
        asked = {kafka.common.TopicPartition(topic.name, number): spec for number in numbers}
        found = _answer(topic, partial(_listed, admin, asked))
        ends.append({key.partition(): info.offset() for key, info in found.items()})
    return Extent(
        str(described.topicId().toString()),
        {number: (ends[0][number], ends[1][number]) for number in numbers},
    )


def _listed(admin: Any, asked: Mapping[Any, Any]) -> Any:
    return admin.listOffsets(asked).all()


def _admin(spark: "SparkSession", kafka: Any, topic: Topic, options: Mapping[str, str]) -> Any:
    key = (_application(spark), topic.servers)
    if key not in _clients:
        settings = {
            "bootstrap.servers": topic.servers,
            "default.api.timeout.ms": str(ANSWER_SECONDS * 1000),
            "request.timeout.ms": str(ANSWER_SECONDS * 500),
            **options,
        }
        from py4j.protocol import Py4JJavaError

        try:
            _clients[key] = kafka.clients.admin.Admin.create(settings)
        except Py4JJavaError as error:
            raise BadInput(
                f"its client can't be made ({_cause(error)})",
                where=topic.url,
                todo="see conf's kafka.options",
            ) from None
    return _clients[key]


def _answer(topic: Topic, ask: Callable[[], Any]) -> Any:
    from py4j.protocol import Py4JJavaError

    try:
        return ask().get()
    except Py4JJavaError as error:
        cause = _cause(error)
        if cause == ABSENT:
            raise TopicGone("no such topic", where=topic.url, todo="check its name, or make it") from None
        raise BrokerAway(
            f"no answer from the brokers ({cause})",
            where=topic.url,
            todo="see that they run and can be reached",
        ) from None


def _cause(error: "Py4JJavaError") -> str:
    """The name of what went wrong at the bottom; its text may hold settings."""
    thrown = error.java_exception
    while thrown.getCause() is not None:
        thrown = thrown.getCause()
    return str(thrown.getClass().getSimpleName())
