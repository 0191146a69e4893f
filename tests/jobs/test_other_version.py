"""A lake that an older kipwatch made, without a table or a column: one sentence with what, where, and what to do; exit 2."""

import json
import shutil

import pytest

from conf.settings import load_conf
from jobs.cli import _guarded, app
from jobs.pipeline import Input, open_lake, trigger
from jobs.progress import Progress
from lab.corpus import ROOT as RECORDINGS
from lab.soak.kills import NO_SESSION
from lab.soak.rows import rows_of, versions
from tests.dashboards.lake import without

CONF = load_conf()
LOG = str(RECORDINGS / "p62-poll-lt-session-42" / "consumer-a.app.log.gz")
LACKS = "gold.client_health has no column by_metrics: another version of kipwatch made it"
ALSO = "gold.violations has no columns severity and worst_ms: another version of kipwatch made it"
TODO = "read the same logs again into a new lake: kipwatch run --logs PATH --lake NEW_DIR"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    lake = tmp_path_factory.mktemp("made") / "lake"
    with open_lake(lake, CONF) as opened:
        trigger(NO_SESSION, opened, Input([LOG]), CONF, Progress(is_shown=False), job="run")
    return lake


@pytest.fixture
def older(made, tmp_path):
    lake = tmp_path / "lake"
    shutil.copytree(made, lake)
    without(lake, "gold.client_health", "by_metrics")
    without(lake, "gold.violations", "severity", "worst_ms")
    return lake


@pytest.fixture
def said(monkeypatch, capsys):
    """What a command says on its way out, with its exit code."""
    monkeypatch.setattr("jobs.engine.session.spark_session", lambda _conf: NO_SESSION)

    def of(*arguments):
        with pytest.raises(SystemExit) as ended:
            _guarded(lambda: app(list(map(str, arguments)), standalone_mode=True))
        told = capsys.readouterr()
        assert told.out == ""
        return ended.value.code, told.err

    return of


@pytest.mark.parametrize("command", ["run", "stream"])
def test_nothing_is_written_into_it(older, said, command):
    before = {table: rows_of(older, table) for table in ("gold.incidents", "bronze.log_records")}
    code, told = said(command, "--logs", LOG, "--lake", older)
    assert (code, told.strip().splitlines()[-1]) == (2, f"kipwatch: {older}: {ALSO}; {TODO}")
    assert {table: rows_of(older, table) for table in before} == before


def test_maintain_leaves_it_alone(older, said):
    assert said("maintain", "--lake", older) == (2, f"kipwatch: {older}: {ALSO}; {TODO}\n")


def test_a_table_that_is_not_there_is_not_made_beside_what_was_read(made, tmp_path, said):
    """It would say that what was read before has none of it."""
    lake = tmp_path / "lake"
    shutil.copytree(made, lake)
    shutil.rmtree(lake / "gold" / "open_timers")
    code, told = said("run", "--logs", LOG, "--lake", lake)
    lacks = "gold.open_timers is not there: another version of kipwatch made the lake"
    assert (code, told.strip().splitlines()[-1]) == (2, f"kipwatch: {lake}: {lacks}; {TODO}")
    assert not (lake / "gold" / "open_timers").exists()


def test_a_table_of_a_later_release_that_is_true_without_rows_is_made(made, tmp_path):
    lake = tmp_path / "lake"
    shutil.copytree(made, lake)
    shutil.rmtree(lake / "gold" / "notifications")
    with open_lake(lake, CONF) as opened:
        assert opened.is_empty("gold.notifications")


def test_a_lake_that_was_killed_while_it_was_made_is_made(made, tmp_path):
    lake = tmp_path / "lake"
    with open_lake(lake, CONF):
        pass
    shutil.rmtree(lake / "gold" / "open_timers")
    with open_lake(lake, CONF) as opened:
        trigger(NO_SESSION, opened, Input([LOG]), CONF, Progress(is_shown=False), job="run")
    assert versions(lake).keys() == versions(made).keys()


@pytest.mark.parametrize(
    ("sql", "lacks"),
    [
        ("SELECT client_id, by_metrics FROM gold.client_health", LACKS),
        ("SELECT v.explanation FROM gold.violations v WHERE v.severity = 'error'", ALSO),
    ],
)
def test_a_query_for_what_it_has_not(older, said, sql, lacks):
    assert said("query", sql, "--lake", older) == (2, f"kipwatch: {older}: {lacks}; {TODO}\n")


def test_a_query_that_fails_for_another_reason_names_the_columns_there_are(older, said):
    code, told = said("query", "SELECT no_such FROM gold.client_health", "--lake", older)
    assert code == 2
    assert "gold.client_health has client_id, " in told
    assert "by_metrics" not in told


def test_a_story_that_can_not_be_told(made, older, said):
    (row, *_) = rows_of(made, "gold.violations")
    found = said("explain", json.loads(row)["violation_id"], "--lake", older)
    assert found == (2, f"kipwatch: {older}: {ALSO}; {TODO}\n")
