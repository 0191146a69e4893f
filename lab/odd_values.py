"""Logs with values that no client would print: ids that are empty, numbers that nothing holds, texts cut anywhere.

`python -m lab.odd_values SECONDS [SEED]` explains such logs one after another, and prints each fault of kipwatch's own
once, with the log that shows it.
"""

import gzip
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from io import StringIO
from pathlib import Path

from rich.console import Console

from conf.settings import load_conf
from jobs.explain.files import explain_logs
from lab.corpus import ROOT as RECORDINGS
from transforms.faults import raised_at

SAMPLES = Path("tests/transforms/parse/samples/rendered.tsv")
FORMS = ("text", "markdown", "json")
NUMBERS = (
    "99999999999999999999999", "9223372036854775807", "-9223372036854775808", "2147483648", "-1", "0", "007",
    "1e400", "NaN", "", "٣٤", "²",
)  # fmt: skip
ODD = (
    "\0",
    "\x1b[31m",
    "\u202e",
    "\u2028",
    "\r",
    '"',
    "'",
    "\\",
    "{",
    "[",
    "(",
    "=",
    ",",
    ";",
    "\t",
    "%s",
    "<b>",
    "\U0001d7d9",
)
TIMES = (
    "[2026-03-05 10:{:02d}:{:02d},{:03d}]", "2026-03-05T10:{:02d}:{:02d}.{:03d}Z", "10:{:02d}:{:02d}.{:03d}",
    "0000-00-00 00:{:02d}:{:02d},{:03d}", "9999-12-31 23:{:02d}:{:02d},{:03d}", "0001-01-01 00:{:02d}:{:02d},{:03d}",
    "2026-02-30 10:{:02d}:{:02d},{:03d}", "2026-03-05T10:{:02d}:{:02d}.{:03d}-18:00", "26/03/05 10:{:02d}:{:02d}",
)  # fmt: skip


@cache
def samples() -> list[tuple[str, str, str]]:
    """Level, logger and message of every text that clients print."""
    rows = (line.rstrip("\n").split("\t") for line in SAMPLES.read_text().splitlines() if line[:1] != "#")
    return [(row[2], row[3], row[4].replace("\\n", "\n").replace("\\t", "\t")) for row in rows]


@cache
def recorded() -> list[list[str]]:
    """The lines of each recorded log."""
    files = sorted(RECORDINGS.glob("*/*.log.gz"))
    return [lines for file in files if (lines := gzip.decompress(file.read_bytes()).decode().splitlines())]


def log(draw: random.Random) -> str:
    """Some lines of a recorded log, or of any family; a part of them with an odd value."""
    if draw.random() < 0.4:
        lines = draw.choice(recorded())
        first = draw.randrange(len(lines))
        some = lines[first : first + draw.randrange(1, 60)]
        return "\n".join(odd(draw, line) if draw.random() < 0.3 else line for line in some) + "\n"
    return "\n".join(_line(draw) for _ in range(draw.randrange(1, 30))) + "\n"


def _line(draw: random.Random) -> str:
    level, logger, message = draw.choice(samples())
    if draw.random() < 0.2:
        level = draw.choice(("ERROR", "WARN", "FATAL", "DEBUG", ""))
    at = draw.choice(TIMES).format(draw.randrange(60), draw.randrange(60), draw.randrange(1000))
    text = odd(draw, message) if draw.random() < 0.6 else message
    return draw.choice(
        (
            f"{at} {level} {logger} - {text}",
            f"{at} {level} [main] {logger}: {text}",
            f"{at} {level} {text} ({logger})",
        )
    )


def odd(draw: random.Random, text: str) -> str:
    """The text with one kind of odd value in it."""
    at = draw.randrange(len(text) + 1)
    kinds: tuple[Callable[[], str], ...] = (
        lambda: re.sub(r"\[[^\]]*\]", lambda found: draw.choice(("[]", "[ ]", "[null]", found[0])), text),
        lambda: re.sub(r"\d+", lambda found: draw.choice((*NUMBERS, found[0])), text),
        lambda: re.sub(r"=[^,\s\])]*", lambda found: draw.choice(("=", found[0])), text),
        lambda: text[:at],
        lambda: text[:at] + text[at + draw.randrange(20) :],
        lambda: text[:at] + draw.choice(ODD) + text[at:],
    )
    return draw.choice(kinds)()


def faults(folder: Path, logs: Iterator[str], form: Callable[[], str]) -> Iterator[tuple[str, str]]:
    """Where kipwatch ended by a fault of its own, and the log that shows it; each place once."""
    conf = load_conf(checks=False)
    seen = set()
    for text in logs:
        path = folder / "app.log"
        path.write_text(text)
        try:
            explain_logs([str(path)], Console(file=StringIO(), width=120), form=form(), conf=conf)
        except Exception as error:
            told = f"{type(error).__name__}: {error} ({raised_at(error)})"
            if told not in seen:
                seen.add(told)
                yield told, text


def main(seconds: float, seed: int) -> int:
    """Explain logs for so long; 1 where one shows a fault."""
    draw, ends, made = random.Random(seed), time.monotonic() + seconds, 0

    def logs() -> Iterator[str]:
        nonlocal made
        while time.monotonic() < ends:
            made += 1
            yield log(draw)

    found = 0
    with tempfile.TemporaryDirectory() as folder:
        for told, text in faults(Path(folder), logs(), lambda: draw.choice(FORMS)):
            found += 1
            print(told, text, sep="\n")
    print(f"{made} logs, {found} faults, seed {seed}")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
