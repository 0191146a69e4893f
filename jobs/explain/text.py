"""Told stories on a terminal: 80 columns are enough, colour only where there is a terminal."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from jobs.console import hanging
from jobs.explain.answer import Answer, FaultReport
from jobs.explain.timeline import print_timeline
from transforms.diagnose.decisive import rank_of
from transforms.diagnose.ending import TROUBLE
from transforms.diagnose.incident import Incident
from transforms.diagnose.markdown import SENTENCE, headline
from transforms.diagnose.raw_lines import RawLine
from transforms.diagnose.render import shown, shown_lines
from transforms.diagnose.report import ProvingLine, Report
from transforms.diagnose.words import counted, listed, span
from transforms.rules.judge import Unjudged

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
FRAME = re.compile(r"\s+at |\s*\.\.\. \d+ (more|common frames)")  # a stack frame
SETTING = re.compile(r"[a-z]+(?:\.[a-z]+)+")  # a setting's name, as sentences and dumps write it
LONGEST_LINE = 600  # characters of one physical line


def print_report(told: Report, console: Console) -> None:
    """Heading, facts, timelines, the proving lines and samples, what to do."""
    console.print(
        Text(f"{told.what.upper()} {told.id[:12]}  {shown(told.heading)}", style="bold"), overflow="fold"
    )
    console.print(Text(shown(", ".join(filter(None, (told.who, told.when)))), style="dim"), overflow="fold")
    console.print()
    _print_facts(told.facts, console)
    for timeline in told.timelines:
        console.print()
        print_timeline(timeline, console, told.clock)
    if told.lines:
        console.print()
        _print_proof(told, console, MOST_RECORDS)
    if told.samples:
        console.print()
        _print_samples(told.samples, console)
    _print_advice(told, console)
    console.print()


def print_answer(told: Answer, console: Console, *, lists_unjudged: bool = False) -> None:
    """The worst fault first, then what is normal, what was not judged, and what was read, in one line each."""
    if told.ending.kind != TROUBLE:
        _print_ending(told, console)
    numbers = len(told.faults) > 1
    for number, fault in enumerate(told.faults[:MOST_FAULTS], 1):
        _print_fault(f"{number}. " if numbers else "", fault, console)
    for fault in told.faults[MOST_FAULTS:]:
        hanging(Text("And  "), shown(headline(fault.report)), console)
    if told.violations:
        _print_violations(told, console)
    if told.benign:
        _print_benign(told.benign, console, is_beside=told.ending.kind == TROUBLE)
    if told.ending.kind == TROUBLE:
        for sentence in sentences(told):
            console.print(Text(shown(sentence)), overflow="fold")
        _print_not_judged(told.ending.not_judged, console, lists_unjudged)
    if told.unjudged:
        _print_unjudged(told.unjudged, console, lists_unjudged)
    console.print(Text(shown(accounting(told)), style="dim"), overflow="fold")


def _print_ending(told: Answer, console: Console) -> None:
    for number, sentence in enumerate(sentences(told)):
        console.print(Text(shown(sentence), style="" if number else "bold"), overflow="fold")
    for line in told.ending.not_judged[:MOST_QUOTED]:
        _print_quote(line, console)
    if (more := len(told.ending.not_judged) - MOST_QUOTED) > 0:
        console.print(Text(f"  ... {counted(more, 'more line')} (--format json has all)", style="dim"))
    console.print()


def _print_fault(number: str, fault: FaultReport, console: Console) -> None:
    report = fault.report
    hanging(Text(number, style="bold"), shown(headline(report)), console, "bold")
    facts = [(label, sentence) for label, sentence in report.facts if label != "Verdict"]
    at = f"{near(report.lines[0].source)}:{report.lines[0].line}" if report.lines else ""
    facts.insert(0, ("When", ", ".join(filter(None, (report.when, at)))))
    if rest := SENTENCE.split(report.advice, maxsplit=1)[1:]:
        facts.append(("Then do", rest[0]))
    facts += [("Then", _short(one)) for one in fault.effects]
    if fault.others:
        facts.append(("Also", _others(fault)))
    facts += [
        ("It said", f"{near(line.source)}:{line.line} {_cut(line.text.strip())}") for line in fault.own_words
    ]
    facts += [
        ("Rule", sentence) for label, sentence in report.facts if label == "Verdict" and ":" in sentence
    ]
    _print_facts(facts, console)
    drawn = [one for one in report.timelines if any(mark.role == "limit" for mark in one.marks)]
    if drawn:
        console.print()
        print_timeline(drawn[0], console, report.clock, MOST_MARKS)
    if report.lines:
        console.print()
        _print_plainest(report, console)
    console.print()


def _short(report: Report) -> str:
    return f"{report.when}: {report.heading}"


def _others(fault: FaultReport) -> str:
    """Whom else it met, and how often."""
    clients = sorted(
        {client for one in fault.others for client in one.row.get("client_ids") or ()}
        - set(fault.report.row.get("client_ids") or ())
    )
    if len(clients) == len(fault.others):
        return f"the same of {counted(len(clients), 'other client')}: {listed(clients)}{_together(fault)}"
    times = f"{counted(len(fault.others), 'time')} more"
    others = f", of {counted(len(clients), 'other client')}: {listed(clients)}" if clients else ""
    return f"{times}{others}"


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


def _print_facts(facts: Sequence[tuple[str, str]], console: Console) -> None:
    room = max((len(label) for label, _ in facts), default=0) + 2
    for label, sentence in facts:
        hanging(Text(label.ljust(room), style="bold"), shown(sentence), console)


def _print_proof(told: Report, console: Console, most: int) -> None:
    console.print(Text("Log lines that prove it", style="bold"))
    records = list({(line.source, line.line): line for line in told.lines}.values())
    names = set(SETTING.findall(" ".join(sentence for _, sentence in told.facts)))
    left_out = len(records) - most
    for number, record in enumerate(records):
        if left_out > 0 and number == most // 2:
            console.print(Text(f"  ... {left_out} more records (--format json has all)", style="dim"))
        if left_out <= 0 or number < most // 2 or number >= len(records) - most // 2:
            _print_record(record, names, console)


def _print_plainest(told: Report, console: Console) -> None:
    """The few records that say most plainly what happened, in their order."""
    records = list({(line.source, line.line): line for line in told.lines}.values())
    numbered = sorted(enumerate(records), key=lambda one: (rank_of(one[1].message_id), one[0]))[
        :MOST_OF_FAULT
    ]
    names = set(SETTING.findall(" ".join(sentence for _, sentence in told.facts)))
    more = f" ({len(records) - len(numbered)} more: --format json)" if len(records) > len(numbered) else ""
    console.print(Text(f"Log lines that prove it{more}", style="bold"))
    for _, record in sorted(numbered, key=lambda one: (one[1].source, one[1].line)):
        _print_record(record, names, console, FEW_LINES)


def _print_samples(samples: Sequence[str], console: Console) -> None:
    console.print(Text("Samples of metrics that prove it", style="bold"))
    for sample in samples:
        hanging(Text("  "), shown(sample), console)


def _print_record(record: ProvingLine, names: set[str], console: Console, most: int = MOST_LINES) -> None:
    console.print(Text(f"  {shown(near(record.source))}:{record.line}", style="cyan"), overflow="fold")
    if record.text is None:
        console.print(Text("      (its record is no longer kept)", style="dim"))
        return
    for text in _decisive(shown_lines(record.text.rstrip("\n")), names, most):
        hanging(Text("      "), _cut(text), console)


def _print_quote(line: RawLine, console: Console) -> None:
    console.print(Text(f"  {shown(near(line.source))}:{line.line}", style="cyan"), overflow="fold")
    hanging(Text("      "), shown(_cut(line.text.strip())), console)


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


def sentences(told: Answer) -> list[str]:
    """Of the ending, with sources named as near() does."""
    found = list(told.ending.sentences)
    for source in told.sources:
        found = [sentence.replace(source.name, near(source.name), 1) for sentence in found]
    return found


def near(source: str) -> str:
    """The path from here, where it is below here; else its end, which a line of a terminal has room for."""
    path = Path(source)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else "/".join(path.parts[-2:])


def _print_advice(told: Report, console: Console) -> None:
    if not told.runbook and not told.advice:
        return
    console.print()
    console.print(Text("What to do", style="bold"))
    if told.advice:
        hanging(Text("  * "), shown(told.advice), console)
    for number, step in enumerate(told.runbook, 1):
        hanging(Text(f"  {number}. "), shown(step), console)


def _print_violations(told: Answer, console: Console) -> None:
    """Each in a line: none of them is why something went wrong here."""
    most = MOST_BESIDE if told.faults else MOST_FAULTS
    console.print(Text("Seen beside it" if told.faults else "Worth a look", style="bold"))
    for one in told.violations[:most]:
        whose = f"{one.row['client_id']}: " if one.row.get("client_id") else ""
        what = f"{one.facts[0][1]} ({one.row['rule_id']}, {one.row['category']})"
        hanging(Text("  "), shown(whose + what), console)
    if (more := len(told.violations) - most) > 0:
        console.print(Text(f"  ... {more} more (--format json has all)", style="dim"))
    console.print()


def _print_benign(rows: Sequence[Incident], console: Console, *, is_beside: bool) -> None:
    """Beside a fault in one line; alone they are what was asked about."""
    if is_beside:
        kinds = listed(list(dict.fromkeys(_normal(row).partition(": ")[0] for row in rows)))
        console.print(
            Text(shown(f"Normal, though it may look like trouble: {kinds}."), style="dim"), overflow="fold"
        )
        return
    console.print(Text("May look like trouble, and is normal", style="bold"))
    for row in rows:
        hanging(Text("  "), shown(f"{_normal(row)}: {row.cause}"), console)
    console.print()


def _normal(row: Incident) -> str:
    return row.title.removeprefix("Normal: ")


def _print_not_judged(lines: Sequence[RawLine], console: Console, lists_all: bool) -> None:
    """Beside a trouble they are a line, as the trouble may explain them."""
    if not lines:
        return
    such = f"such as {near(lines[0].source)}:{lines[0].line}"
    told = f"Not explained: {counted(len(lines), 'line')} that may tell more, {such}."
    console.print(Text(shown(told)), overflow="fold")
    for line in lines if lists_all else ():
        _print_quote(line, console)


def _print_unjudged(rows: Sequence[Unjudged], console: Console, lists_all: bool) -> None:
    questions = sum(row.subjects for row in rows)
    if not lists_all:
        console.print(
            Text(
                f"Not judged for want of evidence: {counted(questions, 'question')} (--unjudged lists them)."
            ),
            style="dim",
            overflow="fold",
        )
        return
    console.print(Text("Not judged", style="bold"))
    for row in rows:
        times = f" ({row.subjects} times)" if row.subjects > 1 else ""
        console.print(Text(f"  {row.rule_id}"), overflow="fold")
        hanging(Text("      "), shown(f"{row.reason}{times}; would settle it: {row.missing}"), console)
    console.print()


def accounting(told: Answer) -> str:
    """What became of every line that was read, in one sentence."""
    books = told.books
    names = {reading.layout_name for reading in told.readings}
    of = f" of {counted(len(told.readings), 'log')}" if len(told.readings) > 1 else ""
    dropped = ", ".join(
        f"{lines} dropped as {reason}" for reason, lines in sorted(books.lines_dropped.items()) if lines
    )
    unparsed = f", {books.lines_unparsed} not understood" if books.lines_unparsed else ""
    layouts = ", ".join(sorted(names))
    return (
        f"Read {books.lines_read} lines{of} ({layouts}): {books.lines_in_records} in {books.records} records"
        f"{', ' + dropped if dropped else ''}{unparsed}; {told.events} events, "
        f"{counted(sum(told.episodes.values()), 'episode')} rebuilt"
    )
