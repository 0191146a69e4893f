"""What a run comes to."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class RunResult:
    """What a run did, for people and for --json. Counts of rows; `changed` by table; `seconds` by step.

    read: sources that had something new. unparsed: pieces that no reader understood, of what was read for good.
    late: events that stand aside until the next run. is_checked: the tables were checked at its end.
    lag_ms: from the newest record's time to the end of the run. left_bytes, left_files, left_messages: what its limits
    left for the next; bytes are of files.
    """

    run_id: str
    status: str = "done"
    sources: int = 0
    read: int = 0
    records: int = 0
    events: int = 0
    units: int = 0
    unparsed: int = 0
    late: int = 0
    left_bytes: int = 0
    left_files: int = 0
    left_messages: int = 0
    lag_ms: int | None = None
    changed: dict[str, bool] = field(default_factory=dict)
    failed_checks: int = 0
    is_checked: bool = False
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def has_more(self) -> bool:
        """Whether the next run has something to do at once."""
        return self.left_files + self.left_messages > 0

    def add(self, other: "RunResult") -> None:
        """A run that took what there is in several parts."""
        for name in ("read", "records", "events", "units", "unparsed", "late", "failed_checks"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.lag_ms, self.left_bytes = other.lag_ms, other.left_bytes
        self.left_files, self.left_messages = other.left_files, other.left_messages
        for table, is_changed in other.changed.items():
            self.changed[table] = is_changed or self.changed.get(table, False)
