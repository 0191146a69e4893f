"""Parts of a story's page: its numbers, settings, and log lines with what decides marked. All text is text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboards.parts import facts_list, instant, number, shown
from dashboards.queries import Row
from dashboards.queries.source_file import Piece
from transforms.diagnose.reports.repeated import repeated
from transforms.diagnose.reports.report import ProvingLine, Report
from transforms.diagnose.wording.decisive import decisive_parts, rank_of
from transforms.diagnose.wording.render import shown_lines
from transforms.episodes.answers import Number

SETTING = re.compile(r"[a-z]+(?:\.[a-z]+)+")  # a setting's name, as sentences and dumps write it
TONES = {"plain": "bright", "bad": "red", "good": "teal"}
MOST_LINES = 60
FIRST_TEXT_LINES = 14  # the head of a stack trace says what it is
MOST_TEXT_LINES = 400
MOST_CLIENTS = 4  # columns of the settings that fit
LONGEST_LINE = 2_000  # characters of one line of a file


def numbers(found: Sequence[Number]) -> list[Any]:
    """The answers, in one row where there is room."""
    made = [number(one.label, one.value, shown(one.note), TONES[one.tone]) for one in found]
    return [html.Div(made, className="answers", id="finding-numbers")] if made else []


def facts(told: Report, to_whole: str) -> Any:
    """What happened, in sentences; the verdict stands in the badges, and all episodes are drawn. to_whole: where that stands
    which it is a part of.
    """

    def drawn(label: str, text: str) -> Any:
        if label == "Times":
            return _times(told.row)
        return dcc.Link(shown(text), href=to_whole) if label == "Part of" else text

    told_here = [fact for fact in told.facts if fact[0] not in ("Verdict", "More")]
    return facts_list([(label, drawn(label, text)) for label, text in told_here])


def _times(row: Row) -> Any:
    """How often, from when to when: by the reader's clock, as all instants of a page."""
    ends = [instant(at) for at in dict.fromkeys((row["first_at"], row["last_at"]))]
    parts = [part for end in ends for part in (" to ", end)][1:]
    return html.Span([f"{row['occurrences']}, ", *parts, "; the worst is shown"])


def proof(told: Report) -> Any:
    """The lines that prove a story, and the samples of metrics; or that there are none any more."""
    of_metrics = [html.Ul([html.Li(shown(one)) for one in told.samples], id="finding-samples")]
    if told.samples and not told.lines:
        return of_metrics[0]
    if not told.lines:
        gone = "None of its events is in silver.client_events any more, so it can't be proven here."
        return dmc.Alert(gone, color="yellow", id="finding-no-lines")
    names = set(SETTING.findall(" ".join(sentence for _, sentence in told.facts)))
    of_log = lines(told.lines, names, told.row.get("happened_at"), f": kipwatch explain {told.id[:12]}")
    return html.Div([of_log, *of_metrics]) if told.samples else of_log


def what_to_do(told: Report) -> Any:
    """The advice, then the runbook's steps."""
    advice = [dmc.Text(shown(told.advice))] if told.advice else []
    steps = [html.Ol([html.Li(step) for step in told.runbook])] if told.runbook else []
    return html.Div([*advice, *steps])


def settings_table(rows: Iterable[Row], clients: Sequence[str]) -> list[Any]:
    """Effective limits: a setting a line, a client a column, each value with its origin; none where none is known.

    clients: those of the story, first of all columns.
    """
    held: dict[str, dict[str, Row]] = {}
    for row in rows:
        held.setdefault(row["name"], {})[row["client_id"] or "unknown"] = row
    known = {client for values in held.values() for client in values}
    columns = [client for client in clients if client in known]
    columns += sorted(known - set(columns))
    if not columns:
        return []
    kept = columns[:MOST_CLIENTS]
    head = html.Thead(html.Tr([html.Th("Setting"), *(html.Th(shown(client)) for client in kept)]))
    body = html.Tbody(
        [
            html.Tr([html.Td(name, className="mono"), *(_value(values.get(client)) for client in kept)])
            for name, values in sorted(held.items())
            if any(client in values for client in kept)
        ]
    )
    more = [dmc.Text(f"{len(columns) - len(kept)} more clients.", c="dimmed", size="sm")]
    return [html.Table([head, body], className="settings"), *(more if len(columns) > len(kept) else [])]


def _value(row: Row | None) -> Any:
    if row is None:
        return html.Td("")
    origin = html.Span(f" {row['origin']}", className="dimmed")
    return html.Td([html.Span(shown(row["value"]), className="mono"), origin])


def lines(told: Sequence[ProvingLine], names: set[str], at: int | None, more_of: str = "") -> Any:
    """The log lines, the decisive one first; each can show the lines around it.

    names: settings the story speaks of. at: when it happened, where known: a line at that instant decides.
    """
    records = list({(line.source, line.line): line for line in told}.values())
    at_it = [line for line in records if at is not None and line.happened_at == at]
    decisive = min(reversed(at_it or records), key=lambda line: rank_of(line.message_id))
    others = [line for line in records if line is not decisive]
    runs = repeated(others)
    made = [_line(decisive, names, is_decisive=True)]
    for alike in runs[: MOST_LINES - 1]:
        made += _alike(alike, names)
    if left := sum(map(len, runs[MOST_LINES - 1 :])):
        made.append(dmc.Text(f"{left} more lines{more_of}", c="dimmed"))
    return html.Div(made)


def _alike(lines: Sequence[ProvingLine], names: set[str]) -> list[Any]:
    """Lines that say the same: the first, and the others where they are asked for."""
    first, *others = [_line(line, names) for line in lines]
    told = [f"{len(others)} more that say the same, the last ", instant(lines[-1].happened_at)]
    return [first, *([html.Details([html.Summary(told), *others])] if others else [])]


def _line(line: ProvingLine, names: set[str], *, is_decisive: bool = False) -> Any:
    head = [
        instant(line.happened_at),
        dmc.Text(line.label, size="sm"),
        dmc.Text(f"{shown(line.source)}:{line.line}", size="xs", c="dimmed", className="mono place"),
    ]
    if is_decisive:
        head.insert(0, dmc.Badge("decisive", color="red", variant="filled", size="sm", radius="sm"))
    around = dmc.Button(
        "Lines around", id={"type": "story-around", "event": line.event_id},
        variant="subtle", size="compact-xs", n_clicks=0,
    )  # fmt: skip
    place = html.Div(id={"type": "story-around-lines", "event": line.event_id})
    return html.Div(
        [dmc.Group([*head, around], gap="sm"), *_record(line, names), place],
        className="log-line decisive" if is_decisive else "log-line",
    )


def _record(line: ProvingLine, names: set[str]) -> list[Any]:
    if line.text is None:
        return [dmc.Text("the record was not kept", c="dimmed", size="sm")]
    texts = shown_lines(line.text.rstrip("\n"))
    named = [number for number, one in enumerate(texts) if number and one.split("=")[0].strip() in names]
    first = [0, *named] if named else list(range(min(len(texts), FIRST_TEXT_LINES)))
    rest = sorted(set(range(len(texts))) - set(first))
    parts: list[Any] = [
        html.Pre(_marked([texts[number] for number in first], line.message_id, names), className="log-text")
    ]
    if rest:
        cut = [texts[number] for number in rest[:MOST_TEXT_LINES]]
        if len(rest) > len(cut):
            cut.append(f"... {len(rest) - len(cut)} more lines")
        summary = html.Summary(f"{len(rest)} more lines of this record")
        parts.append(html.Details([summary, html.Pre("\n".join(cut), className="log-text")]))
    return parts


def _marked(texts: Sequence[str], message_id: str, names: set[str]) -> list[Any]:
    """Lines as text nodes, what decides inside <mark>."""
    parts: list[Any] = []
    for text in texts:
        cut = text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]} ... ({len(text)} characters)"
        parts += [
            html.Mark(part) if is_decisive else part
            for part, is_decisive in decisive_parts(cut, message_id, names)
        ]
        parts.append("\n")
    return parts[:-1]


def around(piece: Piece, kept: Sequence[Row], record_id: str) -> Any:
    """The lines before and after a line: of the file itself, else those that were kept."""
    if piece.lines:
        rows = [(line, number == piece.here) for number, line in enumerate(piece.lines)]
        return _listing("From the file itself, secrets redacted.", rows)
    rows = [(row["text"], row["record_id"] == record_id) for row in kept]
    why = piece.problem[0].upper() + piece.problem[1:] if piece.problem else "No file"
    return _listing(f"{why}. These are the records that were kept.", rows)


def _listing(said: str, rows: Sequence[tuple[str, bool]]) -> Any:
    listed = [
        html.Div(
            "\n".join(one[:LONGEST_LINE] for one in shown_lines(text.rstrip("\n"))),
            className="here" if is_here else None,
        )
        for text, is_here in rows
    ]
    head = dmc.Text(said, size="xs", c="dimmed", mt="xs")
    return html.Div([head, html.Pre(listed, className="log-text around")])


def origins(rows: Iterable[Row]) -> Mapping[str, str]:
    """Setting -> where its value came from."""
    return {row["name"]: row["origin"] for row in rows}
