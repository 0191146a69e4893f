"""KIP-91: rules over produce requests that timed out."""

from transforms.rules.kip91 import LATE_SLACK_MS
from transforms.rules.rule import ABSENT, CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.clients.cancelled_requests import CancelledRequest, RequestTimeout


@rule(
    "kip91.request_cut_short",
    judges=RequestTimeout,
    severity="error",
    gives=("broken_semantics",),
    rests_on=ABSENT,
    says="the producer gave up node {node} for a request timeout when its longest request ({api}) had waited "
    "{observed_ms} ms of {limit_ms} ms",
    runbook=(
        "Compare the lines `Cancelled in-flight`: one of them must have waited its full request timeout.",
        "Look for lost log lines: the request that timed out may be among them.",
    ),
    advice="None: a request has its full request.timeout.ms, whatever the age of its batches.",
)
def request_cut_short(timeout: RequestTimeout) -> Verdict:
    """Find a request timeout of which no request had waited its full time.

    Source: KIP-91, Proposed Changes (in-flight requests wait for request.timeout.ms);
    InFlightRequests.hasExpiredRequest.
    Silent when: the client is no producer; it prints no times (before 3.1).
    """
    if timeout.client_kind != "producer" or not timeout.requests:
        return NOT_APPLICABLE
    longest = max(timeout.requests, key=lambda request: request.overrun_ms)
    if longest.overrun_ms >= 0:
        return CONFORMS
    return _of_request("broken_semantics", timeout, longest)


@rule(
    "kip91.request_overran",
    judges=RequestTimeout,
    severity="info",
    gives=("departs_from_kip",),
    says="a {api} request to node {node} was given up after {observed_ms} ms; its timeout is {limit_ms} ms",
    runbook=(
        "The sender looks for timed-out requests only when its poll returns, so several go at once and late.",
        "Let it be unless callers depend on the exact time.",
    ),
    advice="Lower request.timeout.ms if the lateness hurts: it grows with it. The price is more needless retries.",
)
def request_overran(timeout: RequestTimeout) -> Verdict:
    """Find a produce request that waited well beyond its timeout.

    Source: KIP-91, Proposed Changes (and no longer than that); NetworkClient.handleTimedOutRequests runs
    after a poll.
    Silent when: it waited more than twice its timeout, which a process that stood still explains better.
    """
    produced = [request for request in timeout.requests if request.api == "PRODUCE"]
    if timeout.client_kind != "producer" or not produced:
        return NOT_APPLICABLE
    longest = max(produced, key=lambda request: request.overrun_ms)
    if longest.overrun_ms <= LATE_SLACK_MS:
        return CONFORMS
    if longest.overrun_ms > longest.request_timeout_ms + LATE_SLACK_MS:
        return unjudged(
            "the process may have stood still",
            "a GC log, JMX samples of every second, or DEBUG of NetworkClient",
        )
    return _of_request("departs_from_kip", timeout, longest)


def _of_request(category: str, timeout: RequestTimeout, request: CancelledRequest) -> Verdict:
    return violated(
        category,
        events=[timeout.timeout_id, request.event_id],
        happened_at=timeout.happened_at,
        observed_ms=request.since_send_ms,
        limit_ms=request.request_timeout_ms,
        limit_origin="logged",
        node=timeout.node_id,
        api=request.api,
    )
