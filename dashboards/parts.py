"""Parts of pages: badges, panels for what went wrong, freshness, log lines. Log text is text, never HTML."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import html

from dashboards.queries import Answer
from transforms.diagnose.reports.report import iso
from transforms.diagnose.reports.timeline import Mark, Timeline
from transforms.diagnose.wording.render import shown_lines
from transforms.diagnose.wording.words import origin_words, span

Fact = tuple[str, Any]

CATEGORIES = {
    "broken_semantics": ("red", "broken promise"),
    "departs_from_kip": ("orange", "departs from KIP"),
    "misconfiguration": ("grape", "misconfiguration"),
    "older_semantics": ("gray", "older release"),
}
SEVERITIES = {"critical": "red", "error": "red", "warning": "gray", "info": "gray"}
_FILL = "Fill it with: kipwatch run --logs PATH --lake DIR"
# Why there are no rows, by the state of an answer: title, colour, and what is said before the problem itself.
_WHY = {
    "failed": (
        "Query failed",
        "red",
        "The lake could not be read. What is shown here is not an empty result.",
    ),
    "no_lake": ("No lake here", "orange", _FILL),
    "missing": (
        "Not written yet",
        "orange",
        "No run of this version has written this table yet, so nothing is known.",
        _FILL,
    ),
}
MOST_ATTEMPTS = 12
_UNIT = re.compile(r"(?<=\d) (?=(?:ms|s|min|h|days)\b)")


def category_badge(category: str) -> Any:
    """The category in its colour and in words."""
    colour, words = CATEGORIES.get(category, ("gray", category))
    return dmc.Badge(words, color=colour, variant="light", size="lg", radius="sm")


def severity_badge(severity: str) -> Any:
    """The severity, outlined: it says how soon to look, not what it is."""
    return dmc.Badge(
        severity, color=SEVERITIES.get(severity, "gray"), variant="outline", size="lg", radius="sm"
    )


def no_rows(answer: Answer, empty: str) -> Any:
    """What stands in the place of rows: nothing there (good news or not), not written yet, or failed."""
    if answer.state == "other_version":
        return other_version(answer.problem or "")
    if answer.state == "too_much":
        said = dmc.Text(shown(f"This was not read to its end. {answer.problem}."))
        return dmc.Alert(said, title="Too much for one question", color="orange", id="state-too-much")
    if answer.state not in _WHY:
        return dmc.Alert(empty, title="Nothing found", color="teal", id="state-empty")
    title, colour, *sentences = _WHY[answer.state]
    told = [*map(dmc.Text, sentences), _code(answer.problem)]
    return dmc.Alert(told, title=title, color=colour, id=f"state-{answer.state.replace('_', '-')}")


def first_of(shown_rows: int, total: int) -> list[Any]:
    """That there are more rows than are shown; nothing where there are not."""
    told = f"The first {shown_rows} of {total:,}."
    return [dmc.Text(told, c="dimmed", size="sm")] if total > shown_rows else []


def left_out(problem: str | None) -> list[Any]:
    """What of the address could not be read; nothing where all could."""
    title = "Part of the filter was left out"
    return [dmc.Alert(shown(problem), title=title, color="yellow", id="state-filter")] if problem else []


def other_version(told: str) -> Any:
    """What a lake of another version has not, and what to do."""
    return dmc.Alert(
        dmc.Text(f"{shown(told)}."),
        title="This lake was made by another version of kipwatch",
        color="orange",
        id="state-other-version",
    )


def instant(at: int | None, parts: str = "date and time") -> Any:
    """An instant: UTC as drawn here; the browser shows the viewer's zone, and UTC on hover.

    parts: or `time`, or `clock`, which is without ms.
    """
    if at is None:
        return html.Span("time unknown", className="dimmed")
    told = (iso(at) or "").replace("T", " ").removesuffix("Z")
    text = {"time": told[11:], "clock": told[11:19]}.get(parts, told)
    data: Any = {"data-at": str(at), "data-parts": parts}
    return html.Time(text, dateTime=iso(at), className="mono", **data)


def instants(*found: int | None) -> list[Any]:
    """Several of them, one behind the other."""
    told = [instant(at) for at in found]
    return [part for at in told for part in (", ", at)][1:]


def age(label: str, at: int, now: int, stale_ms: int, after: str = "ago") -> Any:
    """How long ago something was, counting on in the browser; it stands out once older than `stale_ms`."""
    old = now - at
    told = f"{span(old)} {after}" if old >= 0 else f"{span(-old)} ahead of this clock"
    data: Any = {"data-age-of": str(at), "data-stale-ms": str(stale_ms), "data-after": after}
    return html.Span(
        [f"{label} " if label else "", html.Span(told, **data)],
        className="age stale" if old > stale_ms else "age",
        title=iso(at),
    )


def marks_list(told: Timeline) -> Any:
    """The figure in words: every mark with its distance from the start; of many attempts the outer ones."""
    cells: list[Any] = []
    for mark in few_marks(told):
        if mark is None:
            cells += [html.Span(), html.Span(), html.Span("…"), html.Span("more attempts")]
            continue
        cells += [
            html.Span(f"+{mark.at - told.starts_at} ms", className="at mono"),
            instant(mark.at, "time"),
            html.Span(mark.role, className=f"role-{mark.role}"),
            html.Span(shown(mark.label), className=f"role-{mark.role}"),
        ]
    return html.Div(cells, className="marks")


def few_marks(told: Timeline) -> list[Mark | None]:
    """The marks a person reads: of many attempts the first and the last few, None where some are left out."""
    attempts = [mark for mark in told.marks if mark.role == "attempt"]
    if len(attempts) <= MOST_ATTEMPTS:
        return list(told.marks)
    left_out = attempts[MOST_ATTEMPTS // 2 : -(MOST_ATTEMPTS // 2)]
    first, dropped = left_out[0], set(left_out)
    return [None if mark is first else mark for mark in told.marks if mark is first or mark not in dropped]


def exactly(ms: int | None, unknown: str = "unknown") -> str:
    """A duration to the ms, as a fact."""
    return unknown if ms is None else f"{ms} ms"


def limit_of(ms: int | None, origin: str | None, unknown: str = "unknown") -> str:
    """A limit to the ms, and where it came from, as a fact."""
    return unknown if ms is None else f"{ms} ms, {origin_words(origin)}"


def facts_list(facts: Iterable[Fact]) -> Any:
    """Label and sentence, one under the other; a fact is text or components, and left out where there is none."""
    parts = [
        part
        for label, fact in facts
        if fact is not None
        for part in (html.Dt(label), html.Dd(shown(fact) if isinstance(fact, str) else fact))
    ]
    return html.Dl(parts, className="facts")


def shown(text: str) -> str:
    """One line of hostile text; most is of plain characters alone, and a page shows thousands."""
    return text if text.isprintable() else " ".join(shown_lines(text))


def unbroken(text: str) -> str:
    """A text in which a number stays with its unit at the end of a line."""
    return _UNIT.sub("\u00a0", text)


def number(label: str, value: str, note: str = "", colour: str = "bright") -> Any:
    """One figure with its label: read from across the room."""
    return dmc.Paper(
        [
            dmc.Text(label, size="sm", c="dimmed"),
            dmc.Text(value, className="figure", c=colour),
            dmc.Text(note, size="sm", c="dimmed"),
        ],
        className="number",
        withBorder=True,
        radius="md",
    )


def section(title: str, body: Any, part_id: str | None = None) -> Any:
    """A framed part with its heading."""
    named: Any = {"id": part_id} if part_id else {}
    inside = body if isinstance(body, list) else [body]
    return html.Section([dmc.Title(title, order=2, size="h4", mb="xs"), *inside], **named)


def line(what: Any, when: Any, kind: str | None = None) -> Any:
    """A line of a list of class `rows`: what it is, and when."""
    at = [html.Div(when, className="when")] if when else []
    return html.Li([html.Div(what), *at], className=kind)


def table(head: Sequence[str], rows: Sequence[Sequence[Any]], part_id: str) -> Any:
    """A table; a cell is text, a number or a component. Numbers stand on the right."""
    body = [html.Tr([_cell(cell) for cell in row]) for row in rows]
    columns: Any = {"scope": "col"}
    top = html.Thead(html.Tr([html.Th(name, **columns) for name in head]))
    # Where it is wider than the screen, the keyboard moves it too.
    named: Any = {"aria-label": f"Table of {', '.join(head)}"}
    return html.Div(
        html.Table([top, html.Tbody(body)], className="plain", id=part_id),
        className="wide", role="group", tabIndex="0", **named,
    )  # fmt: skip


def _cell(cell: Any) -> Any:
    if isinstance(cell, int) and not isinstance(cell, bool):
        return html.Td(f"{cell:,}".replace(",", "\u202f"), className="right")
    return html.Td(shown(cell) if isinstance(cell, str) else cell)


def _code(text: str | None) -> Any:
    return html.Pre(shown(text or "")[:500], className="problem")
