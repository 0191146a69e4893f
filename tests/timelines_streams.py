"""Histories of Kafka Streams in one line: `0 armed 0_1 8000 | 2000 cleared 0_1`, times in ms after noon.

A step is `<ms> <what> [words]`; what it writes stands in STEPS. All is of one thread, unless a step ends in
`@2`.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from transforms.events import ClientEvent
from transforms.rules.rule import Verdict
from transforms.timers.episodes import Episode
from transforms.timers.machine import Machine
from transforms.timers.profile import ClientProfile, Setting

NOON = 1_795_262_400_000
CLIENT = "orders"
Found = TypeVar("Found", bound=Episode)


def profile(version: str | None = "4.2.1", origin: str = "logged", **settings: object) -> ClientProfile:
    """A Streams application's profile; settings by name with `_` for `.`, None for unknown."""
    named = {"task.timeout.ms": 8000, "processing.guarantee": "at_least_once"}
    named |= {name.replace("_", "."): value for name, value in settings.items()}
    numbers = tuple(int(part) for part in version.split(".")) if version else None
    return ClientProfile(
        unit_id="shop/orders",
        client_id=CLIENT,
        client_kind="streams",
        version=numbers,  # type: ignore[arg-type]
        settings={
            name: Setting(name, str(value), origin) for name, value in named.items() if value is not None
        },
    )


def _task(message_id: str, kind: str, level: str) -> Callable[[ClientEvent, list[str]], None]:
    def fill(event: ClientEvent, words: list[str]) -> None:
        event.message_id, event.kind, event.level = message_id, kind, level
        event.task_id = words[0] if words else None

    return fill


def _armed(event: ClientEvent, words: list[str]) -> None:
    _task("task-timeout-armed", "task_timeout_continue", "DEBUG")(event, words)
    event.remaining_ms = int(words[1])
    _thrown(event, words[2:])


def _thrown(event: ClientEvent, words: list[str]) -> None:
    """`StreamsException>TimeoutException`: the exceptions of a line, outermost first; none where left out."""
    if words:
        event.details["exceptions"] = words[0].replace(">", "|")


def _commit(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind, event.level = "task-commit-timeout", "task_timeout_start", "ERROR"
    event.details["tasks"] = ", ".join(words[0].split(","))
    if len(words) > 1:
        event.details["cause_message"] = (
            f"Timeout of {words[1]}ms expired before successfully committing offsets"
        )


def _expired(event: ClientEvent, words: list[str]) -> None:
    _task("task-timeout-expired", "task_timeout_expired", "ERROR")(event, words)
    event.elapsed_ms = int(words[1])
    event.thread = None
    _thrown(event, words[2:])


def _closed(event: ClientEvent, words: list[str]) -> None:
    _task("streams-task-closed", "streams_state", "INFO")(event, words)
    event.details["how"] = words[1]


def _dead(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind = "streams-thread-state", "streams_state"
    event.details |= {"state_from": "PENDING_SHUTDOWN", "state_to": "DEAD"}


def _corrupted(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind, event.level = "task-corrupted", "streams_error", "WARN"
    event.details["tasks"] = words[0]


def _send_error(event: ClientEvent, words: list[str]) -> None:
    _task("streams-send-error", "produce_failed", "ERROR")(event, words)
    event.details |= {"exceptions": "TimeoutException", "error_message": f"not present after {words[1]} ms."}


def _dies(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind, event.level = "streams-client-dies", "streams_error", "ERROR"
    event.thread = None
    event.details["exceptions"] = words[0].replace(">", "|")
    event.details["error_message"] = " ".join(words[1:]) or "Exception caught in process. taskId=0_1"


def _handler(event: ClientEvent, words: list[str]) -> None:
    _task("process-handler-timeout", "streams_error", "WARN")(event, words)
    event.details["exceptions"] = "TimeoutException"


def _global(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind, event.level = "global-retry-warn", "task_timeout_start", "WARN"
    event.details["partitions"] = words[0]
    if len(words) > 1:
        event.details["cause_message"] = f"Failed to get offsets by times in {words[1]}ms"


def _polled(event: ClientEvent, words: list[str]) -> None:
    """`polled RECORDS [PARTITION,PARTITION]`."""
    event.message_id, event.kind, event.level = "streams-polled", "other_kafka", "DEBUG"
    event.details |= {"records": words[0], "partitions": words[1] if len(words) > 1 else ""}


def _processed(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind, event.level = "streams-processed", "other_kafka", "DEBUG"
    event.details |= {"records": words[0], "iterations": "1"}


def _assigned(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind, event.level = "partitions-added", "partitions_assigned", "INFO"
    event.client_kind, event.client_id, event.thread = "consumer", f"{event.thread}-consumer", None
    event.details["partitions"] = words[0]


def _global_expired(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind = "global-timeout-expired", "task_timeout_expired"
    event.elapsed_ms = int(words[0])


def _round(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind, event.level = "internal-topics-not-ready", "backoff", "INFO"
    event.remaining_ms = int(words[0])
    event.details["backoff_ms"] = "100"


def _gave_up(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind, event.level = "internal-topics-expired", "streams_error", "ERROR"
    event.limit_ms = int(words[0])


def _dump(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind, event.thread = "config-dump", "config_dump", None
    event.details["config_class"] = words[0]
    for word in words[1:]:
        name, _, value = word.partition("=")
        event.details[f"config.{name}"] = value


def _retries_warning(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind = "streams-retries-deprecated", "config_warning"
    event.details["config_name"] = "retries"


def _backoff_warning(event: ClientEvent, words: list[str]) -> None:
    """`backoff_warning BASE CAP`."""
    event.message_id, event.kind = "config-backoff-static", "config_warning"
    event.details |= {"retry_backoff_ms": words[0], "retry_backoff_max_ms": words[1]}


def _other(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind = words[0], "other_kafka"


STEPS: dict[str, Callable[[ClientEvent, list[str]], None]] = {
    "armed": _armed,
    "cleared": _task("task-timeout-cleared", "task_timeout_clear", "DEBUG"),
    "process": _task("task-process-timeout", "task_timeout_start", "ERROR"),
    "partitions": _task("task-partitions-for-timeout", "task_timeout_start", "WARN"),
    "committed": _task("task-committed-offsets-timeout", "task_timeout_start", "WARN"),
    "commit": _commit,
    "expired": _expired,
    "ready": _task("streams-task-running", "streams_state", "INFO"),
    "closed": _closed,
    "dead": _dead,
    "corrupted": _corrupted,
    "send_error": _send_error,
    "revive": _task("commit-timeout-on-corruption", "streams_error", "INFO"),
    "dies": _dies,
    "handler": _handler,
    "polled": _polled,
    "processed": _processed,
    "assigned": _assigned,
    "finalized": _task("streams-task-committed", "other_kafka", "DEBUG"),
    "global": _global,
    "global_expired": _global_expired,
    "round": _round,
    "gave_up": _gave_up,
    "dump": _dump,
    "retries_warning": _retries_warning,
    "backoff_warning": _backoff_warning,
    "other": _other,
}


def events(history: str) -> list[ClientEvent]:
    """The events of a history; ids are `e1`, `e2` in their order."""
    found = []
    for number, step in enumerate(filter(None, (part.strip() for part in history.split("|"))), start=1):
        step, _, thread = step.partition("@")
        after, what, *words = step.split()
        event = ClientEvent("", "", event_id=f"e{number}", unit_id="shop/orders", client_id=CLIENT)
        event.happened_at = event.ordered_at = NOON + int(after)
        event.thread = f"{CLIENT}-StreamThread-{thread or 1}"
        STEPS[what](event, words)
        found.append(event)
    return found


def run(machine: Machine, history: str, of: ClientProfile | None = None, until: int = 0) -> list[Episode]:
    """All episodes of a history, those at its end as of `until` ms after noon (or its last event)."""
    steps = events(history)
    known = of or profile()
    found = [episode for event in steps for episode in machine.step(event, known)]
    last = steps[-1].happened_at if steps else None
    found.extend(machine.finish(NOON + until if until else last))
    return found


def only(episodes: Iterable[Episode], kind: type[Found]) -> list[Found]:
    """The episodes of one class."""
    return [episode for episode in episodes if isinstance(episode, kind)]


def outcomes(rule: Callable[[Found], Verdict], episodes: Iterable[Episode], kind: type[Found]) -> list[str]:
    """What a rule says of each episode of its class: the category where it is violated, else the outcome."""
    verdicts = [rule(episode) for episode in only(episodes, kind)]
    return [verdict.category or verdict.outcome for verdict in verdicts]
