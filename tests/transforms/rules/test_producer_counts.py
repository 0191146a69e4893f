"""A producer's counts against its log: they agree, contradict each other, or can't be compared."""

from itertools import accumulate

import pytest

from tests.rule_cases import case, guilty, inside, negative, outside, positive, unknown
from tests.timelines_batches import NOON, events, fold
from tests.timelines_samples import series
from transforms.parse.metrics.samples import COLLECTOR, PROCESS
from transforms.rules import kip91, kip91_counts, kip580_counts
from transforms.timers.batches.ends import BatchEnd
from transforms.timers.batches.lifetimes import BatchLifetimes
from transforms.timers.episodes import BatchLifetime
from transforms.timers.samples.beside_metrics import observed
from transforms.timers.samples.producer_counts import ERRORS, RETRIES, ProducerCount, ProducerCounts
from transforms.timers.samples.series import Samples

P1 = "kafka.producer:type=producer-metrics,client-id=p1"
APP = "kafka.producer:type=app-info,client-id=p1"
EXPIRY = "0 send 1 o-0; 5000 expire o-0 1 12000; 5000 expire o-1 2 12000; 60000 send 9 o-0"
RETRY = "0 send 1 o-0; 5000 retry o-0 9; 60000 send 9 o-0"
QUIET = "0 send 1 o-0; 60000 send 9 o-0"


def counted(attribute, values, *, start=-9_000, clock=PROCESS):
    """One sample a second from the first; start: of the client, ms from NOON, or None where nobody sampled it."""
    points = [(NOON + 1_000 * second, float(value)) for second, value in enumerate(values, start=1)]
    found = [series(P1, attribute, points, clock=clock)]
    if start is not None:
        found.append(
            series(APP, "start-time-ms", [(at, float(NOON + start)) for at, _ in points], clock=clock)
        )
    return Samples(found)


def said(rule, history, samples):
    """The rule's verdict on the count that it judges: the first that is not another's."""
    lines = events(history)
    for line, latest in zip(lines, accumulate((line.happened_at for line in lines), max), strict=True):
        line.ordered_at = latest
    episodes = fold(ProducerCounts(), lines)
    verdicts = [rule(one) for one in observed(episodes, samples) if isinstance(one, ProducerCount)]
    told = [verdict.category or verdict.outcome for verdict in verdicts]
    return next((one for one in told if one != "not_applicable"), "not_applicable")


ZERO = [0] * 40
FROM_5 = [0] * 4 + [1] * 36


@pytest.mark.parametrize(
    ("history", "values", "more", "wanted"),
    [
        positive(EXPIRY, ZERO, {}, "broken_semantics", id="never rose"),
        negative(EXPIRY, FROM_5, {}, "conforms", id="rose"),
        inside(
            EXPIRY, [0] * 6, {}, "not_applicable", id="the last sample may have been read before the line"
        ),
        outside(EXPIRY, [0] * 7, {}, "broken_semantics", id="one that was surely read after it"),
        guilty(EXPIRY, ZERO, {"start": 5_001}, "unjudged", id="the client that counts began after the line"),
        guilty(QUIET, ZERO, {}, "not_applicable", id="no batch expired"),
        unknown(EXPIRY, ZERO, {"start": None}, "unjudged", id="its start is not sampled"),
        unknown(EXPIRY, ZERO, {"clock": COLLECTOR}, "not_applicable", id="by another clock"),
        unknown(
            "0 send 1 o-0; 6000 send 2 o-0; 4000 expire o-0 1 12000",
            ZERO,
            {},
            "unjudged",
            id="clock set back",
        ),
    ],
)
def test_expiry_not_counted(history, values, more, wanted):
    assert said(kip91_counts.expiry_not_counted, history, counted(ERRORS, values, **more)) == wanted


@case("looks guilty", "kip91.expiry_not_counted")
def test_an_expiry_names_no_producer_so_it_is_held_against_none_of_two():
    lines = events(EXPIRY)
    lines[0].client_id = "p2"
    episodes = observed(fold(ProducerCounts(), lines), counted(ERRORS, ZERO))
    verdicts = [kip91_counts.expiry_not_counted(one) for one in episodes]
    assert {verdict.outcome for verdict in verdicts} == {"not_applicable"}


@pytest.mark.parametrize(
    ("history", "values", "more", "wanted"),
    [
        positive(RETRY, ZERO, {}, "broken_semantics", id="never rose"),
        negative(RETRY, FROM_5, {}, "conforms", id="rose"),
        inside(RETRY, [0] * 6, {}, "not_applicable", id="the last sample may have been read before the line"),
        outside(RETRY, [0] * 7, {}, "broken_semantics", id="one that was surely read after it"),
        guilty(RETRY, ZERO, {"start": 5_001}, "unjudged", id="the client that counts began after the line"),
        unknown(RETRY, ZERO, {"start": None}, "unjudged", id="its start is not sampled"),
    ],
)
def test_retry_not_counted(history, values, more, wanted):
    assert said(kip580_counts.retry_not_counted, history, counted(RETRIES, values, **more)) == wanted


@pytest.mark.parametrize(
    ("history", "values", "wanted"),
    [
        positive(QUIET, FROM_5, "misconfiguration", id="no line at all"),
        negative(RETRY, FROM_5, "not_applicable", id="a line tells"),
        inside(
            "0 send 1 o-0; 40999 send 9 o-0", FROM_5, "unjudged", id="the log may end before the last sample"
        ),
        outside("0 send 1 o-0; 41000 send 9 o-0", FROM_5, "misconfiguration", id="the log ends after it"),
        guilty(QUIET, [7] * 40, "not_applicable", id="it rose before anybody looked"),
        guilty(QUIET, [7] * 20 + [0] * 20, "not_applicable", id="a client that began again"),
        unknown(
            "2000 send 1 o-0; 60000 send 9 o-0", FROM_5, "unjudged", id="the log begins after the samples"
        ),
        unknown(
            "0 send 1 o-0; 6000 send 2 o-0; 4000 send 3 o-0; 60000 send 4 o-0",
            FROM_5,
            "unjudged",
            id="clock set back",
        ),
    ],
)
def test_retries_not_logged(history, values, wanted):
    assert said(kip580_counts.retries_not_logged, history, counted(RETRIES, values)) == wanted


def test_the_finding_carries_line_and_sample():
    (count,) = [
        one for one in observed(fold(ProducerCounts(), events(EXPIRY)), counted(ERRORS, ZERO)) if one.lines
    ]
    found = kip91_counts.expiry_not_counted(count)
    assert (found.event_ids, found.facts) == (("e1",), {"lines": 2})
    assert [one.split(" ", 1)[1] for one in found.samples] == [f"{count_name} record-error-total=0"]


count_name = "kafka.producer:type=producer-metrics,client-id=p1"


@pytest.mark.parametrize(
    ("queued", "seconds", "wanted"),
    [
        positive([100] * 40, 40, "broken_semantics", id="drained young, and given up at once"),
        inside([11_500] * 40, 40, "unjudged", id="it may have reached its limit"),
        outside([11_499] * 40, 40, "broken_semantics", id="a millisecond before it"),
        unknown([100] * 40, 5, "unjudged", id="nobody looked after its end"),
        unknown([None] * 40, 40, "unjudged", id="nothing was recorded"),
    ],
)
def test_gave_up_early_by_its_age_when_it_was_sent(queued, seconds, wanted):
    history = (
        "0 send 7 o-0; 4000 retry o-0 9 NETWORK_EXCEPTION 7; 4100 send 8 o-0; 4500 fail NetworkException"
    )
    points = [(NOON + 1_000 * n, value) for n, value in enumerate(queued[:seconds], start=1)]
    samples = Samples([series(P1, "record-queue-time-max", points)])
    ends = [
        one for one in observed(fold(BatchLifetimes(), events(history)), samples) if isinstance(one, BatchEnd)
    ]
    assert [(one.category or one.outcome) for one in map(kip91.gave_up_early, ends)] == [wanted]


def test_a_batch_says_what_its_producer_was_doing_while_it_lived():
    at = [NOON + 1_000 * n for n in range(40)]
    samples = Samples(
        [
            series(P1, "record-queue-time-max", [(one, 7_000.5) for one in at]),
            series(P1, "request-latency-max", [(one, None) for one in at]),
            series(P1, "requests-in-flight", [(one, 3.0) for one in at]),
            series(P1, "bufferpool-wait-time-ns-total", [(one, 1e6 * n) for n, one in enumerate(at)]),
        ]
    )
    history = "0 send 7 o-1; 14500 expire o-0 1 12500"
    (row,) = [
        one
        for one in observed(fold(BatchLifetimes(), events(history)), samples)
        if isinstance(one, BatchLifetime)
    ]
    told = (row.queued_at_most_ms, row.answered_within_ms, row.requests_in_flight, row.buffer_wait_ms)
    assert told == (7_001, None, 3, 14)


def test_without_samples_nothing_is_said():
    episodes = observed(fold(BatchLifetimes(), events("14500 expire o-0 1 12500")), Samples())
    (row,) = [one for one in episodes if isinstance(one, BatchLifetime)]
    assert (row.queued_at_most_ms, row.requests_in_flight) == (None, None)
