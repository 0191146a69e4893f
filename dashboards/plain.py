"""Plain tables and framed parts: for what is short, and read from top to bottom. All text is text."""

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import html

from dashboards.parts import shown


def section(title: str, body: Any, part_id: str) -> Any:
    """A framed part with its heading."""
    return html.Section([dmc.Title(title, order=2, size="h4", mb="xs"), body], id=part_id)


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
