"""Events that no unit machine reads are left out of the fold, and nothing changes by that."""

import pytest

from lab.corpus import recordings
from lab.score.pure import story_of
from transforms.events import ClientEvent
from transforms.timers import machines


@pytest.mark.parametrize("name", ["p0-healthy-debug-3min", "p62-streams-slow-42", "p580-exp-42"])
def test_what_tells_the_time_only_changes_no_episode(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (recording,) = recordings(name)
    without = story_of(recording)
    monkeypatch.setattr(machines, "TELLS_TIME_ONLY", frozenset())
    with_all = story_of(recording)
    assert without.episodes
    # an episode may be given a line earlier or later: only that
    assert sorted(map(repr, without.episodes)) == sorted(map(repr, with_all.episodes))
    assert without.events == with_all.events


@pytest.mark.parametrize(
    ("message_id", "thread", "expected"),
    [
        ("heartbeat-ok", None, True),
        ("heartbeat-ok", "kafka-coordinator-heartbeat-thread | orders", True),
        ("offset-committed", "app-StreamThread-1", False),  # it ends what a failed commit began
        ("heartbeat-failed", None, False),
        ("net-send", None, False),
    ],
)
def test_a_stream_thread_that_goes_on_is_heard(message_id: str, thread: str | None, expected: bool) -> None:
    event = ClientEvent("other_kafka", message_id, thread=thread)
    assert machines.tells_time_only(event) is expected
