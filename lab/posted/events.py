"""Scores a folder of labelled logs that people posted, without a lake: `python -m lab.posted FOLDER [-v]`.

FOLDER has `logs/` and `labels.yaml`, a list of entries: `file`, `layout` in words, `client` where it is not Java's, and
`events` (line, kind, perhaps `seq`, `optional: true`, and the fields that the record names). Every kind is labelled
completely but those of NOTABLE. A predicted event hits a label of its kind if its record covers the label's line, or is
one line off (a record that the paste wrapped). Fields are compared on hits alone.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from conf.settings import Conf, load_conf
from jobs.explain.by_file import read_file
from transforms.events import ClientEvent

# Labelled only where it is notable: neither a miss nor an extra counts.
NOTABLE = frozenset({"other_kafka", "lifecycle", "streams_state"})
FIELDS = (
    "timestamp", "client_id", "group_id", "member_id", "task_id", "topic_partition", "elapsed_ms", "limit_ms",
    "attempts_left", "error_class",
)  # fmt: skip
JAVA = "java"
Label = Mapping[str, Any]


@dataclass(frozen=True)
class Predicted:
    """An event, and the lines that its record covers."""

    event: ClientEvent
    first: int
    last: int

    def covers(self, line: int, slack: int) -> bool:
        """Whether the line is one of the record's, or `slack` lines off."""
        return self.first - slack <= line <= self.last + slack


@dataclass
class Tally:
    """What hit, what was missed, what was made up; and fields that were right of those labelled."""

    hits: int = 0
    missed: int = 0
    extra: int = 0
    fields: int = 0
    right: int = 0
    said: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Count another's in."""
        for name in ("hits", "missed", "extra", "fields", "right"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.said += other.said

    def __str__(self) -> str:
        recall, precision = _share(self.hits, self.missed), _share(self.hits, self.extra)
        fields = _share(self.right, self.fields - self.right)
        return (
            f"recall {recall} precision {precision} fields {fields} "
            f"({self.hits} hit, {self.missed} missed, {self.extra} extra, {self.right}/{self.fields} fields)"
        )


def _share(good: int, bad: int) -> str:
    return f"{good / (good + bad):.3f}" if good + bad else "  -  "


def tally_of(labels: Iterable[Label], predicted: Sequence[Predicted], scored: frozenset[str]) -> Tally:
    """Match the events of one file with its labels. scored: the kinds that count."""
    tally = Tally()
    left = [one for one in predicted if one.event.kind in scored]
    # What must be there is looked for first.
    for label in sorted(labels, key=lambda one: bool(one.get("optional"))):
        kind, line = _kind(label), int(label["line"])
        if kind in NOTABLE:
            continue
        of_kind = [one for one in left if one.event.kind == kind]
        hit = next((one for slack in (0, 1) for one in of_kind if one.covers(line, slack)), None)
        if hit is None:
            if not label.get("optional"):
                tally.missed += 1
                tally.said.append(f"missed  {line:4d} {kind}")
            continue
        left.remove(hit)
        tally.hits += 1
        for name in FIELDS:
            if label.get(name) is not None:
                tally.fields += 1
                is_right = _is_same(name, label[name], hit.event)
                tally.right += is_right
                if not is_right:
                    tally.said.append(
                        f"field   {line:4d} {kind} {name}: {label[name]}, got {_got(name, hit.event)}"
                    )
    tally.extra = len(left)
    tally.said += [f"extra   {one.event.line:4d} {one.event.kind} ({one.event.message_id})" for one in left]
    return tally


def _kind(label: Label) -> str:
    return str(label["kind"]).replace("-", "_")


def _got(name: str, event: ClientEvent) -> Any:
    if name == "timestamp":
        return event.happened_at and datetime.fromtimestamp(event.happened_at / 1000, UTC).isoformat()
    return (event.topic, event.partition) if name == "topic_partition" else getattr(event, name)


def _is_same(name: str, wanted: Any, event: ClientEvent) -> bool:
    if name == "timestamp":
        return _is_same_second(str(wanted), event.happened_at)
    if name == "topic_partition":
        named = wanted if isinstance(wanted, list) else [wanted]
        return f"{event.topic}-{event.partition}" in map(str, named)
    got = getattr(event, name)
    if name == "error_class":
        return _simple(got) == _simple(wanted)
    return str(got) == str(wanted)


def _is_same_second(wanted: str, happened_at: int | None) -> bool:
    """A label without an offset is compared with what UTC makes of the event."""
    at = datetime.fromisoformat(wanted.replace("Z", "+00:00"))
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return happened_at is not None and happened_at // 1000 == int(at.timestamp() // 1)


def _simple(name: Any) -> str:
    return str(name).rsplit(".", 1)[-1].rsplit("$", 1)[-1]


def predicted_in(path: Path, conf: Conf) -> tuple[str, list[Predicted]]:
    """The reader's name for the file's layout, and its events: the path of `kipwatch explain FILE`."""
    story, log = read_file(path, conf)
    lines = log.records
    found = [
        Predicted(event, event.line, event.line + lines[event.record_id].line_count - 1)
        for event in sorted(story.events, key=lambda event: event.position)
    ]
    return log.layout_name, found


def scored_kinds(entries: Iterable[Label]) -> frozenset[str]:
    """The kinds that the labels know, so that an extra one counts."""
    return frozenset(_kind(label) for entry in entries for label in entry["events"]) - NOTABLE


def main(folder: Path, *, is_verbose: bool) -> None:
    """Score every labelled log of the folder; print totals by client, by kind of layout, and the files that fall short."""
    entries = yaml.safe_load((folder / "labels.yaml").read_text(encoding="utf-8"))
    conf, scored = load_conf(), scored_kinds(entries)
    by_client: dict[str, Tally] = defaultdict(Tally)
    by_layout: dict[str, Tally] = defaultdict(Tally)
    for entry in entries:
        layout, predicted = predicted_in(folder / entry["file"], conf)
        tally = tally_of(entry["events"], predicted, scored)
        client = entry.get("client", JAVA)
        by_client[client].add(tally)
        by_layout[f"{layout}{'' if client == JAVA else f' ({client})'}"].add(tally)
        if is_verbose and tally.said:
            print(f"{entry['file']}: {layout}; {entry['layout']}", *tally.said, sep="\n  ")
    _print("client", by_client, key=lambda item: (item[0] != JAVA, item[0]))
    _print("layout as read", by_layout, key=lambda item: (-item[1].missed - item[1].extra, item[0]))


def _print(what: str, tallies: Mapping[str, Tally], key: Callable[[tuple[str, Tally]], Any]) -> None:
    print(f"by {what}")
    for name, tally in sorted(tallies.items(), key=key):
        print(f"  {name:32s} {tally}")


def run() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument(
        "-v", dest="is_verbose", action="store_true", help="name every miss, extra and wrong field"
    )
    given = parser.parse_args()
    main(given.folder, is_verbose=given.is_verbose)


if __name__ == "__main__":
    run()
