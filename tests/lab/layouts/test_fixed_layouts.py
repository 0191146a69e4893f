"""Fifty drawn layouts that are read whole stay so: every event as the recording has it, and no other."""

import pytest

from lab.layouts.score import outcome_of

SEEDS = (
    0, 1, 3, 8, 9, 10, 13, 21, 24, 26, 28, 35, 36, 37, 38, 39, 44, 45, 47, 48,
    51, 52, 53, 56, 57, 58, 61, 65, 66, 67, 75, 76, 81, 83, 89,
    90, 92, 95, 96, 97, 98, 99, 100, 102, 103, 104, 107, 108, 109, 113,
)  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_a_drawn_layout_is_read_whole(seed):
    outcome = outcome_of(seed)
    assert (outcome.misses[:2], outcome.extras[:2]) == ([], []), outcome.drawn.named
