"""Errors of the protocol in the words of clients."""

import pytest

from transforms.parse.catalogue.errors import NAMES, TEXTS, code_in, codes_in


@pytest.mark.parametrize(
    ("name", "phrase"), [(name, phrase) for name, phrases in TEXTS.items() for phrase in phrases]
)
def test_words_are_of_one_error_alone(name, phrase):
    assert code_in(f"it said: {phrase.capitalize()}, and went on") == name


@pytest.mark.parametrize("phrase", [phrase for phrases in TEXTS.values() for phrase in phrases])
def test_words_are_found_within_others(phrase):
    assert codes_in(f"x{phrase}x") == codes_in(phrase)


def test_they_are_errors_of_the_protocol():
    assert set(TEXTS) <= set(NAMES.values())


@pytest.mark.parametrize(
    "text", ["", "the broker closed the connection", "Local: Timed out", "all topics were there"]
)
def test_other_words_are_of_none(text):
    assert code_in(text) is None


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("Broker: Unknown topic or partition (after 3 tries)", "UNKNOWN_TOPIC_OR_PARTITION"),
        ("error: Broker: Not coordinator for group: retrying", "NOT_COORDINATOR"),
        ("Broker: Topic authorization failed", "TOPIC_AUTHORIZATION_FAILED"),
        ("Broker: Some words of no code", None),
        ("fetch failed: unknown topic or partition", "UNKNOWN_TOPIC_OR_PARTITION"),
        ("commit of orders: Illegal Generation", "ILLEGAL_GENERATION"),
        ("not enough replicas after append", "NOT_ENOUGH_REPLICAS_AFTER_APPEND"),
        ("kafka server: The broker received an out of order sequence number", "OUT_OF_ORDER_SEQUENCE_NUMBER"),
        ("KafkaJSProtocolError: The group is not empty", "NON_EMPTY_GROUP"),
        ("Topic deletion is disabled", "TOPIC_DELETION_DISABLED"),
        ("the call was an invalid request", None),
    ],
)
def test_a_name_s_own_words_are_its_code(words, code):
    assert code_in(words) == code


def test_of_two_the_first_is_told():
    said = "Broker: Not coordinator, after Broker: Unknown member"
    assert codes_in(said) == ["NOT_COORDINATOR", "UNKNOWN_MEMBER_ID"]
    assert code_in(said) == "NOT_COORDINATOR"


def test_a_code_that_librdkafka_does_not_know_is_told_by_its_number():
    assert code_in("Fetch from broker 1 failed at offset 7: Err-103?") == "INCONSISTENT_TOPIC_ID"
    assert code_in("Err-999?") is None
