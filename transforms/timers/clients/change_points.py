"""What is known of a process from which place on: its start, its client's version, the limit of a task's timer.

All of it follows from a unit's control events. What these tell is few points: from such a place on in the unit's order this
holds. The events themselves pass by the points batch by batch.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from transforms.arrow_rows import column, columns_of, python_column, with_columns
from transforms.events import JAVA, ClientEvent
from transforms.timers.clients.clients import SAYS_VERSION
from transforms.timers.clients.control import NEEDS_LIMIT
from transforms.timers.clients.settings import UnitSettings, timer_kind_and_elapsed
from transforms.timers.clients.versions import named

ORDER = ("unit_id", "ordered_at", "source_id", "position", "event_id")
Numbers = npt.NDArray[np.int64]
# An event's place in its unit's order, as ClientEvent.order.
Place = tuple[int, str, int, str]


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """From this place on in a unit's order: its start and version; or, of a client, thread and task, its timer's limit."""

    unit_id: str
    place: Place
    incarnation: int = 0
    client_version: str | None = None
    of: tuple[str | None, ...] = ()
    limit_ms: int | None = None

    def dump(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))


def change_point_from(text: str) -> ChangePoint:
    """From what dump() gave."""
    values = json.loads(text)
    return ChangePoint(**{**values, "place": tuple(values["place"]), "of": tuple(values["of"])})


def change_points(control: Iterable[ClientEvent], settings: UnitSettings) -> Iterator[ChangePoint]:
    """Where something new begins: the process's start or version, the limit of a task's timer."""
    latest: tuple[int, str | None] | None = None
    limits: dict[tuple[str | None, ...], int | None] = {}
    for event in control:
        if event.kind == NEEDS_LIMIT:
            of = (event.client_id, event.thread, event.task_id)
            limit = settings.profile_of(event).whole("task.timeout.ms")
            limit_ms = None if limit is None else limit.ms
            if of not in limits or limits[of] != limit_ms:
                yield ChangePoint(event.unit_id, event.order, of=of, limit_ms=limit_ms)
            limits[of] = limit_ms
            continue
        incarnation = settings.incarnation_of(event)
        if event.client_library == JAVA:
            version = settings.version_of(event)
            now = incarnation, None if version is None else named(version)
        else:  # it says nothing of Java's clients in the same process
            now = incarnation, latest[1] if latest is not None and latest[0] == incarnation else None
        if now != latest:
            yield ChangePoint(event.unit_id, event.order, *now)
        latest = now


def with_change_points(points: Sequence[ChangePoint]) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
    """Gives events what holds in their place: the last point at or before it, of starts and versions else the first."""
    spans: dict[str, list[ChangePoint]] = {}
    limits: dict[tuple[str | None, ...], list[ChangePoint]] = {}
    for point in sorted(points, key=lambda point: point.place):
        if point.of:
            limits.setdefault((point.unit_id, *point.of), []).append(point)
        else:
            spans.setdefault(point.unit_id, []).append(point)

    def change(batch: pa.RecordBatch) -> pa.RecordBatch:
        return _with_limits(_with_spans(batch, spans), limits)

    return change


def _with_spans(batch: pa.RecordBatch, spans: Mapping[str, Sequence[ChangePoint]]) -> pa.RecordBatch:
    of_unit = batch.column("unit_id").dictionary_encode()
    codes = of_unit.indices.to_numpy()
    by_unit = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    points: list[ChangePoint] = []
    found = np.zeros(batch.num_rows, np.int64)
    for unit_id, rows in zip(of_unit.dictionary.to_pylist(), by_unit, strict=True):
        of = spans.get(unit_id, [ChangePoint(unit_id, (0, "", 0, ""))])
        found[rows] = len(points) + _latest(of, batch, rows)
        points += of
    held = {
        name: column(values, batch.column(name).type).take(pa.array(found))
        for name, values in columns_of(points, ("incarnation", "client_version")).items()
    }
    # What a line says itself stays with it: of several versions of a process it is known by that line alone.
    said, version = batch.column("client_version"), held["client_version"]
    is_java = pc.equal(batch.column("client_library"), JAVA)
    says = pc.is_in(batch.column("message_id"), pa.array(SAYS_VERSION))
    version = pc.if_else(is_java, pc.coalesce(pc.if_else(says, said, None), version), said)
    return with_columns(batch, held | {"client_version": version})


def _latest(points: Sequence[ChangePoint], batch: pa.RecordBatch, rows: Numbers) -> Numbers:
    """For each of these rows the number of the last point at or before it, else of the first.

    The time alone tells, but for rows of the very time of a point.
    """
    if len(points) == 1:
        return np.zeros(len(rows), np.int64)
    ordered = pc.fill_null(batch.column("ordered_at").cast(pa.int64()), 0).to_numpy()[rows] // 1000
    times = [point.place[0] for point in points]
    found = np.searchsorted(times, ordered)
    is_tied = found != np.searchsorted(times, ordered, side="right")
    if is_tied.any():
        places = places_of(batch.select(ORDER).take(pa.array(rows[is_tied])))
        found[is_tied] = [bisect_right(points, place, key=lambda point: point.place) for place in places]
    latest: Numbers = np.maximum(found - 1, 0)
    return latest


def _with_limits(
    batch: pa.RecordBatch, limits: Mapping[tuple[str | None, ...], Sequence[ChangePoint]]
) -> pa.RecordBatch:
    """Task timers' lines say what is left; with the limit, how far the timer is and whether it just began."""
    is_timer = pc.equal(batch.column("kind"), NEEDS_LIMIT)
    timers = batch.filter(is_timer) if limits else batch[:0]
    if not timers.num_rows:
        return batch
    columns = {name: timers.column(name).to_pylist() for name in ("kind", "limit_ms", "elapsed_ms")}
    subjects = zip(
        *(timers.column(name).to_pylist() for name in ("unit_id", "client_id", "thread", "task_id")),
        strict=True,
    )
    remaining = timers.column("remaining_ms").to_pylist()
    for number, (of, place) in enumerate(zip(subjects, places_of(timers), strict=True)):
        left, points = remaining[number], limits.get(of)
        limit_ms = _at(points, place).limit_ms if left is not None and points else None
        if left is not None and limit_ms is not None:
            columns["kind"][number], columns["elapsed_ms"][number] = timer_kind_and_elapsed(limit_ms, left)
            columns["limit_ms"][number] = limit_ms
    return with_columns(
        batch,
        {
            name: pc.replace_with_mask(batch.column(name), is_timer, column(values, batch.column(name).type))
            for name, values in columns.items()
        },
    )


def _at(points: Sequence[ChangePoint], place: Place) -> ChangePoint:
    return points[max(0, bisect_right(points, place, key=lambda point: point.place) - 1)]


def places_of(batch: pa.RecordBatch | pa.Table) -> Iterator[Place]:
    """Each event's place in its unit's order, as ClientEvent.order."""
    ordered, *rest = (python_column(batch.column(name)) for name in ORDER[1:])
    return zip((at or 0 for at in ordered), *rest, strict=True)
