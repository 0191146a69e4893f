"""Where a story's episodes and log lines are looked up (transforms.diagnose.reports.report.Evidence)."""

from collections.abc import Iterable, Sequence

from dashboards.queries.base import ID, LakeReader, Row
from dashboards.queries.sql import Where
from transforms.diagnose.reports.report import ProvingLine, proving_lines

EPISODE_IDS = {
    "silver.task_timers": "timer_id",
    "silver.batch_lifetimes": "batch_id",
    "silver.liveness_sessions": "session_id",
    "silver.backoff_attempts": "sequence_id",
    "silver.group_rebalances": "rebalance_id",
}


# What a line needs of its event.
EVENT = ("event_id", "record_id", "kind", "message_id", "happened_at", "source_id", "source", "line", "position",
         "error_class", "remaining_ms", "attempts_left")  # fmt: skip

TEXT = ("record_id", "text", "time_zone_origin")


class Proof:
    """The evidence that one lake has. near: the row it is told of: its process is looked at before the whole lake."""

    def __init__(self, lake: LakeReader, near: Row | None = None) -> None:
        self.lake = lake
        self._near = near or {}

    def episodes(self, subject_id: str) -> tuple[str, list[Row]] | None:
        """The rows of a rebuilt episode (a sequence of waits has several); None for what no table keeps."""
        for table, column in EPISODE_IDS.items():
            found = self.lake.by_id(table, column, subject_id)
            if found.rows:
                return table, found.rows
        return None

    def subject_of(self, finding: Row) -> str | None:
        """The episode of a violation's worst occurrence, where the violation stands for a whole client."""
        if finding.get("violation_id") is None:
            return None
        found = self.lake.by_id("silver.findings", "finding_id", finding["finding_id"]).rows
        return found[0]["subject_id"] if found else None

    def whole_of(self, incident: Row) -> Row | None:
        """The incident that it is a part of."""
        wanted = incident.get("parent_incident_id") or ""
        return next(iter(self.lake.by_id("gold.incidents", "incident_id", wanted).rows), None)

    def lines(self, event_ids: Sequence[str]) -> list[ProvingLine]:
        """The log records of these events, in the order of the ids; unknown ids are left out."""
        events = self._events([one for one in event_ids if ID.fullmatch(one)])
        texts = self._texts(events.values())
        return proving_lines(event_ids, events, texts)

    def _events(self, event_ids: Sequence[str]) -> dict[str, Row]:
        """By id. An id is a hash and no file is clustered by it: so first where they most likely are."""
        found: dict[str, Row] = {}
        places: list[list[Where]] = [
            [(column, "=", self._near[column])] for column in ("unit_id", "service") if self._near.get(column)
        ]
        for place in [*places, []]:
            if missing := [one for one in event_ids if one not in found]:
                rows = self.lake.read(
                    "silver.client_events", EVENT, [*place, ("event_id", "in", missing)]
                ).rows
                found |= {row["event_id"]: row for row in rows}
        return found

    def _texts(self, events: Iterable[Row]) -> dict[str, tuple[str, str]]:
        """record_id -> text and time_zone_origin; the records lie clustered by source and place."""
        known = list(events)
        if not known:
            return {}
        where: list[Where] = [
            (column, "in", sorted({row[column] for row in known}))
            for column in ("source_id", "position", "record_id")
        ]
        return {
            row["record_id"]: (row["text"], row["time_zone_origin"])
            for row in self.lake.read("bronze.log_records", TEXT, where).rows
        }
