"""Files that change, go or fail between being listed and being read: the run goes on, and it is said what became of them."""

import gzip
import io
import json
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from conf.settings import load_conf
from jobs import pipeline
from jobs.inputs.places import open_input
from jobs.progress import Progress
from jobs.reading import ingest, tasks
from lab.soak import kills
from lab.soak.kills import run_over
from lab.soak.rows import balanced_accounting, rows_of
from transforms.parse.records.streams import fingerprint

LINE = (
    "[2026-11-21 02:19:38,{:03d}] WARN [Producer clientId=p] Connection to node 1 (b/10.0.0.1:9092) could not be "
    "established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
)
LINES = "".join(LINE.format(number) for number in range(200))
WHOLE = 200


@pytest.fixture
def logs(tmp_path):
    for name in ("good", "bad"):
        folder = tmp_path / "logs" / name
        folder.mkdir(parents=True)
        (folder / "app.log").write_text(LINES.replace("clientId=p", f"clientId={name}"))
    return tmp_path / "logs"


@pytest.fixture
def said(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(kills, "QUIET", Progress(out, is_shown=False))
    return out


def records(lake, name):
    return sum(f"clientId={name}]" in row for row in rows_of(lake, "bronze.log_records"))


def status(lake):
    return {Path(row["source"]).parent.name: row["status"] for row in balanced_accounting(lake)}


def after(monkeypatch, module, name, change):
    """Do something to the files right after a step."""
    step = getattr(module, name)

    def stepped(*args, **how):
        done = step(*args, **how)
        change()
        return done

    monkeypatch.setattr(module, name, stepped)


MOMENTS = [
    pytest.param(pipeline, "list_files", id="listed"),
    pytest.param(ingest, "count_lines", id="planned"),
    pytest.param(pipeline, "_read_metrics", id="about to be read"),
]


@pytest.mark.parametrize(("module", "moment"), MOMENTS)
def test_a_file_that_vanishes(tmp_path, logs, said, monkeypatch, module, moment):
    bad, lake = logs / "bad" / "app.log", tmp_path / "lake"
    after(monkeypatch, module, moment, lambda: bad.unlink(missing_ok=True))
    run_over(lake, logs)
    assert records(lake, "good") == WHOLE
    assert records(lake, "bad") == 0
    assert str(bad) in said.getvalue() or status(lake)["bad"] == "unreadable"
    monkeypatch.undo()
    bad.write_text(LINES.replace("clientId=p", "clientId=bad"))
    run_over(lake, logs)
    assert records(lake, "bad") == WHOLE


@pytest.mark.parametrize(("module", "moment"), MOMENTS[1:])
def test_a_file_that_was_read_before_and_vanishes_keeps_what_stands(
    tmp_path, logs, said, monkeypatch, module, moment
):
    bad, lake = logs / "bad" / "app.log", tmp_path / "lake"
    run_over(lake, logs)
    with bad.open("a") as file:
        file.write(LINE.format(999))
    after(monkeypatch, module, moment, lambda: bad.unlink(missing_ok=True))
    run_over(lake, logs)
    assert str(bad) in said.getvalue()
    assert (records(lake, "good"), records(lake, "bad")) == (WHOLE, WHOLE)


@pytest.mark.parametrize(("module", "moment"), MOMENTS)
@pytest.mark.parametrize("left", [0, 5000])
def test_a_file_that_shrinks(tmp_path, logs, said, monkeypatch, module, moment, left):
    bad, lake = logs / "bad" / "app.log", tmp_path / "lake"

    def shrink():
        with bad.open("r+b") as file:
            file.truncate(left)

    after(monkeypatch, module, moment, shrink)
    run_over(lake, logs)
    assert records(lake, "good") == WHOLE
    assert records(lake, "bad") < WHOLE
    assert status(lake).get("bad", "truncated") == "truncated"
    monkeypatch.undo()
    bad.write_text(LINES.replace("clientId=p", "clientId=bad"))
    run_over(lake, logs)
    assert records(lake, "bad") == WHOLE


def of_client(lake, name):
    """The source_ids of a client's records."""
    rows = map(json.loads, rows_of(lake, "bronze.log_records"))
    return {row["source_id"] for row in rows if f"clientId={name}]" in row["text"]}


def in_its_place(path, name):
    """Another file under the same name, as a rotation leaves it."""
    other = path.with_name("_other")
    other.write_text(LINES.replace("clientId=p", f"clientId={name}"))
    other.replace(path)


def test_a_short_file_that_another_takes_the_place_of_keeps_what_stands(tmp_path, logs, said):
    bad, lake = logs / "bad" / "app.log", tmp_path / "lake"
    short = LINE.replace("clientId=p", "clientId=bad").format(0)
    bad.write_text(short)
    run_over(lake, logs)
    bad.write_text(short * 2)
    run_over(lake, logs)
    in_its_place(bad, "other")
    run_over(lake, logs)
    assert (records(lake, "bad"), records(lake, "other")) == (2, WHOLE)


@pytest.mark.parametrize("change", ["replaced", "gone"])
@pytest.mark.parametrize(("module", "moment"), MOMENTS[1:])
def test_a_short_file_that_grew_and_went_keeps_what_stands(
    tmp_path, logs, said, monkeypatch, module, moment, change
):
    bad, lake = logs / "bad" / "app.log", tmp_path / "lake"
    bad.write_text(LINE.replace("clientId=p", "clientId=bad").format(0))
    run_over(lake, logs)
    bad.write_text(LINES.replace("clientId=p", "clientId=bad"))
    went = {"replaced": lambda: in_its_place(bad, "other"), "gone": lambda: bad.unlink(missing_ok=True)}
    after(monkeypatch, module, moment, went[change])
    run_over(lake, logs)
    assert records(lake, "bad") == 1
    monkeypatch.undo()
    run_over(lake, logs)
    assert records(lake, "bad") == 1
    assert records(lake, "other") == (WHOLE if change == "replaced" else 0)


@pytest.mark.parametrize("was_read", [False, True], ids=["new", "read before"])
@pytest.mark.parametrize(("module", "moment"), MOMENTS)
def test_a_file_that_another_takes_the_place_of(tmp_path, logs, said, monkeypatch, module, moment, was_read):
    bad, lake = logs / "bad" / "app.log", tmp_path / "lake"
    first = fingerprint(bad.read_bytes())
    if was_read:
        run_over(lake, logs)
        with bad.open("a") as file:
            file.write(LINE.format(999).replace("clientId=p", "clientId=bad"))
    after(monkeypatch, module, moment, lambda: in_its_place(bad, "other"))
    run_over(lake, logs)
    assert first not in of_client(lake, "other")
    assert records(lake, "good") == WHOLE
    assert records(lake, "bad") == (WHOLE if was_read else 0)
    if module is not pipeline or moment != "list_files":  # else it was looked at as what it is
        assert records(lake, "other") == 0
        assert f"{bad} is another file" in said.getvalue()
    monkeypatch.undo()
    run_over(lake, logs)
    assert records(lake, "other") == WHOLE
    assert records(lake, "bad") == (WHOLE if was_read else 0)
    run_over(tmp_path / "alone", logs)
    assert of_client(lake, "other") == of_client(tmp_path / "alone", "other")


@pytest.mark.parametrize("change", ["replaced", "unreadable"])
def test_a_file_that_goes_between_its_chunks_is_read_on_where_it_lies_now(
    tmp_path, logs, said, monkeypatch, change
):
    bad, lake = logs / "bad" / "app.log", tmp_path / "lake"
    read = tasks.read_chunk
    rotated = bad.with_name("app.log.1")

    def read_then_rotate(chunk, *how):
        yield from read(chunk, *how)
        if "bad" in chunk.path and bad.exists() and not rotated.exists():
            bad.rename(rotated)
            if change == "replaced":
                in_its_place(bad, "other")

    conf = load_conf()
    cut = replace(conf, reader=replace(conf.reader, chunk_bytes=8192))
    monkeypatch.setattr(kills, "load_conf", lambda: cut)
    monkeypatch.setattr(tasks, "read_chunk", read_then_rotate)
    run_over(lake, logs)
    assert records(lake, "good") == WHOLE
    assert 0 < records(lake, "bad") < WHOLE
    assert records(lake, "other") == 0
    assert status(lake)["bad"] == change
    monkeypatch.setattr(tasks, "read_chunk", read)
    run_over(lake, logs)
    assert records(lake, "bad") == WHOLE
    assert records(lake, "other") == (WHOLE if change == "replaced" else 0)
    rows = [json.loads(row) for row in rows_of(lake, "bronze.log_records")]
    assert len({(row["source_id"], row["offset"]) for row in rows}) == len(rows)


def test_a_disk_that_fails_in_the_middle(tmp_path, logs, said, monkeypatch):
    lake = tmp_path / "lake"

    class Failing(io.BytesIO):
        def read(self, size=-1):
            if self.tell() >= 8192:
                raise OSError(5, "Input/output error")
            return super().read(min(size, 8192 - self.tell()) if size >= 0 else 8192)

    def opened(path):
        with open_input(path) as file:
            return Failing(file.read()) if "bad" in path else io.BytesIO(file.read())

    after(monkeypatch, ingest, "count_lines", lambda: monkeypatch.setattr(tasks, "open_input", opened))
    run_over(lake, logs)
    assert records(lake, "good") == WHOLE
    assert 0 < records(lake, "bad") < WHOLE
    assert status(lake)["bad"] == "unreadable"
    assert any('"unreadable"' in row for row in rows_of(lake, "bronze.unparsed"))


def run_held(lake, logs, most):
    """A run that may write no file above so many bytes, as on a full disk."""
    code = (
        "import resource,signal,sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}));"
        "from pathlib import Path; from lab.soak.kills import run_over; run_over(Path(sys.argv[1]), sys.argv[2])"
    )
    return subprocess.run([sys.executable, "-c", code, str(lake), str(logs)], capture_output=True, text=True)


def test_a_full_disk_loses_nothing(tmp_path, logs):
    lake = tmp_path / "lake"
    assert run_held(lake, logs, 6000).returncode != 0
    run_over(lake, logs)
    run_over(tmp_path / "new", logs)
    assert rows_of(lake, "bronze.log_records") == rows_of(tmp_path / "new", "bronze.log_records")


def test_a_bomb_of_zeros_fills_no_memory(tmp_path, said):
    folder = tmp_path / "logs" / "bad"
    folder.mkdir(parents=True)
    with gzip.open(folder / "app.log.gz", "wb") as file:
        file.write(LINES.encode() * 4)  # more than the head, which tells a text from none
        for _ in range(200):
            file.write(bytes(1 << 20))
    assert (folder / "app.log.gz").stat().st_size < 1 << 20
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run_over(tmp_path / "lake", folder)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # KiB; it is 200 MiB whole
    assert len(rows_of(tmp_path / "lake", "bronze.log_records")) >= WHOLE - 1


ODD = {
    "nested": "[" * 100_000 + "\n",
    "nested objects": '{"a":' * 100_000 + "\n",
    "nested message": json.dumps({"message": "[" * 100_000, "level": "INFO"}) + "\n",
    "year one": LINE.format(1).replace("2026-11-21", "0001-01-01"),
    "last year": LINE.format(1).replace("2026-11-21", "9999-12-31"),
    "no year": LINE.format(1).replace("2026-11-21", "0000-00-00"),
    "zone before year one": LINE.format(1).replace(
        "[2026-11-21 02:19:38,001]", "[0001-01-01T00:00:00,001+14:00]"
    ),
    "epoch beyond all": LINE.format(1).replace("[2026-11-21 02:19:38,001]", "99999999999999999"),
    "controls": "\x00\x1b[31m\u202e\r\n" * 50,
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize("kind", ["logs", "metrics"])
def test_a_hostile_line_ends_no_run(tmp_path, logs, said, odd, kind):
    lake, bad = tmp_path / "lake", logs / "bad" / "app.log"
    if kind == "logs":
        bad.write_text(LINES.replace("clientId=p", "clientId=bad") + odd)
        run_over(lake, logs)
        assert records(lake, "bad") >= WHOLE
    else:
        pytest.importorskip("pyspark")
        bad.write_text(odd)
        run_over(lake, logs / "good")
        assert list(tasks_of_metrics(bad))
    assert records(lake, "good") == WHOLE


def tasks_of_metrics(path):
    from jobs.metrics.ingest_metrics import read_file
    from transforms.parse.metrics.reading import MetricFile

    return read_file(MetricFile(str(path), path.stat().st_size, 0, "s", "i"))


def test_a_folder_of_nothing_but_what_is_no_file_is_no_crash(tmp_path, said):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").symlink_to(tmp_path / "not there")
    run_over(tmp_path / "lake", tmp_path / "logs")
    assert "a.log" in said.getvalue()
