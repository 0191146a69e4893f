"""Request timeouts with the requests they cancelled, and the time JoinGroup requests were given; internal episodes.

When one request of a node times out, the client disconnects and cancels all requests to that node: the innocent ones have
waited less. So a timeout is judged by the longest of its requests. Sources: NetworkClient.handleTimedOutRequests,
InFlightRequests.nodesWithTimedOutRequests; AbstractCoordinator.sendJoinGroupRequest.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.events import ClientEvent
from transforms.timers.episodes import Episode, whose
from transforms.timers.profile import ClientProfile
from transforms.whole import whole_number

# The client writes the cancelled requests right after the disconnect, in one loop.
SAME_DISCONNECT_MS = 250
CANCELLED = "net-inflight-cancelled"


@dataclass(frozen=True, slots=True)
class CancelledRequest:
    """A request that waited `since_send_ms` of its own `request_timeout_ms` when it was cancelled."""

    event_id: str
    api: str | None
    since_send_ms: int
    request_timeout_ms: int

    @property
    def overrun_ms(self) -> int:
        """How long it waited beyond its timeout; negative where it was cancelled with time left."""
        return self.since_send_ms - self.request_timeout_ms


@dataclass(slots=True, kw_only=True)
class RequestTimeout(Episode):
    """One node given up because of a request timeout, and all requests cancelled with it. One has at least one."""

    timeout_id: str
    client_kind: str | None = None
    node_id: int | None = None
    happened_at: int | None = None
    requests: list[CancelledRequest] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class JoinRequest(Episode):
    """One JoinGroup request and the time the client gives it."""

    request_id: str
    happened_at: int | None = None
    request_timeout_ms: int = 0


class CancelledRequests:
    """Folds a unit's disconnects and cancelled requests into request timeouts, and its JoinGroup requests."""

    def __init__(self) -> None:
        self.timeouts: dict[tuple[str | None, str | None, int | None], RequestTimeout] = {}
        self.joins: dict[str | None, int | None] = {}

    def step(self, event: ClientEvent, profile: ClientProfile) -> Iterable[Episode]:
        """Give the request timeouts that are complete, and each JoinGroup request once."""
        is_read = (
            event.kind == "request_timeout" or event.api == "JOIN_GROUP" or event.message_id == CANCELLED
        )
        return self._step(event, profile) if self.timeouts or is_read else ()  # most lines are of others

    def _step(self, event: ClientEvent, profile: ClientProfile) -> Iterator[Episode]:
        if self.timeouts:
            yield from self._close(event.happened_at)
        if event.kind == "request_timeout":
            yield from self._begin(event, profile)
        elif event.message_id == CANCELLED:
            self._add(event)
        if event.api == "JOIN_GROUP":
            yield from self._join(event, profile)

    def finish(self, data_clock: int | None) -> Iterable[Episode]:
        """Give what is still being gathered: its lines are written."""
        yield from self._close(None)

    def _begin(self, event: ClientEvent, profile: ClientProfile) -> Iterator[Episode]:
        key = (event.client_kind, event.client_id, event.node_id)
        before = self.timeouts.pop(key, None)
        if before is not None and before.requests:
            yield before
        self.timeouts[key] = RequestTimeout(
            **whose(event),
            profile=profile,
            event_ids=[event.event_id],
            timeout_id=event.event_id,
            client_kind=event.client_kind,
            node_id=event.node_id,
            happened_at=event.happened_at,
        )

    def _add(self, event: ClientEvent) -> None:
        timeout = self.timeouts.get((event.client_kind, event.client_id, event.node_id))
        if timeout is None or event.elapsed_ms is None or event.limit_ms is None:
            return
        request = CancelledRequest(event.event_id, event.api, event.elapsed_ms, event.limit_ms)
        timeout.requests.append(request)
        timeout.event_ids.append(event.event_id)

    def _join(self, event: ClientEvent, profile: ClientProfile) -> Iterator[Episode]:
        printed = event.details.get("timeout_ms", "") if event.message_id == "net-send" else ""
        timeout_ms = whole_number(printed) if printed.isdecimal() else event.limit_ms
        if timeout_ms is None or self.joins.get(event.client_id, -1) == event.correlation_id:
            return
        self.joins[event.client_id] = event.correlation_id
        yield JoinRequest(
            **whose(event),
            profile=profile,
            event_ids=[event.event_id],
            request_id=event.event_id,
            happened_at=event.happened_at,
            request_timeout_ms=timeout_ms,
        )

    def _close(self, now: int | None) -> Iterator[Episode]:
        for key, timeout in list(self.timeouts.items()):
            since_ms = None if now is None else now - (timeout.happened_at or now)
            if since_ms is None or since_ms > SAME_DISCONNECT_MS:
                del self.timeouts[key]
                if timeout.requests:
                    yield timeout
