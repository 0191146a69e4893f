"""Figures of rebuilt timers, without a browser: what is drawn is what the rows say, and log text stays text."""

import dataclasses
import json

import pytest

from dashboards.figures import backoff
from dashboards.figures.batches import expiry_order
from dashboards.figures.drawing import at
from dashboards.figures.lane_figure import lanes_figure
from dashboards.figures.limits import beside_limits
from dashboards.theme import BROKEN, CALM, LIMIT, NOTE, OTHER, QUIET, WARN
from tests.dashboards.episode_lake import (
    BATCHES,
    OPEN,
    REBALANCES,
    SESSIONS,
    TIMERS,
    WAITS,
    batch,
    rebalance,
    session,
    timer,
    wait,
)
from tests.dashboards.lake import HOSTILE, NOON, sha
from transforms.episodes import batches, memberships, task_timers
from transforms.episodes.bars import bars_of
from transforms.episodes.lanes import MOST_LANES, Window, readable
from transforms.episodes.lengths import Length

DAY = Window(NOON - 100_000, NOON + 100_000)


def row(episode, **more):
    return dataclasses.asdict(episode) | more


def rows_of(figure):
    """The vertical place of each row of bars, from the top."""
    return sorted({y for trace in figure.data if trace.type == "bar" for y in trace.y})


def bars(figure, colour, pattern=""):
    """(row from 0, ms from noon, length) of each bar that looks so, in order."""
    return sorted(
        (rows_of(figure).index(y), round((base - at(NOON)).total_seconds() * 1000), length)
        for trace in figure.data
        if trace.type == "bar" and (trace.marker.color, trace.marker.pattern.shape) == (colour, pattern)
        for y, base, length in zip(trace.y, trace.base, trace.x, strict=True)
    )


def points(figure, symbol, colour):
    """(row from 0, ms from noon) of each mark that looks so, in order."""
    return sorted(
        (rows_of(figure).index(y), round((x - at(NOON)).total_seconds() * 1000))
        for trace in figure.data
        if trace.type == "scatter" and trace.marker.symbol == symbol
        if colour in (trace.marker.color, trace.marker.line.color)
        for x, y in zip(trace.x, trace.y, strict=True)
    )


def names(figure):
    return [note.text for note in figure.layout.annotations]


def hovers(figure):
    return "\n".join(one[1] for trace in figure.data for one in trace.customdata)


def outlines(figure):
    return [shape for shape in figure.layout.shapes if shape.type == "rect"]


def waterfall(rows, selected=None):
    lengths = [batches.length(one) for one in batches.drawable(rows, selected)]
    return beside_limits(lengths, batches.LIMIT, "ms", selected)


def poll_gaps(rows):
    return beside_limits([memberships.gap(one) for one in memberships.with_gap(rows)], "limit", "ms")


# Task timers ---------------------------------------------------------------------------------------


def drawn_timers(rows, attempts=None, window=DAY, selected=None):
    lanes = task_timers.task_lanes(rows, attempts or {}, window, selected)
    return lanes_figure(readable(lanes, selected), window, selected=selected)


def test_a_stall_is_calm_up_to_its_deadline_and_red_beyond():
    figure = drawn_timers([row(TIMERS[0])], {TIMERS[0].timer_id: [NOON, NOON + 7_060]})
    assert bars(figure, CALM) == [(0, 0, 8_000)]
    assert bars(figure, BROKEN) == [(0, 8_000, 6_109)]
    assert points(figure, "line-ns", LIMIT) == [(0, 8_000)]
    assert points(figure, "line-ns", NOTE) == [(0, 0), (0, 7_060)]
    assert points(figure, "x", BROKEN) == [(0, 14_109)]
    assert names(figure) == ["task 0_1: expired after 14.1 s of 8 s · StreamThread-1 · orders"]


@pytest.mark.parametrize(("is_inferred", "symbol"), [(True, "circle-open"), (False, "circle")])
def test_a_start_that_was_computed_looks_different(is_inferred, symbol):
    figure = drawn_timers([row(timer("t", 5, 10, "expired", is_inferred=is_inferred))])
    assert points(figure, symbol, CALM) == [(0, 5)]


def test_an_open_timer_goes_on_to_the_newest_line_and_says_what_is_left():
    figure = drawn_timers([row(OPEN, seen_until=NOON + 10_000)])
    assert bars(figure, WARN, "/") == [(0, -2_000, 12_000)]
    assert bars(figure, QUIET) == [(0, 10_000, 13_000)]
    assert names(figure)[0].startswith("task 1_0: 13 s left")
    past = drawn_timers([row(OPEN, seen_until=NOON + 25_000)])
    assert bars(past, BROKEN) == [(0, 23_000, 2_000)]
    assert names(past)[0].startswith("task 1_0: 2 s past its deadline")


def test_an_unknown_limit_has_no_deadline_and_no_red():
    figure = drawn_timers([row(TIMERS[3])])
    assert bars(figure, CALM) == [(0, 40_000, 900)]
    assert points(figure, "line-ns", LIMIT) == bars(figure, BROKEN) == []


def test_only_what_the_window_holds_has_a_lane():
    rows = [row(one) for one in TIMERS]
    assert len(names(drawn_timers(rows, window=Window(NOON + 19_000, NOON + 41_000)))) == 2
    assert names(drawn_timers(rows, window=Window(NOON + 90_000, NOON + 91_000))) == []
    many = [row(timer(str(n), 0, 5, "cleared", task_id=f"0_{n}")) for n in range(MOST_LANES + 5)]
    assert len(names(drawn_timers(many))) == MOST_LANES
    last = max(many, key=lambda one: one["task_id"])
    figure = drawn_timers(many, selected=last["timer_id"])
    assert len(names(figure)) == MOST_LANES
    assert names(figure)[-1].startswith(f"task {last['task_id']}:")


def test_hovering_tells_the_exact_ms_the_limit_and_its_origin():
    told = hovers(drawn_timers([row(TIMERS[0])]))
    for part in (
        "without progress for 14109 ms",
        "task.timeout.ms = 8 s",
        "from the client's own log",
        "12:00:08.000",
    ):
        assert part in told


# Backoff -------------------------------------------------------------------------------------------


def test_waits_lie_over_the_band_of_what_is_legal():
    figure = backoff.waits([row(one) for one in WAITS[:3]])
    drawn = {trace.name: (list(trace.x), list(trace.y)) for trace in figure.data}
    assert drawn["waited"] == ([1, 2, 3], [100, 200, 400])
    assert drawn["shortest legal wait"] == ([1, 2, 3], [80, 160, 320])
    assert drawn["longest legal wait"] == ([1, 2, 3], [120, 240, 480])


def test_many_failures_stand_at_numbers_that_are_read_at_once():
    rows = [row(wait("s", failures, 80)) for failures in (1, backoff.MANY_ATTEMPTS + 1)]
    axis = backoff.waits(rows).layout.xaxis
    assert axis.type == "log"
    assert list(axis.ticktext) == ["1", "2", "5", "10", "20", "50"]
    assert backoff.waits(rows[:1]).layout.xaxis.type is None


@pytest.mark.parametrize(
    ("waited", "is_lower_bound", "name", "symbol"),
    [
        (80, False, "waited", "circle"),
        (79, False, "waited", "circle"),
        (78, False, "shorter than legal", "x"),
        (90, True, "waited at most", "triangle-down-open"),
        (70, True, "at most, and shorter than legal", "triangle-down"),
        (1_000, False, "waited", "triangle-up"),
    ],
)
def test_what_a_wait_looks_like(waited, is_lower_bound, name, symbol):
    figure = backoff.waits([row(wait("s", 1, waited, is_lower_bound=is_lower_bound))])
    (trace,) = [trace for trace in figure.data if trace.mode == "markers"]
    assert (trace.name, list(trace.marker.symbol)) == (name, [symbol])
    assert f"{waited} ms" in trace.customdata[0][1]


def test_waits_of_unknown_bounds_have_no_band_and_accuse_nobody():
    figure = backoff.waits([row(wait("s", 1, 0, shortest_ms=None, longest_ms=None))])
    assert [trace.name for trace in figure.data] == ["waited"]


def test_the_selected_sequence_is_joined():
    figure = backoff.waits([row(one) for one in WAITS[:3]], selected=sha("legal"))
    assert [list(trace.y) for trace in figure.data if trace.name == "selected sequence"] == [[100, 200, 400]]


def test_rates_are_retries_a_second():
    counts = [{"at": NOON, "who": "a", "retries": 5}, {"at": NOON, "who": backoff.OTHERS, "retries": 1}]
    figure = backoff.rates(counts, 500)
    assert [(trace.name, list(trace.y), trace.width) for trace in figure.data] == [
        ("a", [10.0], 500),
        (backoff.OTHERS, [2.0], 500),
    ]


# Batches -------------------------------------------------------------------------------------------


def test_the_waterfall_has_the_oldest_on_top_with_its_limit():
    figure = waterfall([row(one) for one in BATCHES])
    stages = {trace.name: list(trace.x) for trace in figure.data if trace.type == "bar"}
    assert stages == {
        "waiting in the accumulator": [5_001, 0, 0, 0],
        "in flight": [8_005, 4_000, 0, 20],
        "between, not told": [0, 6_500, 0, 680],
        "stage not told": [0, 0, 10_000, 0],
    }
    (limits,) = [trace for trace in figure.data if trace.name == "delivery.timeout.ms"]
    assert list(limits.x) == [10_000] * 4
    assert (
        names(figure)[0] == "expired at 13 s, 3 s over · orders-0 · 3 records · created 12:00:00.000 · orders"
    )


def test_of_many_batches_the_oldest_are_drawn_and_the_rest_is_counted():
    rows = [row(batch(str(n), n, 1_000 + n, "expired")) for n in range(3_000)]
    drawn = batches.drawable(rows, selected=sha("7"))
    assert [one["age_ms"] for one in drawn[:2]] == [3_999, 3_998]
    assert len(drawn) == batches.MOST_BARS + 1
    assert drawn[-1]["batch_id"] == sha("7")
    told = list(batches.shown_of([*rows, row(BATCHES[3])], 4_000))
    assert [one.split(" ")[1] for one in told] == [str(batches.MOST_BARS), "list", "batch"]
    order = expiry_order(rows, DAY)
    assert sum(len(trace.x) for trace in order.data) == batches.MOST_POINTS


# Liveness ------------------------------------------------------------------------------------------


def drawn_liveness(selected=None, beats=(), rebalances=REBALANCES):
    lanes = memberships.group_lanes(
        [row(one) for one in SESSIONS], [row(one) for one in rebalances], list(beats), DAY, selected
    )
    return lanes_figure(lanes, DAY, selected=selected)


def test_members_lie_under_their_groups_rebalances_the_worst_first():
    told = names(drawn_liveness())
    assert [one.split(":")[0] for one in told[1:]] == [
        "group orders-group",
        "consumer-a",
        "consumer-b",
        "consumer-c",
    ]
    assert told[1] == "group orders-group: 2 rebalances, the longest 1.3 s · kafka"
    assert told[2].startswith(
        "consumer-a: 14.1 s without poll, limit 8 s (2 memberships) · orders-group · orders/"
    )


def test_silence_is_drawn_from_the_last_poll_to_the_next_with_its_limit():
    figure = drawn_liveness()
    assert [one[1:] for one in bars(figure, WARN)] == [(-8_000, 8_000), (3_000, 6_000)]
    assert [one[1:] for one in bars(figure, BROKEN)] == [(0, 6_055)]
    assert [one[1] for one in points(figure, "line-ns", LIMIT)] == [0, 9_000]
    assert (0, 7_300) in [one[1:] for one in bars(figure, QUIET)]
    assert [one[1] for one in points(figure, "x", BROKEN)] == [0]
    assert [one[1] for one in points(figure, "triangle-down", NOTE)] == [-8_000]


def test_rebalances_say_who_triggered_them_and_who_was_slowest():
    figure = drawn_liveness()
    assert [one[1] for one in bars(figure, OTHER)] == [10, 7_000]
    assert [one[1] for one in points(figure, "diamond", OTHER)] == [10, 7_000]
    first, second = (bar for one in REBALANCES for _, bar in bars_of(memberships.REBALANCES, row(one), None))
    for part in ("trigger: left", "by consumer-a-slow", "slowest to join: consumer-b-1"):
        assert part in first.hover_lines
    assert "1282 ms" in first.hover_lines[0]
    assert "by unknown" in second.hover_lines


def test_heartbeats_are_ticks_of_their_member():
    beat = {
        "unit_id": "orders/app.log",
        "client_id": "consumer-a",
        "group_id": "orders-group",
        "generation": 4,
    }
    figure = drawn_liveness(beats=[beat | {"kind": "heartbeat", "happened_at": NOON - 100}])
    assert [one[1] for one in points(figure, "line-ns", QUIET)] == [-100]


def test_gaps_lie_beside_their_limits():
    figure = poll_gaps([row(one) for one in SESSIONS])
    assert [(trace.name, list(trace.x)) for trace in figure.data] == [
        ("longer than its limit", [14_055]),
        ("limit", [8_000]),
    ]
    assert names(figure) == ["14.1 s of 8 s, 6.1 s over · consumer-a · orders"]


def test_a_limit_far_beyond_all_gaps_stands_at_the_edge():
    figure = beside_limits(
        [
            Length("short", "short", {memberships.WITHIN: 4_000}, 300_000, ()),
            Length("long", "long", {memberships.WITHIN: 8_000, memberships.TOO_LONG: 6_000}, 8_000, ()),
        ],
        "limit",
        "ms",
        selected="short",
    )
    (limits,) = [trace for trace in figure.data if trace.name == "limit"]
    assert list(zip(limits.x, limits.marker.symbol, strict=True)) == [
        (42_000, "triangle-right"),
        (8_000, "line-ns"),
    ]
    assert figure.layout.xaxis.range[1] < 50_000
    (outline,) = outlines(figure)
    assert outline.x1 == 42_000


def test_where_no_length_is_known_limits_lie_where_they_are():
    figure = beside_limits([Length("one", "one", {}, 5_000, ())], "limit", "ms")
    assert [list(trace.x) for trace in figure.data] == [[5_000]]


# All -----------------------------------------------------------------------------------------------

FIGURES = {
    "timers": lambda: drawn_timers([row(one) for one in TIMERS], selected=sha("hostile")),
    "waits": lambda: backoff.waits([row(one) for one in WAITS], sha("hasty")),
    "rates": lambda: backoff.rates([{"at": NOON, "who": HOSTILE, "retries": 1}], 1_000),
    "waterfall": lambda: waterfall([row(one) for one in BATCHES], sha("fine")),
    "order": lambda: expiry_order([row(one) for one in BATCHES], DAY, sha("fine")),
    "liveness": lambda: drawn_liveness(sha("closed")),
    "gaps": lambda: poll_gaps([row(session("h", 0, 1, "closed", client_id=HOSTILE, max_poll_gap_ms=1))]),
}


@pytest.mark.parametrize("name", FIGURES)
def test_hostile_text_is_no_markup_anywhere_in_a_figure(name):
    written = FIGURES[name]().to_json()
    assert "&lt;img" in json.loads(f'"{written[written.index("&lt;img") :][:20]}"')
    for part in ("<img", "\\u001b", "\\u202e"):
        assert part not in written


@pytest.mark.parametrize("name", ["timers", "liveness"])
def test_the_selected_one_has_a_frame(name):
    assert len(outlines(FIGURES[name]())) == 1


def test_a_rebalance_can_be_selected():
    assert len(outlines(drawn_liveness(sha("after-leave")))) == 1
    lanes = memberships.group_lanes([], [row(rebalance("r", 0, 5))], [], DAY)
    assert [lane.name for lane in lanes] == ["group orders-group: 1 rebalance, the longest 5 ms · kafka"]


@pytest.mark.parametrize(
    "figure",
    [
        lanes_figure([], DAY),
        backoff.waits([]),
        backoff.rates([], 1_000),
        waterfall([]),
        expiry_order([], DAY),
        poll_gaps([]),
    ],
)
def test_nothing_can_be_drawn(figure):
    assert sum(len(trace.x) for trace in figure.data) == 0
