"""What a page put into lines of a log that are else whole: signs and blanks of its own, tags of HTML, words in bold."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape

from transforms.parse.lines.signs import has_odd_blanks, has_odd_signs, plain_signs, with_one_blank
from transforms.when_used import when_used

_ENTITY = when_used(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{2,5}|#x[0-9a-fA-F]{2,4});|<br ?/?>")
_TAGS = when_used(
    r"</?(?:pre|code|p|div|span|b|i|em|strong|font|li|tr)(?: [^<>]*)?>|<t[dh](?: [^<>]*)?>|</t[dh]>$"
)
_CELLS = when_used(r"</t[dh]>")
_BREAKS = when_used(r"(?:<br ?/?>)+")
_EMPHASES = {  # none begins with Python's `__init__`
    mark: (
        when_used(rf"(?<![\w*_]){re.escape(mark)}(?=[\w<\[({{`\-])(?!(?<=__)[a-z]+__\b)"),
        when_used(rf"(?<=[^\s*_]){re.escape(mark)}(?![\w*])"),
    )
    for mark in ("***", "**", "*", "__", "_", "~~")
}
_MARK = when_used(r"[*_~](?<![\w*].)(?:(?<!~)|~)")  # behind no word: by its own sign, which is rarer
# What a whole record has, and a message within a sentence has not.
WHOLE = when_used(
    r"\d\d:\d\d:\d\d|clientId=|stream-(?:thread|client) \[|\bWorker\w{0,30}\{id=|\[GroupCoordinator "
    r"|[a-z\"]>org\.apache\.kafka\.[\w.$]{1,200}(?:Exception|Error): "  # behind a tag
)


@dataclass(frozen=True)
class Mark:
    """is_in: whether a line has it. without: the line as it was; several lines, where they ended in no newline."""

    is_in: Callable[[str], bool]
    without: Callable[[str], str]


def _is_of_page(line: str) -> bool:
    """Whether a line has entities or tags of HTML."""
    return ("&" in line or "<" in line) and (_ENTITY.search(line) or _TAGS.search(line)) is not None


def _of_page(line: str) -> str:
    """A line of a page's source as it is shown."""
    text = unescape(_BREAKS.sub("\n", _CELLS.sub(" ", _TAGS.sub("", line))).rstrip("\n")).replace("\xa0", " ")
    return text.lstrip(" ") if line.startswith("<") else text  # blanks between tags indent nothing


def _is_emphasised(line: str) -> bool:
    """Whether words of a whole record are: else prose has them."""
    may_be = ("*" in line or "_" in line or "~~" in line) and _MARK.search(line) is not None
    return may_be and WHOLE.search(line) is not None and _without_emphasis(line) != line


def _without_emphasis(line: str) -> str:
    """A line without the marks of Markdown around its words: **so**, _so_."""
    for mark, (begin, end) in _EMPHASES.items():
        if mark in line and begin.search(line) and end.search(line):
            line = begin.sub("", end.sub("", line))
    return line


MARKS = {
    "signs": Mark(has_odd_signs, plain_signs),
    "blanks": Mark(has_odd_blanks, with_one_blank),
    "emphasised": Mark(_is_emphasised, _without_emphasis),
    "html": Mark(_is_of_page, _of_page),
}
