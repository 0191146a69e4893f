"""A score as Markdown (docs/score.md), as JSON, and as text for whoever mends a machine."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime

from lab.score.fact import FALSE, FOUND, HIDDEN, MISSED, Fact
from lab.score.scoring import Score

INTRO = """\
# Score

What kipwatch rebuilds from the recordings in `tests/recordings`, against what truly happened (noted by a
proxy on the wire and by code around each client, never taken from a log). Made by `make score`, unedited.

A fact is *found* when it was rebuilt under its name and at its time (tolerances and their reasons:
`lab/score`), *missed* when the log shows it and it was not, *false* when it was rebuilt and never happened,
*hidden* when no line of the log's level tells of it.
Recall counts what the log shows: found / (found + missed). Precision: found / (found + false).
"""


def markdown(score: Score) -> str:
    """The whole page; equal input gives equal text."""
    parts = [
        INTRO,
        _facts(score),
        _recordings(score),
        _verdicts(score),
        _beside(score),
        _missed(score),
        _hidden(score),
        _unjudged(score),
    ]
    if score.failures:
        lines = "\n".join(f"- {name}: {why}" for name, why in sorted(score.failures.items()))
        parts.insert(1, f"## Not compared\n\n{lines}\n")
    return "\n".join(part for part in parts if part)


def as_json(score: Score) -> str:
    """Everything, for scripts."""
    return json.dumps(
        {
            "facts": [asdict(fact) for fact in score.facts],
            "verdicts": [asdict(verdict) for verdict in score.verdicts],
            "beside": [asdict(other) for other in score.beside],
            "unjudged": score.unjudged,
            "failures": score.failures,
        },
        indent=1,
        sort_keys=True,
    )


def verbose(score: Score) -> Iterator[str]:
    """Each miss, false fact, disagreeing verdict and rule beside, recording by recording."""
    scenarios = sorted(
        {f.scenario for f in score.facts} | {v.scenario for v in score.verdicts} | set(score.failures)
    )
    for scenario in scenarios:
        facts = [fact for fact in score.facts if fact.scenario == scenario]
        wrong = [fact for fact in facts if fact.status in (MISSED, FALSE)]
        found = sum(fact.status == FOUND for fact in facts)
        hidden = sum(fact.status == HIDDEN for fact in facts)
        yield f"{scenario}: {found} found, {len(wrong)} wrong, {hidden} hidden"
        if scenario in score.failures:
            yield f"    FAILED {score.failures[scenario]}"
        for fact in sorted(wrong, key=lambda fact: fact.at or 0):
            yield f"    {fact.status:6} {_clock(fact.at)} {fact.client}: {fact.kind}: {fact.says}; {fact.why}"
        for verdict in score.verdicts:
            if verdict.scenario == scenario and verdict.agrees is False:
                rules = ", ".join(verdict.rules)
                yield f"    VERDICT {verdict.expected}: {verdict.says} [{rules}]; found: {verdict.found}"
        for other in score.beside:
            if other.scenario == scenario:
                mark = "ACCUSED" if other.category == "broken_semantics" else "beside "
                times = f"{other.category} x{other.occurrences}"
                yield f"    {mark} {other.client}: {other.rule_id} {times}: {other.explanation}"


def totals(score: Score) -> str:
    """One line: what the gates look at."""
    counts = _counts(score.facts)
    found, missed, false = (sum(row[status] for row in counts.values()) for status in (FOUND, MISSED, FALSE))
    judged = [verdict for verdict in score.verdicts if verdict.agrees is not None]
    agreeing = sum(bool(verdict.agrees) for verdict in judged)
    accused = sum(other.category == "broken_semantics" for other in score.beside)
    return (
        f"facts: {found} found, {missed} missed, {false} false; verdicts: {agreeing} of {len(judged)} agree; "
        f"broken_semantics beside the truth: {accused}; recordings that failed: {len(score.failures)}"
    )


def _counts(facts: list[Fact]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys((FOUND, MISSED, FALSE, HIDDEN), 0))
    for fact in facts:
        counts[fact.kind][fact.status] += 1
    return counts


def _facts(score: Score) -> str:
    lines = [
        "## Facts",
        "",
        "| fact | in the truth | found | missed | false | hidden | recall | precision |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for kind, row in sorted(_counts(score.facts).items()):
        truth = row[FOUND] + row[MISSED] + row[HIDDEN]
        lines.append(
            f"| {kind} | {truth} | {row[FOUND]} | {row[MISSED]} | {row[FALSE]} | {row[HIDDEN]} "
            f"| {_share(row[FOUND], row[MISSED])} | {_share(row[FOUND], row[FALSE])} |"
        )
    return "\n".join(lines) + "\n"


def _recordings(score: Score) -> str:
    lines = [
        "## By recording",
        "",
        "| recording | found | missed | false | hidden | verdicts that agree |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for scenario in sorted({verdict.scenario for verdict in score.verdicts}):
        facts = [fact.status for fact in score.facts if fact.scenario == scenario]
        judged = [v.agrees for v in score.verdicts if v.scenario == scenario and v.agrees is not None]
        counts = " | ".join(str(facts.count(status)) for status in (FOUND, MISSED, FALSE, HIDDEN))
        lines.append(f"| {scenario} | {counts} | {sum(judged)} of {len(judged)} |")
    return "\n".join(lines) + "\n"


def _share(good: int, bad: int) -> str:
    return f"{good / (good + bad):.3f}" if good + bad else "-"


def _verdicts(score: Score) -> str:
    judged = [verdict for verdict in score.verdicts if verdict.agrees is not None]
    agreeing = sum(bool(verdict.agrees) for verdict in judged)
    lines = [
        "## Verdicts",
        "",
        f"{agreeing} of {len(judged)} agree; {len(score.verdicts) - len(judged)} name no rule to check.",
        "",
        "| recording | promise | truth | rules | agrees | found |",
        "|---|---|---|---|---|---|",
    ]
    for verdict in score.verdicts:
        agrees = {True: "yes", False: "**no**", None: "-"}[verdict.agrees]
        rules = ", ".join(f"`{rule}`" for rule in verdict.rules)
        lines.append(
            f"| {verdict.scenario} | {verdict.kip}: {_cell(verdict.says)} | {verdict.expected} | {rules} "
            f"| {agrees} | {_cell(verdict.found)} |"
        )
    return "\n".join(lines) + "\n"


def _beside(score: Score) -> str:
    accused = [other for other in score.beside if other.category == "broken_semantics"]
    lines = [
        "## Rules that fired beside the expected",
        "",
        f"False accusations (`broken_semantics`): {len(accused)}.",
        "",
    ]
    if score.beside:
        lines += ["| recording | client | rule | category | times | first |", "|---|---|---|---|---:|---|"]
    for other in sorted(
        score.beside, key=lambda o: (o.category != "broken_semantics", o.scenario, o.client, o.rule_id)
    ):
        lines.append(
            f"| {other.scenario} | {other.client} | `{other.rule_id}` | {other.category} "
            f"| {other.occurrences} | {_cell(other.explanation)} |"
        )
    return "\n".join(lines) + "\n"


def _missed(score: Score) -> str:
    wrong = [fact for fact in score.facts if fact.status in (MISSED, FALSE)]
    lines = ["## Missed and false facts", ""]
    if not wrong:
        return "\n".join([*lines, "None."]) + "\n"
    groups: dict[tuple[str, str, str, str], list[Fact]] = defaultdict(list)
    for fact in wrong:
        groups[fact.scenario, fact.client, fact.kind, fact.status].append(fact)
    lines += ["| recording | client | fact | status | times | first |", "|---|---|---|---|---:|---|"]
    for (scenario, client, kind, status), group in sorted(groups.items()):
        first = min(group, key=lambda fact: fact.at or 0)
        said = _cell(f"{_clock(first.at)} {first.says}; {first.why}")
        lines.append(f"| {scenario} | {client} | {kind} | {status} | {len(group)} | {said} |")
    return "\n".join(lines) + "\n"


def _hidden(score: Score) -> str:
    reasons: dict[tuple[str, str], int] = defaultdict(int)
    for fact in score.facts:
        if fact.status == HIDDEN:
            reasons[fact.kind, fact.why] += 1
    lines = ["## Facts that no line shows", "", "| fact | why | times |", "|---|---|---:|"]
    lines += [f"| {kind} | {_cell(why)} | {times} |" for (kind, why), times in sorted(reasons.items())]
    return "\n".join(lines) + "\n"


def _unjudged(score: Score) -> str:
    lines = ["## Subjects left unjudged", "", "| rule | subjects |", "|---|---:|"]
    lines += [f"| `{rule_id}` | {subjects} |" for rule_id, subjects in sorted(score.unjudged.items())]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")[:220]


def _clock(at: int | None) -> str:
    if at is None:
        return "no time"
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%H:%M:%S.%f")[:-3]
