"""Incidents are shown some at a time, and each of them can be reached."""

import re
from pathlib import Path

import pytest

from dashboards.app import page_of
from dashboards.pages.incidents import MOST
from dashboards.queries import LakeReader
from tests.dashboards.lake import NOON, incident_row, write

ROWS = 2 * MOST + 3


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("many")
    rows = [
        incident_row(f"i{number}", "as_designed") | {"title": f"number {number};", "ended_at": NOON + number}
        for number in range(ROWS)
    ]
    write(lake, "gold.incidents", rows)
    return lake


def titles(drawn: str) -> list[int]:
    return [int(found) for found in re.findall(r"number (\d+);", drawn)]


def test_all_are_shown_once_over_the_pages(many: Path) -> None:
    pages = [repr(page_of(LakeReader(many), "/incidents", f"?page={number}")) for number in (1, 2, 3)]
    found = [titles(page) for page in pages]
    assert [len(one) for one in found] == [MOST, MOST, 3]
    assert sorted(number for one in found for number in one) == list(range(ROWS))
    turns = [("incidents-newer" in page, "incidents-older" in page) for page in pages]
    assert turns == [(False, True), (True, True), (True, False)]
    assert f"{MOST + 1} to {2 * MOST} of {ROWS}" in pages[1]


@pytest.mark.parametrize(
    ("asked", "first"), [("0", 1), ("x", 1), ("-1", 1), ("9" * 30, 1), ("99", 2 * MOST + 1)]
)
def test_a_page_that_is_not_there(many: Path, asked: str, first: int) -> None:
    assert f"{first} to " in repr(page_of(LakeReader(many), "/incidents", f"?page={asked}"))


def test_noise_is_counted_and_turned_apart_from_trouble(tmp_path: Path) -> None:
    rows = [
        incident_row(f"{verdict}{number}", verdict)
        | {"title": f"{verdict} {number};", "ended_at": NOON + number}
        for verdict, count in (("benign", MOST + 2), ("broken", 1))
        for number in range(count)
    ]
    write(tmp_path, "gold.incidents", rows)
    first, second = (
        repr(page_of(LakeReader(tmp_path), "/incidents", f"?page={number}")) for number in (1, 2)
    )
    assert f"{MOST + 2} that may look like trouble" in first
    assert [len(re.findall(rf"{verdict} \d+;", first)) for verdict in ("benign", "broken")] == [MOST, 1]
    assert [len(re.findall(rf"{verdict} \d+;", second)) for verdict in ("benign", "broken")] == [2, 0]
