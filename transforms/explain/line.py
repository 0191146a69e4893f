"""A line for a terminal, before anybody knows which: it is folded to the width there, and log text escaped."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """Text, and what stands before it: what is folded hangs under the text's own beginning. Styles are rich's."""

    text: str = ""
    style: str = ""
    label: str = ""
    label_style: str = ""
