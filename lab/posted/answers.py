"""A table by log of what `kipwatch explain` answered: `python -m lab.posted.answers FOLDER [--write PAGE] [--show NAME]`.

FOLDER has `logs/` and `labels.yaml` (lab.posted.events). Whether a log shows trouble, its label says by `trouble`, else by
its cause, its kinds of events, and a first finding that calls it healthy. The facts of a `cause` (settings, numbers,
errors) are looked for in the answer's text; what must not be concluded is for eyes (--show prints both). No text of a log
goes into the page.
"""

import argparse
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console

from conf.settings import Conf, load_conf
from jobs.explain.files import explain_logs
from transforms.diagnose.unexplained.ending import NOT_JUDGED, NOTHING_WRONG, TROUBLE
from transforms.diagnose.unexplained.record_loudness import OF_TROUBLE

QUIET = re.compile(
    r"(?i)\b(?:healthy|benign|no failure|clean (?:shutdown|close)|plain (?:unsubscribe|close)|normal(?:ly)?\b)"
)
SPEAKS = re.compile(
    r"(?i)\b(?:died|dies|refused|rejected|unreachable|never be|never found|can't be|not resolve|no longer knows|failed on)\b"
)
SETTING = re.compile(r"\b[a-z]{2,}(?:\.[a-z]{2,}){1,5}\b")
NUMBER = re.compile(r"\b(\d+(?:\.\d+)?) ?(ms|s|min|h)?\b")
ERROR = re.compile(r"\b\w+(?:Exception|Error)\b|\b[A-Z]{3,}(?:_[A-Z]+)+\b")
IN_MS = {"ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000}
VERDICTS = {
    (True, TROUBLE): "right",
    (True, NOT_JUDGED): "not judged",
    (True, NOTHING_WRONG): "FALSE ALL-CLEAR",
    (False, TROUBLE): "FALSE ALARM",
    (False, NOT_JUDGED): "not judged",
    (False, NOTHING_WRONG): "right",
}
NO_FAILURE = re.compile(r"not make it a failure|[Nn]ot an error")
Label = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answered:
    """What was answered to one log. facts: those of the labelled cause, and whether the answer names each.

    in_log: of those, which stand in the log at all. more: what the answer says would tell more.
    """

    name: str
    client: str
    has_trouble: bool
    ending: str
    facts: dict[str, bool]
    text: str
    has_cause: bool = False
    in_log: frozenset[str] = frozenset()
    more: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Whether the ending was the right one."""
        return VERDICTS[self.has_trouble, self.ending]


def has_trouble(entry: Label) -> bool:
    """Whether the label tells of trouble: a cause, or an event of trouble, and no first finding that calls it normal.

    Nor is what its label forbids to call a failure.
    """
    if "trouble" in entry:
        return bool(entry["trouble"])
    if any(NO_FAILURE.search(said) for said in entry.get("must_not_conclude") or ()):
        return False
    if any(QUIET.search(finding) for finding in (entry.get("violations_or_findings") or [])[:1]):
        return False
    if any(SPEAKS.search(finding) for finding in (entry.get("violations_or_findings") or [])[:1]):
        return True
    kinds = {
        event["kind"].replace("-", "_") for event in entry.get("events") or () if not event.get("optional")
    }
    return bool(entry.get("cause")) or bool(kinds & OF_TROUBLE)


def facts_of(cause: str) -> list[str]:
    """Settings, errors, and numbers with a unit that a cause names."""
    numbers = [f"{number} {unit}" for number, unit in NUMBER.findall(cause) if unit]
    return list(dict.fromkeys([*SETTING.findall(cause), *ERROR.findall(cause), *numbers]))


def names(text: str, fact: str) -> bool:
    """Whether an answer names a fact, numbers in whatever unit."""
    flat = " ".join(text.split())
    number = NUMBER.fullmatch(fact)
    if number is None:
        return fact in flat or fact in "".join(text.split())
    wanted = float(number[1]) * IN_MS[number[2]]
    return any(float(found) * IN_MS[unit] == wanted for found, unit in NUMBER.findall(flat) if unit)


def answered(folder: Path, entry: Label, conf: Conf) -> Answered:
    """Explain one labelled log."""
    out = io.StringIO()
    console = Console(file=out, width=100, markup=False, emoji=False, highlight=False)
    told = explain_logs([str(folder / entry["file"])], console, conf=conf)
    text = out.getvalue()
    log = (folder / entry["file"]).read_text(encoding="utf-8", errors="replace")
    facts = {fact: names(text, fact) for fact in facts_of(entry.get("cause") or "")}
    return Answered(
        Path(entry["file"]).stem,
        entry.get("client", "java"),
        has_trouble(entry),
        told.ending.kind,
        facts,
        text,
        bool(entry.get("cause")),
        frozenset(fact for fact in facts if names(log, fact)),
        tuple(
            dict.fromkeys(
                said for fault in told.faults for label, said in fault.report.facts if label == "Tells more"
            )
        ),
    )


def page(found: Iterable[Answered]) -> str:
    """The table as Markdown, with its sums."""
    rows = list(found)
    sums = Counter(row.verdict for row in rows)
    named = [is_named for row in rows for is_named in row.facts.values()]
    lines = [
        "# What `kipwatch explain FILE` answers on logs that people posted",
        "",
        "Made by `python -m lab.posted.answers FOLDER --write docs/answers.md` over labelled logs that are not part of",
        "this repository. *Trouble* is what the label says; *answered* how the explanation ended; *facts* how many of the",
        "settings, errors and numbers that the label's cause names stand in the answer: many causes name what no line of",
        "the log shows. The rules have learned from these logs; what others showed before anything was mended by them:",
        "[first sight](first-sight.md).",
        "",
        f"{len(rows)} logs: {', '.join(f'{number} {verdict}' for verdict, number in sums.most_common())}. "
        f"Facts of causes named: {sum(named)} of {len(named)}.",
        "",
        "| log | client | trouble | answered | ending | facts |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        facts = f"{sum(row.facts.values())} of {len(row.facts)}" if row.facts else ""
        trouble = "yes" if row.has_trouble else "no"
        lines.append(
            f"| {row.name} | {row.client} | {trouble} | {row.ending.replace('_', ' ')} | {row.verdict} | {facts} |"
        )
    lines += [
        "",
        "## What would tell more",
        "",
        "Logs of which somebody told the cause. *Lacking* are facts of that cause that the answer does not name, and",
        "whether they stand in the log; *would need* what the answer itself asks for.",
        "",
        "| log | lacking | would need |",
        "|---|---|---|",
        *(
            f"| {row.name} | {_lacking(row)} | {' '.join(row.more).replace('|', chr(92) + '|')} |"
            for row in rows
            if row.has_cause
        ),
    ]
    return "\n".join(lines) + "\n"


def _lacking(row: Answered) -> str:
    return ", ".join(
        f"{fact} ({'in the log' if fact in row.in_log else 'not in the log'})"
        for fact, is_named in row.facts.items()
        if not is_named
    )


def show(entry: Label, row: Answered) -> None:
    """The answer, and beside it what the label says: for eyes."""
    print(f"{'=' * 100}\n{row.name}: {row.verdict}\n\n{row.text}")
    for title, key in (("findings", "violations_or_findings"), ("must not conclude", "must_not_conclude")):
        print(f"{title}:", *(entry.get(key) or ()), sep="\n  - ")
    print(f"cause: {entry.get('cause')}\nfacts: {row.facts}\n")


def main(folder: Path, conf: Conf, written: Path | None, shown: str | None) -> None:
    """Explain every labelled log of the folder; print what was not right, write the table."""
    entries = yaml.safe_load((folder / "labels.yaml").read_text(encoding="utf-8"))
    found = []
    for entry in entries:
        if shown and shown not in entry["file"]:
            continue
        row = answered(folder, entry, conf)
        found.append(row)
        if shown is not None:
            show(entry, row)
        elif row.verdict != "right":
            print(f"{row.verdict:16s} {row.name}")
    print(page(found).split("\n\n")[2])
    if written is not None:
        written.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="the page to write")
    parser.add_argument(
        "--show", metavar="NAME", help="print answer and label of the logs that have it in their name"
    )
    given = parser.parse_args()
    main(given.folder, load_conf(), given.write, given.show)
