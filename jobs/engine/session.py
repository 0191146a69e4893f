"""The Spark session: what is there already on a cluster, a small local one elsewhere."""

import atexit
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT, getsignal, signal
from tempfile import NamedTemporaryFile
from threading import current_thread, main_thread

from pyspark.sql import DataFrame, SparkSession

from jobs.conf import DATABRICKS_MARK, SparkConf
from jobs.errors import BadInput, KipwatchError
from jobs.progress import Progress

OLDEST_JAVA = 17
__all__ = ["DataFrame", "SparkSession", "spark_session", "start"]


def spark_session(conf: SparkConf) -> SparkSession:
    """The active session, or a new one with Delta. Time zone UTC: every instant in the lake is UTC.

    Raises: BadInput where no Java of version 17 or later is found.
    """
    if DATABRICKS_MARK in os.environ:
        return SparkSession.builder.getOrCreate()
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    _need_java()
    from delta import configure_spark_with_delta_pip  # a runtime with a session of its own need not have it

    # Spark would start the first `python3` of the PATH for its tasks: not this environment's.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = (
        SparkSession.builder.appName("kipwatch")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", str(conf.shuffle_partitions))
    )
    if conf.master is not None and "SPARK_ENV_LOADED" not in os.environ:
        builder = builder.master(conf.master)
    for name, value in conf.options.items():
        builder = builder.config(name, value)
    return configure_spark_with_delta_pip(builder).getOrCreate()


def is_elsewhere(session: SparkSession) -> bool:
    """Whether its tasks may run on other machines. Connect doesn't tell where its server's do."""
    try:
        return not str(session.sparkContext.master).startswith("local")
    except Exception:  # it has none, or may not be asked
        return True


def start(conf: SparkConf, progress: Progress) -> SparkSession:
    """The session of a command, told as a step. What Spark and its JVM print goes into a file, which an error names.

    Raises: BadInput where no Java of version 17 or later is found; KipwatchError where Spark doesn't start.
    """
    with progress.step("starting Spark"), NamedTemporaryFile(prefix="kipwatch-spark-", delete=False) as said:
        try:
            with _errors_into(said.fileno()), _own_interrupt():
                session = spark_session(conf)
        except BadInput:
            Path(said.name).unlink()
            raise
        except Exception as error:
            raise KipwatchError(
                f"Spark does not start ({type(error).__name__})",
                where=said.name,
                todo="see what it said there",
            ) from error
    atexit.register(Path(said.name).unlink, missing_ok=True)
    return session


@contextmanager
def _own_interrupt() -> Iterator[None]:
    """Spark's context puts a handler of its own in the place of ours: a stream that is told to stop finishes its trigger."""
    before = getsignal(SIGINT)
    try:
        yield
    finally:
        if current_thread() is main_thread():
            signal(SIGINT, before)


@contextmanager
def _errors_into(file: int) -> Iterator[None]:
    """Standard error of the processes that are started meanwhile: the JVM keeps it, this process has its own again."""
    sys.stderr.flush()
    own = os.dup(2)
    os.dup2(file, 2)
    try:
        yield
    finally:
        os.dup2(own, 2)
        os.close(own)


def _need_java() -> None:
    import re
    import subprocess

    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else "java"
    todo = "install a JDK 17 or later (Debian: apt-get install openjdk-17-jre-headless) or set JAVA_HOME"
    try:
        version = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    except (OSError, subprocess.CalledProcessError):
        raise BadInput("no Java found", where=java, todo=todo) from None
    found = re.search(r'version "(\d+)', version)
    if found is None or int(found.group(1)) < OLDEST_JAVA:
        raise BadInput(f"Java is too old ({version.splitlines()[0]})", where=java, todo=todo)
