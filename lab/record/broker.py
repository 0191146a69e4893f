"""One Kafka broker with its controller (KRaft) on loopback: started, stopped, started again."""

import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from lab.ports import free_ports
from lab.record.jars import broker_jars

CLUSTER = "5L6g3nShT-eMCtK--X86sw"
READY_SECONDS = 60
LOG4J = """\
Configuration:
  Appenders: {Console: {name: out, PatternLayout: {pattern: "[%d] %p %m (%c)%n"}}}
  Loggers: {Root: {level: INFO, AppenderRef: {ref: out}}}
"""


class Broker:
    """A broker whose data lies under `folder`.

    proxied: where clients of `address` reach it, if not directly. others: more settings, by Kafka's names.
    """

    def __init__(
        self, folder: Path, proxied: int | None = None, others: Mapping[str, object] | None = None
    ) -> None:
        self.folder = folder
        self.port, controller, direct = free_ports(3)
        self.address = f"127.0.0.1:{self.port}"
        self.direct = f"127.0.0.1:{direct}"  # past the proxy
        self._process: subprocess.Popen[bytes] | None = None
        (folder / "log4j2.yaml").write_text(LOG4J)
        self.settings: dict[str, object] = {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "listeners": f"PLAINTEXT://{self.address},DIRECT://{self.direct},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{proxied or self.port},DIRECT://{self.direct}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,DIRECT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "inter.broker.listener.name": "DIRECT",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": folder / "data",
            "offsets.topic.replication.factor": 1,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            "offsets.topic.num.partitions": 2,
            "group.initial.rebalance.delay.ms": 500,
            "group.min.session.timeout.ms": 1000,
            "auto.create.topics.enable": "false",
        } | dict(others or {})
        lines = [f"{name}={value}" for name, value in self.settings.items()]
        (folder / "server.properties").write_text("\n".join(lines) + "\n")
        self._java("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", "server.properties").wait()

    def start(self) -> None:
        """Start, and wait until it takes connections."""
        before = self._said().count("Kafka Server started")
        self._process = self._java("kafka.Kafka", "server.properties")
        until = time.monotonic() + READY_SECONDS
        while time.monotonic() < until and self._process.poll() is None:
            if self._said().count("Kafka Server started") > before:
                return
            time.sleep(0.1)
        raise RuntimeError(f"no broker: {self._said()[-2000:]}")

    def stop(self) -> None:
        """Stop, if it runs."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(READY_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def crash(self) -> None:
        """End at once, as a process that is killed; it may be started again."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """Stand still, as a machine that is suspended."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Go on."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def _said(self) -> str:
        log = self.folder / "broker.log"
        return log.read_text(errors="replace") if log.exists() else ""

    def _java(self, *arguments: str) -> subprocess.Popen[bytes]:
        options = ["-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        options += ["-Dlog4j2.configurationFile=log4j2.yaml", "-cp", ":".join(broker_jars())]
        with (self.folder / "broker.log").open("ab") as log:
            return subprocess.Popen(["java", *options, *arguments], cwd=self.folder, stdout=log, stderr=log)
