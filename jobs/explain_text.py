"""Told stories on a terminal: 80 columns are enough, colour only where there is a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from jobs.explain_file import ToldFile
from jobs.render import shown, shown_lines
from jobs.timeline import drawn
from jobs.told import ProvingLine, Told
from transforms.diagnose.words import counted
from transforms.rules.judge import Unjudged

MOST_RECORDS = 12  # of the proof, and
MOST_LINES = 14  # of one record: a stack trace's head says what it is; --json has all
LONGEST_LINE = 600  # characters of one physical line


def print_told(told: Told, console: Console) -> None:
    """Heading, facts, timelines, the proving lines, what to do."""
    console.print(
        Text(f"{told.what.upper()} {told.id[:12]}  {shown(told.heading)}", style="bold"), overflow="fold"
    )
    console.print(Text(shown(told.who), style="dim"), overflow="fold")
    console.print()
    _print_facts(told.facts, console)
    for timeline in told.timelines:
        console.print()
        for line in drawn(timeline, console.width):
            console.print(line, overflow="fold")
    if told.lines:
        console.print()
        _print_proof(told.lines, console)
    _print_advice(told, console)
    console.print()


def _print_facts(facts: Sequence[tuple[str, str]], console: Console) -> None:
    room = max((len(label) for label, _ in facts), default=0) + 2
    for label, sentence in facts:
        _hanging(Text(label.ljust(room), style="bold"), shown(sentence), console)


def _hanging(label: Text, sentence: str, console: Console) -> None:
    """The label, and beside it the sentence, folded to the console's width under its own beginning."""
    room = console.width - label.cell_len
    for line in Text(sentence, overflow="fold").wrap(console, max(room, 20)):
        line.rstrip()
        console.print(Text.assemble(label, line), soft_wrap=True)
        label = Text(" " * label.cell_len)


def _print_proof(lines: Sequence[ProvingLine], console: Console) -> None:
    console.print(Text("Log lines that prove it", style="bold"))
    records = list({(line.source, line.line): line for line in lines}.values())
    for record in records[:MOST_RECORDS]:
        console.print(Text(f"  {shown(record.source)}:{record.line}", style="cyan"), overflow="fold")
        if record.text is None:
            console.print(Text("      (its record is no longer kept)", style="dim"))
            continue
        physical = shown_lines(record.text.rstrip("\n"))
        for text in physical[:MOST_LINES]:
            cut = text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]} ... ({len(text)} characters)"
            _hanging(Text("      "), cut, console)
        if len(physical) > MOST_LINES:
            console.print(
                Text(f"      ... {len(physical) - MOST_LINES} more lines of this record", style="dim")
            )
    if len(records) > MOST_RECORDS:
        console.print(Text(f"  ... {len(records) - MOST_RECORDS} more records (--json has all)", style="dim"))


def _print_advice(told: Told, console: Console) -> None:
    if not told.runbook and not told.advice:
        return
    console.print()
    console.print(Text("What to do", style="bold"))
    for number, step in enumerate(told.runbook, 1):
        _hanging(Text(f"  {number}. "), shown(step), console)
    if told.advice:
        _hanging(Text("  * "), shown(told.advice), console)


def print_file(told: ToldFile, console: Console) -> None:
    """Incidents, broken rules, what is unjudged and why, and what was read, in one line."""
    if not told.incidents and not told.violations:
        console.print(Text("Nothing went wrong that this log shows.", style="bold"))
        console.print()
    for incident in told.incidents:
        print_told(incident, console)
    for violation in told.violations:
        print_told(violation, console)
    if told.unjudged:
        _print_unjudged(told.unjudged, console)
    console.print(Text(_accounting(told), style="dim"), overflow="fold")


def _print_unjudged(rows: Sequence[Unjudged], console: Console) -> None:
    console.print(Text("Not judged", style="bold"))
    for row in rows:
        times = f" ({row.subjects} times)" if row.subjects > 1 else ""
        console.print(Text(f"  {row.rule_id}"), overflow="fold")
        _hanging(Text("      "), shown(f"{row.reason}{times}; would settle it: {row.missing}"), console)
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
