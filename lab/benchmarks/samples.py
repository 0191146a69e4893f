"""A tenth of a large day: 5 million samples of 100 consumers beside their logs. `python -m lab.benchmarks.samples`.

What a scrape holds is what a recorded consumer's Jolokia agent gave, with numbers that move; the logs are that consumer's.
Both are the same for every client but for its name.
"""

import argparse
import gzip
import json
import random
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deltalake import DeltaTable

from conf.settings import load_conf
from jobs.engine.choice import Engines
from jobs.pipeline import run
from jobs.progress import Progress
from jobs.sql.query import query_rows
from lab.corpus import ROOT

FOLDER = Path(__file__).parents[2] / ".bench" / "samples"
RECORDING, CLIENT = ROOT / "p62-slow-poll-42", "consumer-b"
DAY_S, BEGIN_S = 86_400, 1_795_219_200  # 2026-11-21T00:00:00Z
PAGE = 4096  # bytes, as /proc counts memory


def main() -> None:
    """Generate, run four times, print what each took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--samples", type=int, default=50_000, help="of each client in the day")
    given = parser.parse_args()
    shutil.rmtree(FOLDER, ignore_errors=True)
    scrape = _scrape()
    times = max(1, given.samples // _size(scrape))
    names = [f"consumer-{number:04d}" for number in range(given.clients)]
    for name in names:
        _write(FOLDER / "logs" / "pay" / f"{name}.log", _log(name))
        _write(FOLDER / "metrics" / "pay" / f"{name}.jsonl", _day(scrape, name, times))
    conf = load_conf()
    engines = Engines(conf.spark, Progress(is_shown=False))
    lake = FOLDER / "lake"

    def timed(what: str, *kinds: str) -> None:
        progress = Progress(is_shown=False)
        paths = {kind: [str(FOLDER / kind)] if kind in kinds else [] for kind in ("logs", "metrics")}
        with _peak() as peak:
            began = time.monotonic()
            done = run(engines, lake, paths["logs"], paths["metrics"], conf, progress)
            took = time.monotonic() - began
        steps = ", ".join(f"{step} {seconds:.1f}" for step, seconds in progress.seconds.items())
        print(f"{what}: {took:.1f} s, {done.units} processes rebuilt; {peak()} ({steps})", flush=True)

    timed("logs alone", "logs")
    timed("the day's metrics", "metrics")
    _tell_size(lake)
    _tell_query(lake, names[len(names) // 2])
    for name in names:
        _write(FOLDER / "metrics" / "pay" / f"{name}.next.jsonl", _day(scrape, name, 1, BEGIN_S + DAY_S))
    timed("one more scrape of each", "metrics")
    with (FOLDER / "logs" / "pay" / f"{names[0]}.log").open("a", encoding="utf-8") as log:
        log.write(_log(names[0]).splitlines()[-1] + "\n")
    timed("one log that grew", "logs")


def _scrape() -> list[dict[str, Any]]:
    """What Jolokia answered for all MBeans of the consumer, once all were there."""
    with gzip.open(RECORDING / f"{CLIENT}.metrics.jsonl.gz", "rt", encoding="utf-8") as lines:
        answers = [json.loads(line) for line in lines]
    found: list[dict[str, Any]] = max((a if isinstance(a, list) else [a] for a in answers), key=_size)
    return found


def _size(scrape: list[dict[str, Any]]) -> int:
    return sum(
        len(attributes)
        for answer in scrape
        if answer.get("status") == 200
        for attributes in answer["value"].values()
    )


def _day(scrape: list[dict[str, Any]], name: str, times: int, begin: int = BEGIN_S) -> str:
    moving, lines = random.Random(name), []
    for number in range(times):
        at = begin + number * DAY_S // times
        for answer in scrape:
            answer["timestamp"] = at
            for attributes in answer.get("value", {}).values():
                for attribute, value in attributes.items():
                    if isinstance(value, int | float) and not isinstance(value, bool):
                        step = 1 if attribute.endswith("-total") else moving.random() - 0.5
                        attributes[attribute] = value + step
        lines.append(json.dumps(scrape if len(scrape) > 1 else scrape[0]).replace(CLIENT, name))
    return "\n".join(lines) + "\n"


def _log(name: str) -> str:
    return gzip.decompress((RECORDING / f"{CLIENT}.app.log.gz").read_bytes()).decode().replace(CLIENT, name)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _tell_size(lake: Path) -> None:
    files = DeltaTable(str(lake / "silver" / "metric_samples")).get_add_actions(flatten=True)
    rows, size = (sum(files.column(name).to_pylist()) for name in ("num_records", "size_bytes"))
    print(
        f"the table: {rows} samples, {size / 1e6:.1f} MB, {size / rows:.1f} bytes each, {files.num_rows} files"
    )


def _tell_query(lake: Path, name: str) -> None:
    sql = f"""
        SELECT sampled_at, value FROM silver.metric_samples WHERE unit_id = 'pay/{name}.jsonl'
        AND attribute = 'last-poll-seconds-ago' AND sampled_at >= '2026-11-21' ORDER BY sampled_at
    """
    began = time.monotonic()
    number = sum(1 for _ in query_rows(lake, sql)[1])
    print(f"one attribute of one client's day: {number} samples in {time.monotonic() - began:.2f} s")


@contextmanager
def _peak() -> Iterator[Any]:
    """Tells the most memory that this process and its Python workers each held meanwhile, in MB."""
    most, is_over = {"driver": 0, "worker": 0}, threading.Event()

    def watch() -> None:
        while not is_over.wait(0.2):
            for kind, size in _sizes():
                most[kind] = max(most[kind], size)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield lambda: f"driver's Python {most['driver'] >> 20} MB, a worker {most['worker'] >> 20} MB at most"
    finally:
        is_over.set()
        watcher.join()


def _sizes() -> Iterator[tuple[str, int]]:
    own = Path("/proc/self").resolve().name
    for status in Path("/proc").glob("[0-9]*/statm"):
        process = status.parent
        try:
            is_worker = b"pyspark.daemon" in (process / "cmdline").read_bytes()
            if is_worker or process.name == own:
                kind = "worker" if is_worker else "driver"
                yield kind, int(status.read_text(encoding="ascii").split()[1]) * PAGE
        except OSError:  # it ended meanwhile
            continue


if __name__ == "__main__":
    main()
