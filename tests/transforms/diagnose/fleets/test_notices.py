"""Which alerts are due: once each, pages for what was broken or lost, nothing old, and an end for each beginning."""

from typing import Any

import pytest

from transforms.diagnose.fleets.notices import FIRING, PAGE, QUIET_MS, RESOLVED, TICKET, WITHDRAWN, Sent, due

NOON = 1_795_262_400_000
HOUR = 3_600_000
FIRED = Sent(FIRING, TICKET, "orders")


def incident(**changes: Any) -> dict[str, Any]:
    return {
        "incident_id": "i",
        "kind": "poll_expired",
        "started_at": NOON - 60_000,
        "ended_at": None,
        "title": "Consumer c was kicked out",
        "cause": "Its processing took 14 s.",
        "verdict": "as_designed",
        "impact": "delayed",
        "advice": "Raise max.poll.interval.ms.",
        "service": "orders",
        "parent_incident_id": None,
    } | changes


def states(
    rows: list[dict[str, Any]], sent: dict[str, Sent] | None = None, now: int = NOON
) -> list[tuple[str, str]]:
    known = {(incident_id, "t"): last for incident_id, last in (sent or {}).items()}
    return [(one.incident_id, one.state) for one in due(rows, known, ["t"], now, 6 * HOUR)]


@pytest.mark.parametrize(
    ("changes", "sent", "wanted"),
    [
        pytest.param({}, None, [FIRING], id="new"),
        pytest.param({}, FIRED, [], id="sent before"),
        pytest.param({"ended_at": NOON - QUIET_MS}, FIRED, [RESOLVED], id="over"),
        pytest.param(
            {"ended_at": NOON - QUIET_MS + 1}, FIRED, [], id="over so lately that more of it may come"
        ),
        pytest.param({"ended_at": NOON}, Sent(RESOLVED, TICKET, "orders"), [], id="told to be over"),
        pytest.param({"ended_at": NOON}, None, [FIRING], id="over when first seen: told all the same"),
        pytest.param({"verdict": "benign"}, None, [], id="benign"),
        pytest.param({"started_at": NOON - 7 * HOUR}, None, [], id="of a backfill"),
        pytest.param(
            {"started_at": NOON - 7 * HOUR, "ended_at": NOON - HOUR}, None, [FIRING], id="ended lately"
        ),
        pytest.param({"started_at": NOON - 7 * HOUR}, FIRED, [], id="goes on for long"),
        pytest.param({"started_at": None}, None, [], id="without a date"),
        pytest.param({"parent_incident_id": "fleet"}, None, [], id="a part of another"),
        pytest.param({"parent_incident_id": "fleet"}, FIRED, [RESOLVED], id="has become a part of another"),
        pytest.param({"verdict": "broken"}, FIRED, [FIRING], id="worse than was told"),
        pytest.param({"impact": "lost"}, Sent(FIRING, PAGE, "orders"), [], id="paged before"),
        pytest.param({}, Sent(FIRING, PAGE, "orders"), [], id="a page stays one"),
        pytest.param(
            {"verdict": "broken", "started_at": NOON - 7 * HOUR}, FIRED, [], id="worse, but of a backfill"
        ),
    ],
)
def test_what_is_due(changes: dict[str, Any], sent: Sent | None, wanted: list[str]) -> None:
    assert states([incident(**changes)], {"i": sent} if sent else {}) == [("i", state) for state in wanted]


def test_what_was_refuted_is_withdrawn() -> None:
    assert states([], {"i": FIRED}) == [("i", WITHDRAWN)]
    assert states([], {"i": Sent(RESOLVED, TICKET, "orders")}) == []


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({"verdict": "broken"}, PAGE),
        ({"impact": "lost"}, PAGE),
        ({"impact": "duplicated"}, PAGE),
        ({"impact": "unknown"}, TICKET),
        ({}, TICKET),
    ],
)
def test_who_is_woken(changes: dict[str, Any], severity: str) -> None:
    (notice,) = due([incident(**changes)], {}, ["t"], NOON, HOUR)
    assert notice.severity == severity


def test_an_alert_ends_as_it_began_whatever_was_learned_since() -> None:
    """Its severity and service are what a target tells it by."""
    sent = {("i", "t"): Sent(FIRING, PAGE, "bills")}
    (over,) = due([incident(ended_at=NOON - QUIET_MS)], sent, ["t"], NOON, HOUR)
    assert (over.severity, over.service) == (PAGE, "bills")


def test_a_ticket_that_turns_out_worse_becomes_a_page() -> None:
    (notice,) = due([incident(verdict="broken")], {("i", "t"): FIRED}, ["t"], NOON, HOUR)
    assert (notice.severity, notice.was) == (PAGE, TICKET)


def test_pages_go_first_and_a_target_that_is_gone_is_sent_nothing() -> None:
    rows = [incident(incident_id="a"), incident(incident_id="b", impact="lost")]
    assert [one.incident_id for one in due(rows, {}, ["t"], NOON, HOUR)] == ["b", "a"]
    assert due([], {("i", "gone"): FIRED}, ["t"], NOON, HOUR) == []
