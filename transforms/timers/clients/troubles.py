"""Lines that tell of trouble, gathered: a client's repeated lines of one kind are one episode. Internal: not stored.

Nothing is judged here: what a line means stands in transforms/diagnose/troubles.yaml. An episode goes on while its lines
come at least every QUIET_MS; whether the client did anything successfully after the last of them is kept too.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from transforms.events import JAVA, LIBRDKAFKA, ClientEvent
from transforms.parse.catalogue.errors import code_in
from transforms.parse.lines.prefixes import streams_client_of
from transforms.timers.bounded import make_room
from transforms.timers.clients.asked_addresses import Asked, note_asked, taken_for
from transforms.timers.clients.own_ends import Ended, is_own_echo
from transforms.timers.clients.pythons import Aiokafkas, is_first_of_aiokafka, speaker_of
from transforms.timers.clients.told_apart import OF_CONNECTION, what_is_said, why_not_made
from transforms.timers.clients.trouble_events import (
    BETWEEN_HEARTBEATS_MS,
    JOIN_AWAITED,
    LEAST_COORDINATOR,
    OF_PYTHONS_HEARTBEAT,
    PROGRESS,
    TROUBLE,
    VERSIONS,
    had_worked,
    is_loud,
    is_member_now,
    is_of_group,
    is_of_server,
    is_refused_at_first,
    is_trouble,
    own_level,
    shows_work,
)
from transforms.timers.clock_steps import STEP_MS
from transforms.timers.episodes import Episode, episode_id, whose
from transforms.timers.profile import ClientProfile
from transforms.whole import is_whole, whole_number

MACHINE = "troubles"
# Kafka's clients say again what still is wrong at every try, at most 5 min apart (metadata.max.age.ms).
QUIET_MS = 600_000
ECHO_MS = 10
PRINTED = "admin-tool-answered"  # what a command of Kafka's has printed, which names no client
FIRST_OF_OUTPUT = 2  # the line by which it is known at the latest
ECHO = "rdkafka-error"  # what FAIL had told, told the application, too
BROKEN_OFF = frozenset({"python-broken-off", "python-disconnected"})
OF_FAIL = ("reason", "elapsed_ms")  # by what a callback's words are FAIL's
OF_STREAMS = ("-admin", "-global-consumer")
AT_ONCE_MS = 1_000  # a coordinator that is lost so soon after it was found took no connection
MOST_EVENTS = 12  # the first ones and the last: examples are enough
MOST_KEPT = 512  # kinds of lines of one process that go on at once
OF_THE_QUORUM = frozenset(
    {"raft-without-leader", "controller-without-leader", "raft-without-voters", "raft-election-failed"}
)
# After these a client of the same name is another one.
CLOSED_OR_MADE = frozenset({"client-unregistered", "config-dump"})
ISR_SHRUNK, BROKERS_GONE = "broker-isr-shrunk", "controller-brokers-gone"
# What lines of these families show to be over, and nothing else: a join that was sent is no more than that, and batches of
# one partition are one broker's.
ENDS = {
    "raft-leader-known": OF_THE_QUORUM,
    "broker-isr-expanded": frozenset({ISR_SHRUNK}),
    "franz-go-join": frozenset({"franz-go-heartbeat-unnamed"}),
    "rejoin": JOIN_AWAITED,
    "python-join": JOIN_AWAITED,
    "python-connected": frozenset(
        {"python-connect-failed", "python-connection-ended", "python-disconnected"}
    ),
    "rdkafka-batch-delivered": frozenset(),
    "broker-listens": frozenset(),
    "controller-broker-stopped": frozenset({BROKERS_GONE}),
    # Whom its own controller had not reached yet, or had not taken as an earlier run of it was still registered.
    "broker-started": frozenset({"broker-registration-refused"}),
}
PYTHONS_CONNECTED = "python-connected"  # to the address that it names
# And what nothing else shows to be over.
ENDED_SO_ALONE = OF_THE_QUORUM | {ISR_SHRUNK, BROKERS_GONE}
# Of one wait: once it has ended, such lines are of another one.
OF_ONE_WAIT = OF_THE_QUORUM | JOIN_AWAITED | {BROKERS_GONE}
# Trouble with one broker: that another one works ends it not.
OF_ONE_BROKER = frozenset({"rdkafka-waits-for-broker"})
# Over where the client itself is given one of these topics: that it is a member shows nothing.
NOT_ASSIGNED = ("topics-not-assigned", "python-topic-unassigned")
REFUSED = frozenset({"rdkafka-heartbeat-coordinator", "rdkafka-join-refused"})


@dataclass(slots=True, kw_only=True)
class TroubleLines(Episode):
    """Lines of one client (of one thread, where no client is named) that say the same: family, error, topic, node, and of no
    family, or with an exception, as far as `what_is_said` tells them apart.

    line: of the first of them. first, last: what those lines name, columns and details alike. healed_at: when the client was
    first seen to get on after the last of them. flaps: how often it got on, and the trouble came again. is_lost_at_once: a
    coordinator was lost as soon as it was found; is_found_again: and was found once more after the last of them. was_closed:
    the client was closed after the last of them, so that whoever got on under its name is another one. is_beyond_ipv6: not
    all of them name an address of IPv6. away_ms: the longest time from one of them until it got on. worst_ms: the largest
    elapsed time named. used_up: how often no attempt was left. worked: whether the client ever got on. is_server: whether a
    broker or controller says it of itself. is_cut_off: what came after is not known (transforms.timers.cut_off). quiet_ms:
    how long its process's events go on after the last of them; None where that is not known.
    """

    trouble_id: str
    message_id: str
    kind: str
    line: int = 0
    level: str | None = None
    library: str = "java"
    group_id: str | None = None
    thread: str | None = None
    error_class: str | None = None
    first: dict[str, str] = field(default_factory=dict)
    last: dict[str, str] = field(default_factory=dict)
    count: int = 0
    first_at: int | None = None
    last_at: int | None = None
    healed_at: int | None = None
    is_healed: bool = False
    flaps: int = 0
    is_lost_at_once: bool = False
    is_found_again: bool = False
    was_closed: bool = False
    is_beyond_ipv6: bool = False
    away_ms: int | None = None
    worst_ms: int | None = None
    used_up: int = 0
    worked: bool = False
    is_server: bool = False
    is_cut_off: bool = False
    quiet_ms: int | None = None

    @property
    def place(self) -> tuple[int, int, str]:
        """Where the first of them comes in its log: by its time, and, of one time or none, by its line."""
        return self.first_at or 0, self.line, self.trouble_id

    def quiet_until(self, at: int | None) -> int | None:
        """How long after the last of them that is."""
        return None if at is None or self.last_at is None else at - self.last_at


# Incarnation, whose, and what is said.
Key = tuple[int, str | None, str | None, str, str | None, str | None, int | None, str | None]
NAMED = (
    "topic", "partition", "node_id", "task_id", "member_id", "group_id", "group_instance_id", "transactional_id", "api",
    "elapsed_ms", "limit_ms", "remaining_ms", "attempts_left", "generation",
)  # fmt: skip


@dataclass(slots=True)
class Troubles:
    """Machine: events of one process -> TroubleLines, when they are quiet for QUIET_MS, or the process's log is over."""

    kept: dict[Key, TroubleLines] = field(default_factory=dict)
    worked: dict[tuple[int, str | None], None] = field(default_factory=dict)
    found_at: dict[tuple[int, str | None], int] = field(default_factory=dict)
    asked: Asked = field(default_factory=dict)
    ended: Ended = field(default_factory=dict)
    aiokafkas: Aiokafkas = field(default_factory=dict)
    line: int = 0  # of the last event

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """What this event shows to be over."""
        # What a command printed stands right below its own lines: further below another one's may.
        is_below = 0 < event.line - self.line <= FIRST_OF_OUTPUT
        self.line = event.line
        works = shows_work(event.message_id) and (is_below or event.message_id != PRINTED)
        self._seen(event, works=works)
        note_asked(self.asked, event, is_answered=works)
        if event.kind == "coordinator_found" and event.happened_at is not None:
            make_room(self.found_at, MOST_KEPT)
            self.found_at[event.incarnation, event.client_id] = event.happened_at
        is_told = not is_own_echo(self.ended, event) and self._is_told(event)
        return self._told(event, profile) if is_told and not is_of_group(event) else ()

    def step_of_group(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """What an event shows to be over, of lines that are told per group."""
        self._seen(event)
        is_told = not is_own_echo(self.ended, event) and is_of_group(event) and is_trouble(event)
        return self._told(event, profile) if is_told else ()

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """All that is kept."""
        return [replace(lines, quiet_ms=lines.quiet_until(data_clock)) for lines in self.kept.values()]

    def _is_told(self, event: ClientEvent) -> bool:
        """Whether a line is trouble; a quiet one of a connection's beginning only until the client has worked."""
        is_plain = is_loud(event.level, event.message_id) or event.kind in TROUBLE
        return is_trouble(event) and (
            is_plain
            or not is_refused_at_first(event)
            or not self._has_worked(event)
            or self._is_closed_at_once(event)
        )

    def _is_closed_at_once(self, event: ClientEvent) -> bool:
        """Whether a coordinator that had just been found took the connection, and closed it before it answered anything."""
        is_its = (event.node_id or 0) > LEAST_COORDINATOR and event.api in VERSIONS
        return is_its and self._has_just_found(event)

    def _has_worked(self, event: ClientEvent) -> bool:
        return any((event.incarnation, name) in self.worked for name in _configured_as(event.client_id))

    def _seen(self, event: ClientEvent, *, works: bool = False) -> None:
        """What shows that the client got on, or was closed; or whose its words are."""
        if is_first_of_aiokafka(self.aiokafkas, event):
            for lines in self.kept.values():
                lines.library = speaker_of(self.aiokafkas, lines.incarnation, lines.library)
        if event.message_id in CLOSED_OR_MADE and event.client_id is not None:
            for lines in self.kept.values():
                is_its = (lines.incarnation, lines.client_id) == (event.incarnation, event.client_id)
                lines.was_closed |= is_its and not lines.is_healed
        works = works or event.kind in PROGRESS or is_member_now(event)
        if self.kept and (works or event.message_id in ENDS):
            self._healed(event)
        if (works or had_worked(event)) and not self._has_worked(event):
            make_room(self.worked, MOST_KEPT)
            whose = _configured_as(event.client_id)[0]
            self.worked[event.incarnation, whose] = None
            for lines in self.kept.values():  # what it lost, or comes to after them, it could do then
                is_known = lines.worked or lines.incarnation != event.incarnation
                if not is_known and whose in _configured_as(lines.client_id):
                    lines.worked = True

    def _told(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        echoed = self._echoed(event) if event.message_id == ECHO else self._told_again(event)
        if echoed is not None:
            _remember(echoed, event)
            return ()
        worker = event.details.get("worker")  # of Connect: a task, or a connector
        whose = event.client_id or worker or event.thread
        said = f"{event.message_id} {event.details.get('logger', '')} {why_not_made(event)} {what_is_said(event)}".rstrip()
        error = event.error_class or code_in(event.details.get("error_message", ""))
        key = (
            event.incarnation, whose, event.group_id, said, error, event.topic, event.node_id, _address(event),
        )  # fmt: skip
        lines = self.kept.get(key)
        over: list[Episode] = []
        if lines is not None and _is_over(lines, event):
            over.append(replace(self.kept.pop(key), quiet_ms=lines.quiet_until(event.happened_at)))
            lines = None
        address = taken_for(self.asked, event)
        named = ({"address": address} if address else {}) | named_by(event)
        if lines is None:
            quietest = make_room(self.kept, MOST_KEPT)
            over += quietest
            lines = self.kept[key] = _first(event, profile, named)
            lines.worked = self._has_worked(event)
            lines.library = speaker_of(self.aiokafkas, event.incarnation, lines.library)
        else:
            self.kept[key] = self.kept.pop(key)
        _count(lines, event, named)
        if self._is_lost_at_once(event):
            lines.is_lost_at_once = True
        return over

    def _echoed(self, event: ClientEvent) -> TroubleLines | None:
        """The lines of the same connection that have just said what librdkafka says again as ERROR."""
        of = (event.incarnation, event.client_id, event.details.get("node"))
        its = (
            one for one in self.kept.values() if (one.incarnation, one.client_id, one.first.get("node")) == of
        )
        return next((one for one in its if _is_echo(one, event)), None)

    def _told_again(self, event: ClientEvent) -> TroubleLines | None:
        """The lines that have just said what an error callback prints, in the same words: it has no facility; or what the
        other parts of kafka-python say of a connection's end."""
        of_callback = event.client_library == LIBRDKAFKA and "facility" not in event.details
        if event.kind not in OF_CONNECTION or not (of_callback or event.message_id in BROKEN_OFF):
            return None
        its = (one for one in self.kept.values() if one.incarnation == event.incarnation)
        return next((one for one in its if (_is_callbacks if of_callback else _is_part_of)(one, event)), None)

    def _is_lost_at_once(self, event: ClientEvent) -> bool:
        """Whether it is about a coordinator that the client had found just before."""
        return event.kind == "coordinator_lost" and self._has_just_found(event)

    def _has_just_found(self, event: ClientEvent) -> bool:
        """Whether the client of an event had found its coordinator just before."""
        found_at, at = self.found_at.get((event.incarnation, event.client_id)), event.happened_at
        return found_at is not None and at is not None and at - found_at <= AT_ONCE_MS

    def _healed(self, event: ClientEvent) -> None:
        whose = {event.client_id, self._only_client(event)}
        for lines in self.kept.values():
            is_same = lines.client_id in whose and lines.incarnation == event.incarnation
            if is_same and event.kind == "coordinator_found" and lines.is_lost_at_once:
                lines.is_found_again = True
            is_same = is_same and not _shows_nothing(lines, event)
            if is_same and not lines.is_healed:
                lines.is_healed, lines.healed_at = True, event.happened_at
                if event.happened_at is not None and lines.last_at is not None:
                    lines.away_ms = max(lines.away_ms or 0, event.happened_at - lines.last_at)

    def _only_client(self, event: ClientEvent) -> str | None:
        """The client that an event is of. One that names none, and is not of Java's, is of the only one of its library; what
        a command printed is of the only admin client.
        """
        if event.client_id is not None or (event.client_library == JAVA and event.message_id != PRINTED):
            return event.client_id
        named = {
            lines.client_id
            for lines in self.kept.values()
            if lines.client_id is not None
            and (lines.library, lines.incarnation) == (event.client_library, event.incarnation)
            and (event.message_id != PRINTED or (lines.profile and lines.profile.client_kind == "admin"))
        }
        return named.pop() if len(named) == 1 else None


def _shows_nothing(lines: TroubleLines, event: ClientEvent) -> bool:
    """Whether a line leaves open that the trouble is over, though its client got on.

    Who the coordinator is, any broker tells: that does not show that the coordinator itself took the connection; nor,
    where it is the one that had just refused to be it, that it is any other way. Nor does what is of an earlier time show
    it, as of an excerpt that was pasted below.
    """
    if (
        event.happened_at is not None
        and lines.last_at is not None
        and lines.last_at - event.happened_at > STEP_MS
    ):
        return True
    node_id = lines.first.get("node_id", "")
    if lines.message_id in OF_ONE_BROKER:
        return not _is_of_broker(lines, event)
    if lines.message_id in NOT_ASSIGNED:
        of = re.findall(r"[\w.\-]+", lines.first.get("topics") or lines.first.get("topic", ""))
        given = re.findall(r"topic='([^']+)'", event.details.get("assigned", "")) or [event.topic]
        return event.kind != "partitions_assigned" or set(given).isdisjoint(of)
    ends = ENDS.get(event.message_id)
    is_its = ends is not None and lines.message_id in ends
    if event.message_id == PYTHONS_CONNECTED:
        return not is_its or lines.first.get("address") != event.details.get("address")
    if ends is not None and lines.kind in OF_CONNECTION:
        return event.details.get("broker_id") != node_id
    if ends is not None or lines.message_id in ENDED_SO_ALONE:
        return not is_its or (lines.message_id == ISR_SHRUNK and not _is_in_sync_again(lines, event))
    if event.kind == "coordinator_found" and _is_refused_by_coordinator(lines):
        return node_id in ("", str(event.node_id))
    if lines.is_lost_at_once and event.kind == "coordinator_found":
        return True
    to_coordinator = is_whole(node_id) and whole_number(node_id) > LEAST_COORDINATOR
    return lines.kind == "connect_failed" and to_coordinator and event.kind == "coordinator_found"


def _is_refused_by_coordinator(lines: TroubleLines) -> bool:
    """Whether librdkafka was told by the broker that it took for its coordinator that it is none."""
    is_refused = "NOT_COORDINATOR" in (lines.error_class or "") or lines.message_id in REFUSED
    return is_refused and lines.library == LIBRDKAFKA


def _is_in_sync_again(lines: TroubleLines, event: ClientEvent) -> bool:
    """Whether all replicas that a leader dropped are in sync again, of the same partition."""
    named, named_now = lines.last or lines.first, named_by(event)
    is_same = (named.get("topic"), named.get("partition")) == (
        named_now.get("topic"),
        named_now.get("partition"),
    )
    before = set(lines.first.get("isr_before", "").split(","))
    return is_same and before <= set(event.details.get("isr_after", "").split(","))


def _is_of_broker(lines: TroubleLines, event: ClientEvent) -> bool:
    """Whether a line is of the broker that lines of trouble name: by its number, or, before that is known, its address."""
    is_same = str(event.node_id) == lines.first.get("node_id")
    return is_same or event.details.get("node", "") == lines.first.get("node")


def _address(event: ClientEvent) -> str | None:
    """The address that a connection was not made to, or was lost to, where no number tells one broker from another."""
    is_of_connection = event.kind in OF_CONNECTION or event.message_id == ECHO
    if not is_of_connection or event.node_id is not None:
        return event.details.get("url")  # one of bootstrap.servers, whose name does not resolve
    named = [value for name in ("address", "broker", "node") if (value := event.details.get(name))]
    # What whoever posted it masked may be several addresses: all that is named tells them apart.
    return next((one for one in named if "*" not in one), " ".join(named) or None)


def _is_over(lines: TroubleLines, event: ClientEvent) -> bool:
    at, last = event.happened_at, lines.last_at
    apart_ms = None if at is None or last is None else at - last
    if event.message_id == OF_PYTHONS_HEARTBEAT and (apart_ms is None or apart_ms > BETWEEN_HEARTBEATS_MS):
        return True
    return (lines.is_healed and lines.message_id in OF_ONE_WAIT) or (apart_ms or 0) > QUIET_MS


def _first(event: ClientEvent, profile: ClientProfile, named: dict[str, str]) -> TroubleLines:
    return TroubleLines(
        trouble_id=episode_id(event.unit_id, MACHINE, event.event_id),
        **whose(event),
        profile=profile,
        message_id=event.message_id,
        kind=event.kind,
        line=event.line,
        level=event.level or own_level(event.message_id),
        library=event.client_library or "java",
        group_id=event.group_id,
        thread=event.thread,
        error_class=event.error_class,
        first=named,
        is_server=event.client_kind == "broker" or is_of_server(event.details.get("logger", "")),
    )


def _is_echo(lines: TroubleLines, event: ClientEvent) -> bool:
    """Whether librdkafka says again at once, as ERROR, what it said as FAIL: so it does where no callback takes errors; or
    tells everybody what it had told its debug log."""
    before, now = (lines.last or lines.first).get("facility"), event.details.get("facility")
    is_told_all = before == now and lines.level == "DEBUG" != event.level
    return before == "FAIL" and (is_told_all or now == "ERROR") and _is_at_once(lines, event)


def _is_part_of(lines: TroubleLines, event: ClientEvent) -> bool:
    """Whether kafka-python tells the end of a node's connection once more: the connection, what closes it, what fetches."""
    said = lines.last or lines.first
    is_nodes = event.node_id is not None and str(event.node_id) == said.get("node_id")
    return is_nodes and lines.message_id in BROKEN_OFF and _is_at_once(lines, event)


def _is_callbacks(lines: TroubleLines, event: ClientEvent) -> bool:
    """Whether an event without a facility tells what librdkafka's FAIL had, at once: by whom, what and after how long."""
    said = lines.last or lines.first
    alike = all(said.get(name, value) == value for name, value in named_by(event).items() if name in OF_FAIL)
    is_its = lines.message_id == event.message_id and event.client_id in (None, lines.client_id)
    is_at_once = event.happened_at is None or _is_at_once(lines, event)  # the callback prints no time
    return is_its and alike and said.get("facility") == "FAIL" and is_at_once


def _is_at_once(lines: TroubleLines, event: ClientEvent) -> bool:
    at, last_at = event.happened_at, lines.last_at
    return at == last_at or (at is not None and last_at is not None and at - last_at <= ECHO_MS)


def _count(lines: TroubleLines, event: ClientEvent, named: dict[str, str]) -> None:
    if lines.count and _is_echo(lines, event):
        _remember(lines, event)
        return
    lines.count += 1
    lines.used_up += event.attempts_left == 0
    lines.is_found_again = lines.was_closed = False
    lines.is_beyond_ipv6 |= "ipv6" not in event.details
    if event.happened_at is not None:
        lines.first_at = event.happened_at if lines.first_at is None else lines.first_at
        lines.last_at = event.happened_at
    if lines.is_healed:
        lines.flaps += 1
        lines.is_healed, lines.healed_at = False, None
    # How long a connection was good is no wait.
    if event.elapsed_ms is not None and not event.details.get("state", "").startswith("UP"):
        lines.worst_ms = max(lines.worst_ms or 0, event.elapsed_ms)
    if lines.count > 1:
        lines.last = named
    _remember(lines, event)


def _remember(lines: TroubleLines, event: ClientEvent) -> None:
    """Keep a line as one of the examples."""
    if len(lines.event_ids) >= MOST_EVENTS:
        lines.event_ids.pop()
    lines.event_ids.append(event.event_id)


def named_by(event: ClientEvent) -> dict[str, str]:
    """What a line names, columns and details alike."""
    columns = {name: str(value) for name in NAMED if (value := getattr(event, name)) is not None}
    return event.details | columns


@lru_cache(MOST_KEPT)  # asked anew of all that are kept, whenever one gets on
def _configured_as(client_id: str | None) -> tuple[str | None, ...]:
    """Whose addresses and security a client has: Streams' own clients have those of the Streams client, by whose name
    (where the application chose that) its admin and global consumer are named, too.
    """
    base = streams_client_of(client_id) or client_id
    named_after = [base.removesuffix(end) for end in OF_STREAMS if base and base.endswith(end)]
    return (base, *named_after)
