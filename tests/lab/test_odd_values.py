"""Values that no client would print end no reading: they are read as what they are, or as nothing."""

import random

import pytest

from lab import odd_values
from tests.answered import answered

HEAD = "[2026-03-05 10:00:00,000]"
STARTING = "INFO [BrokerServer id=1] Starting broker (kafka.server.BrokerServer)"
REQUEST = "[Producer clientId=p] Sending PRODUCE request with header RequestHeader(apiKey=PRODUCE, apiVersion=9, clientId=p"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD} INFO stream-thread [] Task did not make progress. Remaining time to deadline 20000; retrying.",
        f"{HEAD} DEBUG {REQUEST}, correlationId=31) and timeout 8000 to node 1: "
        "{acks=-1,timeout=8000,partitionSizes=[orders-²=79]} (org.apache.kafka.clients.NetworkClient)",
        "\n".join(f"[2026-03-05 10:{at}] {STARTING}" for at in ("00:17,291", "00:25", "01:16,768")),
        "%4|1795357568.1|MAXPOLL|c#consumer-1| [thrd:main]: Application maximum poll interval (8000ms) exceeded by "
        f"{10**22}ms (adjust max.poll.interval.ms for long-running message processing): leaving group",
    ],
    ids=["no name", "a digit that is no number", "seconds among milliseconds", "longer than any calendar"],
)
def test_values(text, tmp_path):
    answered(text, tmp_path)


def test_logs_drawn_at_random(tmp_path):
    draw = random.Random(7)
    logs = (odd_values.log(draw) for _ in range(60))
    assert not list(odd_values.faults(tmp_path, logs, lambda: draw.choice(odd_values.FORMS)))


def test_a_fault_is_told_once_with_its_log(tmp_path, monkeypatch):
    monkeypatch.setattr(odd_values, "explain_logs", lambda *args, **how: int("²"))
    ((told, log),) = odd_values.faults(tmp_path, iter(["one\n", "two\n"]), lambda: "text")
    assert (told.startswith("ValueError: "), log) == (True, "one\n")
