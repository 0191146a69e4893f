"""What-ifs agree with histories simulated anew: a few here, all in docs/what-if.md."""

from collections import Counter

import pytest

from lab.simulate.instead import SCENES, compared


@pytest.mark.parametrize("factor", [0.5, 2.0])
@pytest.mark.parametrize("setting", SCENES)
def test_the_other_history_says_what_the_what_if_said(setting, factor):
    ends = sum((compared(SCENES[setting], seed, "DEBUG", factor) for seed in (1, 3)), Counter())
    assert ends["agrees"] > 0
    assert ends["differs"] == 0
