"""Memberships of groups: joined, left (and why), evicted, fenced, joined again."""

import gzip
import re
from collections.abc import Iterator, Mapping

from lab.corpus import Client, Recording, ms
from lab.score.fact import FALSE, FOUND, HIDDEN, MISSED, SAME_MOMENT_MS, Fact, Row, pair, without
from lab.score.own_ends import own_end_facts
from lab.score.wire import Membership, Request, memberships_of, replace_static

REMOVED = re.compile(r"^\[([^]]+)\] INFO .*Member (\S+) in group \S+ has failed, removing it", re.MULTILINE)
UNSYNCED = re.compile(
    r"^\[([^]]+)\] INFO .*reason: Removing \w*[\[(]([^])]+)[\])] on pending sync request expiration",
    re.MULTILINE,
)
POLL_LEAVE = re.compile(r"Member (\S+) has left group .*poll timeout has expired")
# Outcomes that tell an end rightly, where there are several. A static member that was gone when
# another took its place was fenced by it or closed by itself: its own log may show neither.
ACCEPTED = {
    "evicted": ("session_expired", "rebalance_expired"),
    "replaced": ("fenced", "closed", "unknown"),
}
# What a member says of its own end, whom its coordinator removes later: without a leave, or with one that did not arrive.
ENDED_BEFORE = ("poll_expired", "closed")
# How long a process may take from its last group request to its end.
SHUTDOWN_MS = 10_000


def removals_of(recording: Recording) -> dict[str, int]:
    """When the coordinator removed a member as failed, by member id: its own word, the only witness."""
    text = broker_text(recording)
    removed = [*REMOVED.findall(text)]
    removed += [(at, member) for at, members in UNSYNCED.findall(text) for member in members.split(", ")]
    # A coordinator that loads its group again may remove a member twice: the first time counts.
    return {
        member: ms(at.replace(" ", "T").replace(",", ".") + "Z")
        for at, member in sorted(removed, reverse=True)
    }


def all_memberships(recording: Recording, wire: Mapping[str, list[Request]]) -> dict[str, list[Membership]]:
    """Every membership that the wire shows, by client id."""
    removals = removals_of(recording)
    found = {client_id: memberships_of(requests, removals) for client_id, requests in wire.items()}
    replace_static([membership for of_client in found.values() for membership in of_client])
    return found


def membership_facts(
    recording: Recording,
    client: Client,
    memberships: Mapping[str, list[Membership]],
    client_ids: list[str],
    sessions: list[Row],
) -> Iterator[Fact]:
    """What the wire says of each membership of a process, against its liveness sessions.

    memberships: of all clients of the recording, by client id.
    """
    if not client.shows_joins or not client.is_classic:
        yield from own_end_facts(recording, client, sessions)
        return
    slow_leavers = set(POLL_LEAVE.findall(broker_text(recording)))
    truths = [
        {"membership": found, "at": found.joined_at}
        for client_id in client_ids
        for found in memberships.get(client_id, [])
    ]
    truths.sort(key=lambda truth: truth["at"])
    rows = [row for row in sessions if row["instance"] == client.instance]
    used = pair(truths, rows, truth_at="at", row_at="joined_at", fits=_same_member, within_ms=SHUTDOWN_MS)
    for truth, row in zip(truths, used, strict=True):
        membership: Membership = truth["membership"]
        yield _joined(recording, client, membership, row)
        if membership.ended_by:
            yield _ended(
                recording, client, membership, row, _why_left(recording, client, membership, slow_leavers)
            )
        if membership.ended_by == "left" and row is not None and row["outcome"] == "poll_expired":
            yield from _last_poll(recording, client, membership, row)
        if membership.next_joined_at and membership.ended_by:
            yield _rejoined(recording, client, membership, row)
    yield from _false_ends(recording, client, [truth["membership"] for truth in truths], used, rows)


def _same_member(truth: Row, row: Row) -> bool:
    membership: Membership = truth["membership"]
    if membership.member_id and row["member_id"]:
        return bool(membership.member_id == row["member_id"])
    return membership.joined_at - SAME_MOMENT_MS <= row["joined_at"] <= membership.synced_at + SAME_MOMENT_MS


def _joined(recording: Recording, client: Client, membership: Membership, row: Row | None) -> Fact:
    says = membership.member_id or membership.client_id
    status, why = FOUND, ""
    if row is None:
        status, why = MISSED, "no such session"
    elif not _between(row["joined_at"], membership.joined_at, membership.synced_at):
        status, why = MISSED, f"joined {row['joined_at'] - membership.joined_at} ms off"
    return Fact("member joined", status, recording.name, client.name, says, membership.joined_at, why)


def _ended(
    recording: Recording, client: Client, membership: Membership, row: Row | None, wanted: str
) -> Fact:
    kinds = {name: f"member {name}" for name in ("evicted", "fenced", "replaced")} | {
        "left": f"member left: {wanted}"
    }
    says = f"{membership.member_id or membership.client_id} {wanted}"
    status, why = FOUND, ""
    outcomes = ACCEPTED.get(wanted, (wanted,))
    ended_at = row["ended_at"] if row is not None else None
    had_ended = ended_at is not None and membership.ended_at is not None and ended_at < membership.ended_at
    if row is None:
        status, why = MISSED, "no such session"
    elif wanted == "evicted" and had_ended and row["outcome"] in ENDED_BEFORE:
        pass
    elif row["outcome"] not in outcomes:
        status, why = MISSED, f"rebuilt as {row['outcome']}"
    elif not _between(
        row["ended_at"], membership.ended_at, membership.end_known_at or membership.ended_at
    ) and not _gave_up(recording, client, row):
        off = None if row["ended_at"] is None else row["ended_at"] - (membership.ended_at or 0)
        status, why = MISSED, f"ended {off} ms off"
    return Fact(
        kinds[membership.ended_by or ""], status, recording.name, client.name, says, membership.ended_at, why
    )


def _last_poll(recording: Recording, client: Client, membership: Membership, row: Row) -> Iterator[Fact]:
    """When a member that polled too rarely had last polled, where the code around poll() noted it."""
    gap = _gap_around(recording, client, membership)
    if gap is not None:
        status, why = FOUND, ""
        if not _between(row["last_poll_at"], gap[0], gap[0]):
            status, why = MISSED, f"last_poll_at {row['last_poll_at']}"
        yield Fact(
            "last poll before leaving",
            status,
            recording.name,
            client.name,
            row["member_id"] or "",
            gap[0],
            why,
        )


def _gap_around(recording: Recording, client: Client, membership: Membership) -> tuple[int, int] | None:
    """The gap between two polls, longer than the limit, in which the member left."""
    at, limit = membership.ended_at or 0, membership.max_poll_interval_ms or 0
    for gap in recording.facts.get(client.name, {}).get("poll_gaps_over_2s", []):
        until = ms(gap["t"])
        if gap["gap_ms"] > limit and until - gap["gap_ms"] < at < until:
            return until - gap["gap_ms"], until
    return None


def _rejoined(recording: Recording, client: Client, membership: Membership, row: Row | None) -> Fact:
    says = f"{membership.client_id} after {membership.ended_by}"
    until = membership.next_synced_at or membership.next_joined_at
    status, why = FOUND, ""
    if row is None:
        status, why = MISSED, "no such session"
    elif not _between(row["rejoined_at"], membership.next_joined_at, until):
        status, why = MISSED, f"rejoined_at {row['rejoined_at']}"
        if membership.ended_by == "left" and row["outcome"] == "closed":
            status, why = HIDDEN, "a closed consumer's successor is another process or consumer"
    return Fact("member rejoined", status, recording.name, client.name, says, membership.next_joined_at, why)


def _between(at: int | None, first: int | None, last: int | None) -> bool:
    return (
        at is not None
        and first is not None
        and last is not None
        and first - SAME_MOMENT_MS <= at <= last + SAME_MOMENT_MS
    )


def _gave_up(recording: Recording, client: Client, row: Row) -> bool:
    """Whether librdkafka ended the membership by its own count, as its callback noted, before its coordinator did."""
    return client.library != "java" and any(
        event["event"] == "lost" and abs(ms(event["t"]) - (row["ended_at"] or 0)) <= SAME_MOMENT_MS
        for event in recording.events(client.name)
    )


def _why_left(recording: Recording, client: Client, membership: Membership, slow_leavers: set[str]) -> str:
    """The truth's reason: a leave inside a gap between polls longer than the limit is the poll timeout's."""
    if membership.ended_by != "left":
        return membership.ended_by or ""
    too_slow = membership.member_id in slow_leavers or _gap_around(recording, client, membership) is not None
    return "poll_expired" if too_slow else "closed"


def _false_ends(
    recording: Recording,
    client: Client,
    memberships: list[Membership],
    used: list[Row | None],
    rows: list[Row],
) -> Iterator[Fact]:
    """Ends that nobody saw: of a membership that was open, or of one that never was."""
    open_rows = [
        row for m, row in zip(memberships, used, strict=True) if row is not None and m.ended_by is None
    ]
    stopped = [
        ms(event["t"])
        for event in recording.events(client.name)
        if event["event"] in ("closed", "end", "halt", "uncaught")
    ]
    for row in [*open_rows, *without(rows, used)]:
        if row["outcome"] in ("open", "unknown"):
            continue
        if _gave_up(recording, client, row):
            continue
        # Streams' consumers are closed without a LeaveGroup
        if row["outcome"] == "closed" and any(
            abs(at - (row["ended_at"] or 0)) <= SHUTDOWN_MS for at in stopped
        ):
            continue
        says = f"{row['member_id'] or row['client_id']} {row['outcome']}"
        yield Fact("member ended", FALSE, recording.name, client.name, says, row["ended_at"])


def broker_text(recording: Recording) -> str:
    """The broker's log, whole."""
    return gzip.decompress((recording.folder / "broker.log.gz").read_bytes()).decode(errors="replace")
