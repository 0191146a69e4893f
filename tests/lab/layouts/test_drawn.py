"""The generator of layouts: seeded, of many notations, and fair to a layout that is read whole."""

import gzip

import pytest

from lab.corpus import ROOT
from lab.layouts import render
from lab.layouts.drawn import Drawn, drawn
from lab.layouts.heads import Shown
from lab.layouts.records import Entry, pool
from lab.layouts.score import compared
from lab.layouts.times import NOTATIONS

AT = 1_795_228_379_038
LOGS = tuple(ROOT / "p62-slow-poll-42" / name for name in ("consumer-b.app.log.gz", "broker.log.gz"))
COMMA = next(one for one in NOTATIONS if one.name == "ISO, comma")
ENTRIES = (
    Entry(AT, "INFO", "org.apache.kafka.clients.NetworkClient", "[Producer clientId=p] Node 1 disconnected."),
    Entry(
        AT,
        "ERROR",
        "com.example.Orders",
        "no\norg.apache.kafka.common.errors.TimeoutException: late\n\tat a.B.c(B.java:1)",
    ),
)


def test_a_seed_is_a_layout_for_ever():
    assert drawn(7).text_of(ENTRIES) == drawn(7).text_of(ENTRIES)
    assert len({drawn(seed).named for seed in range(200)}) > 190


def test_notations_are_many_and_differ():
    assert len({one.write(AT) for one in NOTATIONS}) == len(NOTATIONS) >= 40


def test_a_notation_shows_what_it_writes():
    assert {one.shown(AT) for one in NOTATIONS} == {AT, AT // 1000 * 1000, None}


@pytest.mark.parametrize("seed", range(40))
def test_every_record_is_in_the_text(seed):
    layout = drawn(seed)
    text = layout.text_of(ENTRIES)
    assert "Node 1 disconnected." in text
    assert "TimeoutException" in text


def test_records_of_a_recording_are_taken_apart_as_they_were_written():
    logs = "".join(gzip.decompress(path.read_bytes()).decode() for path in LOGS)
    assert all(render.kafka(entry) in logs for entry in pool(LOGS))


@pytest.mark.parametrize("write", [render.kafka, render.logback_dated, render.quarkus, render.ecs])
def test_a_layout_that_is_read_has_no_difference(write):
    shown = Shown(COMMA, has_thread=write is not render.kafka)
    outcome = compared(Drawn(1, "", shown, [], write), pool(LOGS)[:200])
    assert outcome.wanted > 50
    assert (outcome.misses, outcome.extras) == ([], [])


def test_a_difference_is_seen():
    outcome = compared(
        Drawn(1, "", Shown(COMMA), [], lambda entry: render.quarkus(entry)[:60]), pool(LOGS)[:50]
    )
    assert outcome.same < outcome.wanted / 2
