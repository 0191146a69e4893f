"""One Kafka broker with its controller (KRaft) on loopback, for tests: started, stopped, started again."""

import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from py4j.java_gateway import JavaMember
from py4j.protocol import STATIC_PREFIX, Py4JJavaError
from pyspark.sql import SparkSession

from jobs.inputs.brokers import load_client
from tests.broker.jars import broker_jars

CLUSTER = "5L6g3nShT-eMCtK--X86sw"
READY_SECONDS = 60
LOG4J = """\
Configuration:
  Appenders: {Console: {name: out, PatternLayout: {pattern: "[%d] %p %m (%c)%n"}}}
  Loggers: {Root: {level: INFO, AppenderRef: {ref: out}}}
"""


class Broker:
    """A broker whose data lies under `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port, controller = free_ports(2)
        self.address = f"127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None
        (folder / "log4j2.yaml").write_text(LOG4J)
        settings = {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "listeners": f"PLAINTEXT://{self.address},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": f"PLAINTEXT://{self.address}",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": folder / "data",
            "offsets.topic.replication.factor": 1,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            "offsets.topic.num.partitions": 2,
            "group.initial.rebalance.delay.ms": 500,
            "group.min.session.timeout.ms": 1000,
            "auto.create.topics.enable": "false",
        }
        lines = [f"{name}={value}" for name, value in settings.items()]
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
            self._process.wait(READY_SECONDS)
            self._process = None

    def _said(self) -> str:
        log = self.folder / "broker.log"
        return log.read_text(errors="replace") if log.exists() else ""

    def _java(self, *arguments: str) -> subprocess.Popen[bytes]:
        options = ["-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        options += ["-Dlog4j2.configurationFile=log4j2.yaml", "-cp", ":".join(broker_jars())]
        with (self.folder / "broker.log").open("ab") as log:
            return subprocess.Popen(["java", *options, *arguments], cwd=self.folder, stdout=log, stderr=log)


class Producer:
    """Makes topics and writes messages, by the client that Spark brings."""

    def __init__(self, spark: SparkSession, address: str) -> None:
        load_client(spark)
        kafka: Any = spark._jvm.org.apache.kafka.clients
        text = "org.apache.kafka.common.serialization.StringSerializer"
        settings = {
            "bootstrap.servers": address,
            "key.serializer": text,
            "value.serializer": text,
            "linger.ms": "5",
        }
        self._admin = kafka.admin.Admin.create({"bootstrap.servers": address})
        self._new_topic = kafka.admin.NewTopic
        self._partition = spark._jvm.org.apache.kafka.common.TopicPartition
        # By its full name: a getter of the same name hides it.
        before = f"{STATIC_PREFIX}org.apache.kafka.clients.admin.RecordsToDelete"
        self._before = JavaMember("beforeOffset", None, before, spark._jvm._gateway_client)
        self._record = kafka.producer.ProducerRecord
        self._producer = kafka.producer.KafkaProducer(settings)

    def topic(self, name: str, partitions: int = 1, **settings: str) -> None:
        """Make a topic."""
        made = self._new_topic(name, partitions, self._short(1))
        made = made.configs({key.replace("_", "."): value for key, value in settings.items()})
        self._admin.createTopics([made]).all().get()

    def anew(self, name: str, partitions: int = 1) -> None:
        """Make a topic; what there was under its name is gone."""
        with suppress(Py4JJavaError):
            self.drop(name)
        for _ in range(100):
            try:
                return self.topic(name, partitions)
            except Py4JJavaError:  # it is still being deleted
                time.sleep(0.1)
        raise RuntimeError(f"topic {name} can't be made anew")

    def drop(self, name: str) -> None:
        """Delete a topic."""
        self._admin.deleteTopics([name]).all().get()

    def forget(self, name: str, partition: int, before: int) -> None:
        """Delete messages, as retention does."""
        self._admin.deleteRecords({self._partition(name, partition): self._before(before)}).all().get()

    def write(self, topic: str, *values: tuple[int, str], key: str | None = None) -> None:
        """Write (partition, text) messages, in order, and wait until the broker has them."""
        for partition, value in values:
            self._producer.send(self._record(topic, partition, key, value))
        self._producer.flush()

    def close(self) -> None:
        """Let go of the broker."""
        self._producer.close()
        self._admin.close()

    def _short(self, number: int) -> Any:
        from pyspark import SparkContext

        return SparkContext._active_spark_context._jvm.java.lang.Short(str(number))


def free_ports(number: int) -> list[int]:
    """Ports that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports
