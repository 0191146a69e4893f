"""Which lines speak of trouble that no incident, no finding and no benign line tells of: they were not judged."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property

from transforms.diagnose.troubles.trouble import HEALS_WITHIN_MS
from transforms.diagnose.unexplained.printers import by_their_words, printers
from transforms.diagnose.unexplained.programs import is_statement, sets_level
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.unexplained.reached_later import said_after_ms, without_reached
from transforms.diagnose.unexplained.record_loudness import FRAME, is_thrown_last, loudest_line, speaks
from transforms.diagnose.unexplained.source_read import ReadRecord, SourceRead
from transforms.events import LIBRDKAFKA, ClientEvent
from transforms.timers.clients.broker_starts import FAILED, STOPPED, STOPS
from transforms.timers.clients.incarnations import BROKER_STARTS
from transforms.when_used import when_used

MOST_COVERED = 10_000  # lines of one record
MOST_ECHOES = 50  # texts that an application may print again
LEAST_ECHO = 40  # characters of one
MOST_LINES = 50  # of a record that another may say again
COORDINATOR = "GroupCoordinator: "  # what librdkafka calls that connection
_ERROR_OF_KAFKA = when_used(r"org\.apache\.kafka\.(?:\w+\.)*\w+(?:Exception|Error)(?::|$)")
_NUMBER = when_used(r"\d+")
_SETTING = when_used(r"\s*[\w.\-]+ = |.{0,300}\w values: ?$")


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
    covered = {name: Covered(lines) for name, lines in speaking.items()}
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
    covered: Mapping[str, "Covered"],
) -> Iterator[RawLine]:
    """The records that speak of what nothing explains; notes which lines each record covers."""
    last = {record.source: record_id for record_id, record in records.items()}
    for record_id, record in records.items():
        told, is_explained = of_record.get(record_id, []), record_id in explained
        loudness = "" if is_explained else speaks(record, told)
        is_last = last[record.source] == record_id
        if not loudness and not is_explained and is_thrown_last(record, told, not explained, is_last):
            loudness = "exception"
        if loudness and not alike.is_told(record.source, record.text):
            yield loudest_line(record, loudness, told)
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
    return 2 if _ERROR_OF_KAFKA.match(below) and not (rest and FRAME.search(rest[0])) else 1


class Covered:
    """Of the lines of a source that speak of trouble, those that belong to a record that was judged."""

    def __init__(self, speaking: Iterable[RawLine]) -> None:
        self._speaking = sorted({line.line for line in speaking})
        self.lines: set[int] = set()

    def take(self, begin: int, end: int) -> None:
        """All from `begin` up to `end`, without it."""
        self.lines.update(
            self._speaking[bisect_left(self._speaking, begin) : bisect_left(self._speaking, end)]
        )


def _settings(record: ReadRecord) -> Iterator[int]:
    """Lines of a config dump that are settings: what an application printed below them is its own."""
    for number, line in enumerate(record.text.split("\n")[:MOST_COVERED]):
        if _SETTING.match(line):
            yield record.line + number
