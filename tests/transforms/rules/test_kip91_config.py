"""KIP-91 rules over a producer's configuration dump."""

import pytest

from tests.rule_cases import guilty, inside, negative, outside, positive, unknown
from tests.timelines_configs import consumer_dump, folded, producer_dump
from transforms.rules import kip91_config as rules

STARTED = "version"


def verdict(rule, *steps):
    (config,) = folded(*steps)
    found = rule(config)
    return found.category or found.outcome


@pytest.mark.parametrize(
    ("settings", "then", "wanted"),
    [
        inside({"delivery_timeout_ms": "3100"}, STARTED, "conforms", id="room to the millisecond"),
        outside(
            {"delivery_timeout_ms": "3099"}, STARTED, "departs_from_kip", id="backoff has no room: as shipped"
        ),
        positive(
            {"delivery_timeout_ms": "2999"},
            STARTED,
            "broken_semantics",
            id="not even the request, and started",
        ),
        guilty({"delivery_timeout_ms": "2999"}, "refused", "conforms", id="refused, as promised"),
        unknown({"delivery_timeout_ms": "2999"}, None, "unjudged", id="start not seen"),
        guilty({"delivery_timeout_ms": "2999"}, "adjusted", "not_applicable", id="adjusted instead"),
        pytest.param({"delivery_timeout_ms": None}, STARTED, "not_applicable", id="before 2.1"),
        unknown(
            {"delivery_timeout_ms": "2999", "linger_ms": None}, STARTED, "unjudged", id="setting unknown"
        ),
        negative({"delivery_timeout_ms": "12000"}, STARTED, "conforms", id="room for four attempts"),
        guilty(
            dict.fromkeys(("delivery_timeout_ms", "request_timeout_ms"), "2147483647"),
            STARTED,
            "conforms",
            id="Connect's own: both without end",
        ),
        pytest.param(
            {"delivery_timeout_ms": "3000"}, STARTED, "departs_from_kip", id="as the client checks it"
        ),
    ],
)
def test_config_accepted(settings, then, wanted):
    assert verdict(rules.config_accepted, producer_dump(**settings), then) == wanted


@pytest.mark.parametrize(
    ("settings", "then", "wanted"),
    [
        inside({"delivery_timeout_ms": "3100"}, STARTED, "conforms", id="room to the millisecond"),
        outside({"delivery_timeout_ms": "3099"}, STARTED, "misconfiguration", id="a millisecond short"),
        positive({"delivery_timeout_ms": "2000"}, "refused", "misconfiguration", id="refused"),
        guilty({"delivery_timeout_ms": "2000"}, "adjusted", "not_applicable", id="adjusted"),
        unknown({"retry_backoff_ms": None}, STARTED, "unjudged", id="setting unknown"),
        guilty(
            dict.fromkeys(("delivery_timeout_ms", "request_timeout_ms"), "2147483647"),
            STARTED,
            "conforms",
            id="Connect's own: both without end",
        ),
        negative({"delivery_timeout_ms": "12000"}, STARTED, "conforms", id="room for four attempts"),
    ],
)
def test_no_room_for_one_attempt(settings, then, wanted):
    assert verdict(rules.no_room_for_one_attempt, producer_dump(**settings), then) == wanted


@pytest.mark.parametrize(("delivery_ms", "refuses"), [("3000", False), ("2999", True)])
def test_what_the_client_would_refuse_is_said(delivery_ms, refuses):
    (config,) = folded(producer_dump(delivery_timeout_ms=delivery_ms))
    assert ("refuses to start" in rules.no_room_for_one_attempt(config).facts["refusal"]) == refuses


def test_a_refusal_is_quoted():
    (config,) = folded(producer_dump(delivery_timeout_ms="2000"), "refused")
    found = rules.no_room_for_one_attempt(config)
    assert found.facts["refusal"].endswith("larger than linger.ms + request.timeout.ms")
    assert found.event_ids == ("e0", "e1")
    assert (found.observed_ms, found.limit_ms, found.limit_origin) == (2000, 3100, "logged")


@pytest.mark.parametrize(
    ("then", "wanted"),
    [
        positive("adjusted", "misconfiguration", id="the client says so"),
        negative(STARTED, "not_applicable", id="says nothing"),
        guilty("adjusted:p2", "not_applicable", id="another producer's value"),
    ],
)
def test_delivery_timeout_adjusted(then, wanted):
    assert verdict(rules.delivery_timeout_adjusted, producer_dump(), then) == wanted


def test_an_adjusted_value_is_beside_the_configured_one():
    (config,) = folded(producer_dump(), "adjusted")
    found = rules.delivery_timeout_adjusted(config)
    assert (found.observed_ms, found.limit_ms, found.event_ids) == (150100, 12000, ("e0", "e1"))


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        positive({"retries": "3"}, "misconfiguration", id="a number of its own"),
        pytest.param({"retries": "0"}, "misconfiguration", id="none at all"),
        negative({}, "conforms", id="bounded by time"),
        pytest.param({"retries": "3", "delivery_timeout_ms": None}, "not_applicable", id="before 2.1"),
        guilty(
            {"retries": "3", "client_id": "app-1-StreamThread-1-producer"},
            "not_applicable",
            id="Streams made it",
        ),
        unknown({"retries": None}, "not_applicable", id="unknown"),
    ],
)
def test_explicit_retries(settings, wanted):
    assert verdict(rules.explicit_retries, producer_dump(**settings)) == wanted


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        positive({}, "misconfiguration", id="five in flight, no idempotence"),
        negative({"enable_idempotence": "true"}, "conforms", id="idempotent"),
        inside({"max_in_flight_requests_per_connection": "1"}, "conforms", id="one in flight"),
        outside({"max_in_flight_requests_per_connection": "2"}, "misconfiguration", id="two in flight"),
        pytest.param({"retries": "0"}, "conforms", id="no retries"),
        guilty({"acks": "0"}, "conforms", id="nothing to retry"),
        guilty({"transactional_id": "t"}, "conforms", id="transactional"),
        unknown({"enable_idempotence": None}, "unjudged", id="unknown"),
        pytest.param({"client_id": "app-1-StreamThread-1-producer"}, "not_applicable", id="Streams made it"),
    ],
)
def test_reordering_possible(settings, wanted):
    assert verdict(rules.reordering_possible, producer_dump(**settings)) == wanted


@pytest.mark.parametrize(
    "rule",
    [
        rules.config_accepted,
        rules.no_room_for_one_attempt,
        rules.delivery_timeout_adjusted,
        rules.explicit_retries,
        rules.reordering_possible,
    ],
)
def test_a_consumer_is_not_kip91s(rule):
    assert verdict(rule, consumer_dump()) == "not_applicable"
