"""Text for terminals and files. Log text is hostile: here it can't speak to a terminal or a spreadsheet."""

import re

from transforms.when_used import when_used

# C0, DEL, C1, line separators, what turns or hides text, and lone surrogates (they can't be written).
_CONTROL = when_used(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def shown(text: str) -> str:
    """One line of text, every control character shown as its escape: an ESC becomes the text \\x1b."""
    return _CONTROL.sub(_escape, text)


def shown_lines(text: str) -> list[str]:
    """The text's own lines, each as shown(); a tab becomes spaces so that columns stay columns."""
    return [shown(line.replace("\t", "    ")) for line in text.replace("\r\n", "\n").split("\n")]


def csv_cell(text: str) -> str:
    """A cell no spreadsheet takes for a formula; line ends stay, other control characters are shown."""
    safe = "".join(part if part == "\n" else shown(part) for part in re.split("(\n)", text))
    return f"'{safe}" if text.startswith(_FORMULA) else safe


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    return _NAMED.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
