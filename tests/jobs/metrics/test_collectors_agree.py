"""JmxTool, jmx_exporter and Jolokia watched the same clients: what they say has the same names, and counts that agree."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from jobs.metrics.ingest_metrics import read_file
from lab.corpus import ROOT
from transforms.parse.metrics.reading import MetricFile
from transforms.plans.metric_sources import MetricFileNote
from transforms.timers.samples.series_rows import SAMPLES

# (MBean, attribute) -> times (ms) and values
Told = Mapping[tuple[str, str], list[tuple[int, float]]]
GRAIN_MS = 1000  # of Jolokia's times


def told(paths: Iterable[Path]) -> Told:
    found: dict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    for path in paths:
        stat = path.stat()
        for made in read_file(MetricFile(str(path), stat.st_size, stat.st_mtime_ns, "s", "i")):
            if not isinstance(made, MetricFileNote) and made[0] == SAMPLES:
                row = made[1]
                found[row["mbean"], row["attribute"]].append((row["sampled_at"], row["value"]))
    return {name: sorted(points, key=lambda point: point[0]) for name, points in found.items()}


def is_between(value: float, at: int, known: list[tuple[int, float]]) -> bool | None:
    """Whether a count is between the one before and the one after; None where one is missing."""
    before = bisect_right(known, at - GRAIN_MS, key=lambda point: point[0]) - 1
    after = bisect_left(known, at + GRAIN_MS, key=lambda point: point[0])
    if before < 0 or after == len(known):
        return None
    return known[before][1] <= value <= known[after][1]


@pytest.mark.parametrize(
    ("recording", "jolokia", "other", "shared", "compared"),
    [
        ("p62-slow-poll-42", "consumer-a.metrics.jsonl.gz", "consumer-a.jmxtool.csv.gz", 31, 196),
        ("p62-slow-poll-42", "consumer-a.metrics.jsonl.gz", "prom/consumer-a.*", 147, 314),
        ("p580-exp-42", "metrics.jsonl.gz", "jmxtool.csv.gz", 73, 406),
        ("p580-exp-42", "metrics.jsonl.gz", "prom/*", 108, 164),
        ("p91-blackhole-inflight-42", "metrics.jsonl.gz", "jmxtool.csv.gz", 82, 1056),
        ("p91-blackhole-inflight-42", "metrics.jsonl.gz", "prom/*", 108, 328),
        ("p572-task-recover-35", "metrics.jsonl.gz", "prom/*", 214, 494),
        ("p572-commit-multi-42", "metrics.jsonl.gz", "prom/*", 212, 494),
    ],
)
def test_two_collectors_of_one_client(
    recording: str, jolokia: str, other: str, shared: int, compared: int
) -> None:
    """shared: attributes of MBeans that both have, by name; compared: counts that another scrape stands on both sides of."""
    folder = ROOT / recording
    one, two = told([folder / jolokia]), told(sorted(folder.glob(other)))
    both = one.keys() & two.keys()
    agree = [
        is_between(value, at, one[name])
        for name in sorted(both)
        if name[1].endswith("-total")
        for at, value in two[name]
    ]
    assert len(both) >= shared
    assert sum(found is not None for found in agree) >= compared
    assert False not in agree
