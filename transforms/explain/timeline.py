"""A timeline as text: a bar of time in proportion, the limit marked, and a line per instant."""

from collections.abc import Iterator

from transforms.diagnose.reports.timeline import Mark, Timeline
from transforms.diagnose.wording.log_clock import LogClock
from transforms.diagnose.wording.words import span
from transforms.explain.line import Line

LETTERS = {"start": "S", "note": "n", "attempt": "a", "limit": "L", "end": "E"}
STYLES = {"start": "bold", "limit": "bold red", "end": "bold"}
PRECEDENCE = ("limit", "end", "start", "note", "attempt")
LEGEND = "S start, a attempt, n note, L limit, E end, X both"
MOST_MARKS = 24  # a screen; the rest is counted, and complete in --json
LEAST_COLUMNS = 20


def timeline_lines(timeline: Timeline, width: int, clock: LogClock, most: int = MOST_MARKS) -> Iterator[Line]:
    """Title, bar, and the marks with their distance from the start. width: of the terminal, in columns."""
    yield Line(f"Timeline: {timeline.title}", "bold")
    length = timeline.ends_at - timeline.starts_at
    columns = max(width - 4, LEAST_COLUMNS)
    if length:
        yield Line(label=f"  {bar(timeline, columns)}")
        yield Line(f"  {LEGEND}; a column is {span(-(-length // columns))}", "dim")
    for mark in _few(timeline.marks, most):
        if isinstance(mark, Mark):
            at = f"  {LETTERS[mark.role]} {f'+{mark.at - timeline.starts_at}':>9} ms  {clock.time(mark.at)}  "
            yield Line(mark.label, STYLES.get(mark.role, ""), at)
        else:
            yield Line(f"    {mark}", "dim")


def bar(timeline: Timeline, columns: int) -> str:
    """Time from left to right in so many columns; past the limit it is drawn with = instead of -."""
    length = max(timeline.ends_at - timeline.starts_at, 1)
    places = [
        ((mark.at - timeline.starts_at) * (columns - 1) // length, mark.role) for mark in timeline.marks
    ]
    limits, ends = ({place for place, role in places if role == one} for one in ("limit", "end"))
    past = max(limits, default=columns)
    drawn = ["-" if column <= past else "=" for column in range(columns)]
    for place, role in sorted(places, key=lambda one: -PRECEDENCE.index(one[1])):
        drawn[place] = LETTERS[role]
    for place in limits & ends:
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
