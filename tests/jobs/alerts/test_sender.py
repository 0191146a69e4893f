"""Alerts over real HTTP: each sent once, again where nobody answered, and kept by a real Alertmanager."""

import json
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from conf.settings import AlertsConf
from jobs.alerts.sender import Sender, send_tests
from jobs.alerts.targets import NotSentError, target_of
from jobs.storage.lake import LakeWriter
from tests.dashboards.lake import incident_row as incident
from tests.dashboards.lake import sha, write
from transforms.diagnose.fleets.notices import FIRING, RESOLVED, WITHDRAWN, selftest_notice
from transforms.errors import BadInput

LONG = 10 * 365 * 24 * 3_600_000


class Received:
    """A server that keeps what it is sent, and answers with `status`."""

    def __init__(self) -> None:
        self.bodies: list[Any] = []
        self.status = 200
        received = self

        class Page(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if received.status < 300:
                    received.bodies.append(json.loads(body))
                self.send_response(received.status)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"127.0.0.1:{self.server.server_port}"


@pytest.fixture
def received() -> Iterator[Received]:
    server = Received()
    yield server
    server.server.shutdown()
    server.server.server_close()


@pytest.fixture
def lake(tmp_path: Path) -> LakeWriter:
    write(
        tmp_path,
        "gold.incidents",
        [row("a"), row("benign", verdict="benign"), row("part", parent_incident_id="x")],
    )
    write(tmp_path, "gold.notifications", [])
    return LakeWriter(tmp_path)


def row(name: str, **changes: Any) -> dict[str, Any]:
    return incident(name, "as_designed") | {"ended_at": None} | changes


def sent(lake: LakeWriter) -> list[tuple[str, str]]:
    rows = DeltaTable(lake.path("gold.notifications")).to_pyarrow_table().sort_by("sent_at").to_pylist()
    return [(found["target"], found["state"]) for found in rows]


@pytest.mark.parametrize("scheme", ["json", "alertmanager+http"])
def test_an_incident_is_sent_once_and_once_more_when_it_is_over(
    lake: LakeWriter, received: Received, scheme: str
) -> None:
    sender = Sender(lake, [target_of("t", f"{scheme}://{received.address}")], LONG)
    assert sender.send() == []
    assert sender.send() == []
    # Another process over the same lake knows what was sent.
    assert Sender(lake, sender.targets, LONG).send() == []
    assert len(received.bodies) == 1
    write(lake.root, "gold.incidents", [row("a", ended_at=row("a")["started_at"] + 1)])
    sender.send()
    sender.send()
    assert sent(lake) == [("t", FIRING), ("t", RESOLVED)]
    assert len(received.bodies) == 2


def test_where_a_ticket_becomes_a_page_the_ticket_ends(lake: LakeWriter, received: Received) -> None:
    write(lake.root, "gold.incidents", [row("a", impact="delayed")])
    sender = Sender(lake, [target_of("t", f"alertmanager+http://{received.address}")], LONG)
    sender.send()
    write(lake.root, "gold.incidents", [row("a", verdict="broken", impact="delayed")])
    sender.send()
    sender.send()
    (ticket,), (page, ended) = received.bodies
    assert [one["labels"]["severity"] for one in (ticket, page, ended)] == ["ticket", "page", "ticket"]
    assert ended["labels"] == ticket["labels"]
    assert ended["endsAt"] < page["endsAt"]


def test_what_was_refuted_is_withdrawn(lake: LakeWriter, received: Received) -> None:
    sender = Sender(lake, [target_of("t", f"json://{received.address}")], LONG)
    sender.send()
    write(lake.root, "gold.incidents", [])
    sender.send()
    assert sent(lake) == [("t", FIRING), ("t", WITHDRAWN)]


def test_a_target_that_is_down_is_asked_again_and_holds_up_no_other(
    lake: LakeWriter, received: Received, monkeypatch: pytest.MonkeyPatch
) -> None:
    received.status = 503
    other = Received()
    targets = [
        target_of("down", f"alertmanager+http://{received.address}"),
        target_of("up", f"alertmanager+http://{other.address}"),
    ]
    sender = Sender(lake, targets, LONG)
    assert sender.send() == [
        "alerts.targets.down did not take 1 alerts (HTTP 503); they are sent again later"
    ]
    assert sent(lake) == [("up", FIRING)]
    received.status = 200
    assert sender.send() == []
    assert received.bodies == []  # it is waited for, as KIP-580 has it
    later = time.monotonic() + 2
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert sender.send() == []
    assert len(received.bodies) == 1
    other.server.shutdown()
    other.server.server_close()


def test_without_targets_nothing_is_read(tmp_path: Path) -> None:
    assert Sender(LakeWriter(tmp_path / "no lake"), [], LONG).send() == []


def test_an_address_that_nothing_knows() -> None:
    with pytest.raises(BadInput, match=r"alerts\.targets\.x") as refused:
        target_of("x", "nowhere://secret")
    assert "secret" not in refused.value.sentence


@pytest.fixture(scope="module")
def alertmanager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    program = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
    assert program is not None, "install Alertmanager (Debian: apt-get install prometheus-alertmanager)"
    folder = tmp_path_factory.mktemp("alertmanager")
    (folder / "conf.yml").write_text("route: {receiver: nobody}\nreceivers: [{name: nobody}]\n")
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [
        program, f"--config.file={folder / 'conf.yml'}", f"--storage.path={folder}", "--cluster.listen-address=",
        f"--web.listen-address={address}",
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(f"http://{address}/-/ready")
        yield address
    finally:
        process.kill()
        process.wait()


def _wait_for(url: str) -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(url, timeout=1).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"{url} does not answer")


def test_alertmanager_has_one_alert_while_it_goes_on_and_none_after(
    lake: LakeWriter, alertmanager: str
) -> None:
    def alerts() -> list[Any]:
        with urllib.request.urlopen(f"http://{alertmanager}/api/v2/alerts") as answer:
            return list(json.load(answer))

    sender = Sender(lake, [target_of("am", f"alertmanager+http://{alertmanager}")], LONG)
    sender.send()
    (alert,) = alerts()
    assert alert["labels"] == {
        "alertname": "KafkaClientIncident", "incident_id": sha("a"), "service": "orders", "severity": "page",
    }  # fmt: skip
    assert f"kipwatch explain {sha('a')[:12]}" in alert["annotations"]["description"]
    write(lake.root, "gold.incidents", [row("a", ended_at=row("a")["started_at"] + 1)])
    sender.send()
    assert alerts() == []


def test_a_test_alert_says_that_it_is_one(received: Received) -> None:
    target_of("t", f"json://{received.address}").send(selftest_notice("t", 0), "")
    assert "selftest" in received.bodies[0]["title"]
    received.status = 500
    with pytest.raises(NotSentError):
        target_of("t", f"json://{received.address}").send(selftest_notice("t", 0), "")


def test_the_selftest_goes_through_every_target(received: Received, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADDRESS", received.address)
    targets = {"a": "json://${ADDRESS}", "b": "alertmanager+http://${ADDRESS}"}
    assert send_tests(AlertsConf(targets, 6, None)) == {"a": "sent", "b": "HTTP 200"}
    received.status = 500
    with pytest.raises(BadInput, match=r"alerts\.targets\.a"):
        send_tests(AlertsConf(targets, 6, None))
    with pytest.raises(BadInput, match=r"alerts\.targets: is empty"):
        send_tests(AlertsConf({}, 6, None))
    with pytest.raises(BadInput, match="NO_SUCH"):
        send_tests(AlertsConf({"c": "json://${NO_SUCH}"}, 6, None))
