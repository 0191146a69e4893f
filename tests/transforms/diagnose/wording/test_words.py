"""Durations, origins and lists as a person says them."""

import pytest

from transforms.diagnose.wording.words import clause, counted, exact, listed, origin_words, span


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (1_000, "1 s"),
        (14_055, "14.1 s"),
        (125_000, "2 min 5 s"),
        (3_780_000, "1 h 3 min"),
        (-40, "-40 ms"),
        (None, "an unknown time"),
    ],
)
def test_span(ms, words):
    assert span(ms) == words


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (850, "850 ms"),
        (8_000, "8 s"),
        (7_375, "7375 ms"),
        (-7_375, "-7375 ms"),
        (300_000, "5 min (300000 ms)"),
        (None, "an unknown time"),
    ],
)
def test_exact(ms, words):
    assert exact(ms) == words


def test_a_default_is_not_said_to_be_certain():
    assert "may be overridden" in origin_words("default:4.2.1")
    assert "4.2.1" in origin_words("default:4.2.1")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (list("abcde"), "a, b, c and 2 more"),
    ],
)
def test_listed(names, words):
    assert listed(names) == words


@pytest.mark.parametrize(("number", "words"), [(1, "1 batch"), (2, "2 batches"), (0, "0 batches")])
def test_counted(number, words):
    assert counted(number, "batch") == words


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("The client closed this connection itself.", "the client closed this connection itself"),
        ("A disconnect (max.idle.ms); the next request opens one.", "a disconnect (max.idle.ms)"),
        ("SSL was not asked for. It is normal.", "SSL was not asked for"),
        ("Kafka", "Kafka"),
    ],
)
def test_clause(sentence, words):
    assert clause(sentence) == words
