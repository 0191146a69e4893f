"""Reads what a plan takes of topics: messages to lines, lines to their origins, in order, and on to records and events.

Spark reads the messages and takes their envelopes off; what leaves a task is redacted. The lines of a plan are few
(stream.max_messages), so this process holds them, and tasks put them in order (jobs.engine.sorted_rows).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from conf.names import unit_names
from conf.settings import Conf
from expectations.place import LakePlace
from jobs.engine.choice import Engines
from jobs.engine.engine import Engine
from jobs.engine.sorted_rows import stage_sorted
from jobs.engine.staging import Staged, stage_here
from jobs.plans.topics import messages
from jobs.reading.tasks import read_schemas
from transforms.parse.layouts.layout import SourceLayout
from transforms.parse.records.origins import OriginReader, OriginState
from transforms.parse.records.shipped import TOPIC, Line, ShippedSource
from transforms.parse.records.spans import ReadSettings
from transforms.plans.chunks import Chunk, whole_chunk
from transforms.plans.generations import (
    Generation,
    generation_of,
    generations_in,
    generations_of,
    origin_told,
)
from transforms.plans.packs import slots_of
from transforms.plans.read_rows import ACCOUNTS, ReadRows
from transforms.plans.source_state import SourceState
from transforms.plans.topic_lines import SCHEMA, by_origin, line_rows
from transforms.plans.topics import TopicPlan
from transforms.tasks import Batches, BatchTask, Note, Put

LINES, ORIGIN = "lines", "origin"
ARRIVAL = ("origin_id", "sent_at", "partition", "message", "position")


def unwrapping(plan: TopicPlan, longest: int) -> BatchTask:
    """Task: messages in, their lines out (SCHEMA), redacted."""
    topic, topic_id = plan.topic, plan.topic_id

    def task(batches: Batches) -> Put:
        for batch in batches:
            lines = line_rows(batch, topic, topic_id, longest)
            if lines.num_rows:
                yield LINES, lines

    return task


def read_topic(
    engine: Engine,
    engines: Engines,
    plan: TopicPlan,
    known: Mapping[str, SourceState],
    conf: Conf,
    folder: LakePlace,
    waits_from: int | None,
) -> Staged:
    """Everything the plan takes of one topic, once, into staged files (read_schemas), accounts and origins (notes).

    waits_from: since when what stands open is waited for, ms by the job's clock; None where it is given at once.
    """
    from jobs.engine.spark import stage_frame  # loaded where a topic is read

    settings = ReadSettings(keep=conf.reader.keep, max_record_bytes=conf.reader.max_record_bytes)
    task = unwrapping(plan, settings.max_record_bytes)
    taken = messages(engines.session(), plan, conf.kafka.options)
    staged = stage_frame(taken, task, {LINES: SCHEMA}, folder / LINES)
    lines = pa.Table.from_batches(staged.of(LINES).batches(), schema=SCHEMA)
    counted = lines.group_by("origin_id").aggregate([([], "count_all")])
    sized = list(zip(*(counted[name].to_pylist() for name in ("origin_id", "count_all")), strict=True))
    slots = slots_of(sized, engine.slots) if sized else {}
    read = reading(plan, generations_of(known, set(slots)), conf, settings, waits_from)
    return stage_sorted(engine, lines, slots, ARRIVAL, read, read_schemas(), folder / "sorted")


def reading(
    plan: TopicPlan,
    known: Mapping[str, Sequence[Generation]],
    conf: Conf,
    settings: ReadSettings,
    waits_from: int | None,
) -> BatchTask:
    """Task: lines in, by origin and as they came; records, events, pieces and notes out, one ORIGIN a source."""
    layout = SourceLayout.load({**plan.layout, "wrappers": ()})

    def task(batches: Batches) -> Put:
        for origin, lines in by_origin(batches):
            for generation, of_file in generations_in(origin, lines, known.get(origin.origin_id, ())):
                chunk = chunk_of(plan, origin, generation.source_id, conf)
                zone = conf.hint_for(chunk.path).time_zone
                read_as = replace(layout, time_zone=zone) if zone else layout
                reader = OriginReader(read_as, generation.source_id, origin, settings)
                yield from _read(reader, chunk, generation, of_file, read_as, waits_from)

    return task


def flushed(sources: Sequence[SourceState], conf: Conf, folder: LakePlace) -> Staged:
    """What stands open of origins of which nothing came for so long, as far as it has come; without the brokers."""
    settings = ReadSettings(keep=conf.reader.keep, max_record_bytes=conf.reader.max_record_bytes)

    def made() -> Put:
        for source in sources:
            if source.origin is None:
                continue
            layout = SourceLayout.load({**source.layout, "wrappers": ()})
            generation = generation_of(source, source.origin)
            chunk = whole_chunk(source.source_id, source.source, source.service, source.instance)
            reader = OriginReader(layout, source.source_id, ShippedSource(*source.origin["names"]), settings)
            yield from _read(reader, chunk, generation, (), layout, None)

    return stage_here(made(), read_schemas(), folder)


def _read(
    reader: OriginReader,
    chunk: Chunk,
    generation: Generation,
    lines: Sequence[Line],
    layout: SourceLayout,
    waits_from: int | None,
) -> Put:
    read = reader.read(OriginState.load(dict(generation.state)), lines, waits=waits_from is not None)
    rows = ReadRows(chunk, read_schemas())
    for piece in read.pieces:
        rows.add(piece)
        if rows.is_full:
            yield from rows.take()
    yield from rows.take()
    account = rows.account(read.books)
    account["settled"]["unparsed_by_reason"], account["tail"]["unparsed_by_reason"] = read.reasons
    yield Note(ACCOUNTS, json.dumps(account))
    yield Note(ORIGIN, json.dumps(origin_told(read, reader.origin, chunk, generation, layout, waits_from)))


def chunk_of(plan: TopicPlan, origin: ShippedSource, source_id: str, conf: Conf) -> Chunk:
    """The origin as a source: its name, and whose process it is where nothing in a record says so."""
    if origin.identity == TOPIC:
        name = f"{plan.url}/{origin.path.rsplit('/', 1)[-1]}"
        is_named = origin.container or origin.service or origin.instance
        names = (plan.topic, plan.topic if is_named else origin.path.rsplit("/", 1)[-1])
    else:
        name = f"{plan.url}#{origin.path}"
        names = unit_names(origin.path.split(":", 1)[-1].replace("\\", "/"), conf.hint_for(name))
    hint = conf.hint_for(name)
    return whole_chunk(source_id, name, hint.service or names[0], hint.instance or names[1])
