"""Lines that a mail, a page or a terminal broke at its width: told by the width itself, which each of them reaches."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, islice, pairwise

from transforms.parse.catalogue.anchors import CONTEXT, CONTEXT_BEGINS, KAFKA_TEXT
from transforms.parse.catalogue.exceptions import names_kafkas
from transforms.parse.catalogue.forms import finder
from transforms.parse.catalogue.other_clients import client_of_other_language
from transforms.parse.catalogue.other_words import begins_message, is_of_other, told_anywhere
from transforms.parse.layouts.apart import DATED, ENDS_HEAD
from transforms.parse.layouts.starts import ENTRY, GOES_ON, OTHER_CLIENTS
from transforms.parse.lines.prefixes import CLIENT_KINDS, CUT_CONTEXT, STREAMS_ID, prefix_of
from transforms.parse.lines.timestamps import STAMP
from transforms.parse.lines.tokens import LEVEL

NARROWEST, WIDEST = 40, 240  # characters
ANY_WIDTH = 1 << 30
NEAR = 16  # characters that most lines lack at most: words are short
ALIKE = 2  # words: what begins with the same is of one writer, and no rest of a broken line
MOST_UNFOLDED = 0.2  # share of the lines behind another that its width doesn't explain: a writer's own lines
# A head without a time, as SLF4J's simple logger has it, or a client's own context, behind a level in whatever language.
_UNDATED = rf"\[[^\]\n]{{1,100}}\] (?:{LEVEL})\b|\W{{0,4}}(?:\w{{2,13}}:? )?(?:{CONTEXT_BEGINS})"
_FENCE = r"[ \t]*(?:`{3}|~{3})"  # around code in Markdown: no line of it
# What begins a line of its own, wherever the line before ends: heads, also of other clients, traces, dumps, JSON.
_OWN = re.compile(
    rf"(?:\d{{1,7}}[:\-]|[A-Z],|\W?\w{{1,12}}[=\]])?\W{{0,8}}(?:{STAMP.pattern})|\W{{0,4}}(?:{LEVEL})\b|{_UNDATED}"
    rf"|{'|'.join(OTHER_CLIENTS)}|\{{ ?\"|{GOES_ON.pattern}|{ENTRY}|\s+at$|\s*[{{}}\[\]()]?\s*$|{_FENCE}"
)
_SIGN = re.compile(r"(?:[^\w\s\[({<\"'`]{1,3}[ \t]+)?")  # of a program's comment, before each of its lines
# What is left of a context begins one, too, but behind a line that can't end as it does.
_CUT = re.compile(rf"{CUT_CONTEXT}|\W{{0,4}}{STREAMS_ID}\]\s")
# A client's context that nothing follows on its line, a part of it, an exception and its colon: whoever wrote it said more.
_OPEN_END = re.compile(
    rf"(?:\[(?:{'|'.join(CLIENT_KINDS)})(?: [^\]]*\]?)?|\b(?:global-)?stream-(?:thread|client)(?: \[[^\]]*\]?)?"
    rf"|^\W{{0,4}}(?:(?:{CONTEXT_BEGINS})[^\]]*\]?|{STREAMS_ID}\]"
    r"|(?:Caused by: )?(?:[a-z_]\w*\.){2,12}\w+(?:Exception|Error):(?: \w+:)?))\s*$"
)


@dataclass(frozen=True, slots=True)
class Fold:
    """How lines were broken. width: of the page, in characters. is_within: in the middle of words, too, each part below the
    first behind `indent` blanks, which may be within the width or not."""

    width: int
    is_within: bool
    indent: int = 0

    def joined(self, text: str) -> tuple[str, tuple[int, ...]]:
        """A record's text with its broken lines whole again, and which of the text's lines each of them begins with."""
        whole: list[str] = []
        begins: list[int] = []
        last = ""
        for number, line in enumerate(text.split("\n")):
            is_own = not self.indent and _begins_own(last, line)
            if whole and not is_own and self._is_broken(last, line):
                whole[-1] += (
                    line[self.indent :] if self.is_within else f"{self._gap(last)}{_behind_sign(last, line)}"
                )
            else:
                whole.append(line)
                begins.append(number)
            last = line
        return "\n".join(whole), tuple(begins)

    @staticmethod
    def _gap(line: str) -> str:
        is_parted = line.endswith((" ", "\t")) or (line.endswith("-") and line[-2:-1].isalnum())
        return "" if is_parted else " "

    def _is_broken(self, line: str, below: str) -> bool:
        if self.is_within:
            is_first = line[: self.indent].strip() != ""
            is_full = len(line) == self.width or (is_first and len(line) == self.width - self.indent)
            return is_full and not below[: self.indent].strip()
        if _goes_on(line, below):
            return True
        word = below.split(None, 1)[0]
        fits = len(line) <= self.width or " " not in line.strip()  # but for a word longer than the page
        return fits and len(line) + 1 + len(word) > self.width

    def explains(self, paragraphs: Sequence[Sequence[str]], least: int) -> bool:
        """Whether the width is why most of the lines that begin nothing stand on a line of their own.

        least: lines that it must explain.
        """
        pairs = [
            (line, below)
            for lines in paragraphs
            for line, below in pairwise(lines)
            if not (re.match(_FENCE, line) or _begins_own(line, below))
            and line.split(None, ALIKE)[:ALIKE] != below.split(None, ALIKE)[:ALIKE]
        ]
        broken = sum(self._is_broken(line, below) for line, below in pairs)
        # What a long word was left no room for says nothing of the width.
        alike = [(line, below) for line, below in pairs if not _goes_on(line, below)]
        told = [line for line, below in alike if self.is_within or len(below.split(None, 1)[0]) <= NEAR]
        near = sum(self.width - NEAR <= len(line) <= self.width for line in told)
        longer = sum(len(line) > self.width and " " in line.strip() for lines in paragraphs for line in lines)
        is_most = broken >= max(least, (1 - MOST_UNFOLDED) * len(pairs))
        if len(told) == 1 and any(DATED.match(line) for lines in paragraphs for line in lines):
            least = 1  # behind a time a few lines are one record's, and no list
        # Where long words alone begin lines, one that can't end as it does says that they were broken.
        is_near = near * 2 > len(told) and near >= least if told else least == 1 or len(alike) < len(pairs)
        return is_most and is_near and not longer


def _inside(lines: Sequence[str]) -> list[str]:
    """The lines of a paragraph without the fences around them."""
    return [line for line in lines if not re.match(_FENCE, line)]


def _begins_own(line: str, below: str) -> bool:
    """Whether a line begins something of its own, whatever stands above it."""
    is_object = line.startswith("{") and line.rstrip().endswith("}")  # which is whole
    begins = is_object or _OWN.match(below) or _CUT.match(below) or begins_message(below.lstrip())
    return bool(begins) and not _goes_on(line, below)


def _goes_on(line: str, below: str) -> bool:
    """Whether a line can't end as it does: with a context, or with a head whose context begins the line below."""
    if _OWN.match(below) is None:
        return _OPEN_END.search(line) is not None or _is_completed(line, below)
    if _OPEN_END.search(line) and _is_completed(line, below):  # it begins as a level does: `Error connecting`
        return True
    is_head = DATED.match(line) is not None and ENDS_HEAD.search(line) is not None
    return is_head and re.match(_UNDATED, below) is not None


def _behind_sign(line: str, below: str) -> str:
    """A line without the sign of a comment that stands before the line above it, too."""
    return below.lstrip().removeprefix(_SIGN.match(line)[0])  # type: ignore[index]  # it matches nothing, too


def _is_completed(line: str, below: str) -> bool:
    """Whether both lines are one message, behind the context that the first may hold, and that line alone is none."""
    held = CONTEXT.search(line) if "]" in line else None
    if held is None:
        told = told_anywhere(f"{line} {_behind_sign(line, below)}") if KAFKA_TEXT.search(line) else None
        is_across = told is not None and told[1].start() < len(line) < told[1].end()
        return is_across and told_anywhere(line) is None
    begun = line[held.start() :]
    texts = [f"{begun} {_behind_sign(line, below)}", begun]
    return [finder().find(one[prefix_of(one).length :], None) is not None for one in texts] == [True, False]


def fold_of(lines: Sequence[str]) -> Fold | None:
    """How a source's lines were broken; None where they were not.

    lines: as they stand there, with those that are blank. Where they show nothing as a whole, as most are a page's own, the
    paragraphs are asked in which a client speaks, with a time before one of many lines at most.
    """
    paragraphs = [
        list(group) for is_blank, group in groupby(lines, lambda line: not line.strip()) if not is_blank
    ]
    whole = [[line for lines in paragraphs for line in lines]]
    found = _fold_of(whole, least=2)
    if found is None and 4 * len(list(islice(filter(DATED.match, whole[0]), 2))) < min(len(whole[0]), 8):
        of_clients = [
            _inside(lines) for lines in paragraphs if any(map(_of_client, lines)) or _holds_one(lines)
        ]
        # Messages alone, one below the other, are lines of their own.
        if not any(_is_said(line, below) for lines in of_clients for line, below in pairwise(lines)):
            found = _fold_of(of_clients, least=1)
            if found is None and any(map(_holds_one, of_clients)):
                found = Fold(ANY_WIDTH, is_within=False)  # only those are broken that can't end as they do
    return found


def _holds_one(lines: Sequence[str]) -> bool:
    """Whether one of a paragraph's lines is broken, whatever its width."""
    return any(_goes_on(*pair) for pair in pairwise(lines))


def _of_client(line: str) -> bool:
    is_told = CONTEXT.search(line) is not None or names_kafkas(line) or begins_message(line.lstrip())
    return is_told or (not line.startswith("{") and client_of_other_language(line) is not None)


def _is_said(line: str, below: str) -> bool:
    """Whether a line is what a client says, without the context that stands above it, or behind what is left of one."""
    is_other = client_of_other_language(line) is not None and is_of_other(below, below)
    is_one = is_other or finder().find(below[prefix_of(below).length :], None) is not None
    return is_one and not _goes_on(line, below)


def _fold_of(paragraphs: Sequence[Sequence[str]], least: int) -> Fold | None:
    # What was broken once shows the width by its first line: its rest is no longer.
    lines = [line for lines in paragraphs for line in (lines[:-1] if least == 1 else lines)]
    longest = max((len(line) for line in lines if " " in line.strip()), default=0)
    if not NARROWEST <= longest <= WIDEST:
        return None
    folds = [Fold(longest, is_within=False)]
    if least > 1:  # that each of a few lines is as long as the longest shows no break within words
        blanks = {
            len(below) - len(below.lstrip(" ")) for line, below in pairwise(lines) if len(line) == longest
        }
        folds[:0] = [
            Fold(longest, is_within=True, indent=indent) for indent in (min(blanks - {0}, default=0), 0)
        ]
    return next((fold for fold in folds if fold.explains(paragraphs, least)), None)
