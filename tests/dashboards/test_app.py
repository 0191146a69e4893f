"""The app without a browser: headers, addresses, and the server that the command starts."""

import inspect
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from dashboards.app import create_app, serve
from tests.dashboards.lake import good_lake

ASKED = {
    "output": "app-page.children",
    "outputs": {"id": "app-page", "property": "children"},
    "inputs": [{"id": "app-url", "property": "pathname", "value": "/violations"}],
    "state": [{"id": "app-url", "property": "search", "value": ""}],
    "changedPropIds": ["app-url.pathname"],
}
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    return good_lake(tmp_path_factory.mktemp("lake"))


def test_only_our_own_scripts_run(lake):
    response = create_app(lake).server.test_client().get("/")
    policy = dict(part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; "))
    assert policy["script-src"].startswith("'self' 'sha256-")
    assert "unsafe" not in policy["script-src"]
    assert policy["frame-ancestors"] == policy["object-src"] == "'none'"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_assets_come_with_the_package(lake):
    client = create_app(lake).server.test_client()
    for name in ("kipwatch.css", "renderers.js", "scheme.js", "shell.js"):
        assert client.get(f"/assets/{name}").status_code == 200


def test_two_apps_in_one_process_read_their_own_lakes(lake, tmp_path):
    full, empty = create_app(lake).server.test_client(), create_app(tmp_path).server.test_client()
    assert "violations-grid" in full.post("/_dash-update-component", json=ASKED).text
    assert "state-missing" in empty.post("/_dash-update-component", json=ASKED).text


def test_a_page_that_fails_says_so(lake, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr("dashboards.app.page_of", fail)
    shown = create_app(lake).server.test_client().post("/_dash-update-component", json=ASKED).text
    assert "state-failed" in shown
    assert "ZeroDivisionError: on purpose" in shown


def test_it_listens_on_loopback_unless_told_otherwise():
    assert inspect.signature(serve).parameters["host"].default == "127.0.0.1"


def test_reading_needs_no_spark(lake):
    script = (
        "import sys; from pathlib import Path; from dashboards.app import page_of\n"
        "from dashboards.queries import LakeReader\n"
        f"page_of(LakeReader(Path({str(lake)!r})), '/violations')\n"
        "print('pyspark' in sys.modules, flush=True)"
    )
    # What it says counts, not how it ends: readers' idle threads may abort a process that ends right after a read.
    told = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert told.stdout.strip() == "False", told.stderr


def test_the_server_starts_answers_and_stops(lake):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = (
        f"from pathlib import Path; from dashboards.app import serve; serve(Path({str(lake)!r}), port={port})"
    )
    # What a shell starts in the background ignores Ctrl-C, and hands that down: here it is the one who stops it.
    server = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        assert server.stdout is not None
        assert f"http://127.0.0.1:{port}/" in server.stdout.readline()
        assert "<title>kipwatch</title>" in _answer(f"http://127.0.0.1:{port}/finding/x")
    finally:
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=60) == 0


def _answer(url: str, patience_s: float = 60) -> str:
    deadline = time.monotonic() + patience_s
    while True:
        try:
            with urllib.request.urlopen(url) as response:
                return response.read().decode()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
