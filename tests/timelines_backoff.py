"""Histories of retries in one line: `0 fail 9 | 110 send 2 | 114 fail 8 2`, times in ms after noon.

A step is `<ms> <what> [words]`; what it writes stands in STEPS. All is of one client and partition.
"""

from collections.abc import Callable

from tests.timelines_streams import NOON
from transforms.events import ClientEvent
from transforms.timers.backoff.attempts import BackoffAttempts
from transforms.timers.backoff.retry_sequences import BackoffSequence
from transforms.timers.episodes import BackoffAttempt, Episode
from transforms.timers.profile import ClientProfile, Setting

CLIENT = "orders-1"
MAX_INT = 2_147_483_647


def profile(
    version: str | None = "4.2.1", base: int | None = 100, cap: int | None = 1000, origin: str = "logged"
) -> ClientProfile:
    """A client's profile; None for unknown."""
    numbers = tuple(int(part) for part in version.split(".")) if version else None
    named = {"retry.backoff.ms": base, "retry.backoff.max.ms": cap}
    return ClientProfile(
        unit_id="shop/orders",
        client_id=CLIENT,
        client_kind="producer",
        version=numbers,  # type: ignore[arg-type]
        settings={n: Setting(n, str(value), origin) for n, value in named.items() if value is not None},
    )


def _fail(event: ClientEvent, words: list[str]) -> None:
    """`fail FAILURES [CORRELATION] [ERROR]`: the WARN line of a batch's failure."""
    event.message_id, event.kind, event.level = "producer-batch-retry", "produce_retry", "WARN"
    event.attempts_left = MAX_INT - int(words[0])
    event.correlation_id = int(words[1]) if len(words) > 1 else None
    event.error_class = words[2] if len(words) > 2 else "NOT_ENOUGH_REPLICAS"
    event.topic, event.partition = "orders", 0


def _net(message_id: str) -> Callable[[ClientEvent, list[str]], None]:
    def fill(event: ClientEvent, words: list[str]) -> None:
        event.message_id, event.kind, event.level = message_id, "other_kafka", "DEBUG"
        event.api = words[1] if len(words) > 1 else "PRODUCE"
        event.correlation_id = int(words[0])
        if event.api == "PRODUCE":
            event.details["partition_sizes"] = "orders-0=77"
        if event.api == "FIND_COORDINATOR":
            event.client_kind = words[2] if len(words) > 2 else "consumer"

    return fill


def _expired(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind = "producer-batch-expired", "batch_expired"
    event.topic, event.partition = "orders", 0


def _lookup(message_id: str) -> Callable[[ClientEvent, list[str]], None]:
    def fill(event: ClientEvent, words: list[str]) -> None:
        event.message_id, event.kind, event.level = message_id, "other_kafka", "DEBUG"
        event.api, event.client_kind = "FIND_COORDINATOR", "consumer"
        event.details |= dict(zip(["exceptions"], words, strict=False))

    return fill


def _metadata(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind, event.level = "net-metadata-error", "other_kafka", "WARN"


def _admin(message_id: str, call: str) -> Callable[[ClientEvent, list[str]], None]:
    """`queue TRIES WAIT`: the call may be tried again after WAIT ms."""

    def fill(event: ClientEvent, words: list[str]) -> None:
        event.message_id, event.kind, event.level = message_id, "admin_retry", "DEBUG"
        next_at = (event.happened_at or 0) + int(words[1])
        event.details |= {"call_name": call, "tries": words[0], "next_allowed_try_ms": str(next_at)}
        event.details["deadline_ms"] = "1"

    return fill


def _join(message_id: str, kind: str = "other_kafka") -> Callable[[ClientEvent, list[str]], None]:
    def fill(event: ClientEvent, words: list[str]) -> None:
        event.message_id, event.kind, event.level = message_id, kind, "INFO"
        event.client_kind, event.group_id = "consumer", "shop"

    return fill


def _producer_found(event: ClientEvent, words: list[str]) -> None:
    event.message_id, event.kind, event.level = "producer-txn-coordinator", "coordinator_found", "INFO"


def _round(event: ClientEvent, words: list[str]) -> None:
    """`round WAIT REMAINING`: the Streams leader announces another round over its internal topics."""
    event.message_id, event.kind, event.level = "internal-topics-not-ready", "backoff", "INFO"
    event.client_kind, event.remaining_ms = "streams", int(words[1])
    event.details["backoff_ms"] = words[0]


STEPS: dict[str, Callable[[ClientEvent, list[str]], None]] = {
    "fail": _fail,
    "send": _net("net-send"),
    "got": _net("net-received"),
    "expired": _expired,
    "lookup_failed": _lookup("coordinator-lookup-failed"),
    "lookup_sent": _lookup("coordinator-lookup-sent"),
    "lookup_answered": _lookup("coordinator-lookup-answered"),
    "found": _lookup("coordinator-found"),
    "producer_found": _producer_found,
    "metadata": _metadata,
    "retry": _admin("admin-retry", "createTopics"),
    "join_failed": _join("join-failed"),
    "rejoin": _join("rejoin", "join"),
    "joined": _join("joined", "joined"),
    "lost": _join("coordinator-unknown", "coordinator_lost"),
    "round": _round,
    "queue": _admin("admin-queued", "describeConsumerGroups(api=FIND_COORDINATOR)"),
}


def events(history: str) -> list[ClientEvent]:
    """The events of a history; ids are `e1`, `e2` in their order."""
    found = []
    for number, step in enumerate(filter(None, (part.strip() for part in history.split("|"))), start=1):
        after, what, *words = step.split()
        event = ClientEvent("", "", event_id=f"e{number}", unit_id="shop/orders", client_id=CLIENT)
        event.client_kind = "producer"
        event.happened_at = event.ordered_at = NOON + int(after)
        STEPS[what](event, words)
        found.append(event)
    return found


def run(history: str, of: ClientProfile | None = None) -> list[Episode]:
    """All episodes of a history."""
    machine, known = BackoffAttempts(), of or profile()
    found = [episode for event in events(history) for episode in machine.step(event, known)]
    return [*found, *machine.finish(None)]


def attempts(history: str, of: ClientProfile | None = None) -> list[BackoffAttempt]:
    """The rows of a history."""
    return [episode for episode in run(history, of) if isinstance(episode, BackoffAttempt)]


def sequences(history: str, of: ClientProfile | None = None) -> list[BackoffSequence]:
    """What the rules judge."""
    return [episode for episode in run(history, of) if isinstance(episode, BackoffSequence)]


def produce(waits: str, debug: bool = True) -> str:
    """A batch that failed, waited so long, and failed again at once; `L` after a wait: maybe a new leader."""
    at, steps = 0, ["0 send 1", "0 got 1", "0 fail 1 1"] if debug else ["0 fail 1"]
    for number, wait in enumerate(waits.split(), start=2):
        at += int(wait.rstrip("L"))
        if debug:
            steps += [f"{at} got 99 METADATA"] if wait.endswith("L") else []
            steps += [f"{at} send {number}", f"{at} got {number}"]
        steps.append(f"{at} fail {number} {number if debug else ''}")
    return " | ".join(steps)


def metadata(gaps: str) -> str:
    """Metadata responses with an error, so many ms apart."""
    at, steps = 0, ["0 metadata"]
    for gap in gaps.split():
        at += int(gap)
        steps.append(f"{at} metadata")
    return " | ".join(steps)


def lookups(waits: str) -> str:
    """A consumer's lookups that fail and are sent again after so long."""
    at, steps = 0, ["0 lookup_failed"]
    for number, wait in enumerate(waits.split(), start=1):
        at += int(wait)
        steps += [f"{at} send {number} FIND_COORDINATOR", f"{at} lookup_failed"]
    return " | ".join(steps)


def admin(waits: str, what: str = "retry") -> str:
    """An admin call that drew these waits."""
    at, steps = 0, []
    for number, wait in enumerate(waits.split(), start=1):
        steps.append(f"{at} {what} {number} {wait}")
        at += int(wait) + 5
    return " | ".join(steps)
