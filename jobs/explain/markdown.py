"""An answer as Markdown, for a ticket: log text stays text there, too."""

from collections.abc import Iterator

from jobs.explain.answer import Answer, FaultReport
from jobs.explain.text import MOST_FAULTS, MOST_QUOTED, accounting, headline, near, sentences
from transforms.diagnose.ending import TROUBLE
from transforms.diagnose.raw_lines import RawLine
from transforms.diagnose.render import shown, shown_lines
from transforms.diagnose.report import Report
from transforms.diagnose.words import counted

MARKED = "\\`*_[]<>#|~&"
MOST_RECORDS = 4
MOST_LINES = 6


def as_markdown(told: Answer, *, lists_unjudged: bool = False) -> str:
    """All of it, in the order of the terminal."""
    return "\n".join(_parts(told, lists_unjudged)) + "\n"


def _parts(told: Answer, lists_unjudged: bool) -> Iterator[str]:
    if told.ending.kind != TROUBLE:
        for number, sentence in enumerate(sentences(told)):
            yield f"{plain(sentence)}\n" if number else f"**{plain(sentence)}**\n"
        for line in told.ending.not_judged[:MOST_QUOTED]:
            yield from _quote(line)
    for fault in told.faults[:MOST_FAULTS]:
        yield from _fault(fault)
    for fault in told.faults[MOST_FAULTS:]:
        yield f"- {plain(headline(fault.report))}"
    for one in told.violations:
        yield f"- {plain(one.who)}: {plain(one.facts[0][1])} ({plain(one.row['rule_id'])})"
    if told.benign:
        yield "\nMay look like trouble, and is normal:\n"
        yield from (
            f"- {plain(row.title.removeprefix('Normal: '))}: {plain(row.cause)}" for row in told.benign
        )
        yield ""
    if told.ending.kind == TROUBLE and told.ending.not_judged:
        yield f"{counted(len(told.ending.not_judged), 'line')} beside are not explained.\n"
    if lists_unjudged:
        yield from (
            f"- not judged: {plain(row.rule_id)}, {plain(row.reason)}; {plain(row.missing)}"
            for row in told.unjudged
        )
    yield f"_{plain(accounting(told))}_"


def _fault(fault: FaultReport) -> Iterator[str]:
    yield f"**{plain(headline(fault.report))}**\n"
    yield from _facts(fault.report)
    yield from (f"- Then: {plain(one.when)}: {plain(one.heading)}" for one in fault.effects)
    yield from (f"- Also: {plain(one.when)}: {plain(one.heading)}" for one in fault.others)
    for line in fault.own_words:
        yield f"- Its application said ({plain(near(line.source))}:{line.line}): {plain(line.text.strip())}"
    yield from _proof(fault.report)


def report_as_markdown(report: Report) -> Iterator[str]:
    """One story by itself."""
    yield f"**{plain(headline(report))}**\n"
    yield from _facts(report)
    yield from _proof(report)


def _facts(report: Report) -> Iterator[str]:
    yield f"- When: {plain(report.when)}"
    yield from (f"- {label}: {plain(sentence)}" for label, sentence in report.facts)
    if report.advice:
        yield f"- Do: {plain(report.advice)}"


def _proof(report: Report) -> Iterator[str]:
    yield "\n```text"
    for line in report.lines[:MOST_RECORDS]:
        yield _fenced(f"{near(line.source)}:{line.line}")
        yield from (
            f"    {_fenced(text)}" for text in shown_lines((line.text or "").rstrip("\n"))[:MOST_LINES]
        )
    yield "```\n"


def _quote(line: RawLine) -> Iterator[str]:
    yield f"```text\n{_fenced(f'{near(line.source)}:{line.line}')}\n    {_fenced(line.text.strip())}\n```\n"


def plain(text: str) -> str:
    """Text that marks nothing up."""
    return "".join(f"\\{character}" if character in MARKED else character for character in shown(text))


def _fenced(text: str) -> str:
    """A line that can't end its fence."""
    return shown(text).replace("```", "'''")
