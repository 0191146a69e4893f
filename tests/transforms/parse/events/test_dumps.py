import pytest

from tests.transforms.parse.typed import event, events
from transforms.parse.events.dumps import class_by_keys, values_of

PRODUCER = """ProducerConfig values:
\tacks = -1
\tclient.id = orders-producer
\tinterceptor.classes = []
\tlinger.ms = 5
\tsasl.jaas.config = [hidden]
\tssl.provider = null
\ttransactional.id = tx-1
"""
HEADLESS = PRODUCER.split("\n", 1)[1]


def test_a_dump_tells_every_value_as_printed():
    told = event(PRODUCER, "org.apache.kafka.common.config.AbstractConfig")
    assert (told.kind, told.message_id) == ("config_dump", "config-dump")
    assert told.details["config_class"] == "ProducerConfig"
    assert told.details["config.linger.ms"] == "5"
    assert told.details["config.sasl.jaas.config"] == "[hidden]"
    assert told.details["config.ssl.provider"] == "null"


def test_whose_dump_it_is_stands_inside():
    told = event(PRODUCER, "org.apache.kafka.clients.producer.ProducerConfig")
    assert (told.client_kind, told.client_id, told.transactional_id) == (
        "producer",
        "orders-producer",
        "tx-1",
    )


def test_a_blank_client_id_is_none():
    assert event(PRODUCER.replace("orders-producer", ""), "ProducerConfig").client_id is None


def test_a_dump_without_its_head_is_known_by_its_keys():
    told = event(HEADLESS)
    assert (told.kind, told.details["config_class"], told.details["headless"]) == (
        "config_dump",
        "ProducerConfig",
        "true",
    )


def test_a_few_settings_of_an_application_are_no_dump():
    assert events("started with\n\tlinger.ms = 5\n\tuser = x", "com.example.App") == []


@pytest.mark.parametrize(
    ("key", "config_class"),
    [
        ("linger.ms", "ProducerConfig"),
        ("max.poll.records", "ConsumerConfig"),
        ("num.stream.threads", "StreamsConfig"),
        ("default.api.timeout.ms", "AdminClientConfig"),
        ("max.in.flight.requests.per.connection", "ProducerConfig"),
        ("isolation.level", "ConsumerConfig"),
        ("user.name", None),
    ],
)
def test_class_by_keys(key, config_class):
    assert class_by_keys({key: "1"}) == config_class


def test_values_keep_what_follows_the_first_sign():
    assert values_of("\tsasl.mechanism = a = b\n") == {"sasl.mechanism": "a = b"}
