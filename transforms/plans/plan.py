"""What a run will read, decided before anything is read: chunks of sources, kept in the lake until the run is over.

A crash repeats the plan that it finds; nothing else decides what is new.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from transforms.parse.layouts.layout import unread_layout
from transforms.plans.chunks import Chunk, Listed, Probe, chunks_of, source_of_file
from transforms.plans.commit import Commit
from transforms.plans.identity import Contents
from transforms.plans.source_state import Copies, SourceState
from transforms.plans.topics import TopicPlan

# Files of one plan: what a run holds of each bounds its memory, whatever their number.
MOST_FILES = 8_000


@dataclass(slots=True)
class Plan:
    """One run's input.

    commit: the number its writes go under. sources: what is known of each source, chunks or none. superseded:
    sources whose rows go (they grew out of a fingerprint that was shorter than a KiB), and their units; after a plan that
    was lost all units. metrics: files of metrics to read. topics: what is taken of each; begins: once they are read, from
    where on their origins' rows are replaced. lateness_ms: older events are put aside; None for none. late: files of such
    events to fold in. versions: of tables when it was made, by name: what is new is told by them, also where the plan is
    carried out again. The states' is 0 where none is to be trusted, as after a plan that was lost. planned_at: ms, before
    all that is written. waits: whether what stands open of a topic's origin is waited for. flushed: origins whose time is
    up. code: what judges. accounting: its version when it was made: what it said is what it goes on from, also where the
    plan is carried out again after its own accounting was written. reordered: sources whose late lines were put in order
    while they were read. grown: of a source the superseded ones that it grew out of.
    """

    commit: Commit
    chunks: list[Chunk] = field(default_factory=list)
    sources: dict[str, SourceState] = field(default_factory=dict)
    superseded: list[str] = field(default_factory=list)
    superseded_units: list[str] = field(default_factory=list)
    metrics: list[Listed] = field(default_factory=list)
    topics: list[TopicPlan] = field(default_factory=list)
    begins: dict[str, int] = field(default_factory=dict)
    lateness_ms: int | None = None
    late: list[str] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=dict)
    planned_at: int = 0
    waits: bool = False
    flushed: list[str] = field(default_factory=list)
    code: str = ""
    accounting: int = 0
    reordered: list[str] = field(default_factory=list)
    grown: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read of logs, and nothing to drop or to rebuild."""
        topics = [topic for topic in self.topics if not topic.is_metrics]
        gone = self.superseded or self.superseded_units
        return not (self.chunks or gone or topics or self.late or self.flushed)

    def leave_out(self, source_ids: Collection[str]) -> None:
        """Without these sources, as their files are gone: what stands of them, and of what they grew out of, stays."""
        self.chunks = [chunk for chunk in self.chunks if chunk.source_id not in source_ids]
        for source_id in source_ids:
            del self.sources[source_id]
            kept = self.grown.pop(source_id, ())
            self.superseded = [one for one in self.superseded if one not in kept]

    def leave_out_gone(
        self, went: Iterable[tuple[str, int, str]], accounts: Sequence[Mapping[str, Any]]
    ) -> list[Mapping[str, Any]]:
        """Without sources whose files went before they were opened, or had others in their place: what stands of them stays
        as it is. One that this befell while it was read counts up to there; the next run reads on from there.

        went: source, chunk and what it was. accounts: of chunks that were read. Gives those that count.
        """
        gone: dict[str, tuple[int, str]] = {}
        for source_id, number, problem in went:
            gone[source_id] = min(gone.get(source_id, (number, problem)), (number, problem))
        begun = {account["source_id"] for account in accounts}
        for source_id in begun.intersection(gone):
            self.sources[source_id] = replace(self.sources[source_id], status=gone[source_id][1])
        self.leave_out(gone.keys() - begun)
        most = {source_id: number for source_id, (number, _) in gone.items()}
        return [one for one in accounts if one["number"] < most.get(one["source_id"], one["number"] + 1)]

    def number_lines(self, source_ids: Collection[str], newlines: Mapping[tuple[str, int], int]) -> None:
        """Number the first line of every chunk of these sources. newlines: by source and number of the chunk."""
        line: dict[str, int] = {}
        numbered = []
        for chunk in self.chunks:
            if chunk.source_id in source_ids:
                first = line.get(chunk.source_id, chunk.first_line)
                line[chunk.source_id] = first + newlines.get((chunk.source_id, chunk.number), 0)
                chunk = replace(chunk, first_line=first)
            numbered.append(chunk)
        self.chunks = numbered


def empty_probe(path: str) -> Probe:
    """An empty file: a source without a fingerprint, until it holds something."""
    return Probe(path, sha256(f"empty\x1f{path}".encode()).hexdigest(), 0, False, {})


@dataclass(frozen=True, slots=True)
class Portion:
    """What one plan takes of the files that have something new, and what it leaves: bytes, and files, cut ones too."""

    files: list[Listed]
    left_bytes: int = 0
    left_files: int = 0


def within(
    files: Sequence[Listed],
    by_path: Mapping[str, SourceState],
    most_bytes: int | None,
    put_off: Collection[str] = (),
    *,
    is_encoded: Callable[[str], bool],
) -> Portion:
    """As much of the files as a trigger takes, those first that were written to longest ago.

    The last one is cut where the limit is, as if it were no longer yet; a compressed file is taken whole. put_off: paths
    that come last and are not waited for, as what can't be read would keep the others out. is_encoded: whether the file of a
    path can't be read from its middle.
    """
    taken: list[Listed] = []
    budget, left_bytes, left_files = most_bytes, 0, 0
    for listed in sorted(files, key=lambda one: (one.path in put_off, one.changed_ns, one.path)):
        known = by_path.get(listed.path)
        begin = known.resume_offset if known and known.resume_offset <= listed.size else 0
        size = listed.size - begin
        if len(taken) == MOST_FILES or (budget is not None and budget <= 0):
            left_bytes += size
            left_files += listed.path not in put_off
        elif budget is None or size <= budget or (known.is_encoded if known else is_encoded(listed.path)):
            taken.append(listed)
            budget = None if budget is None else budget - size
        else:
            # Beyond what was read, so that every trigger gets on, whatever the length of the record that is open.
            end = min(listed.size, max(begin, known.bytes_read if known else 0) + budget)
            taken.append(replace(listed, size=end))
            left_bytes += listed.size - end
            left_files += 1
            budget = 0
    return Portion(taken, left_bytes, left_files)


def make_plan(
    commit: Commit,
    files: Sequence[Listed],
    probes: Sequence[Probe],
    copies: Mapping[str, Copies],
    grown: Mapping[str, list[str]],
    known: Mapping[str, SourceState],
    contents: Contents,
    chunk_bytes: int,
) -> Plan:
    """Cut what is new in the probed files into chunks. Pure: same input, same plan.

    probes: one of each source. contents: what files hold.
    copies: by source_id, its other names (transforms.plans.copies). grown: what sources grew
    out of, whose rows go (transforms.plans.identity).
    """
    gone = [one for olds in grown.values() for one in olds]
    units = [known[one].unit_id for one in gone]
    plan = Plan(commit, superseded=gone, superseded_units=units, grown=dict(grown))
    listed_as = {listed.path: listed for listed in files}
    for probe in probes:
        source_id, old = probe.source_id, known.get(probe.source_id)
        names = contents.names_of(probe.path)
        source = source_of_file(probe, listed_as[probe.path], old, copies.get(source_id, {}), names)
        plan.sources[source_id] = source
        plan.chunks += chunks_of(probe, source, old, chunk_bytes)
    return plan


def touched_units(accounts: Sequence[Mapping[str, Any]], plan: Plan) -> list[str]:
    """Units that have new rows, or lose some."""
    found = {unit_id for account in accounts for unit_id in account["units"]}
    return sorted(found | set(plan.superseded_units))


def quarantine(plan: Plan, source_ids: Collection[str]) -> None:
    """Sources that end their reader are counted as one piece each from where they would have been read on."""
    layout = unread_layout().dump()
    begin = {
        chunk.source_id: chunk for chunk in plan.chunks if chunk.source_id in source_ids and chunk.number == 0
    }
    others = [chunk for chunk in plan.chunks if chunk.source_id not in source_ids]
    plan.chunks = others + [replace(chunk, end=None, layout=layout) for chunk in begin.values()]
    for source_id in source_ids:
        plan.sources[source_id] = replace(plan.sources[source_id], layout=layout)
