"""What a member of KIP-848 is to wait after a failed heartbeat, by its own line."""

import pytest

from tests.rule_cases import guilty, inside, negative, outside, positive, unknown
from tests.timelines_backoff import profile
from tests.timelines_streams import NOON
from transforms.events import ClientEvent
from transforms.rules import kip848_backoff
from transforms.timers.backoff.heartbeat_waits import RETRIED, HeartbeatWaits


@pytest.mark.parametrize(
    ("drawn", "known", "said"),
    [
        positive("0", {"version": "4.1.2"}, "departs_from_kip", id="KAFKA-19813"),
        pytest.param("0", {"version": "4.3.1"}, "broken_semantics", id="where it is mended"),
        negative("1000", {"version": "4.1.2"}, "conforms", id="the cap"),
        inside("80", {"version": "4.3.1"}, "conforms", id="the lowest draw"),
        outside("79", {"version": "4.3.1"}, "broken_semantics", id="below any draw"),
        guilty("0", {"version": "4.3.1", "base": 0}, "conforms", id="no backoff is wanted"),
        unknown("0", {"version": None}, "unjudged", id="no version"),
        unknown("0", {"base": None}, "unjudged", id="no base"),
        unknown("0", {"origin": "assumed"}, "unjudged", id="no dump"),
    ],
)
def test_heartbeat_not_backed_off(drawn, known, said):
    event = ClientEvent("heartbeat_failed", RETRIED, "e", happened_at=NOON, details={"backoff_ms": drawn})
    (wait,) = HeartbeatWaits().step(event, profile(**known))
    verdict = kip848_backoff.heartbeat_not_backed_off(wait)
    assert (verdict.category or verdict.outcome) == said


def test_only_a_line_that_prints_a_wait_gives_one():
    assert not HeartbeatWaits().step(ClientEvent("heartbeat_failed", "heartbeat-failed"), profile())
