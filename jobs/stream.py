"""`kipwatch stream` without --available-now: rounds of the same run, until it is told to stop."""

import re
import signal
import threading
from pathlib import Path
from types import FrameType

from jobs.conf import load_conf
from jobs.errors import BadInput
from jobs.pipeline import run
from jobs.progress import Progress
from jobs.session import start

UNITS = {"s": 1, "m": 60, "h": 3600}


def run_rounds(
    lake: Path, logs: list[str], metrics: list[str], conf_file: Path | None, every: str | None
) -> None:
    """Take what is new, wait, again. SIGTERM or Ctrl-C ends it after the round that is running."""
    conf = load_conf(conf_file)
    pause = seconds_of(every or conf.stream.every)
    stop = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    spark = start(conf.spark, Progress())
    while not stop.is_set():
        run(spark, lake, logs, metrics, conf, Progress(), job="stream")
        stop.wait(pause)


def seconds_of(text: str) -> int:
    """`10s`, `1m`, `2h` in seconds.

    Raises: BadInput for anything else, or nothing.
    """
    found = re.fullmatch(r"(\d+)([smh])", text)
    if found is None or int(found[1]) == 0:
        raise BadInput(
            f"{text!r} is no time", where="--every", todo="give a whole number of s, m or h, such as 10s"
        )
    return int(found[1]) * UNITS[found[2]]
