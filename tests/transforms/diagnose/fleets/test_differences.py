"""Where the clients of one service have other values than each other."""

import pytest

from transforms.diagnose.fleets.differences import differences, latest


def setting(
    client: str, name: str, value: str, at: int | None = 0, incarnation: int = 0, kind: str = "consumer"
):
    return {"unit_id": f"u-{client}", "client_id": client, "client_kind": kind, "name": name, "value": value,
            "origin": "logged", "from_at": at, "until_at": None, "incarnation": incarnation}  # fmt: skip


def told(rows):
    return [(one.client_kind, one.name, one.values) for one in differences(latest(rows))]


@pytest.mark.parametrize(
    ("rows", "differ"),
    [
        pytest.param([], [], id="nothing known"),
        pytest.param([setting("a", "x", "1"), setting("b", "x", "1")], [], id="the same"),
        pytest.param([setting("a", "x", "1"), setting("b", "y", "2")], [], id="each has its own names"),
        pytest.param(
            [setting("a", "client.id", "a"), setting("b", "client.id", "b")], [], id="meant to differ"
        ),
        pytest.param([setting("a", "x", "1"), setting("b", "x", "2", kind="producer")], [], id="two kinds"),
        pytest.param(
            [setting("a", "x", "1", 0), setting("a", "x", "2", 9)], [], id="one client, one after the other"
        ),
        pytest.param(
            [setting("a", "x", "2", 5, 0), setting("a", "x", "1", 1, 1), setting("b", "x", "1")],
            [],
            id="a later start of the process holds, whatever its clock said",
        ),
        pytest.param(
            [setting("a", "x", "1"), setting("b", "x", "2"), setting("c", "x", "2")],
            [("consumer", "x", (("2", ("b", "c")), ("1", ("a",))))],
            id="one has another value",
        ),
    ],
)
def test_where_a_fleet_differs(rows, differ):
    assert told(rows) == differ
