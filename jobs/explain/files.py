"""`kipwatch explain FILE`: a log read, judged and told at once; loads neither Spark nor the readers of tables."""

import json
from pathlib import Path

from rich.console import Console

from jobs.conf import Conf
from jobs.explain.by_file import told_file
from jobs.explain.text import print_file


def explain_file(path: Path, console: Console, as_json: bool = False, conf: Conf | None = None) -> None:
    """Read, fold and judge one log file at once, and print what went wrong in it.

    Raises: BadInput where the file can't be read.
    """
    told = told_file(path, conf)
    if as_json:
        print(json.dumps(told.as_dict(), indent=2), file=console.file)
    else:
        print_file(told, console)
