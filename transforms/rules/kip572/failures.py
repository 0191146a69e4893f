"""KIP-572, Proposed Changes: client timeouts that should have started a task's timer, and ended otherwise."""

from transforms.rules.rule import CONFORMS, NOT_APPLICABLE, Verdict, rule, unjudged, violated
from transforms.timers.profile import ClientProfile
from transforms.timers.streams.commit_outages import CommitOutage
from transforms.timers.streams.streams_failures import Outage, StreamsFailure
from transforms.timers.streams.task_evidence import is_exactly_once
from transforms.timers.streams.topology_limits import task_timeout_of, why_unknown

VERSION_UNKNOWN = "version unknown"
VERSION_EVIDENCE = "the line 'Kafka Streams version: ...' of the application's start (INFO)"
# A task that was declared corrupted this often in a row is in a loop.
LOOP_FAILURES = 3

OUTCOMES = {
    "thread_died": "the thread died at once",
    "corrupted": "the task was declared corrupted, closed and restored",
    "dropped": "the record was dropped",
    "revived": "the tasks were closed and revived",
}


@rule(
    "kip572.timer_not_started",
    judges=StreamsFailure,
    severity="error",
    gives=("broken_semantics", "departs_from_kip", "older_semantics"),
    says="a client's TimeoutException started no task timer: {outcome}",
    runbook=(
        "Find the client call in the stack trace (send, partitionsFor, commit): what did it wait for?",
        "3.9 to 4.2 hand every exception of process() to the processing exception handler; timeouts of send() and, under "
        "exactly-once, of process() and commit declare the task corrupted in every release.",
        "A missing topic, a broker that does not answer, or too small max.block.ms / delivery.timeout.ms "
        "is the usual cause.",
    ),
    advice="Raise max.block.ms (process) or delivery.timeout.ms (send) of the embedded producer: task.timeout.ms does not "
    "cover these paths. The price is a thread that blocks longer.",
)
def timer_not_started(failure: StreamsFailure) -> Verdict:
    """Find a client timeout that was fatal, or made a task corrupted, instead of starting the task's timer.

    Source: KIP-572, Proposed Changes; ProcessorNode.process (3.9 on), RecordCollectorImpl, TaskManager.
    Silent when: the timeout came out of no call that the timer covers, as far as the log tells.
    """
    if failure.call == "leader" or failure.profile is None:
        return NOT_APPLICABLE
    if failure.profile.version is None:
        return unjudged(VERSION_UNKNOWN, VERSION_EVIDENCE)
    category = _category(failure, failure.profile)
    if category is None:
        return unjudged("call unknown", "the stack trace of the exception down to the client call")
    limit = task_timeout_of(failure.profile, failure.task_id)
    return violated(
        category,
        events=failure.event_ids,
        happened_at=failure.happened_at,
        observed_ms=failure.waited_ms,
        limit_ms=limit.ms if limit and limit.is_proven else None,
        limit_origin=limit.origin if limit and limit.is_proven else None,
        outcome=OUTCOMES[failure.ended_in],
    )


def _category(failure: StreamsFailure, profile: ClientProfile) -> str | None:
    """Which yardstick was broken; None where the log does not tell enough."""
    if not profile.at_least(2, 8):
        return "older_semantics"  # tasks have timers since 2.8
    if failure.ended_in != "thread_died":
        return "departs_from_kip"
    if failure.call == "process" and failure.is_direct:
        if profile.at_least(3, 9):
            return "departs_from_kip"
        # 2.8 to 3.8 catch the client's timeout in StreamTask.process, at least once.
        return "broken_semantics" if is_exactly_once(profile) is False else None
    return None


@rule(
    "kip572.outage_unbounded",
    judges=Outage,
    severity="error",
    gives=("departs_from_kip",),
    says="task {task_id} had client timeouts for {observed_ms} ms: {failures} times {what}; "
    "task.timeout.ms={limit_ms} did not bound it",
    runbook=(
        "Corrupted: the task is closed, restored and fails again; no timer runs, and nothing ends the loop. "
        "Commits: each processed record clears the timer that a failed commit starts.",
        "Look at the send errors before each 'states of tasks ... are corrupted', or at the coordinator that "
        "answers no commit: the sink topic or a broker is the cause.",
        "A restart before commits work again processes everything since the last commit a second time.",
    ),
    advice="Repair the sink or the group's coordinator. Alert on repeated 'corrupted' and 'Committing task(s) "
    "... failed' lines: no setting bounds them.",
)
def outage_unbounded(outage: Outage) -> Verdict:
    """Find a task whose client timeouts went on for longer than task.timeout.ms, unbounded by its timer.

    Source: KIP-572, Motivation and Proposed Changes; RecordCollectorImpl.recordSendError
    (TaskCorruptedException); TaskExecutor.processTask (clears the timer of a task whose commits fail).
    Silent when: fewer than three corruptions in a row, or time for progress between them; no processing
    cleared the timer between two failed commits; the limit is not proven.
    """
    if outage.started_at is None or outage.ended_at is None:
        return NOT_APPLICABLE
    if isinstance(outage, CommitOutage):
        if outage.sees_commits and not outage.clears:
            return CONFORMS  # nothing cleared the timer: it bounds the outage
        what = "its commits failed, and processing cleared its timer"
    elif outage.failures < LOOP_FAILURES:
        return NOT_APPLICABLE
    else:
        what = "declared corrupted"
    limit = task_timeout_of(outage.profile, outage.task_id)
    if limit is None or not limit.is_proven:
        return unjudged(*why_unknown(outage.profile))
    observed_ms = outage.ended_at - outage.started_at
    if observed_ms <= limit.ms:
        return CONFORMS
    if isinstance(outage, CommitOutage) and not outage.sees_commits:
        return unjudged("a commit between the failed ones may have gone through", "DEBUG of StreamTask")
    return violated(
        "departs_from_kip",
        events=outage.event_ids,
        happened_at=outage.ended_at,
        observed_ms=observed_ms,
        limit_ms=limit.ms,
        limit_origin=limit.origin,
        task_id=outage.task_id,
        failures=outage.failures,
        what=what,
    )


@rule(
    "kip572.leader_timeout_fatal",
    judges=StreamsFailure,
    severity="critical",
    gives=("broken_semantics",),
    says="the leader could not create internal topics in time, and the client died of it instead of rejoining",
    runbook=(
        "The rebalance should fail and be tried again. Look at the uncaught exception handler and the admin's errors.",
        "Usual cause: brokers that can't create topics (authorization, too few of them); the client must be started again.",
    ),
    advice="Create the internal topics beforehand, or raise max.poll.interval.ms: the leader's limit is half of it.",
)
def leader_timeout_fatal(failure: StreamsFailure) -> Verdict:
    """Find a client that died because the leader's loop over internal topics ended.

    Source: KIP-572, Proposed Changes (rebalancing); InternalTopicManager.makeReady.
    Silent when: the version predates the KIP's loop (2.7), or is unknown.
    """
    if failure.call != "leader" or failure.ended_in != "thread_died" or failure.profile is None:
        return NOT_APPLICABLE
    has_loop = failure.profile.at_least(2, 7)
    if has_loop is None:
        return unjudged(VERSION_UNKNOWN, VERSION_EVIDENCE)
    if not has_loop:
        return NOT_APPLICABLE
    return violated("broken_semantics", events=failure.event_ids, happened_at=failure.happened_at)
