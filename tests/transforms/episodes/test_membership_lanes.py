"""Lanes of memberships: what is not known is not drawn, and what metrics tell says so."""

import dataclasses

import pytest

from tests.dashboards.episode_lake import session
from tests.dashboards.lake import NOON
from transforms.episodes import memberships
from transforms.episodes.bars import bars_of
from transforms.episodes.lanes import Window

DAY = Window(NOON - 100_000, NOON + 100_000)


def row(episode, **more):
    return dataclasses.asdict(episode) | more


@pytest.mark.parametrize(
    ("one", "silent"),
    [
        (session("s", 0, 9, "poll_expired"), []),
        (session("s", 0, 9, "closed", last_poll_at=NOON), []),
        (session("s", 0, 9, "session_expired", last_heartbeat_at=NOON), [(NOON, None, NOON + 9)]),
        (
            session("s", 0, 9, "poll_expired", last_poll_at=NOON, max_poll_interval_ms=9),
            [(NOON, NOON + 9, NOON + 9)],
        ),
        (
            session("s", 0, 9, "poll_expired", last_poll_at=NOON, max_poll_interval_ms=10),
            [(NOON, None, NOON + 9)],
        ),
    ],
)
def test_a_silence_that_is_not_known_is_not_drawn(one, silent):
    (lane,) = memberships.group_lanes([row(one)], [], [], DAY)
    assert [(bar.start, bar.limit_at, bar.end) for bar in lane.bars if bar.tone == "warn"] == silent


def test_a_value_from_metrics_says_so():
    one = session("m", 0, 9, "closed", from_metrics=["last_poll_at"], plus_minus_ms=1_000)
    (membership,) = (bar for _, bar in bars_of(memberships.TABLE, row(one), None))
    assert "last poll: from metrics, give or take 1000 ms" in membership.hover_lines
