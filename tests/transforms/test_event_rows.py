"""Events as they stand in a lake of an earlier release."""

import pyarrow as pa

from transforms.arrow_rows import event_column


def test_events_that_were_read_before_other_clients_were_known_are_javas():
    """Their settings and limits are found by the library: without one they had none."""
    batch = pa.RecordBatch.from_pydict(
        {"client_library": [None, "librdkafka", None], "kind": ["join", None, "sync"]}
    )
    assert event_column(batch, "client_library") == ["java", "librdkafka", "java"]
    assert event_column(batch, "kind") == ["join", None, "sync"]
