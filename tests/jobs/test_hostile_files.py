"""Files that are none, or can't be read, end no run: they are left out, and it is said why."""

import io
import os
import socket
import threading
from pathlib import Path

import pytest

from jobs.inputs.listing import LeftOut, list_files
from jobs.progress import Progress
from transforms.errors import BadInput

LINE = b"[2026-11-21 02:19:38,772] INFO started (org.apache.kafka.clients.A)\n"


def pipe(folder):
    os.mkfifo(folder / "pipe.log")


def sock(folder):
    with socket.socket(socket.AF_UNIX) as opened:
        here = Path.cwd()
        os.chdir(folder)  # a socket's path is short
        try:
            opened.bind("sock.log")
        finally:
            os.chdir(here)


def circle(folder):
    (folder / "a.log").symlink_to(folder / "b.log")
    (folder / "b.log").symlink_to(folder / "a.log")


def nothing(folder):
    (folder / "gone.log").symlink_to(folder / "not there")


def no_utf8(folder):
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.log")).write_bytes(LINE)


def device(folder):
    (folder / "zero.log").symlink_to("/dev/zero")


KINDS = [
    pytest.param(pipe, "pipe", 1, id="pipe"),
    pytest.param(sock, "pipe, socket", 1, id="socket"),
    pytest.param(device, "device", 1, id="device"),
    pytest.param(circle, "can't be read", 2, id="links in a circle"),
    pytest.param(nothing, "can't be read", 1, id="link to nothing"),
    pytest.param(no_utf8, "no UTF-8", 1, id="name that is no UTF-8"),
]


@pytest.mark.parametrize(("make", "reason", "count"), KINDS)
def test_what_a_folder_holds_beside_files_is_left_out_and_told(tmp_path, make, reason, count):
    (tmp_path / "app.log").write_bytes(LINE)
    make(tmp_path)
    left_out: list[LeftOut] = []
    assert [listed.path for listed in list_files([str(tmp_path)], left_out=left_out)] == [
        str(tmp_path / "app.log")
    ]
    assert len(left_out) == count
    assert all(reason in one.reason for one in left_out)
    assert all(one.path.encode() for one in left_out)  # fit to be shown


@pytest.mark.parametrize(("make", "reason", "count"), KINDS)
def test_what_is_given_by_itself_is_one_sentence(tmp_path, make, reason, count):
    make(tmp_path)
    for path in tmp_path.iterdir():
        with pytest.raises(BadInput, match=reason):
            list_files([str(path)])


def test_a_folder_that_links_to_itself_is_gone_through_once(tmp_path):
    (tmp_path / "app.log").write_bytes(LINE)
    (tmp_path / "again").symlink_to(tmp_path)
    assert len(list_files([str(tmp_path)], left_out=[])) == 1


def test_files_that_vanish_while_they_are_listed(tmp_path):
    """Rotation at work: what is there is given, what went is left out, nothing is raised."""
    files = [tmp_path / f"app.log.{number}" for number in range(200)]
    done = threading.Event()

    def rotate():
        while not done.is_set():
            for file in files:
                file.write_bytes(LINE)
            for file in files:
                file.unlink()

    rotating = threading.Thread(target=rotate)
    rotating.start()
    try:
        for _ in range(20):
            for listed in list_files([str(tmp_path)], may_vanish=True, left_out=[]):
                assert listed.size in (0, len(LINE))
    finally:
        done.set()
        rotating.join()


def test_a_warning_is_said_where_nobody_watches_too():
    out = io.StringIO()
    Progress(out, is_shown=False).warn("left out: x")
    assert out.getvalue() == "left out: x\n"
