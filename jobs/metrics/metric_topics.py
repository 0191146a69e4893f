"""From topics of metrics to samples, pieces that nobody understood, and the accounting of each partition.

A message is whole by itself: one document or more, or the lines of one scrape. So tasks read messages in whatever order,
and a sample's place is made of what its message says: copies, and another order, give the same rows.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from typing import Any

import pyarrow as pa

from expectations.place import LakePlace
from jobs.conf import Conf
from jobs.engine.choice import Engines
from jobs.engine.staging import BatchTask, Note, Put, Staged, joined
from jobs.metrics.metric_files import settled_of
from jobs.plans.plan import Plan
from jobs.plans.topics import messages
from jobs.storage.rows import in_batches, staged_schemas
from transforms.parse.metrics.formats import DETECTED_BY, PROMETHEUS_TEXT, MetricsReader, detect
from transforms.parse.metrics.names import who
from transforms.parse.metrics.pieces import line_pieces
from transforms.parse.metrics.prometheus import has_one_scrape
from transforms.parse.metrics.reading import SAMPLES, UNPARSED, MetricFile, Reading
from transforms.parse.redact import redact
from transforms.parse.shipped import MESSAGE_BITS
from transforms.parse.timestamps import Clock
from transforms.plans.accounting import add
from transforms.plans.source_state import SourceState
from transforms.plans.topics import IDENTITY, TopicPlan

PARTITION = "partition"  # a note: the accounting of a sender's messages in one partition
COLUMNS = ("partition", "offset", "timestamp", "key", "headers", "value")
SCHEMAS = staged_schemas((SAMPLES, UNPARSED))
LONGEST_NAME = 200
# Of a message's digest; its pieces are numbered in the bits below.
DIGEST_BITS = 63 - MESSAGE_BITS
MOST_PIECES = (1 << MESSAGE_BITS) - 1
LOGGED, OF_MESSAGE = "logged", "message"

Batches = Iterator[pa.RecordBatch]
Clients = list[tuple[str, str, list[str]]]


@dataclass(frozen=True, slots=True)
class TopicsRead:
    """What a plan's topics of metrics gave. begins: by partition's source_id, the place that was read from.

    accounts: one entry a partition, as chunks' are. clients: as of Reading.named. units: of those whom nothing names.
    """

    staged: Staged = field(default_factory=lambda: Staged(SCHEMAS, {}, {}))
    begins: Mapping[str, int] = field(default_factory=dict)
    accounts: Sequence[Mapping[str, Any]] = ()
    clients: Sequence[tuple[str, str, list[str]]] = ()
    units: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Sender:
    """Those messages of a partition that have one key and say the same of whose they are."""

    partition: int
    reading: Reading
    times: Counter[str] = field(default_factory=Counter)
    formats: Counter[str] = field(default_factory=Counter)
    zone_origin: str = "none"


def read(
    engines: Engines, plan: Plan, known: Mapping[str, SourceState], conf: Conf, folder: LakePlace
) -> TopicsRead:
    """Read what the plan takes of topics of metrics; their partitions are among the plan's sources then."""
    parts, of_topics = [], []
    begins: dict[str, int] = {}
    for number, topic in enumerate(plan.topics):
        if not topic.is_metrics or not any(begin < end for begin, end in topic.ranges.values()):
            continue
        from jobs.engine.spark import stage_frame  # loaded where a topic is read

        taken = messages(engines.session(), topic, conf.kafka.options, COLUMNS)
        parts.append(stage_frame(taken, reading(topic, conf), SCHEMAS, folder / f"topic-{number}"))
        begins |= {
            partition_id(topic, number): begin << MESSAGE_BITS for number, (begin, _) in topic.ranges.items()
        }
        of_topics.append((topic, [json.loads(text) for text in parts[-1].notes.get(PARTITION, ())]))
    accounts: list[dict[str, Any]] = []
    for topic, notes in of_topics:
        accounts += _booked(plan, topic, notes, known, conf)
    clients = [tuple(named) for _, notes in of_topics for note in notes for named in note["clients"]]
    units = frozenset(plan.sources[account["source_id"]].unit_id for account in accounts)
    return TopicsRead(joined(parts, SCHEMAS), begins, accounts, clients, units)


def partition_id(topic: TopicPlan, number: int | str) -> str:
    """The source that one partition is, in the accounting."""
    return sha256(f"metrics\x1f{topic.topic_id}\x1f{number}".encode()).hexdigest()


def reading(topic: TopicPlan, conf: Conf) -> BatchTask:
    """Task: messages in (COLUMNS); samples and pieces that nobody understood out, and notes, one PARTITION a sender."""
    samples_id = sha256(f"metrics\x1f{topic.topic}".encode()).hexdigest()

    def task(batches: Batches) -> Put:
        senders: dict[tuple[Any, ...], _Sender] = {}

        def rows() -> Iterator[tuple[str, dict[str, Any]]]:
            for batch in batches:
                sent = batch.column("timestamp").cast(pa.timestamp("ms", "UTC")).cast(pa.int64())
                for message, at in zip(batch.to_pylist(), sent.to_pylist(), strict=True):
                    names = _names(message)
                    key = (message["partition"], *names)
                    if key not in senders:
                        senders[key] = _Sender(message["partition"], _reading(topic, names, conf))
                    for table, row in _read(senders[key], message, at):
                        row["source_id"] = samples_id if table == SAMPLES else partition_id(topic, key[0])
                        yield table, row

        yield from in_batches(rows())
        for sender in senders.values():
            yield Note(PARTITION, json.dumps(_note_of(sender)))

    return task


def _names(message: Mapping[str, Any]) -> tuple[str | None, str | None, str | None]:
    """(key, service, instance) as far as a message's key and headers say; a header counts as a label of the same name."""
    labels = {header["key"]: text for header in message["headers"] or () if (text := _name(header["value"]))}
    return _name(message["key"]), *who(labels)


def _name(raw: bytes | None) -> str | None:
    """A text that may be a name: an id in binary, or a document, is none."""
    try:
        text = (raw or b"").decode()
    except UnicodeDecodeError:
        return None
    return redact(text) if text.isprintable() and 0 < len(text) <= LONGEST_NAME else None


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


def _read(
    sender: _Sender, message: Mapping[str, Any], sent_at: int | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """sent_at: the message's time, ms."""
    value, offset = message["value"] or b"", message["offset"]
    reading, clock = sender.reading, Clock(sender.reading.file.time_zone)
    reading.format, reading.is_line_open = detect(value[:DETECTED_BY]), False
    scrape_at = _scrape_at(reading.format, value, sent_at)
    sender.times[LOGGED if scrape_at is None else OF_MESSAGE] += 1
    reader = MetricsReader(reading.format, clock, scrape_at)
    place = int.from_bytes(sha256(value).digest()[:8]) >> (64 - DIGEST_BITS) << MESSAGE_BITS
    before = reading.samples.samples
    for number, piece in enumerate(reader.pieces(BytesIO(value))):
        count = min(number, MOST_PIECES)
        for table, row in reading.read(reader, piece):
            if table == SAMPLES:
                row["offset"] = place + count
            else:
                row["offset"], row["line"] = (offset << MESSAGE_BITS) + count, offset
            yield table, row
    if reading.samples.samples > before:
        sender.formats[reading.format or ""] += 1
    if reader.zone_origin != "none":
        sender.zone_origin = reader.zone_origin


def _scrape_at(name: str | None, value: bytes, sent_at: int | None) -> int | None:
    """When a scrape was made that doesn't say it itself: as its message was."""
    if name != PROMETHEUS_TEXT or sent_at is None or sent_at < 0:
        return None
    lines = (piece.data.decode("utf-8", "replace") for piece in line_pieces(BytesIO(value)))
    return sent_at if has_one_scrape(lines) else None


def _note_of(sender: _Sender) -> dict[str, Any]:
    reading = sender.reading
    samples = reading.samples
    return {
        "partition": sender.partition,
        "settled": settled_of(reading),
        "clients": reading.named,
        "zone": [reading.file.time_zone, sender.zone_origin],
        "counts": {
            "samples_read": samples.read,
            "samples_kept": samples.samples,
            "samples_unmapped": samples.unmapped,
        },
        "by": {"samples_skipped": samples.skipped, "time": sender.times, "formats": sender.formats},
    }


def _booked(
    plan: Plan,
    topic: TopicPlan,
    notes: Iterable[Mapping[str, Any]],
    known: Mapping[str, SourceState],
    conf: Conf,
) -> Iterator[dict[str, Any]]:
    """Put the partitions that notes tell of among the plan's sources; gives their accounting."""
    by_partition: dict[int, list[Mapping[str, Any]]] = {}
    for note in notes:
        by_partition.setdefault(note["partition"], []).append(note)
    for number, some in sorted(by_partition.items()):
        source_id = partition_id(topic, number)
        old = known.get(source_id)
        plan.sources[source_id] = _source(topic, number, some, old, conf)
        yield {
            "source_id": source_id,
            "number": 0,
            "latest": None,
            "latest_settled": None,
            "settled": add(note["settled"] for note in some),
            "tail": {},
            "resume_offset": 0,
            "resume_line": 1,
            "units": [],
        }


def _source(
    topic: TopicPlan,
    number: int,
    notes: Sequence[Mapping[str, Any]],
    old: SourceState | None,
    conf: Conf,
) -> SourceState:
    nobody = _reading(topic, (None, None, None), conf)
    evidence = _evidence([*([old.layout["evidence"]] if old else ()), *map(_as_evidence, notes)])
    formats = evidence["formats"]
    zones = [note["zone"] for note in notes if note["zone"][1] != "none"]
    zone, zone_origin = zones[-1] if zones else (None, "none")
    return SourceState(
        source_id=partition_id(topic, number),
        source=f"{topic.url}/{number}",
        service=nobody.service,
        instance=nobody.instance,
        identity=IDENTITY,
        status="complete",
        layout={
            "layout": max(sorted(formats), key=formats.__getitem__, default=None),
            "evidence": evidence,
            "time_zone": zone if zone_origin == "declared" else "UTC",
            "time_zone_origin": zone_origin,
        },
        metrics={"clients": _clients(old, notes)},
        topic={"topic_id": topic.topic_id, "partition": number},
        settled=old.settled if old else {},
    )


def _as_evidence(note: Mapping[str, Any]) -> dict[str, Any]:
    return {**note["counts"], **note["by"]}


def _evidence(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Sums of counts, and of counts by name."""
    total: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            if isinstance(value, Mapping):
                total[name] = dict(sorted((Counter(total.get(name, {})) + Counter(value)).items()))
            else:
                total[name] = total.get(name, 0) + value
    return total


def _clients(old: SourceState | None, notes: Iterable[Mapping[str, Any]]) -> Clients:
    """Everybody whom the partition ever named."""
    named: dict[tuple[str, str], set[str]] = {}
    before = old.metrics["clients"] if old and old.metrics else []
    for unit, service, names in [*before, *(one for note in notes for one in note["clients"])]:
        named.setdefault((unit, service), set()).update(names)
    return [(unit, service, sorted(names)) for (unit, service), names in sorted(named.items())]
