"""The job's own metrics and the fleet's, for Prometheus: a text file in the lake, and a page on loopback if asked for."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, generate_latest, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from jobs.storage.control_files import ControlFiles
from transforms.errors import BadInput
from transforms.explain.gauges import COUNTERS, GAUGES, NOTHING_KNOWN, FleetNow

FILE = "metrics.prom"
# A scrape stays small whatever the fleet: of more sources those that told something last are named.
MOST_SOURCES = 200


@dataclass(eq=False)  # a registry keeps its collectors by identity
class Measured(Collector):
    """What a job tells of itself and of the lake. newest: time of each source's newest record, in s since the epoch."""

    values: dict[str, float] = field(default_factory=lambda: dict.fromkeys((*COUNTERS, *GAUGES), 0.0))
    newest: Mapping[str, float] = field(default_factory=dict)
    fleet: FleetNow = NOTHING_KNOWN

    def add(self, name: str, number: float) -> None:
        """Count on."""
        self.values[name] += number

    def put(self, name: str, number: float) -> None:
        """Set a gauge."""
        self.values[name] = number

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        """The families of one scrape."""
        for name, says in COUNTERS.items():
            yield CounterMetricFamily(f"kipwatch_{name}", says, self.values[name])
        for name, says in GAUGES.items():
            yield GaugeMetricFamily(f"kipwatch_{name}", says, self.values[name])
        yield from self.fleet.families(time.time())
        freshness = GaugeMetricFamily(
            "kipwatch_source_newest_timestamp_seconds",
            "Time of the newest record of a source",
            labels=["source"],
        )
        latest = sorted(self.newest.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_SOURCES]
        for source, at in sorted(latest):
            # A path may hold lone surrogates, which no text has.
            freshness.add_metric([source.encode("utf-8", "replace").decode()], at)
        yield freshness

    def text(self) -> str:
        """In Prometheus' text format."""
        return generate_latest(self._registry()).decode()

    def write(self, files: ControlFiles) -> None:
        """Among the lake's control files, whole or not at all."""
        self.put("last_trigger_timestamp_seconds", time.time())
        files.write(FILE, self.text().encode())

    def _registry(self) -> CollectorRegistry:
        registry = CollectorRegistry(auto_describe=False)
        registry.register(self)
        return registry


@contextmanager
def served(measured: Measured, port: int | None) -> Iterator[None]:
    """The metrics under http://127.0.0.1:port/metrics while the block runs; nothing where no port is given.

    Raises: BadInput where the port is taken.
    """
    if port is None:
        yield
        return
    try:
        server, keeper = start_http_server(port, addr="127.0.0.1", registry=measured._registry())
    except OSError as error:
        raise BadInput(
            f"port {port} can't be opened ({error.strerror})", where="--metrics-port", todo="give another"
        ) from None
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        keeper.join()
