"""Backoff as its page asks for it: sequences of retries summed up, the waits of one client, retries over time."""

import pyarrow as pa
import pyarrow.compute as pc

from dashboards.queries.base import Answer, LakeReader, Row, Worst
from dashboards.queries.episodes import BACKOFF, MOST_LISTED, Scope
from dashboards.queries.sql import Where
from transforms.episodes.backoff import GRAIN_MS

MOST_WAITS = 1_500
FIRST = 40
MOST_BINS = 240
MOST_CLIENTS = 6
OTHERS = "other clients"
# Those with the most waits that are shorter than legal: counted by the reader, which reads of the others no more than that.
_WORST = Worst("sequence_id", ("waited_ms", "shortest_ms", GRAIN_MS), MOST_LISTED)
_WHOSE = ["unit_id", "client_id", "service", "instance", "api", "subject"]
_BINS_MS = (1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 86_400_000)


def sequences(lake: LakeReader, scope: Scope) -> Answer:
    """The retries of one thing, summed up: the one with the most waits shorter than legal first, then the longest.

    Columns: those that say whose it is, retries, failures (the last wait's), first_at, last_at, shortest_waited_ms and
    longest_waited_ms, short (waits below their legal bound), bounded (waits whose bounds are known), upper (waits only known
    to be at most so long), least_ms and most_ms (the legal bounds over all), is_static, and the settings.
    """
    columns = [
        "sequence_id", *_WHOSE, "failures", "failed_at", "waited_ms", "is_lower_bound", "shortest_ms", "longest_ms",
        "retry_backoff_ms", "retry_backoff_max_ms",
    ]  # fmt: skip
    found = lake.shaped(BACKOFF, columns, scope.where(BACKOFF), _sequences, _WORST)
    return Answer(found.state, found.rows, _of_all(found), found.problem)


def of_client(lake: LakeReader, sequence: Row, scope: Scope) -> Answer:
    """The waits of the client and request that a sequence is of; of more than 1,500 the extremes of each step.

    `total` counts all of them.
    """
    where: list[Where] = [
        *scope.where(BACKOFF),
        *((name, *_is(sequence[name])) for name in ("unit_id", "client_id", "api")),
    ]
    columns = [
        "sequence_id", "api", "subject", "failures", "failed_at", "sent_at", "waited_ms", "is_lower_bound",
        "retry_backoff_ms", "retry_backoff_max_ms", "shortest_ms", "longest_ms",
    ]  # fmt: skip
    found = lake.shaped(BACKOFF, columns, where, _thinned)
    return Answer(found.state, found.rows, _of_all(found), found.problem)


def rates(lake: LakeReader, scope: Scope) -> tuple[list[Row], int]:
    """Retries over time: at, who, retries; and how long a bin is, in ms. Of many clients the busiest have a name."""
    columns = ["client_id", "sent_at", "failed_at"]
    rows = lake.shaped(BACKOFF, columns, scope.where(BACKOFF), _binned).rows
    return rows, rows[0]["bin_ms"] if rows else _BINS_MS[0]


def _of_all(found: Answer) -> int:
    return int(found.rows[0]["of_all"]) if found.rows else 0


def _sequences(found: pa.Table) -> pa.Table:
    waited, least, most = (found[name] for name in ("waited_ms", "shortest_ms", "longest_ms"))
    summed = (
        found.append_column("short", pc.fill_null(pc.less(waited, pc.subtract(least, GRAIN_MS)), False))
        .append_column("bounded", least.is_valid())
        .append_column("static", pc.equal(least, most))
        .group_by("sequence_id")
        .aggregate(
            [
                ([], "count_all"),
                ("failures", "max"),
                ("failed_at", "min"),
                ("failed_at", "max"),
                ("waited_ms", "min"),
                ("waited_ms", "max"),
                ("short", "sum"),
                ("bounded", "sum"),
                ("is_lower_bound", "sum"),
                ("shortest_ms", "min"),
                ("longest_ms", "max"),
                ("static", "all"),
                ("retry_backoff_ms", "max"),
                ("retry_backoff_max_ms", "max"),
                ("of_all", "max"),
            ]
        )
    )
    names = [
        "sequence_id", "retries", "failures", "first_at", "last_at", "shortest_waited_ms", "longest_waited_ms",
        "short", "bounded", "upper", "least_ms", "most_ms", "is_static", "retry_backoff_ms", "retry_backoff_max_ms",
        "of_all",
    ]  # fmt: skip
    whose = found.group_by("sequence_id", use_threads=False).aggregate([(name, "first") for name in _WHOSE])
    told = summed.rename_columns(names).join(whose.rename_columns(["sequence_id", *_WHOSE]), "sequence_id")
    order = [("short", "descending"), ("retries", "descending"), ("sequence_id", "ascending")]
    return told.sort_by(order)


def _thinned(found: pa.Table) -> pa.Table:
    return _with_all(found if found.num_rows <= MOST_WAITS else _extremes(found), found.num_rows)


def _binned(found: pa.Table) -> pa.Table:
    at = pc.coalesce(found["sent_at"], found["failed_at"]).cast(pa.timestamp("ms", "UTC")).cast(pa.int64())
    found = found.append_column("ms", at).filter(at.is_valid())
    ends = pc.min_max(found["ms"]).as_py()
    length = (ends["max"] or 0) - (ends["min"] or 0)
    bin_ms = next((one for one in _BINS_MS if length / one <= MOST_BINS), _BINS_MS[-1])
    counted = (
        found.append_column("at", pc.multiply(pc.divide(found["ms"], bin_ms), bin_ms))
        .append_column("who", _named(found["client_id"]))
        .group_by(["who", "at"])
        .aggregate([([], "count_all")])
        .rename_columns(["who", "at", "retries"])
    )
    return counted.append_column("bin_ms", pa.array([bin_ms] * counted.num_rows, pa.int64()))


def _with_all(found: pa.Table, total: int) -> pa.Table:
    """With how many there are of all, as `of_all`."""
    return found.append_column("of_all", pa.array([total] * found.num_rows, pa.int64()))


def _named(clients: pa.ChunkedArray) -> pa.ChunkedArray:
    """The busiest clients by their name, the others under one."""
    filled = pc.fill_null(clients, "unknown client")
    counts = sorted(filled.value_counts().to_pylist(), key=lambda one: (-one["counts"], one["values"]))
    named = pa.array([one["values"] for one in counts[:MOST_CLIENTS]], pa.string())
    return pc.if_else(pc.is_in(filled, value_set=named), filled, OTHERS)


def _extremes(found: pa.Table) -> pa.Table:
    """The shortest and the longest wait of each of the first failures, and of some 300 steps of the later ones."""
    failures = found["failures"]
    size = max(pc.max(failures).as_py() // 300, 1)
    step = pc.if_else(pc.less_equal(failures, FIRST), failures, pc.add(pc.divide(failures, size), FIRST))
    row = pa.array(range(found.num_rows), pa.int64())
    keyed = found.append_column("row", row).append_column("step", step)
    first = keyed.sort_by([("step", "ascending"), ("waited_ms", "ascending")])
    last = keyed.sort_by([("step", "ascending"), ("waited_ms", "descending")])
    kept = {
        row
        for one in (first, last)
        for row in one.group_by("step", use_threads=False)
        .aggregate([("row", "first")])["row_first"]
        .to_pylist()
    }
    return found.take(pa.array(sorted(kept), pa.int64()))


def _is(value: object) -> tuple[str, object]:
    return ("null", True) if value is None else ("=", value)
