"""A timeline as text: a bar of time in proportion, the limit marked, and a line per instant."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from jobs.console import hanging
from transforms.diagnose.log_clock import UTC_CLOCK, LogClock
from transforms.diagnose.render import shown
from transforms.diagnose.timeline import Mark, Timeline
from transforms.diagnose.words import span

LETTERS = {"start": "S", "note": "n", "attempt": "a", "limit": "L", "end": "E"}
STYLES = {"start": "bold", "limit": "bold red", "end": "bold"}
PRECEDENCE = ("limit", "end", "start", "note", "attempt")
LEGEND = "S start, a attempt, n note, L limit, E end, X both"
MOST_MARKS = 24  # a screen; the rest is counted, and complete in --json


def print_timeline(
    timeline: Timeline, console: Console, clock: LogClock = UTC_CLOCK, most: int = MOST_MARKS
) -> None:
    """Title, bar, and the marks with their distance from the start."""
    console.print(Text(f"Timeline: {shown(timeline.title)}", style="bold"), overflow="fold")
    length = timeline.ends_at - timeline.starts_at
    columns = max(console.width - 4, 20)
    if length:
        console.print(Text(f"  {bar(timeline, columns)}"), soft_wrap=True)
        console.print(Text(f"  {LEGEND}; a column is {span(-(-length // columns))}", style="dim"))
    for mark in _few(timeline.marks, most):
        if isinstance(mark, Mark):
            label = Text(
                f"  {LETTERS[mark.role]} {f'+{mark.at - timeline.starts_at}':>9} ms  {clock.time(mark.at)}  "
            )
            hanging(label, shown(mark.label), console, STYLES.get(mark.role, ""))
        else:
            console.print(Text(f"    {mark}", style="dim"))


def bar(timeline: Timeline, columns: int) -> str:
    """Time from left to right in so many columns; past the limit it is drawn with = instead of -."""
    length = max(timeline.ends_at - timeline.starts_at, 1)
    places = [
        ((mark.at - timeline.starts_at) * (columns - 1) // length, mark.role) for mark in timeline.marks
    ]
    past = max((place for place, role in places if role == "limit"), default=columns)
    drawn = ["-" if column <= past else "=" for column in range(columns)]
    for place, role in sorted(places, key=lambda one: -PRECEDENCE.index(one[1])):
        drawn[place] = LETTERS[role]
    for place in {place for place, role in places if role == "end"} & {
        p for p, role in places if role == "limit"
    }:
        drawn[place] = "X"
    return "".join(drawn)


def _few(marks: tuple[Mark, ...], most: int) -> Iterator[Mark | str]:
    """All that are no attempt, and as many attempts from both ends as fit."""
    attempts = [mark for mark in marks if mark.role == "attempt"]
    room = max(4, most - (len(marks) - len(attempts)))
    if len(attempts) <= room:
        yield from marks
        return
    kept = {id(mark) for mark in (*attempts[: room // 2], *attempts[-(room // 2) :])}
    said = False
    for mark in marks:
        if mark.role != "attempt" or id(mark) in kept:
            yield mark
        elif not said:
            said = True
            yield f"... {len(attempts) - len(kept)} more attempts"
