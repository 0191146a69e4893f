"""All facts and verdicts of one recording."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lab.corpus import Client, Recording
from lab.score.backoffs import backoff_facts
from lab.score.batches import batch_facts
from lab.score.fact import Fact, Row
from lab.score.memberships import all_memberships, membership_facts
from lab.score.rebalances import rebalance_facts
from lab.score.timers import timer_facts
from lab.score.verdicts import Beside, Verdict, beside, verdicts
from lab.score.wire import requests_of

TABLES = (
    "silver.task_timers",
    "silver.backoff_attempts",
    "silver.batch_lifetimes",
    "silver.liveness_sessions",
    "silver.group_rebalances",
    "silver.findings",
    "gold.violations",
    "gold.unjudged",
)

# Rows of one recording: table name -> rows as dicts with the contract's columns, instants in ms UTC.
Tables = Mapping[str, list[Row]]


@dataclass
class Score:
    """What was compared, of one or more recordings."""

    facts: list[Fact] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    beside: list[Beside] = field(default_factory=list)
    unjudged: dict[str, int] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)  # recording -> why nothing could be compared

    def add(self, other: "Score") -> None:
        self.facts.extend(other.facts)
        self.verdicts.extend(other.verdicts)
        self.beside.extend(other.beside)
        for rule_id, subjects in other.unjudged.items():
            self.unjudged[rule_id] = self.unjudged.get(rule_id, 0) + subjects
        self.failures.update(other.failures)


def score_recording(recording: Recording, tables: Tables) -> Score:
    """Compare the rows that were rebuilt from one recording with its truth."""
    unjudged: dict[str, int] = defaultdict(int)
    for row in tables["gold.unjudged"]:
        unjudged[row["rule_id"]] += row["subjects"]
    findings = tables["silver.findings"]
    return Score(
        facts=list(_facts(recording, tables)),
        verdicts=list(verdicts(recording, findings)),
        beside=beside(recording, findings),
        unjudged=dict(unjudged),
    )


def _facts(recording: Recording, tables: Tables) -> Iterator[Fact]:
    wire = requests_of(recording)
    memberships = all_memberships(recording, wire)
    yield from rebalance_facts(recording, wire, tables["silver.group_rebalances"])
    for client in recording.clients:
        ids = client_ids_of(recording, client, list(wire))
        if client.mode == "streams":
            yield from timer_facts(recording, client, tables["silver.task_timers"])
        yield from backoff_facts(recording, client, wire, ids, tables["silver.backoff_attempts"])
        yield from batch_facts(recording, client, wire, ids, tables["silver.batch_lifetimes"])
        yield from membership_facts(recording, client, memberships, ids, tables["silver.liveness_sessions"])


def client_ids_of(recording: Recording, client: Client, on_wire: list[str]) -> list[str]:
    """The client ids of a process on the wire: its own, or those of Streams' embedded clients."""
    if client.mode != "streams":
        return [client.config.get("client.id", client.name)]
    named = recording.facts.get(client.name, {}).get("wire", {})
    return [client_id for client_id in on_wire if client_id in named]
