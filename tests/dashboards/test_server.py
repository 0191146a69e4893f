"""The server under clients that are slow on purpose: a viewer beside them is answered in time."""

import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dashboards.app import create_app
from dashboards.server import Limits, Server
from tests.dashboards.lake import good_lake

MANY = 200
IN_TIME_S = 5.0
PLOTLY = b"/_dash-component-suites/plotly/package_data/plotly.min.js"  # 4.7 MB, the longest answer of the app
LONG = 12 << 20  # more than the system holds of what is sent and not read
SHORT = Limits(request_s=1, answer_s=1, idle_s=1)
HALF = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-More: "
HALF_BODY = b"POST /_dash-update-component HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    made = create_app(good_lake(tmp_path_factory.mktemp("lake"))).server
    made.add_url_rule("/long", "long", lambda: b"x" * LONG)
    return made


@contextmanager
def served(app, limits) -> Iterator[Server]:
    server = Server(app, "127.0.0.1", 0, limits)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server
    server.close()
    thread.join(10)
    assert not thread.is_alive()


@pytest.fixture(scope="module")
def server(app):
    with served(app, Limits()) as made:
        yield made


@contextmanager
def clients(server, many, sent) -> Iterator[list[socket.socket]]:
    """Connections that have sent this and do nothing more."""
    opened = [_client(server, sent) for _ in range(many)]
    yield opened
    for one in opened:
        one.close()


def _client(server, sent) -> socket.socket:
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # else the system reads for it
    one.settimeout(10)
    one.connect(("127.0.0.1", server.port))
    one.sendall(sent)
    return one


def asked(server, path="/violations") -> float:
    """How long a viewer waits for a page, in seconds."""
    before = time.monotonic()
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}", timeout=30) as answer:
        assert answer.status == 200
        assert answer.read()
    return time.monotonic() - before


def is_closed(one, within_s) -> bool:
    """Whether the other side ends it, all that it sent being read."""
    one.settimeout(within_s)
    try:
        while one.recv(1 << 20):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(HALF, id="half a head"),
        pytest.param(HALF_BODY, id="half a body"),
        pytest.param(
            b"GET " + PLOTLY + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", id="answers that nobody reads"
        ),
    ],
)
def test_a_viewer_beside_two_hundred_slow_clients(server, sent):
    with clients(server, MANY, sent):
        time.sleep(0.5)
        asked(server)  # waits for its turn behind those two hundred, all at once
        assert max(asked(server) for _ in range(5)) < IN_TIME_S


def test_a_byte_now_and_then_is_no_progress(app):
    with served(app, SHORT) as server, clients(server, 1, HALF) as (one,):
        assert any(_is_refused(one) for _ in range(40))


def _is_refused(one) -> bool:
    """Whether a byte more finds no one who reads it."""
    time.sleep(0.2)
    try:
        one.sendall(b"x")
    except OSError:
        return True
    return False


@pytest.mark.parametrize("sent", [b"", HALF, HALF_BODY])
def test_who_sends_no_whole_request_is_let_go(app, sent):
    with served(app, SHORT) as server, clients(server, 1, sent) as (one,):
        assert is_closed(one, 6)


def test_who_does_not_read_is_let_go(app):
    limits = Limits(request_s=1, answer_s=1, answer_bytes_s=LONG)
    with (
        served(app, limits) as server,
        clients(server, 1, b"GET /long HTTP/1.0\r\nHost: localhost\r\n\r\n") as (one,),
    ):
        time.sleep(5)
        read = 0
        while part := one.recv(1 << 20):
            read += len(part)
        assert read < LONG


def test_who_reads_gets_all_of_it(server):
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/long", timeout=30) as answer:
        assert len(answer.read()) == LONG


def test_the_longest_wait_makes_room_for_who_comes(app):
    with served(app, Limits(connections=10)) as server, clients(server, 40, HALF):
        assert max(asked(server) for _ in range(3)) < IN_TIME_S


def test_answers_that_wait_are_bounded_in_all(app):
    limits = Limits(waiting_bytes=5 * LONG)
    with (
        served(app, limits) as server,
        clients(server, 12, b"GET /long HTTP/1.0\r\nHost: localhost\r\n\r\n") as many,
    ):
        time.sleep(3)
        whole = sum(_length(one) > LONG for one in many)
    assert 0 < whole <= 6


def _length(one) -> int:
    read = 0
    try:
        while part := one.recv(1 << 20):
            read += len(part)
    except OSError:
        return read
    return read


def test_requests_that_wait_for_no_answer_are_few(app):
    one = b"GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with served(app, Limits()) as server, clients(server, 1, one * 60) as (many,):
        assert is_closed(many, 10)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (70 << 10) + b"\r\n\r\n", b"431"),
        (b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n", b"413"),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_read(server, sent, status):
    with clients(server, 1, sent) as (one,):
        assert one.recv(100).split()[1] == status
