"""Lines of trouble with the class that they are of, and whether they are normal all the same."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from transforms.diagnose.causes.benign import CONNECTION, SHORTEST_REST_MS, mean_gap_ms, own_rest_ms
from transforms.diagnose.troubles.trouble_places import number_of
from transforms.diagnose.wording.catalogue import Said, TroubleClass, class_of, class_of_kind, found_in
from transforms.parse.events.messages import QUOTED_ONLY
from transforms.timers.clients.trouble_events import is_loud
from transforms.timers.clients.troubles import AT_ONCE_MS, QUIET_MS, TroubleLines
from transforms.whole import is_whole, whole_number

# What passes by itself is normal where the client got on within so long: twice the session timeout that consumers have.
HEALS_WITHIN_MS = 90_000
# What is asked for again at once, as often as it takes: a coordinator that loads, or is being made, takes seconds.
PASSES_MS = 10_000
# Lines that say again, with less, what another line of the same failure says: whether it is normal, that one shows.
ECHOES = frozenset(
    {"rdkafka-broker-failed", "rdkafka-all-brokers-down", "rdkafka-transport-told", "python-connection-ended"}
)
OF_ONE_LEVEL = frozenset({"brod-socket-down"})  # brod says of a rest at ERROR what later releases say at INFO
AS_IT_BEGINS = frozenset({"rdkafka-no-broker-to-ask"})  # said until the first connection is up
CLOSED = "Disconnected"  # what releases of librdkafka before 1.0 give as the reason of any connection that was closed
MADE_BY_THEN_MS = 2_000
ASKED_FIRST = "asked_first"  # the number of one of the requests that a client begins with
ENDED = "broker_ended"  # of a line that names no exception: it only says again that a broker ended
# The shortest wait by default is 50 ms (reconnect.backoff.ms), with jitter 40.
MANY_TRIES, LEAST_WAIT_MS = 100, 10
# A try to connect, and the wait before the next one (30 s and 10 s at most, unless set).
LONGEST_TRY_MS = 40_000
OF_REPLICAS = "replica"  # a fault: a follower asks for all of its partitions at once, and again each second
# What a broker says that is asked before it is registered itself.
NO_BROKER_YET = "no_broker_registered"
ADMIN_REST_MS = 300_000  # connections.max.idle.ms of an admin client, unless set
MOST_IDLE = 2  # disconnects of one node, or waits that nobody has to end, that say nothing by themselves
BOTH_KNOWN = 2  # lines of which the first and the last have a time, and none is between them
# Of a broker, which has a connection of its own for each part that asks: its registration, its heartbeats, transactions.
MOST_PARTS = 8


@dataclass(slots=True)
class Trouble:
    """Lines of one kind with the class that they are of. words: all that they name. errors: theirs, the innermost first.

    alike: how many lines of that class the client said, of whatever node.
    """

    lines: TroubleLines
    of: TroubleClass
    words: str
    errors: tuple[str, ...] = ()
    alike: int = 0
    _found: dict[str, str] | None = field(default=None, init=False, repr=False, compare=False)
    _is_normal: bool | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def found(self) -> dict[str, str]:
        """What the class finds in the words, by name: looked for once, however many sentences ask."""
        if self._found is None:
            self._found = found_in(self.of, self.words)
        return self._found

    @property
    def is_normal(self) -> bool:
        """Whether nothing is to be done: always so, or it passed by itself at once. Asked once `alike` is counted, and then
        by all that is told of it."""
        if self._is_normal is None:
            self._is_normal = self._needs_nothing()
        return self._is_normal

    def was_wait_until(self, at: int | None) -> bool:
        """Whether it was no more than a normal wait, which was over by then."""
        return self.of.waits and self.is_normal and (self.lines.healed_at or 0) <= (at or 0)

    def _needs_nothing(self) -> bool:
        if "uncaught" in self.lines.first:
            return False  # it ended its thread
        if self.of.verdict == "benign" or max(self.lines.count, self.alike) < self.of.often:
            return True
        at, message_id = self.lines.level, self.lines.message_id
        is_quiet = (message_id in OF_ONE_LEVEL or not is_loud(at, message_id)) and (
            self.lines.level or self.lines.library == "java"
        )
        was_good = self.lines.first.get("state", "UP").startswith("UP")  # librdkafka says what it was doing
        is_quiet = (is_quiet and was_good and not self.is_echo) or self._was_idle()
        most = MOST_PARTS if self.lines.is_server else MOST_IDLE
        is_few = self.lines.count <= most or self._rested_each_time()
        is_send = self.lines.kind == "produce_failed"  # the application was told of it
        if self.of.kind == "disconnected" and is_quiet and is_few and not is_send:
            return True  # a connection that rested is closed, and made again when it is needed
        is_short = self.lines.count <= MOST_IDLE or self._lasted_ms() <= PASSES_MS
        is_passing = self.of.actor == "nobody" or self.lines.message_id in AS_IT_BEGINS
        if self.of.heals and is_passing and is_short:
            return (
                True  # a broker that starts says that to whom asks first; the client's next line is another's
            )
        passes = (
            self._another_answered,
            self._makes_its_topic,
            self._asks_no_more,
            self._stays_with_it,
            self._has_ipv4,
        )
        if any(is_over() for is_over in passes):
            return True
        healed, last = self.lines.healed_at, self.lines.last_at
        is_steady = self.lines.flaps <= 1 or self._lasted_ms(healed) <= PASSES_MS
        if not (self.of.heals and self.lines.is_healed and is_steady):
            return False
        return healed is None or last is None or healed - last <= self._heals_within_ms()

    def _rested_each_time(self) -> bool:
        """Whether its lines are as far apart as the client lets a connection rest: by its own log, or as any admin client
        does that asks now and then."""
        profile = self.lines.profile
        default = ADMIN_REST_MS if profile is not None and profile.client_kind == "admin" else None
        rest_ms, apart_ms = own_rest_ms(self.lines) or default, mean_gap_ms(self.lines)
        return rest_ms is not None and apart_ms is not None and apart_ms >= rest_ms

    def _lasted_ms(self, until: int | None = None) -> float:
        """How long its lines went on, or until then; endless where they have no times."""
        first, last = self.lines.first_at, until or self.lines.last_at
        return inf if first is None or last is None else last - first

    def _heals_within_ms(self) -> int:
        """Within what time it must be over: a member whose session timeout its log tells is gone by then."""
        profile = self.lines.profile
        session = profile.whole("session.timeout.ms") if profile is not None else None
        is_known = session is not None and session.is_proven
        return min(HEALS_WITHIN_MS, 2 * session.ms) if session is not None and is_known else HEALS_WITHIN_MS

    @property
    def is_echo(self) -> bool:
        """Whether another line of the same failure says more, where there is one."""
        return self.lines.message_id in ECHOES

    def _another_answered(self) -> bool:
        """Whether nobody took a bootstrap address, and the client got on within a moment: another one of its list did; or
        the command whose client it is printed below, without a time, what it was asked for.
        """
        lines = self.lines
        if lines.kind not in CONNECTION or not lines.is_healed or lines.flaps:
            return False
        node = number_of(lines.first)
        if node is None or node >= 0:
            return False
        began, healed = lines.first_at, lines.healed_at
        return began is not None and (healed is None or healed - began <= AT_ONCE_MS)

    def _asks_no_more(self) -> bool:
        """Whether a server did not reach another one once or twice, or so at each of its starts, or asked its leader for
        what that had not yet, or was asked before any broker was registered, and said no more of it while its log went on:
        it tries again at once, or is asked again, and says each time that it could not.
        """
        lines = self.lines
        is_once = lines.count <= MOST_IDLE or (mean_gap_ms(lines) or 0) > LONGEST_TRY_MS
        is_passing = is_once if lines.kind == "connect_failed" else self._asks_in_vain()
        return lines.is_server and is_passing and self.of.heals and (lines.quiet_ms or 0) >= PASSES_MS

    def _asks_in_vain(self) -> bool:
        if self.of.kind == NO_BROKER_YET:
            return self._lasted_ms() <= PASSES_MS
        return self.of.fault == OF_REPLICAS and self._lasted_ms() <= AT_ONCE_MS

    def _stays_with_it(self) -> bool:
        """Whether a coordinator that was lost as soon as it was found was found once more, and kept while the log went on:
        after a long rest all its connections are closed, and each is found so when it is used.
        """
        lines = self.lines
        is_kept = lines.is_found_again and (lines.quiet_ms or 0) >= PASSES_MS
        return is_kept and self.of.heals and self._lasted_ms() <= AT_ONCE_MS

    def _makes_its_topic(self) -> bool:
        """Whether a producer was told for a moment, as it began, that its topic is not there, and went on: brokers make it
        by that very request, where they may, or Connect just did. It asks again within retry.backoff.max.ms (1 s) and
        would say so each time.
        """
        lines = self.lines
        is_producers = lines.profile is not None and lines.profile.client_kind == "producer"
        is_made = lines.quiet_ms is not None and lines.quiet_ms >= MADE_BY_THEN_MS
        is_short = self._lasted_ms() <= MADE_BY_THEN_MS
        return is_producers and is_short and is_made and ASKED_FIRST in self.found

    def _has_ipv4(self) -> bool:
        """Whether nobody listened at ::1 alone, and the client got on each time: kafka-python tries each address of a name
        in turn, and says so of each that refuses it.
        """
        lines = self.lines
        got_on = lines.is_healed or lines.flaps > 0
        return self.of.kind == "connect_failed" and got_on and not lines.is_beyond_ipv6

    def _was_idle(self) -> bool:
        """Whether the connection had been good for so long that one at rest is closed: librdkafka says how long. Of old
        it did not, and said all that was closed without an error so, at ERROR.
        """
        first = self.lines.first
        if self.lines.message_id in ("rdkafka-disconnected", "rdkafka-error") and "state" not in first:
            said = first.get("reason", first.get("error_message", CLOSED))
            return said.removeprefix("Receive failed: ") == CLOSED
        return self.rested_ms is not None

    @property
    def rested_ms(self) -> int | None:
        """For how long a connection had been good that was then closed; None where it was too short for one at rest."""
        was_up = self.lines.message_id == "rdkafka-disconnected" and self.lines.first.get(
            "state", ""
        ).startswith("UP")
        good_ms = self.lines.first.get("elapsed_ms", "") if was_up else ""
        good = whole_number(good_ms) if is_whole(good_ms) else 0
        return good if good >= SHORTEST_REST_MS else None


def words_of(named: Mapping[str, str], kind: str) -> str:
    """What fields of lines of a kind say."""
    # Its text is to be quoted alone where its fields say what it was.
    left_out = ("exceptions", "logger", "text") if kind in QUOTED_ONLY else ("exceptions", "logger")
    # The first line's own first.
    in_order = sorted(named.items(), key=lambda one: (one[0].startswith("last_"), one[0]))
    return "\n".join(value for name, value in in_order if not name.endswith(left_out))


def class_of_lines(said: Said, lines: TroubleLines) -> TroubleClass:
    """The class of lines; they are normal only where the first of them is, and the last one, each by its own words."""
    found = class_of(said)
    if found.spins is not None and _are_without_wait(lines):
        return class_of_kind(found.spins)
    if found.verdict != "benign" or not lines.last:
        return found
    each = [class_of(replace(said, words=words_of(one, lines.kind))) for one in (lines.first, lines.last)]
    return next((one for one in each if one.verdict != "benign"), found)


def _are_without_wait(lines: TroubleLines) -> bool:
    """Whether tries follow each other faster than any backoff lets them: a client that waits says a few at once, no more."""
    apart_ms = mean_gap_ms(lines)
    return lines.count >= MANY_TRIES and apart_ms is not None and apart_ms < LEAST_WAIT_MS


def stretches(troubles: list[Trouble]) -> Iterator[list[Trouble]]:
    """Those that follow each other within QUIET_MS; undated ones are of one time. A wait that ended is no part of one that
    lasts, nor of trouble that came after it."""
    stretch: list[Trouble] = []
    ends: list[Trouble] = []  # those of a stretch by which a process ended
    ended: set[bool] = set()  # of the waits of a stretch that ended: whether these were normal
    until: int | None = None
    for one in sorted(troubles, key=lambda one: one.lines.place):
        at = one.lines.first_at
        is_later = at is not None and until is not None and at - until > QUIET_MS
        is_next_wait = one.of.waits and (not one.is_normal) in ended
        is_after_waits = not one.is_normal and all(other.was_wait_until(at) for other in stretch)
        if stretch and (is_later or is_next_wait or is_after_waits or _is_next_end(one, stretch, ends)):
            yield stretch
            stretch, ends, ended, until = [], [], set(), None
        stretch.append(one)
        if one.of.ends:
            ends.append(one)
        if one.of.waits and one.lines.is_healed:
            ended.add(one.is_normal)
        if one.lines.last_at is not None:
            until = max(until or one.lines.last_at, one.lines.last_at)
    if stretch:
        yield stretch


def _is_next_end(one: Trouble, stretch: Sequence[Trouble], ends: Sequence[Trouble]) -> bool:
    """Whether a process ended by it for another reason than what came before, and not just after that: its next run did. So
    is what comes a while after such an end, and ends none: that process said no more."""
    if one.lines.first_at is None:
        return False
    if not one.of.ends:
        ended_at = max((other.lines.last_at or 0 for other in ends), default=None)
        return ended_at is not None and one.lines.first_at - ended_at > PASSES_MS
    reasons = [other for other in stretch if other.errors or other.of.kind != ENDED]
    if not reasons or any(_ended_alike(one, other) for other in reasons):
        return False
    return all(_is_apart(one.lines.first_at, other.lines) for other in reasons)


def _is_apart(at: int, lines: TroubleLines) -> bool:
    """Whether none of these lines is so near before that time that one end of a process is told by both. Of two lines either
    may be, of more any between them."""
    first, last = lines.first_at or 0, lines.last_at or 0
    told = (first, last) if lines.count <= BOTH_KNOWN else (min(at, last),)
    return all(abs(at - other) > PASSES_MS for other in told)


def _ended_alike(one: Trouble, other: Trouble) -> bool:
    """Whether both tell of one reason, as far as they name it."""
    is_another = one.errors and other.errors and one.errors[0] != other.errors[0]
    return one.of is other.of and not is_another
