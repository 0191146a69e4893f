"""What is told of one violation, finding, incident or episode: gathered once, printed as text or JSON."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, Protocol

from transforms.diagnose.reports.timeline import Timeline, timeline_of
from transforms.diagnose.wording.defaults import unless_set
from transforms.diagnose.wording.log_clock import UTC_CLOCK, LogClock, clock_of, written_at
from transforms.diagnose.wording.loudness import is_thrown
from transforms.diagnose.wording.named_clients import client_of_id
from transforms.diagnose.wording.words import (
    ACTOR_WORDS,
    CONFIDENCE_WORDS,
    IMPACT_WORDS,
    VERDICT_WORDS,
    origin_words,
    span,
)
from transforms.events import APPLICATION_EXCEPTION, JAVA, LIBRDKAFKA
from transforms.parse.catalogue.forms import exception_forms
from transforms.rules.docstrings import parts_of
from transforms.rules.promises import promises
from transforms.rules.registry import RULES

# A row of a table; instants in ms since the epoch, UTC.
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ProvingLine:
    """A log record that proves something. text is None where its record was not kept.

    message_id: the family of Kafka's messages that its event is of. library: whose client says it. clock: its source's.
    above: how many of a record's lines stand above its exception, where that has no head of its own.
    """

    event_id: str
    happened_at: int | None
    label: str
    source: str
    line: int
    text: str | None
    message_id: str = ""
    library: str = JAVA
    clock: LogClock = UTC_CLOCK
    above: int = 0

    @property
    def shown_at(self) -> int:
        """The line by which a reader finds it."""
        return self.line + self.above


# Kinds whose name says less than a reader needs; of the others the name is the label.
LABELS = {
    "task_timeout_start": "a client call timed out",
    "task_timeout_continue": "a client call timed out, the timer runs",
    "task_timeout_clear": "progress",
    "task_timeout_expired": "rethrown",
    "produce_retry": "failed, to be sent again",
    "batch_expired": "the application is told: expired",
    "request_cancelled": "its request was cancelled",
}


# Incidents of a limit that a thread of its own looks at: what took too long may have gone on.
NOTICED_MS = 1_000
NOTICED = ("membership_poll_expired", "poll_too_slow")


class Evidence(Protocol):
    """Where episodes and lines are looked up: a lake, or a story just folded."""

    def episodes(self, subject_id: str) -> tuple[str, list[Row]] | None:
        """The silver table and rows of an episode (several of a sequence of waits); None where not stored."""
        ...

    def subject_of(self, finding: Row) -> str | None:
        """The episode that broke the rule by the same events, where a violation stands for a whole client."""
        ...

    def whole_of(self, incident: Row) -> Row | None:
        """The incident of several processes that it is a part of."""
        ...

    def lines(self, event_ids: Sequence[str]) -> list[ProvingLine]:
        """The records of these events, in the order of the ids; unknown ids are left out."""
        ...


@dataclass(slots=True)
class Report:
    """One story. when: in the log's own notation. facts: label and sentence, in the order to print; timelines: those with
    an instant known. clock: the log's.
    """

    what: str
    id: str
    heading: str
    who: str
    when: str
    facts: list[tuple[str, str]]
    timelines: list[Timeline] = field(default_factory=list)
    lines: list[ProvingLine] = field(default_factory=list)
    samples: tuple[str, ...] = ()
    runbook: tuple[str, ...] = ()
    advice: str = ""
    row: Row = field(default_factory=dict)
    clock: LogClock = UTC_CLOCK

    @property
    def dated(self) -> str:
        """What happened, behind when it did where that is known."""
        return ": ".join(filter(None, (self.when, self.heading)))

    def as_dict(self) -> dict[str, Any]:
        """As JSON takes it: the table's own columns, and what text shows beside them."""
        return {
            "what": self.what,
            "id": self.id,
            "heading": self.heading,
            "facts": dict(self.facts),
            "row": {name: self._json_value(name, value) for name, value in self.row.items()},
            "timelines": [
                {
                    "title": t.title,
                    "marks": [
                        {"at": self.clock.iso(m.at), "role": m.role, "label": m.label} for m in t.marks
                    ],
                }
                for t in self.timelines
            ],
            "lines": [
                {
                    "event_id": p.event_id,
                    "source": p.source,
                    "line": p.line,
                    "happened_at": p.clock.iso(p.happened_at),
                    "text": p.text,
                }
                for p in self.lines
            ],
            "samples": list(self.samples),
            "runbook": list(self.runbook),
            "advice": self.advice,
        }

    def _json_value(self, name: str, value: Any) -> Any:
        return self.clock.iso(value) if name.endswith("_at") and isinstance(value, int) else value


def report_finding(row: Row, evidence: Evidence) -> Report:
    """A row of gold.violations or silver.findings."""
    rule = RULES.get(row["rule_id"])
    is_violation = row.get("violation_id") is not None
    proof = evidence.lines(row["event_ids"])
    clock = clock_in(proof)
    facts = [("Happened", row["explanation"])]
    if distance := _distance(row, proof):
        facts.append(("By", distance))
    if (row.get("occurrences") or 1) > 1:
        ends = " to ".join(dict.fromkeys((clock.at(row["first_at"]), clock.at(row["last_at"]))))
        facts.append(("Times", f"{row['occurrences']}, {ends}; the worst is shown"))
    if rule:
        facts.append(("Promised", promise_of(row["rule_id"], rule.judge)))
    episode = _episode(evidence, row["subject_id"], row["event_ids"])
    if episode is None and (subject := evidence.subject_of(row)):
        episode = _episode(evidence, subject, row["event_ids"])
    # Config dumps alone are no story in time.
    is_drawn = episode is not None or row["category"] != "misconfiguration"
    return Report(
        what="violation" if is_violation else "finding",
        id=row["violation_id"] if is_violation else row["finding_id"],
        heading=f"{row['rule_id']} ({row['category']}, {row['severity']})",
        who=_who(row),
        when=clock.at(row.get("happened_at")),
        facts=facts,
        timelines=_timelines([episode] if episode else [], evidence, proof) if is_drawn else [],
        lines=proof,
        samples=tuple(row.get("samples") or ()),
        runbook=rule.runbook if rule else (),
        advice=rule.advice if rule else "",
        row=row,
        clock=clock,
    )


def report_incident(
    row: Row, evidence: Evidence, most: int = 3, lines: Sequence[ProvingLine] | None = None
) -> Report:
    """A row of gold.incidents, with the timelines of its first `most` episodes. lines: its proof, if no events."""
    confidence = CONFIDENCE_WORDS.get(row["cause_confidence"], row["cause_confidence"])
    facts = [("Why", f"{row['cause']} ({confidence})" if row["cause"] else "These lines do not say.")]
    if whole := evidence.whole_of(row):
        facts.insert(0, ("Part of", f"{whole['title']} ({whole['incident_id'][:12]})"))
    proof = evidence.lines(row["event_ids"]) if lines is None else list(lines)
    if distance := _distance(row, proof):
        facts.append(("By", distance))
    if row["impact"] in IMPACT_WORDS:
        facts.append(("Cost", IMPACT_WORDS[row["impact"]]))
    if row.get("actor") in ACTOR_WORDS:
        facts.append(("Who acts", ACTOR_WORDS[row["actor"]]))
    if unset := _unless_set(row, proof):
        facts.append(("If unset", unset))
    facts += [("Tells more", sentence) for sentence in row.get("tells_more") or ()]
    clock = clock_in(proof)
    subjects = row["subject_ids"]
    episodes = [found for one in subjects[:most] if (found := _episode(evidence, one, row["event_ids"]))]
    timelines = _with_doubt(row, _timelines(episodes, evidence, proof))
    if timelines and len(subjects) > most:
        facts.append(("More", f"{len(subjects) - most} more of the same; the first {most} are drawn"))
    verdict = VERDICT_WORDS.get(row["verdict"], row["verdict"])
    facts.append(("Verdict", f"{verdict}{': ' + ', '.join(row['rule_ids']) if row['rule_ids'] else ''}"))
    runbook = tuple(
        step for rule_id in row["rule_ids"] if rule_id in RULES for step in RULES[rule_id].runbook
    )
    return Report(
        what="incident",
        id=row["incident_id"],
        heading=row["title"],
        who=_who(row),
        when=_when(row, clock, proof),
        facts=facts,
        timelines=timelines,
        lines=proof,
        runbook=runbook,
        advice=row["advice"],
        row=row,
        clock=clock,
    )


def tell_episode(table: str, rows: Sequence[Row], evidence: Evidence, subject_id: str) -> Report:
    """A rebuilt timer, batch, membership, rebalance, or a sequence of backoff waits (several rows)."""
    first = rows[0]
    ids = list(dict.fromkeys(event_id for row in rows for event_id in row["event_ids"]))
    proof = evidence.lines(ids)
    facts = [("Outcome", str(first["outcome"]))] if first.get("outcome") else []
    for row in rows:
        if row.get("waited_ms") is not None:
            facts.append((f"Wait {row['failures']}", _wait(row)))
    began = next(
        (first[name] for name in ("started_at", "created_at", "joined_at", "failed_at") if first.get(name)),
        None,
    )
    seen = {line.event_id: line for line in proof}
    drawn = (
        timeline_of(table, row, _seen([seen[one] for one in row["event_ids"] if one in seen])) for row in rows
    )
    timelines = [timeline for timeline in drawn if timeline]
    return Report(
        what=table.split(".")[1],
        id=subject_id,
        heading=timelines[0].title if timelines else table,
        who=_who(first),
        when=clock_in(proof).at(began),
        facts=facts,
        timelines=timelines,
        lines=proof,
        row=first,
        clock=clock_in(proof),
    )


def proving_lines(
    event_ids: Iterable[str], events: Mapping[str, Row], texts: Mapping[str, tuple[str, str]]
) -> list[ProvingLine]:
    """The lines of these events, in the order of the ids; unknown ids are left out.

    events: rows of silver.client_events by event_id. texts: of bronze.log_records text and time_zone_origin, by record_id.
    """
    return [
        _proving_line(event_id, event, texts.get(event["record_id"]))
        for event_id in event_ids
        if (event := events.get(event_id))
    ]


def _proving_line(event_id: str, event: Row, kept: tuple[str, str] | None) -> ProvingLine:
    """kept: its record's text and time_zone_origin, where that was kept."""
    text, zone = kept or ("", "logged")
    return ProvingLine(
        event_id=event_id,
        happened_at=event["happened_at"],
        label=event_label(event),
        source=event["source"],
        line=event["line"],
        text=None if kept is None else text,
        message_id=event["message_id"],
        library=event.get("client_library") or JAVA,
        clock=clock_of(text, zone),
        above=_above(event, text),
    )


def _above(event: Row, text: str) -> int:
    """How many lines of a record stand above its exception: prose, or frames whose head was cut off. None where the record
    has a time or a level: then its first line is its head."""
    has_head = event["happened_at"] is not None or event.get("level") is not None
    if has_head or event["message_id"] not in _exceptions():
        return 0
    return next((number for number, line in enumerate(text.split("\n")) if is_thrown(line)), 0)


@cache
def _exceptions() -> frozenset[str]:
    return frozenset({APPLICATION_EXCEPTION, *(form.family.id for form in exception_forms())})


def clock_in(lines: Iterable[ProvingLine]) -> LogClock:
    """The clock of the first line that has a time; that of a log without any."""
    return next((line.clock for line in lines if line.happened_at is not None), LogClock())


def event_label(event: Row) -> str:
    """What a line says, in a few words: its kind, the error it names, what is left."""
    parts = [LABELS.get(event["kind"], str(event["kind"]).replace("_", " "))]
    if event["kind"] == "other_kafka":
        parts = [str(event["message_id"])]
    if event.get("error_class"):
        parts.append(str(event["error_class"]))
    if event.get("remaining_ms") is not None:
        parts.append(f"{event['remaining_ms']} ms left")
    if event.get("attempts_left") is not None:
        parts.append(f"{event['attempts_left']} attempts left")
    return ", ".join(parts)


def promise_of(rule_id: str, judge: Callable[..., Any]) -> str:
    """The promise the rule watches, and where it stands (the docstring's Source)."""
    parts = parts_of(judge)
    promise = promises().get(rule_id) or parts[""]
    return f"{promise} [{parts['Source']}]" if "Source" in parts else promise


def iso(at: int | None) -> str | None:
    """An instant as people and machines read it: 2026-11-21T02:44:01.123Z."""
    if at is None:
        return None
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _episode(evidence: Evidence, subject_id: str, near: Sequence[str]) -> tuple[str, Row] | None:
    """The episode's row; of several the one that shares most events with `near`."""
    found = evidence.episodes(subject_id)
    if found is None:
        return None
    table, rows = found
    return table, max(rows, key=lambda row: len(set(near) & set(row["event_ids"])))


def _timelines(
    episodes: Sequence[tuple[str, Row]], evidence: Evidence, proof: Sequence[ProvingLine]
) -> list[Timeline]:
    if not episodes:
        alone = timeline_of("", {}, _seen(proof))
        return [alone] if alone and len(alone.marks) > 1 else []
    drawn = (timeline_of(table, row, _seen(evidence.lines(row["event_ids"]))) for table, row in episodes)
    return [timeline for timeline in drawn if timeline]


def _with_doubt(row: Row, timelines: list[Timeline]) -> list[Timeline]:
    """A limit that the incident does not know is a default: it is drawn as one."""
    if row.get("limit_ms") is not None or not str(row.get("kind")).startswith("membership_"):
        return timelines
    return [
        replace(
            one,
            marks=tuple(
                replace(mark, label=f"{mark.label}, if the default holds") if mark.role == "limit" else mark
                for mark in one.marks
            ),
        )
        for one in timelines
    ]


def _seen(lines: Sequence[ProvingLine]) -> list[tuple[int, str]]:
    return [(line.happened_at, line.label) for line in lines if line.happened_at is not None]


def _distance(row: Row, lines: Sequence[ProvingLine]) -> str | None:
    observed, limit = row.get("observed_ms"), row.get("limit_ms")
    if observed is None or limit is None:
        return None
    if row.get("limit_origin") == "assumed":
        return f"{observed} ms; the limit that held is not in these lines{_beside_default(observed, limit, lines)}"
    side = "over" if observed >= limit else "under"
    origin = origin_words(row.get("limit_origin"))
    if row.get("kind") in NOTICED and 0 <= observed - limit < NOTICED_MS:
        noticed = f"noticed {span(observed - limit)} after the limit of {limit} ms ({origin})"
        return f"{observed} ms, {noticed}; when poll() was called again is not in that line"
    return f"{observed} ms, {span(abs(observed - limit))} {side} the limit of {limit} ms ({origin})"


def _beside_default(observed: int, limit: int, lines: Sequence[ProvingLine]) -> str:
    """What a wait tells of a limit that nobody saw. Nothing of clients whose defaults are not these."""
    if observed <= limit or {line.library for line in lines} - {JAVA, LIBRDKAFKA}:
        return ""
    return (
        f": it is set to more than the default of {span(limit)}, or the client itself came {span(observed - limit)} late,"
        " as one that stood still does (suspended, frozen, without CPU)"
    )


def _unless_set(row: Row, lines: Sequence[ProvingLine]) -> str | None:
    """Defaults of the settings that the story names: of the one library that tells it, and where the log tells no limit that
    held.
    """
    is_known = row.get("limit_ms") is not None and row.get("limit_origin") != "assumed"
    libraries = {line.library for line in lines} or {JAVA}
    if is_known or len(libraries) > 1:
        return None
    told = next(iter(libraries))
    if told == JAVA:  # a broker speaks of any library's members
        told = next(filter(None, map(client_of_id, row["title"].split())), JAVA)
    return unless_set(f"{row['title']} {row['cause']} {row['advice']}", told)


def _wait(row: Row) -> str:
    bounds = (
        f"allowed {row['shortest_ms']} to {row['longest_ms']} ms"
        if row.get("shortest_ms") is not None
        else "bounds unknown"
    )
    return f"{'at most ' if row.get('is_lower_bound') else ''}{row['waited_ms']} ms, {bounds}"


def _who(row: Row) -> str:
    client = row.get("client_id") or ", ".join(row.get("client_ids") or ()) or "client unknown"
    place = "/".join(part for part in (row.get("service"), row.get("instance")) if part)
    return ", ".join(part for part in (client, place) if part)


def _when(row: Row, clock: LogClock, lines: Sequence[ProvingLine]) -> str:
    """From when to when; where the beginning is not known, when its last line was written; of lines without a date as the
    first of them writes it.
    """
    began, ended = row.get("started_at"), row.get("ended_at")
    if began is None and ended is None:
        ended = max((line.happened_at for line in lines if line.happened_at is not None), default=None)
    if began is None and ended is None:
        return next((at for line in lines if (at := written_at(line.text or ""))), clock.at(None))
    if began is None or ended is None or ended <= began:
        return clock.at(began if began is not None else ended)
    return f"{clock.at(began)} to {clock.time(ended)}, {span(ended - began)}"
