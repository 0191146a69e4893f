# ruff: noqa: E501  # a line of a log is a line
"""`kipwatch explain FILE`: one log, read, folded and judged without Spark, told at 80 columns."""

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from jobs.explain.files import explain_logs
from transforms.errors import BadInput

ROOT = Path(__file__).parent.parent.parent.parent
RECORDINGS = ROOT / "tests" / "recordings"
SLOW = RECORDINGS / "p62-slow-poll-42" / "consumer-a.app.log.gz"


def explained(path, as_json=False):
    out = io.StringIO()
    console = Console(file=out, width=80, markup=False, emoji=False, highlight=False)
    explain_logs([str(path)], console, "json" if as_json else "text")
    return out.getvalue()


@pytest.fixture(scope="module")
def slow():
    return explained(SLOW)


def test_a_kicked_out_consumer_is_told_with_gap_limit_origin_and_return(slow):
    text = " ".join(slow.split())
    assert "Consumer consumer-a was kicked out of group order-service: its processing took 14.1 s" in text
    assert "limit max.poll.interval.ms = 8 s" in text
    assert "The limit is from the client's own log" in text
    assert "It was a member again after 7.3 s" in text


def test_the_commit_that_failed_then_is_told_too(slow):
    assert "Commit of consumer-a was refused" in " ".join(slow.split())


def test_what_began_before_a_fault_is_not_said_to_have_come_then(tmp_path):
    lost = "%6|{0}|FAIL|pay#consumer-1| [thrd:b1:9092/bootstrap]: b1:9092/1: Connect to ipv4#10.0.0.1:9092 failed: Connection refused (after 0ms in state CONNECT)"
    ended = "%4|1700000012.125|SESSTMOUT|pay#consumer-1| [thrd:main]: Consumer group session timed out (in join-state steady) after 10001 ms without a successful response from the group coordinator (broker 1, last error was Success): revoking assignment and rejoining group"
    log = tmp_path / "app.log"
    log.write_text(
        "\n".join([*(lost.format(f"170000000{at}.125").replace("%6", "%3") for at in (3, 5, 8)), ended])
        + "\n"
    )
    text = explained(log)
    assert "\nBefore      2023-11-14" in text
    assert "\nThen  " not in text


def test_it_shows_the_lines_with_their_place(slow):
    assert "consumer-a.app.log.gz:687" in slow
    assert "consumer poll timeout has expired" in slow


def test_it_ends_with_the_accounting_in_one_sentence(slow):
    assert "Read 1358 lines (" in slow.splitlines()[-2] + slow.splitlines()[-1]


def test_everything_fits_in_80_columns(slow):
    assert max(map(len, slow.splitlines())) <= 80


def test_no_spark_is_started():
    script = (
        "import sys; from rich.console import Console\n"
        "from jobs.explain.files import explain_logs\n"
        f"explain_logs([{str(SLOW)!r}], Console(quiet=True))\n"
        "started = sys.modules.get('pyspark') and sys.modules['pyspark'].SparkContext._active_spark_context\n"
        "print(bool(started), flush=True)"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert told.stdout.strip() == "False", told.stderr


def test_json_has_incidents_violations_unjudged_and_books():
    told = json.loads(explained(SLOW, as_json=True))
    assert {row["row"]["kind"] for row in told["incidents"]} >= {"membership_poll_expired", "commit_refused"}
    books = told["accounting"]
    dropped = sum(books["lines_dropped"].values())
    assert books["lines_read"] == books["lines_in_records"] + books["lines_unparsed"] + dropped


def test_the_same_story_from_the_plain_file(tmp_path):
    plain = tmp_path / "consumer-a.app.log"
    plain.write_bytes(gzip.decompress(SLOW.read_bytes()))
    told, again = (json.loads(explained(path, as_json=True)) for path in (SLOW, plain))
    assert [row["row"]["title"] for row in told["incidents"]] == [
        row["row"]["title"] for row in again["incidents"]
    ]


KAFKA = (
    "[2026-05-01 10:00:00,000] {level} [Consumer clientId=a, groupId=g] {text} "
    "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n"
)
JOINED = (
    "Successfully joined group with generation Generation{generationId=5, memberId='a-1', protocol='range'}"
)


@pytest.mark.parametrize(
    ("content", "says", "ending"),
    [
        pytest.param(b"", "is empty", "not_judged", id="empty"),
        pytest.param(bytes(range(256)) * 64, "is no text", "not_judged", id="binary"),
        pytest.param(
            b"nothing of interest here\n" * 10, "no line of a Kafka client", "not_judged", id="no Kafka"
        ),
        pytest.param(
            gzip.compress(KAFKA.format(level="INFO", text=JOINED).encode() * 900)[:200],
            "could not be",
            "not_judged",
            id="cut gz",
        ),
        pytest.param(
            gzip.compress(KAFKA.format(level="INFO", text=JOINED).encode())[:40],
            ": nothing of it could be read",
            "not_judged",
            id="gz cut at its beginning",
        ),
        pytest.param(
            b"11:02 WARN -- kgo.Client: something that no version is known to say\n",
            "of franz-go",
            "not_judged",
            id="other client",
        ),
        pytest.param(
            b"11:02 [franz-go] kgo.Client opened\n",
            "is a log of franz-go",
            "not_judged",
            id="other client, quiet",
        ),
        pytest.param(
            KAFKA.format(level="INFO", text=JOINED).encode(), "nothing wrong", "nothing_wrong", id="healthy"
        ),
        pytest.param(
            KAFKA.format(level="INFO", text=JOINED).encode(),
            "is still a member of its group where they end: they tell of no close.",
            "nothing_wrong",
            id="a member that goes on, or was killed",
        ),
        pytest.param(
            KAFKA.format(level="WARN", text="Something that no version is known to say").encode(),
            "1 line could not be judged",
            "not_judged",
            id="a warning that nothing explains",
        ),
        pytest.param(
            KAFKA.format(level="ERROR", text="Something that no version is known to say").encode(),
            "said at a level of errors",
            "trouble",
            id="an error that nothing explains",
        ),
        pytest.param(
            KAFKA.format(level="INFO", text="Something that no version is known to say").encode(),
            "nothing wrong",
            "nothing_wrong",
            id="an unknown line that is quiet",
        ),
        pytest.param(
            b'{"severity":7,"fac":"FETCH","message":"[thrd:b1:9092/1]: b1:9092/1: Fetch 1/1/4 toppar(s)"}] \n',
            "Read 1 Kafka line: nothing wrong",
            "nothing_wrong",
            id="librdkafka's head before a text that no family knows",
        ),
        pytest.param(
            KAFKA.format(level="INFO", text=JOINED).encode() + b"2026-05-01 10:00:01 WARN Kafka is gone\n",
            "1 line could not be judged",
            "not_judged",
            id="the application speaks of trouble with Kafka",
        ),
    ],
)
def test_a_log_without_a_story_says_why(tmp_path, content, says, ending):
    path = tmp_path / "app.log"
    path.write_bytes(content)
    assert says in " ".join(explained(path).split())
    assert json.loads(explained(path, as_json=True))["ending"] == ending


def test_hostile_text_is_shown_not_obeyed(tmp_path):
    path = tmp_path / "app.log"
    path.write_text(
        "[2026-05-01 10:00:00,000] WARN [Consumer clientId=a\x1b[31m, groupId=g] consumer poll timeout has"
        " expired. This means the time between subsequent calls to poll() was longer than the configured"
        " max.poll.interval.ms (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n"
    )
    assert "\x1b" not in explained(path)


def test_a_folder_without_a_log_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match="holds no log"):
        explained(tmp_path)
