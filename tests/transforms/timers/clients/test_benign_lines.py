"""Lines that are normal are counted per client and message."""

from transforms.events import ClientEvent
from transforms.timers.clients.benign_lines import BenignCounts
from transforms.timers.profile import ClientProfile

PROFILE = ClientProfile("u", None, None)


def folded(*lines):
    machine = BenignCounts()
    for number, (client, message, benign) in enumerate(lines):
        line = ClientEvent(
            "disconnect", message, event_id=f"e{number}", client_id=client, happened_at=number, benign=benign
        )
        assert list(machine.step(line, PROFILE)) == []
    return list(machine.finish(None))


def test_counts_by_client_and_message():
    found = folded(
        ("a", "idle", "normal"), ("b", "idle", "normal"), ("a", "idle", "normal"), ("a", "lost", None)
    )
    assert [(lines.client_id, lines.count, lines.first_at, lines.last_at) for lines in found] == [
        ("a", 2, 0, 2),
        ("b", 1, 1, 1),
    ]


def test_keeps_few_examples_of_many():
    (lines,) = folded(*[("a", "idle", "normal")] * 100)
    assert (lines.count, len(lines.event_ids)) == (100, 5)


def test_nothing_that_is_not_benign():
    assert folded(("a", "idle", None)) == []
