"""Applies the registry to rebuilt episodes: findings, what they fold to, and what could not be judged."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from math import inf

from transforms.rules.clocks import Steps, doubted, doubtful_until, steps_of
from transforms.rules.registry import RULES
from transforms.rules.rule import ABSENT, Rule, Verdict, unjudged
from transforms.timers.clients.namesakes import Namesake
from transforms.timers.clock_steps import ClockStep
from transforms.timers.cut_off import is_open
from transforms.timers.episodes import Episode
from transforms.timers.log_holes import LogHole

FOLDED_ONCE_PER_CLIENT = frozenset({"departs_from_kip", "older_semantics"})
EXAMPLES = 5
NOT_ACCUSED = frozenset({"conforms", "unjudged"})
# What rests on a line that is not there.
MAY_BE_LOST = unjudged(
    "a lost line would explain it", "a log that shows itself to be whole: DEBUG of StreamThread, every line"
)
# What two clients seem to do together.
MAY_BE_TWO = unjudged(
    "two clients of this name write one log",
    "a log for each process (kubectl logs without -l, or with --prefix), and another client.id for each client of one",
)
# What had not ended when its process spoke of more clients than are followed at once.
CUT_OFF = unjudged(
    "not followed to its end",
    "a log of fewer clients (one file for each process), or a larger lake.most_clients",
)


@dataclass(slots=True, kw_only=True)
class Finding:
    """One occurrence of a broken rule: a row of silver.findings. Instants in ms UTC."""

    finding_id: str
    rule_id: str
    kip: str
    category: str
    severity: str
    client_id: str | None
    subject_id: str
    happened_at: int | None
    observed_ms: int | None
    limit_ms: int | None
    limit_origin: str | None
    explanation: str
    event_ids: list[str]
    samples: list[str] = field(default_factory=list)
    unit_id: str
    incarnation: int
    scope_id: str
    service: str | None
    instance: str | None


@dataclass(slots=True, kw_only=True)
class Violation(Finding):
    """A row of gold.violations: findings of one subject, or of one client where the whole release departs.

    observed_ms, limit_ms, explanation, event_ids and samples are those of the worst occurrence.
    """

    violation_id: str
    occurrences: int
    first_at: int | None
    last_at: int | None
    worst_ms: int | None


@dataclass(slots=True, kw_only=True)
class Unjudged:
    """A row of gold.unjudged: per rule, unit, client and reason."""

    rule_id: str
    client_id: str | None
    reason: str
    missing: str
    subjects: int
    first_at: int | None
    last_at: int | None
    unit_id: str
    incarnation: int
    scope_id: str
    service: str | None
    instance: str | None
    example_subject_ids: list[str] = field(default_factory=list)

    def add(
        self, subjects: int, incarnation: int, times: Iterable[int | None], examples: Iterable[str]
    ) -> None:
        """Count some more. times: of the first and the last of them, where they are known."""
        self.subjects += subjects
        self.incarnation = min(self.incarnation, incarnation)
        known = [at for at in (self.first_at, self.last_at, *times) if at is not None]
        self.first_at, self.last_at = min(known, default=None), max(known, default=None)
        self.example_subject_ids = sorted({*self.example_subject_ids, *examples})[:EXAMPLES]


@dataclass(slots=True)
class Judgement:
    """All verdicts of one scope (a unit, or a group)."""

    findings: list[Finding]
    violations: list[Violation]
    unjudged: list[Unjudged]


class EarlierVerdictsError(Exception):
    """The clock was set back into a time that was judged before: those verdicts may fall, so all is to be judged anew."""


@dataclass(slots=True)
class FoldedFindings:
    """Findings of one subject (or of one client, where its whole release departs), folded as they come."""

    subject: str
    first: Finding
    worst: Finding
    occurrences: int = 0
    first_at: int | None = None
    last_at: int | None = None

    def add(self, found: Finding) -> None:
        """Take one more; in whatever order they come, the same comes out."""
        self.first, self.worst = min(self.first, found, key=by_time), max(self.worst, found, key=_distance)
        self.occurrences += 1
        if found.happened_at is not None:
            self.first_at = (
                found.happened_at if self.first_at is None else min(self.first_at, found.happened_at)
            )
            self.last_at = found.happened_at if self.last_at is None else max(self.last_at, found.happened_at)


Question = tuple[str, str, str | None, str]


@dataclass(slots=True)
class Judging:
    """Judges the episodes of one scope as they come, and keeps what they fold to: plain data.

    accused_until: up to when verdicts rest on a duration that a step of the clock may undo, by unit; ms.
    with_holes: units of whose log lines are missing. by_absence: units that are accused by a line that is not there.
    namesakes: clients that are more than one, and accused: those of a broken promise, by unit and id.
    """

    scope_id: str
    steps: dict[str, list[ClockStep]] = field(default_factory=dict)
    folded: dict[tuple[str, str, str], FoldedFindings] = field(default_factory=dict)
    questions: dict[Question, Unjudged] = field(default_factory=dict)
    accused_until: dict[str, float] = field(default_factory=dict)
    with_holes: set[str] = field(default_factory=set)
    by_absence: set[str] = field(default_factory=set)
    namesakes: set[str] = field(default_factory=set)
    accused: set[str] = field(default_factory=set)

    def take(self, episodes: Iterable[Episode], *, is_cut_off: bool = False) -> list[Finding]:
        """Judge some more episodes; the findings they give, in order of time. is_cut_off: what is open is let go.

        Raises: EarlierVerdictsError where they show a step of the clock back into what was judged before, that lines are
        missing in a log by whose silence a client was accused, or that a client that was accused is more than one.
        """
        known = list(episodes)
        self._see_steps(steps_of(known))
        holes = {episode.unit_id for episode in known if isinstance(episode, LogHole)}
        self._see_doubts(holes, self.with_holes, self.by_absence)
        namesakes = {_client_of(episode) for episode in known if isinstance(episode, Namesake)}
        self._see_doubts(namesakes, self.namesakes, self.accused)
        findings: dict[str, Finding] = {}
        for episode in known:
            for rule in rules_for(type(episode)):  # type: ignore[arg-type]  # mypy asks a class for its instances' hash
                given = self._shown(rule, rule.judge(episode), episode)
                verdict = doubted(given, episode, self.steps) if self.steps else given
                if is_cut_off and verdict.outcome in NOT_ACCUSED and is_open(episode):
                    verdict = CUT_OFF
                if verdict.outcome == "violated":
                    found = _finding(rule, episode, verdict, self.scope_id)
                    findings[found.finding_id] = found
                    self._accused(verdict, episode)
                elif verdict.outcome == "unjudged":
                    _count(self.questions, rule, episode, verdict, self.scope_id)
        ordered = sorted(findings.values(), key=by_time)
        for found in ordered:
            self._fold(found)
        return ordered

    def violations(self) -> list[Violation]:
        """What all findings so far fold to."""
        return sorted(map(_violation, self.folded.values()), key=by_time)

    def unjudged(self) -> list[Unjudged]:
        """What could not be judged so far."""
        return sorted(self.questions.values(), key=_by_question)

    def end_chapter(self) -> list[Violation]:
        """What all findings so far fold to; they are forgotten, and what could not be judged is kept by rule and reason."""
        found = self.violations()
        self.folded.clear()
        self.accused.clear()
        self.namesakes.clear()
        questions = self.unjudged()
        self.questions.clear()
        self.add_questions(questions)
        return found

    def add_questions(self, questions: Iterable[Unjudged]) -> None:
        """What could not be judged of clients that are followed no longer: of all of them together."""
        for row in questions:
            key = (row.rule_id, row.unit_id, None, row.reason)
            known = self.questions.get(key)
            if known is None:
                self.questions[key] = replace(row, client_id=None, scope_id=self.scope_id)
            else:
                known.add(row.subjects, row.incarnation, (row.first_at, row.last_at), row.example_subject_ids)

    def _see_steps(self, steps: Steps) -> None:
        for unit_id, of_unit in steps.items():
            if any(step.to_at <= self.accused_until.get(unit_id, -inf) for step in of_unit):
                raise EarlierVerdictsError(unit_id)
            self.steps.setdefault(unit_id, []).extend(of_unit)

    @staticmethod
    def _see_doubts(found: set[str], known: set[str], accused: set[str]) -> None:
        """Who is in doubt from now on. accused: who may not be, once that is known."""
        known |= found
        if found & accused:
            raise EarlierVerdictsError(min(found & accused))

    def _shown(self, rule: Rule, verdict: Verdict, episode: Episode) -> Verdict:
        """The verdict; of a rule that rests on a line that is not there, only where the log shows that none is missing; of a
        broken promise only where the client is one.
        """
        if verdict.category != "broken_semantics":
            return verdict
        if _client_of(episode) in self.namesakes:
            return MAY_BE_TWO
        if (verdict.rests_on or rule.rests_on) != ABSENT:
            return verdict
        if not episode.log_is_whole or episode.unit_id in self.with_holes:
            return MAY_BE_LOST
        self.by_absence.add(episode.unit_id)
        return verdict

    def _accused(self, verdict: Verdict, episode: Episode) -> None:
        if verdict.category == "broken_semantics":
            self.accused.add(_client_of(episode))
        until = doubtful_until(verdict, episode)
        if until is not None:
            for unit_id in episode.timed_by:
                self.accused_until[unit_id] = max(until, self.accused_until.get(unit_id, -inf))

    def _fold(self, found: Finding) -> None:
        once_per_client = found.category in FOLDED_ONCE_PER_CLIENT
        subject = f"{found.unit_id}/{found.client_id}" if once_per_client else found.subject_id
        key = (found.rule_id, found.category, subject)
        self.folded.setdefault(key, FoldedFindings(subject, found, found)).add(found)


def _client_of(episode: Episode) -> str:
    return f"{episode.unit_id}/{episode.client_id}"


def judge(episodes: Iterable[Episode], scope_id: str, *, is_cut_off: bool = False) -> Judgement:
    """Give every registered rule every episode of the class it judges; deterministic whatever the order they come in."""
    judging = Judging(scope_id)
    findings = judging.take(episodes, is_cut_off=is_cut_off)
    return Judgement(findings, judging.violations(), judging.unjudged())


@cache
def rules_for(episode_class: type) -> tuple[Rule, ...]:
    """The rules that judge episodes of this class."""
    return tuple(rule for rule in RULES.values() if issubclass(episode_class, rule.judges))


def sha(*parts: str) -> str:
    """Identity from content: sha2-256 over the parts."""
    return sha256("\x1f".join(parts).encode()).hexdigest()


def subject_of(episode: Episode) -> str:
    """The episode's own id: the first field of its class that ends with `_id`."""
    return str(getattr(episode, _id_field(type(episode))))  # type: ignore[arg-type]  # mypy asks a class for its instances' hash


@cache
def _id_field(episode_class: type) -> str:
    for klass in episode_class.__mro__:
        if klass is Episode:
            break
        for name in vars(klass).get("__annotations__", {}):
            if name.endswith("_id"):
                return str(name)
    raise TypeError(f"{episode_class.__name__} has no field that ends with _id to name its subject by")


def _finding(rule: Rule, episode: Episode, verdict: Verdict, scope_id: str) -> Finding:
    if verdict.category not in rule.gives:
        raise ValueError(f"{rule.rule_id} gave {verdict.category!r}, but is registered for {rule.gives}")
    subject = verdict.subject_id or subject_of(episode)
    facts = {"observed_ms": verdict.observed_ms, "limit_ms": verdict.limit_ms, **verdict.facts}
    return Finding(
        finding_id=sha(rule.rule_id, subject, (verdict.event_ids or verdict.samples)[0]),
        rule_id=rule.rule_id,
        kip=rule.kip,
        category=verdict.category or "",
        severity=rule.severity,
        client_id=episode.client_id,
        subject_id=subject,
        happened_at=verdict.happened_at,
        observed_ms=verdict.observed_ms,
        limit_ms=verdict.limit_ms,
        limit_origin=verdict.limit_origin,
        explanation=rule.says.format(**facts),
        event_ids=list(verdict.event_ids),
        samples=list(verdict.samples),
        unit_id=episode.unit_id,
        incarnation=episode.incarnation,
        scope_id=scope_id,
        service=episode.service,
        instance=episode.instance,
    )


def _violation(folding: FoldedFindings) -> Violation:
    first, worst = folding.first, folding.worst
    shown = {name: getattr(worst, name) for name in Finding.__slots__}
    shown["subject_id"] = folding.subject
    return Violation(
        **shown,
        violation_id=sha(first.rule_id, folding.subject, (first.event_ids or first.samples)[0]),
        occurrences=folding.occurrences,
        first_at=folding.first_at,
        last_at=folding.last_at,
        worst_ms=worst.observed_ms,
    )


def _count(
    questions: dict[Question, Unjudged],
    rule: Rule,
    episode: Episode,
    verdict: Verdict,
    scope_id: str,
) -> None:
    reason, missing = verdict.reason or "", verdict.missing or ""
    key = (rule.rule_id, episode.unit_id, episode.client_id, reason)
    at = verdict.happened_at if verdict.happened_at is not None else _began(episode)
    row = questions.get(key)
    if row is None:
        row = questions[key] = Unjudged(
            rule_id=rule.rule_id,
            client_id=episode.client_id,
            reason=reason,
            missing=missing,
            subjects=0,
            first_at=None,
            last_at=None,
            unit_id=episode.unit_id,
            incarnation=episode.incarnation,
            scope_id=scope_id,
            service=episode.service,
            instance=episode.instance,
        )
    row.add(1, episode.incarnation, (at,), (verdict.subject_id or subject_of(episode),))


def _began(episode: Episode) -> int | None:
    """The episode's own time: the first of its instants that is known."""
    for name in ("started_at", "joined_at", "failed_at", "created_at", "happened_at", "ended_at"):
        at = getattr(episode, name, None)
        if at is not None:
            return int(at)
    return None


def _distance(found: Finding) -> tuple[int, int, str]:
    if found.observed_ms is None or found.limit_ms is None:
        return (0, -(found.happened_at or 0), found.finding_id)
    return (abs(found.observed_ms - found.limit_ms), -(found.happened_at or 0), found.finding_id)


def by_time(found: Finding) -> tuple[int, str, str]:
    """The order of findings."""
    return (found.happened_at or 0, found.rule_id, found.finding_id)


def _by_question(row: Unjudged) -> tuple[str, str, str, str]:
    return (row.rule_id, row.unit_id, row.client_id or "", row.reason)
