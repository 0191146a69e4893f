"""The clients and running timers of a process, of rows of its tables."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import pyarrow as pa

from transforms.diagnose.now.health import ClientHealth, Seen, Windows, health_of
from transforms.diagnose.now.metric_warnings import metric_warnings
from transforms.diagnose.now.open_timers import IDLE, POLL, OpenTimer, Row, open_timers
from transforms.diagnose.now.standstill import standstills
from transforms.timers.samples.series import Series

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def warned_by_metrics(
    series: Sequence[Series], rows: Mapping[str, list[Row]], clock: int | None, windows: Windows
) -> dict[str, list[str]]:
    """What the samples of one process warn of, by client."""
    warnings = metric_warnings(series, window_ms=windows.still_ms, data_clock=clock)
    idles = [int(row["value"]) for row in rows["limits"] if row["name"] == IDLE and row["value"].isdecimal()]
    timed = frozenset(row["thread"] for row in rows["tasks"] if row["thread"] is not None)
    found = standstills(
        series, timed=timed, still_ms=windows.still_ms, idle_ms=max(idles, default=None), data_clock=clock
    )
    for one in found:
        warnings.setdefault(one.client_id, []).append(one.told)
    return warnings


def with_room(before: Iterable[ClientHealth], added: pa.Table, most_clients: int) -> frozenset[str]:
    """The processes of these events of which every client has a row, or has room for one."""
    pairs = added.select(["unit_id", "client_id"]).group_by(["unit_id", "client_id"]).aggregate([])
    clients: dict[str, set[str | None]] = {unit_id: set() for unit_id in pairs["unit_id"].to_pylist()}
    for unit_id, client_id in zip(pairs["unit_id"].to_pylist(), pairs["client_id"].to_pylist(), strict=True):
        clients[unit_id].add(client_id)
    for one in before:
        if one.unit_id in clients:
            clients[one.unit_id].add(one.client_id)
    return frozenset(unit_id for unit_id, of_unit in clients.items() if len(of_unit - {None}) <= most_clients)


def clients_and_timers(
    seen: Sequence[Seen],
    rows: Mapping[str, list[Row]],
    clock: int | None,
    windows: Windows,
    by_metrics: Mapping[str, Sequence[str]],
) -> tuple[list[ClientHealth], list[OpenTimer]]:
    """The clients and running timers of one process."""
    limits = {
        (row["client_id"], row["name"]): (int(row["value"]), row["origin"])
        for row in rows["limits"]
        if row["value"].isdecimal()
    }
    episodes = {name: rows[name] for name in ("tasks", "batches", "sessions", "attempts")}
    closed = {one.client_id for one in seen if one.closed_at is not None}
    timers = [] if clock is None else open_timers(**episodes, limits=limits, data_clock=clock)
    timers = [timer for timer in timers if timer.client_id not in closed]
    of_client = {
        name: grouped(rows[name], lambda row: row["client_id"]) for name in ("sessions", "broken", "counts")
    }
    timers_of = grouped(timers, lambda timer: timer.client_id)
    incidents_of: dict[str, list[Row]] = {}
    for incident in rows["incidents"]:
        for client_id in incident["client_ids"]:
            incidents_of.setdefault(client_id, []).append(incident)
    clients = [
        health_of(
            one,
            timers=timers_of.get(one.client_id, []),
            sessions=of_client["sessions"].get(one.client_id, []),
            broken=of_client["broken"].get(one.client_id, []),
            violations=sum(row["number"] for row in of_client["counts"].get(one.client_id, [])),
            incidents=incidents_of.get(one.client_id, []),
            data_clock=clock,
            poll_limit_origin=limits.get((one.client_id, POLL), (0, None))[1],
            windows=windows,
            by_metrics=by_metrics.get(one.client_id, ()),
        )
        for one in seen
    ]
    return clients, timers


def grouped(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Rows by what the key says of them."""
    groups: dict[K, list[T]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups
