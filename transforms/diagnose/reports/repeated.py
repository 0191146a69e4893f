"""Lines that say the same again and again: one stands for all."""

from collections.abc import Sequence

from transforms.diagnose.reports.report import ProvingLine
from transforms.when_used import when_used

COMPARED_CHARS = 2_000
# What comes again and again is told by one line, or by a few in turn: of each log so many that said something else are
# remembered.
IN_TURN = 4
FEW = 3  # so many of them are told one by one: they say when each came
_NUMBER = when_used(r"\d+")


def repeated(lines: Sequence[ProvingLine]) -> list[list[ProvingLine]]:
    """Runs of lines of a log that say the same but for numbers, all others by themselves; by the first of each.

    What comes back after the log has told of other things is told again.
    """
    runs: list[list[int]] = []
    newest: dict[str, dict[object, list[int]]] = {}
    for number, line in enumerate(lines):
        of_log = newest.setdefault(line.source, {})
        words = (line.label, number if line.text is None else _NUMBER.sub("0", line.text[:COMPARED_CHARS]))
        run = of_log.pop(words, None)
        if run is None:
            run = []
            runs.append(run)
        run.append(number)
        of_log[words] = run
        if len(of_log) > IN_TURN:
            del of_log[next(iter(of_log))]
    told = [part for run in runs for part in ([run] if len(run) > FEW else [[one] for one in run])]
    return [[lines[number] for number in part] for part in sorted(told)]
