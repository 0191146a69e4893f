"""Asks the brokers where a topic begins and ends, by librdkafka: a session of Spark's need not have a JVM of its own."""

import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from conf.kafka_options import client_settings, milliseconds
from conf.settings import KafkaConf
from transforms.errors import Away, BadInput
from transforms.plans.topics import Extent, Topic

if TYPE_CHECKING:
    from confluent_kafka import KafkaError

ANSWER_SECONDS = 20
# How often what the client says of itself is heard, s.
LOOK = 0.01


class BrokerAway(Away):
    """No broker answers, or not as it should."""


class TopicGone(BadInput):
    """The topic isn't there."""


def extent_of(topic: Topic, kafka: KafkaConf) -> Extent:
    """Where each partition of the topic begins and ends now.

    Raises: TopicGone; BrokerAway where nobody answers; BadInput for settings that no client can be made with, or without it.
    """
    try:
        from confluent_kafka import TopicCollection, TopicPartition
        from confluent_kafka.admin import OffsetSpec
    except ImportError:
        todo = "pip install 'kipwatch[kafka]'"
        raise BadInput("Kafka's client is not installed", where=topic.url, todo=todo) from None
    asked = Asked(topic, kafka)
    described = asked.answer(
        asked.client.describe_topics(TopicCollection([topic.name]), **asked.within)[topic.name]
    )
    partitions = [TopicPartition(topic.name, one.id) for one in described.partitions]
    both = [
        asked.client.list_offsets(dict.fromkeys(partitions, which), **asked.within)
        for which in (OffsetSpec.earliest(), OffsetSpec.latest())
    ]
    first, end = ({place.partition: asked.answer(one).offset for place, one in each.items()} for each in both)
    # As Java's clients and Kafka's tools write it, and lakes have it.
    topic_id = str(described.topic_id).translate({ord("+"): "-", ord("/"): "_"}).rstrip("=")
    return Extent(topic_id, {number: (first[number], end[number]) for number in sorted(first)})


class Asked:
    """One question to the brokers: a client of its own, some 40 ms, so that nothing grows old or is left to close."""

    def __init__(self, topic: Topic, kafka: KafkaConf) -> None:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        self._topic = topic
        # Why each try failed: what a future raises says only that its time is over.
        self._heard: list[KafkaError] = []
        given = {**kafka.options, **kafka.asking}
        most_ms = milliseconds(given, "default.api.timeout.ms", ANSWER_SECONDS * 1000)
        self._until = time.monotonic() + most_ms / 1000
        settings = client_settings(given, topic.servers) | {
            "error_cb": self._heard.append,
            "log_level": 0,  # it would tell standard error
            "socket.timeout.ms": min(max(most_ms // 2, 10), 300_000),
            "socket.connection.setup.timeout.ms": min(max(most_ms // 4, 1000), 30_000),
        }
        try:
            self.client = AdminClient(settings)
        except KafkaException as error:  # which may tell a setting's value
            told = error.args[0].str()
            name = next((one for one in (*settings, "GSSAPI") if one in told), error.args[0].name())
            todo = "see conf's kafka.options, and kafka.asking (docs/deploying.md)"
            raise BadInput(f"its client can't be made ({name})", where=topic.url, todo=todo) from None

    @property
    def within(self) -> dict[str, float]:
        """How long a call may take."""
        return {"request_timeout": max(self._until - time.monotonic(), LOOK)}

    def answer(self, asked: "Future[Any]") -> Any:
        """What the brokers say of the topic.

        Raises: TopicGone; BrokerAway.
        """
        from confluent_kafka import KafkaError

        final = (KafkaError._AUTHENTICATION, KafkaError._SSL)  # no second try mends them
        while not asked.done():
            self.client.poll(LOOK)
            for heard in self._heard:
                if heard.code() in final:
                    raise self._away(heard)
        raised = asked.exception()
        if raised is None:
            return asked.result()
        error = raised.args[0]
        if error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise TopicGone("no such topic", where=self._topic.url, todo="check its name, or make it")
        told = [one for one in self._heard if one.code() != KafkaError._ALL_BROKERS_DOWN]
        raise self._away(told[-1] if told and error.code() == KafkaError._TIMED_OUT else error)

    def _away(self, error: "KafkaError") -> BrokerAway:
        """By the words for its code alone: its text may hold settings."""
        reason = type(error)(error.code()).str()
        todo = "see that they run and can be reached"
        return BrokerAway(f"no answer from the brokers ({reason})", where=self._topic.url, todo=todo)
