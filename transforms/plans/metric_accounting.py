"""What was read of metrics, as a source's state: of a file, and of a partition of a topic."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from transforms.parse.metrics.formats import UNKNOWN_JSON
from transforms.parse.metrics.identity import Identity
from transforms.parse.metrics.messages import Sender
from transforms.parse.metrics.reading import Reading
from transforms.parse.records.streams import FINGERPRINT_BYTES
from transforms.plans.accounting import COUNTS, add
from transforms.plans.source_state import SourceState
from transforms.plans.topics import IDENTITY, TopicPlan

# Unit, service and clients of samples, of each unit and service.
Clients = list[tuple[str, str, list[str]]]


def source_of_metrics(
    reading: Reading,
    identity: Identity,
    state: Mapping[str, Any],
    origins: tuple[str, str],
    problem: str | None,
) -> SourceState:
    """Of a file that was read. state: what it is recognized by. origins: what its times rest on, and their zone."""
    file, counts, samples = reading.file, reading.counts, reading.samples
    time_origin, zone_origin = origins
    evidence = {
        "time": time_origin,
        "samples_read": samples.read,
        "samples_kept": samples.samples,
        "samples_unmapped": samples.unmapped,
        "samples_skipped": dict(sorted(samples.skipped.items())),
    }
    is_known = reading.format != UNKNOWN_JSON or samples.samples
    return SourceState(
        source_id=identity.source_id,
        source=file.path,
        service=reading.service,
        instance=reading.instance,
        identity=identity.rests_on,
        status=problem or ("complete" if counts["bytes_read"] else "empty"),
        file_size=file.size,
        file_changed_ns=file.changed_ns,
        fingerprint_bytes=FINGERPRINT_BYTES,
        bytes_read=counts["bytes_read"],
        layout=_layout(reading.format if is_known else None, evidence, file.time_zone, zone_origin),
        metrics=state,
        settled=settled_of(reading, problem),
    )


def settled_of(reading: Reading, problem: str | None = None) -> dict[str, Any]:
    """What was counted, as of a chunk of a log (transforms.plans.accounting)."""
    counts = reading.counts
    settled: dict[str, Any] = {name: counts[name] for name in COUNTS}
    settled["unparsed_by_reason"] = dict(reading.unparsed) | ({problem: 1} if problem else {})
    if counts["bytes_blank"]:
        settled["bytes_dropped"] = {"blank": counts["bytes_blank"]}
        settled["lines_dropped"] = {"blank": counts["lines_blank"]}
    return settled


def note_of(sender: Sender) -> dict[str, Any]:
    """What a task says of a sender's messages in one partition."""
    reading, samples = sender.reading, sender.reading.samples
    return {
        "partition": sender.partition,
        "settled": settled_of(reading),
        "clients": reading.named,
        "zone": [reading.file.time_zone, sender.zone_origin],
        "evidence": {
            "samples_read": samples.read,
            "samples_kept": samples.samples,
            "samples_unmapped": samples.unmapped,
            "samples_skipped": samples.skipped,
            "time": sender.times,
            "formats": sender.formats,
        },
    }


def partition_id(topic: TopicPlan, number: int | str) -> str:
    """The source that one partition is, in the accounting."""
    return sha256(f"metrics\x1f{topic.topic_id}\x1f{number}".encode()).hexdigest()


def source_of_partition(
    topic: TopicPlan,
    number: int,
    notes: Sequence[Mapping[str, Any]],
    old: SourceState | None,
    names: tuple[str, str],
) -> SourceState:
    """Of a partition. notes: of its senders. names: service and instance of those whom nothing names."""
    evidence = _added([*([old.layout["evidence"]] if old else ()), *(note["evidence"] for note in notes)])
    formats = evidence["formats"]
    zones = [note["zone"] for note in notes if note["zone"][1] != "none"]
    zone, zone_origin = zones[-1] if zones else (None, "none")
    layout = max(sorted(formats), key=formats.__getitem__, default=None)
    return SourceState(
        source_id=partition_id(topic, number),
        source=f"{topic.url}/{number}",
        service=names[0],
        instance=names[1],
        identity=IDENTITY,
        status="complete",
        layout=_layout(layout, evidence, zone, zone_origin),
        metrics={"clients": _clients(old, notes)},
        topic={"topic_id": topic.topic_id, "partition": number},
        settled=old.settled if old else {},
    )


def _layout(
    name: str | None, evidence: Mapping[str, Any], zone: str | None, zone_origin: str
) -> dict[str, Any]:
    return {
        "layout": name,
        "evidence": evidence,
        "time_zone": zone if zone_origin == "declared" else "UTC",
        "time_zone_origin": zone_origin,
    }


def _added(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
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


def account_of_partition(source_id: str, notes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What was counted of a partition, as chunks' accounts are. notes: of its senders."""
    return {
        "source_id": source_id,
        "number": 0,
        "latest": None,
        "latest_settled": None,
        "settled": add(note["settled"] for note in notes),
        "tail": {},
        "resume_offset": 0,
        "resume_line": 1,
        "units": [],
    }
