"""`kipwatch maintain`: upkeep of a whole lake at once, old samples dropped, secrets of an older release taken out."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conf.settings import LakeConf, load_conf
from expectations.place import LakePlace
from jobs.metrics.samples import drop_before, oldest_kept
from jobs.plans.plan import load_plan
from jobs.storage.lake import LakeWriter
from jobs.storage.lease import writer_lease
from jobs.storage.trouble import told
from jobs.upkeep.redact import redact_lake
from jobs.upkeep.tables import keep_up
from transforms.errors import BadInput
from transforms.timers.samples.series_rows import SAMPLES


def maintain_lake(root: LakePlace, conf_file: Path | None) -> dict[str, str]:
    """Drop old samples, compact and vacuum every table of the lake; gives a line a table.

    Raises: LakeBusy while a run holds the lake; BadInput where a run was interrupted, as it reads old versions.
    """
    conf = load_conf(conf_file).lake
    with _held(root, conf) as lake:
        lake.prepare()
        dropped = _drop_samples(lake, conf.samples_days)
        done = keep_up(lake, conf.most_states, whole=True)
    lines = {name: f"{one.merged} files into {one.into}, {one.deleted} deleted" for name, one in done.items()}
    if dropped:
        lines[SAMPLES] += f"; {dropped} samples older than {conf.samples_days} days dropped"
    return lines


def redact_maintained(root: LakePlace, conf_file: Path | None) -> dict[str, str]:
    """Take out of the lake what this release knows to be secrets, and all older versions; gives a line a table.

    Raises: as maintain_lake. A lake of an older release is redacted as it is, with the tables that it has.
    """
    with _held(root, load_conf(conf_file).lake) as lake:
        return redact_lake(lake)


@contextmanager
def _held(root: LakePlace, conf: LakeConf) -> Iterator[LakeWriter]:
    """The lake, held against writers, with no plan under way."""
    lake = LakeWriter(root, conf.checkpoint_interval, keep_minutes=conf.keep_minutes)
    with told(root), writer_lease(lake.files, conf.lease_seconds):
        if load_plan(lake.files) is not None:
            raise BadInput(
                "a run was interrupted here", where=str(root), todo="let it finish by starting it again"
            )
        yield lake


def _drop_samples(lake: LakeWriter, days: int) -> int:
    begin = oldest_kept(lake, days, time.time_ns() // 1000)
    return 0 if begin is None else drop_before(lake, begin)
