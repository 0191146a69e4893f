"""What leaves as Markdown: an incident with its proof, and a shift; log text marks nothing up there."""

import pytest

from dashboards.app import create_app
from dashboards.hand_over import shift_markdown
from dashboards.queries import LakeReader
from tests.dashboards.lake import HOSTILE, NOON, good_lake, sha
from tests.jobs.lakes import write

HOUR = 3_600_000


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return good_lake(tmp_path_factory.mktemp("lake"))


@pytest.fixture(scope="module")
def client(root):
    return create_app(root).server.test_client()


def test_an_incident_leaves_with_its_proof_and_a_link(root, client):
    row = next(one for one in LakeReader(root).read("gold.incidents").rows if one["verdict"] != "benign")
    told = client.get(f"/export/incident/{row['incident_id']}.md")
    assert told.mimetype == "text/markdown"
    assert told.text.startswith("**")
    assert "```text" in told.text
    assert f"(http://localhost/incident/{row['incident_id']})" in told.text
    page = client.get(f"/export/incident/{sha('nobody')}.md")
    assert page.status_code == 404


def made(tmp_path, *incidents):
    write(tmp_path, "silver.client_events", {"event_id": sha("e"), "happened_at": NOON})
    write(
        tmp_path,
        "gold.incidents",
        *(
            {"incident_id": sha(name), "title": name, "cause": "c", "advice": "a", "verdict": "as_designed",
             "impact": "delayed", "service": "orders", **more}
            for name, more in incidents
        ),
    )  # fmt: skip
    return LakeReader(tmp_path)


def test_a_shift_has_what_goes_on_first_and_nothing_older(tmp_path):
    lake = made(
        tmp_path,
        ("over", {"started_at": NOON - HOUR, "ended_at": NOON - HOUR + 5_000}),
        ("goes on", {"started_at": NOON - 20 * HOUR}),
        ("before", {"started_at": NOON - 9 * HOUR, "ended_at": NOON - 8 * HOUR - 1}),
        ("benign one", {"started_at": NOON, "verdict": "benign"}),
        ("a part", {"started_at": NOON, "parent_incident_id": sha("over")}),
        ("another's", {"started_at": NOON, "service": "billing"}),
    )
    text = shift_markdown(lake, 8, {"service": "orders"}, "https://kipwatch.example/")
    titles = [line.removeprefix("- ").strip("*") for line in text.splitlines() if line.startswith("- **")]
    assert titles == ["goes on", "over"]
    assert text.index("## Goes on") < text.index("## Over")
    assert ", for 5 s; as designed, impact delayed" in text
    assert f"[{sha('over')[:12]}](https://kipwatch.example/incident/{sha('over')})" in text


def test_log_text_marks_nothing_up(tmp_path):
    text = shift_markdown(made(tmp_path, (f"{HOSTILE} [x](y)", {"started_at": NOON})), 8, {}, "/")
    assert "<img" not in text.replace("\\<", "")
    assert "[x](y)" not in text


def test_nothing_is_said_to_be_nothing(tmp_path):
    assert "No incident in this time. Of the whole lake: " in shift_markdown(made(tmp_path), 8, {}, "/")
    assert "No log line has a time" in shift_markdown(LakeReader(tmp_path / "none"), 8, {}, "/")


@pytest.mark.parametrize("hours", ["", "0", "-1", "8.5", "x", "99999999999999999999"])
def test_what_is_no_number_of_hours_is_said(client, hours):
    assert client.get(f"/export/hand-over.md?hours={hours}").status_code == 400
