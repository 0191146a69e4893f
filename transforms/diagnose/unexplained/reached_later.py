"""A state that a line says was not reached, and that the same thing says it reached soon: known by words alone.

Only states heal so. What was lost of records no later record makes good.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from transforms.diagnose.troubles.trouble import HEALS_WITHIN_MS
from transforms.diagnose.unexplained.block_lines import CONTAINER
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.wording.line_names import NAMED, named
from transforms.diagnose.wording.states import RENEWAL, not_reached, reached
from transforms.parse.lines.timestamps import STAMP, Clock
from transforms.when_used import when_used

MOST_FLAPS = 1  # how often a state may be lost again, until that is trouble by itself
SESSIONS = ("session", RENEWAL)  # with ZooKeeper: each start of a broker makes some
_NEVER_HAD = when_used(r"\bSession 0x0 for |\bsession ?id 0x0\b")  # of who never had one yet
REFUSED = "Socket error occurred: "  # which names no session
_SILENT = when_used(r"\bnot heard from server in \d+ ?ms for session ?id (?P<session>0x(?!0\b)\w+)")
Marks = tuple[str | None, ...]
_SPEAKER = when_used(r" \([\w.\-]+\): ")  # one of many tables, tasks or threads
_ROLE = when_used(r"(?i)\b(?:consumer|producer|admin)\b")


def without_reached(
    lines: Iterable[RawLine],
    later: Mapping[str, Sequence[RawLine]],
    starts: Mapping[str, Collection[int]],
    stops: Mapping[str, Collection[tuple[int, int]]],
) -> list[RawLine]:
    """The lines but those of states that were reached within HEALS_WITHIN_MS. A session that was away for longer was so to
    the end: what is said of it after a line that is left is left, too.

    later: by source, the lines that say that a state was reached, in their order. starts: by source, the lines at which a
    broker began: a session that it got is none of another's that never had one before. stops: by source, the first and the
    last line of each stop of a broker that was soon over: it needed no session any more.
    """
    of_state: dict[tuple[str, str | None], list[tuple[RawLine, Marks]]] = {}
    for source, some in later.items():
        for one in some:
            of_state.setdefault((source, reached(one.text)), []).append((one, _marks(one.text)))
    left: list[RawLine] = []
    away: dict[str, int] = {}  # by source, the last line that is left of a session
    for line in sorted(lines, key=lambda line: (line.source, line.line)):
        state = not_reached(line.text)
        is_session = state in SESSIONS
        if is_session and _is_within(line, stops.get(line.source, ())):
            continue
        since = away.get(line.source) if is_session else None
        is_still_away = since is not None and not any(
            since < one.line < line.line for one, _ in of_state.get((line.source, state), ())
        )
        if is_still_away or not _is_reached(line, of_state, starts.get(line.source, ())):
            left.append(line)
            if is_session:
                away[line.source] = line.line
    return left


def _is_within(line: RawLine, some: Iterable[tuple[int, int]]) -> bool:
    return any(first < line.line < last for first, last in some)


def _is_reached(
    line: RawLine,
    later: Mapping[tuple[str, str | None], Sequence[tuple[RawLine, Marks]]],
    starts: Collection[int],
) -> bool:
    state = not_reached(line.text)
    if state is None or line.loudness == "fatal":
        return False
    marks = _marks(line.text)
    most = 1 if state in SESSIONS else None  # with whichever server of an ensemble
    some = later.get((line.source, state), ())
    same = [one for one, others in some if _are_of_same(marks[:most], others[:most])]
    if (silent := _SILENT.search(line.text)) is not None:
        same = [one for one in same if silent["session"] in one.text]  # another one it got as that was gone
    after = [one for one in same if one.line > line.line]
    if after and _had_none(line, same, starts) and any(line.line < at < after[0].line for at in starts):
        return False
    is_steady = state in SESSIONS or len(same) - len(after) <= MOST_FLAPS
    return bool(after) and is_steady and _is_soon(line.text, after[0].text)


def _had_none(line: RawLine, same: Sequence[RawLine], starts: Collection[int]) -> bool:
    """Whether who says it never had a session: it says so, or got none since it began."""
    began = max((at for at in starts if at < line.line), default=None)
    got_none = began is not None and not any(began < one.line < line.line for one in same)
    return _NEVER_HAD.search(line.text) is not None or (REFUSED in line.text and got_none)


def _marks(text: str) -> Marks:
    """What a line names: container, speaker, role, client, group, topic, broker."""
    return (
        *(_of(form, text) for form in (CONTAINER, _SPEAKER, _ROLE)),
        *(named(name, text) for name in NAMED),
    )


def _are_of_same(marks: Marks, later: Marks) -> bool:
    """Whether nothing that the later line names is another's."""
    pairs = zip(marks, later, strict=True)
    return all(one == other or one is None or other is None for one, other in pairs)


def _of(form: re.Pattern[str], text: str) -> str | None:
    found = form.search(text)
    return found[0].strip().lower() if found else None


def _is_soon(text: str, later: str) -> bool:
    """Whether nobody had to do anything in the time between; so where a line tells no time."""
    passed_ms = said_after_ms(text, later)
    return passed_ms is None or passed_ms <= HEALS_WITHIN_MS


def said_after_ms(text: str, later: str) -> int | None:
    """How long after a line another one was said, by the times that both write."""
    first, last = (told_at(one) for one in (text, later))
    return None if first is None or last is None else last - first


def told_at(text: str) -> int | None:
    """The time that a line writes, in ms; of one without a date, or of another zone, it tells only what lies between two."""
    found = STAMP.search(text)
    return Clock().read(found[0]).at if found else None
