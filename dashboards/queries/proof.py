"""Where a story's episodes and log lines are looked up (transforms.diagnose.told.Evidence)."""

from collections.abc import Sequence

from dashboards.queries.base import Lake, Row
from transforms.diagnose.told import ProvingLine, event_label

EPISODE_IDS = {
    "silver.task_timers": "timer_id",
    "silver.batch_lifetimes": "batch_id",
    "silver.liveness_sessions": "session_id",
    "silver.backoff_attempts": "sequence_id",
    "silver.group_rebalances": "rebalance_id",
}


class Proof:
    """The evidence that one lake has."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake

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

    def lines(self, event_ids: Sequence[str]) -> list[ProvingLine]:
        """The log records of these events, in the order of the ids; unknown ids are left out."""
        events = {
            row["event_id"]: row for row in self.lake.among("silver.client_events", "event_id", event_ids)
        }
        records = list(dict.fromkeys(row["record_id"] for row in events.values()))
        texts = {
            row["record_id"]: row["text"]
            for row in self.lake.among("bronze.log_records", "record_id", records)
        }
        return [
            ProvingLine(
                event_id=event_id,
                happened_at=event["happened_at"],
                label=event_label(event),
                source=event["source"],
                line=event["line"],
                text=texts.get(event["record_id"]),
                message_id=event["message_id"],
            )
            for event_id in event_ids
            if (event := events.get(event_id))
        ]
