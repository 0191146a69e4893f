"""What a page sets anew when its address or the lake has changed, and what it leaves to the viewer."""

import json

import pytest

from dashboards.app import create_app
from tests.dashboards.lake import good_lake, sha


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    return good_lake(tmp_path_factory.mktemp("lake"))


def followed(lake, output, page, search, shown, **held):
    """What a page's callback that follows the address and the lake sets: by component and property."""
    client = create_app(lake).server.test_client()
    known = json.loads(client.get("/_dash-dependencies").text)
    found = next(one for one in known if output in one["output"])
    names = found["output"].strip(".").split("...")
    outputs = [dict(zip(("id", "property"), name.rsplit(".", 1), strict=True)) for name in names]
    values = {"search": search, "pathname": f"/{page}", f"{page}-shown": shown, **held}
    taken = {
        kind: [one | {"value": values.get(one["property"], values.get(one["id"]))} for one in found[kind]]
        for kind in ("inputs", "state")
    }
    asked = {"output": found["output"], "outputs": outputs, "changedPropIds": ["app-version.data"], **taken}
    response = json.loads(client.post("/_dash-update-component", json=asked).text)["response"]
    return {f"{part}.{name}" for part, properties in response.items() for name in properties}


@pytest.mark.parametrize(
    ("page", "output", "rows", "filters"),
    [
        (
            "violations",
            "violations-grid.rowData",
            "violations-grid.rowData",
            ["page", "sort", "service", "drawer"],
        ),
        ("incidents", "incidents-body.children", "incidents-body.children", ["service", "kind"]),
    ],
)
def test_a_new_commit_draws_rows_and_leaves_alone_what_the_viewer_sets(lake, page, output, rows, filters):
    """He may just have set it: a value that is set anew drops his, which is under way."""
    drawn = followed(lake, output, page, "?service=shop", "?service=shop")
    assert rows in drawn
    assert not [
        name for name in drawn for one in filters if name in (f"{page}-{one}.value", f"{page}-{one}.opened")
    ]
    assert f"{page}-service.value" in followed(lake, output, page, "?service=shop", "")


def test_an_opened_row_is_selected_once(lake):
    row_id = sha("late-leave")
    output, search = "violations-grid.rowData", f"?open={row_id}"
    for shown, held, is_set in (
        (search, [], False),
        ("", [], True),
        ("", [{"id": row_id}], False),
        ("", {"ids": [row_id]}, False),
    ):
        drawn = followed(lake, output, "violations", search, shown, selectedRows=held)
        assert ("violations-grid.selectedRows" in drawn) == is_set
