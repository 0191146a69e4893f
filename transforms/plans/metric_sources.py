"""What files of metrics turned out to be: sources read for the first time, grown, under another name, or copies."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import pyarrow as pa
import pyarrow.compute as pc

from transforms.arrow_rows import with_columns
from transforms.parse.metrics.reading import Mark, MetricFile
from transforms.plans.chunks import Listed
from transforms.plans.copies import state_of
from transforms.plans.identity import own_ids
from transforms.plans.source_state import COLUMNS, Copies, SourceState, renamed

# The first bytes of a path's file; None where it is gone.
HeadOf = Callable[[str], bytes | None]


def clients_in(source: SourceState) -> list[tuple[str, str, list[str]]]:
    """Unit, service and clients of a source's samples."""
    return [(unit, service, names) for unit, service, names in (source.metrics or {}).get("clients", ())]


@dataclass(frozen=True, slots=True)
class MetricFileNote:
    """What a task says of the file it read. bytes_read: decompressed. clients: in each unit of a service.

    key: the id in the lake of the source that it went on with, from the offset `begin`.
    """

    path: str
    source_id: str
    unit_id: str
    bytes_read: int
    clients: list[tuple[str, str, list[str]]]
    superseded: list[str]
    key: str | None = None
    begin: int = 0


@dataclass(frozen=True, slots=True)
class Sources:
    """What a run's files turned out to be. ids: source_id by path, of those that are no copies of another.

    begins: by source_id, the offset from which on its rows give way. clients: as of MetricFileNote. file_units: the units
    that files are, by their names or conf. copies: paths, by the source_id that they are other names of.
    """

    ids: Mapping[str, str]
    begins: Mapping[str, int]
    clients: Sequence[tuple[str, str, list[str]]]
    file_units: frozenset[str]
    copies: Mapping[str, Sequence[str]]

    @property
    def replaced(self) -> frozenset[str]:
        """Sources that rows give way of."""
        return frozenset(self.begins)


def file_to_read(
    listed: Listed,
    known: Iterable[SourceState],
    names: tuple[str, str],
    is_declared: tuple[bool, bool],
    time_zone: str | None,
) -> MetricFile:
    """A file for the task that reads it. known: sources of files. names: service and instance. is_declared: whether
    conf says them. What it may have been before it could be told who it is may have had another name of its process's."""
    before: list[tuple[str, int, str]] = []
    grown: list[tuple[str, int, str, str, Mark]] = []
    of_process = [old for old in known if old.source == listed.path or (old.service, old.instance) == names]
    for old in sorted(of_process, key=lambda old: old.file_changed_ns, reverse=True):
        state = old.metrics or {}
        began = old.source_id, state["prefix_bytes"], state["prefix_digest"]
        if not state["is_settled"]:
            before.append(began)
        elif old.source == listed.path and state.get("mark") and not grown:  # only the newest may have grown
            grown.append((*began, state["identity_id"], state["mark"]))
    return MetricFile(
        listed.path, listed.size, listed.changed_ns, *names, *is_declared, time_zone, before, grown
    )


def distinct_files(
    files: Sequence[MetricFileNote], known: Mapping[str, SourceState], head_of: HeadOf
) -> Sources:
    """Files that go by one id: copies and new names of one source, or processes that began alike.

    The id stays with the file that bore it, else with the first by path. Of copies the longest counts. A file that went on
    otherwise has an id made of that and its path, so that it stays as the file grows.
    """
    ids = {file.path: file.key for file in files if file.key not in (None, file.source_id)}
    alike: dict[str, list[MetricFileNote]] = {}
    for file in sorted((file for file in files if file.path not in ids), key=lambda file: file.path):
        alike.setdefault(file.source_id, []).append(file)

    of_paths = _of_paths(files, known.values())

    def is_there(old: SourceState) -> bool:
        return of_paths[old.source] == _identity_of(old) and head_of(old.source) is not None

    def continues(path: str, other: str) -> bool:
        ours, theirs = head_of(path) or b"", head_of(other) or b""
        return ours.startswith(theirs) or theirs.startswith(ours)

    paths = {source_id: [file.path for file in some] for source_id, some in alike.items()}
    own = own_ids(paths, known, is_there, _own_id, continues)
    others: dict[str, list[str]] = {}
    for source_id, some in alike.items():
        old = known.get(source_id)
        ids |= {file.path: own[file.path] for file in some if own[file.path] != source_id}
        copies = [file for file in some if file.path not in ids]
        longest = max(copies, key=lambda file: file.bytes_read, default=None)
        # What was read before stands where it is as long, unless it is that very file that was read again.
        is_read_again = old is None or any(file.path == old.source for file in copies)
        if longest and (is_read_again or (old and longest.bytes_read > old.bytes_read)):
            ids[longest.path] = source_id
        elif longest and old and not is_there(old) and longest.bytes_read == old.bytes_read:
            ids[longest.path] = source_id  # it has another name now
        if same := [file.path for file in copies if file.path not in ids]:
            others[source_id] = same
    kept = [file for file in files if file.path in ids]
    gone = {
        old
        for file in kept
        for old in file.superseded
        if known[old].source == file.path or not is_there(known[old])
    }
    begins = dict.fromkeys(gone, 0) | {ids[file.path]: file.begin for file in kept}
    clients = [named for file in kept for named in file.clients]
    return Sources(ids, begins, clients, frozenset(file.unit_id for file in kept), others)


def copies_of(
    sources: Sources, known: Mapping[str, SourceState], files: Sequence[Listed], head_of: HeadOf
) -> dict[str, Copies]:
    """The other names of each source that was read or has a new one, as they were when they held nothing more."""
    listed, found = {one.path: one for one in files}, {}
    names = {source_id: path for path, source_id in sources.ids.items()}
    for source_id in names.keys() | sources.copies.keys():
        copies = {path: state_of(listed[path]) for path in sources.copies.get(source_id, ())}
        if (old := known.get(source_id)) is not None:
            stood = {**old.copies, old.source: [old.file_size, old.file_changed_ns]}
            now = names.get(source_id, old.source)
            # Those that were read now are no names of it any more.
            stand = [path for path in stood if path != now and path not in sources.ids]
            copies = {path: stood[path] for path in stand if head_of(path) is not None} | copies
        found[source_id] = copies
    return found


def _of_paths(files: Iterable[MetricFileNote], known: Iterable[SourceState]) -> dict[str, str]:
    """By path who its file is, as it was read last: another may have taken the place of one that was known."""
    read = sorted(known, key=lambda old: old.file_changed_ns)
    return {old.source: _identity_of(old) for old in read} | {file.path: file.source_id for file in files}


def _identity_of(source: SourceState) -> str:
    """What it is known by in its own file, whatever its id in the lake."""
    return str((source.metrics or {}).get("identity_id", source.source_id))


def _own_id(source_id: str, path: str) -> str:
    return sha256(f"{source_id}\x1f{path}".encode()).hexdigest()


def with_ids(ids: Mapping[str, str]) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
    """Gives rows the id of their file; those of copies go."""

    def change(batch: pa.RecordBatch) -> pa.RecordBatch:
        found = pa.array([ids.get(path) for path in batch.column("source").to_pylist()], pa.string())
        return with_columns(batch, {"source_id": found}).filter(pc.is_valid(found))

    return change


def with_copies(copies: Mapping[str, Copies]) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
    """Writes the other names of sources into their accounting."""

    def change(batch: pa.RecordBatch) -> pa.RecordBatch:
        rows = batch.select([*COLUMNS, "state"]).to_pylist()
        states = [renamed(row, copies.get(row["source_id"], {})) for row in rows]
        return with_columns(batch, {"state": pa.array(states, pa.string())})

    return change
