"""KIP-62, the coordinator's promises: removals and rebalances, on clocks that need not agree."""

import pytest

from tests.rule_cases import case, guilty, inside, negative, outside, positive, unknown
from tests.timelines_liveness import app, broker, fold
from transforms.rules import kip62_coordinator
from transforms.rules.judge import judge
from transforms.timers.groups.evictions import Eviction
from transforms.timers.groups.group_rebalances import Rebalance

# The pairs leave two milliseconds of doubt: the broker's clock is up to 1 ahead of the member's, or behind.
JOIN = "0:ask 2:ask 10:joined=m1/1 14:synced=m1/1"
BROKER_JOIN = "1:created=m1 3:prepare=add/m1/0 9:stable=1/1 12:assignment=m1/1"
BEATS = f"{JOIN} 2000:beat=m1/1 2000:send=HEARTBEAT/1 2002:got=HEARTBEAT/1 2002:ok"
# It comes back, which pairs the clocks once more.
AGAIN = "30000:unknown=m1/1 30010:ask 30020:joined=m9/9 30024:synced=m9/9"
BROKER_AGAIN = "30011:created=m9 30012:prepare=add/m9/8 30019:stable=9/1 30022:assignment=m9/9"
WAKES = f"{BEATS} {AGAIN}"


def evicted(rule, story: str, line: str, skew_ms: int = 0, **known) -> str:
    units = (app(story, **known), broker(f"{BROKER_JOIN} {line} {BROKER_AGAIN}", shift_ms=skew_ms))
    judged = [rule(episode) for episode in fold(*units) if type(episode) is Eviction]
    return judged[0].category or judged[0].outcome


@pytest.mark.parametrize("skew_ms", [0, 300_000, -300_000])
@pytest.mark.parametrize(
    ("story", "line", "known", "wanted"),
    [
        negative(WAKES, "8001:failed=m1", {}, "conforms", id="in time"),
        inside(WAKES, "7997:failed=m1", {}, "conforms", id="within the clocks' doubt"),
        outside(WAKES, "7996:failed=m1", {}, "broken_semantics", id="too early by more than that"),
        pytest.param(JOIN, "8001:failed=m1", {}, "unjudged", id="killed at INFO: its last beat is not known"),
        positive(JOIN, "3000:failed=m1", {}, "broken_semantics", id="too early even after the join"),
        guilty(
            f"{BEATS} 30000:unknown=m1/1",
            "3000:failed=m1",
            {},
            "unjudged",
            id="never back: its clock may have been set before it beat",
        ),
        guilty(
            f"{JOIN} 3000:ask 3100:joined=m1/2 3110:synced=m1/2 30000:unknown=m1/2",
            "3001:prepare=update/m1/1 3002:stable=2/1 9003:failed=m1",
            {},
            "unjudged",
            id="a SyncGroup that comes late begins no session",
        ),
        guilty(
            f"{JOIN} 3000:ask 3100:joined=m1/2 3100:send=SYNC_GROUP/9 3109:got=SYNC_GROUP/9/0 3110:synced=m1/2 "
            "30000:unknown=m1/2",
            "3001:prepare=update/m1/1 3002:stable=2/1 9003:failed=m1",
            {},
            "unjudged",
            id="though it was answered",
        ),
        unknown(WAKES, "3000:failed=m1", {"origin": "assumed"}, "unjudged", id="the limit is not proven"),
        unknown(WAKES, "3000:failed=m1", {"session_ms": None}, "unjudged", id="no limit"),
        guilty(
            WAKES, "2500:prepare=update/m1/1 3000:failed=m1", {}, "unjudged", id="a rebalance is under way"
        ),
        pytest.param(
            f"{BEATS} 7000:beat=m1/1 7001:unknown=m1/1 {AGAIN.partition(' ')[2]}",
            "8001:failed=m1",
            {},
            "conforms",
            id="never answered",
        ),
        guilty(WAKES, "3000:missed=m1", {}, "not_applicable", id="not its session"),
        pytest.param(WAKES, "1999:failed=m1", {}, "broken_semantics", id="in the instant of the beat"),
        pytest.param(WAKES, "1998:failed=m1", {}, "unjudged", id="before the beat"),
        pytest.param(
            f"{JOIN} 2000:send=HEARTBEAT/1 2002:got=HEARTBEAT/1/0 {AGAIN}",
            "7996:failed=m1",
            {},
            "broken_semantics",
            id="a heartbeat that was accepted, by its response alone",
        ),
        pytest.param(
            f"{JOIN} 2000:send=HEARTBEAT/1 2002:got=HEARTBEAT/1/25 {AGAIN}",
            "7996:failed=m1",
            {},
            "unjudged",
            id="one that was refused keeps no session",
        ),
        guilty(
            f"{JOIN} 2000:send=OFFSET_COMMIT/1 2002:got=OFFSET_COMMIT/1/0 {AGAIN}",
            "7996:failed=m1",
            {},
            "unjudged",
            id="a commit need not keep one",
        ),
    ],
)
def test_evicted_early(story, line, known, wanted, skew_ms):
    assert evicted(kip62_coordinator.evicted_early, story, line, skew_ms, **known) == wanted


def test_clocks_that_are_not_paired_are_never_subtracted():
    units = (app("10:joined=m1/1 2000:beat=m1/1 2001:ok 9000:unknown=m1/1"), broker("3000:failed=m1"))
    judged = [kip62_coordinator.evicted_early(e) for e in fold(*units) if type(e) is Eviction]
    assert [(one.outcome, one.reason) for one in judged] == [("unjudged", "clocks not paired")]


@pytest.mark.parametrize(
    ("joined", "told", "wanted"),
    [
        pytest.param(
            "10:joined=m1/1 14:synced=m1/1", "9:stable=1/1", "unjudged", id="from one side alone until then"
        ),
        pytest.param(JOIN, BROKER_JOIN, "violated", id="from both"),
    ],
)
def test_clocks_are_paired_before_a_removal_is_measured_by_them(joined, told, wanted):
    """A step of a clock between the removal and a later pair would not show else."""
    beats = "2000:beat=m1/1 2000:send=HEARTBEAT/1 2002:got=HEARTBEAT/1 2002:ok 3005:unknown=m1/1"
    again = "3010:ask 3020:joined=m2/2 3024:synced=m2/2"
    lines = "3000:failed=m1 3011:created=m2 3012:prepare=add/m2/1 3019:stable=2/1 3022:assignment=m2/2"
    units = (app(f"{joined} {beats} {again}"), broker(f"{told} {lines}"))
    judged = [kip62_coordinator.evicted_early(e) for e in fold(*units) if type(e) is Eviction]
    assert judged[0].outcome == wanted


@pytest.mark.parametrize(
    ("story", "line", "known", "wanted"),
    [
        negative(WAKES, "8003:failed=m1", {}, "conforms", id="in time"),
        inside(WAKES, "9003:failed=m1", {}, "conforms", id="within the coordinator's slack"),
        outside(
            WAKES,
            "9004:created=m2 10004:failed=m1",
            {},
            "broken_semantics",
            id="it spoke beyond it, and a second before the end",
        ),
        positive(WAKES, "15000:created=m2 20000:failed=m1", {}, "broken_semantics", id="twelve seconds late"),
        guilty(WAKES, "9003:created=m2 20000:failed=m1", {}, "unjudged", id="it may have stood still since"),
        pytest.param(
            WAKES,
            "19001:created=m2 20000:failed=m1",
            {},
            "unjudged",
            id="what it said may be a part of the removal",
        ),
        guilty(
            BEATS,
            "15000:created=m2 20000:failed=m1",
            {},
            "unjudged",
            id="a killed process may have lost its last lines",
        ),
        pytest.param(
            f"{BEATS} 4000:beat=m1/1 4000:send=HEARTBEAT/2 30000:unknown=m1/1",
            "15000:created=m2 20000:failed=m1",
            {},
            "unjudged",
            id="a beat without an answer may have arrived at any time",
        ),
        guilty(
            f"{JOIN} 2000:beat=m1/1 2002:ok 30000:unknown=m1/1",
            "15000:created=m2 20000:failed=m1",
            {},
            "unjudged",
            id="commits are not logged, and keep a session alive too",
        ),
        unknown(
            WAKES,
            "15000:created=m2 20000:failed=m1",
            {"origin": "assumed"},
            "unjudged",
            id="the limit is not proven",
        ),
        negative(
            BEATS, "8000:failed=m1", {}, "conforms", id="in time after an answer, whatever was sent later"
        ),
        pytest.param(
            f"{JOIN} 2000:beat=m1/1 2002:ok 30000:unknown=m1/1",
            "8990:failed=m1",
            {},
            "conforms",
            id="in time after the only one that is logged",
        ),
        pytest.param(
            f"{JOIN} 2000:beat=m1/1 2002:ok 30000:unknown=m1/1",
            "9020:failed=m1",
            {},
            "unjudged",
            id="not in time, but commits are not logged",
        ),
        pytest.param(
            f"{JOIN} 2000:beat=m1/1 2000:send=HEARTBEAT/1 2002:ok 2002:got=HEARTBEAT/1 "
            "7000:send=OFFSET_COMMIT/2 7002:got=OFFSET_COMMIT/2/27 8000:send=OFFSET_COMMIT/3 30000:unknown=m1/1",
            "13000:failed=m1",
            {},
            "unjudged",
            id="what was refused kept no session",
        ),
    ],
)
def test_evicted_late(story, line, known, wanted):
    assert evicted(kip62_coordinator.evicted_late, story, line, **known) == wanted


def two_members(line: str, a_ms: int | None = 8_000, b_ms: int | None = 16_000):
    """m1 and m2 in generation 2 of two members; then the coordinator's line."""
    a = app(
        "0:ask 10:joined=m1/1 14:synced=m1/1 100:ask 110:joined=m1/2 114:synced=m1/2", name="a", poll_ms=a_ms
    )
    b = app("90:ask 91:ask 110:joined=m2/2 114:synced=m2/2", name="b", poll_ms=b_ms)
    lines = (
        "1:created=m1 3:prepare=add/m1/0 9:stable=1/1 12:assignment=m1/1 "
        "90:created=m2 92:prepare=add/m2/1 109:stable=2/2 112:assignment=m1/2"
    )
    return a, b, broker(f"{lines} {line}")


@pytest.mark.parametrize(
    ("rule", "removed_at", "limits", "wanted"),
    [
        inside("evicted_in_rebalance_early", 8_999, {}, "conforms", id="grain"),
        outside("evicted_in_rebalance_early", 8_998, {}, "broken_semantics", id="before its own limit"),
        unknown("evicted_in_rebalance_early", 2_000, {"a_ms": None}, "unjudged", id="own limit unknown"),
        inside("rebalance_limit_not_largest", 16_999, {}, "conforms", id="at the largest"),
        pytest.param(
            "rebalance_limit_not_largest", 16_000, {}, "broken_semantics", id="at its own, not the largest"
        ),
        pytest.param("rebalance_limit_not_largest", 8_000, {}, "conforms", id="the other rule's finding"),
        guilty("rebalance_limit_not_largest", 9_500, {"b_ms": 8_000}, "conforms", id="no larger one"),
        pytest.param(
            "rebalance_limit_not_largest", 9_500, {"b_ms": None}, "conforms", id="a larger one is not proven"
        ),
        positive("evicted_in_rebalance_early", 3_000, {}, "broken_semantics", id="long before its own limit"),
        negative("evicted_in_rebalance_early", 17_001, {}, "conforms", id="after the largest limit"),
        guilty(
            "evicted_in_rebalance_early",
            8_999,
            {"b_ms": None},
            "conforms",
            id="another's limit is not its own",
        ),
        outside(
            "rebalance_limit_not_largest",
            16_998,
            {},
            "broken_semantics",
            id="two milliseconds before the largest",
        ),
        positive("rebalance_limit_not_largest", 9_001, {}, "broken_semantics", id="at its own limit"),
        negative("rebalance_limit_not_largest", 17_001, {}, "conforms", id="after the largest limit"),
        unknown(
            "rebalance_limit_not_largest",
            9_001,
            {"a_ms": None, "b_ms": None},
            "unjudged",
            id="no limit known",
        ),
        guilty("rebalance_limit_not_largest", 8_998, {}, "conforms", id="sooner than its own"),
        pytest.param(
            "rebalance_limit_not_largest", 8_999, {}, "broken_semantics", id="at its own, less the grain"
        ),
    ],
)
def test_removed_from_a_rebalance(rule, removed_at, limits, wanted):
    units = two_members(f"1000:prepare=update/m2/2 {removed_at}:missed=m1", **limits)
    judged = [getattr(kip62_coordinator, rule)(e) for e in fold(*units) if type(e) is Eviction]
    assert [one.category or one.outcome for one in judged] == [wanted]


@pytest.mark.parametrize(
    ("before", "reasons"),
    [pytest.param(8_000, ["clock step"], id="set back"), pytest.param(1_500, [], id="not")],
)
def test_a_removal_is_doubted_by_the_clock_that_timed_it(before, reasons):
    """That of the broker whose log tells of it, whosever membership it is."""
    units = two_members(f"1000:prepare=update/m2/2 {before}:created=m3 2000:missed=m1")
    judged, rule_id = judge(fold(*units), "g"), "kip62.evicted_in_rebalance_early"
    assert [one.reason for one in judged.unjudged if one.rule_id == rule_id] == reasons
    assert any(one.rule_id == rule_id for one in judged.findings) is not bool(reasons)


def test_a_rebalance_whose_begin_is_not_seen_is_unjudged():
    units = two_members("5000:missed=m1")
    judged = [kip62_coordinator.evicted_in_rebalance_early(e) for e in fold(*units) if type(e) is Eviction]
    assert [one.outcome for one in judged] == ["unjudged"]


@pytest.mark.parametrize(
    ("said_at", "ended_at", "limits", "wanted"),
    [
        inside(17_000, 18_000, {}, "conforms", id="largest limit and the slack"),
        outside(18_001, 19_002, {}, "broken_semantics", id="it spoke one later, and a slack before the end"),
        guilty(18_000, 60_000, {}, "unjudged", id="it may have stood still since"),
        pytest.param(59_000, 60_000, {}, "unjudged", id="what it said is a part of the end"),
        unknown(18_001, 19_002, {"b_ms": None}, "unjudged", id="a member's limit unknown"),
        pytest.param(
            8_000, 9_000, {"b_ms": None}, "conforms", id="short enough for the limits that are known"
        ),
        positive(40_000, 60_000, {}, "broken_semantics", id="a minute"),
        negative(8_000, 9_000, {}, "conforms", id="in time"),
    ],
)
def test_rebalance_overran(said_at, ended_at, limits, wanted):
    told = f"1000:prepare=update/m2/2 {said_at}:created=m3 {ended_at}:stable=3/2"
    a, b, coordinator = two_members(told, **limits)
    for unit, member in ((a, "m1"), (b, "m2")):
        unit.story += f" 1005:ask {ended_at + 1}:joined={member}/3"
    judged = [kip62_coordinator.rebalance_overran(e) for e in fold(a, b, coordinator) if type(e) is Rebalance]
    assert (judged[-1].category or judged[-1].outcome) == wanted


@case("looks guilty")
def test_a_rebalance_that_is_not_over_is_not_judged():
    judged = [
        kip62_coordinator.rebalance_overran(e)
        for e in fold(broker("3:prepare=add/m1/0"))
        if type(e) is Rebalance
    ]
    assert [one.outcome for one in judged] == ["not_applicable"]


def test_a_removal_that_only_the_member_knows_of_is_unjudged():
    judged = [kip62_coordinator.evicted_early(e) for e in fold(app(WAKES)) if type(e) is Eviction]
    assert [one.missing for one in judged] == ["the broker's log (INFO of GroupCoordinator)"]


def test_a_member_without_a_log_is_unjudged():
    judged = [
        kip62_coordinator.evicted_early(e) for e in fold(broker("3000:failed=m1")) if type(e) is Eviction
    ]
    assert [one.outcome for one in judged] == ["unjudged"]
