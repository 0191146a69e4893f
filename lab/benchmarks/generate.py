"""Logs of a given size from a seed: a quarter of the records Kafka's, a tenth of the lines continuations.

The rest is an application's.

Every process begins with what a recorded client of its release wrote at its start, word for word.
"""

import gzip
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from uuid import UUID

from lab.benchmarks.scenes import COMMON, OF_STREAMS, Line, Process
from lab.corpus import ROOT

KAFKA_SHARE, CONTINUATION_SHARE = 0.25, 0.10
FILES = 8
BEGIN = int(datetime(2026, 3, 1, tzinfo=UTC).timestamp() * 1000)
# No two processes begin in the same ms: logs are told apart by their first KiB, here a dump like any other.
STARTED_APART_MS = 1_370
STREAMS_START = ("p572-process-timeout-38", "app.log.gz")
CONSUMER_START = ("p62-slow-poll-42", "consumer-b.app.log.gz")
PRODUCER_START = ("p580-exp-42", "app.log.gz")
RECORD = re.compile(r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] (\w+) ", re.MULTILINE)
# The last thing said at the start of each: after it the recorded client met its fault.
START_ENDS = re.compile(r"Kafka startTimeMs: \d+ \(org\.apache\.kafka\.common\.utils\.AppInfoParser\)\n")

SAID = (
    ("INFO", "order {n} accepted for customer {m} in {t} ms", "com.example.orders.OrderService"),
    ("INFO", "GET /api/orders/{n} 200 {t}ms trace={x}", "com.example.web.AccessLog"),
    ("DEBUG", "cache hit for customer {m} (age {t} ms, {n} entries)", "com.example.orders.CustomerCache"),
    ("INFO", "stored invoice {n} for order {m} rows=1 took {t} ms", "com.example.billing.InvoiceStore"),
    ("WARN", "price of item {n} is {t} s old, asking again (attempt {m})", "com.example.pricing.PriceClient"),
    ("DEBUG", "mapping order {n} to topic orders-out key={x}", "com.example.orders.OrderMapper"),
)
TRACE = (
    "java.lang.IllegalStateException: no price for item {n}",
    "\tat com.example.pricing.PriceClient.priceOf(PriceClient.java:118)",
    "\tat com.example.orders.OrderService.total(OrderService.java:74)",
    "\tat com.example.orders.OrderService.accept(OrderService.java:51)",
    "\tat java.base/java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1144)",
    "\tat java.base/java.lang.Thread.run(Thread.java:842)",
    "Caused by: java.net.SocketTimeoutException: Read timed out",
    "\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:288)",
    "\t... 14 more",
)


@dataclass(slots=True)
class Counts:
    """What was written so far."""

    records: int = 0
    kafka: int = 0
    lines: int = 0
    continuations: int = 0

    def add(self, lines: int, *, kafka: bool) -> None:
        self.records += 1
        self.kafka += kafka
        self.lines += lines
        self.continuations += lines - 1


class Log:
    """One process's file, written in the default layout of Kafka's log4j.properties."""

    def __init__(self, file: TextIOWrapper, process: Process, rng: random.Random, began: int) -> None:
        self.counts = Counts()
        self._file, self._process, self._random = file, process, rng
        self._clock = began
        scenes = OF_STREAMS if process.streams_thread else COMMON
        self._scenes, self._weights = [scene for scene, _ in scenes], [weight for _, weight in scenes]
        # Kafka's records wait while the application's fill the time between them.
        self._waiting: Iterator[Line] = iter(())

    def start(self, texts: list[str]) -> None:
        """The recorded beginning of each client, on this log's clock."""
        for text in texts:
            starts = [match.start() for match in RECORD.finditer(text)]
            for begin, end in zip(starts, [*starts[1:], len(text)], strict=True):
                record = text[begin:end].rstrip("\n")
                self._write(record[26:], kafka=True)

    def fill(self, size: int) -> None:
        """Write until the file has at least `size` bytes."""
        while self._file.tell() < size:
            for _ in range(200):
                self._next()

    def _next(self) -> None:
        counts = self.counts
        if counts.kafka < KAFKA_SHARE * counts.records:
            line = next(self._waiting, None)
            while line is None:
                self._waiting = self._random.choices(self._scenes, self._weights)[0](self._process)
                line = next(self._waiting, None)
            self._clock += line.wait_ms
            first = f"{line.level} {line.text} ({line.logger})"
            self._write("\n".join((first, *line.more)), kafka=True)
            return
        draw = self._random
        self._clock += draw.randint(0, 4)
        values = {
            "n": draw.randint(1, 999_999),
            "m": draw.randint(1, 99_999),
            "t": draw.randint(1, 900),
            "x": f"{draw.getrandbits(64):016x}",
        }
        if counts.continuations < CONTINUATION_SHARE * counts.lines:
            head = f"ERROR order {values['n']} failed (com.example.orders.OrderService)"
            self._write("\n".join((head, *TRACE)).format(**values), kafka=False)
        else:
            level, text, logger = draw.choice(SAID)
            self._write(f"{level} {text.format(**values)} ({logger})", kafka=False)

    def _write(self, text: str, *, kafka: bool) -> None:
        at = datetime.fromtimestamp(self._clock / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
        self._file.write(f"[{at},{self._clock % 1000:03d}] {text}\n")
        self.counts.add(text.count("\n") + 1, kafka=kafka)


def generate(folder: Path, megabytes: int, seed: int = 7) -> Counts:
    """Write FILES logs into the folder, `megabytes` in all; the same seed gives the same bytes.

    Every second process is a Streams application of 3.8.1, the others a consumer and a producer of 4.2.1.
    """
    total = Counts()
    for number in range(FILES):
        rng = random.Random(f"{seed}/{number}")
        service = folder / f"orders-{number}"
        service.mkdir(parents=True, exist_ok=True)
        process, texts = _streams(rng) if number % 2 else _consumer_and_producer(rng, number)
        with (service / "app.log").open("w", encoding="utf-8", newline="\n") as file:
            log = Log(file, process, rng, BEGIN + number * STARTED_APART_MS)
            log.start(texts)
            log.fill(megabytes * 1_000_000 // FILES)
        for name in ("records", "kafka", "lines", "continuations"):
            setattr(total, name, getattr(total, name) + getattr(log.counts, name))
    return total


def _streams(rng: random.Random) -> tuple[Process, list[str]]:
    text = _recorded(*STREAMS_START)
    named = re.search(r"process id: ([0-9a-f-]{36})", text)
    if named is None:
        raise ValueError(f"{STREAMS_START[0]}: no process id in its beginning")
    process_id = str(UUID(int=rng.getrandbits(128), version=4))
    text = text.replace(named.group(1), process_id)
    # the defaults of both: lines of `task_timeout` count down from five minutes
    text = re.sub(r"task\.timeout\.ms = \d+", "task.timeout.ms = 300000", text)
    thread = f"order-enricher-{process_id}-StreamThread-1"
    return Process(rng, "order-enricher", f"{thread}-consumer", f"{thread}-producer", thread, ""), [text]


def _consumer_and_producer(rng: random.Random, number: int) -> tuple[Process, list[str]]:
    consumer, producer = f"orders-{number}", f"orders-out-{number}"
    texts = [
        _recorded(*CONSUMER_START).replace("client.id = consumer-b", f"client.id = {consumer}"),
        _recorded(*PRODUCER_START).replace("client.id = orders-producer", f"client.id = {producer}"),
    ]
    texts[0] = re.sub(r"max\.poll\.interval\.ms = \d+", "max.poll.interval.ms = 300000", texts[0])
    texts[1] = re.sub(r"delivery\.timeout\.ms = \d+", "delivery.timeout.ms = 120000", texts[1])
    return Process(rng, "order-service", consumer, producer, None, " isFenced: false"), texts


def _recorded(scenario: str, name: str) -> str:
    """The beginning of a recorded log: dumps and versions."""
    text = gzip.decompress((ROOT / scenario / name).read_bytes()).decode("utf-8")
    last = list(START_ENDS.finditer(text))[-1]
    return text[: last.end()]
