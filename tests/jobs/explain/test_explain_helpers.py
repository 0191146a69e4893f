"""Large logs are read by several processes: the same answer as by one, whatever becomes of the others."""

import gzip
import io
import os
import signal
import time
from functools import partial

import pytest
from rich.console import Console

from conf.settings import load_conf
from jobs.explain import helpers as of_helpers
from jobs.explain.by_file import Reading, read_logs
from jobs.explain.files import explain_logs
from jobs.explain.helpers import FROM_BYTES, Helpers
from jobs.explain.log_input import LogInput
from tests.jobs.explain.test_explain_file import RECORDINGS
from transforms.errors import BadInput
from transforms.explain import log_read

NAMES = ("p62-slow-poll-42/consumer-a.app.log.gz", "p572-task-immediate-death-42/app.log.gz")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("logs")
    for name in NAMES:
        (found / name.replace("/", "-").removesuffix(".gz")).write_bytes(
            gzip.decompress((RECORDINGS / name).read_bytes())
        )
    (found / "packed.log.gz").write_bytes((RECORDINGS / NAMES[1]).read_bytes())
    docker = [f'{{"log":"{line}\\n","stream":"stdout","time":"2026-11-21T02:43:56.803Z"}}' for line in "abc"]
    (found / "docker.log").write_text("\n".join(docker) + "\n" + "not an envelope\n")
    (found / "cut.log").write_text("[2026-11-21 02:43:56,803] INFO x (o.a.k.A)\n" * 4000 + "[2026-11-21 02:4")
    return found


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(log_read, "PIECE_BYTES", 50_000)
    monkeypatch.setattr("jobs.explain.by_file.PIECE_BYTES", 50_000)


def logs_in(folder):
    return [
        LogInput(str(path), partial(path.open, "rb"), path.stat().st_size)
        for path in sorted(folder.iterdir())
    ]


def told(folder, helpers=None):
    """All that was read and judged."""
    story, readings = read_logs(logs_in(folder), load_conf(checks=False), helpers)
    settings = [row for unit in story.settings.values() for row in unit.rows()]
    judged = story.events, story.findings, story.incidents, story.unjudged, settings
    return judged, [one.log for one in readings], [one.log.source(one.scan()) for one in readings]


@pytest.mark.parametrize("name", ["p62-slow-poll-42-consumer-a.app.log", "cut.log", "docker.log"])
def test_pieces_are_the_whole(folder, small_pieces, name):
    (log,) = [one for one in logs_in(folder) if one.path.endswith(name)]
    one, cut = Reading(log, load_conf(checks=False)), Reading(log, load_conf(checks=False))
    cut.ask(Helpers(0))
    assert len(cut._pieces) == (1 if name == "docker.log" else -(-log.size // 50_000))
    assert list(cut.events()) == list(one.events())
    assert cut.log == one.log


def test_a_call_is_made_in_the_other_process():
    with Helpers(1) as helpers:
        call = helpers.ask(os.getpid)
        helpers.start()
        while helpers._left:
            time.sleep(0.01)
        assert call.result() == helpers._processes[0].pid


def test_helpers_tell_the_same(folder, small_pieces):
    with Helpers(2) as helpers:
        assert told(folder, helpers) == told(folder)


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_what_a_helper_dies_of_is_done_here(folder, small_pieces, sign):
    with Helpers(1) as helpers:
        os.kill(helpers._processes[0].pid, sign)
        assert told(folder, helpers) == told(folder)


def test_without_an_interpreter_all_is_done_here(folder, monkeypatch):
    monkeypatch.setattr(of_helpers.sys, "executable", "/nowhere/python")
    with Helpers(1) as helpers:
        assert not helpers
        assert told(folder, helpers)[1] == told(folder)[1]


def test_a_file_that_goes_is_named(folder, tmp_path):
    log = tmp_path / "gone.log"
    log.write_text("[2026-11-21 02:43:56,803] INFO x (o.a.k.A)\n")
    with Helpers(1) as helpers:
        given = LogInput(str(log), partial(log.open, "rb"), log.stat().st_size)
        reading = Reading(given, load_conf(checks=False))
        reading.ask(helpers)
        log.unlink()
        helpers.start()
        with pytest.raises(BadInput, match=r"gone\.log"):
            list(reading.events())


def test_they_end_with_their_context_in_the_middle_of_a_call():
    with Helpers(1) as helpers:
        helpers.ask(partial(time.sleep, 600))
        helpers.start()
        (process,) = helpers._processes
    assert process.poll() is not None


def test_little_is_read_by_this_process_alone():
    with Helpers.for_bytes(FROM_BYTES - 1) as helpers:
        assert not helpers


def test_the_command_says_the_same(folder, small_pieces, monkeypatch):
    def explained():
        out = io.StringIO()
        explain_logs([str(folder)], Console(file=out, width=80), "json")
        return out.getvalue()

    alone = explained()
    monkeypatch.setattr(of_helpers, "FROM_BYTES", 0)
    monkeypatch.setattr(of_helpers, "BYTES_OF_ONE", 1)
    monkeypatch.setattr(of_helpers, "_cores", lambda: 2)
    monkeypatch.setattr(of_helpers, "_idle", lambda: 1)
    assert explained() == alone


@pytest.mark.parametrize(
    ("told", "idle"),
    [("0.10 0.20 0.30 1/200 77", 3), ("9.00 9.00 9.00 6/200 77", 0), ("", 4)],
    ids=["nobody else", "busy", "not told"],
)
def test_helpers_take_cores_that_are_free(monkeypatch, told, idle):
    monkeypatch.setattr(of_helpers.os, "cpu_count", lambda: 4)
    monkeypatch.setattr(of_helpers.Path, "read_text", lambda *_, **__: told)
    assert of_helpers._idle() == idle


def test_standard_input_is_no_file_of_others():
    reading = Reading(LogInput("stdin", lambda: io.BytesIO(b"x\n")), load_conf(checks=False))
    assert not reading.is_file
