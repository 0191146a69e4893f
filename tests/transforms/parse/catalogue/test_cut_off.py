"""A message whose end is not there is what it was: cut by a viewer, by a limit, at an excerpt's end, or left out."""

from dataclasses import fields

import pytest

from lab.negatives import messages
from tests.transforms.parse.samples import samples
from tests.transforms.parse.typed import CONSUMER, ORIGIN, PRODUCER, event, events, record
from transforms.events import UNRECOGNIZED, ClientEvent
from transforms.parse.catalogue.cut_off import LEAST_LEFT
from transforms.parse.catalogue.forms import finder
from transforms.parse.events.event_columns import EventColumns
from transforms.parse.lines.prefixes import prefix_of
from transforms.parse.records.record_columns import RecordColumns

GIVEN_UP = f"{CONSUMER}Group coordinator 10.0.0.7:9092 (id: 2147483646 rack: null) is unavailable or inv"
RETRIED = f"{PRODUCER}Got error produce response with correlation id 6 on topic-part"
JOINED = (
    f"{CONSUMER}Successfully joined group with generation Generation{{generationId=4, memberId='consumer-a-"
)
# Their kind is told by what they end with, or their first word is the whole of another text.
TOLD_BY_THEIR_END = {
    "producer-txn-error",
    "sync-failed",
    "commit-failed-generation",
    "broker-transaction-initialized",
}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (RETRIED, "produce_retry"),
        (JOINED, "joined"),
        (GIVEN_UP, "coordinator_lost"),
        (f"{CONSUMER}Revoke previously assigned partitions", "partitions_revoked"),
        (f"{CONSUMER}Setting newl", "partitions_assigned"),
        (f"{CONSUMER}Synchronous auto-commit of offsets {{orders-0=OffsetAndMetadata{{offset=4, lead", "commit_failed"),
        (f"{CONSUMER}Cancelled in-flight FETCH request with correlation id 28 due to node 1", "request_cancelled"),
        ("[GroupCoordinator 1]: Preparing to rebalance group orders in state Prep", "broker_rebalance"),
        ("[SocketServer brokerId=1] Failed authentication with /10.0.0.9 (SSL handshake fai", "connect_failed"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["", "...", " ...", "\u2026", " [...]", " (...) and more of it"])
def test_what_is_left_of_a_message_tells_it(line, kind, end):
    assert event(line + end).kind == kind
    assert event(f"{line}{end}\n\tat a.b.C(C.java:7)").kind == kind


@pytest.mark.parametrize("end", ["...", " ...", " [...]"])
def test_a_value_that_was_left_out_is_no_end_of_its_message(end):
    told = event(f"[GroupCoordinator 4]: Member consumer-till-2-... in group till has failed, remo{end}")
    assert (told.kind, told.group_id) == ("broker_member_failed", "till")


def test_a_field_that_may_be_cut_is_not_read():
    assert event(RETRIED).topic is None
    assert event(JOINED).generation == 4
    assert event(JOINED).member_id is None
    retry = event(
        f"{PRODUCER}Got error produce response with correlation id 6 on topic-partition orders-1, retrying (3"
    )
    assert (retry.topic, retry.partition, retry.attempts_left) == ("orders", 1, None)


@pytest.mark.parametrize(
    "line",
    [
        f"{CONSUMER}Group coordinator 10.0.0.7:9092 (id: 2147483646 rack: null)",  # found, or lost
        f"{CONSUMER}Disconnecting from node 2 due to",
        f"{CONSUMER}Member m-1",
        f"{CONSUMER}Revoke",
        f"{CONSUMER}Heartbeat thread for group orders began",
        f"{CONSUMER}Group coordinator is a thing of its own",
    ],
)
def test_what_may_begin_several_or_goes_on_otherwise_is_none(line):
    assert event(line).message_id == UNRECOGNIZED


@pytest.mark.parametrize(
    "line",
    [
        "[RaftManager id=1] Completed transition to CandidateState(localId=1, epoch=3, retries=1, electionTimeoutMs=1200)",
        "[RaftManager id=1] Completed transition to ProspectiveState(epoch=4, retries=1) from UnattachedState(epoch=4)",
        "[RaftManager id=1] Completed transition to CandidateState(localId=1, epoch=3, ret...",
    ],
)
def test_what_may_be_normal_by_its_end_is_not_told_without_it(line):
    """An election at its first try: what tells one that failed stands behind fields that may be of any length."""
    assert event(line, "org.apache.kafka.raft.QuorumState").message_id == UNRECOGNIZED


def test_who_is_not_kafka_says_nothing_by_a_beginning():
    assert events("Got error produce response with corr", "com.example.Sender") == []


def test_what_another_class_of_kafkas_says_is_no_beginning_of_this_one():
    """An old producer's, of each connection that it closes; the admin client's begins so, and goes on."""
    line = "Disconnecting from b7.example.org:9092"
    assert event(line, "kafka.producer.SyncProducer").message_id == UNRECOGNIZED
    assert event(line, "org.apache.kafka.clients.admin.KafkaAdminClient").kind == "request_timeout"


def _cuts():
    for sample in samples():
        line = sample.message.partition("\n")[0]
        if sample.message_id not in TOLD_BY_THEIR_END:
            for end in range(prefix_of(line).length + LEAST_LEFT, len(line), 31):
                yield sample, line, line[:end]


def test_no_cut_makes_another_event_and_most_leave_it():
    kept = told = 0
    for sample, line, left in _cuts():
        whole = [one.kind for one in events(line, sample.logger, level=sample.level)]
        found = [one.kind for one in events(left, sample.logger, level=sample.level)]
        assert found == whole or set(found) <= {"other_kafka"}, left
        if whole != ["other_kafka"]:
            told, kept = told + 1, kept + (found == whole)
    assert kept > 0.7 * told


def test_columns_tell_the_same_as_one_record():
    lines = [record(line) for line in (RETRIED, JOINED, GIVEN_UP)]
    records = RecordColumns()
    records.add(lines)
    typed = EventColumns(records, [ORIGIN] * len(lines))
    columns = typed.columns([field.name for field in fields(ClientEvent)])
    one_by_one = [event(line.message) for line in lines]
    for name in ("kind", "message_id", "topic", "generation", "member_id", "correlation_id", "details"):
        assert columns[name] == [getattr(one, name) for one in one_by_one]


def test_a_text_that_ends_where_its_first_field_begins_begins_its_form():
    """As a statement of a program has it: `Could not create topic {}`."""
    for text in messages():
        line = text[: text.find("{}") + 2]
        found = finder().find_begun(line, None, is_kafkas=True)
        assert found is None or line.startswith(found[1][0]), line
