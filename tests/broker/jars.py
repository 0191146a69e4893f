"""A broker's jars by package name, resolved as Spark resolves its own; kept under build/, so this happens once.

A process of its own does it, as a session that has a broker's classes can't read topics with Spark's client.
"""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pyspark

BROKER = "org.apache.kafka:kafka_2.13:4.2.1"
LOGGING = "org.apache.logging.log4j:log4j-slf4j-impl:2.25.4"
ROOT = Path(__file__).resolve().parent.parent.parent
KEPT = ROOT / "build" / "broker"
ATTEMPTS = 3  # a download may fail; what came stays
LONGEST_REASON = 8000


@cache
def broker_jars() -> tuple[str, ...]:
    """Paths of the jars that a broker, and a client of its version, run from."""
    done = KEPT / "done"
    if not done.exists():
        command = [sys.executable, "-m", "tests.broker.jars"]
        for _ in range(ATTEMPTS):
            made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if not made.returncode:
                break
        else:
            raise RuntimeError(f"no jars of a broker: {made.stderr[-LONGEST_REASON:]}")
        done.touch()
    # Spark resolves no Scala: it has its own.
    scala = Path(pyspark.__file__).parent.joinpath("jars").glob("scala-library-*.jar")
    return tuple(str(path) for path in sorted([*(KEPT / "jars").glob("*.jar"), *scala]))


def main() -> None:
    """Bring them here."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = session.config("spark.jars.ivy", str(KEPT)).getOrCreate()
    for package in (BROKER, LOGGING):
        spark.sql(f"ADD JAR 'ivy://{package}'")


if __name__ == "__main__":
    main()
