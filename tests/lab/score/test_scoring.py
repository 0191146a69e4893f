"""The score itself: rows that tell the truth are all found; a row less, moved or made up is seen."""

from collections.abc import Mapping

import pytest

from lab.corpus import Recording, ms, recordings
from lab.score.batches import EXPIRED
from lab.score.fact import FALSE, FOUND, HIDDEN, MISSED, Row
from lab.score.memberships import removals_of
from lab.score.rebalances import rebalances_of
from lab.score.scoring import TABLES, Score, client_ids_of, score_recording
from lab.score.timers import ENDS
from lab.score.wire import call_waits, deliveries_after_retry, memberships_of, produce_waits, requests_of

CHOSEN = (
    "p572-commit-idle-expire-42",
    "p580-exp-37",
    "p62-slow-poll-42",
    "p62-kill9-session-42",
    "p91-retries-exhausted-42",
)


def true_tables(recording: Recording) -> dict[str, list[Row]]:
    """Rows as a faultless kipwatch would write them, made from the truth."""
    tables: dict[str, list[Row]] = {name: [] for name in TABLES}
    wire = requests_of(recording)
    removals = removals_of(recording)
    for done in rebalances_of(wire, []):
        row = {"instance": "broker.log", "group_id": done["group"], "ended_at": done["at"]}
        tables["silver.group_rebalances"].append(
            {**row, "outcome": "completed", "generation": 1, "trigger": ""}
        )
    for client in recording.clients:
        unit = {"instance": client.instance, "client_id": client.name, "event_ids": ["e"]}
        facts = recording.facts.get(client.name, {})
        for timer in facts.get("task_timers", []):
            at = {
                "started_at": ms(timer["start"]),
                "last_attempt_at": ms(timer["last_failure"]),
                "ended_at": ms(timer["end"]),
            }
            outcome = ENDS[timer["outcome"]][1]
            tables["silver.task_timers"].append(
                {**unit, **at, "task_id": timer["task"], "outcome": outcome, "started_by": ""}
            )
        for entry in facts.get("completions") or []:
            said = EXPIRED.search(entry["exc"] or "")
            if entry["outcome"] != "acked":
                row = {"topic": entry["topic"], "partition": entry["partition"], "records": entry["records"]}
                row |= {
                    "outcome": "expired" if said else "failed",
                    "ended_at": ms(entry["completed"]),
                    "attempts": 1,
                }
                tables["silver.batch_lifetimes"].append(
                    {**unit, **row, "age_ms": int(said.group(3)) if said else None}
                )
        for client_id in client_ids_of(recording, client, list(wire)):
            requests = wire.get(client_id, [])
            waits = produce_waits(requests) + [
                w
                for api in ("FindCoordinator", "InitProducerId", "JoinGroup")
                for w in call_waits(requests, api)
            ]
            for wait in waits:
                row = {"api": wait.api, "subject": f"orders-{wait.partition}", "failures": wait.failures}
                row |= {"failed_at": wait.failed_at, "sent_at": wait.sent_at, "waited_ms": wait.waited_ms}
                tables["silver.backoff_attempts"].append({**unit, **row, "is_lower_bound": False})
            for done in deliveries_after_retry(requests):
                row = {"topic": "orders", "partition": done.partition, "ended_at": done.delivered_at}
                tables["silver.batch_lifetimes"].append(
                    {
                        **unit,
                        **row,
                        "outcome": "delivered",
                        "attempts": done.attempts,
                        "records": 1,
                        "age_ms": None,
                    }
                )
            for member in memberships_of(requests, removals):
                gaps = facts.get("poll_gaps_over_2s", [])
                polled = next((ms(gap["t"]) - gap["gap_ms"] for gap in gaps), None)
                slow = any(
                    gap["gap_ms"] > (member.max_poll_interval_ms or 0)
                    for gap in facts.get("poll_gaps_over_2s", [])
                )
                ends = {
                    "left": "poll_expired" if slow and member.next_joined_at else "closed",
                    "evicted": "session_expired",
                }
                row = {
                    "member_id": member.member_id,
                    "joined_at": member.joined_at,
                    "ended_at": member.ended_at,
                }
                row |= {
                    "outcome": ends.get(member.ended_by or "", "open"),
                    "rejoined_at": member.next_joined_at,
                    "last_poll_at": polled,
                }
                tables["silver.liveness_sessions"].append({**unit, **row})
    return tables


def count(score: Score, status: str) -> int:
    return sum(fact.status == status for fact in score.facts)


@pytest.mark.parametrize("name", CHOSEN)
def test_rows_that_tell_the_truth_are_all_found(name: str) -> None:
    recording = recordings(name)[0]
    score = score_recording(recording, true_tables(recording))
    assert [fact for fact in score.facts if fact.status in (MISSED, FALSE)] == []
    assert count(score, FOUND) >= 5


@pytest.mark.parametrize("name", CHOSEN)
def test_no_rows_find_nothing(name: str) -> None:
    recording = recordings(name)[0]
    score = score_recording(recording, {table: [] for table in TABLES})
    assert count(score, FOUND) == count(score, FALSE) == 0
    assert count(score, MISSED) > 0


@pytest.mark.parametrize(
    ("name", "table", "instant"),
    [
        pytest.param("p572-commit-idle-expire-42", "silver.task_timers", "started_at", id="timer"),
        pytest.param("p580-exp-37", "silver.backoff_attempts", "failed_at", id="backoff"),
        pytest.param("p91-retries-exhausted-42", "silver.batch_lifetimes", "ended_at", id="batch"),
        pytest.param("p62-slow-poll-42", "silver.liveness_sessions", "ended_at", id="membership"),
    ],
)
def test_a_row_moved_by_a_minute_is_a_miss(name: str, table: str, instant: str) -> None:
    recording = recordings(name)[0]
    tables = true_tables(recording)
    before = score_recording(recording, tables)
    row = next(row for row in tables[table] if row[instant] is not None)
    row[instant] += 60_000
    after = score_recording(recording, tables)
    assert count(after, FOUND) < count(before, FOUND)
    assert count(after, MISSED) + count(after, HIDDEN) > count(before, MISSED) + count(before, HIDDEN)


@pytest.mark.parametrize(
    ("name", "table", "change"),
    [
        pytest.param(
            "p572-commit-idle-expire-42",
            "silver.task_timers",
            {"started_at": 5, "last_attempt_at": 5},
            id="timer",
        ),
        pytest.param("p580-exp-37", "silver.backoff_attempts", {"failed_at": 4, "sent_at": 5}, id="backoff"),
        pytest.param("p91-retries-exhausted-42", "silver.batch_lifetimes", {"ended_at": 5}, id="batch"),
        pytest.param(
            "p62-slow-poll-42",
            "silver.liveness_sessions",
            {"joined_at": 4, "ended_at": 5, "outcome": "fenced"},
            id="membership",
        ),
    ],
)
def test_a_row_that_nobody_saw_is_false(name: str, table: str, change: Mapping[str, object]) -> None:
    recording = recordings(name)[0]
    tables = true_tables(recording)
    tables[table].append({**tables[table][0], **change})
    assert count(score_recording(recording, tables), FALSE) == 1


def finding(instance: str, rule_id: str, category: str, happened_at: int | None) -> Row:
    row: Row = {"instance": instance, "client_id": None, "rule_id": rule_id, "category": category}
    return {**row, "event_ids": ["e"], "explanation": "", "happened_at": happened_at}


@pytest.mark.parametrize(
    ("findings", "agrees", "accused"),
    [
        pytest.param([], [True, True, False], 0, id="silence"),
        pytest.param(
            [("kip580.saturated_below_cap", "departs_from_kip")], [True, True, True], 0, id="the expected one"
        ),
        pytest.param(
            [("kip580.saturated_below_cap", "broken_semantics")],
            [True, True, False],
            1,
            id="in a wrong category",
        ),
        pytest.param(
            [("kip580.above_cap", "broken_semantics")], [False, True, False], 1, id="one that must not fire"
        ),
        pytest.param(
            [("kip572.died_early", "broken_semantics")], [True, True, False], 1, id="one nobody spoke of"
        ),
    ],
)
def test_verdicts(findings: list[tuple[str, str]], agrees: list[bool], accused: int) -> None:
    recording = recordings("p580-exp-37")[0]
    tables: dict[str, list[Row]] = {table: [] for table in TABLES}
    at = ms(recording.truth["recorded"]["to"])
    tables["silver.findings"] = [finding("app.log", *found, at) for found in findings]
    score = score_recording(recording, tables)
    assert [verdict.agrees for verdict in score.verdicts] == agrees
    assert sum(other.category == "broken_semantics" for other in score.beside) == accused
