"""Client timeouts in Kafka Streams that no task timer took: dead threads, corrupted tasks, lost records."""

from collections import defaultdict
from collections.abc import Iterator

from transforms.diagnose.incident import Incident, limit_of, of_episodes
from transforms.diagnose.wording.words import counted, listed, origin_words, span
from transforms.timers.episodes import Episode
from transforms.timers.streams.global_timers import GlobalTimer
from transforms.timers.streams.leader_loops import LeaderLoop
from transforms.timers.streams.streams_failures import StreamsFailure

LIMIT = "task.timeout.ms"


def failure_incidents(failures: list[StreamsFailure], scope_id: str) -> Iterator[Incident]:
    """One incident per Streams client and way of failing; a loop of failures is one trouble."""
    groups: dict[tuple[int, str | None, str], list[StreamsFailure]] = defaultdict(list)
    for failure in failures:
        groups[failure.incarnation, failure.client_id, failure.ended_in].append(failure)
    for (_, _, ended_in), group in groups.items():
        group.sort(key=lambda failure: (failure.happened_at or 0, failure.failure_id))
        yield _failed(ended_in, group, scope_id)


def _failed(ended_in: str, group: list[StreamsFailure], scope_id: str) -> Incident:
    first = group[0]
    limit_ms, origin = limit_of(first, LIMIT)
    limit = f"{LIMIT} = {span(limit_ms)} ({origin_words(origin)})" if limit_ms is not None else LIMIT
    tasks = sorted({failure.task_id for failure in group if failure.task_id})
    what = f"task {listed(tasks)}" if tasks else f"thread {first.thread}" if first.thread else "application"
    waited = f" after {span(first.waited_ms)}" if first.waited_ms is not None else ""
    times = f" ({len(group)} times)" if len(group) > 1 else ""
    call = f"A client call ({first.call})" if first.call else "A client call"
    title, impact, advice = {
        "thread_died": (
            f"Streams {what}: the thread died at a client timeout, without a retry{times}",
            "delayed",
            "Mend what the call waited for. "
            + (
                "Releases 3.9 to 4.2 kill the thread for a timeout in process(). "
                if first.call == "process"
                else ""
            )
            + "An uncaught exception handler may replace the thread (REPLACE_THREAD).",
        ),
        "corrupted": (
            f"Streams {what}: closed as corrupted for a client timeout{times}",
            "unknown",
            "Mend what the call waited for. The task is closed and restored, and goes on from its last "
            "commit; under at-least-once what came after that is processed again.",
        ),
        "dropped": (
            f"Streams {what}: records were dropped for client timeouts{times}",
            "lost",
            "The exception handler was told to go on: let it fail for a TimeoutException, or keep the record elsewhere.",
        ),
    }.get(
        ended_in,
        (
            f"Streams {what}: closed and revived for a client timeout{times}",
            "delayed",
            "Mend what the call waited for.",
        ),
    )
    episodes: list[Episode] = list(group)
    return of_episodes(
        f"streams_{ended_in}",
        scope_id,
        episodes,
        started_at=first.happened_at,
        ended_at=group[-1].happened_at,
        title=title,
        cause=f"{call} timed out{waited}. The task's timer did not take it, so {limit} did not bound it.",
        cause_confidence="proven",
        impact=impact,
        advice=advice,
        subject_ids=[failure.failure_id for failure in group],
    )


def leader_incidents(loops: list[LeaderLoop], scope_id: str) -> Iterator[Incident]:
    """The group leader could not make its internal topics in time."""
    for loop in loops:
        if loop.outcome != "expired":
            continue
        yield of_episodes(
            "leader_loop_expired",
            scope_id,
            [loop],
            started_at=loop.first_at,
            ended_at=loop.ended_at,
            title="Streams leader could not make its internal topics within half of max.poll.interval.ms",
            cause=f"The admin client's calls went on failing; {counted(loop.rounds, 'round')} were seen.",
            cause_confidence="proven",
            impact="delayed",
            advice="Look at the broker's answers to CreateTopics, and at the rights of this application.",
            subject_ids=[loop.loop_id],
            limit_ms=loop.limit_ms,
            limit_origin="logged" if loop.limit_ms is not None else None,
        )


def global_incidents(timers: list[GlobalTimer], scope_id: str) -> Iterator[Incident]:
    """The global thread's calls timed out."""
    for timer in timers:
        limit_ms, origin = limit_of(timer, LIMIT)
        limit = f"{LIMIT} = {span(limit_ms)}" if limit_ms is not None else f"{LIMIT} (value not seen)"
        observed_ms, did = timer.stalled_ms, "was retried"
        if timer.outcome == "expired":
            did = f"gave up after {span(observed_ms)}"
        elif timer.outcome == "died" and timer.ended_at is not None and timer.started_at is not None:
            observed_ms = timer.ended_at - timer.started_at
            did = f"died {span(observed_ms)} after its first timeout"
        yield of_episodes(
            "global_thread_stalled",
            scope_id,
            [timer],
            started_at=timer.started_at,
            ended_at=timer.ended_at,
            title=f"Streams global thread {did}, limit {limit}",
            cause=f"{timer.subject + ': ' if timer.subject else ''}{counted(timer.attempts, 'attempt')} timed out.",
            cause_confidence="proven",
            impact="delayed",
            advice="The application can't start before its global tables are filled: mend what the call waits for.",
            subject_ids=[timer.timer_id],
            observed_ms=observed_ms,
            limit_ms=limit_ms,
            limit_origin=origin,
        )
