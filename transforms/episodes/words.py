"""Words that are the same wherever an episode is told: whose it is, its limit, when, how long."""

from transforms.diagnose.reports.report import iso
from transforms.diagnose.wording.words import exact, group_words, origin_words, partition_words, span
from transforms.episodes.lanes import Row
from transforms.whole import within_years

POLL, SESSION = "max.poll.interval.ms", "session.timeout.ms"


def clock(ms: int | None) -> str:
    """The time of day with its ms, UTC; lines are of one day mostly, and an axis has the date."""
    if ms is None:
        return "unknown"
    return (iso(within_years(ms)) or "")[11:23]


def limit_words(name: str, ms: int | None, origin: str | None) -> str | None:
    """A limit with its value and where it came from; None where it is not known."""
    return None if ms is None else f"{name} = {exact(ms)}, {origin_words(origin)}"


def from_metrics(row: Row) -> str:
    """What no line but samples of metrics tell of a membership, and how exactly; empty where all is from lines."""
    names = ", ".join(
        name.removesuffix("_at").removesuffix("_ms").replace("_", " ") for name in row["from_metrics"]
    )
    return f"{names}: from metrics, give or take {row['plus_minus_ms']} ms" if names else ""


def process_of(row: Row) -> str:
    """Whose it is."""
    return f"{row['service'] or 'unknown'}/{row['instance'] or 'unknown'}"


def group_of(row: Row) -> str:
    """The group of a membership or rebalance."""
    return group_words(row["group_id"])


def topic_partition(row: Row) -> str:
    """The partition of a batch."""
    return partition_words(row["topic"], row["partition"])


def beyond(ms: int | None) -> str:
    """How far something went over its limit, or stayed under it."""
    return "" if ms is None else f"{span(abs(ms))} {'over' if ms > 0 else 'under'}"


def client_of(row: Row) -> str:
    """Whose it is, the client first."""
    return f"{row['client_id'] or 'unknown'}, {process_of(row)}"


def or_unknown(value: object) -> str:
    """A value as text."""
    return "unknown" if value is None else str(value)


def short_name(client_id: str | None) -> str:
    """A client's name for a sentence: of a long one both ends, which tell the application and the thread."""
    name = client_id or "A client"
    return name if len(name) <= 40 else f"{name[:16]}…{name[-23:]}"


def own_part(name: str) -> str:
    """What tells a Streams thread, or its client, from the others of its application: `StreamThread-1`."""
    at = name.rfind("StreamThread-")
    return name[at:] if at >= 0 else name
