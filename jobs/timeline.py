"""A timeline as text: a bar of time in proportion, the limit marked, and a line per instant."""

from collections.abc import Iterator

from rich.text import Text

from jobs.render import shown
from jobs.told import iso
from transforms.diagnose.timeline import Mark, Timeline
from transforms.diagnose.words import span

LETTERS = {"start": "S", "note": "n", "attempt": "a", "limit": "L", "end": "E"}
STYLES = {"start": "bold", "note": "", "attempt": "", "limit": "bold red", "end": "bold"}
PRECEDENCE = ("limit", "end", "start", "note", "attempt")
MOST_MARKS = 24  # a screen; the rest is counted, and complete in --json


def drawn(timeline: Timeline, width: int) -> Iterator[Text]:
    """Lines of text, none wider than `width` where no label is: title, bar, marks."""
    length = timeline.ends_at - timeline.starts_at
    columns = max(width - 4, 20)
    per_column = max(1, -(-length // columns))
    yield Text(f"Timeline: {shown(timeline.title)}", style="bold")
    if length:
        yield Text(f"  {_bar(timeline, length, columns)}")
        yield Text(
            f"  S start, a attempt, L limit, E end, n note; one column is {span(per_column)}", style="dim"
        )
    for mark in _few(timeline.marks):
        yield _line(mark, timeline.starts_at) if isinstance(mark, Mark) else Text(f"    {mark}", style="dim")


def _bar(timeline: Timeline, length: int, columns: int) -> str:
    """Time from left to right; past the limit it is drawn with = instead of -."""
    limits = [mark.at for mark in timeline.marks if mark.role == "limit"]
    past = _column(max(limits), timeline.starts_at, length, columns) if limits else columns
    bar = ["-" if column <= past else "=" for column in range(columns)]
    for mark in sorted(timeline.marks, key=lambda mark: -PRECEDENCE.index(mark.role)):
        bar[_column(mark.at, timeline.starts_at, length, columns)] = LETTERS[mark.role]
    return "".join(bar)


def _column(at: int, start: int, length: int, columns: int) -> int:
    return (at - start) * (columns - 1) // length


def _line(mark: Mark, start: int) -> Text:
    clock = (iso(mark.at) or "")[11:23]
    line = Text(f"  {LETTERS[mark.role]} {f'+{mark.at - start}':>9} ms  {clock}  ")
    return line.append(shown(mark.label), style=STYLES[mark.role])


def _few(marks: tuple[Mark, ...]) -> Iterator[Mark | str]:
    """All that are no attempt, and as many attempts from both ends as fit."""
    attempts = [mark for mark in marks if mark.role == "attempt"]
    room = max(4, MOST_MARKS - (len(marks) - len(attempts)))
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
