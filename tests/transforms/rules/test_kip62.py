"""KIP-62, a member's promises: just inside, just outside, looking guilty, unknown."""

import pytest

from tests.rule_cases import case, guilty, inside, negative, outside, positive, unknown
from tests.timelines_liveness import app, broker, fold
from transforms.rules import kip62
from transforms.timers.groups.membership import Membership

JOIN = "0:ask 10:joined=m1/1 14:synced=m1/1"
# A fetch at 9 s is of a poll after 9 - 2 (a heartbeat interval) - 2 s (the longest silence since); the one
# before 4 s is too long ago to have stretched it.
AWAKE = f"{JOIN} 1000:send=FETCH/0 4000:noise 6000:noise 8000:noise"
EXPIRY = f"{JOIN} 8010:expired 8010:left=poll/m1 8010:reset"
# The same with requests in the log: request 6 is the last before the expiry.
SEEN = f"{JOIN} 5000:send=METADATA/6"
LOGGED = f"{SEEN} 8010:expired 8010:left=poll/m1 8010:reset"
UNKNOWN_LIMIT = {"origin": "default:4.2.1"}


def verdicts(rule, *units) -> list[str]:
    """The rule's verdict on each membership, with its category where it has one."""
    found = [rule(episode) for episode in fold(*units) if type(episode) is Membership]
    return [verdict.category or verdict.outcome for verdict in found]


def verdict(rule, story: str, **known) -> str:
    """The verdict on the first membership of one log."""
    return (verdicts(rule, app(story, **known)) or ["no membership"])[0]


@pytest.mark.parametrize(
    ("story", "known", "wanted"),
    [
        pytest.param("", {}, "no membership", id="empty"),
        negative(JOIN, {}, "not_applicable", id="no expiry"),
        inside(f"{JOIN} 8009:expired", {}, "unjudged", id="at the clock's grain"),
        outside(f"{JOIN} 7998:expired", {}, "broken_semantics", id="two milliseconds early"),
        guilty(f"{JOIN} 7999:expired", {}, "unjudged", id="a pause may have delayed the join's line"),
        pytest.param(
            f"0:ask 9:got=JOIN_GROUP/3 {JOIN[6:]} 8007:expired",
            {},
            "broken_semantics",
            id="no pause since the join's answer explains it",
        ),
        positive(
            f"{JOIN} 3000:ask 3005:joined=m1/2 10998:expired",
            {},
            "broken_semantics",
            id="a rejoin sets it anew",
        ),
        pytest.param(
            f"{AWAKE} 9000:send=FETCH/1 12998:expired",
            {},
            "broken_semantics",
            id="a fetch proves a poll before it",
        ),
        pytest.param(
            f"{AWAKE} 9000:send=FETCH/1 12999:expired",
            {},
            "conforms",
            id="a poll may be that far before its fetch",
        ),
        guilty(
            f"{JOIN} 9000:send=FETCH/1 10998:expired", {}, "conforms", id="it stood still before the fetch"
        ),
        pytest.param(
            f"{JOIN} 3000:noise 6000:noise 9000:send=FETCH/1 10998:expired",
            {},
            "conforms",
            id="the first fetch after a join may have waited for a callback",
        ),
        guilty(f"{JOIN} 5000:send=OFFSET_COMMIT/1 8011:expired", {}, "conforms", id="a commit is no poll"),
        unknown(f"{JOIN} 100:expired", UNKNOWN_LIMIT, "unjudged", id="a default accuses nobody"),
        unknown(f"{JOIN} 100:expired", {"poll_ms": None}, "unjudged", id="no limit known"),
        pytest.param("100:expired", {}, "unjudged", id="no join, so no poll is proven"),
        unknown(f"{JOIN} 5000:noise 100:expired", {}, "unjudged", id="the clock was set back"),
        pytest.param(
            "10:to=u/STABLE 100:expired848", {}, "not_applicable", id="KIP-848 has rules of its own"
        ),
    ],
)
def test_left_early(story, known, wanted):
    assert verdict(kip62.left_early, story, **known) == wanted


def test_left_early_carries_the_limit_and_its_proof():
    member = next(episode for episode in fold(app(f"{JOIN} 7010:expired")) if isinstance(episode, Membership))
    found = kip62.left_early(member)
    assert (found.observed_ms, found.limit_ms, found.limit_origin) == (7_010, 8_000, "logged")
    assert found.event_ids == ("app/ask@0", "app/expired@7010")
    assert found.happened_at == 7_010


@pytest.mark.parametrize(
    ("story", "wanted"),
    [
        negative(JOIN, "not_applicable", id="no expiry"),
        unknown(EXPIRY, "unjudged", id="left at once; when it last polled is not known"),
        pytest.param(
            f"{JOIN} 8010:expired 9000:noise 9010:left=poll/m1", "unjudged", id="a second, mostly silent"
        ),
        inside(
            f"{JOIN} 8010:expired 8510:noise 9010:noise 9500:noise 9510:left=poll/m1",
            "unjudged",
            id="a waking second",
        ),
        outside(
            f"{JOIN} 8010:expired 8510:noise 9010:noise 9500:noise 9511:left=poll/m1",
            "broken_semantics",
            id="just over a waking second",
        ),
        positive(
            f"{JOIN} 8010:expired 8010:reset 9011:left=poll/m1", "broken_semantics", id="after the reset"
        ),
        guilty(
            f"{JOIN} 8010:expired 30000:left=poll/m1", "unjudged", id="it stood still between the two lines"
        ),
        guilty(
            f"{JOIN} 2000:beat=m1/1 2001:ok 30000:session_lost 30000:expired 30000:left=poll/m1",
            "not_applicable",
            id="it stood still before, and leaves on waking",
        ),
        unknown(
            f"{JOIN} 3000:noise 1000:noise 8010:expired 8510:noise 9010:noise 9500:noise 9511:left=poll/m1",
            "unjudged",
            id="the clock was set back",
        ),
    ],
)
def test_left_late(story, wanted):
    assert verdict(kip62.left_late, story) == wanted


@pytest.mark.parametrize(
    ("known", "wanted"),
    [
        inside({"poll_ms": 6_000}, "conforms", id="equal limits"),
        outside({"poll_ms": 5_999}, "departs_from_kip", id="one below"),
        unknown({"poll_ms": 5_000, "origin": "assumed"}, "unjudged", id="not proven"),
        unknown({"session_ms": None}, "unjudged", id="no session timeout known"),
        positive({"poll_ms": 2_000}, "departs_from_kip", id="far below"),
        negative({}, "conforms", id="above"),
    ],
)
def test_poll_limit_below_session(known, wanted):
    assert verdict(kip62.poll_limit_below_session, EXPIRY, **known) == wanted


@pytest.mark.parametrize(
    "story",
    [
        negative(JOIN, id="no expiry"),
        guilty("10:to=u/STABLE 100:expired848", id="KIP-848 has no session of its own"),
    ],
)
def test_a_limit_that_ended_no_classic_membership_is_not_judged(story):
    assert verdict(kip62.poll_limit_below_session, story, poll_ms=5_000) == "not_applicable"


@case("looks guilty")
def test_a_process_that_stood_still_left_at_no_limit():
    slept = f"{JOIN} 2000:beat=m1/1 2001:ok 30000:session_lost 30000:expired 30000:left=poll/m1"
    assert verdict(kip62.poll_limit_below_session, slept, poll_ms=5_000) == "not_applicable"


@pytest.mark.parametrize(
    ("story", "known", "wanted"),
    [
        negative(EXPIRY, {}, "conforms", id="left"),
        positive(f"{SEEN} 8010:expired 8010:reset", {}, "broken_semantics", id="reset without a leave"),
        pytest.param(f"{JOIN} 8010:expired", {}, "unjudged", id="the log ends at the expiry"),
        guilty(
            f"{SEEN} 8010:expired 8010:reset 8011:send=LEAVE_GROUP/7",
            {},
            "conforms",
            id="only its request is there",
        ),
        unknown(
            f"{JOIN} 8010:expired 8010:reset",
            {},
            "unjudged",
            id="nobody logs requests, so the line may be lost",
        ),
        guilty(
            f"{SEEN} 8010:expired 8010:reset",
            {"instance_id": "i"},
            "not_applicable",
            id="static members stay",
        ),
        guilty(f"{SEEN} 8000:gone 8010:expired 8010:reset", {}, "not_applicable", id="nobody to send it to"),
        pytest.param(
            f"{SEEN} 8000:gone 8005:found 8010:expired 8010:reset", {}, "broken_semantics", id="found again"
        ),
        pytest.param(
            f"{SEEN} 8010:expired 8010:reset",
            {"version": (4, 1, 1), "is_embedded": True},
            "not_applicable",
            id="Streams 4.1 does not send it",
        ),
        pytest.param(
            f"{SEEN} 8010:expired 8010:reset",
            {"version": (4, 0, 1), "is_embedded": True},
            "broken_semantics",
            id="Streams 4.0 does",
        ),
        unknown(f"{SEEN} 8010:expired 8010:reset", {"version": None}, "unjudged", id="version unknown"),
        pytest.param(
            f"{JOIN} 8010:expired 12000:ask",
            {"version": (2, 3, 1)},
            "unjudged",
            id="2.3 logs no reset",
        ),
        outside(
            f"{SEEN} 8010:expired 9010:reset", {}, "broken_semantics", id="within a second, of the same call"
        ),
        inside(f"{SEEN} 8010:expired 9011:reset", {}, "unjudged", id="a close's reset; lines may be missing"),
        negative(JOIN, {}, "not_applicable", id="no expiry"),
        positive(
            f"{SEEN} 8010:expired 8010:reset",
            {"version": (4, 1, 1)},
            "broken_semantics",
            id="4.1 outside of Streams sends it",
        ),
        guilty(
            f"{SEEN} 8010:expired 8010:reset",
            {"version": (2, 8, 2)},
            "unjudged",
            id="before 3.0 the leave is at DEBUG",
        ),
    ],
)
def test_not_left(story, known, wanted):
    assert verdict(kip62.not_left, story, **known) == wanted


@pytest.mark.parametrize(
    ("story", "wanted"),
    [
        unknown(EXPIRY, "unjudged", id="heartbeats not logged"),
        negative(f"{JOIN} 6000:beat=m1/1 6002:ok 8010:expired 8010:left=poll/m1", "conforms", id="stopped"),
        outside(f"{EXPIRY} 8010:beat=m1/1", "broken_semantics", id="one more, in the same millisecond"),
        pytest.param(f"{EXPIRY} 12000:ask 12005:beat=m1/1", "unjudged", id="after it asked to join again"),
        guilty(f"{EXPIRY} 12000:ask 12500:joined=m2/3 14500:beat=m2/3", "unjudged", id="of the next one"),
        pytest.param(f"{JOIN} 8010:left=close/m1 8010:beat=m1/1", "not_applicable", id="no expiry"),
        positive(f"{EXPIRY} 10000:beat=m1/1", "broken_semantics", id="two seconds later"),
        inside(
            f"{JOIN} 6000:beat=m1/1 6002:ok 8010:beat=m1/1 8010:expired 8010:left=poll/m1",
            "conforms",
            id="the last one, in the same millisecond",
        ),
    ],
)
def test_heartbeat_after_expiry(story, wanted):
    assert verdict(kip62.heartbeat_after_expiry, story) == wanted


@pytest.mark.parametrize(
    ("story", "wanted"),
    [
        unknown(EXPIRY, "unjudged", id="silence until the next poll is right"),
        negative(f"{EXPIRY} 12000:lost 12000:ask", "conforms", id="asked"),
        pytest.param(f"{EXPIRY} 12500:joined=m2/3", "conforms", id="joined"),
        pytest.param(f"{EXPIRY} 12000:lost", "unjudged", id="still in its callback, as far as is known"),
        positive(f"{LOGGED} 12000:lost 12600:send=FETCH/7", "broken_semantics", id="fetches as no member"),
        guilty(
            f"{LOGGED} 12000:lost 12001:gone 12600:send=FETCH/7", "unjudged", id="no coordinator to join at"
        ),
        pytest.param(
            f"{LOGGED} 12000:lost 12600:send=FETCH/9",
            "unjudged",
            id="requests are missing, and so may be the join",
        ),
        pytest.param(f"{LOGGED} 12600:send=FETCH/7", "unjudged", id="a fetch that waited, no later poll"),
        guilty(f"{JOIN} 70:left=close/m1", "not_applicable", id="closed"),
        pytest.param(f"{JOIN} 70:unknown=m1/1 71:lost 72:ask", "conforms", id="removed, and back"),
        guilty(
            "0:ask 10:joined=m1@i/1 5000:send=METADATA/6 6000:fenced 12000:lost 12600:send=FETCH/7",
            "not_applicable",
            id="fenced",
        ),
    ],
)
def test_not_rejoined(story, wanted):
    assert verdict(kip62.not_rejoined, story) == wanted


@pytest.mark.parametrize(
    ("story", "wanted"),
    [
        pytest.param(JOIN, "not_applicable", id="a member still"),
        pytest.param(EXPIRY, "conforms", id="the poll limit"),
        negative(f"{JOIN} 70:left=close/m1", "conforms", id="a close"),
        pytest.param(f"{JOIN} 70:left=unsubscribed/m1", "conforms", id="unsubscribed"),
        positive(f"{JOIN} 70:left=commit/m1", "broken_semantics", id="a commit's timeout"),
        positive(f"{JOIN} 70:timed_out", "broken_semantics", id="reset over a commit's timeout"),
        unknown(f"{JOIN} 70:unknown=m1/1", "unjudged", id="the broker knows why"),
        guilty(f"{JOIN} 60:session_lost 70:unknown=m1/1", "conforms", id="its session timer ran out"),
    ],
)
def test_evicted_by_other_timeout(story, wanted):
    assert verdict(kip62.evicted_by_other_timeout, story) == wanted


COMMIT = "send=OFFSET_COMMIT/7"


@pytest.mark.parametrize(
    ("story", "wanted"),
    [
        unknown(EXPIRY, "unjudged", id="commits not logged"),
        positive(
            f"{LOGGED} 8020:{COMMIT} 8025:got=OFFSET_COMMIT/7 8025:committed",
            "broken_semantics",
            id="accepted",
        ),
        negative(f"{LOGGED} 8020:{COMMIT} 8025:got=OFFSET_COMMIT/7", "conforms", id="refused"),
        inside(
            f"{JOIN} 8005:{COMMIT} 8010:expired 8012:got=OFFSET_COMMIT/7 8012:committed",
            "conforms",
            id="sent as a member, answered later",
        ),
        guilty(
            f"{JOIN} 8005:{COMMIT} 8010:expired 8011:send=OFFSET_COMMIT/8 8012:got=OFFSET_COMMIT/7 "
            "8012:got=OFFSET_COMMIT/8 8012:committed",
            "conforms",
            id="one of each: which was accepted is not said",
        ),
        guilty(
            f"{LOGGED} 12000:ask 12005:joined=m2/3 12010:{COMMIT} 12015:got=OFFSET_COMMIT/7 12015:committed",
            "conforms",
            id="as the next member",
        ),
        pytest.param(
            f"{LOGGED} 8015:send=METADATA/9 30000:{COMMIT} 30001:got=OFFSET_COMMIT/7 30001:committed",
            "conforms",
            id="requests are missing, and so may be the join",
        ),
        pytest.param(
            f"{JOIN} 70:left=close/m1 71:{COMMIT} 72:got=OFFSET_COMMIT/7 72:committed",
            "not_applicable",
            id="closed",
        ),
        negative(
            f"{JOIN} 500:committed 8010:expired 8010:left=poll/m1 8010:reset 9000:ask",
            "conforms",
            id="accepted commits are logged, and none then",
        ),
        pytest.param(
            f"{JOIN} 500:committed 8010:expired 8010:left=poll/m1 8010:reset 8011:committed 9000:ask",
            "unjudged",
            id="one was, sent nobody knows when",
        ),
        outside(
            f"{LOGGED} 8010:{COMMIT} 8015:got=OFFSET_COMMIT/7 8015:committed",
            "broken_semantics",
            id="sent in its last millisecond, after its end",
        ),
    ],
)
def test_commit_after_leaving(story, wanted):
    assert verdict(kip62.commit_after_leaving, story) == wanted


FENCED = "0:ask 10:joined=m1@i/1 70:fenced"


@pytest.mark.parametrize(
    ("others", "wanted"),
    [
        unknown([], "unjudged", id="nobody else's log"),
        negative([app("50:joined=m2@i/1", name="b")], "conforms", id="another under the same id"),
        pytest.param([app("50:joined=m2@j/1", name="b")], "unjudged", id="another id"),
        guilty([broker("60:replaced=m1")], "conforms", id="the coordinator says so"),
        positive([broker("60:replaced=m3")], "broken_semantics", id="it says so of others only"),
    ],
)
def test_fenced_without_duplicate(others, wanted):
    assert verdicts(kip62.fenced_without_duplicate, app(FENCED, instance_id="i"), *others)[0] == wanted


def test_a_dynamic_member_is_not_fenced():
    assert verdict(kip62.fenced_without_duplicate, f"{JOIN} 70:unknown=m1/1") == "not_applicable"
