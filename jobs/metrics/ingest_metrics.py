"""From files and topics of metrics, in any format that has a reader, to silver.metric_samples.

A file that grew is read on from its last whole line, others that changed as a whole. The samples of a process are one set,
whoever collected them: of one attribute at one time the first by source and offset stays, so that runs in any order give
the same rows.
"""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from conf.names import unit_names
from conf.settings import Conf
from expectations.place import LakePlace
from expectations.rows import in_batches, staged_schemas
from jobs.engine.choice import Engines
from jobs.engine.row_source import of_table, together
from jobs.engine.staging import Staged
from jobs.inputs.places import open_input
from jobs.metrics import metric_topics
from jobs.metrics.samples import write_samples
from jobs.plans.files import Files
from jobs.plans.known_sources import known_sources
from jobs.storage.lake import LakeWriter
from transforms.parse.metrics.reading import SAMPLES, UNPARSED, MetricFile, Row
from transforms.parse.records.streams import open_source
from transforms.plans.accounting import ACCOUNTING
from transforms.plans.chunks import Listed
from transforms.plans.commit import Commit
from transforms.plans.copies import taken
from transforms.plans.limited import Limited
from transforms.plans.metric_file import read_metrics
from transforms.plans.metric_sources import (
    MetricFileNote,
    Sources,
    clients_in,
    copies_of,
    distinct_files,
    file_to_read,
    with_copies,
    with_ids,
)
from transforms.plans.plan import Plan
from transforms.plans.sample_regions import Region
from transforms.plans.source_state import Copies, SourceState
from transforms.tasks import Note, Put

SOURCE = "metric source"  # a note: what the driver must know of a file that was read


@dataclass(frozen=True, slots=True)
class MetricsRead:
    """What a plan's metrics gave, not yet in the lake. stale: by source_id, the offset from which on its rows in the lake
    give way to it.

    staged: of files, which `sources` tells apart; topics: of messages. folder: where it is, and what is put aside while it
    is written. written: where samples of the lake changed by it. copies: other names, by source_id, of each that was read
    or has a new one.
    """

    staged: Staged
    sources: Sources
    units: list[str]
    stale: Mapping[str, int]
    topics: metric_topics.TopicsRead
    folder: LakePlace
    copies: Mapping[str, Copies]
    written: Region | None = None


def new_files(lake: LakeWriter, files: Sequence[Listed]) -> list[Listed]:
    """Files that no run has read as they are now."""
    known = _of_files(known_sources(lake)).values() if files else ()
    read_before = taken(known, files)
    return [listed for listed in files if listed not in read_before]


def read(engines: Engines, lake: LakeWriter, plan: Plan, conf: Conf, folder: LakePlace) -> MetricsRead:
    """Read of the plan's files what is new, and its messages, into staged rows."""
    everything, head_of = known_sources(lake, plan.accounting), Files(conf).head_of
    known = _of_files(everything)
    tasks = [(_task(listed, known.values(), conf).dump(), listed.size) for listed in plan.metrics]
    schemas = staged_schemas((SAMPLES, UNPARSED, ACCOUNTING))
    staged = lake.engine.run(tasks, _reading, schemas, folder)
    sources = distinct_files(
        [MetricFileNote(**json.loads(text)) for text in staged.notes.get(SOURCE, ())], known, head_of
    )
    stale = {old: begin for old, begin in sources.begins.items() if old in known}
    stood = {unit for old in stale for unit, *_ in clients_in(known[old])}
    topics = metric_topics.read(engines, plan, everything, conf, folder)
    clients = [*sources.clients, *topics.clients]
    sources = replace(sources, clients=clients, file_units=sources.file_units | topics.units)
    units = sorted(stood.union(unit for unit, *_ in clients))
    copies = copies_of(sources, known, plan.metrics, head_of)
    return MetricsRead(staged, sources, units, stale, topics, folder, copies)


def write(lake: LakeWriter, found: MetricsRead, commit: Commit) -> MetricsRead:
    """Samples, and pieces that nobody understood, in the place of what stood there; gives the same, written.

    Accounting comes last (write_accounting): until then a run that was cut off reads the same files again.
    """
    staged, named, changed = found.staged, with_ids(found.sources.ids), None
    samples, pieces = (
        together([staged.of(table).through(named, staged.schemas[table]), found.topics.staged.of(table)])
        for table in (SAMPLES, UNPARSED)
    )
    if found.units:
        folder = found.folder / "parts"
        changed = write_samples(lake, samples, found.units, found.stale, commit, folder)
    if begins := {**found.sources.begins, **found.topics.begins}:
        lake.replace_from(pieces, UNPARSED, begins, commit, ingested_at=int(time.time() * 1000))
    return replace(found, written=changed)


def write_accounting(lake: LakeWriter, found: MetricsRead, commit: Commit) -> None:
    """The accounting of every file that was read, with its copies: they are not read again."""
    staged, replaced = found.staged, found.sources.replaced
    schema = staged.schemas[ACCOUNTING]
    accounts = [staged.of(ACCOUNTING).through(with_ids(found.sources.ids), schema)]
    if standing := sorted(found.copies.keys() - replaced):
        accounts.append(of_table(lake.rows(ACCOUNTING, "source_id", standing).table()))
    if of := sorted({*replaced, *standing}):
        rows = together(accounts).through(with_copies(found.copies), schema)
        lake.replace(rows, ACCOUNTING, of, commit, run_id=commit.run_id)


def _of_files(everything: Mapping[str, SourceState]) -> dict[str, SourceState]:
    return {key: source for key, source in everything.items() if source.is_metrics and not source.is_of_topic}


def _task(listed: Listed, known: Iterable[SourceState], conf: Conf) -> MetricFile:
    hint = conf.hint_for(listed.path)
    names = unit_names(listed.path, hint)
    return file_to_read(listed, known, names, (bool(hint.service), bool(hint.instance)), hint.time_zone)


def read_file(file: MetricFile) -> Iterator[Row | MetricFileNote]:
    """See read_metrics. What is appended to the file meanwhile belongs to the next run."""
    with open_input(file.path) as opened:
        yield from read_metrics(file, open_source(Limited(opened, file.size)))


def _reading(files: Iterator[str]) -> Put:
    notes: list[Note] = []

    def rows() -> Iterator[tuple[str, Any]]:
        for text in files:
            for made in read_file(MetricFile.load(text)):
                if isinstance(made, MetricFileNote):
                    notes.append(Note(SOURCE, json.dumps(asdict(made))))
                else:
                    yield made

    yield from in_batches(rows())
    yield from notes
