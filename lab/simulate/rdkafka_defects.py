"""Retries that leave without a wait: librdkafka's, whose shift overflows, and heartbeats by KIP-848 before 4.2."""

from random import Random

from lab.simulate.line import Line
from lab.simulate.process import Client, Process, start_lines
from lab.simulate.truth import Truth

NOON = 1_767_268_800_000
LOGGER = "com.example.shop.KafkaLog"
HEARTBEATS = "org.apache.kafka.clients.consumer.internals.ConsumerHeartbeatRequestManager"


def _overflowing(retries: int, base: int, rng: Random) -> int:
    """What a 32-bit int makes of base * 2^(retries - 1), jittered, then capped at a second."""
    shifted = (base << ((retries - 1) % 32)) & 0xFFFFFFFF
    signed = shifted - (1 << 32) if shifted >= 1 << 31 else shifted
    return max(0, min(1000, signed * rng.randint(80, 120) // 100))


def _batches(rng: Random) -> tuple[list[Line], Truth]:
    """One batch that is refused for as long as it is retried, then delivered."""
    at, lines = NOON, []
    head = "MSGSET [shop#producer-1] [thrd:a:1/1]: a:1/1: orders [0]: MessageSet with 1 message(s) (MsgId 0, BaseSeq -1)"
    sends = "PRODUCE [shop#producer-1] [thrd:a:1/1]: a:1/1: orders [0]: Produce MessageSet with 1 message(s) (210 bytes)"
    error = f"{head} encountered error: Broker: Not enough in-sync replicas (actions Retry,MsgNotPersisted)"
    for retries in range(1, rng.randint(34, 60)):
        lines.append(Line(at, "DEBUG", LOGGER, "main", error))
        at += _overflowing(retries, rng.choice((100, 100, 50)) if retries < 2 else 100, rng) + rng.randint(
            0, 3
        )
        lines.append(Line(at, "DEBUG", LOGGER, "main", sends))
        at += rng.randint(1, 20)
    lines.append(Line(at, "DEBUG", LOGGER, "main", f"{head} delivered"))
    return lines, Truth([], {"kip580.backoff_overflowed"})


def _heartbeats(rng: Random) -> tuple[list[Line], Truth]:
    """A member whose heartbeats fail: each is to be sent again at once, or after the cap."""
    process = Process("shop", "app.log", rng.choice(("3.7.2", "3.9.1", "4.0.1", "4.1.1")), level="DEBUG")
    client = Client("consumer", "orders-1", "orders", {"group.protocol": "consumer"})
    lines = start_lines(process, [client], NOON)
    at = lines[-1].at
    waits = [0, *(rng.choice((0, 1000)) for _ in range(rng.randint(1, 5)))]
    rng.shuffle(waits)
    for wait in waits:
        at += rng.randint(2000, 5000)
        text = (
            "[Consumer clientId=orders-1, groupId=orders] ConsumerGroupHeartbeatRequest failed because of the retriable "
            f"exception. Will retry in {wait} ms: null"
        )
        lines.append(Line(at, "DEBUG", HEARTBEATS, "consumer_background_thread", text))
    return lines, Truth([], {"kip848.heartbeat_not_backed_off"})


OF_BACKOFF = {"kip580.backoff_overflowed": _batches}
OF_MEMBERS = {"kip848.heartbeat_not_backed_off": _heartbeats}
