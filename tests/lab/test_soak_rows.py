"""What is told of two lakes that should be equal: nothing where they are, whatever their order, and every row where not."""

import pytest

from expectations import TABLES
from lab.soak.rows import COMPARED, differences
from tests.dashboards.lake import sha, violation, write

TABLE = "gold.violations"
ROWS = [violation(name, sha("subject"), [sha("one"), sha("other")]) for name in ("early", "late")]
CHANGED = [ROWS[0], ROWS[1] | {"event_ids": [sha("other"), sha("one")]}]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        pytest.param(ROWS, [], id="the same"),
        pytest.param(ROWS[::-1], [], id="in another order"),
        pytest.param([row | {"run_id": "another"} for row in ROWS], [], id="by another run"),
        pytest.param(ROWS[:1], [(1, 0)], id="a row less"),
        pytest.param([*ROWS, ROWS[1]], [(0, 0)], id="a row twice"),
        pytest.param(CHANGED, [(1, 1)], id="a list in another order"),
        pytest.param([], [(2, 0)], id="none"),
    ],
)
def test_what_differs_is_told(tmp_path, rows, told):
    for lake, its in (("here", ROWS), ("there", rows)):
        for table in COMPARED:
            write(tmp_path / lake, table, its if table == TABLE else [])
    found = differences(tmp_path / "here", tmp_path / "there")
    assert [(one, other) for one, other, _ in found.values()] == told
    assert set(found) <= {TABLE}


def test_a_key_is_compared():
    assert [name for name in COMPARED if not set(TABLES[name].key) <= set(TABLES[name].stable_columns)] == []
