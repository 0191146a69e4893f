"""Text that is no Kafka log, read as one: hardly a line of it becomes an event with a kind of its own."""

import random

import pytest

from lab import negatives
from lab.negatives import CORPORA, ONE_IN, misread

LINES = 2500
MOST = LINES // ONE_IN + 1


@pytest.mark.parametrize("corpus", CORPORA)
def test_no_event_of_its_own(corpus):
    lines = CORPORA[corpus](random.Random(corpus), LINES)
    assert len(lines) == LINES
    wrong = misread(corpus, lines)
    assert len(wrong) <= MOST, wrong[:5]


def test_a_record_that_is_one_is_seen():
    line = (
        "2026-03-01 10:00:00,123 INFO  [main] org.apache.kafka.clients.NetworkClient - Node 3 disconnected."
    )
    assert [one.message_id for one in misread("others", [line] * 3)] == ["net-node-disconnected"] * 3


def test_the_command_tells_of_each_corpus_and_fails_where_one_is_misread(monkeypatch, capsys):
    assert negatives.main(50) == 0
    quiet = capsys.readouterr().out
    assert [line.split(":")[0] for line in quiet.splitlines() if not line.startswith(" ")] == list(CORPORA)
    said = (
        "2026-03-01 10:00:00,123 INFO  [main] org.apache.kafka.clients.NetworkClient - Node 3 disconnected."
    )
    monkeypatch.setitem(CORPORA, "others", lambda draw, lines: [said] * lines)
    assert negatives.main(50) == 1
    told = capsys.readouterr().out
    assert "others: 50 of 50 lines" in told
    assert told.count("net-node-disconnected") == 5
