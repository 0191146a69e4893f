"""`kipwatch explain` as it is typed: standard input, several files, folders, formats, exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jobs.cli import app
from transforms.errors import BadInput

LINE = (
    "[2026-05-01 10:0{minute}:00,000] {level} [Consumer clientId={client}, groupId=orders] {text} "
    "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)\n"
)
JOINED = "Successfully joined group with generation Generation{{generationId=5, memberId='{client}-1', protocol='range'}}"
EXPIRED = (
    "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the "
    "configured max.poll.interval.ms"
)
UNKNOWN = "Something that no version is known to say"


def log(level="WARN", text=EXPIRED, client="a"):
    return LINE.format(
        minute=0, level="INFO", client=client, text=JOINED.format(client=client)
    ) + LINE.format(minute=9, level=level, client=client, text=text)


def explained(*words, given=""):
    return CliRunner().invoke(app, ["explain", *map(str, words)], input=given)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        pytest.param(log(), 1, id="trouble"),
        pytest.param(log(level="INFO", text=JOINED.format(client="a")), 0, id="nothing wrong"),
        pytest.param(log(level="WARN", text=UNKNOWN), 3, id="not judged"),
        pytest.param(log() + log(level="WARN", text=UNKNOWN, client="b"), 1, id="trouble wins"),
        pytest.param("", 3, id="empty"),
        pytest.param("nothing of it\n", 3, id="no Kafka"),
    ],
)
def test_the_exit_code_is_asked_for(content, code):
    assert explained("-", "--exit-code", given=content).exit_code == code
    assert explained("-", given=content).exit_code == 0


def test_bad_input_is_an_error_of_its_own(tmp_path):
    result = explained(tmp_path / "none.log", "--exit-code")
    assert isinstance(result.exception, BadInput)
    assert result.exception.exit_code == 2


def test_standard_input_is_read_as_a_file_is(tmp_path):
    path = tmp_path / "app.log"
    path.write_text(log())
    of_file, of_input = explained(path).stdout, explained("-", given=log()).stdout
    assert of_input.splitlines()[0] == of_file.splitlines()[0]
    assert "stdin:2" in of_input


def test_the_first_line_says_who_what_why_and_what_to_do():
    first = " ".join(explained("-", given=log()).stdout.split())
    assert first.startswith("Consumer a was kicked out of group orders")
    assert "max.poll.interval.ms" in first
    assert "Do: Find what held the processing up." in first


def test_a_field_that_is_not_known_leaves_no_trace():
    alone = "WARN consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer"
    told = " ".join(explained("-", given=alone).stdout.split())
    assert "poll()" in told
    assert ":ms" not in told


def test_a_time_without_a_zone_is_never_told_with_one():
    text = explained("-", given=log()).stdout
    assert "2026-05-01 10:09:00.000" in text
    assert "000Z" not in text + explained("-", "--format", "json", given=log()).stdout


def test_a_folder_and_several_files_are_told_together(tmp_path):
    for client in "abc":
        (tmp_path / f"{client}.log").write_text(log(client=client))
    for given in ([tmp_path], [tmp_path / "a.log", tmp_path / "b.log", tmp_path / "c.log"]):
        told = json.loads(explained(*given, "--format", "json").stdout)
        assert len(told["sources"]) == 3
        assert {client for one in told["incidents"] for client in one["row"]["client_ids"]} == {"a", "b", "c"}


def test_json_is_either_option():
    assert (
        explained("-", "--json", given=log()).stdout == explained("-", "--format", "json", given=log()).stdout
    )


def test_markdown_marks_nothing_up_that_a_log_says():
    hostile = log(client="a](http://x)<b>```")
    text = explained("-", "--format", "markdown", given=hostile).stdout
    assert text.startswith("**Consumer a")
    assert "a](http" not in text.split("```text")[0]
    assert text.count("```") % 2 == 0


def test_another_format_is_refused():
    assert isinstance(explained("-", "--format", "html", given="x").exception, BadInput)


def test_what_was_not_judged_is_a_line_unless_asked_for():
    short, long = (explained("-", *more, given=log()).stdout for more in ([], ["--unjudged"]))
    assert "(--unjudged lists them)" in short
    assert "would settle it" not in short
    assert "would settle it" in long


def test_the_applications_own_words_are_quoted():
    said = "[2026-05-01 10:08:00,000] WARN [pool-1] retrying with a backoff of 532500 ms (com.example.Shop)\n"
    first, last = log().splitlines(keepends=True)
    text = " ".join(explained("-", given=first + said + last).stdout.split())
    assert (
        "It said stdin:2 [2026-05-01 10:08:00,000] WARN [pool-1] retrying with a backoff of 532500 ms" in text
    )


def test_secrets_of_quoted_lines_are_redacted():
    spoken = "2026-05-01 10:00:00 ERROR Kafka login failed for password=hunter22\n"
    for form in ("text", "json", "markdown"):
        assert "hunter22" not in explained("-", "--format", form, given=spoken).stdout


def test_nothing_slow_is_loaded():
    slow = ("pyspark", "pandas", "deltalake", "great_expectations", "dash", "pydantic")
    script = (
        "import io, sys; sys.argv = ['kipwatch', 'explain', '-']\n"
        f"sys.stdin = io.TextIOWrapper(io.BytesIO({log().encode()!r}))\n"
        "from jobs.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {slow!r} if name in sys.modules], flush=True)"
    )
    root = Path(__file__).parent.parent.parent.parent
    told = subprocess.run(
        [sys.executable, "-c", script], cwd=root, check=True, capture_output=True, text=True
    )
    assert told.stdout.splitlines()[-1] == "[]"
