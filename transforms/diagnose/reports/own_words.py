"""What the application itself wrote shortly before a timer fired: quoted as its own words, never taken for proof."""

from collections.abc import Iterable, Mapping
from itertools import chain, islice

from transforms.diagnose.reports.report import ProvingLine
from transforms.diagnose.unexplained.raw_line import RawLine, tells_in_words
from transforms.diagnose.unexplained.reached_later import told_at
from transforms.when_used import when_used

NEAR_LINES = 200  # before the line that decides
SAME_THREAD_LINES = 2_000  # where the line is of the same thread
SOON_MS = 60_000  # after it, where a line says that time was lost before: such a watch is kept twice a minute
LONG_MS = 3_600_000  # more than that before, it explains nothing, however near it stands
MOST_QUOTED = 2
# The thread as layouts write it: in brackets or quotes, or a field of its own.
_THREAD = when_used(r"[\[(\"]([\w #.:/@$-]{3,120})[\])\"]")
_IN_JSON = when_used(r"\"[\w.@]*[Tt]hread[\w.]*\"\s*:\s*\"([^\"]{3,120})\"")
_LOOKS_BACK = when_used(r"(?i)\b(?:thread starvation|clock leap)\b")
_COMMON = when_used(r"(?i)(?:trace|debug|info|warn|error|fatal|\d[\d .:/-]*|consumer .*|producer .*)")


def own_words(lines: Iterable[ProvingLine], telling: Mapping[str, Iterable[RawLine]]) -> list[RawLine]:
    """The application's last telling lines before the one that decides, and at the same place of its file.

    lines: that prove an incident. telling: by source, lines that may explain a standstill, in order (RawScan.telling).
    """
    known = [line for line in lines if line.text is not None]
    if not known:
        return []
    decides = max(known, key=lambda line: line.line)
    threads = _threads(decides.text or "")
    proven = {(line.source, line.line) for line in known}
    before = [
        line
        for line in telling.get(decides.source, ())
        if line.line < decides.line and (line.source, line.line) not in proven
    ]
    same = [
        line
        for line in before
        if decides.line - line.line <= SAME_THREAD_LINES and threads & _threads(line.text)
    ]
    near = [line for line in before if decides.line - line.line <= NEAR_LINES]
    told = (
        line
        for line in reversed(same or near)
        if tells_in_words(line.text) and not _is_long_before(line.text, decides.text or "")
    )
    behind = (line for line in telling.get(decides.source, ()) if _looks_back(line, decides))
    return [*islice(chain(behind, told), MOST_QUOTED)][::-1]


def _looks_back(line: RawLine, decides: ProvingLine) -> bool:
    """Whether it tells, soon after the line that decides, that the process had stood still."""
    if not 0 < line.line - decides.line <= NEAR_LINES or _LOOKS_BACK.search(line.text) is None:
        return False
    written, at = told_at(line.text), told_at(decides.text or "")
    return written is not None and at is not None and written - at <= SOON_MS


def _is_long_before(text: str, decides: str) -> bool:
    """Whether it was written that long before; not known where one of the two tells no time."""
    written, at = told_at(text), told_at(decides)
    return written is not None and at is not None and at - written > LONG_MS


def _threads(text: str) -> set[str]:
    head = text.partition("\n")[0]
    if head.startswith("{"):  # its keys and most of its values are the same on every line
        return set(_IN_JSON.findall(head))
    return {name for name in _THREAD.findall(head[:400]) if not _COMMON.fullmatch(name)}
