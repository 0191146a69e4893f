"""Makes topics and writes messages, by the client that Spark brings."""

import time
from contextlib import suppress
from typing import Any

from py4j.java_gateway import JavaMember
from py4j.protocol import STATIC_PREFIX, Py4JJavaError
from pyspark.sql import SparkSession

from jobs.inputs.brokers import load_client


class Producer:
    """Makes topics and writes messages, by the client that Spark brings."""

    def __init__(self, spark: SparkSession, address: str) -> None:
        load_client(spark)
        kafka: Any = spark._jvm.org.apache.kafka.clients
        text = "org.apache.kafka.common.serialization.StringSerializer"
        # One batch on its way at a time: of a topic that was made anew a later one may be taken where the first was not yet.
        self._settings = {
            "bootstrap.servers": address,
            "key.serializer": text,
            "value.serializer": text,
            "linger.ms": "5",
            "max.in.flight.requests.per.connection": "1",
        }
        self._admin = kafka.admin.Admin.create({"bootstrap.servers": address})
        self._new_topic = kafka.admin.NewTopic
        self._partition = spark._jvm.org.apache.kafka.common.TopicPartition
        # By its full name: a getter of the same name hides it.
        before = f"{STATIC_PREFIX}org.apache.kafka.clients.admin.RecordsToDelete"
        self._before = JavaMember("beforeOffset", None, before, spark._jvm._gateway_client)
        self._record = kafka.producer.ProducerRecord
        self._made = kafka.producer.KafkaProducer
        self._producer = self._made(self._settings)

    def topic(self, name: str, partitions: int = 1, **settings: str) -> None:
        """Make a topic."""
        made = self._new_topic(name, partitions, self._short(1))
        made = made.configs({key.replace("_", "."): value for key, value in settings.items()})
        self._admin.createTopics([made]).all().get()

    def anew(self, name: str, partitions: int = 1) -> None:
        """Make a topic; what there was under its name is gone, and what the producer knew of it."""
        self._producer.close()
        self._producer = self._made(self._settings)
        with suppress(Py4JJavaError):
            self.drop(name)
        for _ in range(100):
            try:
                return self.topic(name, partitions)
            except Py4JJavaError:  # it is still being deleted
                time.sleep(0.1)
        raise RuntimeError(f"topic {name} can't be made anew")

    def drop(self, name: str) -> None:
        """Delete a topic."""
        self._admin.deleteTopics([name]).all().get()

    def forget(self, name: str, partition: int, before: int) -> None:
        """Delete messages, as retention does."""
        self._admin.deleteRecords({self._partition(name, partition): self._before(before)}).all().get()

    def write(self, topic: str, *values: tuple[int, str], key: str | None = None) -> None:
        """Write (partition, text) messages, in order, and wait until the broker has them.

        Raises: Py4JJavaError for one that it does not take.
        """
        sent = [
            self._producer.send(self._record(topic, partition, key, value)) for partition, value in values
        ]
        self._producer.flush()
        for one in sent:
            one.get()

    def close(self) -> None:
        """Let go of the broker."""
        self._producer.close()
        self._admin.close()

    def _short(self, number: int) -> Any:
        from pyspark import SparkContext

        return SparkContext._active_spark_context._jvm.java.lang.Short(str(number))
