# ruff: noqa: E501 (lines of logs are written whole)
"""Many secrets, in lines, dumps, exceptions and metrics: none is in any table, control file or output."""

import io
import json

import pytest
from deltalake import DeltaTable
from rich.console import Console

from expectations import TABLES
from jobs.explain.by_id import explain_id
from jobs.explain.files import explain_logs
from jobs.pipeline import run
from jobs.progress import Progress
from jobs.sql.query import run_query
from tests.jobs.broken import recording

CANARIES = [f"Hunter2canary{number:02d}Xq9" for number in range(28)]
C = iter(CANARIES)
KAFKA = "(org.apache.kafka.clients.NetworkClient)"
IN_LINES = [
    f"INFO [Producer clientId=p] ssl.keystore.password = {next(C)} {KAFKA}",
    f"WARN [Producer clientId=p] connecting to https://app:{next(C)}@registry.example.com/ failed {KAFKA}",
    f"WARN [Producer clientId=p] sent Authorization: Bearer {next(C)} {KAFKA}",
    f"WARN [Producer clientId=p] sent Authorization: Basic {next(C)}== {KAFKA}",
    f"WARN [Producer clientId=p] api_key={next(C)} was refused {KAFKA}",
    f'WARN [Producer clientId=p] answer {{"password": "{next(C)}", "user": "u"}} {KAFKA}',
    f"WARN [Producer clientId=p] form client_secret={next(C)}&grant_type=x {KAFKA}",
    f"WARN [Producer clientId=p] token eyJhbGciOiJIUzI1NiJ9.eyJ{next(C)}.sig expired {KAFKA}",
    f"WARN [Producer clientId=p] login with password '{next(C)}' failed {KAFKA}",
    f"WARN [Producer clientId=p] started with --password {next(C)} --topic t {KAFKA}",
    f"WARN [Producer clientId=p] -Djavax.net.ssl.trustStorePassword={next(C)} -jar x {KAFKA}",
    f'WARN [Producer clientId=p] x.PlainLoginModule required user_admin="{next(C)}"; {KAFKA}',
    f"WARN [Producer clientId=p] headers {{Authorization=[Bearer {next(C)}], Accept=[*/*]}} {KAFKA}",
    f"WARN [Producer clientId=p] env {{GITHUB_TOKEN={next(C)}, HOME=/root}} {KAFKA}",
    f"WARN [Producer clientId=p] password=a&b,c}}{next(C)} was refused {KAFKA}",
    f'WARN [Producer clientId=p] {{"name": "sasl.password", "value": "{next(C)}"}} {KAFKA}',
    f"WARN [Producer clientId=p] delegation.token.master.key = {next(C)} {KAFKA}",
    f"WARN [Producer clientId=p] GET https://x/c?sv=2020&sig={next(C)}&se=1 {KAFKA}",
    f"WARN [Producer clientId=p] confluent.license={next(C)} {KAFKA}",
]
DUMP = [
    "INFO ProducerConfig values: ",
    "\tacks = -1",
    f"\tbasic.auth.user.info = user:{next(C)}",
    "\tclient.id = p",
    f'\tsasl.jaas.config = org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="{next(C)}";',
    f"\tssl.key.password = {next(C)}",
    f"\tssl.keystore.key = -----BEGIN PRIVATE KEY----- MIIE{next(C)} -----END PRIVATE KEY-----",
    " (org.apache.kafka.clients.producer.ProducerConfig)",
]
EXCEPTION = [
    f"ERROR [Producer clientId=p] Uncaught error in kafka producer I/O thread: {KAFKA}",
    f"org.apache.kafka.common.errors.SaslAuthenticationException: refused, password={next(C)}",
    "\tat org.apache.kafka.clients.NetworkClient.poll(NetworkClient.java:100)",
    f"Caused by: java.sql.SQLException: jdbc:postgresql://app:{next(C)}@db:5432/orders",
    f"Caused by: org.apache.kafka.common.errors.TimeoutException: aws_secret_access_key = {next(C)}",
]
# Pieces that no reader understands: before the first record, and JSON that is none.
UNREADABLE = [f"access_token={next(C)} before any record", f'{{"secret": "{next(C)}", not json']


def log_text():
    """A recording that breaks rules, with all of it at its beginning."""
    stamp = "[2026-11-21 02:00:00,000] "
    stamped = [stamp + line if line[0] in "IWE" else line for line in (*IN_LINES, *DUMP, *EXCEPTION)]
    lines = [UNREADABLE[0], *stamped, UNREADABLE[1]]
    return "\n".join(lines).encode() + b"\n" + recording("p580-static-35", "app.log")


def found_in(text):
    """The canaries in a text."""
    return [canary for canary in CANARIES if canary.lower() in text.lower()]


@pytest.fixture(scope="module")
def ran(engines, conf, tmp_path_factory):
    """The log, and the lake it was read into with the metrics."""
    folder, lake = tmp_path_factory.mktemp("orders"), tmp_path_factory.mktemp("lake")
    log, metrics = folder / "app.log", folder / "metrics.jsonl"
    log.write_bytes(log_text())
    request = {"type": "read", "mbean": "kafka.producer:client-id=p,type=app-info"}
    values = {"sasl.jaas.config": f"x.LoginModule required password={CANARIES[0]};", "version": "4.2.1"}
    metrics.write_text(
        json.dumps({"request": request, "value": values, "status": 200, "timestamp": 1763690400})
    )
    run(engines, lake, [str(log)], [str(metrics)], conf, Progress(is_shown=False))
    return log, lake


def test_all_were_there(ran):
    log, _ = ran
    assert next(C, None) is None
    assert len(found_in(log.read_text())) == len(CANARIES)


def test_no_table_holds_a_secret(ran):
    _, lake = ran
    for name in TABLES:
        rows = DeltaTable(str(lake.joinpath(*name.split(".")))).to_pyarrow_table().to_pylist()
        assert found_in(repr(rows)) == [], name
        if name in (
            "bronze.log_records",
            "bronze.unparsed",
            "silver.client_settings",
            "silver.metric_samples",
        ):
            assert rows, f"nothing in {name} to look at"


def test_no_file_of_the_lake_names_a_secret(ran):
    """Logs of commits hold the smallest and largest values; control files hold plans."""
    _, lake = ran
    for path in lake.rglob("*"):
        if path.is_file() and path.suffix != ".parquet":
            assert found_in(path.read_text(errors="replace")) == [], path.name


@pytest.mark.parametrize("fmt", ["table", "csv", "json"])
def test_no_query_prints_a_secret(ran, fmt):
    _, lake = ran
    for name in ("bronze.log_records", "bronze.unparsed", "silver.client_events", "silver.client_settings"):
        out = io.StringIO()
        run_query(lake, f"SELECT * FROM {name}", fmt, out)
        assert "redacted" in out.getvalue() or fmt == "table" or name == "silver.client_events", name
        assert found_in(out.getvalue()) == [], name


@pytest.mark.parametrize("as_json", [False, True])
def test_no_explanation_prints_a_secret(ran, as_json):
    log, lake = ran
    out = io.StringIO()
    console = Console(file=out, width=80)
    explain_logs([str(log)], console, "json" if as_json else "text")
    violations = DeltaTable(str(lake / "gold" / "violations")).to_pyarrow_table().to_pylist()
    assert violations
    for violation in violations:
        explain_id(lake, violation["violation_id"], console, "json" if as_json else "text")
    assert len(out.getvalue()) > 500
    assert found_in(out.getvalue()) == []
