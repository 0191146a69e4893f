"""A line that stands again with another time tells the same, at its own place."""

from dataclasses import replace

import pytest

from lab.corpus import recordings
from lab.score.pure import records_in
from tests.transforms.parse.lines import CONSUMER, NOON, ORIGIN, THREAD, record
from transforms.parse import repeated
from transforms.parse.messages import ProcessRef, events_of
from transforms.parse.repeated import RepeatedEvents

SENT = f"{CONSUMER}Sending Heartbeat request with generation 3 and member id m-1 to coordinator b:9092 (id: 1 rack: null)"
LEFT = (
    f"{CONSUMER}Member m-1 sending LeaveGroup request to coordinator b:9092 (id: 1 rack: null) due to consumer poll "
    "timeout has expired. This means the time between subsequent calls to poll() was longer than max.poll.interval.ms"
)


@pytest.mark.parametrize(
    "name", ["p572-commit-multi-42", "p62-heartbeat-blackhole-42", "p580-coordinator-42-28"]
)
def test_all_lines_of_a_recording_tell_the_same(name):
    (recording,) = recordings(name)
    for path in sorted(recording.folder.glob("*.log.gz")):
        told = RepeatedEvents()
        for each in records_in(path):
            assert told.events_of(each, ORIGIN) == events_of(each, ORIGIN)


@pytest.mark.parametrize(
    "change",
    [
        {"offset": 900, "line": 12, "position": 900, "logged_at": NOON + 5},
        {"logged_at": None, "time_origin": "none"},
        {"level": "WARN"},
        {"thread": THREAD},
        {"logger": "org.apache.kafka.clients.NetworkClient"},
        {"service": "billing", "instance": "b-2"},
        {"source_id": "another"},
    ],
)  # fmt: skip
def test_what_is_the_records_own_is_not_repeated(change):
    told = RepeatedEvents()
    first = record(SENT, "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator", level="DEBUG")
    other = replace(first, **change)
    of_another = ProcessRef("unit-2", "billing/app.log", "billing", "app")
    for one, origin in ((first, ORIGIN), (other, ORIGIN), (first, of_another), (other, of_another)):
        assert told.events_of(one, origin) == events_of(one, origin)


def test_a_line_that_tells_two_things_does_so_each_time():
    told = RepeatedEvents()
    line = record(LEFT, "org.apache.kafka.clients.consumer.internals.AbstractCoordinator")
    assert [len(told.events_of(line, ORIGIN)) for _ in range(2)] == [2, 2]


def test_no_more_is_kept_than_so_many_short_lines(monkeypatch):
    monkeypatch.setattr(repeated, "KEPT", 3)
    told = RepeatedEvents()
    for number in range(10):
        told.events_of(record(f"{CONSUMER}Seeking to offset {number}"), ORIGIN)
        told.events_of(record(f"{CONSUMER}Seeking to {'x' * repeated.LONGEST}{number}"), ORIGIN)
        told.events_of(record(f"{CONSUMER}Failed {number}\n\tat a.B.c(B.java:1)"), ORIGIN)
        assert len(told._known) <= 3
