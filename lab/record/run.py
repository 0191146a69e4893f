"""Runs one scenario: broker, proxy and clients up, faults by the clock, everything collected into a folder."""

import gzip
import json
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from lab.record.broker import Broker
from lab.record.jars import KAFKA, client_jars
from lab.record.proxy import Proxy, now
from lab.record.scenario import Client, Scenario
from lab.record.truth import truth_of
from lab.record.venvs import interpreter

PORT = 19092  # where the proxy listens: what clients log of their broker
HERE = Path(__file__).parent
FEEDER = "2.16.1"
AFTER_MS = 25_000  # how long a client may take to end by itself
# What the broker's log keeps: coordinators, transactions, the server, how it had ended, and all that is not INFO.
_KEPT = re.compile(
    r"^\[[^\]]+\] (?:WARN|ERROR|FATAL)|oordinator|\(kafka\.server\.(?:Kafka|Broker|KafkaRaft)Server\)|ransaction"
    r"|clean shutdown file|is now STARTING"
)
_RECORD = re.compile(r"^\[\d{4}-")
_SINCE = re.compile(r"^( *)// since (\d+)\.(\d+)\n(.*?)^\1// end\n", re.MULTILINE | re.DOTALL)
# XML: the clients' jars read no YAML.
_JAVA_LOG4J = """\
<Configuration>
  <Appenders>
    <File name="out" fileName="{log}"><PatternLayout pattern="[%d] %p %m (%c)%n"/></File>
  </Appenders>
  <Loggers>{loggers}<Root level="{level}"><AppenderRef ref="out"/></Root></Loggers>
</Configuration>
"""
# Releases of confluent-kafka whose librdkafka has another number.
BINDING = {"2.16.0": "2.16.1"}
SIGNALS = {"freeze": signal.SIGSTOP, "thaw": signal.SIGCONT, "kill": signal.SIGKILL}


class Running:
    """A client's process."""

    def __init__(self, client: Client, folder: Path, run_ms: int) -> None:
        self.client, self.started = client, now()
        self.log = folder / f"{client.name}.app.log"
        self.events = folder / f"{client.name}.events.jsonl"
        self.metrics = folder / f"{client.name}.metrics.jsonl"
        self.config = {"bootstrap.servers": f"127.0.0.1:{PORT}", "client.id": client.name, **client.config}
        if client.mode == "streams":
            self.config["state.dir"] = str(folder / client.name)
        given = {
            "mode": client.mode, "config": self.config, "events": str(self.events), "run_ms": run_ms - client.starts_ms,
            "topic": "orders", **client.app,
        }  # fmt: skip
        if given.get("stats"):
            given["stats"] = str(self.metrics)
        self.given = folder / f"{client.name}.json"
        self.given.write_text(json.dumps(given))
        self.process = _rdkafka(self) if client.library == "librdkafka" else _java(self, given, folder)


def _needed(client: Client) -> Any:
    return client_jars(client.version) if client.library == "java" else interpreter(_binding(client.version))


def _binding(version: str) -> str:
    return BINDING.get(version, version)


def _rdkafka(running: Running) -> subprocess.Popen[bytes]:
    python = interpreter(_binding(running.client.version))
    with running.log.open("wb") as log:
        return subprocess.Popen(
            [python, HERE / "rdkafka_app.py", running.given], stdout=log, stderr=log, start_new_session=True
        )


def _java(running: Running, given: dict[str, Any], folder: Path) -> subprocess.Popen[bytes]:
    client = running.client
    level = "DEBUG"
    loggers = "".join(f'<Logger name="{name}" level="{level}"/>' for name in client.debug_loggers)
    config = folder / f"{client.name}.log4j2.xml"
    config.write_text(_JAVA_LOG4J.format(log=running.log, level=client.root_level, loggers=loggers))
    settings = folder / f"{client.name}.properties"
    lines = [f"{name}={value}" for name, value in running.config.items()]
    lines += [f"app.{name}={_flat(value)}" for name, value in given.items() if name != "config"]
    settings.write_text("\n".join(lines) + "\n")
    options = [
        "-Xmx192m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        f"-Dlog4j2.configurationFile={config}",
    ]
    source = folder / f"{client.name}.source" / "Client.java"
    source.parent.mkdir(exist_ok=True)
    source.write_text(source_for(client.version))
    command = ["java", *options, "-cp", ":".join(client_jars(client.version)), source, settings]
    with (folder / f"{client.name}.out").open("wb") as out:
        return subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)


def source_for(version: str) -> str:
    """The Java application without what a release can't compile."""
    release = tuple(int(part) for part in version.split(".")[:2])

    def kept(part: re.Match[str]) -> str:
        return _SINCE.sub(kept, part[4]) if (int(part[2]), int(part[3])) <= release else ""

    return _SINCE.sub(kept, (HERE / "Client.java").read_text())


def _flat(value: Any) -> Any:
    return ",".join(f"{after}:{length}" for after, length in value) if isinstance(value, list) else value


def record(scenario: Scenario, into: Path) -> Path:
    """Run a scenario and leave its recording in a folder of its name under `into`."""
    for client in scenario.clients:  # what has to be downloaded is here before the clock starts
        _needed(client)
    with tempfile.TemporaryDirectory(prefix="record-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        (folder / "broker").mkdir()
        broker = Broker(folder / "broker", PORT, scenario.broker)
        broker_events = [{"t": now(), "event": "broker_started"}]
        broker.start()
        proxy = Proxy(PORT, broker.port, folder / "wire.jsonl")
        try:
            feeder = _feed(scenario, broker, folder)
            truth = {"from": now()}
            running, faults = _play(scenario, folder, broker, proxy)
            truth["to"] = now()
            feeder.terminate()
            feeder.wait(30)
        finally:
            broker.thaw()
            proxy.close()
            broker.stop()
        target = into / scenario.name
        target.mkdir(parents=True, exist_ok=True)
        _collect(folder, target, running)
        found = truth_of(scenario, folder, running, faults, truth, broker, KAFKA)
        found["broker_events"] = broker_events
        _write(target / "truth.json.gz", json.dumps(found, indent=1).encode())
    return target


def _feed(scenario: Scenario, broker: Broker, folder: Path) -> subprocess.Popen[bytes]:
    given = {
        "mode": "feeder", "config": {"bootstrap.servers": broker.direct}, "events": str(folder / "feeder.events"),
        "run_ms": 10**9, "topics": dict(scenario.topics), "rate": scenario.feed_rate,
    }  # fmt: skip
    path = folder / "feeder.json"
    path.write_text(json.dumps(given))
    with (folder / "feeder.log").open("wb") as log:
        made = subprocess.Popen([interpreter(FEEDER), HERE / "rdkafka_app.py", path], stdout=log, stderr=log)
    for _ in range(300):
        if (
            "topics_made" in (folder / "feeder.events").read_text()
            if (folder / "feeder.events").exists()
            else ""
        ):
            return made
        time.sleep(0.1)
    raise RuntimeError(f"no topics: {(folder / 'feeder.log').read_text()[-2000:]}")


def _play(
    scenario: Scenario, folder: Path, broker: Broker, proxy: Proxy
) -> tuple[list[Running], list[dict[str, Any]]]:
    begun = time.monotonic()
    waiting = sorted(
        [(client.starts_ms, 0, client) for client in scenario.clients]
        + [(step.at_ms, 1, step) for step in scenario.steps],
        key=lambda one: one[:2],
    )
    of_broker = {
        "freeze": broker.freeze, "thaw": broker.thaw,
        "kill9": broker.crash, "stopped": broker.stop, "restarted": broker.start,
    }  # fmt: skip
    running: list[Running] = []
    faults: list[dict[str, Any]] = []
    for at_ms, _, what in waiting:
        time.sleep(max(0.0, begun + at_ms / 1000 - time.monotonic()))
        if isinstance(what, Client):
            running.append(Running(what, folder, scenario.run_ms))
            continue
        begun_at = now()
        if what.does == "begin" and what.fault is not None:
            proxy.begin(what.name, what.fault)
        elif what.does == "end":
            proxy.end(what.name)
        elif what.name in ("", "broker"):
            of_broker[what.does]()
        else:
            next(one for one in running if one.client.name == what.name).process.send_signal(
                SIGNALS[what.does]
            )
        at = now() if what.does == "restarted" else begun_at  # it takes a while until a broker is there again
        faults.append({"t": at, "fault": f"{what.name or what.does}_{what.does}"} | _of(what.fault))
    until = begun + (scenario.run_ms + AFTER_MS) / 1000
    for one in running:
        try:
            one.process.wait(max(1.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            one.process.kill()
            one.process.wait()
    return running, faults


def _of(fault: Any) -> dict[str, Any]:
    return (
        {"how": fault.how, "apis": list(fault.apis), "client": fault.client, "code": fault.code}
        if fault
        else {}
    )


def _collect(folder: Path, target: Path, running: list[Running]) -> None:
    for one in running:
        for path in (one.log, one.events, one.metrics):
            if path.exists():
                _write(target / f"{path.name}.gz", _without_paths(path.read_bytes(), folder))
    _write(target / "wire.jsonl.gz", (folder / "wire.jsonl").read_bytes())
    text = (folder / "broker" / "broker.log").read_text(errors="replace")
    records = re.split(r"(?m)^(?=\[\d{4}-)", text)
    kept = "".join(
        record for record in records if _RECORD.match(record) and _KEPT.search(record.split("\n")[0])
    )
    _write(target / "broker.log.gz", _without_paths(kept.encode(), folder))


def _without_paths(data: bytes, folder: Path) -> bytes:
    data = data.replace(str(folder / "broker" / "data").encode(), b"/var/lib/kafka/data")
    data = data.replace(str(folder).encode(), b"/var/lib/app")
    return data.replace(str(HERE).encode(), b"/opt/app").replace(str(HERE.parents[1]).encode(), b"/opt")


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(gzip.compress(data, 9, mtime=0))
