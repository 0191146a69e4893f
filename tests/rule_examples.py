"""One example for each rule's page: a finding in a recording, else in one of the rule's own cases.

`python -m tests.rule_examples` writes transforms/rules/examples.yaml, from which the page is made.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from lab.corpus import Recording, recordings
from lab.score.pure import records_in, story_of
from tests.rule_cases import ACCUSING, POSITIVE, Tried, all_tried
from transforms.diagnose.wording.render import shown_lines
from transforms.parse.records.placing import record_id
from transforms.rules import examples
from transforms.rules.examples import Example
from transforms.rules.judge import Finding
from transforms.rules.registry import RULES
from transforms.rules.rule import CATEGORIES
from transforms.timers.profile import ClientProfile

FILE = Path(examples.__file__).with_name("examples.yaml")
LINES, LINE_LENGTH = 4, 320
# Of a log, decompressed: the one that is longer (53 of the 88 MB of all) is a loop of 9,500 alike.
MOST_BYTES = 8_000_000
# The argument of a case whose history is samples of metrics.
SAMPLES = "samples"
OUTCOMES = frozenset({*CATEGORIES, "conforms", "not_applicable", "unjudged", "violated"})
_HEAD = (
    "# Made by `python -m tests.rule_examples` (part of `make docs`) from recordings and the rules' cases.\n"
)
_SETTING = re.compile(r"^\s+([a-z]+(?:\.[a-z]+)*) = ")
_EXCEPTION = re.compile(r"^(?:Caused by: )?[\w.$]+(?:Exception|Error)\b")


def made() -> dict[str, Example]:
    """Rule id -> example, in the registry's order; a rule that no case breaks has none."""
    recorded = dict(_recorded())
    cases = _by_rule(all_tried())
    found = {rule_id: recorded.get(rule_id) or of_cases(cases.get(rule_id, [])) for rule_id in RULES}
    return {rule_id: example for rule_id, example in sorted(found.items()) if example is not None}


def text_of(found: Mapping[str, Example]) -> str:
    """The file's text."""
    rows = {rule_id: _row(example) for rule_id, example in found.items()}
    return _HEAD + yaml.safe_dump(rows, sort_keys=False, allow_unicode=True, width=100_000)


def _row(example: Example) -> dict[str, Any]:
    where = {"recording": example.recording} if example.recording else {"test": example.test}
    return {**where, "says": example.says, "shown": list(example.shown)}


def _recorded() -> Iterator[tuple[str, Example]]:
    """The finding with the fewest lines in the smallest recording that shows the rule broken; the first ones go first."""
    seen: set[str] = set()
    for recording in sorted(recordings(), key=_by_size):
        story = story_of(recording, most_bytes=MOST_BYTES)
        best: dict[str, Finding] = {}
        for finding in sorted(story.findings, key=lambda one: (len(one.event_ids), one.happened_at or 0)):
            best.setdefault(finding.rule_id, finding)
        place_of = {event.event_id: (event.happened_at or 0, n) for n, event in enumerate(story.events)}
        record_of = {event.event_id: event.record_id for event in story.events}
        wanted = {
            rule_id: [record_of[event_id] for event_id in sorted(finding.event_ids, key=place_of.__getitem__)]
            for rule_id, finding in best.items()
            if rule_id not in seen
        }
        texts = _texts(recording, {record_id for ids in wanted.values() for record_id in ids})
        for rule_id, record_ids in wanted.items():
            seen.add(rule_id)
            says = best[rule_id].explanation
            told = f"{says} {RULES[rule_id].advice}"
            records = [_trimmed(texts[proving], told) for proving in dict.fromkeys(record_ids)]
            yield rule_id, Example(says, tuple(_few(records)), recording=recording.name)


def _by_size(recording: Recording) -> tuple[bool, int, str]:
    size = sum(path.stat().st_size for path in recording.logs)
    return (not recording.name.startswith("p"), size, recording.name)


def _texts(recording: Recording, record_ids: set[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    if record_ids:
        for path in recording.logs:
            for record in records_in(path, MOST_BYTES):
                if (its_id := record_id(record.source_id, record.offset)) in record_ids:
                    found[its_id] = record.text
    return found


def _trimmed(text: str, told: str) -> list[str]:
    """A record's first line, its exceptions (outermost, timeout, innermost), of a dump the settings spoken of."""
    first, *more = shown_lines(text)
    thrown = [line for line in more if _EXCEPTION.match(line)]
    timeouts = [line for line in thrown if "TimeoutException" in line]
    kept = [first, *dict.fromkeys([*thrown[:1], *timeouts[:1], *thrown[-1:]])]
    settings = [
        line.strip() for line in more if (match := _SETTING.match(line)) and _says(told, match.group(1))
    ]
    return [*map(_cut, (line.rstrip() for line in kept)), *(f"        {setting}" for setting in settings)]


def _says(told: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w|\.\w)", told) is not None


def _cut(line: str) -> str:
    return line if len(line) <= LINE_LENGTH else f"{line[: LINE_LENGTH - 1]}…"


def _few(records: list[list[str]]) -> Iterator[str]:
    """The lines of the first and the last records, with how many are left out between."""
    half = LINES // 2
    left_out = records[half:-half] if len(records) > LINES else []
    for number, record in enumerate(records):
        if not half <= number < half + len(left_out):
            yield from record
        elif number == half:
            yield f"… ({len(left_out)} more)"


def _by_rule(ran: Iterable[Tried]) -> dict[str, list[Tried]]:
    found: dict[str, list[Tried]] = {}
    for one in ran:
        if one.kind in ACCUSING and one.fits:
            found.setdefault(one.rule_id, []).append(one)
    return found


def of_cases(cases: list[Tried]) -> Example | None:
    """The shortest history that breaks the rule; one of lines, where lines can show it."""
    if not cases:
        return None
    best = min(
        cases, key=lambda one: (one.kind != POSITIVE, SAMPLES in one.values, len("".join(_history(one))))
    )
    module, _, function = best.test.partition(".")
    return Example(best.sentence, tuple(_history(best)), test=f"{module}.py, {function}[{best.name}]")


def _history(one: Tried) -> list[str]:
    """The arguments of a case that make its history, not those that say what is expected of it."""
    told = {name: text for name, value in one.values.items() if name != "rule" and (text := _argument(value))}
    if len(told) == 1 and isinstance(one.values[next(iter(told))], str):
        return [_cut(text) for text in told.values()]
    return [_cut(f"{name}: {text}") for name, text in told.items()] or [one.name]


def _argument(value: object) -> str:
    if isinstance(value, ClientProfile):
        version = ".".join(str(part) for part in value.version) if value.version else "unknown"
        settings = (f"{name}={setting.value} ({setting.origin})" for name, setting in value.settings.items())
        return ", ".join([f"a client of version {version}", *settings])
    if isinstance(value, dict):
        return ", ".join(f"{name}={given}" for name, given in value.items())
    if isinstance(value, str) and value in OUTCOMES:
        return ""
    return str(value) if value and isinstance(value, str | int) else ""


def main() -> int:
    """Write the file."""
    FILE.write_text(text_of(made()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
