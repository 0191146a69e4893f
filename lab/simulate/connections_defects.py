"""Connections that are given a limit to be set up which no settings of theirs allow (KIP-601)."""

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


DEFECTS = {"kip601.setup_timeout_outside": _setups}
