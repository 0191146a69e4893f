"""Few spans and many are searched in two ways, which find the same."""

import time

import numpy as np
import pytest

from tests.transforms.parse.samples import samples
from transforms.parse.catalogue.anchors import may_be_kafka
from transforms.parse.records.spanfilter import MANY, SpanFilter
from transforms.parse.secrets.redact import HINT_PATTERN, KAFKA_WORDS, WITHOUT_THEM

LINES = 4 * [
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


@pytest.mark.parametrize(
    ("text", "bounds", "found"),
    [
        pytest.param(b"xxxx xxx  yyyy", [0, 5, 10, 14], [0], id="of these bytes"),
        pytest.param(b"xx xxxxxx xxxx", [0, 5, 10, 14], [1, 2], id="over the end of one and within the next"),
        pytest.param(b"xxxxxxx", [0, 3, 6], [], id="none is long enough"),
        pytest.param(b"xxxx----xxxx", [5, 8], [], id="before the first and behind the last"),
        pytest.param(b"xxxx", [0], [], id="no spans"),
    ],
)
def test_a_run_lies_within_one_span(text, bounds, found):
    assert SpanFilter(text, np.array(bounds)).with_run(b"x", 4) == found


def test_a_long_run_beyond_the_spans_is_passed_over_at_once():
    """A line that goes on for megabytes: its record is what was kept of it, and the run goes on behind it."""
    spans = SpanFilter(b"x" * (32 << 20), np.array([0, 30, 1000]))
    began = time.process_time()
    assert spans.with_run(b"x", 40) == [1]
    assert time.process_time() - began < 1
