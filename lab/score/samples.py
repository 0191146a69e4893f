"""The samples of a recording's processes, bound to the log of the same name."""

import gzip
from functools import lru_cache
from pathlib import Path

from lab.corpus import Recording
from transforms.parse.metrics.jolokia import read_responses
from transforms.parse.metrics.samples import PROCESS, MetricBooks, MetricSample
from transforms.parse.records.json_window import loaded
from transforms.timers.samples.series import Series, series_of

METRICS = "metrics.jsonl.gz"


@lru_cache(8)
def series_in(recording: Recording) -> list[Series]:
    """What Jolokia said of each process, by its own clock."""
    return [
        one
        for path in sorted(recording.folder.glob(f"*{METRICS}"))
        for one in series_of(_unit_of(path), _samples_in(path), PROCESS)
    ]


def _unit_of(path: Path) -> str:
    return f"{path.parent.name}/{path.name.removesuffix(METRICS)}app.log"


def _samples_in(path: Path) -> list[MetricSample]:
    with gzip.open(path) as lines:
        return [sample for line in lines for sample in read_responses(loaded(line), MetricBooks())]
