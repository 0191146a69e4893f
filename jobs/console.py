"""Writing to a terminal, or to what stands in for one."""

import sys
from typing import TextIO

from rich.console import Console
from rich.text import Text


def console_for(stream: TextIO | None = None) -> Console:
    """A console that is plain unless it is a terminal, and takes no markup or emoji codes from text."""
    return Console(file=stream or sys.stdout, markup=False, emoji=False, highlight=False, soft_wrap=False)


def hanging(label: Text, sentence: str, console: Console, style: str = "") -> None:
    """Print the label, and beside it the sentence, folded to the console's width under its own beginning."""
    room = max(console.width - label.cell_len, 20)
    for line in Text(sentence, style=style, overflow="fold").wrap(console, room):
        line.rstrip()
        console.print(Text.assemble(label, line), soft_wrap=True)
        label = Text(" " * label.cell_len)
