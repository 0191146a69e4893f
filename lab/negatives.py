"""Text that is no Kafka log but holds its strings: sources, prose, lists of messages, logs of other systems.

Each corpus is so many lines from a seed. None of them may become an event with a kind of its own: an anchor that finds a
message wherever it stands must not find it where nobody said it.

    python -m lab.negatives [LINES [SEED]]    # of each, 100,000 from the seed 1; ends with 1 beyond one wrong in 10,000
"""

import random
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path

import yaml

from lab.layouts.score import events_in

ROOT = Path(__file__).parents[1]
WORDS = (
    "the",
    "consumer",
    "of",
    "this",
    "group",
    "was",
    "slow",
    "so",
    "we",
    "raised",
    "its",
    "limit",
    "and",
    "looked",
    "again",
)
CLASSES = (
    "OrderListener",
    "PaymentSink",
    "KafkaTemplateWrapper",
    "RetryingConsumer",
    "TopicAdmin",
    "StreamsHealth",
)
FIELD = re.compile(r"\{\w*(?::([^|}]*)[^}]*)?\}")


@cache
def messages() -> tuple[str, ...]:
    """Kafka's texts with `{}` for their fields, from the catalogue; a text is any of the words it may have."""
    source = files("transforms.parse").joinpath("messages.yaml").read_text(encoding="utf-8")
    texts = [text for entry in yaml.load(source, Loader=yaml.CSafeLoader) for text in entry.get("texts", ())]
    return tuple(FIELD.sub(lambda found: found[1] or "{}", text) for text in texts)


def java(draw: random.Random, lines: int) -> list[str]:
    """Sources of an application, or of Kafka, with the statements that log these messages."""
    written: list[str] = []
    while len(written) < lines:
        written += [
            "/**",
            f" * Logs {draw.choice(messages())} and goes on.",
            " */",
            f"public final class {draw.choice(CLASSES)} implements ConsumerRebalanceListener {{",
            f"    private static final Logger log = LoggerFactory.getLogger({draw.choice(CLASSES)}.class);",
        ]
        for _ in range(8):
            text = draw.choice(messages())
            level = draw.choice(("debug", "info", "warn", "error"))
            written += [
                f"    // {text}",
                "    try {",
                f'        log.{level}("{text}", partition, offset, exception.getMessage());',
                f'        assertThat(output).contains("{text.replace("{}", "3")}");',
                "    } catch (CommitFailedException | TimeoutException e) {",
                f'        throw new KafkaException("{text}" + e);',
                "    }",
            ]
        written.append("}")
    return written[:lines]


def prose(draw: random.Random, lines: int) -> list[str]:
    """What people write about these messages, and quote."""
    written = []
    for number in range(lines):
        text = draw.choice(messages()).replace("{}", str(draw.randint(1, 9)))
        some = " ".join(draw.choice(WORDS) for _ in range(draw.randint(4, 12)))
        written.append(
            draw.choice(
                (
                    f"{some.capitalize()}. It says `{text}`, {some}.",
                    f'- "{text}": {some}.',
                    f'> {some} "{text}" {some}?',
                    f"| `{text}` | WARN | {some} |",
                    f"{number}. When you see **{text}**, {some}.",
                    f"### What does '{text}' mean?",
                    f"{some}, as org.apache.kafka.common.errors.TimeoutException would, {some}.",
                    "",
                )
            )
        )
    return written


def catalogue(draw: random.Random, lines: int) -> list[str]:
    """messages.yaml itself."""
    source = files("transforms.parse").joinpath("messages.yaml").read_text(encoding="utf-8").splitlines()
    return (source * (1 + lines // len(source)))[:lines]


def documents(draw: random.Random, lines: int) -> list[str]:
    """Documents of this repository."""
    texts = [
        path.read_text(encoding="utf-8") for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
    ]
    return "\n".join(texts).splitlines()[:lines]


def others(draw: random.Random, lines: int) -> list[str]:
    """Logs of systems that stand beside Kafka, in their own layouts: ZooKeeper, Elasticsearch, nginx, Kubernetes, .."""
    templates = (ROOT / "lab" / "other_systems.txt").read_text(encoding="utf-8").splitlines()
    at, written = 1_772_000_000, []
    for _ in range(lines):
        at += draw.randint(0, 3)
        moment = datetime.fromtimestamp(at, UTC)
        number, node = draw.randint(1, 9999), draw.randint(1, 9)
        line = draw.choice(templates).format(n=number, b=node, x=f"{draw.getrandbits(64):016x}")
        written.append(moment.strftime(line) if "%" in line else line)
    return written


CORPORA: dict[str, Callable[[random.Random, int], list[str]]] = {
    "java": java,
    "prose": prose,
    "catalogue": catalogue,
    "documents": documents,
    "others": others,
}
ONE_IN = 10_000  # lines may be taken for an event
# A whole record that is quoted, with its time or with a client's name, is a record.
WHOLE = re.compile(
    r"clientId=|groupId=|stream-(?:thread|client) \[|\[Group(?:Coordinator|Id)\b|\d\d:\d\d:\d\d"
)


@dataclass(frozen=True)
class Wrong:
    """An event that nobody's log told of."""

    corpus: str
    kind: str
    message_id: str
    line: str


def wrong_in(corpus: str, lines: Sequence[str], found: Sequence[tuple[str, str, int]]) -> list[Wrong]:
    """Of events (kind, message_id, line) those that count. Logs of other systems have times: there all count."""
    return [
        Wrong(corpus, kind, message_id, lines[line - 1])
        for kind, message_id, line in found
        if kind != "other_kafka" and (corpus == "others" or WHOLE.search(lines[line - 1]) is None)
    ]


def misread(corpus: str, lines: Sequence[str]) -> list[Wrong]:
    """The lines read as a log, and what of it nobody's log told of."""
    found = [(event.kind, event.message_id, event.line) for event in events_in("\n".join(lines) + "\n")]
    return wrong_in(corpus, lines, found)


def main(count: int = 100_000, seed: int = 1) -> int:
    """Read every corpus; print how many lines of it are taken for events, and the first few of these."""
    most = 0.0
    for corpus, written in CORPORA.items():
        lines = written(random.Random(f"{corpus} {seed}"), count)
        wrong = misread(corpus, lines)
        most = max(most, len(wrong) * ONE_IN / len(lines))
        print(f"{corpus}: {len(wrong)} of {len(lines)} lines")
        for one in wrong[:5]:
            print(f"  {one.kind} ({one.message_id}): {one.line[:150]}")
    return int(most > 1)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
