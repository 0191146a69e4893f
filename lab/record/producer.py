"""Makes topics and writes messages, by the client that asks brokers where topics end."""

import time
from contextlib import suppress

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka import Producer as Client
from confluent_kafka.admin import AdminClient, NewTopic

PATIENCE = 30  # s


class Producer:
    """Makes topics and writes messages."""

    def __init__(self, address: str) -> None:
        # One batch on its way at a time: of a topic that was made anew a later one may be taken where the first was not yet.
        self._settings = {
            "bootstrap.servers": address,
            "linger.ms": 5,
            "max.in.flight.requests.per.connection": 1,
            "log_level": 0,
        }
        self._admin = AdminClient({"bootstrap.servers": address, "log_level": 0})
        self._producer = Client(self._settings)

    def topic(self, name: str, partitions: int = 1, **settings: str) -> None:
        """Make a topic."""
        config = {key.replace("_", "."): value for key, value in settings.items()}
        made = NewTopic(name, num_partitions=partitions, replication_factor=1, config=config)
        self._admin.create_topics([made])[name].result(PATIENCE)

    def anew(self, name: str, partitions: int = 1) -> None:
        """Make a topic; what there was under its name is gone, and what the producer knew of it."""
        self._producer = Client(self._settings)
        with suppress(KafkaException):
            self.drop(name)
        for _ in range(100):
            try:
                return self.topic(name, partitions)
            except KafkaException:  # it is still being deleted
                time.sleep(0.1)
        raise RuntimeError(f"topic {name} can't be made anew")

    def drop(self, name: str) -> None:
        """Delete a topic."""
        self._admin.delete_topics([name])[name].result(PATIENCE)

    def forget(self, name: str, partition: int, before: int) -> None:
        """Delete messages, as retention does."""
        place = TopicPartition(name, partition, before)
        self._admin.delete_records([place])[place].result(PATIENCE)

    def write(self, topic: str, *values: tuple[int, str], key: str | None = None) -> None:
        """Write (partition, text) messages, in order, and wait until the broker has them.

        Raises: KafkaException for one that it does not take.
        """
        errors: list[object] = []
        for partition, value in values:
            self._producer.produce(
                topic, value, key, partition, on_delivery=lambda error, _: errors.append(error)
            )
            self._producer.poll(0)
        self._producer.flush(PATIENCE)
        assert len(errors) == len(values)
        for error in errors:
            if error is not None:
                raise KafkaException(error)
