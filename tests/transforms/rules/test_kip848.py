"""KIP-848 members: the poll limit as the background thread keeps it."""

import pytest

from tests.rule_cases import guilty, inside, negative, outside, positive, unknown
from tests.timelines_backoff import profile
from tests.timelines_liveness import app, fold
from transforms.rules import kip62, kip848
from transforms.timers.groups.member_epochs import MemberEpochs
from transforms.timers.groups.membership import Membership

JOIN = "0:to=u/JOINING 10:to=u/STABLE"


def verdict(rule, story: str, **known) -> str:
    found = [rule(episode) for episode in fold(app(story, **known)) if type(episode) is Membership]
    return found[0].category or found[0].outcome


# The next poll, at 20 s, comes `exceeded` late: the limit had passed at 20 s - exceeded.
@pytest.mark.parametrize(
    ("story", "known", "wanted"),
    [
        pytest.param(JOIN, {}, "not_applicable", id="no expiry"),
        unknown(f"{JOIN} 9000:expired848", {}, "unjudged", id="no later poll measures it"),
        negative(f"{JOIN} 9000:expired848 20000:late848=11000", {}, "conforms", id="at once"),
        pytest.param(f"{JOIN} 9000:expired848 20000:late848=12000", {}, "conforms", id="within the slack"),
        unknown(f"{JOIN} 9000:expired848 20000:late848=13000", {}, "unjudged", id="interval not logged"),
        inside(
            f"{JOIN} 7000:ok848=5000 9000:expired848 20000:late848=17000", {}, "conforms", id="one interval"
        ),
        outside(
            f"{JOIN} 7000:ok848=5000 9000:expired848 20000:late848=17001",
            {},
            "broken_semantics",
            id="and one",
        ),
        guilty(
            f"{JOIN} 7000:ok848=1000 9500:expired848 20000:late848=17001",
            {},
            "not_applicable",
            id="stood still",
        ),
        unknown(
            f"{JOIN} 9000:expired848 20000:late848=19000",
            {"origin": "assumed"},
            "unjudged",
            id="no proven limit",
        ),
        pytest.param("0:ask 10:joined=m1/1 9000:expired", {}, "not_applicable", id="classic"),
        positive(
            f"{JOIN} 9000:ok848=3000 10500:noise 12000:noise 13500:expired848 20000:late848=15000",
            {},
            "broken_semantics",
            id="three intervals",
        ),
        guilty(
            f"{JOIN} 9000:ok848=3000 10500:gone 13400:found 13500:expired848 20000:late848=15000",
            {},
            "not_applicable",
            id="without a coordinator nobody looked",
        ),
        pytest.param(
            f"{JOIN} 3000:gone 4500:found 9000:ok848=3000 10500:noise 12000:noise 13500:expired848 20000:late848=15000",
            {},
            "broken_semantics",
            id="its coordinator was back before",
        ),
    ],
)
def test_left_late(story, known, wanted):
    assert verdict(kip848.left_late, story, **known) == wanted


@pytest.mark.parametrize(
    ("story", "known", "wanted"),
    [
        negative(f"{JOIN} 9000:expired848 9001:to=u/STALE", {}, "conforms", id="left"),
        pytest.param(f"{JOIN} 9000:expired848 9001:to=u/LEAVING", {}, "conforms", id="leaving"),
        positive(
            f"{JOIN} 9000:expired848 20000:late848=11000 20001:to=u/JOINING",
            {},
            "broken_semantics",
            id="joins from another state",
        ),
        guilty(
            f"{JOIN} 9000:expired848 20000:late848=11000 20001:to=u/JOINING/STALE",
            {},
            "conforms",
            id="joins from STALE",
        ),
        pytest.param(f"{JOIN} 9000:expired848 20000:late848=11000", {}, "unjudged", id="not seen to join"),
        pytest.param(f"{JOIN} 9000:expired848", {}, "unjudged", id="the log ends there"),
        unknown(
            f"{JOIN} 9000:expired848 20000:late848=11000",
            {"version": (3, 8, 1)},
            "unjudged",
            id="TRACE to 3.8",
        ),
        unknown(f"{JOIN} 9000:expired848 20000:late848=1", {"version": None}, "unjudged", id="no version"),
        guilty(
            f"{JOIN} 9000:expired848 9001:leave_not_sent 20000:late848=11000",
            {},
            "not_applicable",
            id="no broker",
        ),
    ],
)
def test_not_left(story, known, wanted):
    assert verdict(kip848.not_left, story, **known) == wanted


@pytest.mark.parametrize(
    ("story", "wanted"),
    [
        unknown(f"{JOIN} 9000:expired848 9001:to=u/STALE", "unjudged", id="silent until it polls"),
        negative(
            f"{JOIN} 9000:expired848 9001:to=u/STALE 20000:late848=1 20001:to=u/JOINING",
            "conforms",
            id="rejoins",
        ),
        positive(
            f"{JOIN} 20:send=METADATA/0 9000:expired848 9001:to=u/STALE 20000:late848=1 20500:send=FETCH/1",
            "broken_semantics",
            id="fetches as no member",
        ),
        guilty(
            f"{JOIN} 20:send=METADATA/0 9000:expired848 9001:to=u/STALE 20000:late848=1 "
            "20001:send=CONSUMER_GROUP_HEARTBEAT/1 20500:send=FETCH/2",
            "conforms",
            id="only the request that joins is there",
        ),
        pytest.param(f"{JOIN} 60:to=u/FENCED 61:to=u/JOINING", "conforms", id="removed, and back"),
        guilty(f"{JOIN} 60:to=u/LEAVING 61:to=u/UNSUBSCRIBED", "not_applicable", id="closed"),
    ],
)
def test_not_rejoined(story, wanted):
    assert verdict(kip848.not_rejoined, story) == wanted


@pytest.mark.parametrize(
    "rule",
    [kip62.left_early, kip62.left_late, kip62.not_left, kip62.heartbeat_after_expiry, kip62.not_rejoined],
)
def test_the_classic_rules_leave_kip848_members_alone(rule):
    assert verdict(rule, f"{JOIN} 100:expired848 200:late848=1 300:send=FETCH/1") == "not_applicable"


BEATS = f"{JOIN} 20:send=CONSUMER_GROUP_HEARTBEAT/1 25:got=CONSUMER_GROUP_HEARTBEAT/1/0 25:ok848=5000"


@pytest.mark.parametrize(
    ("story", "wanted"),
    [
        positive(
            f"{BEATS} 5000:noise 10000:noise 15000:noise 20000:noise 20020:send=CONSUMER_GROUP_HEARTBEAT/2",
            "broken_semantics",
            id="twenty seconds of work without one",
        ),
        negative(f"{BEATS} 5020:send=CONSUMER_GROUP_HEARTBEAT/2", "conforms", id="in time"),
        inside(
            f"{BEATS} 5020:noise 10020:noise 15020:send=CONSUMER_GROUP_HEARTBEAT/2",
            "conforms",
            id="two waking intervals",
        ),
        outside(
            f"{BEATS} 5020:noise 10020:noise 15020:noise 15021:send=CONSUMER_GROUP_HEARTBEAT/2",
            "broken_semantics",
            id="and no more",
        ),
        guilty(f"{BEATS} 30020:send=CONSUMER_GROUP_HEARTBEAT/2", "conforms", id="the process stood still"),
        guilty(
            f"{JOIN} 20:interval848=15000 21:send=CONSUMER_GROUP_HEARTBEAT/1 25:got=CONSUMER_GROUP_HEARTBEAT/1/0 "
            "5000:noise 10000:noise 15000:noise 20000:noise 20020:send=CONSUMER_GROUP_HEARTBEAT/2",
            "conforms",
            id="a longer interval was told",
        ),
        guilty(
            f"{JOIN} 20:send=CONSUMER_GROUP_HEARTBEAT/1 25:ok848=5000 30:send=CONSUMER_GROUP_HEARTBEAT/2 5000:noise "
            "10000:noise 15000:noise 20000:noise 20020:send=CONSUMER_GROUP_HEARTBEAT/3",
            "conforms",
            id="one is on its way",
        ),
        guilty(
            f"{BEATS} 5000:gone 10000:noise 15000:noise 20000:found 20020:send=CONSUMER_GROUP_HEARTBEAT/2",
            "conforms",
            id="there was no coordinator",
        ),
        guilty("0:ask 10:joined=m1/1 2000:beat=m1/1", "not_applicable", id="classic"),
        unknown(f"{JOIN} 25:ok848=5000 20000:ok848=5000", "unjudged", id="requests are not logged"),
        unknown(
            f"{JOIN} 20:send=CONSUMER_GROUP_HEARTBEAT/1 25:got=CONSUMER_GROUP_HEARTBEAT/1/0 5000:noise 10000:noise "
            "15000:noise 20020:send=CONSUMER_GROUP_HEARTBEAT/2",
            "unjudged",
            id="nobody told the interval",
        ),
        pytest.param(
            f"{BEATS} 5000:noise 10000:noise 15000:noise 20000:noise 20020:send=CONSUMER_GROUP_HEARTBEAT/9",
            "unjudged",
            id="lines are missing between",
        ),
    ],
)
def test_heartbeat_starved(story, wanted):
    assert verdict(kip848.heartbeat_starved, story) == wanted


def stepped(story: str) -> str:
    machine = MemberEpochs()
    found = [
        kip848.epoch_went_back(step)
        for event in app(story).events()
        for step in machine.step(event, profile())
    ]
    return (found[-1].category or found[-1].outcome) if found else "not_applicable"


@pytest.mark.parametrize(
    ("story", "wanted"),
    [
        positive("0:to=u@7/STABLE 50:to=u@3/RECONCILING", "broken_semantics", id="four back"),
        negative("0:to=u@3/STABLE 50:to=u@7/RECONCILING", "conforms", id="on"),
        inside("0:to=u@3/STABLE 50:to=u@4/RECONCILING", "conforms", id="by one"),
        outside("0:to=u@4/STABLE 50:to=u@3/RECONCILING", "broken_semantics", id="back by one"),
        guilty("0:to=u@7/STABLE 9:to=u@0/JOINING 50:to=u@3/STABLE", "not_applicable", id="joined anew"),
        guilty("0:to=u@7/STABLE 9:fenced848=u 50:to=u@3/STABLE", "not_applicable", id="was fenced between"),
        guilty("0:to=u@7/STABLE 50:to=u@3/STABLE/JOINING", "not_applicable", id="comes from joining"),
        guilty("0:to=u@7/STABLE 50:to=v@3/STABLE", "not_applicable", id="another member"),
        unknown("50:to=u@3/STABLE", "not_applicable", id="nothing is known of it before"),
    ],
)
def test_epoch_went_back(story, wanted):
    assert stepped(story) == wanted
