# ruff: noqa: E501  # a sentence that tells a scenario stays one line
"""Scenarios of librdkafka: 2.3.0 (the first with KIP-580) and 2.16.0, by the Python binding."""

from typing import Any

from lab.record.proxy import Fault
from lab.record.scenario import Client, Scenario, Semantics, Step

OLD, NEW = "2.3.0", "2.16.0"
NOT_ENOUGH_REPLICAS = 19
GROUP = {
    "group.id": "order-service", "auto.offset.reset": "earliest", "enable.auto.commit": "false",
    "session.timeout.ms": 6000, "heartbeat.interval.ms": 2000,
}  # fmt: skip
MEMBERSHIP = "cgrp,consumer,protocol"


def consumer(
    name: str, version: str, *, app: dict[str, Any] | None = None, at: int = 0, **config: Any
) -> Client:
    given = {key.replace("_", "."): value for key, value in config.items()}
    return Client(name, "consumer", "librdkafka", version, GROUP | given, app or {}, at)


def producer(name: str, version: str, *, app: dict[str, Any] | None = None, **config: Any) -> Client:
    given = {key.replace("_", "."): value for key, value in config.items()}
    return Client(name, "producer", "librdkafka", version, given, {"rate": 4, "parts": 2} | (app or {}))


POLL = Semantics(
    "KIP-62", "leaves the group max.poll.interval.ms after the last poll, rejoins on the next",
    rules=("kip62.left_early", "kip62.left_late", "kip62.not_left", "kip62.not_rejoined"),
)  # fmt: skip


def slow_poll(version: str, tag: str) -> Scenario:
    return Scenario(
        f"rd62-slow-poll-{tag}",
        f"librdkafka {version}: one of two members processes 14 s with max.poll.interval.ms=8 s, session 6 s",
        [
            consumer("consumer-a", version, app={"slow": [[10000, 14000]]}, max_poll_interval_ms=8000),
            consumer("consumer-b", version, max_poll_interval_ms=8000, debug=MEMBERSHIP, at=500),
        ],
        36_000,
        semantics=[POLL],
        feed_rate=8,
    )


def isr_lost(version: str, tag: str, outage_ms: int) -> Scenario:
    return Scenario(
        f"rd580-isr-lost-{tag}",
        f"librdkafka {version}: NOT_ENOUGH_REPLICAS for {outage_ms // 1000} s, default backoff: what becomes of retries 26, 27, 30 to 32",
        [
            producer(
                "orders-producer", version, app={"rate": 0.01, "parts": 1, "stats": True, "flush_s": 15},
                message_timeout_ms=120000, acks="all", debug="msg,protocol,generic",
            )
        ],
        outage_ms + 5_000,
        [
            Step(0, "begin", "isr", Fault("refuse", ("Produce",), code=NOT_ENOUGH_REPLICAS)),
            Step(outage_ms, "end", "isr"),
        ],
        [
            Semantics(
                "KIP-580", "a retry waits at least 0.8 of its backoff", "violated",
                "retries 26, 27 and 30 to 32 leave at once: (1 << (retries - 1)) * retry_ms overflows int",
                ("kip580.backoff_overflowed",), "departs_from_kip",
            )
        ],
    )  # fmt: skip


RDKAFKA: tuple[Scenario, ...] = (
    slow_poll(OLD, "23"),
    slow_poll(NEW, "216"),
    isr_lost(OLD, "23", 42_000),
    isr_lost(NEW, "216", 42_000),
    Scenario(
        "rd62-session-lost-216",
        "librdkafka 2.16.0: heartbeats are not answered for 16 s, session 6 s: the client gives its membership up",
        [
            consumer("consumer-a", NEW, app={"logger": True}),
            consumer("consumer-b", NEW, debug=MEMBERSHIP, at=500),
        ],
        40_000,
        [
            Step(12_000, "begin", "heartbeats", Fault("drop", ("Heartbeat",), "consumer-a")),
            Step(28_000, "end", "heartbeats"),
        ],
        [Semantics("KIP-62", "the client gives up its membership session.timeout.ms after the last heartbeat's answer")],
        feed_rate=8,
    ),
    Scenario(
        "rd62-session-lost-23",
        "librdkafka 2.3.0: the same",
        [consumer("consumer-a", OLD), consumer("consumer-b", OLD, debug=MEMBERSHIP, at=500)],
        40_000,
        [
            Step(12_000, "begin", "heartbeats", Fault("drop", ("Heartbeat",), "consumer-a")),
            Step(28_000, "end", "heartbeats"),
        ],
        [Semantics("KIP-62", "the client gives up its membership session.timeout.ms after the last heartbeat's answer")],
        feed_rate=8,
    ),
    Scenario(
        "rd62-coordinator-frozen-216",
        "librdkafka 2.16.0: the only broker stands still for 20 s, session 10 s, socket.timeout.ms 6 s; a producer beside",
        [
            consumer("consumer-a", NEW, session_timeout_ms=10000, socket_timeout_ms=6000, app={"stats": True}),
            producer("orders-producer", NEW, socket_timeout_ms=6000, message_timeout_ms=60000),
        ],
        50_000,
        [Step(12_000, "freeze"), Step(32_000, "thaw")],
        [
            Semantics("KIP-62", "the client gives up its membership while the coordinator is away"),
            Semantics("KIP-91", "batches survive an outage shorter than message.timeout.ms", rules=("kip91.expired_early",)),
        ],
        feed_rate=4,
    ),
    Scenario(
        "rd91-blackhole-216",
        "librdkafka 2.16.0: Produce requests vanish for 25 s, message.timeout.ms=10 s, socket.timeout.ms=4 s; statistics",
        [producer("orders-producer", NEW, app={"stats": True, "says_errors": True}, message_timeout_ms=10000, socket_timeout_ms=4000)],
        45_000,
        [
            Step(8000, "begin", "produce", Fault("drop", ("Produce",))),
            Step(33_000, "end", "produce"),
        ],
        [Semantics("KIP-91", "a message fails message.timeout.ms after produce(), scanned once a second", rules=("kip91.expired_early",))],
    ),
    Scenario(
        "rd91-blackhole-23",
        "librdkafka 2.3.0: the same, through Python's logging",
        [producer("orders-producer", OLD, app={"logger": True}, message_timeout_ms=10000, socket_timeout_ms=4000)],
        45_000,
        [
            Step(8000, "begin", "produce", Fault("drop", ("Produce",))),
            Step(33_000, "end", "produce"),
        ],
        [Semantics("KIP-91", "a message fails message.timeout.ms after produce(), scanned once a second", rules=("kip91.expired_early",))],
    ),
    Scenario(
        "rd580-conn-reset-216",
        "librdkafka 2.16.0: connections are reset and none is taken for 12 s: reconnect backoff",
        [producer("orders-producer", NEW), consumer("consumer-a", NEW, session_timeout_ms=30000)],
        35_000,
        [Step(10_000, "begin", "network", Fault("reset")), Step(22_000, "end", "network")],
        [
            Semantics("KIP-580", "reconnect backoff is KIP-144's, no retry backoff", "not_applicable", rules=("kip580.backoff_too_short",)),
            Semantics("KIP-91", "batches survive an outage shorter than message.timeout.ms", rules=("kip91.expired_early",)),
        ],
        feed_rate=4,
    ),
    Scenario(
        "rd62-broker-killed-23",
        "librdkafka 2.3.0: the only broker is killed at 18 s and is back at 30 s, session 8 s; what stands before it takes connections all the while, and closes them",
        [
            producer("orders-producer", OLD, message_timeout_ms=60000),
            consumer("consumer-a", OLD, session_timeout_ms=8000),
        ],
        50_000,
        [Step(18_000, "kill9", "broker"), Step(30_000, "restarted", "broker")],
        [
            Semantics("KIP-62", "the client gives up its membership while the coordinator is away"),
            Semantics("KIP-91", "batches survive an outage shorter than message.timeout.ms", rules=("kip91.expired_early",)),
        ],
    ),
    Scenario(
        "rd62-static-fenced-216",
        "librdkafka 2.16.0: a second process with the same group.instance.id fences the first",
        [
            consumer("consumer-a", NEW, group_instance_id="pay-1", app={"says_errors": True}),
            consumer("consumer-b", NEW, group_instance_id="pay-1", at=12_000),
        ],
        30_000,
        semantics=[Semantics("KIP-62", "a duplicate group.instance.id fences the older process", rules=())],
        feed_rate=8,
    ),
    Scenario(
        "rd62-healthy-216",
        "no fault: two members (2.16.0, 2.3.0; one leaves and comes back), a producer with statistics, three minutes",
        [
            consumer("consumer-a", NEW, app={"stats": True}),
            consumer("consumer-b", OLD, debug=MEMBERSHIP, at=15_000),
            producer("orders-producer", NEW, app={"stats": True}, enable_idempotence="true"),
        ],
        120_000,
        semantics=[
            Semantics("KIP-62", "no fault: no rule about liveness may fire", rules=("kip62.left_early", "kip62.left_late", "kip62.not_left")),
            Semantics("KIP-580", "no fault: no rule about backoff may fire", rules=("kip580.backoff_too_short", "kip580.no_backoff")),
            Semantics("KIP-91", "no fault: no rule about batches may fire", rules=("kip91.expired_early",)),
        ],
        feed_rate=4,
    ),
    Scenario(
        "rd848-slow-poll-216",
        "librdkafka 2.16.0, group.protocol=consumer: processing 14 s with max.poll.interval.ms=8 s",
        [
            Client(
                "consumer-a", "consumer", "librdkafka", NEW,
                {
                    "group.id": "order-service", "auto.offset.reset": "earliest", "enable.auto.commit": "false",
                    "group.protocol": "consumer", "max.poll.interval.ms": 8000,
                },
                {"slow": [[10000, 14000]]},
            )
        ],
        36_000,
        semantics=[Semantics("KIP-848", "leaves the group max.poll.interval.ms after the last poll, rejoins on the next")],
        feed_rate=8,
    ),
    Scenario(
        "rd848-evicted-216",
        "librdkafka 2.16.0, group.protocol=consumer: heartbeats vanish for 16 s, the broker's session is 6 s",
        [
            Client(
                "consumer-a", "consumer", "librdkafka", NEW,
                {
                    "group.id": "order-service", "auto.offset.reset": "earliest", "enable.auto.commit": "false",
                    "group.protocol": "consumer", "debug": "cgrp",
                },
            )
        ],
        45_000,
        [
            Step(12_000, "begin", "heartbeats", Fault("drop", ("ConsumerGroupHeartbeat",))),
            Step(28_000, "end", "heartbeats"),
        ],
        [Semantics("KIP-848", "a member whose heartbeats don't arrive is fenced after the broker's session timeout")],
        feed_rate=8,
        broker={"group.consumer.session.timeout.ms": 6000, "group.consumer.min.session.timeout.ms": 1000,
                "group.consumer.heartbeat.interval.ms": 2000, "group.consumer.min.heartbeat.interval.ms": 500},
    ),
    Scenario(
        "rd98-transaction-timeout-216",
        "librdkafka 2.16.0: a transaction stays open for 16 s with transaction.timeout.ms=6 s: the coordinator aborts it",
        [
            producer(
                "orders-producer", NEW, app={"txn_ms": 16_000, "rate": 0.05},
                transactional_id="pay-tx", transaction_timeout_ms=6000, message_timeout_ms=6000,
            )
        ],
        40_000,
        semantics=[Semantics("KIP-98", "the coordinator aborts a transaction after transaction.timeout.ms")],
        broker={"transaction.abort.timed.out.transaction.cleanup.interval.ms": 2000},
    ),
    Scenario(
        "rd91-terminated-216",
        "librdkafka 2.16.0: the process ends with messages in the queue, without flush(): they are lost",
        [producer("orders-producer", NEW, app={"no_flush": True, "rate": 10}, linger_ms=500)],
        12_000,
        [Step(9000, "begin", "produce", Fault("drop", ("Produce",)))],
        [Semantics("KIP-91", "messages in the queue at the end are lost", rules=())],
    ),
)  # fmt: skip
