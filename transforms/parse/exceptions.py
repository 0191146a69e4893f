"""Exceptions in a record: the chain of its stack trace, and the failure that an exception's text proves."""

import re
from dataclasses import dataclass

_THROWN = re.compile(
    r"^(?:\s*Caused by: |\s*Exception in thread \"[^\"]*\" )?"
    r"((?:[A-Za-z_$][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable))(?:: (.*))?\s*$"
)
# Kafka's own, and the ones of Java that Kafka wraps its own in (ExecutionException: org.apache.kafka...: text).
_INLINE = re.compile(
    r"((?:org\.apache\.kafka|java)\.[\w.$]+?(?:Exception|Error|Throwable)\b(?!\.))(?:: (.*))?"
)


@dataclass(frozen=True, slots=True)
class Thrown:
    """One exception: simple class name, its message (first line)."""

    name: str
    message: str | None
    is_kafka: bool


def simple_name(qualified: str) -> str:
    """`TimeoutException` of `org.apache.kafka.common.errors.TimeoutException`."""
    return qualified.rsplit(".", 1)[-1].rsplit("$", 1)[-1]


def chain_of(message: str) -> list[Thrown]:
    """The exceptions of a record, outermost first, from its stack trace and from what its own line prints."""
    chain: list[Thrown] = []
    for line in message.split("\n"):
        if line[:1] == "\t" or line.startswith("    at "):
            continue
        thrown = _THROWN.match(line) or (_INLINE.search(line) if "org.apache.kafka." in line else None)
        if thrown is not None:
            _append(chain, thrown[1], thrown[2])
    return chain


def _append(chain: list[Thrown], qualified: str, message: str | None) -> None:
    """Add an exception and those that its message begins with (StreamsException: o.a.k...TimeoutException: text)."""
    while True:
        found = Thrown(simple_name(qualified), message, qualified.startswith("org.apache.kafka."))
        if found not in chain:
            chain.append(found)
        inner = _INLINE.match(message or "")
        if inner is None:
            return
        qualified, message = inner[1], inner[2]


@dataclass(frozen=True, slots=True)
class Proof:
    """What an exception's text proves: family id, kind, and the fields it names."""

    message_id: str
    kind: str
    fields: dict[str, str]


# Text of an exception -> what happened. Order matters: the most telling first.
_PROOFS: tuple[tuple[str, str, str, re.Pattern[str]], ...] = tuple(
    (literal, message_id, kind, re.compile(pattern))
    for literal, message_id, kind, pattern in (
        (
            "did not make progress within",
            "task-timeout-expired",
            "task_timeout_expired",
            r"Task (?P<task_id>(?:\S+__)?\d+_\d+) did not make progress within (?P<elapsed_ms>\d+) ms",
        ),
        (
            "did not make progress to restore state within",
            "global-timeout-expired",
            "task_timeout_expired",
            r"Global task did not make progress to restore state within (?P<elapsed_ms>\d+) ms",
        ),
        (
            "Retrying is disabled. You can enable it by setting `task.timeout.ms`",
            "global-retry-disabled",
            "task_timeout_expired",
            r"Retrying is disabled",
        ),
        (
            "record(s) for ",
            "producer-batch-expired",
            "batch_expired",
            r"Expiring (?P<records>\d+) record\(s\) for (?P<tp>\S+-\d+): ?(?P<elapsed_ms>\d+) ms has passed since "
            r"(?P<since>batch creation plus linger time|batch creation|last append|last attempt plus backoff time)",
        ),
        (
            "Commit cannot be completed since",
            "commit-failed-exception",
            "commit_failed",
            r"(?:Offset )?[Cc]ommit cannot be completed since (?P<reason>the group has already rebalanced|the consumer "
            r"is not part of an active group|.{1,80}?)(?= and |[.,]|$)",
        ),
        (
            "expired before successfully committing offsets",
            "commit-timeout-exception",
            "commit_failed",
            r"Timeout of (?P<limit_ms>\d+)ms expired before successfully committing offsets",
        ),
        (
            "not present in metadata after",
            "producer-metadata-timeout",
            "produce_failed",
            r"(?:Topic (?P<topic>\S+)|Partition (?P<partition>\d+) of topic (?P<topic_of>\S+) with partition count \d+ is) "
            r"not present in metadata after (?P<limit_ms>\d+) ms",
        ),
        (
            "Failed to update metadata after",
            "producer-metadata-timeout",
            "produce_failed",
            r"Failed to update metadata after (?P<limit_ms>\d+) ms",
        ),
        (
            "Failed to allocate memory within the configured max blocking time",
            "producer-buffer-timeout",
            "produce_failed",
            r"Failed to allocate (?:memory|(?P<bytes>\d+) bytes) within the configured max blocking time (?P<limit_ms>\d+) ms",
        ),
        (
            "within the configured max blocking time",
            "producer-buffer-timeout",
            "produce_failed",
            r"Failed to allocate (?P<bytes>\d+) bytes within the configured max blocking time (?P<limit_ms>\d+) ms",
        ),
        (
            "should be equal to or larger than linger.ms + request.timeout.ms",
            "config-refused",
            "config_warning",
            r"(?P<reason>delivery\.timeout\.ms should be equal to or larger than linger\.ms \+ request\.timeout\.ms)",
        ),
        (
            "Heartbeat must be set lower than the session timeout",
            "config-refused",
            "config_warning",
            r"(?P<reason>Heartbeat must be set lower than the session timeout)",
        ),
    )
)


def proof_in(text: str) -> Proof | None:
    """The failure that an exception's text in this record proves; None where there is none."""
    for literal, message_id, kind, pattern in _PROOFS:
        if literal in text:
            match = pattern.search(text)
            if match is not None:
                fields = {name: value for name, value in match.groupdict().items() if value is not None}
                if "topic_of" in fields:
                    fields["topic"] = fields.pop("topic_of")
                return Proof(message_id, kind, fields)
    return None
