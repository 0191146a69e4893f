"""Sources whose heads stand on lines of their own, each above its message."""

from collections.abc import Sequence
from itertools import pairwise

from transforms.parse.lines.heads import read_head
from transforms.parse.lines.timestamps import STAMP
from transforms.parse.lines.tokens import LEVEL
from transforms.when_used import when_used

DATED = when_used(rf"\W{{0,8}}(?:(?:{LEVEL})\W{{1,4}})?{STAMP.pattern}")
# A line that ends with a level, or with a logger and its method or thread.
ENDS_HEAD = when_used(
    rf"(?:[\s|\[](?:{LEVEL})\]?|\s(?:\w+\.){{2,}}[A-Z][\w$]*(?:[ .](?:in )?[\w$<>.#\-]+(?: \| [\w.\-]+)?)?|\[\[)[\s:\-]*$"
)
_LONGEST = 240  # characters: no head is longer


def are_heads_apart(lines: Sequence[str]) -> bool:
    """Whether most of these lines with a time are heads alone, with the message on the line below."""
    pairs = pairwise([*lines, ""])
    dated = [(line, below) for line, below in pairs if DATED.match(line) and not DATED.match(below)]
    alone = sum(1 for line, below in dated if below.strip() and _is_alone(line, below))
    return alone > 0 and alone * 2 > sum(1 for line in lines if DATED.match(line))


def _is_alone(line: str, below: str) -> bool:
    if ENDS_HEAD.search(line) is not None:
        return True
    head = read_head(f"{line}\n{below}") if len(line) <= _LONGEST else None
    return head is not None and head.level is not None and head.message in below
