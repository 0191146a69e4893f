"""The web server: a request takes a thread when it has arrived whole, and frees it before its answer is read.

waitress reads requests and sends answers in one loop, and keeps what waits in memory and temporary files. So clients that
send or read slowly hold a connection, for a bounded time, and no thread that another viewer needs.
"""

import logging
import resource
import time
from dataclasses import dataclass, replace
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from dashboards.security import MOST_REQUEST_BYTES

FILES_EACH = 3  # a connection's own, and those of a request and an answer that are too long for memory


@dataclass(frozen=True, slots=True)
class Limits:
    """What clients may take. threads: requests that are answered at once; connections: open at once.

    request_s: from the first byte of a request to its last; answer_s: for an answer to be read, and a second more for each
    answer_bytes_s of it; idle_s: between two requests. waiting_bytes: of all answers that are not read yet; requests: sent
    without waiting for their answers.
    """

    threads: int = 8
    connections: int = 1_000
    head_bytes: int = 64 << 10
    body_bytes: int = MOST_REQUEST_BYTES
    request_s: float = 20
    answer_s: float = 60
    answer_bytes_s: int = 64 << 10
    idle_s: float = 75
    waiting_bytes: int = 1 << 30
    requests: int = 8


class _Channel(HTTPChannel):  # type: ignore[misc]  # it ships no types
    """One connection. Only the server's loop closes it."""

    limits: Limits
    state, longest = "idle", 0

    def __init__(self, *given: Any, **named: Any) -> None:
        self.since = time.monotonic()
        super().__init__(*given, **named)

    def readable(self) -> bool:
        """Asked in every round of the loop, at least once a second: so the limits of time are looked at here."""
        if self._fileno is None:  # dropped in this round
            return False
        state = self._state_now()
        if state != self.state:
            self.state, self.since, self.longest = state, time.monotonic(), 0
        self.longest = max(self.longest, self.total_outbufs_len)
        if time.monotonic() - self.since > self._allowed_s() or len(self.requests) > self.limits.requests:
            self.drop()
            return False
        return bool(super().readable())

    def writable(self) -> bool:
        """Also asked in the round in which it was dropped."""
        return self._fileno is not None and bool(super().writable())

    def drop(self) -> None:
        """Close it, whatever was to be sent; a thread that still writes to it is told.

        Only before the loop waits: a number of a file that is free again may be that of a new connection when it wakes.
        """
        self.handle_close()

    def service(self) -> None:
        """In a thread: one request. What comes then begins now, also if the loop saw nothing of it."""
        super().service()
        self.state = "answered"

    def _state_now(self) -> str:
        if self.total_outbufs_len:
            return "sending"
        if self.requests:
            return "working"
        return "idle" if self.request is None else "receiving"

    def _allowed_s(self) -> float:
        limits = self.limits
        return {
            "sending": limits.answer_s + self.longest / limits.answer_bytes_s,
            "receiving": limits.request_s,
            "idle": limits.idle_s,
        }.get(self.state, float("inf"))


class _Listener(TcpWSGIServer):  # type: ignore[misc]  # it ships no types
    """One address. When there are too many connections, those that wait longest make room for who comes."""

    def __init__(self, app: Flask, limits: Limits, **named: Any) -> None:
        self._connections, self._waiting_bytes = limits.connections, limits.waiting_bytes
        self.channel_class = type("_Channel", (_Channel,), {"limits": limits})
        super().__init__(app, **named)

    def readable(self) -> bool:
        """Asked in every round of the loop, which takes at most one connection more."""
        if (too_many := len(self.active_channels) + 1 - self._connections) > 0:
            for channel in self._waiting()[:too_many]:
                channel.drop()
        return bool(super().readable())

    def maintenance(self, now: float) -> None:
        """What waits to be read is bounded in all, too; each connection looks at its own time."""
        waiting = sum(channel.total_outbufs_len for channel in self.active_channels.values())
        for channel in self._waiting():
            if waiting <= self._waiting_bytes:
                return
            waiting -= channel.total_outbufs_len
            channel.drop()

    def _waiting(self) -> list[_Channel]:
        """Connections that no thread works for, the one longest so first."""
        idle = [channel for channel in self.active_channels.values() if channel.state != "working"]
        return sorted(idle, key=lambda channel: channel.since)


class Server:
    """Listens on every address that a host name has."""

    def __init__(self, app: Flask, host: str, port: int, limits: Limits) -> None:
        most = min(limits.connections, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // FILES_EACH)
        limits = replace(limits, connections=most)
        settings = Adjustments(
            host=host.strip("[]"),
            port=port,
            connection_limit=2 * most,  # never met: the listener makes room before
            cleanup_interval=1,
            max_request_header_size=limits.head_bytes,
            max_request_body_size=limits.body_bytes,
            outbuf_high_watermark=limits.waiting_bytes,  # a thread that writes never waits for who reads
            log_socket_errors=False,
            asyncore_use_poll=True,
            ident=None,
        )
        self._is_closed = False
        self._map: dict[int, Any] = {}
        self._threads = ThreadedTaskDispatcher()
        self._threads.set_thread_count(limits.threads)
        self._listeners = [
            _Listener(app, limits, map=self._map, dispatcher=self._threads, adj=settings, sockinfo=address)
            for address in settings.listen
        ]

    @property
    def port(self) -> int:
        """Where it listens; one that the system chose, where 0 was asked for."""
        return int(self._listeners[0].effective_port)

    def run(self) -> None:
        """Serve until interrupted, or closed."""
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # that requests queue is no news
        try:
            while not self._is_closed:
                wasyncore.loop(timeout=1, use_poll=True, map=self._map, count=1)
        except (SystemExit, KeyboardInterrupt):
            pass
        self._threads.shutdown()
        wasyncore.close_all(self._map)

    def close(self) -> None:
        """From another thread: ends within a second."""
        self._is_closed = True
