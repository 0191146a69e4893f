"""Refused commits, in one-line histories: what ended the membership, and what the exception blames."""

import pytest

from transforms.events import ClientEvent
from transforms.timers.groups.commit_failures import CommitFailures
from transforms.timers.profile import ClientProfile

BLAMES = "Commit cannot be completed ... longer than the configured max.poll.interval.ms ..."
# word -> (kind, message_id, error_class, error_message, whether the line names its client)
WORDS = {
    "joined": ("joined", "joined", None, "", True),
    "poll": ("poll_interval_expired", "poll-timeout-expired", None, "", True),
    "session": ("session_expired", "coordinator-unknown", None, "", True),
    "lost": ("coordinator_lost", "coordinator-unknown", None, "", True),
    "fenced": ("fenced", "heartbeat-fenced", None, "", True),
    "forgotten": (
        "fenced",
        "c848-heartbeat-fenced",
        "UNKNOWN_MEMBER_ID",
        "Member m is not a member of group orders.",
        True,
    ),
    "replaced": ("fenced", "c848-fatal", "UNRELEASED_INSTANCE_ID", "Static member a is in use.", True),
    "unknown": ("commit_failed", "commit-failed", None, "The coordinator is not aware of this member.", True),
    "refused": ("commit_failed", "commit-failed-exception", "CommitFailedException", BLAMES, False),
    "stale": (
        "commit_failed",
        "commit-failed-exception",
        "CommitFailedException",
        "stale member epoch",
        False,
    ),
    "rejoins": ("join", "rejoin", None, "", True),
    "assigned": ("partitions_assigned", "partitions-added", None, "", True),
    "unsent": ("commit_failed", "commit-failed-generation", None, None, True),
    "timeout": ("commit_failed", "commit-timeout-exception", "TimeoutException", "Timeout of 5000ms", False),
}


def event(number, word, client="consumer-a"):
    kind, message_id, error, text, names_client = WORDS[word]
    return ClientEvent(
        kind,
        message_id,
        event_id=f"e{number}",
        happened_at=number * 1000,
        client_kind="consumer" if names_client else None,
        client_id=client if names_client else None,
        group_id="orders" if names_client else None,
        error_class=error,
        details={} if text is None else {"error_message": text, "reason": text},
    )


def folded(history):
    machine = CommitFailures()
    profile = ClientProfile("u", "consumer-a", "consumer")
    found = []
    for number, word in enumerate(history.split()):
        word, _, client = word.partition("@")
        found.extend(machine.step(event(number, word, client or "consumer-a"), profile))
    return [*found, *machine.finish(None)]


@pytest.mark.parametrize(
    ("history", "actual"),
    [
        pytest.param("joined poll unknown refused joined", ["poll"], id="slow processing"),
        pytest.param(
            "joined session unknown refused joined", ["session"], id="heartbeats, whatever it blames"
        ),
        pytest.param(
            "joined session lost unknown refused joined", ["session"], id="the more telling line counts"
        ),
        pytest.param(
            "joined lost unknown refused joined", ["contact"], id="only that it lost its coordinator"
        ),
        pytest.param("joined unknown refused session joined", ["session"], id="the reason may come after"),
        pytest.param("joined fenced refused", ["fenced"], id="another took its identity"),
        pytest.param("joined forgotten refused", [None], id="KIP-848: fenced, and nobody took its place"),
        pytest.param("joined replaced refused", ["fenced"], id="KIP-848: another has its instance id"),
        pytest.param("joined refused", [None], id="no line tells"),
        pytest.param("joined poll joined refused", [None], id="a new membership forgets the old one's end"),
        pytest.param("joined poll refused refused joined", ["poll"], id="several refusals are one failure"),
        pytest.param(
            "joined poll refused joined poll refused joined", ["poll", "poll"], id="one a membership"
        ),
        pytest.param("joined timeout joined", [], id="a commit that timed out was not refused"),
        pytest.param("lost assigned stale", [], id="KIP-848: who has an old epoch is a member"),
        pytest.param(
            "lost assigned unknown refused", [None], id="KIP-848: who is assigned something is a member"
        ),
        pytest.param(
            "joined rejoins joined unsent assigned", [], id="not sent between its join and its assignment"
        ),
        pytest.param(
            "joined rejoins joined assigned unsent", [None], id="not sent, and it had its assignment"
        ),
        pytest.param(
            "joined rejoins unsent joined", [], id="not sent while it joins again, a member all the time"
        ),
        pytest.param(
            "joined poll rejoins unsent joined", ["poll"], id="not sent while it joins again after its end"
        ),
        pytest.param("joined unsent rejoins joined", [None], id="not sent, and it was not joining"),
        pytest.param("joined rejoins refused joined", [None], id="joining, and refused as no member"),
        pytest.param("joined poll joined", [], id="no commit"),
        pytest.param("joined@a joined@b refused", [], id="two consumers: whose it was is not known"),
        pytest.param("", [], id="no lines"),
    ],
)
def test_what_ended_the_membership(history, actual):
    assert [failure.actual for failure in folded(history)] == actual


def test_a_failure_keeps_its_proof_its_times_and_that_it_blames_polling():
    (failure,) = folded("joined session unknown refused refused joined")
    assert failure.event_ids == ["e1", "e2", "e3", "e4"]
    assert (failure.happened_at, failure.ended_at) == (2000, 5000)
    assert failure.blames_polling
    assert failure.refusals == 2
    assert (failure.client_id, failure.group_id) == ("consumer-a", "orders")


def test_thousands_of_refusals_keep_the_first_lines_only():
    (failure,) = folded("joined poll " + "refused " * 1000)
    assert failure.refusals == 1000
    assert len(failure.event_ids) <= 20


def test_an_exception_that_names_no_group_is_of_its_consumers():
    (failure,) = folded("joined refused")
    assert (failure.client_id, failure.group_id) == ("consumer-a", "orders")
