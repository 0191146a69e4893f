"""Whose a line is where its text says so: a worker's connector and task, a coordinator's member."""

import pytest

from tests.transforms.parse.lines import PRODUCER, event

CLIENTS = "org.apache.kafka.clients."


@pytest.mark.parametrize("message", ["(Re-)joining group", "Asynchronous auto-commit of offsets failed"])
def test_a_bare_text_is_found_whatever_it_begins_with(message):
    assert event(message, None).kind in ("join", "commit_failed")


@pytest.mark.parametrize(
    ("message", "context", "named"),
    [
        ("WorkerSinkTask{id=jdbc-sink-2} Commit of offsets timed out", None, ("jdbc-sink", "jdbc-sink-2")),
        ("Commit of WorkerSinkTask{id=jdbc-sink-2} offsets timed out", None, ("jdbc-sink", "jdbc-sink-2")),
        ("WorkerConnector{id=jdbc-sink} Connector raised an error", None, ("jdbc-sink", None)),
        (
            "[Worker clientId=c, groupId=g] Rebalance started",
            "jdbc-sink|task-2|offsets",
            ("jdbc-sink", "jdbc-sink-2"),
        ),
        ("[Worker clientId=c, groupId=g] Rebalance started", "jdbc-sink|worker", ("jdbc-sink", None)),
    ],
)
def test_a_line_of_connect_names_its_connector_and_task(message, context, named):
    told = event(message, None, extra={"context": context} if context else {})
    assert told.client_kind == "connect"
    assert (told.details["connector"], told.details.get("task")) == named


def test_the_member_that_a_coordinator_names_as_its_reason():
    member = "consumer-a-1e0a76ac-ff10-4b02-9885-9ac3c09cad52"
    other = member.replace("consumer-a", "consumer-b")
    told = event(
        f"[GroupCoordinator 1]: Preparing to rebalance group g in state PreparingRebalance with old generation 3 "
        f"(__consumer_offsets-1) (reason: removing member {member} on heartbeat expiration; client reason: {other})",
        "kafka.coordinator.group.GroupCoordinator",
    )
    assert told.member_id == member


def test_closing_a_connection_oneself_is_no_second_disconnect():
    told = event(f"{PRODUCER}Client requested connection close from node 1", CLIENTS + "NetworkClient")
    assert told.kind == "other_kafka"
    assert told.benign is not None
