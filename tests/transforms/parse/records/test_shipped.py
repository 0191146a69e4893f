"""What a Kafka message says of the lines it carries."""

import json

import pytest

from transforms.parse.records.shipped import MESSAGE_BITS, SHIPPER, TOPIC, Message, lines_of

LINE = "[2026-01-01 00:00:00,000] INFO x (org.apache.kafka.clients.NetworkClient)"


def read(value, offset=7, partition=1, longest=1000):
    value = json.dumps(value) if isinstance(value, dict) else value
    return list(lines_of(Message("logs", "topic-id", partition, offset, value.encode()), longest))


FILEBEAT = {
    "@timestamp": "2026-01-01T00:00:00.000Z",
    "message": LINE,
    "log": {"offset": 100, "file": {"path": "/var/log/orders/app.log", "inode": "12"}},
    "host": {"name": "web-1"},
}
FLUENT_BIT = {"date": 1767225600.0, "log": LINE, "file": "/var/log/orders/app.log", "offset": 100}
VECTOR = {
    "message": LINE,
    "file": "/var/log/orders/app.log",
    "offset": 100,
    "host": "web-1",
    "source_type": "file",
}


@pytest.mark.parametrize(
    ("envelope", "path", "instance"),
    [
        pytest.param(FILEBEAT, "web-1:/var/log/orders/app.log", "web-1/app.log", id="Filebeat"),
        pytest.param(FLUENT_BIT, "/var/log/orders/app.log", None, id="Fluent Bit"),
        pytest.param(VECTOR, "web-1:/var/log/orders/app.log", "web-1/app.log", id="Vector"),
    ],
)
def test_the_shippers_place_is_the_lines(envelope, path, instance):
    ((origin, line),) = read(envelope)
    assert (origin.identity, origin.path, origin.instance) == (SHIPPER, path, instance)
    assert (line.position, line.end, line.text) == (100, 101 + len(LINE), LINE)
    assert line.size == len(json.dumps(envelope))
    again = read(envelope, offset=99, partition=0)[0]
    assert (again[0].origin_id, again[1].position) == (origin.origin_id, 100)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(FILEBEAT | {"host": {"name": "web-2"}}, id="another host"),
        pytest.param(
            FILEBEAT | {"log": {"offset": 100, "file": {"path": "/var/log/orders/app.log", "inode": "13"}}},
            id="another file of that name",
        ),
    ],
)
def test_another_file_is_another_origin(other):
    assert read(other)[0][0].origin_id != read(FILEBEAT)[0][0].origin_id


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(LINE, id="a bare line"),
        pytest.param({"message": LINE, "offset": 5}, id="an offset without its file"),
        pytest.param({"message": LINE, "file": "/a.log", "offset": "5"}, id="an offset that is no number"),
        pytest.param({"message": LINE, "file": "/a.log", "offset": True}, id="an offset that is a switch"),
        pytest.param({"message": LINE, "file": "/a.log", "offset": -5}, id="an offset below zero"),
        pytest.param({"message": LINE, "level": "INFO", "logger_name": "a.B"}, id="a record in JSON"),
    ],
)
def test_else_it_is_the_messages_place(value):
    ((origin, line),) = read(value)
    assert (origin.identity, origin.path) == (TOPIC, "logs/1")
    assert (line.position, line.end) == (7 << MESSAGE_BITS, 8 << MESSAGE_BITS)
    assert read(value, partition=2)[0][0].origin_id != origin.origin_id


def test_containers_of_one_partition_are_apart():
    one, two = (read({"log": LINE, "stream": "stdout", "container_name": name})[0][0] for name in ("a", "b"))
    assert one.origin_id != two.origin_id
    assert (one.container, two.container) == ("a", "b")


def test_a_message_of_several_lines():
    lines = [line for _, line in read(f"{LINE}\n\tat a.B.c(B.java:1)\r\n")]
    assert [line.text for line in lines] == [LINE, "\tat a.B.c(B.java:1)"]
    assert [line.position - (7 << MESSAGE_BITS) for line in lines] == [0, len(LINE) + 1]
    assert lines[0].end == lines[1].position
    assert sum(line.size for line in lines) == len(f"{LINE}\n\tat a.B.c(B.java:1)\r\n")


def test_more_lines_than_a_message_has_room_for_stay_in_it():
    lines = [line for _, line in read("\n".join(["x" * 1000] * 2000))]
    assert all(7 << MESSAGE_BITS <= line.position < 8 << MESSAGE_BITS for line in lines)
    assert lines[-1].end == 8 << MESSAGE_BITS


@pytest.mark.parametrize(
    "value", ["", "{", '{"a": 1}', "\udc80", '{"message": null}', "[]", '{"log":"x","offset":1e999}']
)
def test_whatever_a_message_is_it_counts_once(value):
    found = list(lines_of(Message("logs", "id", 0, 0, value.encode("utf-8", "surrogatepass")), 100))
    assert sum(line.size for _, line in found) == len(value.encode("utf-8", "surrogatepass"))
    assert len(list(lines_of(Message("logs", "id", 0, 0, None), 100))) == 1


def test_secrets_go_and_long_lines_are_cut():
    ((_, line),) = read(FILEBEAT | {"message": "see: password=hunter2, " + "x" * 2000})
    assert "hunter2" not in line.text
    assert line.is_cut
    assert len(line.text) == 1000
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
    assert body not in read(f"-----BEGIN PRIVATE KEY-----\n{body}")[1][1].text
