"""An hour of simulated clients through the stream: in cuts, late, renamed, shuffled and twice, the tables of one batch."""

from lab.soak.days import day
from lab.soak.kills import NO_SESSION


def test_an_hour_in_cuts_late_and_twice_is_one_batch(tmp_path):
    """The whole day is `python -m lab.soak.days`."""
    for seen in day(NO_SESSION, tmp_path, hours=1, fleets=1, parts=4, cuts=4, seed=2):
        assert seen["differences"] == {}
        assert (seen["late"], seen["failed_checks"]) == (0, 0)
        assert min(seen["rows"].values()) > 0
        assert seen["lines"] > 1000
        assert seen["copies"] > 0 or seen["through"] == "files"
