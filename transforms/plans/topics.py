"""What a plan takes of a topic, of log lines or of metrics: offsets, and the topic's own row of the accounting."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from transforms.errors import BadInput
from transforms.parse.layouts.detect import SourceHints, detect_layout
from transforms.parse.layouts.layout import mixed_layout
from transforms.plans.source_state import SourceState
from transforms.when_used import when_used

IDENTITY = "topic_offset"
# What a topic's layout is told from: the first messages that were ever read of it.
MESSAGES_LOOKED_AT = 300
# Of a line as shippers wrap it, about.
MESSAGE_BYTES = 1000
Ranges = dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic as it is given: `kafka://host:port[,host:port]/topic`."""

    url: str
    servers: str
    name: str
    is_metrics: bool = False


@dataclass(frozen=True, slots=True)
class Extent:
    """What the brokers have of a topic. offsets: by partition (first kept, next to be written)."""

    topic_id: str
    offsets: Mapping[int, tuple[int, int]]


@dataclass(slots=True)
class TopicPlan:
    """What a plan takes of one topic. ranges: by partition [from, to); left: messages that its limit leaves.

    lost: messages that the brokers deleted before they were read.
    """

    url: str
    servers: str
    topic: str
    topic_id: str
    ranges: Ranges
    layout: dict[str, Any] = field(default_factory=dict)
    read_to: dict[str, int] = field(default_factory=dict)
    lost: int = 0
    left: int = 0
    is_metrics: bool = False

    @property
    def size(self) -> int:
        """Of what is taken, about, in bytes."""
        return MESSAGE_BYTES * sum(end - begin for begin, end in self.ranges.values())

    @property
    def source_id(self) -> str:
        """Of the topic's own row; a topic that was made anew is another, and one may be read as logs and as metrics."""
        kind = "metrics topic" if self.is_metrics else "topic"
        return sha256(f"{kind}\x1f{self.topic_id}".encode()).hexdigest()


def planned(topic: Topic, extent: Extent, known: Iterable[SourceState], most: int) -> TopicPlan:
    """The next messages of a topic, the same number of every partition as far as there are so many. Pure."""
    plan = TopicPlan(topic.url, topic.servers, topic.name, extent.topic_id, {}, is_metrics=topic.is_metrics)
    for old in known:
        if old.source_id == plan.source_id and old.topic:
            plan.read_to = dict(old.topic["read_to"])
            plan.layout = dict(old.topic["layout"])
            plan.lost = old.topic["lost"]
    before = plan.lost
    begins, sizes = {}, {}
    for number, (first, end) in sorted(extent.offsets.items()):
        begin = plan.read_to.get(str(number), first)
        plan.lost += max(0, min(first, end) - begin)
        begins[number] = max(begin, first)
        sizes[number] = max(0, end - begins[number])
    shares = shared(sizes, most)
    plan.ranges = {
        str(number): [begins[number], begins[number] + share] for number, share in shares.items() if share
    }
    plan.left = sum(sizes.values()) - sum(shares.values())
    if plan.lost > before and not plan.ranges:
        plan.ranges = {str(number): [begin, begin] for number, begin in begins.items()}
    plan.read_to |= {number: end for number, (_, end) in plan.ranges.items()}
    return plan


def shared(sizes: Mapping[int, int], most: int) -> dict[int, int]:
    """At most so many in all: what one doesn't use goes to the others."""
    shares = dict.fromkeys(sizes, 0)
    waiting = sorted(sizes, key=lambda number: (sizes[number], number))
    for place, number in enumerate(waiting):
        shares[number] = min(sizes[number], most // (len(waiting) - place))
        most -= shares[number]
    return shares


def layout_of(payloads: Sequence[str], hint: SourceHints) -> dict[str, Any]:
    """How lines of a topic begin. Many sources share it, so that lines of any dated layout or JSON always begin a record.

    Raises: ValueError for a hint that names no layout or zone.
    """
    found = detect_layout("\n".join(payloads).encode("utf-8", "replace"), hint)
    if found.layout in ("plain", "binary") and hint.layout is None:
        found = replace(mixed_layout(), time_zone=found.time_zone, time_zone_origin=found.time_zone_origin)
    return replace(found, wrappers=(), fold=None, is_splittable=False, is_newest_first=False).dump()


def source_of(plan: TopicPlan) -> SourceState:
    """The topic's own row of bronze.accounting: how far it was read. Its lines are in the accounting of their origins."""
    return SourceState(
        source_id=plan.source_id,
        source=plan.url,
        service=plan.topic,
        instance=plan.topic,
        identity=IDENTITY,
        status="truncated" if plan.lost else "complete",
        layout={"layout": plan.layout.get("layout"), "evidence": {"lost_messages": plan.lost}},
        topic={"topic_id": plan.topic_id, "read_to": plan.read_to, "layout": plan.layout, "lost": plan.lost},
    )


def source_of_origin(found: Mapping[str, Any], old: SourceState | None) -> SourceState:
    """What is known of an origin that was read. old: before now."""
    chunk, layout = found["chunk"], dict(found["layout"])
    return SourceState(
        source_id=chunk["source_id"],
        source=chunk["path"],
        service=chunk["service"],
        instance=chunk["instance"],
        identity=found["identity"],
        status="complete",
        file_size=found["size"],
        origin=layout.pop("origin"),
        layout=layout,
        settled=old.settled if old else {},
        resume_at=old.resume_at if old else None,
        latest_at=old.latest_at if old else None,
    )


URL = when_used(r"kafka://(?P<servers>[^/\s]+:\d+(?:,[^/\s]+:\d+)*)/(?P<topic>[\w.\-]{1,249})")


def is_topic(given: str) -> bool:
    """Whether an argument names a topic, not files."""
    return given.startswith("kafka://")


def topic_of(given: str, what: str, *, is_metrics: bool = False) -> Topic:
    """The topic that an argument names.

    Raises: BadInput for anything else.
    """
    found = URL.fullmatch(given)
    if found is None:
        raise BadInput("is no topic", where=f"{what} {given}", todo="give kafka://host:port/topic")
    return Topic(given, found["servers"], found["topic"], is_metrics)
