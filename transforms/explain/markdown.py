"""An answer as Markdown, for a ticket: log text stays text there, too."""

from collections.abc import Callable, Iterator

from transforms.diagnose.causes.benign import all_normal
from transforms.diagnose.reports.markdown import facts, fenced, headline, plain, proof
from transforms.diagnose.unexplained.ending import TROUBLE
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.wording.words import counted
from transforms.explain.answer import Answer
from transforms.explain.fault_report import FaultReport
from transforms.explain.terminal import MOST_FAULTS, MOST_QUOTED

Near = Callable[[str], str]


def answer_as_markdown(told: Answer, near: Near, *, lists_unjudged: bool) -> Iterator[str]:
    """All of it, in the order of the terminal. near: how a source is named to who reads it."""
    has_trouble = told.ending.kind == TROUBLE
    if not has_trouble:
        for number, sentence in enumerate(told.sentences(near)):
            yield f"{plain(sentence)}\n" if number else f"**{plain(sentence)}**\n"
        for line in told.ending.not_judged[:MOST_QUOTED]:
            yield from _quote(line, near)
    for fault in told.faults[:MOST_FAULTS]:
        yield from _fault(fault, near)
    for fault in told.faults[MOST_FAULTS:]:
        yield f"- {plain(headline(fault.report))}"
    for one in told.violations:
        yield f"- {plain(one.who)}: {plain(one.facts[0][1])} ({plain(one.row['rule_id'])})"
    if told.benign:
        yield "\nMay look like trouble, and is normal:\n"
        yield from (f"- {plain(said)}" for said in all_normal(told.benign))
        yield ""
    if has_trouble and told.ending.not_judged:
        yield f"{counted(len(told.ending.not_judged), 'line')} beside are not explained.\n"
    if lists_unjudged:
        yield from (
            f"- not judged: {plain(row.rule_id)}, {plain(row.reason)}; {plain(row.missing)}"
            for row in told.unjudged
        )
    yield f"_{plain(told.accounting)}_\n"


def _fault(fault: FaultReport, near: Near) -> Iterator[str]:
    yield f"**{plain(headline(fault.report))}**\n"
    yield from facts(fault.report)
    yield from (f"- {label}: {plain(said)}" for label, said in fault.beside_in_short)
    yield from (f"- Also: {plain(one.dated)}" for one in fault.others)
    for line in fault.own_words:
        yield f"- Its application said ({plain(near(line.source))}:{line.line}): {plain(line.text.strip())}"
    yield from proof(fault.report, near)


def _quote(line: RawLine, near: Near) -> Iterator[str]:
    yield f"```text\n{fenced(f'{near(line.source)}:{line.line}')}\n    {fenced(line.text.strip())}\n```\n"
