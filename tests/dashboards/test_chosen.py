"""What was chosen: the query string holds all of it, and a window is found where none was chosen."""

import pytest

from dashboards.pages.chosen import Chosen, chosen_of, window_of
from dashboards.pages.episodes import between, clicked, zoomed
from dashboards.pages.page import query_of
from tests.dashboards.lake import HOSTILE, NOON
from transforms.episodes.lanes import Window


@pytest.mark.parametrize(
    "chosen",
    [
        Chosen(),
        Chosen("orders", "consumer-a", NOON, NOON + 1, "abc"),
        Chosen(service=HOSTILE, client="a&b=c#d", view="whole"),
        Chosen(to_at=NOON),
    ],
)
def test_an_address_says_all_of_it(chosen):
    assert chosen_of(query_of(chosen.search)) == chosen


def test_bounds_the_wrong_way_round_change_places():
    assert Chosen(view="whole").within(9, 3) == Chosen(from_at=3, to_at=9)


FAR_APART = [("a", 0, 1_000), ("b", 100_000, 101_000)]


@pytest.mark.parametrize(
    ("chosen", "spans", "shown", "gone_to"),
    [
        pytest.param(Chosen(), FAR_APART, (99_875, 101_250), "b", id="to the one to look at first"),
        pytest.param(Chosen(selected="a"), FAR_APART, (-125, 1_250), "a", id="to the selected one"),
        pytest.param(Chosen(view="whole"), FAR_APART, (-12_625, 126_250), None, id="all of it, as asked"),
        pytest.param(Chosen(from_at=5, to_at=9), FAR_APART, (5, 9), None, id="the window that was chosen"),
        pytest.param(Chosen(from_at=50_000), FAR_APART, (50_000, 101_000), None, id="one bound"),
        pytest.param(
            Chosen(), [("a", 0, 1_000), ("b", 500, 2_000)], (-250, 2_500), None, id="all that is close"
        ),
        pytest.param(Chosen(from_at=5), [], (5, 1_005), None, id="nothing there"),
    ],
)
def test_the_window(chosen, spans, shown, gone_to):
    assert window_of(chosen, spans, "b") == (Window(*shown), gone_to)


@pytest.mark.parametrize(
    ("moved", "after"),
    [
        (
            {"xaxis.range[0]": "2026-11-21 12:00:00", "xaxis.range[1]": "2026-11-21 12:00:01.25"},
            Chosen(from_at=NOON, to_at=NOON + 1_250),
        ),
        ({"xaxis.autorange": True}, Chosen(view="whole")),
        ({"autosize": True}, Chosen(from_at=1)),
        ({"yaxis.range[0]": 1, "yaxis.range[1]": 2}, Chosen(from_at=1)),
        (None, Chosen(from_at=1)),
    ],
)
def test_a_zoom_chooses_the_window(moved, after):
    assert zoomed(Chosen(from_at=1), moved) == after


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"points": [{"customdata": ["id", "hover"]}]}, "id"),
        ({"points": [{"customdata": ["", "a heartbeat"]}, {"customdata": ["b", ""]}]}, "b"),
        ({"points": [{"x": 1}]}, None),
        ({}, None),
        (None, None),
    ],
)
def test_a_click_selects_what_was_clicked(data, found):
    assert clicked(data) == found


@pytest.mark.parametrize(
    ("since", "until", "after"),
    [
        pytest.param("2026-11-21 12:00", "", Chosen(from_at=NOON), id="a new bound"),
        pytest.param("1795262400001", "", Chosen(view="whole"), id="as it was shown: the viewer has gone on"),
        pytest.param("yesterday", "2026-11-21 12:00", Chosen(view="whole"), id="no time"),
        pytest.param("", "", Chosen(), id="no bounds any more"),
    ],
)
def test_a_window_that_is_written(since, until, after):
    shown = Chosen(from_at=NOON + 1)
    assert between(Chosen(view="whole"), shown, since, until) == after
