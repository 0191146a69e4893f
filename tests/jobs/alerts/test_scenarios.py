"""Who is told what: one outage over a fleet, two faults that overlap, a day without trouble."""

from random import Random

import pytest

from jobs.alerts.notices import FIRING, RESOLVED, Sent, due
from lab.simulate import batches, memberships, tasks
from lab.simulate.judging import story_of
from lab.simulate.line import render
from lab.simulate.process import Process
from tests.transforms.diagnose.test_fleet_incidents import T, incident
from transforms.diagnose.fleet import fleet_incidents

HOUR_MS = 3_600_000
NAMES = (
    "incident_id", "kind", "started_at", "ended_at", "title", "cause", "verdict", "impact", "advice", "service",
    "parent_incident_id",
)  # fmt: skip


def told(found, sent, now):
    """Send what is due, and note it, as the sender does."""
    rows = [{name: getattr(one, name) for name in NAMES} for one in [*found, *fleet_incidents(found)]]
    notices = due(rows, sent, ["t"], now, 6 * HOUR_MS)
    for notice in notices:
        sent[(notice.incident_id, "t")] = Sent(notice.state, notice.severity, notice.service)
    return [notice.state for notice in notices]


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
    assert told(outage(1), sent, T + 30_000) == [RESOLVED]
    assert told(outage(1), sent, T + 40_000) == []


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
    assert told([*outage(1), *outage(2, at=2_000)], sent, T + 30_000) == [RESOLVED, RESOLVED]


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
