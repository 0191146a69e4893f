"""What `kipwatch explain` answers on some logs: the ending, the faults worst first, what is normal, what was not judged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from transforms.diagnose.incident import Incident
from transforms.diagnose.reports.report import Report
from transforms.diagnose.unexplained.ending import Ending
from transforms.diagnose.wording.words import counted
from transforms.explain.fault_report import FaultReport, line_as_dict
from transforms.explain.log_read import LogRead
from transforms.parse.records.books import Books
from transforms.rules.judge import Unjudged


@dataclass(slots=True)
class Answer:
    """All there is to tell of some logs. violations: those that no fault tells of. episodes: how many, by table."""

    ending: Ending
    logs: Sequence[LogRead]
    faults: list[FaultReport]
    benign: list[Incident]
    violations: list[Report]
    unjudged: list[Unjudged]
    events: int
    episodes: Mapping[str, int]

    def as_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        incidents = [
            report for fault in self.faults for report in (fault.report, *fault.effects, *fault.others)
        ]
        sources = [
            {"path": log.path, "layout": log.layout_name, "accounting": _plain(log.books)}
            for log in self.logs
        ]
        alone = sources[0] if len(sources) == 1 else {"path": None, "layout": None}
        whole = self._whole
        return {
            "ending": self.ending.kind,
            "says": self.ending.sentences,
            "path": alone["path"],
            "layout": alone["layout"],
            "faults": [fault.as_dict() for fault in self.faults],
            "incidents": [report.as_dict() for report in incidents],
            "benign": [asdict(incident) for incident in self.benign],
            "violations": [report.as_dict() for report in self.violations],
            "unjudged": [asdict(row) for row in self.unjudged],
            "not_judged_lines": [line_as_dict(line) for line in self.ending.not_judged],
            "events": self.events,
            "episodes": dict(self.episodes),
            "accounting": _plain(whole.books) | {"unparsed_by_reason": whole.unparsed},
            "sources": sources,
        }

    def sentences(self, near: Callable[[str], str]) -> list[str]:
        """Of the ending. near: how a source is named to who reads it."""
        found = list(self.ending.sentences)
        for log in self.logs:
            found = [sentence.replace(log.path, near(log.path), 1) for sentence in found]
        return found

    @property
    def accounting(self) -> str:
        """What became of every line that was read, in one sentence."""
        books = self._whole.books
        of = f" of {counted(len(self.logs), 'log')}" if len(self.logs) > 1 else ""
        dropped = "".join(
            f", {lines} dropped as {reason}" for reason, lines in sorted(books.lines_dropped.items()) if lines
        )
        unparsed = f", {books.lines_unparsed} not understood" if books.lines_unparsed else ""
        layouts = ", ".join(sorted({log.layout_name for log in self.logs}))
        return (
            f"Read {counted(books.lines_read, 'line')}{of} ({layouts}): "
            f"{books.lines_in_records} in {counted(books.records, 'record')}"
            f"{dropped}{unparsed}; {self.events} events, "
            f"{counted(sum(self.episodes.values()), 'episode')} rebuilt"
        )

    @property
    def _whole(self) -> LogRead:
        """All logs together."""
        whole = LogRead("")
        for log in self.logs:
            whole.add(log)
        return whole


def _plain(books: Books) -> dict[str, Any]:
    """The accounting as JSON takes it (asdict() would break the counters)."""
    named = {column.name: getattr(books, column.name) for column in fields(books)}
    return {name: dict(value) if hasattr(value, "most_common") else value for name, value in named.items()}
