"""Pages of rebuilt timers: their numbers are those that SQL gives over the same lake, for every filter."""

from dataclasses import replace

import pytest

from dashboards.pages import PAGES, backoff, batches, liveness, timers
from dashboards.pages.chosen import Chosen
from dashboards.pages.episodes import NOT_LISTED, OUTSIDE
from dashboards.pages.page import Address, query_of
from dashboards.pages.selected import PATHS, episode_href
from dashboards.queries import LakeReader
from dashboards.queries.proof import EPISODE_IDS
from dashboards.queries.waits import MOST_WAITS, of_client, rates
from jobs.sql.query import query_rows
from tests.dashboards.episode_lake import OTHER, WAITS, episode_lake, wait
from tests.dashboards.lake import HOSTILE, NOON, episode_row, sha, write

CHOSEN = {
    "all": (Chosen(), "true"),
    "a service": (Chosen(service="billing"), "service = 'billing'"),
    "a client": (Chosen(client="orders-producer"), "client_id = 'orders-producer'"),
    "nobody": (Chosen(client="' OR 1=1 --"), "false"),
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    return episode_lake(tmp_path_factory.mktemp("lake"), with_open=True)


def sql(lake, columns, table, where="true", more=""):
    return [
        tuple(row.values())
        for row in query_rows(lake, f"SELECT {columns} FROM {table} WHERE {where} {more}")[1]
    ]


def cells(rows, *names):
    return sorted((tuple(row[name] for name in names) for row in rows), key=repr)


@pytest.mark.parametrize(("chosen", "where"), CHOSEN.values(), ids=CHOSEN)
def test_task_timers(lake, chosen, where):
    view = timers.EPISODES.view(LakeReader(lake), chosen)
    wanted = sql(
        lake, "timer_id, outcome, stalled_ms, task_timeout_ms, attempts", "silver.task_timers", where
    )
    (rows,) = view.rows or [[]]
    assert cells(rows, "id", "outcome", "stalled", "limit", "attempts") == sorted(wanted, key=repr)


def test_what_is_left_of_an_open_timer_counts_to_its_process_newest_line(lake):
    ((deadline,),) = sql(lake, "deadline_at", "silver.task_timers", "outcome = 'open'")
    write(lake, "silver.client_events", [_line(NOON + 10_000, **OTHER), _line(NOON + 50_000)])
    view = timers.EPISODES.view(LakeReader(lake), Chosen())
    (row,) = [row for row in view.rows[0] if row["outcome"] == "open"]
    ((newest,),) = sql(lake, "max(happened_at)", "silver.client_events", "unit_id = 'billing/app.log'")
    assert row["left"] == (deadline - newest).total_seconds() * 1000 == 13_000
    assert view.summary.startswith(
        "Task 1_0 makes no progress: 13 s left of 25 s allowed (from the client's own log)"
    )


@pytest.mark.parametrize(("chosen", "where"), CHOSEN.values(), ids=CHOSEN)
def test_backoff(lake, chosen, where):
    view = backoff.EPISODES.view(LakeReader(lake), chosen)
    wanted = sql(
        lake,
        "sequence_id, count(*), sum(CASE WHEN waited_ms < shortest_ms - 1 THEN 1 ELSE 0 END), "
        "min(waited_ms), max(waited_ms)",
        "silver.backoff_attempts",
        where,
        "GROUP BY sequence_id",
    )
    (rows,) = view.rows or [[]]
    assert cells(rows, "id", "retries", "short", "shortest", "longest") == sorted(wanted, key=repr)


def test_backoff_shows_the_waits_of_the_client_that_its_answer_names(lake):
    view = backoff.EPISODES.view(LakeReader(lake), Chosen())
    assert view.summary.startswith("hasty-admin retried METADATA 4 times")
    drawn = {
        x: y
        for trace in view.figures[0].data
        if trace.mode == "markers"
        for x, y in zip(trace.x, trace.y, strict=True)
    }
    assert drawn == dict(
        sql(lake, "failures, waited_ms", "silver.backoff_attempts", "client_id = 'hasty-admin'")
    )


def test_the_fleets_retries_are_all_counted(lake):
    counts, bin_ms = rates(LakeReader(lake), Chosen().scope)
    assert sum(row["retries"] for row in counts) == len(WAITS)
    assert bin_ms == 1_000
    busy = {(row["who"], row["at"]) for row in counts}
    assert ("orders-producer", NOON + 2_000) in busy


def test_a_client_that_retries_without_end_is_drawn_by_its_extremes(tmp_path):
    hot = [wait("hot", n, n % 7, **OTHER) for n in range(1, 3 * MOST_WAITS)]
    write(tmp_path, "silver.backoff_attempts", [episode_row(one) for one in hot])
    sequence = {"unit_id": "billing/app.log", "client_id": "orders-producer", "api": "PRODUCE"}
    found = of_client(LakeReader(tmp_path), sequence, Chosen().scope)
    assert found.total == len(hot)
    drawn = {row["failures"]: row["waited_ms"] for row in found.rows}
    assert len(drawn) <= MOST_WAITS
    assert set(range(1, 41)) <= set(drawn)
    assert {min(drawn.values()), max(drawn.values())} == {0, 6}
    assert all(waited == failures % 7 for failures, waited in drawn.items())


@pytest.mark.parametrize(("chosen", "where"), CHOSEN.values(), ids=CHOSEN)
def test_batches(lake, chosen, where):
    view = batches.EPISODES.view(LakeReader(lake), chosen)
    columns = "batch_id, outcome, age_ms, delivery_timeout_ms, records, waiting_ms, in_flight_ms"
    wanted = sql(lake, columns, "silver.batch_lifetimes", where)
    (rows,) = view.rows or [[]]
    shown = cells(rows, "id", "outcome", "age", "limit", "records", "waiting", "in_flight")
    assert shown == sorted(wanted, key=repr)
    for outcome, count in sql(lake, "outcome, count(*)", "silver.batch_lifetimes", where, "GROUP BY outcome"):
        assert f"{count} batch{'es' if count > 1 else ''} {outcome}" in view.notes[0][0]


@pytest.mark.parametrize(("chosen", "where"), CHOSEN.values(), ids=CHOSEN)
def test_liveness(lake, chosen, where):
    view = liveness.EPISODES.view(LakeReader(lake), chosen)
    columns = "session_id, max_poll_gap_ms, max_poll_interval_ms, session_timeout_ms, generation"
    wanted = sql(lake, columns, "silver.liveness_sessions", where)
    rows = view.rows[0] if view.rows else []
    shown = cells(rows, "id", "gap", "poll_limit", "session_limit", "generation")
    assert shown == sorted(wanted, key=repr)


def test_rebalances_are_those_of_the_groups_whoever_tells_them(lake):
    wanted = sql(
        lake,
        "rebalance_id, trigger, coalesce(triggered_by, 'unknown'), slowest_member",
        "silver.group_rebalances",
    )
    for chosen in (Chosen(), Chosen(service="orders"), Chosen(client="consumer-a")):
        rows = liveness.EPISODES.view(LakeReader(lake), chosen).rows[1]
        assert cells(rows, "id", "trigger", "by", "slowest") == sorted(wanted, key=repr)
    assert liveness.EPISODES.view(LakeReader(lake), Chosen(service="billing")).rows[1] == []


def test_a_limit_says_where_it_came_from(lake):
    said = liveness.EPISODES.view(LakeReader(lake), Chosen()).summary
    assert "limit max.poll.interval.ms = 8 s, from the client's own log" in said


@pytest.mark.parametrize(
    ("since", "until", "found"),
    [
        (NOON - 1, NOON + 1, {"expired", "closed", "open"}),
        (NOON + 14_109, None, {"expired", "closed", "cleared", "no-limit", "hostile", "open"}),
        (NOON + 14_110, NOON + 15_000, {"closed", "open"}),
        (None, NOON - 1, {"open"}),
        (NOON - 9_000, NOON - 2_001, set()),
    ],
)
def test_a_window_has_what_was_under_way_in_it(lake, since, until, found):
    view = timers.EPISODES.view(LakeReader(lake), Chosen(from_at=since, to_at=until))
    assert {row["id"] for rows in view.rows for row in rows} == {sha(name) for name in found}


@pytest.mark.parametrize(
    ("page", "name", "facts"),
    [
        (timers, "expired", ("14109 ms", "8000 ms, from the client's own log")),
        (backoff, "hasty", ("4 of 4 whose bounds are known", "80 to 960 ms")),
        (batches, "late", ("13006 ms", "+3006 ms", "8005 ms")),
        (liveness, "slow", ("14055 ms", "+6055 ms", "after 7300 ms")),
        (liveness, "after-leave", ("consumer-a-slow", "1282 ms")),
    ],
)
def test_the_selected_episode_is_told_to_the_ms(lake, page, name, facts):
    view = page.EPISODES.view(LakeReader(lake), Chosen(selected=sha(name)))
    told = str([part.to_plotly_json() for part in view.detail])
    assert all(fact in told for fact in facts)
    assert "from=2026" in told


@pytest.mark.parametrize(
    "chosen",
    [Chosen(service="payments"), Chosen(client="nobody"), Chosen(to_at=NOON - 86_400_000)],
    ids=["another service", "a client that is none", "another time"],
)
@pytest.mark.parametrize(
    ("page", "name"),
    [
        (timers, "expired"),
        (backoff, "hasty"),
        (batches, "late"),
        (liveness, "slow"),
        (liveness, "after-leave"),
    ],
)
def test_an_episode_outside_the_filters_is_told_and_said_to_be(lake, page, name, chosen):
    asked, linked = LakeReader(lake), Chosen(selected=sha(name))
    drawn = repr(page.EPISODES.layout(asked, address(replace(chosen, selected=sha(name)))))
    (*own,) = page.EPISODES.view(asked, linked).detail
    assert OUTSIDE in drawn
    assert all(repr(part) in drawn for part in own)
    assert "outside" not in repr(page.EPISODES.layout(asked, address(linked)))


def test_one_of_more_than_a_list_holds_is_told_too(lake, monkeypatch):
    *_, last = liveness.EPISODES.view(LakeReader(lake), Chosen()).rows[0]
    monkeypatch.setattr("dashboards.queries.episodes.MOST_LISTED", 1)
    drawn = repr(liveness.EPISODES.layout(LakeReader(lake), address(Chosen(selected=last["id"]))))
    assert NOT_LISTED in drawn
    assert "Outcome" in drawn


def address(chosen):
    return Address((), query_of(chosen.search))


@pytest.mark.parametrize("page", [timers, backoff, batches, liveness])
def test_no_lake_no_table_and_no_rows_are_told_apart(page, tmp_path):
    assert page.EPISODES.view(LakeReader(tmp_path / "none"), Chosen()).state.state == "no_lake"
    assert page.EPISODES.view(LakeReader(tmp_path), Chosen()).state.state == "missing"
    write(tmp_path, page.EPISODES.table, [])
    view = page.EPISODES.view(LakeReader(tmp_path), Chosen())
    assert (view.state.state, view.rows) == ("ok", ())
    for log in (tmp_path / "silver").glob("*/_delta_log/*.json"):
        log.write_text("{", encoding="utf-8")
    assert page.EPISODES.view(LakeReader(tmp_path), Chosen()).state.state == "failed"


@pytest.mark.parametrize("page", [timers, backoff, batches, liveness])
@pytest.mark.parametrize("selected", ["", "nonsense", "f" * 64, HOSTILE])
def test_a_selection_that_is_none_selects_nothing(lake, page, selected):
    assert list(page.EPISODES.view(LakeReader(lake), Chosen(selected=selected)).detail) == []


@pytest.mark.parametrize("table", EPISODE_IDS)
def test_every_episode_has_an_address(table):
    assert PATHS[table] in {page.path for page in PAGES}
    assert episode_href(table, "a b") == f"/{PATHS[table]}?selected=a+b"


def test_what_is_no_episode_has_none():
    assert episode_href("gold.violations", "x") is None


def _line(at, **unit):
    line = {
        "event_id": sha(f"{at}"), "record_id": sha(f"{at}"), "kind": "other_kafka", "message_id": "m",
        "unit_id": "orders/app.log", "incarnation": 0, "source_id": "s", "source": "s", "offset": 0, "line": 1,
        "position": 0, "happened_at": at, "ordered_at": at, "time_origin": "logged",
    }  # fmt: skip
    return line | unit
