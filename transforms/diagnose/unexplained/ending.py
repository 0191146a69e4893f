"""How an explanation ends: trouble, nothing wrong in what was read, or lines not read or judged; none by default."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain

from transforms.diagnose.troubles.trouble import HEALS_WITHIN_MS
from transforms.diagnose.unexplained.no_logs import no_log
from transforms.diagnose.unexplained.printers import by_their_words, printers
from transforms.diagnose.unexplained.programs import is_statement, sets_level
from transforms.diagnose.unexplained.raw_lines import RawLine, RawScan, without_key
from transforms.diagnose.unexplained.reached_later import said_after_ms, without_reached
from transforms.diagnose.wording.loudness import LOUD, LOUDNESS, fails_in_words, is_thrown, loudness_of
from transforms.diagnose.wording.named_clients import client_of
from transforms.diagnose.wording.words import counted, listed
from transforms.events import APPLICATION_EXCEPTION, JAVA, LIBRDKAFKA, UNRECOGNIZED, ClientEvent
from transforms.parse.catalogue.exceptions import chain_of
from transforms.parse.catalogue.forms import exception_forms, families
from transforms.parse.catalogue.other_clients import JUDGED
from transforms.parse.events.other_events import WITHOUT_LEVELS
from transforms.timers.clients.broker_starts import FAILED, STOPPED, STOPS
from transforms.timers.clients.incarnations import BROKER_STARTS
from transforms.timers.clients.trouble_events import has_printers_level
from transforms.when_used import when_used

TROUBLE, NOTHING_WRONG, NOT_JUDGED = ENDINGS = ("trouble", "nothing_wrong", "not_judged")
EXIT_CODES = {NOTHING_WRONG: 0, TROUBLE: 1, NOT_JUDGED: 3}
KAFKAS_LAYOUT = "[<time>] <level> <message> (<logger>)"  # of its own log4j.properties
MOST_COVERED = 10_000  # lines of one record
MOST_ECHOES = 50  # texts that an application may print again
LEAST_ECHO = 40  # characters of one
MOST_LINES = 50  # of a record that another may say again
COORDINATOR = "GroupCoordinator: "  # what librdkafka calls that connection
# Kinds of events that some client must act on or wait for, at whatever level its client says it.
OF_TROUBLE = frozenset({
    "task_timeout_expired", "batch_expired", "produce_failed", "request_timeout", "connect_failed", "poll_interval_expired",
    "heartbeat_failed", "session_expired", "coordinator_lost", "fenced", "commit_failed", "partitions_lost",
    "broker_member_failed", "streams_error",
})  # fmt: skip
# Of these, what is trouble whatever level it is said at.
NEVER_QUIET = frozenset({
    "task_timeout_expired", "batch_expired", "request_timeout", "poll_interval_expired", "session_expired", "fenced",
})  # fmt: skip
QUIET = ("INFO", "DEBUG", "TRACE")
ERRORS = ("fatal", "error")  # how loudly
_FRAME = when_used(r"(?:^|\s|\\t)at (?:[\w$<>]+\.)+[\w$<>]+\([^()]*\)(?: ~?\[[^\]]*\])?\s*$")
# At a log's beginning: the frame, perhaps cut at its left, of what was thrown before it, or the end of its trace.
_CUT_TRACE = when_used(
    r"(?m)(?:[^\w\n]*\n)*[^\w\n]*(?:(?:at )?[\w.$<>/]+\([\w$]+\.(?:java|scala|kt):\d+\)(?: ~?\[[^\[\]\n]*\])?"
    r"|\.\.\. \d+ (?:more|common frames omitted))\s*?$"
)
_ERROR_OF_KAFKA = when_used(r"org\.apache\.kafka\.(?:\w+\.)*\w+(?:Exception|Error)(?::|$)")
_NUMBER = when_used(r"\d+")
_SETTING = when_used(r"\s*[\w.\-]+ = |.{0,300}\w values: ?$")


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """A record that events were told by. line, line_count: physical lines. zone: its LogRecord.time_zone_origin."""

    source: str
    line: int
    line_count: int
    level: str | None
    thread: str | None
    zone: str
    text: str


@dataclass(slots=True)
class SourceRead:
    """What became of one source. layout: the reader's name for its form. libraries: whose client_library its events are.
    unread: pieces that no reader understood. failing: of what speaks loudly what is not always normal.
    """

    name: str
    scan: RawScan
    layout: str = ""
    kafka_lines: int = 0
    libraries: frozenset[str] = frozenset()
    unread: list[RawLine] = field(default_factory=list)
    failing: list[RawLine] = field(default_factory=list)

    @property
    def speaking(self) -> Sequence[RawLine]:
        """Its lines that speak of trouble with Kafka, which a client's line in it names, or its layout, as of an hour in
        which a broker's client of ZooKeeper's alone spoke; of its topics and offsets, too, where no client of Java's speaks,
        at ERROR alone where no client is known, and Kafka is named.
        """
        if not self.libraries and self.layout != KAFKAS_LAYOUT:
            errors = (line for line in self.scan.of_its_things if line.loudness in ERRORS)
            return [*self.scan.speaking, *(errors if self.scan.is_named else ())]
        more = () if self.libraries <= {JAVA} else self.scan.of_its_things
        return [replace(line, is_doubtful=False) for line in chain(self.scan.speaking, more)]

    @property
    def is_read_by_level(self) -> bool:
        """Whether its lines are of no form that is known, and each says by its own level that it is quiet, or is normal."""
        is_unread = bool(self.kafka_lines or self.unread or self.is_binary)
        return not is_unread and self.scan.is_quiet(len(self.scan.loud) - len(self.failing))

    @property
    def is_binary(self) -> bool:
        """Whether it is bytes, and no text."""
        return self.layout == "binary"


@dataclass(slots=True)
class Ending:
    """kind: one of ENDINGS. sentences: what is said of it, the first first. not_judged: lines, the loudest first."""

    kind: str
    sentences: list[str]
    not_judged: list[RawLine] = field(default_factory=list)


def ending(
    sources: Sequence[SourceRead],
    not_judged: Sequence[RawLine],
    *,
    has_trouble: bool,
    in_words: Set[str] = frozenset(),
    members: Sequence[str] = (),
    anew: Sequence[str] = (),
    beside: Sequence[str] = (),
) -> Ending:
    """The ending of all that was read together. in_words: names of sources of which lines are told by what they say.
    members: consumers in their groups to the end of their logs. anew, beside: what is said of starts, times, errors."""
    loudest = sorted(not_judged, key=lambda line: LOUDNESS.index(line.loudness or LOUDNESS[-1]))
    missed = [sentence for source in sources if (sentence := _not_read(source, source.name in in_words))]
    by_level = [source for source in sources if source.is_read_by_level]
    lines = sum(source.kafka_lines for source in sources) + sum(one.scan.kafka_lines for one in by_level)
    if has_trouble:
        return Ending(TROUBLE, [*missed, *anew], loudest)
    loudest = loudest or [line for source in sources if (line := _cut_trace(source)) is not None]
    if loudest:
        others = _of_others(loudest)
        some = counted(len(loudest), "line")
        what = f"{some} could not be judged{others}"
        read = f"What was read ({counted(lines, 'Kafka line')}) shows no trouble"
        rest = read if lines else "Nothing else tells of Kafka"
        return Ending(NOT_JUDGED, [f"{what}. {rest}, but this is no all-clear.", *missed, *anew], loudest)
    if missed:
        if lines:
            missed.append(f"In the rest nothing is wrong: {counted(lines, 'Kafka line')} read.")
        return Ending(NOT_JUDGED, [*missed, *anew], loudest)
    libraries = sorted({library for source in sources for library in source.libraries} - JUDGED)
    beyond = (
        f" The timers of {listed(libraries)} are not rebuilt: its lines alone were read." if libraries else ""
    )
    if members:
        still = "is still a member of its group" if len(members) == 1 else "are still members of their groups"
        beyond += f" {listed([*members])} {still} where they end: they tell of no close."
    beyond += "".join(f" Those of {one.name} were read by their level and words alone." for one in by_level)
    well = f"Read {counted(lines, 'Kafka line')}: nothing wrong.{beyond}"
    return Ending(NOTHING_WRONG, [well, *beside, *anew])


def _of_others(lines: Iterable[RawLine]) -> str:
    clients = sorted({line.client for line in lines if line.client})
    return f" (of {listed(clients)}, whose lines are not known well enough)" if clients else ""


def _cut_trace(source: SourceRead) -> RawLine | None:
    """The frame that a log of Kafka's begins with: what was thrown there was cut off, and may be why it was posted."""
    begun = _CUT_TRACE.match(source.scan.head.decode("utf-8", "replace")) if source.kafka_lines else None
    return begun and RawLine(
        source.name, begun[0].count("\n") + 1, begun[0].split("\n")[-1].strip(), "exception"
    )


def _not_read(source: SourceRead, is_told: bool) -> str | None:
    """Why nothing, or not all, was read of a source; None where all of it was."""
    scan, name = source.scan, source.name
    if source.is_read_by_level:
        return None
    if not scan.size:
        return (
            f"{name}: nothing of it could be read."
            if source.unread
            else f"{name} is empty: there is nothing to judge."
        )
    if not source.kafka_lines and (other := no_log(scan.head)) is not None:
        return f"{name} {other}"
    if source.is_binary:
        return f"{name} is no text ({scan.size} bytes): none of it was read. Give the log itself, or a gzip of it."
    if source.kafka_lines:
        return f"{name}: {counted(len(source.unread), 'piece')} could not be read." if source.unread else None
    if is_told:
        return f"{name}: none of its lines is of a form that is known here; what is told of them is what they say."
    if scan.clients:
        client, lines = scan.clients.most_common(1)[0]
        return (
            f"{name} is a log of {client} ({counted(lines, 'line')}): this client is not Java's, and its timers are not "
            "rebuilt. Nothing was judged."
        )
    if scan.kafka_lines and scan.is_named:  # heartbeats and partitions are others', too
        loud = "; none of its lines says that something failed"
        if source.failing:
            loud = f"; line {source.failing[0].line} is the first that says that something failed"
        speak = "speaks" if scan.kafka_lines == 1 else "speak"
        some = f"{counted(scan.kafka_lines, 'line')} of {scan.lines} {speak} of Kafka"
        return f"{name}: {some}, and none could be read{loud}."
    return f"{name} has no line of a Kafka client: {counted(scan.lines, 'line')} read, nothing to judge."


def unexplained(
    sources: Iterable[SourceRead],
    records: Mapping[str, ReadRecord],
    events: Iterable[ClientEvent],
    explained: Set[str],
) -> list[RawLine]:
    """The lines that speak of trouble and that nothing explains, each record once, in order of source and line; without
    those of states that were reached soon after.

    events: all that the records told. explained: ids of records that an incident, a finding or a benign line tells of.
    """
    sources = list(sources)
    of_record: dict[str, list[ClientEvent]] = defaultdict(list)
    for event in events:
        of_record[event.record_id].append(event)
    speaking = {source.name: source.speaking for source in sources}
    covered = {name: _Covered(lines) for name, lines in speaking.items()}
    alike = _Alike(records, explained)
    found = list(_of_records(records, of_record, explained, alike, covered))
    echoes = _told_again(records, of_record, explained)
    told_lines: dict[str, set[int]] = defaultdict(set)
    for record_id in explained & records.keys():
        told_lines[records[record_id].source].add(records[record_id].line)
    for source in sources:
        name = source.name
        introducing = {line.line for line in speaking[name] if line.introduces}
        unread = [line for line in source.unread if line.line not in introducing]
        # Of an answer's error only what is told itself; of others what is of no record that was judged.
        known, told = covered[name].lines | {line.line for line in unread}, told_lines[name]
        left = (line for line in speaking[name] if line.line not in (told if line.errors else known))
        found += unread
        found += (
            line
            for line in left
            if not alike.is_told(name, line.text) and not any(said in line.text for said in echoes)
        )
    reached = {source.name: source.scan.reached for source in sources}
    starts, stops = _starts_of_brokers(records, of_record), _shutdowns(records, of_record)
    levels = {record_id: (record.source, record.level) for record_id, record in records.items()}
    said = by_their_words(found, printers(levels, of_record))
    found = without_reached((one for one in said if not _is_of_program(one)), reached, starts, stops)
    return sorted(found, key=lambda line: (line.source, line.line))


def _is_of_program(one: RawLine) -> bool:
    """Whether it is a program's statement, or sets the level of a logger: nobody said it."""
    return sets_level(one.text) or (one.loudness in ("exception", "words") and is_statement(one.text))


def _of_records(
    records: Mapping[str, ReadRecord],
    of_record: Mapping[str, Sequence[ClientEvent]],
    explained: Set[str],
    alike: "_Alike",
    covered: Mapping[str, "_Covered"],
) -> Iterator[RawLine]:
    """The records that speak of what nothing explains; notes which lines each record covers."""
    last = {record.source: record_id for record_id, record in records.items()}
    for record_id, record in records.items():
        told, is_explained = of_record.get(record_id, []), record_id in explained
        loudness = "" if is_explained else _speaks(record, told)
        is_last = last[record.source] == record_id
        if not loudness and not is_explained and _is_thrown(record, told, not explained, is_last):
            loudness = "exception"
        if loudness and not alike.is_told(record.source, record.text):
            yield _loudest_line(record, loudness, told)
        # Lines that stand under a quiet one may be records of their own that the reader took for its continuation.
        is_whole = loudness or is_explained or any(event.benign for event in told)
        lines = min(record.line_count, MOST_COVERED) if is_whole else _own_lines(record)
        covered[record.source].take(record.line, record.line + lines)
        if any(event.kind == "config_dump" for event in told):
            covered[record.source].lines.update(_settings(record))


def _starts_of_brokers(
    records: Mapping[str, ReadRecord], of_record: Mapping[str, Sequence[ClientEvent]]
) -> dict[str, list[int]]:
    """The lines at which brokers start, by source."""
    starts: dict[str, list[int]] = defaultdict(list)
    for record_id, told in of_record.items():
        if any(event.message_id == BROKER_STARTS for event in told) and record_id in records:
            starts[records[record_id].source].append(records[record_id].line)
    return starts


def _shutdowns(
    records: Mapping[str, ReadRecord], of_record: Mapping[str, Sequence[ClientEvent]]
) -> dict[str, list[tuple[int, int]]]:
    """By source, the lines at which a broker that had been up began to stop, and had stopped, in order and soon."""
    begun: dict[str, ReadRecord] = {}
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for record_id, told in of_record.items():
        record, said = records.get(record_id), {event.message_id for event in told}
        if record is None or said.isdisjoint({STOPS, STOPPED, FAILED}):
            continue
        if STOPS in said:
            begun.setdefault(record.source, record)
        elif (first := begun.pop(record.source, None)) is not None and STOPPED in said:
            passed_ms = said_after_ms(first.text, record.text)
            if passed_ms is None or passed_ms <= HEALS_WITHIN_MS:
                found[record.source].append((first.line, record.line))
    return found


class _Alike:
    """What is told of, by its words without their numbers: an incident keeps some of the lines that say the same."""

    def __init__(self, records: Mapping[str, ReadRecord], explained: Set[str]) -> None:
        self._told = (records[record_id] for record_id in explained & records.keys())

    def is_told(self, source: str, text: str) -> bool:
        """Whether a record, or a line of one, says no other words than one of its source that is told of."""
        return (source, _words_of(text)) in self._words

    @cached_property
    def _words(self) -> Set[tuple[str, str]]:
        found: set[tuple[str, str]] = set()
        for record in self._told:
            found.add((record.source, _words_of(record.text)))
            lines = record.text.split("\n", MOST_LINES)[:MOST_LINES]
            found.update(
                (record.source, words) for words in map(_words_of, lines) if len(words) >= LEAST_ECHO
            )
        return found


def _words_of(text: str) -> str:
    return _NUMBER.sub("", text)


def _told_again(
    records: Mapping[str, ReadRecord], of_record: Mapping[str, Sequence[ClientEvent]], explained: Set[str]
) -> frozenset[str]:
    """What librdkafka said, and is told of or normal: its application is told the same words, and prints them once more.

    Not of a coordinator's connection: heartbeats use it, so it does not rest, and one line does not tell what came of it.
    """
    said: set[str] = set()
    for record_id, record in records.items():
        told = of_record.get(record_id, ())
        if not any(one.client_library == LIBRDKAFKA for one in told):
            continue
        if record_id in explained or all(one.benign for one in told):
            text = record.text.rpartition("]: ")[2].strip()
            if len(text) >= LEAST_ECHO and "\n" not in text and not text.startswith(COORDINATOR):
                said.add(text)
        if len(said) == MOST_ECHOES:
            break
    return frozenset(said)


def _own_lines(record: ReadRecord) -> int:
    """How many lines of a quiet record are surely its own: its first, all of an object, and at DEBUG an exception of Kafka's
    below it.

    Kafka's own errors have no frames: such a line is what a logger prints of one, and the client got on from it.
    """
    if record.text.startswith("{\n"):
        return min(record.line_count, MOST_COVERED)
    if record.level not in ("DEBUG", "TRACE") or "\n" not in record.text:
        return 1
    _, below, *rest = record.text.split("\n", 3)
    return 2 if _ERROR_OF_KAFKA.match(below) and not (rest and _FRAME.search(rest[0])) else 1


class _Covered:
    """Of the lines of a source that speak of trouble, those that belong to a record that was judged."""

    def __init__(self, speaking: Iterable[RawLine]) -> None:
        self._speaking = sorted({line.line for line in speaking})
        self.lines: set[int] = set()

    def take(self, begin: int, end: int) -> None:
        """All from `begin` up to `end`, without it."""
        self.lines.update(
            self._speaking[bisect_left(self._speaking, begin) : bisect_left(self._speaking, end)]
        )


@cache
def _of_level(level: str) -> str:
    return loudness_of(f" {level} ")


def _settings(record: ReadRecord) -> Iterator[int]:
    """Lines of a config dump that are settings: what an application printed below them is its own."""
    for number, line in enumerate(record.text.split("\n")[:MOST_COVERED]):
        if _SETTING.match(line):
            yield record.line + number


def _is_thrown(record: ReadRecord, events: Sequence[ClientEvent], is_all_quiet: bool, is_last: bool) -> bool:
    """Whether a log shows that something was thrown and nothing that the client got on, at whatever level it was said.

    So it is where it ends in a stack trace, or, where nothing else is told of, in frames whose head is not there.
    """
    if is_all_quiet and record.level is None and _FRAME.search(record.text.partition("\n")[0]) is not None:
        return True
    is_trace = is_last and "\n" in record.text and not any(event.benign for event in events)
    return is_trace and bool(chain_of(record.text))


def _speaks(record: ReadRecord, events: Iterable[ClientEvent]) -> str:
    """How loudly a record speaks of what nothing explains; empty where it is of a known family and quiet, or normal."""
    told = list(events)
    # A client of another language says its level in a head of its own.
    said = next((event.level for event in told if event.client_library != JAVA and event.level), record.level)
    if said and told and all(has_printers_level(event.message_id) for event in told):
        said = "DEBUG" if said in ("DEBUG", "TRACE") else "INFO"
    if (said in QUIET and all(_is_quiet(event) for event in told)) or all(event.benign for event in told):
        return ""
    head = record.text.strip().partition("\n")[0]
    if all(_is_without_level(event, said) for event in told):
        return "words" if fails_in_words(head) else ""
    level = _of_level(said) if said else loudness_of(head)
    if level in LOUD:
        return level
    # Kafka's own INFO is quiet whatever it names; an application that prints an exception of Kafka's at INFO is not.
    is_printed = any(map(_is_printed, told))
    if (is_printed or said not in QUIET) and is_thrown(record.text):
        return "exception"
    if any(event.kind in NEVER_QUIET for event in told):
        return level or "words"
    if any(event.kind in OF_TROUBLE for event in told):
        return level
    # Clients of other languages print failures at INFO, or at no level at all; so do bindings what librdkafka says at DEBUG.
    may_say = any(map(_may_say_in_words, told)) or (said is None and _names_a_library(head, told))
    is_said = may_say and said not in ("DEBUG", "TRACE") and fails_in_words(head)
    is_said = is_said and all(event.kind == "other_kafka" for event in told)
    is_unknown = all(event.message_id == UNRECOGNIZED for event in told)
    may_be = (
        said is None and (is_unknown or any(map(_may_be_loud, told))) and fails_in_words(without_key(head))
    )
    return "words" if is_said or may_be else ""


def _may_be_loud(event: ClientEvent) -> bool:
    """Whether an event's line, of which the level was cut off, is one that some releases write at WARN or louder, and none
    at DEBUG."""
    family = families().get(event.message_id)
    levels = family.levels if family is not None and not event.benign else ()
    return "DEBUG" not in levels and any(_of_level(level) in LOUD for level in levels)


def _is_without_level(event: ClientEvent, said: str | None) -> bool:
    """Whether an event is a known line whose level was chosen by whatever prints it: of a library that gives its lines
    none, or what librdkafka says at DEBUG alone."""
    if event.message_id == UNRECOGNIZED or event.kind in NEVER_QUIET:
        return False
    is_taken = event.client_library == LIBRDKAFKA and event.level is None and said is not None
    return is_taken or (said == "WARN" and event.client_library in WITHOUT_LEVELS)


def _may_say_in_words(event: ClientEvent) -> bool:
    """Whether an event is of a client that is not Java's, and of no family that says what it means."""
    is_known = event.client_library in JUDGED and event.message_id != UNRECOGNIZED
    return event.client_library != JAVA and not is_known and not event.benign


def _names_a_library(line: str, events: Iterable[ClientEvent]) -> bool:
    """Whether a line of no family speaks of another language's client: a loader does, or the shell, without a level."""
    return all(event.message_id == UNRECOGNIZED for event in events) and client_of(line) is not None


def _is_quiet(event: ClientEvent) -> bool:
    """Whether an event is none that speaks at whatever level: so are most lines of a log."""
    return not _may_say_in_words(event) and event.kind not in NEVER_QUIET and not _is_printed(event)


def _is_printed(event: ClientEvent) -> bool:
    """Whether an event is an exception of Kafka's that an application printed, known by its message or not."""
    return event.message_id in _printed()


@cache
def _printed() -> frozenset[str]:
    return frozenset({APPLICATION_EXCEPTION, *(form.family.id for form in exception_forms())})


def _loudest_line(record: ReadRecord, loudness: str, events: Iterable[ClientEvent]) -> RawLine:
    """What is quoted of a record: its first line, or the one that names an exception where that is all; and whose it is."""
    lines = record.text.split("\n")
    if lines[0].strip() == "{":  # an object of its own lines: its message is one of them
        lines = [" ".join(line.strip() for line in lines)]
    at = 0
    if loudness == "exception":
        at = next((number for number, line in enumerate(lines) if is_thrown(line)), 0)
    above = lines[0] if at else ""
    libraries = (event.client_library for event in events if event.client_library != JAVA)
    said, client = lines[at].strip(), next(libraries, None) or client_of(lines[0]) or client_of(lines[at])
    return RawLine(record.source, record.line + at, said, loudness, client, record=record.text, above=above)
