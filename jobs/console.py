"""Writing to a terminal, or to what stands in for one. Log text can't speak to it."""

import sys
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console
from rich.text import Text

from transforms.diagnose.wording.render import shown
from transforms.explain.line import Line


def console_for(stream: TextIO | None = None) -> Console:
    """A console that is plain unless it is a terminal, and takes no markup or emoji codes from text."""
    return Console(file=stream or sys.stdout, markup=False, emoji=False, highlight=False, soft_wrap=False)


def print_lines(lines: Iterable[Line], console: Console) -> None:
    """Print each, folded to the console's width."""
    for line in lines:
        label = Text(shown(line.label), style=line.label_style)
        room = max(console.width - label.cell_len, 20)
        for part in Text(shown(line.text), style=line.style, overflow="fold").wrap(console, room):
            part.rstrip()
            console.print(Text.assemble(label, part), soft_wrap=True)
            label = Text(" " * label.cell_len)
