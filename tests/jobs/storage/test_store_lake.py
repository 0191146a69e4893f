"""A lake in an object store: the tables, books and manners of one in a folder."""

import gzip
import io
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from rich.console import Console

import expectations.place
import jobs.inputs.places
from conf.settings import Conf
from dashboards.app import create_app
from dashboards.queries import LakeReader
from expectations.place import LakePlace, StorePlace, options_of, place_of
from jobs.engine import arrow_files
from jobs.engine.choice import Engines
from jobs.engine.engine import Engine
from jobs.engine.row_source import RowSource
from jobs.explain.by_id import explain_id
from jobs.pipeline import Input, open_lake, run
from jobs.progress import Progress
from jobs.sql.query import query_rows
from jobs.storage.lake import LakeWriter, files_at
from jobs.storage.lake_reads import read_arrow
from jobs.storage.lease import LEASE, Lease, writer_lease
from jobs.storage.store_files import StoreFiles
from jobs.storage.table_cache import open_table
from jobs.streaming.stream import Stream
from jobs.upkeep.maintain import maintain_lake, redact_maintained
from lab.corpus import ROOT as RECORDINGS
from lab.soak.rows import differences, rows_of, versions
from lab.store import SECRET, Store, of_a_writer
from transforms.errors import BadInput, KipwatchError, LakeBusy

SCENARIO = "p62-slow-poll-42"
LOGS = ("consumer-a.app.log.gz",)
QUIET = Progress(is_shown=False)
ROUNDS, WRITERS = 8, 4

Run = Callable[[LakePlace, Path], int]


@pytest.fixture(scope="module")
def bucket(one_store: Store) -> Iterator[str]:
    """A bucket that may be written to, and the environment that leads to it."""
    one_store.fill("lakes", {})
    with pytest.MonkeyPatch.context() as patched:
        for name, value in of_a_writer(one_store.inner_url).items():
            patched.setenv(name, value)
        forget_clients()
        yield "s3://lakes"
    forget_clients()


def forget_clients() -> None:
    expectations.place._stores.clear()
    jobs.inputs.places._systems.clear()


@pytest.fixture
def place(bucket: str) -> StorePlace:
    """An empty place for a lake."""
    return StorePlace(f"{bucket}/{uuid.uuid4().hex}/a lake")


@pytest.fixture(scope="module")
def run_logs(engines: Engines, conf: Conf) -> Run:
    """Gives how many records were new."""
    return lambda lake, logs: run(engines, lake, [str(logs)], [], conf, QUIET).records


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scenario's logs."""
    return parts(tmp_path_factory.mktemp("whole"), 1, 1)


def parts(folder: Path, number: int, of: int) -> Path:
    """Every log up to number/of of its bytes, wherever that cuts."""
    for name in LOGS:
        whole = gzip.decompress((RECORDINGS / SCENARIO / name).read_bytes())
        (folder / SCENARIO).mkdir(exist_ok=True)
        (folder / SCENARIO / name.removesuffix(".gz")).write_bytes(whole[: len(whole) * number // of])
    return folder


@pytest.fixture(scope="module")
def at_once(run_logs: Run, logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake in a folder, of one run over everything."""
    lake = tmp_path_factory.mktemp("at-once") / "lake"
    run_logs(lake, logs)
    return lake


@pytest.fixture(scope="module")
def filled(bucket: str, run_logs: Run, tmp_path_factory: pytest.TempPathFactory) -> StorePlace:
    """A lake in the store: half of the logs, then a run of the rest that ends between two tables, then another."""
    lake, folder = StorePlace(f"{bucket}/filled"), tmp_path_factory.mktemp("logs")
    run_logs(lake, parts(folder, 1, 2))
    with pytest.MonkeyPatch.context() as patched:

        def interrupted(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        patched.setattr("jobs.pipeline.rebuild", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_logs(lake, parts(folder, 2, 2))
    run_logs(lake, folder)
    before = versions(lake)
    assert run_logs(lake, folder) == 0
    assert versions(lake) == before
    return lake


def test_its_tables_are_those_of_a_folder(filled: StorePlace, at_once: Path) -> None:
    assert rows_of(filled, "gold.incidents")
    assert differences(at_once, filled) == {}


def test_a_stream_gives_them_too(
    engines: Engines, conf: Conf, place: StorePlace, at_once: Path, tmp_path: Path
) -> None:
    given = Input.given([str(tmp_path)], [], may_vanish=True)
    with open_lake(place, conf) as lake:
        stream = Stream(engines, lake, given, conf, QUIET)
        assert lake.own_folder.stat().st_mode & 0o077 == 0  # on this machine, for nobody else
        for number in (1, 2, 3):
            parts(tmp_path, number, 3)
            assert stream.once()
        nothing = stream.once()
        assert nothing is not None
        assert nothing.read == 0
    assert differences(at_once, place) == {}


def test_it_is_asked_explained_and_shown_as_one_in_a_folder(filled: StorePlace, at_once: Path) -> None:
    count = "SELECT count(*) AS n FROM silver.client_events"
    assert list(query_rows(filled, count)[1]) == list(query_rows(at_once, count)[1])
    incident = LakeReader(filled).read("gold.incidents").rows[0]["incident_id"]
    told = [io.StringIO(), io.StringIO()]
    for lake, out in zip((filled, at_once), told, strict=True):
        explain_id(lake, incident[:12], Console(file=out, width=80))
    assert told[0].getvalue() == told[1].getvalue() != ""
    pages = [
        create_app(lake).server.test_client().get(f"/export/incident/{incident}.md")
        for lake in (filled, at_once)
    ]
    assert pages[0].status_code == 200
    assert pages[0].text == pages[1].text
    assert LakeReader(filled).version() != ""
    assert LakeReader(filled / "none").read("gold.runs").state == "no_lake"


def test_it_is_kept_up_and_redacted(filled: StorePlace, at_once: Path) -> None:
    files = len(open_table(LakeWriter(filled).path("gold.runs")).table.file_uris())
    assert f"{files} files into 1" in maintain_lake(filled, None)["gold.runs"]
    assert redact_maintained(filled, None)["bronze.log_records"].startswith("0 rows redacted")
    assert differences(at_once, filled) == {}


def test_files_that_tasks_write_lie_in_the_store(place: StorePlace, at_once: Path, tmp_path: Path) -> None:
    class TwoSlots(Engine):
        slots = 2

    table = "silver.client_events"
    rows = read_arrow(str(at_once / "silver" / "client_events"), ["event_id"])["event_id"].to_pylist()
    source = LakeWriter(at_once).rows(table, "event_id", rows)
    made = RowSource(source.schema, source.parts)
    lake = LakeWriter(place, most_rows=1)
    lake.claim()
    lake.prepare()
    lake.engine = TwoSlots()
    lake.append(made, table, lake.next_commit("run"), plan=1)
    assert rows_of(place, table) == rows_of(at_once, table)
    again = lake.rows(table, "event_id", rows[:3])
    assert sorted(again.table()["event_id"].to_pylist()) == sorted(rows[:3])


class Elsewhere(Engines):
    """Tasks on machines that see no disk of this one."""

    is_elsewhere = True

    def of(self, size: int) -> Engine:
        return OtherMachines()


class OtherMachines(Engine):
    slots = 2


def test_what_tasks_of_other_machines_put_aside_lies_in_the_store_until_the_plan_ends(
    place: StorePlace, at_once: Path, conf: Conf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By halves: the second goes on from states, which are put aside too."""
    put_aside: list[str] = []
    put = arrow_files.place
    monkeypatch.setattr(arrow_files, "place", lambda *given: put_aside.append(put(*given)) or put_aside[-1])
    engines = Elsewhere(conf.spark, QUIET)
    for number in (1, 2):
        run(engines, place, [str(parts(tmp_path, number, 2))], [], conf, QUIET)
    staging = place / "_kipwatch" / "staging"
    assert {one.rpartition(".")[2] for one in put_aside} == {"arrow", "bin"}
    assert [one for one in put_aside if not one.startswith(f"{staging}/")] == []
    assert not staging.is_dir()
    assert differences(at_once, place) == {}


def test_what_an_interrupted_plan_left_goes_with_upkeep(filled: StorePlace) -> None:
    staging = filled / "_kipwatch" / "staging"
    arrow_files.write_bytes(staging / "read", "left", b"x")
    assert staging.is_dir()
    maintain_lake(filled, None)
    assert not staging.is_dir()


@pytest.mark.parametrize("whole_bytes", [arrow_files.WHOLE_BYTES, 10])
def test_rows_that_are_put_aside_as_objects(
    place: StorePlace, whole_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow_files, "WHOLE_BYTES", whole_bytes)
    rows = pa.table({"a": range(20_000), "b": ["x"] * 20_000})
    path = arrow_files.write(place, "rows", rows)
    assert arrow_files.table_of(path) == rows
    assert pa.Table.from_batches(arrow_files.batches_of(path, ["a"])) == rows.select(["a"])


@pytest.mark.parametrize("lies_there", ["nothing", "one that was let go", "a dead one"])
def test_of_writers_that_start_together_one_holds_the_lake(place: StorePlace, lies_there: str) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    met: list[str] = []
    barrier = threading.Barrier(WRITERS)

    def race() -> None:
        for number in range(ROUNDS):
            barrier.wait()
            try:
                with writer_lease(files_at(place / str(number)), 60):
                    met.append(f"{number} held")
                    barrier.wait()  # all have tried before one lets go
            except LakeBusy:
                barrier.wait()

    for number in range(ROUNDS):
        files = files_at(place / str(number))
        if lies_there == "a dead one":
            LEASE.save(files, Lease(socket.gethostname(), ended.pid, 1, "old"))
        elif lies_there != "nothing":
            with writer_lease(files, 60):
                pass
    writers = [threading.Thread(target=race) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(met) == [f"{number} held" for number in range(ROUNDS)]


def test_control_files_are_there_as_a_whole_or_not_at_all(place: StorePlace) -> None:
    files = StoreFiles(place)
    assert files.read("a") is files.age("a") is None
    assert files.create("a", b"1")
    assert not files.create("a", b"2")
    assert not files.replace("a", b"2", b"3")
    assert files.replace("a", b"1", None)
    assert files.read("a") is None
    assert files.names("") == []
    assert files.create("a", b"4")
    files.write("late/1", b"5")
    assert files.names("late") == ["late/1"]
    assert (files.age("a") or 0) < 5
    files.touch("none")
    files.delete("late/1")
    files.delete("late/1")
    assert files.names("late") == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("AWS_ACCESS_KEY_ID", "reader", "no permission, or no credentials; check the bucket"),
        ("AWS_SECRET_ACCESS_KEY", "sEcret", "no permission, or no credentials; check the bucket"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9", "no answer from the store; see that it runs"),
    ],
)
def test_what_a_store_refuses_is_one_sentence(
    run_logs: Run,
    logs: Path,
    place: StorePlace,
    name: str,
    value: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(name, value)
    forget_clients()
    with pytest.raises(KipwatchError) as refused:
        run_logs(place, logs)
    forget_clients()
    assert refused.value.exit_code == 2
    assert refused.value.sentence.startswith(f"{place}: {said}")
    assert SECRET not in refused.value.sentence
    assert "sEcret" not in refused.value.sentence


def test_a_bucket_that_is_not_there(bucket: str) -> None:
    with pytest.raises(BadInput, match="there is no such bucket"):
        query_rows(StorePlace("s3://no.such.bucket/lake"), "SELECT 1 FROM gold.runs")


def test_no_secret_is_kept_in_the_lake(filled: StorePlace) -> None:
    lake = LakeWriter(filled)
    told = open_table(lake.path("gold.runs")).table.metadata().configuration
    assert SECRET not in str(told)
    assert all(SECRET.encode() not in (lake.files.read(name) or b"") for name in lake.files.every())


def test_keys_of_a_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "keys").write_text("[one]\naws_access_key_id = a\naws_secret_access_key = b\nregion = c\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "keys"))
    monkeypatch.setenv("AWS_PROFILE", "one")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    assert options_of("s3://bucket/x") == {"aws_access_key_id": "a", "aws_secret_access_key": "b"}
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "other")
    assert options_of("s3://bucket/x") == {}
    assert options_of(str(tmp_path)) is None
    assert place_of(str(tmp_path)) == tmp_path
