"""Events that no unit machine reads are left out of the fold, and nothing changes by that."""

import pytest

from lab.corpus import recordings
from lab.score.pure import story_of
from transforms.events import ClientEvent
from transforms.parse.catalogue.forms import families
from transforms.timers import machines, unit
from transforms.timers.profile import ClientProfile
from transforms.timers.state import dump_state

PROFILE = ClientProfile("u", "c", "consumer")


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


@pytest.mark.parametrize("name", ["p62-streams-slow-42", "p580-exp-42", "p572-task-recover-35"])
def test_what_a_machine_does_not_read_changes_no_episode(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (recording,) = recordings(name)
    by_readers = story_of(recording)
    monkeypatch.setattr(unit, "readers", lambda kind, message_id: range(len(machines.MACHINES)))
    assert by_readers.episodes == story_of(recording).episodes != []


def test_a_machine_says_which_events_it_reads() -> None:
    """Of all others it keeps nothing, and tells nothing."""
    kinds = {(family.kind, family.id) for family in families().values()}
    passed_over = 0
    for kind, message_id in sorted(kinds):
        read = machines.readers(kind, message_id)
        for place, (machine, _) in enumerate(machines.MACHINES):
            if place not in read:
                made = machine()
                before = dump_state(made)
                assert list(made.step(_event(kind, message_id), PROFILE)) == [], (machine, message_id)
                assert dump_state(made) == before, (machine, message_id)
                passed_over += 1
    assert passed_over > len(kinds) * len(machines.MACHINES) / 2


def _event(kind: str, message_id: str) -> ClientEvent:
    """One that names all that any machine asks for."""
    return ClientEvent(
        kind, message_id, event_id="e", unit_id="u", happened_at=1, ordered_at=1, client_kind="consumer", client_id="c",
        group_id="g", member_id="m", generation=1, task_id="0_0", thread="t", topic="orders", partition=0, node_id=1,
        correlation_id=1, api="PRODUCE", error_class="TimeoutException", elapsed_ms=1, limit_ms=1, attempts_left=1,
    )  # fmt: skip


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
