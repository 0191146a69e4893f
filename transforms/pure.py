"""The whole path as one function: records in, judged story out. No Spark, no I/O, no clock.

`kipwatch explain FILE`, the score and most tests go this way; the jobs run the same folds over Spark's sorted partitions.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from transforms.diagnose.fleets.fleet import fleet_incidents
from transforms.diagnose.incident import Incident
from transforms.diagnose.incidents import incidents
from transforms.events import ClientEvent
from transforms.parse.events.messages import events_of
from transforms.parse.records.placing import ProcessRef
from transforms.records import LogRecord
from transforms.rules.judge import (
    EarlierVerdictsError,
    Finding,
    Judgement,
    Unjudged,
    Violation,
    by_time,
    judge,
)
from transforms.timers.clients.settings import UnitSettings, is_control
from transforms.timers.episodes import Episode
from transforms.timers.groups.group import group_episodes
from transforms.timers.groups.group_part import GroupPart
from transforms.timers.samples.series import NO_SAMPLES, Samples, Series
from transforms.unit_story import FoldResult, UnitStory

# Makes a unit's settings from its id and control events, in order: binds what conf declares, and defaults.
SettingsOf = Callable[[str, Sequence[ClientEvent]], UnitSettings]


@dataclass(slots=True)
class Story:
    """All that was rebuilt and judged. events are in the order their units were folded in.

    fleet: what incidents of several processes are together; their `parent_incident_id` names it.
    """

    events: list[ClientEvent] = field(default_factory=list)
    settings: dict[str, UnitSettings] = field(default_factory=dict)
    episodes: list[Episode] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)
    unjudged: list[Unjudged] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    fleet: list[Incident] = field(default_factory=list)


def judge_records(
    sources: Iterable[tuple[ProcessRef, Iterable[LogRecord]]],
    settings_of: SettingsOf,
    samples: Iterable[Series] = (),
) -> Story:
    """Type, order, fold and judge the records of some sources; sources of one unit_id are one process.

    samples: series whose unit_id is that of the process's log.
    """
    return judge_events(_typed(sources), settings_of, samples)


def judge_events(
    events: Iterable[ClientEvent],
    settings_of: SettingsOf,
    samples: Iterable[Series] = (),
    most_clients: int | None = None,
) -> Story:
    """Order, fold and judge events that were typed already, given in any order, unit by unit, then group by group.

    most_clients: of one process that are followed at once; None for any number.
    """
    story = Story()
    samples_of = samples_by_unit(samples)
    parts: dict[str, dict[str, GroupPart]] = defaultdict(dict)
    for unit_id, unit_events in sorted(in_order(events).items()):
        settings = settings_of(unit_id, [event for event in unit_events if is_control(event)])
        unit, settled = _taken(unit_id, unit_events, settings, samples_of(unit_id), most_clients)
        still_open = unit.finish(data_clock_of(unit_events), samples_of(unit_id))
        story.settings[unit_id] = settings
        story.events.extend(unit_events)
        for group_id, part in unit.parts.items():
            parts[group_id][unit_id] = part
        findings = sorted([*settled.findings, *still_open.findings], key=by_time)
        judged = Judgement(findings, [*settled.violations, *unit.violations()], unit.unjudged())
        told = [*settled.incidents, *unit.incidents()]
        _add(story, [*settled.episodes, *still_open.episodes], judged, told)
    for group_id, of_group in sorted(parts.items()):
        episodes = list(group_episodes(group_id, of_group, samples_of))
        judged = judge(episodes, f"group:{group_id}")
        _add(story, episodes, judged, incidents(episodes, judged.findings, f"group:{group_id}"))
    story.fleet = fleet_incidents(story.incidents)
    return story


def _taken(
    unit_id: str,
    events: Sequence[ClientEvent],
    settings: UnitSettings,
    samples: Samples,
    most_clients: int | None,
) -> tuple[UnitStory, FoldResult]:
    unit = UnitStory.of(unit_id, most_clients)
    try:
        return unit, unit.take(events, settings, samples)
    except EarlierVerdictsError:  # a chapter was over that later lines put in doubt: then all is one
        return _taken(unit_id, events, settings, samples, None)


def samples_by_unit(series: Iterable[Series]) -> Callable[[str], Samples]:
    """Asks for the samples of a unit."""
    units: dict[str, list[Series]] = defaultdict(list)
    for one in series:
        units[one.unit_id].append(one)
    samples = {unit_id: Samples(of_unit) for unit_id, of_unit in units.items()}
    return lambda unit_id: samples.get(unit_id, NO_SAMPLES)


def in_order(events: Iterable[ClientEvent]) -> dict[str, list[ClientEvent]]:
    """The events of each unit in order; sets ordered_at, the running maximum of a source's times."""
    sources: dict[tuple[str, str], list[ClientEvent]] = defaultdict(list)
    for event in events:
        sources[event.unit_id, event.source_id].append(event)
    units: dict[str, list[ClientEvent]] = defaultdict(list)
    for (unit_id, _), of_source in sources.items():
        of_source.sort(key=lambda event: (event.position, event.event_id))
        latest: int | None = None
        for event in of_source:
            if event.happened_at is not None:
                latest = event.happened_at if latest is None else max(latest, event.happened_at)
            event.ordered_at = latest
        units[unit_id].extend(of_source)
    for of_unit in units.values():
        of_unit.sort(key=lambda event: event.order)
    return dict(units)


def data_clock_of(events: Iterable[ClientEvent]) -> int | None:
    """The largest time these events tell; None where none has a time."""
    return max((event.happened_at for event in events if event.happened_at is not None), default=None)


def _typed(sources: Iterable[tuple[ProcessRef, Iterable[LogRecord]]]) -> Iterator[ClientEvent]:
    for origin, records in sources:
        for record in records:
            yield from events_of(record, origin)


def _add(story: Story, episodes: list[Episode], judged: Judgement, told: list[Incident]) -> None:
    story.episodes.extend(episodes)
    story.findings.extend(judged.findings)
    story.violations.extend(judged.violations)
    story.unjudged.extend(judged.unjudged)
    story.incidents.extend(told)
