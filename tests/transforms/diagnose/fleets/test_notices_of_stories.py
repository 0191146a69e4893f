"""Who is told what: one outage over a fleet, two faults that overlap, a day without trouble."""

from random import Random

import pytest

from lab.simulate import batches, memberships, tasks
from lab.simulate.judging import story_of
from lab.simulate.line import render
from lab.simulate.process import Process
from tests.story import CONSUMER, line, story
from tests.transforms.diagnose.fleets.test_fleet_incidents import T, incident
from transforms.diagnose.fleets.fleet import fleet_incidents
from transforms.diagnose.fleets.notices import FIRING, PAGE, RESOLVED, SEND, WITHDRAWN, Sent, due

HOUR_MS = 3_600_000
LATER = T + 300_000
NAMES = (
    "incident_id", "kind", "started_at", "ended_at", "title", "cause", "verdict", "impact", "advice", "service",
    "parent_incident_id", "places",
)  # fmt: skip


def told(found, sent, now):
    """Note what is due, as the sender does; the states of what is sent to a target without keys."""
    rows = [{name: getattr(one, name) for name in NAMES} for one in [*found, *fleet_incidents(found)]]
    notices = due(rows, sent, ["t"], now, 6 * HOUR_MS)
    for notice in notices:
        sent[(notice.incident_id, "t")] = Sent(notice.state, notice.severity, notice.service, notice.key)
    return [notice.state for notice in notices if notice.how == SEND]


def outage(broker, at=0, ended=True, clients=200, **more):
    found = [
        incident(f"b{broker}-p{number}", places=[f"broker:{broker}"], at=at + number * 10, **more)
        for number in range(clients)
    ]
    for one in found if not ended else ():
        one.ended_at = None
    return found


def test_one_outage_over_200_clients_is_one_notification_and_one_end():
    sent = {}
    assert told(outage(1, ended=False), sent, T + 10_000) == [FIRING]
    assert told(outage(1, ended=False), sent, T + 20_000) == []
    assert told(outage(1), sent, T + 30_000) == []  # more of it may come
    assert told(outage(1), sent, LATER) == [RESOLVED]
    assert told(outage(1), sent, LATER + 10_000) == []


def test_an_outage_that_a_stream_sees_grow_is_one_too():
    """One process at first, then others, one of them with a line of before."""
    sent = {}
    whole = outage(1, ended=False)
    assert told(whole[5:6], sent, T + 10_000) == [FIRING]
    assert told(whole[3:50], sent, T + 20_000) == []
    assert told(whole[3:], sent, T + 25_000) == []
    assert told(whole, sent, T + 30_000) == []
    assert told(outage(1), sent, LATER) == [RESOLVED]
    assert told(outage(1), sent, LATER + 10_000) == []
    assert {one.key for one in sent.values()} == {whole[5].incident_id}


def test_what_grows_and_gets_worse_pages_once():
    sent = {}
    assert told(outage(1, ended=False)[:1], sent, T + 10_000) == [FIRING]
    assert told(outage(1, ended=False, impact="lost"), sent, T + 20_000) == [FIRING]
    assert {one.severity for one in sent.values() if one.state == FIRING} >= {PAGE}
    assert told(outage(1, ended=False, impact="lost"), sent, T + 30_000) == []
    assert told(outage(1, impact="lost"), sent, LATER) == [RESOLVED]


def test_a_fleets_incident_that_falls_apart_leaves_what_was_told_first():
    sent = {}
    one = outage(1, ended=False)[:1]
    told(one, sent, T + 10_000)
    told(outage(1, ended=False), sent, T + 20_000)
    assert told(one, sent, T + 30_000) == []
    assert told(outage(1)[:1], sent, LATER) == [RESOLVED]
    sent = {}
    told(one, sent, T + 10_000)
    told(outage(1, ended=False), sent, T + 20_000)
    assert told([], sent, T + 30_000) == [WITHDRAWN]


@pytest.mark.parametrize(("impact", "severity"), [("delayed", "ticket"), ("lost", "page")])
def test_it_pages_only_where_something_was_lost(impact, severity):
    sent = {}
    told(outage(1, impact=impact), sent, T + 10_000)
    assert [one.severity for one in sent.values()] == [severity]


def test_two_overlapping_faults_are_two():
    sent = {}
    assert told([*outage(1, ended=False), *outage(2, at=2_000, ended=False)], sent, T + 10_000) == [
        FIRING,
        FIRING,
    ]
    assert told([*outage(1), *outage(2, at=2_000)], sent, LATER) == [RESOLVED, RESOLVED]


def test_a_consumer_that_was_kicked_out_is_told_where_its_settings_are_not_in_the_log():
    """Since when it did not poll is not known then; when it was out is."""
    logger = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
    expired = (
        "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer"
    )
    (found,) = story(line(1_000, "WARN", logger, CONSUMER + expired)).incidents
    assert found.started_at is not None
    assert told([found], {}, found.started_at + 10_000) == [FIRING]


@pytest.mark.parametrize("version", ["2.8.2", "3.7.2", "4.1.1"])
def test_healthy_traffic_tells_nobody(version):
    """Whole simulated histories through all that judges; lab/soak plays days of them."""
    rng = Random(7)
    group = [Process("shop", f"c{number}.log", version, level="INFO") for number in range(3)]
    logs, truth = memberships.healthy(rng, group)
    producer = batches.Producer(Process("orders", "p.log", version), rng, batches.settings(rng)).run(150_000)
    lines, _ = batches.told(producer)
    streams, _ = tasks.healthy(rng, Process("enricher", "s.log", version, level="INFO"))
    whole = {**logs, ("orders", "p.log"): lines, ("enricher", "s.log"): streams}
    story = story_of({unit: render(one) for unit, one in whole.items()}, truth.scraped)
    now = max(line.at for one in whole.values() for line in one)
    assert told(story.incidents, {}, now) == []
