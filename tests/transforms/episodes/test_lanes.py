"""Bars of a lane: beside each other, and joined where there are too many."""

import pytest

from transforms.episodes.lanes import Bar, joined, packed


def bar(start: int, end: int) -> Bar:
    return Bar(start, end, (f"{start}",))


@pytest.mark.parametrize(
    ("bars", "rows"),
    [
        pytest.param([], [], id="none"),
        pytest.param([(0, 5), (5, 9)], [[0, 5]], id="one after the other"),
        pytest.param([(0, 6), (5, 9)], [[0], [5]], id="over each other"),
        pytest.param([(0, 9), (1, 2), (3, 4), (1, 5)], [[0], [1, 3], [1]], id="as few rows as hold them"),
    ],
)
def test_bars_lie_beside_each_other(bars, rows):
    assert [[one.start for one in row] for row in packed(bar(*one) for one in bars)] == rows


def test_many_bars_become_few_stretches_that_count_them():
    made = joined([bar(at, at + 1) for at in range(0, 5_000, 10)], 20)
    assert len(made) <= 20
    assert sum(one.count for one in made) == 500
