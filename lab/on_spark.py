"""The demo's tables by tasks in this process, by Spark's, by a stream and of a topic, on whatever Spark it is: what differs.

python -m lab.on_spark [--connect]
"""

import argparse
import gzip
import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyspark
from pyspark.sql import SparkSession

from conf.settings import Conf, load_conf
from jobs.commands.demo import SCENARIOS, recordings_folder
from jobs.engine.choice import Engines
from jobs.pipeline import run
from jobs.progress import Progress
from jobs.streaming.stream import run_available
from lab.record.broker import Broker
from lab.record.jars import broker_jars
from lab.record.producer import Producer
from lab.soak.rows import all_rows, differences
from lab.soak.topic_double import Paper, shipped

QUIET = Progress(is_shown=False)
LITTLE = {"spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2", "spark.ui.enabled": "false"}
OF_TOPIC = "p62-slow-poll-42/*.app.log.gz"


def main(*, is_connect: bool) -> int:
    """Two runs over the demo's recordings, and what differs between their tables: the exit code."""
    broker_jars()  # by a session of its own, which is a classic one
    if is_connect:  # a session without a context or a JVM of its own, as serverless compute gives
        # Its server would take the first that the path has.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        SparkSession.builder.remote("local[2]").getOrCreate()
    conf = load_conf()
    options = dict(conf.spark.options) | LITTLE
    by_spark = replace(conf, spark=replace(conf.spark, from_bytes=0, master="local[2]", options=options))
    here = replace(conf, spark=replace(conf.spark, from_bytes=None))
    folder = recordings_folder()
    with tempfile.TemporaryDirectory(prefix="kipwatch-on-spark-") as made:
        lakes = {}
        for name, settings, taken in (
            ("here", here, run),
            ("by Spark", by_spark, run),
            ("by a stream", here, run_available),
        ):
            lakes[name] = Path(made) / name.replace(" ", "-")
            logs = [str(path) for one in SCENARIOS for path in sorted((folder / one).glob("*.log*"))]
            metrics = [
                str(path) for one in SCENARIOS for path in sorted((folder / one).glob("*metrics.jsonl*"))
            ]
            taken(Engines(settings.spark, QUIET), lakes[name], logs, metrics, settings, QUIET)
        first = lakes.pop("here")
        found = {name: differences(first, lake) for name, lake in lakes.items()}
        found["by a topic"] = of_a_topic(Path(made), sorted(folder.glob(OF_TOPIC)), here)
        rows = sum(map(len, all_rows(first).values()))
    kind = "Connect" if is_connect else "classic"
    print(f"Spark {pyspark.__version__} ({kind}), pyarrow {pa.__version__}: {rows} rows")
    for name, tables in found.items():
        print(f"  {name}: {len(tables)} tables differ")
        for table, (only_here, only_there, some) in tables.items():
            print(f"    {table}: {only_here} rows only here, {only_there} only there, such as {some[0]}")
    return 1 if any(found.values()) or not rows else 0


def of_a_topic(made: Path, logs: list[Path], conf: Conf) -> dict[str, tuple[int, int, list[str]]]:
    """Of a broker, by a run and by a stream that ends, against the same messages without brokers or Spark."""
    (made / "broker").mkdir()
    messages = [
        json.dumps(message)
        for log in logs
        for message in shipped(
            gzip.decompress(log.read_bytes()).splitlines(keepends=True), f"/var/log/{log.name}"
        )
    ]
    half, engines = len(messages) // 2, Engines(conf.spark, QUIET)
    broker, paper = Broker(made / "broker"), Paper()
    broker.start()
    try:
        url = f"kafka://{broker.address}/logs"
        producer = Producer(broker.address)
        producer.topic("logs")
        for some, taken in ((messages[:half], run), (messages[half:], run_available)):
            producer.write("logs", *((0, message) for message in some))
            assert taken(engines, made / "of-topic", [url], [], conf, QUIET).read
    finally:
        broker.stop()
    paper.write(*messages)
    with paper.read():
        run(engines, made / "of-paper", [url], [], conf, QUIET)
    return differences(made / "of-paper", made / "of-topic")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--connect", action="store_true", help="by a session of Spark Connect")
    sys.exit(main(is_connect=parser.parse_args().connect))
