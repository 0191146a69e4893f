"""Told stories on a terminal: 80 columns are enough, colour only where there is a terminal."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from jobs.console import hanging
from jobs.explain.by_file import ToldFile
from jobs.explain.timeline import print_timeline
from transforms.diagnose.incident import Incident
from transforms.diagnose.render import shown, shown_lines
from transforms.diagnose.report import ProvingLine, Report
from transforms.diagnose.words import counted
from transforms.rules.judge import Unjudged

MOST_RECORDS = 12  # of the proof, and
MOST_LINES = 14  # of one record: a stack trace's head says what it is; --json has all
SHORT = 4  # so few lines are shown as they are
FRAME = re.compile(r"\s+at |\s*\.\.\. \d+ (more|common frames)")  # a stack frame
SETTING = re.compile(r"[a-z]+(?:\.[a-z]+)+")  # a setting's name, as sentences and dumps write it
LONGEST_LINE = 600  # characters of one physical line


def print_told(told: Report, console: Console) -> None:
    """Heading, facts, timelines, the proving lines and samples, what to do."""
    console.print(
        Text(f"{told.what.upper()} {told.id[:12]}  {shown(told.heading)}", style="bold"), overflow="fold"
    )
    console.print(Text(shown(told.who), style="dim"), overflow="fold")
    console.print()
    _print_facts(told.facts, console)
    for timeline in told.timelines:
        console.print()
        print_timeline(timeline, console)
    if told.lines:
        console.print()
        _print_proof(told, console)
    if told.samples:
        console.print()
        _print_samples(told.samples, console)
    _print_advice(told, console)
    console.print()


def _print_facts(facts: Sequence[tuple[str, str]], console: Console) -> None:
    room = max((len(label) for label, _ in facts), default=0) + 2
    for label, sentence in facts:
        hanging(Text(label.ljust(room), style="bold"), shown(sentence), console)


def _print_proof(told: Report, console: Console) -> None:
    console.print(Text("Log lines that prove it", style="bold"))
    records = list({(line.source, line.line): line for line in told.lines}.values())
    names = set(SETTING.findall(" ".join(sentence for _, sentence in told.facts)))
    left_out = len(records) - MOST_RECORDS
    for number, record in enumerate(records):
        if left_out > 0 and number == MOST_RECORDS // 2:
            console.print(Text(f"  ... {left_out} more records (--json has all)", style="dim"))
        if left_out <= 0 or number < MOST_RECORDS // 2 or number >= len(records) - MOST_RECORDS // 2:
            _print_record(record, names, console)


def _print_samples(samples: Sequence[str], console: Console) -> None:
    console.print(Text("Samples of metrics that prove it", style="bold"))
    for sample in samples:
        hanging(Text("  "), shown(sample), console)


def _print_record(record: ProvingLine, names: set[str], console: Console) -> None:
    console.print(Text(f"  {shown(near(record.source))}:{record.line}", style="cyan"), overflow="fold")
    if record.text is None:
        console.print(Text("      (its record is no longer kept)", style="dim"))
        return
    for text in _decisive(shown_lines(record.text.rstrip("\n")), names):
        cut = text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]} ... ({len(text)} characters)"
        hanging(Text("      "), cut, console)


def _decisive(lines: list[str], names: set[str]) -> Iterator[str]:
    """What decides: of a stack trace the exceptions, of a config dump the settings that the story names."""
    if len(lines) <= SHORT:
        yield from lines
        return
    named = [line for line in lines[1:] if line.split("=")[0].strip() in names]
    spoken = [line for line in lines if not FRAME.match(line)]
    kept = [lines[0], *named] if named else spoken[:MOST_LINES]
    yield from kept
    if len(lines) > len(kept):
        yield f"... {len(lines) - len(kept)} more lines of this record"


def near(source: str) -> str:
    """The path from here, where it is below here."""
    path = Path(source)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else source


def _print_advice(told: Report, console: Console) -> None:
    if not told.runbook and not told.advice:
        return
    console.print()
    console.print(Text("What to do", style="bold"))
    for number, step in enumerate(told.runbook, 1):
        hanging(Text(f"  {number}. "), shown(step), console)
    if told.advice:
        hanging(Text("  * "), shown(told.advice), console)


def print_file(told: ToldFile, console: Console) -> None:
    """Incidents, broken rules, what is unjudged and why, and what was read, in one line."""
    if not told.incidents and not told.violations:
        console.print(Text("Nothing went wrong that this log shows.", style="bold"))
        console.print()
    for incident in told.incidents:
        print_told(incident, console)
    for violation in told.violations:
        print_told(violation, console)
    if told.benign:
        _print_benign(told.benign, console)
    if told.unjudged:
        _print_unjudged(told.unjudged, console)
    console.print(Text(_accounting(told), style="dim"), overflow="fold")


def _print_benign(rows: Sequence[Incident], console: Console) -> None:
    console.print(Text("May look like trouble, and is normal", style="bold"))
    for row in rows:
        hanging(Text("  "), shown(f"{row.title.removeprefix('Normal: ')}: {row.cause}"), console)
    console.print()


def _print_unjudged(rows: Sequence[Unjudged], console: Console) -> None:
    console.print(Text("Not judged", style="bold"))
    for row in rows:
        times = f" ({row.subjects} times)" if row.subjects > 1 else ""
        console.print(Text(f"  {row.rule_id}"), overflow="fold")
        hanging(Text("      "), shown(f"{row.reason}{times}; would settle it: {row.missing}"), console)
    console.print()


def _accounting(told: ToldFile) -> str:
    books = told.books
    dropped = ", ".join(
        f"{lines} dropped as {reason}" for reason, lines in sorted(books.lines_dropped.items()) if lines
    )
    unparsed = f", {books.lines_unparsed} not understood" if books.lines_unparsed else ""
    return (
        f"Read {books.lines_read} lines ({told.layout}): {books.lines_in_records} in {books.records} records"
        f"{', ' + dropped if dropped else ''}{unparsed}; {told.events} events, "
        f"{counted(sum(told.episodes.values()), 'episode')} rebuilt"
    )
