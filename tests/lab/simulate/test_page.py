"""docs/mutants.md: every rule has its row, and the model's promises hold."""

import re
from pathlib import Path

from lab.simulate.__main__ import Row, defects, page
from transforms.rules.registry import RULES

PAGE = Path(__file__).parents[3] / "docs" / "mutants.md"
ROW = re.compile(
    r"^\| `(?P<rule>[\w.]+)` \| (?P<planted>\d+) \| (?P<found>\d+) \| (?P<falsely>\d+) \|$", re.MULTILINE
)


def _rows() -> list[Row]:
    found = ROW.finditer(PAGE.read_text(encoding="utf-8"))
    return [Row(one["rule"], *(int(one[name]) for name in ("planted", "found", "falsely"))) for one in found]


def test_each_rule_is_broken_by_a_simulated_client():
    assert set(defects()) == set(RULES)
    assert [row.rule_id for row in _rows()] == sorted(RULES)


def test_nearly_all_planted_defects_are_found_and_nobody_else_is_accused():
    rows = _rows()
    assert sum(row.found for row in rows) >= 0.95 * sum(row.planted for row in rows)
    assert not [row.rule_id for row in rows if row.falsely]
    assert not [row.rule_id for row in rows if row.found < row.planted / 2]


def test_the_page_is_as_it_is_made():
    rows = _rows()
    assert PAGE.read_text(encoding="utf-8") == page(rows, rows[0].planted)
