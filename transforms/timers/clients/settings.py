"""The effective settings and the version of every client of one process, as of any of its events."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from itertools import chain
from operator import itemgetter
from typing import Any

from transforms.events import JAVA, ClientEvent
from transforms.timers.clients.clients import ClientLife, Clients
from transforms.timers.clients.incarnations import Order, starts_of
from transforms.timers.clients.others import OtherClients
from transforms.timers.clients.versions import DefaultTables, Version, defaults_at, named
from transforms.timers.profile import ClientProfile, Setting

CONTROL_KINDS = frozenset({"config_dump", "config_warning", "lifecycle"})
CONTROL_MESSAGES = frozenset({"leave-group", "streams-client-state"})
# Without effect under group.protocol=consumer (KIP-848), or =streams of the Streams client that a consumer is in (KIP-1071),
# whatever the dump prints: the broker's are.
OF_CLASSIC_GROUPS = ("session.timeout.ms", "heartbeat.interval.ms")


def is_control(event: ClientEvent) -> bool:
    """Whether an event says what the process is: its clients, their settings, its version, its starts."""
    return event.kind in CONTROL_KINDS or event.message_id in CONTROL_MESSAGES


def timer_kind_and_elapsed(limit_ms: int, remaining_ms: int) -> tuple[str, int]:
    """Kind and elapsed ms of a line that says how much of task.timeout.ms is left.

    AbstractTask.maybeInitTaskTimeoutOrThrow: only a streak's first line has all of it left.
    """
    elapsed_ms = limit_ms - remaining_ms
    return ("task_timeout_continue" if elapsed_ms else "task_timeout_start"), elapsed_ms


@dataclass(frozen=True, slots=True)
class _Control:
    """The control events among events, as often as they are gone through."""

    events: Iterable[ClientEvent]

    def __iter__(self) -> Iterator[ClientEvent]:
        return filter(is_control, self.events)


class UnitSettings:
    """What is known of the clients of one unit. Plain data, built once from the unit's control events."""

    def __init__(
        self,
        clients: Clients,
        declared: Sequence[Mapping[str, str]],
        defaults: DefaultTables,
        unit: dict[str, Any],
    ) -> None:
        self._clients = clients
        self._declared = declared
        self._defaults = defaults
        self._unit = unit
        self._known: dict[tuple[Any, ...], ClientProfile] = {}
        self._embedded: dict[tuple[str, str | None, int], tuple[tuple[str, str, str], ...]] = {}
        self._turns = clients.turns
        self._between: dict[tuple[int, str, str, str | None], ClientProfile] = {}
        self._undeclared: dict[tuple[str, Version | None, bool], dict[str, Setting]] = {}
        self._others = OtherClients(clients.other_versions, defaults)

    @classmethod
    def from_events(
        cls,
        control: Iterable[ClientEvent],
        declared: Sequence[Mapping[str, str]] = (),
        defaults: DefaultTables | None = None,
    ) -> "UnitSettings":
        """Build from a unit's control events, in any order; arguments as of from_ordered."""
        ordered = sorted((event for event in control if is_control(event)), key=lambda event: event.order)
        return cls.from_ordered(ordered, declared, defaults)

    @classmethod
    def from_ordered(
        cls,
        events: Iterable[ClientEvent],
        declared: Sequence[Mapping[str, str]] = (),
        defaults: DefaultTables | None = None,
    ) -> "UnitSettings":
        """Build from a unit's control events, in their order. They are gone through more than once, and not kept.

        declared: of this unit, each with name, value and, as a glob, client_id (left out: all clients).
        defaults: conf/kafka_defaults, by class.
        """
        control = _Control(events)
        first = next(iter(control), None)
        unit = {
            "unit_id": first.unit_id if first else "",
            "service": first.service if first else None,
            "instance": first.instance if first else None,
        }
        return cls(Clients(control, starts_of(control)), tuple(declared), defaults or {}, unit)

    def __getstate__(self) -> dict[str, Any]:
        """Without what was made on the way: its keys are identities of this process's objects."""
        return self.__dict__ | {"_known": {}, "_embedded": {}, "_between": {}, "_undeclared": {}}

    def forget(self) -> None:
        """Let go of what was made on the way; whoever asks again gets the same."""
        for made in (self._known, self._embedded, self._between, self._undeclared):
            made.clear()
        self._others.forget()

    def incarnation_of(self, event: ClientEvent) -> int:
        """Which start of the process the event belongs to, from 0."""
        # An event's order is a tuple made anew each time, and most processes started once.
        return self._clients.incarnation_at(event.order) if self._clients.has_restarts else 0

    def version_of(self, event: ClientEvent) -> Version | None:
        """The version of the client the event speaks of; None while unknown or ambiguous."""
        return self.profile_of(event).version

    def profile_of(self, event: ClientEvent) -> ClientProfile:
        """What is known of the client an event speaks of, as of that event.

        A line of Streams gives the Streams client, with the settings of the clients inside it beside its own,
        under `main.consumer.`, `producer.`, `admin.`, `global.consumer.`. A line of no client gives the only
        client of the fitting kind.
        """
        if event.client_library != JAVA:
            return self._others.profile_of(event, self._clients.incarnation_at(event.order), self._declared)
        if event.client_kind is None or event.client_id is None:
            return self._found(event, event.order)
        # Most lines name their client, and little of what is known changes between two of them.
        thread = event.thread if event.client_kind == "streams" else None
        order = event.order
        key = (bisect_right(self._turns, order), event.client_kind, event.client_id, thread)
        known = self._between.get(key)
        if known is None:
            known = self._between[key] = self._found(event, order)
        return known

    def _found(self, event: ClientEvent, order: Order) -> ClientProfile:
        incarnation = self._clients.incarnation_at(order)
        kind, client_id = self._subject_of(event, incarnation, order)
        if client_id is None:
            return self._bare(event, kind, incarnation)
        if kind == "streams":
            return self._of_streams(event, client_id, incarnation, order)
        return self._of_client(event, kind or "", client_id, order)

    def complete(self, event: ClientEvent) -> ClientProfile:
        """Fill in what the line alone can't tell: incarnation, version, and how far a task's timer is."""
        profile = self.profile_of(event)
        event.incarnation = profile.incarnation
        version = profile.version or profile.library_version
        event.client_version = event.client_version or (named(version) if version else None)
        if event.kind == "task_timeout_continue" and event.remaining_ms is not None:
            limit = profile.whole("task.timeout.ms")
            if limit is not None:
                event.limit_ms = limit.ms
                event.kind, event.elapsed_ms = timer_kind_and_elapsed(limit.ms, event.remaining_ms)
        return profile

    def digest_at(self, place: Order) -> str:
        """What profiles of events at or before a place follow from, as a digest: the same digest, the same profiles."""
        digest = sha256()
        declared = (sorted(entry.items()) for entry in self._declared)
        for known in chain(declared, self._clients.known_at(place)):
            digest.update(repr(known).encode())
        return digest.hexdigest()

    def rows(self) -> Iterator[dict[str, Any]]:
        """Rows of silver.client_settings: what each client was known to run with, and while it held."""
        return (dict(zip(ROW, row, strict=True)) for row in self.bare_rows())

    def bare_rows(self) -> Iterator[tuple[Any, ...]]:
        """Rows without names, in the order of ROW: a process of many clients has some dozens for each.

        Of what was said more than once at one time, or without one, the last holds.
        """
        # Of one client in one start of the process: the rest of a row's key.
        for (_, _, client_id), lives in self._clients.lives.items():
            # A client that may have either of two ids is told by the first.
            rows = [row for life in lives if life.client_id == client_id for row in self._rows_of(life)]
            is_told_once = len(lives) == 1 and not lives[0].adjusted
            yield from rows if is_told_once else {_KEY(row): row for row in rows}.values()

    def _subject_of(
        self, event: ClientEvent, incarnation: int, order: Order
    ) -> tuple[str | None, str | None]:
        if event.client_kind == "streams" or event.client_kind is None:
            base = (
                event.client_id if event.client_kind == "streams" else None
            ) or self._clients.streams_client(event.thread, incarnation)
            is_of_streams = (
                event.client_kind == "streams"
                or event.kind in _OF_STREAMS
                or event.message_id in _STREAMS_LINES
            )
            if base is not None and is_of_streams:
                return "streams", base
        if event.client_kind is not None and event.client_id is not None:
            return event.client_kind, event.client_id
        kind = event.client_kind or _KIND_OF.get(event.kind)
        return kind, self._only_one(kind, incarnation, order) if kind else None

    def _only_one(self, kind: str, incarnation: int, order: Order) -> str | None:
        """The one client of a kind that an application's line can speak of; None where there are several.

        Where none is open it is the only one that was: what a producer had yet to send ends while it closes.
        """
        if kind == "streams":
            names = self._clients.streams[incarnation]
            return next(iter(names)) if len(names) == 1 else None
        made: list[str] = []
        still_open: list[str] = []
        for client_id in self._clients.ids_of(kind, incarnation):
            life = self._clients.life_at(kind, client_id, order)
            if life is None or client_id.endswith(("-restore-consumer", "-global-consumer")):
                continue
            made.append(client_id)
            if life.until_at is None or event_before(order, life.until_at):
                still_open.append(client_id)
            if len(still_open) > 1:
                return None
        known = still_open or made
        return known[0] if len(known) == 1 else None

    def _bare(self, event: ClientEvent, kind: str | None, incarnation: int) -> ClientProfile:
        return ClientProfile(
            event.unit_id,
            event.client_id,
            kind,
            incarnation,
            self._version_in(incarnation),
            group_id=event.group_id,
            cluster_id=self._clients.cluster_of(event.client_id, incarnation),
        )

    def _of_client(self, event: ClientEvent, kind: str, client_id: str, order: Order) -> ClientProfile:
        life = self._clients.life_at(kind, client_id, order)
        incarnation = self._clients.incarnation_at(order)
        changes = sum(changed <= order for changed, _ in life.adjusted) if life and life.adjusted else 0
        is_later = life is None and self._clients.is_dumped_later(kind, client_id, order)
        key = (incarnation, kind, client_id, life.order if life else None, changes, is_later)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._made_profile(
                event.unit_id, kind, client_id, incarnation, life, changes, is_later
            )
        return known

    def _made_profile(
        self,
        unit_id: str,
        kind: str,
        client_id: str,
        incarnation: int,
        life: ClientLife | None,
        changes: int,
        is_later: bool,
    ) -> ClientProfile:
        base = None if kind == "streams" else self._clients.streams_client(client_id, incarnation)
        version = (life.version if life else None) or self._version_in(incarnation)
        settings = {setting.name: setting for setting in self._declared_for(client_id)}
        if life is not None and life.printed is not None:
            settings |= _logged(life, life.adjusted[:changes])
        elif not is_later:
            own = (
                settings | {setting.name: setting for _, setting in life.adjusted[:changes]}
                if life
                else settings
            )
            defaulted = self._defaulted(kind, version, is_embedded=base is not None)
            settings = defaulted | own if own else defaulted
        if kind == "consumer" and (of_streams := self._streams_group(base, life)) is not None:
            settings |= {of_streams.name: of_streams}
        if settings.get("group.protocol", _CLASSIC).value.lower() != "classic":
            settings = {name: one for name, one in settings.items() if name not in OF_CLASSIC_GROUPS}
        return ClientProfile(
            unit_id,
            client_id,
            kind,
            incarnation,
            version,
            base is not None,
            settings,
            life.group_id if life else None,
            life.group_instance_id if life else None,
            cluster_id=self._clients.cluster_of(client_id, incarnation),
        )

    def _streams_group(self, base: str | None, life: ClientLife | None) -> Setting | None:
        """What a consumer within a Streams client speaks where that was made with group.protocol=streams: its own dump
        prints `classic` all the same."""
        if base is None or life is None:
            return None
        owner = self._clients.life_at("streams", base, life.order)
        protocol = owner.values.get("group.protocol", "") if owner is not None else ""
        if owner is None or protocol.lower() != "streams":
            return None
        return Setting("group.protocol", protocol, "logged", owner.from_at, owner.until_at, owner.event_id)

    def _of_streams(self, event: ClientEvent, base: str, incarnation: int, order: Order) -> ClientProfile:
        own = self._of_client(event, "streams", base, order)
        place = (base, event.thread, incarnation)
        embedded = self._embedded.get(place)
        if embedded is None:
            embedded = self._embedded[place] = tuple(self._embedded_in(*place))
        parts = [
            (prefix, self._of_client(event, kind, client_id, order)) for prefix, kind, client_id in embedded
        ]
        key = ("streams", id(own), *(id(part) for _, part in parts))
        known = self._known.get(key)
        if known is None:
            settings = dict(own.settings)
            for prefix, part in parts:
                settings |= {f"{prefix}{name}": setting for name, setting in part.settings.items()}
            known = self._known[key] = ClientProfile(
                own.unit_id,
                base,
                "streams",
                incarnation,
                own.version,
                False,
                settings,
                own.group_id,
                own.group_instance_id,
                cluster_id=own.cluster_id,
            )
        return known

    def _embedded_in(self, base: str, thread: str | None, incarnation: int) -> Iterator[tuple[str, str, str]]:
        """The clients inside a Streams client: of the thread, or of the first where the line names none."""
        likely = self._clients.beginning_with("consumer", incarnation, f"{base}-StreamThread-")
        consumers = [name for name in likely if _is_main_consumer(name)]
        of_thread = f"{thread}-consumer"
        main = of_thread if of_thread in consumers else (consumers[0] if consumers else None)
        if main is not None:
            yield "main.consumer.", "consumer", main
            owner = main.removesuffix("-consumer")
            producers = self._clients.beginning_with("producer", incarnation, f"{owner}-")
            if producers:
                yield "producer.", "producer", producers[0]
        for prefix, kind, client_id in (
            ("admin.", "admin", f"{base}-admin"),
            ("global.consumer.", "consumer", f"{base}-global-consumer"),
        ):
            if (incarnation, kind, client_id) in self._clients.lives:
                yield prefix, kind, client_id

    def _declared_for(self, client_id: str) -> Iterator[Setting]:
        for entry in self._declared:
            if fnmatchcase(client_id, str(entry.get("client_id") or "*")):
                yield Setting(str(entry["name"]), str(entry["value"]), "declared")

    def _defaulted(self, kind: str, version: Version | None, *, is_embedded: bool) -> dict[str, Setting]:
        """By name; one for all clients of a kind, as a process may have a hundred thousand of them."""
        key = (kind, version, is_embedded)
        known = self._undeclared.get(key)
        if known is None:
            origin = f"default:{named(version)}" if version else "assumed"
            known = self._undeclared[key] = {
                name: Setting(name, value, origin)
                for table in ((kind, f"embedded_{kind}") if is_embedded else (kind,))
                for name, value in defaults_at(self._defaults, table, version)
            }
        return known

    def _version_in(self, incarnation: int) -> Version | None:
        """The version of a process; None where it prints none, or several."""
        versions = self._clients.versions.get(incarnation, ())
        return next(iter(versions)) if len(versions) == 1 else None

    def _rows_of(self, life: ClientLife) -> Iterator[tuple[Any, ...]]:
        if life.client_id is None:
            return
        unit = self._unit
        whose = (*(unit[name] for name in _OF_UNIT), life.client_id, life.kind, life.incarnation)
        first = self._made_profile(
            unit["unit_id"], life.kind, life.client_id, life.incarnation, life, 0, False
        )
        last = {setting.name: setting for _, setting in life.adjusted}
        for name, one in sorted(first.settings.items()):
            changed = last.get(name)
            until_at = changed.from_at if changed else life.until_at
            yield (*whose, name, one.value, one.origin, life.from_at, until_at, one.event_id)
        for one in last.values():
            yield (*whose, one.name, one.value, one.origin, one.from_at, life.until_at, one.event_id)


_OF_UNIT = ("unit_id", "service", "instance")
ROW = (
    *_OF_UNIT, "client_id", "client_kind", "incarnation",
    "name", "value", "origin", "from_at", "until_at", "event_id",
)  # fmt: skip
_KEY = itemgetter(ROW.index("name"), ROW.index("from_at"))
_CLASSIC = Setting("group.protocol", "classic", "assumed")
_OF_STREAMS = frozenset({
    "task_timeout_start", "task_timeout_continue", "task_timeout_clear", "task_timeout_expired",
    "streams_error", "streams_state",
})  # fmt: skip
_STREAMS_LINES = frozenset({"committed-offsets-request-timeout", "list-offsets-failed", "streams-send-error"})
# Whose failure an application's line tells.
_KIND_OF = {
    "batch_expired": "producer",
    "produce_failed": "producer",
    "produce_retry": "producer",
    "commit_failed": "consumer",
    "poll_interval_expired": "consumer",
    "task_timeout_expired": "streams",
    "streams_error": "streams",
}


def event_before(order: Order, at: int) -> bool:
    """Whether an event of that order is not after an instant."""
    return order[0] <= at


def _is_main_consumer(client_id: str) -> bool:
    """Of those of a Streams client's threads."""
    return client_id.endswith("-consumer") and not client_id.endswith("-restore-consumer")


def _logged(life: ClientLife, changes: Sequence[tuple[Order, Setting]]) -> dict[str, Setting]:
    """A dump prints every value: what it shows is what holds, until a later line changes it."""
    logged = {
        name: Setting(name, value, "logged", life.from_at, life.until_at, life.event_id)
        for name, value in life.values.items()
    }
    return logged | {setting.name: setting for _, setting in changes}
