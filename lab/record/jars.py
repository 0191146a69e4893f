"""Jars by package name, resolved as Spark resolves its own; kept under build/, so this happens once each.

A process of its own does it, as a session that has a broker's classes can't read topics with Spark's client.
"""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pyspark

KAFKA = "4.2.1"
LOGGING = "org.apache.logging.log4j:log4j-slf4j-impl:2.25.4"
LOGGING_2 = "org.apache.logging.log4j:log4j-slf4j2-impl:2.25.4"
ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
ATTEMPTS = 3  # a download may fail; what came stays
LONGEST_REASON = 8000


def broker_jars() -> tuple[str, ...]:
    """Paths of the jars that a broker, and a client of its version, run from."""
    jars = _jars("broker", f"org.apache.kafka:kafka_2.13:{KAFKA}", LOGGING)
    # Spark resolves no Scala: it has its own.
    scala = Path(pyspark.__file__).parent.joinpath("jars").glob("scala-library-*.jar")
    return (*jars, *sorted(str(path) for path in scala))


def client_jars(version: str) -> tuple[str, ...]:
    """Paths of the jars that clients and Streams of a release run from."""
    packages = [f"org.apache.kafka:{name}:{version}" for name in ("kafka-clients", "kafka-streams")]
    return _jars(f"clients-{version}", *packages, LOGGING, LOGGING_2)


@cache
def _jars(folder: str, *packages: str) -> tuple[str, ...]:
    kept = BUILD / folder
    done = kept / "done"
    if not done.exists():
        command = [sys.executable, "-m", "lab.record.jars", str(kept), *packages]
        for _ in range(ATTEMPTS):
            made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if not made.returncode:
                break
        else:
            raise RuntimeError(f"no jars of {packages[0]}: {made.stderr[-LONGEST_REASON:]}")
        done.touch()
    return tuple(str(path) for path in sorted((kept / "jars").glob("*.jar")))


def main() -> None:
    """Bring them here."""
    from pyspark.sql import SparkSession

    kept, *packages = sys.argv[1:]
    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = session.config("spark.jars.ivy", kept).getOrCreate()
    for package in packages:
        spark.sql(f"ADD JAR 'ivy://{package}'")


if __name__ == "__main__":
    main()
