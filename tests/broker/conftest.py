"""One broker for all tests that need one, and a writer of messages."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from lab.record.broker import Broker
from tests.broker.producer import Producer


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that runs."""
    made = Broker(tmp_path_factory.mktemp("broker"))
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="session")
def producer(spark: SparkSession, broker: Broker) -> Iterator[Producer]:
    """Writes to it."""
    made = Producer(spark, broker.address)
    yield made
    made.close()
