# ruff: noqa: E501  # a pattern is a line here, as in a script
"""The careful script, extended from the generated logs to what recordings hold: every family of the catalogue, in Kafka's layout.

The catalogue is its table of patterns, as data; reading, dispatch, prefixes, fields and exceptions are its own, as
`baseline.py`'s. It still knows one layout, no damaged input, no resuming and no settings.

python -m lab.benchmarks.recorded LOGS OUT
"""

import re
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

from lab.benchmarks import baseline
from lab.benchmarks.baseline import DUMPS, FIELDS, Values
from transforms.parse.catalogue.form import Form
from transforms.parse.catalogue.forms import catalogue, exception_forms

CLIENT = re.compile(
    r"\[(Consumer|Producer|AdminClient|ShareConsumer|Worker) (?:instanceId=.*?, )?clientId=(?P<client>.*?)"
    r"(?:, groupId=(?P<group>.*?))?(?:, transactionalId=.*?)?\]:? "
)
STREAMS = re.compile(
    r"(?P<what>stream-thread|stream-client|state-updater|global-stream-thread) \[(?P<name>[^\]]*)\] "
    r"(?:(?:standby-|stream-)?task \[(?P<task>[^\]]*)\] )?"
)
BROKER = re.compile(r"\[(?:GroupCoordinator|GroupMetadataManager|group-coordinator)\b[^\]]*\]:? ")
PART_OF_BROKER = re.compile(
    r"\[(?:[A-Z]\w*(?: [A-Za-z]\w*){0,3} (?:\w*[iI]d|listenerType|broker|name|partition)=[^\n]*?|Transaction State Manager \d+)\]:? "
)
GROUP = re.compile(r"\[GroupId ([^\]]*)\] ?(?:\[MemberId [^\]]*\] ?)?")
PART = re.compile(
    r"(?P<base>.+?)-(?:StreamThread-\d|StateUpdater-\d|GlobalStreamThread$|CleanupThread$)|(?P<uuid>.+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(?:admin|global-consumer)$"
)
KINDS = {
    "Consumer": "consumer",
    "Producer": "producer",
    "AdminClient": "admin",
    "ShareConsumer": "share",
    "Worker": "connect",
}
THROWN = re.compile(
    r"^\s*(?:Caused by: )?((?:[A-Za-z_$][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable))(?:: (.*))?\s*$"
)
INLINE = re.compile(
    r"((?:org\.apache\.kafka|java)\.[\w.$]+?(?:Exception|Error|Throwable)\b(?!\.))(?:: (.*))?"
)
OTHER_DUMPS = {"KafkaConfig": "broker", "ShareConsumerConfig": "share"}
# Texts of exceptions whose class, where it is printed whole, tells as much.
OF_A_CLASS = ("producer-fenced-exception", "member-fenced-exception", "produce-refused-exception")
NEVER_MADE = re.compile(
    r"\bSocketTimeoutException: Failed to connect within (?P<limit_ms>\d+) ms|\bIOException: Connection to [^\n]+ failed\b"
)
MADE_MEMBER = re.compile(
    r"(?:ember |eader |\()([^,(]*?-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\w.\-])"
)
BEYOND_DOUBT = ("batch_expired", "task_timeout_expired")
BY_EXCEPTION = {
    "CommitFailedException": "commit_failed",
    "FencedInstanceIdException": "fenced",
    "ProducerFencedException": "fenced",
    "StreamsException": "streams_error",
    "TaskCorruptedException": "streams_error",
    "NotEnoughReplicasException": "produce_failed",
    "RecordTooLargeException": "produce_failed",
    "ConfigException": "config_warning",
}
PAIR = re.compile(r"([\w.\-]+)-(\d+)")
TASK = re.compile(r"(?:[\w.\-]+?__)?\d+_\d+")
OF_TASK = re.compile(r"\b(?:task \[|taskId=)([\w.\-]*\d_\d+)\b")
SENT = frozenset(
    {
        "streams-send-error",
        "producer-error-callback",
        "producer-txn-error",
        "streams-producer-error",
        "connect-send-failed",
    }
)
ENDED = frozenset(
    {
        "streams-client-dies",
        "streams-thread-dies-26",
        "streams-thread-replaced",
        "streams-process-failed",
        "global-thread-init-failed",
        "global-thread-died",
    }
)
FENCING = frozenset(
    {
        "ProducerFencedException",
        "InvalidProducerEpochException",
        "InvalidPidMappingException",
        "FencedInstanceIdException",
        "TransactionCoordinatorFencedException",
    }
)


@cache
def tables() -> tuple[dict[str, list[Form]], dict[str, list[Form]], list[Form]]:
    """By logger and by first word; those without a word."""
    of_logger: dict[str, list[Form]] = defaultdict(list)
    of_word: dict[str, list[Form]] = defaultdict(list)
    for form in catalogue():
        for logger in form.family.loggers:
            of_logger[logger].append(form)
        for word in form.first_words:
            of_word[word].append(form)
    return of_logger, of_word, [form for form in catalogue() if not form.first_words]


def found_in(body: str, simple: str) -> tuple[Form, re.Match[str]] | None:
    """The logger's own families first."""
    of_logger, of_word, wordless = tables()
    for forms in (
        of_logger.get(simple, ()),
        of_word.get(body.split(None, 1)[0] if body.strip() else "", ()),
        wordless,
    ):
        for form in forms:
            if form.literal in body and (match := form.regex.match(body)):
                return form, match
    return None


def event_of(text: str) -> Values | None:
    """The fields that a record's text tells; None where it is not Kafka's."""
    head = text.find(" ", 26)
    end = text.find("\n")
    values: Values = {"level": text[26:head]}
    at = text.rfind(" (", 0, end) if end >= 0 else text.rfind(" (")
    if end >= 0 and (at < 0 or text[end - 1] != ")"):
        at, end = text.rfind(" ("), len(text)
    logger = text[at + 2 : (end if end >= 0 else len(text)) - 1].rstrip(")")
    if not logger.startswith(("org.apache.kafka.", "kafka.", "state.change.logger")):
        return _of_application(text, values)
    message = text[head + 1 : at]
    outer, end_of_prefix = _prefix(message, values)
    body = message[end_of_prefix:]
    simple = logger[logger.rfind(".") + 1 :]
    found = found_in(body, simple) or (found_in(message[outer:], simple) if outer else None)
    trace = text[end:] if 0 <= end < len(text) else ""
    if found is None:
        is_trouble = values["level"] in ("WARN", "ERROR", "FATAL")
        values["kind"], values["message_id"] = "other_kafka", "unexplained" if is_trouble else "unrecognized"
        _throws(values, message, trace)
        return values
    form, match = found
    family = form.family
    values["kind"], values["message_id"] = family.kind, family.id
    values["api"] = family.api
    values["client_kind"] = values.get("client_kind") or family.client
    _fill(values, match.groupdict())
    _throws(values, message, trace)
    _refine(values, match.groupdict(), message, body, text)
    return values


def _prefix(message: str, values: Values) -> tuple[int, int]:
    """Where the name of the part of a broker that wrote the line ends, and where the prefix does."""
    if message[:1] == "[":
        client = CLIENT.match(message)
        if client is not None:
            values["client_kind"], values["client_id"] = KINDS[client[1]], client["client"] or None
            values["group_id"] = None if client["group"] in (None, "", "null") else client["group"]
            return 0, client.end()
        broker = BROKER.match(message)
        if broker is not None:
            values["client_kind"] = "broker"
            group = GROUP.match(message, broker.end())
            if group is not None:
                values["group_id"] = group[1]
                return broker.end(), group.end()
            return 0, broker.end()
        part_of = PART_OF_BROKER.match(message)
        if part_of is not None and "clientId=" not in part_of[0] and "groupId=" not in part_of[0]:
            values["client_kind"] = "broker"
            return (0, part_of.end()) if part_of[0].startswith("[Transaction") else (part_of.end(), 0)
    elif message[:1] in ("s", "g") and (streams := STREAMS.match(message)):
        is_client = streams["what"] == "stream-client"
        part = PART.match(streams["name"])
        values["client_kind"] = "streams"
        values["client_id"] = streams["name"] if is_client else (part and (part["base"] or part["uuid"]))
        values["thread"] = (
            None
            if is_client
            else re.sub(r"(-StreamThread-\d+)-(?:restore-)?consumer$", r"\1", streams["name"])
        )
        values["task_id"] = streams["task"]
        return 0, streams.end()
    return 0, 0


def _fill(values: Values, fields: dict[str, str | None]) -> None:
    for name, value in fields.items():
        if value is None:
            continue
        if name in ("tp", "partitions"):
            pair = PAIR.search(value) if name == "partitions" else PAIR.fullmatch(value)
            if pair is not None:
                values["topic"], values["partition"] = pair[1], pair[2]
        elif name == "exception":
            simple = value.partition(": ")[0]
            if re.fullmatch(r"[\w.$]+", simple):
                values["error_class"] = simple.rsplit(".", 1)[-1].rsplit("$", 1)[-1]
        elif name == "tasks":
            task = TASK.search(value)
            values["task_id"] = values.get("task_id") or (task and task[0])
        elif name in FIELDS:
            values[name] = value


def _chain(text: str) -> list[tuple[str, str, bool]]:
    """Exceptions by name, with their text, and whether they are Kafka's: outermost first."""
    chain: list[tuple[str, str, bool]] = []
    for line in text.split("\n"):
        if line[:1] == "\t" or line.startswith("    at "):
            continue
        thrown = THROWN.match(line) or (INLINE.search(line) if "org.apache.kafka." in line else None)
        while thrown is not None:
            name = thrown[1].rsplit(".", 1)[-1].rsplit("$", 1)[-1]
            chain.append((name, thrown[2] or "", thrown[1].startswith("org.apache.kafka.")))
            thrown = INLINE.match(thrown[2] or "")
    return chain


def _throws(values: Values, message: str, trace: str) -> None:
    chain = _chain(message + trace) if trace or "\n" in message or " org.apache.kafka." in message else ()
    if chain:
        name, said, _ = chain[0]
        values["error_class"] = values.get("error_class") or name
        of_task = OF_TASK.search(said)
        values["task_id"] = values.get("task_id") or (of_task and of_task[1])


def _of_application(text: str, values: Values) -> Values | None:
    """An application's record tells what the Kafka exception in it proves."""
    if "org.apache.kafka." not in text and "record(s) for " not in text:
        return None
    chain = _chain(text[26:])
    for form in exception_forms():
        if form.literal in text and (match := form.regex.search(text)):
            is_told_twice = form.family.id in OF_A_CLASS and any(is_kafka for _, _, is_kafka in chain)
            if is_told_twice or (form.family.kind not in BEYOND_DOUBT and not chain):
                break
            values["kind"], values["message_id"] = form.family.kind, form.family.id
            values["client_kind"] = form.family.client
            telling = [name for name, said, _ in chain if form.literal in said] or [
                name for name, _, _ in chain
            ]
            if telling:
                values["error_class"] = telling[-1]
            _fill(values, match.groupdict())
            return values
    kafka = [name for name, _, is_kafka in chain if is_kafka]
    if not kafka:
        return None
    values["kind"] = next((BY_EXCEPTION[name] for name in kafka if name in BY_EXCEPTION), "other_kafka")
    values["message_id"], values["error_class"] = "application-exception", kafka[0]
    return values


def _refine(values: Values, fields: dict[str, str | None], message: str, body: str, text: str) -> None:
    name = values["message_id"]
    if name == "config-dump":
        values["client_kind"] = DUMPS.get(str(fields["config_class"])) or OTHER_DUMPS.get(
            str(fields["config_class"])
        )
        values["client_id"] = values["group_id"] = None
        for key, value in baseline.SETTING.findall(body):
            if value != "null":
                values["client_id" if key == "client.id" else "group_id"] = value
    elif name in SENT or name in ENDED:
        _by_exception(values, text, name in ENDED)
        if name == "producer-txn-error" and any(one in text for one in FENCING):
            values["kind"] = "fenced"
    elif name == "leave-group" and "consumer poll timeout has expired. This means" in body:
        values["before"] = "poll-timeout-expired"
    elif name == "admin-queued" and fields.get("tries") != "0":
        values["kind"] = "admin_retry"
    elif name in ("coordinator-unknown", "c848-coordinator-unknown"):
        if "session timed out without receiving" in (fields.get("cause") or ""):
            values["kind"] = "session_expired"
    elif name == "commit-failed-generation" and fields.get("error_message"):
        values["kind"] = "other_kafka"
    elif name in ("fetch-session-error", "fetch-failed", "broker-request-failed"):
        _by_connection(values, text)
    elif name in ("producer-aborting-batches", "producer-error-state") and any(
        one in text for one in FENCING
    ):
        values["kind"] = "fenced"
    elif name == "broker-prepare-rebalance":
        member = MADE_MEMBER.search((fields.get("reason") or "").partition("; client reason:")[0])
        values["member_id"] = values.get("member_id") or (member and member[1])
    elif name == "client-unregistered":
        values["client_id"], values["client_kind"] = (
            fields["closed_client_id"],
            str(fields["what"]).split(".")[0],
        )
    elif name == "streams-thread-state" and message.startswith(("stream-client ", "global-stream-thread ")):
        values["message_id"] = (
            "streams-client-state" if message.startswith("stream-client ") else "global-thread-state"
        )


def _by_connection(values: Values, text: str) -> None:
    """A request that failed with its connection, which was lost or never made."""
    never_made = NEVER_MADE.search(text)
    is_fetch = values["message_id"] != "broker-request-failed"
    if (
        is_fetch and "DisconnectException" in text
    ) or "was disconnected before the response was read" in text:
        values["kind"] = "disconnect"
    elif never_made or "connection to broker" in text:
        values["kind"] = "connect_failed"
        _fill(values, never_made.groupdict() if never_made else {})


def _by_exception(values: Values, text: str, is_end: bool) -> None:
    """The task's timeout or the batch's expiry that the exception proves."""
    for form in exception_forms():
        if form.literal in text and (match := form.regex.search(text)):
            kind = form.family.kind
            if form.family.id in OF_A_CLASS:
                return
            if (kind == "task_timeout_expired") if is_end else kind in ("batch_expired", "produce_failed"):
                values["kind"], values["error_class"] = kind, "TimeoutException"
                _fill(values, match.groupdict())
            return


if __name__ == "__main__":
    literals = (b"kafka", b"record(s) for ", b"clientId=", b"state.change.logger")
    baseline.main(Path(sys.argv[1]), Path(sys.argv[2]), event_of, literals)
