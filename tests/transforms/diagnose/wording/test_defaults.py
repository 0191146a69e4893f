"""What settings are where nobody set them, as an answer tells it."""

import pytest

from transforms.diagnose.wording.defaults import MOST, defaults, unless_set


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("raise offset.flush.timeout.ms.", "offset.flush.timeout.ms 5 s (5000 ms)"),
        ("See max.poll.records, then max.poll.records", "max.poll.records 500 (1000 in Kafka Streams)"),
        ("raise producer.override.batch.size", None),
        ("group.id, broker.id", None),
        ("", None),
    ],
    ids=["at the end of a sentence", "named twice", "another setting's end", "no default", "nothing"],
)
def test_settings_in_a_text_are_told_with_their_defaults(text, told):
    assert unless_set(text) == told


def test_no_more_than_a_reader_takes_in():
    assert unless_set(" ".join(defaults())).count(";") == MOST - 1
