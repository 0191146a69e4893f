"""Few spans and many are searched in two ways, which find the same."""

import numpy as np
import pytest

from tests.transforms.parse.samples import samples
from transforms.parse.anchors import may_be_kafka
from transforms.parse.redact import HINT_PATTERN, KAFKA_WORDS, WITHOUT_THEM
from transforms.parse.spanfilter import MANY, SpanFilter

LINES = [
    *(sample.message.encode() for sample in samples()),
    b"ssl.keystore.password=geheim\n",
    "Schl\u00fcssel password: gr\u00fcn\n".encode(),
    b"\xff\xfe clientId=\x00orders\n",
    b"",
]


@pytest.mark.parametrize(
    ("pattern", "without"),
    [(one, "") for one in (*may_be_kafka(), HINT_PATTERN, r"\n\z", r"\A.\xbc?")]
    + [(HINT_PATTERN, KAFKA_WORDS)],
)
def test_few_are_found_as_many_are(pattern, without):
    spans = SpanFilter(b"".join(LINES), np.cumsum([0, *map(len, LINES)]))
    found = spans.matching(pattern, without=without, by=WITHOUT_THEM)
    assert len(LINES) >= MANY
    parts = np.array_split(spans.all(), len(LINES) // MANY + 1)
    few = np.concatenate([spans.matching(pattern, part, without=without, by=WITHOUT_THEM) for part in parts])
    assert few.tolist() == found.tolist()
    assert len(found) < len(LINES)
