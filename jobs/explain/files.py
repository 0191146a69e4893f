"""`kipwatch explain FILE...`: logs read, judged and told at once; loads neither Spark nor the readers of tables."""

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, BinaryIO, cast

from rich.console import Console

from conf.settings import Conf, load_conf
from jobs.explain.helpers import Helpers
from jobs.explain.log_input import LogInput
from jobs.garbage import little_garbage
from jobs.inputs.listing import list_files
from jobs.inputs.places import open_input
from transforms.errors import BadInput
from transforms.plans.urls import is_object

if TYPE_CHECKING:
    from transforms.explain.answer import Answer

STANDARD_INPUT = "-"
MOST_IN_MEMORY = 64 << 20  # bytes of standard input; more goes to a temporary file


def explain_logs(
    given: Sequence[str],
    console: Console,
    form: str = "text",
    conf: Conf | None = None,
    *,
    lists_unjudged: bool = False,
) -> "Answer":
    """Read, fold and judge some logs at once, and print what went wrong in them.

    given: files, folders, globs, or `-` for standard input. form: text, json or markdown.
    Raises: BadInput where one can't be read.
    """
    logs = _logs(given)
    with little_garbage(), Helpers.for_bytes(sum(log.size for log in logs)) as helpers:
        # This takes half a second, in which helpers begin.
        from jobs.explain.by_file import read_logs
        from jobs.explain.forms import print_as
        from transforms.explain.answering import answer

        story, readings = read_logs(logs, conf or load_conf(checks=False), helpers)
        told = answer(story, [one.log for one in readings], [one.scan() for one in readings])
    print_as(form, told, console, lists_unjudged=lists_unjudged)
    return told


def _logs(given: Sequence[str]) -> list[LogInput]:
    logs = []
    for name in dict.fromkeys(given):
        if name == STANDARD_INPUT:
            logs.append(_standard_input())
        else:
            logs += [
                LogInput(
                    found.path, partial(open_input, found.path), 0 if is_object(found.path) else found.size
                )
                for found in list_files([name], what="explain")
            ]
    if not logs:
        raise BadInput(
            "holds no log", where=", ".join(given), todo="give a log file, or a folder that has some"
        )
    return logs


def _standard_input() -> LogInput:
    """All of it, as a log is read more than once."""
    if sys.stdin.isatty():
        print("kipwatch: paste the log, then end it with Ctrl-D", file=sys.stderr)
    kept = SpooledTemporaryFile(max_size=MOST_IN_MEMORY)  # noqa: SIM115 (it lives as long as what reads it)
    while block := sys.stdin.buffer.read(1 << 20):
        kept.write(block)

    def again() -> AbstractContextManager[BinaryIO]:
        kept.seek(0)
        return nullcontext(cast(BinaryIO, kept))

    return LogInput("stdin", again)
