"""Spark's Kafka source is brought into a session by statements alone: one of Connect has no JVM to ask."""

from dataclasses import replace
from pathlib import Path

import pytest

from conf.settings import DATABRICKS_MARK, load_conf
from jobs.engine import session as sessions
from jobs.engine.choice import Engines
from jobs.engine.session import is_classic, load_kafka_source
from jobs.progress import Progress
from transforms.errors import KipwatchError


class Classic:
    """A session that notes what it is told; anything else of it is nobody's business."""

    version = "4.0.1"

    def __init__(self, refused: str = "never told") -> None:
        self.told: list[str] = []
        self._refused = refused

    def sql(self, text: str) -> None:
        if self._refused in text:
            raise ValueError(text)
        self.told.append(text)


class Connect(Classic):
    __module__ = "pyspark.sql.connect.session"


def test_it_is_brought_once_and_each_thread_of_a_classic_session_sees_it():
    session = Classic()
    load_kafka_source(session)
    source, provider = session.told
    assert source.startswith("ADD JAR 'ivy://org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.1?exclude=")
    assert "token-provider" in provider
    load_kafka_source(session)
    (seen,) = session.told[2:]
    assert Path(seen.removeprefix("ADD JAR '").removesuffix("'")).is_file()
    other = Classic()
    load_kafka_source(other)
    assert other.told == [source, provider]


def test_to_the_server_of_connect_no_file_of_this_machine_is_named():
    session = Connect()
    assert (is_classic(Classic()), is_classic(session)) == (True, False)
    load_kafka_source(session)
    load_kafka_source(session)
    assert len(session.told) == 2
    assert all("ivy://" in one for one in session.told)


def test_on_databricks_it_is_there(monkeypatch):
    monkeypatch.setenv(DATABRICKS_MARK, "17.3")
    session = Connect()
    load_kafka_source(session)
    assert session.told == []


def test_where_it_cannot_be_had_is_said_and_tried_again():
    session = Classic(refused="spark-sql-kafka")
    for _ in range(2):
        with pytest.raises(KipwatchError, match=r"4\.0\.1: Spark's Kafka source can't be had"):
            load_kafka_source(session)


def test_where_tasks_of_a_topic_run_is_asked_of_a_session_that_is_not_there_yet(monkeypatch):
    """Nothing else has needed Spark by then: what they put aside would lie where other machines don't see it."""
    started = []
    monkeypatch.setattr(sessions, "start", lambda *_: started.append(Connect()) or started[-1])
    engines = Engines(replace(load_conf().spark, from_bytes=None), Progress(is_shown=False))
    assert engines.is_elsewhere
    assert len(started) == 1
