"""Producers that break one promise of KIP-91 each, depart from it as releases do, or contradict it by their settings."""

from collections.abc import Callable
from random import Random

from lab.simulate.batches import APP, ERRORS, SENDER, THREAD, VERSIONS, Outage, Producer, settings, told
from lab.simulate.batches import TEXTS as BATCH_TEXTS
from lab.simulate.line import Line, Text, shown
from lab.simulate.process import CLIENTS, Client, Process, dump, start_lines, version_lines
from lab.simulate.truth import Truth
from lab.simulate.wired import NOON

Planted = tuple[list[Line], Truth]
UNIT = ("orders", "orders-producer.log")
BEFORE_KIP_91 = ("1.0.2", "1.1.1", "2.0.1")
CANCELS = ("3.1.2", "3.5.2", "3.7.2", "3.9.1", "4.0.1", "4.2.1")
REQUESTS = ("2.8.2", "3.0.2", *CANCELS)
BOTH, DEBUG = ("INFO", "DEBUG"), ("DEBUG",)
# By the later one a log at DEBUG has shown that it is whole.
EARLY, LATE = (4_000, 9_000), (40_000, 50_000)
REFUSED = (
    "org.apache.kafka.common.KafkaException: Failed to construct kafka producer\n"
    "\tat org.apache.kafka.clients.producer.KafkaProducer.<init>(KafkaProducer.java:470)\n"
    "Caused by: org.apache.kafka.common.config.ConfigException: delivery.timeout.ms should be equal to or larger than "
    "linger.ms + request.timeout.ms\n"
    "\t... 5 more"
)
TEXTS = {
    "refused": Text("Could not start order publisher", APP, "ERROR", "p91-config-42-28"),
    "adjusted": Text(
        "{me}delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms. Setting it to {ms}.",
        CLIENTS["producer"],
        "WARN",
        "p91-config-42-28",
    ),
    "expired_20": Text(
        "Publishing {record} failed after {ms} ms: "
        + ERRORS
        + "TimeoutException: Expiring {records} record(s) for {partition}: {age} ms has passed since {bound}",
        APP,
        "WARN",
        because="no recording before 2.1; text of ProducerBatch.maybeExpire to 2.0",
    ),
    "no_metadata": Text(
        "Publishing {record} failed after {ms} ms: "
        + ERRORS
        + "TimeoutException: Topic {topic} not present in metadata after {limit} ms.",
        APP,
        "WARN",
        "p91-missing-topic-42-35",
    ),
}


def _outage(
    rule_id: str,
    bugs: tuple[str, ...],
    kind: str = "error",
    versions: tuple[str, ...] = VERSIONS,
    levels: tuple[str, ...] = BOTH,
    also: tuple[str, ...] = (),
    seconds: tuple[int, int] = (20, 40),
    begins_at: tuple[int, int] = EARLY,
    closes: int | None = None,
    **more: object,
) -> Callable[[Random], Planted]:
    """A producer whose broker fails for some seconds from some moment on (ms), and which has these bugs."""

    def plant(rng: Random) -> Planted:
        process = Process(*UNIT, rng.choice(versions), level=rng.choice(levels))
        begins = rng.randint(*begins_at)
        outage = Outage(kind, begins, begins + rng.randint(*seconds) * 1_000)
        own = {"retries": 2_147_483_647, **settings(rng), **more}
        producer = Producer(
            process, rng, own, [outage], bugs=frozenset(bugs), sends_for=60_000, closes=closes
        )
        return told(producer.run(120_000), rule_id, *also)

    return plant


def _configured(
    rule_id: str, versions: tuple[str, ...], own: dict[str, object], ends: str = "starts", level: str = "INFO"
) -> Callable[[Random], Planted]:
    """A producer that starts with these settings, or refuses, or sets another delivery timeout."""

    def plant(rng: Random) -> Planted:
        process = Process(*UNIT, rng.choice(versions), level=level)
        client = Client("producer", "orders-producer", settings=own)
        if ends == "refuses":
            lines = [dump(process, client, NOON), TEXTS["refused"].line(NOON + 300, "main", trace=REFUSED)]
        elif ends == "adjusts":
            ms = process.whole(client, "linger.ms") + process.whole(client, "request.timeout.ms")
            me = f"[Producer clientId={client.client_id}] "
            said = TEXTS["adjusted"].line(NOON + 50, "main", me=me, ms=ms)
            lines = [dump(process, client, NOON), said, *version_lines(process, NOON + 60)]
        else:
            lines = start_lines(process, [client], NOON)
        return lines, Truth(violated={rule_id})

    return plant


def _out_of_order(rng: Random) -> Planted:
    """With one request in flight a batch expires after the one that was created after it."""
    process = Process(*UNIT, rng.choice(VERSIONS))
    own = settings(rng, **{"max.in.flight.requests.per.connection": 1})
    client = Client("producer", "orders-producer", settings=own)
    limit, thread = process.whole(client, "delivery.timeout.ms"), THREAD.format(client="orders-producer")
    older, younger = NOON + 2_000, NOON + 2_000 + rng.randint(250, 350)
    lines = start_lines(process, [client], NOON)
    # The process is awake shortly before: no pause delayed the first line.
    fields = {"me": "[Producer clientId=orders-producer] ", "correlation": 7, "partition": "orders-1"}
    awake = {"left": 2_147_483_640, "error": "NOT_ENOUGH_REPLICAS"}
    lines.append(BATCH_TEXTS["retry"].line(younger + limit - 40, thread, **fields, **awake))
    for number, (created, late) in enumerate(((younger, 0), (older, rng.randint(400, 450)))):
        at = created + limit + late
        fields = {"record": f"order-{number}", "ms": limit + late, "records": 1, "age": limit + late}
        lines.append(BATCH_TEXTS["expired"].line(at, thread, partition="orders-0", **fields))
    return lines, Truth(violated={"kip91.expired_out_of_order"})


def _beyond_retries(rng: Random) -> Planted:
    """A batch is tried again although its attempts are used up."""
    process = Process(*UNIT, rng.choice(VERSIONS))
    own = settings(rng, retries=2)
    client = Client("producer", "orders-producer", settings=own)
    lines, at = start_lines(process, [client], NOON), NOON + 3_000
    for number, left in enumerate((1, 0, -1)):
        fields = {
            "me": "[Producer clientId=orders-producer] ",
            "correlation": 7 + number,
            "partition": "orders-1",
        }
        at += 450
        text = BATCH_TEXTS["retry"]
        lines.append(text.line(at, THREAD, left=left, error="NOT_ENOUGH_REPLICAS", **fields))
    assert lines[-1].logger == SENDER
    return lines, Truth(violated={"kip91.retried_after_end"})


def _retried_after_end(rng: Random) -> Planted:
    planted = _beyond_retries if rng.random() < 0.3 else AFTER_EXPIRY
    return planted(rng)


AFTER_EXPIRY = _outage(
    "kip91.retried_after_end", ("retries_on",), **{"max.in.flight.requests.per.connection": 1}
)


def _before_kip_91(rng: Random) -> Planted:
    """To 2.0 what waits expires by request.timeout.ms, counted from the last append, or without linger or backoff."""
    process = Process(*UNIT, rng.choice(BEFORE_KIP_91))
    client = Client("producer", "orders-producer", settings={"request.timeout.ms": 5_000})
    bound = rng.choice(("last append", "batch creation plus linger time", "last attempt plus backoff time"))
    age = 5_000 + rng.randint(1, 40)
    fields = {
        "record": "order-3",
        "ms": age + 20,
        "records": 2,
        "partition": "orders-0",
        "age": age,
        "bound": bound,
    }
    line = TEXTS["expired_20"].line(NOON + 20_000, THREAD, **fields)
    return [*start_lines(process, [client], NOON), line], Truth(violated={"kip91.expired_by_request_timeout"})


def _blocked(rng: Random) -> Planted:
    """send() gives up long before max.block.ms, when the delivery timeout would be over."""
    process = Process(*UNIT, rng.choice(("2.4.1", "2.8.2", "3.5.2", "3.9.1", "4.2.1")))
    client = Client("producer", "orders-producer", settings=settings(rng, **{"max.block.ms": 60_000}))
    limit = process.whole(client, "delivery.timeout.ms")
    fields = {"record": "order-0", "ms": limit + 3, "topic": "audit", "limit": limit}
    lines = [
        *start_lines(process, [client], NOON),
        TEXTS["no_metadata"].line(NOON + 30_000, "main", **fields),
    ]
    return shown(lines, "INFO"), Truth(violated={"kip91.blocked_send_counted"})


ONE_IN_FLIGHT: dict[str, object] = {"max.in.flight.requests.per.connection": 1}
LONG: dict[str, object] = {"delivery.timeout.ms": 90_000}
TOO_SHORT: dict[str, object] = {"delivery.timeout.ms": 9_000, "request.timeout.ms": 10_000, "linger.ms": 5}
DEFECTS: dict[str, Callable[[Random], Planted]] = {
    "kip91.expired_early": _outage("kip91.expired_early", ("expires_early",)),
    "kip91.expired_late": _outage("kip91.expired_late", ("expires_late",), seconds=(40, 50), **ONE_IN_FLIGHT),
    "kip91.expired_out_of_order": _out_of_order,
    "kip91.gave_up_early": _outage("kip91.gave_up_early", ("gives_up",), **LONG),
    "kip91.retried_after_end": _retried_after_end,
    "kip91.request_cut_short": _outage(
        "kip91.request_cut_short", ("cuts_request",), "silent", CANCELS, DEBUG, begins_at=LATE
    ),
    "kip91.request_overran": _outage("kip91.request_overran", ("overruns_request",), "silent", CANCELS),
    "kip91.config_accepted": _configured("kip91.config_accepted", VERSIONS, TOO_SHORT),
    "kip91.no_room_for_one_attempt": _configured(
        "kip91.no_room_for_one_attempt", VERSIONS, TOO_SHORT, "refuses"
    ),
    "kip91.delivery_timeout_adjusted": _configured(
        "kip91.delivery_timeout_adjusted", VERSIONS, {"request.timeout.ms": 150_000}, "adjusts"
    ),
    "kip91.explicit_retries": _configured("kip91.explicit_retries", VERSIONS, {"retries": 3}),
    "kip91.reordering_possible": _configured(
        "kip91.reordering_possible", VERSIONS, {"enable.idempotence": "false", "retries": 2_147_483_647}
    ),
    "kip91.expired_by_request_timeout": _before_kip_91,
    "kip91.blocked_send_counted": _blocked,
    "kip91.expiry_not_counted": _outage("kip91.expiry_not_counted", ("counts_no_failures",)),
    "kip580.retry_not_counted": _outage("kip580.retry_not_counted", ("counts_no_retries",)),
    "kip580.retries_not_logged": _outage(
        "kip580.retries_not_logged", ("logs_no_retries",), levels=("INFO",), closes=118_000
    ),
}
