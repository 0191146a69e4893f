"""Where the model meets kipwatch: the text of simulated logs through the pure path, all of it."""

import io
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from conf.settings import Conf, load_conf
from lab.simulate.scraper import Scraped
from lab.simulate.truth import Truth
from transforms.events import ClientEvent, unit_id_of
from transforms.parse.layouts.detect import detect_layout
from transforms.parse.metrics.samples import PROCESS, mbean_of
from transforms.parse.records.placing import ProcessRef
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.streams import fingerprint, open_source
from transforms.pure import Story, judge_records
from transforms.records import LogRecord
from transforms.rules.judge import Finding
from transforms.timers.clients.settings import UnitSettings
from transforms.timers.samples.series import Series


def story_of(
    logs: Mapping[tuple[str, str], str], scraped: Mapping[tuple[str, str], Scraped] | None = None
) -> Story:
    """Judge some processes' logs, with what was scraped of them; keys are (service, instance).

    A broker's is `("broker", "broker.log")`.
    """
    sources = [
        (
            ProcessRef(unit_id_of(service, instance), unit_id_of(service, instance), service, instance),
            _records(text),
        )
        for (service, instance), text in logs.items()
    ]
    return judge_records(sources, _settings_of, _series(scraped or {}))


def _series(scraped: Mapping[tuple[str, str], Scraped]) -> Iterable[Series]:
    for (service, instance), of_process in scraped.items():
        for (mbean, attribute), points in of_process.items():
            name, tags, client_id = mbean_of(mbean)
            times, values = zip(*points, strict=True)
            unit_id = unit_id_of(service, instance)
            yield Series(unit_id, name, attribute, client_id, tags, times, values, clock=PROCESS)


def broken(story: Story) -> set[str]:
    """Rules found broken as broken_semantics: what no correct client could have left."""
    return {found.rule_id for found in broken_findings(story)}


def broken_findings(story: Story) -> list[Finding]:
    """What was found broken so."""
    return [found for found in story.findings if found.category == "broken_semantics"]


def found(story: Story) -> set[str]:
    """Rules found broken, in any category."""
    return {finding.rule_id for finding in story.findings}


def assert_told(story: Story, truth: Truth) -> None:
    """What was planted is found, and nothing else is accused.

    Raises: AssertionError with the findings' sentences.
    """
    missed = truth.violated - found(story)
    assert not missed, (
        f"missed {missed}; found {_said(story, found(story))}; unjudged {_asked(story, missed)}"
    )
    false = broken(story) - truth.violated - truth.departs
    assert not false, f"accused falsely: {_said(story, false)}"


def _said(story: Story, rules: set[str]) -> list[str]:
    return [f"{f.rule_id} ({f.category}): {f.explanation}" for f in story.findings if f.rule_id in rules]


def _asked(story: Story, rules: set[str]) -> list[str]:
    return [f"{row.rule_id}: {row.reason}" for row in story.unjudged if row.rule_id in rules]


@lru_cache(8)
def _records(text: str) -> Iterable[LogRecord]:
    """Of logs that are judged again, with metrics or beside one that lost lines, nothing is read anew."""
    data = text.encode()
    reader = ChunkReader(detect_layout(data[:65536]), fingerprint(data[:65536]))
    return [piece for piece in reader.read(open_source(io.BytesIO(data))) if isinstance(piece, LogRecord)]


@cache
def _conf() -> Conf:
    return load_conf()


def _settings_of(unit_id: str, control: Sequence[ClientEvent]) -> UnitSettings:
    return UnitSettings.from_events(control, (), _conf().defaults)
