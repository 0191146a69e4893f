"""Heartbeats while a member: only waking silence counts."""

import pytest

from tests.rule_cases import guilty, inside, negative, outside, positive, unknown
from tests.timelines_liveness import app, fold
from transforms.rules import heartbeats
from transforms.timers.groups.membership import Membership

JOIN = "0:ask 10:joined=m1/1 14:synced=m1/1"
BEAT = f"{JOIN} 2000:beat=m1/1 2001:ok"


def verdict(rule, story: str, **known) -> str:
    found = [rule(episode) for episode in fold(app(story, **known)) if type(episode) is Membership]
    return found[0].category or found[0].outcome


def awake(begin: int, end: int) -> str:
    """A sign of life each 100 ms."""
    return " ".join(f"{at}:noise" for at in range(begin, end, 100))


@pytest.mark.parametrize(
    ("story", "known", "wanted"),
    [
        unknown(JOIN, {}, "unjudged", id="heartbeats not logged"),
        negative(f"{BEAT} 4000:beat=m1/1", {}, "conforms", id="on time"),
        inside(f"{BEAT} {awake(2100, 6100)} 6100:beat=m1/1", {}, "conforms", id="two waking intervals"),
        outside(
            f"{BEAT} {awake(2100, 6101)} 6101:beat=m1/1", {}, "broken_semantics", id="just over two of them"
        ),
        guilty(f"{BEAT} 30000:beat=m1/1", {}, "conforms", id="the process stood still"),
        positive(
            f"{BEAT} {awake(2100, 9000)} 9001:unknown=m1/1",
            {},
            "broken_semantics",
            id="and so it was removed",
        ),
        pytest.param(
            f"{BEAT} {awake(2100, 9000)} 9001:gone 9500:found", {}, "conforms", id="no beat ends it"
        ),
        guilty(
            f"{BEAT} 2050:gone {awake(2100, 9000)} 9001:found 9002:beat=m1/1",
            {},
            "conforms",
            id="no coordinator",
        ),
        pytest.param(
            f"{JOIN} 2000:beat=m1/1 {awake(2100, 9000)} 9001:beat=m1/1", {}, "conforms", id="no answer yet"
        ),
        pytest.param(
            f"{BEAT} 2050:ask {awake(2100, 9000)} 9001:joined=m1/2 9500:beat=m1/2",
            {},
            "conforms",
            id="joining",
        ),
        unknown(
            f"{BEAT} {awake(2100, 9000)} 9001:beat=m1/1",
            {"origin": "assumed"},
            "unjudged",
            id="default interval",
        ),
        unknown(
            f"{BEAT} {awake(2100, 9000)} 9001:beat=m1/1", {"heartbeat_ms": None}, "unjudged", id="no interval"
        ),
        pytest.param(
            "10:to=u/STABLE 20:ok848=5000", {}, "not_applicable", id="KIP-848: the broker's interval"
        ),
        unknown(
            f"{BEAT} {awake(2100, 9000)} 7000:noise 9001:beat=m1/1",
            {},
            "unjudged",
            id="the clock was set back",
        ),
    ],
)
def test_heartbeat_starved(story, known, wanted):
    assert verdict(heartbeats.heartbeat_starved, story, **known) == wanted


SLOW = f"{BEAT} 2050:told_to_rejoin {awake(2100, 9000)} 9001:beat=m1/1"


@pytest.mark.parametrize(
    ("story", "known", "wanted"),
    [
        unknown(f"{JOIN} 2050:told_to_rejoin", {}, "unjudged", id="heartbeats not logged"),
        pytest.param(JOIN, {}, "not_applicable", id="nor a rebalance"),
        pytest.param(f"{BEAT} 4000:beat=m1/1", {}, "not_applicable", id="no rebalance"),
        negative(f"{BEAT} 2050:told_to_rejoin 4000:beat=m1/1", {}, "conforms", id="beats on"),
        positive(SLOW, {}, "broken_semantics", id="stopped while it processed"),
        pytest.param(SLOW, {"version": (2, 6, 1)}, "broken_semantics", id="first release that beats on"),
        positive(SLOW, {"version": (2, 6, 0)}, "older_semantics", id="KAFKA-10134"),
        unknown(SLOW, {"version": None}, "unjudged", id="version unknown"),
        guilty(f"{BEAT} 2050:told_to_rejoin 30000:beat=m1/1", {}, "conforms", id="stood still"),
        inside(
            f"{BEAT} 2050:told_to_rejoin {awake(2100, 6100)} 6100:beat=m1/1",
            {},
            "conforms",
            id="two waking intervals",
        ),
        outside(
            f"{BEAT} 2050:told_to_rejoin {awake(2100, 6101)} 6101:beat=m1/1",
            {},
            "broken_semantics",
            id="just over two of them",
        ),
    ],
)
def test_heartbeats_stopped_in_rebalance(story, known, wanted):
    assert verdict(heartbeats.heartbeats_stopped_in_rebalance, story, **known) == wanted


def test_a_gap_in_a_rebalance_is_said_once():
    assert verdict(heartbeats.heartbeat_starved, SLOW) == "conforms"
