"""Text that is no Kafka log, read as one: hardly a line of it becomes an event with a kind of its own."""

import random

import pytest

from lab.layouts.score import events_in
from lab.negatives import CORPORA, wrong_in

LINES = 2500
MOST = LINES // 10_000 + 1  # one in 10,000 lines, or one


def wrong(corpus, lines):
    found = [(event.kind, event.message_id, event.line) for event in events_in("\n".join(lines) + "\n")]
    return wrong_in(corpus, lines, found)


@pytest.mark.parametrize("corpus", CORPORA)
def test_no_event_of_its_own(corpus):
    lines = CORPORA[corpus](random.Random(corpus), LINES)
    assert len(lines) == LINES
    assert len(wrong(corpus, lines)) <= MOST, wrong(corpus, lines)[:5]


def test_a_record_that_is_one_is_seen():
    line = (
        "2026-03-01 10:00:00,123 INFO  [main] org.apache.kafka.clients.NetworkClient - Node 3 disconnected."
    )
    assert [one.message_id for one in wrong("others", [line] * 3)] == ["net-node-disconnected"] * 3
