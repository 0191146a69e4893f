"""Groups that rebalance again and again, and members that fell silent together."""

import pytest

from transforms.diagnose.incidents import incidents
from transforms.timers.episodes import GroupRebalance, LivenessSession

T = 1_795_262_400_000
UUID = "12345678-1234-1234-1234-123456789abc"


def rebalances(history: str) -> list[GroupRebalance]:
    """`0 failed a; 60 joined b`: seconds, why, who asked."""
    names = {"failed": "member_failed"}
    made = []
    for number, step in enumerate(filter(None, history.split("; "))):
        at, why, *who = step.split()
        made.append(
            GroupRebalance(
                unit_id="broker",
                rebalance_id=f"r{number}",
                group_id="orders",
                generation=number + 1,
                started_at=T + int(at) * 1000,
                ended_at=T + int(at) * 1000 + 500,
                trigger=names.get(why, why),
                triggered_by=f"{who[0]}-{UUID}" if who else None,
                outcome="completed",
                event_ids=[f"e{number}"],
            )
        )
    return made


LOOP = "; ".join(f"{60 * n} failed a" for n in range(5))
DEPLOYMENT = "; ".join(f"{10 * n} {'left' if n % 2 else 'joined'} pod" for n in range(9))


@pytest.mark.parametrize(
    ("history", "storms"),
    [
        pytest.param(LOOP, 1, id="five removals in a row"),
        pytest.param("; ".join(LOOP.split("; ")[:4]), 0, id="four are none"),
        pytest.param("; ".join(f"{301 * n} failed a" for n in range(9)), 0, id="far apart"),
        pytest.param(DEPLOYMENT, 0, id="a deployment of a few members"),
        pytest.param(f"{DEPLOYMENT}; 100 joined pod", 1, id="too many for one"),
        pytest.param("; ".join(f"{20 * n} unknown" for n in range(10)), 1, id="why is not said"),
        pytest.param(
            "0 joined a; 2 left a; 4 joined b; 6 left b; 8 joined c; 9 left c",
            1,
            id="three that came and went",
        ),
        pytest.param("0 joined a; 2 left a; 4 joined b; 6 failed b", 0, id="two are none"),
        pytest.param(
            "0 left a; 2 joined d; 4 left b; 6 joined e; 8 left c; 9 joined f", 0, id="a deployment of three"
        ),
        pytest.param("", 0, id="none"),
    ],
)
def test_a_storm_is_told_once(history, storms):
    told = incidents(rebalances(history), [], "group:orders")
    assert [one.kind for one in told] == ["rebalance_storm"] * storms


def test_it_says_how_often_who_asked_and_why():
    (storm,) = incidents(rebalances(LOOP), [], "group:orders")
    assert storm.title.startswith("Group orders rebalanced 5 times in 4 min: members were removed")
    assert "Asked for by a (5 times)" in storm.cause
    assert "Generation 1 to 5" in storm.cause
    assert (storm.places, storm.actor, storm.cause_confidence) == (["group:orders"], "application", "proven")


def test_generations_that_begin_again_are_no_range():
    row = rebalances(LOOP)
    row[0].generation = 20
    (storm,) = incidents(row, [], "group:orders")
    assert "Generation" not in storm.cause


def removed(name: str, at_ms: int) -> LivenessSession:
    return LivenessSession(
        unit_id="broker", session_id=name, client_id=name, group_id="orders", outcome="session_expired",
        joined_at=T, ended_at=T + at_ms, event_ids=[name],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("ends", "is_said"),
    [
        pytest.param((10_500, 10_500), True, id="in one millisecond, 10 s after the rebalance"),
        pytest.param((10_500, 10_900), False, id="each at its own time"),
        pytest.param((80_500, 80_500), False, id="long after it"),
        pytest.param((10_500,), False, id="one alone"),
    ],
)
def test_members_removed_together_after_a_rebalance_never_sent_a_heartbeat(ends, is_said):
    sessions = [removed(f"m{number}", at_ms) for number, at_ms in enumerate(ends)]
    told = incidents([*rebalances("0 joined m0"), *sessions], [], "group:orders")
    said = [one for one in told if "none of them sent a heartbeat since it" in one.cause]
    assert bool(said) == is_said
    assert all("at most 10 s (10000 ms)" in one.cause for one in said)
