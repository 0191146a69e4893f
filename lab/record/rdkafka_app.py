"""A small application of librdkafka's Python binding, run by an interpreter that has one: `rdkafka_app.py APP.json`.

What the library logs goes to stderr (or through `logging`); what the code around it saw goes into the events file, and is
never derived from what was logged.
"""

import json
import logging
import signal
import sys
import threading
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import confluent_kafka as ck
from confluent_kafka.admin import AdminClient, NewTopic

LAYOUT = "%(asctime)s %(levelname)s [%(threadName)s] %(name)s: %(message)s"


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")  # noqa: UP017 (of an older Python)


class App:
    """One client and what is noted of it."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self._events = Path(given["events"]).open("w", buffering=1)  # noqa: SIM115 (to the process' end)
        self._lock = threading.Lock()
        self.until = time.monotonic() + given["run_ms"] / 1000
        self.begun = time.monotonic()
        self.is_stopped = False
        signal.signal(signal.SIGTERM, self._stop)

    def note(self, event: str, **said: Any) -> None:
        with self._lock:
            self._events.write(json.dumps({"t": now(), "event": event, **said}) + "\n")

    def is_on(self) -> bool:
        return not self.is_stopped and time.monotonic() < self.until

    def config(self) -> dict[str, Any]:
        made = dict(self.given["config"])
        if self.given.get("logger"):
            logging.basicConfig(level=logging.DEBUG, format=LAYOUT, stream=sys.stderr)
            made["logger"] = logging.getLogger("orders")
        if self.given.get("stats"):
            made["statistics.interval.ms"] = 1000
            statistics = Path(self.given["stats"]).open("w", buffering=1)  # noqa: SIM115
            made["stats_cb"] = lambda text: statistics.write(text + "\n")
        if self.given["mode"] != "producer" or self.given.get("says_errors"):
            made["error_cb"] = self._failed
        return made

    def _failed(self, error: Any) -> None:
        self.note("error_cb", code=error.name(), fatal=error.fatal(), exc=str(error))

    def _stop(self, *_: Any) -> None:
        self.is_stopped = True


def produce(app: App) -> None:
    """Send at a rate, note each delivery; with a transactional.id in transactions of `txn_ms`."""
    given = app.given
    producer = ck.Producer(app.config())
    app.note("constructed")
    is_transactional = "transactional.id" in given["config"]
    begun = 0.0
    if is_transactional:
        producer.init_transactions(30)
        app.note("transactions_initialised")
    sent = 0
    while app.is_on():
        if is_transactional and not begun:
            producer.begin_transaction()
            begun = time.monotonic()
            app.note("transaction_begun")
        send(app, producer, sent)
        sent += 1
        if is_transactional and time.monotonic() - begun > given["txn_ms"] / 1000:
            begun = 0.0
            if not commit(app, producer):
                break
        until = time.monotonic() + 1 / given["rate"]
        while (left := until - time.monotonic()) > 0:
            producer.poll(left)
    if given.get("no_flush"):
        app.note("end", queued=len(producer))
        return
    left = producer.flush(given.get("flush_s", 30))
    app.note("closed", queued=left)


def commit(app: App, producer: Any) -> bool:
    try:
        producer.commit_transaction(20)
        app.note("transaction_committed")
    except ck.KafkaException as failed:
        error = failed.args[0]
        app.note(
            "call_failed", call="commit_transaction", code=error.name(), exc=str(error), fatal=error.fatal()
        )
        print(f"commit_transaction failed: {error}", file=sys.stderr)
        if not error.txn_requires_abort():
            return False
        producer.abort_transaction(20)
        app.note("transaction_aborted")
    return True


def send(app: App, producer: Any, number: int) -> None:
    topic, partition = app.given["topic"], number % app.given.get("parts", 1)
    sent_at = round(time.time() * 1000)

    def delivered(error: Any, message: Any) -> None:
        app.note(
            "callback", seq=number, topic=topic, partition=partition, send_ms=sent_at,
            outcome="acked" if error is None else "failed",
            exc=None if error is None else f"{error.name()}: {error.str()}",
        )  # fmt: skip
        if error is not None:
            print(f"{datetime.now():%Y-%m-%d %H:%M:%S} delivery failed: {error}", file=sys.stderr)

    app.note("send_call", seq=number, topic=topic, partition=partition, ms=sent_at)
    try:
        producer.produce(topic, f"order {number}".encode() * 20, partition=partition, on_delivery=delivered)
    except (BufferError, ck.KafkaException) as failed:
        app.note("call_failed", call="produce", exc=str(failed))


def consume(app: App) -> None:
    """Poll, and be slow where told: `slow` is [after ms, for ms]."""
    given = app.given
    consumer = ck.Consumer(app.config())
    app.note("constructed")

    def changed(what: str) -> Any:
        def note(_: Any, partitions: Any) -> None:
            app.note(what, partitions=[f"{one.topic}-{one.partition}" for one in partitions])

        return note

    consumer.subscribe(
        [given["topic"]], on_assign=changed("assigned"), on_revoke=changed("revoked"), on_lost=changed("lost")
    )
    slow = [(after / 1000, length / 1000) for after, length in given.get("slow", [])]
    last = time.monotonic()
    while app.is_on():
        entered = time.monotonic()
        if entered - last > 1:
            app.note("poll_gap", gap_ms=round((entered - last) * 1000))
        message = consumer.poll(0.25)
        last = time.monotonic()
        if message is None:
            continue
        if message.error():
            app.note("poll_error", code=message.error().name(), exc=str(message.error()))
            print(f"consume error: {message.error()}", file=sys.stderr)
            if message.error().fatal():
                break
            continue
        if slow and last - app.begun > slow[0][0]:
            app.note("processing_slow", ms=round(slow[0][1] * 1000))
            time.sleep(slow.pop(0)[1])
        commit_offsets(app, consumer, message)
    if not given.get("no_close"):
        consumer.close()
        app.note("closed")


def commit_offsets(app: App, consumer: Any, message: Any) -> None:
    if app.given["config"].get("enable.auto.commit") in (True, "true"):
        return
    try:
        consumer.commit(message=message, asynchronous=False)
    except ck.KafkaException as failed:
        app.note("call_failed", call="commit", code=failed.args[0].name(), exc=str(failed.args[0]))
        print(f"commit failed: {failed.args[0]}", file=sys.stderr)


def feed(app: App) -> None:
    """Make the topics, and send into the first past the proxy; not logged."""
    given = app.given
    admin = AdminClient({"bootstrap.servers": given["config"]["bootstrap.servers"]})
    made = admin.create_topics([NewTopic(name, parts, 1) for name, parts in given["topics"].items()])
    for one in made.values():
        one.result(30)
    app.note("topics_made")
    producer = ck.Producer(given["config"])
    topic = next(iter(given["topics"]), None)
    number = 0
    while app.is_on() and given.get("rate") and topic:
        producer.produce(topic, f"order {number}".encode(), partition=number % given["topics"][topic])
        number += 1
        producer.poll(1 / given["rate"])
        time.sleep(1 / given["rate"])
    producer.flush(10)


def main() -> None:
    app = App(json.loads(Path(sys.argv[1]).read_text()))
    app.note("start", mode=app.given["mode"], libversion=ck.libversion()[0], binding=ck.version())
    try:
        {"producer": produce, "consumer": consume, "feeder": feed}[app.given["mode"]](app)
    except ck.KafkaException as failed:
        app.note("died", exc=str(failed))
        print(f"died: {failed}", file=sys.stderr)
    app.note("end")


if __name__ == "__main__":
    main()
