"""The recordings of real clients (tests/recordings): where each file is, and what is true of it."""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

NETWORK_CLIENT = "org.apache.kafka.clients.NetworkClient"
TOLD_BY_NETWORK = (2, 7)  # the first release in which it logs what is sent and answered
ROOT = Path(__file__).parents[1] / "tests" / "recordings"


def ms(text: str) -> int:
    """`2026-11-21T02:43:56.803Z` as ms since the epoch, UTC."""
    at = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round(at.timestamp() * 1000)


@dataclass(frozen=True)
class Client:
    """A client of a recording, as truth.json tells of it."""

    name: str
    mode: str
    version: tuple[int, ...]
    log_file: str
    root_level: str
    debug_loggers: tuple[str, ...]
    config: dict[str, str]
    library: str = "java"

    @property
    def instance(self) -> str:
        """The unit's instance: the log file without .gz."""
        return self.log_file.removesuffix(".gz")

    @property
    def is_classic(self) -> bool:
        """Whether it is no member by KIP-848, 932 or 1071: those join by heartbeats."""
        return self.mode != "share" and self.config.get("group.protocol", "classic") == "classic"

    @property
    def shows_joins(self) -> bool:
        """Whether its log tells of joins and plain leaves: librdkafka's does with debug=cgrp."""
        return self.library == "java" or "cgrp" in self.config.get("debug", "")

    def shows_debug(self, logger: str) -> bool:
        """Whether this client's log has DEBUG lines of the logger; of librdkafka, what it sends and gets."""
        if self.library != "java":
            return {"protocol", "msg"} <= set(self.config.get("debug", "").split(","))
        if logger == NETWORK_CLIENT and self.version[:2] < TOLD_BY_NETWORK:
            return False
        if self.root_level in ("DEBUG", "TRACE"):
            return True
        return any(logger == name or logger.startswith(f"{name}.") for name in self.debug_loggers)


@dataclass(frozen=True)
class Recording:
    """One scenario: a folder of tests/recordings."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @cached_property
    def truth(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(gzip.decompress((self.folder / "truth.json.gz").read_bytes()))
        return found

    @cached_property
    def clients(self) -> list[Client]:
        return [
            Client(
                name=entry["name"],
                mode=entry["mode"],
                version=tuple(int(part) for part in entry["kafka_version"].split(".")),
                log_file=entry["log_file"],
                root_level=entry["root_level"],
                debug_loggers=tuple(entry["debug_loggers"]),
                config=entry["config"],
                library=entry.get("library", "java"),
            )
            for entry in self.truth["clients"]
        ]

    @property
    def facts(self) -> dict[str, Any]:
        found: dict[str, Any] = self.truth["expected"]["facts"]
        return found

    @property
    def semantics(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.truth["expected"]["semantics"]
        return found

    @property
    def logs(self) -> list[Path]:
        """Client and broker logs, what kipwatch is given."""
        return sorted([*self.folder.glob("*app.log.gz"), self.folder / "broker.log.gz"])

    @cached_property
    def shut(self) -> list[tuple[int, int]]:
        """When nobody could reach the proxy or what stands behind it, so that the wire shows no send (ms, from and to)."""
        found, since = [], {}
        ends = dict.fromkeys(("broker_kill9", "broker_stopped"), "broker_restarted")
        for fault in self.truth["injected_faults"]:
            name, at = fault["fault"], ms(fault["t"])
            if fault.get("how") == "reset" or name in ends:
                since[ends.get(name, name.replace("_begin", "_end"))] = at
            elif name in since:
                found.append((since.pop(name), at))
        return found + [(at, ms(self.truth["recorded"]["to"])) for at in since.values()]

    def wire(self) -> Iterator[dict[str, Any]]:
        """What the proxy saw, in order."""
        return _json_lines(self.folder / "wire.jsonl.gz")

    def events(self, client: str) -> Iterator[dict[str, Any]]:
        """What the code around a client saw, in order; nothing where it was not noted."""
        for path in self.folder.glob("*events.jsonl.gz"):
            if path.name.split(".")[0] == client:
                yield from _json_lines(path)

    def log_text(self, client: Client) -> str:
        return gzip.decompress((self.folder / f"{client.instance}.gz").read_bytes()).decode(errors="replace")


_BEGINS = re.compile(r"^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3})\]", re.MULTILINE)


def times_said(log: str, text: str) -> list[int]:
    """When a text stands in a log of Kafka's default layout in UTC, as all recordings are (ms)."""
    said = []
    place = log.find(text)
    while place >= 0:
        begin = log.rfind("\n[20", 0, place) + 1
        if match := _BEGINS.match(log, begin):
            said.append(ms(f"{match.group(1).replace(' ', 'T')}.{match.group(2)}Z"))
        place = log.find(text, place + 1)
    return said


def recordings(*names: str, root: Path = ROOT) -> list[Recording]:
    """All recordings under a folder, or those whose name begins with one of `names`, by name.

    Raises: SystemExit where a name fits none.
    """
    found = [Recording(path.parent) for path in sorted(root.glob("*/truth.json.gz"))]
    for name in names:
        if not any(recording.name.startswith(name) for recording in found):
            raise SystemExit(f"no recording begins with {name!r}; see {root.name}/")
    return [r for r in found if not names or r.name.startswith(names)]


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
