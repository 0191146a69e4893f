"""Figures without a browser: what is drawn where, in which colour, and that log text stays text."""

import pytest

from dashboards.figures.timeline import BEYOND, WITHIN, timeline
from transforms.diagnose.timeline import Mark, Timeline

NOON = 1_795_262_400_000


def told(*marks: tuple[int, str]) -> Timeline:
    return Timeline("t", tuple(Mark(NOON + at, role, f"{role} <b>{at}</b>") for at, role in sorted(marks)))


def stretches(figure):
    return [
        (trace.line.color, *((x - figure.data[0].x[0]).total_seconds() * 1000 for x in trace.x))
        for trace in figure.data
        if trace.mode == "lines"
    ]


@pytest.mark.parametrize(
    ("marks", "drawn"),
    [
        pytest.param([(0, "start"), (9, "end")], [(WITHIN, 0, 9)], id="no limit known"),
        pytest.param([(0, "start"), (9, "end"), (10, "limit")], [(WITHIN, 0, 9)], id="just inside"),
        pytest.param([(0, "start"), (10, "end"), (10, "limit")], [(WITHIN, 0, 10)], id="on the limit"),
        pytest.param(
            [(0, "start"), (11, "end"), (10, "limit")], [(WITHIN, 0, 10), (BEYOND, 10, 11)], id="just outside"
        ),
        pytest.param(
            [(0, "start"), (6, "limit"), (9, "end"), (12, "limit")], [(WITHIN, 0, 9)], id="between two bounds"
        ),
        pytest.param([(0, "limit"), (5, "end")], [(BEYOND, 0, 0)], id="only its end is known"),
        pytest.param([(5, "limit")], [], id="only a limit"),
    ],
)
def test_the_line_is_calm_within_the_limit_and_red_beyond(marks, drawn):
    assert stretches(timeline(told(*marks))) == drawn


def test_every_limit_is_named_and_every_attempt_marked():
    figure = timeline(
        told((0, "start"), (1, "attempt"), (2, "attempt"), (5, "limit"), (8, "limit"), (9, "end"))
    )
    assert len(figure.layout.shapes) == 2
    assert sum(note.text.startswith("limit: ") for note in figure.layout.annotations) == 2
    (attempts,) = [trace for trace in figure.data if trace.name == "attempt"]
    assert len(attempts.x) == 2


def test_log_text_in_a_figure_is_no_markup_and_no_screenful():
    figure = timeline(told((0, "start"), (9, "end")))
    texts = [note.text for note in figure.layout.annotations]
    assert all("&lt;b&gt;" in text and "<b>" not in text for text in texts)
    long = Timeline("t", (Mark(NOON, "start", "x" * 500 + "\x1b"),))
    assert len(timeline(long).layout.annotations[0].text) < 100


def test_one_instant_can_be_drawn():
    assert timeline(told((0, "start"))).layout.xaxis.range
