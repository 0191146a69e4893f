"""The clients of a process as its control events tell: created when, with which settings, until when."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from transforms.events import JAVA, ClientEvent
from transforms.parse.lines.prefixes import streams_client_of
from transforms.timers.clients.incarnations import Order, closes
from transforms.timers.clients.printed import Printed, Prints
from transforms.timers.clients.versions import Version, version_of_text
from transforms.timers.profile import Setting
from transforms.when_used import when_used
from transforms.whole import whole_number

ADJUSTED = {
    "producer-delivery-timeout-adjusted": ("delivery.timeout.ms", "limit_ms"),
    "producer-retries-overridden": ("retries", "value"),
    "admin-api-timeout-overridden": ("default.api.timeout.ms", "limit_ms"),
}
NAMED_BY_CLIENT = when_used(r"-(\d+)$")
# Lines that say a version themselves: what is known of a process begins with these.
SAYS_VERSION = ("client-version", "streams-started")


@dataclass(slots=True)
class ClientLife:
    """One client from its creation (its config dump, or its first line) to its end.

    printed: the dump; None where none was seen. adjusted: what later lines changed, in order.
    """

    kind: str
    client_id: str | None
    incarnation: int
    order: Order
    from_at: int | None
    event_id: str
    printed: Printed | None = None
    until_at: int | None = None
    version: Version | None = None
    adjusted: list[tuple[Order, Setting]] = field(default_factory=list)

    @property
    def values(self) -> dict[str, str]:
        """The dump as printed, by name; empty where none was seen."""
        return {} if self.printed is None else dict(zip(*self.printed, strict=True))

    @property
    def group_id(self) -> str | None:
        """group.id; None where there is none."""
        return _set(self.values.get("group.id"))

    @property
    def group_instance_id(self) -> str | None:
        """group.instance.id; None where there is none."""
        return _set(self.values.get("group.instance.id"))


class Clients:
    """All clients of a unit, through its incarnations; of the control events that it is made of it keeps none."""

    def __init__(self, control: Iterable[ClientEvent], starts: Sequence[Order]) -> None:
        self._starts = list(starts)
        self.lives: dict[tuple[int, str, str], list[ClientLife]] = defaultdict(list)
        self.versions: dict[int, set[Version]] = defaultdict(set)
        self.streams: dict[int, set[str]] = defaultdict(set)  # ids of Streams clients by incarnation
        # By incarnation the clusters that its clients met, each with the ids of these; of lines that name none "".
        self.clusters: dict[int, dict[str, set[str]]] = defaultdict(dict)
        self._blank: dict[tuple[int, str], list[ClientLife]] = defaultdict(list)
        self._ahead: dict[tuple[int, str], int] = defaultdict(int)
        self._last: ClientLife | None = None
        self.other_versions: dict[tuple[int, str | None], Version] = {}
        self._closings: list[tuple[Order, int | None, str, str]] = []
        # The place and id of each client's first line.
        self._undumped: dict[tuple[int, str, str], tuple[Order, str]] = {}
        self._prints = Prints()
        for event in control:
            self._step(event)
        for (incarnation, kind), dumps in self._blank.items():
            self._name_the_blank(incarnation, kind, dumps)
        for (incarnation, kind, client_id), (order, event_id) in self._undumped.items():
            if (incarnation, kind, client_id) not in self.lives:
                self._keep(ClientLife(kind, client_id, incarnation, order, None, event_id))
        for lives in self.lives.values():
            lives.sort(key=_place_of)
        self._ids: dict[tuple[int, str], list[str]] = defaultdict(list)
        for incarnation, kind, client_id in sorted(self.lives):
            self._ids[incarnation, kind].append(client_id)
        for order, at, kind, client_id in self._closings:
            closed = self.life_at(kind, client_id, order)
            if closed is not None and at is not None:
                closed.until_at = at if closed.until_at is None else min(closed.until_at, at)
        self._undumped, self._closings, self._prints = {}, [], Prints()  # what only this takes

    @property
    def has_restarts(self) -> bool:
        """Whether the process started more than once."""
        return bool(self._starts)

    @property
    def turns(self) -> list[Order]:
        """Where anything begins that is known of a client: between two of them what is known is the same."""
        lives = [life for of_key in self.lives.values() for life in of_key]
        adjusted = (order for life in lives for order, _ in life.adjusted)
        return sorted({*self._starts, *(life.order for life in lives), *adjusted})

    def incarnation_at(self, order: Order) -> int:
        """Which start of the process an event of that order belongs to, from 0."""
        return bisect_right(self._starts, order)

    def life_at(self, kind: str, client_id: str, order: Order) -> ClientLife | None:
        """The client as it was at that order; None where it is not known to have been created by then."""
        lives = self.lives.get((self.incarnation_at(order), kind, client_id), ())
        begun = bisect_right(lives, order, key=_place_of)
        return lives[begun - 1] if begun else None

    def is_dumped_later(self, kind: str, client_id: str, order: Order) -> bool:
        """Whether this incarnation shows the client's settings, but only after that order."""
        lives = self.lives.get((self.incarnation_at(order), kind, client_id), ())
        return any(life.printed is not None and life.order > order for life in lives)

    def ids_of(self, kind: str, incarnation: int) -> Sequence[str]:
        """The ids of the clients of a kind in one incarnation, sorted."""
        return self._ids.get((incarnation, kind), ())

    def beginning_with(self, kind: str, incarnation: int, begin: str) -> Sequence[str]:
        """Those of these ids that begin so: there may be a hundred thousand others."""
        ids = self.ids_of(kind, incarnation)
        first = last = bisect_left(ids, begin)
        while last < len(ids) and ids[last].startswith(begin):
            last += 1
        return ids[first:last]

    def streams_client(self, name: str | None, incarnation: int) -> str | None:
        """The Streams client that a thread or an embedded client belongs to."""
        if name is None:
            return None
        known = self.streams[incarnation]
        if name in known:
            return name
        by_name = streams_client_of(name)
        if by_name is not None:
            return by_name
        bases = (name.removesuffix(suffix) for suffix in ("-admin", "-global-consumer"))
        return next((base for base in bases if base != name and base in known), None)

    def cluster_of(self, client_id: str | None, incarnation: int) -> str | None:
        """The id of the cluster that a client is of: its process's only one, else the one that its own lines name."""
        met = self.clusters.get(incarnation, {})
        own = [one for one, clients in met.items() if len(met) == 1 or (client_id or "") in clients]
        return own[0] if len(own) == 1 else None

    def known_at(self, place: Order) -> Iterator[object]:
        """All of it that what is known of an event at or before a place depends on, client by client: two that agree here
        give such events the same profiles. What began later matters where it tells of an incarnation as a whole."""
        until = self.incarnation_at(place)
        yield [start for start in self._starts if start <= place]
        for key in sorted(key for key in self.lives if key[0] <= until):
            yield (key, *_known_of(self.lives[key], place))
        yield sorted((of, sorted(found)) for of, found in self.versions.items() if of <= until and found)
        yield sorted((of, sorted(found)) for of, found in self.streams.items() if of <= until and found)
        # Of a process of one cluster no client's own line matters: it may make new clients all the time.
        for of in sorted(of for of in self.clusters if of <= until):
            met = self.clusters[of]
            yield of, sorted((one, sorted(clients) if len(met) > 1 else ()) for one, clients in met.items())
        others = self.other_versions.items()
        yield sorted((key[0], key[1] or "", found) for key, found in others if key[0] <= until)

    def _step(self, event: ClientEvent) -> None:
        incarnation = self.incarnation_at(event.order)
        if event.client_library != JAVA:
            # A row of the lake has the column of Java's version anew; what the line said stays in its details.
            version = version_of_text(event.details.get("library_version"))
            if version is not None:
                self.other_versions[incarnation, event.client_id] = version
            return
        if event.kind == "config_dump":
            self._dumped(event, incarnation)
            return
        if event.message_id in SAYS_VERSION:
            self._logged_version(event, incarnation)
        if cluster_id := event.details.get("cluster_id"):
            self.clusters[incarnation].setdefault(cluster_id, set()).add(event.client_id or "")
        self._seen(event, incarnation)
        adjusted = ADJUSTED.get(event.message_id)
        if adjusted is not None:
            self._adjusted(event, incarnation, *adjusted)
        closed = closes(event)
        if closed is not None and closed[0] and closed[1]:
            self._closings.append((event.order, event.happened_at, closed[0], closed[1]))

    def _dumped(self, event: ClientEvent, incarnation: int) -> None:
        prefix = "config."
        values = {
            name[len(prefix) :]: value for name, value in event.details.items() if name.startswith(prefix)
        }
        life = ClientLife(
            event.client_kind or "unknown",
            event.client_id,
            incarnation,
            event.order,
            event.happened_at,
            event.event_id,
            self._prints.of(values),
        )
        self._last = life
        if event.client_id is None:
            self._blank[incarnation, life.kind].append(life)
        else:
            self._keep(life)
            base = streams_client_of(event.client_id)
            if base is not None:
                self._streams_seen(base, incarnation)

    def _keep(self, life: ClientLife) -> None:
        lives = self.lives[life.incarnation, life.kind, life.client_id or ""]
        if lives and lives[-1].until_at is None:
            lives[-1].until_at = life.from_at
        lives.append(life)
        if life.kind == "streams" and life.client_id:
            self.streams[life.incarnation].add(life.client_id)

    def _logged_version(self, event: ClientEvent, incarnation: int) -> None:
        version = version_of_text(event.client_version)
        if version is None:
            return
        self.versions[incarnation].add(version)
        if self._last is not None and self._last.version is None and event.message_id == "client-version":
            self._last.version = version

    def _seen(self, event: ClientEvent, incarnation: int) -> None:
        """Learn from a line's prefix that a client exists."""
        kind, client_id = event.client_kind, event.client_id
        if kind is None or client_id is None:
            return
        self._undumped.setdefault((incarnation, kind, client_id), (event.order, event.event_id))
        if kind == "streams":
            self._streams_seen(client_id, incarnation)
        elif (incarnation, kind, client_id) not in self.lives:
            number = NAMED_BY_CLIENT.search(client_id)
            blank = self._blank.get((incarnation, kind))
            if number is not None and blank:
                key = (incarnation, kind)
                self._ahead[key] = max(self._ahead[key], whole_number(number[1]) - len(blank))

    def _streams_seen(self, base: str, incarnation: int) -> None:
        """The first sign of a Streams client takes the last StreamsConfig dump that fits it."""
        if base in self.streams[incarnation]:
            return
        self.streams[incarnation].add(base)
        waiting = self._blank.get((incarnation, "streams"), [])
        for life in reversed(waiting):
            application = life.values.get("application.id", "")
            if base.startswith(f"{application}-"):
                waiting.remove(life)
                life.client_id = base
                self._keep(life)
                return

    def _adjusted(self, event: ClientEvent, incarnation: int, name: str, field_name: str) -> None:
        value = event.limit_ms if field_name == "limit_ms" else event.details.get(field_name)
        life = self._life_of(event, incarnation)
        if life is None or value is None:
            return
        life.adjusted.append(
            (event.order, Setting(name, str(value), "adjusted", event.happened_at, None, event.event_id))
        )

    def _life_of(self, event: ClientEvent, incarnation: int) -> ClientLife | None:
        if event.client_kind and event.client_id:
            lives = self.lives.get((incarnation, event.client_kind, event.client_id))
            if lives:
                return lives[-1]
        # The dump had no id, and the client is being made: the last dump of its kind is its own.
        blank = self._blank.get((incarnation, event.client_kind or ""))
        return blank[-1] if blank else None

    def _name_the_blank(self, incarnation: int, kind: str, dumps: list[ClientLife]) -> None:
        """Clients without client.id number themselves as they are made: the n-th such dump is `producer-n`.

        Source: KafkaProducer.PRODUCER_CLIENT_ID_SEQUENCE, and the same of KafkaConsumer and KafkaAdminClient.
        A log that begins late is known by a number that is ahead of the dumps seen before it. A broker has its node's id.
        """
        if kind == "broker":
            for life in dumps:
                values = life.values
                life.client_id = (
                    f"broker-{_set(values.get('node.id')) or _set(values.get('broker.id')) or ''}"
                )
                self._keep(life)
            return
        word = {"producer": "producer", "consumer": "consumer", "admin": "adminclient"}.get(kind)
        if word is None:
            return
        for number, life in enumerate(dumps, start=1 + self._ahead[incarnation, kind]):
            group = life.group_id
            life.client_id = f"{word}-{number}"
            self._keep(life)
            if kind == "consumer" and group is not None:
                # From 2.4 the group stands in the name (consumer-orders-1); before it does not.
                self.lives[incarnation, kind, f"{word}-{group}-{number}"].append(life)


def _place_of(life: ClientLife) -> Order:
    return life.order


def _known_of(lives: Sequence[ClientLife], place: Order) -> tuple[object, ...]:
    begun = [life for life in lives if life.order <= place]
    is_dumped_later = any(life.printed is not None and life.order > place for life in lives)
    # Only an event before the first of them asks for that; a first one with a dump has answered it.
    matters = not begun or begun[0].printed is None
    return (
        [
            (
                life.order,
                sorted(life.values.items()),
                life.printed is None,
                life.version,
                None if life.until_at is None or life.until_at >= place[0] else life.until_at,
                [(order, setting.name, setting.value) for order, setting in life.adjusted if order <= place],
            )
            for life in begun
        ],
        matters and is_dumped_later,
    )


def _set(value: str | None) -> str | None:
    return None if value in (None, "", "null") else value
