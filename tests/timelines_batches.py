"""Histories of producers in a line of text, as events; and producers' settings.

A step is `<ms> <verb> <arguments>`, steps are separated by `;`. Times count from NOON.
  retry o-0 2 [ERROR] [corr]      a produce request failed, 2 attempts left (NOT_ENOUGH_REPLICAS)
  send 5 o-0,o-1                  a PRODUCE request leaves (DEBUG)
  answer 5 [o-0=19]               its response arrives (DEBUG), with an error for a partition
  timeout                         the node is given up for a request timeout
  cancel 5 3470 3000 [API]        a request is cancelled 3470 ms after it was sent, its timeout being 3000 ms
  expire o-0 2 12001 [bound]      the application prints the expiry of one record of a batch of 2
  fail NotEnoughReplicasException [kind]   the application prints the failure of a record
  timed_out                       the application prints "The request timed out."
  metadata o-0 NetworkException   the sender asks for new metadata for what it retried or failed just before
  blocked 6000                    send() failed after waiting for metadata
"""

from collections.abc import Iterable

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode
from transforms.timers.machine import Machine
from transforms.timers.profile import ClientProfile, Setting

NOON = 1_800_000_000_000
UNIT = "orders/app.log"

SETTINGS = {
    "delivery.timeout.ms": "12000",
    "request.timeout.ms": "3000",
    "linger.ms": "0",
    "retry.backoff.ms": "100",
    "retries": "2147483647",
    "max.block.ms": "6000",
    "max.in.flight.requests.per.connection": "5",
    "enable.idempotence": "false",
}


def producer(origin: str = "logged", from_at: int | None = None, **values: str | None) -> ClientProfile:
    """A producer's profile; settings by name with _ for the dots, None for unknown."""
    told = SETTINGS | {name.replace("_", "."): value for name, value in values.items() if value is not None}
    unknown = {name.replace("_", ".") for name, value in values.items() if value is None}
    settings = {
        name: Setting(name, value, origin, from_at) for name, value in told.items() if name not in unknown
    }
    return ClientProfile(UNIT, "p1", "producer", version=(4, 2, 1), settings=settings)


def events(history: str, *, thread: str | None = None, timed: bool = True) -> list[ClientEvent]:
    """The events of a history, in its order; ids e0, e1, ..."""
    steps = [step.split() for step in history.split(";") if step.strip()]
    return [_event(number, words, thread, timed) for number, words in enumerate(steps)]


def _event(number: int, words: list[str], thread: str | None, timed: bool) -> ClientEvent:
    at, verb, *rest = words
    event = _VERBS[verb](rest)
    event.event_id, event.unit_id, event.source_id = f"e{number}", UNIT, "s"
    event.position = event.offset = number
    event.ordered_at = event.happened_at = NOON + int(at) if timed else None
    event.thread = thread
    if verb in ("retry", "send", "answer", "timeout", "cancel", "metadata"):
        event.client_kind, event.client_id = "producer", "p1"
    return event


def _retry(words: list[str]) -> ClientEvent:
    partition, left, *more = words
    event = ClientEvent("produce_retry", "producer-batch-retry", api="PRODUCE", attempts_left=int(left))
    _put(event, partition)
    event.error_class = more[0] if more else "NOT_ENOUGH_REPLICAS"
    event.correlation_id = int(more[1]) if len(more) > 1 else None
    return event


def _send(words: list[str]) -> ClientEvent:
    sizes = ",".join(f"lVY4FwWPSWuB-0DFmFk5Ow:{name}=93" for name in words[1].split(","))
    details = {"partition_sizes": sizes}
    return ClientEvent(
        "other_kafka", "net-send", api="PRODUCE", correlation_id=int(words[0]), details=details
    )


def _answer(words: list[str]) -> ClientEvent:
    event = ClientEvent("other_kafka", "net-received", api="PRODUCE", correlation_id=int(words[0]))
    event.details |= {"failed_partitions": words[1]} if len(words) > 1 else {}
    return event


def _timeout(words: list[str]) -> ClientEvent:
    return ClientEvent("request_timeout", "net-request-timeout", node_id=1)


def _cancel(words: list[str]) -> ClientEvent:
    corr, waited, limit, *api = words
    return ClientEvent(
        "request_cancelled",
        "net-inflight-cancelled",
        api=api[0] if api else "PRODUCE",
        node_id=1,
        correlation_id=int(corr),
        elapsed_ms=int(waited),
        limit_ms=int(limit),
    )


def _expire(words: list[str]) -> ClientEvent:
    partition, records, age, *bound = words
    event = ClientEvent("batch_expired", "producer-batch-expired", error_class="TimeoutException")
    event.elapsed_ms = int(age)
    event.details = {"records": records, "since": " ".join(bound) or "batch creation"}
    _put(event, partition)
    return event


def _timed_out(words: list[str]) -> ClientEvent:
    return ClientEvent("request_timeout", "request-timeout-exception", error_class="TimeoutException")


def _fail(words: list[str]) -> ClientEvent:
    error, *kind = words
    return ClientEvent(kind[0] if kind else "produce_failed", "application-exception", error_class=error)


def _returned(words: list[str]) -> ClientEvent:
    event = ClientEvent("produce_failed", "producer-broker-returned", error_class=words[1])
    _put(event, words[0])
    return event


def _metadata(words: list[str]) -> ClientEvent:
    event = ClientEvent("other_kafka", "producer-metadata-error", error_class=words[1])
    _put(event, words[0])
    return event


def _blocked(words: list[str]) -> ClientEvent:
    return ClientEvent(
        "produce_failed",
        "producer-metadata-timeout",
        error_class="TimeoutException",
        limit_ms=int(words[0]),
        topic="nope",
    )


def _put(event: ClientEvent, partition: str) -> None:
    event.topic, _, number = partition.rpartition("-")
    event.partition = int(number)


_VERBS = {
    "retry": _retry,
    "send": _send,
    "answer": _answer,
    "timeout": _timeout,
    "cancel": _cancel,
    "expire": _expire,
    "fail": _fail,
    "timed_out": _timed_out,
    "returned": _returned,
    "metadata": _metadata,
    "blocked": _blocked,
}


def fold(
    machine: Machine,
    told: Iterable[ClientEvent],
    profile: ClientProfile | None = None,
    data_clock: int | None = None,
) -> list[Episode]:
    """All episodes of a history; the data clock (ms from NOON) is the last event's time if not given."""
    profile = profile or producer()
    told = list(told)
    found = [episode for event in told for episode in machine.step(event, profile)]
    last = max((event.happened_at for event in told if event.happened_at is not None), default=None)
    return found + list(machine.finish(last if data_clock is None else NOON + data_clock))
