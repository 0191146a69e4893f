"""What the configuration dumps of a process say, as far as KIP-572 and KIP-580 have rules about it.

One StreamsFacts per Kafka Streams instance and start of the process, one BackoffFacts per client and dump class. They are
given when the process starts anew, or at the end: a warning may follow its dump. Source: StreamsConfig, CommonClientConfigs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from transforms.events import ClientEvent
from transforms.timers.bounded import make_room
from transforms.timers.episodes import Episode, episode_id
from transforms.timers.profile import ClientProfile
from transforms.whole import whole_or_none

KEPT = 1024
CLIENT_CLASSES = {"ProducerConfig": "producer", "ConsumerConfig": "consumer", "AdminClientConfig": "admin"}
# The client calls that Streams retries under the task timer, and the setting that bounds each: class, setting.
CALL_LIMITS = (("ConsumerConfig", "default.api.timeout.ms"), ("ProducerConfig", "max.block.ms"))
KINDS = frozenset({"config_dump", "config_warning"})


@dataclass(slots=True, kw_only=True)
class StreamsFacts(Episode):
    """A Streams instance as configured. Judged, not stored.

    retries: as its dump prints it, None where it has no such key. call_limits: name -> (ms, event), of its clients.
    """

    config_id: str
    happened_at: int | None = None
    retries: int | None = None
    retries_warning_id: str | None = None
    task_timeout_ms: int | None = None
    call_limits: dict[str, tuple[int, str]] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class BackoffFacts(Episode):
    """A client's backoff as its dump prints it, and whether the warning about base above cap is in the log."""

    config_id: str
    config_class: str
    happened_at: int | None = None
    base_ms: int | None = None
    cap_ms: int | None = None
    warning_id: str | None = None


@dataclass(slots=True)
class ClientConfigs:
    """Machine: events of one process -> StreamsFacts and BackoffFacts."""

    incarnation: int = 0
    streams: StreamsFacts | None = None
    clients: dict[tuple[str, str | None], BackoffFacts] = field(default_factory=dict)
    limits: dict[str, tuple[int, str]] = field(default_factory=dict)
    retries_warning: tuple[str, ClientEvent, ClientProfile] | None = None
    warnings: dict[tuple[str | None, str | None], str] = field(default_factory=dict)

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """The facts of the start before, when the process starts anew."""
        if event.kind not in KINDS:
            return ()
        found = list(self._close()) if event.incarnation != self.incarnation else []
        self.incarnation = event.incarnation
        if event.kind == "config_dump":
            self._dumped(event, profile)
        elif event.message_id == "streams-retries-deprecated" and _name(event) in (None, "retries"):
            self.retries_warning = (event.event_id, event, profile)
        elif event.message_id == "config-backoff-static":
            pair = (event.details.get("retry_backoff_ms"), event.details.get("retry_backoff_max_ms"))
            self.warnings[pair] = event.event_id
        return found

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """The facts of the last start."""
        return list(self._close())

    def _dumped(self, event: ClientEvent, profile: ClientProfile) -> None:
        name = event.details.get("config_class")
        if name == "StreamsConfig":
            self.streams = StreamsFacts(
                **_common(event, profile, "streams_facts"),
                happened_at=event.happened_at,
                retries=_whole(event, "retries"),
                task_timeout_ms=_whole(event, "task.timeout.ms"),
            )
        elif name in CLIENT_CLASSES:
            for config_class, setting in CALL_LIMITS:
                value = _whole(event, setting)
                if name == config_class and value is not None and _runs_tasks(event):
                    kept = self.limits.get(setting)
                    if kept is None or value < kept[0]:
                        self.limits[setting] = (value, event.event_id)
            self._client(event, profile, name)

    def _client(self, event: ClientEvent, profile: ClientProfile, name: str) -> None:
        client_id = event.client_id or event.details.get("config.client.id")
        make_room(self.clients, KEPT)
        self.clients[(name, client_id)] = BackoffFacts(
            **_common(event, profile, "backoff_facts"),
            config_class=name,
            happened_at=event.happened_at,
            base_ms=_whole(event, "retry.backoff.ms"),
            cap_ms=_whole(event, "retry.backoff.max.ms"),
        )

    def _close(self) -> Iterator[Episode]:
        facts = self.streams
        if facts is None and self.retries_warning is not None:
            _, event, profile = self.retries_warning
            facts = StreamsFacts(**_common(event, profile, "streams_facts"), happened_at=event.happened_at)
        if facts is not None:
            facts.retries_warning_id = self.retries_warning[0] if self.retries_warning else None
            facts.call_limits = dict(self.limits)
            yield facts
        for client in self.clients.values():
            client.warning_id = self.warnings.get((str(client.base_ms), str(client.cap_ms)))
            yield client
        self.streams, self.retries_warning = None, None
        self.clients.clear()
        self.limits.clear()
        self.warnings.clear()


def _common(event: ClientEvent, profile: ClientProfile, machine: str) -> dict[str, Any]:
    return {
        "unit_id": event.unit_id,
        "incarnation": event.incarnation,
        "client_id": event.client_id or profile.client_id,
        "service": event.service,
        "instance": event.instance,
        "event_ids": [event.event_id],
        "profile": profile,
        "config_id": episode_id(event.unit_id, machine, event.event_id),
    }


def _name(event: ClientEvent) -> str | None:
    return event.details.get("config_name")


def _runs_tasks(event: ClientEvent) -> bool:
    """Whether the dump is of a client that makes tasks' calls: a stream thread's consumer or producer."""
    return "-StreamThread-" in event.details.get("config.client.id", "")


def _whole(event: ClientEvent, name: str) -> int | None:
    return whole_or_none(event.details.get(f"config.{name}"))
