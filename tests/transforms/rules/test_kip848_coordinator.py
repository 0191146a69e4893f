"""Members that a coordinator of KIP-848, 1071 or 932 fences: by its own lines, on its own clock."""

from dataclasses import replace

import pytest

from tests.rule_cases import guilty, inside, negative, outside, positive, unknown
from tests.timelines_liveness import GROUP, Known, broker
from transforms.rules import kip848_coordinator
from transforms.timers.groups.fences import fences
from transforms.timers.profile import Setting

ANSWERED = "0:joins848=m1 2000:state848=m1"


def fenced(rule, story: str, limit: int | None = 45_000, name="consumer", origin="logged") -> str:
    key = f"group.{name}.min.session.timeout.ms"
    settings = {} if limit is None else {key: Setting(key, str(limit), origin)}
    profile = replace(Known().profile(), client_kind="broker", settings=settings)
    found = [rule(one) for one in fences(GROUP, broker(story).events(), profile)]
    return found[-1].category or found[-1].outcome


@pytest.mark.parametrize(
    ("story", "known", "wanted"),
    [
        positive(f"{ANSWERED} 6000:silent848=m1", {}, "broken_semantics", id="four seconds after an answer"),
        negative(f"{ANSWERED} 60000:silent848=m1", {}, "conforms", id="a minute after it"),
        inside(f"{ANSWERED} 46999:silent848=m1", {}, "conforms", id="the clock's grain"),
        outside(f"{ANSWERED} 46998:silent848=m1", {}, "broken_semantics", id="sooner than any limit"),
        guilty("0:joins848=m1 6000:stuck848=m1/1/4000", {}, "not_applicable", id="not its session"),
        guilty(f"{ANSWERED} 6000:silent848=m1", {"limit": 4000}, "conforms", id="limits may be short here"),
        unknown("6000:silent848=m1", {}, "unjudged", id="never answered in this log"),
        unknown("2000:state848=m1 6000:silent848=m1", {}, "unjudged", id="a group of which kind"),
        unknown(f"{ANSWERED} 6000:silent848=m1", {"limit": None}, "unjudged", id="no dump"),
        unknown(f"{ANSWERED} 6000:silent848=m1", {"origin": "default:4.2"}, "unjudged", id="a default"),
        unknown(
            "0:joins848=m1/streams 6000:silent848=m1", {}, "unjudged", id="streams groups have their own"
        ),
        pytest.param(
            "0:joins848=m1/streams 6000:silent848=m1", {"name": "streams"}, "broken_semantics", id="streams"
        ),
        pytest.param(
            f"{ANSWERED} 3000:silent848=m1 50000:silent848=m1",
            {},
            "unjudged",
            id="a second one, unheard since",
        ),
    ],
)
def test_evicted_early(story, known, wanted):
    assert fenced(kip848_coordinator.evicted_early, story, **known) == wanted


@pytest.mark.parametrize(
    ("story", "wanted"),
    [
        positive("0:epoch=4 9000:epoch=5 12000:stuck848=m1/4/8000", "broken_semantics", id="three of eight"),
        negative("0:epoch=4 9000:epoch=5 18000:stuck848=m1/4/8000", "conforms", id="nine seconds"),
        inside("9000:epoch=5 16999:stuck848=m1/4/8000", "conforms", id="the clock's grain"),
        outside("9000:epoch=5 16998:stuck848=m1/4/8000", "broken_semantics", id="sooner"),
        guilty(
            "9000:epoch=5 9500:epoch=6 17100:stuck848=m1/4/8000", "conforms", id="a later epoch came near"
        ),
        guilty("9000:epoch=5 9100:epoch=5 17050:stuck848=m1/4/8000", "conforms", id="told twice: the first"),
        guilty("9000:epoch=5 9001:silent848=m1", "not_applicable", id="its session"),
        unknown("9000:stuck848=m1/4/8000", "unjudged", id="the epoch's begin is not in the log"),
        unknown(
            "1000:epoch=5 5000:epoch=2 9000:stuck848=m1/4/8000", "unjudged", id="the group was made anew"
        ),
    ],
)
def test_evicted_in_rebalance_early(story, wanted):
    assert fenced(kip848_coordinator.evicted_in_rebalance_early, story) == wanted
