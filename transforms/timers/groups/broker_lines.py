"""What a group coordinator's lines say: members removed, left, replaced; rebalances begun and ended.

Sources: GroupCoordinator (to 3.x), GroupMetadataManager (3.6 and later); both print the member id, never
the client id.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from transforms.events import ClientEvent
from transforms.timers.groups.membership import Proof
from transforms.when_used import when_used

# The member in a rebalance's reason; the reason's own words are the coordinator's, what follows `client
# reason:` is not.
_REASONS = (
    ("member_failed", when_used(r"^removing member (?P<member>.+?) on heartbeat expiration")),
    (
        "joined",
        when_used(
            r"^Adding new member (?P<member>.+?)(?: with group ?instance ?id (?P<instance>[^\s;]+)|[);]|$)"
        ),
    ),
    ("left", when_used(r"^explicit `?LeaveGroup`? request for \((?P<member>[^),]+)")),
    ("left", when_used(r"^removing member (?P<member>.+?) on LeaveGroup")),
    (
        "metadata_changed",
        when_used(r"^Updating metadata for (?:static )?member (?P<member>.+?)(?: during| with instance|;|$)"),
    ),
    ("leader_rejoined", when_used(r"^[Ll]eader (?P<member>.+?) re-joining")),
    ("member_failed", when_used(r"^removing (?:on|pending).*member (?P<member>\S+)")),
    ("member_failed", when_used(r"^[Rr]emoving \w*[\[(](?P<member>[^\s,\])]+)[^\])]*[\])] on pending sync")),
)
_ASSIGNED = when_used(r"([^\s{}=,][^{}=,]*)=Assignment\(")
_INSTANCE_NONE = frozenset({"null", "None", "Optional.empty"})
_SESSION = frozenset({"broker-member-failed"})
SILENT = "on heartbeat expiration"  # Source: GroupCoordinator.onExpireHeartbeat
# A member's own word, that its leave brings (KIP-800): alone, or behind what the coordinator says.
_OVERDUE = when_used(r"(?:^|client reason: )consumer poll timeout has expired")
# Source: GroupMetadataManager.expirePendingSync, GroupCoordinator.onExpirePendingSync
_UNSYNCED = when_used(r"^[Rr]emoving (?P<members>\w*[\[(][^\])]*[\])]) on pending sync request expiration")
_REBALANCE = frozenset({"broker-rejoin-timeout", "broker-sync-timeout"})
_NAMES_OTHERS = _REBALANCE | {"leader-assignment", "broker-prepare-rebalance"}


@dataclass(frozen=True, slots=True)
class Trigger:
    """Why a rebalance began. is_dynamic: None where the line does not say."""

    name: str
    member_id: str | None = None
    is_dynamic: bool | None = None


@dataclass(frozen=True, slots=True)
class Removal:
    """The coordinator took a member out: `session`, `rebalance`, `sync`, `left`, `overdue` (it left as it had not polled
    in time) or `replaced` (a static id, taken anew).
    """

    member_id: str
    cause: str
    proof: Proof
    limit_ms: int | None = None


def is_broker(event: ClientEvent) -> bool:
    """Whether the coordinator wrote it."""
    return event.client_kind == "broker" or event.message_id.startswith("broker-")


def trigger_of(event: ClientEvent) -> Trigger:
    """The trigger of a `Preparing to rebalance` line."""
    reason = event.details.get("reason", "")
    for name, pattern in _REASONS:
        found = pattern.search(reason)
        if found:
            instance = found.groupdict().get("instance")
            is_dynamic = None if instance is None else instance in _INSTANCE_NONE
            if name in ("metadata_changed", "leader_rejoined") and "metadata has changed" in reason:
                name = "metadata_changed"
            return Trigger(name, found["member"].rstrip(".,;"), is_dynamic)
    return Trigger("unknown", event.member_id)


def removals_of(event: ClientEvent) -> Iterator[Removal]:
    """The members that this line takes out of the group."""
    if event.happened_at is None:
        return
    proof = Proof(event.happened_at, event.event_id)
    cause, members = _removed(event)
    for member in members:
        yield Removal(member, cause, proof, event.limit_ms)


def removes_members(event: ClientEvent) -> bool:
    """Whether this line takes members out of the group, when that was or not."""
    return bool(_removed(event)[1])


def named_members(event: ClientEvent) -> Iterable[str]:
    """All member ids that a line names: what ties clients' and brokers' logs of one group together."""
    own = (event.member_id,) if event.member_id else ()
    return (*own, *_named(event)) if event.message_id in _NAMES_OTHERS else own


def _named(event: ClientEvent) -> Iterator[str]:
    if event.message_id in _REBALANCE:
        yield from _listed(event.details.get("members", ""))
    if event.message_id == "leader-assignment":
        yield from _ASSIGNED.findall(event.details.get("assignments", ""))
    if event.message_id == "broker-prepare-rebalance":
        member = trigger_of(event).member_id
        if member:
            yield member
        yield from _unsynced(event)


def _removed(event: ClientEvent) -> tuple[str, list[str]]:
    one = [event.member_id] if event.member_id else []
    if event.message_id in _SESSION:
        return "session", one
    if event.message_id in _REBALANCE:
        cause = "sync" if event.message_id == "broker-sync-timeout" else "rebalance"
        return cause, list(_listed(event.details.get("members", ""))) or one
    if event.message_id == "broker-prepare-rebalance" and SILENT in event.details.get("reason", ""):
        silent = trigger_of(event).member_id  # its own line, just before, may have been left out
        return "session", [silent] if silent else []
    if event.message_id == "broker-prepare-rebalance" and (unsynced := _unsynced(event)):
        return "sync", unsynced  # since 4.0 its own line is at DEBUG
    if event.message_id == "broker-prepare-rebalance" and _is_overdue(event):
        overdue = trigger_of(event).member_id
        return "overdue", [overdue] if overdue else []
    if event.message_id == "broker-leave":
        return "overdue" if _is_overdue(event) else "left", one
    if event.message_id.startswith("broker-fenced-848"):
        return ("session" if "session" in event.details.get("reason", "") else "rebalance"), one
    if event.message_id == "broker-static-replaced":
        return "replaced", one
    return "", []


def _is_overdue(event: ClientEvent) -> bool:
    return _OVERDUE.search(event.details.get("reason", "")) is not None


def _unsynced(event: ClientEvent) -> list[str]:
    """The members that a rebalance began without, as they had not sent their SyncGroup."""
    found = _UNSYNCED.match(event.details.get("reason", ""))
    return list(_listed(found["members"])) if found else []


def _listed(text: str) -> Iterator[str]:
    for part in re.sub(r"^\w*Set\(", "", text).strip("(){}[] ").split(","):
        member = part.strip()
        if member:
            yield member
