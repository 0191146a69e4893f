"""Brokers that did not answer in time: network, broker, or a process that stood still."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from transforms.diagnose.incident import Incident, of_episodes
from transforms.diagnose.wording.words import counted, listed, span
from transforms.timers.clients.cancelled_requests import RequestTimeout
from transforms.timers.episodes import Episode

LIMIT = "request.timeout.ms"
PATIENCE_MS = 90_000  # of two silences so near the second is the first, with an answer between
STOOD_STILL = 2.5  # limits: a client that runs gives a request up at twice its own at the latest
COORDINATOR = 2**31 - 1  # the connection to a coordinator has this number less the broker's id
BROKERS = 1_000_000  # ids below it are brokers
# Requests that controllers alone send.
CONTROLLERS = frozenset({"LEADER_AND_ISR", "UPDATE_METADATA", "STOP_REPLICA"})


def request_incidents(timeouts: list[RequestTimeout], scope_id: str) -> Iterator[Incident]:
    """One incident per client and stretch: timeouts near each other are one silence."""
    clients: dict[tuple[int, str | None], list[RequestTimeout]] = defaultdict(list)
    for timeout in timeouts:
        # A request given no time at all was cut by its call's own deadline: that says nothing of the broker.
        had_time = any(request.request_timeout_ms > 0 for request in timeout.requests)
        if timeout.happened_at is not None and had_time:
            clients[timeout.incarnation, timeout.client_id].append(timeout)
    for of_client in clients.values():
        of_client.sort(key=lambda timeout: (timeout.happened_at or 0, timeout.timeout_id))
        for stretch in _stretches(of_client):
            yield _silent(stretch, scope_id)


def _stretches(timeouts: list[RequestTimeout]) -> Iterator[list[RequestTimeout]]:
    stretch = [timeouts[0]]
    for timeout in timeouts[1:]:
        patience_ms = max(PATIENCE_MS, 2 * max(request.request_timeout_ms for request in timeout.requests))
        if (timeout.happened_at or 0) - (stretch[-1].happened_at or 0) > patience_ms:
            yield stretch
            stretch = []
        stretch.append(timeout)
    yield stretch


def _silent(stretch: list[RequestTimeout], scope_id: str) -> Incident:
    requests = [request for timeout in stretch for request in timeout.requests]
    worst = max(requests, key=lambda request: (request.since_send_ms, request.event_id))
    nodes = sorted({_node(timeout.node_id) for timeout in stretch if timeout.node_id is not None})
    calls = Counter(request.api for request in requests if request.api)
    client = stretch[0].client_id or ("a client" if CONTROLLERS.isdisjoint(calls) else "the controller")
    episodes: list[Episode] = list(stretch)
    late = ""
    if worst.since_send_ms > STOOD_STILL * worst.request_timeout_ms:
        late = f" It noticed that {span(worst.overrun_ms)} late: this process may have stood still itself."
    return of_episodes(
        "requests_unanswered",
        scope_id,
        episodes,
        started_at=(stretch[0].happened_at or 0) - worst.request_timeout_ms,
        ended_at=stretch[-1].happened_at,
        title=f"{listed(nodes) if nodes else 'A node'} did not answer {client}: "
        f"{counted(len(requests), 'request')} given up, the longest after {span(worst.since_send_ms)}",
        cause=f"No answer within {LIMIT} = {span(worst.request_timeout_ms)}, by the client's own line, to "
        f"{listed([f'{number} {api}' for api, number in calls.most_common()])}. "
        f"From one client alone, network, broker and a process that stood still look the same.{late}",
        cause_confidence="unknown",
        impact="delayed",
        advice="See whether other clients lost the same node then: if all of them did, it is the broker or "
        "its network; if one, its own host. A longer request.timeout.ms only waits longer.",
        subject_ids=[timeout.timeout_id for timeout in stretch],
        observed_ms=worst.since_send_ms,
        limit_ms=worst.request_timeout_ms,
        limit_origin="logged",
        places=[f"broker:{_broker(timeout.node_id)}" for timeout in stretch if (timeout.node_id or -1) >= 0],
    )


def _broker(node_id: int | None) -> int | None:
    return COORDINATOR - node_id if node_id is not None and node_id > COORDINATOR - BROKERS else node_id


def _node(node_id: int) -> str:
    if node_id > COORDINATOR - BROKERS:
        return f"Broker {COORDINATOR - node_id} as coordinator"
    return "A bootstrap node" if node_id < 0 else f"Broker {node_id}"
