"""The Spark session: what is there already on a cluster, a small local one elsewhere."""

import atexit
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from signal import SIGINT, getsignal, signal
from tempfile import NamedTemporaryFile, mkdtemp
from threading import current_thread, main_thread
from weakref import WeakSet
from zipfile import ZipFile

from pyspark.sql import DataFrame, SparkSession

from conf.settings import DATABRICKS_MARK, SparkConf
from jobs.progress import Progress
from transforms.errors import BadInput, KipwatchError

OLDEST_JAVA = 17
# Of Spark's release but for the part that Maven Central doesn't have in it; loaded only where a topic is read.
KAFKA_SOURCE = (
    "org.apache.spark:spark-sql-kafka-0-10_2.13:{version}?exclude=org.apache.spark:spark-token-provider-kafka-0-10_2.13",
    "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0?transitive=false",
)
__all__ = ["DataFrame", "SparkSession", "spark_session", "start"]

_with_kafka: WeakSet[SparkSession] = WeakSet()


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


def is_classic(session: SparkSession) -> bool:
    """Whether it has a context and a JVM of its own; Spark Connect's has not."""
    return "connect" not in type(session).__module__.split(".")


def load_kafka_source(session: SparkSession) -> None:
    """Bring Spark's Kafka source into the session, once, and before this thread's eyes. On Databricks it is there already.

    Raises: KipwatchError where its packages can't be had.
    """
    if DATABRICKS_MARK in os.environ:
        return
    if session in _with_kafka:
        # Each thread of its JVM sees jars that were added once it has added one, be it of nothing.
        if is_classic(session):
            session.sql(f"ADD JAR '{_jar_of_nothing()}'")
        return
    for jar in KAFKA_SOURCE:
        try:
            session.sql(f"ADD JAR 'ivy://{jar.format(version=session.version)}'")
        except Exception as error:
            raise KipwatchError(
                f"Spark's Kafka source can't be had ({type(error).__name__})",
                where=jar.format(version=session.version).split("?")[0],
                todo="let Spark's driver reach a Maven repository once, or read files instead",
            ) from error
    _with_kafka.add(session)


@cache
def _jar_of_nothing() -> Path:
    folder = Path(mkdtemp(prefix="kipwatch-jar-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    ZipFile(folder / "nothing.jar", "w").close()
    return folder / "nothing.jar"


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
