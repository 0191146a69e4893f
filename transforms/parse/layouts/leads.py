"""What stands before every line of a source, continuation lines too: of a shipper, a viewer, a paste. Learned from them."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from transforms.parse.lines.jsonlines import is_log, load
from transforms.parse.lines.timestamps import DATED
from transforms.when_used import when_used
from transforms.whole import whole_number

MOST_ODD = 0.1  # share of the lines that may lack it: a prompt, a frame
_LONGEST = 200
# Where a line can only be the inside of a record, or a whole object: what stands before is no part of it.
_INSIDE = when_used(
    r"(?<![^\s:>|\]}])(?:(?P<trace>[ \t]*(?:at [\w.$/<>@]+\([^()\n]*\)|\.\.\. \d+ (?:more|common)|Caused by: [\w.$]+))"
    r"|(?P<entry>\t[a-z][\w.\-]* = )|(?P<object>\{ ?\")"
    r"|(?P<thrown>(?:[a-z]\w*\.){2,}[\w$]*(?:Exception|Error)(?:: |$)))"
)
# A number that a page put right before a line.
_GLUED = when_used(r"\d{1,7}(?=[A-Za-z\[\t])")
# What an inside can't do without: most lines have none of it within their first characters.
_NEEDED = ("at ", "... ", "Caused by: ", "\t", '{"', '{ "', "Exception", "Error")
_ENTRY = when_used(r"\t[a-z][\w.\-]* =")
# A message that goes on with an exception, and no lead of a line that begins with it.
_SENTENCE = when_used(
    r"\b(?:client|group)Id=|\b(?:due to|by|because of|threw|with)\s*$|(?:Exception|Error):\s*$"
)
_DATED = when_used(rf"\W{{0,8}}(?:{DATED})")
_HEADED = when_used(rf"{_DATED.pattern}|.{{0,200}}\bclientId=")
_SIGN = when_used(r"(?:(?!%[0-7]\|)[^\w\x1b\[({<\"'])*")  # but for librdkafka's `%4|`
_PLACE = when_used(r"(?P<name>.*?)(?P<number>\d{1,7})[^\w/]{0,3}\Z")
NUMBERED = r"[ \t]*\d{1,7}(?:[:\-|)]|[.:)]?[ \t]) ?"  # such as `grep -n` and editors put there
FILE = r"[^\s:|]{0,200}(?:/[^\s:|]{1,200}?|\.(?:log|txt|out|err)(?:[\d_.][\w.]{0,40}?)?)[:\-]"  # of `grep` over several
LEADS = (NUMBERED, FILE + r"\d{1,7}[:\-]", FILE)


@lru_cache(maxsize=1)
def prefix_of_lines(lines: tuple[str, ...]) -> str:
    """The pattern of what stands before each line; "" where nothing does. Most are asked for twice."""
    if len(lines) < 2:
        return ""
    learned = _before_insides(lines)
    if learned is not None:
        return learned
    signs = Counter(_SIGN.match(line)[0] for line in lines)  # type: ignore[index]  # it matches nothing, too
    common = next((sign for sign, _ in signs.most_common(3) if _is_on(re.escape(sign), lines)), "")
    if common == "\t" and all(map(_ENTRY.match, lines)):
        return ""  # a dump of which the paste left the first line out
    if common:
        return re.escape(common)
    return next((one for one in LEADS if _is_on(one, lines) and _is_lead(one, lines)), "")


def _is_lead(pattern: str, lines: Sequence[str]) -> bool:
    """Whether the numbers before the lines of each file grow, and no date is taken for a file."""
    compiled = re.compile(pattern)
    found = [one[0] for line in lines if (one := compiled.match(line))]
    places = [(one["name"], whole_number(one["number"])) for lead in found if (one := _PLACE.match(lead))]
    grows = all(one < other for (name, one), (next_name, other) in pairwise(places) if name == next_name)
    return (grows or pattern == FILE) and not any(map(_DATED.match, lines))


def _is_on(pattern: str, lines: Sequence[str]) -> bool:
    """Whether it stands before the lines, but for a few of a frame; before those with a time of their own all the more.

    Who copies lines with numbers often begins behind the first number.
    """
    compiled = re.compile(pattern)
    is_number = pattern == r"\d+" and len(lines) > 2 and compiled.match(lines[1]) is not None
    odd = [line for line in lines[is_number:] if not compiled.match(line)]
    if not odd:
        return True
    is_blank = pattern.replace("\\", "").isspace()
    is_rare = len(odd) <= max(MOST_ODD * len(lines), 2 if len(lines) > 8 else 0)
    return is_rare and not is_blank and not any(_HEADED.match(line) for line in odd)


def _before_insides(lines: Sequence[str]) -> str | None:
    """What stands before the lines of traces and dumps; None where there are none, or their beginnings say nothing."""
    before = []
    for line in lines:
        begin = line[:_LONGEST]
        number = _GLUED.match(begin)
        glued = number[0] if number else ""
        inside = _INSIDE.search(begin[len(glued) :]) if any(word in begin for word in _NEEDED) else None
        at = len(glued) + inside.start() if inside else 0
        # Fields alone are the end of a message, as zap's console prints them.
        if inside is None or (inside["object"] and not ((value := load(line[at:])) and is_log(value))):
            continue
        if inside["thrown"] and _SENTENCE.search(line, 0, at):
            continue
        before.append(line[:at].rstrip())
    columns = [re.findall(r"\s+|\S+", text) for text in before]
    width = Counter(map(len, columns)).most_common(1)[0][0] if columns else 0
    if width == 0:
        return None
    alike = [column for column in columns if len(column) == width]
    pattern = "".join(map(_run, zip(*alike, strict=True)))
    return pattern + _blanks_behind(pattern, lines) if _is_on(pattern, lines) else None


def _run(runs: tuple[str, ...]) -> str:
    """The pattern of some words in the same place: what they share, with any digits, or any word."""
    if runs[0].isspace():
        return r"[ \t]+"
    shapes = {re.sub(r"\d+", "0", run) for run in runs}
    if len(shapes) > 1:
        return r"[^\s]+"
    return re.sub(r"0", lambda _: r"\d+", re.escape(shapes.pop()))


def _blanks_behind(pattern: str, lines: Sequence[str]) -> str:
    """The blanks that stand behind it on all lines."""
    compiled = re.compile(pattern)
    rests = [line[begin.end() :] for line in lines if (begin := compiled.match(line))]
    if all(rest.startswith("\t") for rest in rests):  # as `cat -n` parts them
        return r"\t"
    found = [re.match(r" *", rest) for rest in rests]
    fewest = min((len(blanks[0]) for blanks in found if blanks), default=0)
    return f" {{0,{fewest}}}" if fewest else ""
