"""What a scenario is: who runs, what goes wrong and when, and what must be found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lab.record.proxy import Fault


@dataclass(frozen=True)
class Client:
    """One application. mode: producer, consumer, share, streams. library: librdkafka or java, of a release.

    app: what the application does besides (rate, slow, no_close, ..): lab.record.rdkafka_app, Client.java.
    starts_ms: when it starts, after the scenario's beginning.
    """

    name: str
    mode: str
    library: str
    version: str
    config: Mapping[str, Any]
    app: Mapping[str, Any] = field(default_factory=dict)
    starts_ms: int = 0
    debug_loggers: tuple[str, ...] = ()
    root_level: str = "INFO"


@dataclass(frozen=True)
class Step:
    """Something done at a time. does: begin or end (a fault by its name), freeze, thaw (broker or client), kill (a client);
    of the name `broker` kill9, stopped (in order) or restarted.
    """

    at_ms: int
    does: str
    name: str = ""
    fault: Fault | None = None


@dataclass(frozen=True)
class Semantics:
    """One promise and what became of it: rules are those that must fire where it is violated, and must not elsewhere."""

    kip: str
    rule: str
    verdict: str = "holds"
    why: str = ""
    rules: tuple[str, ...] = ()
    category: str | None = None
    clients: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scenario:
    """One recording."""

    name: str
    description: str
    clients: Sequence[Client]
    run_ms: int
    steps: Sequence[Step] = ()
    semantics: Sequence[Semantics] = ()
    topics: Mapping[str, int] = field(default_factory=lambda: {"orders": 2})
    feed_rate: float = 0  # records per second into the first topic, past the proxy
    broker: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kips(self) -> list[str]:
        return list(dict.fromkeys(one.kip for one in self.semantics))
