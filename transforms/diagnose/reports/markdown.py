"""A story as Markdown, for a ticket or who comes next: log text stays text there, too."""

from collections.abc import Callable, Iterator, Sequence

from transforms.diagnose.reports.report import Report, Row, iso
from transforms.diagnose.wording.render import shown, shown_lines
from transforms.diagnose.wording.words import counted, span
from transforms.when_used import when_used

END = when_used(r"(?<!\.)\.?$")  # but of what was cut, which ends in three
MARKED = "\\`*_[]<>#|~&"
MOST_RECORDS = 4
MOST_LINES = 6
SENTENCE = when_used(r"(?<=[a-z0-9)\"'])\. (?=[A-Z])")


def headline(report: Report) -> str:
    """Who, what, why, and what to do, in one line."""
    first = SENTENCE.split(report.advice, maxsplit=1)[0].rstrip(".") if report.advice else ""
    return f"{END.sub('.', report.heading)} {f'Do: {first}.' if first else ''}".rstrip()


def report_as_markdown(report: Report, near: Callable[[str], str]) -> Iterator[str]:
    """One story by itself. near: how a source is named to who reads it."""
    yield f"**{plain(headline(report))}**\n"
    yield from facts(report)
    yield from proof(report, near)


def facts(report: Report) -> Iterator[str]:
    """When, and what is known, a line each."""
    yield f"- When: {plain(report.when)}"
    yield from (f"- {label}: {plain(sentence)}" for label, sentence in report.facts)
    if report.advice:
        yield f"- Do: {plain(report.advice)}"


def proof(report: Report, near: Callable[[str], str]) -> Iterator[str]:
    """The lines that prove it, fenced."""
    yield "\n```text"
    for line in report.lines[:MOST_RECORDS]:
        yield fenced(f"{near(line.source)}:{line.shown_at}")
        yield from (
            f"    {fenced(text)}" for text in shown_lines((line.text or "").rstrip("\n"))[:MOST_LINES]
        )
    yield "```\n"


def shift_as_markdown(rows: Sequence[Row], total: int, calm: str, root: str) -> Iterator[str]:
    """The incidents of a shift, what goes on first. calm: said of the lake where there are none; root: of links."""
    if not rows:
        yield f"No incident in this time. Of the whole lake: {plain(calm)}"
        return
    more = f", the latest {len(rows)} of them here" if total > len(rows) else ""
    yield f"{counted(total, 'incident')}{more}.\n"
    for heading, some in (
        ("Goes on", [row for row in rows if row["ended_at"] is None]),
        ("Over", [row for row in rows if row["ended_at"] is not None]),
    ):
        if some:
            yield f"## {heading}\n"
            yield from (line for row in some for line in _one(row, root))


def _one(row: Row, root: str) -> Iterator[str]:
    lasted = (
        ""
        if row["ended_at"] is None
        else f", for {span(row['ended_at'] - row['started_at'])}"
        if row["started_at"]
        else ""
    )
    yield f"- **{plain(row['title'])}**"
    verdict = row["verdict"].replace("_", " ")
    yield f"  - When: {iso(row['started_at']) or 'time unknown'}{lasted}; {verdict}, impact {row['impact']}"
    yield f"  - Why: {plain(row['cause'])}"
    yield f"  - Do: {plain(row['advice'])}"
    yield f"  - {link(root, row)}"


def link(root: str, row: Row) -> str:
    """To an incident's page."""
    return f"[{row['incident_id'][:12]}]({root}incident/{row['incident_id']})"


def plain(text: str) -> str:
    """Text that marks nothing up."""
    return "".join(f"\\{character}" if character in MARKED else character for character in shown(text))


def fenced(text: str) -> str:
    """A line that can't end its fence."""
    return shown(text).replace("```", "'''")
