"""A real consumer in a JVM of its own, driven from here call by call: what it logs goes into a file."""

import subprocess
import time
from pathlib import Path
from typing import Any

import pyspark
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from lab.record.jars import broker_jars

LOG4J = """\
Configuration:
  Appenders:
    File: {{name: out, fileName: "{log}", PatternLayout: {{pattern: "[%d] %p %m (%c)%n"}}}}
  Loggers: {{Root: {{level: INFO, AppenderRef: {{ref: out}}}}}}
"""


class Consumer:
    """A consumer of one topic. Settings as Kafka names them, with underscores."""

    def __init__(self, folder: Path, log: Path, servers: str, topic: str, **settings: str) -> None:
        config = folder / "client-log4j2.yaml"
        config.write_text(LOG4J.format(log=log))
        (py4j,) = Path(pyspark.__file__).parent.joinpath("jars").glob("py4j-*.jar")
        port, self._process = launch_gateway(
            jarpath=str(py4j),
            classpath=":".join(broker_jars()),
            javaopts=["-Xmx128m", "-XX:TieredStopAtLevel=1", f"-Dlog4j2.configurationFile={config}"],
            die_on_exit=True,
            redirect_stdout=subprocess.DEVNULL,
            redirect_stderr=subprocess.DEVNULL,
            return_proc=True,
        )
        self._gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auto_convert=True))
        jvm: Any = self._gateway.jvm
        text = "org.apache.kafka.common.serialization.StringDeserializer"
        given = {
            "bootstrap.servers": servers, "group.id": topic, "client.id": "orders-1", "key.deserializer": text,
            "value.deserializer": text, "auto.offset.reset": "earliest", "enable.auto.commit": "false",
        }  # fmt: skip
        given |= {name.replace("_", "."): value for name, value in settings.items()}
        self._wait = jvm.java.time.Duration.ofMillis(500)
        self._consumer = jvm.org.apache.kafka.clients.consumer.KafkaConsumer(given)
        self._consumer.subscribe([topic])

    def poll(self) -> int:
        """One poll; gives how many records came."""
        return int(self._consumer.poll(self._wait).count())

    def poll_until_records(self, seconds: float) -> None:
        """Until it has some."""
        until = time.monotonic() + seconds
        while not self.poll():
            if time.monotonic() > until:
                raise RuntimeError("no record came")

    def close(self) -> None:
        """Leave, and end the process."""
        try:
            self._consumer.close()
        finally:
            self._gateway.shutdown()
            self._process.terminate()
            self._process.wait(10)
