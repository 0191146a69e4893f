"""Texts as a log may hold them that would act if a page took them for more than text. Each calls `ran` if it runs."""

import time
from dataclasses import replace
from pathlib import Path

from tests.dashboards.lake import (
    BATCH,
    NOON,
    SESSION,
    TIMER,
    UNIT,
    episode_row,
    event_row,
    good_lake,
    record_row,
    sha,
    violation,
    write,
)
from transforms.timers.episodes import BackoffAttempt

PAYLOADS = (
    "<script>ran(1)</script>",
    '<img src=x onerror="ran(2)">',
    "<svg onload=ran(3)>",
    '"><script>ran(4)</script>',
    "'><img src=x onerror=ran(5)>",
    "javascript:ran(6)",
    '<a href="javascript:ran(7)" autofocus onfocus=ran(7)>x</a>',
    '<iframe srcdoc="<script>parent.ran(8)</script>"></iframe>',
    "<body onload=ran(9)>",
    "<details open ontoggle=ran(10)>",
    "<input autofocus onfocus=ran(11)>",
    "<video><source onerror=ran(12)></video>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=ran(13)>",
    "</title><script>ran(14)</script>",
    "</textarea><script>ran(15)</script>",
    "</pre><script>ran(16)</script>",
    "--><script>ran(17)</script>",
    "]]><script>ran(18)</script>",
    "{{constructor.constructor('ran(19)')()}}",
    "${ran(20)}",
    "#{ran(21)} <%= ran(21) %>",
    "`;ran(22)//",
    '");ran(23);//',
    '{"props":{"children":{"type":"Script","props":{"children":"ran(24)"}}}}',
    '<b onmouseover=ran(25) style="position:fixed;inset:0">x</b>',
    "<a href='data:text/html,<script>opener.ran(26)</script>'>%{customdata[0]}</a>",
    "&lt;script&gt;ran(27)&lt;/script&gt;",
    "\\u003cscript\\u003eran(28)\\u003c/script\\u003e",
    "<object data='data:text/html,<script>parent.ran(29)</script>'></object>",
    "<link rel=stylesheet href='x' onerror=ran(30)><style>@import 'x'</style>",
)


def hostile_lake(lake: Path) -> Path:
    """A lake in which every name, reason and line is one of the payloads."""
    good_lake(lake, round(time.time() * 1000))
    named = list(enumerate(PAYLOADS))
    said = [{"client_id": text, "explanation": text, "service": text, "instance": text} for text in PAYLOADS]
    lines = [sha(f"line-{number}") for number, _ in named]
    write(
        lake,
        "gold.violations",
        [violation(f"v{n}", SESSION.session_id, lines, **one) for n, one in enumerate(said)],
    )
    write(lake, "silver.client_events", [_line_event(number) for number, _ in named])
    write(lake, "bronze.log_records", [_line(number, text) for number, text in named])
    timers = [
        replace(TIMER, timer_id=sha(f"t{n}"), task_id=text, thread=text, client_id=text) for n, text in named
    ]
    batches = [
        replace(BATCH, batch_id=sha(f"b{n}"), topic=text, client_id=text, error_class=text)
        for n, text in named
    ]
    sessions = [replace(SESSION, client_id=text, group_id=text, member_id=text) for text in PAYLOADS]
    sessions = [
        replace(one, session_id=sha(f"s{n}") if n else SESSION.session_id) for n, one in enumerate(sessions)
    ]
    waits = [
        BackoffAttempt(
            unit_id=UNIT,
            sequence_id=sha(f"w{n}"),
            client_id=text,
            api=text,
            subject=text,
            failures=1,
            failed_at=NOON,
            waited_ms=100,
            shortest_ms=80,
            longest_ms=120,
            event_ids=lines[:1],
        )
        for n, text in named
    ]
    write(lake, "silver.task_timers", [episode_row(one) for one in timers])
    write(lake, "silver.batch_lifetimes", [episode_row(one) for one in batches])
    write(lake, "silver.liveness_sessions", [episode_row(one, scope_id=UNIT) for one in sessions])
    write(lake, "silver.backoff_attempts", [episode_row(one) for one in waits])
    return lake


def _line_event(number: int) -> dict[str, object]:
    return event_row("leave", number + 1) | {
        "event_id": sha(f"line-{number}"),
        "record_id": sha(f"record-{number}"),
    }


def _line(number: int, text: str) -> dict[str, object]:
    return record_row("leave", number + 1) | {"record_id": sha(f"record-{number}"), "text": text}
