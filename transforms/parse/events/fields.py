"""Puts what a text names into an event: columns where there is one of that name, details for the rest."""

from collections.abc import Callable
from typing import Any

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
from transforms.when_used import when_used
from transforms.whole import is_whole

COLUMNS = frozenset({
    "member_id", "generation", "task_id", "topic", "partition", "node_id", "correlation_id", "api",
    "error_class", "elapsed_ms", "limit_ms", "remaining_ms", "attempts_left", "client_version", "group_id",
    "group_instance_id",
})  # fmt: skip
NUMBERS = frozenset(name for name in COLUMNS if name.endswith("_ms") or name in WHOLE_NUMBERS)
# Columns or details, and what a field's text tells for each of them; None where it is the text.
Reading = tuple[tuple[str, ...], Callable[[str], tuple[Any, ...]] | None]
LONGEST_NUMBER = 18  # digits, with sign: below 2^63 for certain
# Looked for from where a name begins: from each of its characters, a long one would take the square of its length.
_PARTITION = when_used(r"(?<![\w.\-])([\w.\-]+)-(\d+)")
# Of a map of offsets: what an application put beside them may look like a partition, too.
_WITH_OFFSETS = when_used(r"(?<![\w.\-])([\w.\-]+)-(\d+)=OffsetAndMetadata\{")
NAMED = " org.apache.kafka."  # before an exception that a page put on the line of its message
_OPTIONAL = when_used(r"(?:Optional\[|Some\()(.*)[\])]")
_CLASS = when_used(r"[\w.$]+")
UNCAUGHT = when_used(r"Exception in thread \"(?P<thread>[^\"]+)\"")  # Source: java.lang.ThreadGroup
_TASK = when_used(r"(?<![\w.\-])(?:[\w.\-]+?__)?\d+_\d+")
# Whose task it was, as exceptions of Streams say it. Source: RecordCollectorImpl, StreamTask.process.
_OF_TASK = when_used(r"\b(?:[Tt]asks? \[?|taskId=)((?:[\w.\-]{1,250}?__)?\d{1,9}_\d{1,9})\b")
# `WorkerSinkTask{id=orders-sink-0}`, and the context of KIP-449: `orders-sink|task-0|offsets`, `orders-sink|worker`.
_WORKER = when_used(r"Worker\w{0,40}?(?P<what>Task|Connector)\{id=(?P<id>[^}]*)\}")
_CONTEXT = when_used(r"(?P<connector>[^|]+)\|(?:task-(?P<number>\d+)|worker)")


def fill(event: ClientEvent, fields: dict[str, str | None]) -> None:
    """Put what the text names into the event's columns, the rest into details."""
    for field, text in fields.items():
        if text is None:
            continue
        names, read = told_by(field)
        text = text.removesuffix("\\n").strip()  # as logrus escapes the break that sarama ends its lines with
        for name, value in zip(names, (text,) if read is None else read(text), strict=True):
            if value is None:
                continue
            if name in COLUMNS:
                setattr(event, name, value)
            else:
                event.details[name] = value


def told_by(field: str) -> Reading:
    """What a field tells: names of columns, or of details where no column is called so; and its reader."""
    return _READINGS.get(field) or ((field,), None)


def _partitions(text: str) -> tuple[str, str | None, int | None]:
    """All that a list names, and the first as topic and partition (`[]` and an empty list name none)."""
    named = partitions_in(text)
    return (",".join(named), *(partition_of(named[0]) if named else (None, None)))


def _tasks(text: str) -> tuple[str, str | None]:
    """All that a list names, and the first."""
    named = list(map(str, _TASK.findall(text)))
    return ",".join(named), named[0] if named else None


def present(text: str) -> str | None:
    """The value of a Java Optional or a Scala Option as printed; None where it is empty."""
    if text in ("Optional.empty", "None", "null"):
        return None
    held = _OPTIONAL.fullmatch(text)
    return held[1] if held else text


def partition_of(text: str) -> tuple[str, int | None]:
    """Topic and partition of `orders-0`; what does not end in a number is a topic."""
    topic, _, number = text.rpartition("-")
    return (topic, whole(number)) if topic and is_whole(number) else (text, None)


def whole(text: str) -> int | None:
    """A whole number; None where there is none, or one longer than any that Kafka prints (64 bits)."""
    return int(text) if len(text) <= LONGEST_NUMBER and is_whole(text) else None


def partitions_in(text: str) -> list[str]:
    """The partitions that a list names, as `orders-0`."""
    named = _WITH_OFFSETS.findall(text) or _PARTITION.findall(text)
    return [f"{topic}-{number}" for topic, number in named]


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
    proofs = [(thrown, proof_in(f"{thrown.name}: {thrown.message}")) for thrown in chain if thrown.message]
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
    fill(event, {"worker": worker})


def _worker(text: str) -> tuple[str, str | None, str | None]:
    """A worker of Connect, and the task and connector that it is called by: `WorkerSinkTask{id=orders-sink-0}`."""
    found = _WORKER.search(text)
    if found is None:
        return text, None, None
    task = found["id"] if found["what"] == "Task" else None
    return text, task, found["id"] if task is None else task.rpartition("-")[0]


_READINGS: dict[str, Reading] = {
    **{name: ((name,), lambda text: (whole(text),)) for name in NUMBERS},
    "tp": (("topic", "partition"), partition_of),
    "partitions": (("partitions", "topic", "partition"), _partitions),
    "tasks": (("tasks", "task_id"), _tasks),
    "exception": (("error_class", "error_message"), exception_in),
    "instance_id": (("group_instance_id",), lambda text: (present(text),)),
    "worker": (("worker", "task", "connector"), _worker),
    "library_version": (("library_version", "client_version"), lambda text: (text, text)),
    "gen": ((), lambda text: ()),
}
