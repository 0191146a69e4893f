"""The settings that stories turn on: of which kind of lane which."""

from collections.abc import Iterable

from transforms.episodes.lanes import Lane

# By kind of client.
SETTINGS = (
    "max.poll.interval.ms", "session.timeout.ms", "heartbeat.interval.ms", "max.poll.records", "group.protocol",
    "group.instance.id", "delivery.timeout.ms", "request.timeout.ms", "linger.ms", "retries", "retry.backoff.ms",
    "retry.backoff.max.ms", "max.in.flight.requests.per.connection", "max.block.ms", "task.timeout.ms",
    "default.api.timeout.ms", "reconnect.backoff.ms", "reconnect.backoff.max.ms",
)  # fmt: skip
OF_KIND = {
    "membership": ("max.poll.interval.ms", "session.timeout.ms", "heartbeat.interval.ms", "max.poll.records"),
    "batches": ("delivery.timeout.ms", "request.timeout.ms", "linger.ms", "retries", "retry.backoff.ms",
                "max.in.flight.requests.per.connection"),
    "task timer": ("task.timeout.ms", "max.poll.interval.ms", "max.block.ms", "request.timeout.ms",
                   "default.api.timeout.ms"),
    "backoff": ("retry.backoff.ms", "retry.backoff.max.ms", "request.timeout.ms"),
    "network": ("request.timeout.ms", "reconnect.backoff.ms", "reconnect.backoff.max.ms"),
}  # fmt: skip
OF_MEMBERSHIPS = frozenset({"poll timer", "heartbeat", "rebalances"})


def settings_of(lanes: Iterable[Lane]) -> list[str]:
    """Names of the settings that these lanes turn on, in the order of SETTINGS."""
    kinds = {lane.kind for lane in lanes}
    kinds |= {"membership"} if kinds & OF_MEMBERSHIPS else set()
    wanted = {name for kind in kinds for name in OF_KIND.get(kind, ())}
    return [name for name in SETTINGS if name in wanted]
