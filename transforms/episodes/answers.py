"""The answers that on-call wants before anything else, as numbers: by how much, against which limit, what is left.

Pure: from the row of a finding or incident and the episodes it tells of.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from transforms.diagnose.wording.words import counted, origin_words, span
from transforms.episodes.lanes import Row
from transforms.episodes.memberships import away_ms
from transforms.episodes.task_timers import left_ms

# An episode is `lost` where its records were given up; `delayed` and the like stand in the incident.
LOST = ("expired", "failed")


@dataclass(frozen=True, slots=True)
class Number:
    """One figure: read from across the room. tone: plain, bad or good."""

    label: str
    value: str
    note: str = ""
    tone: str = "plain"


def answers(
    row: Row, episodes: Sequence[tuple[str, Row]], clocks: Mapping[str, int], names: Mapping[str, str]
) -> list[Number]:
    """The numbers of a finding or incident, the most asked first.

    episodes: (silver table, row) it tells of. clocks: unit_id -> its data's clock. names: origin of each setting.
    """
    made = _bound(row)
    if batches := [one for table, one in episodes if table == "silver.batch_lifetimes"]:
        made += _batches(batches)
    for table, one in episodes[:1]:
        if table == "silver.liveness_sessions":
            made += _came_back(one)
        if table == "silver.task_timers":
            made += _left(one, clocks.get(one["unit_id"]), names)
    impact = row.get("impact")
    if impact and not batches:
        made.append(
            Number("Impact", str(impact), tone="bad" if impact in ("lost", "duplicated") else "plain")
        )
    return made


def _bound(row: Row) -> list[Number]:
    observed, limit = row.get("observed_ms"), row.get("limit_ms")
    made = []
    if observed is not None:
        made.append(Number("Observed", span(observed), f"{observed} ms"))
    if limit is not None:
        made.append(Number("Limit", span(limit), f"{limit} ms, {origin_words(row.get('limit_origin'))}"))
    if observed is not None and limit is not None:
        is_over = observed >= limit
        side, label, tone = (
            ("over", "Over the limit", "bad") if is_over else ("under", "Within the limit", "good")
        )
        if not is_over and "violation_id" in row:  # too short or too early: the least was not reached
            label, tone = "Under the limit", "bad"
        made.append(Number(label, f"{span(abs(observed - limit))} {side}", f"{observed - limit:+} ms", tone))
    return made


def _batches(batches: Sequence[Row]) -> list[Number]:
    """What was lost, and which stage ate the time of the batch that took longest."""
    lost = [one for one in batches if one["outcome"] in LOST]
    records = [one["records"] for one in lost]
    told = counted(len(lost), "batch")
    if not lost:
        made = [Number("Records lost", "none", f"{counted(len(batches), 'batch')} drawn", "good")]
    elif all(one is not None for one in records):
        made = [Number("Records given up", str(sum(records)), f"in {told}; the application was told", "bad")]
    else:
        made = [Number("Batches given up", str(len(lost)), "records not in the log", "bad")]
    worst = max(batches, key=lambda one: one["age_ms"] or -1)
    return [*made, _stages(worst)]


def _stages(batch: Row) -> Number:
    stages = {"in flight": batch["in_flight_ms"], "waiting": batch["waiting_ms"]}
    known = {name: ms for name, ms in stages.items() if ms is not None}
    if not known:
        return Number("Which stage", "not in the log", "DEBUG of the producer's Sender tells it")
    first, *others = sorted(known, key=lambda name: -known[name])
    told = [f"{name} {known[name]} ms" for name in (first, *others)]
    rest = batch["age_ms"] - sum(known.values()) if batch["age_ms"] is not None else None
    if rest is not None and rest > 0 and len(known) == len(stages):
        told.append(f"other {rest} ms")
    elif len(known) < len(stages):
        told.append(f"{', '.join(name for name in stages if name not in known)} not in the log")
    return Number("Most of its time", f"{span(known[first])} {first}", ", ".join(told))


def _came_back(session: Row) -> list[Number]:
    if session["outcome"] in ("open", "closed") or session["ended_at"] is None:
        return []
    away = away_ms(session)
    if away is None:
        return [Number("Came back", "not seen", "no later join in the log", "bad")]
    return [Number("Came back", f"after {span(away)}", f"{away} ms without a membership")]


def _left(timer: Row, clock: int | None, names: Mapping[str, str]) -> list[Number]:
    """Of a timer that runs, what is left as of its data; of one that ended, what was."""
    deadline = timer["deadline_at"]
    if deadline is None:
        return [Number("Time left", "unknown", "task.timeout.ms is not in the log")]
    origin = origin_words(timer["timeout_origin"] or names.get("task.timeout.ms"))
    left = left_ms({**timer, "seen_until": clock})
    if left is None:
        return []
    told = f"{left} ms as of the last line; limit {origin}"
    return [Number("Time left", span(left), told, "bad" if left <= 0 else "plain")]
