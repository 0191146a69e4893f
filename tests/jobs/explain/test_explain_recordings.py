"""What is told of recordings whose cause no rule names: which incidents, and in which order."""

import gzip
import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from jobs.explain.files import explain_logs

RECORDINGS = Path(__file__).parent.parent.parent / "recordings"
# Lines that are read of a log from each end: between them stand ten thousand turns of one loop. `make score` reads them all.
FROM_AN_END = 3_000


@pytest.mark.parametrize(
    ("log", "kinds"),
    [
        pytest.param(
            "rd62-broker-killed-23/consumer-a", ["membership_session_expired"], id="killed: its member"
        ),
        pytest.param(
            "rd62-broker-killed-23/orders-producer", ["disconnected"], id="killed: no wrong protocol"
        ),
        pytest.param("j62-coordinator-missing-43/consumer-a", ["never_joined"], id="no coordinator, at INFO"),
        pytest.param(
            "j62-coordinator-missing-43/consumer-b",
            ["coordinator_missing"],
            id="no coordinator, by librdkafka",
        ),
        pytest.param("j62-cooperative-slow-41/consumer-a", ["membership_poll_expired"], id="the slow member"),
        pytest.param(
            "j62-cooperative-slow-41/consumer-b", ["commit_in_rebalance"], id="a member all the time"
        ),
        pytest.param("j62-cooperative-slow-41/consumer-c", [], id="who came later"),
    ],
)
def test_what_is_told_of_a_recording(log, kinds):
    told = _explained([RECORDINGS / f"{log}.app.log.gz"])
    assert [fault["row"]["kind"] for fault in told["faults"]] == kinds
    assert told["ending"] == ("trouble" if kinds else "nothing_wrong")


@pytest.mark.parametrize(
    ("folder", "kinds"),
    [
        ("j932-lock-expired-43", ["share_lock_lost"]),
        ("j932-slow-poll-43", ["membership_poll_expired"]),
        ("j98-transaction-timeout-43", ["fleet_transaction"]),
        ("p572-commit-idle-expire-42", ["task_stalled"]),
        ("p572-leader-half-42", ["leader_loop_expired"]),
        (
            "p580-coordinator-42-28",
            ["replication_factor_too_large", "admin_timed_out", "never_joined", "coordinator_missing"],
        ),
        ("p62-commit-timeout-42", ["requests_unanswered"]),
        ("rd848-evicted-216", ["membership_session_expired"]),
        ("rd91-blackhole-216", ["batch_expired"]),
    ],
)
def test_all_its_logs_tell_one_fault_once_and_the_injected_one_first(tmp_path, folder, kinds):
    logs = sorted((RECORDINGS / folder).glob("*.log.gz"))
    told = _explained([_both_ends(log, tmp_path / log.stem) for log in logs])
    assert [fault["row"]["kind"] for fault in told["faults"]] == kinds
    assert "(2)" not in told["faults"][0]["row"]["title"]


def _both_ends(log, to):
    lines = gzip.decompress(log.read_bytes()).splitlines(keepends=True)
    to.write_bytes(
        b"".join(lines if len(lines) <= 2 * FROM_AN_END else lines[:FROM_AN_END] + lines[-FROM_AN_END:])
    )
    return to


def _explained(logs):
    out = io.StringIO()
    console = Console(file=out, width=100_000, markup=False, emoji=False, highlight=False)
    explain_logs([str(log) for log in logs], console, "json")
    return json.loads(out.getvalue())
