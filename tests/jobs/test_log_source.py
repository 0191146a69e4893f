"""Logs as a data source of Spark's: the events that a lake has of them."""

import gzip

import pytest

from expectations.rows import staged_schema
from jobs.log_source import ClientLogs
from jobs.storage.lake_reads import read_arrow
from lab.corpus import ROOT as RECORDINGS
from lab.soak.kills import run_over

EVENTS = "silver.client_events"
SCENARIO = "p62-slow-poll-24"


@pytest.fixture
def logs(tmp_path):
    folder = tmp_path / "logs" / SCENARIO
    folder.mkdir(parents=True)
    for log in (RECORDINGS / SCENARIO).glob("*.app.log.gz"):
        (folder / log.stem).write_bytes(gzip.decompress(log.read_bytes()))
    return folder.parent


def test_its_rows_are_the_events_of_a_lake(spark, logs, tmp_path):
    spark.dataSource.register(ClientLogs)
    events = spark.read.format("kafka_client_logs").load(str(logs))
    assert events.columns == staged_schema(EVENTS).names
    names = [
        name for name in events.columns if name != "client_version"
    ]  # which other lines of the process say
    run_over(tmp_path / "lake", logs)
    kept = read_arrow(str(tmp_path / "lake" / "silver" / "client_events"), names).to_pylist()
    found = events.toArrow().select(names).to_pylist()
    assert len(kept) > 10
    assert sorted(map(repr, found)) == sorted(map(repr, kept))


def test_a_path_that_is_not_there_is_named(spark, tmp_path):
    spark.dataSource.register(ClientLogs)
    with pytest.raises(Exception, match="nowhere"):
        spark.read.format("kafka_client_logs").load(str(tmp_path / "nowhere")).count()
