"""An outage over 200 clients as a stream sees it, from lines in files to an HTTP target: one alert, and one end."""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from conf.settings import load_conf
from jobs.pipeline import Input, open_lake
from jobs.streaming.stream import Stream
from lab.soak.kills import NO_SESSION, QUIET
from tests.jobs.alerts.test_sender import Received
from tests.story import START, line

CLIENTS, OF_EACH = 200, 10  # of each process
KAFKA = "org.apache.kafka.clients"
REFUSED = (
    "Connection to node {0} (kafka{0}/10.0.0.{0}:9092) could not be established. Node may not be available."
)
AT = START.timestamp()


def began(client: int) -> str:
    """More than what a file is known by, so that it stays the same file when it grows."""
    return "".join(
        said(client, number / 100, "INFO", "Metadata", "Cluster ID: abcdefghijk") for number in range(12)
    )


def lost(client: int, node: int, *seconds: int) -> str:
    """What a client says when it can't reach a broker."""
    return "".join(said(client, at, "WARN", "NetworkClient", REFUSED.format(node)) for at in seconds)


def said(client: int, at: float, level: str, logger: str, message: str) -> str:
    who = f"[Consumer clientId=c-{client}, groupId=g-{client}] "
    return line(round(at * 1_000), level, f"{KAFKA}.{logger}", who + message) + "\n"


class Watched:
    """A stream that is always on, by a clock of the test's."""

    def __init__(self, lake: Stream, logs: Path, received: Received, clock: SimpleNamespace) -> None:
        self._stream, self._logs, self._received, self._clock = lake, logs, received, clock

    def alerts(self, at: int, texts: Mapping[int, str]) -> list[tuple[str, bool]]:
        """What arrives at `at` (s after START), each alert's key and whether it is over. texts: new lines by client."""
        lines = defaultdict(list)
        for client, text in texts.items():
            lines[self._logs / f"p{client // OF_EACH}" / "app.log"] += text.splitlines(keepends=True)
        for file, new in lines.items():
            file.parent.mkdir(exist_ok=True)
            with file.open("a") as opened:
                opened.writelines(sorted(new))
        self._clock.now = AT + at
        while (result := self._stream.once()) is None or result.read:
            pass
        self._stream.once()
        bodies, self._received.bodies[:] = [*self._received.bodies], []
        return [
            (one["labels"]["incident_id"], datetime.fromisoformat(one["endsAt"]).timestamp() <= time.time())
            for body in bodies
            for one in body
        ]


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    received, conf, logs, clock = Received(), load_conf(), tmp_path / "logs", SimpleNamespace(now=AT)
    clock.time, clock.monotonic = lambda: clock.now, time.monotonic
    monkeypatch.setattr("jobs.alerts.sender.time", clock)
    targets = {"t": f"alertmanager+http://{received.address}"}
    conf = replace(conf, alerts=replace(conf.alerts, targets=targets))
    logs.mkdir()
    with open_lake(tmp_path / "lake", conf) as lake:
        yield Watched(Stream(NO_SESSION, lake, Input([str(logs)]), conf, QUIET), logs, received, clock)
    received.server.shutdown()
    received.server.server_close()


def test_one_outage_is_one_alert_and_one_end_however_it_comes_to_be_seen(watched: Watched) -> None:
    """One client's lines first, then all others', some of earlier times; then more of all; then nothing."""
    everyone = range(CLIENTS)
    ((key, is_over),) = watched.alerts(5, {77: began(77) + lost(77, 1, 3, 4)})
    assert not is_over
    seen = watched.alerts(
        15, {n: (began(n) if n // OF_EACH != 7 else "") + lost(n, 1, 4 + n % 5) for n in everyone}
    )
    seen += watched.alerts(25, {n: lost(n, 1, 19, 20) for n in everyone})
    assert set(seen) <= {(key, False)}  # shown again as what it has become, under its own key
    assert watched.alerts(60, {}) == []
    assert watched.alerts(600, {}) == [(key, True)]
    assert watched.alerts(700, {}) == []


def test_two_faults_that_overlap_are_two_alerts_and_two_ends(watched: Watched) -> None:
    first = watched.alerts(10, {n: began(n) + lost(n, n // OF_EACH % 2, 3 + n % 4) for n in range(40)})
    first += watched.alerts(20, {n: lost(n, n // OF_EACH % 2, 12, 14) for n in range(40)})
    assert len({key for key, _ in first}) == 2
    assert not any(is_over for _, is_over in first)
    over = watched.alerts(600, {})
    assert sorted(over) == sorted({(key, True) for key, _ in first})
