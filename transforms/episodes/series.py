"""What metrics said: the few attributes that matter to a story, as series with the limit that bounds them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from transforms.episodes.lanes import Lane

# What matters, most first; and the setting that bounds it, with how many of the setting's units are one of its own.
MATTERS = (
    "last-poll-seconds-ago",
    "last-heartbeat-seconds-ago",
    "record-queue-time-max",
    "requests-in-flight",
    "process-latency-max",
    "record-retry-total",
    "record-error-total",
    "assigned-partitions",
    "connection-count",
)
LIMITS: dict[str, tuple[str, float]] = {
    "last-poll-seconds-ago": ("max.poll.interval.ms", 1000.0),
    "last-heartbeat-seconds-ago": ("session.timeout.ms", 1000.0),
}
OF_KIND = {
    "poll timer": ("last-poll-seconds-ago",),
    "heartbeat": ("last-heartbeat-seconds-ago",),
    "membership": ("last-poll-seconds-ago", "assigned-partitions"),
    "batches": ("record-queue-time-max", "requests-in-flight", "record-error-total"),
    "task timer": ("process-latency-max", "last-poll-seconds-ago"),
    "network": ("requests-in-flight", "connection-count"),
}


@dataclass(frozen=True, slots=True)
class Series:
    """One attribute of one client's MBean: instants in ms, values; limit in the attribute's own unit."""

    client: str
    attribute: str
    points: tuple[tuple[int, float], ...]
    limit: float | None = None
    limit_name: str | None = None


def attributes_for(lanes: Iterable[Lane], most: int = 2) -> list[str]:
    """The attributes worth a line beneath these lanes, the most telling first."""
    wanted = [attribute for lane in lanes for attribute in OF_KIND.get(lane.kind, ())]
    return list(dict.fromkeys(wanted))[:most]


def series_of(samples: Iterable[Mapping[str, Any]], settings: Iterable[Mapping[str, Any]]) -> list[Series]:
    """The series of rows of silver.metric_samples: per client and attribute that of the plainest MBean.

    settings: rows of silver.client_settings, from which attributes take their limit.
    """
    held = {(row["client_id"], row["name"]): row["value"] for row in settings}
    found: dict[tuple[str, str], dict[tuple[int, str, str], list[tuple[int, float]]]] = {}
    for row in samples:
        # Kafka's clients say -1 where nothing was polled or sent yet.
        if row["value"] is not None and row["value"] >= 0:
            client = row["client_id"] or ""
            beans = found.setdefault((row["attribute"], client), {})
            beans.setdefault((row["mbean"].count(","), row["mbean"], row["unit_id"]), []).append(
                (row["sampled_at"], row["value"])
            )
    order = {attribute: place for place, attribute in enumerate(MATTERS)}
    made = []
    for (attribute, client), beans in sorted(
        found.items(), key=lambda one: (order.get(one[0][0], 99), one[0][1])
    ):
        name, scale = LIMITS.get(attribute, (None, 1.0))
        value = held.get((client, name)) if name else None
        limit = float(value) / scale if value is not None and value.isdecimal() else None
        points = tuple(sorted(beans[min(beans)]))
        made.append(
            Series(client or "client unknown", attribute, points, limit, name if limit is not None else None)
        )
    return made
