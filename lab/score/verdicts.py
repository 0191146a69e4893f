"""Verdicts of truth.json against the findings: what must fire, what must not, and what fired besides."""

from collections.abc import Iterator
from dataclasses import dataclass

from lab.corpus import Recording, ms
from lab.score.fact import SAME_MOMENT_MS, Row


@dataclass(frozen=True)
class Verdict:
    """One expected verdict and what was found. agrees is None where the recording names no rule to check."""

    scenario: str
    kip: str
    says: str
    expected: str
    rules: tuple[str, ...]
    agrees: bool | None
    found: str


@dataclass(frozen=True)
class Beside:
    """A rule that fired unexpectedly for one client; as `broken_semantics` it is a false accusation."""

    scenario: str
    client: str
    rule_id: str
    category: str
    occurrences: int
    explanation: str


def verdicts(recording: Recording, findings: list[Row]) -> Iterator[Verdict]:
    """Each expected verdict of a recording, checked."""
    for expected in recording.semantics:
        rules = tuple(expected.get("rules") or ())
        agrees, found = _check(recording, expected, rules, findings)
        yield Verdict(
            recording.name, expected["kip"], expected["rule"], expected["verdict"], rules, agrees, found
        )


def _check(
    recording: Recording, expected: Row, rules: tuple[str, ...], findings: list[Row]
) -> tuple[bool | None, str]:
    if not rules:
        return None, "no rule named"
    if expected["verdict"] == "violated":
        missing = [
            client
            for client in expected.get("clients") or [None]
            if not any(
                _proves(recording, found, rules, expected.get("category"), client) for found in findings
            )
        ]
        if not missing:
            return True, "fired"
        others = sorted({found["rule_id"] for found in findings if found["rule_id"] in rules})
        near_by = f"; {', '.join(others)} fired otherwise" if others else ""
        return False, f"nothing fired for {', '.join(map(str, missing))}{near_by}"
    accused = [
        found
        for found in findings
        if found["rule_id"] in rules
        and _is_meant(recording, expected, found)
        and not _is_expected(recording, found)
    ]
    said = sorted({f"{found['rule_id']} ({client_of(recording, found)})" for found in accused})
    return (not said, ", ".join(said) or "silent")


def _proves(
    recording: Recording, found: Row, rules: tuple[str, ...], category: str | None, client: str | None
) -> bool:
    return (
        found["rule_id"] in rules
        and category in (None, found["category"])
        and client in (None, client_of(recording, found))
        and bool(found["event_ids"])
        and _is_in_time(recording, found)
    )


def _is_in_time(recording: Recording, found: Row) -> bool:
    """Whether a finding lies between the first fault (else the start) and the end of the recording."""
    at = found["happened_at"]
    faults = [ms(fault["t"]) for fault in recording.truth["injected_faults"]]
    recorded = recording.truth["recorded"]
    first = min(faults, default=ms(recorded["from"]))
    return at is not None and first <= at <= ms(recorded["to"]) + SAME_MOMENT_MS


def _is_meant(recording: Recording, expected: Row, found: Row) -> bool:
    clients = expected.get("clients")
    return not clients or client_of(recording, found) in clients


def _is_expected(recording: Recording, found: Row) -> bool:
    """Whether another verdict of the recording wants this very finding."""
    return any(
        _proves(recording, found, tuple(expected.get("rules") or ()), expected.get("category"), client)
        for expected in recording.semantics
        if expected["verdict"] == "violated"
        for client in expected.get("clients") or [None]
    )


def client_of(recording: Recording, found: Row) -> str:
    """The name of the client a finding speaks of: by its unit, else (a broker's line) by its client id."""
    for client in recording.clients:
        if client.instance == found["instance"]:
            return client.name
    for client in recording.clients:
        if found["client_id"] and client.config.get("client.id") == found["client_id"]:
            return client.name
    return str(found["instance"])


def beside(recording: Recording, findings: list[Row]) -> list[Beside]:
    """What fired and was not expected, once per rule, category and client."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for found in findings:
        if not _is_expected(recording, found):
            key = (client_of(recording, found), found["rule_id"], found["category"])
            groups.setdefault(key, []).append(found)
    return [
        Beside(recording.name, client, rule_id, category, len(group), group[0]["explanation"])
        for (client, rule_id, category), group in sorted(groups.items())
    ]
