"""A process that names more clients than are followed at once: what is held is bounded, and told whatever the cuts."""

import copy
import zlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.corpus import recordings
from lab.score import pure
from lab.score.pure import events_in
from tests.story import line
from transforms.events import ClientEvent
from transforms.parse.events.messages import events_of
from transforms.parse.layouts.detect import detect_layout
from transforms.parse.records.placing import ProcessRef
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.streams import fingerprint
from transforms.pure import data_clock_of, in_order, judge_events
from transforms.records import LogRecord
from transforms.rules.judge import CUT_OFF
from transforms.timers.clients.settings import UnitSettings, is_control
from transforms.timers.episodes import BatchLifetime, TaskTimer
from transforms.timers.state import dump_state, load_state
from transforms.unit_story import FoldResult, UnitStory

MOST = 3
NET, SENDER = "org.apache.kafka.clients.NetworkClient", "org.apache.kafka.clients.producer.internals.Sender"
COORDINATOR = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
PRODUCER, CONSUMER = "[Producer clientId=p-{n}] ", "[Consumer clientId=c-{n}, groupId=g-{n}] "
# What a client says, by a letter; {n} is its number.
SAYS = {
    "w": ("WARN", NET, PRODUCER + "Connection to node -1 (kafka/10.0.0.1:9092) could not be established. "
          "Node may not be available."),
    "r": ("WARN", SENDER, PRODUCER + "Got error produce response with correlation id 7 on topic-partition orders-0, "
          "retrying (2147483646 attempts left). Error: NOT_LEADER_OR_FOLLOWER"),
    "j": ("INFO", COORDINATOR, CONSUMER + "Successfully joined group with generation Generation{{generationId=1, "
          "memberId='c-{n}-aaaa', protocol='range'}}"),
    "p": ("WARN", COORDINATOR, CONSUMER + "consumer poll timeout has expired. This means the time between subsequent calls "
          "to poll() was longer than the configured max.poll.interval.ms, which typically implies that the poll loop is "
          "spending too much time processing messages."),
    "d": ("INFO", "org.apache.kafka.clients.producer.ProducerConfig",
          "ProducerConfig values: \n\tacks = -1\n\tclient.id = p-{n}\n\tdelivery.timeout.ms = 1000\n\tlinger.ms = 5\n"
          "\trequest.timeout.ms = 30000\n"),
    "v": ("INFO", "org.apache.kafka.common.utils.AppInfoParser", "Kafka version: 3.7.0"),
    "c": ("INFO", "org.apache.kafka.clients.producer.KafkaProducer",
          PRODUCER + "Closing the Kafka producer with timeoutMillis = 2000 ms."),
}  # fmt: skip


def log(*says: str) -> str:
    """Words such as `w3`, a second each."""
    lines = []
    for number, word in enumerate(says):
        level, logger, text = SAYS[word[0]]
        lines.append(line(1000 * number, level, logger, text.format(n=word[1:])))
    return "\n".join(lines) + "\n"


def events(*says: str) -> list[ClientEvent]:
    """The events of one process that says this, in order."""
    data = log(*says).encode()
    reader = ChunkReader(detect_layout(data), fingerprint(data))
    origin = ProcessRef("service/app", "app", "service", "app")
    records = [piece for piece in reader.read(BytesIO(data)) if isinstance(piece, LogRecord)]
    return in_order(event for record in records for event in events_of(record, origin))["service/app"]


def settings_for(known: Sequence[ClientEvent]) -> UnitSettings:
    return pure.settings_of("", [event for event in known if is_control(event)])


def row(episode: Any) -> Any:
    values = asdict(episode)
    values.pop("profile", None)
    return type(episode).__name__, values


def told(found: FoldResult) -> list[Any]:
    return [
        [row(one) for one in of] for of in (found.episodes, found.findings, found.violations, found.incidents)
    ]


WORDS = st.builds("{}{}".format, st.sampled_from(sorted(SAYS)), st.integers(1, 8))


@settings(max_examples=60)
@given(says=st.lists(WORDS, min_size=1, max_size=40), data=st.data())
def test_wherever_a_log_is_cut_the_same_is_told(says: list[str], data: st.DataObject) -> None:
    whole = events(*says)
    known, clock = settings_for(whole), data_clock_of(whole)
    at_once = UnitStory.of("service/app", MOST)
    settled = at_once.take(copy.deepcopy(whole), known)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=5)))
    story, in_parts = UnitStory.of("service/app", MOST), FoldResult([], [])
    for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        in_parts.add(story.take(copy.deepcopy(whole[begin:end]), known))
        story = load_state(dump_state(story))
    assert [sorted(map(repr, of)) for of in told(in_parts)] == [sorted(map(repr, of)) for of in told(settled)]
    assert story.unjudged() == at_once.unjudged()
    assert told(story.finish(clock)) == told(at_once.finish(clock))
    assert story.violations() == at_once.violations()
    assert story.incidents() == at_once.incidents()
    assert (story.chapters, list(story.heard)) == (at_once.chapters, list(at_once.heard))


@settings(max_examples=30)
@given(says=st.lists(WORDS, min_size=1, max_size=30))
def test_who_has_no_more_clients_than_that_notices_nothing(says: list[str]) -> None:
    def judged(most_clients: int | None) -> Any:
        story = judge_events(
            events(*says), lambda _, control: settings_for(control), most_clients=most_clients
        )
        return replace(story, settings={})

    assert judged(16) == judged(None)


@pytest.mark.parametrize("says", ["w", "r", "p", "j", "wrpj"])
def test_what_is_held_does_not_grow_with_the_clients(says: str) -> None:
    def held(clients: int) -> tuple[int, int]:
        lines = events(*(f"{letter}{n}" for n in range(100_000, 100_000 + clients) for letter in says))
        known = settings_for(lines)
        story = UnitStory.of("service/app", 2 * MOST)
        most = 0
        for event in lines:
            story.take([event], known)
            most = max(most, len(zlib.decompress(dump_state(story))))
        assert len(story.heard) <= 2 * MOST
        return most, len(known._known) + len(known._between)

    (few, made_of_few), (many, made_of_many) = held(20), held(200)
    assert many <= 1.02 * few
    assert made_of_many <= made_of_few + 2


def test_each_client_is_told_all_the_same() -> None:
    story = judge_events(
        events(*(f"w{n}" for n in range(20))), lambda _, control: settings_for(control), most_clients=MOST
    )
    assert sorted(client for one in story.incidents for client in one.client_ids) == sorted(
        f"p-{n}" for n in range(20)
    )
    assert all(one.verdict != "benign" for one in story.incidents)
    assert not any("in this log" in one.title for one in story.incidents)


def test_a_consumer_that_was_kicked_out_is_told_by_the_lines_of_its_process() -> None:
    story = judge_events(
        events(*(f"{letter}{n}" for n in range(5) for letter in "jp")),
        lambda _, control: settings_for(control),
        most_clients=1,
    )
    kicked = [one for one in story.incidents if one.kind == "membership_poll_expired"]
    assert len(kicked) == 5
    assert sorted(one.scope_id for one in kicked) == ["group:g-4", *["service/app"] * 4]


def test_what_had_not_ended_is_told_to_be_unknown() -> None:
    lines = events("r1", "w2")
    found = UnitStory.of("service/app", 1).take(lines, settings_for(lines))
    (batch,) = (one for one in found.episodes if isinstance(one, BatchLifetime))
    assert (batch.client_id, batch.outcome) == ("p-1", "unknown")


@cache
def _one_log(name: str) -> list[ClientEvent]:
    """All logs of a recording, as if one process had written them."""
    (recording,) = recordings(name)
    lines = [event for path in recording.logs for event in events_in(path)]
    for event in lines:
        event.unit_id = "one"
    return lines


@pytest.mark.parametrize("most_clients", [1, 2])
@pytest.mark.parametrize("name", ["p91-config-42-28", "p62-slow-poll-42", "p572-task-recover-35"])
def test_nobody_is_accused_because_a_client_was_let_go(name: str, most_clients: int) -> None:
    def accused(most: int | None) -> set[tuple[str, str | None]]:
        story = judge_events(copy.deepcopy(_one_log(name)), pure.settings_of, most_clients=most)
        return {(one.rule_id, one.client_id) for one in story.findings if one.category == "broken_semantics"}

    assert accused(most_clients) <= accused(None)


def test_what_a_rule_could_not_follow_to_its_end_is_not_judged() -> None:
    lines = copy.deepcopy(_one_log("p572-task-recover-35"))
    story = judge_events(lines, pure.settings_of, most_clients=1)
    let_go = [one for one in story.unjudged if one.reason == CUT_OFF.reason]
    assert {one.rule_id for one in let_go} >= {"kip572.others_blocked", "kip572.task_not_retried"}
    assert {one.client_id for one in let_go} == {None}
    assert all(one.outcome != "open" for one in story.episodes if isinstance(one, TaskTimer) and one.ended_at)


def test_where_later_lines_put_it_in_doubt_all_is_judged_as_one() -> None:
    """A clock that is set back into what a chapter told: the verdicts fall as they do without chapters."""

    def timed(lines: list[ClientEvent], most: int | None) -> list[str]:
        story = judge_events(copy.deepcopy(lines), pure.settings_of, most_clients=most)
        return [
            one.rule_id
            for one in story.findings
            if one.observed_ms is not None and one.category != "misconfiguration"
        ]

    lines = _one_log("p580-static-21")
    clients = len({one.client_id for one in lines if one.client_id})
    last = max(lines, key=lambda one: one.order)
    another = replace(last, client_id="one-more", event_id="y", position=last.position + 1)
    back = replace(another, event_id="z", position=last.position + 2, happened_at=lines[0].happened_at)
    assert timed([*lines, another], clients) == timed([*lines, another], None) != []
    assert timed([*lines, another, back], clients) == timed([*lines, another, back], None)
    assert len(timed([*lines, another, back], None)) < len(timed([*lines, another], None))
