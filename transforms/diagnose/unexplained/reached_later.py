"""A state that a line says was not reached, and that the same thing says it reached soon: known by words alone.

Only states heal so. What was lost of records no later record makes good.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from transforms.diagnose.troubles.trouble import HEALS_WITHIN_MS
from transforms.diagnose.unexplained.raw_lines import CONTAINER, RawLine
from transforms.diagnose.wording.line_names import NAMED, named
from transforms.diagnose.wording.states import not_reached, reached
from transforms.parse.lines.timestamps import STAMP, Clock

MOST_FLAPS = 1  # how often a state may be lost again, until that is trouble by itself
SESSION = "session"  # with ZooKeeper: each start of a broker makes some
_SPEAKER = re.compile(r" \([\w.\-]+\): ")  # one of many tables, tasks or threads
_ROLE = re.compile(r"(?i)\b(?:consumer|producer|admin)\b")


def without_reached(lines: Iterable[RawLine], later: Mapping[str, Sequence[RawLine]]) -> list[RawLine]:
    """The lines but those of states that were reached within HEALS_WITHIN_MS.

    later: by source, the lines that say that a state was reached, in their order.
    """
    return [line for line in lines if not _is_reached(line, later.get(line.source, ()))]


def _is_reached(line: RawLine, later: Sequence[RawLine]) -> bool:
    state = not_reached(line.text)
    if state is None or line.loudness == "fatal":
        return False
    same = [one for one in later if reached(one.text) == state and _is_of_same(line.text, one.text)]
    after = [one for one in same if one.line > line.line]
    is_steady = state == SESSION or len(same) - len(after) <= MOST_FLAPS
    return bool(after) and is_steady and _is_soon(line.text, after[0].text)


def _is_of_same(text: str, later: str) -> bool:
    """Whether nothing that the later line names is another's: container, speaker, role, client, group, topic, broker."""
    marks = [(_of(form, text), _of(form, later)) for form in (CONTAINER, _SPEAKER, _ROLE)]
    marks += [(named(name, text), named(name, later)) for name in NAMED]
    return all(one == other or one is None or other is None for one, other in marks)


def _of(form: re.Pattern[str], text: str) -> str | None:
    found = form.search(text)
    return found[0].strip().lower() if found else None


def _is_soon(text: str, later: str) -> bool:
    """Whether nobody had to do anything in the time between; so where a line tells no time."""
    first, last = (_at(one) for one in (text, later))
    return first is None or last is None or last - first <= HEALS_WITHIN_MS


def _at(text: str) -> int | None:
    found = STAMP.search(text)
    return Clock().read(found[0]).at if found else None
