"""Prints what is told, an answer on logs or the story of one id, in the form that is asked for."""

import json
from pathlib import Path

from rich.console import Console

from jobs.console import print_lines
from transforms.diagnose.reports.markdown import report_as_markdown
from transforms.diagnose.reports.report import Report
from transforms.explain.answer import Answer
from transforms.explain.markdown import answer_as_markdown
from transforms.explain.terminal import Terminal

FORMATS = ("text", "json", "markdown")


def print_as(form: str, told: Answer | Report, console: Console, *, lists_unjudged: bool = False) -> None:
    """Print it in one of FORMATS. lists_unjudged: all that an answer has of these, not their number."""
    terminal = Terminal(console.width, near)
    if isinstance(told, Report):
        lines, markdown = terminal.report(told), report_as_markdown(told, near)
    else:
        lines = terminal.answer(told, lists_unjudged=lists_unjudged)
        markdown = answer_as_markdown(told, near, lists_unjudged=lists_unjudged)
    if form == "json":
        print(json.dumps(told.as_dict(), indent=2), file=console.file)
    elif form == "markdown":
        print("\n".join(markdown), file=console.file)
    else:
        print_lines(lines, console)


def near(source: str) -> str:
    """The path from here, where it is below here; else its end, which a line of a terminal has room for."""
    path = Path(source)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else "/".join(path.parts[-2:])
