# ruff: noqa: E501 (patterns are written whole)
"""Columns of secrets: where a line (or a list in brackets) is of names, what stands below in the same place is the value.

CSV and TSV, tables as psql, MySQL and Markdown print them, columns apart by blanks, and `INSERT INTO t (a, b) VALUES (x, y)`.
"""

from collections.abc import Iterator

from transforms.parse.secrets.names import LONGEST_NAME, WORDS, Strength, strength_of
from transforms.parse.secrets.plain import is_known, may_be_secret
from transforms.parse.secrets.values import Span, spans_of, stripped
from transforms.sieve import Sieved
from transforms.when_used import when_used

ROWS = 256  # below a heading
WIDEST = 4096  # characters of a heading
_WORDS = Sieved(WORDS.pattern)  # most lines of a text have none
_BY = ("|", "\t", ";", ",")
_NAME = when_used(r"[\"'`]?[A-Za-z_][\w.\- ]{0,40}[\"'`]?")
_PREFIX = when_used(r"[^\n]{0,512}[:)\]|>=]\s{1,4}(?=[\"'`]?[A-Za-z])")
_LAST_WORD = when_used(r"(?<=\s)[\"'`]?[A-Za-z_][\w.\-]{0,40}[\"'`]?\Z")
_RULE = when_used(r"[\s+|:=\-]{2,}")
_CELL = when_used(r"\S+(?: \S+)*")
_INSERT = when_used(r"(?i)\((?P<names>[^()]{3,1024})\)\s{0,8}VALUES\s{0,8}(?=\()")
_ROW = when_used(r"\s{0,8},?\s{0,8}\((?P<row>(?:[^()'\"]|'[^'\n]{0,1024}'|\"[^\"\n]{0,1024}\")*)\)")
_GIVEN = when_used(r"'[^']*'|\"[^\"]*\"|[^,]+")


def columns(text: str) -> Iterator[Span]:
    """The cells below a heading that names a secret."""
    begin = 0
    while (end := text.find("\n", begin)) >= 0:
        if 8 <= end - begin <= WIDEST and _WORDS.search(text[begin:end]):
            spans, end = _below(text, begin, end)
            yield from spans
        begin = end + 1


def inserted(text: str) -> Iterator[Span]:
    """The values that a statement gives to columns of secrets."""
    for found in _INSERT.finditer(text):
        names = [name.strip() for name in found["names"].split(",")]
        wanted = _secret_columns(names)
        at = found.end()
        while wanted and (row := _ROW.match(text, at)):
            yield from _cells(text, list(spans_of(_GIVEN, text, *row.span("row"))), wanted, len(names))
            at = row.end()


def _below(text: str, begin: int, end: int) -> tuple[list[Span], int]:
    """The cells below a line, if it is a heading, and where they end: no row is a heading itself."""
    line, far = text[begin:end], end
    for sign in (*_BY, ""):
        if sign and sign not in line:
            continue
        for heads in _named(text, _split(text, begin, end, sign)):
            wanted = _secret_columns([text[one:two] for one, two in heads]) if len(heads) > 1 else {}
            spans, stop = _rows(text, end + 1, sign, wanted, len(heads)) if wanted else ([], end)
            if spans:
                return spans, stop
            far = max(far, stop)
    return [], far


def _named(text: str, heads: list[Span]) -> Iterator[list[Span]]:
    """The last cells of a line that are names; before the first may stand a record's head, or what is said of the table."""
    for number in range(len(heads) - 1, -1, -1):
        begin, end = heads[number]
        if begin < end and not _NAME.fullmatch(text, begin, end):
            prefix = _PREFIX.match(text, begin, end)
            if prefix and _NAME.fullmatch(text, prefix.end(), end):
                yield [(prefix.end(), end), *heads[number + 1 :]]
            elif last := _LAST_WORD.search(text, begin, end):
                yield [last.span(), *heads[number + 1 :]]
            yield heads[number + 1 :]
            return
    yield heads


def _rows(text: str, at: int, sign: str, wanted: dict[int, Strength], width: int) -> tuple[list[Span], int]:
    spans: list[Span] = []
    for _ in range(ROWS):
        if at >= len(text):
            break
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if not _RULE.fullmatch(text, at, end):
            cells = _split(text, at, end, sign)
            if len(cells) > width and sign == "|":  # behind its last bar a line may go on
                cells = cells[:width]
            if len(cells) != width:
                break
            spans += _cells(text, cells, wanted, width)
        at = end + 1
    return spans, at - 1


def _cells(text: str, cells: list[Span], wanted: dict[int, Strength], width: int) -> Iterator[Span]:
    if len(cells) != width:
        return
    for number, strength in wanted.items():
        begin, end = stripped(text, *cells[number], " \t\"'`", " \t\r\"'`")
        value = text[begin:end]
        if value and not is_known(value) and value != "?" and may_be_secret(value, strength, is_said=False):
            yield begin, end


def _split(text: str, begin: int, end: int, sign: str) -> list[Span]:
    """The cells of a line without blanks around them; those of a table with bars at both ends without the bars."""
    if not sign:
        return list(spans_of(_CELL, text, begin, end))
    if sign == "|":
        if text[begin:end].rstrip().endswith("|"):
            begin = text.index("|", begin)
        begin, end = stripped(text, *stripped(text, begin, end), "|", "|")
    cells, at = [], begin
    for cell in text[begin:end].split(sign):
        cells.append(stripped(text, at, at + len(cell)))
        at += len(cell) + 1
    return cells


def _secret_columns(names: list[str]) -> dict[int, Strength]:
    wanted = {}
    for number, name in enumerate(names):
        clean = name.strip(" \"'`").replace(" ", "-")
        strength = strength_of(clean) if len(clean) <= LONGEST_NAME else Strength.NONE
        if strength >= Strength.WEAK:
            wanted[number] = strength
    return wanted
