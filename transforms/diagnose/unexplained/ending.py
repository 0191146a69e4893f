"""How an explanation ends: trouble, nothing wrong in what was read, or lines not read or judged; none by default."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field

from transforms.diagnose.unexplained.no_logs import no_log
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.unexplained.source_read import SourceRead
from transforms.diagnose.wording.loudness import LOUDNESS
from transforms.diagnose.wording.words import counted, listed
from transforms.parse.catalogue.other_clients import JUDGED
from transforms.when_used import when_used

TROUBLE, NOTHING_WRONG, NOT_JUDGED = ENDINGS = ("trouble", "nothing_wrong", "not_judged")
EXIT_CODES = {NOTHING_WRONG: 0, TROUBLE: 1, NOT_JUDGED: 3}
# At a log's beginning: the frame, perhaps cut at its left, of what was thrown before it, or the end of its trace.
_CUT_TRACE = when_used(
    r"(?m)(?:[^\w\n]*\n)*[^\w\n]*(?:(?:at )?[\w.$<>/]+\([\w$]+\.(?:java|scala|kt):\d+\)(?: ~?\[[^\[\]\n]*\])?"
    r"|\.\.\. \d+ (?:more|common frames omitted))\s*?$"
)


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
    lines = sum(source.kafka_lines for source in sources) + sum(
        one.scan.whose.kafka_lines for one in by_level
    )
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
    if scan.whose.clients:
        client, lines = scan.whose.clients.most_common(1)[0]
        return (
            f"{name} is a log of {client} ({counted(lines, 'line')}): this client is not Java's, and its timers are not "
            "rebuilt. Nothing was judged."
        )
    if scan.whose.kafka_lines and scan.is_named:  # heartbeats and partitions are others', too
        loud = "; none of its lines says that something failed"
        if source.failing:
            loud = f"; line {source.failing[0].line} is the first that says that something failed"
        speak = "speaks" if scan.whose.kafka_lines == 1 else "speak"
        some = f"{counted(scan.whose.kafka_lines, 'line')} of {scan.lines} {speak} of Kafka"
        return f"{name}: {some}, and none could be read{loud}."
    return f"{name} has no line of a Kafka client: {counted(scan.lines, 'line')} read, nothing to judge."
