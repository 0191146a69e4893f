"""Lines that speak of trouble and that no family knows, told by their own words, whoever wrote them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set

from transforms.diagnose.fleets.parts import turn
from transforms.diagnose.incident import IMPACTS, Incident
from transforms.diagnose.troubles.trouble import HEALS_WITHIN_MS, PASSES_MS
from transforms.diagnose.troubles.troubles import FAULT_OF
from transforms.diagnose.unexplained.guides import is_bare, is_list
from transforms.diagnose.unexplained.line_class import class_of_line
from transforms.diagnose.unexplained.programs import is_literal
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.unexplained.reached_later import said_after_ms
from transforms.diagnose.unexplained.traces import is_exception
from transforms.diagnose.unexplained.worded import Worded, worded
from transforms.diagnose.wording.catalogue import SAID_TO_FAIL, TroubleClass, classes, found_in, says_why
from transforms.diagnose.wording.line_names import NAMED, named
from transforms.diagnose.wording.states import not_reached
from transforms.parse.lines.timestamps import STAMP
from transforms.when_used import when_used

# Who tells of a log in the first person wrote no line of it; `I/O` is nobody. Nor did a guide that says what would follow.
_PERSON = when_used(
    r"\b(?:I(?!/)|[Ww]e|[Mm]y|[Oo]ur)\b(?![-.:=_])|\b(?:will|would|may|might|can) (?:\w+ )?(?:fail|cause)\b"
)
APART_MS = 3_600_000  # longer after it no line tells of the same fault in other words
_OF_OTHERS = (SAID_TO_FAIL, "zookeeper_unreached", "script")  # faults that logs without Kafka have, too


def told_by_words(
    lines: Iterable[RawLine], told: Sequence[Incident], guides: Set[str] = frozenset()
) -> tuple[list[Worded], list[RawLine]]:
    """What lines are trouble by what they say, one incident per source, client and fault, what cost the most first; and
    the lines that are left.

    told: incidents that are known. guides: sources that are texts on what may fail. What is always normal is dropped, and so
    is what says again what was told. What passes by itself is left, but for an answer that was the last of its kind; so is
    what is of a fault that was told already, but for a plainer word on it; and, beside any trouble, what says no more than
    that something failed. What others than Kafka say, too, counts only where it says more than that; what the one who posted
    a log wrote, where nothing else does; what a guide says of a fault, and a list of messages or a program's string, never.
    """
    of_fault: dict[tuple[str, str, str], list[tuple[RawLine, TroubleClass]]] = defaultdict(list)
    left, asked = [], []
    for line in lines:
        is_of_guide = line.source in guides and (_is_prose(line) or _is_quoted(line))
        if is_of_guide or is_list(line.text) or is_literal(line.text):
            left.append(line)
        else:
            asked.append((line, class_of_line(line)))
    known = _Known(told)
    is_told = bool(told) or any(of is not None and not _is_by_person(line) for line, of in asked)
    for line, of in asked:
        if (of is not None and of.verdict == "benign") or (is_told and _is_by_person(line)):
            continue
        if line.is_doubtful and (of is None or of.fault in _OF_OTHERS):
            continue
        if of is None or (known.has(of) and not known.is_root(line, of)):
            left += [] if of is not None and known.says(line, of) else [line]
        else:
            whose = named("client", line.text) or named("client", line.above) or line.client or ""
            of_fault[line.source, whose, of.fault].append((line, of))
    _of_the_only_one(of_fault)
    if told or any(fault != SAID_TO_FAIL for _, _, fault in of_fault):
        vague = [key for key in of_fault if key[2] == SAID_TO_FAIL]
        left += [line for key in vague for line, _ in of_fault.pop(key)]
    found = [worded(sorted(one, key=_plainest)) for some in of_fault.values() for one in _by_run(some)]
    return sorted(found, key=_badness), left


def _by_run(some: list[tuple[RawLine, TroubleClass]]) -> Iterator[list[tuple[RawLine, TroubleClass]]]:
    """Lines of one fault; what ended a process is told apart from another class of it that its next run says, and a state
    that was not reached from the next time that it was not: who has no connection tries again within seconds. So is another
    class that is long after it."""
    run: list[tuple[RawLine, TroubleClass]] = []
    last: dict[int, tuple[RawLine, TroubleClass]] = {}  # of each class in the run, by its rank
    for line, of in sorted(some, key=lambda one: one[0].line):
        ended = (one for one, known in last.values() if known is not of and (known.ends or of.ends))
        other = max(ended, key=lambda one: one.line, default=None)
        is_next_run = other is not None and (said_after_ms(other.text, line.text) or 0) > PASSES_MS
        is_state = bool(run) and not_reached(line.text) is not None
        is_other = bool(run) and run[-1][1] is not of
        apart_ms = (said_after_ms(run[-1][0].text, line.text) or 0) if is_state or is_other else 0
        if is_next_run or (is_state and apart_ms > HEALS_WITHIN_MS) or (is_other and apart_ms > APART_MS):
            yield run
            run, last = [], {}
        run.append((line, of))
        last[of.rank] = line, of
    yield run


def _badness(one: Worded) -> tuple[int, int]:
    """What cost the most first; of as much what the others follow from."""
    return IMPACTS.index(one.incident.impact), turn(one.incident.kind)


class _Known:
    """What incidents told of which lines may speak again."""

    def __init__(self, told: Sequence[Incident]) -> None:
        self._kinds = kinds = {one.kind for one in told}
        # By fault, of what was told the plainest class; None of a timer, which is plainer than all.
        self._told: dict[str, TroubleClass | None] = {}
        for of in classes():
            if of.kind in kinds:
                self._told.setdefault(of.fault, of)
        for kind in kinds:
            if kind.startswith(("membership_", *FAULT_OF)):
                self._told[FAULT_OF.get(kind, "membership")] = None
        self._said = "\n".join(text for one in told for text in (one.title, one.cause, *one.places))

    def has(self, of: TroubleClass) -> bool:
        """Whether its fault was told; what ended a process is told whatever else was."""
        return of.fault in self._told and (not of.ends or of.kind in self._kinds)

    def is_root(self, line: RawLine, of: TroubleClass) -> bool:
        """Whether a line says more plainly than what was told of its fault why that came."""
        told = self._told[of.fault]
        is_final = bool(line.errors) and not of.heals  # the last answer of its kind
        return told is not None and says_why(of, told) and (line.loudness != "words" or is_final)

    def says(self, line: RawLine, of: TroubleClass) -> bool:
        """Whether what was told has all that a line names, and how long something took by it."""
        names = [named(name, line.text) for name in NAMED]
        took = [value for name, value in found_in(of, line.text).items() if name.endswith("_ms")]
        return all(value is None or value in self._said for value in (*names, *took))


def _of_the_only_one(of_fault: dict[tuple[str, str, str], list[tuple[RawLine, TroubleClass]]]) -> None:
    """Lines that name no client are of the only client of their log that has the same fault."""
    for source, whose, fault in [key for key in of_fault if not key[1]]:
        others = [key for key in of_fault if key[0] == source and key[1] and key[2] == fault]
        if len(others) == 1:
            of_fault[others[0]] += of_fault.pop((source, whose, fault))


def _is_by_person(line: RawLine) -> bool:
    """Whether somebody wrote it around a log: in the first person, of what comes or may come."""
    return _is_prose(line) and (line.introduces or _PERSON.search(line.text) is not None)


def _is_prose(line: RawLine) -> bool:
    """Whether nothing shows that a program wrote it: it has no level, no time, and is no exception."""
    return (
        line.loudness in ("words", "exception")
        and STAMP.search(line.text) is None
        and not is_exception(line.text)
    )


def _is_quoted(line: RawLine) -> bool:
    """Whether a guide quotes it: a message without anything that its log would print around it."""
    return line.loudness in ("words", "exception") and is_bare(line.whole)


def _plainest(one: tuple[RawLine, TroubleClass]) -> tuple[int, bool, bool, int]:
    """Of lines of one fault first the plainest class; of those that only say that something failed, one with an address, and
    one whose trace says why."""
    line, of = one
    is_vague = of.fault == SAID_TO_FAIL
    return of.rank, is_vague and named("node", line.text) is None, is_vague and not line.record, line.line
