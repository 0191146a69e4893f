"""Producer batches that expired, failed, or were delivered after a retry."""

import re
from collections.abc import Iterator, Mapping

from lab.corpus import Client, Recording, ms, times_said
from lab.score.fact import FALSE, FOUND, HIDDEN, MISSED, SAME_MOMENT_MS, Fact, Row, pair, without
from lab.score.wire import Request, batches_of, deliveries_after_retry

EXPIRED = re.compile(r"Expiring (\d+) record\(s\) for \S+-(\d+):(\d+) ms has passed since")
NETWORK = "org.apache.kafka.clients.NetworkClient"
# send() returns some ms after its batch was made, and the callback runs some ms before it is noted.
AGE_TOLERANCE_MS = 60


def batch_facts(
    recording: Recording,
    client: Client,
    wire: Mapping[str, list[Request]],
    client_ids: list[str],
    lifetimes: list[Row],
) -> Iterator[Fact]:
    """Ends of the batches of a producer application (Streams' own producers have no noted callbacks)."""
    rows = [row for row in lifetimes if row["instance"] == client.instance]
    completions = recording.facts.get(client.name, {}).get("completions")
    if completions is None:
        return
    failed = [_truth(entry) for entry in completions if _is_batch_failure(entry)]
    ended = [row for row in rows if row["outcome"] in ("expired", "failed")]
    used = pair(failed, ended, truth_at="at", row_at="ended_at", fits=_same_batch)
    # Of some no line says of which partition they are.
    unplaced = [row for row in without(ended, used) if row["topic"] is None]
    left = [place for place, row in enumerate(used) if row is None]
    whose = [failed[place] for place in left]
    found = pair(whose, unplaced, truth_at="at", row_at="ended_at", fits=lambda _truth, _row: True)
    for place, row in zip(left, found, strict=True):
        used[place] = row
    log = recording.log_text(client)
    requests = [request for client_id in client_ids for request in wire.get(client_id, [])]
    for truth, row in zip(failed, used, strict=True):
        yield _failure(recording, client, truth, row, log)
        yield from _attempts(recording, client, truth, row, requests)
    for row in without(ended, used):
        place = f"{row['topic']}-{row['partition']}"
        says = f"{place} {row['outcome']}, {row['records']} records, age {row['age_ms']} ms"
        yield Fact("batch expired or failed", FALSE, recording.name, client.name, says, row["ended_at"])
    yield from _deliveries(recording, client, requests, rows)


def _is_batch_failure(entry: Row) -> bool:
    """Not a send() that timed out waiting for metadata or memory: it never made a batch."""
    return entry["outcome"] != "acked" and "not present in metadata" not in (entry["exc"] or "")


def _truth(entry: Row) -> Row:
    said = EXPIRED.search(entry["exc"] or "")
    return {
        **entry,
        "at": ms(entry["completed"]),
        "is_expired": said is not None,
        "age_ms": int(said.group(3)) if said else entry["lifetime_ms_upper"],
        "text": said.group(0) if said else (entry["exc"] or "").split(": ", 1)[-1].split(" <- ")[0],
    }


def _same_batch(truth: Row, row: Row) -> bool:
    same_place = row["topic"] == truth["topic"] and row["partition"] == truth["partition"]
    if truth["is_expired"] and row["outcome"] == "expired":
        return same_place and row["age_ms"] == truth["age_ms"]
    return same_place


def _failure(recording: Recording, client: Client, truth: Row, row: Row | None, log: str) -> Fact:
    kind = "batch expired" if truth["is_expired"] else "batch failed"
    says = f"{truth['topic']}-{truth['partition']}, {truth['records']} records, age {truth['age_ms']} ms"
    status, why = FOUND, ""
    wrong = _wrong(truth, row)
    if wrong:
        status, why = MISSED, wrong
        said = times_said(log, truth["text"])
        if row is None and not truth["is_expired"] and truth["topic"] not in truth["text"]:
            status, why = HIDDEN, "no line says of which partition the batch was"
        elif row is None and not any(abs(at - truth["at"]) <= SAME_MOMENT_MS for at in said):
            status, why = (
                HIDDEN,
                "no line tells of it (the producer logs no expiry, the application did not either)",
            )
    return Fact(kind, status, recording.name, client.name, says, truth["at"], why)


def _wrong(truth: Row, row: Row | None) -> str:
    if row is None:
        return "no such batch"
    wanted = "expired" if truth["is_expired"] else "failed"
    if row["outcome"] != wanted:
        return f"rebuilt as {row['outcome']}"
    if row["age_ms"] is None:
        return "" if not truth["is_expired"] else "age unknown"
    if row["age_ms"] > truth["age_ms"] + AGE_TOLERANCE_MS:
        return f"rebuilt with an age of {row['age_ms']} ms"
    return ""


def _attempts(
    recording: Recording, client: Client, truth: Row, row: Row | None, requests: list[Request]
) -> Iterator[Fact]:
    """How often a batch was sent, where the wire saw it and the row says it."""
    if row is None or row["attempts"] is None:
        return
    created = truth["at"] - truth["age_ms"]
    sent = [
        len(sends)
        for partition, sends in batches_of(requests)
        if partition == truth["partition"] and _is_created(sends[0], partition, created)
    ]
    if len(sent) == 1:
        status, why = (FOUND, "") if sent[0] == row["attempts"] else (MISSED, f"rebuilt as {row['attempts']}")
        if status == MISSED and not client.shows_debug(NETWORK):
            status, why = HIDDEN, "a try that did not fail by itself is DEBUG"
        says = f"{truth['topic']}-{truth['partition']} sent {sent[0]} times"
        yield Fact("tries of a batch", status, recording.name, client.name, says, truth["at"], why)


def _is_created(send: Request, partition: int, created: int) -> bool:
    return any(
        batch["partition"] == partition and abs(batch["created_ms"] - created) <= AGE_TOLERANCE_MS
        for batch in send.says["batches"]
    )


def _deliveries(
    recording: Recording, client: Client, requests: list[Request], rows: list[Row]
) -> Iterator[Fact]:
    """Batches that were delivered after at least one failed try."""
    truths: list[Row] = [
        {"partition": found.partition, "at": found.delivered_at, "attempts": found.attempts}
        for found in deliveries_after_retry(requests)
    ]
    delivered = [row for row in rows if row["outcome"] == "delivered"]
    used = pair(
        truths,
        delivered,
        truth_at="at",
        row_at="ended_at",
        fits=lambda truth, row: bool(row["partition"] == truth["partition"]),
    )
    for truth, row in zip(truths, used, strict=True):
        says = f"partition {truth['partition']} after {truth['attempts']} tries"
        status, why = (FOUND, "") if row else (MISSED, "no such batch")
        if row is None and not client.shows_debug(NETWORK):
            status, why = HIDDEN, "answers are DEBUG"
        yield Fact("batch delivered after retry", status, recording.name, client.name, says, truth["at"], why)
    for row in without(delivered, used):
        says = f"{row['topic']}-{row['partition']} delivered after {row['attempts']} tries"
        yield Fact("batch delivered after retry", FALSE, recording.name, client.name, says, row["ended_at"])
