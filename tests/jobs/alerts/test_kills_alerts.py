"""Killed while alerts go out: none lost, and what goes out twice has its own key again."""

from lab.soak.alerts import soak


def test_none_is_lost_however_often_it_is_killed():
    wanted, taken, met = soak(kills=2, seed=3, incidents=40)
    assert met > 0
    assert set(taken) == wanted
    assert sum(taken.values()) <= len(wanted) + met
