"""Episodes and findings of one scope (a unit, or a group) -> incidents: what to tell whoever is on call."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from transforms.diagnose.causes.batches import batch_incidents
from transforms.diagnose.causes.benign import benign_incidents, restless
from transforms.diagnose.causes.brokers import broker_incidents
from transforms.diagnose.causes.commits import commit_incidents
from transforms.diagnose.causes.memberships import membership_incidents
from transforms.diagnose.causes.released_bugs import name_bugs
from transforms.diagnose.causes.requests import request_incidents
from transforms.diagnose.causes.storms import replacing_ids, silent_since_rebalance, storm_incidents
from transforms.diagnose.causes.streams import failure_incidents, global_incidents, leader_incidents
from transforms.diagnose.causes.tasks import task_incidents
from transforms.diagnose.causes.transactions import transaction_incidents
from transforms.diagnose.incident import Incident, incident_id
from transforms.diagnose.troubles.troubles import trouble_incidents
from transforms.rules.judge import Finding
from transforms.rules.registry import RULES
from transforms.timers.clients.benign_lines import BenignLines
from transforms.timers.clients.broker_starts import BrokerStart
from transforms.timers.clients.cancelled_requests import RequestTimeout
from transforms.timers.clients.troubles import TroubleLines
from transforms.timers.episodes import BatchLifetime, Episode, GroupRebalance, LivenessSession, TaskTimer
from transforms.timers.groups.commit_failures import CommitFailure
from transforms.timers.groups.group_rebalances import Rebalance
from transforms.timers.groups.transactions import AbortedTransaction
from transforms.timers.streams.global_timers import GlobalTimer
from transforms.timers.streams.leader_loops import LeaderLoop
from transforms.timers.streams.streams_failures import StreamsFailure

Kind = TypeVar("Kind", bound=Episode)


# What incidents are told from; of other episodes nothing need be kept.
INCIDENT_EPISODES = (
    LivenessSession, CommitFailure, TaskTimer, StreamsFailure, LeaderLoop, GlobalTimer, BatchLifetime, RequestTimeout,
    BenignLines, TroubleLines, GroupRebalance, AbortedTransaction, BrokerStart,
)  # fmt: skip


def is_of_incidents(episode: Episode) -> bool:
    """Whether incidents are told from such an episode."""
    return isinstance(episode, INCIDENT_EPISODES)


def incidents(episodes: Iterable[Episode], findings: Iterable[Finding], scope_id: str) -> list[Incident]:
    """Tell each thing that went wrong once, with its cause, its cost and what to do; in order of time.

    A broken_semantics finding makes the incident it belongs to `broken`; one of none is one itself.
    """
    rebuilt, judged = list(episodes), list(findings)
    if not rebuilt and not judged:  # as of most groups of which a log says a line or two
        return []
    found_incidents = [
        *membership_incidents(_of(LivenessSession, rebuilt), scope_id),
        *commit_incidents(_of(CommitFailure, rebuilt), scope_id),
        *task_incidents(_of(TaskTimer, rebuilt), scope_id),
        *failure_incidents(_of(StreamsFailure, rebuilt), scope_id),
        *leader_incidents(_of(LeaderLoop, rebuilt), scope_id),
        *global_incidents(_of(GlobalTimer, rebuilt), scope_id),
        *batch_incidents(_of(BatchLifetime, rebuilt), scope_id),
        *request_incidents(_of(RequestTimeout, rebuilt), scope_id),
        *transaction_incidents(_of(AbortedTransaction, rebuilt), scope_id),
    ]
    rebalances = _of(GroupRebalance, rebuilt)
    silent_since_rebalance(found_incidents, _of(LivenessSession, rebuilt), rebalances)
    found_incidents.extend(storm_incidents(rebalances, scope_id, replacing_ids(_of(Rebalance, rebuilt))))
    normal = _of(BenignLines, rebuilt)
    troubles = _of(TroubleLines, rebuilt)
    found_incidents.extend(trouble_incidents([*troubles, *restless(normal)], found_incidents, scope_id))
    name_bugs(found_incidents, troubles)
    found_incidents.extend(broker_incidents(_of(BrokerStart, rebuilt), scope_id))
    found_incidents.extend(benign_incidents(normal, found_incidents, scope_id))
    broken = [found for found in judged if found.category == "broken_semantics"]
    found_incidents.extend(_by_themselves(_not_blamed(found_incidents, broken), scope_id))
    return sorted(
        found_incidents, key=lambda incident: (incident.started_at or 0, incident.kind, incident.incident_id)
    )


def _of(kind: type[Kind], episodes: Iterable[Episode]) -> list[Kind]:
    return [episode for episode in episodes if isinstance(episode, kind)]


def _not_blamed(found_incidents: Sequence[Incident], broken: Sequence[Finding]) -> list[Finding]:
    """Make the incidents that tell of a finding's subject, or of a line that proves it, broken; gives the other findings."""
    told_of: dict[str, list[Incident]] = defaultdict(list)
    for incident in found_incidents if broken else ():
        for one in {*incident.subject_ids, *incident.event_ids}:
            told_of[one].append(incident)
    left = []
    for found in broken:
        names = {found.subject_id, *found.event_ids}
        blamed = {id(incident): incident for name in names for incident in told_of.get(name, ())}
        if not blamed:
            left.append(found)
        for incident in blamed.values():
            incident.verdict = "broken"
            if found.rule_id not in incident.rule_ids:
                incident.rule_ids.append(found.rule_id)
                incident.cause = f"{incident.cause} Broken: {found.explanation} ({found.rule_id})."
    return left


def _by_themselves(findings: Iterable[Finding], scope_id: str) -> Iterator[Incident]:
    """One incident per rule and client: what no rebuilt episode tells of."""
    groups: dict[tuple[str, str, str | None], list[Finding]] = defaultdict(list)
    for found in findings:
        groups[found.rule_id, found.unit_id, found.client_id].append(found)
    for (rule_id, unit_id, client_id), group in groups.items():
        group.sort(key=lambda found: (found.happened_at or 0, found.finding_id))
        first = group[0]
        times = [found.happened_at for found in group if found.happened_at is not None]
        registered = RULES.get(rule_id)
        again = f" ({len(group)} times)" if len(group) > 1 else ""
        yield Incident(
            incident_id=incident_id(scope_id, rule_id, first.subject_id),
            kind="broken_rule",
            started_at=min(times, default=None),
            ended_at=max(times, default=None),
            title=f"{client_id or 'A client'} broke {rule_id}{again}: {first.explanation}",
            cause="No correct client of this version, with these settings, leaves this trace.",
            cause_confidence="proven",
            verdict="broken",
            impact="unknown",
            observed_ms=first.observed_ms,
            limit_ms=first.limit_ms,
            limit_origin=first.limit_origin,
            advice=registered.advice if registered else "",
            client_ids=[client_id] if client_id else [],
            event_ids=list(dict.fromkeys(event_id for found in group for event_id in found.event_ids)),
            unit_id=unit_id,
            incarnation=first.incarnation,
            scope_id=scope_id,
            service=first.service,
            instance=first.instance,
            subject_ids=sorted({found.subject_id for found in group}),
            rule_ids=[rule_id],
        )
