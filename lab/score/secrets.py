"""Recordings with every shape of secret among their lines: no secret may be left anywhere, and the score must be as before.

python -m lab.score.secrets [--ways WAY...] [NAME...]    what is left or told otherwise, by recording

Planted: every text of the table of shapes, and every name of it with a value in one of its notations. Ways: as lines
of an application (with what follows as continuation lines), as lines of Kafka's loggers, among the lines of stack
traces and config dumps, and as another field beside each line of a log in JSON. `in_turn` is the first three in one
text, each shape once: a quarter of the time.
"""

import argparse
import gzip
import io
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from conf.names import unit_names
from conf.settings import SourceHint, load_conf
from lab.corpus import Recording, recordings
from lab.score.pure import HEAD_BYTES, tables_of
from lab.score.samples import series_in
from lab.score.scoring import Score, score_recording
from transforms.events import ClientEvent, unit_id_of
from transforms.parse.events.messages import events_of
from transforms.parse.layouts.detect import detect_layout
from transforms.parse.records.placing import ProcessRef
from transforms.parse.records.reader import ChunkReader
from transforms.parse.records.streams import fingerprint
from transforms.pure import judge_events
from transforms.timers.clients.settings import UnitSettings

SHAPES = Path(__file__).parents[2] / "tests" / "transforms" / "parse" / "secrets" / "secret_shapes.yaml"
CANARY = re.compile("(?i)hunter|canary")
HEAD = re.compile(
    r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] |\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} |%\d\|[\d.]+\|"
)
JAVA = re.compile(
    r"\[(?P<at>[^\]]+)\] (?P<level>[A-Z]{4,5}) (?P<message>.*?)(?: \((?P<logger>[\w.$]+)\))?\Z", re.DOTALL
)
# Within a record: what has heads of its own, or a backslash that an escaped newline would join.
AMBIGUOUS = re.compile(r"\[\d{4}-|\\\n")
# What only its later lines give away, or heads that are no records': librdkafka writes a record a line, and what stands
# below one without a head may be read as a piece of its own.
OF_LATER_LINES = re.compile(r"\n\[\w\] |\A(?!.*-----BEGIN).*\n-----END", re.DOTALL)
# In a log of a few lines: hundreds of lines of the very same time begin alike, as what a shipper puts before lines does.
MOST_AT_A_LINE = 50
KAFKA, APPLICATION = "org.apache.kafka.clients.NetworkClient", "com.example.shop.Orders"


@cache
def shapes() -> tuple[str, ...]:
    """Every text that must go, and every name with a value in some notation."""
    table = yaml.safe_load(SHAPES.read_text(encoding="utf-8"))
    notations = [notation for kind in ("any", "word") for notation in table["notations"][kind]]
    names = (*table["keys"]["strong"], *table["keys"]["tokens"])
    named = (
        notations[number % len(notations)].replace("%k", name).replace("%v", table["values"]["whole"][0])
        for number, name in enumerate(names)
    )
    return (*table["goes"], *named)


def _places(fitting: Sequence[int], chance: random.Random) -> dict[int, list[str]]:
    """The shapes by the line that they come after, the same ones at the same lines each time."""
    placed: dict[int, list[str]] = {}
    for shape in shapes() if fitting else ():
        placed.setdefault(chance.choice(fitting), []).append(shape)
    return placed


def _as_lines(text: str, chance: random.Random, logger: str) -> str:
    lines = text.split("\n")
    placed = _places(_whole(lines), chance)
    return _woven(lines, placed, lambda _, line, shape: _line_like(line, shape, logger))


def _woven(
    lines: Sequence[str], placed: Mapping[int, Sequence[str]], more: Callable[[int, str, str], str]
) -> str:
    """The lines, each with its shapes below it. more: the line of a shape, of the number and text of the one above."""
    return "\n".join(
        part
        for number, line in enumerate(lines)
        for part in (
            line,
            *(
                more(number, line, shape)
                for shape in placed.get(number, ())
                if not (line.startswith("%") and OF_LATER_LINES.search(shape))
            ),
        )
    )


def in_turn(text: str, chance: random.Random) -> str:
    """Each shape once, by turns: of an application, of Kafka's loggers, within records."""
    lines = text.split("\n")
    whole, inside = _whole(lines), _inside(lines)
    placed: dict[int, list[str]] = {}
    for number, shape in enumerate(shapes()):
        places = inside if number % 3 == 2 and inside and not AMBIGUOUS.search(shape) else whole
        if places and len(placed.setdefault(place := chance.choice(places), [])) < MOST_AT_A_LINE:
            placed[place].append(shape)
    within = set(inside)

    def more(number: int, line: str, shape: str) -> str:
        if number in within:
            return _continuation(line, shape)
        return _line_like(line, shape, (APPLICATION, KAFKA)[chance.random() < 0.5])

    return _woven(lines, placed, more)


def _whole(lines: Sequence[str]) -> list[int]:
    """Records of one line."""
    return [
        number
        for number, line in enumerate(lines[:-1])
        if HEAD.match(line) and (HEAD.match(lines[number + 1]) or not lines[number + 1])
    ]


def _inside(lines: Sequence[str]) -> list[int]:
    """Frames of stack traces and settings of dumps."""
    return [number for number, line in enumerate(lines) if re.match(r"\tat |\t[a-z.]+ = ", line)]


def _line_like(line: str, shape: str, logger: str) -> str:
    """A line of the time of another that holds a shape."""
    found = HEAD.match(line)
    head = found[0] if found else ""
    if head.startswith("%"):
        return f"{head}APP|orders#producer-9| [thrd:app]: met {shape}"
    return f"{head}WARN met {shape} ({logger})"


def of_an_application(text: str, chance: random.Random) -> str:
    """Lines of an application's logger between those of Kafka."""
    return _as_lines(text, chance, APPLICATION)


def of_kafka(text: str, chance: random.Random) -> str:
    """Lines that Kafka's own logger is said to have written."""
    return _as_lines(text, chance, KAFKA)


def within_records(text: str, chance: random.Random) -> str:
    """Lines of stack traces and dumps: behind a frame, behind a setting."""
    lines = text.split("\n")
    placed = {
        number: [shape for shape in some if not AMBIGUOUS.search(shape)]
        for number, some in _places(_inside(lines), chance).items()
    }
    return _woven(lines, placed, lambda _, line, shape: _continuation(line, shape))


def _continuation(line: str, shape: str) -> str:
    if line.startswith("\tat "):
        return f"\tSuppressed: java.lang.IllegalStateException: {shape}\n\t\tat com.example.shop.Orders.met(Orders.java:7)"
    return f"\tshop.met = {shape}".replace("\n", "\\n")


def in_json(text: str, chance: random.Random) -> str:
    """Each record as an object of one line, some with a shape in a field beside the message."""
    records = re.split(r"\n(?=\[\d{4}-)", text.rstrip("\n"))
    if not records[0].startswith("["):
        return text  # of librdkafka
    taken = _places(range(len(records)), chance)
    return "".join(
        line for number, record in enumerate(records) for line in _objects(record, taken.get(number, ()))
    )


def _objects(record: str, with_shapes: Sequence[str]) -> Iterator[str]:
    found = JAVA.match(record)
    if found is None:
        return
    said: dict[str, Any] = {
        "@timestamp": found["at"].replace(" ", "T").replace(",", ".") + "Z",
        "level": found["level"],
        "logger_name": found["logger"] or _logger_inside(record),
        "message": found["message"],
    }
    if said["logger_name"] is None:
        del said["logger_name"]
    yield json.dumps(said | ({"context": list(with_shapes)} if with_shapes else {})) + "\n"
    for shape in with_shapes:
        yield (
            json.dumps(said | {"level": "WARN", "logger_name": APPLICATION, "message": f"met {shape}"}) + "\n"
        )


def _logger_inside(record: str) -> str | None:
    """Before a stack trace."""
    found = re.search(r" \(([\w.$]+)\)\n", record)
    return found[1] if found else None


WAYS: dict[str, Callable[[str, random.Random], str]] = {
    way.__name__: way for way in (of_an_application, of_kafka, within_records, in_json, in_turn)
}
APART = [way for way in WAYS if way != "in_turn"]


@dataclass
class Told:
    """What was read and found of a recording."""

    score: Score
    planted: int = 0
    left: list[str] = field(default_factory=list)


def told(recording: Recording, way: str | None) -> Told:
    """The score of a recording with shapes planted in a way; None: as it is."""
    events: list[ClientEvent] = []
    out = Told(Score())
    for path in recording.logs:
        with gzip.open(path) as file:
            text = file.read().decode("utf-8", "surrogateescape")
        if way:
            planted = WAYS[way](text, random.Random(f"{recording.name} {path.name} {way}"))
            out.planted += len(CANARY.findall(planted)) - len(CANARY.findall(text))
            text = planted
        events += _events(path, text.encode("utf-8", "surrogateescape"), out.left)
    defaults = load_conf().defaults

    def settings_of(_: str, control: Sequence[ClientEvent]) -> UnitSettings:
        return UnitSettings.from_events(control, (), defaults)

    out.score = score_recording(recording, tables_of(judge_events(events, settings_of, series_in(recording))))
    return out


def _events(path: Path, content: bytes, left: list[str]) -> Iterator[ClientEvent]:
    service, instance = unit_names(str(path), SourceHint(match="*"))
    origin = ProcessRef(unit_id_of(service, instance), str(path), service, instance)
    head = content[:HEAD_BYTES]
    for piece in ChunkReader(detect_layout(head), fingerprint(head)).read(io.BytesIO(content)):
        _look(repr(piece), left)
        if hasattr(piece, "message"):
            for event in events_of(piece, origin):
                _look(repr(event), left)
                yield event


def _look(text: str, left: list[str]) -> None:
    found = CANARY.search(text)
    if found:
        left.append(text[max(0, found.start() - 300) : found.end() + 40])


def differences(before: Score, after: Score) -> list[str]:
    """What one score says and the other doesn't, a sentence each."""
    said = (_said(before), _said(after))
    return [f"- {one}" for one in (said[0] - said[1]).elements()] + [
        f"+ {one}" for one in (said[1] - said[0]).elements()
    ]


def _said(score: Score) -> Counter[str]:
    facts = [repr((f.kind, f.status, f.client, f.says, f.at)) for f in score.facts]
    verdicts = [repr(astuple(one)) for one in score.verdicts]
    beside = [repr((one.client, one.rule_id, one.category, one.occurrences)) for one in score.beside]
    return Counter([*facts, *verdicts, *beside, *(f"failed: {why}" for why in score.failures.values())])


def main() -> int:
    """Print what is left or told otherwise; 1 where anything is."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.score.secrets",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=APART)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    planted = left = other = 0
    for recording in recordings(*options.names):
        before = told(recording, None)
        for way in options.ways:
            after = told(recording, way)
            lost = differences(before.score, after.score)
            for line in (*after.left[:5], *lost[:10]):
                print(f"{recording.name} {way}: {line}", flush=True)
            planted, left, other = planted + after.planted, left + len(after.left), other + len(lost)
    print(f"{planted} canaries planted, {left} places where one is left, {other} lines of the scores differ")
    return 1 if left or other else 0


if __name__ == "__main__":
    sys.exit(main())
