"""Lines that a mail, a page or a terminal broke at its width: told by the width itself, which each of them reaches."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, islice, pairwise

from transforms.parse.catalogue.anchors import CONTEXT_BEGINS, next_context, tells_kafkas
from transforms.parse.catalogue.exceptions import names_kafkas
from transforms.parse.catalogue.forms import finder
from transforms.parse.catalogue.other_clients import client_of_other_language
from transforms.parse.catalogue.other_words import begins_message, is_of_other, told_anywhere
from transforms.parse.layouts.apart import DATED, ENDS_HEAD
from transforms.parse.layouts.learned import message_begin
from transforms.parse.layouts.starts import ENTRY, GOES_ON, ITEM, OTHER_CLIENTS
from transforms.parse.lines.heads import read_head
from transforms.parse.lines.pasted import uncoloured
from transforms.parse.lines.prefixes import CLIENT_KINDS, CUT_CONTEXT, STREAMS_ID, prefix_of
from transforms.parse.lines.timestamps import STAMP
from transforms.parse.lines.tokens import ANY_LEVEL, LEVEL
from transforms.when_used import when_used

NARROWEST, WIDEST = 40, 240  # characters
ANY_WIDTH = 1 << 30
ASKED_AGAIN = 1 << 10  # lines: several widths are tried over the same ones
NEAR = 16  # characters that most lines lack at most: words are short
MOST_UNFOLDED = 0.2  # share of the lines behind another that its width doesn't explain: a writer's own lines
# A head without a time, as SLF4J's simple logger has it, or a client's own context, behind a level in whatever language.
_UNDATED = rf"\[[^\]\n]{{1,100}}\] (?:{LEVEL})\b|\W{{0,4}}(?:\w{{2,13}}:? )?(?:{CONTEXT_BEGINS})"
_MAY_BE_LEVEL = when_used(rf"(?<![A-Za-z])(?:{ANY_LEVEL.pattern.removesuffix('$')})(?![A-Za-z0-9])")
_FENCE = r"[ \t]*(?:`{3}|~{3})"  # around code in Markdown: no line of it
# What begins a line of its own, wherever the line before ends: heads, also of other clients, traces, dumps, JSON.
_OWN = when_used(
    rf"(?:\d{{1,7}}[:\-]|[A-Z],|\W?\w{{1,12}}[=\]])?\W{{0,8}}(?:{STAMP.pattern})|\W{{0,4}}(?:{LEVEL})\b|{_UNDATED}"
    rf"|{'|'.join(OTHER_CLIENTS)}|\{{ ?\"|{GOES_ON.pattern}|{ENTRY}|\t|{ITEM}"
    rf"|[ \t]*\d{{1,3}}[.)] |\s+at$|\s*[{{}}\[\]()]?\s*$|{_FENCE}"
)
# A program's string that goes on in another.
_STRING_ENDS = when_used(r'"[ \t]*(?P<sign>[+\\])?[ \t]*$')
_STRING_BEGINS = when_used(r'[ \t]*\+?[ \t]*"')
_BEGIN = when_used(r"\W*\w+\W")
_SIGN = when_used(r"(?:[^\w\s\[({<\"'`]{1,3}[ \t]+)?")  # of a program's comment, before each of its lines
_BENEATH = when_used(r"\s{2,}(?:at \w|\.\.\. \d)|(?:[a-z_]\w*\.){2,12}\w+(?:Exception|Error)\b")
_SPEAKS = when_used(rf"\W{{0,4}}(?:{CONTEXT_BEGINS})")
# What is left of a context begins one, too, but behind a line that can't end as it does.
_CUT = when_used(rf"{CUT_CONTEXT}|\W{{0,4}}{STREAMS_ID}\]\s")
# A client's context that nothing follows on its line, a part of it, an exception and its colon: whoever wrote it said more.
_OPEN_END = when_used(
    rf"(?:\[(?:{'|'.join(CLIENT_KINDS)})(?: (?:\w+=[^\s\]]*\s?)*\]?)?"
    rf"|\b(?:global-)?stream-(?:thread|client)(?: \[[^\]]*\]?)?"
    rf"|^\W{{0,4}}(?:(?:{CONTEXT_BEGINS})[^\]]*\]?|{STREAMS_ID}\]"
    r"|(?:Caused by: )?(?:[a-z_]\w*\.){2,12}\w+(?:Exception|Error):(?: \w+:)?))\s*$"
)


@dataclass(frozen=True, slots=True)
class Fold:
    """How lines were broken. width: of the page, in characters. is_within: in the middle of words, too, each part below the
    first behind `indent` blanks, which may be within the width or not. depth: in how many of a source's envelopes the lines
    stand; the others stand in the lines. begin: what several lines begin with, as the first one does."""

    width: int
    is_within: bool
    indent: int = 0
    depth: int = 0
    begin: str = ""

    def joined(self, lines: Sequence[str]) -> list[str]:
        """Broken lines whole again."""
        whole: list[str] = []
        for last, line in pairwise(("", *lines)):
            grown = self.grown(whole[-1], last, line) if whole else None
            if grown is None:
                whole.append(line)
            else:
                whole[-1] = grown
        return whole

    def grown(self, whole: str, last: str, below: str) -> str | None:
        """A line, as far as it was put together, with what it goes on with below; None where it doesn't. last: its end."""
        is_own = not self.indent and self._begins_own(last, below, whole)
        if is_own or not self._is_broken(last, below):
            return None
        if _is_string(last, below):
            return _STRING_ENDS.sub("", whole) + _STRING_BEGINS.sub("", below)
        if self.is_within:
            return f"{whole}{' ' if self._is_short(last) else ''}{below[self.indent :]}"
        is_parted = last.endswith((" ", "\t")) or (last.endswith("-") and last[-2:-1].isalnum())
        return f"{whole}{'' if is_parted else ' '}{_behind_sign(whole, below)}"

    def _begins_own(self, line: str, below: str, whole: str = "") -> bool:
        """Whether a line begins something of its own, whatever stands above it. whole: what that goes on with."""
        # Behind a full line few begin something else than its rest, where a time shows what does.
        if self.is_within and not self.indent and re.search(r"\d", self.begin):
            return below.startswith((self.begin, "\t", "Caused by: ")) or _BENEATH.match(below) is not None
        is_object = line.startswith("{") and line.rstrip().endswith("}")  # which is whole
        begins = is_object or _OWN.match(below) or _CUT.match(below) or begins_message(below.lstrip())
        begins = begins or below == line or (self.begin != "" and below.startswith(self.begin))
        begins = begins or (_says(line) and _says(below, by_head=False)) or _has_head(below)
        # A head that says nothing yet may go on with a context.
        is_open = begins and DATED.match(whole) and _SPEAKS.match(below) and message_begin(whole) < 0
        return bool(begins) and not is_open and not _goes_on(line, below)

    def _is_broken(self, line: str, below: str) -> bool:
        if self.is_within:
            is_first = line[: self.indent].strip() != ""
            is_full = len(line) == self.width or (is_first and len(line) == self.width - self.indent)
            return (is_full or self._is_short(line)) and not below[: self.indent].strip()
        if _goes_on(line, below):
            return True
        word = below.split(None, 1)[0]
        fits = len(line) <= self.width or " " not in line.strip()  # but for a word longer than the page
        return fits and len(line) + 1 + len(word) > self.width

    def _is_short(self, line: str) -> bool:
        """Whether a line lacks the blank that it was broken behind: whoever posts it loses what no eye sees."""
        return not self.indent and len(line) == self.width - 1 and not line.endswith(" ")

    def explains(self, paragraphs: Sequence[Sequence[str]], least: int) -> bool:
        """Whether the width is why most of the lines that begin nothing stand on a line of their own.

        least: lines that it must explain.
        """
        pairs = [
            (line, below)
            for lines in paragraphs
            for line, below in pairwise(lines)
            if not (re.match(_FENCE, line) or self._begins_own(line, below, line))
        ]
        broken = sum(self._is_broken(line, below) for line, below in pairs)
        short = sum(self.is_within and self._is_short(line) for line, _ in pairs)
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
        return is_most and is_near and not longer and 2 * short <= broken


def _says(line: str, *, by_head: bool = True) -> bool:
    """Whether a line holds what a client says, behind its context or alone. by_head: another than Java's by its own head."""
    held = next_context(line)
    said = line[held.start() if held is not None else _SIGN.match(line).end() :]  # type: ignore[union-attr]
    is_other = (not by_head or client_of_other_language(line) is not None) and is_of_other(line, line)
    return is_other or finder().find_start(said, prefix_of(said).length, None)


@lru_cache(ASKED_AGAIN)
def _has_head(line: str) -> bool:
    """Whether a line has a head of its own, whatever a page put before it."""
    head = read_head(uncoloured(line)) if _MAY_BE_LEVEL.search(line) else None
    return head is not None and head.level is not None and bool(head.at or head.logger or head.is_anchored)


def _is_string(line: str, below: str) -> bool:
    """Whether a program's string goes on with another below: by a sign, or as words do."""
    ends, begins = _STRING_ENDS.search(line), _STRING_BEGINS.match(below)
    if ends is None or begins is None:
        return False
    is_parted = line[: ends.start()].endswith(" ") or below.startswith(" ", begins.end())
    return ends["sign"] is not None or (is_parted and below[0].isspace())


@lru_cache(ASKED_AGAIN)
def _goes_on(line: str, below: str) -> bool:
    """Whether a line can't end as it does: with a context, a head whose context begins the line below, a string."""
    if _is_string(line, below):
        return True
    if _OWN.match(below) is None and not _has_head(below):
        return _OPEN_END.search(line) is not None or _is_completed(line, below)
    is_head = DATED.match(line) is not None and ENDS_HEAD.search(line) is not None
    return is_head and re.match(_UNDATED, below) is not None


def _is_completed(line: str, below: str) -> bool:
    """Whether both lines are one message, behind the context that the first may hold, or in the code that it opens, and that
    line alone is none."""
    held = next_context(line) if "]" in line else None
    whole = f"{line} {_behind_sign(line, below)}"
    opened = line.rfind("`") + 1 if line.count("`") % 2 else 0
    if held is None and not opened and not line.rstrip().endswith(":"):
        told = told_anywhere(whole) if tells_kafkas(line) else None
        is_both = told is not None and told[1].start() < len(line) < told[1].end()
        return is_both and told_anywhere(line) is None
    begin = held.start() if held is not None else opened
    texts = [whole[begin:], line[begin:]]
    return [finder().find(one[prefix_of(one).length :], None) is not None for one in texts] == [True, False]


def _behind_sign(line: str, below: str) -> str:
    """A line without the sign of a comment that stands before the line above it, too."""
    return below.lstrip().removeprefix(_SIGN.match(line.lstrip())[0])  # type: ignore[index]  # it matches nothing, too


def fold_of(lines: Sequence[str]) -> Fold | None:
    """How a source's lines were broken; None where they were not.

    lines: as they stand there, with those that are blank. Where they show nothing as a whole, as most are a page's own, the
    paragraphs are asked in which a client speaks, with a time before one of many lines at most.
    """
    paragraphs = [
        list(group) for is_blank, group in groupby(lines, lambda line: not line.strip()) if not is_blank
    ]
    whole = [[line for lines in paragraphs for line in lines]]
    begun = next((_BEGIN.match(line) for line in whole[0] if not re.match(_FENCE, line)), None)
    is_shared = begun is not None and sum(line.startswith(begun[0]) for line in whole[0]) > 1
    begin = begun[0] if begun is not None and is_shared else ""
    found = _fold_of(whole, 2, begin)
    if found is None and 3 * len(list(islice(filter(DATED.match, whole[0]), 2))) < min(len(whole[0]), 6):
        of_clients = [lines for lines in paragraphs if any(map(_of_client, lines)) or _holds_one(lines)]
        pairs = [pair for lines in of_clients for pair in pairwise(lines) if not re.match(_FENCE, pair[0])]
        # Messages alone, one below the other, are lines of their own.
        if not any(_says(below) and not _goes_on(line, below) for line, below in pairs):
            found = _fold_of(of_clients, 1, begin)
            if found is None and any(map(_holds_one, of_clients)):
                found = Fold(ANY_WIDTH, is_within=False)  # only those are broken that can't end as they do
    if found is None and any(_is_string(*pair) for pair in pairwise(whole[0])):
        found = Fold(ANY_WIDTH, is_within=False)
    return found


def _holds_one(lines: Sequence[str]) -> bool:
    """Whether one of a paragraph's lines is broken, whatever its width."""
    return any(_goes_on(*pair) for pair in pairwise(lines))


def _of_client(line: str) -> bool:
    is_told = next_context(line) is not None or names_kafkas(line) or begins_message(line.lstrip())
    return is_told or (not line.startswith("{") and client_of_other_language(line) is not None)


def _fold_of(paragraphs: Sequence[Sequence[str]], least: int, begin: str) -> Fold | None:
    # What was broken once shows the width by its first line: its rest is no longer.
    lines = [line for lines in paragraphs for line in (lines[:-1] if least == 1 else lines)]
    longest = max((len(line) for line in lines if " " in line.strip()), default=0)
    if longest > WIDEST:
        return None
    folds = [Fold(longest, is_within=False, begin=begin)] if longest >= NARROWEST else []
    if least > 1:  # that each of a few lines is as long as the longest shows no break within words
        blanks = {
            len(below) - len(below.lstrip(" ")) for line, below in pairwise(lines) if len(line) == longest
        }
        folds[:0] = [
            Fold(longest, is_within=True, indent=indent, begin=begin)
            for indent in (min(blanks - {0}, default=0), 0)
        ]
    return next((fold for fold in folds if fold.explains(paragraphs, least)), None)
