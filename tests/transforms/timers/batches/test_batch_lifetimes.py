"""Producer batches rebuilt from retry lines, expiries and DEBUG sends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.timelines_batches import NOON, events, fold, producer
from transforms.events import ClientEvent
from transforms.timers.batches.ends import BatchEnd, BlockedSend, RetryAfterEnd
from transforms.timers.batches.lifetimes import BatchLifetimes
from transforms.timers.episodes import BatchLifetime
from transforms.timers.profile import ClientProfile
from transforms.timers.state import dump_state, load_state


def batches(history, profile=None, data_clock=None, **more):
    found = fold(BatchLifetimes(), events(history, **more), profile, data_clock)
    return [episode for episode in found if isinstance(episode, BatchLifetime)]


def told(rows):
    return [(row.outcome, f"{row.topic}-{row.partition}", row.age_ms, row.attempts) for row in rows]


def ends(history, kind=BatchEnd, profile=None, **more):
    return [e for e in fold(BatchLifetimes(), events(history, **more), profile) if isinstance(e, kind)]


@pytest.mark.parametrize(
    ("history", "wanted"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param(
            "12001 expire o-0 1 12001", [("expired", "o-0", 12001, None)], id="never seen to be sent"
        ),
        pytest.param(
            "9 expire o-0 3 12001; 9 expire o-0 3 12001; 10 expire o-0 3 12001",
            [("expired", "o-0", 12001, None)],
            id="a line for each record",
        ),
        pytest.param(
            "9 expire o-0 1 12001; 9 expire o-0 1 12001",
            [("expired", "o-0", 12001, None)] * 2,
            id="more lines than records are two batches",
        ),
        pytest.param(
            "9 expire o-0 2 12001; 260 expire o-0 2 12001",
            [("expired", "o-0", 12001, None)] * 2,
            id="the same age a quarter of a second later is another batch",
        ),
        pytest.param(
            "9 expire o-0 2 12001; 259 expire o-0 2 12001",
            [("expired", "o-0", 12001, None)],
            id="a slow callback between two records",
        ),
        pytest.param(
            "9 expire o-0 1 12001; 9 expire o-1 1 12001",
            [("expired", "o-0", 12001, None), ("expired", "o-1", 12001, None)],
            id="partitions apart",
        ),
        pytest.param(
            "0 retry o-0 9; 110 retry o-0 8; 12000 expire o-0 1 12010",
            [("expired", "o-0", 12010, 2)],
            id="retries of the batch that expired",
        ),
        pytest.param(
            "0 retry o-0 9; 110 retry o-1 8; 12200 expire o-0 1 12210",
            [("expired", "o-0", 12210, 1), ("unknown", "o-1", None, 1)],
            id="retries of another partition are another batch's",
        ),
        pytest.param(
            "0 retry o-0 2; 2017 expire o-0 2 1917 last attempt plus backoff time",
            [("expired", "o-0", 1917, 1)],
            id="an older release counts from the last attempt",
        ),
        pytest.param(
            "0 retry o-0 2; 2017 expire o-0 7 2022 batch creation plus linger time",
            [("expired", "o-0", 2022, None), ("open", "o-0", None, 1)],
            id="what an older release counts from its creation was not sent",
        ),
        pytest.param(
            "0 retry o-0 2; 0 retry o-0 2; 2017 expire o-0 2 1917 last attempt plus backoff time; "
            "2019 expire o-0 2 1919 last attempt plus backoff time; 2019 expire o-0 7 2022 last append",
            [("expired", "o-0", 1917, 1), ("expired", "o-0", 1919, 1), ("expired", "o-0", 2022, None)],
            id="two batches in flight, and one that waited behind them",
        ),
        pytest.param(
            "0 retry o-0 2; 1900 retry o-0 1; 2017 expire o-0 2 1917 last attempt plus backoff time",
            [("expired", "o-0", 1917, None), ("open", "o-0", None, 2)],
            id="a batch that was tried since is another",
        ),
        pytest.param(
            "0 retry o-0 9; 12500 expire o-0 1 12001",
            [("expired", "o-0", 12001, None), ("unknown", "o-0", None, 1)],
            id="a batch created after the failure is another",
        ),
        pytest.param(
            "0 retry o-0 9; 9000 retry o-0 8",
            [("open", "o-0", None, 2)],
            id="retries before the deadline, no end yet",
        ),
        pytest.param(
            "0 retry o-0 9; 9000 retry o-0 8; 12001 retry o-1 9",
            [("unknown", "o-0", None, 2), ("open", "o-1", None, 1)],
            id="past its deadline with no end in the log",
        ),
        pytest.param(
            "0 retry o-0 2; 110 retry o-0 1; 340 retry o-0 0; 800 fail NotEnoughReplicasException",
            [("failed", "o-0", None, 4)],
            id="retries used up",
        ),
        pytest.param(
            "0 retry o-0 1 REQUEST_TIMED_OUT; 110 retry o-0 0 REQUEST_TIMED_OUT; 230 timed_out",
            [("failed", "o-0", None, 3)],
            id="retries used up, and nobody confirmed it",
        ),
        pytest.param(
            "0 retry o-0 9 REQUEST_TIMED_OUT; 110 timed_out",
            [("open", "o-0", None, 1)],
            id="another call timed out while the batch has attempts left",
        ),
        pytest.param(
            "0 retry o-0 0; 110 timed_out",
            [("open", "o-0", None, 1)],
            id="another call, and another error",
        ),
        pytest.param(
            "0 fail NotEnoughReplicasException; 1 fail NotEnoughReplicasException",
            [("failed", "None-None", None, None)],
            id="failed without a retry, two records",
        ),
        pytest.param(
            "0 returned o-0 OutOfOrderSequenceException; 0 fail OutOfOrderSequenceException;"
            " 1 fail OutOfOrderSequenceException",
            [("failed", "o-0", None, None)],
            id="the client's own line, and the application's for each record",
        ),
        pytest.param(
            "0 returned o-0 OutOfOrderSequenceException; 0 fail OutOfOrderSequenceException;"
            " 1 returned o-1 OutOfOrderSequenceException; 1 fail OutOfOrderSequenceException",
            [("failed", "o-0", None, None), ("failed", "o-1", None, None)],
            id="and so of the next partition",
        ),
        pytest.param("0 fail SerializationException", [], id="refused before there was a batch"),
        pytest.param("0 fail TimeoutException other_kafka", [], id="some other call's timeout"),
        pytest.param(
            "0 retry o-0 7 REQUEST_TIMED_OUT; 3000 fail TimeoutException other_kafka",
            [("failed", "o-0", None, 2)],
            id="its last error, past the deadline",
        ),
        pytest.param("0 blocked 6000", [], id="blocked in send(), no batch"),
        pytest.param(
            "0 fail NetworkException; 0 fail NetworkException; 1 metadata o-1 NetworkException",
            [("failed", "o-1", None, None)],
            id="metadata is asked for the partition of the batch that failed",
        ),
        pytest.param(
            "0 fail NetworkException; 0 metadata o-0 NetworkException; "
            "0 fail NetworkException; 0 metadata o-0 NetworkException",
            [("failed", "o-0", None, None)] * 2,
            id="each batch has its own such line",
        ),
        pytest.param(
            "0 retry o-0 5 NETWORK_EXCEPTION; 0 metadata o-0 NetworkException; 0 retry o-1 5 NETWORK_EXCEPTION; "
            "0 metadata o-1 NetworkException; 9000 fail NetworkException other_kafka; 9000 metadata o-1 NetworkException",
            [("failed", "o-1", None, 2), ("open", "o-0", None, 1)],
            id="the chain of the partition that is named, not the oldest",
        ),
        pytest.param(
            "0 fail NetworkException; 0 retry o-0 5 NETWORK_EXCEPTION; 0 metadata o-0 NetworkException",
            [("failed", "None-None", None, None), ("open", "o-0", None, 1)],
            id="after a retry the line is the retry's",
        ),
        pytest.param("0 metadata o-0 NetworkException", [], id="of a batch that had expired in flight"),
        pytest.param(
            "0 fail NetworkException; 6 metadata o-0 NetworkException",
            [("failed", "None-None", None, None)],
            id="too late for the same response",
        ),
    ],
)
def test_batches(history, wanted):
    assert told(batches(history)) == wanted


def test_two_exhausted_batches_of_one_request_fail_apart():
    rows = batches(
        "0 retry o-0 0; 0 retry o-1 0; "
        "300 fail NotEnoughReplicasException; 300 fail NotEnoughReplicasException"
    )
    assert told(rows) == [("failed", "o-0", None, 2), ("failed", "o-1", None, 2)]


@pytest.mark.parametrize(
    ("history", "count"),
    [
        pytest.param(
            "9 expire o-0 2 12001; 9 expire o-0 2 12001; 25 expire o-0 2 12001", 1, id="thrown by commit, too"
        ),
        pytest.param("; ".join(["9 expire o-0 2 12001"] * 4), 2, id="a line for each record of two batches"),
        pytest.param("; ".join(["9 expire o-0 2 12001"] * 5), 2, id="and the call's"),
        pytest.param("; ".join(["9 expire o-0 1 12001"] * 5), 5, id="batches of one record"),
    ],
)
def test_what_ended_a_transaction_is_thrown_once_more(history, count):
    rows = batches(history, producer(transactional_id="pay"))
    assert [row.outcome for row in rows] == ["expired"] * count


@pytest.mark.parametrize(
    "history",
    [
        "0 fail NotLeaderOrFollowerException; 1400 fail NotLeaderOrFollowerException",
        "0 expire o-0 1 12001; 1400 expire o-0 1 12001",
    ],
)
def test_what_a_transactions_next_call_throws_again_is_no_second_batch(history):
    failed, again = events(history)
    again.details["error_message"] = "Cannot execute transactional method because we are in an error state"
    found = [one for one in fold(BatchLifetimes(), [failed, again]) if isinstance(one, BatchLifetime)]
    assert [row.event_ids for row in found] == [["e0"]]


def test_what_the_client_says_behind_a_batchs_records_names_their_partition():
    records = events("; ".join(["0 fail OutOfOrderSequenceException"] * 4))
    for own in records[1::2]:
        own.message_id, own.topic, own.partition = "producer-broker-returned", "orders", own.line % 7
    found = [one for one in fold(BatchLifetimes(), records) if isinstance(one, BatchLifetime)]
    assert [row.event_ids for row in found] == [["e0", "e1"], ["e2", "e3"]]
    assert [(row.topic, row.partition) for row in found] == [
        (own.topic, own.partition) for own in records[1::2]
    ]


def test_a_frameworks_echo_is_no_second_batch():
    mine, echo, another = events("0 expire o-0 1 12001; 0 expire o-0 1 12001; 1 expire o-0 1 12001")
    mine.level = another.level = "WARN"
    echo.level = "ERROR"
    found = [e for e in fold(BatchLifetimes(), [mine, echo, another]) if isinstance(e, BatchLifetime)]
    assert [row.event_ids for row in found] == [["e0", "e1"], ["e2"]]


def test_a_closed_producer_leaves_nothing_behind():
    machine = BatchLifetimes()
    (retry,) = events("0 retry o-0 9")
    closed = ClientEvent("lifecycle", "client-unregistered", client_kind="producer", client_id="p1")
    closed.happened_at = NOON + 13000
    list(machine.step(retry, producer()))
    assert told(machine.step(closed, producer())) == [("unknown", "o-0", None, 1)]
    assert machine.producers == {}


def test_creation_is_inferred_from_the_age():
    (row,) = batches("12500 expire o-0 1 12001")
    assert (row.created_at, row.ended_at, row.is_inferred) == (NOON + 499, NOON + 12500, True)
    assert (row.delivery_timeout_ms, row.timeout_origin, row.error_class) == (
        12000,
        "logged",
        "TimeoutException",
    )


def test_times_in_flight_from_cancelled_requests():
    (row,) = batches(
        "3500 timeout; 3500 cancel 5 3400 3000; 3501 retry o-0 2147483646 REQUEST_TIMED_OUT 5; "
        "12010 expire o-0 1 12001"
    )
    assert (row.in_flight_ms, row.waiting_ms, row.attempts) == (3401, 8600, 1)


def test_a_chain_that_began_before_the_log_has_no_time_in_flight():
    (row,) = batches(
        "3500 cancel 5 3400 3000; 3501 retry o-0 7 REQUEST_TIMED_OUT 5; 12010 expire o-0 1 12001"
    )
    assert (row.in_flight_ms, row.waiting_ms) == (None, None)


def test_debug_shows_delivery_and_attempts():
    (row,) = batches(
        "0 send 1 o-0; 5 answer 1; 5 retry o-0 2147483646 X 1; 110 send 2 o-0; 117 answer 2; 900 send 3 o-0"
    )
    assert (row.outcome, row.attempts, row.in_flight_ms, row.ended_at) == ("delivered", 2, 12, NOON + 117)


@pytest.mark.parametrize(
    ("failed", "outcome"),
    [
        pytest.param("", "delivered", id="no error"),
        pytest.param("o-0=10", "unknown", id="an error that is not retried, and told to the application"),
        pytest.param("-0=10", "unknown", id="from 4.1 on without the topic's name"),
        pytest.param("o-1=10", "delivered", id="another partition's"),
        pytest.param("p-0=10", "delivered", id="another topic's"),
        pytest.param("o-1=10,o-0=87", "unknown", id="one of two"),
        pytest.param("o-0=46", "delivered", id="it was there already"),
    ],
)
def test_a_response_with_an_error_delivers_nothing(failed, outcome):
    (row,) = batches(
        f"0 send 1 o-0; 5 answer 1; 5 retry o-0 2147483646 X 1; 110 send 2 o-0; 117 answer 2 {failed}; 900 send 3 o-0"
    )
    assert (row.outcome, row.ended_at) == (outcome, NOON + 117)


def test_debug_counts_the_request_in_flight_at_the_expiry():
    (row,) = batches(
        "0 send 1 o-0; 5 answer 1; 5 retry o-0 2147483646 X 1; 10000 send 2 o-0; 12001 expire o-0 1 12001"
    )
    assert (row.attempts, row.in_flight_ms, row.waiting_ms) == (2, 2006, 9995)


@pytest.mark.parametrize(
    ("idempotence", "age_of_first_to_fail_again"),
    [pytest.param("false", 11000, id="newest first"), pytest.param("true", 12000, id="oldest first")],
)
def test_which_batch_is_sent_next(idempotence, age_of_first_to_fail_again):
    # Two batches sent at 0 and at 1000 fail together; one failure follows, then both expire.
    history = (
        "0 send 1 o-0; 1000 send 2 o-0; 3000 retry o-0 2147483646 X 1; 3000 retry o-0 2147483646 X 2; "
        "3200 retry o-0 2147483645 X; 12000 expire o-0 1 12000; 12000 expire o-0 1 11000"
    )
    rows = batches(history, producer(enable_idempotence=idempotence))
    assert {row.age_ms: row.attempts for row in rows} == {
        12000: 2 if age_of_first_to_fail_again == 12000 else 1,
        11000: 2 if age_of_first_to_fail_again == 11000 else 1,
    }


def test_expiry_without_times_keeps_the_age():
    (row,) = batches("0 expire o-0 2 12001; 0 expire o-0 2 12001", timed=False)
    assert (row.outcome, row.age_ms, row.created_at, row.ended_at) == ("expired", 12001, None, None)


def test_a_batch_is_named_after_its_first_event():
    (early,) = batches("0 retry o-0 9; 12000 expire o-0 1 12010")
    (late,) = batches("0 retry o-0 9; 110 retry o-0 8; 12000 expire o-0 1 12010")
    assert early.batch_id == late.batch_id
    assert late.event_ids == ["e0", "e1", "e2"]


def test_a_producer_of_several_is_found_by_its_partition():
    nobody = ClientProfile("orders/app.log", None, "producer")
    machine = BatchLifetimes()
    retry, expiry = events("0 retry o-0 9; 12000 expire o-0 1 12010")
    assert list(machine.step(retry, producer())) == []
    assert list(machine.step(expiry, nobody)) == []
    rows = [episode for episode in machine.finish(NOON + 12000) if isinstance(episode, BatchLifetime)]
    assert [(row.client_id, row.attempts) for row in rows] == [("p1", 1)]


def test_a_network_thread_names_its_producer():
    (expiry,) = events("0 expire o-0 1 12010", thread="kafka-producer-network-thread | orders-2")
    found = fold(BatchLifetimes(), [expiry], producer())
    assert [(e.client_id, e.profile) for e in found] == [("orders-2", None)] * 2


def test_a_streams_thread_names_its_producer():
    streams = ClientProfile("orders/app.log", "app-1", "streams")
    (expiry,) = events("0 expire o-0 1 12010", thread="app-1-StreamThread-2")
    expiry.client_kind = "streams"
    rows = [e for e in fold(BatchLifetimes(), [expiry], streams) if isinstance(e, BatchLifetime)]
    assert [row.client_id for row in rows] == ["app-1-StreamThread-2-producer"]


def test_a_start_of_the_process_ends_what_ran():
    machine = BatchLifetimes()
    retry, later = events("0 retry o-0 9; 50 retry o-0 8")
    later.incarnation = 1
    list(machine.step(retry, producer()))
    assert told(machine.step(later, producer())) == [("unknown", "o-0", None, 1)]


def test_what_is_over_is_forgotten():
    machine = BatchLifetimes()
    found = [
        e for event in events("0 retry o-0 9; 200000 retry o-1 9") for e in machine.step(event, producer())
    ]
    assert told(found) == [("unknown", "o-0", None, 1)]


def test_state_is_plain_data():
    machine = BatchLifetimes()
    steps = events("0 send 1 o-0; 5 retry o-0 9 X 1; 12000 expire o-0 1 12010; 12000 fail NetworkException")
    for event in steps:
        list(machine.step(event, producer()))
    again = load_state(dump_state(machine))
    assert (
        told(again.finish(None))
        if False
        else len(list(again.finish(None))) == len(list(machine.finish(None)))
    )


def test_a_younger_batch_that_ended_before():
    first, second = ends("12000 expire o-0 1 12000; 14000 expire o-0 1 15000")
    assert (first.overtaken_by, second.overtaken_by, second.overtaken_ms) == (None, "e0", 1000)
    assert not second.is_same_instant


def test_a_pile_knows_its_youngest():
    assert [e.least_age_ms for e in ends("0 expire o-0 1 12001; 0 expire o-0 1 14001")] == [12001, 12001]


def test_blocked_send():
    (send,) = ends("0 blocked 6000", BlockedSend)
    assert (send.blocked_ms, send.topic) == (6000, "nope")


@pytest.mark.parametrize(
    ("history", "retried"),
    [
        pytest.param(
            "0 retry o-0 2147483646; 12000 expire o-0 1 12010; 12300 retry o-0 2147483645",
            ["e2"],
            id="after its expiry",
        ),
        pytest.param(
            "0 retry o-0 2147483646; 12000 expire o-0 1 12010; 12300 retry o-0 2147483646",
            [],
            id="a batch like it",
        ),
        pytest.param(
            "0 retry o-0 2147483646; 12000 expire o-0 1 12010; 12300 retry o-1 2147483645",
            [],
            id="another partition",
        ),
        pytest.param(
            "0 retry o-0 2147483646; 500 retry o-0 2147483646; 12000 expire o-0 1 12010; 12300 retry o-0 2147483645",
            [],
            id="two batches side by side: it may be the other's",
        ),
        pytest.param(
            "0 send 1 o-0; 9 send 2 o-0; 10 retry o-0 2147483646 X 1; 10 retry o-0 2147483646 X 2; "
            "12000 expire o-0 1 12000; 12300 expire o-0 1 12300; 12500 retry o-0 2147483645 X 9",
            ["e6"],
            id="two batches side by side, their sends seen",
        ),
        pytest.param(
            "0 retry o-0 9; 12000 expire o-0 1 12010; 12300 retry o-0 8", [], id="its first attempt not seen"
        ),
        pytest.param("0 retry o-0 0; 400 retry o-0 -1", ["e1"], id="below zero"),
    ],
)
def test_retries_after_the_end(history, retried):
    assert [r.event_ids[-1] for r in ends(history, RetryAfterEnd)] == retried


STEPS = st.sampled_from(
    [
        "retry o-0 9",
        "retry o-0 8",
        "retry o-0 0",
        "retry o-1 9 X 3",
        "send 3 o-0,o-1",
        "send 4 o-0",
        "answer 3",
        "answer 4",
        "cancel 4 3400 3000",
        "expire o-0 2 12001",
        "expire o-1 1 12001",
        "expire o-0 1 13000",
        "fail NotEnoughReplicasException",
        "fail TimeoutException other_kafka",
    ]
)


@given(st.lists(st.tuples(st.integers(0, 4000), STEPS), max_size=40))
def test_every_expiry_line_is_of_one_batch_and_every_batch_of_its_own_lines(steps):
    at, history = 0, []
    for wait, step in steps:
        at += wait
        history.append(f"{at} {step}")
    told_events = events("; ".join(history))
    rows = batches("; ".join(history))
    said = [event.event_id for event in told_events if event.kind == "batch_expired"]
    shown = [e for row in rows if row.outcome == "expired" for e in row.event_ids if e in set(said)]
    assert sorted(shown) == sorted(said)
    assert len({row.batch_id for row in rows}) == len(rows)
    assert all(row.waiting_ms is None or row.waiting_ms >= 0 for row in rows)
    retried = [e.event_id for e in told_events if e.kind == "produce_retry"]
    assert sorted(e for row in rows for e in row.event_ids if e in set(retried)) == sorted(retried)
