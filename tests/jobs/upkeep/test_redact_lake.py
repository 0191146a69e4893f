"""A lake of a release that redacted nothing: after `maintain --redact` no byte of its folder holds a secret."""

import base64
import json
import re
import zlib

import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from typer.testing import CliRunner

from jobs.cli import app
from lab.soak.kills import run_over
from lab.soak.rows import differences, rows_of
from tests.jobs.test_secrets import CANARIES, log_text
from transforms.parse.secrets.redact import REDACTED
from transforms.parse.secrets.redact_values import redact_deeply

PARSERS = (
    "transforms.parse.records.build",
    "transforms.parse.records.shipped",
    "transforms.parse.metrics.reading",
    "transforms.parse.secrets.redact_values",
)
BASE64 = re.compile(rb"[A-Za-z0-9+/]{40,}={0,2}")
MORE = "[2026-11-21 03:00:00,000] WARN [Producer clientId=p] ssl.key.password = {} (org.apache.kafka.A)\n"


def unpacked(text):
    """What may be inside of texts that are encoded: kept states."""
    for found in BASE64.findall(text):
        try:
            yield zlib.decompress(base64.b64decode(found))
        except (ValueError, zlib.error):
            continue


def pieces(lake):
    """Each file of the lake's folder with all that is in it: its bytes, its rows, its statistics."""
    for path in sorted(lake.rglob("*")):
        if not path.is_file():
            continue
        whole = [path.read_bytes()]
        if path.suffix == ".parquet":
            whole += [repr(pq.read_table(path).to_pylist()).encode(), repr(pq.read_metadata(path)).encode()]
        yield path.relative_to(lake), b"\n".join([*whole, *(one for text in whole for one in unpacked(text))])


def found_in(lake):
    return {
        (canary, str(path))
        for path, content in pieces(lake)
        for canary in CANARIES
        if canary.lower().encode() in content.lower()
    }


@pytest.fixture
def older(tmp_path, monkeypatch):
    """Logs and metrics, and a lake with versions, statistics, states, a staged and a late file of before."""
    logs, lake = tmp_path / "logs" / "orders", tmp_path / "lake"
    logs.mkdir(parents=True)
    (logs / "app.log").write_bytes(log_text())
    with monkeypatch.context() as before:
        for module in PARSERS:
            before.setattr(f"{module}.redact", lambda text: text)
        run_over(lake, logs)
        with (logs / "app.log").open("a") as file:
            file.write(MORE.format(CANARIES[0]))
        run_over(lake, logs)
    control = lake / "_kipwatch"
    (control / "staging").mkdir(exist_ok=True)
    (control / "staging" / "1.arrow").write_text(f"password={CANARIES[0]}")
    (control / "odd.json").write_text(
        json.dumps({"ssl.key.password": CANARIES[1], "text": [f"api_key={CANARIES[2]}"]})
    )
    (control / "late").mkdir(exist_ok=True)
    events = DeltaTable(lake / "silver" / "client_events").to_pyarrow_table()
    pq.write_table(events.slice(0, 200), control / "late" / "0001.parquet")
    return logs, lake


def test_no_byte_of_the_lake_holds_a_secret_and_the_next_run_tells_what_a_new_lake_tells(older, tmp_path):
    logs, lake = older
    assert {canary for canary, _ in found_in(lake)} == set(CANARIES)
    assert {path.suffix for _, path in ((c, tmp_path / p) for c, p in found_in(lake))} >= {
        ".parquet",
        ".json",
    }
    done = CliRunner().invoke(app, ["maintain", "--redact", "--lake", str(lake), "--json"])
    assert done.exit_code == 0, done.output
    assert "rows redacted" in json.loads(done.output)["bronze.log_records"]
    assert found_in(lake) == set()
    assert REDACTED in "".join(rows_of(lake, "bronze.log_records"))
    again = json.loads(
        CliRunner().invoke(app, ["maintain", "--redact", "--lake", str(lake), "--json"]).output
    )
    assert {line.split(" ", 1)[0] for line in again.values()} == {"0"}
    (lake / "_kipwatch" / "late" / "0001.parquet").unlink()
    with (logs / "app.log").open("a") as file:
        file.write(MORE.format("x"))
    run_over(lake, logs)
    run_over(tmp_path / "new", logs)
    assert differences(tmp_path / "new", lake) == {}
    assert found_in(lake) == set()


def test_a_name_beside_a_text_tells_what_it_is():
    assert redact_deeply(
        {"ssl.key.password": "Hunter2", "x": "a", "list": [("sasl.password", "b c"), ("acks", "all")]}
    ) == {
        "ssl.key.password": REDACTED,
        "x": "a",
        "list": [("sasl.password", REDACTED), ("acks", "all")],
    }
