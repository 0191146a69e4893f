"""Signs that a word processor, a page or a chat put in the place of plain ones, undone: blanks of other widths, dashes,
quotes, an ellipsis, signs that nobody sees, line ends that are no newline."""

import re

from transforms.when_used import when_used

_BLANKS = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)
_UNSEEN = (0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF)
_DASHES = (*range(0x2010, 0x2016), 0x2212)
_QUOTES = {"'": (*range(0x2018, 0x201C), 0x2032), '"': (*range(0x201C, 0x2020), 0x2033)}
_LINE_ENDS = (0x0B, 0x85, 0x2028, 0x2029)
PLAIN: dict[int, str] = {
    **dict.fromkeys(_BLANKS, " "),
    **dict.fromkeys((*_UNSEEN, 0x2039, 0x203A), ""),  # what CockroachDB marks names by, too
    **dict.fromkeys(_DASHES, "-"),
    **{sign: plain for plain, signs in _QUOTES.items() for sign in signs},
    **dict.fromkeys(_LINE_ENDS, "\n"),
    0x2026: "...",
}


# So are two or three signs that these have become on their way, in UTF-8 read in Windows' code page.
_MISREAD = {
    wrong: plain
    for sign, plain in PLAIN.items()
    if len(wrong := chr(sign).encode().decode("cp1252", "ignore")) == len(chr(sign).encode()) > 1
}
_WRONG = when_used("|".join(map(re.escape, _MISREAD)))
_ODD = when_used(f"[{''.join(map(chr, PLAIN))}]|\r(?!\n)|{_WRONG.pattern}")
# The same in a file's bytes (RE2), of those beyond ASCII.
ODD_BYTES = "|".join(
    "".join(rf"\x{byte:02x}" for byte in chr(sign).encode()) for sign in PLAIN if sign > 0x7F
)


# Words parted by more than a blank, as a page that fills its lines parts them, or by a tab: in two places of a line,
# as a column that is filled up is one; no frame of a trace, no entry of a dump.
_PARTED = when_used(r"(?:[a-z,:;.](?: {2,}| *\t *)(?!at )[A-Za-z\[(\"'{<][^\n]*?){2}")
_PARTS = when_used(r"(?<=\S)(?: {2,}| *\t[ \t]*)")


def has_odd_signs(text: str) -> bool:
    """Whether any of these is in a text."""
    return not _is_plain(text) and _ODD.search(text) is not None


def _is_plain(text: str) -> bool:
    return text.isascii() and "\x0b" not in text and "\r" not in text


def has_odd_blanks(line: str) -> bool:
    """Whether a line's words are parted by more than a blank."""
    return ("  " in line or "\t" in line) and _PARTED.search(line) is not None


def with_one_blank(line: str) -> str:
    """The line with a blank between its words; what it is indented by stays."""
    return _PARTS.sub(" ", line)


def plain_signs(text: str) -> str:
    """The text with plain signs in their place."""
    if _is_plain(text):
        return text
    text = _WRONG.sub(lambda found: _MISREAD[found[0]], text)
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(PLAIN)
