"""Retries of librdkafka, as waits in ms between a failure and the next send."""

from dataclasses import replace

import pytest

from tests.rule_cases import guilty, inside, negative, outside, positive, unknown
from tests.timelines_streams import NOON
from transforms.events import ClientEvent
from transforms.rules import kip580_rdkafka
from transforms.rules.judge import judge
from transforms.timers.backoff.rdkafka_retries import (
    DELIVERED,
    FAILED,
    GIVEN_UP,
    ID_REFUSED,
    INIT,
    REQUEST_SENT,
    SENT,
    RdkafkaRetries,
)
from transforms.timers.backoff.retry_sequences import WAITS_KEPT, BackoffSequence
from transforms.timers.episodes import BackoffAttempt, BatchLifetime
from transforms.timers.profile import ClientProfile, Setting

GROWN = "100 200 400 800 1000 1000"
PROFILE = ClientProfile("shop/orders", "pay#producer-1", "producer", library="librdkafka")
BASE = {"retry.backoff.ms": Setting("retry.backoff.ms", "100", "logged")}
KNOWN = replace(PROFILE, library_version=(2, 11, 0), settings=BASE)


def folded(waits: str, *, ends: bool = True):
    """A batch that fails, waits so long (`R` behind it: its error made the client refresh its metadata), and fails again."""
    machine, at, found = RdkafkaRetries(), NOON, []
    number = 0

    def tell(message_id: str, actions: str = "Retry,MsgNotPersisted") -> None:
        nonlocal number
        number += 1
        event = ClientEvent("produce_retry", message_id, f"{message_id}-{number}", happened_at=at)
        event.client_id, event.topic, event.partition = "pay#producer-1", "orders", 0
        event.details["actions"] = actions
        found.extend(machine.step(event, PROFILE))

    for wait in waits.split():
        tell(FAILED, "Refresh,MsgNotPersisted" if wait.endswith("R") else "Retry,MsgNotPersisted")
        at += int(wait.rstrip("R"))
        tell(SENT)
    if ends:
        tell(DELIVERED)
    return [*found, *machine.finish(at)]


@pytest.mark.parametrize(
    ("waits", "said"),
    [
        positive(f"{GROWN} 0 0 1000 1000 0 0 0 100", "departs_from_kip", id="the 26th, and on"),
        negative(f"{GROWN} 1000", "conforms", id="it stays at the cap"),
        inside(f"{GROWN} 21", "conforms", id="21 ms is more than the sender's loop"),
        outside(f"{GROWN} 20", "departs_from_kip", id="20 ms is none"),
        guilty(f"{GROWN} 5R", "conforms", id="the leader had changed"),
        guilty("1 1 2 0 1", "conforms", id="the base is a millisecond"),
        unknown(" ".join(["1000"] * (WAITS_KEPT + 1)), "unjudged", id="more than are kept"),
    ],
)
def test_backoff_overflowed(waits, said):
    (sequence,) = [one for one in folded(waits) if isinstance(one, BackoffSequence)]
    verdict = kip580_rdkafka.backoff_overflowed(sequence)
    assert (verdict.category or verdict.outcome) == said


def test_a_batch_that_is_given_up_waits_for_nothing():
    machine = RdkafkaRetries()
    told = [
        ClientEvent("produce_retry", message_id, message_id, happened_at=NOON + number)
        for number, message_id in enumerate((FAILED, SENT, GIVEN_UP))
    ]
    found = [one for event in told for one in machine.step(event, PROFILE)]
    assert [one.retries for one in found if isinstance(one, BackoffSequence)] == [1]
    assert machine.finish(NOON) == machine.step(told[-1], PROFILE) == []


def test_each_wait_is_a_row_with_its_proof():
    rows = [one for one in folded("100 200 0") if isinstance(one, BackoffAttempt)]
    assert [(row.failures, row.waited_ms, row.subject) for row in rows] == [
        (1, 100, "orders-0"),
        (2, 200, "orders-0"),
        (3, 0, "orders-0"),
    ]
    assert rows[0].event_ids == [f"{FAILED}-1", f"{SENT}-2"]
    assert rows[0].shortest_ms is None  # nobody's settings are known


@pytest.mark.parametrize(
    ("history", "found"),
    [
        pytest.param("0 fail, 100 sent, 110 sent, 200 fail, 201 fail, 400 sent, 410 got",
                     ["1:100", "2:200", "3 attempts"], id="the first answer is of the first that was sent"),
        pytest.param("0 sent, 1 sent, 9 fail, 10 fail, 109 sent, 110 got",
                     ["1:100", "2 attempts"], id="what failed behind it goes out again within it"),
        pytest.param("0 sent, 1 sent, 9 fail, 10 got, 109 sent, 110 got",
                     ["1:100", "2 attempts"], id="another went through"),
        pytest.param("0 fail, 100 sent 1, 110 sent 2, 200 fail 2, 201 fail 1",
                     ["1:100"], id="two brokers answer in no order"),
        pytest.param("0 fail, 100 fail, 200 sent", ["1:100"], id="when it was sent no line tells"),
    ],
)  # fmt: skip
def test_of_batches_without_numbers_the_oldest_that_failed_is_followed(history, found):
    machine, rows, said = RdkafkaRetries(), [], {"fail": FAILED, "sent": SENT, "got": DELIVERED}
    for number, step in enumerate(history.split(", ")):
        at, what, *broker = step.split()
        event = ClientEvent("produce_retry", said[what], str(number), happened_at=NOON + int(at), topic="o")
        event.partition, event.node_id = 0, int(broker[0]) if broker else 1
        rows.extend(machine.step(event, PROFILE))
    waits = [f"{one.failures}:{one.waited_ms}" for one in rows if isinstance(one, BackoffAttempt)]
    assert [*waits, *(f"{one.attempts} attempts" for one in rows if isinstance(one, BatchLifetime))] == found


def test_batches_under_way_at_once_are_told_apart_by_their_first_message():
    machine, rows = RdkafkaRetries(), []
    steps = (
        # The second is refused for the first's failure alone: that counts for nothing.
        (0, FAILED, "7", "Broker: Disk error"), (0, FAILED, "8", "Local: Retry operation"),
        (100, SENT, "7", None), (101, SENT, "8", None), (110, FAILED, "7", "Broker: Disk error"),
        (110, FAILED, "8", "Local: Retry operation"), (310, SENT, "7", None), (311, SENT, "8", None),
        (320, DELIVERED, "7", None), (321, FAILED, "8", "Broker: Disk error"), (420, SENT, "8", None),
    )  # fmt: skip
    for number, (at, what, first, error) in enumerate(steps):
        event = ClientEvent("produce_retry", what, str(number), happened_at=NOON + at, topic="o", partition=0)
        event.details |= {"first_message": first} | ({"error_message": error} if error else {})
        rows += [one for one in machine.step(event, PROFILE) if isinstance(one, BackoffAttempt)]
    assert [(row.failures, row.waited_ms) for row in rows] == [(1, 100), (2, 200), (1, 99)]


def test_a_wait_for_another_batch_is_none_of_its_own():
    machine, rows = RdkafkaRetries(), []
    steps = ((0, "Broker: Disk error"), (100, None), (110, "Local: Retry operation"), (900, None),
             (910, "Broker: Disk error"), (1110, None))  # fmt: skip
    for number, (at, error) in enumerate(steps):
        what = FAILED if error else SENT
        event = ClientEvent("produce_retry", what, str(number), happened_at=NOON + at, topic="o", partition=0)
        event.details |= {"first_message": "7"} | ({"error_message": error} if error else {})
        rows += [one for one in machine.step(event, PROFILE) if isinstance(one, BackoffAttempt)]
    assert [(row.failures, row.waited_ms) for row in rows] == [(1, 100), (2, 200)]


# R: it is refused, S: asked for, o: another request is sent; ms between them.
@pytest.mark.parametrize(
    ("story", "waits"),
    [
        ("S R 505 S R 500 S", [(1, 505), (2, 500)]),
        ("S R 250 o 255 S", [(1, 505)]),
        ("S R 505 S 9000 S R 500 S", [(1, 505), (1, 500)]),
        ("S R 500 R 500 S", [(1, 500)]),
        ("S 500 S 500 S", []),
    ],
    ids=[
        "again and again",
        "lookups between",
        "given, and asked for a new one later",
        "a send unseen",
        "none",
    ],
)
def test_a_producers_id_is_asked_for_again_by_a_timer_that_no_rule_judges(story, waits):
    machine, at, found = RdkafkaRetries(), NOON, []
    for number, word in enumerate(story.split()):
        if word.isdecimal():
            at += int(word)
            continue
        event = ClientEvent(
            "other_kafka", ID_REFUSED if word == "R" else REQUEST_SENT, f"{word}-{number}", happened_at=at
        )
        event.client_id, event.api = "pay#producer-1", {"S": INIT, "o": "FindCoordinator"}.get(word)
        event.details = {"reason": "Broker: Not coordinator"} if word == "R" else {}
        found.extend(machine.step(event, KNOWN))
    found += machine.finish(at)
    rows = [one for one in found if isinstance(one, BackoffAttempt)]
    assert [(row.failures, row.waited_ms) for row in rows] == waits
    assert {(row.api, row.shortest_ms, row.longest_ms) for row in rows} <= {("INIT_PRODUCER_ID", None, None)}
    judged = judge(found, "shop/orders")
    assert judged.findings == judged.unjudged == []
