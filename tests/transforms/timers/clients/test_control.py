"""Control events that are held in columns are the events that came, as often as they are gone through."""

import copy
from dataclasses import asdict

import pytest

from tests.transforms.test_chapters import events
from transforms.timers.clients import control_events as control
from transforms.timers.clients.control_events import ControlEvents
from transforms.timers.clients.settings import UnitSettings, is_control

CLIENTS = 40


def dumps() -> list:
    return [event for event in events(*(f"d{n}" for n in range(CLIENTS))) if is_control(event)]


@pytest.mark.parametrize("at_once", [1, 7, CLIENTS, CLIENTS + 1])
def test_what_comes_out_is_what_came_in(at_once, monkeypatch):
    monkeypatch.setattr(control, "ROWS_PER_BATCH", at_once)
    came = dumps()
    held = ControlEvents(copy.deepcopy(came))
    assert len(held) == CLIENTS
    for _ in range(2):
        assert [asdict(event) for event in held] == [asdict(event) for event in came]


def test_settings_are_the_same(monkeypatch):
    monkeypatch.setattr(control, "ROWS_PER_BATCH", 7)
    held, known = (UnitSettings.from_ordered(given) for given in (ControlEvents(dumps()), dumps()))
    assert list(held.rows()) == list(known.rows())
    last = dumps()[-1]
    assert held.profile_of(last) == known.profile_of(last)
    assert held.digest_at(last.order) == known.digest_at(last.order)


def test_equal_texts_are_held_once(monkeypatch):
    """Of ten times as many dumps ten times the numbers, and not ten times the texts."""
    monkeypatch.setattr(control, "ROWS_PER_BATCH", 400)
    few, many = (
        ControlEvents([event for event in events(*(f"d{n}" for n in range(clients))) if is_control(event)])
        for clients in (400, 4000)
    )
    sizes = [sum(batch.nbytes for batch in held._packed) for held in (few, many)]
    assert sizes[1] <= 10.5 * sizes[0]
    assert sizes[0] / 400 < 500  # bytes of each dump; as objects they are some thousand
