"""Control files: whole or not there, older ones read once, later and damaged ones told in one sentence."""

import json
import os
import threading
from pathlib import Path

import pytest

from conf.settings import load_conf
from jobs.checks import NOTED as CHECKED
from jobs.metrics.samples import KEPT_FROM, KeptFrom
from jobs.pipeline import open_lake
from jobs.plans.plan import PLAN
from jobs.storage.catalog import REGISTERED
from jobs.storage.control_files import DamagedFile, FolderFiles
from jobs.storage.lake import NUMBERS, Numbers
from jobs.storage.lease import LEASE, writer_lease
from jobs.upkeep.tables import NOTED as KEPT_UP
from transforms.errors import BadInput, LakeBusy

DOCUMENTS = (NUMBERS, PLAN, LEASE, CHECKED, KEPT_UP, KEPT_FROM, REGISTERED)
LAKE = Numbers("id", 3, 2, 7, "code")


@pytest.fixture
def files(tmp_path: Path) -> FolderFiles:
    return FolderFiles(tmp_path / "lake" / "_kipwatch")


def put(files: FolderFiles, name: str, text: str) -> None:
    files.root.mkdir(parents=True, exist_ok=True)
    (files.root / name).write_text(text)


def test_what_is_written_is_read_and_no_draft_stays(files):
    assert NUMBERS.load(files) is None
    NUMBERS.save(files, LAKE)
    assert NUMBERS.load(files) == LAKE
    assert [path.name for path in files.root.iterdir()] == ["lake.json"]


def test_a_write_that_ends_half_way_leaves_what_stood(files, monkeypatch):
    NUMBERS.save(files, LAKE)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", lambda _file: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            NUMBERS.save(files, Numbers("id", 4))
    assert NUMBERS.load(files) == LAKE


@pytest.mark.parametrize(
    ("document", "text", "value"),
    [
        (NUMBERS, '{"lake_id": "id", "number": 3, "done": 2, "books": 7, "code": "code"}', LAKE),
        (NUMBERS, '{"lake_id": "id", "number": 3}', Numbers("id", 3)),
        (CHECKED, '{"gold.incidents": ["a.parquet"]}', CHECKED.kind({"gold.incidents": ["a.parquet"]})),
        (KEPT_FROM, "1700000000000000", KeptFrom(1_700_000_000_000_000)),
    ],
)
def test_an_older_file_is_read_once_and_written_anew(files, document, text, value):
    put(files, document.name, text)
    assert document.load(files) == value
    assert json.loads((files.root / document.name).read_text())["version"] == document.version
    assert document.load(files) == value


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
@pytest.mark.parametrize("version", ["99", '"x"', "2.5", "null"])
def test_a_version_that_is_not_known_is_refused(files, document, version):
    put(files, document.name, f'{{"version": {version}}}')
    with pytest.raises(BadInput, match="is of version") as refused:
        document.load(files)
    assert refused.value.exit_code == 2
    assert document.name in refused.value.sentence


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
@pytest.mark.parametrize(
    "text", ["", "{", "\0\0\0\0", "[1, 2]", '"x"', '{"lake_id": 1, "pid": "x"}', "[" * 10**5]
)
def test_damage_is_one_sentence(files, document, text):
    put(files, document.name, text)
    with pytest.raises(DamagedFile) as damaged:
        document.load(files)
    assert damaged.value.exit_code == 2
    assert document.without in damaged.value.sentence


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_a_folder_in_its_place_is_one_sentence(files, document):
    (files.root / document.name).mkdir(parents=True)
    with pytest.raises(BadInput, match="take it away"):
        document.load(files)


@pytest.mark.parametrize("text", ["", '{"host": "a", "pid": "no number"}', "[]"])
def test_a_lease_that_nobody_can_read_is_not_taken_over(tmp_path, text):
    put(FolderFiles(tmp_path / "_kipwatch"), "lease.json", text)
    with pytest.raises(BadInput, match=r"lease\.json: is damaged"), open_lake(tmp_path, load_conf()):
        pytest.fail("a lake with a damaged lease was opened")  # type: ignore[arg-type]


def test_of_many_that_create_a_file_one_does(files):
    won: list[bool] = []
    start = threading.Barrier(8)

    def create(number: int) -> None:
        start.wait()
        won.append(files.create("one", str(number).encode()))

    threads = [threading.Thread(target=create, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 7 + [True]
    assert files.read("one") in [str(number).encode() for number in range(8)]


def test_where_a_disk_has_no_links_one_that_creates_a_file_still_does(files, monkeypatch):
    def refused(*_names: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    assert files.create("one", b"first")
    assert not files.create("one", b"second")
    assert files.read("one") == b"first"
    assert [path.name for path in files.root.iterdir()] == ["one"]


def test_who_holds_the_lake_is_named(files):
    with (
        writer_lease(files, 60),
        pytest.raises(LakeBusy, match=f"process {os.getpid()} on"),
        writer_lease(files, 60),
    ):
        pytest.fail("a second writer got the lake")
    assert files.read(LEASE.name) is None
