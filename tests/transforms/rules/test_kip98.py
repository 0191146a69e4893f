"""Transactions that their coordinator aborts for their age: by its own line of the abort, on its own clock."""

from dataclasses import replace

import pytest

from tests.rule_cases import guilty, inside, negative, outside, positive, unknown
from tests.timelines_backoff import profile
from tests.timelines_streams import NOON
from transforms.events import ClientEvent
from transforms.rules import kip98
from transforms.timers.clients.settings import UnitSettings
from transforms.timers.groups.group import group_episodes
from transforms.timers.groups.group_part import GroupPart
from transforms.timers.groups.transactions import AbortedTransaction, Transactions, forget_all, transactions
from transforms.timers.profile import Setting

WORDS = {
    "init": "broker-transaction-initialized",
    "is": "broker-transaction-state",
    "aborted": "broker-transaction-timed-out",
    "got": "producer-pid",
}
COORDINATOR, PRODUCER = "kafka/broker.log", "shop/app.log"


def lines(story: str) -> list[ClientEvent]:
    """`0 init 7/0`: at 0 ms the producer with id 7 and epoch 0 was initialised. `6000 is abort 100 6000 of 5000`: 6000 ms
    after noon the coordinator's line of the abort names a begin, an end and a timeout. `got`: the producer's own line.
    """
    return [_line(number, *step.split(maxsplit=2)) for number, step in enumerate(story.split(" | ")) if step]


def _line(number: int, at: str, word: str, said: str = "") -> ClientEvent:
    event = ClientEvent("other_kafka", WORDS[word], f"e{number}", happened_at=NOON + int(at))
    event.unit_id, event.details = COORDINATOR, {"transactional_id": "pay"}
    if word in ("init", "got"):
        event.details |= dict(zip(("producer_id", "epoch"), said.split("/"), strict=True))
    if word == "got":
        event.unit_id, event.client_id, event.transactional_id = PRODUCER, "pay-1", "pay"
    if word == "is":
        state, began, changed, _, limit = said.split()
        event.limit_ms = int(limit)
        event.details |= {
            "state": {"abort": "PrepareAbort", "ABORT": "PREPARE_ABORT"}.get(state, state),
            "began_at": str(-1 if began == "-" else NOON + int(began)),
            "changed_at": str(NOON + int(changed)),
        }
    return event


def aborted(story: str, timeout: int | None = None, **more: str) -> list[AbortedTransaction]:
    """What the coordinator aborted; timeout: in the producer's dump."""
    settings = {} if timeout is None else {"transaction.timeout.ms": str(timeout)}
    named = {name: Setting(name, text, "logged") for name, text in (settings | more).items()}
    known = replace(profile(), settings=named)
    parts = {COORDINATOR: Transactions(), PRODUCER: Transactions()}
    for event in lines(story):
        parts[event.unit_id].step(event, known)
    return list(transactions(parts))


@pytest.mark.parametrize(
    ("story", "wanted"),
    [
        positive("0 init 7/0 | 3000 is abort 100 3000 of 60000 | 3001 aborted", "violated", id="of a minute"),
        negative("0 init 7/0 | 9000 is abort 100 9000 of 6000 | 9001 aborted", "conforms", id="at a scan"),
        inside("6100 is abort 100 6099 of 6000 | 6101 aborted", "conforms", id="the clock's grain"),
        outside("6100 is abort 100 6098 of 6000 | 6101 aborted", "violated", id="two short"),
        outside(
            "6100 is ABORT 100 6098 of 6000 | 6101 aborted", "violated", id="two short, as 4.2 writes it"
        ),
        guilty("0 init 7/0 | 3000 aborted", "unjudged", id="INFO alone: whose timeout?"),
        guilty(
            "100 is Ongoing 100 100 of 6000 | 200 is Ongoing 100 200 of 6000 | 300 aborted",
            "unjudged",
            id="the line of its last partition is none of its end",
        ),
        guilty(
            "900 is abort 100 900 of 6000 | 950 is CompleteAbort 100 950 of 6000 | 9000 aborted",
            "unjudged",
            id="aborted by its producer, a later one by its age",
        ),
        unknown("3000 aborted", "unjudged", id="the coordinator's line alone"),
        unknown("3000 is abort - 3000 of 6000 | 3001 aborted", "unjudged", id="without a begin"),
    ],
)
def test_aborted_early(story, wanted):
    assert [kip98.aborted_early(one).outcome for one in aborted(story)] == [wanted]


def test_its_producer_is_the_one_that_got_this_id_and_epoch():
    story = "0 init 7/1 | 5 got 7/1 | 6000 got 7/0 | 9000 aborted"
    (one,) = aborted(story, timeout=6000)
    assert (one.given.event_id, one.client_id, one.timeout.ms) == ("e1", "pay-1", 6000)
    assert one.at_most_ms == 9000
    assert one.event_ids == ["e0", "e3", "e1"]


@pytest.mark.parametrize(
    ("story", "more"),
    [
        ("0 init 7/1 | 6000 got 7/0 | 9000 aborted", {}),
        ("0 got 7/0 | 9000 aborted", {}),
        ("0 init 7/0 | 5 got 7/0 | 9000 aborted", {"transaction.two.phase.commit.enable": "true"}),
    ],
)
def test_of_another_producer_no_timeout_is_taken(story, more):
    (one,) = aborted(story, timeout=6000, **more)
    assert one.timeout is None


def test_what_another_coordinator_did_meanwhile_is_not_known():
    part = Transactions()
    for event in lines("0 init 7/0 | 100 is abort 0 100 of 6000"):
        part.step(event, profile())
    forget_all([part])
    for event in lines("200 aborted"):
        part.step(event, profile())
    assert [(one.initialized, one.age_ms) for one in part.aborted] == [(None, None)]


def test_a_transactional_id_is_gathered_as_a_group_is():
    parts = {COORDINATOR: GroupPart(), PRODUCER: GroupPart()}
    for event in lines("0 init 7/1 | 5 got 7/1 | 9000 aborted"):
        parts[event.unit_id].step(event, UnitSettings.from_events([], (), None))
    found = [
        one for one in group_episodes("transactional.id pay", parts) if isinstance(one, AbortedTransaction)
    ]
    assert [one.client_id for one in found] == ["pay-1"]
