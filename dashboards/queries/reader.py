"""What a place of tables does for the dashboard, be it files of Delta or a SQL warehouse: one question, one answer."""

from collections.abc import Collection
from typing import Protocol

import pyarrow as pa

from dashboards.queries.sql import Question


class UnreadableError(Exception):
    """Why nothing can be read, in a sentence for whoever looks at the page."""


class OtherVersionError(UnreadableError):
    """A table was made by another version, and has not all that is asked for: what it lacks (expectations.versions)."""


class Reader(Protocol):
    """Shared by threads.

    Raises: whatever went wrong, of any kind; UnreadableError where it is known what to do.
    """

    @property
    def reads_files(self) -> bool:
        """Whether the logs themselves may be looked at beside the tables."""

    def absent(self) -> str | None:
        """Why there is no lake at all, in a sentence; None where there is one."""

    def version(self, table: str) -> str:
        """Another text whenever the table has changed; empty where it was not written yet."""

    def version_of_all(self) -> str:
        """Another text whenever a run has changed the lake."""

    def run(self, question: Question) -> pa.Table:
        """The rows, under the names that the question gives them; the types may differ from the contract's."""

    def columns(self, table: str) -> Collection[str]:
        """The names of those that the table has; asked where a question of it failed."""

    def newest(self, table: str, column: str) -> object:
        """The largest value of a column of instants, as cheaply as it can be had; None where nothing says it."""
