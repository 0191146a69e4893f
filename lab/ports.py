"""Ports for servers that are started a moment later."""

import random
import socket
from contextlib import suppress

NO_CLIENTS_PORTS = range(10_000, 30_000)


def free_ports(count: int) -> list[int]:
    """Ports that nobody has, of those that the system gives to no client: it may take any other one at any moment."""
    found: list[int] = []
    for port in random.SystemRandom().sample(NO_CLIENTS_PORTS, len(NO_CLIENTS_PORTS)):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            found.append(port)
        if len(found) == count:
            break
    return found
