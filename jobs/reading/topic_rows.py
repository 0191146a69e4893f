"""Reads what a plan takes of topics: messages to lines, lines to their origins, in order, and on to records and events.

Spark reads the messages and takes their envelopes off; what leaves a task is redacted. The lines of a plan are few
(stream.max_messages), so this process holds them, and tasks put them in order (jobs.engine.sorted_rows).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from typing import Any

import pyarrow as pa

from conf.settings import Conf
from expectations.place import LakePlace
from jobs.engine.choice import Engines
from jobs.engine.engine import Engine, slots_of
from jobs.engine.sorted_rows import stage_sorted
from jobs.engine.staging import BatchTask, Note, Put, Staged, stage_here
from jobs.inputs.listing import unit_names
from jobs.plans.topics import messages
from jobs.reading.read_rows import ACCOUNTS, ReadRows, read_schemas
from transforms.events import unit_id_of
from transforms.parse.origins import OriginReader, OriginState
from transforms.parse.reader import ReadSettings, SourceLayout
from transforms.parse.shipped import TOPIC, Line, Message, ShippedSource, lines_of
from transforms.plans.chunks import Chunk
from transforms.plans.source_state import SourceState
from transforms.plans.topics import TopicPlan

LINES, ORIGIN = "lines", "origin"
OF_ORIGIN = ("origin_id", "identity", "path", "service", "instance", "container")
OF_LINE = ("position", "end", "text", "size", "number", "at", "lines", "is_cut")
SCHEMA = pa.schema(
    [pa.field(name, pa.string()) for name in OF_ORIGIN]
    + [pa.field(name, pa.int64()) for name in ("sent_at", "partition", "message")]
    + [
        pa.field("position", pa.int64()), pa.field("end", pa.int64()), pa.field("text", pa.string()),
        pa.field("size", pa.int64()), pa.field("number", pa.int64()), pa.field("at", pa.string()),
        pa.field("lines", pa.int64()), pa.field("is_cut", pa.bool_()),
    ]
)  # fmt: skip
# As they came: what a file's first line is followed by belongs to that file, not to a former one of its name.
of_origin, of_line = attrgetter(*OF_ORIGIN), attrgetter(*OF_LINE)
ARRIVAL = ("origin_id", "sent_at", "partition", "message", "position")

Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True, slots=True)
class Generation:
    """One file of an origin's name, as it is known: a shipper without a file's own id says only where a line stood.

    first: digest of its first line; "" where it hasn't come.
    """

    source_id: str
    number: int
    first: str = ""
    state: Mapping[str, Any] = field(default_factory=dict)


def unwrapping(plan: TopicPlan, longest: int) -> BatchTask:
    """Task: messages in, their lines out (SCHEMA), redacted."""
    topic, topic_id = plan.topic, plan.topic_id

    def task(batches: Batches) -> Put:
        for batch in batches:
            names = ("partition", "offset", "value")
            sent = batch.column("timestamp").cast(pa.int64()).to_pylist()
            columns = zip(*(batch.column(name).to_pylist() for name in names), sent, strict=True)
            rows = [
                (*of_origin(origin), sent_at, partition, offset, *of_line(line))
                for partition, offset, value, sent_at in columns
                for origin, line in lines_of(Message(topic, topic_id, partition, offset, value), longest)
            ]
            if rows:
                arrays = [
                    pa.array(values, kind)
                    for values, kind in zip(zip(*rows, strict=True), SCHEMA.types, strict=True)
                ]
                yield LINES, pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)

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
    read = reading(plan, _generations(known, set(slots)), conf, settings, waits_from)
    return stage_sorted(engine, lines, slots, ARRIVAL, read, read_schemas(), folder / "sorted")


def _generations(known: Mapping[str, SourceState], origin_ids: set[str]) -> dict[str, list[Generation]]:
    """The files that are known of each origin, the newest last."""
    found: dict[str, list[Generation]] = {}
    for source in known.values():
        if source.origin is not None and source.origin["origin_id"] in origin_ids:
            found.setdefault(source.origin["origin_id"], []).append(_generation(source, source.origin))
    return {key: sorted(some, key=lambda one: one.number) for key, some in found.items()}


def _generation(source: SourceState, origin: Mapping[str, Any]) -> Generation:
    return Generation(source.source_id, origin["generation"], origin["first"], origin["state"])


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
        for origin, lines in _by_origin(batches):
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
            generation = _generation(source, source.origin)
            chunk = _chunk(source.source_id, source.source, source.service, source.instance)
            reader = OriginReader(layout, source.source_id, ShippedSource(*source.origin["names"]), settings)
            yield from _read(reader, chunk, generation, (), layout, None)

    return stage_here(made(), read_schemas(), folder)


def _by_origin(batches: Batches) -> Iterator[tuple[ShippedSource, list[Line]]]:
    rows = (row for batch in batches for row in batch.to_pylist())
    for _, some in groupby(rows, key=lambda row: row["origin_id"]):
        lines = list(some)
        origin = ShippedSource(*(lines[0][name] for name in OF_ORIGIN))
        yield origin, [Line(*(row[name] for name in OF_LINE)) for row in lines]


def generations_in(
    origin: ShippedSource, lines: Iterable[Line], known: Sequence[Generation]
) -> list[tuple[Generation, list[Line]]]:
    """An origin's lines by the file they are of: where a first line comes that is not the known one, another file begins.

    The files' own ids, where a shipper sends them, have told them apart already.
    """
    files = list(known) or [Generation(origin.origin_id, 0)]
    current = len(files) - 1
    taken: dict[int, list[Line]] = {}
    for line in lines:
        if line.position == 0 and origin.identity != TOPIC:
            first = sha256(line.text.encode("utf-8", "replace")).hexdigest()[:16]
            alike = [number for number, one in enumerate(files) if one.first == first]
            if alike:
                current = alike[-1]
            elif files[current].first:
                number = len(files)
                source_id = sha256(f"{origin.origin_id}\x1f{number}\x1f{first}".encode()).hexdigest()
                files.append(Generation(source_id, number, first))
                current = number
            else:
                old = files[current]
                files[current] = Generation(old.source_id, old.number, first, old.state)
        taken.setdefault(current, []).append(line)
    return [(files[number], some) for number, some in sorted(taken.items())]


def _read(
    reader: OriginReader,
    chunk: Chunk,
    generation: Generation,
    lines: Sequence[Line],
    layout: SourceLayout,
    waits_from: int | None,
) -> Put:
    origin = reader.origin
    read = reader.read(OriginState.load(dict(generation.state)), lines, waits=waits_from is not None)
    rows = ReadRows(chunk)
    for piece in read.pieces:
        rows.add(piece)
        if rows.is_full:
            yield from rows.take()
    yield from rows.take()
    account = rows.account(read.books)
    account["settled"]["unparsed_by_reason"], account["tail"]["unparsed_by_reason"] = read.reasons
    yield Note(ACCOUNTS, json.dumps(account))
    found = {
        "chunk": asdict(chunk),
        "identity": origin.identity,
        "begin": read.begin,
        "gone": read.gone,
        "stood": read.stood,
        "is_late": read.is_late,
        "size": max((island.end for island in read.state.islands), default=0),
        "layout": {
            **asdict(layout),
            "origin": {
                "origin_id": origin.origin_id,
                "names": of_origin(origin),
                "waits_from": waits_from if read.is_waiting else None,
                "generation": generation.number,
                "first": generation.first,
                "state": read.state.dump(),
            },
        },
    }
    yield Note(ORIGIN, json.dumps(found))


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
    return _chunk(source_id, name, hint.service or names[0], hint.instance or names[1])


def _chunk(source_id: str, path: str, service: str, instance: str) -> Chunk:
    return Chunk(
        source_id=source_id,
        path=path,
        number=0,
        start=0,
        end=None,
        first_line=1,
        is_encoded=False,
        layout={},
        service=service,
        instance=instance,
        unit_id=unit_id_of(service, instance),
    )
