"""What pastes, viewers and shells make of a log's text, undone: colours, escapes, entities, quotes, a sign before a line."""

import html
import json
import re
from functools import cache

import re2

from transforms.parse.catalogue.anchors import CONTEXT
from transforms.parse.lines.timestamps import DATED, STAMP
from transforms.parse.lines.tokens import ANSI, LEVEL, RESETS
from transforms.well_formed import well_formed
from transforms.when_used import when_used

# Where none of these is in a text, plain_text() takes nothing off it but its last blanks.
SIGNS = (
    *(reset.encode() for reset in RESETS), b"\r", b"<br", b"&", b"\\n", b"](http", b"#012", b"\0", b"\xef\xbb\xbf",
    b"format}", b"{code", b"{quote}", b"{color",
)  # fmt: skip
_BREAK = when_used(r"<br ?/?>\n?|&lt;br ?/?&gt;\n?")
# As syslog writes what is no sign of a line: before a frame, an entry of a dump, a word; `order #01234` has a number.
_OCTAL = when_used(r"#012(?:#011|[ \t]|[A-Za-z])")
# What a page made of an address, a link to itself; and of an error's class, a link to wherever (`https://` is 8 long).
_LINK = when_used(
    r"\[(?P<address>[^\[\]\s]{1,200})\]"
    r"\(https?://(?:(?P=address)/?|(?:(?<=Error\]\(.{8})|(?<=Exception\]\(.{8}))[^()\s]{1,300})\)"
)
# What Jira's pages put around a log, and around a part of a line.
_OF_WIKI = when_used(r"\{(?:noformat|quote|code(?::\w+)?|color(?::#?\w+)?)\}")
# The sides of a drawn box.
_SIDES = ("\u2502", "\u2503", "\u2551")
# A line quoted as code and nothing else, alone, as a list's item or in a quotation; one that goes on ends in a backslash.
_ITEM_OF_CODE = when_used(
    r"(?m)^[ \t]*(?:(?:[-*+>\u2022]|\d{1,3}[.)])[ \t]+)?(?P<sign>`{1,3})(?P<line>[^`\n]+)(?P=sign)[.,;\\]?[ \t]*(?![^\n])"
)
# The cells of a table before one that holds a log: `17,"It stops","`.
_CELLS = when_used(rf'(?:[^",\n]{{0,80}},|"[^"\n]{{0,200}}",){{1,20}}"(?=\W{{0,3}}(?:(?:{LEVEL})\b|{DATED}))')
_ENTITY = when_used(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{2,5}|#x[0-9a-f]{2,4});")
# A newline written out, as within a string: before the lines of a stack trace or a dump, or before another record.
_ESCAPED = when_used(
    rf"(?:\\r)?\\n(?=\\t|\s*at |Caused by: |\[?(?:{DATED})|$)|(?:\\r)?\\n(?=[\w.$]+(?:Exception|Error)\b)"
)
# The logger that a record of Kafka's own layout ends with, right before another's context or time.
_GLUED = when_used(r"\((?:org\.apache\.)?kafka\.[\w.$]{1,200}(?::\d{1,5})?\)(?=\[)")
_RECORD = when_used(rf"(?:(?<![\d\[(=:/\-])\[?|(?<=\d)(?=20\d\d-))(?:{DATED})")  # also right behind a number
# What each DATED has: most lines without a head have none of it.
_TIMED = when_used(r"[T ,;:_|\-](?:\d{6}|(?<=\d:)\d\d)(?!\d)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "", "/": "/", '"': '"', "\\": "\\"}
_ESCAPE = when_used(r"\\(u[0-9a-fA-F]{4}|.)")
_LONGEST_LEAD = 60  # characters before the time of a head
_LEVEL_BEFORE = when_used(rf"(?:{LEVEL})\s{{1,6}}\Z")
# Before the value of a field, of an object that a logger adds to its line: a time there is no head's.
_NAMED_BEFORE = when_used(r"[:=]\s?\\?[\"']\Z")
_LEVELLED = when_used(
    rf"(?:{LEVEL})\s{{1,6}}(?:\d+ --- \[[^\]\n]*\] |[-\[] ?)?"
    r"(?:\[?[A-Z]\w{1,20} clientId=|(?:global-)?stream-(?:thread|client) \[|(?:[a-z]\w*\.)+[A-Z])"
    r"|%[0-7]\|\d{9,11}\.\d{3}\|[A-Z]"  # librdkafka's own
)
_levelled_twice = cache(lambda: re2.compile(rf"(?s)(?:{_LEVELLED.pattern}).*(?:{_LEVELLED.pattern})"))


def uncoloured(text: str) -> str:
    """A text without codes of colours."""
    if not any(reset in text for reset in RESETS) or (plain := ANSI.sub("", text)) == text:
        return text
    return plain.replace("[m ", " ")  # without another code it is a word in brackets


def coloured(head: str) -> str:
    """The pattern of a head whose colours may change between its parts, and within brackets."""
    head = head.replace(r"[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)?", r"[^\n]{0,200}?")
    return head.replace(r"[ \t]+", r"(?:[ \t]|(?:\x1b|\^\[)\[[0-9;]{0,20}m)+")


def unescaped(text: str) -> str:
    """A string's text as it was before it was written as a literal."""

    def plain(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code[1:], 16)) if code[0] == "u" and len(code) == 5 else _ESCAPES.get(code, found[0])

    return well_formed(_ESCAPE.sub(plain, text)) if "\\" in text else text


def plain_text(text: str, prefix: str = "") -> tuple[str, str]:
    """A span as its writer wrote it, without what stands before its lines; and the time that stood there.

    prefix: pattern of what stands before each line of the source.
    """
    text = (text.replace("\0", "") if "\0" in text else text).removeprefix("\ufeff")
    if "`" in text and _ITEM_OF_CODE.match(text) is not None:
        text = _ITEM_OF_CODE.sub(r"\g<line>", text)  # an exception is an item of its own there
    elif text.startswith("`"):  # a line quoted as code
        text = text.strip("`\n")
    elif '","' in text[:300]:
        text = _CELLS.sub("", text, count=1) if _CELLS.match(text) else text
    text = uncoloured(text)
    if not text.isascii() and any(side in text for side in _SIDES):
        text = "\n".join(map(_unboxed, text.split("\n")))
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    outer = ""
    if prefix:
        found = re.match(prefix, text)
        stamp = STAMP.search(found[0]) if found else None
        outer = stamp[0] if stamp else ""
        text = re.sub(rf"(?m)^{prefix}", "", text)
    if "#012" in text and _OCTAL.search(text):
        text = text.replace("#012", "\n").replace("#011", "\t")
    if "<br" in text or "&lt;br" in text:
        text = _BREAK.sub("\n", text)
    if "{" in text:
        text = _OF_WIKI.sub("", text).lstrip("\n")
    if "](http" in text:
        text = _LINK.sub(r"\g<address>", text)
    if "&" in text and _ENTITY.search(text):
        text = _without_references(text)
    escaped = _ESCAPED.search(text) if "\\n" in text and not text.startswith("{") else None
    if escaped is not None and '="' not in text[: escaped.start()]:
        text = _ESCAPED.sub("\n", text).replace("\\t", "\t")
    return text.rstrip(), outer


def _unboxed(line: str) -> str:
    """A line without the sides of the box it was drawn into."""
    bare = line.strip()
    is_boxed = len(bare) > 1 and bare[0] in _SIDES and bare[-1] == bare[0]
    return bare[1:-1].removeprefix(" ").rstrip() if is_boxed else line


def _without_references(text: str) -> str:
    """References of HTML as the signs that they mean; in an object of JSON a quote among them is one of its text."""
    if not text.lstrip("[ \t").startswith('{"'):
        return html.unescape(text).replace("\xa0", " ")
    return _ENTITY.sub(
        lambda found: json.dumps(html.unescape(found[0]).replace("\xa0", " "), ensure_ascii=False)[1:-1], text
    )


def several_in(text: str) -> list[str]:
    """The records of a text of one span: several where a paste put them on one line, or joined them by `<br>`."""
    ends = [found.end() for found in _GLUED.finditer(text)]
    begins = [0, *ends] if ends else _begins_of_dated(text) or _begins_of_undated(text) or [0]
    pieces = (text[begin:end].rstrip() for begin, end in zip(begins, [*begins[1:], len(text)], strict=True))
    return [one for one in pieces if one] or [""]


def _begins_of_dated(text: str) -> list[int]:
    """Where heads with a time as the first one's begin; a level that stands before that stands before all."""
    first = _RECORD.search(text, 0, 400) if _TIMED.search(text, 0, 400) else None
    if first is None or len(text) < 2 * (first.end() - first.start()):
        return []
    if text.find(first[0].lstrip("[")[:6], first.end()) < 0:  # the same year and month, or the same hour
        return [0, first.start()] if _is_between(text, first) else []
    shape, is_led = _digits(first[0]), _LEVEL_BEFORE.search(text, 0, first.start()) is not None
    lead, is_levelled = _digits(text[: first.start()]), _HEAD.match(text, first.end()) is not None
    begins: list[int] = []
    for found in _RECORD.finditer(text, first.end()):
        if _NAMED_BEFORE.search(text, found.start() - 4, found.start()) and not lead.endswith(('"', "'")):
            continue
        led = _LEVEL_BEFORE.search(text, max(0, found.start() - 12), found.start()) if is_led else None
        begin = led.start() if led else found.start()
        if _digits(found[0]) == shape and not is_levelled and _digits(text[:begin]).endswith(lead):
            begins.append(begin - first.start())
        elif _digits(found[0]) == shape and (led or _HEAD.match(text, found.end())):
            begins.append(begin)
    # What stands far before the first of several is the end of a line whose own head was lost.
    is_behind = bool(begins) and first.start() > _LONGEST_LEAD and is_levelled
    return [0, first.start(), *begins] if is_behind else [0, *begins]


def _is_between(text: str, first: re.Match[str]) -> bool:
    """Whether the only time of a text begins the head of another client's line, behind one whose own head was lost."""
    is_far = first.start() > _LONGEST_LEAD and _HEAD.match(text, first.end()) is not None
    return is_far and all(CONTEXT.search(part) for part in (text[: first.start()], text[first.end() :]))


def _begins_of_undated(text: str) -> list[int]:
    """Where records begin whose heads are a level, before a client's context or a logger, and what stands before that."""
    may_be = not text.isascii() or _levelled_twice().search(text.encode())
    first = _LEVELLED.search(text, 0, 200) if may_be else None
    if first is None or (first.start() > _LONGEST_LEAD and first[0][0] != "%"):
        return []
    if first.start() > _LONGEST_LEAD:  # the end of a line whose own head was lost
        return [0, *(one.start() for one in _LEVELLED.finditer(text) if one[0][0] == "%")]
    lead = _digits(text[: first.start()])
    found = (one.start() for one in _LEVELLED.finditer(text))
    return [begin - first.start() for begin in found if _digits(text[:begin]).endswith(lead)]


# Up to the level, before another time: a thread's name may be long.
_HEAD = when_used(
    r"\]?(?:(?!\d\d:\d\d:\d\d)[^\n]){0,300}?(?:\b(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|SEVERE)\b)"
)


def _digits(text: str) -> str:
    return re.sub(r"\d+", "0", text)
