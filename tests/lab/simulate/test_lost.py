"""Lines that are lost accuse nobody, whichever they are."""

import pytest

from lab.simulate.lost import KINDS, accused_more

# These accused falsely: transitions gone, a leave that was seen as a request only, a late poll of a later end.
SEEDS = {"consumer": (0, 7), "consumer of KIP-848": (7, 9, 12)}


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_is_accused_for_what_is_missing(kind):
    assert [said for seed in SEEDS.get(kind, (0,)) for said in accused_more(kind, seed)] == []
