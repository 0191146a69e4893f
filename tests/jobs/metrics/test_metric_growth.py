"""A file of metrics that grows is read on from where it ended, and gives what it gives when it is read as a whole."""

import gzip
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobs.metrics.ingest_metrics import read_file
from lab.metrics.render import RENDERINGS, Fact
from transforms.parse.metrics.reading import MetricFile
from transforms.plans.metric_sources import MetricFileNote

NOON_S = 1_795_262_400
GROUP = ("kafka.consumer", "consumer-coordinator-metrics")
FACTS = [
    Fact(NOON_S + n, *GROUP, name, float(n), {"client-id": "c"})
    for n in range(6)
    for name in ("heartbeat-total", "commit-total")
]
# Of these a line stands for itself.
BY_LINES = [
    name
    for name in RENDERINGS
    if name.startswith(("JmxTool", "OTLP", "Telegraf", "Metricbeat")) or name == "jolokia, one attribute"
]
TABLES = ("silver.metric_samples", "bronze.unparsed")


@dataclass
class Source:
    """What the lake holds of one path. begins: where each reading began."""

    path: Path
    rows: dict[str, list[dict]] = field(default_factory=lambda: {table: [] for table in TABLES})
    account: dict | None = None
    begins: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def read(self, **names: object) -> None:
        grown = []
        if self.account is not None:
            state = json.loads(self.account["state"])["metrics"]
            if state["mark"]:
                began = (state["prefix_bytes"], state["prefix_digest"], state["identity_id"], state["mark"])
                grown = [(self.ids[-1], *began)]
        listed = (str(self.path), self.path.stat().st_size, NOON_S * 10**9)
        file = MetricFile.load(MetricFile(*listed, "s", "i", grown=grown, **names).dump())
        made = list(read_file(file))
        note = asdict(next(one for one in made if isinstance(one, MetricFileNote)))
        rows = [one for one in made if not isinstance(one, MetricFileNote)]
        is_same = self.ids[-1:] == [note["source_id"]]
        for table in TABLES:
            stay = [row for row in self.rows[table] if is_same and row["offset"] < note["begin"]]
            self.rows[table] = stay + [row for name, row in rows if name == table]
        self.account = next(row for table, row in rows if table == "bronze.accounting")
        self.begins.append(note["begin"])
        self.ids.append(note["source_id"])

    @property
    def told(self) -> tuple[object, ...]:
        return self.rows, self.account


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
@pytest.mark.parametrize("name", RENDERINGS)
def test_what_grows_is_as_if_it_had_been_read_at_once(name: str, tmp_path: Path, data: st.DataObject) -> None:
    """Wherever a writer was met in its work; with damage inside, too."""
    lines = RENDERINGS[name][0](FACTS).splitlines(keepends=True)
    at = data.draw(st.integers(1, len(lines)))
    damage = data.draw(st.sampled_from(["", "?\n", '{"a": \n', '["\n', "\n\n", '{"a": 1}\n']))
    whole = "".join([*lines[:at], damage, *lines[at:]]).encode()
    grown = Source(tmp_path / "m")
    for size in sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=5)) | {len(whole)}):
        grown.path.write_bytes(whole[:size])
        grown.read()
    once = Source(grown.path)
    once.read()
    assert grown.ids[-1] == once.ids[-1]
    assert grown.told == once.told


@pytest.mark.parametrize("name", BY_LINES)
def test_only_what_is_new_is_read(name: str, tmp_path: Path) -> None:
    lines = RENDERINGS[name][0](FACTS).splitlines(keepends=True)
    source, sizes = Source(tmp_path / "m"), [0]
    for count in (len(lines) - 3, len(lines) - 2, len(lines)):
        source.path.write_text("".join(lines[:count]))
        source.read()
        sizes.append(source.path.stat().st_size)
    assert source.begins == sizes[:3]


def test_a_scrape_and_an_encoded_file_are_read_as_wholes(tmp_path: Path) -> None:
    lines = RENDERINGS["jolokia, one attribute"][0](FACTS).splitlines(keepends=True)
    packed = Source(tmp_path / "m.gz")
    scrapes = Source(tmp_path / "m.prom")
    text = RENDERINGS["jmx_exporter, default"][0](FACTS).splitlines(keepends=True)
    for part in (0.5, 1):
        packed.path.write_bytes(gzip.compress("".join(lines[: int(len(lines) * part)]).encode()))
        scrapes.path.write_text("".join(text[: int(len(text) * part)]))
        packed.read()
        scrapes.read()
    assert packed.begins == scrapes.begins == [0, 0]


def test_a_file_that_was_cut_off_and_began_anew_is_another(tmp_path: Path) -> None:
    lines = RENDERINGS["jolokia, one attribute"][0](FACTS).splitlines(keepends=True)
    source = Source(tmp_path / "m")
    source.path.write_text("".join(lines[:6]))
    source.read()
    source.path.write_text("".join(lines[6:]))
    source.read()
    assert source.begins == [0, 0]
    assert len(set(source.ids)) == 2


def test_a_file_that_became_shorter_is_read_again(tmp_path: Path) -> None:
    lines = RENDERINGS["jolokia, one attribute"][0](FACTS).splitlines(keepends=True)
    source = Source(tmp_path / "m")
    for count in (6, 4):
        source.path.write_text("".join(lines[:count]))
        source.read()
    assert source.begins == [0, 0]
    assert len(source.rows["silver.metric_samples"]) == 4


def test_what_conf_says_now_is_said_of_all(tmp_path: Path) -> None:
    lines = RENDERINGS["JmxTool, csv"][0](FACTS).splitlines(keepends=True)
    source = Source(tmp_path / "m")
    source.path.write_text("".join(lines[:6]))
    source.read()
    source.path.write_text("".join(lines))
    source.read(time_zone="Asia/Tokyo")
    assert source.begins == [0, 0]
