"""Told stories on a terminal: 80 columns are enough."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from transforms.diagnose.causes.benign import all_in_short, all_normal
from transforms.diagnose.incident import Incident
from transforms.diagnose.reports.markdown import SENTENCE, headline
from transforms.diagnose.reports.report import ProvingLine, Report
from transforms.diagnose.unexplained.ending import TROUBLE
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.wording.decisive import rank_of
from transforms.diagnose.wording.render import shown_lines
from transforms.diagnose.wording.words import counted, listed, span
from transforms.explain.answer import Answer
from transforms.explain.fault_report import FaultReport
from transforms.explain.line import Line
from transforms.explain.timeline import timeline_lines
from transforms.rules.judge import Unjudged
from transforms.when_used import when_used

MOST_RECORDS = 12  # of the proof, and
MOST_OF_FAULT = 3  # of the proof of a fault: those that say it most plainly
MOST_MARKS = 10  # of the timeline of a fault
MOST_BESIDE = 3  # findings beside a fault
MOST_LINES = 14  # of one record: a stack trace's head says what it is; --json has all
FEW_LINES = 5  # of one record of a fault
MOST_FAULTS = 10  # told in full; the rest by their titles
MOST_QUOTED = 3  # lines that were not judged
ONE_MOMENT_MS = 1_000
OF_TIME = ("membership_poll_expired", "membership_session_expired", "session_timed_out", "poll_too_slow")
SHORT = 4  # so few lines are shown as they are
FRAME = when_used(r"\s+at |\s*\.\.\. \d+ (more|common frames)")  # a stack frame
SETTING = when_used(r"[a-z]+(?:\.[a-z]+)+")  # a setting's name, as sentences and dumps write it
LONGEST_LINE = 600  # characters of one physical line
BLANK = Line()

Lines = Iterator[Line]


@dataclass(frozen=True, slots=True)
class Terminal:
    """Who reads it. width: of the terminal, in columns. near: how a source is named there."""

    width: int
    near: Callable[[str], str]

    def report(self, told: Report) -> Lines:
        """Heading, facts, timelines, the proving lines and samples, what to do."""
        yield Line(f"{told.what.upper()} {told.id[:12]}  {told.heading}", "bold")
        yield Line(", ".join(filter(None, (told.who, told.when))), "dim")
        yield BLANK
        yield from _facts(told.facts)
        for timeline in told.timelines:
            yield BLANK
            yield from timeline_lines(timeline, self.width, told.clock)
        if told.lines:
            yield BLANK
            yield from self._proof(told)
        if told.samples:
            yield BLANK
            yield Line("Samples of metrics that prove it", "bold")
            yield from (Line(sample, label="  ") for sample in told.samples)
        if told.runbook or told.advice:
            yield BLANK
            yield Line("What to do", "bold")
            if told.advice:
                yield Line(told.advice, label="  * ")
            yield from (Line(step, label=f"  {number}. ") for number, step in enumerate(told.runbook, 1))
        yield BLANK

    def answer(self, told: Answer, *, lists_unjudged: bool) -> Lines:
        """The worst fault first, then what is normal, what was not judged, and what was read, in one line each."""
        has_trouble = told.ending.kind == TROUBLE
        if not has_trouble:
            yield from self._ending(told)
        numbers = len(told.faults) > 1
        for number, fault in enumerate(told.faults[:MOST_FAULTS], 1):
            yield from self._fault(f"{number}. " if numbers else "", fault)
        yield from (Line(headline(fault.report), label="And  ") for fault in told.faults[MOST_FAULTS:])
        if told.violations:
            yield from _violations(told)
        if told.benign:
            yield from _benign(told.benign, is_beside=has_trouble)
        if has_trouble:
            yield from map(Line, told.sentences(self.near))
            yield from self._not_judged(told.ending.not_judged, lists_all=lists_unjudged)
        if told.unjudged:
            yield from _unjudged(told.unjudged, lists_all=lists_unjudged)
        yield Line(told.accounting, "dim")

    def _ending(self, told: Answer) -> Lines:
        for number, sentence in enumerate(told.sentences(self.near)):
            yield Line(sentence, "" if number else "bold")
        for line in told.ending.not_judged[:MOST_QUOTED]:
            yield from self._quote(line)
        if (more := len(told.ending.not_judged) - MOST_QUOTED) > 0:
            yield Line(f"  ... {counted(more, 'more line')} (--format json has all)", "dim")
        yield BLANK

    def _fault(self, number: str, fault: FaultReport) -> Lines:
        report = fault.report
        yield Line(headline(report), "bold", number, "bold")
        # One timeline is drawn here, and only where it shows a limit: More counts them.
        facts = [(label, said) for label, said in report.facts if label not in ("Verdict", "More")]
        at = self._place(report.lines[0]) if report.lines else ""
        facts.insert(0, ("When", ", ".join(filter(None, (report.when, at)))))
        if rest := SENTENCE.split(report.advice, maxsplit=1)[1:]:
            facts.append(("Then do", rest[0]))
        facts += fault.beside_in_short
        if fault.others:
            facts.append(("Also", _others(fault)))
        facts += [("It said", f"{self._place(line)} {_cut(line.text.strip())}") for line in fault.own_words]
        facts += [
            ("Rule", sentence) for label, sentence in report.facts if label == "Verdict" and ":" in sentence
        ]
        yield from _facts(facts)
        drawn = [one for one in report.timelines if any(mark.role == "limit" for mark in one.marks)]
        if drawn:
            yield BLANK
            yield from timeline_lines(drawn[0], self.width, report.clock, MOST_MARKS)
        if report.lines:
            yield BLANK
            yield from self._plainest(report)
        yield BLANK

    def _proof(self, told: Report) -> Lines:
        yield Line("Log lines that prove it", "bold")
        records, names = _records(told), _settings_in(told)
        left_out = len(records) - MOST_RECORDS
        for number, record in enumerate(records):
            if left_out > 0 and number == MOST_RECORDS // 2:
                yield Line(f"  ... {left_out} more records (--format json has all)", "dim")
            if left_out <= 0 or number < MOST_RECORDS // 2 or number >= len(records) - MOST_RECORDS // 2:
                yield from self._record(record, names, MOST_LINES)

    def _plainest(self, told: Report) -> Lines:
        """The few records that say most plainly what happened, in their order."""
        records, names = _records(told), _settings_in(told)
        plainest = sorted(records, key=lambda one: rank_of(one.message_id))[:MOST_OF_FAULT]
        left = len(records) - len(plainest)
        yield Line(f"Log lines that prove it{f' ({left} more: --format json)' if left else ''}", "bold")
        for record in sorted(plainest, key=lambda one: (one.source, one.line)):
            yield from self._record(record, names, FEW_LINES)

    def _record(self, record: ProvingLine, names: set[str], most: int) -> Lines:
        yield Line(f"  {self._place(record)}", "cyan")
        if record.text is None:
            yield Line("      (its record is no longer kept)", "dim")
            return
        for text in _decisive(shown_lines(record.text.rstrip("\n")), names, most):
            yield Line(_cut(text), label="      ")

    def _quote(self, line: RawLine) -> Lines:
        yield Line(f"  {self._place(line)}", "cyan")
        yield Line(_cut(line.text.strip()), label="      ")

    def _not_judged(self, lines: Sequence[RawLine], *, lists_all: bool) -> Lines:
        """Beside a trouble they are a line, as the trouble may explain them."""
        if not lines:
            return
        such = f"such as {self._place(lines[0])}"
        yield Line(f"Not explained: {counted(len(lines), 'line')} that may tell more, {such}.")
        for line in lines if lists_all else ():
            yield from self._quote(line)

    def _place(self, line: ProvingLine | RawLine) -> str:
        at = line.shown_at if isinstance(line, ProvingLine) else line.line
        return f"{self.near(line.source)}:{at}"


def _facts(facts: Sequence[tuple[str, str]]) -> Lines:
    room = max((len(label) for label, _ in facts), default=0) + 2
    yield from (Line(sentence, label=label.ljust(room), label_style="bold") for label, sentence in facts)


def _others(fault: FaultReport) -> str:
    """Whom else it met, and how often."""
    told = set(fault.report.row.get("client_ids") or ())
    clients = sorted({client for one in fault.others for client in one.row.get("client_ids") or ()} - told)
    # Where the first says of none whose it is, it may be one of these.
    counted_clients = counted(len(clients), "other client" if told else "client")
    if len(clients) == len(fault.others):
        return f"the same of {counted_clients}: {listed(clients)}{_together(fault)}"
    times = f"{counted(len(fault.others), 'time')} more"
    others = f", of {counted_clients}: {listed(clients)}" if clients else ""
    last = max(fault.others, key=_when)
    return f"{times}{others}{f'; the last {last.when}' if last.when else ''}"


def _when(one: Report) -> tuple[str, int]:
    at = str(one.row.get("ended_at") or one.row.get("started_at") or "")
    return at, one.lines[0].line if one.lines else 0


def _together(fault: FaultReport) -> str:
    """Clients of one process that ran out of time in one moment have one cause."""
    reports = [fault.report, *fault.others]
    if (
        not str(fault.report.row.get("kind")).startswith(OF_TIME)
        or len({one.row["unit_id"] for one in reports}) > 1
    ):
        return ""
    ends = [max((line.happened_at or 0 for line in one.lines), default=0) for one in reports]
    apart_ms = max(ends) - min(ends)
    if not all(ends) or apart_ms > ONE_MOMENT_MS:
        return ""
    within = f"within {span(apart_ms)}" if apart_ms else "in the same millisecond"
    shared = (
        "what they share (a pause of the process, its host, one dependency) is likelier than a cause of each"
    )
    return f"; {within}: {shared}"


def _records(told: Report) -> list[ProvingLine]:
    return list({(line.source, line.line): line for line in told.lines}.values())


def _settings_in(told: Report) -> set[str]:
    return set(SETTING.findall(" ".join(sentence for _, sentence in told.facts)))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]} ... ({len(text)} characters)"


def _decisive(lines: list[str], names: set[str], most: int) -> Iterator[str]:
    """What decides: of a stack trace the exceptions, of a config dump the settings that the story names."""
    if len(lines) <= SHORT:
        yield from lines
        return
    named = [line for line in lines[1:] if line.split("=")[0].strip() in names]
    spoken = [line for line in lines if not FRAME.match(line)]
    kept = [lines[0], *named] if named else _ends(spoken, most)
    yield from kept
    if len(lines) > len(kept):
        yield f"... {len(lines) - len(kept)} more lines of this record"


def _ends(lines: list[str], most: int) -> list[str]:
    """The first of the lines and the last one: of nested exceptions the outermost and the innermost."""
    return lines if len(lines) <= most else [*lines[: most - 1], lines[-1]]


def _violations(told: Answer) -> Lines:
    """Each in a line: none of them is why something went wrong here."""
    most = MOST_BESIDE if told.faults else MOST_FAULTS
    yield Line("Seen beside it" if told.faults else "Worth a look", "bold")
    for one in told.violations[:most]:
        whose = f"{one.row['client_id']}: " if one.row.get("client_id") else ""
        what = f"{one.facts[0][1]} ({one.row['rule_id']}, {one.row['category']})"
        yield Line(whose + what, label="  ")
    if (more := len(told.violations) - most) > 0:
        yield Line(f"  ... {more} more (--format json has all)", "dim")
    yield BLANK


def _benign(rows: Sequence[Incident], *, is_beside: bool) -> Lines:
    """Beside a fault in one line; alone they are what was asked about."""
    if is_beside:
        kinds = listed(all_in_short(rows))
        yield Line(f"Normal, though it may look like trouble: {kinds}.", "dim")
        return
    yield Line("May look like trouble, and is normal", "bold")
    yield from (Line(said, label="  ") for said in all_normal(rows))
    yield BLANK


def _unjudged(rows: Sequence[Unjudged], *, lists_all: bool) -> Lines:
    if not lists_all:
        questions = counted(sum(row.subjects for row in rows), "question")
        yield Line(f"Not judged for want of evidence: {questions} (--unjudged lists them).", "dim")
        return
    yield Line("Not judged", "bold")
    for row in rows:
        times = f" ({row.subjects} times)" if row.subjects > 1 else ""
        yield Line(f"  {row.rule_id}")
        yield Line(f"{row.reason}{times}; would settle it: {row.missing}", label="      ")
    yield BLANK
