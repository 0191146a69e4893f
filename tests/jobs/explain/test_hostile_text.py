"""Lines made to be slow to read: what they say takes time by its length, in however long lines it stands."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.cpu import least_cpu_s, takes_less
from tests.jobs.explain.test_explain_file import explained

LONG, SHORT = 20_000, 1_250  # characters of a line
HEADS = (
    "",
    "x",
    "[2024-01-01 10:00:00,000] ERROR ",
    "%3|1700000000.1|FAIL|rdkafka#consumer-1| [thrd:a]: ",
    "2024-01-01 10:00:00,000 INFO [Consumer clientId=a, groupId=g] Adding newly assigned partitions: ",
    "2024-01-01 10:00:00,000 ERROR [Consumer clientId=a, groupId=g] x (org.apache.kafka.clients.consumer.KafkaConsumer) ",
)
UNITS = (
    "a", "A1", "1", "-", "_", "(", "[", "{", "=", ":", "/", "$", "%", "#", ";", "&", "*", "|", '"', "'", "\\",
    "a.", "A.", "Aa", "1.", "a-", "a_", "::", "a=", "[a]", "0x", "<br>", "&lt;", "\\n", "\\\"", "clientId=",
    "org.apache.kafka.", "Exception", "http://", "KafkaJS", " ", "\t", "a b ", "> ", "// ", "$ ", "| ", "1: ",
    "x: ", "a-1, ", "{a=b, ", "a@b.c ", "10.0.0.1:9092 ", "failed ", "broker ", "ERROR ", "WARN [", "12:00:00 ",
    "2024-01-01 ", "TimeoutException: ", "Caused by: ", "java.lang.A: ", "at a.b(C.java:1) ",
    "[Consumer clientId=a, groupId=g] ",
)  # fmt: skip
# One line of each took seconds: alone it is looked at otherwise than among many.
ALONE = ("a", "Aa", "/", "\\", "a-", "a.", "Exception", "org.apache.kafka.", "http://")


def lines_of(head: str, units: tuple[str, ...], length: int) -> str:
    one = [head + unit * (length // len(unit)) for unit in units]
    return "\n".join(one * (LONG // length)) + "\n"


def explaining(path: Path, text: str) -> Callable[[], object]:
    path.write_text(text)
    return partial(explained, path)


@pytest.mark.parametrize("units", [pytest.param(UNITS, id="many"), *((unit,) for unit in ALONE)])
@pytest.mark.parametrize("head", HEADS)
def test_long_lines_take_no_longer_than_as_much_in_short_ones(tmp_path, head, units):
    """Sixteen times as long each, they would take 16 times the time if their squares counted."""
    short, long = (
        explaining(tmp_path / f"{length}.log", lines_of(head, units, length)) for length in (SHORT, LONG)
    )
    assert takes_less(long, 0.25 + 3 * least_cpu_s(short, tries=1))


def test_words_before_a_time_and_an_indent_take_no_time(tmp_path):
    """A head of twelve words was looked for in a run of blanks, in each way that they might have been left out."""
    words = "As the cluster was moved our registry does not start any more"
    head = f"{' ' * 66}{words}  [2026-01-05 10:00:00,291] ERROR Server died:  (io.confluent.kafka.Main:52)"
    cause = f"{' ' * 66}org.apache.kafka.common.errors.TimeoutException: Timeout expired while fetching topic metadata"
    assert takes_less(explaining(tmp_path / "a.log", f"{head}\n{cause}\n"), 2)


@pytest.mark.parametrize("mark", ["", "-", "*"])
def test_what_failed_behind_an_indent_takes_no_time(tmp_path, mark):
    """What may be a program's begins with blanks, and with a mark of a diff's between them."""
    text = f"{' ' * LONG}{mark}{' ' * LONG}kafka failed to send: connection refused\n"
    assert takes_less(explaining(tmp_path / "a.log", text), 2)
