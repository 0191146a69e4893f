"""KIP-91 rules on histories of one producer: just inside, just outside, guilty looks, unknowns."""

import pytest

from tests.rule_cases import case, guilty, inside, negative, outside, positive, unknown
from tests.timelines_batches import NOON, events, fold, producer
from transforms.rules import kip91, kip91_requests
from transforms.rules.rule import RULES
from transforms.timers.batches.ends import BatchEnd, BlockedSend, RetryAfterEnd
from transforms.timers.batches.lifetimes import BatchLifetimes
from transforms.timers.clients.cancelled_requests import CancelledRequests, RequestTimeout

OWN_THREAD = "kafka-producer-network-thread | p1"


def verdicts(rule, kind, history, profile=None, thread=None, machine=BatchLifetimes):
    found = fold(machine(), events(history, thread=thread), profile or producer())
    judged = [rule(episode) for episode in found if isinstance(episode, kind)]
    return [verdict.category or verdict.outcome for verdict in judged]


def test_nothing_happened_nothing_judged():
    assert fold(BatchLifetimes(), []) == []
    assert fold(CancelledRequests(), []) == []


@pytest.mark.parametrize(
    ("history", "settings", "verdict"),
    [
        inside("0 expire o-0 1 12000", {}, "conforms", id="to the millisecond"),
        outside("0 expire o-0 1 11999", {}, "broken_semantics", id="a millisecond early"),
        unknown("0 expire o-0 1 11999", {"delivery_timeout_ms": None}, "unjudged", id="limit unknown"),
        unknown(
            "0 expire o-0 1 11999", {"origin": "default:4.2.1"}, "unjudged", id="a default accuses nobody"
        ),
        guilty("0 expire o-0 1 3001 last append", {}, "conforms", id="before 2.1: its own bound"),
        outside(
            "0 expire o-0 1 2999 batch creation plus linger time", {}, "broken_semantics", id="and below it"
        ),
        positive("0 expire o-0 1 3000", {}, "broken_semantics", id="as soon as a request timeout"),
        negative("0 expire o-0 1 12100", {}, "conforms", id="with its sender's next loop"),
    ],
)
def test_expired_early(history, settings, verdict):
    assert verdicts(kip91.expired_early, BatchEnd, history, producer(**settings)) == [verdict]


def test_a_failed_batch_did_not_expire():
    assert verdicts(kip91.expired_early, BatchEnd, "0 fail NetworkException") == ["not_applicable"]
    assert verdicts(kip91.expired_late, BatchEnd, "0 fail NetworkException") == ["not_applicable"]


def test_an_early_expiry_carries_its_limit_and_proof():
    (end,) = [e for e in fold(BatchLifetimes(), events("9 expire o-0 1 11000")) if isinstance(e, BatchEnd)]
    verdict = kip91.expired_early(end)
    assert (verdict.observed_ms, verdict.limit_ms, verdict.limit_origin) == (11000, 12000, "logged")
    assert verdict.event_ids == ("e0",)
    said = RULES["kip91.expired_early"].says.format(
        observed_ms=verdict.observed_ms, limit_ms=verdict.limit_ms, **verdict.facts
    )
    assert said == (
        "a batch of o-0 expired 11000 ms after batch creation; it had 12000 ms (delivery.timeout.ms)"
    )


@pytest.mark.parametrize(
    ("history", "settings", "verdict"),
    [
        inside("0 expire o-0 1 12500", {}, "conforms", id="inside the slack"),
        outside("0 expire o-0 1 12501", {}, "departs_from_kip", id="outside: the sender slept in a poll"),
        positive("0 expire o-0 1 15500", {}, "departs_from_kip", id="as late as a request timeout explains"),
        pytest.param("0 expire o-0 1 15501", {}, "unjudged", id="later: the process may have stood still"),
        unknown(
            "0 expire o-0 1 16000", {"request_timeout_ms": None}, "unjudged", id="request timeout unknown"
        ),
        unknown("0 expire o-0 1 16000", {"delivery_timeout_ms": None}, "unjudged", id="limit unknown"),
        guilty("0 expire o-0 1 19000", {"transactional_id": "t"}, "conforms", id="transactions hold it up"),
        pytest.param("0 expire o-0 1 19000 last append", {}, "not_applicable", id="before 2.1"),
        negative("0 expire o-0 1 12003", {}, "conforms", id="in time"),
    ],
)
def test_expired_late(history, settings, verdict):
    assert verdicts(kip91.expired_late, BatchEnd, history, producer(**settings)) == [verdict]


@pytest.mark.parametrize(
    ("history", "verdict"),
    [
        pytest.param(
            "0 retry o-0 9; 12500 retry o-0 8; 13000 expire o-0 1 13000", "departs_from_kip", id="slack"
        ),
        pytest.param(
            "0 retry o-0 9; 12501 retry o-0 8; 13000 expire o-0 1 13000", "broken_semantics", id="past it"
        ),
        pytest.param(
            "0 retry o-0 9; 9 retry o-0 9; 12501 retry o-0 8; 13000 expire o-0 1 13000",
            "departs_from_kip",
            id="two batches: the other may be meant",
        ),
        pytest.param(
            "0 retry o-0 8; 12501 retry o-0 7; 13000 expire o-0 1 13000",
            "departs_from_kip",
            id="its first attempt is not seen: whose expiry it is may be told wrong",
        ),
    ],
)
def test_a_batch_past_its_deadline_is_not_retried(history, verdict):
    assert verdicts(kip91.expired_late, BatchEnd, history, producer(retries="10"))[:1] == [verdict]


def test_a_batch_behind_younger_ones_expires_with_them():
    history = "0 expire o-0 1 12001; 0 expire o-0 1 19001"
    assert verdicts(kip91.expired_late, BatchEnd, history) == ["conforms", "departs_from_kip"]


@pytest.mark.parametrize(
    ("settings", "thread", "verdict"),
    [
        pytest.param(
            {"enable_idempotence": "true"}, OWN_THREAD, "broken_semantics", id="order kept, own thread"
        ),
        pytest.param({}, OWN_THREAD, "departs_from_kip", id="younger batches may stand before it"),
        pytest.param(
            {"enable_idempotence": "true"}, "main", "departs_from_kip", id="printed late by another thread"
        ),
        pytest.param({"enable_idempotence": "true"}, None, "departs_from_kip", id="thread unknown"),
    ],
)
def test_a_sender_that_sent_meanwhile_was_awake(settings, thread, verdict):
    history = "12500 send 6 o-1; 13000 send 7 o-1; 14000 expire o-0 1 14000"
    assert verdicts(kip91.expired_late, BatchEnd, history, producer(**settings), thread) == [verdict]


@pytest.mark.parametrize(
    ("history", "verdict"),
    [
        pytest.param("13000 send 7 o-1", "departs_from_kip", id="a pause may have delayed its line"),
        pytest.param("13000 send 7 o-1; 13250 send 8 o-2", "departs_from_kip", id="of one pass"),
        pytest.param("13000 send 7 o-1; 13251 send 8 o-2", "broken_semantics", id="the next pass"),
        pytest.param("12250 send 7 o-1; 13251 send 8 o-2", "departs_from_kip", id="the first was in time"),
    ],
)
def test_a_sender_is_proven_awake_by_a_second_pass(history, verdict):
    settings = producer(enable_idempotence="true")
    told = f"{history}; 14000 expire o-0 1 14000"
    assert verdicts(kip91.expired_late, BatchEnd, told, settings, OWN_THREAD) == [verdict]


@pytest.mark.parametrize(
    ("history", "in_flight", "thread", "wanted"),
    [
        positive(
            "0 send 7 o-1; 0 expire o-0 1 12000; 2000 expire o-0 1 15000",
            "1",
            None,
            "broken_semantics",
            id="out of order",
        ),
        guilty(
            "0 expire o-0 1 12000; 2000 expire o-0 1 15000",
            "1",
            None,
            "unjudged",
            id="a pause may have delayed the first line",
        ),
        guilty(
            "0 send 7 o-1; 900 expire o-2 1 12900; 900 expire o-0 1 12000; 2900 expire o-0 1 15000",
            "1",
            None,
            "unjudged",
            id="another line of the same pass tells of no pause",
        ),
        pytest.param(
            "0 send 7 o-1; 899 expire o-0 1 12000; 2899 expire o-0 1 15000",
            "1",
            None,
            "broken_semantics",
            id="too short a pause",
        ),
        pytest.param(
            "0 expire o-0 1 12000; 0 expire o-0 1 13000",
            "1",
            None,
            "departs_from_kip",
            id="in one pass: queued ones are called back first",
        ),
        inside(
            "0 expire o-0 1 12000; 2000 expire o-0 1 14100", "1", None, "not_applicable", id="grain of clocks"
        ),
        outside(
            "0 send 7 o-1; 0 expire o-0 1 12000; 2000 expire o-0 1 14101",
            "1",
            None,
            "broken_semantics",
            id="beyond it",
        ),
        guilty(
            "0 expire o-0 1 12000; 2000 expire o-1 1 15000",
            "1",
            None,
            "not_applicable",
            id="partitions apart",
        ),
        negative("0 expire o-0 1 12000; 2000 expire o-0 1 12000", "1", None, "not_applicable", id="in order"),
        pytest.param(
            "0 expire o-0 1 12000; 2000 expire o-0 1 15000", "5", None, "not_applicable", id="not promised"
        ),
        unknown(
            "0 expire o-0 1 12000; 2000 expire o-0 1 15000", None, None, "unjudged", id="setting unknown"
        ),
        guilty(
            "0 expire o-0 1 12000; 2000 expire o-0 1 15000", "1", "main", "unjudged", id="printed by a caller"
        ),
    ],
)
def test_expired_out_of_order(history, in_flight, thread, wanted):
    profile = producer(max_in_flight_requests_per_connection=in_flight)
    assert verdicts(kip91.expired_out_of_order, BatchEnd, history, profile, thread)[-1] == wanted


@pytest.mark.parametrize(
    ("history", "settings", "verdict"),
    [
        positive(
            "0 retry o-0 1; 300 fail NotEnoughReplicasException",
            {"from_at": 0},
            "broken_semantics",
            id="a retry left, a young producer",
        ),
        negative(
            "0 retry o-0 0; 300 fail NotEnoughReplicasException",
            {"from_at": 0},
            "not_applicable",
            id="retries used up",
        ),
        unknown("0 retry o-0 1; 300 fail NotEnoughReplicasException", {}, "unjudged", id="age unbounded"),
        guilty(
            "0 retry o-0 1; 11699 retry o-0 0; 11700 retry o-0 1; 12000 fail NotEnoughReplicasException",
            {"from_at": 0},
            "not_applicable",
            id="the used up one is meant",
        ),
        guilty(
            "0 retry o-0 1 X; 300 fail OutOfOrderSequenceException",
            {"from_at": 0},
            "not_applicable",
            id="not retriable",
        ),
        pytest.param(
            "0 fail NotEnoughReplicasException", {"from_at": 0}, "not_applicable", id="no retry seen"
        ),
        unknown(
            "0 retry o-0 1; 300 fail NotEnoughReplicasException",
            {"from_at": 0, "delivery_timeout_ms": None},
            "unjudged",
            id="limit unknown",
        ),
        inside(
            "0 retry o-0 1; 12000 fail NotEnoughReplicasException",
            {"from_at": 0},
            "unjudged",
            id="it may have been old enough",
        ),
        outside(
            "0 retry o-0 1; 11999 fail NotEnoughReplicasException",
            {"from_at": 0},
            "broken_semantics",
            id="a millisecond too young",
        ),
        pytest.param(
            "0 retry o-0 -1; 300 fail NotEnoughReplicasException",
            {"from_at": 0},
            "not_applicable",
            id="beyond its last attempt, which is said apart",
        ),
    ],
)
def test_gave_up_early(history, settings, verdict):
    from_at = settings.pop("from_at", None)
    profile = producer(from_at=None if from_at is None else NOON + from_at, **settings)
    assert verdicts(kip91.gave_up_early, BatchEnd, history, profile)[0] == verdict


@pytest.mark.parametrize(
    ("history", "settings", "verdicts_wanted"),
    [
        positive(
            "0 retry o-0 9; 12000 expire o-0 1 12010; 12300 retry o-0 8",
            {},
            ["broken_semantics"],
            id="after its expiry",
        ),
        unknown(
            "0 retry o-0 9; 12000 expire o-0 1 12010; 12300 retry o-0 8",
            {"origin": "assumed"},
            ["unjudged"],
            id="retries not proven",
        ),
        outside("0 retry o-0 0; 400 retry o-0 -1", {"retries": None}, ["broken_semantics"], id="below zero"),
        negative("0 retry o-0 9; 110 retry o-0 8", {}, [], id="retried before its end"),
        inside("0 retry o-0 1; 400 retry o-0 0", {}, [], id="its last attempt"),
        guilty(
            "0 retry o-0 9; 9 retry o-0 9; 12000 expire o-0 1 12010; 12300 retry o-0 8",
            {},
            [],
            id="another of the partition may be meant",
        ),
        guilty(
            "0 retry o-0 8; 12000 expire o-0 1 12010; 12300 retry o-0 7",
            {},
            [],
            id="whose first attempt is not seen",
        ),
        guilty(
            "0 retry o-0 9; 9000 retry o-0 9; 12000 expire o-0 1 4000; 12300 retry o-0 8",
            {"max_in_flight_requests_per_connection": "1"},
            [],
            id="an older one was open, as where the hour is set",
        ),
        guilty(
            "0 retry o-0 9; 5 retry o-0 9; 12000 expire o-0 1 12005; 12000 expire o-0 1 12005; 12300 retry o-0 8",
            {"max_in_flight_requests_per_connection": "1"},
            [],
            id="an expiry that two appenders wrote",
        ),
        unknown(
            "0 retry o-0 1; 12000 expire o-0 1 12010; 12300 retry o-0 0",
            {"origin": "assumed", "retries": "2"},
            ["unjudged"],
            id="not beyond its last",
        ),
    ],
)
def test_retried_after_end(history, settings, verdicts_wanted):
    found = verdicts(
        kip91.retried_after_end, RetryAfterEnd, history, producer(**({"retries": "10"} | settings))
    )
    assert found == verdicts_wanted


@pytest.mark.parametrize(
    ("history", "cut_short", "overran"),
    [
        inside(
            "0 timeout; 0 cancel 5 3000 3000",
            "conforms",
            "conforms",
            id="in full",
            of="kip91.request_cut_short",
            also=case("negative", of="kip91.request_overran"),
        ),
        outside(
            "0 timeout; 0 cancel 5 2999 3000",
            "broken_semantics",
            "conforms",
            id="a millisecond short",
            of="kip91.request_cut_short",
        ),
        guilty(
            "0 timeout; 0 cancel 5 3001 3000; 0 cancel 6 10 3000",
            "conforms",
            "conforms",
            id="innocent ones go with the one that timed out",
            of="kip91.request_cut_short",
        ),
        inside(
            "0 timeout; 0 cancel 5 3500 3000",
            "conforms",
            "conforms",
            id="inside the slack",
            of="kip91.request_overran",
        ),
        outside(
            "0 timeout; 0 cancel 5 3501 3000",
            "conforms",
            "departs_from_kip",
            id="late",
            of="kip91.request_overran",
        ),
        unknown(
            "0 timeout; 0 cancel 5 6501 3000",
            "conforms",
            "unjudged",
            id="the process may have stood still",
            of="kip91.request_overran",
        ),
        guilty(
            "0 timeout; 0 cancel 5 4247 3000 METADATA",
            "conforms",
            "not_applicable",
            id="no produce request",
            of="kip91.request_overran",
        ),
        positive(
            "0 timeout; 0 cancel 5 100 3000",
            "broken_semantics",
            "conforms",
            id="cut off at once",
            of="kip91.request_cut_short",
        ),
        positive(
            "0 timeout; 0 cancel 5 5900 3000",
            "conforms",
            "departs_from_kip",
            id="twice its time",
            of="kip91.request_overran",
            also=case("negative", of="kip91.request_cut_short"),
        ),
        pytest.param(
            "0 timeout; 0 cancel 5 6500 3000",
            "conforms",
            "departs_from_kip",
            id="as late as the loop explains",
        ),
    ],
)
def test_request_timeouts(history, cut_short, overran):
    def judged(rule):
        return verdicts(rule, RequestTimeout, history, machine=CancelledRequests)

    assert judged(kip91_requests.request_cut_short) == [cut_short]
    assert judged(kip91_requests.request_overran) == [overran]


@pytest.mark.parametrize(
    "history",
    [
        pytest.param("0 cancel 5 10 3000", id="a connection lost, no timeout"),
        unknown(
            "0 timeout",
            id="a timeout whose requests are not shown (before 3.1)",
            of="kip91.request_cut_short",
        ),
        guilty(
            "0 timeout; 5000 cancel 5 10 3000",
            id="cancelled by a later disconnect",
            of="kip91.request_cut_short",
        ),
    ],
)
def test_no_request_timeout_to_judge(history):
    assert (
        verdicts(kip91_requests.request_cut_short, RequestTimeout, history, machine=CancelledRequests) == []
    )


def test_a_consumers_requests_are_not_kip91s():
    told = events("0 timeout; 0 cancel 5 10 3000")
    for event in told:
        event.client_kind = "consumer"
    (timeout,) = fold(CancelledRequests(), told)
    assert kip91_requests.request_cut_short(timeout).outcome == "not_applicable"
    assert kip91_requests.request_overran(timeout).outcome == "not_applicable"


@pytest.mark.parametrize(
    ("history", "verdict"),
    [
        positive("0 expire o-0 1 3001 last append", "older_semantics", id="last append"),
        pytest.param("0 expire o-0 1 3001 last attempt plus backoff time", "older_semantics", id="attempt"),
        negative("0 expire o-0 1 12000", "not_applicable", id="2.1 and later"),
        guilty("0 expire o-0 1 3001", "not_applicable", id="as old as a request timeout, by the later timer"),
    ],
)
def test_expired_by_request_timeout(history, verdict):
    assert verdicts(kip91.expired_by_request_timeout, BatchEnd, history) == [verdict]


@pytest.mark.parametrize(
    ("waited", "settings", "verdict"),
    [
        inside(6000, {}, "conforms", id="max.block.ms in full"),
        outside(5999, {}, "broken_semantics", id="cut off"),
        unknown(5999, {"max_block_ms": None}, "unjudged", id="unknown"),
        unknown(5999, {"origin": "default:4.2.1"}, "unjudged", id="a default accuses nobody"),
        positive(100, {}, "broken_semantics", id="at once"),
        negative(6040, {}, "conforms", id="a little more"),
        guilty(
            6000,
            {"delivery_timeout_ms": "3100"},
            "conforms",
            id="longer than the delivery timeout, which starts later",
        ),
    ],
)
def test_blocked_send_counted(waited, settings, verdict):
    history = f"0 blocked {waited}"
    assert verdicts(kip91.blocked_send_counted, BlockedSend, history, producer(**settings)) == [verdict]
