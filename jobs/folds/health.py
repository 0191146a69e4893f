"""gold.client_health and gold.open_timers: made anew for touched processes, and looked at as a whole by the job's clock.

Nothing else is written by that clock. What is asked for stands in silver and gold, so this may be done again at any time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from sys import maxsize
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import QueryBuilder

from conf.settings import HealthConf
from expectations import TABLES
from expectations.rows import conformed
from expectations.sql.conditions import one_of, quoted
from jobs.metrics.process_series import series_of_late
from jobs.storage.lake import LakeWriter
from jobs.storage.lake_reads import read_arrow
from jobs.storage.table_cache import open_table
from transforms.arrow_rows import batch_of, dicts_of
from transforms.diagnose.now.client_rows import clients_and_timers, grouped, warned_by_metrics, with_room
from transforms.diagnose.now.health import LASTING, ClientHealth, Windows, as_of, as_row, clients_seen
from transforms.diagnose.now.open_timers import IDLE, POLL, SESSION, OpenTimer, Row
from transforms.timers.samples.binding import NO_METRICS, Bindings

HEALTH, TIMERS = "gold.client_health", "gold.open_timers"
# More processes than this are not named in a query: all are read, and the others passed over.
MOST_NAMED = 500
MINUTE_MS = 60_000

SEEN = [
    "unit_id", "client_id", "service", "instance", "client_kind", "client_version", "client_library", "group_id",
    "message_id", "happened_at",
]  # fmt: skip
# Of a process with more clients those heard of last, and what names none.
_EVENTS = f"""
    WITH heard AS (
        SELECT unit_id AS of_unit, client_id AS of_client, row_number() OVER (
            PARTITION BY unit_id ORDER BY max(happened_at) DESC NULLS LAST, client_id
        ) AS place
        FROM client_events WHERE client_id IS NOT NULL AND {{units}} GROUP BY unit_id, client_id
    )
    SELECT {", ".join(SEEN[:-1])}, max(happened_at) AS happened_at
    FROM client_events LEFT JOIN heard ON unit_id = of_unit AND client_id = of_client
    WHERE {{units}} AND (client_id IS NULL OR place <= {{most_clients}}) GROUP BY {", ".join(SEEN[:-1])}
"""
_OPEN = "SELECT * FROM {table} WHERE outcome = 'open' AND {units}"
# Waits are many and short: only those near the end of their process's log may still run, and of each sequence the last. The
# machine's bounds decide.
WAITS_MS = 10 * MINUTE_MS
_WAITS = """
    WITH near AS (
        SELECT unit_id, client_id, service, instance, sequence_id, subject, failures, failed_at, sent_at, waited_ms,
            shortest_ms, longest_ms, retry_backoff_max_ms
        FROM backoff_attempts WHERE {units} AND failed_at >= to_timestamp_millis({since})
    ), last AS (SELECT sequence_id AS of_sequence, max(failures) AS most FROM near GROUP BY sequence_id)
    SELECT near.* FROM near JOIN last ON sequence_id = of_sequence AND failures = most WHERE sent_at IS NULL
"""
_LIMITS = f"""
    SELECT unit_id, client_id, name, value, origin FROM client_settings
    WHERE name IN ('{POLL}', '{SESSION}', '{IDLE}') AND until_at IS NULL AND {{units}}
"""
_BROKEN = """
    SELECT unit_id, client_id, category, violation_id, explanation, first_at, last_at FROM violations
    WHERE category = 'broken_semantics' AND {units}
"""
_COUNTS = "SELECT unit_id, client_id, count(*) AS number FROM violations WHERE {units} GROUP BY 1, 2"
_INCIDENTS = f"""
    SELECT unit_id, incident_id, kind, title, verdict, impact, started_at, ended_at, client_ids FROM incidents
    WHERE (ended_at IS NULL OR kind IN ({", ".join(map(quoted, sorted(LASTING)))})) AND verdict <> 'benign' AND {{units}}
"""


def write_health(
    lake: LakeWriter,
    touched: Sequence[str],
    conf: HealthConf,
    now: int,
    evidence: Bindings = NO_METRICS,
    added: pa.Table | None = None,
    most_clients: int = maxsize,
) -> dict[str, bool]:
    """Make the health of touched processes anew, look at all by the job's clock (ms), and write what differs.

    evidence: whose samples are whose. added: events of silver.client_events that are new to some of these processes, which
    lost none: what older ones say of their clients is told by the health that stands. Of others all events are asked for.
    most_clients: of a process with more those heard of last have a row.
    Gives for each table whether it changed; where nothing did, nothing is written. Done twice, it changes nothing more.
    """
    windows = Windows(
        conf.recent_minutes * MINUTE_MS, conf.silent_minutes * MINUTE_MS, conf.still_minutes * MINUTE_MS
    )
    clients_before = [ClientHealth(**row) for row in _rows_of(lake, HEALTH, ClientHealth)]
    timers_before = [OpenTimer(**row) for row in _rows_of(lake, TIMERS, OpenTimer)]
    anew = set(touched)
    clients: list[ClientHealth] = []
    timers: list[OpenTimer] = []
    if touched:
        events = _events(lake, touched, clients_before, added, most_clients)
        clients, timers = _made(lake, touched, windows, evidence, events)
    clients += [replace(row) for row in clients_before if row.unit_id not in anew]
    timers += [row for row in timers_before if row.unit_id not in anew]
    of_client = grouped(timers, lambda timer: (timer.unit_id, timer.client_id))
    for client in clients:
        as_of(client, of_client.get((client.unit_id, client.client_id), []), now, windows)
    return {
        HEALTH: _put(lake, HEALTH, clients_before, clients, now),
        TIMERS: _put(lake, TIMERS, timers_before, timers, now),
    }


def _made(
    lake: LakeWriter,
    touched: Sequence[str],
    windows: Windows,
    evidence: Bindings,
    events: Sequence[Row],
) -> tuple[list[ClientHealth], list[OpenTimer]]:
    """events: as `clients_seen` wants them."""
    seen_of = grouped(clients_seen(events), lambda one: one.unit_id)
    kept = frozenset((one.unit_id, one.client_id) for of_unit in seen_of.values() for one in of_unit)
    clocks: dict[str, int] = {}
    for row in events:
        if row["happened_at"] is not None:
            clocks[row["unit_id"]] = max(clocks.get(row["unit_id"], 0), row["happened_at"])
    ask = _Asker(lake, touched, kept)
    since = min(clocks.values(), default=0) - WAITS_MS
    of_unit = {
        name: grouped(ask(sql, table, since=since), lambda row: row["unit_id"])
        for name, sql, table in (
            ("tasks", _OPEN, "silver.task_timers"),
            ("batches", _OPEN, "silver.batch_lifetimes"),
            ("sessions", _OPEN, "silver.liveness_sessions"),
            ("attempts", _WAITS, "silver.backoff_attempts"),
            ("limits", _LIMITS, "silver.client_settings"),
            ("broken", _BROKEN, "gold.violations"),
            ("counts", _COUNTS, "gold.violations"),
            ("incidents", _INCIDENTS, "gold.incidents"),
        )
    }
    looked_at = series_of_late(lake, evidence.of(clocks), clocks)
    clients: list[ClientHealth] = []
    timers: list[OpenTimer] = []
    for unit_id, seen in seen_of.items():
        rows = {name: found.get(unit_id, []) for name, found in of_unit.items()}
        by_metrics = warned_by_metrics(looked_at.get(unit_id, ()), rows, clocks.get(unit_id), windows)
        of_clients, of_timers = clients_and_timers(seen, rows, clocks.get(unit_id), windows, by_metrics)
        clients += of_clients
        timers += of_timers
    return clients, timers


def _events(
    lake: LakeWriter,
    touched: Sequence[str],
    before: Sequence[ClientHealth],
    added: pa.Table | None,
    most_clients: int,
) -> list[Row]:
    """What was seen of the clients, as `clients_seen` wants it."""
    known = with_room(before, added, most_clients) if added is not None else frozenset()
    whole = [unit_id for unit_id in touched if unit_id not in known]
    events: list[Row] = []
    if whole:
        events += _Asker(lake, whole)(_EVENTS, "silver.client_events", most_clients=most_clients)
    if added is not None:
        names = [name for name in SEEN if name != "happened_at"]
        of_known = added.filter(pc.is_in(added["unit_id"], pa.array(sorted(known), pa.string())))
        counted = of_known.select(SEEN).group_by(names).aggregate([("happened_at", "max")])
        events += dicts_of(counted.rename_columns([*names, "happened_at"]).to_reader())
    return events + [as_row(one) for one in before if one.unit_id in known]


class _Asker:
    """Questions about the touched processes, by DataFusion: it aggregates millions of events in little memory."""

    def __init__(
        self, lake: LakeWriter, touched: Sequence[str], clients: frozenset[tuple[str, str]] | None = None
    ) -> None:
        """clients: whose rows are wanted, by process, and those that name none; None for all."""
        self._lake, self._touched, self._clients = lake, frozenset(touched), clients
        self._units = one_of("unit_id", sorted(self._touched)) if len(touched) <= MOST_NAMED else "true"

    def __call__(self, sql: str, table: str, **values: int) -> Iterator[Row]:
        if self._lake.is_empty(table):  # to plan a question takes longer than to answer it
            return iter(())
        name = table.split(".")[1]
        builder = QueryBuilder()
        builder.register(name, open_table(self._lake.path(table)).table)
        found = builder.execute(sql.format(units=self._units, table=name, **values))
        return filter(self._is_wanted, dicts_of(pa.RecordBatchReader.from_stream(found)))

    def _is_wanted(self, row: Row) -> bool:
        unit_id = row["unit_id"]
        if unit_id not in self._touched:
            return False
        client_ids = row["client_ids"] if "client_ids" in row else [row["client_id"]]
        return self._clients is None or any(
            one is None or (unit_id, one) in self._clients for one in client_ids
        )


def _put(lake: LakeWriter, table: str, before: Sequence[Any], after: Sequence[Any], now: int) -> bool:
    """Replace the rows of the processes whose rows differ; false where none do."""
    keys = [name for name in TABLES[table].key if name != "unit_id"]
    in_order = [sorted(rows, key=attrgetter(*keys)) for rows in (before, after)]
    stood, stands = (grouped(rows, attrgetter("unit_id")) for rows in in_order)
    changed = [unit for unit in {*stood, *stands} if stood.get(unit) != stands.get(unit)]
    if not changed:
        return False
    everything = len(changed) > MOST_NAMED or not stood
    rows = after if everything else [row for unit in changed for row in stands.get(unit, [])]
    predicate = None if everything else one_of("unit_id", sorted(changed))
    lake.overwrite(_arrow_table(table, rows, now), table, predicate)
    return True


def _arrow_table(table: str, rows: Sequence[Any], now: int) -> pa.Table:
    schema = TABLES[table].arrow_schema()
    if not rows:
        return schema.empty_table()
    own = pa.schema([schema.field(column.name) for column in fields(rows[0])])
    return pa.Table.from_batches([conformed(batch_of(own, rows), schema, {"checked_at": now})])


def _rows_of(lake: LakeWriter, table: str, kind: type) -> Iterator[dict[str, Any]]:
    return dicts_of(read_arrow(lake.path(table), [column.name for column in fields(kind)]).to_reader())
