"""A TCP proxy between clients and a broker that understands frames: it notes each, and injects faults.

Faults are by API and client: `stall` a connection at a request (it and all later ones are never answered: a broker
answers in order), `drop` a request alone (for clients that take answers in any order), `hold` its answer (until the fault
ends), `refuse` a Produce or a JoinGroup with an error in the broker's place, `fail` what it has done by another error in its
answer, `reset` all connections and take no new one.
"""

import json
import re
import socket
import struct
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.record.answers import answer_of, failed, refused
from lab.record.frames import Request, request_of


def now() -> str:
    """The time, as truth is noted: UTC to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True)
class Fault:
    """One fault while it lasts. how: stall, drop, hold, refuse, fail or reset. apis: of which requests, all where empty."""

    how: str
    apis: tuple[str, ...] = ()
    client: str = ".*"
    code: int = 0

    def hits(self, request: Request) -> bool:
        return (not self.apis or request.api in self.apis) and bool(
            re.fullmatch(self.client, request.client_id)
        )


class Proxy:
    """Listens on `port`, forwards to `upstream`, notes into `wire`."""

    def __init__(self, port: int, upstream: int, wire: Path) -> None:
        self._upstream = upstream
        self._wire = wire.open("w", encoding="utf-8")
        self._lock = threading.Lock()
        self._faults: dict[str, Fault] = {}
        self._changed = threading.Condition()
        self._sockets: set[socket.socket] = set()
        self._connections = 0
        self._stalled: set[int] = set()
        self._listener = socket.create_server(("127.0.0.1", port), backlog=64)
        threading.Thread(target=self._accept, daemon=True).start()

    def begin(self, name: str, fault: Fault) -> None:
        """Let a fault begin."""
        with self._changed:
            self._faults[name] = fault
        if fault.how == "reset":
            for one in list(self._sockets):
                _reset(one)

    def end(self, name: str) -> None:
        """Let it end; what it held goes on."""
        with self._changed:
            self._faults.pop(name)
            self._changed.notify_all()

    def close(self) -> None:
        """Stop, and write the last line."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # else accept() holds on to it
        self._listener.close()
        for one in list(self._sockets):
            _reset(one)
        time.sleep(0.2)
        with self._lock:
            self._wire.close()

    def note(self, **said: Any) -> None:
        """One line of truth, at this time."""
        with self._lock:
            if not self._wire.closed:
                self._wire.write(json.dumps({"t": now(), **said}) + "\n")

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._fault("reset", None):
                _reset(client)
                continue
            self._connections += 1
            threading.Thread(target=self._serve, args=(client, self._connections), daemon=True).start()

    def _serve(self, client: socket.socket, number: int) -> None:
        try:
            broker = socket.create_connection(("127.0.0.1", self._upstream), timeout=5)
        except OSError:
            _reset(client)
            return
        broker.settimeout(None)
        for one in (client, broker):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sockets |= {client, broker}
        self.note(ev="connect", conn=number)
        waiting: dict[int, Request] = {}
        back = threading.Thread(target=self._answers, args=(broker, client, number, waiting), daemon=True)
        back.start()
        self._requests(client, broker, number, waiting)
        for one in (client, broker):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        back.join(5)
        self.note(ev="close", conn=number)
        for one in (client, broker):
            self._sockets.discard(one)
            one.close()

    def _requests(
        self, client: socket.socket, broker: socket.socket, number: int, waiting: dict[int, Request]
    ) -> None:
        while (frame := _frame(client)) is not None:
            request = request_of(frame)
            said = {"conn": number, "api": request.api, "corr": request.correlation_id}
            self.note(ev="req", **said, v=request.version, client=request.client_id, **request.says)
            if self._fault("stall", request):
                self._stalled.add(number)
            if number in self._stalled or self._fault("drop", request):
                self.note(ev="dropped", **said)
                continue
            if request.api in ("Produce", "JoinGroup") and (fault := self._fault("refuse", request)):
                answer = refused(request, fault.code)
                self.note(ev="resp", **said, client=request.client_id, **answer_of(request, answer))
                _send(client, answer)
                continue
            if request.api != "Produce" or request.acks:
                waiting[request.correlation_id] = request
            if not _send(broker, frame):
                return

    def _answers(
        self, broker: socket.socket, client: socket.socket, number: int, waiting: dict[int, Request]
    ) -> None:
        while (frame := _frame(broker)) is not None:
            (correlation_id,) = struct.unpack_from(">i", frame)
            request = waiting.pop(correlation_id, None)
            if number in self._stalled:
                continue
            if request is not None:
                with self._changed:
                    while any(f.how == "hold" and f.hits(request) for f in self._faults.values()):
                        self._changed.wait(1)
                if fault := self._fault("fail", request):
                    frame = failed(request, frame, fault.code)
                said = {"conn": number, "api": request.api, "corr": correlation_id}
                self.note(ev="resp", **said, client=request.client_id, **answer_of(request, frame))
            if not _send(client, frame):
                break
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)

    def _fault(self, how: str, request: Request | None) -> Fault | None:
        with self._changed:
            faults = [fault for fault in self._faults.values() if fault.how == how]
        return next((fault for fault in faults if request is None or fault.hits(request)), None)


def _frame(one: socket.socket) -> bytes | None:
    head = _exactly(one, 4)
    return None if head is None else _exactly(one, struct.unpack(">i", head)[0])


def _exactly(one: socket.socket, size: int) -> bytes | None:
    parts = []
    while size:
        try:
            part = one.recv(min(size, 1 << 16))
        except OSError:
            return None
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _send(one: socket.socket, frame: bytes) -> bool:
    try:
        one.sendall(struct.pack(">i", len(frame)) + frame)
    except OSError:
        return False
    return True


def _reset(one: socket.socket) -> None:
    """Close with a reset instead of a farewell."""
    with suppress(OSError):
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
