"""Waits before a retry, against the sends on the wire."""

import re
from collections.abc import Iterator, Mapping

from lab.corpus import Client, Recording, times_said
from lab.score.fact import FALSE, FOUND, HIDDEN, MISSED, SAME_MOMENT_MS, Fact, Row, pair, without
from lab.score.wire import Request, Wait, call_waits, produce_waits

# The proxy sees a send and an answer some ms before or after the client logs it; a wait is the difference of
# two such moments: up to 10 ms each way where the machine was idle, more where it was busy.
WAIT_TOLERANCE_MS = 60

MOST_RETRIES = 2_147_483_647  # where nobody sets another number

# Failures are counted alike for batches only. Lookups are sent by several callers in one client, each with
# its own count; by the wire alone they are one series.

# Which logger must be at DEBUG for the send to be in the log.
SENDS = {
    "Produce": "org.apache.kafka.clients.NetworkClient",
    "FindCoordinator": "org.apache.kafka.clients.NetworkClient",
    "InitProducerId": "org.apache.kafka.clients.NetworkClient",
    "JoinGroup": "org.apache.kafka.clients.NetworkClient",
}


def backoff_facts(
    recording: Recording,
    client: Client,
    wire: Mapping[str, list[Request]],
    client_ids: list[str],
    attempts: list[Row],
) -> Iterator[Fact]:
    """Waits of a client, one fact each, per API; and rebuilt waits that no request on the wire bears out."""
    rows = [row for row in attempts if row["instance"] == client.instance]
    for api, logger in SENDS.items():
        truths = [
            wait
            for client_id in client_ids
            for wait in (
                produce_waits(wire.get(client_id, []))
                if api == "Produce"
                else call_waits(wire.get(client_id, []), api)
            )
        ]
        of_api = [row for row in rows if same_name(row["api"], api)]
        # Waits of joins are judged, and stored nowhere.
        shows_sends = api != "JoinGroup" and client.shows_debug(logger)
        yield from _waits(recording, client, truths, of_api, api, shows_sends)
    requests = [request for client_id in client_ids for request in wire.get(client_id, [])]
    for name in sorted({row["api"] for row in rows if row["api"]}):
        sends = [request for request in requests if same_name(name, request.api)]
        yield from _unborne(recording, client, sends, [row for row in rows if row["api"] == name], name)


def same_name(api: str | None, name: str) -> bool:
    """`FIND_COORDINATOR` is `FindCoordinator`."""
    return (api or "").replace("_", "").lower() == name.lower()


def partition_of(subject: str | None) -> int | None:
    """The partition at the end of `orders-0`, or of `orders-0/<what tells chains apart>`."""
    named = re.search(r"-(\d+)(?=$|[^\d\w.-])", subject or "")
    return int(named.group(1)) if named else None


def _waits(
    recording: Recording, client: Client, waits: list[Wait], rows: list[Row], api: str, shows_sends: bool
) -> Iterator[Fact]:
    truths = [{"wait": wait, "at": wait.failed_at} for wait in waits]
    used = pair(truths, rows, truth_at="at", row_at="failed_at", fits=_same_failure)
    # what no row counts alike is paired with what is left, so that the difference can be told
    left = without(rows, used)
    for place, row in enumerate(used):
        if row is None:
            # one after the other: the nearest that began in the same wait
            (used[place],) = pair(
                [truths[place]], left, truth_at="at", row_at="failed_at", fits=_is_within,
                within_ms=SAME_MOMENT_MS + truths[place]["wait"].waited_ms,
            )  # fmt: skip
            left = without(left, [used[place]])
    log = "" if shows_sends else recording.log_text(client)
    for wait, row in zip(waits, used, strict=True):
        says = f"{api} failure {wait.failures}, waited {wait.waited_ms} ms"
        status, why = FOUND, ""
        if row is None:
            retries = int(client.config.get("retries", MOST_RETRIES))
            status, why = _unseen(wait, api, retries, shows_sends, log)
        elif row["failures"] != wait.failures and api == "Produce":
            status, why = MISSED, f"counted as failure {row['failures']}"
        elif not _agrees(row, wait):
            status, why = (
                MISSED,
                f"rebuilt as {row['waited_ms']} ms" + " at most" * bool(row["is_lower_bound"]),
            )
        yield Fact(
            f"backoff {api}, {client.mode}", status, recording.name, client.name, says, wait.failed_at, why
        )


def _same_wait(truth: Row, row: Row) -> bool:
    wait: Wait = truth["wait"]
    return wait.partition is None or partition_of(row["subject"]) in (wait.partition, None)


def _same_failure(truth: Row, row: Row) -> bool:
    return _same_wait(truth, row) and bool(row["failures"] == truth["wait"].failures)


def _is_within(truth: Row, row: Row) -> bool:
    """Whether a wait began between the answer on the wire and the next send: a busy client takes an answer up late."""
    wait: Wait = truth["wait"]
    begun_after_ms = row["failed_at"] - wait.failed_at
    return _same_wait(truth, row) and -SAME_MOMENT_MS <= begun_after_ms <= wait.waited_ms


def _agrees(row: Row, wait: Wait) -> bool:
    waited: int | None = row["waited_ms"]
    if waited is None:
        return False
    if row["is_lower_bound"]:
        return waited >= wait.waited_ms - WAIT_TOLERANCE_MS
    # an answer that a busy client took up late began its wait late: by so much less it waited
    taken_up_late = max(0, row["failed_at"] - wait.failed_at)
    return any(abs(waited + late - wait.waited_ms) <= WAIT_TOLERANCE_MS for late in (0, taken_up_late))


def _unseen(wait: Wait, api: str, retries: int, shows_sends: bool, log: str) -> tuple[str, str]:
    if shows_sends:
        return MISSED, "no such wait"
    if api != "Produce":
        return HIDDEN, "lookups and their failures are DEBUG"
    retried = times_said(log, f"-{wait.partition}, retrying ({retries - wait.failures - 1} attempts left)")
    if not any(wait.sent_at <= at <= (wait.answered_at or wait.sent_at) + SAME_MOMENT_MS for at in retried):
        return HIDDEN, "the send after the last retry line is DEBUG"
    return MISSED, "no such wait"


def _unborne(
    recording: Recording, client: Client, requests: list[Request], rows: list[Row], api: str
) -> Iterator[Fact]:
    """Rows whose send is known, at a time when the wire saw none and could have."""
    sends = [{"at": request.sent_at} for request in requests]
    known = [
        row
        for row in rows
        if row["sent_at"] is not None
        and not row["is_lower_bound"]
        and not any(shut <= row["sent_at"] <= until + SAME_MOMENT_MS for shut, until in recording.shut)
    ]
    # several batches may leave in one request, so a send may bear out several rows
    unborne = [
        row
        for row in known
        if pair([row], sends, truth_at="sent_at", row_at="at", fits=lambda *_: True) == [None]
    ]
    for row in without(unborne, []):
        says = f"{row['subject']} failure {row['failures']}, waited {row['waited_ms']} ms"
        yield Fact(f"backoff {api}, {client.mode}", FALSE, recording.name, client.name, says, row["sent_at"])
