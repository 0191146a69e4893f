"""Where the last record of a source begins, told from the source's end alone."""

from itertools import chain

from transforms.parse.layouts.layout import SourceLayout, begins_of
from transforms.parse.layouts.wrappers import Wrapped
from transforms.parse.records.spans import Cutter, ReadSettings, Tail
from transforms.parse.records.streams import ByteSource
from transforms.parse.records.wrapped import Key, Unwrapper, physical_lines

FIRST_LOOK = 64 * 1024


def open_from(stream: ByteSource, layout: SourceLayout, size: int, settings: ReadSettings) -> int | None:
    """The offset from which on a longer source may be read otherwise; None where that is not waited for.

    size: of the source. None for a source that does not grow at its end, and for a record that is longer than what is kept
    of one. In envelopes it is the record that the last line belongs to.
    """
    if layout.layout == "binary" or layout.is_newest_first or not size:
        return None
    find = _in_envelopes if layout.wrappers or layout.fold else _bare
    for reach in (FIRST_LOOK, settings.max_record_bytes):
        start = max(0, size - reach)
        found = find(stream, layout, start, settings)
        if found is not None or not start:
            return found
    return None


def _bare(stream: ByteSource, layout: SourceLayout, start: int, settings: ReadSettings) -> int | None:
    spans = Cutter(stream, layout, start, None, 1, settings).spans()
    last = next((one for one in spans if isinstance(one, Tail)), None)
    if last is None:
        return None
    if start and len(last.spans) == 1 and last.spans[0].is_open:
        return None  # a line that isn't finished may become a part of the record before it
    return last.spans[0].place


def _in_envelopes(stream: ByteSource, layout: SourceLayout, start: int, settings: ReadSettings) -> int | None:
    begins = begins_of(layout)
    opened: dict[Key, int] = {}
    is_cut: set[Key] = set()
    found: int | None = None
    lines, unwrapper = physical_lines(stream, start, 1, settings), Unwrapper(layout, settings)
    if start:
        next(lines, None)  # it began before
    whole = (one for line in lines for one in unwrapper.whole(line))
    for line in chain(whole, unwrapper.rest()):
        if not line.has_newline:
            return line.offset if found is None and not start else found
        wrapped = line.found or Wrapped(line.last)
        key = wrapped.container, wrapped.stream
        if key not in is_cut and (begins(wrapped.payload) or (not start and key not in opened)):
            opened[key] = line.offset
        (is_cut.add if wrapped.is_partial else is_cut.discard)(key)
        found = opened.get(key)
    return found
