"""Running timers as bars that burn down to their deadline. The browser moves them on (assets/shell.js)."""

from collections.abc import Sequence
from typing import Any

from dash import dcc, html

from dashboards.pages.selected import episode_href
from dashboards.parts import instant, line, shown
from dashboards.queries import Row
from dashboards.queries.episodes import BACKOFF, BATCHES, SESSIONS, TIMERS
from transforms.diagnose.wording.words import counted, origin_words, span

# What a kind of timer waits for, and the table of its episodes.
_KINDS = {
    "task": ("Streams task can't go on", TIMERS),
    "batch": ("batch not delivered", BATCHES),
    "poll": ("until the next poll is due", SESSIONS),
    "session": ("until the next heartbeat is due", SESSIONS),
    "backoff": ("until the next attempt is due", BACKOFF),
}


def rows(timers: Sequence[Row], now: int | None) -> Any:
    """One bar a timer, as gold.open_timers has them. now: the viewer's instant, ms; None where the log ended before it."""
    return html.Ul([_row(timer, now) for timer in timers], className="rows burndown")


def countdown(deadline_at: int, now: int) -> Any:
    """The time left, counting down in the browser."""
    counting: Any = {"data-until": str(deadline_at)}
    return html.Span(left_words(deadline_at, now), className="left", **counting)


def left_words(deadline_at: int, now: int) -> str:
    """The time left, or how long the limit has passed; the same words as in assets/shell.js."""
    left = deadline_at - now
    return f"{span(left)} left" if left >= 0 else f"{span(-left)} past"


def _row(timer: Row, now: int | None) -> Any:
    limit = (
        f"at most {span(timer['limit_ms'])} after the last failure"
        if timer["kind"] == "backoff"
        else f"{timer['setting']} = {span(timer['limit_ms'])}, {origin_words(timer['limit_origin'])}"
    )
    attempts = f", {counted(timer['attempts'], 'failure')} so far" if timer["attempts"] else ""
    waits_for, table = _KINDS[timer["kind"]]
    what = f"{timer['subject'] or timer['client_id']}: {waits_for}{attempts}"
    badge = html.Span(timer["kind"], className=f"badge kind-{timer['kind']}")
    to = dcc.Link(shown(what), href=episode_href(table, timer["timer_id"]), className="plain-link")
    who = html.Div(shown(f"{timer['client_id']}; {limit}"), className="dimmed who")
    return line([html.Div([badge, to]), who], _bar(timer, now))


def _bar(timer: Row, now: int | None) -> list[Any]:
    if now is None:
        return [html.Span("deadline "), instant(timer["deadline_at"])]
    used = min(1.0, max(0.0, (now - timer["started_at"]) / max(timer["limit_ms"], 1)))
    moving: Any = {"data-from": str(timer["started_at"]), "data-until": str(timer["deadline_at"])}
    fill = html.Div(className="fill", style={"width": f"{100 * (1 - used):.1f}%"})
    return [
        html.Div(fill, className="burn", **moving),
        countdown(timer["deadline_at"], now),
        html.Span([", until ", instant(timer["deadline_at"], "time")], className="dimmed"),
    ]
