"""Bugs of released clients (released_bugs.yaml), named in the incidents of their lines, with the release that mends each."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from transforms import yaml_text
from transforms.diagnose.incident import Incident
from transforms.events import JAVA
from transforms.timers.clients.troubles import TroubleLines
from transforms.whole import whole_number

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReleasedBug:
    """One entry. mended_in: None where no release was out that has it no more."""

    id: str
    since: Version
    mended_in: Version | None
    families: frozenset[str]
    says: re.Pattern[str] | None
    what: str
    do: str

    def is_in(self, version: Version) -> bool:
        """Whether a release of Kafka's has it."""
        return self.since <= version and (self.mended_in is None or version < self.mended_in)

    def shows_in(self, lines: TroubleLines) -> bool:
        """Whether lines are of those that it shows in."""
        if lines.message_id not in self.families:
            return False
        words = " ".join((lines.error_class or "", *lines.first.values(), *lines.last.values()))
        return self.says is None or self.says.search(words) is not None


@cache
def released_bugs() -> tuple[ReleasedBug, ...]:
    """The entries of released_bugs.yaml, in its order."""
    return tuple(
        ReleasedBug(
            id=entry["id"],
            since=_version(entry["since"]),
            mended_in=_version(entry["mended_in"]) if "mended_in" in entry else None,
            families=frozenset(entry["families"]),
            says=re.compile(entry["says"]) if "says" in entry else None,
            what=entry["what"],
            do=entry["do"],
        )
        for entry in yaml_text.of_package("transforms.diagnose", "released_bugs.yaml")
    )


def name_bugs(incidents: Sequence[Incident], troubles: Iterable[TroubleLines]) -> None:
    """Tell each incident of the bugs that its lines may be of: as a cause where the release is known, else as a question."""
    by_family, told_of = _by_families(), _ToldOf(incidents)
    for lines in troubles:
        profile = lines.profile
        bugs = by_family.get(lines.message_id, ())
        if not bugs or profile is None or profile.library != JAVA:
            continue
        for bug in bugs:
            if not bug.shows_in(lines) or (profile.version is not None and not bug.is_in(profile.version)):
                continue
            for incident in told_of.lines(lines.event_ids):
                if incident.verdict != "benign":
                    _tell(incident, bug, profile.version)


class _ToldOf:
    """Incidents by the lines that they are told from, looked up when the first bug shows: in most logs none does."""

    def __init__(self, incidents: Sequence[Incident]) -> None:
        self._incidents = incidents
        self._by_event: dict[str, list[int]] | None = None

    def lines(self, event_ids: Iterable[str]) -> list[Incident]:
        """Those told from one of these lines, in their order."""
        if self._by_event is None:
            self._by_event = defaultdict(list)
            for number, incident in enumerate(self._incidents):
                for event_id in incident.event_ids:
                    self._by_event[event_id].append(number)
        numbers = {number for event_id in event_ids for number in self._by_event.get(event_id, ())}
        return [self._incidents[number] for number in sorted(numbers)]


@cache
def _by_families() -> dict[str, list[ReleasedBug]]:
    """The bugs that show in lines of a family, in their order."""
    found: dict[str, list[ReleasedBug]] = defaultdict(list)
    for bug in released_bugs():
        for family in bug.families:
            found[family].append(bug)
    return dict(found)


def _tell(incident: Incident, bug: ReleasedBug, version: Version | None) -> None:
    if version is None:
        until = f" before {_dotted(bug.mended_in)}" if bug.mended_in else ""
        asked = f"The client's release: from {_dotted(bug.since)} on{until}, {bug.what} ({bug.id}) {bug.do}"
        if asked not in incident.tells_more:
            incident.tells_more.append(asked)
        return
    told = f"In this release ({_dotted(version)}) {bug.what} ({bug.id})"
    if told not in incident.cause:
        incident.cause = f"{incident.cause} {told}".strip()
        incident.advice = f"{incident.advice} {bug.do}".strip()


def _version(text: str) -> Version:
    return tuple(whole_number(part) for part in str(text).split("."))


def _dotted(version: Version) -> str:
    return ".".join(map(str, version))
