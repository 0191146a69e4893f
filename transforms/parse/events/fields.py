"""Puts what a text names into an event: columns where there is one of that name, details for the rest."""

import re

from transforms.events import ClientEvent
from transforms.parse.catalogue.exceptions import (
    Thrown,
    chain_of,
    is_cut,
    proof_in,
    simple_name,
    thrown_at,
    told_by_frame,
)
from transforms.parse.catalogue.form import WHOLE_NUMBERS
from transforms.parse.lines.prefixes import streams_client_of
from transforms.whole import is_whole

COLUMNS = frozenset({
    "member_id", "generation", "task_id", "topic", "partition", "node_id", "correlation_id", "api",
    "error_class", "elapsed_ms", "limit_ms", "remaining_ms", "attempts_left", "client_version", "group_id",
})  # fmt: skip
NUMBERS = frozenset(name for name in COLUMNS if name.endswith("_ms") or name in WHOLE_NUMBERS)
LONGEST_NUMBER = 18  # digits, with sign: below 2^63 for certain
# Looked for from where a name begins: from each of its characters, a long one would take the square of its length.
_PARTITION = re.compile(r"(?<![\w.\-])([\w.\-]+)-(\d+)")
# Of a map of offsets: what an application put beside them may look like a partition, too.
_WITH_OFFSETS = re.compile(r"(?<![\w.\-])([\w.\-]+)-(\d+)=OffsetAndMetadata\{")
NAMED = " org.apache.kafka."  # before an exception that a page put on the line of its message
_OPTIONAL = re.compile(r"(?:Optional\[|Some\()(.*)[\])]")
_CLASS = re.compile(r"[\w.$]+")
UNCAUGHT = re.compile(r"Exception in thread \"(?P<thread>[^\"]+)\"")  # Source: java.lang.ThreadGroup
_TASK = re.compile(r"(?<![\w.\-])(?:[\w.\-]+?__)?\d+_\d+")
# Whose task it was, as exceptions of Streams say it. Source: RecordCollectorImpl, StreamTask.process.
_OF_TASK = re.compile(r"\b(?:[Tt]asks? \[?|taskId=)((?:[\w.\-]{1,250}?__)?\d{1,9}_\d{1,9})\b")
# `WorkerSinkTask{id=orders-sink-0}`, and the context of KIP-449: `orders-sink|task-0|offsets`, `orders-sink|worker`.
_WORKER = re.compile(r"Worker\w{0,40}?(?P<what>Task|Connector)\{id=(?P<id>[^}]*)\}")
_CONTEXT = re.compile(r"(?P<connector>[^|]+)\|(?:task-(?P<number>\d+)|worker)")


def fill(event: ClientEvent, fields: dict[str, str | None]) -> None:
    """Put what the text names into the event's columns, the rest into details."""
    for name, value in fields.items():
        if value is None:
            continue
        if name in NUMBERS:
            setattr(event, name, whole(value))
        elif name in COLUMNS:
            setattr(event, name, value)
        elif name == "tp":
            put_partition(event, value)
        elif name == "exception":
            put_exception(event, value)
        elif name == "instance_id":
            event.group_instance_id = present(value)
        elif name != "gen":
            event.details[name] = value
    if "partitions" in event.details:
        put_partitions(event, event.details["partitions"])
    if "tasks" in event.details:
        tasks = tasks_in(event.details["tasks"])
        event.details["tasks"] = ",".join(tasks)
        event.task_id = event.task_id or (tasks[0] if tasks else None)


def tasks_in(text: str) -> list[str]:
    """The ids of tasks that a list names."""
    return list(map(str, _TASK.findall(text)))


def present(text: str) -> str | None:
    """The value of a Java Optional or a Scala Option as printed; None where it is empty."""
    if text in ("Optional.empty", "None", "null"):
        return None
    held = _OPTIONAL.fullmatch(text)
    return held[1] if held else text


def put_partition(event: ClientEvent, text: str) -> None:
    """`orders-0` as topic and partition."""
    event.topic, event.partition = partition_of(text)


def partition_of(text: str) -> tuple[str, int | None]:
    """Topic and partition of `orders-0`; what does not end in a number is a topic."""
    topic, _, number = text.rpartition("-")
    return (topic, whole(number)) if topic and is_whole(number) else (text, None)


def whole(text: str) -> int | None:
    """A whole number; None where there is none, or one longer than any that Kafka prints (64 bits)."""
    return int(text) if len(text) <= LONGEST_NUMBER and is_whole(text) else None


def put_partitions(event: ClientEvent, text: str) -> None:
    """All in details, the first in topic and partition (`[]` and an empty list name none)."""
    named = partitions_in(text)
    event.details["partitions"] = ",".join(named)
    if named:
        put_partition(event, named[0])


def partitions_in(text: str) -> list[str]:
    """The partitions that a list names, as `orders-0`."""
    named = _WITH_OFFSETS.findall(text) or _PARTITION.findall(text)
    return [f"{topic}-{number}" for topic, number in named]


def put_exception(event: ClientEvent, text: str) -> None:
    """`org.apache...TimeoutException: text` as error_class and error_message."""
    name, message = exception_in(text)
    if name is not None:
        event.error_class = name
    if message is not None:
        event.details["error_message"] = message


def exception_in(text: str) -> tuple[str | None, str | None]:
    """Class and message of `org.apache...TimeoutException: text`; what has no class is a message."""
    name, _, message = text.partition(": ")
    return (simple_name(name), message or None) if _CLASS.fullmatch(name) else (None, text)


def explain(event: ClientEvent, message: str) -> None:
    """Add the exceptions of the stack trace, also of one that a page put on the message's line."""
    if ("\n" in message or NAMED in message) and (chain := chain_of(message)):
        put_chain(event, chain)
        put_frame(event, message)


def put_frame(event: ClientEvent, message: str) -> None:
    """Whose code threw, where the stack trace shows it."""
    frame = thrown_at(message)
    if frame is not None:
        event.details["thrown_at"] = frame
    if (call := told_by_frame(message)) is not None:
        event.details["reading"] = call
    if is_cut(message):
        event.details["trace"] = "cut"
    if (uncaught := UNCAUGHT.match(message)) is not None:
        event.details["uncaught"] = uncaught["thread"]
        event.client_id = event.client_id or streams_client_of(uncaught["thread"])


def put_chain(event: ClientEvent, chain: list[Thrown]) -> None:
    """All exceptions by name; the outermost is the error where the line names none."""
    event.details["exceptions"] = "|".join(thrown.name for thrown in chain)
    event.error_class = event.error_class or chain[0].name
    event.details["cause_class"] = chain[-1].name
    if chain[0].message:
        event.details.setdefault("error_message", chain[0].message)
    of_task = _OF_TASK.search(chain[0].message or "")
    event.task_id = event.task_id or (of_task[1] if of_task else None)
    if chain[-1].message:
        event.details["cause_message"] = chain[-1].message
    if between := [thrown.message for thrown in chain[1:-1] if thrown.message]:
        event.details["between"] = "\n".join(between)


def put_chain_of_proof(event: ClientEvent, chain: list[Thrown]) -> None:
    """As put_chain, but the error is the exception whose text is the proof."""
    if not chain:
        return
    put_chain(event, chain)
    proofs = [(thrown, proof_in(thrown.message)) for thrown in chain if thrown.message]
    telling = [thrown for thrown, proof in proofs if proof is not None]
    told = [thrown for thrown, proof in proofs if proof is not None and proof.family.id == event.message_id]
    # Who wraps it repeats its text behind a class's name or words of its own.
    direct = min(reversed(told or telling or chain), key=lambda thrown: len(thrown.message or ""))
    event.error_class = direct.name


def put_worker(event: ClientEvent, worker: str | None, context: str | None = None) -> None:
    """The connector and the task that a worker of Connect speaks of, or that its line's context names, in details."""
    if context is not None and (named := _CONTEXT.match(context)) is not None:
        event.details["connector"] = named["connector"]
        if named["number"] is not None:
            event.details["task"] = f"{named['connector']}-{named['number']}"
    if worker is not None:
        event.details["worker"] = worker
        task, connector = worker_of(worker)
        event.details |= {"task": task} if task is not None else {}
        event.details |= {"connector": connector} if connector is not None else {}


def worker_of(text: str) -> tuple[str | None, str | None]:
    """Task and connector that a worker of Connect is called by: `WorkerSinkTask{id=orders-sink-0}`."""
    found = _WORKER.search(text)
    if found is None:
        return None, None
    return (found["id"], found["id"].rpartition("-")[0]) if found["what"] == "Task" else (None, found["id"])
