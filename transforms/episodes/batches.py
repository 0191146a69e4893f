"""Batches: where the time of a producer's batch went, against delivery.timeout.ms (KIP-91)."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from transforms.diagnose.wording.words import counted, span
from transforms.episodes.lanes import Row, Window
from transforms.episodes.lengths import Length
from transforms.episodes.words import client_of, clock, limit_words, topic_partition

LIMIT = "delivery.timeout.ms"
MOST_BARS = 16
MOST_POINTS = 2_000
# Column and name of a stage; `rest` and `unknown` are what the two columns leave.
STAGES = (
    ("waiting_ms", "waiting in the accumulator"),
    ("in_flight_ms", "in flight"),
    ("rest_ms", "between, not told"),
    ("unknown_ms", "stage not told"),
)


def stages(row: Row) -> dict[str, int]:
    """The age of a batch by stage, in ms; the parts sum to `age_ms`, and there are none where that is not known.

    Where neither stage is known all of it is `unknown_ms`; a clock that was set back can leave no negative rest.
    """
    if row["age_ms"] is None:
        return {}
    waiting, in_flight = row["waiting_ms"], row["in_flight_ms"]
    if waiting is None and in_flight is None:
        return {"unknown_ms": row["age_ms"]}
    known = {"waiting_ms": waiting or 0, "in_flight_ms": min(in_flight or 0, row["age_ms"])}
    known["waiting_ms"] = min(known["waiting_ms"], row["age_ms"] - known["in_flight_ms"])
    return known | {"rest_ms": row["age_ms"] - sum(known.values())}


def drawable(rows: Sequence[Row], selected: str | None = None) -> list[Row]:
    """The batches that the waterfall shows: those of known age, the longest first, and the selected one."""
    known = sorted(
        (row for row in rows if row["age_ms"] is not None),
        key=lambda row: (-row["age_ms"], row["created_at"] or 0, row["batch_id"]),
    )
    first = known[:MOST_BARS]
    return first + [row for row in known[MOST_BARS:] if row["batch_id"] == selected]


def length(row: Row) -> Length:
    """A lifetime by stage beside its limit, named by what its bar shows, then whose it is.

    The lengths are sums: a batch that is sent again waits and flies by turns.
    """
    records = "? records" if row["records"] is None else counted(row["records"], "record")
    where = f"{topic_partition(row)} · {records} · created {clock(row['created_at'])}"
    name = f"{ending(row)} · {where} · {row['service'] or 'service unknown'}"
    at = row["created_at"] or row["ended_at"]
    limit = limit_words(LIMIT, row["delivery_timeout_ms"], row["timeout_origin"]) or f"{LIMIT} unknown"
    return Length(row["batch_id"], name, _named(row), row["delivery_timeout_ms"], hover_lines(row, limit), at)


def is_timed(row: Row) -> bool:
    """Whether both its creation and its end are known."""
    return row["created_at"] is not None and row["ended_at"] is not None


def in_window(rows: Sequence[Row], window: Window) -> list[Row]:
    """The batches that the order is drawn of."""
    return _in_order([row for row in rows if window.holds(row["ended_at"] or 0, row["ended_at"] or 0)])


def overtaken(rows: Sequence[Row]) -> list[str]:
    """Ids of batches that ended after one of their partition that was created later; equal instants prove nothing."""
    late = []
    for _, batches in groupby(_in_order(rows), key=partition_of):
        newest_before, newest, at = None, None, None
        for row in batches:
            if row["ended_at"] != at:
                newest_before, at = newest, row["ended_at"]
            if newest_before is not None and row["created_at"] < newest_before:
                late.append(row["batch_id"])
            newest = max(newest or 0, row["created_at"])
    return late


def partition_of(row: Row) -> str:
    """A partition as its producer knows it."""
    return f"{topic_partition(row)} · {row['client_id'] or 'unknown'} · {row['service'] or ''}"


def hover_lines(row: Row, *limit: str) -> list[str]:
    """What is said of one batch. limit: in words, where nothing else says it."""
    return [
        f"{topic_partition(row)}: {row['outcome']}"
        + (f", {row['error_class']}" if row["error_class"] else ""),
        "records unknown" if row["records"] is None else counted(row["records"], "record"),
        "age unknown" if row["age_ms"] is None else f"{row['age_ms']} ms old",
        *limit,
        *(f"{name}: {ms} ms" for name, ms in _named(row).items()),
        "" if row["attempts"] is None else counted(row["attempts"], "attempt"),
        f"created {clock(row['created_at'])}" + (" (end less age)" if row["is_inferred"] else ""),
        f"ended {clock(row['ended_at'])} UTC",
        client_of(row),
    ]


def _named(row: Row) -> dict[str, int]:
    """Its stages by their names, those that took time."""
    parts = stages(row)
    return {name: parts[column] for column, name in STAGES if parts.get(column)}


def over_ms(row: Row) -> int | None:
    """How far beyond its limit it lived; None where one of the two is unknown."""
    if row["age_ms"] is None or row["delivery_timeout_ms"] is None:
        return None
    return int(row["age_ms"] - row["delivery_timeout_ms"])


def _in_order(rows: Sequence[Row]) -> list[Row]:
    latest = sorted(filter(is_timed, rows), key=lambda row: -row["ended_at"])[:MOST_POINTS]
    return sorted(latest, key=lambda row: (partition_of(row), row["ended_at"], row["created_at"]))


def ending(row: Row) -> str:
    """How it ended, in words."""
    over = over_ms(row)
    beyond = f", {span(over)} over" if over is not None and over > 0 else ""
    return f"{row['outcome']} at {span(row['age_ms'])}{beyond}"


def shown_of(rows: Sequence[Row], total: int) -> Iterator[str]:
    """What the waterfall leaves out, in sentences."""
    timed = sum(row["age_ms"] is not None for row in rows)
    if timed > MOST_BARS:
        yield f"The {MOST_BARS} oldest of {timed} batches are drawn; the list below has all of them."
    if total > len(rows):
        yield f"The list has the oldest {len(rows)} of {total}: narrow the time or the client to see the others."
    if len(rows) > timed:
        yield f"{counted(len(rows) - timed, 'batch')} of unknown creation can only be listed."
