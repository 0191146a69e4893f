"""What a run takes of topics, of log lines or of metrics: offsets in the plan, and the accounting of each topic.

The brokers keep nothing of it, no consumer group's offsets either: how far a topic was read stands in bronze.accounting,
as of files. A plan names the offsets that it takes; carried out again, it takes the same.
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from jobs.conf import Conf
from jobs.inputs.brokers import BrokerAway, Extent, Topic, TopicGone, extent_of
from jobs.plans.source_state import SourceState
from transforms.parse.detect import SourceHints, detect_layout
from transforms.parse.layout import mixed_layout

if TYPE_CHECKING:
    from jobs.engine.session import DataFrame, SparkSession

IDENTITY = "topic_offset"
# What a topic's layout is told from: the first messages that were ever read of it.
MESSAGES_LOOKED_AT = 300
# Of a line as shippers wrap it, about.
MESSAGE_BYTES = 1000
Ranges = dict[str, list[int]]


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


def plan_topics(
    topics: Sequence[Topic],
    known: Mapping[str, SourceState],
    conf: Conf,
    *,
    may_vanish: bool,
) -> list[TopicPlan]:
    """What is new in the topics, each up to stream.max_messages, of metrics stream.max_scrapes.

    may_vanish: topics that are gone or whose brokers are away have nothing new, which is said.
    Raises: TopicGone, BrokerAway.
    """
    plans = []
    for topic in topics:
        try:
            extent = extent_of(topic, conf.kafka)
        except (TopicGone, BrokerAway) as error:
            if not may_vanish:
                raise
            _say(error.sentence)
            continue
        most = conf.stream.max_scrapes if topic.is_metrics else conf.stream.max_messages
        plan = planned(topic, extent, known.values(), most)
        if plan.lost:
            _say(
                f"{topic.url}: {plan.lost} messages were deleted before they were read; reading goes on after them"
            )
        if plan.ranges:
            plans.append(plan)
    return plans


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


def messages(
    spark: "SparkSession",
    plan: TopicPlan,
    options: Mapping[str, str],
    columns: Sequence[str] = ("partition", "offset", "timestamp", "value"),
) -> "DataFrame":
    """The messages that a plan takes of a topic, as Spark's Kafka source gives them."""
    from jobs.engine.session import load_kafka_source

    load_kafka_source(spark)
    taken = {number: span for number, span in plan.ranges.items() if span[0] < span[1]}
    reader = spark.read.format("kafka")
    for name, value in options.items():
        reader = reader.option(f"kafka.{name}", value)
    return (
        reader.option("kafka.bootstrap.servers", plan.servers)
        .option("assign", json.dumps({plan.topic: [int(number) for number in taken]}))
        .option("startingOffsets", json.dumps({plan.topic: {n: span[0] for n, span in taken.items()}}))
        .option("endingOffsets", json.dumps({plan.topic: {n: span[1] for n, span in taken.items()}}))
        .option("includeHeaders", str("headers" in columns).lower())
        .load()
        .select(*columns)
    )


def layout_of(payloads: Sequence[str], hint: SourceHints) -> dict[str, Any]:
    """How lines of a topic begin. Many sources share it, so that lines of any dated layout or JSON always begin a record.

    Raises: ValueError for a hint that names no layout or zone.
    """
    found = detect_layout("\n".join(payloads).encode("utf-8", "replace"), hint)
    if found.layout in ("plain", "binary") and hint.layout is None:
        found = replace(mixed_layout(), time_zone=found.time_zone, time_zone_origin=found.time_zone_origin)
    return replace(found, wrappers=(), is_splittable=False, is_newest_first=False).dump()


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


def _say(sentence: str) -> None:
    print(f"kipwatch: {sentence}", file=sys.stderr, flush=True)
