"""Task timers of Streams: started, cleared, expired, or closed with their task.

The truth is facts.task_timers, made by code around process() and the embedded clients.
"""

from collections.abc import Iterator

from lab.corpus import Client, Recording, ms
from lab.score.fact import FALSE, FOUND, HIDDEN, MISSED, SAME_MOMENT_MS, Fact, Row, near, pair, without

STREAMS = "org.apache.kafka.streams.processor.internals"
# A process() timeout was logged at DEBUG to 3.1, at ERROR from 3.2; commit timeouts at ERROR always.
PROCESS_TIMEOUT_AT_ERROR = (3, 2)
ENDS = {
    "cleared_by_progress": ("timer cleared", "cleared"),
    "expired_thread_died": ("timer expired", "expired"),
    "task_closed": ("timer closed with its task", "closed"),
}


def timer_facts(recording: Recording, client: Client, timers: list[Row]) -> Iterator[Fact]:
    """Starts and ends of one Streams process, and timers that never ran."""
    facts = recording.facts.get(client.name, {})
    # `thread_died_other`: the client threw without ever starting a timer; a rule speaks of it, no timer does.
    truths = [_truth(timer) for timer in facts.get("task_timers", []) if timer["outcome"] in ENDS]
    rows = [row for row in timers if row["instance"] == client.instance]
    used = pair(truths, rows, truth_at="start", row_at="started_at", fits=_same_task)
    for truth, row in zip(truths, used, strict=True):
        yield _start(recording, client, truth, row, truths)
        yield _end(recording, client, truth, row)
    timeouts = [{"at": ms(call["t"])} for call in facts.get("client_timeouts", [])]
    yield from _init_transactions(recording, client, rows)
    for row in without(rows, used):
        # a timeout may start a timer of a task that the truth does not name (initTransactions, restoring)
        if not near(timeouts, "at", row["started_at"]) and not near(timeouts, "at", row["last_attempt_at"]):
            says = f"task {row['task_id']} {row['outcome']}, started by {row['started_by']}"
            yield Fact("timer started", FALSE, recording.name, client.name, says, row["started_at"])


def _truth(timer: Row) -> Row:
    return {**timer, "start": ms(timer["start"]), "end": ms(timer["end"])}


def _same_task(truth: Row, row: Row) -> bool:
    return bool(truth["task"] == row["task_id"])


def _start(recording: Recording, client: Client, truth: Row, row: Row | None, truths: list[Row]) -> Fact:
    says = f"task {truth['task']} by {truth['source']}"
    status, why = FOUND, ""
    if row is None:
        status, why = _unseen_start(client, truth, truths)
    return Fact("timer started", status, recording.name, client.name, says, truth["start"], why)


def _unseen_start(client: Client, truth: Row, truths: list[Row]) -> tuple[str, str]:
    had_one = any(one["task"] == truth["task"] and one["end"] <= truth["start"] for one in truths)
    if had_one and not client.shows_debug(STREAMS):
        return HIDDEN, "the reset of the timer before it is DEBUG"
    at_error = truth["source"] == "commit" or client.version[:2] >= PROCESS_TIMEOUT_AT_ERROR
    if client.shows_debug(STREAMS) or at_error:
        return MISSED, "no such timer"
    return HIDDEN, "process() timeouts are DEBUG before 3.2"


def _end(recording: Recording, client: Client, truth: Row, row: Row | None) -> Fact:
    kind, outcome = ENDS[truth["outcome"]]
    says = f"task {truth['task']} after {truth['held_ms']} ms"
    status, why = FOUND, ""
    right = (
        row is not None
        and row["outcome"] == outcome
        and row["ended_at"] is not None
        and abs(row["ended_at"] - truth["end"]) <= SAME_MOMENT_MS
    )
    if not right:
        seen = "no such timer" if row is None else f"{row['outcome']} at {row['ended_at']}"
        status, why = MISSED, seen
        if outcome == "cleared" and not client.shows_debug(STREAMS):
            status, why = HIDDEN, "the reset of a timer is DEBUG"
    return Fact(kind, status, recording.name, client.name, says, truth["end"], why)


def _init_transactions(recording: Recording, client: Client, rows: list[Row]) -> Iterator[Fact]:
    """Timeouts of initTransactions: truth does not say of which task, so any timer may account for one."""
    for call in recording.facts.get(client.name, {}).get("client_timeouts", []):
        if call["method"] != "initTransactions":
            continue
        at = ms(call["t"])
        seen = near(rows, "started_at", at) or near(rows, "last_attempt_at", at)
        within = any(
            row["started_at"] is not None
            and row["started_at"] - SAME_MOMENT_MS <= at <= (row["ended_at"] or at)
            for row in rows
        )
        status = FOUND if seen or within else MISSED
        why = "" if status == FOUND else "no timer started or ran then"
        yield Fact(
            "timeout of initTransactions", status, recording.name, client.name, "some task's timer", at, why
        )
