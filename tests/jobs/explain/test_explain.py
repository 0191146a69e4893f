"""`kipwatch explain ID` on a small lake: the story, its timeline, its proof, at 80 columns and as JSON."""

import io
import json
from hashlib import sha256

import pytest
from rich.console import Console

from jobs.explain.by_id import explain_id
from tests.jobs.lakes import write
from transforms.errors import BadInput

NOON = 1_777_800_000_000  # ms since the epoch
HOSTILE = (
    "[2026-05-03 09:20:00,000] ERROR \x1b[31m [bold]for\u202e Expiring 3 record(s) for orders-0:7500 ms "
    + "x" * 300
)


def sha(text):
    return sha256(text.encode()).hexdigest()


BATCH, RULE, SESSION = sha("batch"), "kip91.expired_early", sha("session")
RETRY, EXPIRED, LEFT = sha("retry"), sha("expired"), sha("left")
VIOLATION, FINDING, INCIDENT = sha("violation"), sha("finding"), sha("incident")


def event(event_id, line, at, **more):
    return {
        "event_id": event_id, "record_id": sha(event_id), "source": "orders/app.log", "line": line,
        "happened_at": at, "kind": "produce_retry", "message_id": "producer-batch-retry", "details": {},
    } | more  # fmt: skip


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    lake = tmp_path_factory.mktemp("lake")
    finding = {
        "rule_id": RULE, "kip": "KIP-91", "category": "broken_semantics", "severity": "error",
        "client_id": "orders-producer", "subject_id": BATCH, "happened_at": NOON + 7_500,
        "observed_ms": 7_500, "limit_ms": 8_000, "limit_origin": "logged",
        "explanation": "expired after 7500 ms, allowed from 8000 ms",
        "event_ids": [EXPIRED], "service": "orders", "instance": "app.log", "unit_id": "orders/app.log",
        "scope_id": "orders/app.log",
    }  # fmt: skip
    write(lake, "silver.findings", finding | {"finding_id": FINDING})
    write(lake, "gold.violations", finding | {"violation_id": VIOLATION, "occurrences": 1})
    write(
        lake,
        "silver.batch_lifetimes",
        {
            "batch_id": BATCH, "topic": "orders", "partition": 0, "records": 3, "created_at": NOON,
            "ended_at": NOON + 7_500, "outcome": "expired", "age_ms": 7_500, "delivery_timeout_ms": 8_000,
            "timeout_origin": "logged", "event_ids": [RETRY, EXPIRED], "client_id": "orders-producer",
        },
    )  # fmt: skip
    write(
        lake,
        "silver.client_events",
        event(RETRY, 41, NOON + 4_000, attempts_left=2),
        event(EXPIRED, 57, NOON + 7_500, kind="batch_expired", error_class="TimeoutException"),
    )
    write(
        lake,
        "bronze.log_records",
        {"record_id": sha(EXPIRED), "text": HOSTILE, "source": "orders/app.log", "line": 57},
        {"record_id": sha(RETRY), "text": "[..] WARN retrying", "source": "orders/app.log", "line": 41},
    )
    write(
        lake,
        "gold.incidents",
        {
            "incident_id": INCIDENT, "kind": "batches_expired", "started_at": NOON,
            "title": "1 batch expired",
            "cause": "the broker was silent.", "cause_confidence": "proven",
            "verdict": "broken", "impact": "lost",
            "observed_ms": 7_500, "limit_ms": 8_000, "limit_origin": "logged", "advice": "Send again.",
            "client_ids": ["orders-producer"], "event_ids": [EXPIRED], "subject_ids": [BATCH],
            "rule_ids": [RULE],
        },
    )  # fmt: skip
    return lake


def explained(lake, given, as_json=False):
    out = io.StringIO()
    console = Console(file=out, width=80, markup=False, emoji=False, highlight=False)
    explain_id(lake, given, console, "json" if as_json else "text")
    return out.getvalue()


def test_a_violation_says_what_by_how_much_against_which_limit_and_from_where(lake):
    text = explained(lake, VIOLATION)
    assert "kip91.expired_early (broken_semantics, error)" in text
    assert "expired after 7500 ms, allowed from 8000 ms" in text
    assert "500 ms under the limit of 8000 ms" in text
    assert "from the client's own log" in " ".join(text.split())


def test_the_timeline_has_start_attempt_limit_and_end(lake):
    text = explained(lake, VIOLATION)
    marks = [line.split()[0] for line in text.splitlines() if " ms  09:" in line]
    assert marks == ["S", "a", "E", "L"]
    assert "delivery.timeout.ms = 8000 ms (logged)" in text


def test_the_bar_is_in_proportion(lake):
    text = explained(lake, VIOLATION)
    (bar,) = [line.strip() for line in text.splitlines() if line.strip().startswith("S-")]
    assert bar.index("a") / len(bar) == pytest.approx(4_000 / 8_000, abs=0.02)
    assert bar.index("E") / len(bar) == pytest.approx(7_500 / 8_000, abs=0.02)
    assert bar.endswith("L")


def test_it_proves_with_source_line_and_text(lake):
    text = explained(lake, VIOLATION)
    assert "orders/app.log:57" in text
    assert "Expiring 3 record(s) for orders-0:7500 ms" in " ".join(text.split())


@pytest.mark.parametrize("given", [VIOLATION, FINDING, INCIDENT, BATCH])
def test_hostile_text_stays_text_and_within_80_columns(lake, given):
    text = explained(lake, given)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[31m [bold]for\\u202e" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("given", "what"), [(VIOLATION, "VIOLATION"), (INCIDENT, "INCIDENT"), (BATCH, "BATCH_LIFETIMES")]
)
def test_a_unique_beginning_is_enough(lake, given, what):
    assert explained(lake, given[:8].upper()).startswith(f"{what} {given[:12]}")


@pytest.mark.parametrize("given", ["abc", "zzzzzzzz", "12345678' OR '1'='1", "", "../../etc"])
def test_what_is_no_id_is_refused(lake, given):
    with pytest.raises(BadInput, match="is no id"):
        explained(lake, given)


def test_an_id_of_nothing_says_so(lake):
    with pytest.raises(BadInput, match="nothing has the id 00000000"):
        explained(lake, "00000000")


def test_a_beginning_of_several_ids_names_them(tmp_path):
    write(tmp_path, "silver.batch_lifetimes", {"batch_id": "ab" * 32}, {"batch_id": "ab" * 31 + "cd"})
    with pytest.raises(BadInput, match="2 ids begin with abababab"):
        explained(tmp_path, "abababab")


def test_a_lake_that_is_not_there_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match="no such folder"):
        explained(tmp_path / "nowhere", VIOLATION)


def test_json_has_the_row_the_marks_and_the_lines(lake):
    told = json.loads(explained(lake, VIOLATION, as_json=True))
    assert told["row"]["observed_ms"] == 7_500
    assert [mark["role"] for mark in told["timelines"][0]["marks"]] == ["start", "attempt", "end", "limit"]
    assert told["lines"][0]["line"] == 57
    assert told["lines"][0]["text"].startswith("[2026-05-03")
