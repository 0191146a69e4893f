"""Metrics beside logs: every sample once, accounting that balances, and no secret in a text."""

import gzip
import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from conf.settings import SourceHint
from expectations import TABLES
from expectations.sample_rows import first_of_each
from jobs.metrics.ingest_metrics import read_file
from jobs.pipeline import run
from jobs.progress import Progress
from lab.metrics.render import RENDERINGS, Fact
from transforms.parse.metrics.jolokia import read_responses
from transforms.parse.metrics.reading import MetricFile
from transforms.parse.metrics.samples import MetricBooks
from transforms.parse.records.json_window import loaded
from transforms.plans.metric_sources import MetricFileNote

RECORDINGS = Path(__file__).parents[2] / "recordings"
# These two begin with the same scrapes, of a process whose MBeans are not there yet.
ALIKE = [RECORDINGS / name / "metrics.jsonl.gz" for name in ("p572-task-recover-35", "p572-commit-multi-42")]
MBEAN = "kafka.producer:client-id=p,type=app-info"
SECOND_NS = 1_000_000_000
NOON_S = 1_795_262_400
GROUP = ("kafka.consumer", "consumer-coordinator-metrics")
BEAT = 'kafka_consumer_consumer_coordinator_metrics_heartbeat_rate{client_id="c"}'


def read(path, *before, changed_s=None, **names):
    """What a task gives for one file: samples, its accounting, and what it tells the driver."""
    stat = path.stat()
    changed_ns = stat.st_mtime_ns if changed_s is None else changed_s * SECOND_NS
    listed = (str(path), stat.st_size, changed_ns)
    made = list(read_file(MetricFile(*listed, "s", names.pop("instance", "i"), before=before, **names)))
    rows = [row for row in made if not isinstance(row, MetricFileNote)]
    pieces = [row for table, row in rows if table == "bronze.unparsed"]
    account = next(row for table, row in rows if table == "bronze.accounting")
    assert sum(account["unparsed_by_reason"].values()) - (account["status"] == "broken_gzip") == len(pieces)
    note = json.loads(json.dumps(asdict(next(row for row in made if isinstance(row, MetricFileNote)))))
    return [row for table, row in rows if table == "silver.metric_samples"], account, note


def response(timestamp=1763691578, **attributes):
    request = {"type": "read", "mbean": MBEAN}
    return json.dumps({"request": request, "value": attributes, "status": 200, "timestamp": timestamp})


def assert_balanced(account):
    for unit in ("lines", "bytes"):
        parts = (account[f"{unit}_in_records"], account[f"{unit}_unparsed"], account[f"{unit}_dropped"])
        assert account[f"{unit}_read"] == sum(parts), unit


@pytest.mark.parametrize(
    ("attribute", "text", "kept"),
    [
        ("ssl.keystore.password", "Hunter2canaryXq9", "[redacted]"),
        ("sasl.jaas.config", 'x.LoginModule required password="Hunter2canaryXq9";', "[redacted]"),
        ("note", "https://app:Hunter2canaryXq9@registry", "https://app:[redacted]@registry"),
        ("version", "4.2.1", "4.2.1"),
    ],
)
def test_a_text_loses_its_secrets(tmp_path, attribute, text, kept):
    path = tmp_path / "m.jsonl"
    path.write_text(response(**{attribute: text}) + "\n")
    (sample,), _, _ = read(path)
    assert sample["text_value"] == kept


def test_files_that_begin_alike_are_two_sources():
    (first, one, _), (second, two, _) = read(ALIKE[0]), read(ALIKE[1])
    assert first
    assert second
    assert one["source_id"] != two["source_id"]


def test_a_source_keeps_its_id_as_it_grows_and_moves(tmp_path):
    whole = gzip.decompress(ALIKE[0].read_bytes())
    grown = tmp_path / "metrics.jsonl"
    grown.write_bytes(whole[: len(whole) * 2 // 3])
    assert read(grown)[1]["source_id"] == read(ALIKE[0])[1]["source_id"]


@pytest.mark.parametrize(
    ("content", "status", "unparsed"),
    [
        (b"no JSON\n\n" + response(a=1.0).encode(), "complete", 1),
        (b"\xff\xfe\x00 binary \x00\n" * 3, "complete", None),
        (gzip.compress(response(a=1.0).encode() * 500)[:-40], "broken_gzip", None),
    ],
)
def test_books_balance_whatever_comes(tmp_path, content, status, unparsed):
    path = tmp_path / "m.jsonl"
    path.write_bytes(content)
    _, account, _ = read(path)
    assert_balanced(account)
    assert account["status"] == status
    if unparsed is not None:
        assert account["lines_unparsed"] == unparsed


def test_an_empty_file_has_books_and_gives_way_to_what_it_becomes(tmp_path):
    path = tmp_path / "m.jsonl"
    path.write_bytes(b"")
    _, account, note = read(path)
    assert (account["status"], account["identity"], account["bytes_read"]) == ("empty", "whole_file", 0)
    path.write_text(response(a=1.0) + "\n")
    _, grown, told = read(path, known(account, note))
    assert grown["source_id"] != account["source_id"]
    assert told["superseded"] == [account["source_id"]]


def known(account, note):
    """What the next run is told of a file that may have grown."""
    state = json.loads(account["state"])["metrics"]
    return note["source_id"], state["prefix_bytes"], state["prefix_digest"]


@pytest.mark.parametrize("name", RENDERINGS)
def test_a_source_grows_byte_by_byte_under_one_id_or_gives_way(tmp_path, name):
    """However a writer is met in its work, what it wrote is one source in the end, with the samples of the whole."""
    facts = [Fact(NOON_S + n, *GROUP, "heartbeat-total", float(n), {"client-id": "c"}) for n in range(4)]
    whole = RENDERINGS[name][0](facts).encode()
    path = tmp_path / "m"
    alive, states = set(), {}
    for size in [0, *range(1, len(whole), 41), len(whole)]:
        path.write_bytes(whole[:size])
        unsettled = [
            state
            for source_id, (state, is_settled) in states.items()
            if source_id in alive and not is_settled
        ]
        samples, account, note = read(path, *unsettled, changed_s=NOON_S)
        assert_balanced(account)
        alive -= set(note["superseded"])
        alive.add(note["source_id"])
        is_settled = json.loads(account["state"])["metrics"]["is_settled"]
        states[note["source_id"]] = known(account, note), is_settled
        assert account["identity"] == "first_sample" or not is_settled
    assert alive == {note["source_id"]}
    assert sorted(row["value"] for row in samples if row["attribute"] == "heartbeat-total") == [
        0.0,
        1.0,
        2.0,
        3.0,
    ]


def test_a_scrape_that_overwrites_another_is_another_source(tmp_path):
    path = tmp_path / "now.prom"
    path.write_text(f"{BEAT} 1.0\n")
    (first,), account, note = read(path, changed_s=NOON_S)
    path.write_text(f"{BEAT} 2.0\n")
    (second,), _, told = read(path, known(account, note), changed_s=NOON_S + 15)
    assert (first["sampled_at"], second["sampled_at"]) == (NOON_S * 1000, NOON_S * 1000 + 15_000)
    assert first["source_id"] != second["source_id"]
    assert told["superseded"] == []
    assert json.loads(account["evidence"])["time"] == "file"


def test_several_scrapes_have_no_file_time(tmp_path):
    path = tmp_path / "all.prom"
    path.write_text(f"{BEAT} 1.0\n{BEAT} 2.0\n")
    samples, account, _ = read(path)
    assert samples == []
    assert account["unparsed_by_reason"] == {"no_timestamp": 2}


def test_scrapes_named_by_time_are_one_process(tmp_path):
    units = set()
    for second in ("00", "15"):
        path = tmp_path / f"app-20261121T1200{second}Z.prom"
        path.write_text(f"{BEAT} 1.0\n")
        (sample,), account, _ = read(path, instance=path.name)
        units.add(sample["unit_id"])
        assert sample["sampled_at"] == NOON_S * 1000 + int(second) * 1000
        assert account["time_zone_origin"] == "logged"
    assert units == {"s/app.prom"}


def test_labels_say_whose_a_sample_is_unless_conf_does(tmp_path):
    path = tmp_path / "q.json"
    path.write_text(
        RENDERINGS["query_range"][0]([Fact(NOON_S, *GROUP, "heartbeat-total", 1.0, {"client-id": "c"})])
    )
    (sample,), _, note = read(path)
    assert (sample["unit_id"], sample["labels"]) == ("j/h:1", {"job": "j", "instance": "h:1"})
    assert note["clients"] == [["j/h:1", "j", ["c"]]]
    (sample,), _, _ = read(path, is_service_declared=True, is_instance_declared=True)
    assert sample["unit_id"] == "s/i"


def test_labels_and_foreign_metrics_lose_their_secrets(tmp_path):
    path = tmp_path / "m.prom"
    path.write_text(
        'x{uri="https://app:Hunter2canaryXq9@r",url="https://app:Hunter2canaryXq9@h",password="Hunter2canaryXq9"} 1\n'
    )
    samples, *rest = read(path)
    assert len(samples) == 1
    assert "Hunter2canaryXq9" not in json.dumps([samples, rest])
    path.write_text("password=Hunter2canaryXq9\n")
    assert "Hunter2canaryXq9" not in json.dumps(read(path))


def test_windows_are_told(tmp_path):
    path = tmp_path / "m.jsonl"
    path.write_text(response(**{"request-rate": 1.0, "request-total": 2.0}) + "\n")
    samples, _, _ = read(path)
    windows = {row["attribute"]: (row["window_shortest_ms"], row["window_longest_ms"]) for row in samples}
    assert windows == {"request-rate": (30_000, 60_000), "request-total": (None, None)}


def test_the_first_by_source_and_offset_stays():
    schema = pa.schema(
        [("key", pa.string()), ("source_id", pa.string()), ("offset", pa.int64()), ("item", pa.int64())]
    )
    rows = [("a", "s2", 0, 0), ("b", "s1", 9, 1), ("b", "s1", 9, 0), ("a", "s1", 5, 0), ("a", "s1", 7, 0)]
    table = pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)
    kept = first_of_each(table, ["key"]).to_pylist()
    assert [tuple(row.values()) for row in kept] == [("a", "s1", 5, 0), ("b", "s1", 9, 0)]


def test_formats_growth_and_two_collectors_in_one_lake(engines, conf, lake, tmp_path):
    """Two collectors of one client are one set of samples; a file that was empty grows; a second run adds what is new."""
    facts = [Fact(NOON_S + n, *GROUP, "heartbeat-total", float(n), {"client-id": "c"}) for n in range(4)]
    log = RECORDINGS / "p580-static-35" / "broker.log.gz"
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "jolokia.jsonl").write_text(RENDERINGS["jolokia, one attribute"][0](facts[:3]))
    (folder / "exporter.prom").write_text(RENDERINGS["jmx_exporter, default"][0](facts[1:]))
    (folder / "later.csv").write_text("")
    (folder / "other.txt").write_text("nonsense\n")
    hints = [
        SourceHint(f"{folder}/{name}", service="app", instance="1")
        for name in ("jolokia.jsonl", "exporter.prom")
    ]
    conf = replace(conf, sources=tuple(hints))

    def rows(table):
        return DeltaTable(str(lake.joinpath(*table.split(".")))).to_pyarrow_table().to_pylist()

    def values():
        return sorted((row["unit_id"], row["value"]) for row in rows("silver.metric_samples"))

    run(engines, lake, [str(log)], [str(folder)], conf, Progress(is_shown=False))
    assert values() == [("app/1", 0.0), ("app/1", 1.0), ("app/1", 2.0), ("app/1", 3.0)]
    accounts = {Path(row["source"]).name: row for row in rows("bronze.accounting")}
    layouts = {name: (row["layout"], row["status"]) for name, row in accounts.items() if name != log.name}
    assert layouts == {
        "jolokia.jsonl": ("jolokia", "complete"),
        "exporter.prom": ("prometheus_text", "complete"),
        "later.csv": (None, "empty"),
        "other.txt": (None, "complete"),
    }
    for account in accounts.values():
        assert_balanced(account)
    pieces = [row for row in rows("bronze.unparsed") if row["source"].startswith(str(folder))]
    assert [(row["text"], row["reason"], row["line"]) for row in pieces] == [
        ("nonsense", "unknown_format", 1)
    ]

    (folder / "later.csv").write_text(RENDERINGS["JmxTool, original"][0](facts[:1]))
    (folder / "jolokia.jsonl").write_text(RENDERINGS["jolokia, one attribute"][0](facts))
    run(engines, lake, [str(log)], [str(folder)], conf, Progress(is_shown=False))
    assert values() == [
        ("app/1", 0.0),
        ("app/1", 1.0),
        ("app/1", 2.0),
        ("app/1", 3.0),
        ("app/later.csv", 0.0),
    ]
    accounts = [row for row in rows("bronze.accounting") if row["source"].startswith(str(folder))]
    assert sorted(Path(row["source"]).name for row in accounts) == sorted(layouts)

    versions = [DeltaTable(str(lake.joinpath(*table.split(".")))).version() for table in TABLES]
    run(engines, lake, [str(log)], [str(folder)], conf, Progress(is_shown=False))
    again = [DeltaTable(str(lake.joinpath(*table.split(".")))).version() for table in TABLES]
    changed = {table for table, one, other in zip(TABLES, versions, again, strict=True) if one != other}
    assert changed <= {"gold.runs", "gold.table_checks"}


def test_files_that_grow_are_as_if_read_at_once(engines, conf, tmp_path):
    """A CSV with its header, JSON a line each with damage inside, and a scrape, met three times in the writing."""
    facts = [Fact(NOON_S + n, *GROUP, "heartbeat-total", float(n), {"client-id": "c"}) for n in range(9)]
    folder = tmp_path / "app"
    folder.mkdir()
    jolokia = RENDERINGS["jolokia, one attribute"][0](facts).splitlines(keepends=True)
    contents = {
        "a.jsonl": "".join([*jolokia[:4], "oops\n", *jolokia[4:]]),
        "b.csv": RENDERINGS["JmxTool, original"][0](facts),
        "c.prom": RENDERINGS["jmx_exporter, default"][0](facts),
    }
    lakes = [tmp_path / "grown", tmp_path / "once"]
    for part in (0.4, 0.75, 1):
        for name, content in contents.items():
            (folder / name).write_text(content[: int(len(content) * part)])
            os.utime(folder / name, (NOON_S, NOON_S))
        run(engines, lakes[0], [], [str(folder)], conf, Progress(is_shown=False))
    assert_as_at_once(engines, conf, folder, lakes)


def assert_as_at_once(engines, conf, folder, lakes):
    """The first lake's tables are those of a run over all of it, which the second is for."""
    run(engines, lakes[1], [], [str(folder)], conf, Progress(is_shown=False))
    for table in ("silver.metric_samples", "silver.metric_clients", "bronze.unparsed", "bronze.accounting"):
        columns = list(TABLES[table].stable_columns)
        grown, once = (
            DeltaTable(str(lake.joinpath(*table.split(".")))).to_pyarrow_table(columns=columns).to_pylist()
            for lake in lakes
        )
        assert once
        assert sorted(map(repr, grown)) == sorted(map(repr, once)), table


@pytest.mark.parametrize("bytes_before", [40, 700], ids=["who it is was not known yet", "samples were there"])
def test_a_file_that_is_rotated_as_it_grows_is_read_once(engines, conf, tmp_path, bytes_before):
    facts = [Fact(NOON_S + n, *GROUP, "heartbeat-total", float(n), {"client-id": "c"}) for n in range(9)]
    text = "oops\n" + RENDERINGS["jolokia, one attribute"][0](facts)
    at = text.index("\n", len(text) // 2) + 1
    folder, lakes = tmp_path / "app", [tmp_path / "grown", tmp_path / "once"]
    folder.mkdir()
    path = folder / "a.jsonl"
    path.write_text(text[:bytes_before])
    run(engines, lakes[0], [], [str(folder)], conf, Progress(is_shown=False))
    path.with_name("a.jsonl.1").write_text(text[:at])
    path.write_text(text[at:] + "oops\n")
    run(engines, lakes[0], [], [str(folder)], conf, Progress(is_shown=False))
    assert_as_at_once(engines, conf, folder, lakes)


def test_a_copy_beside_its_file_is_looked_at_once(engines, conf, tmp_path):
    """Also when the file grows, and when the copy then has more."""
    facts = [Fact(NOON_S + n, *GROUP, "heartbeat-total", float(n), {"client-id": "c"}) for n in range(9)]
    lines = RENDERINGS["jolokia, one attribute"][0](facts).encode().splitlines(keepends=True)
    folder, lake = tmp_path / "app", tmp_path / "lake"
    folder.mkdir()

    def taken():
        """How many files are read, and then no more."""
        first, second = (run(engines, lake, [], [str(folder)], conf, Progress(is_shown=False)) for _ in "12")
        assert second.read == 0
        return first.read

    def samples():
        return DeltaTable(str(lake / "silver" / "metric_samples")).to_pyarrow_table()["value"].to_pylist()

    (folder / "a.jsonl").write_bytes(b"".join(lines[:5]))
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(b"".join(lines[:5])))
    assert (taken(), sorted(samples())) == (2, [0, 1, 2, 3, 4])
    (folder / "a.jsonl").write_bytes(b"".join(lines[:7]))
    assert (taken(), sorted(samples())) == (1, [0, 1, 2, 3, 4, 5, 6])
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(b"".join(lines)))
    assert (taken(), sorted(samples())) == (1, [0, 1, 2, 3, 4, 5, 6, 7, 8])


def test_metrics_run_once_and_again(engines, conf, lake):
    log = RECORDINGS / "p580-static-35" / "broker.log.gz"
    paths = [str(path) for path in ALIKE]

    def rows(table):
        return DeltaTable(str(lake.joinpath(*table.split(".")))).to_pyarrow_table().to_pylist()

    run(engines, lake, [str(log)], paths, conf, Progress(is_shown=False))
    samples, accounts = rows("silver.metric_samples"), rows("bronze.accounting")
    expected = dict.fromkeys(paths, 0)
    for path in ALIKE:
        for line in gzip.decompress(path.read_bytes()).splitlines():
            expected[str(path)] += sum(1 for _ in read_responses(loaded(line), MetricBooks()))
    found = {path: sum(1 for row in samples if row["source"] == path) for path in paths}
    assert found == expected
    assert all(found.values())
    for account in accounts:
        assert_balanced(account)
    for path in ALIKE:
        account = next(account for account in accounts if account["source"] == str(path))
        assert account["bytes_read"] == len(gzip.decompress(path.read_bytes()))

    version = DeltaTable(str(lake / "silver" / "metric_samples")).version()
    run(engines, lake, [str(log)], paths, conf, Progress(is_shown=False))
    assert DeltaTable(str(lake / "silver" / "metric_samples")).version() == version
    assert rows("silver.metric_samples") == samples
    assert rows("bronze.accounting") == accounts
