"""Two clients of one name in one log are noticed; one that restarts, joins anew, or whose lines are swapped is not."""

import pytest

from transforms.events import ClientEvent
from transforms.rules.judge import EarlierVerdictsError, Judging
from transforms.timers.backoff.reconnects import Reconnect
from transforms.timers.clients.namesakes import Namesake, Namesakes
from transforms.timers.profile import ClientProfile, Setting


def found(*steps: object) -> int:
    """How often it is told. A number is that of a request, a text a member id."""
    machine, told = Namesakes(), 0
    for number, step in enumerate(steps):
        event = ClientEvent(
            "other_kafka", "net-send", f"e{number}", unit_id="u", client_kind="consumer", client_id="c"
        )
        if isinstance(step, int):
            event.correlation_id = step
        else:
            event.message_id, event.member_id = "consumer-joined", str(step)
        told += len(list(machine.step(event)))
    return told


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        pytest.param((7, 0, 8, 1, 9, 2, 10), 1, id="two count side by side, told once"),
        pytest.param((7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), 0, id="one that began anew"),
        pytest.param((7, 9, 8, 10, 12, 11, 13), 0, id="neighbours swapped"),
        pytest.param((7, 0, 8, 9, 10), 0, id="once is no proof"),
        pytest.param((7, 0, 500, 1, 900), 0, id="another's numbers, much later"),
        pytest.param(("m1", "m2", "m1"), 1, id="a member again that it had ceased to be"),
        pytest.param(("m1", "m1", "m2", "m2", "m3"), 0, id="a member made anew"),
    ],
)
def test_namesakes(steps: tuple[object, ...], wanted: int) -> None:
    assert found(*steps) == wanted


def test_a_client_without_a_name_is_nobody() -> None:
    assert list(Namesakes().step(ClientEvent("joined", "consumer-joined", member_id="m1"))) == []


def reconnect() -> Reconnect:
    """One that came at once."""
    settings = {
        name: Setting(name, value, "logged")
        for name, value in (("reconnect.backoff.ms", "50"), ("reconnect.backoff.max.ms", "1000"))
    }
    return Reconnect(
        unit_id="u", client_id="c", event_ids=["e1", "e2"], reconnect_id="r", node_id=1, happened_at=1, waited_ms=0,
        profile=ClientProfile("u", "c", "consumer", settings=settings),
    )  # fmt: skip


def test_of_two_of_one_name_nobody_is_accused() -> None:
    judging = Judging("u")
    assert judging.take([Namesake(unit_id="u", client_id="c", namesake_id="n"), reconnect()]) == []
    assert [one.reason for one in judging.unjudged()] == ["two clients of this name write one log"]
    other = reconnect()
    other.client_id = "d"
    assert len(judging.take([other])) == 1


def test_who_was_accused_before_is_judged_anew() -> None:
    judging = Judging("u")
    assert len(judging.take([reconnect()])) == 1
    with pytest.raises(EarlierVerdictsError):
        judging.take([Namesake(unit_id="u", client_id="c", namesake_id="n")])
