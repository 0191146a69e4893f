"""The lanes of a story: the episodes and events of a window, those that the story is about first.

A lane is one timer of one client (its memberships, the gap between its polls, its batches of a partition), one
group's rebalances, one broker, or what befell one client's connections.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from transforms.diagnose.wording.words import exact
from transforms.episodes.bars import bars_of
from transforms.episodes.lanes import Bar, Lane, Mark, Row, Window, lane
from transforms.episodes.words import group_of

MOST_STORY_LANES = 14
KINDS = (
    "task timer",
    "poll timer",
    "heartbeat",
    "batches",
    "backoff",
    "membership",
    "rebalances",
    "broker",
    "network",
)
# What stands as a mark, in the lane of its kind; the rest of the events is in the lines.
MARKED = {
    "network": ("disconnect", "connect_failed", "request_timeout", "request_cancelled", "coordinator_lost"),
    "membership": ("heartbeat_failed", "poll_interval_expired", "leave_group", "fenced", "commit_failed",
                   "partitions_lost", "session_expired"),
    "batches": ("produce_failed", "produce_retry", "batch_expired"),
    "task timer": ("task_timeout_start", "task_timeout_continue", "task_timeout_expired", "streams_error"),
    "broker": ("broker_member_failed", "leave_group", "fenced"),
}  # fmt: skip
Key = tuple[str, str, str]  # a lane's kind, its name, and the service where that tells it apart
MARKED_KINDS = tuple(sorted({kind for kinds in MARKED.values() for kind in kinds}))


def lanes_of(
    episodes: Mapping[str, Sequence[Row]],
    events: Iterable[Row],
    clocks: Mapping[str, int],
    window: Window,
    focus: Iterable[str] = (),
) -> list[Lane]:
    """The lanes of these silver rows within the window: those with an episode of `focus` first, then by kind and name.

    clocks: unit_id -> its largest happened_at: open timers are drawn up to it.
    """
    bars: dict[Key, list[Bar]] = {}
    owners: dict[tuple[str, str], set[str]] = {}
    for table, rows in episodes.items():
        for row in rows:
            for kind, bar in bars_of(table, row, clocks.get(row["unit_id"])):
                if window.holds(bar.start, max(bar.end, bar.limit_at or 0)):
                    name = _name(kind, row)
                    bars.setdefault(_key(kind, name, row), []).append(bar)
                    owners.setdefault((kind, row["unit_id"]), set()).add(name)
    marks: dict[Key, list[Mark]] = {}
    for event in events:
        if event.get("happened_at") is not None and (of_lane := _lane_of(event)):
            name = _name_of_mark(of_lane, event, owners.get((of_lane, event["unit_id"]), set()))
            marks.setdefault(_key(of_lane, name, event), []).append(_mark(event))
    focused: frozenset[str | None] = frozenset(focus)
    near = {key for key, of_lane in bars.items() if any(bar.subject_id in focused for bar in of_lane)}
    keys = sorted({*bars, *marks}, key=lambda key: (key not in near, KINDS.index(key[0]), *key[1:]))
    alike = Counter(key[:2] for key in keys)
    made = [lane(*key[:2], bars.get(key, []), marks.get(key, []), focused) for key in keys]
    return [
        replace(one, service=key[2] or "service unknown") if alike[key[:2]] > 1 else one
        for key, one in zip(keys, made, strict=True)
    ]


def _key(kind: str, name: str, row: Row) -> Key:
    """Clients, tasks and brokers of two services are two, however alike their names; a group is one for all its members."""
    return kind, name, "" if kind == "rebalances" else str(row.get("service") or "")


def _lane_of(event: Row) -> str | None:
    kind = event["kind"]
    if event.get("client_kind") == "broker":
        return "broker" if kind in MARKED["broker"] else None
    return next((lane for lane, kinds in MARKED.items() if kind in kinds and lane != "broker"), None)


def _mark(event: Row) -> Mark:
    words = [event["kind"].replace("_", " "), event.get("api"), event.get("error_class")]
    node = event.get("node_id")
    hover_lines = [
        ", ".join(word for word in words if word),
        f"node {node}" if node is not None else None,
        f"after {exact(event['elapsed_ms'])}" if event.get("elapsed_ms") is not None else None,
        event.get("member_id") if event.get("client_kind") == "broker" else None,
        f"normal: {event['benign']}" if event.get("benign") else None,
    ]
    at, lines = event["happened_at"], tuple(line for line in hover_lines if line)
    return Mark.benign(at, lines) if event.get("benign") else Mark(at, lines)


def _name(kind: str, row: Row) -> str:
    """Whose lane it is."""
    if kind == "rebalances":
        return group_of(row) if row.get("group_id") else "group unknown"
    if kind == "broker":
        return str(row.get("instance") or "broker")
    client = str(row.get("client_id") or row.get("instance") or "client unknown")
    if kind == "batches":
        return f"{client} {row.get('topic')}-{row.get('partition')}" if row.get("topic") else client
    if kind == "task timer":
        return f"{row.get('thread') or client}, task {row['task_id']}" if row.get("task_id") else client
    return client


def _name_of_mark(kind: str, event: Row, lanes: set[str]) -> str:
    """The lane of its name; else the only lane of its process that it may belong to.

    An application's own line names no client, and a client's line may name no partition.
    """
    name = _name(kind, event)
    if name in lanes:
        return name
    place = f" {event.get('topic')}-{event.get('partition')}" if event.get("topic") else ""
    client = event.get("client_id") or ""
    fitting = [lane for lane in lanes if lane.endswith(place) and lane.startswith(client)]
    return fitting[0] if len(fitting) == 1 else name
