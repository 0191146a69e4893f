# ruff: noqa: E501  # a log line stays one line
"""Lines that a paste shortened or broke, and what others print of a client, are the same events."""

import pytest

from tests.transforms.parse.lines import CONSUMER, PRODUCER, event, events

APPLICATION = "com.example.orders.OrderService"
CLIENTS = "org.apache.kafka.clients."
TIMEOUT = "org.apache.kafka.common.errors.TimeoutException"
EXPIRING = f"{TIMEOUT}: Expiring 3 record(s) for orders-out-1:12003 ms has passed since batch creation"
POLL_TEXT = (
    "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer"
)
NODE = "127.0.0.1:9092 (id: 2147483646 rack: null)"


@pytest.mark.parametrize(
    "message",
    [
        f"{CONSUMER}Member m-1 sending LeaveGroup request to coordinator due to {POLL_TEXT}",
        f"{CONSUMER}Member m-1 sending LeaveGroup request to coordinator\ndue to consumer poll timeout has\nexpired. This means",
        "[Consumer clientId=consumer-a,\n    groupId=order-service] Member m-1 sending LeaveGroup request\n    due to "
        f"{POLL_TEXT}",
        f"[Consumer clientId=consumer-a, groupId=order-service]\nMember m-1 sending LeaveGroup request due to {POLL_TEXT}",
    ],
    ids=[
        "its coordinator left out",
        "broken in its text",
        "broken in its prefix",
        "broken behind its prefix",
    ],
)
def test_a_paste_that_shortened_or_broke_the_line_says_the_same(message):
    found = events(message, CLIENTS + "consumer.internals.AbstractCoordinator")
    assert [told.kind for told in found] == ["poll_interval_expired", "leave_group"]
    assert {(told.client_id, told.group_id, told.member_id) for told in found} == {
        ("consumer-a", "order-service", "m-1")
    }


def test_the_code_for_which_a_coordinator_was_given_up_is_the_error():
    given_up = f"{CONSUMER}Group coordinator {NODE} is unavailable or invalid due to cause: {{}}. isDisconnected: false. Rediscovery"
    logger = CLIENTS + "consumer.internals.ConsumerCoordinator"
    assert event(given_up.format("error response NOT_COORDINATOR"), logger).error_class == "NOT_COORDINATOR"
    assert event(given_up.format("coordinator unavailable"), logger).error_class is None


def test_a_call_of_the_admin_client_for_metadata_that_ran_out_of_time():
    call = f"{TIMEOUT}: Call(callName=fetchMetadata, deadlineMs=1700000000000) timed out at 1700000000001 after 1 attempt(s)"
    logger = CLIENTS + "admin.internals.AdminMetadataManager"
    assert event(f"[AdminClient clientId=a] Metadata update failed\n{call}", logger).kind == "request_timeout"
    assert event("[AdminClient clientId=a] Metadata update failed", logger).kind == "other_kafka"


def test_a_death_that_the_jvm_prints_below_a_client_s_line_tells_what_it_died_of():
    gone = f'Exception in thread "main" java.util.concurrent.ExecutionException: {TIMEOUT}: Topic orders not present in metadata after 60000 ms.'
    lost, died = events(
        f"{PRODUCER}Bootstrap broker a:9092 (id: -1 rack: null) disconnected\n{gone}\n\tat a.B.c(B.java:1)"
    )
    assert (lost.kind, died.kind, died.limit_ms) == ("disconnect", "produce_failed", 60000)
    assert (died.error_class, died.topic) == ("TimeoutException", "orders")


def test_an_expiry_quoted_in_a_list_names_its_class():
    assert (
        event(f"\t- `Caused by: a.b.SendError: gave up due to {EXPIRING}`").error_class == "TimeoutException"
    )


@pytest.mark.parametrize(
    ("thrown", "kind"),
    [("UnsupportedVersionException", "produce_failed"), ("ProducerFencedException", "fenced")],
)
def test_what_springs_listener_says_of_a_send_is_a_send_that_failed(thrown, kind):
    said = "Exception thrown when sending a message with key='k' and payload='v' to topic orders:"
    told = event(f"{said}\n\norg.apache.kafka.common.errors.{thrown}: no", APPLICATION, level="ERROR")
    assert (told.kind, told.error_class) == (kind, thrown)


@pytest.mark.parametrize(
    ("pasted", "errors"),
    [
        ("{orders-au\ndit=LEADER_NOT_AVAILABLE}", "{orders-audit=LEADER_NOT_AVAILABLE}"),
        (
            "{orders=LEADER_NOT_AVAILABLE,\npay=INVALID_TOPIC}",
            "{orders=LEADER_NOT_AVAILABLE, pay=INVALID_TOPIC}",
        ),
        ("{orders=LEADER_NOT_AVAILABLE}\nelsewhere {}", "{orders=LEADER_NOT_AVAILABLE}"),
        ("{orders\nelsewhere", "{orders"),
    ],
)
def test_a_list_that_a_paste_broke_is_read_to_its_end(pasted, errors):
    said = f"{CONSUMER}Error while fetching metadata with correlation id 3 : {pasted}"
    assert event(said, CLIENTS + "NetworkClient", level="WARN").details["errors"] == errors


@pytest.mark.parametrize(
    ("printed", "elapsed_ms"),
    [
        (f"{TIMEOUT}: Expiring 3 record(s) for orders-1 due to 30012 ms has passed since last append", 30012),
        (
            "**Batch containing 3 record(s) expired due to timeout while requesting metadata from brokers for orders-1**",
            None,
        ),
    ],
)
def test_expiries_of_old_releases_are_known_whoever_prints_them(printed, elapsed_ms):
    told = event(printed, APPLICATION)
    assert (told.kind, told.topic, told.partition, told.elapsed_ms) == (
        "batch_expired",
        "orders",
        1,
        elapsed_ms,
    )


def test_a_heartbeat_that_failed_is_one_where_the_line_is_cut_before_its_reason():
    said = f"{CONSUMER}Attempt to heartbeat with stale Generation{{generationId=3, memberId='m-1', protocol='range'}} and group instance id Optional.empty failed"
    told = event(said, CLIENTS + "consumer.internals.AbstractCoordinator")
    assert (told.kind, told.member_id) == ("heartbeat_failed", "m-1")
