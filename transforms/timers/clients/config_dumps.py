"""Configurations as their clients printed them, with what the constructor then did; internal episodes.

A dump prints every value in force, so it alone proves a setting. What the client says about it follows within
its constructor: adjusted, refused (the application prints the exception), or `Kafka version`, its last line.
Sources: AbstractConfig.logAll, KafkaProducer (constructor), AppInfoParser.registerAppInfo.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode, episode_id
from transforms.timers.profile import ClientProfile, Setting
from transforms.whole import is_whole

# A session timeout is refused at the first join, which a broker may keep waiting for minutes; later, a
# configuration is judged without it.
SETTLED_AFTER_MS = 600_000
STREAMS_CLIENT_MARKS = ("-StreamThread-", "-GlobalStreamThread", "-global-consumer")
REFUSED_SESSION = frozenset({"InvalidSessionTimeoutException", "INVALID_SESSION_TIMEOUT"})


# Source: WorkerConfig. A Connect worker must have it, and gives all of its own settings to the clients that it needs itself.
OF_A_WORKER = "key.converter"


@dataclass(slots=True, kw_only=True)
class ClientConfig(Episode):
    """One client's configuration at one construction.

    settings: every value printed, or declared in a file under check (`is_whole`: what is not in the file is
    the version's default for certain, so that `default:<version>` values prove as well). adjusted_to: the
    delivery timeout that the client set instead. refused_by: the event of the constructor's refusal, its
    words in `refusal`. started_by: proof that the constructor went through. session_refused_by: the broker
    found the session timeout out of its bounds; is_session_accepted: it took a join with it. unused: keys
    the client did not know, with the event.
    """

    config_id: str
    client_kind: str | None = None
    group_id: str | None = None
    happened_at: int | None = None
    settings: Mapping[str, Setting] = field(default_factory=dict)
    is_embedded: bool = False
    is_whole: bool = False
    adjusted_to: Setting | None = None
    refused_by: str | None = None
    refusal: str | None = None
    started_by: str | None = None
    session_refused_by: str | None = None
    is_session_accepted: bool = False
    unused: dict[str, str] = field(default_factory=dict)
    thread: str | None = None

    @property
    def is_frameworks(self) -> bool:
        """Whether Kafka Streams, or a Connect worker, gave this client its settings."""
        return self.is_embedded or OF_A_WORKER in self.unused

    @property
    def subject(self) -> str:
        """Id of the client through all its starts: a contradiction is said once, however often it is made."""
        if self.client_id is None:
            return self.config_id
        return episode_id(self.unit_id, "client_config", f"{self.client_kind} {self.client_id}")

    @property
    def is_building(self) -> bool:
        """Its constructor was not seen to end."""
        return self.started_by is None and self.refused_by is None

    def proven(self, name: str) -> Setting | None:
        """The setting where its value is certain."""
        found = self.settings.get(name)
        return found if found is not None and (found.is_proven or self.is_whole) else None

    def ms(self, name: str) -> int | None:
        """The certain whole-number value of a setting."""
        found = self.proven(name)
        return found.ms if found is not None and is_whole(found.value) else None

    def text(self, name: str) -> str | None:
        """The certain value of a setting as text; None also for `null` and blank."""
        found = self.proven(name)
        return None if found is None or found.value in ("", "null") else found.value


class ConfigDumps:
    """Folds a unit's dumps and the lines of its constructors into client configurations.

    has_forgotten: there may have been dumps that are no longer known. A process may make thousands of clients within the
    time that one is kept: no line goes through all of them.
    """

    def __init__(self, *, has_forgotten: bool = False) -> None:
        self.has_forgotten = has_forgotten
        # By their number, which counts on, and so in the order of their dumps; and of those the ones of each client.
        self.count = 0
        self.pending: OrderedDict[int, ClientConfig] = OrderedDict()
        self.of_client: dict[str | None, dict[int, ClientConfig]] = {}
        self.streams = 0  # how many of those are of Streams
        # Of those the ones that `Kafka version` may be of: whose line names a thread, and whose does not.
        self.threaded: OrderedDict[int, ClientConfig] = OrderedDict()
        self.threadless: OrderedDict[int, ClientConfig] = OrderedDict()

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Give the configurations about which all is said."""
        if not self.pending and event.kind != "config_dump":
            return ()  # most lines come long after
        return self._step(event, profile)

    def _step(self, event: ClientEvent, profile: ClientProfile) -> Iterator[Episode]:
        if event.happened_at is not None:
            yield from self._settled(event.happened_at)
        if event.kind == "config_dump":
            # All that are kept are of one start of the process.
            if self.pending and next(iter(self.pending.values())).incarnation != event.incarnation:
                yield from self.finish(None)
            self._keep(_config_of(event, profile))
        elif event.message_id == "client-version":
            self._started(event)
        elif event.message_id == "producer-delivery-timeout-adjusted":
            self._adjusted(event)
        elif event.message_id == "config-refused":
            self._refused(event)
        elif event.message_id == "config-unused":
            self._unused(event)
        elif event.error_class in REFUSED_SESSION:
            number = self._latest("consumer", event.client_id)
            if number is not None:
                self.pending[number].session_refused_by = event.event_id
        elif event.kind == "joined" and event.client_id is not None:
            self._joined(event)
        elif event.message_id in ("client-unregistered", "producer-close"):
            yield from self._closed(event)
        elif event.api is not None and event.client_kind == "producer":
            number = self._latest("producer", event.client_id)
            if number is not None and self.pending[number].is_building:
                self._is_started(number, event)  # its I/O thread sends: the constructor's checks are behind

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """Give all that were seen."""
        for number in list(self.pending):
            yield self._let_go(number)

    def _keep(self, config: ClientConfig) -> None:
        self.count += 1
        self.pending[self.count] = config
        self.of_client.setdefault(config.client_id, {})[self.count] = config
        if config.client_kind == "streams":
            self.streams += 1
        else:
            (self.threadless if config.thread is None else self.threaded)[self.count] = config

    def _let_go(self, number: int) -> ClientConfig:
        config = self.pending.pop(number)
        alike = self.of_client[config.client_id]
        del alike[number]
        if not alike:
            del self.of_client[config.client_id]
        self._is_built(number)
        self.streams -= config.client_kind == "streams"
        return config

    def _is_built(self, number: int) -> None:
        self.threaded.pop(number, None)
        self.threadless.pop(number, None)

    def _settled(self, now: int) -> Iterator[Episode]:
        while self.pending:
            number, oldest = next(iter(self.pending.items()))
            if now - (oldest.happened_at or now) <= SETTLED_AFTER_MS:
                return
            yield self._let_go(number)

    def _closed(self, event: ClientEvent) -> Iterator[Episode]:
        """A client that started has been closed; one that did not is only now about to be refused."""
        named = self.of_client.get(event.client_id, {})
        for number in [number for number, config in named.items() if config.started_by is not None]:
            yield self._let_go(number)

    def _latest(self, client_kind: str, client_id: str | None) -> int | None:
        """The number of the last one dumped: the named client's, or the only kind it can be where the line names none."""
        if client_id is None:
            return _last_of(client_kind, self.pending)
        named = _last_of(client_kind, self.of_client.get(client_id, {}))
        return _last_of(client_kind, self.of_client.get(None, {})) if named is None else named

    def _adjusted(self, event: ClientEvent) -> None:
        number = self._latest("producer", event.client_id)
        if number is not None and event.limit_ms is not None:
            self.pending[number].adjusted_to = Setting(
                "delivery.timeout.ms",
                str(event.limit_ms),
                "adjusted",
                event.happened_at,
                None,
                event.event_id,
            )

    def _started(self, event: ClientEvent) -> None:
        """`Kafka version` is a constructor's last line. Of several at once, only the thread tells which."""
        number = self._last_in(event.thread) if event.thread is not None else self._only_one()
        if number is not None and (number in self.threaded or not self.has_forgotten):
            self._is_started(number, event)

    def _is_started(self, number: int, event: ClientEvent) -> None:
        self.pending[number].started_by = event.event_id
        self._is_built(number)

    def _last_in(self, thread: str) -> int | None:
        """The last that is being built in a thread, or in one that is not known."""
        in_thread = (n for n, config in reversed(self.threaded.items()) if config.thread == thread)
        return _latest_of((next(in_thread, None), next(reversed(self.threadless), None)))

    def _only_one(self) -> int | None:
        """The only one that is being built; where some have been forgotten, another may be meant that names no thread."""
        building = [self.threaded] if self.has_forgotten else [self.threaded, self.threadless]
        first_two = list(islice(chain(*building), 2))
        return first_two[0] if len(first_two) == 1 else None

    def _refused(self, event: ClientEvent) -> None:
        refusal = event.details.get("reason", "")
        kind = "consumer" if "session" in refusal else "producer"
        last = _latest_of(_last_of(kind, building) for building in (self.threaded, self.threadless))
        if last is not None:
            self.pending[last].refused_by, self.pending[last].refusal = event.event_id, refusal
            self._is_built(last)

    def _joined(self, event: ClientEvent) -> None:
        """Of several consumers of one name it can't be told which joined, but for what they have in common."""
        named = [c for c in self.of_client.get(event.client_id, {}).values() if c.client_kind == "consumer"]
        if len({c.ms("session.timeout.ms") for c in named}) == 1:
            for config in named:
                config.is_session_accepted = True

    def _unused(self, event: ClientEvent) -> None:
        if not self.pending or self.streams:
            return  # Streams hands its own keys to its clients, which don't know them
        last = next(reversed(self.pending.values()))
        for key in event.details.get("keys", "").strip("[]").split(","):
            last.unused[key.strip()] = event.event_id


def _latest_of(numbers: Iterable[int | None]) -> int | None:
    return max((number for number in numbers if number is not None), default=None)


def _last_of(client_kind: str, configs: dict[int, ClientConfig]) -> int | None:
    return next((n for n, config in reversed(configs.items()) if config.client_kind == client_kind), None)


def is_streams_client(client_id: str | None) -> bool:
    """Whether a client id is one that Kafka Streams gives its embedded clients."""
    return client_id is not None and any(mark in client_id for mark in STREAMS_CLIENT_MARKS)


def _config_of(event: ClientEvent, profile: ClientProfile) -> ClientConfig:
    printed = (
        _printed(name.removeprefix("config."), value, event, profile)
        for name, value in event.details.items()
        if name.startswith("config.")
    )
    client_id = event.client_id or profile.client_id
    return ClientConfig(
        unit_id=event.unit_id,
        incarnation=event.incarnation,
        client_id=client_id,
        service=event.service,
        instance=event.instance,
        event_ids=[event.event_id],
        profile=profile,
        config_id=event.event_id,
        client_kind=event.client_kind,
        group_id=event.group_id,
        happened_at=event.happened_at,
        settings={setting.name: setting for setting in printed},
        thread=event.thread,
        is_embedded=profile.is_embedded or is_streams_client(client_id),
    )


def _printed(name: str, value: str, event: ClientEvent, profile: ClientProfile) -> Setting:
    """A setting as the dump prints it: the one that the profile has of it, as thousands of clients may have eighty each."""
    known = profile.settings.get(name)
    if known is not None and (known.origin, known.event_id) == ("logged", event.event_id):
        return known
    return Setting(name, value, "logged", event.happened_at, None, event.event_id)
