"""What a log does not name is said to be unknown: no stand-in, no None, no sign before a duration."""

import dataclasses

import pytest

from tests.dashboards.episode_lake import batch, rebalance, session
from tests.dashboards.lake import NOON
from transforms.diagnose.now.open_timers import open_timers
from transforms.episodes import batches, memberships, story_lanes, summaries
from transforms.episodes.lanes import Window
from transforms.episodes.words import beyond, group_of, topic_partition
from transforms.events import unnamed_group

STAND_IN = unnamed_group("orders/app.log", "rdkafka#consumer-1")
HOUR = Window(NOON - 3_600_000, NOON + 3_600_000)


def row(episode, **more):
    return dataclasses.asdict(episode) | {"seen_until": None} | more


REBALANCE = row(rebalance("r", 0, 5, group_id=STAND_IN))
KICKED = row(session("a", 0, 9_000, "poll_expired", group_id=STAND_IN, last_poll_at=NOON))
EXPIRED = row(batch("a", None, 320_000, "expired", topic=None, partition=None))


@pytest.mark.parametrize(
    "said",
    [
        summaries.memberships([KICKED], {"poll_expired": 1})[0],
        memberships.group_lanes([KICKED], [REBALANCE], [], HOUR)[-1].name,
        story_lanes.lanes_of({"silver.group_rebalances": [REBALANCE]}, [], {}, HOUR)[0].name,
        *(timer.subject for timer in open_timers(
            sessions=[KICKED | {"outcome": "open", "ended_at": None}], limits={}, data_clock=NOON)),
        summaries.lifetimes([EXPIRED], [{"outcome": "expired", "batches": 1, "records": 1}])[0],
        batches.length(EXPIRED).name,
        *batches.hover_lines(EXPIRED),
        *(timer.subject for timer in open_timers(
            batches=[EXPIRED | {"outcome": "open", "created_at": NOON}], limits={}, data_clock=NOON)),
    ],
)  # fmt: skip
def test_a_stand_in_is_never_shown(said):
    assert "?" not in said
    assert "None" not in said


@pytest.mark.parametrize(
    ("topic", "partition", "told"),
    [("orders", 0, "orders-0"), ("orders", None, "orders"), (None, None, "unknown"), (None, 3, "unknown")],
)
def test_a_partition_is_told_as_far_as_it_is_known(topic, partition, told):
    assert topic_partition({"topic": topic, "partition": partition}) == told


@pytest.mark.parametrize(("group", "told"), [("orders", "orders"), (STAND_IN, "unknown"), (None, "unknown")])
def test_a_group_has_its_own_name_or_none(group, told):
    assert group_of({"group_id": group}) == told


@pytest.mark.parametrize(
    ("ms", "told"), [(None, ""), (3_000, "3 s over"), (-90_000, "1 min 30 s under"), (0, "0 ms under")]
)
def test_how_far_from_a_limit(ms, told):
    assert beyond(ms) == told
