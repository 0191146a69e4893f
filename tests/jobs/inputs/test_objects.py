"""Logs and metrics in an object store give the tables that the same files give, however they came and whatever failed."""

import gzip
from dataclasses import replace

import pytest
from deltalake import DeltaTable

from conf.settings import load_conf
from jobs.inputs.places import StoreAway, open_input
from jobs.pipeline import Input, open_lake, run
from jobs.plans.plan import load_plan
from jobs.progress import Progress
from jobs.streaming.stream import Stream
from lab.corpus import ROOT as RECORDINGS
from lab.soak.kills import NO_SESSION, finished, in_child, logs_of, run_over
from lab.soak.rows import balanced_accounting, differences, rows_of, versions
from lab.store import ENVIRONMENT
from transforms.errors import BadInput

QUIET = Progress(is_shown=False)
CONF = load_conf()
SCENARIO = "p62-slow-poll-42"
(NAME, TEXT), *_ = logs_of((SCENARIO,)).items()


def stream_of(lake, given, conf=CONF, **how):
    return Stream(NO_SESSION, lake, Input([given], may_vanish=True, **how), conf, QUIET)


@pytest.fixture
def at_once(tmp_path):
    """One batch over a file of this machine."""
    (tmp_path / "logs" / NAME).parent.mkdir(parents=True)
    (tmp_path / "logs" / NAME).write_bytes(TEXT)
    run_over(tmp_path / "at-once", str(tmp_path / "logs"))
    return tmp_path / "at-once"


def test_an_object_that_grew_is_read_on(store, at_once, tmp_path):
    lake, half = tmp_path / "lake", len(TEXT) // 2
    with open_lake(lake, CONF) as opened:
        stream = stream_of(opened, "s3://grows/logs/")
        assert stream.once().read == 0  # no bucket yet
        store.fill("grows", {f"logs/{NAME}": TEXT[:half]})
        first = stream.once()
        store.fill("grows", {f"logs/{NAME}": TEXT})
        second = stream.once()
        before = versions(lake)
        assert stream.once().read == 0
        assert versions(lake) == before
        assert stream.measured.values.get("failures", 0) == 0
    assert (first.read, second.read) == (1, 1)
    # From the last record on, or the one before it where the file ended within a head; not from the beginning.
    assert first.records + second.records - len(rows_of(lake, "bronze.log_records")) in (1, 2)
    assert differences(at_once, lake) == {}
    (account,) = balanced_accounting(lake)
    assert account["source"] == f"s3://grows/logs/{NAME}"
    assert {row["source"] for row in sources(lake)} == {account["source"]}


def sources(lake):
    return DeltaTable(lake / "bronze" / "log_records").to_pyarrow_table(columns=["source"]).to_pylist()


def test_an_object_that_moved_or_was_packed_is_no_new_source(store, at_once, tmp_path):
    lake = tmp_path / "lake"
    store.fill("moves", {f"logs/{NAME}": TEXT})
    run_over(lake, "s3://moves/logs")
    store.fill("moves", {f"logs/{NAME}.1.gz": gzip.compress(TEXT)})
    run_over(lake, "s3://moves/logs")
    run_over(lake, str(tmp_path / "logs"))
    assert differences(at_once, lake) == {}
    assert len(balanced_accounting(lake)) == 1


def test_a_store_that_goes_away_and_comes_back(store, at_once, tmp_path, capsys):
    lake = tmp_path / "lake"
    store.fill("returns", {f"logs/{NAME}": TEXT})
    few = replace(CONF, stream=replace(CONF.stream, attempts=2))
    with open_lake(lake, CONF) as opened:
        stream = stream_of(opened, "s3://returns/logs", few)
        store.shut()
        assert [stream.once() for _ in range(3)] == [None] * 3  # however often, as of brokers
        assert stream.measured.values["failures"] == 3
        assert "kipwatch: s3://returns/logs: no answer from the store" in capsys.readouterr().err
        store.open()
        assert stream.once().read == 1
    assert differences(at_once, lake) == {}


def test_a_store_that_goes_away_while_it_is_read(store, at_once, tmp_path):
    """The plan stands; it is carried out again, and what was written is written once."""
    lake = tmp_path / "lake"
    store.fill("breaks", {f"logs/{NAME}": TEXT[: len(TEXT) // 2]})
    with open_lake(lake, CONF) as opened:
        stream = stream_of(opened, "s3://breaks/logs")
        stream.once()
        store.fill("breaks", {f"logs/{NAME}": TEXT})
        gone = after_the_plan(opened)
        store.refuse = lambda request: (503, "ServiceUnavailable") if gone() else None
        assert stream.once() is None
        assert load_plan(opened.files) is not None
        assert stream.once() is None
        store.refuse = lambda request: None
        assert stream.once() is not None
        assert load_plan(opened.files) is None
        assert stream.once().read == 0
    assert differences(at_once, lake) == {}
    balanced_accounting(lake)


def test_an_object_that_must_not_be_read_is_named(store, tmp_path):
    """Who may list and read the first may not read all."""
    store.fill("denied", {f"logs/{name}.log": TEXT for name in "ab"})
    store.refuse = lambda request: (403, "AccessDenied") if "b.log" in request.path else None
    with pytest.raises(
        BadInput, match=r"^s3://denied/logs/b\.log: can't be read \(no permission.*leave it out$"
    ):
        run_over(tmp_path / "lake", "s3://denied/logs")


def test_a_fork_has_clients_of_its_own(store):
    """As Spark's workers are forks. A client's threads stay with the process that made it."""
    store.fill("forks", {"app.log": TEXT})

    def read():
        with open_input("s3://forks/app.log") as file:
            assert file.read() == TEXT

    read()
    finished(in_child(read))
    read()


def after_the_plan(lake):
    return lake.staging.with_name("plan.json").exists


@pytest.fixture
def workers(store, spark):
    """Spark's workers have the environment that it was started in; here the store came later."""
    environment = spark.sparkContext.environment
    before = dict(environment)
    environment.update({**ENVIRONMENT, "AWS_ENDPOINT_URL": store.url})
    yield
    environment.clear()
    environment.update(before)


def test_a_bucket_gives_the_tables_of_a_folder(store, workers, by_spark, conf, tmp_path):
    """Plain and compressed logs, and metrics, all read by Spark's workers in chunks."""
    conf = replace(conf, reader=replace(conf.reader, chunk_bytes=65536))
    files = {}
    for number, path in enumerate(sorted((RECORDINGS / SCENARIO).glob("*.gz"))):
        data = path.read_bytes()
        if path.name.endswith((".log.gz", ".metrics.jsonl.gz")):
            kind = "logs" if path.name.endswith(".log.gz") else "jmx"
            name, data = (path.stem, gzip.decompress(data)) if number % 2 else (path.name, data)
            files[f"{kind}/{SCENARIO}/{name}"] = data
    assert {name.endswith(".gz") for name in files if name.startswith("logs")} == {True, False}
    assert {name.endswith(".gz") for name in files if name.startswith("jmx")} == {True, False}
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    store.fill("bucket", files)
    # One of them must not be read, which a worker meets.
    last = max(name for name in files if name.startswith("logs"))
    store.refuse = lambda request: (403, "AccessDenied") if last in request.path else None
    with pytest.raises(BadInput, match=f"^s3://bucket/{last}: can't be read \\(no permission"):
        run(by_spark, tmp_path / "denied", ["s3://bucket/logs"], [], conf, QUIET)
    # Workers lose the store in the middle; what they began is carried out by the next run.
    plan = tmp_path / "of-objects" / "_kipwatch" / "plan.json"
    store.refuse = lambda request: (500, "InternalError") if plan.exists() else None
    with pytest.raises(StoreAway, match=r"s3://bucket/.*: no answer from the store"):
        run(by_spark, tmp_path / "of-objects", ["s3://bucket/logs"], ["s3://bucket/jmx"], conf, QUIET)
    assert plan.exists()
    store.refuse = lambda request: None
    for lake, place in (("of-files", str(tmp_path)), ("of-objects", "s3://bucket")):
        run(by_spark, tmp_path / lake, [f"{place}/logs"], [f"{place}/jmx/**/*.jsonl*"], conf, QUIET)
    assert len(rows_of(tmp_path / "of-files", "silver.metric_samples")) > 100
    assert len(rows_of(tmp_path / "of-files", "silver.client_events")) > 100
    assert differences(tmp_path / "of-files", tmp_path / "of-objects") == {}
    of_objects = {account["source"] for account in balanced_accounting(tmp_path / "of-objects")}
    assert of_objects == {f"s3://bucket/{name}" for name in files}
