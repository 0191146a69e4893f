"""Members that left their group and went on: aiokafka says so at INFO alone, where nobody asked it for records in time.

Source: aiokafka, GroupCoordinator._heartbeat_routine: past max_poll_interval_ms it leaves, and joins again at the next call.
A member that is closed leaves too, and gives nothing back after it.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise

from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.unexplained.source_read import ReadRecord
from transforms.events import ClientEvent

LEFT, REVOKED, LIBRARY = "aiokafka-left", "python-revoked", "aiokafka"
OF_PYTHON = frozenset({LIBRARY, "kafka-python"})  # lines without a logger are known as one's or the other's


def left_and_back(events: Iterable[ClientEvent], records: Mapping[str, ReadRecord]) -> list[RawLine]:
    """The lines of their leaving, in order: right after each the same process gives partitions back."""
    of_python = sorted(
        (one for one in events if one.client_library in OF_PYTHON), key=lambda one: (one.unit_id, one.order)
    )
    left = (
        records[one.record_id]
        for one, after in pairwise(of_python)
        if one.message_id == LEFT
        and (after.message_id, after.unit_id) == (REVOKED, one.unit_id)
        and after.topic is not None
        and one.record_id in records
    )
    return [
        RawLine(one.source, one.line, one.text.split("\n", 1)[0].strip(), "words", LIBRARY, record=one.text)
        for one in left
    ]
