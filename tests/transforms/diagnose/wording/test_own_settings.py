"""Settings by the names that clients which are not Java's have for them."""

import pytest

from transforms.diagnose.wording.defaults import defaults_of, unless_set
from transforms.diagnose.wording.own_settings import in_words_of


@pytest.mark.parametrize(
    ("library", "text", "told"),
    [
        ("java", "raise session.timeout.ms", "raise session.timeout.ms"),
        (None, "raise session.timeout.ms", "raise session.timeout.ms"),
        ("kafkajs", "raise session.timeout.ms.", "raise sessionTimeout (session.timeout.ms)."),
        ("sarama", "its limit (request.timeout.ms) ran out", "its limit (Net.ReadTimeout, request.timeout.ms) ran out"),
        ("aiokafka", "max.request.size, max.request.size", "max_request_size (max.request.size), max_request_size"),
        ("kafkajs", "connections.max.idle.ms of the broker", "connections.max.idle.ms of the broker"),
        ("ruby-kafka", "within its limit (delivery.timeout.ms)", "within its limit (max_retries)"),
        ("librdkafka", "offsets.request.timeout.ms", "offsets.request.timeout.ms"),
    ],
)  # fmt: skip
def test_a_library_s_name_stands_beside_kafka_s_once(library, text, told):
    assert in_words_of(library, text) == told


@pytest.mark.parametrize(
    ("library", "text", "told"),
    [
        ("java", "raise request.timeout.ms", "request.timeout.ms 30 s (30000 ms)"),
        ("kafkajs", "raise sessionTimeout (session.timeout.ms)", "sessionTimeout 30 s (30000 ms)"),
        ("librdkafka", "socket.timeout.ms, request.timeout.ms", "socket.timeout.ms 1 min (60000 ms)"),
        ("sarama", "within Net.ReadTimeout", "Net.ReadTimeout 30 s"),
        ("brod", "its retries", None),
        ("", "raise request.timeout.ms", None),
    ],
)
def test_what_a_setting_is_where_nobody_sets_it_is_the_library_s_own(library, text, told):
    assert unless_set(text, library) == told


@pytest.mark.parametrize("library", ["librdkafka", "kafkajs", "sarama", "aiokafka", "ruby-kafka"])
def test_a_library_s_names_are_its_own(library):
    own = {
        in_words_of(library, name).partition(" (")[0] for name in ("request.timeout.ms", "session.timeout.ms")
    }
    assert own & set(defaults_of(library))
