"""Ends of memberships that a client tells by itself, where its log or the wire shows no joins: librdkafka without
debug=cgrp, and members by KIP-848.
"""

from collections.abc import Iterator

from lab.corpus import Client, Recording, ms
from lab.score.fact import FALSE, FOUND, MISSED, Fact, Row, pair, without

# Its timers are looked at once or twice a second, and its callbacks run when the application polls.
SOON_MS = 1500
# Java's members by KIP-848 look at each heartbeat, every 5 s by default; without a coordinator not before the next poll.
SOON_848_MS = 6500
MAX_POLL_MS = 300_000  # the default


def own_end_facts(recording: Recording, client: Client, sessions: list[Row]) -> Iterator[Fact]:
    """Poll expiries, sessions given up and fencing, by the code around the client, against its sessions.

    Under KIP-848 librdkafka says at the limit that it leaves, and sends that with the next poll() only.
    """
    truths = sorted(_truths(recording, client), key=lambda truth: truth["at"])
    told = ("poll_expired",) if client.library == "java" else ("poll_expired", "session_expired", "fenced")
    rows = [row for row in sessions if row["instance"] == client.instance and row["outcome"] in told]
    within_ms = SOON_MS
    if client.library == "java":
        within_ms = SOON_848_MS + max((truth["late_ms"] for truth in truths), default=0)
    used = pair(truths, rows, truth_at="at", row_at="ended_at", fits=_is_alike, within_ms=within_ms)
    for truth, row in zip(truths, used, strict=True):
        status, why = (FOUND, "") if row is not None else (MISSED, "no such session")
        name = f"member ended by itself: {truth['outcome']}"
        yield Fact(name, status, recording.name, client.name, client.name, truth["at"], why)
    untold = without(rows, used)
    leaves = _leaves(recording) if untold else []
    for row in untold:
        says = f"{row['client_id']} {row['outcome']}"
        said = (row["member_id"] == member and abs(at - row["ended_at"]) <= SOON_MS for member, at in leaves)
        status = FOUND if any(said) else FALSE
        yield Fact("member ended", status, recording.name, client.name, says, row["ended_at"])


def _leaves(recording: Recording) -> list[tuple[str, int]]:
    """Whose heartbeats say that they leave (KIP-848), and when: what kept poll() away need not be the application."""
    return [
        (seen["member_id"], ms(seen["t"])) for seen in recording.wire() if seen.get("member_epoch", 0) < 0
    ]


def _is_alike(truth: Row, row: Row) -> bool:
    return bool(truth["outcome"] == row["outcome"])


def _truths(recording: Recording, client: Client) -> Iterator[Row]:
    gaps = [
        (ms(event["t"]), ms(event["t"]) + event["ms"])
        for event in recording.events(client.name)
        if event["event"] == "processing_slow"
    ]
    limit_ms = int(client.config.get("max.poll.interval.ms", MAX_POLL_MS))
    for begin, end in gaps:
        if end - begin > limit_ms:
            yield {"at": begin + limit_ms, "outcome": "poll_expired", "late_ms": end - begin - limit_ms}
    if client.library == "java":
        return
    is_fatal = False
    for event in recording.events(client.name):
        at = ms(event["t"])
        if event["event"] in ("error_cb", "poll_error") and event.get(
            "fatal", "_FATAL" in event.get("code", "")
        ):
            if not is_fatal:
                yield {"at": at, "outcome": "fenced"}
            is_fatal = True
        elif (
            event["event"] == "lost" and not is_fatal and not any(abs(at - end) < SOON_MS for _, end in gaps)
        ):
            yield {"at": at, "outcome": "session_expired"}
