"""One broker for all tests that need one, and a writer of messages."""

from collections.abc import Iterator

import pytest

from lab.record.broker import Broker
from lab.record.producer import Producer


@pytest.fixture(scope="package")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that runs, until its tests are done."""
    made = Broker(tmp_path_factory.mktemp("broker"))
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="package")
def producer(broker: Broker) -> Producer:
    """Writes to it."""
    return Producer(broker.address)
