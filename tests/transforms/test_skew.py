"""Clocks five minutes apart, on recordings: no duration below zero, nobody accused."""

from collections.abc import Sequence
from dataclasses import fields

import pytest

from conf.settings import load_conf
from lab.corpus import ROOT, Recording
from lab.score.pure import events_in
from transforms.events import ClientEvent
from transforms.pure import judge_events
from transforms.timers.clients.settings import UnitSettings

SKEW_MS = 300_000
WITH_A_BROKER = sorted(
    folder.name
    for folder in ROOT.glob("p62-*")
    if (folder / "broker.log.gz").is_file() and (folder / "truth.json.gz").is_file()
)


def test_there_are_groups_to_skew() -> None:
    assert len(WITH_A_BROKER) >= 5


@pytest.mark.parametrize("skew_ms", [SKEW_MS, -SKEW_MS], ids=["broker ahead", "broker behind"])
@pytest.mark.parametrize("name", WITH_A_BROKER)
def test_a_brokers_clock_five_minutes_off_accuses_nobody(name: str, skew_ms: int) -> None:
    defaults = load_conf().defaults
    events: list[ClientEvent] = []
    for path in Recording(ROOT / name).logs:
        of_log = events_in(path)
        if path.name.startswith("broker"):
            for event in of_log:
                event.happened_at = None if event.happened_at is None else event.happened_at + skew_ms
                event.ordered_at = None if event.ordered_at is None else event.ordered_at + skew_ms
        events += of_log

    def settings_of(unit_id: str, control: Sequence[ClientEvent]) -> UnitSettings:
        return UnitSettings.from_events(control, (), defaults)

    story = judge_events(events, settings_of)
    assert [found.rule_id for found in story.violations if found.category == "broken_semantics"] == []
    negative = [
        (type(episode).__name__, field.name, getattr(episode, field.name))
        for episode in story.episodes
        for field in fields(episode)
        if field.name.endswith("_ms")
        if isinstance(value := getattr(episode, field.name), int) and value < 0
    ]
    assert negative == []
