"""Episodes and findings -> what whoever is on call reads."""

from dataclasses import replace

import pytest

from transforms.diagnose.causes.benign import why_normal
from transforms.diagnose.incident import IMPACTS, VERDICTS
from transforms.diagnose.incidents import incidents
from transforms.rules.judge import Finding
from transforms.timers.clients.benign_lines import BenignLines
from transforms.timers.clients.cancelled_requests import CancelledRequest, RequestTimeout
from transforms.timers.episodes import BatchLifetime, LivenessSession, TaskTimer
from transforms.timers.groups.commit_failures import CommitFailure
from transforms.timers.profile import ClientProfile, Setting
from transforms.timers.streams.streams_failures import StreamsFailure

T = 1_777_800_000_000


def profile(**settings):
    named = {name.replace("_", "."): value for name, value in settings.items()}
    return ClientProfile(
        "unit",
        "consumer-a",
        "consumer",
        settings={key: Setting(key, str(value), "logged") for key, value in named.items()},
    )


def session(outcome, **more):
    known = {
        "session_id": "s1", "unit_id": "unit", "client_id": "consumer-a", "group_id": "orders",
        "outcome": outcome, "joined_at": T, "ended_at": T + 8_000, "event_ids": ["e1", "e2"],
        "profile": profile(max_poll_interval_ms=8_000, session_timeout_ms=6_000),
    }  # fmt: skip
    return LivenessSession(**known | more)


def timer(task, outcome, started, stalled, **more):
    return TaskTimer(
        timer_id=f"t{task}", unit_id="unit", client_id="app", task_id=task, started_at=T + started,
        outcome=outcome, stalled_ms=stalled, task_timeout_ms=10_000, timeout_origin="logged",
        ended_at=None if outcome == "open" else T + started + stalled, attempts=3,
        event_ids=[f"e{task}"], **more,
    )  # fmt: skip


def batch(number, outcome, created, age, **more):
    return BatchLifetime(
        batch_id=f"b{number}", unit_id="unit", client_id="producer", topic="orders", partition=0, records=2,
        created_at=T + created, ended_at=T + created + age, age_ms=age, outcome=outcome,
        delivery_timeout_ms=8_000, timeout_origin="logged", event_ids=[f"e{number}"], **more,
    )  # fmt: skip


def finding(subject, category="broken_semantics", events=("f1",), rule="kip91.expired_early"):
    return Finding(
        finding_id="f", rule_id=rule, kip="KIP-91", category=category, severity="error", client_id="producer",
        subject_id=subject, happened_at=T, observed_ms=1, limit_ms=2, limit_origin="logged",
        explanation="too early", event_ids=list(events), unit_id="unit", incarnation=0, scope_id="unit",
        service=None, instance=None,
    )  # fmt: skip


def only(*episodes, findings=()):
    (incident,) = incidents(episodes, findings, "unit")
    return incident


def test_a_slow_consumer_was_kicked_out_as_designed():
    told = only(session("poll_expired", max_poll_gap_ms=14_055, max_poll_interval_ms=8_000, last_poll_at=T))
    assert told.title == (
        "Consumer consumer-a was kicked out of group orders: its processing took 14.1 s between polls, "
        "limit max.poll.interval.ms = 8 s"
    )
    assert (told.verdict, told.cause_confidence) == ("as_designed", "proven")
    assert (told.observed_ms, told.limit_ms, told.limit_origin) == (14_055, 8_000, "logged")


@pytest.mark.parametrize(
    ("outcome", "words", "confidence"),
    [
        ("session_expired", "no heartbeat arrived within session.timeout.ms = 6 s", "proven"),
        ("rebalance_expired", "did not join a rebalance in time", "proven"),
        ("fenced", "another member took", "proven"),
        ("unknown", "why is not in these logs", "unknown"),
    ],
)
def test_why_it_was_kicked_out(outcome, words, confidence):
    told = only(session(outcome))
    assert words in told.title
    assert told.cause_confidence == confidence


@pytest.mark.parametrize("outcome", ["closed", "open"])
def test_a_plain_close_is_no_incident(outcome):
    assert incidents([session(outcome)], [], "unit") == []


def test_a_heartbeat_sent_too_late_is_not_taken_for_the_last_one():
    told = only(session("session_expired", last_heartbeat_at=T + 7_994))
    assert told.observed_ms is None


@pytest.mark.parametrize(
    ("rejoined", "words"), [(T + 15_300, "a member again after 7.3 s"), (None, "did not come back")]
)
def test_whether_it_came_back(rejoined, words):
    assert words in only(session("poll_expired", rejoined_at=rejoined)).cause


def test_kicked_out_again_and_again_is_one_incident():
    first = session("poll_expired", rejoined_at=T + 9_000, max_poll_gap_ms=9_000)
    second = session(
        "poll_expired", session_id="s2", joined_at=T + 9_000, ended_at=T + 20_000, max_poll_gap_ms=11_000,
        event_ids=["e3"],
    )  # fmt: skip
    told = only(second, first)
    assert told.title.endswith("(2 times in a row)")
    assert told.subject_ids == ["s1", "s2"]
    assert told.observed_ms == 11_000


def test_two_ends_without_a_known_return_are_two_incidents():
    fenced = [session("fenced", joined_at=None), session("fenced", session_id="s2", joined_at=None)]
    assert len({told.incident_id for told in incidents(fenced, [], "unit")}) == 2


def test_a_request_cut_by_its_call_s_deadline_says_nothing_of_the_broker():
    cut = RequestTimeout(
        timeout_id="r1", unit_id="unit", client_id="admin", node_id=1, happened_at=T, event_ids=["e1"],
        requests=[CancelledRequest("e1", "FIND_COORDINATOR", 1, 0)],
    )  # fmt: skip
    assert incidents([cut], [], "unit") == []


def test_an_unknown_limit_is_said_to_be_unknown():
    told = only(session("poll_expired", profile=None))
    assert "limit max.poll.interval.ms (at most 8 s)" in told.title
    assert told.limit_origin is None


@pytest.mark.parametrize(
    ("settings", "kind", "named"),
    [
        ({"group_protocol": "classic"}, "consumer", "within session.timeout.ms = 6 s"),
        (
            {"group_protocol": "consumer"},
            "consumer",
            "within group.consumer.session.timeout.ms (at most 8 s)",
        ),
        ({"group_protocol": "classic"}, "share", "within group.share.session.timeout.ms (at most 8 s)"),
    ],
)
def test_a_session_that_the_brokers_bound_is_not_told_by_the_clients_setting(settings, kind, named):
    known = replace(profile(session_timeout_ms=6_000, **settings), client_kind=kind)
    told = only(session("session_expired", profile=known))
    assert named in told.title
    assert f"{told.title} {told.cause}".count("at most") <= 2  # once each


@pytest.mark.parametrize(
    ("member_id", "said"), [(None, "with debug=cgrp only"), ("m1", "these lines do not tell")]
)
def test_what_librdkafka_says_of_a_return_depends_on_what_it_logs(member_id, said):
    known = replace(profile(), library="librdkafka")
    assert said in only(session("unknown", joined_at=None, member_id=member_id, profile=known)).cause


def test_timers_that_ran_together_are_one_trouble():
    told = only(timer("0_0", "cleared", 0, 4_000), timer("0_1", "expired", 1_000, 10_073))
    assert told.title.startswith("Streams tasks 0_0 and 0_1 gave up after 10.1 s without progress")
    assert told.subject_ids == ["t0_0", "t0_1"]


@pytest.mark.parametrize(("stalled_ms", "said"), [(10_000, "within"), (10_117, "beyond")])
def test_a_recovery_is_told_by_its_limit(stalled_ms, said):
    assert (
        f"without progress, {said} task.timeout.ms = 10 s"
        in only(timer("0_0", "cleared", 0, stalled_ms)).title
    )


def test_where_no_line_tells_of_progress_timeouts_alone_are_told():
    told = only(timer("0_0", "unknown", 0, 4_000))
    assert "timed out" in told.title
    assert "without progress" not in told.title


def test_timers_apart_are_two():
    apart = [timer("0_0", "cleared", 0, 1_000), timer("0_1", "cleared", 60_000, 1_000)]
    assert len(incidents(apart, [], "unit")) == 2


def test_an_open_timer_says_how_long_is_left():
    told = only(timer("0_0", "open", 0, 4_000, deadline_at=T + 10_000, last_attempt_at=T + 4_000))
    assert "6 s left of task.timeout.ms = 10 s" in told.title
    assert told.ended_at is None


def test_expired_batches_are_lost_and_counted():
    told = only(
        batch(1, "expired", 0, 8_001), batch(2, "expired", 500, 8_004), batch(3, "delivered", 900, 100)
    )
    assert told.title.startswith(
        "2 batches (4 records) of orders-0 of producer producer expired, the oldest after 8004 ms"
    )
    assert told.impact == "lost"
    assert told.observed_ms == 8_004


def test_batches_whose_creation_is_not_told_lived_while_they_aged():
    """Releases before 2.1 count from a batch's last append or attempt."""
    older = [
        replace(batch(number, "expired", created, age), created_at=None)
        for number, created, age in ((1, 0, 1_917), (2, 0, 1_919), (3, 3_500, 1_500))
    ]
    both, last = sorted(incidents(older, [], "unit"), key=lambda one: one.started_at)
    assert both.title.startswith("2 batches (4 records)")
    assert (both.started_at, both.ended_at, last.started_at) == (T, T + 1_919, T + 3_500)


def test_batches_that_got_through_are_delayed():
    one = only(batch(1, "delivered", 0, 3_000))
    assert (one.impact, one.title.rpartition("; ")[2]) == ("delayed", "it was delivered in the end")


def test_what_became_of_retried_batches_may_be_unknown():
    told = only(batch(1, "unknown", 0, 3_000))
    assert told.impact == "unknown"
    assert "not in this log" in told.title


def test_a_broken_promise_makes_its_incident_broken():
    told = only(batch(1, "expired", 0, 7_000), findings=[finding("b1")])
    assert told.verdict == "broken"
    assert told.rule_ids == ["kip91.expired_early"]


@pytest.mark.parametrize("category", ["departs_from_kip", "older_semantics", "misconfiguration"])
def test_other_findings_break_nothing(category):
    assert only(batch(1, "expired", 0, 9_000), findings=[finding("b1", category)]).verdict == "as_designed"


def test_a_broken_promise_that_no_episode_tells_of_is_an_incident_itself():
    told = only(findings=[finding("x"), replace(finding("y"), happened_at=T + 5)])
    assert told.verdict == "broken"
    assert "(2 times)" in told.title
    assert told.event_ids == ["f1"]


def test_a_commit_refused_says_when_the_exception_blames_the_wrong_limit():
    told = only(
        CommitFailure(
            commit_failure_id="c1",
            unit_id="unit",
            client_id="consumer-a",
            happened_at=T,
            actual="session",
            blames_polling=True,
            refusals=1,
            event_ids=["e1"],
        )
    )
    assert told.cause.startswith(
        "The exception blames max.poll.interval.ms, but its heartbeats did not get through"
    )
    assert told.impact == "duplicated"


def test_a_thread_that_died_at_its_first_timeout():
    told = only(
        StreamsFailure(
            failure_id="f1",
            unit_id="unit",
            client_id="app",
            ended_in="thread_died",
            call="process",
            task_id="0_1",
            happened_at=T,
            waited_ms=2_000,
            event_ids=["e1"],
            profile=profile(task_timeout_ms=25_000),
        )
    )
    assert "the thread died at a client timeout" in told.title
    assert "task.timeout.ms = 25 s" in told.cause


def test_a_broker_that_did_not_answer():
    told = only(
        RequestTimeout(
            timeout_id="r1",
            unit_id="unit",
            client_id="producer",
            node_id=2147483646,
            happened_at=T,
            requests=[CancelledRequest("e1", "HEARTBEAT", 2_001, 2_000)],
            event_ids=["e1"],
        )
    )
    assert told.title.startswith("Broker 1 as coordinator did not answer producer: 1 request given up")
    assert told.cause_confidence == "unknown"


def test_normal_lines_are_benign():
    told = only(
        BenignLines(
            benign_id="n1",
            unit_id="unit",
            client_id="a",
            message_id="net-idle-disconnected",
            kind="disconnect",
            why="An idle connection was closed.",
            count=3,
            first_at=T,
            last_at=T + 1_200_000,
            event_ids=["e1"],
        )
    )
    assert (told.verdict, told.impact) == ("benign", "none")
    assert told.title == "Normal: an idle connection was closed (a, 3 times)"
    assert why_normal(told) == "an idle connection was closed (a, 3 times)."


def test_what_is_normal_is_said_once_and_then_why():
    told = only(
        BenignLines(
            benign_id="n1",
            unit_id="unit",
            client_id=None,
            message_id="rejoin-reason",
            kind="other_kafka",
            why="The broker hands a new member its id first (KIP-394); the client joins again at once.",
            count=1,
        )
    )
    what = "the broker hands a new member its id first (KIP-394) (a client)"
    assert told.title == f"Normal: {what}"
    assert why_normal(told) == f"{what}: the client joins again at once."


def test_ids_depend_on_what_happened_only():
    first, second = session("poll_expired"), batch(1, "expired", 0, 9_000)
    there = incidents([first, second], [], "unit")
    back = incidents([second, first], [], "unit")
    assert [incident.incident_id for incident in there] == [incident.incident_id for incident in back]
    assert len({incident.incident_id for incident in there}) == 2


def test_every_incident_uses_the_contract_s_words():
    told = incidents(
        [session("fenced"), timer("0_0", "expired", 0, 11_000), batch(1, "failed", 0, 9_000)],
        [finding("z")],
        "unit",
    )
    assert {incident.verdict for incident in told} <= set(VERDICTS)
    assert {incident.impact for incident in told} <= set(IMPACTS)


def test_nothing_went_wrong():
    assert incidents([], [], "unit") == []
