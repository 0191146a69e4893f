"""The Spark session: what is there already on a cluster, a small local one elsewhere."""

import os
import sys
from pathlib import Path

from delta import configure_spark_with_delta_pip
from pyspark.sql import SparkSession

from jobs.conf import DATABRICKS_MARK, SparkConf
from jobs.errors import BadInput

OLDEST_JAVA = 17


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


def _need_java() -> None:
    import re
    import subprocess

    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else "java"
    todo = "install a JDK 17 or later (Debian: apt-get install openjdk-17-jre-headless) or set JAVA_HOME"
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    except (OSError, subprocess.CalledProcessError):
        raise BadInput("no Java found", where=java, todo=todo) from None
    found = re.search(r'version "(\d+)', told)
    if found is None or int(found.group(1)) < OLDEST_JAVA:
        raise BadInput(f"Java is too old ({told.splitlines()[0]})", where=java, todo=todo)
