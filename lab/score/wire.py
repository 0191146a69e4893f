"""What the proxy saw, as requests with their answers: the truth about sends, waits and memberships."""

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from lab.corpus import Recording, ms

# Answers that a client backs off after. MEMBER_ID_REQUIRED and REBALANCE_IN_PROGRESS are steps, not failures.
RETRIED_AFTER_BACKOFF = frozenset(
    {"COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR", "NOT_ENOUGH_REPLICAS"}
)


@dataclass(slots=True)
class Request:
    """One request on the wire; answered_at is None where no answer reached the client."""

    api: str
    client_id: str
    sent_at: int
    correlation_id: int
    answered_at: int | None = None
    error: str | None = None
    errors: dict[int, str] = field(default_factory=dict)  # Produce: by partition
    says: dict[str, Any] = field(default_factory=dict)


def requests_of(recording: Recording) -> dict[str, list[Request]]:
    """All requests by client id, in the order they were sent."""
    by_client: dict[str, list[Request]] = defaultdict(list)
    waiting: dict[tuple[int, int], Request] = {}
    for seen in recording.wire():
        key = (seen.get("conn"), seen.get("corr"))
        if seen["ev"] == "req":
            request = Request(
                str(seen["api"]), seen.get("client") or "", ms(seen["t"]), seen["corr"], says=seen
            )
            by_client[request.client_id].append(request)
            waiting[key] = request
        elif seen["ev"] == "resp" and key in waiting:
            request = waiting.pop(key)
            request.answered_at = ms(seen["t"])
            request.error = seen.get("error")
            if seen.get("member_id"):  # what a static member, or an old client, learns with its first answer
                request.says = request.says | {"member_id": seen["member_id"]}
            request.errors = {int(partition): error for partition, error in seen.get("partitions") or []}
    return dict(by_client)


@dataclass(frozen=True, slots=True)
class Wait:
    """One backoff on the wire: answered with an error, then sent again. failures counts from 1.

    answered_at: when the second send was answered.
    """

    api: str
    client_id: str
    partition: int | None
    failures: int
    failed_at: int
    sent_at: int
    answered_at: int | None

    @property
    def waited_ms(self) -> int:
        return self.sent_at - self.failed_at


def produce_waits(requests: list[Request]) -> list[Wait]:
    """Waits of producer batches: the same partition and CRC sent again after an error."""
    waits = []
    for partition, sends in batches_of(requests):
        failures = 0
        for before, after in pairwise(sends):
            failures += 1
            error = before.errors.get(partition)
            if before.answered_at is None or error in (None, "NONE"):
                continue  # no answer: the moment of failure is the client's own, not on the wire
            waits.append(
                Wait(
                    "Produce",
                    before.client_id,
                    partition,
                    failures,
                    before.answered_at,
                    after.sent_at,
                    after.answered_at,
                )
            )
    return sorted(waits, key=lambda wait: wait.failed_at)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A batch that was answered without an error after at least one failed try."""

    partition: int
    attempts: int
    delivered_at: int


def deliveries_after_retry(requests: list[Request]) -> list[Delivery]:
    """In order of delivery; batches recorded without a CRC can't be told apart and are left out."""
    found = [
        Delivery(partition, len(sends), sends[-1].answered_at)
        for partition, sends in batches_of(requests)
        if len(sends) > 1 and sends[-1].answered_at is not None and sends[-1].errors.get(partition) == "NONE"
    ]
    return sorted(found, key=lambda delivery: delivery.delivered_at)


def batches_of(requests: list[Request]) -> list[tuple[int, list[Request]]]:
    """The sends of each producer batch, with its partition. A batch is known by its CRC; where a new epoch numbers it anew
    (KIP-360), which changes that, by when it was made, and by its records. One without numbers that failed is sent again by
    librdkafka with what came meanwhile: by its first record. What is too large is split at once, and no batch any more."""
    batches: list[tuple[int, list[Request]]] = []
    known: dict[tuple[int, ...], list[Request]] = {}
    numberless: dict[
        tuple[int, int], tuple[int, list[Request]]
    ] = {}  # records and sends, by the first record
    for request in requests:
        for batch in request.says.get("batches") or []:
            if "crc" not in batch:
                continue
            partition = batch["partition"]
            names = [(partition, batch["crc"])]
            if "created_ms" in batch:
                names.append((partition, batch["created_ms"], batch["records"]))
            sends = next((known[name] for name in names if name in known), None)
            first = (partition, batch.get("created_ms", 0))
            records, before = numberless.get(first, (0, []))
            if sends is None and before and before[-1].errors.get(partition) not in (None, "NONE"):
                sends = before if records < batch["records"] else None
            if sends is None:
                sends = []
                batches.append((partition, sends))
            sends.append(request)
            known.update(dict.fromkeys(names, sends))
            if batch.get("base_seq") == -1:
                numberless[first] = batch["records"], sends
            if request.errors.get(partition) == "MESSAGE_TOO_LARGE":
                for name in names:
                    del known[name]
    return batches


def call_waits(requests: list[Request], api: str) -> list[Wait]:
    """Waits of a request that is one at a time: until the next of its kind after a retriable error."""
    waits = []
    failures = 0
    sends = [request for request in requests if request.api == api]
    for before, after in pairwise(sends):
        if before.answered_at is None or before.error not in RETRIED_AFTER_BACKOFF:
            failures = 0
            continue
        failures += 1
        if after.sent_at >= before.answered_at:
            waits.append(
                Wait(
                    api,
                    before.client_id,
                    None,
                    failures,
                    before.answered_at,
                    after.sent_at,
                    after.answered_at,
                )
            )
    return waits


@dataclass(slots=True)
class Membership:
    """One membership of a group as the wire shows it.

    ended_by: left, evicted (the coordinator no longer knew the member), fenced, replaced (its process was
    gone when another took its group.instance.id), or None (open). It ended between ended_at and end_known_at.
    """

    client_id: str
    member_id: str
    instance_id: str | None
    asked_at: int
    joined_at: int
    synced_at: int
    ended_at: int | None = None
    end_known_at: int | None = None
    ended_by: str | None = None
    next_joined_at: int | None = None
    next_synced_at: int | None = None
    max_poll_interval_ms: int | None = None


def memberships_of(requests: list[Request], removals: dict[str, int]) -> list[Membership]:
    """Memberships of one client id; removals: when the coordinator removed a member id as failed."""
    found: list[Membership] = []
    for request in requests:
        answer_ok = request.answered_at is not None and request.error in (None, "NONE")
        current = found[-1] if found and found[-1].ended_at is None else None
        if request.api == "JoinGroup" and answer_ok:
            member_id = request.says.get("member_id") or ""
            if current is None or (member_id and current.member_id and member_id != current.member_id):
                joined = request.answered_at or request.sent_at
                if current is not None:
                    current.ended_at, current.ended_by = removals.get(current.member_id, joined), "evicted"
                fresh = Membership(
                    request.client_id,
                    member_id,
                    request.says.get("group_instance_id"),
                    request.sent_at,
                    joined,
                    joined,
                    max_poll_interval_ms=request.says.get("rebalance_timeout_ms"),
                )
                if found:
                    found[-1].next_joined_at = joined
                found.append(fresh)
        elif request.api == "SyncGroup" and answer_ok and current and current.synced_at == current.joined_at:
            current.synced_at = request.answered_at or current.synced_at
            if len(found) > 1:
                found[-2].next_synced_at = current.synced_at
        elif current is not None:
            _end(current, request, answer_ok, removals)
    for membership in found:
        if membership.ended_at is None and membership.member_id in removals:
            membership.ended_at, membership.ended_by = removals[membership.member_id], "evicted"
    return found


def replace_static(memberships: list[Membership]) -> None:
    """End static memberships, in place, where another process joined with their group.instance.id."""
    static = sorted((m for m in memberships if m.instance_id), key=lambda m: m.joined_at)
    for place, older in enumerate(static):
        newer = next((m for m in static[place + 1 :] if m.instance_id == older.instance_id), None)
        if newer is None or (older.ended_at is not None and older.ended_at < newer.asked_at):
            continue
        older.end_known_at = max(newer.joined_at, older.ended_at or 0)
        older.ended_at, older.ended_by = newer.asked_at, older.ended_by or "replaced"


def _end(current: Membership, request: Request, answer_ok: bool, removals: dict[str, int]) -> None:
    if not current.member_id and request.says.get("member_id"):
        current.member_id = request.says["member_id"]  # static members learn it with the first answer
    if current.member_id in removals and removals[current.member_id] < request.sent_at:
        current.ended_at, current.ended_by = removals[current.member_id], "evicted"
    elif request.api == "LeaveGroup" and answer_ok:
        current.ended_at, current.ended_by = request.sent_at, "left"
    elif request.error == "FENCED_INSTANCE_ID":
        current.ended_at, current.ended_by = request.answered_at, "fenced"
    elif request.error == "UNKNOWN_MEMBER_ID" and request.api == "Heartbeat":
        current.ended_at, current.ended_by = request.answered_at, "evicted"
