"""Who commits to tables."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Commit:
    """Who commits: the lake's own id and the plan's number, so that a repeated plan writes nothing twice."""

    lake_id: str
    number: int
    run_id: str

    def app_id(self, table: str) -> str:
        """Delta's application id of the idempotent writes to one table."""
        return f"{self.lake_id}:{table}"


NONE = -1
