"""Kills the process that sends alerts, again and again, while they go out: none may be lost.

What was in flight at a kill may go out again, under the same key: a target that has keys shows it once. A killed process
is one of its own: the runtime of tables can't be forked. `python -m lab.soak.alerts KILLS SEED`.
"""

import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from deltalake import write_deltalake

from expectations import TABLES
from jobs.alerts.sender import Sender
from jobs.alerts.targets import target_of
from jobs.storage.lake import LakeWriter

MAX_AGE_MS = 6 * 3_600_000
LONGEST_CHILD = 1_800  # s: the last sends all that is left, a commit for each


@dataclass
class Inbox:
    """What a target took, by key; it answers with 503 now and then. titles: of what it took, with the time of the first."""

    chance: random.Random
    refuses: float = 0.1
    taken: Counter[str] = field(default_factory=Counter)
    titles: dict[str, float] = field(default_factory=dict)
    address: str = ""

    @contextmanager
    def open(self) -> Iterator["Inbox"]:
        """Listen while it is looked at."""
        inbox = self

        class Page(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers["Content-Length"])
                body = self.rfile.read(size)
                if len(body) < size:
                    return  # whoever sent it was killed on the way
                is_taken = inbox.chance.random() >= inbox.refuses
                for alert in json.loads(body) if is_taken else ():
                    inbox.taken[alert["labels"]["incident_id"]] += 1
                    inbox.titles.setdefault(alert["annotations"]["title"], time.time())
                try:
                    self.send_response(200 if is_taken else 503)
                    self.end_headers()
                except OSError:
                    pass  # whoever sent it was killed

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
                """Quiet."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
        self.address = f"127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield self
        server.shutdown()
        server.server_close()


def fill(lake: Path, incidents: int) -> set[str]:
    """A lake with so many incidents that go on; their ids."""
    now = int(time.time() * 1000)
    rows: list[dict[str, Any]] = [
        {
            "incident_id": f"{number:064x}", "kind": "poll_expired", "started_at": now, "ended_at": None,
            "title": f"t{number}", "cause": "c", "cause_confidence": "proven",
            "verdict": "as_designed", "impact": "delayed", "advice": "a",
            "client_ids": [], "event_ids": [], "subject_ids": [], "rule_ids": [], "unit_id": "u", "unit_bucket": 0,
            "incarnation": 0, "scope_id": "u",
        }
        for number in range(incidents)
    ]  # fmt: skip
    for table, some in (("gold.incidents", rows), ("gold.notifications", [])):
        write_deltalake(str(lake.joinpath(*table.split("."))), TABLES[table].arrow_table(some))
    return {row["incident_id"] for row in rows}


def send_on(lake: Path, address: str) -> None:
    """Send until all is sent, as a stream does, trigger after trigger; say when it begins."""
    sender = Sender(LakeWriter(lake), [target_of("t", f"alertmanager+http://{address}")], MAX_AGE_MS)
    print("begins", flush=True)
    while sender.send():
        sender._waiting.clear()  # its wait is for others to prove; here the clock matters


def soak(kills: int, seed: int, incidents: int) -> tuple[set[str], Counter[str], int]:
    """The ids that were to be sent, how often each was taken, and how many kills met a process that was sending."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="kipwatch-alerts-") as folder, Inbox(chance).open() as inbox:
        wanted = fill(Path(folder), incidents)
        met = 0
        command = [sys.executable, "-m", "lab.soak.alerts", "send", folder, inbox.address]
        for number in range(kills + 1):
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
                assert child.stdout is not None
                child.stdout.readline()
                if number < kills:
                    time.sleep(chance.uniform(0, 0.4))
                    child.kill()
                met += child.wait(LONGEST_CHILD) < 0
        return wanted, inbox.taken, met


def main() -> None:
    if sys.argv[1:2] == ["send"]:
        send_on(Path(sys.argv[2]), sys.argv[3])
        return
    kills, seed = (int(given) for given in (*sys.argv[1:], "100", "1")[:2])
    wanted, taken, met = soak(kills, seed, incidents=kills * 20)
    lost, again = len(wanted - set(taken)), sum(times - 1 for times in taken.values())
    print(
        f"{len(wanted)} alerts, {met} kills while they went out: {lost} lost, {again} sent again under their key"
    )
    sys.exit(wanted != set(taken))


if __name__ == "__main__":
    main()
