"""The spans of a buffer as one Arrow array over the same bytes: RE2 looks at all of them at once."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Numbers = npt.NDArray[np.int64]
NONE = np.empty(0, np.int64)


class Columns:
    """Spans bounds[i] to bounds[i + 1] of a buffer."""

    def __init__(self, buffer: bytes, bounds: Numbers) -> None:
        offsets = pa.py_buffer(bounds.astype(np.int32))
        self._spans = pa.BinaryArray.from_buffers(
            pa.binary(), len(bounds) - 1, [None, offsets, pa.py_buffer(buffer)]
        )

    def matching(self, pattern: str, numbers: Numbers, without: str, by: str) -> Numbers:
        """Which of these spans (places in `numbers`) hold a match; as SpanFilter.matching."""
        spans = self._spans if len(numbers) == len(self._spans) else self._spans.take(_indices(numbers))
        if without:
            spans = pc.replace_substring_regex(spans, pattern=without, replacement=by)
        return _numbers(pc.match_substring_regex(spans, pattern=pattern))


# Through buffers: Array.to_numpy() and pa.array() load pandas where it is installed, which costs a third of a second.
def _numbers(mask: Any) -> Numbers:
    found = pc.indices_nonzero(mask)
    return np.frombuffer(found.buffers()[1], np.uint64, len(found)).astype(np.int64) if len(found) else NONE


def _indices(numbers: Numbers) -> pa.Array:
    whole = np.ascontiguousarray(numbers, np.int64)
    return pa.Array.from_buffers(pa.int64(), len(whole), [None, pa.py_buffer(whole)])
