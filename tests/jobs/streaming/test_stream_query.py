"""The StreamingQuery that drives a stream: what Spark tells of it, how it ends, and a checkpoint that is of another day."""

import shutil
import threading
from dataclasses import replace

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQueryListener

from jobs.engine.choice import Engines
from jobs.pipeline import Input, open_lake
from jobs.progress import Progress
from jobs.streaming.stream import QUERY, Stream, run_available
from jobs.streaming.stream_query import CHECKPOINT, NAME, TOLD, PlanReader, Told
from lab.soak.kills import run_over
from lab.soak.rows import balanced_accounting, differences, rows_of
from transforms.errors import BadInput, KipwatchError, LakeBusy

QUIET = Progress(is_shown=False)
LINE = (
    "[2026-01-0{day} 00:00:{second:02d},000] INFO [Consumer clientId=c, groupId=g] Successfully joined "
    "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n"
)
MOST_TRIES = 5
LONGEST = 300  # s, on a machine that has much else to do


def lines(day, count=40):
    return "".join(LINE.format(day=day, second=second) for second in range(count))


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """A log of the module's own: what a test finds in it, `came` writes."""
    path = tmp_path_factory.mktemp("of-query") / "logs" / "svc" / "app.log"
    path.parent.mkdir(parents=True)
    return path


def came(log, *days):
    log.write_text("".join(map(lines, days)))


@pytest.fixture
def first_day(log):
    came(log, 1)


@pytest.fixture(scope="module")
def at_once(log):
    """The lake of one batch over three days."""
    came(log, 1, 2, 3)
    run_over(log.parent.parent / "at-once", log.parent)
    return log.parent.parent / "at-once"


def query_of(lake):
    return lake / "_kipwatch" / QUERY


class Listener(StreamingQueryListener):
    """What Spark told of queries."""

    def __init__(self):
        self.progress, self.ends = [], []
        self.has_ended = threading.Event()

    def onQueryStarted(self, event):  # noqa: N802 (as Spark calls it, and below)
        pass

    def onQueryProgress(self, event):  # noqa: N802
        self.progress.append(event.progress)

    def onQueryIdle(self, event):  # noqa: N802
        pass

    def onQueryTerminated(self, event):  # noqa: N802
        self.ends.append(event.exception)
        self.has_ended.set()


@pytest.fixture
def listener(spark: SparkSession):
    heard = Listener()
    spark.streams.addListener(heard)
    yield heard
    spark.streams.removeListener(heard)


@pytest.fixture(scope="module")
def taken(engines: Engines, spark: SparkSession, conf, log):
    """`kipwatch stream --available-now` over the log."""

    def of(lake):
        result = run_available(engines, lake, [str(log.parent)], [], conf, QUIET)
        for _ in range(MOST_TRIES):
            if (query_of(lake) / CHECKPOINT).exists():
                break
            # Spark did not start its processes in time, so there was no query: one of nothing new leaves its checkpoint.
            run_available(engines, lake, [str(log.parent)], [], conf, QUIET)
        return result

    return of


@pytest.fixture(scope="module")
def days(taken, log):
    """Lakes that queries filled on the first day, and from then on on the second."""
    one, two = (log.parent.parent / name for name in ("one", "two"))
    came(log, 1)
    assert taken(one).records == 40
    shutil.copytree(one, two)
    came(log, 1, 2)
    assert taken(two).records == 41
    return one, two


def streamed(engines, conf, lake, log, after, **how):
    """Stream, a batch as soon as the last one is over; `after` is asked behind each trigger whether to stop."""
    stop = threading.Event()
    with open_lake(lake, conf) as opened:
        stream = Stream(engines, opened, Input([str(log.parent)], may_vanish=True, **how), conf, QUIET)
        once = stream.once

        def counted():
            result = once()
            if after(stream, result):
                stop.set()
            return result

        stream.once = counted
        guard = threading.Timer(LONGEST, stop.set)
        guard.start()
        try:
            stream.run(0.05, stop)
        finally:
            guard.cancel()
    return stream


def test_spark_is_told_of_each_batch(spark, engines, conf, log, first_day, lake, listener):
    rest = iter([(1, 2), (1, 2, 3)])

    def after(stream, result):
        if result.read and (days := next(rest, None)):
            came(log, *days)
        return not result.read

    stream = streamed(engines, conf, lake, log, after)
    assert listener.has_ended.wait(LONGEST)
    assert listener.ends == [None]
    busy = [one for one in listener.progress if one.numInputRows]
    assert {one.name for one in listener.progress} == {NAME}
    # The last record is read again with what comes behind it.
    assert [one.numInputRows for one in busy] == [40, 41, 41]
    told = [one.observedMetrics[NAME] for one in busy]
    assert [(row.records, row.events, row.left_bytes) for row in told] == [
        (40, 40, 0),
        (41, 41, 0),
        (41, 41, 0),
    ]
    assert ['"plan":1' in one.sources[0].endOffset.replace(" ", "") for one in busy] == [True, False, False]
    assert stream.measured.values["triggers_with_input"] == 3
    assert len(rows_of(lake, "bronze.log_records")) == 120


def checkpoint_lost(lake, _first):
    shutil.rmtree(query_of(lake) / CHECKPOINT)


def checkpoint_behind(lake, first):
    checkpoint_lost(lake, first)
    shutil.copytree(query_of(first) / CHECKPOINT, query_of(lake) / CHECKPOINT)


def checkpoint_ahead(lake, first):
    """The lake is the one that is set back."""
    ahead = lake.with_name("ahead")
    shutil.move(query_of(lake), ahead)
    shutil.rmtree(lake)
    shutil.copytree(first, lake)
    shutil.rmtree(query_of(lake))
    shutil.move(ahead, query_of(lake))


def checkpoint_unfinished(lake, _first):
    """Spark does not know that the last batch is over."""
    commits = sorted(
        (query_of(lake) / CHECKPOINT / "commits").glob("[0-9]*"), key=lambda path: int(path.name)
    )
    commits[-1].unlink()


def checkpoint_damaged(lake, _first):
    for path in (query_of(lake) / CHECKPOINT).rglob("*"):
        if path.is_file() and path.suffix != ".crc":
            path.write_text("{")
        elif path.is_file():
            path.unlink()


@pytest.mark.parametrize(
    "change",
    [checkpoint_lost, checkpoint_behind, checkpoint_ahead, checkpoint_unfinished, checkpoint_damaged],
)
def test_whatever_the_checkpoint_says_each_line_is_taken_once(taken, log, at_once, days, lake, change):
    first, second = days
    shutil.copytree(second, lake)
    change(lake, first)
    came(log, 1, 2, 3)
    taken(lake)
    assert run_over(lake, log.parent).read == 0
    assert differences(at_once, lake) == {}
    balanced_accounting(lake)


@pytest.mark.parametrize(
    ("step", "change"),
    [("rebuild", checkpoint_lost), ("check_tables", None), ("late.forget", None)],
)
def test_a_batch_that_is_cut_off_is_carried_out_by_the_next_query(
    taken, log, at_once, days, lake, monkeypatch, step, change
):
    shutil.copytree(days[0], lake)
    came(log, 1, 2)

    def cut_off(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(f"jobs.pipeline.{step}", cut_off)
        with pytest.raises(KeyboardInterrupt):
            taken(lake)
    assert (lake / "_kipwatch" / "plan.json").exists()
    if change is not None:
        change(lake, None)
    came(log, 1, 2, 3)
    taken(lake)
    assert differences(at_once, lake) == {}


def test_what_ends_a_trigger_is_told_as_it_is_and_spark_knows(
    spark, engines, conf, log, first_day, lake, listener, capfd
):
    def after(stream, result):
        (lake / "_kipwatch" / "lease.json").write_text('{"host": "other", "pid": 1}')
        return False

    with pytest.raises(LakeBusy, match="the lease on the lake is lost"):
        streamed(engines, conf, lake, log, after)
    assert listener.has_ended.wait(LONGEST)
    assert "the lease on the lake is lost" in listener.ends[0]
    assert "Traceback" not in capfd.readouterr().err


def test_triggers_that_fail_again_and_again_end_it(spark, engines, conf, log, first_day, lake, monkeypatch):
    monkeypatch.setattr("jobs.pipeline.rebuild", lambda *_: 1 / 0)
    few = replace(conf, stream=replace(conf.stream, attempts=2))
    with pytest.raises(KipwatchError, match="2 triggers failed in a row"):
        streamed(engines, few, lake, log, lambda *_: False)


def test_a_query_that_spark_ends_is_started_again_and_in_the_end_given_up(
    spark, engines, conf, log, first_day, lake, capsys
):
    """Here its checkpoint has no room: a file stands where its folder belongs."""
    (lake / "_kipwatch" / QUERY).mkdir(parents=True)
    (lake / "_kipwatch" / QUERY / CHECKPOINT).write_text("")
    few = replace(conf, stream=replace(conf.stream, attempts=2))
    with pytest.raises(KipwatchError, match="2 triggers failed in a row"):
        streamed(engines, few, lake, log, lambda *_: False)
    assert "a trigger failed and is tried again (QueryEndedError" in capsys.readouterr().err


def test_a_query_that_was_stopped_meanwhile_is_started_again(spark, engines, conf, log, first_day, lake):
    """As from Spark's pages, or by a notebook: nobody told the stream to end."""
    seen = []

    def after(stream, result):
        seen.append(result.read)
        if len(seen) == 1:
            came(log, 1, 2)
            threading.Thread(target=lambda: [query.stop() for query in spark.streams.active]).start()
        return len(seen) > 2 and not result.read

    streamed(engines, conf, lake, log, after)
    assert len(rows_of(lake, "bronze.log_records")) == 80


def test_an_offset_never_repeats_and_needs_no_file(tmp_path):
    reader = PlanReader(str(tmp_path / TOLD))
    assert reader.latestOffset()["plan"] == 0
    assert list(reader.read(None)) == []
    Told(7, records=10_000, events=3).save(tmp_path / TOLD)
    offset = reader.latestOffset()
    assert offset["plan"] == 7
    assert offset != reader.initialOffset()
    batches = list(reader.read(None))
    assert sum(batch.num_rows for batch in batches) == 10_000
    assert batches[0].to_pylist()[0] == {
        "records": 10_000, "events": 3, "late": 0, "unparsed": 0, "left_bytes": 0, "left_messages": 0, "lag_ms": None,
    }  # fmt: skip
    (tmp_path / TOLD).write_text("{")
    assert reader.latestOffset()["plan"] == 0


class NoSpark(Engines):
    """Where `kipwatch[spark]` is not installed."""

    def session(self):
        raise ImportError


class OfConnect(Engines):
    """A session without a context."""

    def session(self):
        return type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()


def test_without_spark_a_sentence_says_what_is_missing(conf, log, first_day, lake):
    engines = NoSpark(conf.spark, QUIET)
    with pytest.raises(BadInput, match="Spark is not installed"):
        run_available(engines, lake, [str(log.parent)], [], conf, QUIET)
    with pytest.raises(BadInput, match="Spark is not installed"):
        streamed(engines, conf, lake, log, lambda *_: True)


def test_by_connect_what_is_there_is_taken_without_a_query(conf, log, first_day, lake):
    engines = OfConnect(conf.spark, QUIET)
    assert run_available(engines, lake, [str(log.parent)], [], conf, QUIET).records == 40
    with pytest.raises(BadInput, match="can't stream without end"):
        streamed(engines, conf, lake, log, lambda *_: True)
