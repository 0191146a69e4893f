"""A fault as it is told, and faults of lines told by their words put together with those that were rebuilt."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from transforms.diagnose.fleets.faults import (
    LEARNT_LATER,
    NEAR_LINES,
    RESTATED,
    explained_groups,
    passing,
)
from transforms.diagnose.fleets.parts import has_part
from transforms.diagnose.incident import IMPACTS
from transforms.diagnose.reports.report import Report
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.unexplained.reached_later import told_at
from transforms.diagnose.wording.catalogue import known_class, says_why
from transforms.diagnose.wording.words import counted

MOST_ALIKE = 2  # of one kind, told beside a fault


@dataclass(slots=True)
class FaultReport:
    """A fault as it is told. report: of its cause. effects, others: of the same fault. own_words: the application's."""

    report: Report
    effects: list[Report] = field(default_factory=list)
    others: list[Report] = field(default_factory=list)
    own_words: list[RawLine] = field(default_factory=list)

    @property
    def beside(self) -> list[tuple[str, Report]]:
        """What belongs to it, and whether it had begun before, or came then: not all of it is what followed. What says
        the same again is not said twice."""
        kind = self.report.row["kind"]
        restated = RESTATED.get(kind)
        others = [one for one in self.effects if one.row["kind"] != kind]
        told = [one for one in others if not (restated and one.row["kind"].startswith(restated))]
        return [("Before" if _is_earlier(one, self.report) else "Then", one) for one in told]

    @property
    def beside_in_short(self) -> list[tuple[str, str]]:
        """The same in sentences: of what came again and again the first ones, and how often it came after them."""
        of_kind: dict[tuple[str, str], list[Report]] = defaultdict(list)
        for label, one in self.beside:
            of_kind[label, one.row["kind"]].append(one)
        told = []
        for (label, _), alike in sorted(of_kind.items(), key=_first_came):
            said = [one.dated for one in alike[:MOST_ALIKE]]
            if left := alike[MOST_ALIKE:]:
                last = f"; the last {left[-1].when}" if left[-1].when else ""
                said[-1] += f"; {counted(len(left), 'time')} more{last}"
            told += [(label, one) for one in said]
        return told

    def as_dict(self) -> dict[str, Any]:
        """As JSON takes it: the report of the cause, and beside it what belongs to it."""
        return self.report.as_dict() | {
            "effects": [one.as_dict() for one in self.effects],
            "others": [one.as_dict() for one in self.others],
            "own_words": [line_as_dict(line) for line in self.own_words],
        }


def put_together(rebuilt: Sequence[FaultReport], worded: Sequence[FaultReport]) -> list[FaultReport]:
    """All of them, each that follows from another one told with that: the root stands where the first of it stood.

    rebuilt: faults whose parts are theirs already. worded: those of lines that are no events.
    """
    told = [*rebuilt, *worded]
    whole_of: dict[int, FaultReport] = {}
    for part, others in [*((one, worded) for one in rebuilt), *((one, told) for one in worded)]:
        whole = next((one for one in others if one is not part and _is_of(part.report, one)), None)
        if whole is not None:
            whole_of[id(part)] = whole
    roots: dict[int, FaultReport] = {}
    for one in told:
        root = _root(one, whole_of)
        roots.setdefault(id(root), root)
        if root is not one:
            root.effects += [one.report, *one.effects]
            root.others += one.others
            root.own_words += one.own_words
    told = list(_once(roots.values()))
    rows = [one.report.row for one in told]
    explained = explained_groups((row["kind"], row["cause_confidence"], row["places"]) for row in rows)
    return sorted(told, key=lambda one: _badness(one, explained))


def _once(found: Iterable[FaultReport]) -> Iterator[FaultReport]:
    """Each as it is; those of one log that lines tell of in the same words are one, which came again."""
    first: dict[tuple[str, str, tuple[str, ...]], FaultReport] = {}
    for one in found:
        row, lines = one.report.row, one.report.lines
        if row["started_at"] is None and lines:
            known = first.setdefault((lines[0].source, row["kind"], tuple(row["client_ids"])), one)
            if known is not one:
                known.others += [one.report, *one.others]
                known.effects += one.effects
                known.own_words += one.own_words
                continue
        yield one


def _badness(one: FaultReport, explained: Set[str]) -> tuple[bool, bool, bool, bool, bool, bool]:
    """Broken promises, then what cost records, then what does not pass by itself, and of which it is known who acts.

    explained: groups of which another member's end is told with its reason: that goes before what a member only learnt.
    """
    is_lost = one.report.row["impact"] in ("lost", "duplicated")
    is_broken = one.report.row["verdict"] == "broken"
    cost = IMPACTS.index(one.report.row["impact"])
    return (
        not is_broken,
        one.report.row["kind"] in LEARNT_LATER and not explained.isdisjoint(one.report.row["places"]),
        not is_lost,
        not is_lost and one.report.row["kind"] in passing(),
        cost > IMPACTS.index("delayed"),
        one.report.row["actor"] == "unknown",
    )


def _root(one: FaultReport, whole_of: dict[int, FaultReport]) -> FaultReport:
    seen = {id(one)}
    while (whole := whole_of.get(id(one))) is not None and id(whole) not in seen:
        one = whole
        seen.add(id(one))
    return one


def _is_of(part: Report, fault: FaultReport) -> bool:
    """Whether it is told with a fault's cause, or with what that brought about: a fleet's has lines of several logs."""
    return any(_is_part(part, one) for one in (fault.report, *fault.effects))


def _is_part(part: Report, whole: Report) -> bool:
    """Whether it is told with the other: as such are; or as a plainer word on the same, where lines tell of that alone."""
    distance = _distance(part, whole)
    if distance is None:
        return False
    kinds, is_near = (part.row["kind"], whole.row["kind"]), distance <= NEAR_LINES
    if has_part(kinds[1], kinds[0]) and (is_near or _is_within(part, whole)):
        return True
    if not is_near:
        return False
    own, other = map(known_class, kinds)
    is_worded = whole.row["started_at"] is None
    # What ended a process has no reason in what ends none.
    return (
        is_worded
        and own is not None
        and other is not None
        and says_why(other, own)
        and other.ends >= own.ends
    )


def _is_within(part: Report, whole: Report) -> bool:
    """Whether its first line stands among those of the other, or soon after."""
    at = _first_line(part)
    return _first_line(whole) <= at <= max(line.line for line in whole.lines) + NEAR_LINES


def _first_line(one: Report) -> int:
    """Where the first of its lines stands, in the log of the one that is told first: that need not be the first."""
    return min(line.line for line in one.lines if line.source == one.lines[0].source)


def _distance(one: Report, other: Report) -> int | None:
    """How many lines lie between their first ones, or those told first; None where they are of different logs."""
    if not one.lines or not other.lines or one.lines[0].source != other.lines[0].source:
        return None
    told = one.lines[0].line - other.lines[0].line  # which is the first of the class that gives the words
    return min(abs(told), abs(_first_line(one) - _first_line(other)))


def _first_came(some: tuple[tuple[str, str], list[Report]]) -> tuple[bool, int]:
    """In what order kinds are told: what had begun before, then by the time of the first of each."""
    (label, _), alike = some
    return label == "Then", min((_came_at(one) for one in alike), default=0)


def _came_at(one: Report) -> int:
    """By its time, which a line that is no event has in its words alone."""
    at = one.row["started_at"]
    if at is None and one.lines:
        at = told_at(one.lines[0].text or "")
    return at or 0


def _is_earlier(one: Report, other: Report) -> bool:
    """By their times; by their lines, where one has none."""
    at, began = one.row.get("started_at"), other.row.get("started_at")
    if at is None or began is None:
        return _distance(one, other) is not None and _first_line(one) < _first_line(other)
    return bool(at < began)


def line_as_dict(line: RawLine) -> dict[str, Any]:
    """A line as JSON takes it."""
    return {"source": line.source, "line": line.line, "text": line.text, "client": line.client}
