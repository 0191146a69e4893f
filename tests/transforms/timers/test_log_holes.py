"""Whether a log shows that no line of it is missing, and who may be accused by a line that is not there."""

from dataclasses import dataclass

import pytest

from transforms.events import ClientEvent
from transforms.rules.judge import EarlierVerdictsError, Judging
from transforms.rules.kip572 import timers
from transforms.rules.rule import ABSENT, RULES, violated
from transforms.timers.log_holes import ENOUGH, LogHole, LogHoles
from transforms.timers.streams.shared_calls import SharedCall

UNIT = "unit"
ENTERED, LEFT = "streams-poll-started", "streams-polled"


def line(message_id: str, number: int | None = None, api: str | None = None, start: int = 0) -> ClientEvent:
    event = ClientEvent(
        "other_kafka", message_id, event_id=message_id, unit_id=UNIT, thread="t1", client_id="c"
    )
    event.correlation_id, event.api, event.incarnation = number, api, start
    return event


def answer(number: int, api: str) -> ClientEvent:
    return line("net-received", number, api)


asked = line("net-send", 4)


def holes_of(events: list[ClientEvent]) -> tuple[LogHoles, int]:
    holes = LogHoles()
    return holes, sum(len(list(holes.step(event))) for event in events)


@pytest.mark.parametrize(
    ("events", "holes"),
    [
        pytest.param([line(ENTERED), line(LEFT)] * 3, 0, id="loops in order"),
        pytest.param([line(LEFT), line(ENTERED), line(LEFT)], 0, id="the log begins within a loop"),
        pytest.param([line(ENTERED), line(LEFT), line(LEFT)], 1, id="the line that enters poll() is missing"),
        pytest.param([line(ENTERED), line(LEFT), line(ENTERED), line(ENTERED)], 1, id="the line that leaves it is missing"),
        pytest.param([line(ENTERED)] * 5, 0, id="a release that never says that it left"),
        pytest.param([line(ENTERED), line(LEFT), line(ENTERED), line(ENTERED, start=1)], 0, id="a new start of the process"),
        pytest.param([asked, answer(4, api="FETCH")], 0, id="an answer"),
        pytest.param([asked, answer(6, api="FETCH")], 1, id="an answer to nothing"),
        pytest.param([asked, answer(3, api="FETCH")], 0, id="asked before the log"),
        pytest.param([asked, answer(6, api="METADATA")], 0, id="asked without number"),
        pytest.param([line("client-version"), line("client-version")], 0, id="a version begins its row"),
        pytest.param([line("client-version"), line("client-start-time")], 1, id="the commit is missing"),
        pytest.param([line("heartbeat-send"), line("heartbeat-ok")] * 2, 0, id="beats"),
        pytest.param([line("heartbeat-send"), line("heartbeat-ok"), line("heartbeat-ok")], 1, id="an unasked beat"),
    ],
)  # fmt: skip
def test_a_hole_shows_where_one_of_a_pair_is_missing(events, holes):
    assert holes_of(events)[1] == holes


def test_only_many_lines_in_order_show_that_none_is_missing():
    loop = [line(ENTERED), line(LEFT)]
    assert not holes_of(loop * (ENOUGH // 4))[0].is_whole(0)
    assert holes_of(loop * ENOUGH)[0].is_whole(0)
    assert not holes_of([*loop * ENOUGH, line(LEFT)])[0].is_whole(0)


def call(*, whole: bool) -> SharedCall:
    """A commit of two tasks, of which one timer line was seen, as of one before it."""
    return SharedCall(
        unit_id=UNIT, call_id="c", happened_at=1, tasks=["0_0", "0_1"], armed=["0_0"], event_ids=["e"], log_is_whole=whole,
        lacked_before=True,
    )  # fmt: skip


def test_a_line_that_is_not_there_accuses_only_where_the_log_is_whole():
    assert timers.timer_not_shared(call(whole=True)).outcome == "violated"
    assert [found.rule_id for found in Judging(UNIT).take([call(whole=True)])] == ["kip572.timer_not_shared"]
    judging = Judging(UNIT)
    assert judging.take([call(whole=False)]) == []
    assert [row.reason for row in judging.unjudged()] == ["a lost line would explain it"]


def test_a_hole_anywhere_in_the_process_frees_its_clients():
    hole = LogHole(unit_id=UNIT, hole_id="h")
    assert Judging(UNIT).take([hole, call(whole=True)]) == []
    judging = Judging(UNIT)
    judging.take([call(whole=True)])
    with pytest.raises(EarlierVerdictsError):
        judging.take([hole])


@dataclass
class Said:
    log_is_whole: bool = False
    unit_id: str = UNIT
    client_id: str | None = None


def test_what_lines_say_needs_no_whole_log():
    rule = RULES["kip572.died_early"]
    verdict = violated("broken_semantics", events=["e"], happened_at=1)
    assert Judging(UNIT)._shown(rule, verdict, Said()) is verdict
    by_absence = violated("broken_semantics", events=["e"], happened_at=1, rests_on=ABSENT)
    assert Judging(UNIT)._shown(rule, by_absence, Said()).outcome == "unjudged"
