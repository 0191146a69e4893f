"""Two workers of a standalone cluster that see no disk of the driver, logs and lakes in an object store: the demo's tables,
equal to those without Spark; then again, while one worker is killed.

python -m lab.on_cluster [units] (as root: each worker has a mount of nothing over the driver's folder)
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pyspark

from conf.settings import Conf, load_conf
from expectations.place import StorePlace
from jobs.commands.demo import SCENARIOS, recordings_folder
from jobs.engine.choice import Engines
from jobs.pipeline import run
from jobs.progress import Progress
from lab.ports import free_ports
from lab.soak.rows import all_rows, differences
from lab.store import Store, of_a_writer

QUIET = Progress(is_shown=False)
HOST = "127.0.0.1"
ROOT = Path(__file__).parents[1]
OPTIONS = {
    "spark.driver.memory": "1g",
    "spark.driver.host": HOST,
    "spark.driver.bindAddress": HOST,
    "spark.executor.memory": "700m",
    "spark.executor.cores": "1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",  # a worker that is killed is told of at length
}
LONGEST_START = 60  # s


def main(when: str) -> int:
    """Three runs over the demo's recordings, and what differs between their tables: the exit code.

    when: of the staging folders, the one in which the first file lies when a worker is killed.
    """
    with ExitStack() as opened:
        made = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="kipwatch-cluster-")))
        driver = made / "driver"
        driver.mkdir()
        tempfile.tempdir = os.environ["TMPDIR"] = str(driver)
        store = Store()
        opened.callback(store.end)
        here = of_a_writer(store.inner_url)
        os.environ |= here
        store.fill("lab", {f"logs/{one}/{file.name}": file.read_bytes() for one, file in _recorded()})
        master, workers = opened.enter_context(_cluster(made, driver))
        conf = load_conf()
        engines = {
            "here": Engines(replace(conf.spark, from_bytes=None), QUIET),
            "by two workers": Engines(_by(conf, master, here), QUIET),
        }
        engines["one of them killed"] = engines["by two workers"]
        lakes = {name: StorePlace(f"s3://lab/lakes/{number}") for number, name in enumerate(engines)}
        for name, lake in lakes.items():
            began = time.monotonic()
            if name == "by two workers":
                print(
                    f"of the driver's folder the workers see {_seen(engines[name], driver)} of {_there(driver)}"
                )
            killed = threading.Thread(target=_kill, args=(workers[0], lake, when), daemon=True)
            if name == "one of them killed":
                killed.start()
            run(engines[name], lake, *_input(), conf, QUIET, job="run")
            print(f"{name}: {time.monotonic() - began:.0f} s")
        rows = sum(map(len, all_rows(lakes["here"]).values()))
        found = {name: differences(lakes["here"], lake) for name, lake in lakes.items()}
        left = [name for name, lake in lakes.items() if (lake / "_kipwatch" / "staging").is_dir()]
        is_killed = workers[0].poll() is not None
        engines["by two workers"].session().stop()
    for name, differ in found.items():
        print(f"Spark {pyspark.__version__}, {name}: {rows} rows, {len(differ)} tables differ")
        for table, (only_here, only_there, some) in differ.items():
            print(f"  {table}: {only_here} rows only here, {only_there} only there, such as {some[0]}")
    print(f"a worker was killed: {is_killed}; rows put aside are left in {left or 'none'}")
    return 0 if rows and is_killed and not left and not any(found.values()) else 1


def _recorded() -> Iterator[tuple[str, Path]]:
    for one in SCENARIOS:
        for file in sorted((recordings_folder() / one).iterdir()):
            if ".log" in file.name or "metrics.jsonl" in file.name:
                yield one, file


def _input() -> tuple[list[str], list[str]]:
    urls = [f"s3://lab/logs/{one}/{file.name}" for one, file in _recorded()]
    return [url for url in urls if ".log" in url], [url for url in urls if "metrics.jsonl" in url]


def _by(conf: Conf, master: str, environment: dict[str, str]) -> object:
    given = environment | {"PYTHONPATH": str(ROOT)}
    options = OPTIONS | {f"spark.executorEnv.{name}": value for name, value in given.items()}
    return replace(conf.spark, from_bytes=0, master=master, options=options)


@contextmanager
def _cluster(made: Path, driver: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A master's URL and two workers, each with a disk of its own; all end with the block."""
    home = Path(pyspark.__file__).parent
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, *command: str) -> Path:
        own = made / name
        own.mkdir()
        said = own / "log"
        # What an executor is started with is its worker's.
        kept = {one: os.environ[one] for one in ("PATH", "HOME", "JAVA_HOME") if one in os.environ}
        there = {
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_DIRS": str(own),
            "TMPDIR": str(own),
            "SPARK_LOCAL_IP": HOST,
        }
        with said.open("wb") as log:
            started.append(
                subprocess.Popen(
                    command, env=kept | there, cwd=own, stdout=log, stderr=log, start_new_session=True
                )
            )
        return said

    java = str(home / "bin" / "spark-class")
    deploy = "org.apache.spark.deploy"
    (port,) = free_ports(1)
    master = f"spark://{HOST}:{port}"
    try:
        log = start(
            "master",
            java,
            f"{deploy}.master.Master",
            "--host",
            HOST,
            "--port",
            str(port),
            "--webui-port",
            "0",
        )
        _wait(log, "I have been elected leader")
        hidden = f"mount -t tmpfs none '{driver}' && exec \"$@\""
        for name in ("worker-1", "worker-2"):
            log = start(
                name, "unshare", "--mount", "sh", "-c", hidden, "sh", java, f"{deploy}.worker.Worker",
                "--host", HOST, "--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir",
                str(made / name / "work"), master,
            )  # fmt: skip
            _wait(log, "Successfully registered with master")
        yield master, started[1:]
    finally:
        for process in started:
            _end(process)


def _wait(log: Path, text: str) -> None:
    until = time.monotonic() + LONGEST_START
    while text not in log.read_text(errors="replace"):
        if time.monotonic() > until:
            raise RuntimeError(log.read_text(errors="replace")[-2000:])
        time.sleep(0.2)


def _end(process: subprocess.Popen[bytes]) -> None:
    """A machine that goes: the process and all that it started, which are of its session."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _kill(worker: subprocess.Popen[bytes], lake: StorePlace, when: str) -> None:
    """As soon as a task has put rows aside there."""
    folder = lake / "_kipwatch" / "staging" / when
    while not folder.is_dir():
        time.sleep(0.02)
    _end(worker)
    print(f"killed a worker with {sum(1 for _ in folder.listed())} files of {when} put aside")


def _seen(engines: Engines, driver: Path) -> int:
    """How many files of the driver's tasks see."""

    def count(rows: Iterator[object]) -> Iterator[int]:
        yield len(list(driver.rglob("*"))) if list(rows) else 0

    context = engines.session().sparkContext
    return int(context.parallelize(range(8), 8).mapPartitions(count).sum())


def _there(driver: Path) -> int:
    return len(list(driver.rglob("*")))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if sys.argv[1:] else "read"))
