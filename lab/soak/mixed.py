"""Files that several processes write, of any versions, in pieces and rotated; what they give must be one batch's tables,
and what `explain` makes of them.

Other soaks play a story over and over; here each draws its own from all recordings: whose records, how many, one process
after the other or line by line among each other. Run as `python -m lab.soak.mixed STORIES SEED`; `--only NUMBER` plays one
that differed again.
"""

import gzip
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from conf.settings import load_conf
from expectations import TABLES
from jobs.explain.by_file import read_file
from jobs.storage.lake_reads import read_arrow
from lab.corpus import recordings
from lab.soak.kills import run_over
from lab.soak.rows import differences
from lab.soak.stories import options, play_all
from transforms.explain.evidence import row_of
from transforms.parse.records.streams import FINGERPRINT_BYTES
from transforms.pure import Story

_BEGINS = re.compile(rb"^\[\d{4}-|^%\d\|", re.MULTILINE)
# What a story's rows are told apart by where ids differ, as those of a file alone do.
_TOLD = {
    "gold.violations": ("rule_id", "client_id", "category"),
    "gold.unjudged": ("rule_id", "client_id", "reason", "subjects"),
    "gold.incidents": ("kind", "title", "cause"),
}


def files_of(chance: random.Random) -> dict[str, list[bytes]]:
    """The records of up to three files, by name; no two begin alike, as a file is known by that."""
    names = ("orders/app.log", "orders/other.log", "billing/app.log")[: chance.choice((1, 1, 2, 3))]
    drawn = {name: list(_written(chance)) for name in names}
    heads = {b"".join(records)[:FINGERPRINT_BYTES]: name for name, records in drawn.items() if records}
    return {name: drawn[name] for name in sorted(heads.values())}


def _written(chance: random.Random) -> Iterator[bytes]:
    """The records of some processes: one after the other, or among each other."""
    logs = chance.sample(_logs(), chance.choice((1, 2, 2, 3)))
    parts = [_some(records, chance) for log in logs if (records := _records(log))]
    if chance.random() < 0.4:
        yield from (record for part in parts for record in part)
        return
    while parts := [part for part in parts if part]:
        part, count = chance.choice(parts), chance.choice((1, 1, 3, 10))
        yield from part[:count]
        del part[:count]


def _some(records: Sequence[bytes], chance: random.Random) -> list[bytes]:
    first = chance.choice((0, 0, chance.randrange(len(records))))
    return list(records[first : first + chance.choice((20, 60, 150, 400))])


@cache
def _logs() -> list[Path]:
    return [log for one in recordings() for log in one.logs]


def _records(log: Path) -> list[bytes]:
    text = gzip.decompress(log.read_bytes())
    begins = [found.start() for found in _BEGINS.finditer(text)]
    return [text[begin:end] for begin, end in pairwise([*begins, len(text)])]


def grow(folder: Path, files: dict[str, list[bytes]], chance: random.Random) -> Iterator[None]:
    """Write what comes of the files by and by, cut anywhere; one that is cut at a line's end may be rotated away."""
    left = {name: b"".join(records) for name, records in files.items()}
    for step in reversed(range(chance.choice((2, 3, 5)))):
        for name, text in left.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and path.read_bytes().endswith(b"\n") and chance.random() < 0.3:
                _rotate(path, chance)
            end = chance.randrange(len(text) + 1) if step else len(text)
            if chance.random() < 0.5 and step:
                end = text.rfind(b"\n", 0, end) + 1
            with path.open("ab") as file:
                file.write(text[:end])
            left[name] = text[end:]
        yield


def _rotate(path: Path, chance: random.Random) -> None:
    rotated = path.with_name(f"{path.name}.{1 + sum(1 for _ in path.parent.glob(f'{path.name}.*'))}")
    path.rename(rotated)
    if chance.random() < 0.5:
        rotated.with_name(f"{rotated.name}.gz").write_bytes(gzip.compress(rotated.read_bytes()))
        rotated.unlink()


def play(root: Path, chance: random.Random) -> dict[str, Any]:
    """Where the pieces' lake, or `explain` of a file alone, differs from one run's."""
    while not (files := files_of(chance)):  # some logs are empty
        pass
    for _ in grow(root / "logs", files, chance):
        run_over(root / "lake", root / "logs")
    run_over(root / "at-once", root / "logs")
    return differences(root / "at-once", root / "lake") | _explained(root, next(iter(files.values())))


def _explained(root: Path, records: Sequence[bytes]) -> dict[str, Any]:
    log = root / "alone" / "orders" / "app.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"".join(records))
    run_over(root / "of-one", log.parent.parent)
    story, _ = read_file(log, load_conf())
    found = {}
    for table, names in _TOLD.items():
        rows = read_arrow(str(root / "of-one" / table.replace(".", "/")), TABLES[table].stable_columns)
        ran = Counter(tuple(row[name] for name in names) for row in rows.to_pylist())
        told = Counter(tuple(row[name] for name in names) for row in _rows_of(story, table))
        if ran != told:
            found[f"{table}, explained"] = (
                sorted(told - ran, key=repr)[:2],
                sorted(ran - told, key=repr)[:2],
            )
    return found


def _rows_of(story: Story, table: str) -> list[dict[str, Any]]:
    rows: Sequence[Any] = getattr(story, table.partition(".")[2])
    return [row_of(row) for row in rows]


def main() -> None:
    """So many stories from a seed on; ends with 1 where one differs."""
    play_all(options("lab.soak.mixed"), _in_a_folder)


def _in_a_folder(number: int, chance: random.Random) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(suffix=f"-{number}") as folder:
        found = play(Path(folder), chance)
    return {"differences": found} if found else {}


if __name__ == "__main__":
    main()
