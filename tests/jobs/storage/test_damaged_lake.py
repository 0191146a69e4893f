"""A lake that is damaged: each command does its work or says in a sentence what is wrong, and none waits for ever."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from dashboards.app import page_of
from dashboards.queries import LakeReader
from jobs.explain.by_id import report_of
from jobs.sql.query import query_rows
from jobs.upkeep.maintain import maintain_lake
from lab.soak.kills import run_over
from transforms.errors import BadInput

EVENTS = "silver/client_events"
LINE = (
    "[2026-11-21 02:19:38,{:03d}] WARN [Producer clientId=p] Connection to node 1 (b/10.0.0.1:9092) could not be "
    "established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
)
OTHER = {"host": "elsewhere", "pid": 1, "since": 1, "token": "x", "version": 1}
HERE = OTHER | {"host": os.uname().nodename}
NUMBERS = {"lake_id": "x", "number": 1, "done": 1, "accounting": 1, "code": "", "version": 2}


def log(lake: Path, table: str = EVENTS) -> Path:
    return max((lake / table / "_delta_log").glob("*.json"))


def data(lake: Path, table: str = EVENTS) -> Path:
    return min((lake / table).glob("*.parquet"))


def control(name: str, content: object) -> object:
    def put(lake: Path) -> None:
        (lake / "_kipwatch" / name).write_text(json.dumps(content))

    return put


def pipe(name: str) -> object:
    def put(lake: Path) -> None:
        (lake / "_kipwatch" / name).unlink(missing_ok=True)
        os.mkfifo(lake / "_kipwatch" / name)

    return put


def instead(path: str, what: str) -> object:
    """Something else in the place of a folder."""

    def put(lake: Path) -> None:
        shutil.rmtree(lake / path)
        if what == "file":
            (lake / path).write_text("x")
        elif what == "circle":
            (lake / path).symlink_to(lake / path)

    return put


DAMAGE = {
    "entry that is no JSON": lambda lake: log(lake).write_text("{junk"),
    "entry that is empty": lambda lake: log(lake).write_text(""),
    "entry of bytes": lambda lake: log(lake).write_bytes(b"\xff\xfe\0\0" * 100),
    "entry of a list": lambda lake: log(lake, "bronze/accounting").write_text("[1, 2, 3]\n"),
    "first entry gone": lambda lake: min((lake / EVENTS / "_delta_log").glob("*.json")).unlink(),
    "entries with a gap": lambda lake: log(lake).with_name(f"{50:020d}.json").write_text("{}"),
    "checkpoint that is none": lambda lake: (
        (log(lake).parent / "_last_checkpoint").write_text('{"version":0,"size":10}'),
        (log(lake).parent / f"{0:020d}.checkpoint.parquet").write_bytes(b"PAR1junkPAR1"),
    ),
    "data cut off": lambda lake: data(lake).write_bytes(data(lake).read_bytes()[:100]),
    "data gone": lambda lake: data(lake).unlink(),
    "data of another table": lambda lake: data(lake).write_bytes(
        data(lake, "bronze/log_records").read_bytes()
    ),
    "data that is noise": lambda lake: data(lake).write_bytes(b"PAR1" + os.urandom(5000) + b"PAR1"),
    "accounting cut off": lambda lake: data(lake, "bronze/accounting").write_bytes(b"PAR1"),
    "a file for a table": instead(EVENTS, "file"),
    "a file for a schema": instead("gold", "file"),
    "a circle for a table": instead("gold/incidents", "circle"),
    "no table": instead(EVENTS, "nothing"),
    "a file for the control folder": instead("_kipwatch", "file"),
    "no control folder": instead("_kipwatch", "nothing"),
    "a pipe for the lease": pipe("lease.json"),
    "a pipe for the numbers": pipe("lake.json"),
    "lease of no process": control("lease.json", HERE | {"pid": 10**30}),
    "lease of less than one": control("lease.json", HERE | {"pid": -1}),
    "lease of many": control("lease.json", HERE | {"pid": 0}),
    "lease of half a character": control("lease.json", OTHER | {"host": "\ud800"}),
    "numbers beyond all": control("lake.json", NUMBERS | {"number": 10**40}),
    "numbers below none": control("lake.json", NUMBERS | {"number": -5, "done": -5, "accounting": -5}),
    "an odd name": control("lake.json", NUMBERS | {"lake_id": "x'; DROP \ud800"}),
    "numbers that are none": lambda lake: (lake / "_kipwatch" / "lake.json").write_text(
        '{"lake_id":"x","number":NaN}'
    ),
    "upkeep of other tables": control("upkeep.json", {"plans": 3, "versions": {"x.y": -1}, "version": 1}),
    "late events that are none": lambda lake: (
        (lake / "_kipwatch" / "late").mkdir(exist_ok=True),
        (lake / "_kipwatch" / "late" / "0001.parquet").write_bytes(b"junk"),
    ),
    "staging that is a file": lambda lake: (
        shutil.rmtree(lake / "_kipwatch" / "staging", ignore_errors=True),
        (lake / "_kipwatch" / "staging").write_text("x"),
    ),
}
COMMANDS = {
    "query": lambda lake, _: list(query_rows(lake, "select count(*) from silver.client_events")[1]),
    "explain": lambda lake, _: report_of(lake, "abcdef01"),
    "dashboard": lambda lake, _: [
        page_of(LakeReader(lake), path) for path in ("/", "/violations", "/quality")
    ],
    "run": lambda lake, logs: run_over(lake, logs),
    "maintain": lambda lake, _: maintain_lake(lake, None),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A lake, and logs that have grown since."""
    folder = tmp_path_factory.mktemp("damage")
    logs = folder / "logs"
    logs.mkdir()
    (logs / "app.log").write_text("".join(map(LINE.format, range(50))))
    run_over(folder / "lake", logs)
    (logs / "app.log").write_text("".join(map(LINE.format, range(52))))
    return folder / "lake", logs


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_done_without_or_told_in_a_sentence(made, tmp_path, damage):
    whole, logs = made
    for name, command in COMMANDS.items():
        lake = tmp_path / name
        shutil.copytree(whole, lake)
        damage(lake)
        told = sentence_of(command, lake, logs)
        assert told is None or ("\n" not in told and "; " in told), name


def sentence_of(command: Callable[[Path, Path], object], lake: Path, logs: Path) -> str | None:
    """What was wrong, where it did not do its work."""
    try:
        command(lake, logs)
    except BadInput as told:
        return told.sentence
    return None
