"""A lake that may not be written to, a disk that is full: what only reads goes on, the rest is one sentence and exit 2."""

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys

import pytest

from jobs.sql.query import query_rows
from lab.soak.kills import run_over

LINE = (
    "[2026-11-21 02:19:38,{:03d}] WARN [Producer clientId=p] Connection to node 1 (b/10.0.0.1:9092) could not be "
    "established. Node may not be available. (org.apache.kafka.clients.NetworkClient)\n"
)
# All of them in one process: to load what they need takes longest.
COMMANDS = """
import contextlib, io, json, sys
from jobs import cli
logs, lake = sys.argv[1:]
for arguments in (
    ["run", "--logs", logs], ["stream", "--available-now", "--logs", logs],
    ["maintain"], ["maintain", "--redact"], ["query", "select count(*) as found from bronze.log_records"],
    ["what-if", "max.poll.interval.ms=600000"], ["explain", "abcdef01"],
):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            sys.argv = ["kipwatch", *arguments, "--lake", lake]
            cli.main()
        except SystemExit as end:
            code = end.code
    print(json.dumps([" ".join(arguments[:2]), code, said.getvalue(), out.getvalue()]))
"""
NO_RIGHT_TO_OVERRIDE = (
    24,
    1,
)  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE: root may then write no more than its files' modes say


def held_to_modes():
    """Of root, the right to write where it may not; others have none."""
    ctypes.CDLL(None).prctl(*NO_RIGHT_TO_OVERRIDE, 0, 0, 0)


def in_little_room():
    """No file may have more than so many bytes, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000))


def told(before, logs, lake):
    """(command, exit code, standard error, standard output) of each command."""
    code = [sys.executable, "-c", COMMANDS, str(logs), str(lake)]
    ran = subprocess.run(code, capture_output=True, text=True, preexec_fn=before, check=True, timeout=300)
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.fixture
def lake(tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "app.log").write_text("".join(map(LINE.format, range(100))))
    run_over(tmp_path / "lake", logs)
    with (logs / "app.log").open("a") as file:
        file.write(LINE.format(500) * 200)
    return tmp_path / "lake"


def test_a_lake_that_may_only_be_read(lake, tmp_path):
    places = [lake, *lake.rglob("*")]
    for place in places:
        place.chmod(0o555 if place.is_dir() else 0o444)
    try:
        found = told(held_to_modes, tmp_path / "logs", lake)
    finally:
        for place in places:
            place.chmod(0o755 if place.is_dir() else 0o644)
    writes, reads = found[:4], found[4:]
    for name, code, said, _ in writes:
        assert code == 2, name
        assert said == (
            f"kipwatch: {lake}: can't be written or read ({os.strerror(13)}); give a lake you may write to\n"
        ), name
    assert [(code, out.split()) for _, code, _, out in reads[:1]] == [(0, ["found", "100"])]
    assert reads[1][1] == 0
    assert "nothing has the id" in reads[2][2]


def test_a_disk_that_is_full(lake, tmp_path):
    found = told(in_little_room, tmp_path / "logs", lake)
    (_, code, said, _) = found[0]
    assert code == 2
    assert said.startswith(f"kipwatch: {lake}: can't be written")
    assert said.endswith("; make room, and start it again: nothing that was read is lost\n")
    assert all("Traceback" not in said for _, _, said, _ in found)
    run_over(lake, tmp_path / "logs")
    assert list(query_rows(lake, "select count(*) as found from bronze.log_records")[1]) == [{"found": 300}]
