"""How long a line takes to its finding, at so many lines a second: `python -m lab.benchmarks.stream --minutes 10`.

Eight processes write logs, a quarter of the lines Kafka's. Every other second one of them says that a consumer's poll
timeout has expired, each of a group of its own; measured is the time from that line's landing in its file until
gold.incidents has its incident, and with --alerts until its alert has arrived at a target over HTTP. Memory is of the
stream's process and its JVM, files are all of the lake's; each minute's are printed, and all of it in the end.

Many triggers rather than many lines: `--minutes 60 --triggers 1000 --rate 20 --every 1s`.
"""

import argparse
import json
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path

from deltalake import DeltaTable
from deltalake.exceptions import TableNotFoundError

from lab.benchmarks.generate import SAID
from lab.benchmarks.memory import megabytes_of
from lab.benchmarks.scenes import Process, committed, heartbeat
from lab.soak.alerts import Inbox

PROCESSES = 8
KAFKA_SHARE = 0.25
TICK = 0.1  # s
PROBE_EVERY = 2.0  # s
MINUTE = 60
EXPIRED = (
    "WARN [Consumer clientId={0}, groupId=of-{0}] consumer poll timeout has expired. This means the time between "
    "subsequent calls to poll() was longer than the configured max.poll.interval.ms, which typically implies that the "
    "poll loop is spending too much time processing messages. "
    "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"
)

PROBE = re.compile(r"probe-\d+")
CONF = "alerts: {{targets: {{inbox: alertmanager+http://{address}}}}}\n"


def lines(rng: random.Random, number: int) -> Iterator[str]:
    """What one process says, without end and without its times."""
    process = Process(rng, "order-service", f"orders-{number}", f"orders-out-{number}", None, "")
    while True:
        for scene in (heartbeat, committed):
            for line in scene(process):
                yield f"{line.level} {line.text} ({line.logger})"
                for _ in range(round(1 / KAFKA_SHARE) - 1):
                    level, text, logger = rng.choice(SAID)
                    yield f"{level} {text.format(n=rng.randint(1, 9999), m=7, t=3, x='0a')} ({logger})"


class Writer(threading.Thread):
    """Writes logs; `landed` has the time of each probe's line."""

    def __init__(self, folder: Path, rate: int, seconds: float) -> None:
        super().__init__(daemon=True)
        self.landed: dict[str, float] = {}
        self.written = 0
        self.is_over = threading.Event()
        self._rate, self._seconds = rate, seconds
        self._files = []
        for number in range(PROCESSES):
            (folder / f"orders-{number}").mkdir(parents=True)
            self._files.append((folder / f"orders-{number}" / "app.log").open("a", encoding="utf-8"))

    def run(self) -> None:
        rng = random.Random(1)
        said = [lines(rng, number) for number in range(PROCESSES)]
        whose = cycle(range(PROCESSES))
        began = time.time()
        next_probe = began + 1
        while (now := time.time()) < began + self._seconds and not self.is_over.is_set():
            at = datetime.fromtimestamp(now, UTC).strftime("[%Y-%m-%d %H:%M:%S,%f")[:-3] + "] "
            while self.written < (now - began) * self._rate:
                number = next(whose)
                self._files[number].write(at + next(said[number]) + "\n")
                self.written += 1
            if now >= next_probe:
                probe = f"probe-{len(self.landed)}"
                self._files[next(whose)].write(at + EXPIRED.format(probe) + "\n")
                self.landed[probe] = now
                next_probe += PROBE_EVERY
            for file in self._files:
                file.flush()
            time.sleep(TICK)


class Reader(threading.Thread):
    """Looks into gold.incidents; `seen` has the time when each probe's incident was first there."""

    def __init__(self, lake: Path) -> None:
        super().__init__(daemon=True)
        self.seen: dict[str, float] = {}
        self.is_over = threading.Event()
        self._path = str(lake / "gold" / "incidents")

    def run(self) -> None:
        version = -1
        while not self.is_over.wait(0.5):
            try:
                table = DeltaTable(self._path)
            except TableNotFoundError:
                continue
            if table.version() == version:
                continue
            version = table.version()
            for clients in table.to_pyarrow_table(columns=["client_ids"])["client_ids"].to_pylist():
                for client in clients:
                    self.seen.setdefault(client, time.time())


def triggers_of(lake: Path) -> int:
    """How many triggers had something to read, as the stream tells Prometheus."""
    text = (lake / "_kipwatch" / "metrics.prom").read_text(encoding="utf-8")
    found = re.search(r"^kipwatch_triggers_with_input_total (\d+)", text, re.MULTILINE)
    return int(found[1]) if found else 0


def spread(values: Sequence[float]) -> dict[str, float]:
    """Of seconds: half and 95 of 100 of them are at most so long."""
    ordered = sorted(values)
    if not ordered:
        return {}
    return {
        "p50_s": round(statistics.median(ordered), 1),
        "p95_s": round(ordered[int(len(ordered) * 0.95)], 1),
    }


def main() -> None:
    """Run it, print figures by minute, then all."""
    given = _options()
    with tempfile.TemporaryDirectory() as folder, Inbox(random.Random(1), refuses=0).open() as inbox:
        logs, lake = Path(folder, "logs"), Path(folder, "lake")
        logs.mkdir()
        command = ["stream", "--logs", str(logs), "--lake", str(lake), "--every", given.every]
        if given.alerts:
            conf = Path(folder, "conf.yaml")
            conf.write_text(CONF.format(address=inbox.address), encoding="utf-8")
            command += ["--conf", str(conf)]
        stream = subprocess.Popen([sys.executable, "-m", "jobs.cli", *command])
        reader = Reader(lake)
        reader.start()
        while not (lake / "_kipwatch" / "metrics.prom").exists() and stream.poll() is None:
            time.sleep(0.5)
        writer = Writer(logs, given.rate, given.minutes * 60)
        writer.start()
        minutes = []
        while writer.is_alive():
            writer.join(MINUTE)
            minutes.append(_minute(stream.pid, lake, writer, reader))
            print(json.dumps(minutes[-1]), flush=True)
            if given.triggers and minutes[-1]["triggers"] >= given.triggers:
                writer.is_over.set()
        time.sleep(MINUTE)
        reader.is_over.set()
        stream.send_signal(signal.SIGTERM)
        code = stream.wait(300)
        waits = [reader.seen[one] - at for one, at in writer.landed.items() if one in reader.seen]
        half = minutes[len(minutes) // 2 :]
        figures = {
            "exit": code,
            "minutes": len(minutes),
            "lines": writer.written,
            "triggers": triggers_of(lake),
            "probes": len(writer.landed),
            "found": len(waits),
            **spread(waits),
            **({"alerts": _alerts(inbox, writer.landed)} if given.alerts else {}),
            # By minute, so that what grows is seen; the second half alone, as a start is another matter.
            **{name: [one[name] for one in minutes] for name in ("memory_mb", "files")},
            **{f"{name}_at_most": max(one[name] for one in half) for name in ("memory_mb", "files")},
        }
        print(json.dumps(figures))


def _alerts(inbox: Inbox, landed: Mapping[str, float]) -> dict[str, float]:
    """How many alerts arrived, and how long after their lines."""
    found = {probe: at for title, at in inbox.titles.items() for probe in PROBE.findall(title)}
    return {"arrived": len(found), **spread([at - landed[probe] for probe, at in found.items()])}


def _minute(pid: int, lake: Path, writer: Writer, reader: Reader) -> dict[str, float]:
    now = time.time()
    recent = [reader.seen.get(one, now) - at for one, at in list(writer.landed.items()) if at > now - 75]
    return {
        "memory_mb": round(megabytes_of(pid)),
        "files": sum(path.is_file() for path in lake.rglob("*")),
        "lines": writer.written,
        "triggers": triggers_of(lake),
        **spread(recent),
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=int, default=2000, help="lines a second")
    parser.add_argument("--every", default="10s")
    parser.add_argument("--alerts", action="store_true", help="send alerts, and tell when they arrived")
    parser.add_argument(
        "--triggers", type=int, default=0, help="end after so many that had something to read"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
