"""Since when there is a trouble, and what changed before it began: a version, a setting's value, a start. Pure.

A class of incidents is one fingerprint. A change is what a service had never shown before: a version, a setting's value, an
n-th start of one of its processes; changes that follow each other within minutes are one rollout.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from transforms.diagnose.wording.words import listed

Row = Mapping[str, Any]
ROLLOUT_MS = 600_000  # the next process of a fleet comes within so long
NEW, BACK, KNOWN, FIRST = "new", "back", "known", "first"


@dataclass(frozen=True, slots=True)
class Change:
    """What a service showed for the first time, together. at: ms. is_first: nothing is known of the service before it."""

    service: str | None
    at: int
    what: str
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Class:
    """The incidents of one fingerprint. state: `new` (since the change), `back` (it was gone through one change at least,
    and came again after this one), `known` (it goes on as before), `first` (nothing is known of the time before it).
    """

    fingerprint: str
    first_at: int
    last_at: int
    times: int
    state: str
    since: Change | None


def changes_of(starts: Iterable[Row], settings: Iterable[Row]) -> list[Change]:
    """The changes, in order.

    starts: service, incarnation, client_version, happened_at, of config dumps and version lines. settings: service,
    client_kind, name, value, from_at (null: from the beginning on).
    """
    seen: dict[tuple[Any, ...], int | None] = {}
    for row in starts:
        if row["happened_at"] is not None:
            _see(seen, (row["service"], "start", row["incarnation"]), row["happened_at"])
            if row["client_version"]:
                _see(seen, (row["service"], "version", row["client_version"]), row["happened_at"])
    for row in settings:
        _see(seen, (row["service"], row["client_kind"], row["name"], row["value"]), row["from_at"])
    rollouts: dict[str | None, list[list[tuple[int, str]]]] = defaultdict(list)
    for at, service, what in sorted(
        (at, key[0] or "", _words(key)) for key, at in seen.items() if at is not None
    ):
        of_service = rollouts[service or None]
        if of_service and at - of_service[-1][-1][0] <= ROLLOUT_MS:
            of_service[-1].append((at, what))
        else:
            of_service.append([(at, what)])
    found = [
        Change(service, together[0][0], listed(sorted({what for _, what in together})), number == 0)
        for service, of_service in rollouts.items()
        for number, together in enumerate(of_service)
    ]
    return sorted(found, key=lambda one: (one.at, one.service or ""))


def _see(seen: dict[tuple[Any, ...], int | None], key: tuple[Any, ...], at: int | None) -> None:
    before = seen.get(key, at)
    seen[key] = None if at is None or before is None else min(at, before)


def _words(key: tuple[Any, ...]) -> str:
    if key[1] == "start":
        return f"start {key[2] + 1}"
    return f"version {key[2]}" if key[1] == "version" else f"{key[2]}={key[3]}"


def classes(incidents: Iterable[Row], changes: Sequence[Change]) -> dict[str, Class]:
    """Every class by its fingerprint.

    incidents: rows with fingerprint, service and started_at; those without a time tell nothing.
    """
    of_service: dict[str | None, list[Change]] = defaultdict(list)
    for change in changes:
        of_service[change.service].append(change)
    times: dict[str, list[int]] = defaultdict(list)
    services: dict[str, str | None] = {}
    for row in incidents:
        if row["fingerprint"] and row["started_at"] is not None:
            times[row["fingerprint"]].append(row["started_at"])
            services[row["fingerprint"]] = row["service"]
    return {name: _class(name, sorted(at), of_service[services[name]]) for name, at in times.items()}


def _class(fingerprint: str, times: Sequence[int], changes: Sequence[Change]) -> Class:
    instants = [one.at for one in changes]
    before = bisect_right(instants, times[0])
    state, since = (FIRST, None) if not before else (NEW, changes[before - 1])
    if since is not None and since.is_first:
        state = FIRST
    for earlier, later in pairwise(times):
        between = changes[bisect_right(instants, earlier) : bisect_right(instants, later)]
        if len(between) >= 2:
            state, since = BACK, between[-1]
        elif between and state != BACK:
            state = KNOWN
    return Class(fingerprint, times[0], times[-1], len(times), state, since)
