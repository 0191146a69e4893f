"""A transaction that timed out, told from its coordinator's lines and its producer's: once, with its limit."""

import pytest

from tests.transforms.rules.test_kip98 import COORDINATOR, PRODUCER, aborted
from transforms.diagnose.causes.transactions import transaction_incidents
from transforms.diagnose.fleets.fleet import fleet_incidents
from transforms.diagnose.incident import of_episodes
from transforms.timers.episodes import Episode

SCOPE = "group:transactional.id pay"
BY_INFO = "0 init 7/0 | 5 got 7/0 | 9000 aborted"


@pytest.mark.parametrize(
    ("story", "timeout", "origin", "said"),
    [
        (
            BY_INFO,
            6000,
            "logged",
            "it was open for longer than transaction.timeout.ms = 6 s (from the client's own log)",
        ),
        (BY_INFO, None, None, "it was open for longer than transaction.timeout.ms"),
        (
            "0 init 7/0 | 5 got 7/0 | 3000 is abort 100 3000 of 60000 | 3001 aborted",
            6000,
            "named",
            "after 2.9 s, with transaction.timeout.ms = 1 min (60000 ms) (as the line itself says)",
        ),
    ],
)
def test_the_producer_is_told_by_which_limit_it_was_aborted(story, timeout, origin, said):
    (one,) = transaction_incidents(aborted(story, timeout), SCOPE)
    assert one.title.endswith(said)
    assert (one.unit_id, one.client_ids) == (PRODUCER, ["pay-1"])
    assert one.limit_origin == origin


def test_by_info_its_age_is_bounded_by_its_producers_begin():
    (one,) = transaction_incidents(aborted(BY_INFO, 6000), SCOPE)
    assert one.observed_ms == 9000
    assert one.cause.startswith("It had been open for 9 s at most: its producer was initialised then.")


def test_without_the_producers_log_the_coordinators_line_tells_it():
    assert not list(transaction_incidents(aborted("0 init 7/0 | 9000 aborted"), SCOPE))


def test_what_the_coordinator_says_and_what_the_producer_met_are_one():
    told = list(transaction_incidents(aborted(BY_INFO, 6000), SCOPE))
    at = told[0].started_at
    others = [
        of_episodes(
            kind, unit_id, [Episode(unit_id=unit_id, event_ids=[kind], client_id=client)],
            started_at=started, ended_at=started, title=kind, cause=kind, cause_confidence="proven", impact="delayed",
            advice="", subject_ids=[kind], places=["transactional.id:pay"],
        )
        for kind, unit_id, client, started in (
            ("transaction_timed_out", COORDINATOR, None, at),
            ("producer_fenced", PRODUCER, "pay-1", at + 5000),
        )
    ]  # fmt: skip
    (fleet,) = fleet_incidents([*told, *others])
    assert fleet.kind == "fleet_transaction"
    assert {one.parent_incident_id for one in (*told, *others)} == {fleet.incident_id}
    assert "9 s at most" in fleet.cause
