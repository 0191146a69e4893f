"""What is true of a simulated history."""

from dataclasses import dataclass, field

from lab.simulate.scraper import Scraped


@dataclass(frozen=True)
class Fact:
    """One thing that happened, as the simulated client knew it. Instants in ms UTC.

    kind: what it is, such as `task_timer`, `backoff`, `batch`, `membership`. subject: task, call, partition or member.
    at: when it began. outcome: in the words of the contract's tables. elapsed_ms, limit_ms: how long it took, and
    what bound it. attempts: how often it was tried.
    """

    kind: str
    subject: str
    at: int
    elapsed_ms: int | None = None
    limit_ms: int | None = None
    outcome: str | None = None
    attempts: int | None = None
    ended_at: int | None = None


@dataclass(frozen=True)
class Truth:
    """facts: in order. violated: ids of the rules whose promise this client broke; none for a healthy or faulted one.

    departs: rules that may be said beside them, and need not be: what the defect implies, or its release always does.
    scraped: what a collector read of each process, by service and instance.
    """

    facts: list[Fact] = field(default_factory=list)
    violated: set[str] = field(default_factory=set)
    departs: set[str] = field(default_factory=set)
    scraped: dict[tuple[str, str], Scraped] = field(default_factory=dict)

    def and_(self, other: "Truth") -> "Truth":
        """Both histories in one."""
        return Truth(
            sorted([*self.facts, *other.facts], key=lambda fact: fact.at),
            self.violated | other.violated,
            self.departs | other.departs,
            self.scraped | other.scraped,
        )
