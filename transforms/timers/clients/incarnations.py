"""Where in a log a process started anew.

No line says "this process started". A client that is created a second time though it was never closed does:
the process that held it is gone. Several clients in one process are normal, and so is creating one again.
"""

from collections.abc import Iterable, Mapping

from transforms.events import ClientEvent
from transforms.when_used import when_used

Order = tuple[int, str, int, str]
Client = tuple[str | None, str | None]  # client_kind, client_id

CLOSING = ("is being closed", "unsubscribed")
TAKEN = "client-mbean-taken"
BROKER_STARTS = "broker-starting"
LISTENS = "broker-listens"
CREATED = frozenset({"producer-idempotent", "producer-started", "client-cluster-id"})
_NUMBERED = when_used(r"(?:producer|consumer|adminclient)(?:-.*)?-\d+$")


def closes(event: ClientEvent) -> Client | None:
    """The client that this event closes for good; None for any other event.

    2.1 to 2.3 give no reason for leaving, and no other line of a consumer's end: leaving counts as closing.
    """
    if event.message_id in ("client-unregistered", "producer-close", "producer-closed", "consumer-closed"):
        return event.client_kind, event.client_id
    if event.message_id == "admin-lifecycle" and event.details.get("what") == "closed":
        return event.client_kind, event.client_id
    if event.message_id == "leave-group" and event.client_id:
        reason = event.details.get("reason")
        if reason is None or any(word in reason for word in CLOSING):
            return event.client_kind, event.client_id
    ended = event.message_id == "streams-client-state" and event.details.get("state_to") in (
        "NOT_RUNNING",
        "ERROR",
    )
    return ("streams", event.client_id) if ended or event.message_id == "streams-client-stopped" else None


def starts_of(control: Iterable[ClientEvent]) -> list[Order]:
    """The orders of the events that new starts begin with; the first start is not among them.

    control: a unit's control events, in order; they are gone through three times.
    """
    walk = _Walk(_brokers_of(control))
    taken = _of_taken_names(control)
    for number, event in enumerate(control):
        walk.step(event, number, is_second_in_process=number in taken)
    return walk.starts


class _Walk:
    def __init__(self, brokers: Mapping[int, str | None]) -> None:
        """brokers: whose start an event is, by its number."""
        self._brokers = brokers
        self._started: set[str | None] = set()  # brokers whose start was seen
        self.starts: list[Order] = []
        self._open: dict[Client, ClientEvent] = {}
        self._blank: dict[str | None, ClientEvent] = {}  # the last dump without a client id, by kind
        self._created: dict[Client, set[str]] = {}
        self._streams: dict[str, ClientEvent] = {}  # Streams clients not closed, by application id
        self._last: Client | None = None
        self._before: ClientEvent | None = None
        self._is_begun = False  # that something is seen of what came before a broker's start

    def step(self, event: ClientEvent, number: int, *, is_second_in_process: bool) -> None:
        """Take in one control event. number: which one of all."""
        if event.message_id == BROKER_STARTS:
            # Where others are known, one that is new to this log writes it beside them.
            is_beside = bool(self._started) and self._brokers[number] not in self._started
            if self._is_begun and not is_beside:
                self._restart(event)
            self._started.add(self._brokers[number])
        elif event.kind == "config_dump":
            self._dumped(event, is_second_in_process)
        elif event.message_id == "config-refused" and self._last is not None:
            self._open.pop(self._last, None)
        elif event.message_id in CREATED:
            self._made(event)
        else:
            self._closed(event)
        self._before = event
        self._is_begun |= not _precedes_start(event)

    def _dumped(self, event: ClientEvent, is_second_in_process: bool) -> None:
        if event.client_kind == "streams":
            application = event.details.get("config.application.id", "")
            dumped = self._streams.get(application)
            # Printed again with nothing made between: a framework that reads its settings twice.
            if dumped is not self._before:
                self._restart_if_open(dumped, event)
            self._streams[application] = event
        if event.client_id is None:
            self._blank[event.client_kind] = event
            return
        client = (event.client_kind, event.client_id)
        if not is_second_in_process:
            self._restart_if_open(self._open.get(client), event)
        self._open[client] = event
        self._last = client

    def _restart_if_open(self, before: ClientEvent | None, event: ClientEvent) -> None:
        # The same dump twice in one millisecond is one creation, written by two appenders.
        if before is not None and before.happened_at != event.happened_at:
            self._restart(event)

    def _made(self, event: ClientEvent) -> None:
        """A client that named itself (`producer-1`; no id in its dump): made twice, it tells of a restart."""
        client = (event.client_kind, event.client_id)
        dump = self._blank.get(event.client_kind)
        if dump is None or not _NUMBERED.match(event.client_id or ""):
            return
        if event.message_id in self._created.get(client, ()) and client in self._open:
            self._restart(dump)
        self._created.setdefault(client, set()).add(event.message_id)
        self._open[client] = event

    def _closed(self, event: ClientEvent) -> None:
        client = closes(event)
        if client is None:
            return
        self._open.pop(client, None)
        self._created.pop(client, None)
        if client[0] == "streams":
            self._streams = {
                name: dump
                for name, dump in self._streams.items()
                if not _is_of(client[1], name, dump.client_id)
            }

    def _restart(self, event: ClientEvent) -> None:
        self.starts.append(event.order)
        self._open.clear()
        self._created.clear()
        self._streams.clear()


def broker_of(event: ClientEvent) -> str | None:
    """The broker that an event names, itself or by the settings that it prints."""
    if event.kind == "config_dump" and event.client_kind == "broker":
        return event.details.get("config.broker.id") or event.details.get("config.node.id")
    return event.details.get("broker_id")


def _brokers_of(control: Iterable[ClientEvent]) -> dict[int, str | None]:
    """Whose start each one is, by its number: it names its broker, or the settings do that are printed right before it (to
    0.11) or behind it.
    """
    found: dict[int, str | None] = {}
    dumped: str | None = None
    awaits: int | None = None
    comes_first = False
    for number, event in enumerate(control):
        if event.message_id == BROKER_STARTS:
            comes_first |= dumped is not None and not found
            found[number] = broker_of(event) or (dumped if comes_first else None)
            awaits = number if found[number] is None else None
        elif event.kind == "config_dump" and event.client_kind == "broker":
            dumped = broker_of(event)
            if awaits is not None:
                found[awaits], awaits = dumped, None
    return found


def _precedes_start(event: ClientEvent) -> bool:
    """Whether a process says so before its broker starts: its controller listens by then, its settings are printed."""
    return event.message_id == LISTENS or (
        event.kind == "config_dump" and event.client_kind in (None, "broker")
    )


def _is_of(client_id: str | None, application: str, configured: str | None) -> bool:
    return client_id is not None and (client_id == configured or client_id.startswith(f"{application}-"))


def _of_taken_names(control: Iterable[ClientEvent]) -> set[int]:
    """The dumps of clients that took the name of another client of the process (its MBean was there)."""
    found: set[int] = set()
    last: int | None = None
    for number, event in enumerate(control):
        if event.kind == "config_dump":
            last = number
        elif event.message_id == TAKEN and last is not None:
            found.add(last)
    return found
