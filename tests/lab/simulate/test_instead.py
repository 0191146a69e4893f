"""What-ifs agree with histories simulated anew: a few here, all in docs/what-if.md."""

import re
from collections import Counter
from pathlib import Path

import pytest

from lab.simulate.instead import SCENES, compared
from transforms.diagnose.reports.margins import DELIVERY, POLL, SESSION, TASK

PAGE = Path(__file__).parents[3] / "docs" / "what-if.md"


@pytest.mark.parametrize("factor", [0.5, 2.0])
@pytest.mark.parametrize("setting", SCENES)
def test_the_other_history_says_what_the_what_if_said(setting, factor):
    ends = sum((compared(SCENES[setting], seed, "DEBUG", factor) for seed in (1, 3)), Counter())
    assert ends["agrees"] > 0
    assert ends["differs"] == 0


def test_the_page_holds_what_it_promises():
    rows = re.findall(
        r"^\| `([\w.]+)` \| (INFO|DEBUG) \| (\d+) \| ([\d.]+)% \|", PAGE.read_text(), re.MULTILINE
    )
    assert {setting for setting, *_ in rows} == {POLL, SESSION, DELIVERY, TASK}
    assert all(float(agrees) >= 95 for *_, agrees in rows)
