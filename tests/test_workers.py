"""Tests that share something are run in one worker, and a module's others in one."""

import pytest

from tests.workers import group_of, scope_of


@pytest.mark.parametrize(
    ("fixtures", "group"),
    [
        pytest.param(["tmp_path"], None, id="shares nothing"),
        pytest.param(["conf", "spark"], "spark", id="the session"),
        pytest.param(["browser", "spark"], "spark", id="both: where it takes longest"),
        pytest.param(["broker"], "spark", id="the broker's messages are read by Spark"),
        pytest.param(["site", "browser"], "browser", id="the browser"),
    ],
)
def test_a_test_goes_where_its_fixtures_are(fixtures, group):
    assert group_of(fixtures) == group


@pytest.mark.parametrize(
    ("nodeid", "scope"),
    [
        ("tests/a.py::test_b[c]@spark", "spark"),
        ("tests/a.py::test_b[c@d]", "tests/a.py"),
        ("tests/a.py::test_b", "tests/a.py"),
    ],
)
def test_a_test_goes_with_its_group_or_its_module(nodeid, scope):
    assert scope_of(nodeid) == scope
