"""KIP-580's rules about success, loops that stay constant, and clients that come back together."""

from dataclasses import replace

import pytest

from tests.rule_cases import guilty, inside, negative, outside, positive, unknown
from tests.timelines_backoff import CLIENT, events, profile, run
from transforms.rules import kip580_fleet, kip580_paths
from transforms.timers.backoff.attempts import BackoffAttempts
from transforms.timers.backoff.first_waits import FirstWaits
from transforms.timers.backoff.fleet_steps import FleetStep
from transforms.timers.backoff.static_loops import StaticLoop, StaticLoops
from transforms.timers.profile import ClientProfile

B, OLDER = "broken_semantics", "older_semantics"
FINE, SILENT, OPEN = "conforms", "not_applicable", "unjudged"
OLD = profile("3.5.2", cap=None)


def batches(*waits: str, error: str = "NOT_ENOUGH_REPLICAS", between: str = "") -> str:
    """Batches one after the other: each fails, waits so long before each retry, and goes through at last."""
    at, sent, steps = 0, 0, []
    for of_batch in (*waits, ""):
        sent, at = sent + 1, at + 50
        steps += [f"{at} send {sent}", f"{at} got {sent}"]
        for failures, wait in enumerate(of_batch.split(), start=1):
            steps.append(f"{at} fail {failures} {sent} {error}")
            steps += [f"{at + 5} {between}"] if between else []
            sent, at = sent + 1, at + int(wait)
            steps += [f"{at} send {sent}", f"{at} got {sent}"]
    return " | ".join(steps)


def calls(*waits: str) -> str:
    """Admin calls one after the other, each drawing these waits."""
    at, steps = 0, []
    for of_call in waits:
        for tries, wait in enumerate(of_call.split(), start=1):
            steps.append(f"{at} retry {tries} {wait}")
            at += int(wait) + 5
        steps.append(f"{at} retry 0 0")
    return " | ".join(steps)


LONG = "100 200 400 800"


@pytest.mark.parametrize(
    ("history", "of", "said"),
    [
        positive(batches(LONG, "900", "900", "900"), profile(), [B], id="goes on where it was"),
        negative(batches(LONG, LONG, LONG, LONG), profile(), [FINE], id="begins at the base"),
        # 0.8 * 400 is the least that three in a row must have waited.
        inside(batches(LONG, "319", "319", "319"), profile(), [FINE], id="not as long as the third step"),
        outside(batches(LONG, "320 640", "320 640", "320"), profile(), [B], id="as long as the third step"),
        guilty(batches(LONG, "900", "900", "100", "900"), profile(), [FINE], id="not in a row"),
        guilty(
            batches(LONG, "5000", "5000", "5000"), profile(), [FINE], id="longer than any backoff: it slept"
        ),
        guilty(
            batches(LONG, "900", "900", "900", error="NETWORK_EXCEPTION"),
            profile(),
            [FINE],
            id="had to connect",
        ),
        guilty(
            batches(LONG, "900", "900", "900", between="send 900"),
            profile(),
            [FINE],
            id="another request was sent",
        ),
        pytest.param(batches("100", "900", "900", "900"), profile(), [FINE], id="nothing had grown"),
        pytest.param(batches(LONG, "900", "900", "900"), OLD, [SILENT], id="older clients do not grow"),
        pytest.param(batches(LONG, "900", "900", "900"), profile(cap=50), [SILENT], id="base above cap"),
        unknown(batches(LONG, "900", "900", "900"), profile(None), [OPEN], id="version unknown"),
        unknown(batches(LONG, "900", "900", "900"), profile(base=None), [OPEN], id="base unknown"),
        unknown(
            batches(LONG, "900", "900", "900"), profile(origin="default:4.2"), [OPEN], id="only defaults"
        ),
        pytest.param(batches("100", "900"), profile(), [SILENT], id="one failure before is no growth"),
        pytest.param(batches(LONG, "1021", "1021", "1021"), profile(), [B], id="the cap, a core being busy"),
        pytest.param(batches(LONG, "1022", "1022", "1022"), profile(), [FINE], id="longer than that"),
        pytest.param(calls("100 200 400", "800"), profile(), [B], id="an admin call draws the next step"),
        pytest.param(calls("100 200 400", "160"), profile(), [B], id="an admin call draws the second step"),
        pytest.param(calls("100 200 400", "121"), profile(), [FINE], id="an admin call, the clock's grain"),
        pytest.param(calls("100 200 400"), profile(), [], id="one call"),
    ],
)
def test_not_reset(history: str, of: ClientProfile, said: list[str]) -> None:
    found = [kip580_paths.not_reset(e) for e in run(history, of) if isinstance(e, FirstWaits)]
    assert [verdict.category or verdict.outcome for verdict in found] == said


def joins(waits: str, between: str = "") -> str:
    """Joins that fail, and are tried again after so long."""
    at, steps = 0, []
    for wait in waits.split():
        steps += [f"{at} join_failed"] + ([f"{at + 1} {between}"] if between else [])
        at += int(wait)
        steps.append(f"{at} rejoin")
    return " | ".join([*steps, f"{at + 9} joined"])


def loops(history: str, of: ClientProfile) -> list[StaticLoop]:
    """The loops of a history."""
    machine = StaticLoops()
    found = [loop for event in events(history) for loop in machine.step(event, of)]
    return [*found, *machine.finish(None)]


@pytest.mark.parametrize(
    ("history", "of", "said"),
    [
        positive(joins("100 210 395 800 1000"), profile(), [B], id="joins back off"),
        positive(joins("100 210 395 800"), OLD, [B], id="before 3.7 too"),
        negative(joins("100 101 105 100 103 100"), profile(), [FINE], id="constant"),
        outside(joins("79 159 319 639"), profile(), [B], id="each in its step, by the clock's grain"),
        inside(joins("78 159 319 639"), profile(), [FINE], id="the first is below its step"),
        pytest.param(joins("140 260 500 980"), profile(), [B], id="each as late as a busy core makes it"),
        pytest.param(joins("141 260 500 980"), profile(), [FINE], id="the first is later than that"),
        pytest.param(joins("20 40 80 160"), profile(base=20), [FINE], id="a base that lateness hides"),
        pytest.param(joins("21 42 84 168"), profile(base=21), [B], id="a base that it does not hide"),
        pytest.param("0 round 1 9000 | 10 round 2 8000", profile(), [B], id="a printed millisecond grows"),
        pytest.param("0 round 0 9000 | 10 round 5 8000", profile(), [FINE], id="no wait can't grow"),
        pytest.param(joins("100 200 400"), profile(), [SILENT], id="three waits prove nothing"),
        guilty(joins("100 900 100 1500"), profile(), [FINE], id="the application polled late"),
        guilty(joins("100 200 400 800", between="lost"), profile(), [], id="the coordinator was looked up"),
        pytest.param("0 rejoin | 900 rejoin | 950 joined", profile(), [], id="no failure"),
        unknown(joins("100 200 400 800"), profile(base=None), [OPEN], id="base unknown"),
        unknown(joins("100 200 400 800"), profile(origin="default:4.2"), [OPEN], id="base is a default"),
        pytest.param("0 round 100 6000 | 500 round 100 5500", profile(), [FINE], id="rounds of the leader"),
        pytest.param("0 round 100 6000 | 500 round 160 5500", profile(), [FINE], id="hardly another wait"),
        pytest.param(
            "0 round 100 6000 | 500 round 161 5500", profile(base=None), [B], id="rounds grow, as printed"
        ),
        pytest.param("0 round 100 500 | 500 round 200 6000", profile(), [SILENT, SILENT], id="two loops"),
    ],
)
def test_grew_on_static_path(history: str, of: ClientProfile, said: list[str]) -> None:
    found = [kip580_paths.grew_on_static_path(loop) for loop in loops(history, of)]
    assert [verdict.category or verdict.outcome for verdict in found] == said


def test_init_producer_id_stays_constant() -> None:
    steps, at = [], 0
    for number, wait in enumerate((100, 200, 400, 800), start=1):
        steps.append(f"{at} got {number} INIT_PRODUCER_ID")
        at += wait
        steps.append(f"{at} send {number + 1} INIT_PRODUCER_ID")
    (loop,) = (e for e in run(" | ".join(steps)) if isinstance(e, StaticLoop))
    verdict = kip580_paths.grew_on_static_path(loop)
    assert (verdict.category, verdict.observed_ms, verdict.limit_ms) == (B, 800, 100)
    assert verdict.facts == {"what": "INIT_PRODUCER_ID"}


def beside(
    history: str, other: str, of: ClientProfile, of_other: ClientProfile | None = None
) -> list[FleetStep]:
    """Two clients of one process, their lines in order of time."""
    profiles = {CLIENT: of, "orders-2": of_other or replace(of, client_id="orders-2")}
    lines = events(history)
    for event in events(other):
        event.client_id, event.event_id = "orders-2", f"o{event.event_id}"
        lines.append(event)
    machine = BackoffAttempts()
    lines.sort(key=lambda event: event.happened_at or 0)
    found = [e for line in lines for e in machine.step(line, profiles[line.client_id or ""])]
    return [e for e in [*found, *machine.finish(None)] if isinstance(e, FleetStep)]


def rounds(count: int, wait: int = 100) -> str:
    """So many batches that fail once, in the same instants for each client."""
    return batches(*[str(wait)] * count)


@pytest.mark.parametrize(
    ("history", "other", "of", "said"),
    [
        positive(rounds(20), rounds(20), profile(), [B], id="twenty retries in step"),
        positive(rounds(3), rounds(3), OLD, [OLDER], id="a constant backoff keeps them in step"),
        # Two draws from 80 to 120 ms are within 2 ms of each other once in eight: 10 such are chance 9e-10.
        outside(rounds(10), rounds(10), profile(), [B], id="ten are no chance"),
        inside(rounds(9), rounds(9), profile(), [FINE], id="nine may be chance"),
        negative(
            batches(*["90"] * 20),
            batches(*["90"] * 10, "87", *["93"] * 9),
            profile(),
            [FINE],
            id="jitter divides them",
        ),
        guilty(rounds(2), rounds(2), OLD, [SILENT], id="twice is no fleet"),
        guilty(
            rounds(20, 1), rounds(20, 1), profile(base=2, cap=9), [FINE], id="so small a base leaves no room"
        ),
        guilty(rounds(20), rounds(20), profile(base=900, cap=600), [], id="flat by settings: its own rule"),
        pytest.param(rounds(20), "0 send 1", OLD, [], id="one client"),
        unknown(rounds(20), rounds(20), profile(None), [OPEN], id="version unknown"),
        unknown(rounds(20), rounds(20), profile(origin="default:4.2"), [OPEN], id="only defaults"),
    ],
)
def test_fleet_in_step(history: str, other: str, of: ClientProfile, said: list[str]) -> None:
    found = [kip580_fleet.fleet_in_step(fleet) for fleet in beside(history, other, of)]
    assert [verdict.category or verdict.outcome for verdict in found] == said


def test_a_client_that_jitters_beside_one_that_can_not_is_not_in_step() -> None:
    jitters = batches("83", "117", "95", "104", "88")
    assert all(
        kip580_fleet.fleet_in_step(f).outcome != "violated"
        for f in beside(rounds(5), jitters, OLD, profile())
    )
