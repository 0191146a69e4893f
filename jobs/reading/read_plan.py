"""Everything that a plan takes, of files and of topics: staged rows, accounts, and what its sources turned out to be."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from conf.settings import Conf
from expectations.place import LakePlace
from expectations.rows import staged_schema
from jobs.engine.choice import Engines
from jobs.engine.staging import Staged, instead, joined
from jobs.inputs.brokers import TopicGone, extent_of
from jobs.inputs.listing import LeftOut
from jobs.plans.known_sources import known_sources
from jobs.plans.topics import messages
from jobs.reading import ingest
from jobs.reading.tasks import read_schemas
from jobs.reading.topic_rows import ORIGIN, flushed, read_topic
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import read_arrow
from transforms.parse.layouts.detect import SourceHints
from transforms.parse.records.shipped import Message, lines_of
from transforms.plans.late_lines import is_kept, ordered_by, running_times
from transforms.plans.plan import Plan
from transforms.plans.read_rows import CHUNK, CONTROL, EVENTS, RECORDS, UNPARSED
from transforms.plans.source_state import SourceState
from transforms.plans.topics import (
    MESSAGES_LOOKED_AT,
    Topic,
    TopicPlan,
    layout_of,
    source_of,
    source_of_origin,
)
from transforms.plans.urls import is_object
from transforms.timers.clients.control import control_of


def add_topics(engines: Engines, plan: Plan, topics: Sequence[TopicPlan], conf: Conf) -> None:
    """Put topics into a plan, before it is saved; of one that is new the layout is looked up."""
    for topic in topics:
        if not topic.is_metrics:
            topic.layout = topic.layout or _layout(engines, topic, conf)
        plan.topics.append(topic)
        plan.sources[topic.source_id] = source_of(topic)


def _layout(engines: Engines, topic: TopicPlan, conf: Conf) -> dict[str, Any]:
    texts: list[str] = []
    if any(begin < end for begin, end in topic.ranges.values()):
        for row in messages(engines.session(), topic, conf.kafka.options).limit(MESSAGES_LOOKED_AT).collect():
            message = Message(topic.topic, topic.topic_id, row.partition, row.offset, bytes(row.value or b""))
            texts += [line.text for _, line in lines_of(message, conf.reader.max_record_bytes)]
    hint = conf.hint_for(topic.url)
    return layout_of(texts, SourceHints(layout=hint.layout, time_zone=hint.time_zone))


def still_there(plan: Plan, conf: Conf) -> None:
    """Of a plan that is carried out again: leave out messages that the brokers don't have any more.

    Raises: BrokerAway.
    """
    for topic in list(plan.topics):
        try:
            extent = extent_of(Topic(topic.url, topic.servers, topic.topic), conf.kafka)
        except TopicGone:
            plan.topics.remove(topic)
            continue
        if extent.topic_id != topic.topic_id:
            plan.topics.remove(topic)
            continue
        for number, (begin, end) in topic.ranges.items():
            first = extent.offsets[int(number)][0]
            topic.ranges[number] = [min(max(begin, first), end), end]


def without_gone(plan: Plan) -> list[LeftOut]:
    """Leave files out of a plan that went since it was made: what stands of them stays as it is. Gives which."""
    paths = {chunk.source_id: chunk.path for chunk in plan.chunks}
    gone = {one: path for one, path in paths.items() if not is_object(path) and not Path(path).exists()}
    metrics = [one.path for one in plan.metrics if not is_object(one.path) and not Path(one.path).exists()]
    plan.leave_out(gone)
    plan.metrics = [one for one in plan.metrics if one.path not in metrics]
    return [LeftOut(path, "went before it was read") for path in (*gone.values(), *metrics)]


def read(engines: Engines, lake: LakeWriter, plan: Plan, conf: Conf, folder: LakePlace) -> Staged:
    """Read everything planned of logs, once; the plan then knows the origins of topics among its sources."""
    parts = [ingest.read_chunks(lake.engine, plan, conf, folder / "files")] if plan.chunks else []
    if plan.topics or plan.flushed:
        known = known_sources(lake, plan.accounting)
        waits_from = plan.planned_at if plan.waits else None
        for number, topic in enumerate(plan.topics):
            if not topic.is_metrics and any(begin < end for begin, end in topic.ranges.values()):
                place = folder / f"topic-{number}"
                part = read_topic(lake.engine, engines, topic, known, conf, place, waits_from)
                parts.append(_with_what_stays(lake, plan, part, known, place))
        # Of others lines have come meanwhile.
        due = [known[one] for one in plan.flushed if one in known and one not in plan.sources]
        if due:
            part = flushed(due, conf, folder / "flushed")
            parts.append(_with_what_stays(lake, plan, part, known, folder / "flushed"))
    return joined(parts, read_schemas())


def _with_what_stays(
    lake: LakeWriter, plan: Plan, staged: Staged, known: Mapping[str, SourceState], folder: LakePlace
) -> Staged:
    """Add the origins to the plan's sources; where lines came late, rows that stay are put among those that were read."""
    late: dict[str, dict[str, Any]] = {}
    for text in staged.notes.get(ORIGIN, ()):
        found = json.loads(text)
        source_id = found["chunk"]["source_id"]
        plan.sources[source_id] = source_of_origin(found, known.get(source_id))
        if found["begin"] is not None:
            plan.begins[source_id] = found["begin"]
        if found["is_late"]:
            late[source_id] = found
            plan.reordered.append(source_id)
    return _late(lake, staged, late, folder) if late else staged


def _late(
    lake: LakeWriter, staged: Staged, late: Mapping[str, Mapping[str, Any]], folder: LakePlace
) -> Staged:
    """Rows from the first changed place on, with those between that no late line touched, as one would have read them."""
    stays = {name: _stays(lake, name, late) for name in (RECORDS, UNPARSED, EVENTS)}
    records = pa.concat_tables([staged.of(RECORDS).table(), stays[RECORDS]])
    chunk = pa.array([0] * stays[EVENTS].num_rows, CHUNK.type)
    events = pa.concat_tables([staged.of(EVENTS).table(), stays[EVENTS].append_column(CHUNK, chunk)])
    of_late = [("source_id", "in", sorted(late))]
    stood = read_arrow(lake.path(RECORDS), ["source_id", "offset", "logged_at"], of_late)
    events = ordered_by(events, running_times(stood, records, late))
    whole = {
        RECORDS: records,
        UNPARSED: pa.concat_tables([staged.of(UNPARSED).table(), stays[UNPARSED]]),
        EVENTS: events,
        CONTROL: control_of(events),
    }
    return instead(staged, whole, folder)


def _stays(lake: LakeWriter, table: str, late: Mapping[str, Mapping[str, Any]]) -> pa.Table:
    schema = staged_schema(table)
    stood = pa.Table.from_batches(lake.rows(table, "source_id", sorted(late)).batches(), schema=schema)
    keys = zip(stood["source_id"].to_pylist(), stood["offset"].to_pylist(), strict=True)
    return stood.filter(pa.array([is_kept(late[one], at) for one, at in keys], pa.bool_()))
