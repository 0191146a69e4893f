"""What a run takes of topics, of log lines or of metrics: offsets in the plan, and the accounting of each topic.

The brokers keep nothing of it, no consumer group's offsets either: how far a topic was read stands in bronze.accounting,
as of files. A plan names the offsets that it takes; carried out again, it takes the same.
"""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from conf.settings import Conf
from jobs.inputs.brokers import BrokerAway, TopicGone, extent_of
from jobs.progress import tell
from transforms.plans.source_state import SourceState
from transforms.plans.topics import Topic, TopicPlan, planned

if TYPE_CHECKING:
    from jobs.engine.session import DataFrame, SparkSession


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
            tell(error.sentence)
            continue
        most = conf.stream.max_scrapes if topic.is_metrics else conf.stream.max_messages
        plan = planned(topic, extent, known.values(), most)
        if plan.lost:
            tell(
                f"{topic.url}: {plan.lost} messages were deleted before they were read; reading goes on after them"
            )
        if plan.ranges:
            plans.append(plan)
    return plans


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
