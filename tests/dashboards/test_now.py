"""The first page: its sentence, its lists, and what a viewer sees of it while time passes."""

import json

import pytest
from playwright.sync_api import expect
from plotly.utils import PlotlyJSONEncoder

from dashboards.app import page_of
from dashboards.pages.burndown import left_words
from dashboards.pages.now import headline
from dashboards.queries import Answer, LakeReader
from dashboards.queries.findings import latest_incidents
from dashboards.queries.health import Now, now, sources
from jobs.sql.query import query_rows
from lab.soak.kills import run_over
from tests.dashboards.lake import HOSTILE, NOON, good_lake, incident_row, sha, write
from tests.story import START, line


def told(warned=0, silent=0, ended=0, **by_status):
    lists = {"warned": Answer("ok", total=warned), "silent": Answer("ok", total=silent)}
    return Now("ok", by_status=by_status, ended_as={"broken": ended, "ok": silent - ended}, **lists)


@pytest.mark.parametrize(
    ("seen", "sentence"),
    [
        (told(ok=3), "Nothing is broken, and nothing nears its limit: 3 clients seen."),
        (told(broken=1, ok=9), "1 client is broken."),
        (told(broken=2, at_risk=1), "2 clients are broken; 1 client can't go on, and its timer runs."),
        (told(at_risk=2, warned=1), "2 clients can't go on, and their timers run; 1 client is near a limit."),
        (told(ok=1, silent=1), "1 writes no logs any more."),
        (told(ok=1, silent=4), "4 write no logs any more."),
        (
            told(broken=1, silent=1, ended=1),
            "1 client is broken; 1 writes no logs any more, and was broken as its log ended.",
        ),
        (told(silent=4, ended=2), "4 write no logs any more, 2 broken as their logs ended."),
    ],
)
def test_the_page_in_a_sentence(seen, sentence):
    assert headline(seen) == sentence


@pytest.mark.parametrize(("at", "words"), [(0, "10 s left"), (10_000, "0 ms left"), (10_001, "-1 ms past")])
def test_time_left(at, words):
    assert left_words(10_000, at) == words.replace("-1", "1")


def test_each_list_has_its_clients(tmp_path):
    found = now(LakeReader(good_lake(tmp_path)))
    assert found.by_status == {"broken": 1, "at_risk": 1, "ok": 1, "closed": 1}
    assert found.ended_as == {"ok": 1}
    assert [row["status"] for row in found.broken.rows] == ["broken"]
    assert [row["client_id"] for row in found.warned.rows] == ["slow"]
    assert [row["client_id"] for row in found.silent.rows] == ["billing-1"]
    assert [row["kind"] for row in found.timers.rows] == ["task"]
    assert found.others.rows == []


def test_the_page_says_what_sql_says(tmp_path):
    lake = good_lake(tmp_path)

    def answered(sql):
        return sorted(tuple(row.values()) for row in query_rows(lake, sql)[1])

    found = now(LakeReader(lake))
    assert sorted(found.by_status.items()) == answered(
        "SELECT status, count(*) FROM gold.client_health WHERE silent_since_at IS NULL GROUP BY 1"
    )
    broken = answered(
        "SELECT client_id, reason FROM gold.client_health WHERE status = 'broken' AND silent_since_at IS NULL"
    )
    assert [(row["client_id"], row["reason"]) for row in found.broken.rows] == broken
    timers = answered("SELECT timer_id, limit_ms FROM gold.open_timers")
    assert [(row["timer_id"], row["limit_ms"]) for row in found.timers.rows + found.others.rows] == timers
    silent = answered("SELECT client_id FROM gold.client_health WHERE silent_since_at IS NOT NULL")
    assert [(row["client_id"],) for row in found.silent.rows] == silent


def test_who_was_broken_as_its_log_ended_is_among_the_silent(tmp_path):
    lake = good_lake(tmp_path)
    (row,) = now(LakeReader(lake)).broken.rows
    write(lake, "gold.client_health", [row | {"silent_since_at": NOON, "checked_at": NOON}])
    found = now(LakeReader(lake))
    assert (found.broken.total, found.ended_as["broken"]) == (0, 1)
    drawn = json.dumps(page_of(LakeReader(lake), "/"), cls=PlotlyJSONEncoder)
    assert drawn.index("broken then: ") < drawn.index(f"/incident/{row['incident_id']}")


def test_a_list_that_cannot_be_read_is_not_an_empty_one(tmp_path):
    good_lake(tmp_path)
    path = tmp_path / "gold" / "open_timers"
    for log in (path / "_delta_log").glob("*.json"):
        log.write_text("not a log")
    assert now(LakeReader(tmp_path)).state == "failed"


def test_a_source_tells_when_it_last_wrote(tmp_path):
    (row,) = sources(LakeReader(good_lake(tmp_path))).rows
    assert (row["newest_at"], row["lines_unparsed"]) == (NOON - 2_000, 1)


def test_the_line_before_which_nothing_came_for_long_is_the_last(tmp_path):
    """Where it may go on it is read again with what follows: it is the newest all the same."""
    logs, lake = tmp_path / "logs", tmp_path / "lake"
    logs.mkdir()
    lines = [line(ms, "INFO", "org.apache.kafka.A", "one") for ms in (0, 3_600_000)]
    (logs / "a.log").write_text("\n".join(lines))
    run_over(lake, logs)
    (row,) = sources(LakeReader(lake)).rows
    assert row["newest_at"] == START.timestamp() * 1000 + 3_600_000


@pytest.mark.parametrize(
    ("tables", "state"),
    [([], "state-missing"), (["gold.client_health"], "state-empty"), (None, "state-no-lake")],
)
def test_without_rows_it_says_why(tmp_path, tables, state):
    for table in tables or []:
        write(tmp_path, table, [])
    lake = LakeReader(tmp_path if tables is not None else tmp_path / "none")
    drawn = json.dumps(page_of(lake, "/"), cls=PlotlyJSONEncoder)
    assert f'"{state}"' in drawn
    assert "now-sentence" not in drawn


def test_a_broken_client_leads_to_what_it_is_a_part_of_and_that_stands_among_the_latest(tmp_path):
    root, whole = good_lake(tmp_path), sha("whole")
    part = incident_row("left", "as_designed") | {"parent_incident_id": whole}
    fleet = incident_row("whole", "as_designed") | {"ended_at": None, "title": f"Two lost broker 1 {HOSTILE}"}
    write(
        root, "gold.incidents", [part, fleet, incident_row("undated", "as_designed") | {"started_at": None}]
    )
    lake = LakeReader(root)
    assert [row["incident_id"] for row in latest_incidents(lake, 6).rows] == [whole]
    drawn = json.dumps(page_of(lake, "/"), cls=PlotlyJSONEncoder)
    assert drawn.count(f"/incident/{whole}") == 2
    assert "part of: " in drawn
    assert ", no end is logged" in drawn
    told = json.dumps(page_of(lake, f"/incident/{part['incident_id']}"), cls=PlotlyJSONEncoder)
    assert f"/incident/{whole}" in told
    assert "Part of" not in json.dumps(page_of(lake, f"/incident/{whole}"), cls=PlotlyJSONEncoder)


def test_what_is_broken_for_whom_since_when(site):
    page = site.open("/")
    expect(page.locator("#now-sentence")).to_have_text(
        "1 client is broken; 1 client can't go on, and its timer runs; 1 client is near a limit; 1 writes no logs any more."
    )
    broken = page.locator("#now-broken li")
    expect(broken).to_contain_text("kicked out <img src=x")
    expect(broken).to_contain_text("since")
    expect(page.locator("#now-timers li")).to_contain_text("task.timeout.ms = 1 h, from the client's own log")
    expect(page.locator("#now-warnings")).to_contain_text("290 s of 300 s")
    expect(page.locator("#now-silent")).to_contain_text("billing/b.log")
    expect(page.locator("#freshness-strip")).to_contain_text("no logs from billing since")
    expect(page.locator("#now-sources .ag-row")).to_contain_text("90.0 %")


def test_timers_burn_down_while_nothing_is_asked(site):
    page = site.open("/")
    left = page.locator("#now-timers .left").first
    before = left.inner_text()
    assert before.endswith(" left")
    expect(left).not_to_have_text(before)
    width = page.locator("#now-timers .fill").first.evaluate("bar => bar.style.width")
    assert 50 < float(width.removesuffix("%")) < 100


def test_times_are_the_viewers_and_utc_is_one_click_away(site):
    page = site.open("/")
    since = page.locator("#now-broken time").first
    assert since.get_attribute("title").endswith(" UTC")
    local = since.inner_text()
    page.locator("#app-zone").click()
    expect(page.locator("#app-zone")).to_have_text("UTC")
    expect(since).to_have_text(since.get_attribute("datetime").replace("T", " ").removesuffix("Z"))
    page.locator("#app-zone").click()
    expect(since).to_have_text(local)
