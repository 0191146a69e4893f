"""Settings by the names that clients which are not Java's have for them."""

import pytest

from transforms.diagnose.own_settings import in_words_of


@pytest.mark.parametrize(
    ("library", "text", "told"),
    [
        ("java", "raise session.timeout.ms", "raise session.timeout.ms"),
        (None, "raise session.timeout.ms", "raise session.timeout.ms"),
        ("kafkajs", "raise session.timeout.ms.", "raise sessionTimeout (session.timeout.ms)."),
        ("sarama", "its limit (request.timeout.ms) ran out", "its limit (Net.ReadTimeout, request.timeout.ms) ran out"),
        ("aiokafka", "max.request.size, max.request.size", "max_request_size (max.request.size), max_request_size"),
        ("kafkajs", "connections.max.idle.ms of the broker", "connections.max.idle.ms of the broker"),
        ("librdkafka", "offsets.request.timeout.ms", "offsets.request.timeout.ms"),
    ],
)  # fmt: skip
def test_a_library_s_name_stands_beside_kafka_s_once(library, text, told):
    assert in_words_of(library, text) == told
