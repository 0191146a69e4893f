"""A real client under a fault: its lines go through a file and through a topic into a stream, and the finding is there."""

import json
import time

from deltalake import DeltaTable

from jobs.pipeline import Input, open_lake
from jobs.progress import Progress
from jobs.streaming.stream import Stream
from lab.soak.rows import rows_of
from tests.broker.client import Consumer

POLL_MS = 6000


def test_a_slow_poll_is_told_from_a_file_and_from_a_topic(engines, conf, broker, producer, tmp_path):
    logs = tmp_path / "logs" / "orders"
    logs.mkdir(parents=True)
    log = logs / "app.log"
    producer.anew("orders")
    producer.anew("client-logs")
    producer.write("orders", *((0, f"order {number}") for number in range(10)))
    of_file, of_topic = tmp_path / "of-file", tmp_path / "of-topic"
    url = f"kafka://{broker.address}/client-logs"
    with open_lake(of_file, conf) as one, open_lake(of_topic, conf) as other:
        streams = [
            Stream(engines, lake, Input.given([given], [], may_vanish=True), conf, Progress(is_shown=False))
            for lake, given in ((one, str(logs)), (other, url))
        ]
        consumer = Consumer(
            tmp_path, log, broker.address, "orders",
            max_poll_interval_ms=str(POLL_MS), session_timeout_ms="6000", heartbeat_interval_ms="1000",
        )  # fmt: skip
        shipped = 0
        try:
            consumer.poll_until_records(30)
            # The application is slow: it doesn't poll.
            processing_until = time.monotonic() + POLL_MS / 1000 + 3
            while time.monotonic() < processing_until:
                shipped = ship(producer, log, shipped)
                for stream in streams:
                    stream.once()
            consumer.poll_until_records(30)  # back in the group
        finally:
            consumer.close()
        ship(producer, log, shipped)
        for stream in streams:
            assert stream.once().read
    for lake in (of_file, of_topic):
        sessions = DeltaTable(lake / "silver" / "liveness_sessions").to_pyarrow_table().to_pylist()
        (expired,) = [row for row in sessions if row["outcome"] == "poll_expired"]
        assert (expired["client_id"], expired["max_poll_interval_ms"]) == ("orders-1", POLL_MS)
        assert expired["rejoined_at"] is not None
        (incident,) = [row for row in incidents(lake) if row["limit_ms"] == POLL_MS]
        assert "orders-1" in incident["client_ids"]
    assert len(rows_of(of_file, "silver.client_events")) == len(rows_of(of_topic, "silver.client_events"))


def incidents(lake):
    return DeltaTable(lake / "gold" / "incidents").to_pyarrow_table().to_pylist()


def ship(producer, log, begin):
    """Send the whole lines that came, as Filebeat does; gives how far."""
    text = log.read_bytes() if log.exists() else b""
    end = text.rfind(b"\n") + 1
    messages = []
    at = begin
    for line in text[begin:end].splitlines(keepends=True):
        place = {"offset": at, "file": {"path": "/var/log/orders/app.log", "inode": "7"}}
        messages.append(
            json.dumps({"message": line.decode().rstrip("\n"), "log": place, "host": {"name": "web-1"}})
        )
        at += len(line)
    producer.write("client-logs", *((0, message) for message in messages))
    return end
