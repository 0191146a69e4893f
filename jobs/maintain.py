"""Upkeep of a lake: fewer, larger files, and none that no version needs."""

from pathlib import Path

from deltalake import DeltaTable

from expectations import TABLES
from jobs.conf import load_conf
from jobs.lake import Lake
from jobs.lease import writer_lease

RETENTION_HOURS = 7 * 24


def maintain_lake(root: Path, conf_file: Path | None) -> dict[str, str]:
    """Compact and vacuum every table of the lake; gives a line a table.

    Raises: LakeBusy while a run holds the lake.
    """
    conf = load_conf(conf_file)
    lake = Lake(root)
    told = {}
    with writer_lease(lake.control, conf.lake.lease_seconds):
        for name in TABLES:
            if not lake.exists(name):
                continue
            table = DeltaTable(lake.path(name))
            done = table.optimize.compact()
            gone = table.vacuum(retention_hours=RETENTION_HOURS, dry_run=False)
            told[name] = f"{done['numFilesRemoved']} files into {done['numFilesAdded']}, {len(gone)} deleted"
    return told
