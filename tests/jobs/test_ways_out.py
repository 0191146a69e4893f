"""Every shape of secret in one log that is read for real: no canary comes out by any way that kipwatch tells anything."""

import io
import random

import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from rich.console import Console

from conf.settings import load_conf
from dashboards.app import create_app, page_of
from dashboards.pages import PAGES
from dashboards.queries import LakeReader
from expectations import TABLES
from jobs.explain.by_id import explain_id
from jobs.explain.files import explain_logs
from jobs.explain.forms import FORMATS as EXPLAINED
from jobs.explain.forms import print_as
from jobs.pipeline import Input, open_lake
from jobs.sql.query import FORMATS, run_query
from jobs.streaming.stream import Stream
from lab.score.secrets import CANARY, WAYS, shapes
from lab.soak.kills import NO_SESSION, QUIET
from tests.jobs.broken import recording
from transforms.diagnose.fleets.notices import due
from transforms.errors import KipwatchError

ROOT = "http://localhost"


def found_in(text):
    """The canaries of a text, with what stands around the first."""
    found = CANARY.search(text)
    return text[max(0, found.start() - 60) : found.end() + 20] if found else None


@pytest.fixture(scope="module")
def streamed(tmp_path_factory):
    """Four logs, each with all shapes in another way, and the lake that a stream made of them."""
    logs, lake = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("lake")
    clean = recording("p580-static-35", "app.log").decode()
    for name, way in WAYS.items():
        folder = logs / name
        folder.mkdir()
        text = way(clean, random.Random(name))
        assert len(CANARY.findall(text)) > len(shapes()) / 2, name
        (folder / "app.log").write_text(text)
    conf = load_conf()
    with open_lake(lake, conf) as opened:
        Stream(NO_SESSION, opened, Input([str(logs)]), conf, QUIET).once()
    return logs, lake


@pytest.fixture(scope="module")
def ids(streamed):
    _, lake = streamed
    found = {
        key: DeltaTable(str(lake / "gold" / table)).to_pyarrow_table().column(key).to_pylist()[:2]
        for table, key in (("violations", "violation_id"), ("incidents", "incident_id"))
    }
    assert all(found.values())
    return found


def test_no_file_of_the_lake_holds_one(streamed):
    _, lake = streamed
    files = [path for path in lake.rglob("*") if path.is_file()]
    for path in files:
        content = path.read_bytes().decode("latin-1")
        if path.suffix == ".parquet":
            content = repr(pq.read_table(path).to_pylist()) + repr(pq.read_metadata(path))
        assert found_in(content) is None, path
    assert {".parquet", ".json", ".prom"} <= {path.suffix for path in files}


@pytest.fixture(scope="module")
def told(streamed):
    """What `explain` says of the logs, before it is printed in a form."""
    return explain_logs([str(streamed[0])], Console(file=io.StringIO()), "json")


@pytest.mark.parametrize("form", EXPLAINED)
def test_no_explanation_tells_one(streamed, told, ids, form):
    _, lake = streamed
    out = io.StringIO()
    print_as(form, told, Console(file=out, width=200), lists_unjudged=True)
    for one in (*ids["violation_id"], *ids["incident_id"]):
        explain_id(lake, one, Console(file=out, width=200), form)
    assert len(out.getvalue()) > 2000
    assert found_in(out.getvalue()) is None


@pytest.mark.parametrize("form", FORMATS)
def test_no_query_gives_one(streamed, form, query_here):
    _, lake = streamed
    for name in TABLES:
        out = io.StringIO()
        run_query(lake, f"SELECT * FROM {name} LIMIT 2000", form, out)
        assert found_in(out.getvalue()) is None, name


def test_no_page_shows_one_and_no_export_has_one(streamed, ids):
    _, lake = streamed
    reader = LakeReader(lake)
    ways = {"finding": ids["violation_id"], "incident": ids["incident_id"]}
    addresses = [page.href for page in PAGES if not page.takes]
    addresses += [f"/{path}/{one}" for path, known in ways.items() for one in known]
    for address in addresses:
        assert found_in(repr(page_of(reader, address))) is None, address
    client = create_app(lake).server.test_client()
    exports = [f"/export/{page.path}.{form}" for page in PAGES for form in ("csv", "json")]
    exports += [f"/export/incident/{one}.md" for one in ids["incident_id"]]
    exports += ["/export/hand-over.md?hours=700", "/health"]
    told = {address: client.get(address).get_data(as_text=True) for address in exports}
    assert sum(len(text) > 500 for text in told.values()) >= 5
    assert {address: found for address, text in told.items() if (found := found_in(text))} == {}


def test_no_notice_is_sent_with_one(streamed):
    _, lake = streamed
    rows = DeltaTable(str(lake / "gold" / "incidents")).to_pyarrow_table().to_pylist()
    told = [
        {
            key: round(value.timestamp() * 1000) if key.endswith("_at") and value else value
            for key, value in row.items()
        }
        for row in rows
    ]
    notices = due(told, {}, ["x"], max(row["started_at"] or 0 for row in told), 10**12)
    assert notices
    assert found_in(repr(notices) + "".join(notice.body("") for notice in notices)) is None


def test_no_error_repeats_one(tmp_path):
    log = tmp_path / "app.log"
    log.write_text("\n".join(shapes()))
    with pytest.raises(KipwatchError) as told:
        run_query(tmp_path, f"SELECT '{shapes()[0]}' FROM bronze.log_records", "table", io.StringIO())
    out = io.StringIO()
    explain_logs([str(log)], Console(file=out, width=200), "text", lists_unjudged=True)
    assert found_in(str(told.value) + out.getvalue()) is None
