"""The sentence on top of a page: computed from its rows, and careful where something is not known."""

import dataclasses
from collections import Counter

import pytest

from tests.dashboards.episode_lake import BATCHES, SESSIONS, batch, session, timer
from tests.dashboards.lake import NOON
from transforms.episodes.summaries import lifetimes, memberships, retries, stalls
from transforms.episodes.words import short_name


def row(episode, **more):
    return dataclasses.asdict(episode) | more


def outcomes_of(rows):
    return Counter(one["outcome"] for one in rows)


@pytest.mark.parametrize(
    ("timers", "said", "tone"),
    [
        pytest.param(
            [timer("a", 0, 14_109, "expired"), timer("b", 0, 12, "cleared")],
            "Longest stall 14.1 s of 8 s allowed (task 0_1, from the client's own log): expired 6.1 s past its deadline. "
            "1 of 2 timers gave up.",
            "broken",
            id="given up",
        ),
        pytest.param(
            [timer("a", 0, 12_300, "cleared", limit=25_000)],
            "Longest stall 12.3 s of 25 s allowed (task 0_1, from the client's own log): cleared. 0 of 1 timer gave up.",
            "calm",
            id="recovered",
        ),
        pytest.param(
            [timer("a", 0, 500, "cleared", limit=None)],
            "Longest stall 500 ms (task 0_1), limit unknown.",
            "none",
            id="limit unknown",
        ),
        pytest.param(
            [timer("a", None, None, "unknown")], "1 timer, none of known length.", "none", id="no length"
        ),
    ],
)
def test_the_longest_stall(timers, said, tone):
    rows = [row(one) for one in timers]
    assert stalls(rows, outcomes_of(rows)) == (said, tone)


@pytest.mark.parametrize(
    ("seen", "said", "tone"),
    [
        (
            12_000,
            "Task 0_1 makes no progress: 13 s left of 25 s allowed (from the client's own log).",
            "warn",
        ),
        (
            25_000,
            "Task 0_1 makes no progress: 0 ms left of 25 s allowed (from the client's own log).",
            "warn",
        ),
        (
            26_000,
            "Task 0_1 makes no progress and is 1 s past its 25 s allowed (from the client's own log).",
            "broken",
        ),
    ],
)
def test_an_open_timer_comes_first_with_what_is_left(seen, said, tone):
    is_open = row(timer("a", 0, None, "open", limit=25_000), seen_until=NOON + seen)
    assert stalls([row(timer("b", 0, 90_000, "cleared")), is_open], {"cleared": 1, "open": 1}) == (said, tone)


def test_an_open_timer_of_unknown_limit_is_no_promise():
    said, tone = stalls([row(timer("a", 0, None, "open", limit=None), seen_until=NOON)], {"open": 1})
    assert (said, tone) == ("1 timer open, of unknown limit: task 0_1.", "warn")


def sequence(**changes):
    known = {
        "sequence_id": "s", "client_id": "admin", "api": "METADATA", "retries": 11, "short": 0, "bounded": 11,
        "least_ms": 80, "first_at": NOON, "last_at": NOON + 500,
    }  # fmt: skip
    return known | changes


@pytest.mark.parametrize(
    ("rows", "found", "said", "tone"),
    [
        (
            [sequence(short=9), sequence(short=1)],
            [],
            "admin retried METADATA 11 times in 500 ms, 20 a second: 9 of its waits were shorter than the 80 ms it had "
            "to wait at least (no rule holds it against it). 1 other sequence had short waits.",
            "warn",
        ),
        (
            [sequence(short=1)],
            [{"rule_id": "kip580.no_growth", "category": "older_semantics"}],
            "admin retried METADATA 11 times in 500 ms, 20 a second: 1 of its waits was shorter than the 80 ms it had "
            "to wait at least (no rule holds it against it).",
            "warn",
        ),
        (
            [sequence(short=9)],
            [{"rule_id": "kip580.no_backoff", "category": "broken_semantics"}],
            "admin retried METADATA 11 times in 500 ms, 20 a second: 9 of its waits were shorter than the 80 ms it had "
            "to wait at least (found by kip580.no_backoff).",
            "broken",
        ),
        (
            [sequence(), sequence(client_id=None, retries=3, bounded=0)],
            [],
            "No wait was shorter than allowed, of 11 whose bounds are known; the most retries in a row are 11, by admin.",
            "calm",
        ),
        ([sequence(bounded=0)], [], "1 sequence of retries, the legal waits of none are known.", "none"),
    ],
)
def test_hammering_is_told_from_backing_off(rows, found, said, tone):
    assert retries(rows, len(rows), found) == (said, tone)


def test_what_only_the_listed_sequences_tell_is_said_to_be_theirs():
    said, _ = retries([sequence(short=9), sequence(short=1)], 3_000, [])
    assert said.endswith(" At least 1 other sequence had short waits.")
    said, _ = retries([sequence(short=9), sequence()], 3_000, [])
    assert "short waits" not in said, "the others have none: those with the most come first"
    said, _ = retries([sequence()], 3_000, [])
    assert "of 11 whose bounds are known in the 1 sequences listed; the most" in said


def test_the_oldest_batch_says_which_stage_ate_its_time():
    outcomes = [
        {"outcome": "expired", "batches": 3, "records": 8},
        {"outcome": "failed", "batches": 1, "records": None},
    ]
    assert lifetimes([row(one) for one in BATCHES], outcomes) == (
        "3 batches with 8 records expired; the oldest lived 13 s of 10 s allowed, from the client's own log (orders-0): "
        "8 s in flight, 5 s waiting. 1 batch failed otherwise.",
        "broken",
    )


@pytest.mark.parametrize(
    ("rows", "outcomes", "said"),
    [
        (
            [],
            [{"outcome": "delivered", "batches": 5, "records": 9}],
            "No batch expired or failed: 5 delivered.",
        ),
        (
            [batch("f", None, None, "failed", error_class="NotEnoughReplicasException")],
            [{"outcome": "failed", "batches": 1, "records": None}],
            "1 batch failed, none by expiry: NotEnoughReplicasException.",
        ),
        (
            [batch("e", None, None, "expired")],
            [{"outcome": "expired", "batches": 1, "records": None}],
            "1 batch expired.",
        ),
        (
            [batch("e", 0, 5_000, "expired", delivery_timeout_ms=None)],
            [{"outcome": "expired", "batches": 1, "records": 3}],
            "1 batch with 3 records expired; the oldest lived 5 s, limit unknown (orders-0): "
            "5 s in stages the log does not tell.",
        ),
    ],
)
def test_what_is_not_known_of_batches_is_not_said(rows, outcomes, said):
    assert lifetimes([row(one) for one in rows], outcomes)[0] == said


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (
            row(SESSIONS[0], poll_origin="logged"),
            "consumer-a left group orders-group 8 s after its last poll (limit max.poll.interval.ms = 8 s, "
            "from the client's own log);"
            " 14.1 s passed between two polls. It was a member again 7.3 s later.",
        ),
        (
            row(SESSIONS[2]),
            "consumer-b was put out of group orders-group: no heartbeat came within its limit (session.timeout.ms = 6 s, "
            "origin unknown). It is not seen to have come back.",
        ),
        (
            row(SESSIONS[3]),
            "consumer-c was fenced from group orders-group: another member took its group.instance.id node-a. "
            "It is not seen to have come back.",
        ),
        (
            row(session("r", 0, 1, "rebalance_expired")),
            "consumer-a was put out of group orders-group: it did not join a rebalance in time. "
            "It is not seen to have come back.",
        ),
        (
            row(session("u", 0, 1, "poll_expired", max_poll_interval_ms=None)),
            "consumer-a left group orders-group for want of a poll (limit unknown). It is not seen to have come back.",
        ),
    ],
)
def test_why_it_was_kicked_out(one, said):
    rows = [row(session("c", 0, 1, "closed")), one]
    assert memberships(rows, outcomes_of(rows)) == (said, "broken")


def test_who_was_kicked_out_is_counted_also_where_no_list_has_room():
    rows = [
        row(session("c", 0, 1, "closed")),
        row(session("u", 0, 1, "poll_expired", max_poll_interval_ms=None)),
    ]
    said, tone = memberships(rows, {"closed": 900, "poll_expired": 90, "fenced": 10})
    assert (said.endswith(" 99 other memberships ended by force."), tone) == (True, "broken")
    assert memberships(rows[:1], {"closed": 900, "fenced": 10}) == (
        "10 memberships ended by force, none of them among the 1 listed: choose a client or a shorter time to see them.",
        "broken",
    )


def test_nobody_was_kicked_out():
    rows = [row(session("c", 0, 1, "closed")), row(session("o", 0, None, "open"))]
    said, tone = memberships(rows, outcomes_of(rows))
    assert (said, tone) == ("Nobody was kicked out: 2 memberships, open or closed by the member.", "calm")


def test_long_names_keep_both_ends():
    assert short_name("orders-49df8e61-c62d-4197-affa-13d915bf4612-StreamThread-1-consumer") == (
        "orders-49df8e61-…StreamThread-1-consumer"
    )
