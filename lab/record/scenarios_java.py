# ruff: noqa: E501  # a sentence that tells a scenario stays one line
"""Scenarios of Java's clients of 4.1 and 4.3: classic groups, KIP-848, KIP-932, KIP-1071, transactions."""

from typing import Any

from lab.record.proxy import Fault
from lab.record.scenario import Client, Scenario, Semantics, Step

OLD, NEW = "4.1.2", "4.3.1"
CLIENTS = ("org.apache.kafka.clients",)
NOT_ENOUGH_REPLICAS = 19
GROUP = {"group.id": "order-service", "auto.offset.reset": "earliest", "enable.auto.commit": "false"}
CLASSIC = GROUP | {"session.timeout.ms": 6000, "heartbeat.interval.ms": 2000}
COOPERATIVE = GROUP | {
    "partition.assignment.strategy": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
    "max.poll.interval.ms": 6000,
}
BY_848 = {
    "group.id": "pay-service",
    "auto.offset.reset": "earliest",
    "enable.auto.commit": "true",
    "group.protocol": "consumer",
}
SHORT_848 = {
    "group.consumer.session.timeout.ms": 6000, "group.consumer.min.session.timeout.ms": 1000,
    "group.consumer.heartbeat.interval.ms": 2000, "group.consumer.min.heartbeat.interval.ms": 500,
}  # fmt: skip
SHORT_STREAMS = {
    "group.streams.session.timeout.ms": 6000, "group.streams.min.session.timeout.ms": 1000,
    "group.streams.heartbeat.interval.ms": 2000, "group.streams.min.heartbeat.interval.ms": 500,
    "group.streams.initial.rebalance.delay.ms": 500,
}  # fmt: skip
SHORT_SHARE = {
    "share.coordinator.state.topic.replication.factor": 1, "share.coordinator.state.topic.min.isr": 1,
    "share.coordinator.state.topic.num.partitions": 2, "group.share.record.lock.duration.ms": 5000,
    "group.share.min.record.lock.duration.ms": 1000, "group.share.session.timeout.ms": 6000,
    "group.share.min.session.timeout.ms": 1000, "group.share.heartbeat.interval.ms": 2000,
    "group.share.min.heartbeat.interval.ms": 500,
}  # fmt: skip


def java(
    name: str,
    mode: str,
    version: str,
    config: dict[str, Any],
    app: dict[str, Any] | None = None,
    at: int = 0,
    *,
    debug: bool = False,
) -> Client:
    return Client(name, mode, "java", version, config, app or {}, at, CLIENTS if debug else ())


def tag(version: str) -> str:
    return "".join(version.split(".")[:2])


def slow_poll(version: str) -> Scenario:
    limit = CLASSIC | {"max.poll.interval.ms": 8000}
    return Scenario(
        f"j62-slow-poll-{tag(version)}",
        f"client {version}: one of two members processes 14 s with max.poll.interval.ms=8 s, session 6 s",
        [
            java("consumer-a", "consumer", version, limit, {"slow": [[12000, 14000]]}, debug=True),
            java("consumer-b", "consumer", version, limit, at=500),
        ],
        40_000,
        semantics=[
            Semantics(
                "KIP-62",
                "LeaveGroup max.poll.interval.ms after the last poll(), rejoin on next poll",
                rules=("kip62.left_early", "kip62.left_late", "kip62.not_left", "kip62.not_rejoined"),
            )
        ],
        feed_rate=8,
    )


def evicted_848(version: str) -> Scenario:
    return Scenario(
        f"j848-evicted-{tag(version)}",
        f"client {version}, group.protocol=consumer: heartbeats vanish for 18 s, the broker's session is 6 s, request.timeout.ms 4 s",
        [
            java(
                "consumer-a",
                "consumer",
                version,
                GROUP | {"group.protocol": "consumer", "request.timeout.ms": 4000},
                debug=True,
            )
        ],
        45_000,
        [
            Step(12_000, "begin", "heartbeats", Fault("stall", ("ConsumerGroupHeartbeat",))),
            Step(30_000, "end", "heartbeats"),
        ],
        [
            Semantics(
                "KIP-848",
                "a member whose heartbeats don't arrive is fenced after the broker's session timeout",
            )
        ],
        feed_rate=4,
        broker=SHORT_848,
    )


def transaction(version: str) -> Scenario:
    return Scenario(
        f"j98-transaction-timeout-{tag(version)}",
        f"client {version}: a transaction stays open for 16 s with transaction.timeout.ms=6 s: the coordinator aborts it",
        [
            java(
                "orders-producer",
                "producer",
                version,
                {"transactional.id": "pay-tx", "transaction.timeout.ms": 6000, "max.block.ms": 20000},
                {"txn_ms": 15_000, "rate": 0.0625},
            )
        ],
        40_000,
        semantics=[Semantics("KIP-98", "the coordinator aborts a transaction after transaction.timeout.ms")],
        broker={"transaction.abort.timed.out.transaction.cleanup.interval.ms": 2000},
    )


JAVA: tuple[Scenario, ...] = (
    slow_poll(NEW),
    slow_poll(OLD),
    evicted_848(NEW),
    evicted_848(OLD),
    transaction(NEW),
    Scenario(
        "j848-slow-poll-43",
        "client 4.3.1, group.protocol=consumer: processing 14 s with max.poll.interval.ms=8 s",
        [java("consumer-a", "consumer", NEW, GROUP | {"group.protocol": "consumer", "max.poll.interval.ms": 8000}, {"slow": [[12000, 14000]]})],
        40_000,
        semantics=[Semantics("KIP-848", "leaves the group max.poll.interval.ms after the last poll, rejoins on the next", rules=("kip848.left_late", "kip848.not_rejoined"))],
        feed_rate=8,
    ),
    Scenario(
        "j572-task-immediate-death-43",
        "Streams 4.3.1: the sink topic is missing: the client's TimeoutException never reaches the task timer, the thread dies though task.timeout.ms=25 s",
        [
            java(
                "orders-streams", "streams", NEW,
                {"application.id": "orders-app", "task.timeout.ms": 25000, "producer.max.block.ms": 4000, "num.stream.threads": 1},
                {"sink": "orders-missing"},
            )
        ],
        35_000,
        semantics=[Semantics("KIP-572", "TimeoutException of a client call during processing starts the task timer", "violated", rules=("kip572.timer_not_started",), category="departs_from_kip")],
        feed_rate=4,
    ),
    Scenario(
        "j1071-evicted-43",
        "Streams 4.3.1, group.protocol=streams: heartbeats vanish for 18 s, the broker's session is 6 s",
        [
            java(
                "orders-streams", "streams", NEW,
                {"application.id": "orders-app", "group.protocol": "streams", "num.stream.threads": 1, "request.timeout.ms": 4000},
                debug=True,
            )
        ],
        45_000,
        [Step(15_000, "begin", "heartbeats", Fault("stall", ("StreamsGroupHeartbeat",))), Step(33_000, "end", "heartbeats")],
        [Semantics("KIP-1071", "a member whose heartbeats don't arrive is fenced after the broker's session timeout")],
        topics={"orders": 2, "orders-out": 1},
        feed_rate=4,
        broker=SHORT_STREAMS,
    ),
    Scenario(
        "j1071-slow-poll-43",
        "Streams 4.3.1, group.protocol=streams: processing 14 s with max.poll.interval.ms=8 s",
        [
            java(
                "orders-streams", "streams", NEW,
                {"application.id": "orders-app", "group.protocol": "streams", "num.stream.threads": 1, "max.poll.interval.ms": 8000},
                {"slow": [[15000, 14000]]},
            )
        ],
        45_000,
        semantics=[Semantics("KIP-1071", "leaves the group max.poll.interval.ms after the last poll, rejoins on the next")],
        topics={"orders": 2, "orders-out": 1},
        feed_rate=4,
        broker=SHORT_STREAMS,
    ),
    Scenario(
        "j1092-replace-thread-43",
        "Streams 4.3.1, classic group, REPLACE_THREAD: a thread dies by an exception; its member stays until session.timeout.ms=10 s",
        [
            java(
                "orders-streams", "streams", NEW,
                {"application.id": "orders-app", "num.stream.threads": 1, "session.timeout.ms": 10000, "heartbeat.interval.ms": 3000},
                {"on_exception": "REPLACE_THREAD", "throw_after": 40},
            )
        ],
        50_000,
        semantics=[Semantics("KIP-62", "the dead thread's member is removed session.timeout.ms after its last heartbeat", rules=("kip62.evicted_early", "kip62.evicted_late"))],
        topics={"orders": 2, "orders-out": 1},
        feed_rate=4,
    ),
    Scenario(
        "j932-lock-expired-43",
        "share group, client 4.3.1: records are held for 12 s with group.share.record.lock.duration.ms=5 s: others get them again, the acknowledgement is refused",
        [
            java("share-a", "share", NEW, {"group.id": "order-share", "share.acknowledgement.mode": "explicit"}, {"slow": [[12000, 12000]]}),
            java("share-b", "share", NEW, {"group.id": "order-share"}, at=500),
        ],
        40_000,
        semantics=[Semantics("KIP-932", "a record that is not acknowledged within its lock is given to another")],
        feed_rate=8,
        broker=SHORT_SHARE,
    ),
    Scenario(
        "j932-slow-poll-43",
        "share group, client 4.3.1: processing 14 s with max.poll.interval.ms=8 s",
        [java("share-a", "share", NEW, {"group.id": "order-share", "max.poll.interval.ms": 8000}, {"slow": [[12000, 14000]]})],
        42_000,
        semantics=[Semantics("KIP-932", "leaves the group max.poll.interval.ms after the last poll, rejoins on the next")],
        feed_rate=8,
        broker=SHORT_SHARE,
    ),
    Scenario(
        "j580-isr-lost-43",
        "client 4.3.1: NOT_ENOUGH_REPLICAS for 30 s, default backoff 100/1000: exponential with jitter, saturates between 800 and 1000 ms",
        [java("orders-producer", "producer", NEW, {"enable.idempotence": "false", "delivery.timeout.ms": 60000}, {"rate": 0.01, "parts": 1}, debug=True)],
        45_000,
        [Step(0, "begin", "isr", Fault("refuse", ("Produce",), code=NOT_ENOUGH_REPLICAS)), Step(35_000, "end", "isr")],
        [Semantics("KIP-580", "exponential backoff with jitter 0.8..1.2 up to retry.backoff.max.ms", rules=("kip580.backoff_too_short", "kip580.no_backoff"))],
    ),
    Scenario(
        "j91-blackhole-43",
        "client 4.3.1: Produce requests vanish for 25 s, delivery.timeout.ms=10 s, request.timeout.ms=4 s",
        [java("orders-producer", "producer", NEW, {"delivery.timeout.ms": 10000, "request.timeout.ms": 4000, "linger.ms": 5}, {"rate": 2, "parts": 2})],
        45_000,
        [Step(8000, "begin", "produce", Fault("stall", ("Produce",))), Step(33_000, "end", "produce")],
        [Semantics("KIP-91", "no batch expires early", rules=("kip91.expired_early",))],
    ),
    Scenario(
        "j62-coordinator-missing-43",
        "the coordinator can't be made (offsets.topic.replication.factor=3 on one broker): a consumer 4.3.1 at INFO, and librdkafka 2.16.0 with debug=cgrp",
        [
            java("consumer-a", "consumer", NEW, CLASSIC),
            Client("consumer-b", "consumer", "librdkafka", "2.16.0", CLASSIC | {"debug": "cgrp"}, {}, 500),
        ],
        40_000,
        semantics=[Semantics("KIP-62", "who never was a member is accused of nothing", rules=("kip62.left_early", "kip62.left_late", "kip62.not_left", "kip62.not_rejoined"))],
        feed_rate=4,
        broker={"offsets.topic.replication.factor": 3},
    ),
    Scenario(
        "j62-cooperative-slow-41",
        "client 4.1.2, cooperative: one of two members processes 10 s twice with max.poll.interval.ms=6 s, a third joins meanwhile; commits of the others fall into rebalances",
        [
            java("consumer-a", "consumer", OLD, COOPERATIVE, {"slow": [[10000, 10000], [30000, 10000]]}),
            java("consumer-b", "consumer", OLD, COOPERATIVE, at=800),
            java("consumer-c", "consumer", OLD, COOPERATIVE, at=24_000),
        ],
        52_000,
        semantics=[Semantics("KIP-62", "LeaveGroup max.poll.interval.ms after the last poll(), rejoin on next poll", rules=("kip62.left_early", "kip62.left_late", "kip62.not_left", "kip62.not_rejoined"))],
        topics={"orders": 5},
        feed_rate=8,
    ),
    Scenario(
        "j62-mixed-healthy-43",
        "no fault: Java 4.3.1 and librdkafka 2.16.0 in one group, a producer of each: two minutes",
        [
            java("consumer-a", "consumer", NEW, CLASSIC),
            Client("consumer-b", "consumer", "librdkafka", "2.16.0", CLASSIC | {"partition.assignment.strategy": "range"}, {}, 8000),
            java("orders-producer", "producer", NEW, {}, {"rate": 4, "parts": 2}),
            Client("pay-producer", "producer", "librdkafka", "2.16.0", {}, {"rate": 4, "parts": 2}),
        ],
        120_000,
        semantics=[Semantics("KIP-62", "no fault: no rule may fire", rules=("kip62.left_early", "kip62.left_late", "kip62.not_left"))],
        feed_rate=4,
    ),
    Scenario(
        "j62-mixed-healthy-30min",
        "no fault: Java 4.3.1 and 4.1.2, librdkafka 2.16.0 and 2.3.0 in one classic group and one of KIP-848, three producers, one leaves and comes back: half an hour",
        [
            java("consumer-a", "consumer", NEW, CLASSIC),
            java("consumer-b", "consumer", OLD, CLASSIC, at=8000),
            Client("consumer-c", "consumer", "librdkafka", "2.16.0", CLASSIC | {"partition.assignment.strategy": "range"}, {}, 20_000),
            Client("consumer-d", "consumer", "librdkafka", "2.3.0", CLASSIC | {"partition.assignment.strategy": "range"}, {}, 300_000),
            java("member-a", "consumer", NEW, BY_848),
            Client("member-b", "consumer", "librdkafka", "2.16.0", BY_848, {}, 60_000),
            java("orders-producer", "producer", NEW, {}, {"rate": 0.5, "parts": 4}),
            Client("pay-producer", "producer", "librdkafka", "2.16.0", {}, {"rate": 0.5, "parts": 4}),
        ],
        1_800_000,
        semantics=[
            Semantics("KIP-62", "no fault: no rule may fire", rules=("kip62.left_early", "kip62.left_late", "kip62.not_left")),
            Semantics("KIP-848", "no fault: no rule may fire", rules=("kip848.left_late", "kip848.not_left", "kip848.not_rejoined")),
        ],
        topics={"orders": 4},
        feed_rate=0.5,
    ),
)  # fmt: skip
