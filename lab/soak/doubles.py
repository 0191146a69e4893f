"""Two runs over the same logs into one lake, at once, again and again: the lake must be what one run makes of it.

They start together or one within the other's time, on a lake that is new, that holds an earlier run, or that a writer left
behind who is dead. Run as `python -m lab.soak.doubles ROUNDS SEED`.
"""

import json
import os
import random
import shutil
import socket
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from jobs.storage.control_files import FOLDER, FolderFiles
from jobs.storage.lease import LEASE
from lab.soak.kills import Files, finished, in_child, logs_of, run_over
from lab.soak.rows import differences
from transforms.errors import LakeBusy

LINES_OF_EACH = 200
LIES_THERE = ("nothing", "earlier run", "dead writer")
DONE, BUSY = 0, 3


def soak(folder: Path, rounds: int, seed: int) -> dict[str, Any]:
    """So many rounds; gives how the writers ended, and what differed from one run's tables."""
    chance = random.Random(seed)
    whole = {name: _first(text) for name, text in logs_of().items()}
    half, logs = Files(folder / "half", whole), Files(folder / "logs", whole)
    half.deliver(1, 2)
    logs.deliver(1, 1)
    once, earlier, lake = folder / "once", folder / "earlier", folder / "lake"
    began = time.monotonic()
    finished(in_child(lambda: _one_run(once, logs.folder)))
    longest = time.monotonic() - began
    finished(in_child(lambda: _one_run(earlier, half.folder)))
    dead = in_child(lambda: None)
    os.waitpid(dead, 0)
    ended: Counter[str] = Counter()
    differing = []
    for number in range(rounds):
        lies_there = LIES_THERE[number % len(LIES_THERE)]
        shutil.rmtree(lake, ignore_errors=True)
        _prepare(lake, lies_there, earlier, dead)
        later = chance.choice((0.0, chance.uniform(0, 0.02), chance.uniform(0, longest)))
        start = time.monotonic() + 0.02
        writers = [in_child(lambda at=at: _writer(lake, logs.folder, at)) for at in (start, start + later)]
        codes = sorted(os.waitstatus_to_exitcode(os.waitpid(one, 0)[1]) for one in writers)
        ended["one was told of the other" if codes == [DONE, BUSY] else f"{codes}"] += 1
        if _differs(lake, once, folder) or codes not in ([DONE, BUSY], [DONE, DONE]):
            differing.append([number, lies_there, codes])
    return {
        "rounds": rounds,
        "ended": dict(ended),
        "differing": differing,
        "seconds": round(time.monotonic() - began),
    }


def _first(text: bytes) -> bytes:
    return b"".join(text.splitlines(keepends=True)[:LINES_OF_EACH])


def _one_run(lake: Path, logs: Path) -> None:
    run_over(lake, logs)


def _prepare(lake: Path, lies_there: str, earlier: Path, dead: int) -> None:
    if lies_there == "earlier run":
        shutil.copytree(earlier, lake)
    elif lies_there == "dead writer":
        LEASE.save(FolderFiles(lake / FOLDER), LEASE.kind(socket.gethostname(), dead, 1, "of the dead"))


def _writer(lake: Path, logs: Path, at: float) -> None:
    time.sleep(max(0.0, at - time.monotonic()))
    try:
        run_over(lake, logs)
    except LakeBusy:
        os._exit(BUSY)


def _differs(lake: Path, once: Path, folder: Path) -> bool:
    """Looked at by a child: who has read tables can't be forked any more."""
    told = folder / "differences.json"
    finished(in_child(lambda: _tell(told, differences(lake, once))))
    return bool(json.loads(told.read_text()))


def _tell(told: Path, found: object) -> None:
    told.write_text(json.dumps(found))


def main() -> None:
    """As many rounds as given."""
    with tempfile.TemporaryDirectory() as folder:
        seen = soak(Path(folder), *map(int, sys.argv[1:3]))
    print(json.dumps(seen))
    sys.exit(bool(seen["differing"]))


if __name__ == "__main__":
    main()
