"""From what was read and judged of some logs to the answer: what is told as a fault, as normal, in words, or not judged."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace

from transforms.diagnose.causes.brokers import BEGAN_ANEW
from transforms.diagnose.fleets.faults import UNKNOWN_KIND, Fault, Place, faults, fleet_faults, in_order
from transforms.diagnose.incident import Incident
from transforms.diagnose.reports.own_words import own_words
from transforms.diagnose.reports.report import ProvingLine, report_finding, report_incident
from transforms.diagnose.unexplained.begun_anew import begun_anew
from transforms.diagnose.unexplained.beside import said_beside
from transforms.diagnose.unexplained.by_words import told_by_words
from transforms.diagnose.unexplained.ending import ending
from transforms.diagnose.unexplained.guides import is_bare, is_guide
from transforms.diagnose.unexplained.left_and_back import left_and_back
from transforms.diagnose.unexplained.line_class import without_normal
from transforms.diagnose.unexplained.programs import are_literals, has_literals
from transforms.diagnose.unexplained.raw_line import RawLine
from transforms.diagnose.unexplained.raw_scan import RawScan
from transforms.diagnose.unexplained.source_read import ReadRecord, SourceRead
from transforms.diagnose.unexplained.undated import undated
from transforms.diagnose.unexplained.unexplained_lines import unexplained
from transforms.diagnose.unexplained.worded import Worded
from transforms.diagnose.wording.log_clock import LogClock, written_at
from transforms.events import APPLICATION_EXCEPTION, JAVA, UNEXPLAINED, UNRECOGNIZED, ClientEvent
from transforms.explain.answer import Answer
from transforms.explain.evidence import StoryEvidence, row_of
from transforms.explain.fault_report import FaultReport, put_together
from transforms.explain.log_read import LogRead
from transforms.parse.secrets.redact import redact
from transforms.pure import Story
from transforms.rules.judge import Violation
from transforms.rules.rule import CATEGORIES, HELD_AGAINST
from transforms.timers.episodes import TABLE_OF, Episode, LivenessSession
from transforms.when_used import when_used

# Ids of lines whose words say what they mean, and no family.
WORDLESS = frozenset({APPLICATION_EXCEPTION, UNEXPLAINED, UNRECOGNIZED})
_OF_JAVA = when_used(r"\borg\.apache\.|(?<![\\:\w])[A-Z]\w+Exception\b|\b(?:client|group)Id=|\.java:\d")


@dataclass(frozen=True, slots=True)
class _Incidents:
    """What is told of a story's incidents.

    alone: those of no fleet's. trouble: all that are not normal. found: faults. guided: what guides and strings of programs
    alone tell of; `found` and `benign` have none of it. unknown: ids of those that only quote what nothing explains.
    """

    alone: list[Incident]
    trouble: list[Incident]
    found: list[Fault]
    benign: list[Incident]
    guided: list[Fault | Incident]
    unknown: Set[str]

    @property
    def known(self) -> list[Incident]:
        """Trouble that is more than a quote."""
        return [one for one in self.trouble if one.incident_id not in self.unknown]


def answer(story: Story, logs: Sequence[LogRead], scans: Iterable[RawScan]) -> Answer:
    """Tell what was read and judged together. scans: the lines of each log as they stand."""
    sources = [log.source(scan) for log, scan in zip(logs, scans, strict=True)]
    records = {record_id: record for log in logs for record_id, record in log.records.items()}
    evidence = StoryEvidence(story, records)
    guides = {source.name for source in sources if is_guide(source.scan.head)}
    may_be_quoted = bool(guides) or any(has_literals(source.scan.head) for source in sources)
    incidents = _incidents(story, lambda one: may_be_quoted and _is_quoted(one, evidence, guides))
    for source in sources:
        if not source.kafka_lines:
            source.failing = without_normal(source.scan.loud)
    explained = _explained(story, incidents.unknown)
    left = [
        *unexplained(sources, records, story.events, explained),
        *left_and_back(story.events, records),
    ]
    worded, not_judged = told_by_words(without_normal(_redacted(left)), incidents.known, guides)
    not_judged += _redacted(line for fault in incidents.guided for line in _lines_of(fault, evidence))
    telling = _telling(sources, records, not_judged)
    reported = put_together(
        [_reported(fault, evidence, telling) for fault in incidents.found],
        [_reported_words(one, evidence) for one in worded],
    )
    quoted = {(line.source, line.line) for one in reported for line in one.own_words}
    in_faults = {rule_id for incident in incidents.trouble for rule_id in incident.rule_ids}
    beside = [one for one in story.violations if one.rule_id not in in_faults]
    has_trouble = bool(incidents.found or worded) or any(one.category in HELD_AGAINST for one in beside)
    timed = Counter(TABLE_OF[type(one)] for one in story.episodes if type(one) in TABLE_OF)
    return Answer(
        ending=ending(
            sources,
            [line for line in not_judged if (line.source, line.line) not in quoted],
            has_trouble=has_trouble,
            in_words={line.source for one in worded for line in one.lines},
            members=sorted({client_id for one in story.episodes if (client_id := _still_member(one))}),
            anew=[
                *begun_anew(story.events, incidents.alone, records),
                *(undated(story.events, records) if timed else ()),
            ],
            beside=() if has_trouble else said_beside(sources, records),
        ),
        logs=logs,
        faults=reported,
        benign=incidents.benign,
        violations=[report_finding(asdict(one), evidence) for one in sorted(beside, key=_by_category)],
        unjudged=story.unjudged,
        events=len(story.events),
        episodes=timed,
    )


def _incidents(story: Story, is_quoted: Callable[[Fault | Incident], bool]) -> _Incidents:
    places = _places(story)
    ordered = in_order(story.incidents, places)
    alone = [incident for incident in ordered if incident.parent_incident_id is None]
    trouble = [incident for incident in ordered if incident.verdict != "benign"]
    single = [incident for incident in alone if incident.verdict != "benign"]
    told = [*fleet_faults(story.fleet, trouble), *faults(single, places)]
    benign = [one for one in alone if one.verdict == "benign" and one.kind != BEGAN_ANEW]
    shown: list[Fault | Incident] = [*told, *benign]
    guided = [one for one in shown if is_quoted(one)]
    vague = (fault for fault in told if fault.cause.kind == UNKNOWN_KIND)
    return _Incidents(
        alone=alone,
        trouble=trouble,
        found=[fault for fault in told if fault.cause.kind != UNKNOWN_KIND and fault not in guided],
        benign=[one for one in benign if one not in guided],
        guided=guided,
        unknown={one.incident_id for fault in vague for one in fault.incidents},
    )


def _telling(
    sources: Iterable[SourceRead], records: Mapping[str, ReadRecord], not_judged: Sequence[RawLine]
) -> dict[str, list[RawLine]]:
    """By source, its lines that may say why something came. A client's line is no word of its application; what nothing
    explains may be: a connector's name Kafka by their logger."""
    of_clients = {(record.source, record.line) for record in records.values()}
    return {
        source.name: sorted(
            [
                *(line for line in source.scan.telling if (source.name, line.line) not in of_clients),
                *(line for line in not_judged if line.source == source.name),
            ],
            key=lambda line: line.line,
        )
        for source in sources
    }


def _is_quoted(fault: Fault | Incident, evidence: StoryEvidence, guides: Collection[str]) -> bool:
    """Whether guides and strings of programs alone tell of it, and none as a log would print it."""
    records = evidence.records(fault.event_ids)
    return bool(records) and all(
        are_literals(record.text)
        or (record.source in guides and record.level is None and is_bare(record.text))
        for record in records
    )


def _lines_of(fault: Fault | Incident, evidence: StoryEvidence) -> Iterator[RawLine]:
    """The first lines of the records that tell of it."""
    for record in evidence.records(fault.event_ids):
        yield RawLine(record.source, record.line, record.text.partition("\n")[0])


def _still_member(one: Episode) -> str | None:
    """The consumer whose membership goes on as far as its log does."""
    return one.client_id if isinstance(one, LivenessSession) and one.outcome == "open" else None


def _reported(fault: Fault, evidence: StoryEvidence, telling: Mapping[str, Sequence[RawLine]]) -> FaultReport:
    cause, effects, others = (
        [report_incident(row_of(one), evidence) for one in some]
        for some in ([fault.cause], fault.effects, fault.others)
    )
    said = own_words(cause[0].lines, telling)
    return FaultReport(cause[0], effects, others, _redacted(said))


def _reported_words(worded: Worded, evidence: StoryEvidence) -> FaultReport:
    """A fault that lines tell of which are no events: they stand as they are, with whatever time they write."""
    clock = LogClock()
    lines = [
        ProvingLine("", None, "", line.source, line.line, line.text, library=_library_of(line), clock=clock)
        for line in worded.lines
    ]
    report = report_incident(row_of(worded.incident), evidence, lines=lines)
    in_order = sorted(worded.lines, key=lambda line: line.line)
    texts = ((line.text, line.whole, line.dated) for line in in_order)
    written = [at for said in texts if (at := next(filter(None, map(written_at, said)), ""))]
    if all(at[:4].isdigit() for at in written):  # a log of several processes' lines is not in order
        written.sort()
    report.clock, report.when = clock, " to ".join(dict.fromkeys([*written[:1], *written[-1:]]))
    return FaultReport(report)


def _library_of(line: RawLine) -> str:
    """Whose client says it: Java's where it names a class of Java; else nobody's that is known."""
    return line.client or (JAVA if _OF_JAVA.search(line.whole) else "")


def _redacted(lines: Iterable[RawLine]) -> list[RawLine]:
    """Lines that were taken from a file as they stand, without secrets."""
    return [_redacted_line(line) for line in lines]


def _redacted_line(line: RawLine) -> RawLine:
    text = redact(line.text)
    return replace(line, text=text, record=text if line.record == line.text else redact(line.record))


def _places(story: Story) -> dict[str, Place]:
    """Of each incident's lines."""
    events = {event.event_id: event for event in story.events}
    places = {}
    for incident in story.incidents:
        if known := [events[one] for one in incident.event_ids if one in events]:
            first = min(known, key=lambda event: event.order)
            last = max(event.line for event in known if event.source_id == first.source_id)
            places[incident.incident_id] = Place(first.happened_at, first.source_id, first.line, last)
    return places


def _explained(story: Story, unknown: Collection[str]) -> set[str]:
    """Records that an incident or a finding tells of. unknown: incidents that only quote what nothing explains."""
    known = (incident for incident in story.incidents if incident.incident_id not in unknown)
    told = {one for incident in known for one in incident.event_ids}
    told |= {one for violation in story.violations for one in violation.event_ids}
    alike = {_what_it_says(event) for event in story.events if event.event_id in told}
    return {
        event.record_id
        for event in story.events
        if event.event_id in told or (event.message_id not in WORDLESS and _what_it_says(event) in alike)
    }


def _what_it_says(event: ClientEvent) -> tuple[str | int | None, ...]:
    """Of many lines that say the same an incident keeps the first and the last ones."""
    whose = event.source_id, event.client_id or event.thread, event.group_id
    return *whose, event.message_id, event.error_class, event.topic, event.node_id


def _by_category(violation: Violation) -> int:
    return CATEGORIES.index(violation.category)
