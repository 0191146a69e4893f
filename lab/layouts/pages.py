"""What a page, a mail, a viewer or a shell makes of some records: signs before lines, lines broken, joined, left out."""

import random
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

OfPage = Callable[[Sequence[str], random.Random], str]
PROSE = (
    "Hi all, our consumers keep dying since the upgrade.", "Any idea what this means? Logs below:", "Thanks in advance!",
    "This is what I get:", "(version 3.6, three brokers, Kubernetes)", "Has anybody seen this before?", "EDIT: logs",
)  # fmt: skip

FENCES = (
    ("```java", "```"), ("```\n", "\n```"), ("{code:java}", "{code}"), ("{noformat}", "{noformat}"),
    ("[code]", "[/code]"), ("java\nCopy code", ""), ("Copy", ""), ("<pre class='log'>", "</pre>"), ("~~~text", "~~~"),
    ("{{{", "}}}"), ("Code:\nSelect all", ""), ("<details><summary>Logs</summary>\n", "\n</details>"),
    ("log\n\u590d\u5236\u4ee3\u7801", ""),
)  # fmt: skip


@dataclass(frozen=True)
class Page:
    """make: records -> the text. encoding: of the file."""

    name: str
    make: OfPage
    encoding: str = "utf-8"


def _lines(records: Sequence[str]) -> list[str]:
    return [line for record in records for line in record.split("\n")]


def _before(*signs: str) -> OfPage:
    def make(records: Sequence[str], draw: random.Random) -> str:
        sign = draw.choice(signs)
        return "\n".join(sign + line for line in _lines(records))

    return make


def _before_records(*signs: str) -> OfPage:
    """A sign before each record; its other lines are as they are, or indented."""

    def make(records: Sequence[str], draw: random.Random) -> str:
        sign, indent = draw.choice(signs), draw.choice(("", "  "))
        return "\n".join(
            sign.format(number) + record.replace("\n", "\n" + indent)
            for number, record in enumerate(records, 1)
        )

    return make


def _broken(line: str, width: int) -> list[str]:
    return [line[at : at + width] for at in range(0, max(len(line), 1), width)]


def _wrapped_hard(records: Sequence[str], draw: random.Random) -> str:
    width = draw.choice((80, 80, 100, 120, 132))
    return "\n".join(part for line in _lines(records) for part in _broken(line, width))


def _wrapped_hard_indented(records: Sequence[str], draw: random.Random) -> str:
    """As a viewer shows a long line: each part below the first is indented, within its width or beyond."""
    width, indent = draw.choice((80, 100, 120)), draw.choice(("    ", "  ", "        "))
    below = draw.choice((width, width - len(indent)))
    lines = ((line[:width], *_broken(line[width:], below)) for line in _lines(records))
    return "\n".join(f"\n{indent}".join(filter(None, parts)) for parts in lines)


def _filled(line: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    ) or [""]


def _wrapped(indent: str, before: str = "") -> OfPage:
    def make(records: Sequence[str], draw: random.Random) -> str:
        width = draw.choice((72, 72, 76, 80, 100, 120))
        return "\n".join(before + part for line in _lines(records) for part in _filled(line, width, indent))

    return make


def _glued(records: Sequence[str], draw: random.Random) -> str:
    return draw.choice((" ", "  ", "")).join(records)


def _with_prose(records: Sequence[str], draw: random.Random) -> str:
    first, last = draw.sample(PROSE, 2)
    return "\n".join((first, *draw.choice(((), ("",))), *records, *draw.choice(((), ("",))), last))


def _prose_between(records: Sequence[str], draw: random.Random) -> str:
    return "\n".join(part for record in records for part in (draw.choice(PROSE), "", record, ""))


def _elided(records: Sequence[str], draw: random.Random) -> str:
    sign = draw.choice(
        ("...", "[snip]", "<snip>", "\u2026", "[...]", "(some lines omitted)", ".\n.\n.", "-----", "// ...")
    )
    return f"\n{sign}\n".join(records)


def _fenced(records: Sequence[str], draw: random.Random) -> str:
    begin, end = draw.choice(FENCES)
    return "\n".join((begin, *records, *([end] if end else [])))


def _glued_fence(records: Sequence[str], draw: random.Random) -> str:
    mark = draw.choice(("```", "`", "'''", '"""'))
    return mark + "\n".join(records) + mark


def _numbers_before(records: Sequence[str], draw: random.Random) -> str:
    """As a viewer's column of numbers is copied before its text."""
    lines = _lines(records)
    return "\n".join((*map(str, range(1, len(lines) + 1)), *lines))


def _numbers_between(records: Sequence[str], draw: random.Random) -> str:
    return "\n".join(part for number, line in enumerate(_lines(records), 1) for part in (str(number), line))


def _below(*heads: str, indent: str = "    ") -> OfPage:
    """As a document holds them: indented below a line of its own."""

    def make(records: Sequence[str], draw: random.Random) -> str:
        return "\n".join((draw.choice(heads), *(indent + line for line in _lines(records))))

    return make


def _in_a_cell(records: Sequence[str], draw: random.Random) -> str:
    """All in one cell of a table of Markdown."""
    return "| symptom | log |\n|---|---|\n| " + "it stops | " + "<br>".join(_lines(records)) + " |"


def _in_a_cell_of_csv(records: Sequence[str], draw: random.Random) -> str:
    text = "\n".join(records).replace('"', '""')
    return f'id,title,body\n17,"It stops","{text}"\n18,"Another","None"'


COMMIT = "commit 5f1c0de\nAuthor: Ann <ann@example.com>\nDate:   Mon Jan 5 10:00:00 2026 +0000\n\n    Wait longer\n"


def _mail(records: Sequence[str], draw: random.Random) -> str:
    sign = draw.choice(("> ", ">> ", "> > ", ">>> ", "| ", ">"))
    lines = (sign + line for line in _lines(records))
    return "\n".join(("On Mon, Jan 5, 2026 at 10:00 AM Bob <bob@example.com> wrote:", ">", *lines))


def _diff(records: Sequence[str], draw: random.Random) -> str:
    lines = (draw.choice("+-+ ") + line for line in _lines(records))
    return "\n".join(("@@ -1,4 +1,6 @@", *lines))


def _joined_by(sign: str) -> OfPage:
    return lambda records, draw: sign.join(_lines(records))


def _plain(records: Sequence[str], draw: random.Random) -> str:
    return "\n".join(records)


PAGES = (
    Page("bullets", _before_records("* ", "- ", "\u2022 ", "+ ", "\u2013 ", "- [ ] ", "\u25cf ", "o ", "\xb7 ")),
    Page("numbered items", _before_records("{}. ", "{}) ", "({}) ", "[{}] ", "{}: ", "#{} ")),
    Page("letters", _before_records("a) ", "b. ", "(c) ")),
    Page("wrapped by a terminal", _wrapped_hard),
    Page("wrapped by a viewer, indented", _wrapped_hard_indented),
    Page("wrapped by words", _wrapped("")),
    Page("wrapped, indented", _wrapped("    ")),
    Page("wrapped by a mail", _wrapped("", "> ")),
    Page("glued on one line", _glued),
    Page("prose around", _with_prose),
    Page("prose between", _prose_between),
    Page("lines elided", _elided),
    Page("fenced", _fenced),
    Page("fence on the line", _glued_fence),
    Page("numbers before", _numbers_before),
    Page("numbers between", _numbers_between),
    Page("in YAML's block", _below("log: |", "  message: >", "- output: |-")),
    Page("in a commit's message", _below(COMMIT)),
    Page("a literal block", _below("What it says::\n", "1. What I see:\n", ".. code-block:: text\n")),
    Page("in a table's cell", _in_a_cell),
    Page("in a cell of CSV", _in_a_cell_of_csv),
    Page("quoted mail", _mail),
    Page("diff", _diff),
    Page("signs before lines", _before("\u2502 ", "\u2503", "$ ", "% ", ">>> ", "=> ", "\u00bb ", "\u2192 ", "; ", "! ")),
    Page("a program's comments", _before("// ", "# ", " * ", "-- ", "REM ")),
    Page("line numbers of a page", _before_records("L{}: ", "{}| ", "{}\t", "{}: ")),
    Page("CR alone", _joined_by("\r")),
    Page("Unicode's line ends", _joined_by("\u2028")),
    Page("vertical tabs", _joined_by("\x0b")),
    Page("NEL", _joined_by("\x85")),
    Page("BOM", _plain, "utf-8-sig"),
    Page("UTF-16", _plain, "utf-16"),
    Page("UTF-16 without BOM", _plain, "utf-16-le"),
    Page("Windows' code page", _plain, "cp1252"),
)  # fmt: skip
