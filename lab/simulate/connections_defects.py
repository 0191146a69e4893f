"""Connections that are given a limit to be set up which no settings of theirs allow (KIP-601), or tried again too soon
(KIP-144).
"""

from random import Random

from lab.simulate.line import Line
from lab.simulate.process import Client, Process, start_lines
from lab.simulate.truth import Truth

NOON = 1_767_268_800_000
NETWORK = "org.apache.kafka.clients.NetworkClient"


def _setups(rng: Random) -> tuple[list[Line], Truth]:
    """A node that doesn't answer: of some tries one has a limit outside of the bounds."""
    version = rng.choice(("2.7.2", "3.5.1", "3.9.1", "4.1.1", "4.3.1"))
    base, most = rng.choice(((10000, 30000), (2000, 20000), (500, 4000)))
    settings = {
        "socket.connection.setup.timeout.ms": str(base), "socket.connection.setup.timeout.max.ms": str(most),
    }  # fmt: skip
    lines = start_lines(
        Process("shop", "app.log", version), [Client("producer", "orders-1", None, settings)], NOON
    )
    at = lines[-1].at
    limits = [rng.randint(base * 8 // 10, most) for _ in range(rng.randint(1, 5))]
    wrong = rng.choice((rng.randint(1, base * 8 // 10 - 1), most * 12 // 10 + rng.randint(2, 5000)))
    limits.insert(rng.randint(0, len(limits)), wrong)
    for limit in limits:
        at += limit + rng.randint(50, 1000)
        text = (
            "[Producer clientId=orders-1] Disconnecting from node 2 due to socket connection setup timeout. "
            f"The timeout value is {limit} ms."
        )
        lines.append(Line(at, "INFO", NETWORK, "kafka-producer-network-thread | orders-1", text))
    return lines, Truth([], {"kip601.setup_timeout_outside"})


def _reconnects(rng: Random) -> tuple[list[Line], Truth]:
    """A node that refuses connections: of some tries one comes before any backoff has passed."""
    version = rng.choice(("2.7.2", "3.5.1", "3.9.1", "4.1.1", "4.3.1"))
    base, most = rng.choice(((50, 1000), (100, 10000), (500, 500)))
    settings = {"reconnect.backoff.ms": str(base), "reconnect.backoff.max.ms": str(most)}
    process = Process("shop", "app.log", version, level="DEBUG")
    lines = start_lines(process, [Client("producer", "orders-1", None, settings)], NOON)
    at, thread = lines[-1].at, "kafka-producer-network-thread | orders-1"
    waits = [
        min(most, rng.randint(80, 120) * base * 2**failures // 100) for failures in range(rng.randint(2, 6))
    ]
    waits.insert(rng.randint(0, len(waits)), rng.randint(1, base * 8 // 10 - 4))
    for wait in [*waits, 0]:
        for after, level, text in (
            (0, "DEBUG", "Initiating connection to node broker2:9092 (id: 2 rack: null) using address broker2/10.0.0.2"),
            (1, "INFO", "Node 2 disconnected."),
            (1, "WARN", "Connection to node 2 (broker2/10.0.0.2:9092) could not be established. Node may not be available."),
        ):  # fmt: skip
            lines.append(Line(at + after, level, NETWORK, thread, f"[Producer clientId=orders-1] {text}"))
        at += 1 + wait
    return lines, Truth([], {"kip144.reconnected_early"})


DEFECTS = {"kip601.setup_timeout_outside": _setups, "kip144.reconnected_early": _reconnects}
