"""Members' and coordinators' logs of one group id, joined by member ids."""

import pytest

from tests.timelines_liveness import Known, Unit, app, broker, fold, of_class
from transforms.timers.episodes import GroupRebalance, LivenessSession
from transforms.timers.groups.clock_pairs import ClockPairs, Offset
from transforms.timers.groups.evictions import Eviction

SKEW_MS = 300_000
# m1 joins; the coordinator's lines lie between the member's.
JOIN = "0:ask 2:ask 10:joined=m1/1 14:synced=m1/1"
BROKER_JOIN = "1:created=m1 3:prepare=add/m1/0 9:stable=1/1 12:assignment=m1/1"


def rows(*units) -> list[str]:
    return [
        f"{row.unit_id} {row.member_id} {row.outcome} {row.joined_at}-{row.ended_at}"
        for row in of_class(fold(*units), LivenessSession)
    ]


def rebalances(*units) -> list[str]:
    return [
        f"{row.generation} {row.started_at}-{row.ended_at} {row.trigger} {row.triggered_by} {row.outcome}"
        for row in of_class(fold(*units), GroupRebalance)
    ]


def test_before_2_6_a_join_s_only_line_follows_the_sync_and_bounds_no_clock() -> None:
    member = "0:ask 2:ask 100:joined=m1/1 16000:session_lost 16000:left=poll/m1 16001:ask 16010:joined=m2/3"
    coordinator = (
        "1:created=m1 3:prepare=add/m1/0 9:stable=1/1 53:assignment=m1/1 8000:failed=m1"
        " 16003:prepare=add/m2/2 16008:stable=3/1 16009:assignment=m2/3"
    )
    first, _ = rows(app(member), broker(coordinator))
    assert first == "app m1 session_expired 100-8000"


@pytest.mark.parametrize(
    ("member", "coordinator", "wanted"),
    [
        pytest.param(
            JOIN, "8000:failed=m1", "session_expired 10-8000", id="killed: only the coordinator knows"
        ),
        pytest.param(
            JOIN,
            "8000:prepare=unsynced/m1/1",
            "rebalance_expired 10-8000",
            id="taken out, as it did not sync",
        ),
        pytest.param(
            f"{JOIN} 17000:unknown=m1/1", "8000:failed=m1", "session_expired 10-8000", id="told when it woke"
        ),
        pytest.param(
            f"{JOIN} 9000:unknown=m1/1", "8000:missed=m1", "rebalance_expired 10-8000", id="missed it"
        ),
        pytest.param(f"{JOIN} 9000:unknown=m1/1", "", "unknown 10-9000", id="nobody says why"),
        pytest.param(
            f"{JOIN} 9000:unknown=m1/1",
            "39000:failed=m1",
            "unknown 10-9000",
            id="told long before it was removed",
        ),
        pytest.param(
            f"{JOIN} 7000:reset",
            "12500:failed=m1",
            "closed 10-7000",
            id="closed without a leave, removed later",
        ),
        pytest.param(
            f"{JOIN} 17000:reset",
            "8000:failed=m1",
            "session_expired 10-8000",
            id="stood still, and closed itself on waking",
        ),
        pytest.param(
            f"{JOIN} 7000:expired 7000:reset",
            "12500:failed=m1",
            "poll_expired 10-7000",
            id="poll expiry without a leave, removed later",
        ),
        pytest.param(
            f"{JOIN} 16000:session_lost 16000:expired 16000:left=poll/m1",
            "8000:failed=m1",
            "session_expired 10-8000",
            id="frozen past both limits: what it says on waking is about itself",
        ),
        pytest.param(
            JOIN, "8000:gone=m1", "closed 10-8000", id="taken out by an admin, or its last lines lost"
        ),
        pytest.param(JOIN, "8000:overdue=m1", "poll_expired 10-8000", id="its leave says why"),
        pytest.param(
            JOIN,
            "8000:prepare=overdue/m1/1",
            "poll_expired 10-8000",
            id="its leave says why, in the rebalance alone",
        ),
        pytest.param(JOIN, "8000:replaced=m1", "closed 10-8000", id="its static id was taken anew"),
    ],
)
@pytest.mark.parametrize("skew_ms", [0, SKEW_MS, -SKEW_MS])
def test_the_coordinator_says_how_a_membership_ended(member, coordinator, wanted, skew_ms):
    found = rows(app(member), broker(f"{BROKER_JOIN} {coordinator}", shift_ms=skew_ms))
    outcome, _, times = wanted.partition(" ")
    assert [row.split()[2] for row in found] == [outcome]
    ended_at = int(found[0].split("-")[1])
    # The coordinator's instant is known on the member's clock only to the width of the pairs.
    assert abs(ended_at - int(times.split("-")[1])) <= 2
    assert found[0].split()[3].startswith("10-")


def test_without_pairs_a_removal_before_the_join_is_no_end():
    assert rows(app("10:joined=m1/1"), broker("5:failed=m1", shift_ms=0)) == [
        "app m1 session_expired 10-None"
    ]


@pytest.mark.parametrize("joined", [BROKER_JOIN, ""], ids=["by pairs", "without pairs"])
def test_a_removal_is_no_later_than_the_clients_return(joined):
    """It was replaced by itself; the coordinator's clock is ahead by more than pairs tell."""
    sessions = of_class(
        fold(app(f"{JOIN} 5000:joined=m2/3"), broker(f"{joined} 5300:replaced=m1")), LivenessSession
    )
    told = {one.member_id: (one.outcome, one.ended_at, one.rejoined_at) for one in sessions}
    assert told["m1"] == ("closed", 5000, 5000)


def test_one_group_id_in_two_clusters_stays_two_groups():
    other = app("0:ask 2:ask 10:joined=x1/1 8000:noise", name="elsewhere")
    found = rows(app(JOIN), broker(f"{BROKER_JOIN} 8000:failed=m1"), other)
    assert sorted(found) == ["app m1 session_expired 10-8000", "elsewhere x1 open 10-None"]


def test_a_member_without_a_log_is_known_by_the_coordinator():
    member = "checkout-1-d989396f-46d9-477a-9159-da9a16c7a1e4"
    row = of_class(
        fold(broker(f"3:prepare=add/{member}/0 9:stable=1/1 8000:failed={member}")), LivenessSession
    )[0]
    assert (row.unit_id, row.client_id, row.outcome, row.joined_at, row.ended_at) == (
        "broker",
        "checkout-1",
        "session_expired",
        3,
        8_000,
    )


def test_kip848_a_member_id_that_comes_back_is_removed_as_its_later_membership():
    story = "5:to=u/STABLE 100:expired848 101:to=u/STALE 200:late848=5 203:to=u/STABLE"
    found = rows(app(story), broker("9000:failed=u"))
    assert [row.split()[2] for row in found] == ["poll_expired", "session_expired"]


@pytest.mark.parametrize(
    ("coordinator", "wanted"),
    [
        pytest.param("3:prepare=add/m1/0 9:stable=1/1", ["1 3-9 joined m1 completed"], id="a join"),
        pytest.param(
            "3:prepare=fail/m1/4 9:stable=5/1", ["5 3-9 member_failed m1 completed"], id="a member failed"
        ),
        pytest.param(
            "3:prepare=unsynced/m1/4 9:stable=5/1",
            ["5 3-9 member_failed m1 completed"],
            id="one that did not sync",
        ),
        pytest.param("3:prepare=leave/m1/4 9:stable=5/1", ["5 3-9 left m1 completed"], id="a leave"),
        pytest.param(
            "3:prepare=update/m1/4 9:stable=5/1", ["5 3-9 metadata_changed m1 completed"], id="metadata"
        ),
        pytest.param(
            "3:prepare=leader/m1/4 9:stable=5/1", ["5 3-9 leader_rejoined m1 completed"], id="leader"
        ),
        pytest.param(
            "3:prepare=odd/m1/4 9:stable=5/1", ["5 3-9 unknown None completed"], id="an unknown reason"
        ),
        pytest.param("3:prepare=add/m1/0", ["1 3-None joined m1 open"], id="still waiting"),
        pytest.param(
            "3:prepare=add/m1/0 5:prepare=add/m2/0 9:stable=1/2",
            ["1 3-None joined m1 overtaken", "1 5-9 joined m2 completed"],
            id="begun anew",
        ),
        pytest.param("9:stable=1/1", [], id="its begin is not in the log"),
    ],
)
def test_rebalances_of_the_coordinator(coordinator, wanted):
    assert rebalances(broker(coordinator)) == wanted


def test_without_a_coordinators_log_each_generation_is_a_rebalance():
    a = app("0:ask 10:joined=m1/1 11:leads=m1/1 14:synced=m1/1 50:ask 60:joined=m1/2 61:synced=m1/2")
    assert rebalances(a) == ["1 0-14 unknown None completed", "2 50-61 unknown None completed"]


def test_a_static_member_that_returns_makes_no_rebalance():
    assert rebalances(app("0:ask 10:joined=m1@i/7 14:synced=m1/7")) == []


def test_a_leader_names_its_group_without_a_coordinators_log():
    a = app("0:ask 10:joined=m1/1 11:leads=m1,m2/1 14:synced=m1/1", name="a")
    b = app("0:ask 11:joined=m2/1 15:synced=m2/1", name="b")
    assert rebalances(b, a) == ["1 0-14 unknown None completed"]


@pytest.mark.parametrize(
    ("asked_by_second", "slowest"),
    [
        pytest.param(500, "m2", id="surely later"),
        pytest.param(21, None, id="within the width of the clocks' pairs"),
    ],
)
def test_the_slowest_member_is_named_only_where_it_is_surely_the_last(asked_by_second, slowest):
    join = "0:ask 2:ask {b}:ask 900:joined={m}/1 904:synced={m}/1"
    a = app(join.format(m="m1", b=20), name="a")
    b = app(join.format(m="m2", b=asked_by_second), name="b")
    lines = "1:created=m1 1:created=m2 3:prepare=add/m1/0 899:stable=1/2 902:assignment=m1/1"
    row = of_class(fold(a, b, broker(lines)), GroupRebalance)[0]
    assert row.slowest_member == slowest


def test_an_eviction_knows_both_clocks():
    story = f"{JOIN} 2000:beat=m1/1 2002:ok 16000:unknown=m1/1"
    found = fold(app(story), broker(f"{BROKER_JOIN} 8000:failed=m1", shift_ms=SKEW_MS))
    eviction = of_class(found, Eviction)[0]
    assert eviction.member_answered.event_id == "app/beat@2000"
    assert eviction.offset.low <= SKEW_MS <= eviction.offset.high
    assert eviction.offset.high - eviction.offset.low <= 4


@pytest.mark.parametrize(
    ("pairs", "offset"),
    [
        pytest.param("", None, id="no pair"),
        pytest.param("c100-b105", None, id="one side only"),
        pytest.param("c100-b105 b105-c110", Offset(-5, 5), id="both sides"),
        pytest.param("c100-b105 c200-b202 b105-c110 b203-c204", Offset(-1, 2), id="the closest pairs count"),
        pytest.param("c100-b105 b500-c110", None, id="a contradiction: a clock stepped"),
    ],
)
def test_clock_pairs(pairs, offset):
    clocks = ClockPairs()
    for pair in pairs.split():
        first, second = pair.split("-")
        if first.startswith("c"):
            clocks.client_first(int(first[1:]), int(second[1:]))
        else:
            clocks.broker_first(int(first[1:]), int(second[1:]))
    assert clocks.offset() == offset


def test_units_may_come_in_any_order_of_names():
    first = rows(app(JOIN, name="a"), broker(f"{BROKER_JOIN} 8000:failed=m1", name="z"))
    second = rows(app(JOIN, name="z"), broker(f"{BROKER_JOIN} 8000:failed=m1", name="a"))
    assert [row.split()[1:] for row in first] == [row.split()[1:] for row in second]


def test_unrecognized_lines_are_not_fed():
    unit = Unit("app", "0:ask 10:joined=m1/1", Known())
    lines = unit.events()
    for line in lines:
        line.message_id = "unrecognized"
    unit.events = lambda: lines  # type: ignore[method-assign]
    assert fold(unit) == []
