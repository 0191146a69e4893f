"""Where input lies: what an argument may say, what is listed, and what opening an object gives. No Spark."""

import gzip
import io
import random
from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest

import jobs.inputs.places
from conf.names import unit_names
from conf.settings import SourceHint, load_conf
from jobs.cli import _guarded, app
from jobs.inputs.listing import list_files
from jobs.inputs.places import RANGE_BYTES, StoreAway, open_input
from jobs.reading.tasks import probe
from lab.store import Store
from transforms.errors import BadInput
from transforms.parse.records.streams import open_source
from transforms.plans.urls import is_object, parts_of

LOG = b"[2026-01-01 00:00:00,000] INFO x (org.apache.kafka.clients.NetworkClient)\n"


def paths(*given, **how):
    return [listed.path for listed in list_files(given, **how)]


@pytest.mark.parametrize("path", ["/var/log/app.log", "app.log", "./a:b/c", "C:/x", "/s3:/bucket/x"])
def test_paths_of_files_have_no_scheme(path):
    assert not is_object(path)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("ftp://host/sEcret", "can't be read from there; give a path, or one that begins with s3://"),
        ("http://host/sEcret.log", "can't be read from there"),
        ("s3a://bucket/x", "can't be read from there"),
        ("s3://AKIA:sEcret@bucket/x", "credentials or settings stand in it"),
        ("s3://AKIA:sEcret/of/it@bucket/x", "credentials or settings stand in it"),
        ("s3://bucket/x?region=eu&secret_key=sEcret", "credentials or settings stand in it"),
        ("gs://anonymous@bucket/x", "credentials or settings stand in it"),
        ("abfss://account:sEcret@host/x", "credentials or settings stand in it"),
        ("s3://", "names no bucket; give s3://bucket/prefix"),
        ("s3:///sEcret", "names no bucket"),
        ("s3://*/x", "names no bucket"),
    ],
)
def test_an_argument_that_no_store_is_asked_for(given, said):
    with pytest.raises(BadInput) as refused:
        list_files([given], may_vanish=True)
    sentence = refused.value.sentence
    assert said in sentence
    assert sentence.startswith("--logs ")
    assert "sEcret" not in sentence
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    "command",
    [
        ["run", "--logs", "app.log"],
        ["stream", "--logs", "app.log"],
        ["demo"],
        ["explain", "3f9c"],
        ["query", "SELECT 1"],
        ["dashboard"],
        ["maintain"],
    ],
)
@pytest.mark.parametrize(
    ("lake", "said"),
    [
        ("s3://key:sEcret@bucket/lake", "credentials or settings stand in it"),
        ("s3a://bucket/sEcret", "can't be read from there; give a path"),
        ("s3://bucket/*/sEcret", "is no plain prefix; give s3://bucket/prefix"),
        ("gs://bucket/a/../sEcret", "is no plain prefix; give gs://bucket/prefix"),
    ],
)
def test_a_lake_that_no_store_is_asked_for(command, lake, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        _guarded(lambda: app([*command, "--lake", lake], standalone_mode=True))
    assert ended.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"kipwatch: --lake {lake.partition(':')[0]}://...: {said}")
    assert told.err.count("\n") == 1
    assert "sEcret" not in told.err
    assert list(tmp_path.iterdir()) == []


def test_nothing_else_opens_input():
    """One file is looked at by `explain FILE`; a listing tries each file of this machine."""
    opens = {
        path.stem for path in Path(jobs.__file__).parent.rglob("*.py") if '.open("rb")' in path.read_text()
    }
    assert opens == {"places", "listing", "by_file"}


@pytest.mark.parametrize(
    ("path", "kind", "inner"),
    [
        ("gs://bucket/a/x.log", "gcs", "bucket/a/x.log"),
        ("abfss://box@account.dfs.core.windows.net/a/x.log", "abfs", "box/a/x.log"),
        ("abfs://account.blob.core.windows.net/box/a/x.log", "abfs", "box/a/x.log"),
    ],
)
def test_other_stores_have_clients_of_their_own(path, kind, inner):
    """Nobody is asked here: what they answer is not tested."""
    system, base, found = jobs.inputs.places._within(path)
    assert (system.type_name, found) == (kind, inner)
    assert f"{parts_of(path)[0]}/{found[len(base) :].lstrip('/')}" == path


def test_names_and_hints_are_those_of_files():
    path = "s3://bucket/apps/orders-1/app.log.3.gz"
    assert unit_names(path, SourceHint("*")) == ("orders-1", "app.log")
    assert unit_names("s3://bucket/app.log", SourceHint("*")) == ("bucket", "app.log")
    hint = SourceHint("s3://bucket/*/orders-?/*", service="orders")
    assert load_conf().hint_for(path).service is None
    assert replace(load_conf(), sources=(hint,)).hint_for(path) == hint


def test_a_prefix_is_a_folder(store: Store):
    keys = ["apps/b/app.log", "apps/a/app.log.1.gz", "apps/a/app.log", "appsx/app.log", "app.log"]
    left_out = [
        "apps/.hidden/app.log",
        "apps/a/_kipwatch/x.log",
        "apps/a/client.properties",
        "apps/a/x.parquet",
    ]
    store.fill("folders", {**dict.fromkeys([*keys, *left_out], LOG), "apps/empty.log": b""})
    of_apps = [f"s3://folders/{key}" for key in (*sorted(keys[:3]), "apps/empty.log")]
    assert paths("s3://folders/apps") == paths("s3://folders/apps/") == of_apps
    assert paths("s3://folders") == sorted([*of_apps, "s3://folders/app.log", "s3://folders/appsx/app.log"])
    assert paths("s3://folders/apps/.hidden") == ["s3://folders/apps/.hidden/app.log"]
    assert paths("s3://folders/apps/a/client.properties") == ["s3://folders/apps/a/client.properties"]
    (listed,) = list_files(["s3://folders/app.log", "s3://folders/app.log"])
    assert listed.size == len(LOG)
    assert listed.changed_ns > 1_700_000_000_000_000_000
    assert list_files(["s3://folders/app*"]) == [listed]  # the same by another way


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("a/*.log", ["a/1.log", "a/2.log"]),
        ("a/?.log", ["a/1.log", "a/2.log"]),
        ("a/[2-9].log", ["a/2.log"]),
        ("a/[!2].log", ["a/1.log"]),
        ("*/*.log", ["a/1.log", "a/2.log"]),
        ("a/*", ["a/1.log", "a/2.log", "a/3.gz"]),
        ("**/*.log", ["1.log", "a/1.log", "a/2.log", "a/b/1.log"]),
        ("a/**/1.log", ["a/1.log", "a/b/1.log"]),
        ("a/**", ["a/1.log", "a/2.log", "a/3.gz", "a/b/1.log"]),
    ],
)
def test_a_glob(store: Store, pattern, found):
    store.fill("globs", dict.fromkeys(["1.log", "a/1.log", "a/2.log", "a/3.gz", "a/b/1.log"], LOG))
    assert paths(f"s3://globs/{pattern}") == [f"s3://globs/{key}" for key in found]


@pytest.mark.parametrize("key", ["a b/ä#1.log", "a%20b/x.log", "a+b/x&y=z.log", "app[1].log", "a/what?.log"])
def test_keys_are_taken_as_they_are(store: Store, key):
    store.fill("keys", {key: LOG})
    for given in (f"s3://keys/{key}", f"s3://keys/{key.split('/')[0]}"):
        assert f"s3://keys/{key}" in paths(given)
    with open_input(f"s3://keys/{key}") as file:
        assert file.read() == LOG


def test_an_object_reads_as_a_file(store: Store, tmp_path):
    data = random.Random(1).randbytes(3 * RANGE_BYTES + 12_345)
    (tmp_path / "x").write_bytes(data)
    store.fill("reads", {"x": data})
    chance = random.Random(2)
    with open_input("s3://reads/x") as there, open_input(str(tmp_path / "x")) as here:
        for _ in range(60):
            if chance.random() < 0.5:
                at = chance.randrange(len(data) + 10)
                assert there.seek(at) == here.seek(at)
            size = chance.choice([0, 1, 2, 1000, 70_000, RANGE_BYTES, 2 * RANGE_BYTES + 1])
            assert there.read(size) == here.read(size)
            assert there.tell() == here.tell()
        assert there.seek(0, io.SEEK_END) == len(data)
        assert there.read() == b""


def test_ranges_are_few(store: Store):
    size = 8 * RANGE_BYTES
    store.fill("ranges", {"x": LOG * (size // len(LOG))})
    store.requests.clear()
    probe("s3://ranges/x", SourceHint("*"), load_conf().reader, None)
    assert len([request for request in store.requests if request.method == "GET"]) == 1
    store.requests.clear()
    with open_input("s3://ranges/x") as file:
        while file.read(256 * 1024):
            pass
    gets = [request for request in store.requests if request.method == "GET"]
    assert len(gets) <= 9
    with open_input("s3://ranges/x") as file:
        file.read()
    assert len(store.requests) <= 9 + 1 + 2
    assert all(request.span for request in gets)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            "s3://nobody-has-it/x",
            "--logs s3://nobody-has-it/x: no such object, prefix or bucket; check the path",
        ),
        ("s3://nobody-has-it", "no such object, prefix or bucket"),
        ("s3://errors/none.log", "no such object, prefix or bucket"),
        ("s3://errors/*.none", "no object matches; check the pattern"),
        ("s3://nobody-has-it/*.log", "no object matches"),
    ],
)
def test_what_is_not_there(store: Store, given, said):
    store.fill("errors", {"app.log": LOG})
    with pytest.raises(BadInput) as refused:
        list_files([given])
    assert said in refused.value.sentence
    assert list_files([given], may_vanish=True) == []
    with pytest.raises(OSError, match="no such object"):
        open_input("s3://errors/none.log")


@pytest.mark.parametrize(
    "given", ["s3://denied/app.log", "s3://denied/*.log", "s3://denied", "s3://denied/logs/"]
)
@pytest.mark.parametrize("who", ["stranger", "reader", "nobody"])
def test_who_may_not(store: Store, monkeypatch, given, who):
    """A key that nobody has, a wrong secret, and no credentials at all."""
    store.fill("denied", {"app.log": LOG, "logs/app.log": LOG})
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", who)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "sEcret")
    if who == "nobody":
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("HOME", "/nowhere")  # a profile of this machine's user
    for may_vanish in (False, True):
        with pytest.raises(BadInput) as refused:
            list_files([given], what="--metrics", may_vanish=may_vanish)
        said = f"--metrics {given}: can't be read (no permission, or no credentials); give credentials"
        assert refused.value.sentence.startswith(said)
    with pytest.raises(PermissionError):
        open_input("s3://denied/app.log")


def test_who_may_list_and_not_read(store: Store, monkeypatch):
    store.fill("listed", {"logs/app.log": LOG})
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "lister")
    assert paths("s3://listed/logs/", may_vanish=True) == ["s3://listed/logs/app.log"]
    with pytest.raises(BadInput, match="no permission"):
        list_files(["s3://listed/logs/"])


def test_a_store_that_does_not_answer(store: Store):
    store.fill("away", {"app.log": LOG * 50_000})
    with open_input("s3://away/app.log") as file:
        assert file.read(len(LOG)) == LOG
        store.shut()
        with pytest.raises(
            StoreAway, match=r"s3://away/app.log: no answer from the store \(NETWORK_CONNECTION\)"
        ):
            file.read()
        with pytest.raises(StoreAway) as away:
            list_files(["s3://away"], may_vanish=True)
        assert away.value.exit_code == 2
    store.open()
    with open_input("s3://away/app.log") as file:
        assert file.read() == LOG * 50_000
    store.refuse = lambda request: (500, "InternalError")
    with pytest.raises(StoreAway, match="no answer from the store"):
        list_files(["s3://away"])


def test_a_broken_gzip_is_not_one_whose_store_went_away(store: Store):
    packed = gzip.compress(random.Random(3).randbytes(2 * RANGE_BYTES))
    store.fill("packed", {"app.log.gz": packed})
    with open_input("s3://packed/app.log.gz") as file:
        source = open_source(file)
        source.read(1)
        store.shut()
        with pytest.raises(StoreAway):
            deque(iter(lambda: source.read(1 << 20), b""), maxlen=0)
        assert source.problem is None
