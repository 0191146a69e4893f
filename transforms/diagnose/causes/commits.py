"""Commits that were refused: is the cause that the exception's text suggests the real one?"""

from collections.abc import Iterator

from transforms.diagnose.incident import Incident, of_episodes
from transforms.diagnose.wording.words import counted
from transforms.events import is_named
from transforms.timers.groups.commit_failures import CommitFailure

ACTUALLY = {
    "poll": "it had not polled in time: max.poll.interval.ms had passed",
    "session": "its heartbeats did not get through: it noticed itself that session.timeout.ms had passed",
    "contact": "it had lost its coordinator, and its heartbeats with it",
    "fenced": "another member had taken its place",
}


def commit_incidents(failures: list[CommitFailure], scope_id: str) -> Iterator[Incident]:
    """One incident per membership after whose end commits were refused."""
    for failure in failures:
        actual = ACTUALLY.get(failure.actual or "")
        is_misleading = failure.blames_polling and failure.actual not in (None, "poll")
        yield of_episodes(
            "commit_refused",
            scope_id,
            [failure],
            started_at=failure.happened_at,
            ended_at=failure.ended_at,
            title=f"Commit of {failure.client_id} was refused: {actual or 'it was no member any more'}",
            cause=_cause(failure, actual, is_misleading),
            cause_confidence=_confidence(failure),
            impact="duplicated",
            advice="What was processed since the last commit is delivered again, to whoever owns the "
            "partitions now: processing must bear that. " + _remedy(failure),
            subject_ids=[failure.commit_failure_id],
            actor={"poll": "application", "fenced": "settings"}.get(failure.actual or "", "unknown"),
            places=[f"group:{failure.group_id}"] if failure.group_id else [],
        )


def _cause(failure: CommitFailure, actual: str | None, is_misleading: bool) -> str:
    times = f" {counted(failure.refusals, 'commit')} failed with it." if failure.refusals > 1 else ""
    if is_misleading:
        return f"The exception blames max.poll.interval.ms, but {actual}.{times}"
    if actual:
        return f"The membership had ended before: {actual}.{times}"
    blamed = "The exception blames max.poll.interval.ms; it always does. " if failure.blames_polling else ""
    where = f" in group {failure.group_id}" if is_named(failure.group_id) else ""
    return f"{blamed}What ended the membership{where} is not in this log.{times}"


def _confidence(failure: CommitFailure) -> str:
    if failure.actual is None:
        return "unknown"
    return "inferred" if failure.actual == "contact" else "proven"


def _remedy(failure: CommitFailure) -> str:
    if failure.actual == "poll":
        return "Let less be processed between two polls, or raise max.poll.interval.ms."
    if failure.actual in ("session", "contact"):
        return "Raising max.poll.interval.ms would not have helped: look at the process and the network."
    if failure.actual == "fenced":
        return "Find the other process that runs under the same identity."
    return (
        "Look for its lines before it: a poll timeout means slow processing (max.poll.interval.ms, max.poll.records), a "
        "session that timed out a standstill or the network (session.timeout.ms). The coordinator's log tells why the "
        "member was removed."
    )
