"""Upkeep of a lake: fewer, larger files, and none that no version needs."""

import time
from pathlib import Path

from deltalake import DeltaTable

from expectations import TABLES
from jobs.conf import load_conf
from jobs.lake import Lake
from jobs.lease import writer_lease
from jobs.samples import drop_before, oldest_kept
from jobs.series import SAMPLES

RETENTION_HOURS = 7 * 24


def maintain_lake(root: Path, conf_file: Path | None) -> dict[str, str]:
    """Drop old samples, compact and vacuum every table of the lake; gives a line a table.

    Raises: LakeBusy while a run holds the lake.
    """
    conf = load_conf(conf_file)
    lake = Lake(root)
    told = {}
    with writer_lease(lake.control, conf.lake.lease_seconds):
        dropped = _drop_samples(lake, conf.lake.samples_days)
        for name in TABLES:
            if not lake.exists(name):
                continue
            table = DeltaTable(lake.path(name))
            done = table.optimize.compact()
            gone = table.vacuum(retention_hours=RETENTION_HOURS, dry_run=False)
            told[name] = f"{done['numFilesRemoved']} files into {done['numFilesAdded']}, {len(gone)} deleted"
    if dropped:
        told[SAMPLES] += f"; {dropped} samples older than {conf.lake.samples_days} days dropped"
    return told


def _drop_samples(lake: Lake, days: int) -> int:
    if not lake.exists(SAMPLES):
        return 0
    begin = oldest_kept(lake, days, time.time_ns() // 1000)
    return 0 if begin is None else drop_before(lake, begin)
