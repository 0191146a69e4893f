# ruff: noqa: E501  # a line of a log is a line
"""By which line a reader finds what is told."""

import pytest

from tests.answered import answered

FRAME = "at org.apache.kafka.clients.producer.KafkaProducer$FutureFailure.<init>(KafkaProducer.java:1316)"
TIMED_OUT = (
    "org.apache.kafka.common.errors.TimeoutException: Topic bills not present in metadata after 60000 ms."
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param(
            f"Beginning with the bills\nof the last month\n  and more\njava.util.concurrent.ExecutionException: {TIMED_OUT}\n{FRAME}",
            4,
            id="below what a program printed",
        ),
        pytest.param(
            f"at com.acme.Bills.send(Bills.java:83)\nat com.acme.Bills.main(Bills.java:13)\nCaused by: {TIMED_OUT}",
            3,
            id="below frames whose head was cut off",
        ),
        pytest.param(f"{TIMED_OUT}\n\t{FRAME}", 1, id="at the top"),
        pytest.param(
            f"2026-01-05 10:00:00,000 ERROR [main] com.acme.Bills - Not sent\njava.lang.RuntimeException: x\n\t{FRAME}\nCaused by: {TIMED_OUT}",
            1,
            id="below a head",
        ),
        pytest.param(
            f"ERROR com.acme.Bills - Not sent\njava.lang.RuntimeException: x\n\t{FRAME}\nCaused by: {TIMED_OUT}",
            1,
            id="below a head without a time",
        ),
    ],
)  # fmt: skip
def test_an_exception_without_a_head_is_shown_by_its_own_line(text, line, tmp_path):
    _, said = answered(text, tmp_path)
    assert f"app.log:{line} Why" in said
    assert f"Log lines that prove it {tmp_path.name}/app.log:{line} " in said
