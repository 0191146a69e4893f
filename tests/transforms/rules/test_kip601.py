"""How long a connection was given to be set up, by the line that gives it up."""

import pytest

from tests.rule_cases import guilty, inside, negative, outside, positive, unknown
from tests.timelines_backoff import profile
from tests.timelines_streams import NOON
from transforms.events import ClientEvent
from transforms.rules import kip601
from transforms.timers.backoff.setup_timeouts import TIMED_OUT, SetupTimeouts
from transforms.timers.profile import ClientProfile, Setting


def client(version="4.2.1", base=10000, most=30000, origin="logged"):
    numbers = tuple(int(part) for part in version.split(".")) if version else None
    named = {kip601.BASE: base, kip601.MOST: most}
    return ClientProfile(
        unit_id="shop/orders",
        client_id="orders-1",
        client_kind="producer",
        version=numbers,
        settings={
            name: Setting(name, str(value), origin) for name, value in named.items() if value is not None
        },
    )


@pytest.mark.parametrize(
    ("drawn", "known", "said"),
    [
        positive(1000, {}, "broken_semantics", id="a tenth of it"),
        negative(9800, {}, "conforms", id="the first"),
        inside(8000, {}, "conforms", id="the lowest draw"),
        inside(30000, {}, "conforms", id="the largest"),
        outside(7999, {}, "broken_semantics", id="below any draw"),
        outside(30001, {}, "broken_semantics", id="above the largest"),
        inside(36000, {"version": "3.6.1"}, "conforms", id="jitter above the largest, before 3.7"),
        outside(36001, {"version": "3.6.1"}, "broken_semantics", id="above any jitter"),
        guilty(36000, {"version": None}, "conforms", id="of a release that nothing tells"),
        guilty(5000, {"base": 20000, "most": 5000}, "conforms", id="the first above the largest: constant"),
        unknown(1, {"base": None}, "unjudged", id="no base"),
        unknown(1, {"origin": "default:4.2"}, "unjudged", id="no dump"),
    ],
)
def test_setup_timeout_outside(drawn, known, said):
    event = ClientEvent("connect_failed", TIMED_OUT, "e", happened_at=NOON, node_id=2, limit_ms=drawn)
    (setup,) = SetupTimeouts().step(event, client(**known))
    verdict = kip601.setup_timeout_outside(setup)
    assert (verdict.category or verdict.outcome) == said


def test_only_a_line_that_prints_a_limit_gives_one():
    assert not SetupTimeouts().step(ClientEvent("connect_failed", "net-connect-error"), profile())
