"""What a line says about a task's timeout timer: which tasks failed, in which call, whether the timer was armed.

Source: Kafka Streams, AbstractTask.maybeInitTaskTimeoutOrThrow and its callers (TaskExecutor, TaskManager,
StreamTask, StreamsProducer, RecordCollectorImpl).
"""

from dataclasses import dataclass

from transforms.events import ClientEvent
from transforms.timers.profile import ClientProfile
from transforms.when_used import when_used

ARMED = frozenset({"task-timeout-armed", "task-timeout-armed-no-cause"})
CLEARED = "task-timeout-cleared"
EXPIRED_KIND = "task_timeout_expired"
TELL_EXPIRY = frozenset({EXPIRED_KIND, "streams_error"})
CLOSED = "streams-task-closed"
READY = frozenset({"streams-task-running", "streams-task-initialized"})
COMMITTED = "streams-task-committed"
# Lines that only StreamTask writes, and only at DEBUG.
OF_TASK_AT_DEBUG = ARMED | {CLEARED, COMMITTED}
COMMIT_FAILED = "task-commit-timeout"
PARTITIONS_FAILED = "task-partitions-for-timeout"

# The client call that timed out, by the line that reports it.
CALLS = {
    "task-process-timeout": "process",
    PARTITIONS_FAILED: "process",
    COMMIT_FAILED: "commit",
    "task-committed-offsets-timeout": "committed",
    "task-init-txn-timeout": "init_transactions",
    "task-restore-timeout": "restore",
}
# All families that say something about a task's timer.
FAMILIES = ARMED | READY | frozenset(CALLS) | {CLEARED, CLOSED, "streams-thread-state"}
# Calls whose timeout becomes TaskCorruptedException under exactly-once: no timer (StreamTask.process, TaskExecutor.commit).
NOT_UNDER_EXACTLY_ONCE = frozenset({"process", "commit"})

_EXPIRY = when_used(r"Task (?P<task>(?:\S+__)?\d+_\d+) did not make progress within (?P<ms>\d+) ms")


@dataclass(frozen=True, slots=True)
class Expiry:
    """The exception that ends a timer: whose, and after how long without progress by Kafka's own count."""

    task_id: str
    stalled_ms: int


def expiry_of(event: ClientEvent) -> Expiry | None:
    """The task expiry that this event evidences; None for any other event."""
    if event.kind == EXPIRED_KIND and event.task_id and event.elapsed_ms is not None:
        return Expiry(event.task_id, event.elapsed_ms)
    if event.kind not in TELL_EXPIRY:
        return None
    text = event.details.get("cause_message") or event.details.get("error_message") or ""
    found = _EXPIRY.search(text) if "did not make progress within" in text else None
    return Expiry(found["task"], int(found["ms"])) if found else None


def exceptions_of(event: ClientEvent) -> tuple[str, ...]:
    """Simple class names of the exceptions an event carries, outermost first."""
    return tuple(name for name in event.details.get("exceptions", "").split("|") if name)


def causes_of_expiry(event: ClientEvent) -> tuple[str, ...] | None:
    """What an expiry's exception was caused by: what stands under its own TimeoutException.

    None where that can't be told: 2.8 to 3.0 throw it bare, and a stack trace may be cut before the innermost.
    """
    names = exceptions_of(event)
    own = next((place for place, name in enumerate(names) if name == "TimeoutException"), None)
    if own is None or len(names) == 1:
        return None
    causes = names[own + 1 :]
    return causes if not is_cut(event) or "TimeoutException" in causes else None


def is_cut(event: ClientEvent) -> bool:
    """Whether the stack trace of an event may lack its innermost exceptions."""
    return event.details.get("trace") == "cut"


def tasks_of(event: ClientEvent) -> list[str]:
    """The tasks an event speaks of, each once, in its order."""
    listed = event.details.get("tasks", "")
    named = [name.strip() for name in listed.strip("[]{}").split(",") if name.strip()]
    if not named and event.task_id:
        named = [event.task_id]
    return list(dict.fromkeys(named))


def is_exactly_once(profile: ClientProfile) -> bool | None:
    """Whether `processing.guarantee` is one of the exactly-once modes; None while unknown."""
    guarantee = profile.setting("processing.guarantee")
    return None if guarantee is None else guarantee.value.startswith("exactly_once")


def starts_timer(event: ClientEvent, profile: ClientProfile) -> bool:
    """Whether a line that reports a failed call says that the timer of its task was armed, in this version and mode.

    2.7 has the method, but nothing calls it. From 3.9 a timeout inside process() goes to the processing exception handler.
    """
    call = CALLS.get(event.message_id)
    if call is None or profile.at_least(2, 8) is False:
        return False
    if call in NOT_UNDER_EXACTLY_ONCE and is_exactly_once(profile):
        return False
    if event.message_id == PARTITIONS_FAILED:
        return profile.at_least(2, 8) is True and not profile.at_least(3, 9)
    return True
