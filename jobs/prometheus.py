"""The stream's own metrics, for Prometheus: a text file in the lake, and a page on loopback where it is asked for.

Source: Prometheus, Exposition formats (text format 0.0.4).
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from jobs.errors import BadInput
from jobs.storage.control_files import ControlFiles

FILE = "metrics.prom"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# A scrape stays small whatever the fleet: of more sources those that told something last are named.
MOST_SOURCES = 200

COUNTERS = {
    "triggers": "Looks for input, with and without any",
    "triggers_with_input": "Triggers that had something to do",
    "failures": "Triggers that failed; what they left is finished by the next",
    "rows_in": "Log records read",
    "rows_out": "Events written",
    "late": "Events that came later than stream.allowed_lateness_hours: the next run folds them in",
    "quarantined": "Pieces of input that no reader understood (bronze.unparsed)",
    "trigger_seconds": "Time spent in triggers",
}
GAUGES = {
    "last_trigger_seconds": "How long the last trigger with input took",
    "last_trigger_timestamp_seconds": "When the last trigger ended",
    "lag_seconds": "From the newest record's time to the end of the last trigger with input",
    "backlog_bytes": "Bytes of files that the last trigger left for the next",
    "backlog_messages": "Messages of topics that the last trigger left for the next",
}
FRESHNESS = "kipwatch_source_newest_timestamp_seconds"


@dataclass(slots=True)
class Measured:
    """What a stream tells of itself. newest: time of each source's newest record, in s since the epoch."""

    values: dict[str, float] = field(default_factory=lambda: dict.fromkeys((*COUNTERS, *GAUGES), 0.0))
    newest: Mapping[str, float] = field(default_factory=dict)

    def add(self, name: str, number: float) -> None:
        """Count on."""
        self.values[name] += number

    def put(self, name: str, number: float) -> None:
        """Set a gauge."""
        self.values[name] = number

    def text(self) -> str:
        """In Prometheus' text format."""
        lines = []
        for kind, names in (("counter", COUNTERS), ("gauge", GAUGES)):
            for name, says in names.items():
                full = f"kipwatch_{name}{'_total' if kind == 'counter' else ''}"
                lines += [
                    f"# HELP {full} {says}",
                    f"# TYPE {full} {kind}",
                    f"{full} {self.values[name]:.15g}",
                ]
        lines += [f"# HELP {FRESHNESS} Time of the newest record of a source", f"# TYPE {FRESHNESS} gauge"]
        latest = sorted(self.newest.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_SOURCES]
        lines += [f'{FRESHNESS}{{source="{_label(source)}"}} {at:.3f}' for source, at in sorted(latest)]
        return "\n".join(lines) + "\n"

    def write(self, files: ControlFiles) -> None:
        """Among the lake's control files, whole or not at all."""
        self.put("last_trigger_timestamp_seconds", time.time())
        files.write(FILE, self.text().encode())


def _label(text: str) -> str:
    """A path may hold anything, lone surrogates too."""
    text = text.encode("utf-8", "replace").decode()
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


@contextmanager
def served(measured: Measured, port: int | None) -> Iterator[None]:
    """The metrics under http://127.0.0.1:port/metrics while the block runs; nothing where no port is given.

    Raises: BadInput where the port is taken.
    """
    if port is None:
        yield
        return

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """The one page there is."""
            is_known = self.path == "/metrics"
            body = (measured.text() if is_known else "see /metrics\n").encode()
            self.send_response(200 if is_known else 404)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name is the base class's)
            """Scrapes are not worth a line."""

    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), Page)
    except OSError as error:
        raise BadInput(
            f"port {port} can't be opened ({error.strerror})", where="--metrics-port", todo="give another"
        ) from None
    keeper = threading.Thread(target=server.serve_forever, daemon=True)
    keeper.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        keeper.join()
