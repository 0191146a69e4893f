"""Scenarios drawn at random: releases, settings and faults that nobody chose, so that their score is one of first sight."""

import random
from collections.abc import Callable
from typing import Any

from lab.record.proxy import Fault
from lab.record.scenario import Client, Scenario, Semantics, Step
from lab.record.scenarios_java import SHORT_848, SHORT_SHARE, SHORT_STREAMS

RELEASES = (
    "2.3.1", "2.4.1", "2.6.3", "2.8.2", "3.0.2", "3.2.3", "3.4.1", "3.5.2", "3.6.2", "3.7.2", "3.8.1", "3.9.1",
    "4.0.1", "4.1.2", "4.2.1", "4.3.1",
)  # fmt: skip
SHARE = ("4.2.1", "4.3.1")
STREAMS = tuple(version for version in RELEASES if version >= "3.4")
LIBRDKAFKA = ("2.3.0", "2.6.1", "2.10.1", "2.16.0")
ASSIGNORS = (None, None, "CooperativeStickyAssignor", "RoundRobinAssignor", "StickyAssignor")
CLIENTS = ("org.apache.kafka.clients",)
MEMBERS = ("consumer-a", "consumer-b", "consumer-c")
RUN_MS = 80_000
FIRST_MS, LAST_MS = 12_000, 55_000  # when faults begin and end
LIBRDKAFKA_848 = ("2.10.1", "2.16.0")
REFUSALS = (3, 6, 7, 10, 19, 20, 29, 56, 87)  # of a Produce (lab.record.frames.ERRORS)
STARTS_MS = (0, 0, 500, 500, 4000, 4000, 27_000)
# Errors that an answer may have: of any coordinator, and of a request.
OF_COORDINATORS = (14, 15, 16)
FAILURES = {
    "Metadata": (3, 5, 29), "Fetch": (1, 3, 6, 29, 56, 74, 76), "ListOffsets": (3, 6, 29, 74, 78),
    "FindCoordinator": (*OF_COORDINATORS, 30), "OffsetCommit": (*OF_COORDINATORS, 7, 12, 22, 25, 27, 30, 113),
    "OffsetFetch": (*OF_COORDINATORS, 30, 88), "JoinGroup": (*OF_COORDINATORS, 25, 27, 30),
    "SyncGroup": (*OF_COORDINATORS, 22, 25, 27), "Heartbeat": (*OF_COORDINATORS, 22, 25, 27),
    "ConsumerGroupHeartbeat": (*OF_COORDINATORS, 25, 30, 110), "ShareGroupHeartbeat": (*OF_COORDINATORS, 25, 30, 110),
    "StreamsGroupHeartbeat": (*OF_COORDINATORS, 25, 30, 110), "ShareFetch": (122, 123), "ShareAcknowledge": (6, 122, 123),
    "InitProducerId": (*OF_COORDINATORS, 47, 51, 53), "AddPartitionsToTxn": (*OF_COORDINATORS, 3, 29, 47, 48, 49, 51, 53),
    "AddOffsetsToTxn": (*OF_COORDINATORS, 47, 51), "TxnOffsetCommit": (*OF_COORDINATORS, 22, 25, 30, 47),
    "EndTxn": (*OF_COORDINATORS, 47, 48, 49, 51),
}  # fmt: skip
# What clients ask, by their modes and by settings that they have.
ASKED = {
    "consumer": ("Fetch", "ListOffsets", "OffsetCommit", "OffsetFetch", "FindCoordinator"),
    "share": ("ShareGroupHeartbeat", "ShareFetch", "ShareAcknowledge", "FindCoordinator"),
    "streams": ("Fetch", "OffsetCommit", "OffsetFetch", "InitProducerId"),
    "session.timeout.ms": ("JoinGroup", "SyncGroup", "Heartbeat"),
    "transactional.id": ("FindCoordinator", "InitProducerId", "AddPartitionsToTxn", "EndTxn"),
    "processing.guarantee": ("AddPartitionsToTxn", "AddOffsetsToTxn", "TxnOffsetCommit", "EndTxn"),
}
HEARTBEATS = {"consumer": "ConsumerGroupHeartbeat", "streams": "StreamsGroupHeartbeat"}  # by group.protocol
HELD_UP = (
    "Produce", "Produce", "Fetch", "Heartbeat", "Heartbeat", "OffsetCommit", "JoinGroup", "SyncGroup", "FindCoordinator",
    "Metadata", "ConsumerGroupHeartbeat", "InitProducerId", "EndTxn",
)  # fmt: skip


def drawn(seed: int) -> Scenario:
    """One scenario: a group, a producer or two, perhaps Streams and a share group, and one to three faults."""
    draw = random.Random(f"recording {seed}")
    clients = [*_group(draw), *_producers(draw)]
    if draw.random() < 0.3:
        clients.append(_streams(draw))
    if draw.random() < 0.2:
        clients += _share_group(draw)
    steps = _steps(draw, clients)
    said = ", ".join(f"{_of(step.fault)}{step.does} {step.name} at {step.at_ms // 1000} s" for step in steps)
    return Scenario(
        f"drawn-{seed}",
        f"drawn: {', '.join(f'{one.name} {one.version}' for one in clients)}; {said}",
        clients,
        RUN_MS,
        sorted(steps, key=lambda step: step.at_ms),
        [Semantics("KIP-62", "drawn: no promise is known beforehand")],
        topics={"orders": draw.randint(1, 4), "orders-out": 1},
        feed_rate=draw.choice((2, 4, 8)),
        broker=SHORT_848
        | SHORT_SHARE
        | SHORT_STREAMS
        | {"transaction.abort.timed.out.transaction.cleanup.interval.ms": 2000},
    )


def _of(fault: Fault | None) -> str:
    """What a fault does, as a scenario's description says it."""
    if fault is None:
        return ""
    code = [str(fault.code)] if fault.code else []
    return " ".join([fault.how, *fault.apis, *code, "of", fault.client, ""])


def _release(draw: random.Random, library: str) -> str:
    return draw.choice(LIBRDKAFKA if library == "librdkafka" else RELEASES)


def _group(draw: random.Random) -> list[Client]:
    return _group_848(draw) if draw.random() < 0.25 else _classic_group(draw)


def _group_848(draw: random.Random) -> list[Client]:
    """Members that let the coordinator assign (KIP-848): its settings say how long they may be silent."""
    members = []
    for name in MEMBERS[: draw.randint(1, 3)]:
        library = "java" if draw.random() < 0.7 else "librdkafka"
        version = draw.choice(
            [one for one in RELEASES if one >= "4.0"] if library == "java" else LIBRDKAFKA_848
        )
        config: dict[str, Any] = {
            "group.id": "order-service",
            "group.protocol": "consumer",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": draw.choice(("true", "false")),
        }
        if draw.random() < 0.6:
            config["max.poll.interval.ms"] = draw.choice((6000, 8000, 20_000))
        if draw.random() < 0.25:
            config["group.instance.id"] = name
        members.append(_client(draw, name, "consumer", library, version, config, _handling(draw)))
    return members


def _handling(draw: random.Random) -> dict[str, Any]:
    """How an application treats its consumer."""
    app: dict[str, Any] = {}
    if draw.random() < 0.5:
        app["slow"] = [[draw.randint(8000, 40_000), draw.choice((3000, 9000, 14_000, 24_000))]]
    if draw.random() < 0.2:
        app["no_close"] = "true"
    if draw.random() < 0.3:
        app["commit"] = "async"
    return app


def _classic_group(draw: random.Random) -> list[Client]:
    session = draw.choice((6000, 8000, 10_000, 15_000))
    assignor = draw.choice(ASSIGNORS)
    shared: dict[str, Any] = {
        "group.id": "order-service",
        "auto.offset.reset": "earliest",
        "session.timeout.ms": session,
        "heartbeat.interval.ms": session // draw.choice((3, 3, 5)),
        "enable.auto.commit": draw.choice(("true", "false")),
    }
    members = []
    for name in MEMBERS[: draw.randint(1, 3)]:
        library = "java" if assignor or draw.random() < 0.8 else "librdkafka"
        version = _release(draw, library)
        config = dict(shared)
        if library == "java" and assignor and (assignor != "CooperativeStickyAssignor" or version >= "2.4"):
            config["partition.assignment.strategy"] = f"org.apache.kafka.clients.consumer.{assignor}"
        if library == "librdkafka":
            config["partition.assignment.strategy"] = "range"
            config |= draw.choice(({}, {"debug": "cgrp,consumer,protocol"}))
        if draw.random() < 0.6:
            config["max.poll.interval.ms"] = draw.choice((session, session + 2000, 20_000))
        if (library == "librdkafka" or version >= "2.4") and draw.random() < 0.25:
            config["group.instance.id"] = name
        members.append(_client(draw, name, "consumer", library, version, config, _handling(draw)))
    return members


def _share_group(draw: random.Random) -> list[Client]:
    """Members that share their partitions' records (KIP-932)."""
    members = []
    for name in ("share-a", "share-b")[: draw.randint(1, 2)]:
        config: dict[str, Any] = {"group.id": "order-share"}
        config |= draw.choice(({}, {"share.acknowledgement.mode": "explicit"}))
        config |= draw.choice(({}, {"max.poll.interval.ms": 8000}))
        members.append(_client(draw, name, "share", "java", draw.choice(SHARE), config, _handling(draw)))
    return members


def _producers(draw: random.Random) -> list[Client]:
    made = []
    for name in ("orders-producer", "pay-producer")[: draw.randint(1, 2)]:
        library = "java" if draw.random() < 0.75 else "librdkafka"
        version = _release(draw, library)
        request, linger = draw.choice((2000, 4000, 6000)), draw.choice((0, 5, 200))
        limit = "delivery.timeout.ms" if library == "java" else "message.timeout.ms"
        config: dict[str, Any] = {
            "request.timeout.ms": request,
            "linger.ms": linger,
            limit: request + linger + draw.choice((0, 2000, 6000, 20_000)),
            "enable.idempotence": draw.choice(("true", "false")),
        }
        config |= draw.choice(({}, {"retry.backoff.ms": draw.choice((50, 300, 1500))}))
        config |= draw.choice(({}, {}, {"acks": "all", "retries": draw.choice((2, 5))}))
        config |= draw.choice(({}, {"max.in.flight.requests.per.connection": draw.choice((1, 5))}))
        if library == "java":
            config["max.block.ms"] = draw.choice((5000, 60_000))
        elif draw.random() < 0.5:
            config["debug"] = "msg,protocol,generic"
        app: dict[str, Any] = {"rate": draw.choice((0.5, 2, 6)), "parts": 1}
        if draw.random() < 0.25:
            config |= {
                "transactional.id": f"{name}-tx",
                "transaction.timeout.ms": draw.choice((6000, 20_000)),
                "enable.idempotence": "true",
                "acks": "all",
            }
            app["txn_ms"] = draw.choice((1000, 4000, 9000))
            if library == "librdkafka":
                config[limit] = min(config[limit], config["transaction.timeout.ms"])
        made.append(_client(draw, name, "producer", library, version, config, app))
    return made


def _streams(draw: random.Random) -> Client:
    config: dict[str, Any] = {
        "application.id": "orders-app",
        "num.stream.threads": draw.randint(1, 2),
        "task.timeout.ms": draw.choice((0, 5000, 15_000, 300_000)),
        "default.api.timeout.ms": draw.choice((4000, 60_000)),
        "request.timeout.ms": draw.choice((2000, 4000)),
        "processing.guarantee": draw.choice(("at_least_once", "exactly_once_v2")),
        "session.timeout.ms": draw.choice((6000, 10_000)),
        "max.poll.interval.ms": draw.choice((9000, 30_000)),
    }
    app: dict[str, Any] = {"on_exception": draw.choice(("SHUTDOWN_CLIENT", "REPLACE_THREAD"))}
    if draw.random() < 0.3:
        app["slow"] = [[20_000, draw.choice((5000, 14_000))]]
    version = draw.choice(STREAMS)
    if version >= "4.2" and draw.random() < 0.5:
        config["group.protocol"] = "streams"
        del config["session.timeout.ms"]  # its coordinator's holds (KIP-1071)
    return _client(draw, "orders-streams", "streams", "java", version, config, app)


def _client(
    draw: random.Random,
    name: str,
    mode: str,
    library: str,
    version: str,
    config: dict[str, Any],
    app: dict[str, Any],
) -> Client:
    loggers = CLIENTS if library == "java" and draw.random() < 0.5 else ()
    return Client(name, mode, library, version, config, app, draw.choice(STARTS_MS), loggers)


def _steps(draw: random.Random, clients: list[Client]) -> list[Step]:
    steps: list[Step] = []
    of_requests = (_held_up, _held_up, _held_up, _refused, _failed, _failed)
    kinds = (*of_requests, _reset, _frozen, _crashed, _stopped, _killed, _suspended)
    for number, kind in enumerate(draw.sample(kinds, draw.randint(1, 3))):
        if any(step.name == "broker" for step in steps) and kind in (_frozen, _crashed, _stopped):
            continue
        begin = draw.randint(FIRST_MS, LAST_MS - 5000)
        end = min(LAST_MS, begin + draw.choice((1500, 4000, 9000, 16_000, 30_000)))
        steps += kind(draw, clients, f"fault-{number}", begin, end)
    return steps


Kind = Callable[[random.Random, list[Client], str, int, int], list[Step]]


def _held_up(draw: random.Random, clients: list[Client], name: str, begin: int, end: int) -> list[Step]:
    who = draw.choice((".*", f"{draw.choice(clients).name}.*"))
    fault = Fault(draw.choice(("stall", "hold")), (draw.choice(HELD_UP),), who)
    return [Step(begin, "begin", name, fault), Step(end, "end", name)]


def _refused(draw: random.Random, clients: list[Client], name: str, begin: int, end: int) -> list[Step]:
    fault = Fault("refuse", ("Produce",), code=draw.choice(REFUSALS))
    return [Step(begin, "begin", name, fault), Step(end, "end", name)]


def _failed(draw: random.Random, clients: list[Client], name: str, begin: int, end: int) -> list[Step]:
    """A broker's answers are errors, whatever it has done; one that ends a client comes for a moment, too."""
    api = draw.choice(sorted(set().union(*map(_asked, clients))))
    # The generations of a join that the broker has done are none that the members see.
    how = "refuse" if api == "JoinGroup" else "fail"
    fault = Fault(how, (api,), code=draw.choice(FAILURES[api]))
    return [Step(begin, "begin", name, fault), Step(end, "end", name)]


def _asked(client: Client) -> set[str]:
    """What a client asks of brokers."""
    found = {"Metadata"}.union(*(ASKED.get(name, ()) for name in (client.mode, *client.config)))
    protocol = HEARTBEATS.get(str(client.config.get("group.protocol")))
    return found | {protocol} if protocol else found


def _reset(draw: random.Random, clients: list[Client], name: str, begin: int, end: int) -> list[Step]:
    return [Step(begin, "begin", name, Fault("reset")), Step(end, "end", name)]


def _frozen(draw: random.Random, clients: list[Client], name: str, begin: int, end: int) -> list[Step]:
    return [Step(begin, "freeze", "broker"), Step(end, "thaw", "broker")]


def _crashed(draw: random.Random, clients: list[Client], name: str, begin: int, end: int) -> list[Step]:
    return [Step(begin, "kill9", "broker"), Step(end, "restarted", "broker")]


def _stopped(draw: random.Random, clients: list[Client], name: str, begin: int, end: int) -> list[Step]:
    return [Step(begin, "stopped", "broker"), Step(end, "restarted", "broker")]


def _killed(draw: random.Random, clients: list[Client], name: str, begin: int, end: int) -> list[Step]:
    who = draw.choice(clients)
    return [Step(max(begin, who.starts_ms + 1000), "kill", who.name)]


def _suspended(draw: random.Random, clients: list[Client], name: str, begin: int, end: int) -> list[Step]:
    """A process stands still, as by a long collection of garbage or a machine that is moved, and goes on."""
    who = draw.choice(clients)
    begin = max(begin, who.starts_ms + 1000)
    return [Step(begin, "freeze", who.name), Step(max(end, begin + 1500), "thaw", who.name)]
