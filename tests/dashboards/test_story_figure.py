"""Lanes and the figure made of them, without a browser: what is drawn where, and that log text stays text."""

import pytest

from dashboards.figures.lane_figure import lanes_figure
from dashboards.theme import BROKEN, CALM, QUIET, WARN
from tests.dashboards.lake import BATCH, NOON, SESSION, TIMER, UNIT, episode_row
from transforms.episodes.lanes import MOST_BARS, MOST_ROWS, Window
from transforms.episodes.series import series_of
from transforms.episodes.story_lanes import lanes_of

WINDOW = Window(NOON - 70_000, NOON + 40_000)
EMPTY = {"client_id": None, "instance": None, "topic": None, "partition": None, "benign": None}


def lanes(session=None, batch=None, timer=None, events=(), clocks=(), focus=()):
    rows = {
        "silver.liveness_sessions": [episode_row(one) for one in (session,) if one],
        "silver.batch_lifetimes": [episode_row(one) for one in (batch,) if one],
        "silver.task_timers": [episode_row(one) for one in (timer,) if one],
    }
    return lanes_of(rows, events, dict(clocks), WINDOW, focus)


def event(kind: str, at: int = NOON, **more):
    return EMPTY | {"kind": kind, "happened_at": at, "unit_id": UNIT, "service": "orders"} | more


def stretches(figure):
    """(colour, begin, length in ms) of each bar, from the window's begin."""
    begin = figure.layout.xaxis.range[0]
    return [
        (trace.marker.color, (base - begin).total_seconds() * 1000, length)
        for trace in figure.data
        if trace.type == "bar"
        for base, length in zip(trace.base, trace.x, strict=True)
    ]


def test_a_crowded_lane_keeps_its_worst_and_those_asked_for_and_says_how_many_it_joins():
    batches = [
        episode_row(BATCH, batch_id=f"b{n}", ended_at=BATCH.created_at + 9_000 + n * 100) for n in range(200)
    ]
    (lane,) = lanes_of({"silver.batch_lifetimes": batches}, [], {}, WINDOW, ["b3"])
    assert len(lane.rows) <= MOST_ROWS
    assert len(list(lane.bars)) <= MOST_BARS
    told = {one.subject_id for one in lane.bars if one.count == 1}
    assert {"b3", "b199", "b198"} <= told
    assert lane.joined == 200 - len(told)


def test_the_gap_between_polls_is_drawn_to_the_next_poll_and_beyond_its_limit():
    late = episode_row(SESSION, max_poll_gap_ms=14_004)
    poll, membership = lanes_of({"silver.liveness_sessions": [late]}, [], {}, WINDOW)
    assert (poll.kind, membership.kind) == ("poll timer", "membership")
    (gap,) = poll.bars
    assert (gap.start, gap.end - gap.start, gap.over_ms) == (SESSION.last_poll_at, 14_004, 6_004)
    assert "limit max.poll.interval.ms = 8 s" in gap.hover_lines
    assert "6 s (6004 ms) over" in gap.hover_lines


def test_an_open_timer_reaches_to_its_datas_clock_and_says_what_is_left():
    (lane,) = lanes(timer=TIMER, clocks={UNIT: NOON + 12_000})
    (one,) = lane.bars
    assert (one.is_open, one.end, one.left_ms) == (True, NOON + 12_000, 13_000)
    assert stretches(lanes_figure([lane], WINDOW)) == [(WARN, 70_000, 12_000), (QUIET, 82_000, 13_000)]


@pytest.mark.parametrize(
    ("age_ms", "drawn"),
    [
        pytest.param(9_999, [(CALM, 60_000, 9_999)], id="just inside"),
        pytest.param(10_000, [(CALM, 60_000, 10_000)], id="on the limit"),
        pytest.param(10_400, [(CALM, 60_000, 10_000), (BROKEN, 70_000, 400)], id="just outside"),
    ],
)
def test_a_bar_is_calm_up_to_its_limit_and_red_beyond(age_ms, drawn):
    rows = {"silver.batch_lifetimes": [episode_row(BATCH, ended_at=BATCH.created_at + age_ms)]}
    assert stretches(lanes_figure(lanes_of(rows, [], {}, WINDOW), WINDOW)) == drawn


def test_what_the_page_is_about_comes_first_and_its_limit_is_said_in_words():
    found = lanes(SESSION, BATCH, TIMER, focus=[SESSION.session_id])
    assert [lane.kind for lane in found] == ["poll timer", "membership", "task timer", "batches"]
    figure = lanes_figure(found, WINDOW, [SESSION.session_id])
    (said,) = [note.text for note in figure.layout.annotations if "limit: " in note.text]
    assert said.startswith("<b>4 s over</b> · limit: max.poll.interval.ms = 8 s")


def test_what_lies_outside_the_window_is_not_drawn():
    before = episode_row(
        BATCH, created_at=WINDOW.since - 9_000, ended_at=WINDOW.since - 1, delivery_timeout_ms=None
    )
    assert lanes_of({"silver.batch_lifetimes": [before]}, [], {}, WINDOW) == []


def test_marks_stand_in_the_lane_they_belong_to():
    named = event("produce_retry", client_id="orders-producer", topic="orders", partition=0)
    only_client = event("produce_failed", client_id="orders-producer")
    only_process = event("batch_expired", topic="orders", partition=0)
    other = event("batch_expired", client_id="payments-producer")
    found = {lane.name: lane for lane in lanes(batch=BATCH, events=[named, only_client, only_process, other])}
    assert len(found["orders-producer orders-0"].marks) == 3
    assert len(found["payments-producer"].marks) == 1


def test_clients_of_two_services_are_two_however_alike_their_names():
    here = event("disconnect", client_id="producer-1")
    there = event("disconnect", client_id="producer-1", service="billing", unit_id="u2")
    alone = event("disconnect", client_id="admin-1")
    drawn = lanes(events=[here, there, there, alone])
    found = [(lane.name, lane.service, len(lane.marks)) for lane in drawn]
    assert found == [("admin-1", "", 1), ("producer-1", "billing", 2), ("producer-1", "orders", 1)]
    said = [one.text for one in lanes_figure(drawn, WINDOW).layout.annotations]
    assert [one for one in said if "network" in one] == [
        "<b>admin-1</b>  network",
        "<b>producer-1</b> · billing  network",
        "<b>producer-1</b> · orders  network",
    ]


def test_a_brokers_lines_have_a_lane_of_their_own():
    evicted = event("broker_member_failed", client_kind="broker", instance="broker-1.log", member_id="m-1")
    (lane,) = lanes(events=[evicted, event("joined", client_kind="broker")])
    assert (lane.kind, lane.name, lane.marks[0].hover_lines) == (
        "broker",
        "broker-1.log",
        ("broker member failed", "m-1"),
    )


def test_log_text_in_the_figure_is_no_markup():
    evil = "<b onclick=x>&\x1b"
    rows = {"silver.batch_lifetimes": [episode_row(BATCH, client_id=evil, topic=evil, error_class=evil)]}
    events = [event("disconnect", client_id=evil, api=evil, benign=evil)]
    samples = [{"client_id": evil, "attribute": "requests-in-flight", "mbean": "m", "unit_id": "u",
                "sampled_at": NOON, "value": 1.0}]  # fmt: skip
    figure = lanes_figure(
        lanes_of(rows, events, {}, WINDOW), WINDOW, [BATCH.batch_id], series_of(samples, [])
    )
    drawn = figure.to_json()
    assert "<b onclick" not in drawn
    assert "\\u003cb onclick" not in drawn
    assert "\x1b" not in drawn
    assert "&lt;b onclick=x&gt;" in drawn
