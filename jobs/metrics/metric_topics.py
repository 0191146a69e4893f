"""From topics of metrics to samples, pieces that nobody understood, and the accounting of each partition."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import pyarrow as pa

from conf.settings import Conf
from expectations.place import LakePlace
from expectations.rows import in_batches, staged_schemas
from jobs.engine.choice import Engines
from jobs.engine.staging import Staged, joined
from jobs.plans.topics import messages
from transforms.parse.metrics.messages import Sender, names_in
from transforms.parse.metrics.reading import SAMPLES, UNPARSED, MetricFile, Reading, Row
from transforms.parse.records.shipped import MESSAGE_BITS
from transforms.plans.metric_accounting import (
    Clients,
    account_of_partition,
    note_of,
    partition_id,
    source_of_partition,
)
from transforms.plans.plan import Plan
from transforms.plans.source_state import SourceState
from transforms.plans.topics import TopicPlan
from transforms.tasks import BatchTask, Note, Put

PARTITION = "partition"  # a note: the accounting of a sender's messages in one partition
COLUMNS = ("partition", "offset", "timestamp", "key", "headers", "value")
SCHEMAS = staged_schemas((SAMPLES, UNPARSED))


@dataclass(slots=True)
class TopicsRead:
    """What a plan's topics of metrics gave. begins: by partition's source_id, the place that was read from.

    accounts: one entry a partition, as chunks' are. clients: as of Reading.named. units: of those whom nothing names.
    """

    staged: Staged = field(default_factory=lambda: Staged(SCHEMAS, {}, {}))
    begins: dict[str, int] = field(default_factory=dict)
    accounts: list[Mapping[str, Any]] = field(default_factory=list)
    clients: Clients = field(default_factory=list)
    units: frozenset[str] = frozenset()


def read(
    engines: Engines, plan: Plan, known: Mapping[str, SourceState], conf: Conf, folder: LakePlace
) -> TopicsRead:
    """Read what the plan takes of topics of metrics; their partitions are among the plan's sources then."""
    found, parts = TopicsRead(), []
    for number, topic in enumerate(plan.topics):
        if not topic.is_metrics or not any(begin < end for begin, end in topic.ranges.values()):
            continue
        from jobs.engine.spark import stage_frame  # loaded where a topic is read

        taken = messages(engines.session(), topic, conf.kafka.options, COLUMNS)
        parts.append(stage_frame(taken, reading(topic, conf), SCHEMAS, folder / f"topic-{number}"))
        notes = [json.loads(text) for text in parts[-1].notes.get(PARTITION, ())]
        found.begins |= {
            partition_id(topic, one): begin << MESSAGE_BITS for one, (begin, _) in topic.ranges.items()
        }
        found.accounts += _booked(plan, topic, notes, known, conf)
        found.clients += (tuple(named) for note in notes for named in note["clients"])
    found.staged = joined(parts, SCHEMAS)
    found.units = frozenset(plan.sources[account["source_id"]].unit_id for account in found.accounts)
    return found


def reading(topic: TopicPlan, conf: Conf) -> BatchTask:
    """Task: messages in (COLUMNS); samples and pieces that nobody understood out, and notes, one PARTITION a sender."""
    samples_id = sha256(f"metrics\x1f{topic.topic}".encode()).hexdigest()

    def task(batches: Iterator[pa.RecordBatch]) -> Put:
        senders: dict[tuple[Any, ...], Sender] = {}

        def rows() -> Iterator[Row]:
            for batch in batches:
                sent = batch.column("timestamp").cast(pa.timestamp("ms", "UTC")).cast(pa.int64())
                for message, at in zip(batch.to_pylist(), sent.to_pylist(), strict=True):
                    names = names_in(message)
                    key = (message["partition"], *names)
                    if key not in senders:
                        senders[key] = Sender(message["partition"], _reading(topic, names, conf))
                    for table, row in senders[key].read(message, at):
                        row["source_id"] = samples_id if table == SAMPLES else partition_id(topic, key[0])
                        yield table, row

        yield from in_batches(rows())
        for sender in senders.values():
            yield Note(PARTITION, json.dumps(note_of(sender)))

    return task


def _reading(topic: TopicPlan, names: tuple[str | None, str | None, str | None], conf: Conf) -> Reading:
    """A sender, who is what conf says, else labels of its samples, its headers, its key, or nobody but the topic."""
    key, service, instance = names
    path = f"{topic.url}#{key}" if key else topic.url
    hint = conf.hint_for(path)
    service = hint.service or service or topic.topic
    instance = hint.instance or instance or key or topic.topic
    sender = MetricFile(
        path, 0, 0, service, instance, bool(hint.service), bool(hint.instance), hint.time_zone
    )
    return Reading(sender, "", service, instance)


def _booked(
    plan: Plan,
    topic: TopicPlan,
    notes: Iterable[Mapping[str, Any]],
    known: Mapping[str, SourceState],
    conf: Conf,
) -> Iterator[dict[str, Any]]:
    """Put the partitions that notes tell of among the plan's sources; gives their accounting."""
    nobody = _reading(topic, (None, None, None), conf)
    by_partition: dict[int, list[Mapping[str, Any]]] = {}
    for note in notes:
        by_partition.setdefault(note["partition"], []).append(note)
    for number, some in sorted(by_partition.items()):
        source_id, names = partition_id(topic, number), (nobody.service, nobody.instance)
        old = known.get(source_id)
        plan.sources[source_id] = source_of_partition(topic, number, some, old, names)
        yield account_of_partition(source_id, some)
