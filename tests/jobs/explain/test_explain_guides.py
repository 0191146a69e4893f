# ruff: noqa: E501, RUF001  # a line of a text is a line; letters of other scripts are what stands here
"""A text that tells readers what may fail says nothing of what did; a line of a log within it, and who tells of himself, do."""

import io
import json

import pytest
from rich.console import Console

from jobs.explain.files import explain_logs
from transforms.diagnose.unexplained.guides import is_guide

SYMPTOMS = (
    "## Symptoms\n\n- Kafka consumers fail with RecordTooLargeException or stay behind\n\n## Likely causes\n\n"
    "- a broker's certificate has expired\n"
)
TABLE = (
    "| Failure mode | How it manifests |\n|---|---|\n| retention is short | OffsetOutOfRangeException: what it asks for is deleted |\n"
    "\nThe exception usually passes where a policy is set.\n"
)
QUESTION = "Question 7\n\nA Kafka consumer of payments logged `OffsetOutOfRangeException` after a weekend. What would you look at?\n"
CHINESE = "Kafka消费者排查指南\n\n提交失败时 Kafka 的日志里有 CommitFailedException 或 Offset commit failed 这样的错误。\n\n解决方案\n\n增大 max.poll.interval.ms。\n"
PAGE = (
    "Kafka producer SSL handshake failure\n\nWhy this happens\n\nThe SSL handshake failed because your Kafka broker has another "
    "certificate.\n\nHow to fix it\n\nRenew it.\n"
)

DECODED = (
    'Kafka: topic not present in metadata\n\nWith Kafka one might encounter messages such as "Topic x not present in metadata", '
    "and the send failed.\n\nDecoding the Error Message\n\nReasons for the Timeout\n"
)
RUSSIAN = "Руководство по ошибкам Kafka\n\nЧасто бывает, что брокер Kafka недоступен, и отправка не удалась: connection refused.\n"
QUOTED = (
    "## Production pitfalls\n\n```\nTimeoutException: Timed out waiting for a node assignment. Call: listTopics\n\nRoot causes + fixes:\n"
    "- Connection to node -1 could not be established. Broker may not be available.\n```\n\n**Solution:** start Kafka\n"
)
LISTED = "Kafka常见错误整理\n\n常见异常\n\n--- NotEnoughReplicasException\nhttps://example.com/a\n\n--- Offset commit failed on partition x at offset 9: The coordinator is not aware of this member\n"
EXAM = "# Kafka interview questions\n\n### Enunciado\n\nEl grupo no avanza: `consumer poll timeout has expired` en los logs de Kafka. Por qué falla?\n\n### Respuesta\n\nBaja max.poll.records.\n"
SHOWN = (
    "Kafka FencedInstanceIdException: two members of one name\n\nFencedInstanceIdException says that the Kafka group has taken another "
    "consumer of that name.\n\nThis guide shows how to find it.\n\nWhat this means\n\nA group.instance.id is given once.\n"
)
NORMAL = "## Symptoms\n\nThe Kafka pods never become ready, and repeat this:\n\n```\nRequest joining group due to: group is already rebalancing\n```\n\n## Causes\n\nTwo consumers share one group.id.\n"
REFERENCE = "## Reference: Normal Log Patterns\n\nThese are **expected** log entries of Kafka:\n\n```\n# Problem: its topics can't be listed\nBillsException: Failed to list subscribed kafka partitions\n```\n"
SETTINGS = (
    "isolation.level\n\n\t - Type: STRING\n\t - Default: read_uncommitted\n\t - Importance: Controls how to read messages written "
    "transactionally. If set to read_committed, consumer.poll() will only return transactional messages which have been committed. Else a "
    "Kafka consumer reads even transactional messages which have been aborted.\n\nretries\n\t - Type: INT\n\t - Default: 3\n"
)
HEADED = (
    '## Errors\n\n### Error 7: "org.acme.KafkaException: Send failed; nested exception is org.apache.kafka.common.errors.TimeoutException"\n\n'
    "**Root cause**: Kafka was not reached.\n\n**Diagnostic steps**:\n1. Ask the broker.\n"
)


def ending(tmp_path, text):
    """How a text ends, and what its faults are headed by."""
    path, written = tmp_path / "given.txt", io.StringIO()
    path.write_text(text, encoding="utf-8")
    explain_logs([str(path)], Console(file=written, width=80), "json")
    told = json.loads(written.getvalue())
    return told["ending"], [one["heading"] for one in told["incidents"]]


@pytest.mark.parametrize(
    "text",
    [
        SYMPTOMS,
        TABLE,
        QUESTION,
        CHINESE,
        PAGE,
        DECODED,
        RUSSIAN,
        QUOTED,
        LISTED,
        EXAM,
        SHOWN,
        NORMAL,
        REFERENCE,
        SETTINGS,
        HEADED,
    ],
)
def test_what_a_guide_says_of_a_fault_happened_to_nobody(tmp_path, text):
    assert ending(tmp_path, text) == ("not_judged", [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(f"We see this since Monday.\n\n{SYMPTOMS}", "too large", id="of oneself"),
        pytest.param(
            f"{SYMPTOMS}\n2026-01-05 10:00:00,123 ERROR [main] com.acme.Sender - Kafka refused it: RecordTooLargeException\n",
            "too large", id="a line of a log",
        ),
        pytest.param(
            f"{TABLE}\norg.apache.kafka.common.errors.RecordTooLargeException: The message is 9 bytes when serialized which is larger than 4\n",
            "too large", id="what was thrown",
        ),
        pytest.param(
            f"{QUOTED}\n[Consumer clientId=c-1, groupId=g] Connection to node -1 (b1/10.0.0.1:9092) could not be established. Broker may not be available.\n",
            "could not connect", id="whose it was",
        ),
    ],
)  # fmt: skip
def test_what_stands_in_a_guide_and_happened_is_told(tmp_path, text, said):
    how, (first, *_) = ending(tmp_path, text)
    assert (how, said in first) == ("trouble", True)


@pytest.mark.parametrize(
    "text",
    [
        "The fix is in.\nCause: none\n",
        "### Describe the bug\nKafka fails.\n### Steps to reproduce\n1. start\n### Possible solution\nnone\n",
        "Commit cannot be completed since the group has already rebalanced. This means that the time between subsequent calls "
        "to poll() was longer than the configured max.poll.interval.ms, which typically implies that the poll loop is slow. You "
        "can address this either by increasing it\nCause: slow\n",
        "I followed the quickstart guide\nand it usually fails\n",
        "Kafka fails here.\nReasons for it: none are known\n",
        "connector:\n  Type: sink\n  Default: true\n",
        "2026-01-05 10:00:00 INFO symptoms\n2026-01-05 10:00:00 INFO your causes\n",
    ],
)
def test_one_sign_makes_no_guide(text):
    assert not is_guide(text.encode())


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("**P4:** grep the log for `CommitFailedException`, `consumer poll timeout has expired`, `Lost previously assigned partitions`.\n", "not_judged"),
        ("The log says `consumer poll timeout has expired`, then `CommitFailedException`.\n", "trouble"),
        ("2026-01-05 10:00:00 WARN grep for `CommitFailedException`, `consumer poll timeout has expired`, `Lost previously assigned partitions`\n", "trouble"),
    ],
)  # fmt: skip
def test_messages_that_a_sentence_lists_happened_to_nobody(tmp_path, text, how):
    assert ending(tmp_path, text)[0] == how


@pytest.mark.parametrize(
    "text",
    [
        "const REJOIN =\n  'ERROR - The coordinator is not aware of this member, re-joining the group - The coordinator is not aware of this member';\n",
        "  bug: [\n    'retention.ms=259200000',\n    'OffsetOutOfRangeException: Fetch position offset=3 is out of range for partition orders-0',\n  ],\n",
        "insert into known values\n(\n    'org.apache.kafka.common.errors.FencedInstanceIdException: The broker rejected this static consumer',\n    'kafka',\n    7\n);\n",
    ],
)  # fmt: skip
def test_a_string_that_stands_alone_on_a_programs_line_happened_to_nobody(tmp_path, text):
    assert ending(tmp_path, text)[0] == "not_judged"
