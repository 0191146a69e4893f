"""The dashboard on a large lake: `python -m lab.benchmarks.dashboard LAKE [--rounds N --viewers N --seconds S]`.

LAKE is made by lab.benchmarks.dashboard_lake, and is added to: before each cold page a table gets a commit, so that
nothing that was read before may be used again. Times are of whole answers over loopback. --busy: a batch over these logs,
into a lake of its own, runs over and over meanwhile.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

EVERY_S = 5
FILTERS = (
    "?rule=kip62.left_late",
    "?category=broken_semantics",
    "?kip=KIP-91",
    "?service=service-07",
    "?client=client-nce-0042",
    "?category=misconfiguration&service=service-11",
    "?from=2026-11-20T00:00&to=2026-11-20T06:00",
    "?sort=worst",
)
# First pages, each with the table that gets a commit before it is asked for. A story is that of a violation of the lake.
PAGES = (
    ("/", "", "gold.client_health"),
    ("/violations", "", "gold.violations"),
    ("/unjudged", "", "gold.unjudged"),
    ("/incidents", "", "gold.incidents"),
    ("/incidents", "?service=service-07&kind=kicked_out", "gold.incidents"),
    ("/what-if", "?limit=60000", "silver.liveness_sessions"),
    ("/what-if", "?setting=delivery.timeout.ms&limit=180000", "silver.batch_lifetimes"),
    ("/rules", "", "gold.violations"),
    ("/quality", "", "gold.runs"),
    ("/timers", "", "silver.task_timers"),
    ("/backoff", "", "silver.backoff_attempts"),
    ("/backoff", "?service=service-07", "silver.backoff_attempts"),
    ("/batches", "", "silver.batch_lifetimes"),
    ("/liveness", "", "silver.liveness_sessions"),
    ("/settings", "", "gold.violations"),
    ("/story", "?service=service-07&from=2026-11-20T00:00&to=2026-11-20T00:05", "silver.client_events"),
    ("/finding/{violation}", "", "gold.violations"),
)
Times = list[float]


class Server:
    """`kipwatch dashboard` in a process of its own."""

    def __init__(self, lake: Path, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "jobs.cli", "dashboard", "--lake", str(lake), "--port", str(port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        for _ in range(300):
            try:
                self.callbacks = json.loads(self.ask("/_dash-dependencies"))
                return
            except urllib.error.URLError:
                time.sleep(0.1)
        raise SystemExit("the server did not start")

    def ask(self, path: str, body: Any = None) -> bytes:
        """An answer; raises where it is none."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as response:
            answered: bytes = response.read()
        return answered

    def call(self, output: str, **values: Any) -> bytes:
        """A callback of the app, by the beginning of its output; values: by id, of the properties it takes."""
        found = next(one for one in self.callbacks if one["output"].startswith(output))
        names = found["output"].strip(".").split("...")
        outputs = [dict(zip(("id", "property"), name.rsplit(".", 1), strict=True)) for name in names]
        taken = {
            kind: [
                one | {"value": values.get(one["id"].replace("-", "_"), {}).get(one["property"])}
                for one in found[kind]
            ]
            for kind in ("inputs", "state")
        }
        changed = [f"{one['id']}.{one['property']}" for one in taken["inputs"]]
        asked = {
            "output": found["output"],
            "outputs": outputs if len(outputs) > 1 else outputs[0],
            "changedPropIds": changed,
        }
        answered = self.ask("/_dash-update-component", asked | taken)
        if b"state-failed" in answered:
            raise RuntimeError(answered[:500].decode())
        return answered

    def page(self, path: str, search: str = "") -> bytes:
        """What is drawn at an address."""
        return self.call("app-page.children", app_url={"pathname": path, "search": search})

    def _pids(self) -> list[str]:
        """Of the processes that serve."""
        found = subprocess.run(
            ["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False
        )
        return [str(self.process.pid), *found.stdout.split()]

    def cpu_s(self) -> float:
        """What they have computed so far, in seconds of one core."""
        stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in self._pids()]
        return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")

    def peak_mib(self) -> int:
        """The largest resident memory of the processes that serve."""
        peaks = [
            int(line.split()[1]) // 1024
            for pid in self._pids()
            for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
            if line.startswith("VmHWM")
        ]
        return max(peaks)


def commit(lake: Path, table: str) -> None:
    """One row more of a table: the newest once again."""
    path = str(lake.joinpath(*table.split(".")))
    dataset = DeltaTable(path).to_pyarrow_dataset()
    write_deltalake(path, pa.Table.from_batches([dataset.head(1).to_batches()[0]]), mode="append")


def timed(ask: Callable[[], bytes], times: Times) -> bytes:
    """Ask, and keep how long it took."""
    began = time.perf_counter()
    answered = ask()
    times.append(time.perf_counter() - began)
    return answered


def told(what: str, times: Sequence[float], cpu_s: float | None = None) -> None:
    """One line of figures, ms; cpu_s: of all these answers together."""
    ordered = sorted(times)
    p50, p95, most = (ordered[ceil(len(ordered) * part) - 1] * 1000 for part in (0.5, 0.95, 1))
    cpu = "" if cpu_s is None else f"  CPU {cpu_s / len(times):5.2f} s each"
    print(
        f"{what:40s} n={len(times):<5d} p50 {p50:6.0f} ms  p95 {p95:6.0f} ms  max {most:6.0f} ms{cpu}",
        flush=True,
    )


def pages(server: Server, lake: Path, rounds: int) -> None:
    """First pages and filters, nothing read before."""
    violation = DeltaTable(str(lake / "gold" / "violations")).to_pyarrow_dataset().head(1)["violation_id"][0]
    for path, search, table in PAGES:
        cold: Times = []
        warm: Times = []
        cpu_s = 0.0
        ask = partial(server.page, path.format(violation=violation), search)
        for _ in range(rounds):
            commit(lake, table)
            began = server.cpu_s()
            timed(ask, cold)
            cpu_s += server.cpu_s() - began
            timed(ask, warm)
        told(f"{path}{search} after a commit", cold, cpu_s)
        told(f"{path}{search} again", warm)
    filtered: Times = []
    cpu_s = 0.0
    for _ in range(max(1, rounds // 4)):
        for search in FILTERS:
            commit(lake, "gold.violations")
            began = server.cpu_s()
            timed(partial(server.page, "/violations", search), filtered)
            cpu_s += server.cpu_s() - began
    told("a filter of violations after a commit", filtered, cpu_s)


def viewers(server: Server, lake: Path, count: int, seconds: float, busy: str | None) -> None:
    """Many at once, each looking again every few seconds, while the lake changes and a batch runs."""
    looks: Times = []
    drawn: Times = []
    errors: list[str] = []
    ends = time.monotonic() + seconds

    def look(number: int) -> None:
        time.sleep(EVERY_S * number / count)
        version: str | None = None
        while time.monotonic() < ends:
            began = time.monotonic()
            try:
                answer = timed(
                    partial(server.call, "..app-freshness.children", app_version={"data": version}), looks
                )
                changed = json.loads(answer or "{}").get("response", {}).get("app-version")
                if changed:
                    version = changed["data"]
                    timed(partial(server.page, "/" if number % 2 else "/violations"), drawn)
            except Exception as failure:
                errors.append(f"{type(failure).__name__}: {failure}")
            time.sleep(max(0.0, EVERY_S - (time.monotonic() - began)))

    threads = [threading.Thread(target=look, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor() as pool:
        batches = pool.submit(_keep_busy, busy, Path(scratch), ends)
        while time.monotonic() < ends:
            commit(lake, "gold.violations")
            time.sleep(EVERY_S)
        for thread in threads:
            thread.join()
    told(f"{count} viewers: looking again", looks)
    told(f"{count} viewers: a page", drawn)
    print(f"errors {len(errors)} {errors[:3]}; batches ended meanwhile {batches.result()}")


def _keep_busy(logs: str | None, scratch: Path, ends: float) -> int:
    """Batches one after the other; gives how many ended well."""
    ended = 0
    while logs and time.monotonic() < ends:
        command = [
            sys.executable,
            "-m",
            "jobs.cli",
            "run",
            "--logs",
            logs,
            "--lake",
            str(scratch / str(ended)),
        ]
        subprocess.run(command, check=True, capture_output=True)
        ended += 1
    return ended


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lake", type=Path)
    parser.add_argument("--port", type=int, default=8059)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--viewers", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--busy")
    given = parser.parse_args()
    server = Server(given.lake, given.port)
    try:
        if given.rounds:
            pages(server, given.lake, given.rounds)
        if given.viewers:
            viewers(server, given.lake, given.viewers, given.seconds, given.busy)
        print(f"memory at most {server.peak_mib()} MiB")
    finally:
        server.process.terminate()
        server.process.wait()


if __name__ == "__main__":
    main()
