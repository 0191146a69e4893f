"""Rebuilt timers as the pages of one kind ask for them: those of a scope, the worst first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from dashboards.queries.base import Answer, LakeReader, Row
from dashboards.queries.proof import EPISODE_IDS
from dashboards.queries.sql import Order, Where, equal
from expectations import TABLES

TIMERS, BACKOFF = "silver.task_timers", "silver.backoff_attempts"
BATCHES, SESSIONS = "silver.batch_lifetimes", "silver.liveness_sessions"
REBALANCES, EVENTS, SETTINGS = "silver.group_rebalances", "silver.client_events", "silver.client_settings"
# When an episode begins and ends; a wait is where it began.
TIMES = {
    TIMERS: ("started_at", "ended_at"),
    BATCHES: ("created_at", "ended_at"),
    SESSIONS: ("joined_at", "ended_at"),
    BACKOFF: ("failed_at", "failed_at"),
    REBALANCES: ("started_at", "ended_at"),
}
MOST_BEATS = 3_000
MOST_LISTED = 1_000  # the worst of them: a list of more is not read, and costs its page a quarter of a second
TIMEOUT_KINDS = ("task_timeout_start", "task_timeout_continue", "task_timeout_expired")


@dataclass(frozen=True, slots=True)
class Scope:
    """What of the lake is asked for. from_at, to_at: ms; None has no bound. only: the id of one episode."""

    service: str | None = None
    client_id: str | None = None
    from_at: int | None = None
    to_at: int | None = None
    only: str | None = None

    def where(self, table: str) -> list[Where]:
        """As conditions on a table of episodes."""
        found = equal(service=self.service, client_id=self.client_id, **{EPISODE_IDS[table]: self.only})
        if self.from_at is not None or self.to_at is not None:
            start, end = TIMES[table]
            found.append((start, "meets", (end, self.from_at, self.to_at)))
        return found


def clients(lake: LakeReader, table: str) -> list[Row]:
    """The services and clients that a table speaks of: service, client_id, rows."""
    return lake.count_by(table, ["service", "client_id"]).rows


def task_timers(lake: LakeReader, scope: Scope) -> Answer:
    """Timers, the longest stall first; `seen_until` says where an open one stands."""
    order = [("stalled_ms", "descending"), ("timer_id", "ascending")]
    found = with_open(lake, TIMERS, scope.where(TIMERS), order, MOST_LISTED)
    return replace(found, rows=_with_newest(lake, found.rows))


def with_open(lake: LakeReader, table: str, where: Sequence[Where], order: Order, most: int) -> Answer:
    """The first rows of a table in an order; one that is open yet is never left out."""
    found = lake.read(table, None, where, order, most)
    if found.total <= len(found.rows) or "outcome" not in TABLES[table].column_names:
        return found
    known = {row[EPISODE_IDS[table]] for row in found.rows}
    is_open = lake.read(table, None, [*where, ("outcome", "=", "open")]).rows
    return replace(found, rows=found.rows + [row for row in is_open if row[EPISODE_IDS[table]] not in known])


def ended(lake: LakeReader, table: str, scope: Scope) -> dict[str, int]:
    """How many timers or memberships of a scope ended how, those that no list has room for too."""
    where = scope.where(table)
    return {row["outcome"]: row["rows"] for row in lake.count_by(table, ["outcome"], where).rows}


def attempts(lake: LakeReader, timers: Sequence[Row]) -> dict[str, list[int]]:
    """The instants of the timeouts of each timer, by its id: as many as its lines tell of."""
    ids = {event_id for row in timers for event_id in row["event_ids"]}
    events = lake.read(
        EVENTS,
        ["event_id", "happened_at"],
        [*_of_units(timers), ("event_id", "in", sorted(ids)), ("kind", "in", TIMEOUT_KINDS)],
    )
    at = {row["event_id"]: row["happened_at"] for row in events.rows if row["happened_at"] is not None}
    return {
        row["timer_id"]: sorted({at[event_id] for event_id in row["event_ids"] if event_id in at})
        for row in timers
    }


def batches(lake: LakeReader, scope: Scope) -> Answer:
    """Batches, the oldest at their end first."""
    return lake.read(
        BATCHES,
        _listed(BATCHES),
        where=scope.where(BATCHES),
        order=[("age_ms", "descending"), ("batch_id", "ascending")],
        limit=MOST_LISTED,
    )


def batch_outcomes(lake: LakeReader, scope: Scope) -> list[Row]:
    """How many batches and records ended how: outcome, batches, records (of those whose number is known)."""
    columns = ["outcome", "records"]
    return lake.shaped(BATCHES, columns, scope.where(BATCHES), _by_outcome).rows


def sessions(lake: LakeReader, scope: Scope) -> Answer:
    """Memberships, the longest gap between polls first, with the origins of their limits."""
    found = lake.read(
        SESSIONS,
        _listed(SESSIONS),
        where=scope.where(SESSIONS),
        order=[("max_poll_gap_ms", "descending"), ("ended_at", "descending"), ("session_id", "ascending")],
        limit=MOST_LISTED,
    )
    rows = _with_newest(lake, found.rows)
    for column, name, origin in (
        ("max_poll_interval_ms", "max.poll.interval.ms", "poll_origin"),
        ("session_timeout_ms", "session.timeout.ms", "session_origin"),
    ):
        rows = _with_origin(lake, rows, column, name, origin)
    return replace(found, rows=rows)


def rebalances(lake: LakeReader, scope: Scope, groups: Iterable[str | None] | None = None) -> Answer:
    """Rebalances, of these groups or of all, the latest first: those that the service's own logs tell, else anybody's.

    A coordinator's log is often another service's than that of the members; a client has no rebalances of its own.
    """
    wanted: list[Where] = []
    if groups is not None:
        wanted.append(("group_id", "in", sorted(group for group in {*groups} if group)))
    order = [("started_at", "descending"), ("rebalance_id", "ascending")]

    def of(where: Scope) -> Answer:
        conditions = [*where.where(REBALANCES), *wanted]
        return lake.read(REBALANCES, _listed(REBALANCES), conditions, order, MOST_LISTED)

    own = of(replace(scope, client_id=None))
    return own if own.rows or not scope.service else of(replace(scope, client_id=None, service=None))


def beats(lake: LakeReader, members: Sequence[Row], from_at: int, to_at: int) -> Answer:
    """Heartbeats and joins of the processes of these memberships in a window; `total` says whether that is all."""
    if not members:
        return Answer("ok")
    return lake.read(
        EVENTS,
        ["unit_id", "client_id", "group_id", "kind", "happened_at", "generation"],
        [
            *_of_units(members),
            ("kind", "in", ("heartbeat", "joined")),
            ("happened_at", ">=", from_at),
            ("happened_at", "<=", to_at),
        ],
        order=[("happened_at", "ascending")],
        limit=MOST_BEATS,
    )


def findings_of(lake: LakeReader, subject_id: str) -> list[Row]:
    """What rules found of one episode."""
    return lake.by_id("silver.findings", "subject_id", subject_id).rows


def _listed(table: str) -> list[str]:
    """What a list needs of a table: ids of events are long, many, and looked up for one episode alone."""
    return [name for name in TABLES[table].column_names if name != "event_ids"]


def _by_outcome(found: pa.Table) -> pa.Table:
    grouped = found.group_by("outcome").aggregate([([], "count_all"), ("records", "sum")])
    named = grouped.rename_columns(["outcome", "batches", "records"])
    return named.sort_by([("batches", "descending"), ("outcome", "ascending")])


def _newest(found: pa.Table) -> pa.Table:
    return found.group_by("unit_id").aggregate([("happened_at", "max")])


def newest_of(lake: LakeReader, rows: Iterable[Row]) -> dict[str, int]:
    """Of the processes of those rows that are open the newest line, their data clock: unit_id -> ms."""
    is_open = [row for row in rows if row.get("outcome") == "open"]
    if not is_open:
        return {}
    found = lake.shaped(EVENTS, ["unit_id", "happened_at"], _of_units(is_open), _newest).rows
    return {row["unit_id"]: row["happened_at_max"] for row in found if row["happened_at_max"] is not None}


def _with_newest(lake: LakeReader, rows: Sequence[Row]) -> list[Row]:
    """Open episodes with `seen_until`, the newest line of their process."""
    until = newest_of(lake, rows)
    return [
        {**row, "seen_until": until.get(row["unit_id"])} if row["outcome"] == "open" else row for row in rows
    ]


def _with_origin(lake: LakeReader, rows: Sequence[Row], column: str, name: str, origin: str) -> list[Row]:
    """Rows with where the value in `column` came from: the setting of that name and value of the same client."""
    limited = [row for row in rows if row[column] is not None]
    if not limited:
        return list(rows)
    whose = ("unit_id", "incarnation", "client_id")
    where = [*_of_units(limited), ("name", "=", name)]
    settings = lake.read(SETTINGS, [*whose, "value", "origin"], where, [("from_at", "ascending")]).rows
    known = {(*(one[part] for part in whose), one["value"]): one["origin"] for one in settings}
    return [{**row, origin: known.get((*(row[part] for part in whose), str(row[column])))} for row in rows]


def _of_units(rows: Iterable[Mapping[str, object]]) -> list[Where]:
    """Conditions that leave the processes of these rows: the bucket first, it is what files are clustered by."""
    units = {str(row["unit_id"]): row["unit_bucket"] for row in rows}
    return [("unit_bucket", "in", sorted({*units.values()})), ("unit_id", "in", sorted(units))]
