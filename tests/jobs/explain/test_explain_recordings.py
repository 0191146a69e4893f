"""What is told of recordings whose cause no rule names: which incidents, and in which order."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from jobs.explain.files import explain_logs

RECORDINGS = Path(__file__).parent.parent.parent / "recordings"


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
    out = io.StringIO()
    console = Console(file=out, width=100_000, markup=False, emoji=False, highlight=False)
    explain_logs([str(RECORDINGS / f"{log}.app.log.gz")], console, "json")
    told = json.loads(out.getvalue())
    assert [fault["row"]["kind"] for fault in told["faults"]] == kinds
    assert told["ending"] == ("trouble" if kinds else "nothing_wrong")
